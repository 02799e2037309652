"""Moreau's midpoint time stepping for hard contact, at fixed step, in minimal coordinates.

    q_M = q_A (+) dt/2 v_A,     M(q_M) (v_E - v_A) = dt (tau - h(q_M, v)) + J^T P,     q_E = q_M (+) dt/2 v_E

with the set-valued laws of all contacts that are closed at q_M between the impulses P and the velocities J v_E (Moreau 1988;
Transeth 2007, 3.5). A contact that approaches with u_N < 0 rebounds with -e u_N (Newton), or the impact was before the step
(Poisson). Springs and friction of joints are taken at the mean of both ends, servos at the end or at the start, as the options
say.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

import numpy as np

from locodyn.contact.curve import curve_contacts
from locodyn.contact.dense import balance, contact_rows, fill_mass, reduce_rows
from locodyn.contact.detection import find_closed, world_poses
from locodyn.contact.impact import collide
from locodyn.contact.law import recentre
from locodyn.contact.push import push_apart
from locodyn.contact.solve import judge, solve_contacts
from locodyn.contact.start import book_contacts, start_contacts, stride_of
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces, limited
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.strands import strand_forces
from locodyn.integrate.moreau_records import LOG_FRICTION, LOG_IMPACT, LOG_RESIDUAL, LOG_SUPPLIED
from locodyn.integrate.record import record
from locodyn.kernel import kernel, routine, step
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.contact.bilateral import add_given, aim, begin_rows, book_rows, end_rows, has_given
from locodyn.locomotion.contact.joints import (
    applied_at_start,
    book_drives,
    carried_on,
    implicit_servo,
    joint_diagonal,
    saturate,
    servo_force,
)
from locodyn.locomotion.drive_memory import begin_memory, bristle_energy, bristle_forces, lagging_over, strands_over
from locodyn.locomotion.memory_step import MemoryStep, aim_from, new_memory_step, solve_states
from locodyn.locomotion.rhs import impose, outer_wrenches, read_drives, read_targets
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap

START, MIDDLE, END = range(3)  # stages of a step
TIMES = (0.0, 0.5, 1.0)  # in parts of a step
# Sweeps of a step with bilateral rows: at most, and by how much the velocity may miss the rows of the end, relative to 1 + |v|.
_SWEEPS, _MISSED = 8, 1e-11


class Scratch(Bundle):
    """What a step remembers between its stages, and works with."""

    middle: np.ndarray  # (nq,) configuration half a step ahead
    way: np.ndarray  # (nv,) half a step of velocities
    unread: np.ndarray  # (nv,) accelerations of imposed motions, which impulses have no use for
    change: np.ndarray  # (nv,) of the velocity in the step
    mean_velocity: np.ndarray  # (nv,)
    rhs_before: np.ndarray  # (nv,) right-hand side of the sweep before
    passive: np.ndarray  # (nv,) N or N m: springs, friction, tendons
    rubbing: np.ndarray  # (nv,) N or N m: bristles at the joints
    memory: MemoryStep  # the middle of the states of laws
    back: np.ndarray  # (nv,) -v_A / dt
    needed: np.ndarray  # (nv,) N or N m, inverse dynamics


def new_scratch(nq: int, nv: int, states: int) -> Scratch:
    """Scratch of one robot whose laws have so many states."""
    names = ("way", "unread", "change", "mean_velocity", "rhs_before", "passive", "rubbing", "back", "needed")
    return Scratch(middle=np.zeros(nq), memory=new_memory_step(states), **{name: np.zeros(nv) for name in names})


@routine
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


@step
def moreau_stage(k, problem, contacts, inputs, step, q, v, work, scratch):
    """Stage k of a step of (q, v), under the inputs at TIMES[k]: torques are taken at the start, motions at each."""
    if k == START:
        step_begin(problem, contacts, inputs, step, q, v, work, scratch)
    elif k == MIDDLE:
        step_middle(problem, contacts, inputs, step, v, work, scratch)
    else:
        step_end(problem, contacts, inputs, step, q, v, work, scratch)


@routine
def step_begin(problem, contacts, inputs, step, q, v, work, scratch):
    """Forces of actuators at the start; q_M = q_A (+) dt/2 v_A, without imposed motion."""
    applied_at_start(problem, contacts, inputs, q, v)
    aim_from(work.memory, 0.0, scratch.memory)
    begin_memory(work.memory)
    lagging_over(problem.drives, 0.5 * step, work.memory, contacts.applied)
    move_half(problem.frames, q, v, 0.5 * step, scratch.way, scratch.middle)


@routine
def step_middle(problem, contacts, inputs, step, v, work, scratch):
    """Imposed coordinates of q_M where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(problem, inputs, scratch.middle, scratch.way, scratch.unread)
    if contacts.strands.shape[0] > 0:
        strands_over(problem.drives, 0.5 * step, inputs.strands, work.memory, contacts.strands)
    begin_rows(problem.constraints, problem, contacts, inputs, scratch.middle, v, work)


