"""The velocity at the end of a step of hard contact: contacts, right-hand side, and sweeps over both.

    (M(q_M) + E) v_E = rhs(v_E) + J^T P

``rhs`` holds what the equation of :mod:`locodyn.integrate.moreau` has beside impulses, with the change of momentum of
:mod:`locodyn.integrate.momentum_balance` in place of a bias. It depends on v_E, as do servos that saturate and bilateral rows at
the end of the step. A first sweep takes the bias at the velocity of the start; a second one corrects it, which is enough for
order 2. Where nothing fixed is touched, sweeps go on to round-off, and total momentum is kept so. Where a heap of free bodies
changes much the first sweep is solved roughly only, since no more than the bias of the second one comes of it.
"""

from __future__ import annotations

import numpy as np

from locodyn.contact.curve import curve_contacts
from locodyn.contact.dense import balance, fill_mass, reduce_rows
from locodyn.contact.detection import find_closed, world_poses
from locodyn.contact.impact import at_contacts, has_jump, is_fast, rebound
from locodyn.contact.islands import touches_nothing_fixed
from locodyn.contact.law import recentre
from locodyn.contact.rows import contact_rows
from locodyn.contact.solve import judge, solve_contacts
from locodyn.contact.start import book_contacts, start_contacts, stride_of
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces, limited
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.strands import strand_forces
from locodyn.integrate.momentum_balance import (
    MomentumScratch,
    armature,
    end_momenta,
    load_change,
    momentum_bias,
    new_momentum_scratch,
)
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.dense import fill
from locodyn.locomotion.contact.bilateral import add_known, aim, book_rows, has_known
from locodyn.locomotion.contact.joints import (
    book_drives,
    carried_on,
    implicit_servo,
    joint_diagonal,
    joint_diagonal_again,
    saturate,
    servo_force,
)
from locodyn.locomotion.drive_memory import bristle_energy, bristle_forces
from locodyn.locomotion.memory_step import MemoryStep, new_memory_step, solve_states
from locodyn.locomotion.rhs import outer_wrenches, power_of_functions

# Sweeps of a step with bilateral rows: at most, and by how much the velocity may miss the rows of the end, relative to 1 + |v|.
_SWEEPS, _MISSED = 8, 1e-11
# Sweeps where nothing fixed is touched: at most, and the change of the velocity that is round-off, relative to 1 + |v|.
_FREE_SWEEPS, _ROUND_OFF = 20, 1e-15


class Scratch(Bundle):
    """What a step remembers between its stages, and works with."""

    middle: np.ndarray  # (nq,) configuration half a step ahead
    way: np.ndarray  # (nv,) half a step of velocities
    unread: np.ndarray  # (nv,) accelerations of imposed motions, which impulses have no use for
    change: np.ndarray  # (nv,) of the velocity in the step
    jump: np.ndarray  # (nv,) of the velocity in impacts by Poisson's law, at q_M
    mean_velocity: np.ndarray  # (nv,)
    rhs_before: np.ndarray  # (nv,) right-hand side of the sweep before
    velocity_before: np.ndarray  # (nv,) end velocity of the sweep before
    passive: np.ndarray  # (nv,) N or N m: springs, friction, tendons
    rubbing: np.ndarray  # (nv,) N or N m: bristles at the joints
    back: np.ndarray  # (nv,) -v_A / dt
    needed: np.ndarray  # (nv,) N or N m, inverse dynamics
    momenta: MomentumScratch
    memory: MemoryStep  # the middle of the states of laws


def new_scratch(nf: int, nq: int, nv: int, states: int) -> Scratch:
    """Scratch of one robot whose laws have so many states."""
    names = "way unread change jump mean_velocity rhs_before velocity_before passive rubbing back needed"
    vectors = {name: np.zeros(nv) for name in names.split()}
    return Scratch(middle=np.zeros(nq), momenta=new_momentum_scratch(nf, nq, nv), memory=new_memory_step(states), **vectors)


