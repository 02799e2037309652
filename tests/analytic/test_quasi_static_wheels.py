"""What rolls or slides in quasi-static runs. A beam on a skate, pulled along a line at its other end, follows a tractrix.

The end with the skate may not move sideways: a thetadot = -sdot sin theta, so that tan(theta / 2) falls by exp(-s / a).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss, legint, legval
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, root

import locodyn as ld
from locodyn.equilibria import equilibrium
from locodyn.motion import Law

pytestmark = pytest.mark.slow

LENGTH, ANGLE, SPEED, STIFFNESS, END = 0.4, 1.2, 0.2, 3.0, 4.0


def trailer(step: float) -> ld.Scenario:
    robot = ld.Robot("trailer")
    puller = robot.base("puller", moves="prismatic", axis="x", joint="pull")
    beam = robot.body("beam", mass=1.0, inertia=np.diag([0.01, 0.01, 0.01])).on(puller).turning("z", name="hinge")
    beam.actuator(stiffness=STIFFNESS).skate("edge", at=(-LENGTH, 0.0, 0.0), along="x")
    return ld.Scenario(
        "trailer", robot, gravity=(0.0, 0.0, 0.0), imposed={"pull": ld.ramp(SPEED)}, start={"hinge": ANGLE}, t_end=END, dt=step,
        integrator="quasi_static",
    )  # fmt: skip


def tractrix(times: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 * np.arctan(np.tan(0.5 * ANGLE) * np.exp(-SPEED * times / LENGTH)))


def test_a_trailer_follows_a_tractrix() -> None:
    """The midpoint rule has order 2: half the step, a quarter of the error; forces of the skate hold the spring, k theta / a."""
    errors = []
    for step in (0.2, 0.1):
        result = trailer(step).run(progress=False)
        assert result.status == "completed"
        angle = result.joint_position.sel(joint="hinge").values
        errors.append(np.abs(angle - tractrix(result.time.values)).max())
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
    force = np.abs(result.multiplier.values[:, 0])
    np.testing.assert_allclose(force, STIFFNESS * angle / LENGTH, rtol=1e-5)  # rates are 1e-6 of those of the motion
    rate = result.joint_velocity.sel(joint="hinge").values
    np.testing.assert_allclose(rate, -SPEED * np.sin(angle) / LENGTH, rtol=1e-7)


def test_wheels_on_a_path_that_is_followed_back_and_forth_are_refused() -> None:
    with pytest.raises(ld.InputError, match=r"'edge' rolls, and where it rolls to depends on the way"):
        ld.equilibria.equilibrium_path(trailer(0.1).problem, along="time", arc=0.1)


# ------------------------------------------------------------------------------------------------------------------ sleeves
ROD, BENT, BACK = 0.4, 3.0, -0.1  # m, 1/m, m/s


def drawn(step: float, at: float | Law, **words: Any) -> ld.Scenario:
    """A rod of one curvature, drawn back at its root through a sleeve."""
    robot = ld.Robot("drawn")
    root = robot.base("root", moves="prismatic", axis="x", joint="pull")
    rod = root.rod("rod", length=ROD, section=ld.Circle(0.01), material=ld.Material(1e6, 1000.0), bending=(0, 1), nodes=4)
    rod.sleeve("ring", at=at, **words)
    return ld.Scenario(
        "drawn", robot, gravity=(0.0, 0.0, 0.0), imposed={"pull": ld.ramp(BACK)}, start={"rod": BENT}, t_end=1.0,
        dt=step, integrator="quasi_static",
    )  # fmt: skip


@pytest.mark.parametrize("runs", [0.0, 0.08])
def test_a_rod_is_drawn_through_a_sleeve(runs: float) -> None:
    """The section at s moves along the rod only: with the curvature k, kdot (1 - cos k s) / k^2 = sin(k s) xdot.

    (The arc p = (sin k s, 1 - cos k s) / k has n . dp/dk = (1 - cos k s) / k^2 along its normal n.) The midpoint rule has
    order 2, also where the sleeve runs along the rod. Its force holds the moment E I k along the whole rod by that same lever.
    """
    errors = []
    for step in (0.1, 0.05):
        result = drawn(step, ld.polynomial(0.25, runs) if runs else 0.25).run(progress=False)
        assert result.status == "completed"
        t, k = result.time.values, result.q[:, 1]
        exact = solve_ivp(
            lambda t, k: BACK * k**2 / np.tan(0.5 * k * (0.25 + runs * t)), (0.0, 1.0), [BENT], t_eval=t, rtol=1e-11, atol=1e-12
        )
        errors.append(np.abs(k - exact.y[0]).max())
    assert errors[1] < 2e-3
    assert 3.5 < errors[0] / errors[1] < 4.5
    lever = (1.0 - np.cos(k * (0.25 + runs * t))) / k**2
    moment = 1e6 * math.pi * 0.01**4 / 4.0 * ROD * k
    np.testing.assert_allclose(np.abs(result.multiplier.values[:, 0]) * lever, moment, rtol=1e-5)


def test_sleeves_that_time_moves_or_releases_are_refused() -> None:
    with pytest.raises(ld.InputError, match="the sleeve 'ring' comes and goes; a quasi-static run follows one equilibrium"):
        drawn(0.1, 0.25, during=(0.0, 0.5)).run(progress=False)
    with pytest.raises(ld.InputError, match="the sleeve 'ring' moves by laws of time"):
        drawn(0.1, 0.25, moves={"x": ld.ramp(0.01)}).run(progress=False)


# --------------------------------------------------------------------------------------------------------------------- pegs
BENDING = 1e6 * math.pi * 0.01**4 / 4.0  # N m^2


def through(at: float) -> tuple[float, float]:
    """Where the rod of :func:`drawn` has its section at ``at`` at the start."""
    return math.sin(BENT * at) / BENT, (1.0 - math.cos(BENT * at)) / BENT


@pytest.mark.parametrize("moves", ["root", "peg"])
def test_a_rod_of_one_curvature_slides_through_a_peg(moves: str) -> None:
    """The circle that touches the x axis at the root and goes through the peg at (a, b) from it: k = 2 b / (a^2 + b^2).

    Exact at any step, as is the force of the peg, which does the work of E I L k dk at the lever of the test above, and the power
    of the root, the slope of the energy along its way. Newton's method stops at 1e-8. The laws have a kink where the run begins:
    rates there are those that follow.
    """
    robot = ld.Robot("drawn")
    root = robot.base("root", moves="prismatic", axis="x", joint="pull")
    rod = root.rod("rod", length=ROD, section=ld.Circle(0.01), material=ld.Material(1e6, 1000.0), bending=(0, 1), nodes=4)
    rod.peg("ring", at=0.25, moves={} if moves == "root" else {"x": ld.ramp(-BACK), "y": ld.ramp(0.02)})
    result = ld.simulate(
        robot, gravity=(0.0, 0.0, 0.0), imposed={"pull": ld.ramp(BACK if moves == "root" else 0.0)}, start={"rod": BENT},
        t_end=1.0, dt=0.1, integrator="quasi_static", progress=False,
    )  # fmt: skip
    assert result.status == "completed"
    t, k = result.time.values, result.q[:, 1]
    a, b = through(0.25)[0] - BACK * t, through(0.25)[1] + (0.0 if moves == "root" else 0.02 * t)
    exact = 2.0 * b / (a**2 + b**2)
    np.testing.assert_allclose(k, exact, rtol=1e-8)
    angle = 2.0 * np.arctan2(b, a)
    np.testing.assert_allclose(result.contact_abscissa.values[:, 0], angle / exact, rtol=1e-8)
    moment = BENDING * ROD * k
    np.testing.assert_allclose(np.abs(result.multiplier.values[:, 0]) * (1.0 - np.cos(angle)) / k**2, moment, rtol=1e-5)
    by_a, by_b = -2.0 * a * exact**2 / (2.0 * b), 2.0 * (a**2 - b**2) / (a**2 + b**2) ** 2
    rate = -BACK * by_a + (0.0 if moves == "root" else 0.02 * by_b)
    np.testing.assert_allclose(result.v[:, 1], rate, rtol=1e-5)
    if moves == "root":
        np.testing.assert_allclose(result.power_actuators.values, moment * rate, rtol=1e-5)


def test_an_anchor_holds_as_a_welded_loop() -> None:
    """The tip of a bent rod whose root is drawn back, held by an anchor or by a loop with the world: the same equilibria."""
    found = []
    for held in ("anchor", "loop"):
        robot = ld.Robot("held")
        root = robot.base("root", moves="prismatic", axis="x", joint="pull")
        rod = root.rod("rod", length=ROD, section=ld.Circle(0.01), material=ld.Material(1e6, 1000.0), bending=(0, 5), nodes=40)
        if held == "anchor":
            rod.anchor("grip", at=ROD)
        else:
            robot.loop("grip", "world", rod, joint="fixed", at=(*through(ROD), 0.0), turned=("z", BENT * ROD))
        result = ld.simulate(
            robot, gravity=(0.0, 0.0, 0.0), imposed={"pull": ld.ramp(-0.02)}, start={"rod.bending_z.0": BENT}, t_end=1.0, dt=0.1,
            integrator="quasi_static", progress=False,
        )  # fmt: skip
        assert result.status == "completed" and np.abs(np.diff(result.q[:, 1:], axis=0)).max() > 0.1
        found.append(result)
    one, two = found
    np.testing.assert_allclose(one.q, two.q, atol=1e-7 * BENT)
    np.testing.assert_allclose(one.power_actuators.values, two.power_actuators.values, rtol=1e-5)


def test_a_rod_of_three_modes_rests_on_a_peg() -> None:
    """At each record the least strain energy among all curves through the peg, without the library; and so says ``statics``.

    Unknowns are three modes of Legendre and the abscissa at the peg, conditions those of Lagrange, integrals by 60 points of
    Gauss; slices of the rod are of order 4, (k L / nodes)^4 = 1e-6 before a small factor.
    """
    robot = ld.Robot("pushed")
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=ROD, section=ld.Circle(0.01), material=ld.Material(1e6, 1000.0), bending=(0, 3), nodes=40
    )
    rod.peg("ring", at=0.25, moves={"x": ld.ramp(-0.02), "y": ld.ramp(0.05)})
    scenario = ld.Scenario(
        "pushed", robot, gravity=(0.0, 0.0, 0.0), start={"rod.bending_z.0": BENT}, t_end=1.0, dt=0.1, integrator="quasi_static"
    )
    result = scenario.run(progress=False)
    assert result.status == "completed"
    nodes, weights = leggauss(60)

    def place(modes: np.ndarray, s: float) -> np.ndarray:
        """Of the section at s, by the angle of the tangent there, which is the integral of the curvature."""
        along = 0.5 * s * (nodes + 1.0)
        turn = 0.5 * ROD * (legval(2.0 * along / ROD - 1.0, legint(modes)) - legval(-1.0, legint(modes)))
        return 0.5 * s * np.array([weights @ np.cos(turn), weights @ np.sin(turn)])

    def least(t: float, guess: np.ndarray) -> np.ndarray:
        peg = np.array(through(0.25)) + t * np.array([-0.02, 0.05])
        stiffness = np.array([1.0, 1.0 / 3.0, 1.0 / 5.0])

        def conditions(x: np.ndarray) -> np.ndarray:
            modes, s, force = x[:3], x[3], x[4:]
            slopes = [(place(modes + e, s) - place(modes - e, s)) / 2e-5 for e in 1e-5 * np.eye(3)]
            ahead = (place(modes, s + 1e-5) - place(modes, s - 1e-5)) / 2e-5
            return np.concatenate([stiffness * modes - np.array(slopes) @ force, [ahead @ force], place(modes, s) - peg])

        found = root(conditions, guess, tol=1e-12)
        assert np.abs(found.fun).max() < 1e-9
        return np.asarray(found.x)

    x = np.array([BENT, 0.0, 0.0, 0.25, 0.0, 50.0])
    for n, t in enumerate(result.time.values):
        x = least(float(t), x)
        np.testing.assert_allclose(result.q[n], x[:3], atol=1e-6 * BENT)
        np.testing.assert_allclose(result.contact_abscissa.values[n, 0], x[3], atol=1e-6 * ROD)
        force = BENDING * ROD * np.hypot(*x[4:])
        np.testing.assert_allclose(np.abs(result.multiplier.values[n, 0]), force, rtol=1e-5)
        rest = equilibrium(scenario.problem, result.q[0], float(t))
        np.testing.assert_allclose(rest.q, result.q[n], atol=1e-7 * BENT)


# ---------------------------------------------------------------------------------------------------------- rolling surfaces
SEMI, LOW, MASS, GRAVITY, PULL = (0.3, 0.2), 0.1, 1.0, 9.81, 2.0


def height(angle: float) -> float:
    """Of the middle of an ellipse on the ground, which it has turned by this angle."""
    return math.hypot(SEMI[0] * math.sin(angle), SEMI[1] * math.cos(angle))


def test_an_egg_rolls_as_far_as_a_force_pushes_it() -> None:
    """The contact point wanders over the egg; the way is the sum of height times turn, the angle that of least energy.

    m g (h - d cos) - F x with dx = h dtheta: rest where m g (h' + d sin) = F h. The way by the midpoint rule: order 2.
    """
    robot = ld.Robot("egg")
    rail = robot.base("rail", moves="prismatic", axis="x", joint="x")
    lift = robot.body("lift").on(rail).sliding("z", name="z")
    egg = robot.body("egg", mass=MASS, centre=(0.0, 0.0, -LOW), inertia=np.diag([0.01, 0.01, 0.01])).on(lift)
    egg.turning("y", name="turn").rolling("shell", semi_axes=(*SEMI, SEMI[1]))
    robot.wrench("pull", on="lift", law=ld.WorldForce((PULL, 0.0, 0.0)))

    def torque(angle: float) -> float:
        slope = (SEMI[0] ** 2 - SEMI[1] ** 2) * math.sin(angle) * math.cos(angle) / height(angle)
        return MASS * GRAVITY * (slope + LOW * math.sin(angle)) - PULL * height(angle)

    angle = brentq(torque, 0.0, 1.0, xtol=1e-14)
    way, misses = quad(height, 0.0, angle, epsabs=1e-14)[0], []
    for step in (0.2, 0.1):
        result = ld.simulate(
            robot, load={"pull": ld.polynomial(0.0, 1.0)}, start={"z": SEMI[1]}, t_end=1.0, dt=step, integrator="quasi_static",
            progress=False,
        )  # fmt: skip
        x, z, turn = result.q[-1]
        assert turn == pytest.approx(angle, abs=1e-10) and z == pytest.approx(height(angle), abs=1e-10)
        misses.append(x - way)
    assert 3.9 < misses[0] / misses[1] < 4.1
    assert abs(misses[1]) < 1e-6


def test_a_ball_in_space_rolls_as_in_a_slow_run() -> None:
    """A ball with its weight below, led round a loop by a force, does not come back to where it was: rolling is not holonomic.

    A slow run with drag differs by its speed: half of it at half the speed, measured 1.35e-3 and 6.7e-4 in 40 s and 80 s.
    """
    place = (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0)

    def ball(drag: float) -> ld.Robot:
        robot = ld.Robot("ball")
        body = robot.base("ball", mass=1.0, centre=(0.0, 0.0, -0.1), inertia=np.diag([0.01, 0.01, 0.01]))
        body.rolling("skin", radius=0.2)
        robot.wrench("along", on="ball", law=ld.WorldForce((2.0, 0.0, 0.0)))
        robot.wrench("aside", on="ball", law=ld.WorldForce((0.0, 2.0, 0.0)))
        robot.wrench("string", on="ball", at=(0.15, 0.0, 0.0), law=ld.Anchor((1.0, 0.0, 0.2), 3.0, 0.5))  # against spinning
        return robot.wrench("drag", on="ball", law=ld.Drag(0.0, 0.0, drag))

    def loads(period: float) -> dict[str, ld.motion.Law]:
        omega = 2.0 * math.pi / period
        return {"along": ld.sine(1.0, omega=omega), "aside": ld.sine(1.0, omega=omega, phase=-1.0, offset=math.sin(1.0))}

    run = ld.simulate(
        ball(0.0), load=loads(1.0), start={"ball": place}, t_end=1.0, dt=0.0125, integrator="quasi_static", progress=False
    )
    assert run.status == "completed" and abs(run.q[-1, 1] - run.q[0, 1]) > 0.01
    rest = ld.statics(ball(0.05), load=loads(1.0), start={"ball": place}, stable=True)
    late = []
    for period in (40.0, 80.0):
        slow = ld.simulate(ball(0.05), load=loads(period), start=rest, t_end=period, dt=0.02, integrator="radau3", progress=False)
        late.append(np.abs(slow.q[-1] - run.q[-1]).max())
    assert late[1] < 1e-3
    assert 1.8 < late[0] / late[1] < 2.2
