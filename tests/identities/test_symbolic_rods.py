"""Closed forms of robots with rods against the numeric problem: Jacobians, accelerations, rows and forces of loops."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.motion import constant
from locodyn.robot import PolynomialRoute
from locodyn.symbolic import Generator, SymbolicModel, symbolic_robot

pytestmark = pytest.mark.slow

GRAVITY = (0.2, -9.81, 0.0)
SOFT = ld.Material(young=1e6, density=1000.0)
CLOSE = {"rtol": 1e-9, "atol": 1e-9}  # round-off of some thousand operations, times the condition of the mass matrix


def whip(looped: bool = False) -> ld.Robot:
    """An arm in the plane with a rod that bends, and a hand at its end; ``looped``: the hand runs along a line."""
    robot = ld.Robot("whip")
    ground = robot.base("ground", moves="fixed")
    arm = robot.body("arm", mass=0.4, centre=(0.1, 0.0, 0.0), inertia=ld.about_centre(zz=0.01)).on(ground).turning("z")
    arm.actuator(stiffness=2.0, rest=0.1, viscous=0.03)
    arm.rod("rod", at=(0.2, 0.0, 0.0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 2), nodes=2, damping=0.01)
    robot.body("hand", mass=0.1, inertia=ld.about_centre(zz=0.001)).on("rod").turning("z").marker("tip", at=(0.1, 0.0, 0.0))
    if looped:
        robot.loop("slot", "world", "tip", joint="planar", axis="y")
    return robot


def state(problem: Problem, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng, model = np.random.default_rng(seed), problem.model
    q = model.move(model.neutral(), 0.3 * rng.standard_normal(model.nv))
    return problem.imposed_state(0.0, q, rng.standard_normal(model.nv))


def source_of(robot: ld.Robot, problem: Problem, q: np.ndarray) -> Generator:
    return Generator(symbolic_robot(lambda _: robot, {}, GRAVITY), problem, q)


def test_forward_dynamics_and_jacobians() -> None:
    robot = whip()
    problem = Problem(robot.model(gravity=GRAVITY), torque={0: constant(0.3)})
    q, v = state(problem, 1)
    source, names = source_of(robot, problem, q), problem.model.compiled.coordinate_names
    forward = source.function("forward")
    assert tuple(next(g for g in forward.inputs if g.name == "u").entries) == names
    tau = np.zeros(len(names))
    tau[0] = 0.3
    qdot, udot = forward(q, v, tau)
    np.testing.assert_allclose(qdot, v, **CLOSE)
    np.testing.assert_allclose(udot, problem.accelerations(0.0, q.copy(), v.copy()), **CLOSE)
    for found, wanted in zip(source.function("jacobian", of=["tip"])(q, v), problem.model.jacobians("tip", q, v), strict=True):
        np.testing.assert_allclose(found, wanted, **CLOSE)


def test_a_rod_that_bends_to_arcs() -> None:
    """One function of bending, k: Lagrange's equation of the arc r(s) = (sin ks, 1 - cos ks) / k, with integrals by other points.

    M = rho A int |dr/dk|^2 ds + rho I l^3 / 3, and M kddot + M' kdot^2 / 2 + E I l (k + mu kdot) = rho A int g . dr/dk ds. Six
    nodes at a bend of 0.9 rad: 0.9^12 / 12! = 6e-10 of the integrals.
    """
    length, radius, damping, k, rate = 0.3, 0.01, 0.02, 3.0, -1.7
    robot = ld.Robot("arc")
    robot.base("ground", moves="fixed").rod(
        "rod", length=length, section=ld.Circle(radius), material=SOFT, bending=(0, 1), nodes=6, damping=damping
    )
    problem = Problem(robot.model(gravity=GRAVITY))
    udot = source_of(robot, problem, np.array([k])).function("forward")([k], [rate], [0.0])[1]
    points, weights = np.polynomial.legendre.leggauss(40)
    s, weights = 0.5 * length * (points + 1.0), 0.5 * length * weights
    area, moment = np.pi * radius**2, 0.25 * np.pi * radius**4

    def slopes(x: complex) -> np.ndarray:
        """dr/dk (2, 40)."""
        return np.array([x * s * np.cos(x * s) - np.sin(x * s), x * s * np.sin(x * s) - 1.0 + np.cos(x * s)]) / x**2

    def mass(x: complex) -> complex:
        return 1000.0 * (area * np.sum(slopes(x) ** 2 @ weights) + moment * length**3 / 3.0)

    load = 1000.0 * area * np.dot(GRAVITY[:2], slopes(k) @ weights)
    spring = 1e6 * moment * length * (k + damping * rate)
    wanted = (load - spring - 0.5 * rate**2 * mass(k + 1e-30j).imag / 1e-30) / mass(k)
    np.testing.assert_allclose(udot, [wanted.real], rtol=1e-8)


def test_forward_dynamics_of_the_model_alone() -> None:
    """Forces along the coordinates give accelerations as in numbers; elasticity is not among them."""
    robot = whip()
    model, symbolic = robot.model(gravity=GRAVITY), SymbolicModel(robot, gravity=GRAVITY)
    q, v = state(Problem(model), 2)
    tau = np.array([0.3, -0.2, 0.1, 0.05])
    found = np.array([float(x) for x in symbolic.forward_dynamics(q, v, tau)])
    np.testing.assert_allclose(found, model.forward_dynamics(q, v, tau), **CLOSE)


def test_a_loop_that_holds_the_end_of_a_rod() -> None:
    robot = whip(looped=True)
    problem = Problem(robot.model(gravity=GRAVITY), torque={0: constant(0.3)})
    q, v = state(problem, 3)
    source, names = source_of(robot, problem, q), problem.model.compiled.coordinate_names
    forward, contacts, rows = (source.function(what) for what in ("forward", "contacts", "constraints"))
    u = [names.index(entry) for entry in next(g for g in forward.inputs if g.name == "u").entries]
    assert len(u) == len(names) - 2  # along y, and the turn of the plane about z
    tau = np.zeros(len(names))
    tau[0] = 0.3
    a = problem.accelerations(0.0, q.copy(), v.copy())
    matrix, residual, drift = rows(q, v)
    np.testing.assert_allclose(residual, 0.0, atol=1e-9)
    np.testing.assert_allclose(matrix @ a + drift, 0.0, atol=1e-7)  # accelerations are some hundred rad/s^2
    np.testing.assert_allclose(forward(q, v[u], tau)[1], a[u], **CLOSE)
    wanted = problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]
    # Rows of the planar joint that no motion in the plane meets carry nothing, here and there.
    np.testing.assert_allclose(contacts(q, v[u], tau)[0], wanted, **CLOSE)


def cart() -> ld.Robot:
    """A driven wheel and a trailing one, with a rod that bends and a hinge between them."""
    robot = ld.Robot("cart")
    deck = robot.base("deck", moves="planar", mass=1.2, centre=(0.05, 0, 0), inertia=ld.about_centre(zz=0.02))
    deck.wheel("left", at=(0, 0.1, -0.05), axis="y", radius=0.05, mass=0.1, actuated=True)
    rod = deck.rod(
        "rod", at=(0.1, 0, 0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 2), nodes=2, damping=0.01
    )
    tail = robot.body("tail", mass=0.2, inertia=ld.about_centre(zz=0.001)).on(rod).turning("z", name="hinge")
    tail.wheel("last", at=(0.05, 0, -0.05), axis="y", radius=0.05, mass=0.05)
    return robot


def test_a_rod_between_bodies_on_wheels() -> None:
    """Both wheels roll and do not slip, which takes two speeds each. Accelerations and forces are those of the problem."""
    robot = cart()
    problem = Problem(robot.model(gravity=(0, 0, -9.81)), torque={3: constant(0.1), 6: constant(-0.05)})
    q, v = state(problem, 6)
    source = Generator(symbolic_robot(lambda _: robot, {}, (0, 0, -9.81)), problem, q)
    names = problem.model.compiled.coordinate_names
    forward, contacts, rows = (source.function(what) for what in ("forward", "contacts", "constraints"))
    u = [names.index(entry) for entry in next(g for g in forward.inputs if g.name == "u").entries]
    assert len(u) == len(names) - 4
    a = problem.accelerations(0.0, q.copy(), v.copy())
    matrix, residual, drift = rows(q, v)
    np.testing.assert_allclose(residual, 0.0, atol=1e-9)
    np.testing.assert_allclose(matrix @ a + drift, 0.0, atol=1e-8 * np.abs(a).max())
    entries = next(g for g in forward.inputs if g.name == "tau").entries
    tau = np.array([{"left": 0.1, "hinge": -0.05}.get(name, 0.0) for name in entries])
    close = {"rtol": 1e-8, "atol": 1e-9 * np.abs(a).max()}  # round-off of some thousand operations, times the condition
    np.testing.assert_allclose(forward(q, v[u], tau)[1], a[u], **close)
    series = problem.series(np.zeros(1), q[None], v[None])
    wanted = series["multiplier"][0]
    np.testing.assert_allclose(contacts(q, v[u], tau)[0], wanted, rtol=1e-7, atol=1e-8 * np.abs(wanted).max())


PULLS = {"wire": 3.0, "spring": 0.27, "air": 2e4, "flesh": 0.7}


def test_strands_of_a_rod() -> None:
    """Tension, free length (taut and slack), pressure and activation are inputs: accelerations as those of the problem."""
    robot = whip()
    rod = robot["rod"]
    rod.tendon("wire", (0.008, 0.0)).tendon("spring", PolynomialRoute(y=(0.006, -0.01)), stiffness=40.0)
    rod.chamber("air", (-0.004, 0.0), area=2e-5).muscle(
        "flesh", lambda s: (0, 0, 0, 0, 0, 0.01 * s), active_stiffness=(0.0,) * 5 + (1e-3,)
    )
    for pulls in (PULLS, PULLS | {"spring": 0.4}):
        problem = Problem(robot.model(gravity=GRAVITY), schedule=Schedule({name: constant(x) for name, x in pulls.items()}))
        q, v = state(problem, 4)
        forward = source_of(robot, problem, q).function("forward")
        group = next(g for g in forward.inputs if g.name == "strands")
        assert (group.entries, group.units) == (tuple(pulls), ("N", "m", "Pa", "-"))
        found = forward(q=q, u=v, tau=np.zeros(len(v)), strands=list(pulls.values()))[1]
        np.testing.assert_allclose(found, problem.accelerations(0.0, q.copy(), v.copy()), **CLOSE)
        other = forward(q=q, u=v, tau=np.zeros(len(v)), strands=[0.0, 1.0, 0.0, 0.0])[1]
        assert np.abs(other - found).max() > 1.0  # the strands do act


def test_strands_that_lag_are_refused() -> None:
    robot = whip()
    robot["rod"].tendon("wire", (0.008, 0.0), time_constant=0.1)
    problem = Problem(robot.model(gravity=GRAVITY))
    with pytest.raises(InputError, match="the law of 'wire' has states of its own"):
        source_of(robot, problem, problem.model.neutral()).function("forward")
