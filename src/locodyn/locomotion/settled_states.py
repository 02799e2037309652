"""Recorded states put on motions and constraint rows one after the other, until one of them contradicts the rows."""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled
from locodyn.locomotion.rhs import read_laws, settle
from locodyn.locomotion.row_jacobian import row_speed
from locodyn.world.rows import KINEMATIC


@compiled(called=True)
def is_contradicted(rows, v, work):
    """1 where a state with the velocity v, which was settled just now, misses a row in position or speed, else 0."""
    for m in range(rows.kind.shape[0]):
        if abs(rows.residual[m]) > rows.position_limit[m]:
            return 1
    fastest = 1.0
    for i in range(v.shape[0]):
        fastest = max(fastest, abs(v[i]))
    missed = abs(rows.mismatch)
    if rows.dependent.shape[0] > 0:  # rows that dependent coordinates took up, at the motions that these have left
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & KINEMATIC:
                missed = max(missed, abs(row_speed(rows, work.motions, m, v) - rows.right_side[m]))
    return 1 if missed > rows.speed_tolerance * fastest else 0


@compiled
def settle_states(problem, rows, inputs, reads, judges, times, q, v, first, work, a, state_q, state_v, conditions):
    """Settle the states ``q`` (N, nq), ``v`` (N, nv) at ``times`` (N,) from number ``first`` on; where it stopped, or N.

    It stops, with ``judges`` not 0, at the first state that contradicts the rows: that state is then in ``state_q`` (nq,) and
    ``state_v`` (nv,), and its values in ``rows``. ``reads``: whether laws are read here (0: ``inputs`` hold them).
    ``conditions`` (N,) takes how near the rows are to losing rank; infinity where none asks for anything, as of contacts that are
    away.
    """
    for n in range(first, times.shape[0]):
        if reads != 0:
            read_laws(problem, times[n], inputs)
        for i in range(q.shape[1]):
            state_q[i] = q[n, i]
        for i in range(v.shape[1]):
            state_v[i] = v[n, i]
            a[i] = 0.0
        settle(rows, problem, inputs, state_q, state_v, work, a)
        conditions[n] = rows.condition if rows.rank > 0 else np.inf
        if judges != 0 and is_contradicted(rows, state_v, work) != 0:
            return n
    return times.shape[0]
