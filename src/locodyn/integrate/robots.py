"""Many robots through the step of one: for each fixed-step method, its compiled run with one robot after the other.

Robots differ in the rows of :class:`Robots` only. Steps work on a copy of a robot's state, so that a robot whose step has no end
keeps the state that it had before the call; it is left alone from then on, and the others go on.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.adams import adams_run
from locodyn.integrate.implicit.run import implicit_run
from locodyn.integrate.moreau import is_finite, moreau_run
from locodyn.integrate.rkmk4 import rkmk4_run
from locodyn.integrate.variational import variational_run
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.swap import Swap, bring, take

NEVER = 2**40  # steps between records: none; as in locodyn.integrate.steppers.base, which kernels do not import
SOUND = -1


class Robots(Bundle):
    """States of B robots, and what else belongs to each."""

    q: np.ndarray  # (B, nq)
    v: np.ndarray  # (B, nv)
    own: np.ndarray  # (B, w) int64: words that each brings along
    done: np.ndarray  # (B,) int64: steps so far
    failed: np.ndarray  # (B,) int64: number of the step that had no end, or SOUND


class Turn(Bundle):
    """What the robot whose turn it is finds: where its words go, and its state, on which its steps work."""

    swap: Swap
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)


@compiled
def begin_turn(robots, turn, r):
    """Bring state and words of robot r; whether it takes part."""
    if robots.failed[r] != SOUND:
        return False
    bring(turn.swap, robots.own[r])
    for i in range(turn.q.shape[0]):
        turn.q[i] = robots.q[r, i]
    for i in range(turn.v.shape[0]):
        turn.v[i] = robots.v[r, i]
    return True


@compiled
def end_turn(robots, turn, r, count, failed):
    """Take state and words of robot r back after ``count`` steps; it stays where it was, if one of them has failed."""
    if failed == SOUND and not is_finite(turn.q, turn.v):
        failed = robots.done[r] + count - 1
    if failed != SOUND:
        robots.failed[r] = failed
        return
    take(turn.swap, robots.own[r])
    for i in range(turn.q.shape[0]):
        robots.q[r, i] = turn.q[i]
    for i in range(turn.v.shape[0]):
        robots.v[r, i] = turn.v[i]
    robots.done[r] += count


@compiled
def rkmk4_robots(robots, turn, chosen, count, problem, inputs, start, step, work, scratch, rows):
    """``count`` steps of the robots ``chosen`` (n,) by :mod:`locodyn.integrate.rkmk4`; ``rows``: tables without a row."""
    for k in range(chosen.shape[0]):
        r = chosen[k]
        if begin_turn(robots, turn, r):
            rkmk4_run(
                problem, inputs, start, step, robots.done[r], count, NEVER, turn.q, turn.v, work, scratch,
                rows.times, rows.q, rows.v, rows.memory,
            )  # fmt: skip
            end_turn(robots, turn, r, count, SOUND)


@compiled
def adams_robots(robots, turn, chosen, count, problem, inputs, start, step, work, past, scratch, restarts, rows):
    """As :func:`rkmk4_robots`, by :mod:`locodyn.integrate.adams`."""
    for k in range(chosen.shape[0]):
        r = chosen[k]
        if begin_turn(robots, turn, r):
            adams_run(
                problem, inputs, start, step, robots.done[r], count, NEVER, turn.q, turn.v, work, past, scratch,
                restarts, rows.times, rows.q, rows.v, rows.memory,
            )  # fmt: skip
            end_turn(robots, turn, r, count, SOUND)


@compiled
def variational_robots(robots, turn, chosen, count, problem, inputs, start, step, tolerance, work, scratch, rows):
    """As :func:`rkmk4_robots`, by :mod:`locodyn.integrate.variational`."""
    for k in range(chosen.shape[0]):
        r = chosen[k]
        if begin_turn(robots, turn, r):
            _, failed = variational_run(
                problem, inputs, start, step, robots.done[r], count, NEVER, tolerance, turn.q, turn.v, work, scratch,
                rows.times, rows.q, rows.v, rows.iterations, rows.memory,
            )  # fmt: skip
            end_turn(robots, turn, r, count, failed)


@compiled
def implicit_robots(
    robots, turn, chosen, count, problem, scheme, inputs, start, step, tolerance, work, scratch, rows, multipliers
):
    """As :func:`rkmk4_robots`, by :mod:`locodyn.integrate.implicit`."""
    for k in range(chosen.shape[0]):
        r = chosen[k]
        if begin_turn(robots, turn, r):
            _, at, failed = implicit_run(
                problem, scheme, inputs, start, step, robots.done[r], count, NEVER, tolerance, turn.q, turn.v, work,
                scratch, rows.times, rows.q, rows.v, multipliers, rows.iterations, rows.memory,
            )  # fmt: skip
            end_turn(robots, turn, r, count, at if failed else SOUND)


@compiled
def moreau_robots(robots, turn, chosen, count, problem, contacts, inputs, start, step, work, scratch, rows, records):
    """As :func:`rkmk4_robots`, by :mod:`locodyn.integrate.moreau`."""
    for k in range(chosen.shape[0]):
        r = chosen[k]
        if begin_turn(robots, turn, r):
            _, failed = moreau_run(
                problem, contacts, inputs, start, step, robots.done[r], count, NEVER, turn.q, turn.v, work, scratch,
                rows.times, rows.q, rows.v, rows.iterations, rows.memory, records, 0,
            )  # fmt: skip
            end_turn(robots, turn, r, count, failed)
