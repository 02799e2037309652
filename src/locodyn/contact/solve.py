"""Impulses of the closed contacts and the velocity at the end of a step, by the solver that was chosen."""

from __future__ import annotations

from locodyn.contact.block import scaled
from locodyn.contact.free_heap import is_free_heap
from locodyn.contact.gauss_seidel import fixed_impulses, solve_gauss_seidel, solve_prox
from locodyn.contact.heap_sweeps import all_lone, begin_heap, sweep_heap
from locodyn.contact.islands import contact_at, enter, sort_islands, whole
from locodyn.contact.law import copy_rows, is_plain, natural_residual
from locodyn.contact.newton import solve_newton
from locodyn.contact.operator import relative_twist, respond
from locodyn.contact.options import SOLVER
from locodyn.contact.sleeping import falls_asleep
from locodyn.contact.smoothing import CROWD, solve_crowd
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.kernel import compiled
from locodyn.kernel.vector import load3, store3
from locodyn.robot.layout import FIRST_V

# Natural map of the rigid law that is good enough where loads are open, over the weight of a link times the step. It does
# not follow the tolerance, since the path would, see locodyn.contact.newton.
_STRICT = 1e-6


@compiled(called=True)
def solve_contacts(problem, contacts, q_mid, work, tau, step):
    """End velocity and impulses by the chosen solver; returns the residual of the natural map, reports whether it is ``met``."""
    scale = contacts.mean_weight * step
    solver = contacts.solver
    contacts.report.relaxations = 0
    contacts.report.met = 1
    if contacts.closed == 0:
        respond(problem, contacts, q_mid, work, contacts.end_velocity, tau)
        return 0.0
    tolerance = contacts.tolerance
    if solver == SOLVER.newton:
        if contacts.crowd.solved == 0 and contacts.islands.trees > 1:
            begin_heap(problem, contacts, step)
        residual = solve_islands(problem, contacts, q_mid, work, tau, tolerance * scale, _STRICT * scale)
        while contacts.islands.natural == 0 and contacts.islands.first_contact[contacts.islands.count] < contacts.closed:
            if wake_idle(problem, contacts, q_mid, work, tau, tolerance * scale) == 0.0:
                break
            residual = solve_islands(problem, contacts, q_mid, work, tau, tolerance * scale, _STRICT * scale)
        contacts.crowd.solved += 1
        if contacts.report.relaxations > 0 and problem.imposed.shape[0] > 0:
            fixed_impulses(problem, contacts, q_mid, work, tau)  # forces of imposed joints for the pair that was chosen
        return residual / scale
    if solver == SOLVER.gauss_seidel:
        residual = solve_gauss_seidel(problem, contacts, q_mid, work, tau, tolerance * scale)
    else:
        residual = solve_prox(problem, contacts, q_mid, work, tau, tolerance * scale)
    contacts.report.met = 1 if residual <= tolerance * scale else 0
    return residual / scale


@compiled(called=True)
def solve_islands(problem, contacts, q_mid, work, tau, tolerance, strict):
    """Newton's method for one island after the other, then for what touches nothing; returns the largest residual, N s.

    ``tolerance`` (N s) of the law about the centres; of the rigid one it is at least ``strict`` where loads are open.
    """
    largest = 0.0
    contacts.report.met = 1
    for island in range(contacts.islands.count):
        enter(contacts, island)
        rigid = tolerance if contacts.bilateral.kernel.shape[0] > 0 or few_loads(contacts) else max(tolerance, strict)
        if one_contact(contacts) and solve_single(problem, contacts, rigid) > 0.0:
            residual = contacts.newton.residual
        elif contacts.sleeping and falls_asleep(problem, contacts, q_mid, work, tau, rigid) > 0.0:
            residual = contacts.newton.residual
        elif contacts.islands.natural or contacts.end - contacts.begin < CROWD:
            residual = solve_newton(problem, contacts, q_mid, work, tau, tolerance, rigid)
        else:
            residual = solve_crowd(problem, contacts, q_mid, work, tau, tolerance, rigid)
        if not residual <= largest:  # also where it is not a number
            largest = residual
    if contacts.islands.natural == 0:
        enter(contacts, contacts.islands.count)
        if contacts.islands.end > contacts.islands.begin:
            contacts.end = contacts.begin
            respond(problem, contacts, q_mid, work, contacts.end_velocity, tau)
    whole(contacts)
    return largest


@compiled(inline=True)
def one_contact(contacts):
    """Whether the island has a single contact, and consists of free bodies."""
    return contacts.islands.natural == 0 and contacts.end - contacts.begin == 1 and not contacts.sleeping


@compiled(late=1)
def solve_single(problem, contacts, goal):
    """1 where two sweeps solve an island of one contact: where its rows do not act on each other, as with balls; else 0."""
    if contacts.heap.matrix.shape[0] == 0 or not is_plain(contacts) or not is_free_heap(contacts):
        return 0.0
    newton = contacts.newton
    if contacts.crowd.begun and contacts.crowd.solved == 0:
        newton.residual = natural_residual(contacts, contacts.mean_mass)
        if newton.residual <= goal:
            return 1.0
    copy_rows(contacts, contacts.centre, contacts.impulse)
    sweep_heap(problem.frames, contacts, contacts.end_velocity, 2)
    newton.residual = natural_residual(contacts, contacts.mean_mass)
    return 1.0 if newton.residual <= goal else 0.0


@compiled(late=1)
def wake_idle(problem, contacts, q_mid, work, tau, tolerance):
    """Idle contacts whose gap the velocities found would close take part; returns how many these are.

    A velocity that misses the law by ``tolerance`` (N s) for the mean mass of a link counts.
    """
    first = contacts.islands.first_contact[contacts.islands.count]
    if all_lone(contacts):
        idle_velocities(problem.frames, contacts, work.work)
    else:
        fixed_impulses(problem, contacts, q_mid, work, tau)
    woken = 0.0
    for c in range(first, contacts.closed):
        i = contact_at(contacts, c)
        if not contacts.velocity[i, 0] * contacts.mean_mass >= -tolerance:
            contacts.islands.likely[i] = 1
            woken += 1.0
    if woken > 0.0:
        sort_islands(contacts)
    return woken


@compiled
def idle_velocities(frames, contacts, frame_work):
    """Velocities of the idle contacts of free bodies, whose coordinates are their twists."""
    for k in range(contacts.islands.tree.shape[0]):
        if contacts.islands.tree[k] >= 0:
            i = frames[k, FIRST_V]
            for j in range(6):
                frame_work[k, WORK.twist + j] = contacts.end_velocity[i + j]
    for c in range(contacts.islands.first_contact[contacts.islands.count], contacts.closed):
        i = contact_at(contacts, c)
        u, s = relative_twist(contacts, frame_work, i)
        u = scaled(load3(contacts.scales, i, 0), u)
        store3(contacts.velocity, i, 0, (u[0] + contacts.shift[i], u[1], u[2]))
        store3(contacts.velocity, i, 3, scaled(load3(contacts.scales, i, 3), s))


@compiled
def few_loads(contacts):
    """Whether so few contacts are closed that their loads are determined: up to three, supports with known loads aside."""
    count = 0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if contacts.known_radius[i] < 0.0:
            count += 1
    return count <= 3


@compiled
def judge(contacts, residual):
    """Count what the solver has found: its residual, and whether it is what was asked for."""
    contacts.report.residual = max(contacts.report.residual, residual)
    if not residual <= contacts.report.worst_residual:
        contacts.report.worst_residual = residual
    if not contacts.report.met:
        contacts.report.unconverged += 1
