"""Contacts by semismooth Newton in velocity space, with a line search, on an augmented Lagrangian.

With the centres zc held, impulses are a function of the velocity alone, the normal one first, then friction with its radius:

    z_N = max(0, zc_N - rho w_N),    z_T = proj_{R(z_N)}(zc_T - rho w_T).

*Inner iteration* (:func:`newton_step`). Newton's iteration on this law and the dynamics linearises the law, radius and all,
about the velocities of the last pair (z, w); one linear solve gives the next pair, :mod:`locodyn.contact.operator`.
Every pair satisfies the dynamics exactly, and so does every combination of two: the line search, on the distance of z from the
law, for which Newton's direction is one of descent, needs no dynamics.

*Continuation in compliance* (:func:`go_on`). The law is that of a spring, w = (zc - z) / rho, and has one solution also where
contacts are more than the freedoms need: what is undetermined of the impulses stays that of the centres, and normal velocities
that are not zero together by 1e-9 m/s (strictly, only as many contacts as there are freedoms carry load then, and which ones is
a matter of round-off) change loads little. Where the iteration is stuck the spring becomes softer, and stiffer again when its
law is met. With centres that are the impulses it is the rigid law. If a pair misses that by more than ``strict``, its impulses
become the centres, and again as long as it comes nearer; where it does not, contacts disagree, and the spring becomes stiffer
until they do not by more than that. Robots with wheels or loops may wedge, so that a contact is as hard to move as 1e4 masses:
for them the spring is stiffer from the start.

*Acceptance* (:func:`is_settled`). A pair must be on the law about its centres by the tolerance, and on the rigid law by
``strict``. None of the continuation depends on the tolerance, so that the motion does not either; but where few contacts leave
no loads open ``strict`` is the tolerance.
"""

from __future__ import annotations

from math import nan

from locodyn.contact.islands import contact_at, coordinate_at
from locodyn.contact.law import copy_rows, hold_reversed, linearise, natural_residual, recentre, settle_velocities
from locodyn.contact.operator import respond
from locodyn.kernel import compiled

# rho over the mean mass of a link: first, by what it falls or rises, least, largest; of robots with wheels or loops, which may
# wedge (a wedge is as hard to move as many masses).
_FIRST_RHO, _FACTOR, _LEAST_RHO, _LARGEST_RHO, _WEDGE_RHO = 1e3, 10.0, 1.0, 1e7, 1e4
_PATIENCE = 20  # iterations with a rho
_HALVINGS = 12
_DESCENT = 1e-4
_LOOSE = 10.0  # by which the distance from the law may grow where friction that turns round is held
_LOWER = 0.9  # part of the distance when it was held before, below which it may be held again: otherwise the iteration may cycle
_ON_LAW = 0.1  # a pair nearer to the law about its centres than this part of its miss of the rigid law is on it
_NEARER = 0.5  # part of the miss before, below which a pair has come nearer to the rigid law
_ROUNDS = 2  # after so many, and when the rigid law comes no nearer, a pair on the law about its centres is taken
_DISAGREE = 1e4  # times ``strict``: a larger miss comes of loads that run away (Painleve), not of contacts that disagree
_STRICTER = 0.1  # part of the miss of the rigid law at which centres begin to move: at which they stop
_NONE = 1e300  # residual of a pair that is not there


@compiled
def solve_newton(problem, contacts, q, work, tau, tolerance, strict):
    """From centres and velocities at hand to a pair on the law; returns the residual of the rigid law's natural map (N s).

    ``tolerance`` (N s) is that of the law about the centres, ``strict`` that of the rigid law; both must be met. ``tau``: of
    imposed joints.
    Where it does not settle the best pair of this call is taken. Where no pair was finite there is none: the velocity and the
    residual are not numbers then, and the run ends.
    """
    return search(problem, contacts, q, work, tau, tolerance, strict, contacts.most_iterations)


@compiled(called=True)
def search(problem, contacts, q, work, tau, tolerance, strict, most):
    """:func:`solve_newton` with at most so many iterations."""
    newton = contacts.newton
    begin_search(contacts)
    while newton.iterations < most:
        newton_step(problem, contacts, q, work, tau)
        newton.residual = natural_residual(contacts, contacts.mean_mass)
        if not newton.residual < _NONE:  # not a number
            break
        settled = newton.distance <= tolerance and is_settled(contacts, strict)
        newton.met = 1 if settled and newton.residual <= strict else 0
        if newton.met:
            break
        keep_best(contacts)
        if settled or not go_on(contacts, strict):
            break
    end_search(contacts)
    return newton.residual


