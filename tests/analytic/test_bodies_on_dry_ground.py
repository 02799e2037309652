"""Bodies without joints that dry friction moves: regularised along the body, against equations of its own; hard, sidewinding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locodyn as ld
from locodyn import gaits
from locodyn.robot import GivenSection
from locodyn.robot.pose import roll_pitch_yaw_of
from locodyn.world import Sliding

pytestmark = pytest.mark.slow

# ------------------------------------------------------------------------------------------------------ friction along it
BEND, WAVE, SPEED = 6.0, 2.0 * np.pi, -0.5  # 1/m, 1/m, m/s: K = 6 cos(2 pi (s - t / 2))
ROTARY = 6.25e-4  # kg m, for a metre of 1 kg
GROUND: dict[str, Any] = {"friction": (0.1, 0.5), "load": 9.81, "speed": 0.1}
POINT_COUNT = 64
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(POINT_COUNT)
S, W = 0.5 * (1.0 + POINTS), 0.5 * WEIGHTS


def _running_integral() -> np.ndarray:
    """(n, n): values at the Gauss points to their integrals from 0 to each of them."""
    legendre = np.polynomial.legendre
    to_series = np.linalg.inv(legendre.legvander(POINTS, POINT_COUNT - 1))
    return (
        0.5 * np.column_stack([legendre.legval(POINTS, legendre.legint(row, lbnd=-1)) for row in np.eye(POINT_COUNT)]) @ to_series
    )


UP_TO = _running_integral()


def rates(t: float, y: np.ndarray, coupled: bool) -> np.ndarray:
    """Newton and Euler for a planar body of 1 m with an imposed curvature, in world axes; y = (x, y, theta and their rates)."""
    u, du = WAVE * (S + SPEED * t), WAVE * SPEED
    head = WAVE * SPEED * t
    phi = BEND / WAVE * (np.sin(u) - np.sin(head))  # heading from the head on, and its rates
    dphi = BEND / WAVE * du * (np.cos(u) - np.cos(head))
    ddphi = -BEND / WAVE * du**2 * (np.sin(u) - np.sin(head))
    turn = np.exp(1j * (y[2] + phi))
    c, dc, ddc = (UP_TO @ x for x in (turn, 1j * dphi * turn, (1j * ddphi - dphi**2) * turn))  # from the head, at rest
    omega = y[5]
    v = y[3] + 1j * y[4] + 1j * omega * c + dc
    along, across = (v * np.conj(turn)).real, (v * np.conj(turn)).imag
    small = GROUND["speed"] ** 2
    one, two = (along**2 + across**2 + small,) * 2 if coupled else (along**2 + small, across**2 + small)
    mu = GROUND["friction"]
    force = -GROUND["load"] * (mu[0] * along / np.sqrt(one) + 1j * mu[1] * across / np.sqrt(two)) * turn
    known = -(omega**2) * c + 2j * omega * dc + ddc  # acceleration but for that of the head
    matrix = np.zeros((3, 3))
    matrix[0], matrix[1] = (1.0, 0.0, -W @ c.imag), (0.0, 1.0, W @ c.real)
    matrix[2] = (-W @ c.imag, W @ c.real, W @ np.abs(c) ** 2 + ROTARY)
    left = force - known
    right = (W @ left.real, W @ left.imag, W @ ((np.conj(c) * left).imag - ROTARY * ddphi))
    return np.concatenate([y[3:], np.linalg.solve(matrix, right)])


@pytest.mark.parametrize("coupled", [True, False])
def test_coulomb_friction_along_a_body(coupled: bool) -> None:
    """Pose of the head after 0.5 s, against own equations by scipy's Radau to 1e-7; radau3 at 2.5 ms, slices of order 4: 2e-5.

    Friction is five times larger across than along. The energy account closes.
    """
    gait = gaits.lateral_undulation(BEND, wavelength=1.0, travel=SPEED)
    section = GivenSection((1.0,) * 6, mass=1.0, inertia=(2.0 * ROTARY, ROTARY, ROTARY))
    robot = ld.Robot("snake")
    body = robot.base("head", moves="planar").rod("body", length=1.0, section=section, fields=gait.fields, nodes=64)
    robot.wrench("ground", on=body, law=Sliding(**GROUND, coupled=coupled), along=True)
    run = ld.simulate(
        robot, imposed=gait.imposed("body"), gravity=(0, 0, 0), t_end=0.5, dt=0.0025, integrator="radau3", progress=False
    )
    own = solve_ivp(rates, (0.0, 0.5), np.zeros(6), "Radau", rtol=1e-7, atol=1e-9, args=(coupled,)).y[:, -1]
    w, *_, z = run.orientation.values[-1]
    np.testing.assert_allclose([*run.position.values[-1, :2], 2.0 * np.arctan2(z, w)], own[:3], atol=2e-5)
    assert np.hypot(own[0], own[1]) > 0.02  # and it goes somewhere
    balance = run.total_energy().values - run.energy_supplied().values
    assert np.abs(balance - balance[0]).max() < 1e-4 * np.ptp(run.energy_supplied().values)


# ------------------------------------------------------------------------------------------------------------ sidewinding
YAW, PITCH, LENGTH, RADIUS = 10.0, 2.0, 0.5, 0.01  # 1/m, 1/m, m (of a wave), m


def curve(twist: float, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre line (n, 3) m and axes (n, 3, 3) of K = (twist, PITCH sin, YAW cos), by scipy's DOP853."""

    def slope(s: float, y: np.ndarray) -> np.ndarray:
        axes = y[3:].reshape(3, 3)
        return np.concatenate([axes[:, 0], np.cross(axes, bends(s, twist)).ravel()])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    y = solve_ivp(slope, (0.0, places[-1]), start, "DOP853", places, rtol=1e-11, atol=1e-12).y.T
    return y[:, :3], y[:, 3:].reshape(-1, 3, 3)


