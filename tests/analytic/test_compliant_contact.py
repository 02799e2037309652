"""Compliant contact against closed forms: restitution, slip and stick on LuGre's bristles, energy; hard contact by a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import locodyn as ld
from feature_cases import scenario as scenario_of
from locodyn.sim.run import resume
from locodyn.world import CompliantContact
from locodyn.world.compliant_law import damping_ratio, linear_damping, restitution_of

pytestmark = pytest.mark.slow

NONE = (0.0, 0.0, 0.0)


def block(friction: float = 0.3, restitution: float = 0.0) -> ld.Robot:
    """A point of 2 kg that moves in the x-z plane over the ground."""
    robot = ld.Robot("block")
    cart = robot.body("cart").on(robot.base("world", moves="fixed")).sliding("x", name="x")
    point = robot.body("point", mass=2.0, shape=ld.Sphere(0.02)).on(cart).sliding("z", name="z")
    point.collides(name="sole", vertices=[(0.0, 0.0, 0.0)], friction=friction, restitution=restitution)
    return robot


def run(robot: ld.Robot, contact: Any, **words: Any) -> ld.Result:
    given = {"obstacles": [ld.Ground()], "contact": contact, "t_end": 0.5, "dt": 1e-3, "progress": False, **words}
    return ld.simulate(robot, **given)


@pytest.mark.parametrize("normal", ["hunt_crossley", "linear"])
def test_damping_gives_the_restitution_of_the_surface(normal: str) -> None:
    """Without weight the law that follows from e = 0.6 at 2 m/s gives 0.6 back; 1e-6 is a thousand times the tolerance."""
    contact = CompliantContact(normal, stiffness=1e5, impact_speed=2.0, exponent=1.5, friction="none")
    start = ld.Start({"z": 1e-3}, {"z": -2.0})
    found = run(block(restitution=0.6), contact, gravity=NONE, start=start, t_end=0.1)
    assert abs(found.joint_velocity.sel(joint="z").values[-1] / 2.0 - 0.6) < 1e-6


def test_restitution_falls_as_the_speed_rises() -> None:
    """e = 1 - 2/3 a v for small a v (Hunt and Crossley 1975): the next term is below (a v)^2; and the inverse of the relation."""
    for x in (1e-2, 1e-3):
        assert abs(restitution_of(1.0, x) - (1.0 - 2.0 / 3.0 * x)) < x**2
    assert abs(restitution_of(damping_ratio(0.37, 1.7), 1.7) - 0.37) < 1e-12
    b = linear_damping(1e4, 3.0, 0.37)
    assert abs(np.exp(-np.pi * b / np.sqrt(4.0 * 3.0 * 1e4 - b * b)) - 0.37) < 1e-12


@pytest.mark.parametrize("integrator", ["radau_adaptive", "radau3", "rkmk4", "adaptive"])
def test_friction_of_steady_slip(integrator: str) -> None:
    """Pushed at v: F_T = (mu + s2 v) F_N, which is reached along the way mu / s0: the rest is exp(-v t s0 / mu).

    The point rests at the depth of its weight, so that the forces are exact from the start; 1e-6 of them is asked for.
    """
    mu, s0, s2, v, weight = 0.4, 400.0, 0.2, 0.5, 2.0 * 9.81
    contact = CompliantContact(stiffness=1e5, damping=1e5, bristle_stiffness=s0, viscous=s2)
    depth = (weight / 1e5) ** (2.0 / 3.0)
    motion = {"x": ld.polynomial(0.0, v)}
    found = run(block(mu), contact, imposed=motion, start={"z": -depth}, t_end=0.02, dt=2e-4, integrator=integrator)
    force = -found.contact_force.sel(contact="sole on ground", xyz="x").values
    bent = mu / s0 * (1.0 - np.exp(-v * found.time.values * s0 / mu))
    np.testing.assert_allclose(found.memory.sel(state="sole on ground.x").values, bent, atol=1e-6 * mu / s0)
    np.testing.assert_allclose(force, weight * (s0 * bent + s2 * v), atol=1e-6 * weight)


def test_bristles_fall_back_off_the_ground() -> None:
    """z = z0 exp(-t / T) in flight."""
    contact = CompliantContact(relaxation=0.01)
    start = ld.Start({"z": 1.0}, memory={"sole on ground.x": 1e-3})
    found = run(block(), contact, start=start, t_end=0.05)
    exact = 1e-3 * np.exp(-found.time.values / 0.01)
    np.testing.assert_allclose(found.memory.sel(state="sole on ground.x").values, exact, atol=1e-9)


def test_a_tilted_block_sticks_or_slips() -> None:
    """On a slope below mu it stays within the bristles; above, it slides with g (sin - mu cos).

    Gravity is tilted instead of the ground. At rest the bend of the bristles carries the block, s0 z = tan(slope), s0 = 1000 mu.
    """
    for slope, sticks in ((0.2, True), (0.5, False)):
        gravity = (9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope))
        contact = CompliantContact(sink=1e-3, bristle_damping=3.0)
        found = run(block(0.3), contact, gravity=gravity, start={"z": -1e-3}, t_end=1.0)
        x, rate = (float(one.sel(joint="x")[-1]) for one in (found.joint_position, found.joint_velocity))
        bend = float(found.memory.sel(state="sole on ground.x")[-1])
        if sticks:
            assert abs(bend - np.tan(slope) / 300.0) < 1e-7 and abs(rate) < 1e-6 and x < 5e-3
        else:
            speed = found.joint_velocity.sel(joint="x").values
            wanted = 9.81 * (np.sin(slope) - 0.3 * np.cos(slope))
            assert abs((speed[-1] - speed[500]) / 0.5 / wanted - 1.0) < 1e-6  # bristles have settled at 0.5 s


def test_energy_of_springs_and_bristles_is_accounted_for() -> None:
    """A thrown block bounces and slips: kinetic and stored energy and what is lost are constant.

    Powers are integrated through records 20 us apart by trapezoids: 1e-5 of the energy (measured 2e-6).
    """
    contact = CompliantContact(stiffness=2e5, damping=1e5, bristle_stiffness=500.0, bristle_damping=2.0, viscous=0.1)
    found = run(block(), contact, start=ld.Start({"z": 0.02}, {"x": 0.5}), t_end=0.2, dt=2e-5)
    left = found.total_energy().values - found.energy_supplied().values
    assert found.contact_force.values[:, 0, 2].max() > 100.0
    assert np.abs(left - left[0]).max() < 1e-5 * found.kinetic_energy.values.max()


def test_one_word_changes_the_law() -> None:
    """A sliding block stops after v^2 / (2 mu g), whether contact is hard, compliant or regularised."""
    stop = 0.5**2 / (2.0 * 0.3 * 9.81)
    for word, off in (("hard", 1e-3), ("compliant", 2e-3), ("regularised", 2e-3)):
        depth = 0.0 if word == "hard" else -1e-4
        found = run(block(), word, start=ld.Start({"z": depth}, {"x": 0.5}), t_end=0.25)
        assert abs(found.joint_position.sel(joint="x").values[-1] - stop) < off  # bristles, and creep at the speed v0
        assert found.attributes["integrator"] == ("moreau" if word == "hard" else "radau_adaptive")


@pytest.mark.parametrize("other, name", [("wheels", "edge"), ("anchor", "grip"), ("sleeve", "ring")])
def test_beside_wheels_and_contacts_on_rods(other: str, name: str) -> None:
    """Each contact has its column: force, point, gap, abscissa. All forces and the weight change the momentum (splines of degree
    5 through records each millisecond; 1e-5 of the weight where the motion is smooth).
    """
    run = scenario_of("planar", other, "compliant").changed(integrator="radau3", dt=1e-3, t_end=0.05).run(progress=False)
    assert run.status == "completed" and len(run.time) == 51
    spring = "cart.surface on ground"
    assert [str(one) for one in run.dataset["contact"].values] == [name, spring]
    w, _, _, z = run.body_orientation.sel(body="cart").values.T
    turn = 2.0 * np.arctan2(z, w)
    place = run.body_position.sel(body="cart").values[:, :2] + 0.1 * np.stack([np.cos(turn), np.sin(turn)], axis=1)  # of the ball
    np.testing.assert_allclose(run.contact_gap.sel(contact=spring).values, place[:, 1] - 0.005, atol=1e-12)
    assert np.isnan(run.contact_gap.sel(contact=name).values).all()
    np.testing.assert_allclose(run.contact_point.sel(contact=spring).values[:, 0], place[:, 0], atol=1e-12)
    if other != "wheels":
        assert np.isnan(run.contact_abscissa.sel(contact=spring).values).all()
        assert np.isfinite(run.contact_abscissa.sel(contact=name).values).all()
    rate = make_interp_spline(run.time.values, run.linear_momentum.values, k=5).derivative()(run.time.values)
    weight = run.scenario.compiled.total_mass * 2.0
    forces = run.contact_force.values.sum(axis=1) - (0.0, weight, 0.0)
    np.testing.assert_allclose(forces[8:-8, :2], rate[8:-8, :2], atol=1e-5 * weight)


def test_a_resumed_run_has_the_same_bits(tmp_path: Path) -> None:
    """With the states of its bristles, while it slips."""

    def scenario(t_end: float) -> ld.Scenario:
        words: dict[str, Any] = {"obstacles": [ld.Ground()], "contact": CompliantContact(sink=1e-3), "dt": 1e-3}
        return ld.Scenario("block", block(), start=ld.Start({"z": 0.01}, {"x": 0.3}), integrator="rkmk4", t_end=t_end, **words)

    whole = scenario(0.2).run(progress=False)
    scenario(0.1).run(progress=False, out=tmp_path / "half.nc")
    again = resume(tmp_path / "half.nc", 0.2, scenario(0.2), progress=False)
    np.testing.assert_array_equal(again.joint_position.values, whole.joint_position.values)
    np.testing.assert_array_equal(again.memory.values, whole.memory.values)