@compiled
def begin_search(contacts):
    """The first spring, and the law linearised about the velocities at hand."""
    newton = contacts.newton
    newton.first_rho = (_WEDGE_RHO if may_wedge(contacts) else _FIRST_RHO) * contacts.mean_mass
    newton.rho = newton.first_rho
    newton.top_rho = newton.first_rho
    newton.rises = 0
    newton.iterations = 0
    newton.tries = 0
    newton.relaxations = 0
    newton.rounds = 0
    newton.merit = _NONE
    newton.held_merit = _NONE
    newton.residual = _NONE
    newton.last_residual = _NONE
    newton.best_residual = _NONE
    newton.met = 0
    linearise(contacts, newton.rho, 0.0)


@compiled
def may_wedge(contacts):
    """Whether wheels or loops hold the robot."""
    return contacts.bilateral.kernel.shape[0] > 0


# ---------------------------------------------------------------------------------------------------- inner iteration
@compiled
def newton_step(problem, contacts, q, work, tau):
    """The pair of the linear law, as far on the way to it as the distance from the law falls; ``stuck`` where it has not."""
    newton = contacts.newton
    rho = newton.rho
    goal = newton.merit
    share = 1.0
    new_pair(problem, contacts, q, work, tau)
    merit, distance = linearise(contacts, rho, share)
    if merit > (1.0 - _DESCENT) * goal:
        linearise(contacts, rho, 0.0)
        may_hold = contacts.islands.natural or goal < _LOWER * newton.held_merit
        if may_hold and hold_reversed(contacts, rho) > 0:
            newton.held_merit = goal
            # Sliding that turns round passes through stick: with friction held there the distance may grow for once.
            new_pair(problem, contacts, q, work, tau)
            merit, distance = linearise(contacts, rho, share)
            if merit > _LOOSE * goal:
                linearise(contacts, rho, 0.0)
                new_pair(problem, contacts, q, work, tau)
            else:
                goal = 2.0 * merit
        for _ in range(_HALVINGS):
            if not merit > (1.0 - _DESCENT * share) * goal:
                break
            share *= 0.5
            merit, distance = linearise(contacts, rho, share)
    go_towards(contacts, share)
    newton.stuck = 1 if merit >= goal else 0
    newton.merit = merit
    newton.distance = distance
    newton.tries += 1


@compiled
def new_pair(problem, contacts, q, work, tau):
    """The pair of the linear law at hand into the response."""
    x = contacts.newton.next_end_velocity
    copy_vector(contacts, contacts.end_velocity, x)  # imposed entries stay
    respond(problem, contacts, q, work, x, tau)
    contacts.newton.iterations += 1


@compiled
def go_towards(contacts, share):
    """Go ``share`` of the way to the new pair."""
    new = contacts.response
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        for j in range(6):
            contacts.impulse[i, j] += share * (new.impulse[i, j] - contacts.impulse[i, j])
            contacts.velocity[i, j] += share * (new.velocity[i, j] - contacts.velocity[i, j])
    x = contacts.end_velocity
    for c in range(contacts.islands.first, contacts.islands.last):
        m = coordinate_at(contacts, c)
        x[m] += share * (contacts.newton.next_end_velocity[m] - x[m])


# ----------------------------------------------------------------------------------------- continuation in compliance
@compiled
def go_on(contacts, strict):
    """The spring and the centres of the next iteration; returns whether there are any."""
    newton = contacts.newton
    on_law = newton.distance <= _ON_LAW * newton.residual
    newton.held_merit = _NONE if on_law else newton.held_merit
    if on_law and newton.rho < newton.top_rho:
        stiffen(contacts)
        return True
    elif on_law and not is_settled(contacts, strict):
        move_centres(contacts, strict)
        return True
    elif newton.stuck or newton.tries >= _PATIENCE:
        soften(newton)
        if newton.rho < _LEAST_RHO * contacts.mean_mass:
            return False
    else:
        return True
    newton.merit, _ = linearise(contacts, newton.rho, 0.0)
    newton.held_merit = _NONE
    return True


