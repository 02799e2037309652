"""Loads along rods, muscles, feedback wrenches: closed forms, boundary-value problems, work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson, solve_bvp, solve_ivp

import locodyn as ld
from locodyn.robot import BodyHandle, GivenSection, RodFluid
from locodyn.world import Drag, Feedback, Thrust, UserLaw, WorldForce

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0,) * 6, mass=1.0)  # EI = 1
NO_GRAVITY = (0.0, 0.0, 0.0)


def clamped(modes: int = 8, nodes: int = 44, **values: Any) -> tuple[ld.Robot, BodyHandle]:
    robot = ld.Robot("clamped")
    rod = robot.base("ground", moves="fixed").rod("rod", length=1.0, section=UNIT, bending=(0, modes), nodes=nodes, **values)
    return robot, rod


def tip(robot: ld.Robot, **fields: Any) -> tuple[float, float, float]:
    """(x, y, angle) of the tip at rest."""
    q = ld.statics(robot, gravity=NO_GRAVITY, **fields).q
    rotation, position = robot.model().pose("rod", q)
    return position[0], position[1], float(np.arctan2(rotation[1, 0], rotation[0, 0]))


SMALL = 1e-4  # loads at which the linear formulas hold to 1e-8: they err by the square of the slope; slices by 3e-8, order 4


@pytest.mark.parametrize(
    ("along", "profile", "deflection"),
    [
        (True, 1.0, 1.0 / 8.0),
        (True, 2.0, 1.0 / 4.0),
        (True, [(0.0, 1.0), (1.0, 0.0)], 1.0 / 30.0),  # triangle, largest at the root
        (True, [(0.0, 0.0), (1.0, 1.0)], 11.0 / 120.0),
        (True, lambda s: s, 11.0 / 120.0),
        # w from a to b: integral of s^2 (3 L - s) / 6
        ((0.25, 0.75), 1.0, (4 * (0.75**3 - 0.25**3) - (0.75**4 - 0.25**4)) / 24.0),
        (True, [(0.25, 1.0), (0.75, 1.0)], (4 * (0.75**3 - 0.25**3) - (0.75**4 - 0.25**4)) / 24.0),
    ],
)
def test_small_deflections(along: Any, profile: Any, deflection: float) -> None:
    """Timoshenko's table of cantilevers; both dead and following loads."""
    for law in (WorldForce((0, SMALL, 0)), Thrust((0, SMALL, 0))):
        robot, rod = clamped()
        robot.wrench("load", on=rod, law=law, along=along, profile=profile)
        assert tip(robot)[1] / SMALL == pytest.approx(deflection, rel=2e-7)


def test_moments_along_a_rod() -> None:
    """A moment m on every metre: EI K = m (L - s), angle m L^2 / 2 whatever its size, dead or following."""
    for law in (WorldForce((0, 0, 0), (0, 0, 2.0)), Thrust(moment=(0, 0, 2.0))):
        robot, rod = clamped(modes=2)
        robot.wrench("load", on=rod, law=law, along=True)
        assert tip(robot)[2] == pytest.approx(1.0, rel=1e-12)


def test_force_at_a_place() -> None:
    """F at s = a: deflection of the tip a^2 (3 L - a) / 6; off the centre line it turns the rod as a moment."""
    robot, rod = clamped()
    robot.wrench("load", on=rod, law=WorldForce((0, SMALL, 0)), at_s=0.4)
    assert tip(robot)[1] / SMALL == pytest.approx(0.4**2 * 2.6 / 6.0, rel=2e-7)
    robot, rod = clamped(modes=4)
    robot.wrench("pull", on=rod, law=WorldForce((SMALL, 0, 0)), at_s=0.4, at=(0, 0.1, 0))
    assert tip(robot)[2] / SMALL == pytest.approx(-0.1 * 0.4, rel=1e-5)  # moment -F y up to s = a


def test_large_deflection_under_a_dead_load() -> None:
    """EI theta'' + w (L - s) cos theta = 0, theta(0) = theta'(L) = 0, w L^3 / EI = 20."""
    w = 20.0
    found = solve_bvp(
        lambda s, y: [y[1], -w * (1.0 - s) * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])],
        lambda a, b: [a[0], b[1], a[2], a[3]],
        np.linspace(0, 1, 50), np.vstack([np.linspace(0, 1, 50)] * 4), tol=1e-10, max_nodes=100000,
    )  # fmt: skip
    angle, _, x, y = found.sol(1.0)
    robot, rod = clamped(modes=12, nodes=60)
    robot.wrench("load", on=rod, law=WorldForce((0, w, 0)), along=True)
    assert tip(robot) == pytest.approx((x, y, angle), abs=1e-7)


def test_large_deflection_under_a_following_load() -> None:
    """Section axes, from the free end: Nt' = K Nn, Nn' = -K Nt - w, M' = -Nn, EI K = M."""
    w = 15.0
    back = solve_ivp(
        lambda s, y: [y[2] * y[1], -y[2] * y[0] - w, -y[1], y[2]], (1.0, 0.0), np.zeros(4), rtol=1e-11, atol=1e-12,
        dense_output=True,
    )  # fmt: skip
    turn = -back.y[3, -1]
    x, weight = np.polynomial.legendre.leggauss(60)
    angle = back.sol(0.5 * (1.0 + x))[3] + turn
    robot, rod = clamped(modes=14, nodes=60)
    robot.wrench("load", on=rod, law=Thrust((0, w, 0)), along=True)
    expected = (0.5 * weight @ np.cos(angle), 0.5 * weight @ np.sin(angle), turn)
    assert tip(robot, steps=4) == pytest.approx(expected, abs=1e-7)


