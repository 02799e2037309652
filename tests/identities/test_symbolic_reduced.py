"""Reduced dynamics in closed form against the numeric problem: the same accelerations, speeds and contact forces."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.symbolic import Generator, symbolic_robot
from locodyn.symbolic.scenarios import generator, torque_driven
from locodyn.zoo.registry import make
from random_robots import random_inertia

pytestmark = pytest.mark.slow

TIME = 0.3
WITH_ROWS = ("chaplygin_sleigh", "snakeboard", "roller_racer", "trailer_truck", "four_bar", "mobile_manipulator")
CASES = {
    "chaplygin_sleigh": {},
    "car": {},
    "snakeboard": {"inertia": "B"},
    "roller_racer": {},
    "unicycle": {},
    "trailer_truck": {},
    "mobile_manipulator": {},
    "four_bar": {},
    "two_axle": {},
    "two_axle friction": {"contact": "friction"},
    "pendulum": {"n": 3, "damping": 0.2},
    "satellite": {"case": "C"},
    "fish": {},
    "falling_cat": {},
    "heavy_top": {},
}


def numeric(name: str, settings: dict, rng: np.random.Generator):
    """A problem with random forces on all joints and driven wheels, and a state on its constraints."""
    scenario = make(name, settings)
    model = scenario.model
    first = 0 if scenario.compiled.base_code in (0, 1, 2, 3) else scenario.compiled.reference_nv
    tau = rng.standard_normal(model.nv - first)
    wheels = [w.name for w in scenario.compiled.wheels if w.actuated]
    torques = dict(zip(wheels, rng.standard_normal(len(wheels)), strict=True))
    problem = Problem(
        model,
        torque={first + i: constant(x) for i, x in enumerate(tau)},
        drives=Drives(steering=scenario.drive.steering, torque={w: constant(x) for w, x in torques.items()}),
    )
    q, v = scenario.initial_state()
    q = model.normalised(q + 0.3 * rng.standard_normal(model.nq))
    q, v = problem.imposed_state(TIME, q, v + rng.standard_normal(model.nv))
    given = {f"torque_{w}": [x] for w, x in torques.items()}
    given |= {f"steering_{w}": law.at(TIME)[:2] for w, law in scenario.drive.steering.items()}
    return problem, q, v, tau, given


def call(function, **given):
    """The outputs for those of the given inputs that the function has."""
    return function(**{g.name: given[g.name] for g in function.inputs if g.name in given})


@pytest.mark.parametrize("symbols", ["none", "all"])
@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_those_of_the_numeric_problem(name, symbols):
    rng = np.random.default_rng(7)
    problem, q, v, tau, given = numeric(name.split()[0], CASES[name], rng)
    source = generator(name.split()[0], CASES[name], symbols=symbols)
    reduced, speeds, forward = (source.function(what) for what in ("reduced", "speeds", "forward"))
    names = problem.model.compiled.coordinate_names
    independent = [names.index(e) for e in next(g for g in reduced.inputs if g.name == "u").entries]
    u = v[independent]
    np.testing.assert_allclose(call(speeds, q=q, u=u, **given)[0], v, rtol=1e-10, atol=1e-10)
    a = problem.accelerations(TIME, q.copy(), v.copy())
    mass, force = call(reduced, q=q, u=u, tau=tau, **given)
    scale = np.abs(a).max()
    np.testing.assert_allclose(np.linalg.solve(mass, force), a[independent], rtol=1e-9, atol=1e-9 * scale)
    qdot, udot = call(forward, q=q, u=u, tau=tau, **given)
    np.testing.assert_allclose(udot, a[independent], rtol=1e-9, atol=1e-9 * scale)
    step = 1e-6
    moved = (problem.model.move(q, step * v) - problem.model.move(q, -step * v)) / (2 * step)
    np.testing.assert_allclose(qdot, moved, atol=1e-7 * (1 + np.abs(v).max()))


@pytest.mark.parametrize(
    "name", ["chaplygin_sleigh", "snakeboard", "roller_racer", "trailer_truck", "four_bar", "mobile_manipulator"]
)
def test_rows_and_contact_forces(name):
    """A v = b and its derivative hold on the motion; the contact forces close the balance of forces."""
    problem, q, v, tau, given = numeric(name, CASES[name], np.random.default_rng(11))
    given = {key: 0.0 * np.array(x) if key.startswith("torque") else x for key, x in given.items()}
    source = generator(name, CASES[name], symbols="all")
    rows, drift = source.function("constraints"), source.function("contacts")
    matrix, residual, rate = call(rows, q=q, v=v, **given)
    assert np.abs(residual).max() < 1e-12 * max(1.0, np.abs(matrix).max() * np.abs(v).max())
    names = problem.model.compiled.coordinate_names
    forward = source.function("forward")
    u = v[[names.index(e) for e in next(g for g in forward.inputs if g.name == "u").entries]]
    force = call(drift, q=q, u=u, tau=tau, **given)[0]
    udot = call(forward, q=q, u=u, tau=tau, **given)[1]
    a = with_accelerations(matrix, rate, names, next(g for g in forward.inputs if g.name == "u").entries, udot)
    applied = np.concatenate([np.zeros(problem.model.nv - len(tau)), tau])
    left = problem.model.inverse_dynamics(q, v, a) - applied - matrix.T @ force
    assert np.abs(left).max() < 1e-9 * max(1.0, np.abs(force).max())


def with_accelerations(matrix, rate, names, independent, udot):
    """All accelerations from the independent ones and the rows, by least squares."""
    known = [names.index(e) for e in independent]
    rest = [i for i in range(len(names)) if i not in known]
    a = np.zeros(len(names))
    a[known] = udot
    a[rest] = np.linalg.lstsq(matrix[:, rest], -rate - matrix[:, known] @ udot, rcond=None)[0]
    return a


@pytest.mark.parametrize("name", ["snakeboard", "roller_racer", "falling_cat"])
def test_imposed_motion_as_in_the_scenario(name):
    scenario = make(name)
    problem = scenario.problem
    q, v = problem.imposed_state(TIME, *scenario.initial_state())
    v = problem.imposed_state(TIME, q, v + 0.3)[1]
    a = problem.accelerations(TIME, q.copy(), v.copy())
    source = generator(name, drive="scenario", symbols="all")
    names = scenario.compiled.coordinate_names
    forward = source.function("forward")
    u = [names.index(e) for e in next(g for g in forward.inputs if g.name == "u").entries]
    imposed = [names.index(e) for e in next(g for g in forward.inputs if g.name == "v_given").entries]
    assert {names[i] for i in imposed} == set(scenario.drive.imposed)
    _, udot = call(forward, q=q, u=v[u], v_given=v[imposed], a_given=a[imposed], tau=[])
    np.testing.assert_allclose(udot, a[u], rtol=1e-9, atol=1e-9)


def test_independent_speeds_can_be_named():
    source = generator("snakeboard", symbols="all")
    function = source.function("reduced", speeds=["board.wz", "joint_1", "joint_2", "joint_3"])
    assert next(g for g in function.inputs if g.name == "u").entries == ("board.wz", "joint_1", "joint_2", "joint_3")
    q, tau = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6]), np.array([0.1, 0.2, -0.3])
    free = source.function("reduced")
    v = source.function("speeds")(q, [0.3, 0.5, -0.2, 0.7])[0]
    rates = [np.linalg.solve(*f(q, u, tau)) for f, u in ((free, v[[0, 3, 4, 5]]), (function, v[[2, 3, 4, 5]]))]
    np.testing.assert_allclose(rates[0][1:], rates[1][1:], rtol=1e-10)
    for wrong in (["board.vx"], ["board.vx", "board.vy", "joint_1", "joint_2", "joint_3"]):
        with pytest.raises(InputError, match="4 independent ones are needed"):
            source.function("reduced", speeds=wrong)
    with pytest.raises(InputError, match="did you mean 'joint_1'"):
        source.function("reduced", speeds=["joint1"])


def test_a_wrench_from_outside_enters_the_reduced_dynamics():
    """On Chaplygin's sleigh a force along the edge and a moment about z go straight into F."""
    function = generator("chaplygin_sleigh").function("reduced", wrenches=["sleigh"])
    wrench = np.array([1.5, 7.0, 3.0, 0.2, 0.1, -0.4])
    with_it, without = (function(q=np.zeros(3), u=[0.3, 0.2], wrench_sleigh=w)[1] for w in (wrench, np.zeros(6)))
    np.testing.assert_allclose(with_it - without, [1.5, -0.4], atol=1e-14)


