"""Moreau's midpoint time stepping for hard contact, at fixed step: see :mod:`locodyn.locomotion.contact.step`.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.moreau_records import LOG_FRICTION, LOG_IMPACT, LOG_RESIDUAL, LOG_SUPPLIED
from locodyn.integrate.record import record
from locodyn.kernel import kernel, routine, step
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.contact.arrays import (
    APPLIED,
    FRICTION_LOSS,
    IMPACT_LOSS,
    IMPLICIT,
    ITERATIONS,
    MIDPOINT,
    POISSON,
    RESIDUAL,
    STABILISE,
    SUPPLIED,
    X,
)
from locodyn.locomotion.contact.bilateral import begin_rows, end_rows
from locodyn.locomotion.contact.impact import collide
from locodyn.locomotion.contact.joints import applied_at_start
from locodyn.locomotion.contact.push import push_apart
from locodyn.locomotion.contact.step import contact_velocity
from locodyn.locomotion.rhs import impose, read_drives, read_targets
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap

START, MIDDLE, END = range(3)  # stages of a step
TIMES = (0.0, 0.5, 1.0)  # in parts of a step


@routine
def move_half(frames, q, v, half, scratch, result):
    """result = q (+) half v."""
    for i in range(v.shape[0]):
        scratch[i] = half * v[i]
    moved_configuration(frames, q, scratch, result)


class Scratch(Bundle):
    """What a step remembers between its stages."""

    middle: np.ndarray  # (nq,) configuration half a step ahead
    way: np.ndarray  # (nv,) half a step of velocities
    unread: np.ndarray  # (nv,) accelerations of imposed motions, which impulses have no use for
    change: np.ndarray  # (nv,) of the velocity in the step


def new_scratch(nq: int, nv: int) -> Scratch:
    """Scratch of one robot."""
    return Scratch(middle=np.zeros(nq), way=np.zeros(nv), unread=np.zeros(nv), change=np.zeros(nv))


@routine
def step_begin(p, c, inputs, step, q, v, s):
    """Forces of actuators at the start; the configuration in the middle, without imposed motion, into ``s.middle``."""
    applied_at_start(p, c, inputs, q, v)
    move_half(p.frames, q, v, 0.5 * step, s.way, s.middle)


@routine
def step_middle(p, c, inputs, v, w, s):
    """Imposed coordinates of the middle configuration where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(p, inputs, s.middle, s.way, s.unread)
    for k in range(c.strands.shape[0]):
        c.strands[k] = inputs.strands[k]
    begin_rows(p.constraints, p, c, inputs, s.middle, v, w)


@routine
def step_end(p, c, inputs, step, q, v, w, s):
    """The state at the end, ``inputs`` being those at the end; ``s.change`` is the change of velocity."""
    before = c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS]
    for i in range(v.shape[0]):
        s.change[i] = -v[i]
    if c.counts[POISSON] != 0:
        collide(p, c, step, s.middle, v, w)
    contact_velocity(p, c, inputs, step, q, s.middle, v, c.counts[MIDPOINT], w)
    for i in range(v.shape[0]):
        s.change[i] += c.vectors[X, i]
        v[i] = c.vectors[X, i]
    move_half(p.frames, s.middle, v, 0.5 * step, s.way, q)
    if c.counts[STABILISE] != 0:
        push_apart(p, c, step, c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS] - before, s.middle, q, w)
    impose(p, inputs, q, v, s.unread)
    end_rows(p.constraints, p, c, inputs, q, v, w)


@step
def moreau_stage(k, p, c, inputs, step, q, v, w, s):
    """Stage k of a step of (q, v), under the inputs at TIMES[k]: torques are taken at the start, motions at each."""
    if k == START:
        step_begin(p, c, inputs, step, q, v, s)
    elif k == MIDDLE:
        step_middle(p, c, inputs, v, w, s)
    else:
        step_end(p, c, inputs, step, q, v, w, s)


@routine
def moreau_step(p, c, inputs, t, step, q, v, w, s, asked):
    """Advance (q, v) from t by ``step``, in place. Laws are data, but for what was ``asked`` for at the start (1; 0: nothing).

    Targets of servos are read where these are evaluated.
    """
    aimed = START if c.counts[IMPLICIT] == 0 else END
    for k in range(3):
        if k > 0 or asked == 0:
            read_drives(p, t + TIMES[k] * step, inputs)
            if k == aimed:
                read_targets(p, t + TIMES[k] * step, inputs)
        moreau_stage(k, p, c, inputs, step, q, v, w, s)


@routine
def note(p, c, row, q, w, s, records):
    """Record row ``row``; sums over the steps since the record before begin anew."""
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    for n in range(c.pairs.shape[0]):
        gap, point, _ = pair_gap(c.pairs, c.data, c.heights, w.poses, n)
        records.gap[row, n] = gap
        for j in range(3):
            records.point[row, n, j] = point[j]
            records.impulse[row, n, j] = c.impulse[n, j]
            c.impulse[n, j] = 0.0
    for m in range(c.row_impulse.shape[0]):
        records.row_impulse[row, m] = c.row_impulse[m]
        c.row_impulse[m] = 0.0
    for i in range(w.tau.shape[0]):
        records.force[row, i] = c.vectors[APPLIED, i]
        records.change[row, i] = s.change[i]
    records.log[row, LOG_RESIDUAL] = c.report[RESIDUAL]
    records.log[row, LOG_FRICTION] = c.report[FRICTION_LOSS]
    records.log[row, LOG_IMPACT] = c.report[IMPACT_LOSS]
    records.log[row, LOG_SUPPLIED] = c.report[SUPPLIED]
    c.report[RESIDUAL] = 0.0


@kernel
def moreau_run(p, c, inputs, start, step, first, count, every, q, v, w, s, times, out_q, out_v, iterations, records, base):
    """``count`` steps from number ``first``; every ``every``-th state is recorded, other records from row ``base`` on.

    Returns the number of records, and that of the step whose end is not finite, or -1.
    """
    row = 0
    for n in range(first, first + count):
        moreau_step(p, c, inputs, start + n * step, step, q, v, w, s, 0)
        if not is_finite(q, v):
            return row, n
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, times, out_q, out_v)
            iterations[row] = int(c.report[ITERATIONS])
            c.report[ITERATIONS] = 0.0
            note(p, c, base + row, q, w, s, records)
            row += 1
    return row, -1


@kernel
def is_finite(q, v):
    """Whether all entries are finite numbers: x - x is 0 then."""
    for i in range(q.shape[0]):
        if not q[i] - q[i] == 0.0:
            return False
    for i in range(v.shape[0]):
        if not v[i] - v[i] == 0.0:
            return False
    return True
