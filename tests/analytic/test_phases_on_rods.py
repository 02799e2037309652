"""Rods in phases: contacts on rods hold through transitions, and the forces in a rod are those of its phase."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import LiftOff, Touchdown, When

pytestmark = pytest.mark.slow

PLAIN = {"gravity": (0, 0, 0), "t_end": 0.5, "dt": 0.005, "integrator": "adaptive", "tolerance": 1e-11}


def gripped_bar() -> ld.Robot:
    """An elastic bar in a plane, which slides along a post, and which a grip holds for a while."""
    robot = ld.Robot("bar")
    head = robot.base("head", moves="planar", mass=0.2, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01))
    soft = ld.Material(young=1e6, density=1000.0)
    rod = head.rod("body", length=1.0, section=ld.Circle(0.02), material=soft, bending=(0, 2), nodes=12)
    rod.peg("post", at=0.3).anchor("grip", at=1.0, during=(0.2, 0.4))
    return robot


def test_contacts_on_rods_hold_through_phases(tmp_path: Path) -> None:
    """Two phases without feet, which change at 0.15 s and, under the grip, at 0.3 s, move as the robot without phases does.

    Both runs keep a tolerance of 1e-11 a step: over some hundred steps of a bar whose speeds are 100 1/s times its bends,
    1e-7. Where a contact takes hold of a section that moves, energy is lost at once; with this loss the account closes. A run
    that is stopped under the grip goes on as the whole one.
    """
    start = ld.Start({}, {"head.vx": 0.6, "head.vy": -0.21, "head.wz": 0.7})
    turns = [When("one", "two", lambda t, q, v: t - 0.15, "rising"), When("two", "one", lambda t, q, v: t - 0.3, "rising")]
    phases = ld.Phases({"one": (), "two": ()}, turns)
    held = ld.Scenario("bar", gripped_bar(), phases=phases, start=start, **PLAIN)
    plain = ld.Scenario("bar", gripped_bar(), start=start, **PLAIN).run(progress=False)
    whole = held.run(progress=False)
    held.changed(t_end=0.25).run(progress=False, out=tmp_path / "part.nc")
    resumed = ld.sim.run.resume(tmp_path / "part.nc", 0.5, held, progress=False)
    assert [one["to"] for one in json.loads(whole.attributes["transitions"])] == ["two", "one"]
    for run in (plain, whole, resumed):
        for name in (
            "position",
            "joint_position",
            "joint_velocity",
            "contact_point",
            "contact_abscissa",
            "multiplier",
            "rod_wrench",
        ):
            np.testing.assert_allclose(run.dataset[name], plain.dataset[name], rtol=0.0, atol=1e-7, err_msg=name)
        energy = run.kinetic_energy.values + run.potential_energy.values
        assert np.ptp(run.impact_loss.values) > 0.9 * energy[0]  # the grip stops nearly all of it
        assert abs(run.attributes["energy_defect"]) < 1e-8 * energy[0]


def test_force_in_a_rod_is_that_of_its_phase() -> None:
    """A mass M on a stilt (a rod of the mass m that bends but does not shorten) falls, lands and stands: in flight its axial
    force is zero, then it carries what is above, -(M + m s / l) g at the distance s from the mass.

    It falls from 5 mm, so that the stilt still stands after 40 ms.
    """
    stilt = ld.Robot("stilt")
    top = stilt.base("top", moves="prismatic", axis="z", joint="z", mass=0.5)
    rod = top.rod(
        "rod", turned=("y", 0.5 * math.pi), length=0.4, section=ld.Circle(0.02), material=ld.Material(1e7, 1000.0),
        bending=(1, 0), nodes=8,
    )  # fmt: skip
    stilt.body("tip").on(rod).fixed().foot("sole")
    ways = [Touchdown("flight", "stance", "sole", ahead=None), LiftOff("stance", "flight", "sole")]
    phases = ld.Phases({"flight": (), "stance": "sole"}, ways)
    fall = ld.Scenario("stilt", stilt, phases=phases, start={"z": 0.405}, t_end=0.04, dt=0.004)
    run = fall.run(progress=False)
    weight = 9.81 * (0.5 + math.pi * 0.02**2 * 1000.0 * 0.4 * run.s.values)
    force = run.rod_wrench.values[:, 0, :, 0]
    stands = run.phase.values == 1
    assert stands.any() and not stands.all()
    np.testing.assert_allclose(force[~stands], 0.0, atol=1e-9)
    np.testing.assert_allclose(force[stands], -np.broadcast_to(weight, force[stands].shape), rtol=1e-6)


def test_a_leg_with_a_bow_hops() -> None:
    """The zoo's leg on hard ground: free fall to the instant of touchdown, the impact, momentum in flight and stance, lift-off.

    The checks of its own file: fall and impact in closed form, and the balance of momentum from record to record.
    """
    run = ld.zoo.soft_leg(feet="rigid").changed(t_end=0.3).run(progress=False)
    down, up = json.loads(run.attributes["transitions"])
    assert down["time"] == pytest.approx(math.sqrt(0.1 / 9.81), abs=1e-9) and up["kind"] == "lift-off"
    for check in run.scenario.checks:
        assert abs(check.function(run) - check.expected) < check.tolerance, check.name
    assert abs(run.attributes["energy_defect"]) < 1e-8


@pytest.mark.parametrize("kind", ["anchor", "peg"])
def test_a_contact_that_comes_where_its_section_is_not_ends_the_run(kind: str) -> None:
    """A straight bar drifts at 0.2 m/s across its axis, and is 0.02 m aside at 0.1 s, when a contact comes at a given place.

    There the run goes on; 0.05 m farther it ends at that time, with the distance, and its records stay on the way of the bar.
    """
    for aside in (0.0, 0.05):
        base = ld.Robot("bar").base("head", moves="planar")
        body = base.rod("bar", length=1.0, section=ld.Circle(0.02), material=ld.silicone, bending=(0, 1))
        words = {"at": 0.3} if kind == "anchor" else {}
        getattr(body, kind)("late", place=(0.3, 0.02 + aside, 0.0), during=(0.1, 1.0), **words)
        phases = ld.Phases({"one": (), "two": ()}, [When("one", "two", lambda t, q, v: t - 0.05, "rising")], final=("two",))
        run = ld.simulate(
            body._robot, imposed={"bar": 0.0}, start=ld.Start(velocities={"head": (0.0, 0.2, 0.0)}), gravity=(0, 0, 0), t_end=0.2,
            dt=0.02, integrator="adaptive", phases=phases, progress=False,
        )  # fmt: skip
        if not aside:
            assert run.status == "completed"
            continue
        assert (
            run.status
            == f"failed: the {kind} 'late' comes at t = 0.1 s, 0.05 m or rad from its section of rod 'bar'; give it"
            + (" no place, so that it takes hold where the section is, or a motion that brings the section there")
        )
        np.testing.assert_allclose(run.position.values[:, 1], 0.2 * run.time.values, atol=1e-9)
        assert run.time.values[-1] <= 0.1 + 1e-9
