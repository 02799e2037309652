"""Internal wrenches of bodies whose strain is imposed: against another integrator, closed forms, and their own power."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.interpolate import BarycentricInterpolator

import locodyn as ld
from locodyn.dynamics.rod_cascade import rod_cascade
from locodyn.robot import GivenSection
from locodyn.world import Thrust, WorldForce

pytestmark = pytest.mark.slow

ROUND = GivenSection((1.0,) * 6, mass=1.0, inertia=(1.25e-3, 6.25e-4, 6.25e-4))


def swimming(nodes: int, t_end: float = 0.4, **options: Any) -> ld.Result:
    """Waves of both bendings, the torsion swinging; nothing outside but the weight."""
    shape = ld.travelling("bending_z", 6.0, wavelength=1.0) + ld.travelling("bending_y", 2.0, wavelength=0.8)
    fields = [ld.StrainField("wave", shape), ld.StrainField("twist", ld.standing("torsion", 1.5))]
    robot = ld.Robot("body")
    robot.base("head", moves="free").rod("body", length=1.0, section=ROUND, fields=fields, nodes=nodes, **options)
    imposed = {"body.wave": ld.polynomial(0, -0.5, 0.2), "body.twist": ld.sine(1.0, omega=2.0)}
    return ld.simulate(robot, imposed=imposed, start="zero_momentum", t_end=t_end, dt=0.02, integrator="rkmk4", progress=False)


def test_against_the_spectral_cascade() -> None:
    """The field of the nodes tends to that of Chebyshev collocation, another integrator in another formulation, with order 4.

    Measured: 7.6e-4 of the largest with 16 nodes, 5.1e-5 with 32.
    """
    errors = []
    for nodes in (16, 32):
        run = swimming(nodes)
        q, v = run.q[-1].copy(), run.v[-1].copy()
        a = run.scenario.problem.accelerations(float(run.time[-1]), q, v)
        other = rod_cascade(run.model, "body", q, v, a, count=41)
        wanted = BarycentricInterpolator(other.motion.s, other.wrench)(np.linspace(0.0, 1.0, 21))
        errors.append(np.abs(run.rod_wrench.values[-1, 0] - wanted).max() / np.abs(wanted).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 2.0**3.6


def test_residual_falls_with_order_four() -> None:
    """D0.3: what is left at the tip, Lambda(l) - F_+, falls by 16 for twice the nodes; order 3.8 or more."""
    left = [np.abs(swimming(nodes, 0.02).rod_residual.values[0, 0]).max() for nodes in (24, 48)]
    assert np.log2(left[0] / left[1]) > 3.8


def test_residual_as_a_share_of_the_wrench() -> None:
    """What a run says of its slices: the residual over the largest wrench, moments over the length of 1 m; too few are told."""
    run = swimming(24, 0.02)
    wanted = np.abs(run.rod_residual.values).max() / np.abs(run.rod_wrench.values).max()  # of 1 m
    assert run.slice_defect() == pytest.approx(wanted, rel=1e-3)  # the length, by chords
    assert swimming(8, 0.02).slice_defect() > 0.01 > run.slice_defect()


def test_power_density_is_the_power_of_the_actuators() -> None:
    """Its integral along the rod is the sum of force times rate of the imposed coordinates, to Simpson on 21 places."""
    run = swimming(32)
    total = simpson(run.rod_power.values[:, 0], x=np.linspace(0.0, 1.0, 21), axis=1)
    np.testing.assert_allclose(total, run.power_actuators.values, atol=2e-3 * np.abs(run.power_actuators.values).max())


def resting(**options: Any) -> np.ndarray:
    """Wrench (21, 6) of a straight rod that is clamped and held, with a load on it; no weight."""
    robot = ld.Robot("body")
    held = robot.base("ground", moves="fixed").rod(
        "body", length=1.0, section=ROUND, fields=[ld.StrainField("bend", ld.standing("bending_z", 1.0))]
    )
    robot.wrench("load", on=held, **options)
    run = ld.simulate(robot, imposed={"body.bend": 0.0}, gravity=(0, 0, 0), t_end=0.1, dt=0.1, integrator="rkmk4", progress=False)
    return np.asarray(run.rod_wrench.values[0, 0])


def test_wrench_jumps_at_a_point_load() -> None:
    """2 N across at s = 0.52: before it the force and its moment, beyond it nothing (the sign of (5.34))."""
    s, found = np.linspace(0.0, 1.0, 21), resting(law=Thrust((0.0, 2.0, 0.0)), at_s=0.52)
    before = s < 0.52
    np.testing.assert_allclose(found[:, 1], np.where(before, 2.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(found[:, 5], np.where(before, 2.0 * (0.52 - s), 0.0), atol=1e-12)


def test_wrench_under_spread_loads() -> None:
    """2 N/m all along: 2 (1 - s) and (1 - s)^2, exact. On a stretch: linear between, to half the distance of its points."""
    s, found = np.linspace(0.0, 1.0, 21), resting(law=WorldForce((0.0, 2.0, 0.0)), along=True)
    np.testing.assert_allclose(found[:, 1], 2.0 * (1.0 - s), atol=1e-11)
    np.testing.assert_allclose(found[:, 5], (1.0 - s) ** 2, atol=1e-11)
    found = resting(law=WorldForce((0.0, 2.0, 0.0)), along=(0.2, 0.7))
    np.testing.assert_allclose(found[:, 1], 2.0 * np.clip(0.7 - s, 0.0, 0.5), atol=0.02)


def test_a_field_beside_elastic_strains() -> None:
    """The wave imposes bending_z; bending_y is free, elastic and carries a weight at the tip: EI kappa_y is its moment there."""
    stiff = GivenSection((1.0, 1.0, 1.0, 1.0, 5.0, 1.0), mass=1e-6)
    robot = ld.Robot("body")
    rod = robot.base("ground", moves="fixed").rod(
        "body",
        length=1.0,
        section=stiff,
        bending=(6, 0),
        nodes=48,
        fields=[ld.StrainField("bend", ld.standing("bending_z", 1.0))],
    )
    robot.wrench("load", on=rod, law=WorldForce((0.0, 0.0, -0.2)))
    run = ld.simulate(
        robot, imposed={"body.bend": 0.8}, gravity=(0, 0, 0), start="equilibrium", t_end=0.1, integrator="quasi_static",
        progress=False,
    )  # fmt: skip
    wrench, strain = run.rod_wrench.values[-1, 0], run.rod_strain.values[-1, 0]
    np.testing.assert_allclose(strain[:, 5], 0.8, atol=1e-14)
    np.testing.assert_allclose(wrench[:, 4], 5.0 * strain[:, 4], atol=1e-12)
    turn = ld.lie.SO3.from_quaternion(run.rod_orientation.values[-1, 0])
    line = run.rod_position.values[-1, 0]
    moment = np.einsum("sji,sj->si", turn, np.cross(line[-1] - line, (0.0, 0.0, -0.2)))
    # Order 4 in the slices along the free bending (measured 1.5e-4, 1.0e-5, 6.4e-7 with 12, 24, 48 nodes), exact along the other.
    np.testing.assert_allclose(wrench[:, 4:], moment[:, 4 - 3 :], atol=1e-6)


def test_an_arm_on_a_hub_that_turns() -> None:
    """Manipulator mode: the clamped end follows an imposed motion. A straight arm at w = 2 rad/s with 3 rad/s^2: the root carries
    -m w^2 l^2 / 2 along, m 3 l^2 / 2 across and the moment m 3 l^3 / 3 + J 3 l that the hub must give.
    """
    robot = ld.Robot("arm")
    hub = robot.body("hub").on(robot.base("ground", moves="fixed")).turning("z")
    hub.rod("arm", length=1.2, section=ROUND, fields=[ld.StrainField("bend", ld.standing("bending_z", 1.0))])
    run = ld.simulate(
        robot, imposed={"hub": ld.polynomial(0.0, 2.0, 1.5), "arm.bend": 0.0}, gravity=(0, 0, 0), t_end=0.1, dt=0.1,
        integrator="rkmk4", progress=False,
    )  # fmt: skip
    # Lambda is the wrench of the part beyond on the root: minus what the root exerts.
    moment = 3.0 * 1.2**3 / 3.0 + 6.25e-4 * 3.0 * 1.2
    wanted = (4.0 * 1.2**2 / 2.0, -3.0 * 1.2**2 / 2.0, 0.0, 0.0, 0.0, -moment)
    np.testing.assert_allclose(run.rod_wrench.values[0, 0, 0], wanted, atol=1e-12)
    assert run.joint_torque.sel(joint="hub").values[0] == pytest.approx(moment, rel=1e-12)


def test_wrench_jumps_at_an_anchor_between_nodes() -> None:
    """A straight body held at 0.53 m, its weight across: m g s before the anchor, -m g (l - s) beyond it, and their moments."""
    robot = ld.Robot("body")
    rod = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=ROUND, fields=[ld.StrainField("bend", ld.standing("bending_z", 1.0))]
    )
    rod.anchor("nail", 0.53)
    run = ld.simulate(
        robot, imposed={"body.bend": 0.0}, gravity=(0.0, -9.81, 0.0), t_end=0.1, dt=0.1, integrator="rkmk4", progress=False
    )
    s, found = np.linspace(0.0, 1.0, 21), run.rod_wrench.values[0, 0]
    before = s < 0.53
    np.testing.assert_allclose(found[:, 1], 9.81 * np.where(before, s, s - 1.0), atol=1e-9)
    np.testing.assert_allclose(found[:, 5], -9.81 * np.where(before, s**2, (1.0 - s) ** 2) / 2.0, atol=1e-9)
