"""Bodies that roll under water: buoyancy beside rolling constraints, against the ball on a slope with the weight that is left."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim import LiftWarning, SurfaceWarning
from locodyn.world import Buoyancy, Water, WetDrag

pytestmark = pytest.mark.slow

RADIUS, SLOPE, G = 0.1, 0.3, 9.81
DISPLACED = 1000.0 * 4.0 / 3.0 * math.pi * RADIUS**3  # kg


def ball(mass: float, **laws: ld.world.WrenchLaw) -> ld.Scenario:
    """A ball on a slope, deep under water."""
    robot, moment = ld.Robot("ball"), 0.4 * mass * RADIUS**2
    body = robot.base("ball", mass=mass, inertia=ld.about_centre(xx=moment, yy=moment, zz=moment), shape=ld.Sphere(RADIUS))
    normal = (math.sin(SLOPE), 0.0, math.cos(SLOPE))
    body.rolling("skin", radius=RADIUS, normal=normal)
    robot.wrench("floats", on=body, law=Buoyancy(water=Water(level=5.0)))
    for name, law in laws.items():
        robot.wrench(name, on=body, law=law)
    start = ld.Start({"ball": (*(RADIUS * np.array(normal)), 0.0, 0.0, 0.0)})
    return ld.Scenario("ball", robot, start=start, t_end=1.0, dt=0.05, integrator="adaptive", tolerance=1e-12)


def test_ball_rolls_down_with_the_weight_that_is_left() -> None:
    """7/5 m a = (m - rho V) g sin(slope); the ground gives (m - rho V) g cos(slope), and 2/7 (m - rho V) g sin(slope) uphill."""
    mass = 8.0
    run = ball(mass).run(progress=False)
    along, normal = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)]), np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
    weight = (mass - DISPLACED) * G
    way = (run.position.values - run.position.values[0]) @ along
    assert np.abs(way - 0.5 * 5 / 7 * weight / mass * math.sin(SLOPE) * run.time.values**2).max() < 1e-9
    wanted = weight * (math.cos(SLOPE) * normal - 2 / 7 * math.sin(SLOPE) * along)
    assert np.abs(run.contact_force.values[:, 0] - wanted).max() < 1e-9
    energy = run.total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-9 * run.kinetic_energy.values.max()


def test_drag_gives_a_terminal_speed() -> None:
    """7/5 m v' = (m - rho V) g sin(slope) - c v, drag at the centre: v = W (1 - exp(-5 c t / 7 m)); its power is booked."""
    mass, c = 8.0, 6.0
    run = ball(mass, drag=WetDrag(ld.Drag(c), water=Water(level=5.0))).run(progress=False)
    limit = (mass - DISPLACED) * G * math.sin(SLOPE) / c
    speed = limit * (1.0 - np.exp(-5.0 / 7.0 * c / mass * run.time.values))
    found = np.linalg.norm(run.twist.values[:, :3], axis=1)
    assert np.abs(found - speed).max() < 1e-9
    assert np.abs(run.power_dissipated.values - c * speed**2).max() < 1e-8


def test_a_ball_that_would_float_up() -> None:
    """Lighter than water: the ground would have to hold it down, which is told."""
    with pytest.warns(LiftWarning, match="the ground would have to hold 'skin' down from t = 0 s on"):
        ball(2.0).changed(t_end=0.1).run(progress=False)


def test_a_rod_that_comes_out_of_the_water() -> None:
    """Its added mass is that of a rod deep under: told with the time at which its upper side reaches the surface.

    Rising at 0.5 m/s from 0.1 m below, a radius of 0.02 m reaches the surface at 0.16 s.
    """
    robot = ld.Robot("periscope")
    head = robot.base("head", moves="prismatic", axis="z")
    rod = head.rod(
        "rod", length=0.3, section=ld.Circle(0.02), material=ld.silicone, bending=1,
        fluid=ld.robot.RodFluid(1000.0),
    )  # fmt: skip
    robot.wrench("floats", on=rod, law=Buoyancy(water=Water(level=0.1)), along=True)
    scenario = ld.Scenario("periscope", robot, imposed={"head": ld.polynomial(0.0, 0.5)}, t_end=0.3, dt=0.01, integrator="radau3")
    with pytest.warns(SurfaceWarning, match="rod 'rod' comes out of the water from t = 0.1[67] s on"):
        scenario.run(progress=False)


@pytest.mark.parametrize(
    "shape, reach",
    [
        (ld.Ellipsoid((0.3, 0.2, 0.1)), 0.1),
        (ld.Box((0.4, 0.4, 0.1)), 0.05),
        (ld.Cylinder(0.1, 0.4, "z"), 0.2),
        (ld.Cylinder(0.1, 0.4, "x"), 0.1),
        (ld.Capsule(0.1, 0.4, "z"), 0.2),
        (ld.Sphere(0.1), 0.1),
    ],
)
def test_a_body_that_comes_out_of_the_water(shape: ld.robot.Shape, reach: float) -> None:
    """Rising at 0.5 m/s from 0.4 m below, its top, ``reach`` above its centre, comes to the surface at (0.4 - reach) / 0.5 s.

    An added mass that is given is that of the wet part, and nothing is said.
    """

    def rising(told: bool | None) -> ld.Scenario:
        robot = ld.Robot("buoy")
        body = robot.base("buoy", moves="prismatic", axis="z", density=500.0, shape=shape)
        body.fluid(ellipsoid=(0.3, 0.2, 0.1), unbounded=told)
        robot.wrench("floats", on=body, law=Buoyancy(water=Water(level=0.4)))
        return ld.Scenario("buoy", robot, imposed={"buoy": ld.polynomial(0.0, 0.5)}, t_end=0.8, dt=0.01, integrator="rkmk4")

    first = 0.01 * (math.floor((0.4 - reach) / 0.005 + 1e-6) + 1)  # the first record at which it is out
    with pytest.warns(SurfaceWarning, match=f"body 'buoy' comes out of the water from t = {first:g} s on"):
        rising(None).run(progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rising(False).run(progress=False)
