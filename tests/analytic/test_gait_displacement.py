"""Net displacement of gaits: scallop theorem, pace, order, simulation; and the inverse problem."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import Connection, gait, harmonic_gait, inverse_gait, net_displacement
from locodyn.gaits.reconstruction import displacement_derivative, reconstruct, relative
from locodyn.lie import SE2
from locodyn.robot.fluid import ellipse_added_mass

pytestmark = pytest.mark.slow


def flat(zz):
    return ld.about_centre(xx=zz, yy=zz, zz=zz)


def three_links(base="planar"):
    """Three rods; joints on the ends of the middle one. In space their axes differ."""
    robot = ld.Robot("three links")
    middle = robot.base("middle", moves=base, mass=1.0, inertia=flat(0.02))
    axis = "z" if base == "planar" else "y"
    robot.body("front_body", mass=1.0, centre=(0.2, 0, 0), inertia=flat(0.02)).on(middle, at=(0.2, 0, 0)).turning(
        "z", name="front"
    )
    robot.body("rear_body", mass=0.8, centre=(-0.2, 0, 0), inertia=flat(0.01)).on(middle, at=(-0.2, 0, 0)).turning(
        axis, name="rear"
    )
    return robot


def snake(links=3):
    robot = ld.Robot("snake")
    parent = robot.base("link_0", moves="planar", mass=1.0, inertia=flat(0.1))
    parent.skate("skate_0")
    names = ("front", "rear", "tail")
    for k in range(1, links):
        body = robot.body(f"link_{k}", mass=1.0, centre=(-0.5, 0, 0), inertia=flat(0.1))
        parent = body.on(parent, at=(-0.5 if k == 1 else -1.0, 0, 0)).turning("z", name=names[k - 1])
        parent.skate(f"skate_{k}", at=(-0.5, 0, 0))
    return robot


def loop(front=-1.2, rear=1.2, size=0.5, omega=2.0):
    return harmonic_gait(
        omega, front={"amplitude": size, "phase": math.pi / 2, "offset": front}, rear={"amplitude": size, "offset": rear}
    )


def fish():
    """Three ellipses in an ideal fluid, neutrally buoyant, semi-axes 0.1 m and 0.03 m, hinged 0.02 m beyond their tips."""
    added = ellipse_added_mass(0.1, 0.03, density=1000.0)
    mass = 1000.0 * math.pi * 0.1 * 0.03
    rigid = {"mass": mass, "inertia": flat(mass * (0.1**2 + 0.03**2) / 4)}
    robot = ld.Robot("fish")
    middle = robot.base("middle", moves="planar", **rigid).fluid(*added)
    for name, side in (("front", 1.0), ("rear", -1.0)):
        ellipse = robot.body(f"{name}_body", centre=(0.12 * side, 0, 0), **rigid).fluid(*added, at=(0.12 * side, 0, 0))
        ellipse.on(middle, at=(0.12 * side, 0, 0)).turning("z", name=name)
    return robot


ROBOTS = {
    "mechanical": lambda: three_links().model(gravity=(0, 0, 0)),
    "mechanical in space": lambda: three_links("free").model(gravity=(0, 0, 0)),
    "hydrodynamic": lambda: fish().model(),
    "kinematic": lambda: snake().model(),
}
LOOPS = {
    "mechanical": lambda: loop(),
    "mechanical in space": lambda: loop(),
    "hydrodynamic": lambda: loop(front=0.0, rear=0.0, size=0.9),
    "kinematic": lambda: loop(front=0.9, rear=-0.7, size=0.3),
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_scallop_theorem(kind):
    # Forth and back on a part of a loop brings the body back; round the loop it does not (section D of the spec, last row).
    model, walk = ROBOTS[kind](), LOOPS[kind]()
    assert np.abs(net_displacement(model, walk).vector).max() > 1e-3
    back = net_displacement(model, walk.retraced(0.6))
    assert np.abs(back.path).max() > 1e-3
    assert np.abs(back.vector).max() < 1e-8


@pytest.mark.parametrize("kind", ROBOTS)
def test_pace_and_way_round(kind):
    model, walk = ROBOTS[kind](), LOOPS[kind]()
    once = net_displacement(model, walk)
    assert np.abs(net_displacement(model, walk.slowed(3.7)).vector - once.vector).max() < 1e-13
    back = net_displacement(model, walk.reversed())
    assert np.abs(back.twist + once.twist).max() < 1e-8  # inverse element; both with errors of order 4
    twice = net_displacement(model, walk, cycles=2)
    assert np.abs(twice.twist - 2.0 * once.twist).max() < 1e-8
    if kind != "mechanical in space":
        corner = SE2.log(SE2.compose(SE2.exp(once.twist), SE2.exp(once.twist)))
        assert np.abs(corner - twice.twist).max() < 1e-8


def forward(connected, walk, steps):
    states = reconstruct(connected, walk, None, steps)
    return relative(connected.model, states[0], states[-1])


@pytest.mark.parametrize("kind", ROBOTS)
def test_order_four(kind):
    connected = Connection(ROBOTS[kind](), ("front", "rear"))
    walk = LOOPS[kind]()
    results = [forward(connected, walk, steps) for steps in (20, 40, 320)]
    coarse, fine = (np.abs(results[k] - results[2]).max() for k in (0, 1))
    assert 3.5 < math.log2(coarse / fine) < 5.5
    estimated = net_displacement(connected, walk, steps=40)
    assert 0.3 < estimated.error / fine < 3.0


def test_a_fish_swims_by_its_shape_and_a_body_in_vacuum_does_not():
    # Added masses differ along and across, so that the loop propels; without fluid the mass centre stays where it is.
    model, walk = fish().model(), LOOPS["hydrodynamic"]()
    assert Connection(model).kind == "hydrodynamic"
    distance = [math.hypot(*net_displacement(model, walk, cycles=n, steps=60).vector[:2]) for n in (1, 3)]
    assert distance[0] > 0.01 and distance[1] > 2.5 * distance[0]


def test_whole_turns_are_kept():
    # A rotor that the body reacts to: with equal inertias the body turns by half the angle of the rotor, the other way.
    robot = ld.Robot("rotor")
    body = robot.base("body", moves="planar", mass=1.0, inertia=flat(0.1))
    robot.body("rotor", mass=1.0, inertia=flat(0.1)).on(body).turning("z", name="spin")
    back = net_displacement(robot, gait(spin=ld.sine(20.0, omega=1.0)))
    assert abs(back.path[50, 2] + 10.0) < 1e-8 and abs(back.theta) < 1e-12


def test_simulation_gives_the_same():
    # The scenario integrates the dynamics with 400 steps of order 4, the connection knows nothing of inertia forces.
    robot, walk = three_links(), loop()
    scenario = ld.Scenario("links", robot, gravity=(0, 0, 0), imposed=walk, start="zero_momentum")
    simulated = net_displacement(scenario, walk, steps=400)
    assert np.abs(simulated.vector - net_displacement(robot, walk, steps=400).vector).max() < 1e-8
    later = net_displacement(scenario, walk, steps=400, after=1)
    assert np.abs(later.vector - simulated.vector).max() < 1e-8


def test_joints_that_follow_are_integrated_along():
    # The tail's joint follows from its skate; the first three links do not notice. No skate of the tail slips on the way.
    walk = loop(front=0.9, rear=-0.7, size=0.3)
    short, long = snake(3).model(), snake(4).model()
    connected = Connection(long, ("front", "rear"))
    states = reconstruct(connected, walk, None, 400)
    assert np.abs(relative(long, states[0], states[-1]) - net_displacement(short, walk, steps=400).vector).max() < 1e-12
    assert np.ptp(states[:, 5]) > 1e-3
    h = walk.period / 400
    for k in (57, 211):
        rate = (states[k - 2] - 8 * states[k - 1] + 8 * states[k + 1] - states[k + 2]) / (12 * h)
        twist = long.twist("link_3", states[k], np.concatenate([turned(states[k, 2], rate[:2]), rate[2:]]))
        assert abs(twist[1] - 0.5 * twist[5]) < 1e-6  # difference of order 4


def turned(angle, vector):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]])


@pytest.mark.parametrize("kind", ROBOTS)
def test_derivative_with_respect_to_parameters(kind):
    # Against central differences of the forward model: step 1e-5, error 1e-9 of the third derivative, round-off 1e-10.
    connected = Connection(ROBOTS[kind](), ("front", "rear"))
    walk = LOOPS[kind]()
    names = list(walk.parameters)
    _, exact = displacement_derivative(connected, walk, names, steps=100)
    for k, name in enumerate(names):
        there, back = (forward(connected, walk.with_parameters(**{name: walk.parameters[name] + s * 1e-5}), 100) for s in (1, -1))
        assert np.abs(exact[:, k] - (there - back) / 2e-5).max() < 1e-7, name


def test_inverse_gait():
    model, walk = ROBOTS["mechanical"](), loop()
    wanted = {"theta": 0.05, "y": -0.002}
    vary = {"front.amplitude": (0.0, 1.5), "rear.amplitude": (0.0, 1.5), "rear.phase": (-np.inf, np.inf)}
    found = inverse_gait(model, walk, wanted, vary=vary)
    assert found.residual < 1e-12 and found.iterations <= 10  # quadratic convergence: 6 measured
    again = net_displacement(model, walk.with_parameters(**found.parameters), steps=800)
    assert abs(again.theta - 0.05) < 1e-7 and abs(again.y + 0.002) < 1e-7  # error of 200 steps of order 4
    assert found.gait.parameters["front.amplitude"] == found.parameters["front.amplitude"]


def test_inverse_gait_for_robots_that_are_run_or_followed():
    # Central differences of the forward model: a joint that follows, and a scenario. One parameter, one component.
    walk = loop(front=0.9, rear=-0.7, size=0.3)
    goal = net_displacement(snake(3), walk.with_parameters(**{"front.amplitude": 0.35}), steps=60).x
    found = inverse_gait(snake(4).model(), walk, {"x": goal}, vary=["front.amplitude"], steps=60)
    assert abs(found.parameters["front.amplitude"] - 0.35) < 1e-6
    robot, walk = three_links(), loop()
    scenario = ld.Scenario("links", robot, gravity=(0, 0, 0), imposed=walk, start="zero_momentum")
    goal = net_displacement(robot, walk.with_parameters(**{"rear.amplitude": 0.6}), steps=100).theta
    found = inverse_gait(scenario, walk, {"theta": goal}, vary=["rear.amplitude"], steps=100, tolerance=1e-7)
    assert abs(found.parameters["rear.amplitude"] - 0.6) < 1e-4


def test_goals_that_cannot_be_reached_are_refused():
    model, walk = ROBOTS["mechanical"](), loop()
    with pytest.raises(ld.InputError, match=r"theta = 2 was not reached .* the nearest is theta = 0\.\d+"):
        inverse_gait(model, walk, {"theta": 2.0}, vary={"front.amplitude": (0.1, 1.0)}, starts=1, steps=60)
    with pytest.raises(ld.InputError, match="no component 'z'"):
        inverse_gait(model, walk, {"z": 1.0})
    with pytest.raises(ld.InputError, match="no parameter 'size'"):
        inverse_gait(model, walk, {"x": 0.1}, vary=["size"])
    with pytest.raises(ld.InputError, match="outside its bounds"):
        inverse_gait(model, walk, {"x": 0.1}, vary={"front.amplitude": (2.0, 3.0)})


def test_singular_shapes_are_refused():
    # The straight snake: three parallel axles. A step lands on it, or steps over it.
    with pytest.raises(ld.InputError, match="under-constrained"):
        net_displacement(snake().model(), harmonic_gait(1.0, front=0.3, rear=0.3))
    with pytest.raises(ld.InputError, match="through a singular shape near t = "):
        net_displacement(snake().model(), loop(front=0.013, rear=0.029, size=0.5))


def test_height_function_picture(tmp_path):
    from locodyn.view import height_function

    path = height_function.plot(ROBOTS["mechanical"](), tmp_path / "height.png", loop(), points=9)
    assert path.stat().st_size > 10_000
    drawn = height_function.figure(ROBOTS["mechanical"](), loop(), points=9, components=["theta"])
    assert drawn.axes[0].get_xlabel() == "front (rad)" and drawn.axes[0].get_ylabel() == "rear (rad)"
    drawn = height_function.figure(ROBOTS["mechanical"](), loop(), points=5, components=["theta"], area=True)
    enclosed, gone = (
        float(x) for x in re.findall(r"(-?[\d.e-]+) rad", drawn.axes[0].get_title(loc="left"))
    )  # area, path: one turn in the plane
    net = net_displacement(ROBOTS["mechanical"](), loop()).theta
    assert enclosed == gone == float(f"{net:.3g}") and drawn.axes[0].patches[0].get_hatch()
    with pytest.raises(ld.InputError, match="needs a gait that encloses it"):
        height_function.figure(ROBOTS["mechanical"](), limits=((-1, 1), (-1, 1)), points=5, area=True)
    with pytest.raises(ld.InputError, match="no component 'angle'"):
        height_function.figure(ROBOTS["mechanical"](), loop(), points=5, components=["angle"])
    with pytest.raises(ld.InputError, match="must end in"):
        height_function.plot(ROBOTS["mechanical"](), tmp_path / "height.txt", loop())