@routine
def step_end(problem, contacts, inputs, step, q, v, work, scratch):
    """v_E and q_E = q_M (+) dt/2 v_E, ``inputs`` being those at the end; impacts by Poisson's law come before."""
    before = contacts.report.friction_loss + contacts.report.impact_loss
    for i in range(v.shape[0]):
        scratch.change[i] = -v[i]
    if contacts.poisson:
        joint_diagonal(problem, contacts, v, 0.0)  # an impact takes no time: the joints add nothing to M
        collide(problem, contacts, step, scratch.middle, v, work)
    find_end_velocity(problem, contacts, inputs, step, q, v, work, scratch)
    if work.memory.state.shape[0] > 0:
        end_memory(problem, contacts, inputs, step, v, work, scratch)
    for i in range(v.shape[0]):
        scratch.change[i] += contacts.end_velocity[i]
        v[i] = contacts.end_velocity[i]
    move_half(problem.frames, scratch.middle, v, 0.5 * step, scratch.way, q)
    if contacts.stabilise:
        lost = contacts.report.friction_loss + contacts.report.impact_loss - before
        push_apart(problem, contacts, step, lost, scratch.middle, q, work)
    impose(problem, inputs, q, v, scratch.unread)
    end_rows(problem.constraints, problem, contacts, inputs, q, v, work)


@routine
def end_memory(problem, contacts, inputs, step, v, work, scratch):
    """States of laws at the end, z_E = 2 z_M - z_A with z_M = z_A + dt/2 f(q_M, (v_A + v_E) / 2, z_M)."""
    mean, memory = scratch.mean_velocity, work.memory
    for i in range(v.shape[0]):
        mean[i] = 0.5 * (v[i] + contacts.end_velocity[i])
    middle_wrenches(problem, inputs, step, mean, work, scratch)
    for c in range(memory.state.shape[0]):
        memory.state[c] = 2.0 * memory.value[c] - memory.state[c]


@routine
def middle_wrenches(problem, inputs, step, bias_v, work, scratch):
    """What acts from outside at (q_M, ``bias_v``), see :func:`~locodyn.locomotion.rhs.outer_wrenches`, with z_M found for it.

    ``scratch.rubbing``: forces of bristles at the joints; returns also the power that they lose.
    """
    outer = outer_wrenches(problem, inputs, scratch.middle, bias_v, scratch.back, work)
    for i in range(bias_v.shape[0]):
        scratch.rubbing[i] = 0.0
    bristle_forces(problem.drives, bias_v, work.memory, scratch.rubbing)
    if work.memory.state.shape[0] > 0:
        solve_states(problem, inputs, 0.5 * step, bias_v, work, scratch.memory)
        outer = outer_wrenches(problem, inputs, scratch.middle, bias_v, scratch.back, work)
        for i in range(bias_v.shape[0]):
            scratch.rubbing[i] = 0.0
        bristle_forces(problem.drives, bias_v, work.memory, scratch.rubbing)
    _, rubbed = bristle_energy(problem.drives, bias_v, work.memory)
    return outer, rubbed


@routine
def move_half(frames, q, v, half, way, result):
    """result = q (+) half v."""
    for i in range(v.shape[0]):
        way[i] = half * v[i]
    moved_configuration(frames, q, way, result)


@routine
def find_end_velocity(problem, contacts, inputs, step, q, v, work, scratch):
    """``end_velocity`` v_E. ``inputs``: targets and imposed motion at the end; ``applied`` as at the start."""
    q_mid = scratch.middle
    x = contacts.end_velocity
    tau = work.tau
    midpoint = contacts.midpoint
    dense = contacts.robot.dense
    # The equation at q_M: what implicit laws of the joints add to M, the right-hand side, contacts and their rows.
    joint_diagonal(problem, contacts, v, step)
    given = right_side(problem, contacts, inputs, step, q, v, v, work, scratch)
    find_contacts(problem, contacts, step, q_mid, v, work)
    for i in range(v.shape[0]):
        x[i] = inputs.motion[1, i] if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0 else v[i]
    missed = aim(problem.constraints, problem, contacts, inputs, step, q_mid, x, work)
    # Impulses and end velocity, again with what that tells: mean velocity in the bias, saturated servos, rows of the end.
    residual = 0.0
    sweeps = 2 + midpoint if contacts.bilateral.kernel.shape[0] == 0 else _SWEEPS
    for sweep in range(sweeps):
        if dense:
            fill_mass(problem, contacts, step, work)
            reduce_rows(problem.constraints, contacts)
        residual = solve_contacts(problem, contacts, q_mid, work, tau, step)
        again = saturate(problem, contacts, inputs, step, q, v, x)
        missed = aim(problem.constraints, problem, contacts, inputs, step, q_mid, x, work)
        again = again or missed > _MISSED * (1.0 + fastest(x))
        if sweep >= midpoint and not again:
            break
        mean = scratch.mean_velocity
        for i in range(v.shape[0]):
            mean[i] = 0.5 * (v[i] + x[i]) if midpoint else v[i]
            scratch.rhs_before[i] = contacts.rhs[i]
        joint_diagonal(problem, contacts, v, step)
        given = right_side(problem, contacts, inputs, step, q, v, mean, work, scratch)
        if not again and changed(contacts.rhs, scratch.rhs_before) <= 0.1 * contacts.tolerance * contacts.mean_weight * step:
            break
        recentre(contacts)
    # Forces, work and losses, and what the next step starts from.
    judge(contacts, residual)
    if dense:
        balance(contacts, x, tau)
        book_rows(problem.constraints, problem, contacts, step, q_mid, v, work, tau)
    book_drives(problem, contacts, inputs, step, q, v, x, tau, given)
    book_contacts(contacts, step)


