"""Imposed strains beside other things: friction that tends to an ideal contact; elastic strains, a wheel and hard contact."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import j0

import locodyn as ld
from body_cases import NO_GRAVITY, check_rate_of_energy, snake
from locodyn.phases import When
from locodyn.world import Drag

pytestmark = pytest.mark.slow


def test_strong_friction_across_is_an_ideal_contact() -> None:
    """C5(b): the head at 4 s tends to that of ideal sleeves, -2 J0(6 / (2 pi)), with the first power of 1 / c_n.

    From c_n = 2000 on by factors of 4; what is left of higher powers, and of a start at rest, is below 5 % of each.
    """
    ideal = np.array([-2.0 * j0(6.0 / (2.0 * np.pi)), 0.0])
    errors = []
    for resistance in (2000.0, 8000.0, 32000.0):
        robot, imposed = snake(length=1.0, nodes=80, count=0, amplitude=6.0)
        robot.wrench("ground", on="body", law=Drag(linear=(0.2, resistance, 0.0)), along=True)
        result = ld.simulate(robot, imposed=imposed, t_end=4.0, dt=0.01, integrator="radau3", gravity=NO_GRAVITY, progress=False)
        errors.append(np.linalg.norm(result.position.values[-1, :2] - ideal))
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    np.testing.assert_allclose(orders, 1.0, atol=0.05)


def mixed(hold: str = "") -> tuple[ld.Robot, dict]:
    """A cart on a skate, an arm that is elastic about an imposed wave of bending, and a ball at its tip that hits.

    ``hold``: nothing; a ``sleeve`` on the arm, which lets a section slide along itself only; a ``peg`` that stays in the world.
    """
    robot = ld.Robot("mixed")
    cart = robot.base("cart", mass=1.0, inertia=ld.about_centre(zz=0.02), moves="planar").skate("wheel")
    wave = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=0.5), amplitude=True)
    arm = cart.rod(
        "arm", length=0.5, section=ld.Circle(0.01), material=ld.Material(young=1e6, density=1e3), bending=(0, 2), damping=0.02,
        fields=[wave], nodes=16,
    )  # fmt: skip
    ball = robot.body("ball", mass=0.1, inertia=ld.about_centre(zz=1e-4), shape=ld.Sphere(0.03)).on(arm).fixed()
    ball.collides(friction=0.2)
    if hold == "sleeve":
        arm.sleeve("ring", at=0.2)
    elif hold == "peg":
        arm.peg("ring", at=0.25)
    grows = ld.motion.transition(0, 1, duration=0.4, degree=7)
    return robot, {"arm.wave": ld.polynomial(0.0, -0.5), "arm.wave.amplitude": grows}


def test_imposed_strain_elastic_rod_wheel_and_hard_contact_in_one_robot() -> None:
    """Without its post, Moreau's method at 1 ms gives the motion of radau3 (order 2: 1e-6 m); with it, the work balances.

    The account of a run with impacts is of first order: 1e-5 of the work measured at 1 ms, 4e-6 at half of it.
    """
    robot, imposed = mixed()
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 1.0, "progress": False}
    smooth = ld.simulate(robot, integrator="radau3", dt=0.01, **options)
    free = ld.simulate(robot, integrator="moreau", dt=1e-3, **options)
    tip = smooth.body_position.sel(body="ball").values
    np.testing.assert_allclose(free.body_position.sel(body="ball").values[-1], tip[-1], atol=2e-6)
    post = ld.Obstacle(ld.Cylinder(0.05), at=(float(tip[50, 0]), float(tip[50, 1]) + 0.08), name="post", friction=0.2)
    hit = ld.simulate(robot, integrator="moreau", dt=1e-3, obstacles=[post], **options)
    assert hit.status == "completed" and np.abs(hit.contact_force.values).max() > 1.0
    assert np.abs(hit.body_position.sel(body="ball").values[-1] - tip[-1]).max() > 0.03  # it was thrown back
    balance = hit.total_energy().values - hit.energy_supplied().values
    assert np.abs(balance - balance[0]).max() < 5e-5 * np.ptp(hit.work_supplied.values)
    assert np.abs(hit.twist.values[:, 1]).max() < 1e-9  # the skate does not slip sideways


@pytest.mark.parametrize("hold", ["sleeve", "peg"])
def test_contacts_on_a_rod_with_strain_wheel_and_hard_contact(hold: str) -> None:
    """The same with a contact on the rod: without the post by three methods, with it by two steps, and the work balances.

    rkmk4 at 1 ms is the reference; radau3 at 10 ms (order 3) within 1e-5 m, Moreau's at 1 ms (order 2) within 2e-5 m. Through
    impacts it is of first order: half the step changes the end by less than a tenth of what the post does.
    """
    robot, imposed = mixed(hold)
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 1.0, "progress": False}
    smooth = ld.simulate(robot, integrator="rkmk4", dt=1e-3, record_every=2, **options)
    tip = smooth.body_position.sel(body="ball").values
    for method, dt, bound in (("radau3", 0.01, 1e-5), ("moreau", 1e-3, 2e-5)):
        other = ld.simulate(robot, integrator=method, dt=dt, **options)
        np.testing.assert_allclose(other.body_position.sel(body="ball").values[-1], tip[-1], atol=bound)
    closes(smooth, 1e-6)
    way = tip[300] - tip[290]  # at 0.6 s: a post in its way, 0.08 m from centre to centre
    at = tip[300] + 0.08 * way / np.linalg.norm(way)
    post = ld.Obstacle(ld.Cylinder(0.05), at=(float(at[0]), float(at[1])), name="post", friction=0.2)
    ends = []
    for dt in (1e-3, 5e-4):
        hit = ld.simulate(robot, integrator="moreau", dt=dt, obstacles=[post], **options)
        assert hit.status == "completed"
        balance = hit.total_energy().values - hit.energy_supplied().values
        assert np.abs(balance - balance[0]).max() < 5e-5 * np.ptp(hit.work_supplied.values)
        assert np.abs(hit.twist.values[:, 1]).max() < 1e-9  # the skate does not slip sideways
        ends.append(hit.body_position.sel(body="ball").values[-1])
    thrown = np.abs(ends[1] - tip[-1]).max()
    assert thrown > 0.01 and np.abs(ends[0] - ends[1]).max() < 0.1 * thrown


@pytest.mark.parametrize("hold", ["", "sleeve", "peg"])
def test_wave_driven_by_a_force_among_the_others(hold: str) -> None:
    """The amplitude of the wave follows from a force on it (``torque=``), not from a law: the rate of energy is the power of all
    drives less what damping takes; half the step changes the end by its order, and another method (order 3) finds the same.
    """
    robot, imposed = mixed(hold)
    drives: dict[str, Any] = {
        "imposed": {"arm.wave": imposed["arm.wave"]},
        "torque": {"arm.wave.amplitude": ld.sine(0.02, omega=3)},
    }
    options: dict[str, Any] = {"gravity": NO_GRAVITY, "t_end": 0.5, "progress": False} | drives
    runs = [ld.simulate(robot, integrator="rkmk4", dt=dt, **options) for dt in (2e-3, 1e-3, 5e-4)]
    check_rate_of_energy(runs[0])
    assert abs(runs[0].q[-1, -1]) > 3.0  # the wave has grown
    errors = [np.abs(one.q[-1] - other.q[-1]).max() for one, other in pairwise(runs)]
    assert np.log2(errors[0] / errors[1]) > 3.5
    other = ld.simulate(robot, integrator="radau3", dt=0.01, **options)
    np.testing.assert_allclose(other.q[-1], runs[-1].q[-1], atol=2e-6)  # measured 2e-7 to 5e-7


def test_impacts_of_a_body_with_a_wave_by_events() -> None:
    """The post again: Moreau's steps of 1, 0.5, 0.25 ms tend to a run from event to event of order 8, by the first power."""
    robot, imposed = mixed()
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 1.0, "progress": False}
    tip = ld.simulate(robot, integrator="radau3", dt=0.01, **options).body_position.sel(body="ball").values[50]
    options["obstacles"] = [ld.Obstacle(ld.Cylinder(0.05), at=(float(tip[0]), float(tip[1]) + 0.08), name="post", friction=0.2)]
    exact = ld.simulate(robot, integrator="event_driven", dt=1e-3, tolerance=1e-9, **options)
    assert exact.energy_defect() < 1e-5 * np.ptp(exact.work_supplied.values)
    for dt in (1e-3, 5e-4, 2.5e-4):
        stepped = ld.simulate(robot, integrator="moreau", dt=dt, **options)
        off = np.abs(stepped.body_position.values[-1] - exact.body_position.values[-1]).max()
        assert off < 5e-3 * dt  # m; measured 2.6e-3 to 3.1e-3 m/s


