"""What equations in closed form leave out of a scenario, in sentences for the reader of an export."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.contact.stops import is_stop

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim import Scenario

WITH_FORCES = ("inverse", "bias", "forward", "stabilised", "reduced", "contacts")  # functions that these sentences are about
_FEW = 3  # names in a sentence


def left_out(scenario: Scenario, problem: Problem) -> tuple[str, ...]:
    """Sentences: what the scenario has and ``problem``, which is written out, has not.

    >>> import locodyn as ld
    >>> from locodyn.symbolic.scenarios import torque_driven
    >>> falling = ld.zoo.bouncing_ball()
    >>> left_out(falling, torque_driven(falling))
    ("Left out: hard contacts ('ball.surface on ground').",)
    """
    return tuple(f"Left out: {words}." for words in (*_contacts(scenario, problem), *_drives(scenario, problem)))


def few(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    found = [f"'{name}'" for name in dict.fromkeys(names)]
    more = len(found) - _FEW
    return ", ".join(found[:_FEW]) + (f" and {more} more" if more > 0 else "")


def _contacts(scenario: Scenario, problem: Problem) -> Iterable[str]:
    own = scenario.problem
    if scenario.phases is not None:
        yield f"its phases ({few(scenario.phases.phases)}); these equations are those with all feet on their planes"
    names = own.contact.table.names
    stops = [name for name in names if is_stop(name)]
    hard = [name for name in names if name not in stops]
    if hard:
        yield f"hard contacts ({few(hard)})"
    if stops:
        yield f"joint stops ({few(stops)})"
    if own.compliant and not problem.compliant:
        yield f"contact laws ({few(one.name for one in own.compliant)}), which have states of their own or touch more than planes"


def _drives(scenario: Scenario, problem: Problem) -> Iterable[str]:
    drive, compiled = scenario.drive, scenario.compiled
    free = [name for name in drive.imposed if problem.drive[compiled.coordinate_names.index(name)] != IMPOSED]
    if free:
        yield f"the motions given for {few(free)}, which tau drives here (drive 'scenario' keeps them given)"
    for names, what in (
        (drive.servo, "servos"),
        (drive.torque, "laws of torque"),
        (["controller"] if drive.controller is not None else [], "the"),
    ):
        if names:
            yield f"{what} {few(names)}; tau is an input instead"
    timed = [name for name in (*drive.load, *drive.desired) if not problem.wrench_table.varying]
    if timed:
        yield f"laws of time of wrenches ({few(timed)}); the wrenches act without them"
    limited, slow = [], []
    for body in compiled.description.bodies:
        if body.actuator is not None:
            count = body.joint.kind.nv
            limits = [*body.actuator.values("torque_limit", count), *body.actuator.values("no_load_speed", count)]
            limited += [body.joint.name] if any(isinstance(x, float) and math.isfinite(x) for x in limits) else []
            slow += [body.joint.name] if np.any([x != 0 for x in body.actuator.values("time_constant", count)]) else []
    if limited:
        yield f"limits of drives ({few(limited)}); tau acts as it is given"
    if slow:
        yield f"time constants of drives ({few(slow)}); tau acts at once"