@compiled(called=True)
def find_end_velocity(problem, contacts, inputs, step, q, v, work, scratch):
    """``end_velocity`` v_E. ``inputs``: targets and imposed motion at the end; ``applied`` as at the start."""
    q_mid = scratch.middle
    x = contacts.end_velocity
    midpoint = contacts.midpoint
    # The equation at q_M: what implicit laws of the joints add to M, the right-hand side, contacts and their rows.
    joint_diagonal(problem, contacts, v, step)
    supplied = right_side(problem, contacts, inputs, step, q, v, v, work, scratch, False)
    find_contacts(problem, contacts, step, q_mid, v, work)
    for i in range(v.shape[0]):
        x[i] = inputs.motion[1, i] if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0 else v[i]
        scratch.velocity_before[i] = x[i]
    fast = midpoint and not contacts.poisson and is_fast(contacts, step)
    if fast:
        before_impact(problem, contacts, step, q_mid, v, work, scratch)
        fill(contacts.impact.after, 0.0)
        rebound(contacts)
    missed = aim(problem.rows, problem, contacts, inputs, step, q_mid, x, work)
    # Impulses and end velocity, again with what that tells: momentum at the end, saturated servos, rows of the end.
    residual = 0.0
    free = midpoint and touches_nothing_fixed(contacts)
    most = _FREE_SWEEPS if free else (2 + midpoint if contacts.bilateral.kernel.shape[0] == 0 else _SWEEPS)
    change = 0.0
    for sweep in range(most):
        if contacts.robot.dense:
            fill_mass(problem, contacts, step, work)
            reduce_rows(problem.rows, contacts)
        residual = solve_contacts(problem, contacts, q_mid, work, work.tau, step)
        again = saturate(problem, contacts, inputs, step, q, v, x)
        missed = aim(problem.rows, problem, contacts, inputs, step, q_mid, x, work)
        again = again or missed > _MISSED * (1.0 + fastest(x))
        change_before = change
        change = replaced(x, scratch.velocity_before) if free else 0.0
        if sweep >= midpoint and not again:
            # The next sweep would change as much less as this one did.
            if not free or change * change <= _ROUND_OFF * (1.0 + fastest(x)) * change_before:
                break
        if fast:
            after_impact(problem, contacts, inputs, step, q_mid, v, work, scratch)
            rebound(contacts)
            missed = aim(problem.rows, problem, contacts, inputs, step, q_mid, x, work)
        mean = scratch.mean_velocity
        for i in range(v.shape[0]):
            mean[i] = 0.5 * (v[i] + x[i]) if midpoint else v[i]
            scratch.rhs_before[i] = contacts.rhs[i]
        if again:  # a servo that has come to its limit adds nothing to M any more
            joint_diagonal_again(problem, contacts, v, step)
        supplied = right_side(problem, contacts, inputs, step, q, v, mean, work, scratch, midpoint)
        exact = 0.0 if free else 0.1 * contacts.tolerance * contacts.mean_weight * step
        if sweep >= contacts.crowd.begun and not again and not fast and replaced(contacts.rhs, scratch.rhs_before) <= exact:
            break
        recentre(contacts)
    # Forces, work and losses, and what the next step starts from.
    judge(contacts, residual)
    if contacts.robot.dense:
        balance(contacts, x, work.tau)
        book_rows(problem.rows, problem, contacts, step, q_mid, v, work, work.tau)
    working_velocity(problem, contacts, inputs, step, q_mid, v, work, scratch, fast)
    book_drives(problem, contacts, inputs, step, q, v, x, work.tau, scratch.mean_velocity, supplied)
    book_contacts(contacts, step)


