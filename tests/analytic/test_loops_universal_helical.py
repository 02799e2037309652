"""Loops closed by universal and helical joints, and by single conditions: Cardan shaft, screw and slope in closed form."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import DescriptionError

SOLID = {"mass": 1.0, "inertia": ld.about_centre(xx=0.02, yy=0.03, zz=0.04)}
TILT = 0.6


def cardan():
    """Two shafts through the origin, the second tilted about z, and a universal joint between them."""
    robot = ld.Robot("Cardan shaft")
    ground = robot.base("ground", moves="fixed")
    robot.body("drive", **SOLID).on(ground).turning("x")
    robot.body("output", **SOLID).on(ground, turned=ld.rotation_about("z", TILT)).turning("x")
    robot.loop("cross", "drive", "output", joint="universal", axis="y", second_axis="z")
    return robot


def test_cardan_shaft_turns_unevenly_as_it_should():
    """tan(output) = tan(drive) cos(tilt) for these axes, so the rates differ by cos / (1 - sin^2 sin^2)."""
    result = ld.simulate(
        cardan(), imposed={"drive": ld.polynomial(0, 3.0)}, gravity=(0, 0, 0), t_end=4.0, dt=0.002, progress=False
    )
    drive, output = result.joint_position.values.T
    # rkmk4 at 2 ms, positions brought back onto the loop: measured 4e-13 rad.
    np.testing.assert_allclose(np.sin(drive) * np.cos(output), np.sin(output) * np.cos(drive) * np.cos(TILT), atol=1e-10)
    rate = 3.0 * np.cos(TILT) / (1.0 - (np.sin(TILT) * np.cos(drive)) ** 2)
    np.testing.assert_allclose(result.joint_velocity.values[:, 1], rate, rtol=1e-10)
    # The passive shaft is turned by the joint alone: the motor has all the power.
    energy = result.kinetic_energy.values
    np.testing.assert_allclose(np.gradient(energy, result.time.values)[5:-5], result.power_actuators.values[5:-5], atol=2e-4)


def test_cardan_shaft_driven_by_a_torque_keeps_energy():
    result = ld.simulate(
        cardan(), start=ld.Start(velocities={"drive": 5.0}, keep="drive"), gravity=(0, 0, 0), t_end=2.0, dt=0.001, progress=False
    )
    energy = result.kinetic_energy.values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)


def test_screw_in_closed_form():
    """A nut that turns about z drives a slide through a screw of pitch h: (I + m h^2) acceleration = torque."""
    pitch, torque = 0.05, 0.4
    robot = ld.Robot("screw")
    ground = robot.base("ground", moves="fixed")
    robot.body("nut", **SOLID).on(ground).turning("z")
    robot.body("slide", **SOLID).on(ground).sliding("z")
    robot.loop("thread", "nut", "slide", joint="helical", axis="z", pitch=pitch)
    result = ld.simulate(robot, torque={"nut": torque}, gravity=(0, 0, 0), t_end=0.5, dt=0.005, progress=False)
    turn, advance = result.joint_position.values.T
    acceleration = torque / (0.04 + 1.0 * pitch**2)
    np.testing.assert_allclose(turn, acceleration * result.time.values**2 / 2, atol=1e-12)
    # The slide turns backwards as seen from the nut.
    np.testing.assert_allclose(advance, -pitch * turn, atol=1e-12)


def test_screw_counts_its_turns():
    """Twelve turns and back: the slide follows all of them, whichever turn the orientation alone would tell."""
    pitch = 0.05
    robot = ld.Robot("screw")
    ground = robot.base("ground", moves="fixed")
    robot.body("nut", **SOLID).on(ground).turning("z")
    robot.body("slide", **SOLID).on(ground).sliding("z")
    robot.loop("thread", "nut", "slide", joint="helical", axis="z", pitch=pitch)
    law = ld.cosine(-40.0, omega=1.0, offset=40.0)
    result = ld.simulate(robot, imposed={"nut": law}, gravity=(0, 0, 0), t_end=6.0, dt=0.01, progress=False)
    turn, advance = result.joint_position.values.T
    assert turn.max() > 24 * np.pi
    np.testing.assert_allclose(advance, -pitch * turn, atol=1e-12)
    assert result.status == "completed"
    # A start anywhere along the thread is put on the nearest turn of it: a lead is 2 pi 0.05 = 0.314 m.
    q = ld.simulate(
        robot, imposed={"nut": 0.0}, start=ld.Start({"slide": 1.2}, adjust="slide"), gravity=(0, 0, 0), t_end=0.1, dt=0.01,
        progress=False,
    ).q  # fmt: skip
    assert q[0, 1] == pytest.approx(4 * 2 * np.pi * pitch, abs=1e-12)


def test_universal_joint_models_the_same_as_a_cross_with_two_revolute_joints():
    """The same shafts with a massless cross on the drive and a revolute cut on the output: same motion, same torque."""
    robot = ld.Robot("Cardan with a cross")
    ground = robot.base("ground", moves="fixed")
    drive = robot.body("drive", **SOLID).on(ground).turning("x")
    cross = robot.body("cross", mass=1e-9, inertia=ld.about_centre(xx=1e-9, yy=1e-9, zz=1e-9)).on(drive).turning("y")
    cross.marker("pin", at=(0, 0, 0))
    robot.body("output", **SOLID).on(ground, turned=ld.rotation_about("z", TILT)).turning("x")
    robot.loop("cut", "pin", "output", joint="revolute", axis="z")
    law = ld.polynomial(0.2, 1.0, 0.8)
    common = {"gravity": (0, 0, 0), "t_end": 1.0, "dt": 0.002, "progress": False}
    one = ld.simulate(cardan(), imposed={"drive": law}, start=ld.Start({"output": 0.17}, adjust="output"), **common)
    two = ld.simulate(
        robot, imposed={"drive": law}, start=ld.Start({"output": 0.17, "cross": 0.1}, adjust=("output", "cross")), **common
    )
    for name in ("joint_velocity", "joint_torque"):
        values = [getattr(r, name).sel(joint=["drive", "output"]).values for r in (one, two)]
        np.testing.assert_allclose(values[0], values[1], atol=1e-7)  # the cross weighs 1e-9 kg


@pytest.mark.parametrize(
    "joint, conditions", [("revolute", ("spherical", "parallel")), ("universal", ("spherical", "perpendicular")),
                          ("cylindrical", ("pin", "parallel")), ("planar", ("in_plane", "parallel"))],
)  # fmt: skip
def test_conditions_together_are_the_joint(joint, conditions):
    """Two bodies in space, the second free but for the loop: accelerations and rows of the joint and of its conditions."""
    found = []
    for kinds in ((joint,), conditions):
        robot = ld.Robot("pair")
        first = robot.base("first", moves="free", centre=(0.05, 0.02, -0.03), **SOLID)
        second = robot.body("second", centre=(0.3, 0.1, 0.0), **SOLID).on(first, at=(0.2, 0.1, 0.0)).free()
        for kind in kinds:
            words = {"first_at": (0.2, 0.1, 0.0), "axis": "y", "second_axis": "z"}
            robot.loop(f"by {kind}", first, second, joint=kind, **words)
        scenario = ld.Scenario("pair", robot, gravity=(0, 0, -9.81))
        problem, rates = scenario.problem, np.random.default_rng(4).standard_normal(12)
        q, v = problem.imposed_state(0.0, problem.model.neutral(), rates)
        series = problem.series(np.zeros(1), q[None], v[None])
        assert series["constraint_rank"][0] == len(series["multiplier"][0]) == len(problem.constraints.rows)
        found.append((v, problem.accelerations(0.0, q.copy(), v.copy())))
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-11 * np.abs(one).max())


def test_a_point_in_a_plane_slides_down_it():
    """A body whose mass centre stays in a plane tilted by 0.6 rad: g sin(tilt) t^2 / 2 along it, held by m g cos(tilt)."""
    robot = ld.Robot("slope")
    body = robot.base("body", moves="free", **SOLID)
    robot.loop("floor", "world", body, joint="in_plane", axis="z", turned=ld.rotation_about("y", TILT))
    spin = ld.Start(velocities={"body": (0.0, 0.3, 0.0, 1.0, -2.0, 0.5)})
    result = ld.simulate(robot, start=spin, t_end=1.0, dt=0.01, integrator="adaptive", tolerance=1e-11, progress=False)
    t, down = result.time.values, np.array([np.cos(TILT), 0.0, -np.sin(TILT)])
    way = np.outer(0.5 * 9.81 * np.sin(TILT) * t**2, down) + np.outer(0.3 * t, (0, 1, 0))
    np.testing.assert_allclose(result.position.values, way, atol=1e-8)
    np.testing.assert_allclose(result.multiplier.sel(constraint="floor.z").values, 9.81 * np.cos(TILT), rtol=1e-8)


def test_pitch_must_be_a_number():
    robot = cardan()
    with pytest.raises(DescriptionError, match="pitch of loop 'thread'"):
        robot.loop("thread", "drive", "output", joint="helical", pitch=float("nan")).compile()
