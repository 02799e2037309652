"""Impacts by Poisson's law: compression, in which contacts stop approaching, then expansion, in which they give impulses back.

    compression:  M (v_C - v_A) = J^T P_C,   0 <= u_C  perp  P_C >= 0
    expansion:    M (v_E - v_C) = J^T P_E,   0 <= u_E  perp  P_E - e P_C >= 0

for the normals of all closed contacts, Coulomb friction in both phases (Pfeiffer and Glocker 1996, 8.2). No time passes, so that
forces and supports with a known load do nothing. A contact that is only pressed, not approached, gives back as well: the impulse
runs through a row of bodies, which it does not with Newton's law. Steps in which nothing approaches have no impact: a resting
robot stays at rest.

By either law an impact acts at q_M, the configuration in the middle of a step, to which the momentum of the start is carried
without a change. The velocity v_M with M(q_M) v_M equal to it differs from v_A, whose components belong to other axes:
M (v_M - v_A) is the ``bias``. Impulses do work on velocities v_M, and restitution turns them around; with v_A instead, an
elastic impact would change the energy by the first order of the step.
"""

from __future__ import annotations

from locodyn.contact.block import clear_law, scaled
from locodyn.contact.dense import balance, fill_mass, reduce_right_side, reduce_rows
from locodyn.contact.detection import find_closed
from locodyn.contact.islands import sort_islands
from locodyn.contact.law import impulses
from locodyn.contact.operator import relative_twist, respond
from locodyn.contact.rows import contact_rows
from locodyn.contact.solve import judge, solve_contacts
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import compiled
from locodyn.kernel.vector import load3, load9, rotate, store3
from locodyn.shape.kinematics import frame_poses

_AT_REST = 1e-6  # m/s: slower approaches are left to the step
# Steps of free fall: an impulse at less speed is of the first order of the step, and the bias at it of the second.
_FAST = 10.0


@compiled(called=True)
def at_contacts(problem, contacts, q_mid, work, result):
    """J M^-1 ``bias`` of the closed contacts into ``result`` (c, 6), normalised; ``rhs`` and ``particular`` are lost."""
    impact = contacts.impact
    for i in range(impact.bias.shape[0]):
        contacts.rhs[i] = impact.bias[i]
        contacts.bilateral.particular[i] = 0.0
        impact.velocity[i] = 0.0
    if contacts.bilateral.kernel.shape[0] > 0:
        reduce_right_side(contacts)
    if contacts.islands.trees > 1 and not contacts.robot.dense:  # each body by itself
        contacts.end = contacts.begin
        respond(problem, contacts, q_mid, work, impact.velocity, work.tau)
        contacts.end = contacts.closed
        for i in range(contacts.closed):
            u, s = relative_twist(contacts, work.work, i)
            store3(result, i, 0, scaled(load3(contacts.scales, i, 0), u))
            store3(result, i, 3, scaled(load3(contacts.scales, i, 3), s))
        return
    for i in range(contacts.closed):
        clear_law(contacts, i)
    respond(problem, contacts, q_mid, work, impact.velocity, work.tau)
    for i in range(contacts.closed):
        result[i, 0] = contacts.response.velocity[i, 0] - contacts.shift[i]
        for j in range(1, 6):
            result[i, j] = contacts.response.velocity[i, j]


@compiled
def is_fast(contacts, step):
    """Whether a closed contact approaches faster than gravity makes it in a few steps."""
    slow = _FAST * contacts.mean_weight / contacts.mean_mass * step
    for i in range(contacts.closed):
        if contacts.known_radius[i] < 0.0 and contacts.velocity_before[i, 0] - contacts.curve[i] < -slow:
            return 1
    return 0


@compiled
def has_jump(contacts, step):
    """Whether the velocity of a closed contact has changed by more than gravity makes in a few steps."""
    slow = _FAST * contacts.mean_weight / contacts.mean_mass * step
    for i in range(contacts.closed):
        for j in range(3):
            change = contacts.velocity[i, j] - contacts.velocity_before[i, j]
            if j == 0:
                change -= contacts.shift[i]
            if abs(change) > slow * contacts.scales[i, j] and contacts.impulse[i, j] != 0.0:
                return 1
    return 0


@compiled
def rebound(contacts):
    """``shift`` of elastic contacts in a fast impact: u_N at q_M, with what the bias makes, turns around, e times as fast."""
    for i in range(contacts.closed):
        e = contacts.pairs.restitution[contacts.pair[i]]
        came = contacts.velocity_before[i, 0] + contacts.impact.before[i, 0]
        if e > 0.0 and came < 0.0:
            contacts.shift[i] = min(contacts.curve[i], contacts.impact.after[i, 0] + e * came)