def test_a_function_of_the_user_is_the_law_of_the_library() -> None:
    """WorldForce along the rod with a profile, and the same as a Python function of t and s."""

    def load(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray, s: float) -> np.ndarray:
        return np.concatenate([rotation.T @ (0.0, 3.0 * s * (1.0 + t), 0.0), np.zeros(3)])

    one, rod = clamped(modes=3, nodes=6)
    one.wrench("load", on=rod, law=UserLaw(load), along=True)
    two, rod = clamped(modes=3, nodes=6)
    two.wrench("load", on=rod, law=WorldForce((0, 3.0, 0)), along=True, profile=lambda s: s)
    options = {"gravity": NO_GRAVITY, "t_end": 0.1, "dt": 0.01, "integrator": "radau3", "tolerance": 1e-12, "progress": False}
    first = ld.simulate(one, **options)
    second = ld.simulate(two, load={"load": ld.polynomial(1.0, 1.0)}, **options)
    assert float(np.abs(first.joint_position - second.joint_position).max()) < 1e-9
    assert float(np.abs(second.joint_position).max()) > 1e-3


def test_work_of_loads_that_change() -> None:
    """Energy gained = work of loads and muscles - losses; the powers by Simpson's rule on the records, order 4."""
    robot = ld.Robot("floating")
    rod = robot.base("hull", moves="free", mass=0.5, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.03)).rod(
        "rod", length=0.6, section=ld.Circle(0.02), material=ld.Material(1e5, 1000.0), bending=2, torsion=1, damping=0.02,
        fluid=RodFluid(density=500.0),
    )  # fmt: skip
    rod.muscle("core", (0, 0, 0, 0, 1e-2, 2e-2), active_stiffness=(0, 0, 0, 0, 1e-3, 0))
    robot.wrench("wind", on=rod, law=WorldForce((0.1, 0.2, 0.3), (0.01, 0.02, 0.0)), along=(0.1, 0.5))
    robot.wrench("jet", on=rod, law=Thrust((0, 0.3, 0), (0.01, 0, 0)), along=True, profile=[(0, 0), (0.6, 1)])
    robot.wrench("drag", on=rod, law=Drag(linear=0.1, quadratic=1.0, angular=0.01), along=True)
    robot.wrench("fly", on="hull", law=Feedback(0.5, 0.2), at=(0.0, 0.1, 0.0))
    result = ld.simulate(
        robot, gravity=(0.0, 0.0, -1.0), t_end=1.0, dt=0.005, integrator="gauss2", tolerance=1e-12, progress=False,
        activation={"core": ld.sine(1.0, omega=5.0)}, load={"wind": ld.cosine(1.0, omega=4.0)},
        desired={"fly.z": ld.sine(0.1, omega=3.0), "fly.wx": 0.2},
    )  # fmt: skip
    t = result.time.values
    gained = float(result.total_energy()[-1] - result.total_energy()[0])
    power = (result.power_external + result.power_actuators - result.power_dissipated).values
    assert simpson(power, x=t) == pytest.approx(gained, abs=1e-6 * float(np.abs(power).max()))
    assert abs(gained) > 1e-2


@pytest.mark.parametrize("active", [0.0, 0.5])
def test_muscle(active: float) -> None:
    """a (M0 + h K) + EI K = 0: K = -a M0 / (EI + a h), for a stress along s as well."""
    robot, rod = clamped(modes=2)
    rod.muscle("core", lambda s: (0, 0, 0, 0, 0, -1.0 + s), active_stiffness=(0, 0, 0, 0, 0, active))
    q = ld.statics(robot, gravity=NO_GRAVITY, activation={"core": 0.8}).q
    curvature = robot.description.bodies[1].joint.rod.strain(np.array([0.0, 0.3, 1.0]), q)[:, 5]
    np.testing.assert_allclose(curvature, 0.8 * (1.0 - np.array([0.0, 0.3, 1.0])) / (1.0 + 0.8 * active), atol=1e-12)


@pytest.mark.parametrize("integrator", ["rkmk4", "generalized_alpha", "gauss2"])
def test_feedback_with_an_integral(integrator: str) -> None:
    """m vdot = kP e + kI z, zdot = e = vd - v: e'' + kP/m e' + kI/m e = 0 for a constant vd, from e = vd, edot = -kP vd / m."""
    robot = ld.Robot("drone")
    body = robot.base("body", moves="free", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1))
    robot.wrench("fly", on=body, law=Feedback(3.0, 20.0))
    result = ld.simulate(
        robot, gravity=NO_GRAVITY, desired={"fly.y": ld.ramp(0.7)}, t_end=1.0, dt=0.002, integrator=integrator, progress=False
    )
    t, decay, rate = result.time.values, 0.75, np.sqrt(10.0 - 0.75**2)
    error = 0.7 * np.exp(-decay * t) * (np.cos(rate * t) - decay / rate * np.sin(rate * t))
    speed = result.twist.values[:, 1]
    assert np.abs(0.7 - speed - error).max() < 1e-4
    kinetic = result.kinetic_energy.values
    np.testing.assert_allclose(kinetic, 0.5 * 2.0 * speed**2, rtol=1e-9, atol=1e-15)
    gained = simpson(result.power_external.values, x=t)
    assert gained == pytest.approx(kinetic[-1], rel=1e-4)