def bends(s: float, twist: float) -> np.ndarray:
    """Torsion and curvatures, 1/m."""
    return np.array([twist, PITCH * np.sin(2.0 * np.pi * s / LENGTH), YAW * np.cos(2.0 * np.pi * s / LENGTH)])


def half_turn(twist: float) -> float:
    """Zero where the wave closes: half of it, turned by pi about x, is then a rotation by pi, which twice is none."""
    half = curve(twist, np.array([0.0, 0.5 * LENGTH]))[1][-1] @ np.diag([1.0, -1.0, -1.0])
    return float(half[2, 1] - half[1, 2])


def test_a_body_winds_sideways_over_hard_ground() -> None:
    """A travelling wave of both bendings rests on the ground with one section of each wave, at the same phase, and all of them
    have the same tangent t. Without slip the wave as a whole then moves by V (t - r K x z), and the body runs through it: in a
    wave of the length l and the advance p along the axis e, a section goes l (t - r K x z) - p e, mostly sideways.

    A small constant torsion makes the wave repeat without turning round; it lies on its flat side, where its mass centre is
    lowest: the support function of its section, least. Moreau's method at 2 ms, friction 1, from rest: what slips while it comes
    to speed and where sections take over from each other is 1.2 % of the way (measured); bound 3 %.
    """
    twist = brentq(half_turn, -3.0, 3.0, xtol=1e-14)
    places = np.linspace(0.0, LENGTH, 2001)
    line, axes = curve(twist, places)
    np.testing.assert_allclose(axes[-1], np.eye(3), atol=1e-10)
    advance = float(np.linalg.norm(line[-1]))
    ahead = line[-1] / advance
    first = np.cross((0.0, 0.0, 1.0), ahead) / np.linalg.norm(np.cross((0.0, 0.0, 1.0), ahead))
    second, centred = np.cross(ahead, first), line[:-1] - line[:-1].mean(axis=0)
    ways = [np.sin(a) * first - np.cos(a) * second for a in np.linspace(0.0, 2.0 * np.pi, 721)]
    down = min(ways, key=lambda way: float((centred @ way).max()))
    at = int(np.argmax(centred @ down))
    slow = RADIUS * np.cross(axes[at] @ bends(places[at], twist), -down)
    world = np.stack([ahead, np.cross(-down, ahead), -down])
    wanted = world @ (LENGTH * (axes[at][:, 0] - slow) - advance * ahead)
    assert abs(wanted[2]) < 1e-6 and abs(wanted[1]) > 5.0 * abs(wanted[0])

    gait = gaits.sidewinding(YAW, PITCH, wavelength=LENGTH, travel=-0.25)
    robot = ld.Robot("sidewinder")
    body = robot.base("head").rod(
        "body", length=3.0 * LENGTH, section=ld.Circle(RADIUS), material=ld.Material(1e6, 1000.0), nodes=72,
        fields=[*gait.fields, ld.StrainField("twist", ld.standing("torsion", twist))],
    )  # fmt: skip
    body.collides(friction=1.0)
    height = float((line @ down).max()) + RADIUS + 1e-5
    start = ld.Start({"head": (0.0, 0.0, height, *roll_pitch_yaw_of(world))}, zero_momentum=True)
    run = ld.simulate(
        robot, imposed={**gait.imposed("body"), "body.twist": 1.0}, obstacles=[ld.world.Ground()], start=start, t_end=2.0,
        dt=2e-3, record_every=25, integrator="moreau", progress=False,
    )  # fmt: skip
    way = run.position.values[-1] - run.position.values[0]  # one period
    assert np.linalg.norm((way - wanted)[:2]) < 0.03 * np.linalg.norm(wanted)
    balance = run.total_energy().values - run.energy_supplied().values
    assert np.abs(balance - balance[0]).max() < 1e-3 * np.ptp(run.work_supplied.values)
