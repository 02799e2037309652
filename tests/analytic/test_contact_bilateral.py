"""Ideal wheels, rolling and loops beside hard contact: orders, impacts in closed form, redundant rows, rigid peers."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.robot import Box, Robot, Sphere

pytestmark = pytest.mark.slow


def stepped(scenario, t_end, step, **options):
    problem, (q0, v0) = scenario.problem, scenario.initial_state()
    return problem, solve(problem, q0, v0, 0.0, t_end, step=step, record_every=round(t_end / step), **options)


def falling_four_bar():
    """The linkage of the zoo with its crank let go."""
    return ld.zoo.four_bar().changed(imposed={}, checks=())


@pytest.mark.parametrize("make", [lambda: ld.zoo.chaplygin_sleigh().changed(checks=()), falling_four_bar])
def test_rows_without_contact_are_of_order_two(make):
    """Errors of positions and of the energy fall by four when the step is halved; rows hold at the end of every step."""
    scenario = make()
    errors, drifts = [], []
    _, exact = stepped(scenario, 0.48, 5e-4)
    for step in (1e-3, 5e-4):
        problem, found = stepped(scenario, 0.48, step, method="moreau")
        errors.append(np.abs(found.q[-1] - exact.q[-1]).max())
        model = problem.model
        energies = [model.kinetic_energy(q, v) + model.potential_energy(q) for q, v in zip(found.q, found.v, strict=True)]
        drifts.append(abs(energies[-1] - energies[0]))
        _, v = problem.imposed_state(0.48, found.q[-1], found.v[-1])
        assert np.abs(v - found.v[-1]).max() < 1e-12
        assert np.abs(problem.constraints.arrays.residual).max() < 1e-12
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert drifts[0] / drifts[1] == pytest.approx(4.0, rel=0.15)


def sleigh(wheels):
    robot = Robot("sleigh")
    base = robot.base("sleigh", moves="planar", mass=2.0, inertia=np.diag([1.0, 1.0, 0.3]))
    for k in range(wheels):
        base.skate(f"skate_{k}", at=(0.0, 0.1 * k, 0.0))
    base.collides(Sphere(0.1), restitution=0.5)
    return robot


@pytest.mark.parametrize("wheels", [1, 3])
def test_a_skate_hits_an_oblique_wall(wheels):
    """Frictionless, normal at 0.5 rad to the way: v -> -e v, impulse m v (1 + e) / cos a, sideways impulse of the skates that
    times sin a, in equal shares where they are redundant."""
    tilt, speed, dt = 0.5, 1.0, 1e-3
    normal = (-np.cos(tilt), -np.sin(tilt), 0.0)
    wall = ld.Ground(normal=normal, at=(1.0, 0.0, 0.0))
    start = ld.Start(None, {"sleigh": (speed, 0.0, 0.0)})
    scenario = ld.Scenario("hit", sleigh(wheels), gravity=(0, 0, 0), obstacles=[wall], start=start, t_end=1.2, dt=dt,
                           integrator="moreau")  # fmt: skip
    result = scenario.run(progress=False)
    assert result.v[-1] == pytest.approx([-0.5 * speed, 0.0, 0.0], abs=1e-9)
    impulse = result.contact_force.values[1:, 0].sum(axis=0) * dt
    expected = 2.0 * speed * 1.5 / np.cos(tilt)
    assert impulse == pytest.approx(expected * np.array(normal), abs=1e-6)
    rows = result.multiplier.values[1:].sum(axis=0) * dt
    assert rows == pytest.approx(np.full(wheels, expected * np.sin(tilt) / wheels), abs=1e-6)
    assert result.impact_loss.values[-1] == pytest.approx(0.5 * 2.0 * speed**2 * 0.75, rel=1e-6)
    energy = result.total_energy().values - result.energy_supplied().values
    assert energy == pytest.approx(energy[0], abs=1e-9)


def test_solvers_agree_on_rows():
    """The same impact with friction, by Newton, Gauss-Seidel and the fixed point."""
    found = []
    for solver in ("newton", "gauss_seidel", "prox"):
        robot = sleigh(1)
        start = ld.Start({"sleigh": (0.0, 0.0, 0.3)}, {"sleigh": (1.0, 0.0, 0.5)})
        wall = ld.Ground(normal="-x", at=(0.5, 0.0, 0.0), friction=0.3)
        contact = ld.HardContact(solver=solver, iterations=20000, tolerance=1e-9)
        result = ld.Scenario("hit", robot, gravity=(0, 0, 0), obstacles=[wall], start=start, t_end=1.0, dt=2e-3,
                             integrator="moreau", contact=contact).run(progress=False)  # fmt: skip
        assert result.attributes["contact_unconverged_steps"] == 0
        found.append(result.v[-1])
    assert found[0][0] < 0.9  # it has hit
    assert found[1] == pytest.approx(found[0], abs=1e-7)
    assert found[2] == pytest.approx(found[0], abs=1e-7)


def test_two_halves_held_by_a_loop_fall_as_one_box():
    """A hinge that a loop locks: the dropped box bounces as the rigid one does."""
    size, half = (0.4, 0.2, 0.1), (0.2, 0.2, 0.1)
    whole = Robot("whole")
    whole.base("box", mass=2.0, shape=Box(size)).collides(friction=0.2, restitution=0.3)
    split = Robot("split")
    left = split.base("left", mass=1.0, shape=Box(half, at=(-0.1, 0.0, 0.0)))
    left.collides(Box(size, at=(0.0, 0.0, 0.0)), friction=0.2, restitution=0.3)
    right = split.body("right", mass=1.0, shape=Box(half, at=(0.1, 0.0, 0.0))).on(left).turning("y", name="hinge")
    split.loop("lock", left, right, "fixed")
    ends = []
    for robot, name in ((whole, "box"), (split, "left")):
        start = ld.Start({name: (0.0, 0.0, 0.3, 0.1, 0.4, 0.0)}, {name: (0.3, 0.1, 0.0, 0.5, 0.0, 1.0)})
        result = ld.Scenario("fall", robot, obstacles=[ld.Ground()], start=start, t_end=0.6, dt=1e-3,
                             integrator="moreau").run(progress=False)  # fmt: skip
        ends.append((result.position.values, result.twist.values[-1]))
    assert ends[1][0] == pytest.approx(ends[0][0], abs=1e-7)
    assert ends[1][1] == pytest.approx(ends[0][1], abs=1e-6)


def test_torque_of_an_imposed_joint_in_contact():
    """Dense and articulated solvers give the same torque of a joint whose link presses on the ground."""
    torques = []
    for solver in ("newton", "gauss_seidel"):
        robot = Robot("arm")
        base = robot.base("base", mass=5.0, shape=Box((0.5, 0.5, 0.2)))
        base.collides(friction=0.5)
        arm = robot.body("arm", mass=1.0, shape=Sphere(0.05, at=(0.5, 0, 0))).on(base).turning("y", name="joint")
        arm.collides(friction=0.5)
        start = ld.Start({"base": (0, 0, 0.1, 0, 0, 0), "joint": 0.05})
        scenario = ld.Scenario("press", robot, imposed={"joint": ld.sine(0.1, omega=6.0, offset=0.05)}, start=start, t_end=0.4,
                               dt=1e-3, obstacles=[ld.Ground()], integrator="moreau",
                               contact=ld.HardContact(solver=solver, iterations=5000))  # fmt: skip
        torques.append(scenario.run(progress=False).joint_torque.values)
    assert np.abs(torques[0]).max() > 1.0
    assert torques[1] == pytest.approx(torques[0], abs=1e-4)


def snake(links, maximal):
    """A planar snake with servo joints, in minimal coordinates or as Transeth (2007): free links held by bilateral joints."""
    robot, half = Robot("maximal" if maximal else "minimal"), (0.06, 0.0, 0.0)
    link = {"mass": 0.7, "inertia": np.diag([1e-3, 1.3e-3, 1.3e-3])}
    bodies = []
    frame = robot.base("world_frame", moves="fixed") if maximal else None
    for k in range(links):
        name = f"link_{k}"
        if maximal:
            body = robot.body(name, **link).on(frame).planar(name=name)
        elif k == 0:
            body = robot.base(name, moves="planar", **link)
        else:
            body = robot.body(name, **link).on(bodies[-1], at=half, body_at=half).turning("z", name=f"joint_{k}")
        body.rests(0.7 * 9.81, friction=ld.Friction(0.2, 0.5)).collides(Sphere(0.05))
        bodies.append(body)
    if maximal:
        for k in range(1, links):
            robot.loop(f"joint_{k}", bodies[k - 1], bodies[k], "revolute", "z", first_at=half, second_at=(-0.06, 0.0, 0.0))
    return robot


def test_minimal_and_maximal_coordinates_agree():
    """Transeth's scheme (2007, algorithm 3.1: free links, bilateral joints, prox fixed point, positions projected) and
    the default one, sliding against a peg: their difference is of first order in the step, as the impact is."""
    speeds = np.array([[0.5, 0.1, 0.3]] * 3)
    off = []
    for step in (2e-3, 1e-3):
        ends = []
        for maximal in (False, True):
            place = {f"link_{k}": (0.12 * k, 0.0, 0.0) for k in range(3 if maximal else 1)}
            # A rigid turn about link 0: the others move sideways by 0.12 k times the rate.
            rates = {f"link_{k}": tuple(speeds[k] + (0.0, 0.12 * k * 0.3, 0.0)) for k in range(3 if maximal else 1)}
            solver = {"solver": "prox", "iterations": 20000, "r_normal": 0.05, "r_tangent": 0.3} if maximal else {}
            result = ld.Scenario(
                "slide", snake(3, maximal), start=ld.Start(place, rates), t_end=0.4, dt=step, integrator="moreau",
                obstacles=[ld.Obstacle(ld.Cylinder(0.06), at=(0.39, 0.06), friction=0.0)],
                contact=ld.HardContact(tolerance=1e-7, ahead=False, curved=False, **solver),
            ).run(progress=False)  # fmt: skip
            assert result.attributes["contact_unconverged_steps"] == 0
            ends.append(result.body_position.sel(body=[f"link_{k}" for k in range(3)]).values[-1])
            assert np.abs(result.contact_force.values[..., :2]).max() > 1.0
        off.append(np.abs(ends[1] - ends[0]).max())
    assert off[0] < 1e-5
    assert off[0] / off[1] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("angle", [0.5, 0.05, 0.004])
def test_a_wheel_against_a_peg_is_a_toggle(angle):
    """Pushed along by its weight, axle at ``angle`` to the normal of a peg: the peg bears m g / sin a, the skate m g / tan a."""
    peg = ld.Obstacle(ld.Cylinder(0.05), at=(0.15 * np.sin(angle), 0.15 * np.cos(angle)))
    scenario = ld.Scenario("wedge", sleigh(1), gravity=(9.81, 0, 0), obstacles=[peg], t_end=0.05, dt=1e-3, integrator="moreau")
    weight = 2.0 * 9.81
    if angle < 0.01:
        with pytest.warns(
            ld.sim.WedgeWarning, match=r"'sleigh\.surface on cylinder' carries up to 4\.91e\+03 N, 250 times the weight"
        ):
            result = scenario.run(progress=False)
        assert '"sleigh.surface on cylinder"' in result.attributes["wedged"]
    else:
        result = scenario.run(progress=False)
        assert "wedged" not in result.attributes
    force = result.contact_force.values[-1, 0]
    assert np.linalg.norm(force) == pytest.approx(weight / np.sin(angle), rel=1e-6)
    assert abs(result.multiplier.values[-1, 0]) == pytest.approx(weight / np.tan(angle), rel=1e-6)