@compiled(called=True)
def momentum_of(problem, contacts, q_mid, v, work):
    """rhs := M v, from which a phase starts; bilateral rows are kept by changes of v in their kernel."""
    zero = contacts.zero
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    inverse_dynamics(
        problem.frames, problem.constants, contacts.no_gravity, q_mid, zero, v, work.wrenches[:0], frame_work, contacts.rhs
    )
    for i in range(v.shape[0]):
        contacts.bilateral.particular[i] = v[i]
    reduce_rows(problem.rows, contacts)


@compiled
def begin_phase(contacts, share):
    """Velocities of the response become those before the phase; normal impulses are at least ``share`` e times what they were."""
    for i in range(contacts.closed):
        contacts.least_impulse[i] = share * contacts.pairs.restitution[contacts.pair[i]] * contacts.impulse[i, 0]
        for j in range(6):
            contacts.velocity_before[i, j] = contacts.response.velocity[i, j]
            contacts.velocity[i, j] = contacts.response.velocity[i, j]
            contacts.centre[i, j] = 0.0
        contacts.centre[i, 0] = contacts.least_impulse[i]


@compiled
def end_phase(contacts, residual):
    """Impulses of the pairs and losses of a phase into the report; velocities become those of the response."""
    judge(contacts, residual)
    for i in range(contacts.closed):
        f, _ = impulses(contacts, i)
        if contacts.known_radius[i] < 0.0:
            force = rotate(load9(contacts.basis, i, 0), f)
            for j in range(3):
                contacts.pair_impulse[contacts.pair[i], j] += force[j]
        contacts.report.impact_loss -= 0.5 * contacts.impulse[i, 0] * (contacts.velocity_before[i, 0] + contacts.velocity[i, 0])
        for j in range(1, 6):
            contacts.report.friction_loss -= (
                0.5 * contacts.impulse[i, j] * (contacts.velocity_before[i, j] + contacts.velocity[i, j])
            )
        for j in range(6):
            contacts.response.velocity[i, j] = contacts.velocity[i, j]


@compiled(late=())
def collide(problem, contacts, step, q_mid, v, work):
    """Velocities v before the impacts at q_mid become those after them; nothing happens where nothing approaches.

    The impacts see M v + ``bias``, and change it and M v alike.
    """
    frame_poses(problem.frames, problem.constants, q_mid, 1, work.poses)
    find_closed(contacts, work.poses, 0.0)
    for i in range(contacts.closed):
        contacts.islands.likely[i] = 1
    sort_islands(contacts)
    x = contacts.end_velocity
    if contacts.robot.dense:
        contact_rows(problem, contacts, q_mid, work)
        fill_mass(problem, contacts, 0.0, work)
    momentum_of(problem, contacts, q_mid, v, work)
    for i in range(v.shape[0]):
        contacts.rhs[i] += contacts.impact.bias[i]
    if contacts.bilateral.kernel.shape[0] > 0:
        reduce_right_side(contacts)
    for i in range(contacts.closed):
        contacts.shift[i] = 0.0
        clear_law(contacts, i)
        for j in range(6):
            contacts.impulse[i, j] = 0.0
    for i in range(v.shape[0]):
        x[i] = v[i]
    respond(problem, contacts, q_mid, work, x, work.tau)
    fastest = 0.0
    for i in range(contacts.closed):
        if contacts.known_radius[i] < 0.0:
            fastest = min(fastest, contacts.response.velocity[i, 0])
    if fastest > -_AT_REST:
        return
    for i in range(v.shape[0]):
        contacts.impact.velocity[i] = x[i] - v[i]
    # The first half of the step was gone with v as it is: half the work of the weight goes by the velocities before the impact.
    weight = contacts.impact.weight
    zero = contacts.zero
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q_mid, zero, zero, work.wrenches[:0], frame_work, weight)
    for i in range(v.shape[0]):
        contacts.report.impact_loss -= 0.5 * step * weight[i] * v[i]
    for share in (0.0, 1.0):
        begin_phase(contacts, share)
        end_phase(contacts, solve_contacts(problem, contacts, q_mid, work, work.tau, step))
        if contacts.robot.dense:
            balance(contacts, x, work.tau)
        for i in range(v.shape[0]):
            v[i] = x[i]
            if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0:
                contacts.report.supplied += (work.tau[i] - contacts.rhs[i]) * v[i]  # its actuator takes the impulse
        momentum_of(problem, contacts, q_mid, v, work)
    for i in range(v.shape[0]):
        v[i] -= contacts.impact.velocity[i]
        contacts.report.impact_loss += 0.5 * step * weight[i] * v[i]
