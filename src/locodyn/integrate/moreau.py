"""Moreau's midpoint time stepping for hard contact, at fixed step, in minimal coordinates.

    q_M = q_A (+) dt/2 v_A,     M(q_M) (v_E - v_A) = dt (tau - h(q_M, v)) + J^T P,     q_E = q_M (+) dt/2 v_E

with the set-valued laws of all contacts that are closed at q_M between the impulses P and the velocities J v_E (Moreau 1988;
Transeth 2007, 3.5). A contact that approaches with u_N < 0 rebounds with -e u_N (Newton), or the impact was before the step
(Poisson). Springs and friction of joints are taken at the mean of both ends, servos at the end or at the start, as the options
say. For the bias dt h stands the change of momentum that M(q_M) (v_E - v_A) leaves out: total momentum is exact, see
:mod:`locodyn.integrate.momentum_balance`.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

from locodyn.contact.impact import collide
from locodyn.contact.islands import touches_nothing_fixed
from locodyn.contact.push import push_apart
from locodyn.integrate.momentum_balance import carry_momentum, frame_momenta, momentum_bias
from locodyn.integrate.moreau_records import LOG
from locodyn.integrate.moreau_velocity import end_memory, find_end_velocity
from locodyn.integrate.record import record
from locodyn.kernel import compiled
from locodyn.locomotion.contact.bilateral import begin_rows, end_rows
from locodyn.locomotion.contact.joints import applied_at_start, joint_diagonal
from locodyn.locomotion.drive_memory import begin_memory, lagging_over, strands_over
from locodyn.locomotion.memory_step import aim_from
from locodyn.locomotion.rhs import impose, read_drives, read_targets
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap

START, MIDDLE, END = range(3)  # stages of a step
TIMES = (0.0, 0.5, 1.0)  # in parts of a step


@compiled(called=True)
def moreau_step(problem, contacts, inputs, t, step, q, v, work, scratch, asked):
    """Advance (q, v) from t by ``step``, in place. Laws are data, but for what was ``asked`` for at the start (1; 0: nothing).

    Targets of servos are read where these are evaluated.
    """
    aimed = END if contacts.implicit_servo else START
    for k in range(3):
        if k > 0 or asked == 0:
            read_drives(problem, t + TIMES[k] * step, inputs)
            if k == aimed or (k == START and problem.drives.lags.shape[0] > 0):
                read_targets(problem, t + TIMES[k] * step, inputs)
        moreau_stage(k, problem, contacts, inputs, step, q, v, work, scratch)


@compiled(inline=True)
def moreau_stage(k, problem, contacts, inputs, step, q, v, work, scratch):
    """Stage k of a step of (q, v), under the inputs at TIMES[k]: torques are taken at the start, motions at each."""
    if k == START:
        step_begin(problem, contacts, inputs, step, q, v, work, scratch)
    elif k == MIDDLE:
        step_middle(problem, contacts, inputs, step, v, work, scratch)
    else:
        step_end(problem, contacts, inputs, step, q, v, work, scratch)


@compiled(called=True)
def step_begin(problem, contacts, inputs, step, q, v, work, scratch):
    """Forces of actuators at the start; q_M = q_A (+) dt/2 v_A, without imposed motion."""
    applied_at_start(problem, contacts, inputs, q, v)
    aim_from(work.memory, 0.0, scratch.memory)
    begin_memory(work.memory)
    lagging_over(problem.drives, 0.5 * step, work.memory, contacts.applied)
    move_half(problem.frames, q, v, 0.5 * step, scratch.way, scratch.middle)


@compiled(called=True)
def step_middle(problem, contacts, inputs, step, v, work, scratch):
    """Imposed coordinates of q_M where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(problem, inputs, scratch.middle, scratch.way, scratch.unread)
    if contacts.strands.shape[0] > 0:
        strands_over(problem.drives, 0.5 * step, inputs.strands, work.memory, contacts.strands)
    begin_rows(problem.rows, problem, contacts, inputs, scratch.middle, v, work)


