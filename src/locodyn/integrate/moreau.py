"""Moreau's midpoint time stepping for hard contact, at fixed step: see :mod:`locodyn.locomotion.contact.step`.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

from locodyn.integrate.moreau_records import LOG_FRICTION, LOG_IMPACT, LOG_RESIDUAL, LOG_SUPPLIED
from locodyn.integrate.record import record
from locodyn.kernel import kernel, routine
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


@routine
def move_half(frames, q, v, half, scratch, result):
    """result = q (+) half v."""
    for i in range(v.shape[0]):
        scratch[i] = half * v[i]
    moved_configuration(frames, q, scratch, result)


@routine
def step_begin(p, c, inputs, step, q, v, w):
    """Forces of actuators at the start; the configuration in the middle, without imposed motion, into ``w.position[0]``."""
    applied_at_start(p, c, inputs, q, v)
    move_half(p.frames, q, v, 0.5 * step, w.stage[3], w.position[0])


@routine
def step_middle(p, c, inputs, v, w):
    """Imposed coordinates of the middle configuration where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(p, inputs, w.position[0], w.stage[3], w.stage[4])
    for k in range(c.strands.shape[0]):
        c.strands[k] = inputs.strands[k]
    begin_rows(p.constraints, p, c, inputs, w.position[0], v, w)


@routine
def step_end(p, c, inputs, step, q, v, w):
    """The state at the end, ``inputs`` being those at the end. The change of velocity stays in ``w.stage[5]``."""
    q_mid = w.position[0]
    before = c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS]
    for i in range(v.shape[0]):
        w.stage[5, i] = -v[i]
    if c.counts[POISSON] != 0:
        collide(p, c, step, q_mid, v, w)
    contact_velocity(p, c, inputs, step, q, q_mid, v, c.counts[MIDPOINT], w)
    for i in range(v.shape[0]):
        w.stage[5, i] += c.vectors[X, i]
        v[i] = c.vectors[X, i]
    move_half(p.frames, q_mid, v, 0.5 * step, w.stage[3], q)
    if c.counts[STABILISE] != 0:
        push_apart(p, c, step, c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS] - before, q_mid, q, w)
    impose(p, inputs, q, v, w.stage[4])
    end_rows(p.constraints, p, c, inputs, q, v, w)


@routine
def moreau_step(p, c, inputs, t, step, q, v, w):
    """Advance (q, v) from t by ``step``, in place. Laws are data; targets of servos are read where these are evaluated."""
    read_drives(p, t, inputs)
    if c.counts[IMPLICIT] == 0:
        read_targets(p, t, inputs)
    step_begin(p, c, inputs, step, q, v, w)
    read_drives(p, t + 0.5 * step, inputs)
    step_middle(p, c, inputs, v, w)
    read_drives(p, t + step, inputs)
    if c.counts[IMPLICIT] != 0:
        read_targets(p, t + step, inputs)
    step_end(p, c, inputs, step, q, v, w)


@routine
def note(p, c, row, q, w, records):
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
        records.change[row, i] = w.stage[5, i]
    records.log[row, LOG_RESIDUAL] = c.report[RESIDUAL]
    records.log[row, LOG_FRICTION] = c.report[FRICTION_LOSS]
    records.log[row, LOG_IMPACT] = c.report[IMPACT_LOSS]
    records.log[row, LOG_SUPPLIED] = c.report[SUPPLIED]
    c.report[RESIDUAL] = 0.0


@kernel
def moreau_run(p, c, inputs, start, step, first, count, every, q, v, w, times, out_q, out_v, iterations, records, base):
    """``count`` steps from number ``first``; every ``every``-th state is recorded, other records from row ``base`` on.

    Returns the number of records, and that of the step whose end is not finite, or -1.
    """
    row = 0
    for n in range(first, first + count):
        moreau_step(p, c, inputs, start + n * step, step, q, v, w)
        if not is_finite(q, v):
            return row, n
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, times, out_q, out_v)
            iterations[row] = int(c.report[ITERATIONS])
            c.report[ITERATIONS] = 0.0
            note(p, c, base + row, q, w, records)
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
