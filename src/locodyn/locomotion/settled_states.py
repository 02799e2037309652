"""Recorded states put on motions and constraint rows one after the other, until one of them contradicts the rows."""

from __future__ import annotations

from locodyn.kernel import kernel, routine
from locodyn.locomotion.rhs import read_laws, settle
from locodyn.locomotion.row_jacobian import row_speed
from locodyn.shape.kinematics import frame_motions
from locodyn.world.rows import FLAGS, KINEMATIC, RESIDUAL, SIDE

POSITION_LIMIT = 1e-9  # m or rad: largest residual of a loop or contact
SPEED_LIMIT = 1e-7  # of the largest velocity, at least of 1 m/s or rad/s: largest speed by which a row may be missed


@routine
def is_contradicted(p, c, q, v, w):
    """1 where a settled state (q, v) misses a row in position or speed, else 0."""
    rows = c.table
    sides = c.sides
    gap = 0.0
    for m in range(rows.shape[0]):
        gap = max(gap, abs(sides[m, RESIDUAL]))
    fastest = 1.0
    for i in range(v.shape[0]):
        fastest = max(fastest, abs(v[i]))
    missed = abs(c.mismatch)
    frame_motions(p.frames, p.constants, q, v, c.zero, w.motions)
    for m in range(rows.shape[0]):
        if rows[m, FLAGS] & KINEMATIC:
            missed = max(missed, abs(row_speed(c, w.motions, m, v) - sides[m, SIDE]))
    return 1 if gap > POSITION_LIMIT or missed > SPEED_LIMIT * fastest else 0


@kernel
def settle_states(p, c, inputs, reads, judges, times, q, v, first, w, a, state_q, state_v, conditions):
    """Settle the states ``q`` (N, nq), ``v`` (N, nv) at ``times`` (N,) from number ``first`` on; where it stopped, or N.

    It stops, with ``judges`` not 0, at the first state that contradicts the rows: that state is then in ``state_q`` (nq,) and
    ``state_v`` (nv,), and its rows in ``c``. ``reads``: whether laws are read here (0: ``inputs`` hold them). ``conditions`` (N,)
    takes how near the rows are to losing rank.
    """
    for n in range(first, times.shape[0]):
        if reads != 0:
            read_laws(p, times[n], inputs)
        for i in range(q.shape[1]):
            state_q[i] = q[n, i]
        for i in range(v.shape[1]):
            state_v[i] = v[n, i]
            a[i] = 0.0
        settle(c, p, inputs, state_q, state_v, w, a)
        conditions[n] = c.condition
        if judges != 0 and is_contradicted(p, c, state_q, state_v, w) != 0:
            return n
    return times.shape[0]