@compiled(called=True)
def step_end(problem, contacts, inputs, step, q, v, work, scratch):
    """v_E and q_E = q_M (+) dt/2 v_E, ``inputs`` being those at the end; impacts by Poisson's law come before."""
    before = contacts.report.friction_loss + contacts.report.impact_loss
    if contacts.midpoint:
        frame_momenta(problem.frames, problem.constants, q, v, scratch.momenta.room, scratch.momenta.start)
    for i in range(v.shape[0]):
        scratch.change[i] = -v[i]
        scratch.jump[i] = 0.0
    if contacts.poisson:
        joint_diagonal(problem, contacts, v, 0.0)  # an impact takes no time: the joints add nothing to M
        if contacts.midpoint:
            frame_poses(problem.frames, problem.constants, scratch.middle, 1, work.poses)
            momentum_bias(problem, contacts, scratch.middle, scratch.momenta.start, v, work)
        collide(problem, contacts, step, scratch.middle, v, work)
        for i in range(v.shape[0]):
            scratch.jump[i] = v[i] + scratch.change[i]
    find_end_velocity(problem, contacts, inputs, step, q, v, work, scratch)
    if work.memory.state.shape[0] > 0:
        end_memory(problem, contacts, inputs, step, v, work, scratch)
    for i in range(v.shape[0]):
        scratch.change[i] += contacts.end_velocity[i]
        v[i] = contacts.end_velocity[i]
    move_half(problem.frames, scratch.middle, v, 0.5 * step, scratch.way, q)
    if contacts.stabilise:
        lost = contacts.report.friction_loss + contacts.report.impact_loss - before
        free = contacts.midpoint and touches_nothing_fixed(contacts)
        if free:
            frame_momenta(problem.frames, problem.constants, q, v, scratch.momenta.room, scratch.momenta.end)
        if push_apart(problem, contacts, step, lost, scratch.middle, q, work) and free:
            carry_momentum(problem, contacts, scratch.middle, q, v, work, scratch.momenta)
    impose(problem, inputs, q, v, scratch.unread)
    end_rows(problem.rows, problem, contacts, inputs, q, v, work)


@compiled(called=True)
def move_half(frames, q, v, half, way, result):
    """result = q (+) half v."""
    for i in range(v.shape[0]):
        way[i] = half * v[i]
    moved_configuration(frames, q, way, result)


@compiled
def note_rows(rows, row, records):
    """The forces of bilateral rows over the last step, as they share them."""
    if rows is not None:
        for m in range(rows.multipliers.shape[0]):
            records.row_force[row, m] = rows.multipliers[m]


@compiled(called=True)
def note(problem, contacts, row, q, work, scratch, records):
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
    note_rows(problem.rows, row, records)
    for i in range(work.tau.shape[0]):
        records.force[row, i] = contacts.applied[i]
        records.change[row, i] = scratch.change[i]
    records.log[row, LOG.residual] = contacts.report.residual
    records.log[row, LOG.friction] = contacts.report.friction_loss
    records.log[row, LOG.impact] = contacts.report.impact_loss
    records.log[row, LOG.damping] = contacts.report.damping_loss
    records.log[row, LOG.supplied] = contacts.report.supplied
    contacts.report.residual = 0.0


@compiled
def moreau_run(
    problem,
    contacts,
    inputs,
    start,
    step,
    first,
    count,
    every,
    q,
    v,
    work,
    scratch,
    times,
    out_q,
    out_v,
    iterations,
    out_memory,
    records,
    base,
):
    """``count`` steps from number ``first``; every ``every``-th state is recorded, other records from row ``base`` on.

    Returns the number of records, and that of the step whose end is not finite, or -1.
    """
    row = 0
    for n in range(first, first + count):
        moreau_step(problem, contacts, inputs, start + n * step, step, q, v, work, scratch, 0)
        if not is_finite(q, v):
            return row, n
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, work.memory.state, times, out_q, out_v, out_memory)
            iterations[row] = contacts.report.iterations
            contacts.report.iterations = 0
            note(problem, contacts, base + row, q, work, scratch, records)
            row += 1
    return row, -1


@compiled
def is_finite(q, v):
    """Whether all entries are finite numbers: x - x is 0 then."""
    for i in range(q.shape[0]):
        if not q[i] - q[i] == 0.0:
            return False
    for i in range(v.shape[0]):
        if not v[i] - v[i] == 0.0:
            return False
    return True