@compiled
def stiffen(contacts):
    """A pair is on the law of a softer spring: back towards the one that is asked for, by the same impulses."""
    newton = contacts.newton
    newton.tries = 0
    newton.rises = 1
    newton.rho *= _FACTOR
    linearise_about(contacts, 1.0 / _FACTOR)


@compiled
def linearise_about(contacts, share):
    """Linearise the law where it gives the impulses at hand: ``share`` of the velocities along what carries load, or sticks.

    About all of a velocity of a softer spring, or of one with other centres, contacts would let go that hold. It is the velocity
    of no pair: whatever comes next is taken. A robot by itself goes on from the pair: few of its contacts let go, and where its
    loads are open the way to them counts, since friction and so the path follow them.
    """
    if contacts.islands.natural:
        contacts.newton.merit, _ = linearise(contacts, contacts.newton.rho, 0.0)
        return
    settle_velocities(contacts, share)
    linearise(contacts, contacts.newton.rho, 0.0)
    contacts.newton.merit = _NONE


@compiled
def soften(newton):
    """The iteration is stuck: a softer spring. One that was reached on the way back is as stiff as it gets."""
    newton.relaxations += 1
    newton.tries = 0
    if newton.rises:
        newton.top_rho = newton.rho / _FACTOR
        newton.rises = 0
    newton.rho /= _FACTOR


@compiled
def move_centres(contacts, strict):
    """Centres := impulses, of which the rigid law is the fixed point; a stiffer spring where that comes no nearer."""
    newton = contacts.newton
    newton.rounds += 1
    disagree = may_wedge(contacts) or newton.residual < _DISAGREE * strict
    disagree = disagree or (not contacts.islands.natural and newton.rho < newton.first_rho)
    if not comes_nearer(newton) and may_stiffen(contacts, strict) and disagree:
        newton.rho *= _FACTOR
        newton.top_rho = newton.rho
    newton.last_residual = newton.residual
    recentre(contacts)
    linearise_about(contacts, 0.0)


@compiled
def comes_nearer(newton):
    """Whether the pair misses the rigid law by much less than before its centres were moved."""
    return not newton.residual > _NEARER * newton.last_residual


@compiled
def may_stiffen(contacts, strict):
    """Whether a stiffer spring is needed, and there is one."""
    return contacts.newton.residual > strict and contacts.newton.rho < _LARGEST_RHO * contacts.mean_mass


# --------------------------------------------------------------------------------------------------------- acceptance
@compiled
def keep_best(contacts):
    """The pair is kept where it is the best one so far."""
    newton = contacts.newton
    if newton.residual < newton.best_residual:
        newton.best_residual = newton.residual
        copy_rows(contacts, contacts.impulse, newton.best_impulse)
        copy_rows(contacts, contacts.velocity, newton.best_velocity)
        copy_vector(contacts, contacts.end_velocity, newton.best_end_velocity)


@compiled
def is_settled(contacts, strict):
    """Whether the rigid law is met, more closely once centres have moved; or comes no nearer, whatever is done."""
    newton = contacts.newton
    if newton.residual <= (strict if newton.rounds == 0 else _STRICTER * strict):
        return True
    tried = newton.rounds * newton.rho >= _ROUNDS * newton.first_rho
    return not comes_nearer(newton) and not may_stiffen(contacts, strict) and tried


@compiled
def end_search(contacts):
    """The best pair where none was accepted, nothing where none was finite; what the report says of the search."""
    newton = contacts.newton
    if not newton.met and not newton.best_residual < _NONE:
        newton.residual = nan
        for c in range(contacts.islands.first, contacts.islands.last):
            contacts.end_velocity[coordinate_at(contacts, c)] = nan
    elif not newton.met:
        newton.residual = newton.best_residual
        copy_rows(contacts, newton.best_impulse, contacts.impulse)
        copy_rows(contacts, newton.best_velocity, contacts.velocity)
        copy_vector(contacts, newton.best_end_velocity, contacts.end_velocity)
    contacts.report.iterations += newton.iterations
    contacts.report.relaxations += newton.relaxations
    contacts.report.met = contacts.report.met and newton.met


@compiled
def copy_vector(contacts, source, target):
    """target := source, in the coordinates of the island at hand."""
    if contacts.islands.natural:  # all of them, in their own order
        for m in range(source.shape[0]):
            target[m] = source[m]
        return
    for c in range(contacts.islands.first, contacts.islands.last):
        m = coordinate_at(contacts, c)
        target[m] = source[m]