def driven(*, resistance: float = 20.0) -> tuple[ld.Robot, dict]:
    """A body of 1 m with a wave, on a ground that resists."""
    robot, imposed = snake(length=1.0, nodes=24, count=0, amplitude=4.0)
    robot.wrench("ground", on="body", law=Drag(linear=(0.2, resistance, 0.0)), along=True)
    return robot, imposed


def closes(run: ld.Result, share: float) -> None:
    """The energy account, as a share of the work done."""
    total, work = run.total_energy().values, run.energy_supplied().values
    assert run.status == "completed" and np.abs(total - total[0] - work).max() < share * np.ptp(work)


def test_imposed_strain_and_springs() -> None:
    """A spring from the tip to the world: the body ends with its pull, Lambda(l) = F_+ (Ali 2011, (5.21)), and work balances.

    Power is recorded every 5 ms and integrated by splines of order 6: 1e-6 of the work.
    """
    robot, imposed = driven()
    robot.spring("tie", "body", ("world", (0.5, 1.0, 0.0)), stiffness=20.0, damping=0.5)
    run = ld.simulate(robot, imposed=imposed, gravity=NO_GRAVITY, t_end=0.5, dt=0.005, integrator="rkmk4", progress=False)
    closes(run, 1e-6)
    tip, force = run.rod_position.values[:, 0, -1], run.rod_wrench.values[:, 0, -1, :3]
    way = np.array([0.5, 1.0, 0.0]) - tip
    pull = np.linalg.norm(force, axis=1)
    lengths = np.linalg.norm(way, axis=1)
    rate = np.gradient(lengths, run.time.values, edge_order=2)
    free = lengths[0]  # without rest_length a spring is at rest at the start
    np.testing.assert_allclose(pull[2:-2], np.abs(20.0 * (lengths - free) + 0.5 * rate)[2:-2], atol=2e-3)