def test_motion_that_follows_from_the_rows_is_told():
    with pytest.raises(InputError, match="constraints alone"):
        generator("three_axle", drive="scenario").function("reduced")


def test_coordinates_that_cancel_are_left_out():
    """A rotor about its axis of symmetry; place and heading on the plane."""
    function = generator("snakeboard", symbols="all").function("reduced")
    assert function.notes[0] == "It does not depend on joint_1."
    assert not {"q_board_x", "q_board_y", "q_board_angle", "q_joint_1"} & set(function.program.names)
    platform = generator("satellite", symbols="all").function("mass_matrix")
    assert not {"q_joint_1", "q_joint_2", "q_joint_3"} & set(platform.program.names)


def test_steering_angles_that_fit_together_leave_the_platform_free():
    """Two steered wheels with angles of their own lock a platform; with those of the scenario one row follows from the others."""
    function = generator("mobile_manipulator").function("reduced")
    assert next(g for g in function.inputs if g.name == "u").entries[0].startswith("platform")
    assert any("wheel_2.side" in note for note in function.notes)


def test_a_robot_of_ones_own():
    """No zoo: a builder, its numbers, a problem."""

    def build(p):
        robot = ld.Robot("scooter")
        deck = robot.base("deck", moves="planar", mass=p["m"], inertia=ld.about_centre(zz=p["I"]))
        deck.wheels("rear", at=(-p["l"], 0, 0), axis="y")
        fork = robot.body("fork", mass=1.0, inertia=ld.about_centre(zz=0.01)).on(deck, at=(p["l"], 0, 0)).turning("z")
        fork.wheels(axis="y")
        return robot

    values = {"m": 5.0, "I": 0.3, "l": 0.4}
    problem = Problem(build(values).model())
    function = Generator(symbolic_robot(build, values, (0, 0, -9.81), ["l"]), problem).function("reduced")
    assert [g.name for g in function.inputs] == ["q", "u", "tau", "p"]
    q, v = problem.imposed_state(0.0, np.array([0.0, 0.0, 0.0, 0.4]), np.array([1.0, 0.2, 0.3, 0.5]))
    names = problem.model.compiled.coordinate_names
    u = [names.index(e) for e in function.inputs[1].entries]
    found = np.linalg.solve(*function(q, v[u], np.zeros(1)))
    np.testing.assert_allclose(found, problem.accelerations(0.0, q, v)[u], rtol=1e-10)


