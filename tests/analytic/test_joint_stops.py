"""Limits of hinges and slides as stops of hard contact: where they hold, what they bear and take, and what they leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.view.scene import scene_of

pytestmark = pytest.mark.slow

G, STOPS = 9.81, ld.HardContact(stops=True)
MOMENTA = ("linear_momentum", "angular_momentum")


def hinge(axis="y", **limits):
    """A bar of 1 kg, 0.4 m long, with its mass centre 0.2 m below the hinge."""
    robot = ld.Robot("bar")
    bar = robot.body("bar", mass=1.0, shape=ld.Box((0.02, 0.02, 0.4), at=(0, 0, -0.2)))
    bar.on(robot.base("ground", moves="fixed")).turning(axis, name="hinge").limits(**limits)
    return robot


def stopped(robot, **words):
    return ld.simulate(robot, contact=STOPS, integrator="moreau", dt=1e-3, progress=False, **words)


def inertia(robot):
    return float(robot.model().mass_matrix(robot.model().neutral())[0, 0])


@pytest.mark.parametrize(("axis", "side"), [("y", 1.0), ("y", -1.0), ("-x", 1.0)])
def test_a_hinge_rests_on_its_stop(axis, side):
    """Released at rest, it falls on the limit 0.4 rad short of hanging, which bears m g l sin(0.4) and takes what it fell."""
    lower, upper, start = (0.4, 2.0, 1.2) if side > 0 else (-2.0, -0.4, -1.2)
    robot = hinge(axis, lower=lower, upper=upper)
    run = stopped(robot, start={"hinge": start}, t_end=1.0)
    angle = run.joint_position.sel(joint="hinge").values
    rate = np.sqrt(2.0 * G * 0.2 * (np.cos(0.4) - np.cos(1.2)) / inertia(robot))
    assert np.abs(angle).min() > 0.4 - 1e-3 * rate  # a step of penetration at most
    assert np.ptp(angle[-100:]) < 1e-9  # the tolerance of the solver, 1e-8 of the weight, lets it creep by 1e-10 in 0.1 s
    name = "hinge.lower_stop" if side > 0 else "hinge.upper_stop"
    lever = np.sqrt(inertia(robot))  # its radius of gyration, of 1 kg
    bears = np.linalg.norm(run.contact_force.sel(contact=name).values[-1]) * lever
    assert bears == pytest.approx(G * 0.2 * np.sin(abs(angle[-1])), rel=1e-7)
    fell = G * 0.2 * (np.cos(angle[-1]) - np.cos(1.2))
    assert float(run.impact_loss[-1]) == pytest.approx(fell, rel=2e-3)  # but for the last step before the impact: first order
    assert scene_of(run).contacts is None  # the lever of a stop is not a place of the robot: nothing is drawn there
    # of second order in what it turns in a step: (5 rad/s 1 ms)^2 = 2.5e-5, four of these allowed
    assert abs(run.attributes["energy_defect"]) < 1e-4 * run.attributes["energy_scale"]


def test_a_hinge_does_not_feel_a_stop_that_it_does_not_reach():
    """As without limits, over nearly a whole turn of range."""
    free = ld.simulate(hinge(), integrator="moreau", dt=1e-3, start={"hinge": 1.5}, t_end=1.0, progress=False)
    wide = stopped(hinge(lower=-2.9, upper=2.9), start={"hinge": 1.5}, t_end=1.0)
    assert np.abs(wide.joint_position.values - free.joint_position.values).max() < 1e-12


def test_a_slide_lands_on_its_stop():
    """From 0.3 m: at rest within v dt of the limit, which bears the weight and has taken m g h."""
    robot = ld.Robot("lift")
    robot.body("cab", mass=2.0).on(robot.base("ground", moves="fixed")).sliding("z").limits(-0.1, 0.5)
    run = stopped(robot, start={"cab": 0.2}, t_end=0.6)
    place = run.joint_position.sel(joint="cab").values
    speed = np.sqrt(2.0 * G * 0.3)
    assert -0.1 - 1e-3 * speed < place.min() and np.abs(place[-1] + 0.1) < 1e-3 * speed
    force = run.contact_force.sel(contact="cab.lower_stop").values[-1]
    assert force == pytest.approx([0.0, 0.0, 2.0 * G], rel=1e-8)  # the tolerance of the solver
    assert float(run.impact_loss[-1]) == pytest.approx(2.0 * G * 0.3, rel=2e-3)
    assert float(np.abs(run.contact_force.sel(contact="cab.upper_stop")).max()) == 0.0


def test_a_stop_inside_a_floating_robot_keeps_its_momentum():
    """Two bars in space fold until the stop: momenta stay, the relative rate vanishes, and the stop takes what energy is missing.

    Then the spin straightens them again: a stop does not hold back.
    """
    robot = ld.Robot("scissors")
    base = robot.base("first", moves="free", mass=1.0, shape=ld.Box((0.4, 0.05, 0.02)))
    second = robot.body("second", mass=0.5, shape=ld.Box((0.3, 0.05, 0.02), at=(0.15, 0, 0)))
    second.on(base, at=(0.2, 0, 0)).turning("z", name="hinge").limits(-0.6, 0.6)
    start = ld.Start({"hinge": 0.2}, {"hinge": 6.0, "first.wz": -1.0})
    run = stopped(robot, start=start, gravity=(0, 0, 0), t_end=0.3)
    finer = ld.simulate(
        robot, contact=STOPS, integrator="moreau", dt=5e-4, start=start, gravity=(0, 0, 0), t_end=0.3, progress=False
    )
    moved = [{name: np.ptp(one.dataset[name].values, axis=0).max() for name in MOMENTA} for one in (run, finer)]
    # Linear momentum to round-off; angular momentum to the second order of the midpoint, with a stop as without.
    assert max(one["linear_momentum"] for one in moved) < 1e-11
    assert moved[0]["angular_momentum"] / moved[1]["angular_momentum"] == pytest.approx(4.0, rel=0.05)
    angle, rate = run.joint_position.values[:, 0], run.joint_velocity.values[:, 0]
    hit = int(np.argmax(rate < 0.01))
    assert rate[hit - 2] > 3.0 and rate[hit:].max() < 0.01  # it lands within two steps
    assert abs(angle.max() - 0.6) < 7e-3  # a step of 1 ms at 6 to 7 rad/s
    energy = run.kinetic_energy.values
    assert energy[hit - 3] - energy[hit] == pytest.approx(float(run.impact_loss[-1]), rel=1e-4)


def test_starts_beyond_a_limit_are_refused_or_moved():
    robot = hinge(lower=0.0, upper=1.0)
    with pytest.raises(ld.InputError, match=r"the start has 'hinge\.upper_stop' overlap by"):
        stopped(robot, start={"hinge": 1.2}, t_end=0.1)
    run = stopped(robot, start=ld.Start({"hinge": 1.2}, resolve=True), t_end=0.01)
    assert float(run.joint_position[0, 0]) == pytest.approx(1.0, abs=1e-6)


def test_imposed_joints_have_no_stop():
    robot = hinge(lower=-0.1, upper=0.1)
    with pytest.warns(ld.sim.LimitWarning, match="joint 'hinge' passes its limits"):
        run = stopped(robot, imposed={"hinge": ld.sine(0.5, omega=2.0)}, t_end=0.5)
    assert "contact" not in run.dataset.coords