@kernel
def find_contacts(problem, contacts, step, q_mid, v, work):
    """The contacts that are closed at q_M, or come near: axes, curves, rows, and where their impulses start.

    Inverse dynamics has left poses of the frames in their parents, and twists.
    """
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    world_poses(problem.frames, frame_work, work.poses)
    stride_of(contacts, problem.gravity, frame_work, step)
    find_closed(contacts, work.poses, step)
    curve_contacts(problem, contacts, frame_work, q_mid, v, step, work)
    start_contacts(problem, contacts, frame_work, step)
    if contacts.robot.dense:
        contact_rows(problem, contacts, q_mid, work)


@routine
def right_side(problem, contacts, inputs, step, q, v, bias_v, work, scratch):
    """``rhs`` of the step's equation: dt (tau - h) + (M + E) v_A, with h by inverse dynamics for the acceleration -v_A / dt."""
    n = v.shape[0]
    q_mid = scratch.middle
    passive = scratch.passive
    back = scratch.back
    needed = scratch.needed
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    rate = 1.0 / step
    for i in range(n):
        passive[i] = 0.0
        back[i] = -v[i] * rate
    given = 0.0
    if problem.strands.shape[0] > 0:
        strand_forces(
            problem.dofs, problem.strands, problem.strand_constants, problem.strand_points, contacts.strands, q_mid, passive
        )
        for i in range(n):
            given += passive[i] * bias_v[i]
    joint_forces(problem.frames, problem.dof_constants, q_mid, v, passive)
    driven = has_given(problem.constraints)
    outside = driven or problem.wrenches.frame.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(problem.frames)
    outside = outside or work.memory.state.shape[0] > 0
    loads = work.wrenches if outside else work.wrenches[:0]
    lost = 0.0
    if outside:
        (_, lost, power, steering), rubbed = middle_wrenches(problem, inputs, step, bias_v, work, scratch)
        given += power + steering - rubbed
        for i in range(n):
            passive[i] += scratch.rubbing[i]
    if driven:
        given += add_given(problem.constraints, contacts, work.motions, work.wrenches)
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q_mid, bias_v, back, loads, frame_work, needed)
    for i in range(n):
        total = contacts.applied[i] + passive[i] - needed[i]
        extra = 0.0 if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0 else carried_on(problem, contacts, step, v, i)
        if implicit_servo(problem, contacts, i):
            total += servo_force(problem, inputs, step, q, v, i, 0.0)
        elif contacts.saturated[i] != 0:
            total += limited(problem.dof_constants, i, contacts.saturated[i] * 1e300) - contacts.applied[i]
        contacts.rhs[i] = step * total + extra
    return given - lost


@kernel
def fastest(x):
    """Largest entry of x."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = max(largest, abs(x[i]))
    return largest


@kernel
def changed(x, before):
    """Largest change of an entry."""
    worst = 0.0
    for i in range(x.shape[0]):
        worst = max(worst, abs(x[i] - before[i]))
    return worst


@routine
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
    for i in range(work.tau.shape[0]):
        records.force[row, i] = contacts.applied[i]
        records.change[row, i] = scratch.change[i]
    records.log[row, LOG_RESIDUAL] = contacts.report.residual
    records.log[row, LOG_FRICTION] = contacts.report.friction_loss
    records.log[row, LOG_IMPACT] = contacts.report.impact_loss
    records.log[row, LOG_SUPPLIED] = contacts.report.supplied
    contacts.report.residual = 0.0


@kernel
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
            record(row, start + (n + 1) * step, q, v, work.memory, times, out_q, out_v, out_memory)
            iterations[row] = contacts.report.iterations
            contacts.report.iterations = 0
            note(problem, contacts, base + row, q, work, scratch, records)
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
