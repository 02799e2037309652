"""Moreau's midpoint time stepping for hard contact, at fixed step: see :mod:`locodyn.locomotion.contact.step`.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

from locodyn.integrate.moreau_records import LOG_FRICTION, LOG_IMPACT, LOG_RESIDUAL, LOG_SUPPLIED
from locodyn.integrate.record import record
from locodyn.kernel import kernel, routine
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
def step_begin(problem, contacts, inputs, step, q, v, work):
    """Forces of actuators at the start; the configuration in the middle, without imposed motion, into ``contacts.step.q_mid``."""
    applied_at_start(problem, contacts, inputs, q, v)
    move_half(problem.frames, q, v, 0.5 * step, contacts.step.shift, contacts.step.q_mid)


@routine
def step_middle(problem, contacts, inputs, v, work):
    """Imposed coordinates of the middle configuration where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(problem, inputs, contacts.step.q_mid, contacts.step.shift, contacts.step.acceleration)
    for k in range(contacts.strands.shape[0]):
        contacts.strands[k] = inputs.strands[k]
    begin_rows(problem.constraints, problem, contacts, inputs, contacts.step.q_mid, v, work)


@routine
def step_end(problem, contacts, inputs, step, q, v, work):
    """The state at the end, ``inputs`` being those at the end. The change of velocity stays in ``contacts.step``."""
    q_mid = contacts.step.q_mid
    before = contacts.report.friction_loss + contacts.report.impact_loss
    for i in range(v.shape[0]):
        contacts.step.velocity_change[i] = -v[i]
    if contacts.poisson:
        collide(problem, contacts, step, q_mid, v, work)
    contact_velocity(problem, contacts, inputs, step, q, q_mid, v, contacts.midpoint, work)
    for i in range(v.shape[0]):
        contacts.step.velocity_change[i] += contacts.end_velocity[i]
        v[i] = contacts.end_velocity[i]
    move_half(problem.frames, q_mid, v, 0.5 * step, contacts.step.shift, q)
    if contacts.stabilise:
        push_apart(problem, contacts, step, contacts.report.friction_loss + contacts.report.impact_loss - before, q_mid, q, work)
    impose(problem, inputs, q, v, contacts.step.acceleration)
    end_rows(problem.constraints, problem, contacts, inputs, q, v, work)


@routine
def moreau_step(problem, contacts, inputs, t, step, q, v, work):
    """Advance (q, v) from t by ``step``, in place. Laws are data; targets of servos are read where these are evaluated."""
    read_drives(problem, t, inputs)
    if not contacts.implicit_servo:
        read_targets(problem, t, inputs)
    step_begin(problem, contacts, inputs, step, q, v, work)
    read_drives(problem, t + 0.5 * step, inputs)
    step_middle(problem, contacts, inputs, v, work)
    read_drives(problem, t + step, inputs)
    if contacts.implicit_servo:
        read_targets(problem, t + step, inputs)
    step_end(problem, contacts, inputs, step, q, v, work)


@routine
def note(problem, contacts, row, q, work, records):
    """Record row ``row``; sums over the steps since the record before begin anew."""
    frame_poses(problem.frames, problem.constants, q, 1, work.poses)
    for n in range(contacts.pairs.kind.shape[0]):
        gap, point, _ = pair_gap(contacts.pairs, work.poses, n)
        records.gap[row, n] = gap
        for j in range(3):
            records.point[row, n, j] = point[j]
            records.impulse[row, n, j] = contacts.pair_impulse[n, j]
            contacts.pair_impulse[n, j] = 0.0
    for m in range(contacts.bilateral.impulse.shape[0]):
        records.row_impulse[row, m] = contacts.bilateral.impulse[m]
        contacts.bilateral.impulse[m] = 0.0
    for i in range(work.tau.shape[0]):
        records.force[row, i] = contacts.applied[i]
        records.change[row, i] = contacts.step.velocity_change[i]
    records.log[row, LOG_RESIDUAL] = contacts.report.residual
    records.log[row, LOG_FRICTION] = contacts.report.friction_loss
    records.log[row, LOG_IMPACT] = contacts.report.impact_loss
    records.log[row, LOG_SUPPLIED] = contacts.report.supplied
    contacts.report.residual = 0.0


@kernel
def moreau_run(
    problem, contacts, inputs, start, step, first, count, every, q, v, work, times, out_q, out_v, iterations, records, base
):
    """``count`` steps from number ``first``; every ``every``-th state is recorded, other records from row ``base`` on.

    Returns the number of records, and that of the step whose end is not finite, or -1.
    """
    row = 0
    for n in range(first, first + count):
        moreau_step(problem, contacts, inputs, start + n * step, step, q, v, work)
        if not is_finite(q, v):
            return row, n
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, times, out_q, out_v)
            iterations[row] = contacts.report.iterations
            contacts.report.iterations = 0
            note(problem, contacts, base + row, q, work, records)
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
