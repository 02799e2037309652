"""Ellipsoids that rock and cylinders that stand, tip, roll and wobble: closed forms of rigid bodies on rigid surfaces."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import Cylinder, Ellipsoid, Robot

pytestmark = pytest.mark.slow

G = 9.81


def body(shape, friction):
    robot = Robot("body")
    robot.base("body", mass=1.5, shape=shape).collides(friction=friction)
    return robot


def run(robot, obstacles, place, twist=(0.0,) * 6, t_end=1.0, dt=1e-3, gravity=(0.0, 0.0, -G)):
    scenario = ld.Scenario(
        "body", robot, start=ld.Start({"body": place}, {"body": twist}), t_end=t_end, dt=dt, gravity=gravity, record_every=5,
        obstacles=obstacles, integrator="moreau",
    )  # fmt: skip
    result = scenario.run(progress=False)
    assert result.status == "completed"
    return result


x = 0.1 * (np.arange(21) - 10.0)
VALLEY = ld.Terrain(heights=np.repeat((x**2 / 2.0)[:, None], 21, axis=1), spacing=0.1, origin=(-1.0, -1.0))  # radius 1 m


@pytest.mark.parametrize(
    "obstacle, bend",
    [
        (ld.Obstacle(ld.Box((2, 1, 0.2)), at=(0, 0, -0.1)), 0.0),
        (VALLEY, 1.0),
        (ld.Obstacle(ld.Cylinder(1.5, 1.0, axis="y"), at=(0, 0, -1.5)), -1.0 / 1.5),
        (ld.Obstacle(ld.Cylinder(0.8, 0.2), at=(0, 0, -0.1)), 0.0),
    ],
    ids=["block", "terrain", "side of a cylinder", "end of a cylinder"],
)
def test_ellipsoid_rocks_with_its_closed_form(obstacle, bend):
    """omega^2 = g (1 / (c / a^2 - bend) - c) / ((a^2 + c^2) / 5 + c^2) on a surface of curvature ``bend`` (hollow: positive)."""
    a, c, angle = 0.3, 0.15, 1e-3
    omega = np.sqrt(G * (1.0 / (c / a**2 - bend) - c) / ((a**2 + c**2) / 5 + c**2))
    result = run(
        body(Ellipsoid((a, 0.2, c)), 1.0), [obstacle], (0, 0, c, 0, 0, 0), (c * angle * omega, 0, 0, 0, angle * omega, 0)
    )
    tilt = 2.0 * result.orientation.values[:, 2]
    assert tilt == pytest.approx(angle * np.sin(omega * result.time.values), abs=0.01 * angle)


CAN, RADIUS, HALF = Cylinder(0.1, 0.3), 0.1, 0.15
LEVEL = ld.Terrain(heights=np.zeros((5, 5)), origin=(-2, -2))
STANDS_ON = {
    "ground": ld.Ground(),
    "block": ld.Obstacle(ld.Box((0.5, 0.5, 0.2)), at=(0, 0, -0.1)),
    "cylinder": ld.Obstacle(ld.Cylinder(0.2, 0.2), at=(0, 0, -0.1)),
    "terrain": LEVEL,
}


@pytest.mark.parametrize("on", STANDS_ON)
@pytest.mark.parametrize("direction", [0.0, 0.39], ids=["a point of the end", "between two"])
def test_cylinder_stands_and_tips_at_the_angle_of_its_rim(on, direction):
    """On a slope just below atan(r / h) it stays, just above it falls; h is the height of its centre."""
    for share, falls in ((0.99, False), (1.01, True)):
        slope = share * np.arctan(RADIUS / HALF)
        down = G * np.sin(slope) * np.array([np.cos(direction), np.sin(direction)])
        result = run(
            body(CAN, 2.0), [STANDS_ON[on]], (0, 0, HALF, 0, 0, 0), t_end=1.0, dt=2e-3,
            gravity=(*down, -G * np.cos(slope)),
        )  # fmt: skip
        tilt = np.hypot(*result.orientation.values[-1, 1:3])
        assert tilt > 0.1 if falls else tilt < 1e-5, share
        if not falls:
            assert np.abs(result.v[-1]).max() < 1e-7


@pytest.mark.parametrize(
    "obstacle", [ld.Ground(), ld.Obstacle(ld.Box((4, 1, 0.2)), at=(0, 0, -0.1)), LEVEL], ids=["ground", "block", "level terrain"]
)
def test_cylinder_rolls_down_a_slope(obstacle):
    """Lying on its side: 2/3 g sin(slope); where friction is less than a third of the slope it slides."""
    slope, lying = 0.3, Cylinder(0.1, 0.3, axis="y")
    gravity = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    for friction, acceleration in ((0.5, 2 / 3 * gravity[0]), (0.05, gravity[0] + 0.05 * gravity[2])):
        result = run(body(lying, friction), [obstacle], (-0.5, 0, RADIUS, 0, 0, 0), t_end=0.5, gravity=gravity)
        way = 0.5 + result.position.values[-1, 0]
        assert way == pytest.approx(0.5 * acceleration * 0.25, rel=2e-4)  # of first order in the step
        assert result.position.values[-1, 1] == pytest.approx(0.0, abs=1e-9)


def test_cylinder_wobbles_on_its_rim_about_a_fixed_centre():
    """Euler's disc, with moments A, C: W^2 sin b (A R cos b - C h sin b) / R = m g (R cos b - h sin b), precession W, tilt b."""
    radius, half, tilt, m = 0.1, 0.02, 0.5, 1.5
    across, along = m * (3 * radius**2 + 4 * half**2) / 12, m * radius**2 / 2
    s, c = np.sin(tilt), np.cos(tilt)
    rate = np.sqrt(m * G * (radius * c - half * s) * radius / (s * (across * radius * c - along * half * s)))
    spin = -rate * s / radius  # angular velocity over the arm of the contact point
    place = (0.0, 0.0, radius * s + half * c, 0.0, tilt, 0.0)
    twist = (0, 0, 0, spin * radius, 0, -spin * half)  # in body axes: the arm is (radius, 0, -half)
    found = []
    for dt in (1e-4, 5e-5):  # errors are of first order: the step is extrapolated to none
        result = run(body(Cylinder(radius, 2 * half), 5.0), [ld.Ground()], place, twist, 0.6, dt)
        h = result.orientation.values
        axis = np.stack([2 * (h[:, 1] * h[:, 3] + h[:, 0] * h[:, 2]), 2 * (h[:, 2] * h[:, 3] - h[:, 0] * h[:, 1])])
        angle = np.unwrap(np.arctan2(axis[1], axis[0]))
        found.append([(angle[-1] - angle[0]) / 0.6, np.hypot(*axis[:, -1]), *result.position.values[-1]])
    limit = 2.0 * np.array(found[1]) - found[0]
    assert found[1][0] == pytest.approx(rate, rel=5e-3)
    assert limit[0] == pytest.approx(rate, rel=3e-4)
    assert limit[1] == pytest.approx(s, abs=2e-4)
    assert limit[2:] == pytest.approx(place[:3], abs=2e-5)