@compiled(late=())
def before_impact(problem, contacts, step, q_mid, v, work, scratch):
    """``impact.before`` and ``velocity_before``: what the momentum of the start makes at q_M beyond v; ``rhs`` is kept."""
    for i in range(v.shape[0]):
        scratch.needed[i] = contacts.rhs[i]
        scratch.unread[i] = v[i] - scratch.jump[i]  # to which that momentum belongs
    carried(problem, contacts, q_mid, scratch.momenta.start, scratch.unread, work, contacts.impact.before)
    joint_diagonal_again(problem, contacts, v, step)
    for i in range(v.shape[0]):
        contacts.impact.velocity_before[i] = contacts.impact.velocity[i]
        contacts.rhs[i] = scratch.needed[i]


@compiled(late=())
def after_impact(problem, contacts, inputs, step, q_mid, v, work, scratch):
    """``impact.after`` and ``impact.velocity``: what the momentum of the end makes at q_M beyond v_E; ``rhs`` is lost."""
    x = contacts.end_velocity
    for i in range(v.shape[0]):
        scratch.back[i] = work.tau[i]  # of imposed joints, which the account needs where this is the last sweep
    end_momenta(problem, inputs, step, q_mid, x, scratch.momenta)
    carried(problem, contacts, q_mid, scratch.momenta.end, x, work, contacts.impact.after)
    joint_diagonal_again(problem, contacts, v, step)
    for i in range(v.shape[0]):
        work.tau[i] = scratch.back[i]


@compiled(called=True)
def carried(problem, contacts, q_mid, momenta, v, work, result):
    """What ``momenta`` (nf, 6) of one end make at q_M beyond its velocity v: ``impact.velocity``, at the contacts ``result``.

    They are carried there in no time: implicit laws of the joints add nothing to M. With what they add over a step, which is
    more than M itself where servos and rods are stiff, the account of an impact would be wrong by the first order of the step.
    """
    joint_diagonal_again(problem, contacts, v, 0.0)
    if contacts.robot.dense:
        fill_mass(problem, contacts, 0.0, work)
        reduce_rows(problem.rows, contacts)
    momentum_bias(problem, contacts, q_mid, momenta, v, work)
    at_contacts(problem, contacts, q_mid, work, result)


@compiled(called=True)
def working_velocity(problem, contacts, inputs, step, q_mid, v, work, scratch, fast):
    """``mean_velocity``: on which the impulses of the step do their work; ``impact.fast``: whether that needs ``impact``.

    With v_M the velocities that have the momenta of both ends at q_M, the change of M v_M is the sum of all impulses, and that of
    1/2 v_M . M v_M their work on the mean of both v_M. It is (v_A + v_E) / 2 but for the second order where velocities change
    little, but for the first in a jump, by an impact or without (Painleve). ``rhs`` and ``work.tau`` are kept.
    """
    x = contacts.end_velocity
    mean = scratch.mean_velocity
    jumps = contacts.midpoint and (fast or has_jump(contacts, step))
    contacts.impact.fast = jumps
    for i in range(v.shape[0]):
        mean[i] = 0.5 * (v[i] + x[i])
        scratch.rhs_before[i] = contacts.rhs[i]
        scratch.passive[i] = work.tau[i]
    if jumps:
        if not fast:
            before_impact(problem, contacts, step, q_mid, v, work, scratch)
        after_impact(problem, contacts, inputs, step, q_mid, v, work, scratch)
        if contacts.robot.dense:
            fill_mass(problem, contacts, step, work)
            reduce_rows(problem.rows, contacts)
        for i in range(v.shape[0]):
            mean[i] += 0.5 * (contacts.impact.velocity_before[i] + contacts.impact.velocity[i])
            contacts.rhs[i] = scratch.rhs_before[i]
            work.tau[i] = scratch.passive[i]


@compiled
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


