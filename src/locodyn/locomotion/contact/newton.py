"""Contacts by semismooth Newton in velocity space, with a line search, on an augmented Lagrangian.

With the centres zc held, impulses are a function of the velocity alone, the normal one first, then friction with its radius:

    z_N = max(0, zc_N - rho w_N),    z_T = proj_{R(z_N)}(zc_T - rho w_T).

Newton's iteration on this law and the dynamics linearises the law, radius and all, about the velocities of the last pair (z, w);
one linear solve gives the next pair, :mod:`locodyn.locomotion.contact.operator`. Every pair satisfies the dynamics exactly, and
so does every combination of two: the line search, on the distance of z from the law, for which Newton's direction is one of
descent, needs no dynamics. Where it is stuck rho falls, and rises again when the law is met.

The law is that of a spring, w = (zc - z) / rho, and has one solution also where contacts are more than the freedoms need: what is
undetermined of the impulses stays that of the centres, and normal velocities that are not zero together by 1e-9 m/s (strictly,
only as many contacts as there are freedoms carry load then, and which ones is a matter of round-off) change loads little. With
centres that are the impulses it is the rigid law. If a pair misses that by more than ``strict``, its impulses become the centres,
and again as long as it comes nearer; where it does not, contacts disagree, and the spring becomes stiffer until they do not by
more than that. None of this depends on the tolerance, so that the motion does not either; but where few contacts leave no loads
open ``strict`` is the tolerance. Robots with wheels or loops may wedge, so that a contact is as hard to move as 1e4 masses: for
them the spring is stiffer from the start.
"""

from __future__ import annotations

from math import nan

from locodyn.kernel import kernel, routine
from locodyn.locomotion.contact.law import copy_rows, hold_reversed, linearise, natural_residual, recentre
from locodyn.locomotion.contact.operator import respond

# rho over the mean mass of a link: first, by what it falls, least, largest; of robots with wheels or loops, which may wedge (a
# wedge is as hard to move as many masses).
_FIRST_RHO, _FALLS, _LEAST_RHO, _LARGEST_RHO, _STIFF_RHO = 1e3, 10.0, 1.0, 1e7, 1e4
_PATIENCE = 20  # iterations with a rho
_HALVINGS = 12
_DESCENT = 1e-4
_LOOSE = 10.0  # by which the distance from the law may grow where friction that turns round is held
_ROUNDS = 2  # after so many, and when the rigid law comes no nearer, a pair on the law about its centres is taken
_DISAGREE = 1e4  # times ``strict``: a larger miss comes of loads that run away (Painleve), not of contacts that disagree
_STRICTER = 0.1  # part of the miss of the rigid law at which centres begin to move: at which they stop
_NONE = 1e300  # residual of a pair that is not there


@kernel
def new_pair(problem, contacts, q, work, tau):
    """The pair of the linear law at hand into the response."""
    x = contacts.newton.next_end_velocity
    copy_vector(contacts.end_velocity, x)  # imposed entries stay
    respond(problem, contacts, q, work, x, tau)


@kernel
def go_towards(contacts, share):
    """Go ``share`` of the way to the new pair."""
    new = contacts.response
    for i in range(contacts.closed):
        for j in range(6):
            contacts.impulse[i, j] += share * (new.impulse[i, j] - contacts.impulse[i, j])
            contacts.velocity[i, j] += share * (new.velocity[i, j] - contacts.velocity[i, j])
    x = contacts.end_velocity
    for m in range(x.shape[0]):
        x[m] += share * (contacts.newton.next_end_velocity[m] - x[m])


@kernel
def keep_best(contacts):
    """The pair becomes the best one."""
    best = contacts.newton
    copy_rows(contacts.impulse, best.best_impulse, contacts.closed)
    copy_rows(contacts.velocity, best.best_velocity, contacts.closed)
    copy_vector(contacts.end_velocity, best.best_end_velocity)


@kernel
def take_best(contacts):
    """The best pair becomes the one at hand."""
    best = contacts.newton
    copy_rows(best.best_impulse, contacts.impulse, contacts.closed)
    copy_rows(best.best_velocity, contacts.velocity, contacts.closed)
    copy_vector(best.best_end_velocity, contacts.end_velocity)


