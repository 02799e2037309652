"""Fields along rods in a result, their units, and rods in closed loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import locodyn as ld
from locodyn.robot import GivenSection
from locodyn.world.laws import WorldForce
from rod_cases import SOFT

pytestmark = pytest.mark.slow


def test_fields_along_rods() -> None:
    """Ends of the fields are those of the bodies; the wrench is what the tip carries, and at the root what holds the rod."""
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed", at=(0.1, 0.0, 0.2), turned=("z", 0.4))
    rod = ground.rod(
        "rod", length=0.5, section=ld.Circle(0.02), material=SOFT, bending=(10, 0), stretch=6, nodes=20, at=(0.0, 0.1, 0.0)
    )
    robot.body("weight", mass=0.05).on(rod).fixed()
    robot.wrench("pull", on=rod, law=WorldForce((0.0, 0.0, 0.3)))
    run = ld.simulate(robot, start="equilibrium", t_end=0.02, integrator="gauss2", progress=False)
    assert run.status == "completed"
    assert run.rod_position.dims == ("time", "rod", "s", "xyz") and list(run.rod_position.rod.values) == ["rod"]
    tip = run.body_position.sel(body="rod").values[0]
    np.testing.assert_allclose(run.rod_position.values[0, 0, -1], tip, atol=1e-12)
    start = run.body_position.sel(body="ground").values[0] + 0.1 * np.array([-np.sin(0.4), np.cos(0.4), 0.0])
    np.testing.assert_allclose(run.rod_position.values[0, 0, 0], start, atol=1e-12)
    turned = abs(run.rod_orientation.values[0, 0, -1] @ run.body_orientation.sel(body="rod").values[0])
    assert turned == pytest.approx(1.0, abs=1e-12)
    # Root: weight of rod and body less the pull; the moment of their levers, from the field itself.
    mass = robot.mass - 0.05
    force, moment = run.rod_wrench.values[0, 0, 0, :3], run.rod_wrench.values[0, 0, 0, 3:]
    assert -force[2] == pytest.approx((mass + 0.05) * 9.81 - 0.3, rel=1e-3)
    assert abs(force[0]) < 0.02 * abs(force[2])  # along a strain that is free: as good as its six functions
    line = run.rod_position.values[0, 0]
    level = np.array([np.cos(0.4), np.sin(0.4), 0.0])
    levers = (line - start) @ level
    expected = mass * 9.81 * simpson(levers, dx=1.0 / 20.0) + (0.05 * 9.81 - 0.3) * levers[-1]
    assert moment[1] == pytest.approx(expected, rel=3e-3)  # ten functions of the curvature, at an end
    assert run.joint_position.attrs["units_by_joint"].split(", ") == ["1"] * 6 + ["1/m"] * 10


def test_closed_loop_of_two_rods() -> None:
    """Two elastic legs on hinges, tips pinned: energy is kept and the pin holds (explicit run, order 4)."""
    robot = ld.Robot("RFRFR")
    ground = robot.base("ground", moves="fixed")
    tips = []
    for name, x in (("left", -0.2), ("right", 0.2)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z")
        steel = ld.Material(2.1e11, 7800.0, shear=8e10)
        tips.append(hub.rod(name, length=1.0, section=ld.Circle(0.001), material=steel, bending=(0, 3), nodes=8))
    robot.loop("pin", tips[0], tips[1], joint="revolute", axis="z")
    angle = np.arccos(0.2)
    start = ld.Start(
        {"left_hub": angle, "right_hub": np.pi - angle},
        {"left_hub": 0.5, "left.bending_z.0": 1.0},
        keep=("left_hub", "left.bending_z.0"),
    )
    run = ld.simulate(
        robot, gravity=(0, 0, 0), start=start, t_end=0.05, dt=2e-4, record_every=25, integrator="rkmk4", progress=False
    )
    energy = run.total_energy().values
    assert np.max(np.abs(energy - energy[0])) < 1e-6 * energy[0]
    gap = run.body_position.sel(body="left").values - run.body_position.sel(body="right").values
    assert np.max(np.abs(gap)) < 1e-12


def test_wrench_along_the_rods_of_a_loop() -> None:
    """Two rods with pinned tips, bent by their hubs, no weight: the force is that of the pin all along, and its moment about a
    section is what bends the rod there. Both to what the field is exact to: it is linear between the middles of slices.
    """
    section = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)
    robot = ld.Robot("legs")
    ground, tips = robot.base("ground", moves="fixed"), []
    for name, x in (("left", -0.2), ("right", 0.2)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z", name=f"{name}_hub")
        tips.append(hub.rod(name, length=1.0, section=section, bending=(0, 8), nodes=24))
    robot.loop("pin", tips[0], tips[1], joint="revolute", axis="z")
    run = ld.simulate(
        robot, gravity=(0, 0, 0), imposed={"left_hub": ld.polynomial(2.0, 0.2), "right_hub": np.pi - 2.2}, t_end=1.0, dt=0.5,
        start={"left.bending_z.0": -1.0, "right.bending_z.0": 1.0}, integrator="quasi_static", progress=False,
    )  # fmt: skip
    assert run.status == "completed"
    for k, sign in enumerate((-1.0, 1.0)):
        for n in range(3):
            turn = ld.lie.SO3.from_quaternion(run.rod_orientation.values[n, k])
            force = np.einsum("sij,sj->si", turn, run.rod_wrench.values[n, k, :, :3])
            pin = ld.lie.SO3.from_quaternion(run.rod_orientation.values[n, 0, -1]) @ np.array(
                [*run.multiplier.values[n, :2], 0.0]
            )
            np.testing.assert_allclose(force, np.tile(sign * pin, (21, 1)), atol=4e-3 * np.abs(pin).max())  # 2.6e-3 at roots
            arm = run.rod_position.values[n, k, -1] - run.rod_position.values[n, k]
            moment = arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
            np.testing.assert_allclose(run.rod_wrench.values[n, k, :, 5], moment, atol=4e-3 * np.abs(moment).max())


def drawn(force: tuple[float, float, float]) -> ld.Result:
    """A rod with a tendon, a tendon of given length, a chamber and a muscle, and a dead force at its tip."""
    robot = ld.Robot("drawn")
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=0.4, section=ld.Circle(0.01), material=SOFT, bending=(8, 8), stretch=6, nodes=20
    )
    rod.tendon("left", (0.008, 0.0)).tendon("spring", (0.0, 0.006), stiffness=20.0)
    rod.chamber("upper", (0.0, 0.007), area=2e-5).muscle(
        "core", (0, 0, 0, 0, 0.001, 0.002), active_stiffness=(0, 0, 0, 0, 1e-3, 1e-3)
    )
    robot.wrench("pull", on=rod, law=WorldForce(force))
    return ld.simulate(
        robot, gravity=(0, 0, 0), start="equilibrium", t_end=0.01, integrator="gauss2", progress=False,
        tension={"left": 0.5}, tendon_length={"spring": 0.39}, pressure={"upper": 5e3}, activation={"core": 0.7},
    )  # fmt: skip


def test_actuation_alone_leaves_no_wrench_in_a_section() -> None:
    """Nothing lies beyond: what tendons, chamber and muscle exert the material takes, EI kappa with an own stiffness."""
    run = drawn((0.0, 0.0, 0.0))
    actuation, strain = run.rod_actuation.values[0, 0], run.rod_strain.values[0, 0]
    material = run.rod_wrench.values[0, 0] - actuation
    assert np.abs(actuation).max(axis=0)[[0, 4, 5]].min() > 5e-4
    assert np.abs(run.rod_wrench.values[0, 0]).max() < 1e-9
    np.testing.assert_allclose(material[:, 4:], 1e6 * np.pi * 0.01**4 / 4.0 * strain[:, 4:], atol=1e-12)


def test_wrench_of_a_section_with_tendons_carries_what_lies_beyond() -> None:
    """The whole wrench is the force at the tip and its moment, as if there were no tendons."""
    force = (0.02, 0.03, -0.04)
    run = drawn(force)
    turn = ld.lie.SO3.from_quaternion(run.rod_orientation.values[0, 0])
    line, wrench = run.rod_position.values[0, 0], run.rod_wrench.values[0, 0]
    np.testing.assert_allclose(np.einsum("sij,sj->si", turn, wrench[:, :3]), np.tile(force, (21, 1)), atol=2e-4)
    moment = np.einsum("sij,sj->si", turn, wrench[:, 3:])
    np.testing.assert_allclose(moment, np.cross(line[-1] - line, force), atol=1e-4)
    assert np.abs(moment).max() > 0.01
