"""A scenario that runs in the arrays of one before it: robots that differ in the numbers of their gaits only.

A problem that was run is as good as new for the next run (a scenario may be run twice), so a scenario whose robot is the very
same, in a world without obstacles, whose laws of motion, torque and servos have the same terms, takes over the problem with all
its arrays: only the numbers of the laws are written. Whoever lends a problem must not run it any more.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.motion import Law
from locodyn.motion.table import MotionTable
from locodyn.sim.drive import Drive

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

_LAWS = ("imposed", "torque", "servo")
_OTHERS = tuple(one.name for one in fields(Drive) if one.name not in (*_LAWS, "controller", "torque_method"))


def lend(lender: Scenario, scenario: Scenario) -> bool:
    """Give ``scenario`` the problem of ``lender``, with its own laws; False where it needs one of its own."""
    problem, ours, theirs = lender.__dict__.get("problem"), scenario.drive, lender.drive
    if problem is None or "problem" in scenario.__dict__ or not (is_plain(lender) and is_plain(scenario)):
        return False
    same = scenario.compiled is lender.compiled and scenario.world.gravity == lender.world.gravity
    same = same and scenario.recording.motor_reactions == lender.recording.motor_reactions
    if not same or any(list(getattr(ours, what)) != list(getattr(theirs, what)) for what in _LAWS):
        return False
    laws = [*ours.imposed.values(), *ours.torque.values()]
    if not all(isinstance(law, Law) for law in laws):
        return False
    table = MotionTable([*laws, *(servo.law for servo in ours.servo.values())])  # type: ignore[list-item]  # all are laws
    if not _write(table.arrays, problem.arrays.laws):
        return False
    table.arrays = problem.arrays.laws
    problem.table, problem.laws = table, dict(zip(problem.laws, laws, strict=True))
    problem.servos = dict(zip(problem.servos, ours.servo.values(), strict=True))
    problem.switch_servos(0.0)
    scenario.__dict__["model"], scenario.__dict__["problem"] = lender.model, problem
    return True


def is_plain(scenario: Scenario) -> bool:
    """Whether only joints are driven, by laws, and nothing is in the way."""
    world, robot = scenario.world, scenario.compiled
    if scenario.phases is not None or world.obstacles or world.self_collision or world.contact is not None:
        return False
    late = any(servo.begins > 0.0 for servo in scenario.drive.servo.values())
    return not (late or robot.strand_names or robot.ties or _others(scenario.drive))


def _others(drive: Drive) -> bool:
    """Whether anything but laws of coordinates is driven."""
    return drive.torque_method != "exact" or drive.controller is not None or any(len(getattr(drive, name)) for name in _OTHERS)


def _write(own: Any, place: Any) -> bool:
    """Copy the numbers of laws over those of others with the same terms; False, and nothing copied, where they have others."""
    names = [one.name for one in fields(own)]
    for name in names:
        new, old = getattr(own, name), getattr(place, name)
        if new.shape != old.shape or (new.dtype.kind == "i" and not np.array_equal(new, old)):
            return False
    for name in names:
        getattr(place, name)[...] = getattr(own, name)
    return True