@kernel
def copy_vector(source, target):
    """target := source."""
    for m in range(source.shape[0]):
        target[m] = source[m]


@kernel
def improve(problem, contacts, q, work, tau, rho, merit):
    """Newton's step from the pair at hand, as far as the distance from the law falls below ``merit``.

    Returns the distance there (sum of squares, and its largest entry), whether it has not fallen, and how many linear problems
    were solved.
    """
    new_pair(problem, contacts, q, work, tau)
    solves = 1
    share = 1.0
    found, inner = linearise(contacts, rho, share)
    if found > (1.0 - _DESCENT) * merit:
        linearise(contacts, rho, 0.0)
        if hold_reversed(contacts, rho) > 0:
            new_pair(problem, contacts, q, work, tau)
            found, inner = linearise(contacts, rho, share)
            solves += 1
            if found > _LOOSE * merit:
                linearise(contacts, rho, 0.0)
                new_pair(problem, contacts, q, work, tau)
                solves += 1
            else:
                merit = 2.0 * found
        for _ in range(_HALVINGS):
            if not found > (1.0 - _DESCENT * share) * merit:
                break
            share *= 0.5
            found, inner = linearise(contacts, rho, share)
    stuck = found >= merit
    go_towards(contacts, share)
    return found, inner, stuck, solves


@routine
def solve_newton(problem, contacts, q, work, tau, tolerance, strict):
    """From centres and velocities at hand to a pair on the law; returns the residual of the rigid law's natural map (N s).

    ``tolerance`` (N s) is that of the law about the centres, ``strict`` that of the rigid law; both must be met. ``tau``: of
    imposed joints.
    Where it does not settle the best pair of this call is taken. Where no pair was finite there is none: the velocity and the
    residual are not numbers then, and the run ends.
    """
    mass = contacts.mean_mass
    stiff = contacts.bilateral.kernel.shape[0] > 0
    first = (_STIFF_RHO if stiff else _FIRST_RHO) * mass
    top = first
    rho = top
    returned = False
    iterations = 0
    tries = 0
    rung = 0
    rounds = 0
    last = _NONE
    met = False
    best = _NONE
    residual = _NONE
    merit = _NONE
    linearise(contacts, rho, 0.0)
    while iterations < contacts.most_iterations:
        found, inner, stuck, solves = improve(problem, contacts, q, work, tau, rho, merit)
        iterations += solves
        tries += 1
        merit = found
        residual = natural_residual(contacts, mass)
        if residual < best:
            best = residual
            keep_best(contacts)
        if not residual < _NONE:
            break
        settled = residual <= (strict if rounds == 0 else _STRICTER * strict)
        slow = residual > 0.5 * last
        rough = residual > strict and rho < _LARGEST_RHO * mass
        settled = settled or (slow and not rough and rounds * rho >= _ROUNDS * first)
        if inner <= tolerance and settled:
            met = residual <= strict
            break
        if inner <= 0.1 * residual and rho < top:
            tries = 0
            returned = True
            rho *= _FALLS
            merit, _ = linearise(contacts, rho, 0.0)
        elif inner <= 0.1 * residual and not settled:
            rounds += 1
            if slow and rough and (stiff or residual < _DISAGREE * strict):
                rho *= _FALLS
                top = rho
            last = residual
            recentre(contacts)
            merit, _ = linearise(contacts, rho, 0.0)
        elif stuck or tries >= _PATIENCE:
            rung += 1
            tries = 0
            if returned:
                top = rho / _FALLS
                returned = False
            rho /= _FALLS
            if rho < _LEAST_RHO * mass:
                break
            merit, _ = linearise(contacts, rho, 0.0)
    if not best < _NONE:
        residual = nan
        for m in range(contacts.rhs.shape[0]):
            contacts.end_velocity[m] = nan
    elif not met:
        take_best(contacts)
        residual = best
    contacts.report.iterations += iterations
    contacts.report.relaxations = rung
    contacts.report.met = 1 if met else 0
    return residual