def test_imposed_strain_elastic_strain_and_a_cable() -> None:
    """A wave as the rest curvature of an elastic body, which a cable through a ring in the world pulls."""
    robot = ld.Robot("pulled")
    wave = ld.StrainField("wave", ld.travelling("bending_z", 4.0, wavelength=1.0))
    material = ld.Material(young=1e6, density=1e3)
    body = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=ld.Circle(0.02), material=material, bending=(0, 3), fields=[wave], nodes=24
    )
    robot.cable("rope", ["head", ("world", (0.3, 0.4, 0.0)), "body"])
    robot.wrench("ground", on=body, law=Drag(linear=(0.2, 20.0, 0.0)), along=True)
    run = ld.simulate(
        robot, imposed={"body.wave": ld.polynomial(0.0, -0.5)}, tension={"rope": ld.constant(1.0)}, gravity=NO_GRAVITY,
        t_end=0.5, dt=0.005, integrator="radau3", progress=False,
    )  # fmt: skip
    closes(run, 1e-5)


def test_imposed_strain_in_phases_and_in_batches() -> None:
    """A phase that ends at an instant changes nothing; robots of a batch move as one by itself."""
    robot, imposed = driven()
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 0.3, "dt": 0.005}
    phases = ld.Phases({"one": (), "two": ()}, [When("one", "two", lambda t, q, v: t - 0.1)], final=["two"])
    alone = ld.Scenario("alone", robot, integrator="rkmk4", **options).run(progress=False)
    parted = ld.Scenario("parted", robot, phases=phases, **options).run(progress=False)
    assert set(parted.phase.values) == {0, 1}
    np.testing.assert_allclose(parted.position.values[-1], alone.position.values[-1], atol=1e-7)
    held, imposed = snake(nodes=40)
    scenario = ld.Scenario("held", held, imposed=imposed, gravity=NO_GRAVITY, t_end=0.2, dt=0.01, integrator="rkmk4")
    one, many = scenario.run(progress=False), scenario.batch(3).run()
    for robot_number in range(3):
        np.testing.assert_allclose(many.q.values[robot_number, -1, :2], one.position.values[-1, :2], atol=1e-13)
