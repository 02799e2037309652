"""Loops in singular positions: told by name what it is and what to do, not of wheels and gaits."""

from __future__ import annotations

import math
from typing import Any

import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.motion import Law, polynomial
from locodyn.robot import Circle, Material, Robot, about_centre
from locodyn.zoo.robots import four_bar

P = {q.name: q.value for q in four_bar.PARAMETERS}
REACH = P["l_1"] + P["l_2"]
# Crank and coupler in line: the rocker cannot move them.
CRANK = math.acos((REACH**2 + P["d"] ** 2 - P["l_3"] ** 2) / (2 * REACH * P["d"]))
ROCKER = math.atan2(REACH * math.sin(CRANK), REACH * math.cos(CRANK) - P["d"])
DEAD = {"joint_1": CRANK, "joint_2": 0.0, "joint_3": ROCKER}


def bars(start: dict[str, float] | ld.Start, imposed: dict[str, Law], **settings: Any) -> ld.Scenario:
    return ld.zoo.four_bar().changed(start=start, imposed=imposed, checks=(), **settings)


def test_a_drive_at_its_dead_centre_is_told_so() -> None:
    words = (
        r"the loop 'pin' cannot follow the imposed motions at t = 0 s .*singular position \(a dead centre\).*impose another joint"
    )
    with pytest.raises(InputError, match=words):
        bars(DEAD, {"joint_3": polynomial(ROCKER, 0.5)}).run(progress=False)


def test_too_many_drives_of_a_loop_are_told_so() -> None:
    start = {"joint_1": P["r_0"], **four_bar.assembled(P)}
    laws = {"joint_1": polynomial(P["r_0"], 1.0), "joint_3": polynomial(start["joint_3"], -1.0)}
    with pytest.raises(InputError, match=r"the loop 'pin' cannot follow .*more joints are imposed than it has freedoms"):
        bars(start, laws).run(progress=False)


def test_a_drive_that_runs_into_its_dead_centre_ends_with_a_sentence() -> None:
    start = ld.Start({"joint_1": CRANK + 0.6, "joint_2": -1.0}, adjust=("joint_1", "joint_2"))
    result = bars(start, {"joint_3": polynomial(ROCKER + 0.2, -0.5)}, t_end=0.6).run(progress=False)
    assert result.status.startswith("failed: the loop 'pin' c")
    assert "wheel" not in result.status and "gait" not in result.status


def test_a_crank_goes_through_the_dead_centre_of_its_rocker() -> None:
    result = bars(DEAD, {"joint_1": polynomial(CRANK, 3.0)}, t_end=0.2).run(progress=False)
    assert result.status == "completed" and set(result.constraint_rank.values.tolist()) == {2}


def test_a_folded_loop_at_rest_is_told_that_it_has_more_than_one_way() -> None:
    robot = Robot("parallelogram")
    ground = robot.base("ground", moves="fixed")
    rod = {"mass": 1.0, "centre": (0.5, 0, 0), "inertia": about_centre(xx=1e-4, yy=1 / 12, zz=1 / 12)}
    robot.body("left", **rod).on(ground).turning("y")
    robot.body("top", **rod).on("left", at=(1, 0, 0)).turning("y").marker("end", at=(1, 0, 0))
    robot.body("right", **rod).on(ground, at=(1, 0, 0)).turning("y").marker("corner", at=(1, 0, 0))
    robot.loop("lid", "end", "corner", joint="revolute", axis="y")
    scenario = ld.Scenario("flat", robot, gravity=(0, 0, -9.81), t_end=0.1)
    with pytest.raises(InputError, match="the loop 'lid' is in a singular position at t = 0 s, from which more than one motion"):
        scenario.run(progress=False)
    along = ld.Start(velocities={"left": 1.0, "top": -1.0, "right": 1.0})
    assert scenario.changed(start=along).run(progress=False).status == "completed"


def test_a_rod_that_cannot_stretch_between_two_pins_is_shaky() -> None:
    """To first order the rod bends freely; to second order its ends would come nearer, which the pins forbid."""
    robot = Robot("bridge")
    ground = robot.base("ground", moves="fixed").marker("far", at=(1, 0, 0))
    hub = robot.body("hub", mass=0.1, inertia=about_centre(xx=1e-3, yy=1e-3, zz=1e-3)).on(ground).turning("z")
    rod = hub.rod("span", length=1.0, section=Circle(0.01), material=Material(1e9, 1000.0), bending=(0, 2), nodes=6)
    robot.loop("bearing", "far", rod, joint="revolute", axis="z")
    with pytest.raises(InputError, match="the loop 'bearing' is shaky at t = 0 s"):
        ld.Scenario("bridge", robot, gravity=(0, -9.81, 0), t_end=0.1, integrator="radau3").run(progress=False)
