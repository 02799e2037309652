"""Robots that roll in space beside independent integrations: disc, tyre, rattleback, ball robot, skateboard."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import locodyn as ld
from locodyn.sim import Scenario, Start
from locodyn.sim.start import quaternion_of
from locodyn.zoo.measures import energy_drift, leans
from locodyn.zoo.robots import rolling_disc, skateboard
from locodyn.zoo.robots.rattleback import slow_spin
from rolling_peer import disc, ellipsoid, rolling

pytestmark = pytest.mark.slow


def tight(scenario, **fields):
    return scenario.changed(integrator="adaptive", tolerance=1e-11, record_every=1, **fields).run(progress=False)


def defect(result, quaternions, rates):
    """Largest difference of orientations (up to their sign) and angular velocities."""
    signs = np.sign(np.sum(result.orientation.values * quaternions, axis=1))[:, None]
    turn = np.abs(result.orientation.values - signs * quaternions).max()
    return max(turn, np.abs(result.twist.values[:, 3:] - rates).max() / np.abs(rates).max())


# -------------------------------------------------------------------------------------------------------------- discs
@pytest.mark.parametrize("crown", [0.0, 0.06])
def test_disc_or_tyre_rolls_as_newton_and_euler_say(crown):
    """A general motion, far from steady: its lean changes by more than 0.3 rad."""
    robot = ld.Robot("hoop")
    body = robot.base("hoop", mass=2.0, inertia=ld.about_centre(xx=0.05, yy=0.09, zz=0.05))
    body.rolling("rim", radius=0.3, axis="y", crown=crown or None)
    omega = np.array([0.3, 7.0, 1.0])
    start = Start(
        {"hoop": (0.0, 0.0, 0.3, 0.5, 0.0, 0.0)},
        {"hoop.wx": omega[0], "hoop.wy": omega[1], "hoop.wz": omega[2]},
        adjust=("hoop.vz", "hoop.vy"),
        keep=("hoop.wx", "hoop.wy", "hoop.wz"),
    )
    result = tight(Scenario("hoop", robot, start=start, t_end=3.0, dt=0.01))
    peer = rolling(
        disc(0.3, crown), 2.0, np.diag([0.05, 0.09, 0.05]), np.zeros(3), quaternion_of([0.5, 0, 0]), omega, result.time.values
    )
    assert defect(result, *peer) < 1e-8
    assert np.ptp(leans(result)) > 0.3 and energy_drift(result) < 1e-9


@pytest.mark.parametrize("kind", ["uniform", "ring"])
def test_stable_speed_of_a_disc(kind):
    """Two per cent over it the lean stays within its start; two per cent below it grows beyond, in closed form."""
    above = ld.zoo.rolling_disc(case="straight", kind=kind, speed_ratio=1.02).changed(t_end=6.0, dt=0.002).run(progress=False)
    below = ld.zoo.rolling_disc(case="straight", kind=kind, speed_ratio=0.98).changed(t_end=6.0, dt=0.002).run(progress=False)
    assert np.abs(leans(above)).max() < 1.001e-4
    assert np.abs(leans(below)).max() > 2e-4
    p = {q.name: q.value for q in above.scenario.parameters}
    if kind == "uniform":
        assert rolling_disc.stable_spin(p) ** 2 * p["r"] ** 2 == pytest.approx(p["g"] * p["r"] / 3)
    else:
        assert rolling_disc.stable_spin(p) ** 2 * p["r"] ** 2 == pytest.approx(p["g"] * p["r"] / 4)


def test_momentum_of_a_disc_changes_by_the_moment_of_the_ground():
    """d/dt of the angular momentum about the origin = contact point x contact force + centre x weight."""
    result = tight(ld.zoo.rolling_disc(lean=0.6).changed(start=_tumbling()), t_end=2.0, dt=0.005)
    rows = np.array([result.model.totals(q, v) for q, v in zip(result.q, result.v, strict=True)])
    from locodyn.dynamics import totals

    momentum = rows[:, totals.TOTALS.angular_momentum : totals.TOTALS.angular_momentum + 3]
    rate = make_interp_spline(result.time.values, momentum, k=7).derivative()(result.time.values)
    moment = np.cross(result.contact_point.values[:, 0], result.contact_force.values[:, 0])
    moment += np.cross(result.position.values, (0.0, 0.0, -9.81))
    assert np.abs(rate - moment)[10:-10].max() < 1e-6 * np.abs(moment).max()


def _tumbling():
    return Start(
        {"disc": (0.0, 0.0, 0.25, 0.3, 0.0, 0.0)},
        {"disc.wx": 0.2, "disc.wy": 8.0, "disc.wz": -1.0},
        adjust=("disc.vz",),
        keep=("disc.wx", "disc.wy", "disc.wz"),
    )


# --------------------------------------------------------------------------------------------------------- rattleback
def test_rattleback_is_that_of_newton_and_euler():
    """The first second, in which it begins to rattle."""
    scenario = ld.zoo.rattleback()
    result = tight(scenario, t_end=1.0, dt=0.01)
    inertia = np.diag([2e-4, 1.6e-3, 1.7e-3])
    inertia[0, 1] = inertia[1, 0] = 2e-5
    peer = rolling(
        ellipsoid(0.2, 0.03, 0.02), 1.0, inertia, (0.0, 0.0, -0.01),
        quaternion_of(np.radians([0.5, 0.5, 0.0])), (0.0, 0.0, 5.0), result.time.values,
    )  # fmt: skip
    assert defect(result, *peer) < 1e-6


def test_rattleback_of_aligned_axes_does_not_reverse():
    spin = slow_spin(ld.zoo.rattleback(D=0.0).changed(dt=4e-4, record_every=10).run(progress=False))
    assert spin.min() > 4.5


def test_rattleback_has_a_side_that_it_likes():
    spin = slow_spin(ld.zoo.rattleback(spin=-5.0).changed(t_end=3.0, dt=2e-4, record_every=20).run(progress=False))
    assert spin.max() < -4.0
    spin = slow_spin(ld.zoo.rattleback(D=2e-5, spin=-5.0).changed(dt=2e-4, record_every=20).run(progress=False))
    assert spin[0] < -4.0 and spin.max() > 1.0


# --------------------------------------------------------------------------------------------------------- ball robot
def test_ball_robot_in_the_plane_is_that_of_lagrange():
    """x and the angle theta of the pendulum, forward: L = T - V with the shell rolling, written down by hand."""
    gamma, radius, shell, yoke, i_yoke, m, length, i_m, g = 1.5, 0.25, 3.0, 0.5, 0.005, 4.0, 0.12, 0.01, 9.81

    def rate(_, y):
        _, theta, speed, swing = y
        c, s = np.cos(theta), np.sin(theta)
        rolling_mass = shell + yoke + m + 2 / 3 * shell
        mass = [[rolling_mass, m * length * c], [m * length * c, m * length**2 + i_m + i_yoke]]
        force = [gamma / radius + m * length * swing**2 * s, gamma - m * g * length * s]
        return np.concatenate([[speed, swing], np.linalg.solve(mass, force)])

    scenario = ld.zoo.rolling_sphere_robot()
    result = tight(scenario.changed(start=Start({"shell": (0.0, 0.0, radius, 0.0, 0.0, 0.0)})), t_end=3.0, dt=0.01)
    found = solve_ivp(rate, (0.0, 3.0), np.zeros(4), "DOP853", t_eval=result.time.values, rtol=1e-12, atol=1e-12)
    assert np.abs(result.position.values[:, 0] - found.y[0]).max() < 1e-8
    theta = -result.joint_position.sel(joint="drive").values - result.position.values[:, 0] / radius
    assert np.abs(theta - found.y[1]).max() < 1e-8 and np.ptp(theta) > 0.3


def test_ball_robot_turns_to_the_side_of_its_pendulum():
    left = ld.zoo.rolling_sphere_robot(case="turn").run(progress=False)
    right = ld.zoo.rolling_sphere_robot(case="turn", tilt=-0.3).run(progress=False)
    assert np.abs(left.position.values[:, 1] + right.position.values[:, 1]).max() < 1e-9
    assert np.abs(left.position.values[:, 0] - right.position.values[:, 0]).max() < 1e-9
    x, y, _ = left.position.values.T
    heading = np.unwrap(np.arctan2(np.diff(y), np.diff(x)))
    assert heading[-1] > 1.0  # to the left


# --------------------------------------------------------------------------------------------------------- skateboard
def test_skateboard_steers_by_leaning():
    """tan(delta) = tan(lambda) sin(phi), exactly, also for large leans: front with the lean, rear against it."""
    result = ld.zoo.skateboard(lean=0.25).run(progress=False)

    def yaw(body):
        w, x, y, z = result.body_orientation.sel(body=body).values.T
        return np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))  # of the y axis

    phi, board = leans(result), np.unwrap(np.arctan2(*_forward(result)[::-1]))
    expected = np.arctan(np.tan(0.7) * np.sin(phi))
    assert np.abs(np.unwrap(yaw("front_truck")) - board + expected).max() < 1e-9
    assert np.abs(np.unwrap(yaw("rear_truck")) - board - expected).max() < 1e-9
    assert np.abs(phi).max() > 0.2 and (result.constraint_rank.values == 10).all()
    assert result.multiplier.sizes["constraint"] == 12


def _forward(result):
    """Forward axis of the board, horizontal parts."""
    w, x, y, z = result.orientation.values.T
    return 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)


def test_skateboard_needs_speed():
    """The critical speed of the linear equation: without springs v^2 = w g / (2 tan(lambda)); standing behind is unstable."""
    p = {q.name: q.value for q in ld.zoo.skateboard().parameters} | {"k": 0.0, "d": 0.0}
    critical = np.sqrt(p["w"] * p["g"] / (2 * np.tan(p["lambda"])))
    assert skateboard.coefficients(p | {"v": critical})[2] == pytest.approx(0.0, abs=1e-9)
    for ratio, grows in ((0.97, True), (1.03, False)):
        result = ld.zoo.skateboard(k=0.0, d=0.0, v=ratio * critical).changed(t_end=4.0).run(progress=False)
        assert (np.abs(leans(result)).max() > 1.2e-3) == grows
    ahead, behind = (ld.zoo.skateboard(d=d).changed(t_end=4.0).run(progress=False) for d in (0.05, -0.05))
    assert np.abs(leans(ahead)[-250:]).max() < 0.8e-3 and np.abs(leans(behind)[-250:]).max() > 1.2e-3