@pytest.mark.parametrize("ends", [("pin", "world"), ("world", "pin")])
def test_a_point_held_in_three_directions(ends):
    """A free body and a rod on it, pinned to the world by a ball joint that closes a loop: a pendulum in space."""
    robot = ld.Robot("pinned")
    body = robot.base("body", moves="free", mass=2.0, centre=(0.1, 0.0, -0.2), inertia=ld.about_centre(xx=0.3, yy=0.2, zz=0.1))
    body.marker("pin", at=(0.05, -0.02, 0.3), turned=("x", 0.4))
    robot.body("rod", mass=1.0, centre=(0.2, 0.0, 0.0), inertia=ld.about_centre(xx=0.01, yy=0.1, zz=0.1)).on(body).turning("y")
    robot.loop("ball", *ends, joint="spherical")
    rng = np.random.default_rng(2)
    problem = Problem(robot.model(), torque={6: constant(0.7)})
    q = problem.model.normalised(problem.model.neutral() + 0.3 * rng.standard_normal(8))
    q, v = problem.imposed_state(0.0, q, rng.standard_normal(7))
    source = Generator(symbolic_robot(lambda _: robot, {}, (0, 0, -9.81)), problem, q)
    forward, contacts = source.function("forward"), source.function("contacts")
    names = problem.model.compiled.coordinate_names
    u = [names.index(e) for e in next(g for g in forward.inputs if g.name == "u").entries]
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(forward(q, v[u], [0.7])[1], a[u], rtol=1e-9)
    wanted = problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]
    np.testing.assert_allclose(contacts(q, v[u], [0.7])[0], wanted, rtol=1e-9, atol=1e-9)


