"""Robots that creep: the Stokes connection against resistive-force theory written in NumPy, and against runs with little inertia.

Purcell's swimmer (1977): three links in the plane in a fluid with the drag c_t, c_n (N s/m^2) along and across each metre. The
drag of a straight link about its middle is exactly c L (v_t, v_n) and c_n L^3/12 w.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import area_displacement, curvature, harmonic_gait, net_displacement
from locodyn.locomotion.connection import Connection
from locodyn.world.laws import Drag, Thrust

pytestmark = pytest.mark.slow

LENGTH, ALONG, ACROSS = 0.4, 1.0, 2.0
GAIT = harmonic_gait(1.0, front={"amplitude": 0.7, "phase": np.pi / 2}, rear={"amplitude": 0.7})


def swimmer(mass: float = 1.0, law: Any = None) -> ld.Robot:
    """Three links; the reference frame is in the middle of the middle one."""
    robot = ld.Robot("swimmer")
    body = {"mass": mass, "inertia": ld.about_centre(zz=mass * LENGTH**2 / 12.0)}
    drag = Drag((LENGTH * ALONG, LENGTH * ACROSS, 0.0), angular=(0.0, 0.0, ACROSS * LENGTH**3 / 12.0))
    middle = robot.base("middle", moves="planar", **body)
    robot.wrench("drag of middle", on=middle, law=law or drag)
    for name, side in (("front", 1.0), ("rear", -1.0)):
        centre = (0.5 * side * LENGTH, 0.0, 0.0)
        link = robot.body(name, centre=centre, **body).on(middle, at=centre).turning("z")
        robot.wrench(f"drag of {name}", on=link, at=centre, law=drag)
    return robot


def by_forces(front: float, rear: float) -> np.ndarray:
    """A (3, 2): force and moment of all points of the links vanish; two points of Gauss for each link, which is exact."""
    total = np.zeros((3, 5))  # by (vx, vy, w, front, rear)
    for angle, side, column in ((0.0, 0.0, None), (front, 1.0, 3), (rear, -1.0, 4)):
        t = np.array([np.cos(angle), np.sin(angle)])
        n = np.array([-t[1], t[0]])
        hinge = np.array([0.5 * side * LENGTH, 0.0])
        for s in (-0.5 / np.sqrt(3.0), 0.5 / np.sqrt(3.0)):
            arm = (s + 0.5 * abs(side)) * LENGTH * (t if side >= 0.0 else -t)
            x = hinge + arm
            v = np.zeros((2, 5))
            v[:, :2], v[:, 2] = np.eye(2), (-x[1], x[0])
            if column is not None:
                v[:, column] = (-arm[1], arm[0])
            force = 0.5 * LENGTH * (ALONG * np.outer(t, t) + ACROSS * np.outer(n, n)) @ v
            total[:2] += force
            total[2] += x[0] * force[1] - x[1] * force[0]
    return np.linalg.solve(total[:, :3], total[:, 3:])


@pytest.mark.parametrize("shape", [(0.0, 0.0), (0.7, -0.3), (-1.9, 2.4), (0.4, 0.4)])
def test_connection_of_purcells_swimmer(shape: tuple[float, float]) -> None:
    swim = Connection(swimmer(), inertia=False)
    assert swim.kind == "viscous"
    np.testing.assert_allclose(swim.at(swim.configuration(shape)), by_forces(*shape), atol=1e-14)


def test_mass_does_not_count() -> None:
    light, heavy = (Connection(swimmer(mass), inertia=False) for mass in (0.01, 100.0))
    np.testing.assert_array_equal(light.at(light.configuration((0.5, 0.2))), heavy.at(heavy.configuration((0.5, 0.2))))


def test_curvature_against_a_small_loop() -> None:
    """A loop of amplitude e encloses pi e^2: exp(-pi e^2 F), the rest is of third order in e."""
    swim = Connection(swimmer(), inertia=False)
    small = harmonic_gait(
        1.0, front={"amplitude": 1e-2, "phase": np.pi / 2, "offset": 0.5}, rear={"amplitude": 1e-2, "offset": 0.9}
    )
    expected = -np.pi * 1e-4 * curvature(swim, swim.configuration((0.5, 0.9)))[:, 0, 1]
    assert np.abs(expected).max() > 1e-6
    np.testing.assert_allclose(net_displacement(swim, small).vector, expected, atol=1e-7)


def test_turn_is_the_area_and_a_retraced_gait_goes_nowhere() -> None:
    """In the plane the turn obeys the area rule for any size; the scallop theorem (Purcell 1977)."""
    swim, steps = Connection(swimmer(), inertia=False), 200
    wide = harmonic_gait(1.0, front={"amplitude": 0.7, "phase": np.pi / 2, "offset": 0.6}, rear={"amplitude": 0.7})
    net = net_displacement(swim, wide, steps=steps)
    assert net.theta == pytest.approx(area_displacement(swim, wide, nodes=40)[2], abs=1e-8)
    assert np.abs(net_displacement(swim, wide.retraced(), steps=steps).vector).max() < 1e-10


def test_runs_with_little_inertia_tend_to_it() -> None:
    """Inertia over drag is m omega / c: what it changes falls with the mass, at least in proportion."""
    without = net_displacement(Connection(swimmer(), inertia=False), GAIT).vector
    off = []
    for mass in (0.04, 0.02, 0.01):
        scenario = ld.Scenario("swimmer", swimmer(mass), imposed=GAIT, t_end=1.0)
        off.append(np.abs(net_displacement(scenario, GAIT, steps=1200, after=1).vector - without).max())
    assert np.abs(without).max() > 1e-2 and off[2] < 1e-3
    assert off[1] < 0.6 * off[0] and off[2] < 0.6 * off[1]


def test_refused() -> None:
    with pytest.raises(ld.InputError, match="'drag of middle' is not in proportion to velocities"):
        Connection(swimmer(law=Drag(quadratic=1.0)), inertia=False)
    with pytest.raises(ld.InputError, match="not in proportion"):
        Connection(swimmer(law=Thrust(force=(1.0, 0.0, 0.0))), inertia=False)
    bare = ld.Robot("bare")
    base = bare.base("base", moves="planar", mass=1.0, inertia=ld.about_centre(zz=1.0))
    bare.body("link", mass=1.0, inertia=ld.about_centre(zz=1.0)).on(base).turning("z")
    with pytest.raises(ld.InputError, match="no drag resists some motion"):
        creeping = Connection(bare, inertia=False)
        creeping.at(creeping.configuration((0.0,)))
    with pytest.raises(ld.InputError, match="acts on it from outside"):
        Connection(swimmer())
