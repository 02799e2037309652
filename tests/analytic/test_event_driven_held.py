"""Contacts by events beside imposed joints, wheels, loops and rods: closed forms, and the same robot said in two ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import locodyn as ld

pytestmark = pytest.mark.slow

GRAVITY = 9.81


def by_events(scenario: ld.Scenario, tolerance: float = 1e-11) -> ld.Result:
    result = scenario.changed(integrator="event_driven", tolerance=tolerance).run(progress=False)
    assert result.status == "completed", result.status
    energy = result.total_energy().values  # work is summed up from powers at the records by Simpson's rule
    assert energy - energy[0] == pytest.approx(result.energy_supplied().values, abs=1e-6 * np.abs(energy).max())
    return result


# ---------------------------------------------------------------------------------------------------------- imposed joints
BOX, SHAKER = 2.0, 1.0  # kg


def shaken(axis: str, law: ld.motion.Law, t_end: float) -> ld.Scenario:
    """A box on the ground, in the plane x-z, in which a mass is moved along an axis."""
    robot = ld.Robot("shaken")
    box = robot.base("box", moves="planar", turned=("x", 0.5 * np.pi), mass=BOX, inertia=ld.about_centre(zz=1.0))
    box.collides(vertices=[(-0.5, -0.1, 0.0), (0.5, -0.1, 0.0)], friction=0.3)
    robot.body("shaker", mass=SHAKER).on(box).sliding(axis)
    start = ld.Start({"box": (0.0, 0.1, 0.0)})
    return ld.Scenario("shaken", robot, obstacles=[ld.Ground()], imposed={"shaker": law}, start=start, t_end=t_end, dt=0.002)


def test_friction_holds_what_an_imposed_joint_pushes() -> None:
    """The box stands: friction and the force of the joint are m d2u/dt2, to the tolerance."""
    result = by_events(shaken("x", ld.sine(0.05, omega=10.0), 0.5))
    push = -SHAKER * 0.05 * 100.0 * np.sin(10.0 * result.time.values)
    assert np.abs(result.position.values[:, 0]).max() < 1e-10
    np.testing.assert_allclose(result.contact_force.values[:, :, 0].sum(axis=1), push, atol=1e-9)
    np.testing.assert_allclose(result.joint_torque.sel(joint="shaker").values, push, atol=1e-9)


def test_a_box_hops_where_its_shaker_falls_faster_than_gravity() -> None:
    """N = (M + m) g + m d2u/dt2 ends at a time in closed form; then the mass centre is a projectile until the box lands."""
    size, omega = 0.1, 20.0
    result = by_events(shaken("y", ld.sine(size, omega=omega, phase=np.pi, offset=0.0), 0.45))
    share = SHAKER / (BOX + SHAKER)
    # u = -A sin(wt) lifts the box where m A w^2 sin(wt) < -(M + m) g, after half a turn.
    leaves = (np.pi + np.arcsin(GRAVITY / (share * size * omega**2))) / omega
    speed = share * -size * omega * np.cos(omega * leaves)  # of the mass centre

    def height(t: float) -> float:
        """Of the box over the ground: mass centre less the share of the shaker."""
        since, lifted = t - leaves, -share * size * (np.sin(omega * t) - np.sin(omega * leaves))
        return float(speed * since - 0.5 * GRAVITY * since**2 - lifted)

    lands = brentq(height, leaves + 0.02, leaves + 0.4)
    assert result.attributes["last_lift_off"] >= leaves
    times, found = result.time.values, result.position.values[:, 2] - 0.1
    flying = (times > leaves) & (times < min(lands, 0.45))
    assert flying.sum() > 5
    np.testing.assert_allclose(found[flying], [height(t) for t in times[flying]], atol=1e-9)
    np.testing.assert_allclose(found[times < leaves], 0.0, atol=1e-10)


# ------------------------------------------------------------------------------------------------------------------ wheels
def test_a_skate_meets_a_wall() -> None:
    """Speed s along the heading and turn w: the wall changes them by P (-cos / m, l sin / I), P = -(1 + e) u / W."""
    mass, inertia, nose, e = 2.0, 0.3, 0.4, 0.6
    robot = ld.Robot("skate")
    boat = robot.base("boat", moves="planar", mass=mass, inertia=ld.about_centre(zz=inertia))
    boat.skate("edge", along="x").collides(vertices=[(nose, 0.0, 0.0)], restitution=e)
    wall = ld.Ground(at=(1.0, 0.0, 0.0), normal=(-1.0, 0.0, 0.0))
    start = ld.Start({"boat": (0.0, 0.0, 0.3)}, {"boat.vx": 1.5})
    scenario = ld.Scenario(
        "skate", robot, obstacles=[wall], start=start, gravity=(0.0, 0.0, 0.0), t_end=0.6, dt=0.02
    )  # fmt: skip
    result = by_events(scenario)
    assert result.attributes["impacts"] == 1
    assert result.attributes["last_impact"] == pytest.approx((1.0 / np.cos(0.3) - nose) / 1.5, abs=1e-9)
    row = np.array([-np.cos(0.3), nose * np.sin(0.3)])
    weight = row @ (row / (mass, inertia))
    impulse = -(1.0 + e) * (-1.5 * np.cos(0.3)) / weight
    after = np.array([1.5, 0.0]) + impulse * row / (mass, inertia)
    np.testing.assert_allclose(result.v[-1], [after[0], 0.0, after[1]], atol=1e-9)


# ------------------------------------------------------------------------------------------------------------------- loops
def flail(loop: bool) -> ld.Scenario:
    """Two links in the plane x-z that fall on the ground: by a joint, or the second free and pinned to the first."""
    robot, inertia = ld.Robot("flail"), ld.about_centre(zz=0.02)
    first = robot.base("first", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=inertia)
    first.collides(vertices=[(-0.25, 0.0, 0.0)], friction=0.2, restitution=0.3).marker("end", at=(0.25, 0.0, 0.0))
    second = robot.body("second", mass=0.5, centre=(0.2, 0.0, 0.0), inertia=inertia)
    second = second.on(first, at=(0.25, 0.0, 0.0)).planar() if loop else second.on(first, at=(0.25, 0.0, 0.0)).turning("z")
    second.collides(vertices=[(0.4, 0.0, 0.0)], friction=0.2, restitution=0.3)
    if loop:
        robot.loop("pin", "end", "second", joint="revolute", axis="z")
    bend = (0.0, 0.0, -0.7) if loop else -0.7
    start = ld.Start({"first": (0.0, 0.3, 0.4), "second": bend})
    return ld.Scenario("flail", robot, obstacles=[ld.Ground()], start=start, t_end=0.35, dt=0.01)


def test_a_loop_is_the_joint_that_it_stands_for() -> None:
    """Impacts, slip and rest of the same two links: errors of steps, 1e-11 each, grow by the impacts."""
    joined, pinned = by_events(flail(False)), by_events(flail(True))
    assert joined.attributes["impacts"] >= 2
    for name in ("impacts", "slip_begins", "slip_ends", "lift_offs"):
        assert pinned.attributes[name] == joined.attributes[name]
    for body in ("first", "second"):
        places = [one.body_position.sel(body=body).values for one in (joined, pinned)]
        np.testing.assert_allclose(*places, atol=1e-7)
    forces = [one.contact_force.values for one in (joined, pinned)]
    np.testing.assert_allclose(*forces, atol=1e-5)


# -------------------------------------------------------------------------------------------------------------------- rods
def test_time_stepping_tends_to_events_on_a_rod() -> None:
    """A soft rod on a ball that bounces: the distance of Moreau's solution falls with its step, by order 1 or better."""
    robot = ld.Robot("whip")
    ball = robot.base(
        "ball", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=ld.about_centre(zz=0.01), shape=ld.Sphere(0.1)
    )
    ball.collides(restitution=0.5)
    material = ld.Material(young=1e6, density=1000.0)
    ball.rod("tail", length=0.4, section=ld.Circle(0.01), material=material, bending=(0, 2), nodes=4)
    start = ld.Start({"ball": (0.0, 0.15, 0.3)}, {"ball.vx": 0.5})
    scenario = ld.Scenario("whip", robot, obstacles=[ld.Ground()], start=start, t_end=0.25, dt=0.01)
    exact = by_events(scenario, 1e-10)
    assert exact.attributes["impacts"] >= 1
    errors = []
    for dt in (1e-3, 1e-4):
        found = scenario.changed(integrator="moreau", dt=dt, record_every=round(0.25 / dt)).run(progress=False)
        errors.append(np.abs(found.q[-1] - exact.q[-1]).max())
    assert errors[1] < min(1e-3, 0.2 * errors[0])  # measured 3.3e-2, 3.7e-4