SURFACES = {
    "disc": {"radius": 0.3, "axis": (0.2, 1.0, -0.3)},
    "tyre": {"radius": 0.3, "axis": (0.0, 1.0, 0.1), "crown": 0.05},
    "sphere": {"radius": 0.25},
    "ellipsoid": {"semi_axes": (0.2, 0.3, 0.4), "turned": ("x", 0.7)},
    "slipping disc": {"radius": 0.3, "axis": "y", "slips": True},
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("surface", SURFACES)
def test_surfaces_that_roll_on_planes(surface, seed):
    """A free body with a surface on a tilted plane and a pendulum on it: rows, accelerations, forces of the numeric problem."""
    rng = np.random.default_rng(seed)
    robot = ld.Robot("roller")
    body = robot.base("body", **random_inertia(rng))
    robot.body("bob", **random_inertia(rng)).on(body, at=(0.1, 0.2, -0.1)).turning((0.3, 1.0, 0.2))
    body.rolling("touch", at=(0.05, -0.1, 0.02), normal=(0.1, -0.2, 1.0), ground=(0.1, 0.2, -0.3), **SURFACES[surface])
    problem = Problem(robot.model(), torque={6: constant(0.4)})
    q = problem.model.normalised(problem.model.neutral() + 0.3 * rng.standard_normal(problem.model.nq))
    q, v = problem.imposed_state(0.0, q, rng.standard_normal(problem.model.nv))
    a = problem.accelerations(0.0, q.copy(), v.copy())
    source = Generator(symbolic_robot(lambda _: robot, {}, (0, 0, -9.81)), problem, q)
    matrix, residual, drift = source.function("constraints")(q, v)
    np.testing.assert_allclose(residual, 0, atol=1e-11)
    np.testing.assert_allclose(matrix @ a + drift, 0, atol=1e-9)
    forward, contacts = source.function("forward"), source.function("contacts")
    names = problem.model.compiled.coordinate_names
    u = [names.index(e) for e in next(g for g in forward.inputs if g.name == "u").entries]
    assert len(u) == 7 - len(matrix)
    np.testing.assert_allclose(forward(q, v[u], [0.4])[1], a[u], rtol=1e-8, atol=1e-8)
    wanted = problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]
    np.testing.assert_allclose(contacts(q, v[u], [0.4])[0], wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["bricard", "bennett"])
def test_overconstrained_loops_move(name):
    """Rows that depend on each other only where the loop is closed: one freedom, and the accelerations of the kernels."""
    scenario = make(name, {})
    forward = generator(name).function("forward")
    problem, coordinates = torque_driven(scenario), list(scenario.compiled.coordinate_names)
    q, v = scenario.initial_state()
    q, v = problem.start_state(0.0, q + 0.1, np.full(len(v), 0.3))
    free = [coordinates.index(entry) for entry in forward.outputs[1].entries]
    assert len(free) == 1
    forces = np.zeros(next(group.size for group in forward.inputs if group.name == "tau"))
    rates, accelerations = forward(q=q, u=v[free], tau=forces)
    assert np.abs(rates - v).max() < 1e-12
    assert accelerations == pytest.approx(problem.accelerations(0.0, q, v)[free], rel=1e-9)