@compiled(called=True)
def right_side(problem, contacts, inputs, step, q, v, bias_v, work, scratch, balanced):
    """``rhs`` of the step's equation: dt (tau - h) + (M + E) v_A; ``balanced``: with the change of momentum for the bias h.

    Inverse dynamics finds both: at the velocity ``bias_v`` for the acceleration -v_A / dt, or at rest for -v_E / dt under what
    :func:`~locodyn.integrate.momentum_balance.load_change` loads the bodies with.
    """
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
    supplied = 0.0
    if problem.strands.shape[0] > 0:
        strand_forces(
            problem.dofs, problem.strands, problem.strand_constants, problem.strand_points, contacts.strands, q_mid, passive
        )
        for i in range(n):
            supplied += passive[i] * bias_v[i]
    joint_forces(problem.frames, problem.dof_constants, q_mid, v, passive)
    driven = has_known(problem.rows)
    outside = driven or problem.wrenches.frame.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(problem.frames)
    outside = outside or work.memory.state.shape[0] > 0
    loads = work.wrenches if outside or balanced else work.wrenches[:0]
    lost = 0.0
    if outside:
        (_, lost, power, steering), rubbed = middle_wrenches(problem, inputs, step, bias_v, work, scratch)
        supplied += power + steering - rubbed + power_of_functions(inputs, work.motions)
        for i in range(n):
            passive[i] += scratch.rubbing[i]
    elif balanced:
        fill(work.wrenches, 0.0)
    if driven:
        supplied += add_known(problem.rows, contacts, work.motions, work.wrenches)
    speed = bias_v
    if balanced:
        end_momenta(problem, inputs, step, q_mid, contacts.end_velocity, scratch.momenta)
        load_change(problem, work, -rate, scratch.momenta.start, scratch.momenta.end)
        for i in range(n):
            # Impacts at q_M have changed the momentum by M jump; a rotor has armature times v, and turns with nothing.
            back[i] = -rate * (contacts.end_velocity[i] + scratch.jump[i])
            passive[i] -= rate * armature(problem, i) * (contacts.end_velocity[i] + scratch.jump[i] - v[i])
        speed = contacts.zero
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q_mid, speed, back, loads, frame_work, needed)
    for i in range(n):
        total = contacts.applied[i] + passive[i] - needed[i]
        extra = 0.0 if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0 else carried_on(problem, contacts, step, v, i)
        if implicit_servo(problem, contacts, i):
            total += servo_force(problem, inputs, step, q, v, i, 0.0)
        elif contacts.saturated[i] != 0:
            total += limited(problem.dof_constants, i, contacts.saturated[i] * 1e300, v[i]) - contacts.applied[i]
        contacts.rhs[i] = step * total + extra
    return supplied - lost


@compiled(called=True)
def middle_wrenches(problem, inputs, step, bias_v, work, scratch):
    """What acts from outside at (q_M, ``bias_v``), as of ``outer_wrenches``, and power that bristles lose.

    With the states of laws in the middle of the step, z_M = z_A + dt/2 f(q_M, bias_v, z_M). ``scratch.rubbing``: forces of the
    bristles at joints.
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


@compiled(late=())
def end_memory(problem, contacts, inputs, step, v, work, scratch):
    """States of laws at the end of the step, z_E = 2 z_M - z_A, with z_M at the velocity (v_A + v_E) / 2."""
    mean, memory = scratch.mean_velocity, work.memory
    for i in range(v.shape[0]):
        mean[i] = 0.5 * (v[i] + contacts.end_velocity[i])
    middle_wrenches(problem, inputs, step, mean, work, scratch)
    for c in range(memory.state.shape[0]):
        memory.state[c] = 2.0 * memory.value[c] - memory.state[c]


@compiled
def fastest(x):
    """Largest entry of x."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = max(largest, abs(x[i]))
    return largest


@compiled
def replaced(x, before):
    """Largest change of an entry of x; ``before`` comes to hold x."""
    worst = 0.0
    for i in range(x.shape[0]):
        worst = max(worst, abs(x[i] - before[i]))
        before[i] = x[i]
    return worst
