"""Contacts by semismooth Newton in velocity space, with an augmented Lagrangian where it does not settle.

First rung: proximal Newton, z = proj(zc - rho w) linearised about the last pair (z, w), centre zc = z, friction radius frozen at
the centre; one linear solve an iteration, as long as the residual falls. Other rungs: the convex problem of a fixed centre is
solved by Newton with an exact line search, then the centre moves (augmented Lagrangian). Every pair (z, w) satisfies the dynamics
exactly, and so does every convex combination of two pairs: a line search needs no dynamics. The third rung lets friction radii
move within the iteration: :mod:`locodyn.locomotion.contact_coupled`.

Many contacts of a moving robot have normal velocities that are not zero together, by 1e-8 m/s and less: strictly, only as many as
there are freedoms carry load, and which ones is a matter of round-off, with loads that move far for it. After the third rung a
small compliance about the start of the step decides it, about zero for contacts that carried no steady load before: u_N =
-soft (P_N - start), which is below 1e-7 m/s for loads that change slowly, and 1e-4 of the speed of an inelastic impact.
"""

from __future__ import annotations

from math import nan

from locodyn.kernel import kernel, routine
from locodyn.kernel.vector import load3
from locodyn.locomotion.contact_arrays import (
    CENTRE,
    CLOSED,
    FIRST_RHO,
    FROZEN,
    ITERATIONS,
    KNOWN_RADIUS,
    LEAST,
    MASS_SCALE,
    MOST_ITERATIONS,
    RUNG,
    SHIFT,
    SOFT,
    START,
    STEADY,
    W_BEST,
    W_NEXT,
    X_BEST,
    X_NEXT,
    Z_BEST,
    Z_NEXT,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact_coupled import solve_coupled, takes
from locodyn.locomotion.contact_law import centre_on, copy_columns, keep_best, linearise, natural_residual, recentre, response
from locodyn.locomotion.contact_operator import respond

# Of the first rung: iterations, after how many the residual must have halved, largest rho over the mean mass of a link.
_FAST, _PATIENCE, _LARGEST_STEP = 60, 6, 1e4
# Of the other rungs.
_RUNGS, _ROUNDS = 10, 40
_COUPLED = 2  # the rung on which friction radii move within Newton's iteration
_ADAPT = 4  # iterations after which friction radii no longer simply follow
_SEARCHES = 40
_SOFT = 1e-4  # compliance of steady loads, over that of the mean mass of a link
_NONE = 1e300  # residual of a pair that is not there


@kernel
def accept(c):
    """The new pair becomes the pair."""
    copy_columns(c, Z_NEXT, Z, 12)
    for m in range(c.vectors.shape[1]):
        c.vectors[X, m] = c.vectors[X_NEXT, m]


@kernel
def newton_step(p, c, q, w, tau, rho):
    """Linearise, solve: the new pair in Z_NEXT, W_NEXT, X_NEXT."""
    linearise(c, rho)
    for m in range(c.vectors.shape[1]):
        c.vectors[X_NEXT, m] = c.vectors[X, m]  # imposed entries stay
    respond(p, c, q, w, c.vectors[X_NEXT], tau)


@kernel
def slope(c, rho, share):
    """Derivative of the convex function along the way from the pair to the new one, at ``share`` of it; and its defect there.

    phi'(s) = sum (z(s) - proj(zc - rho w(s))) . dw
    """
    row = c.contact
    total = 0.0
    for i in range(c.counts[CLOSED]):
        z = between(row, i, Z, Z_NEXT, share)
        y = between(row, i, Z + 3, Z_NEXT + 3, share)
        u = between(row, i, W, W_NEXT, share)
        s = between(row, i, W + 3, W_NEXT + 3, share)
        centre = load3(row, i, CENTRE)
        a, b, _, _, _, _ = response(c, i, centre, load3(row, i, CENTRE + 3), u, s, row[i, FROZEN], rho)
        for j in range(3):
            total += (z[j] - a[j]) * (row[i, W_NEXT + j] - row[i, W + j])
            total += (y[j] - b[j]) * (row[i, W_NEXT + 3 + j] - row[i, W + 3 + j])
    return total


@kernel
def between(row, i, first, last, share):
    """Three entries at ``share`` of the way from column ``first`` to column ``last``."""
    return (
        row[i, first] + share * (row[i, last] - row[i, first]),
        row[i, first + 1] + share * (row[i, last + 1] - row[i, first + 1]),
        row[i, first + 2] + share * (row[i, last + 2] - row[i, first + 2]),
    )


@kernel
def inner_defect(c, rho):
    """Largest distance of z from proj(zc - rho w), N s."""
    row = c.contact
    worst = 0.0
    for i in range(c.counts[CLOSED]):
        centre = load3(row, i, CENTRE)
        z = load3(row, i, Z)
        y = load3(row, i, Z + 3)
        a, b, _, _, _, _ = response(
            c, i, centre, load3(row, i, CENTRE + 3), load3(row, i, W), load3(row, i, W + 3), row[i, FROZEN], rho
        )
        for j in range(3):
            worst = max(worst, max(abs(z[j] - a[j]), abs(y[j] - b[j])))
    return worst


@kernel
def go_part(c, rho):
    """Go to the minimum of the convex function on the way to the new pair: the zero of its rising slope, by bisection."""
    share = 1.0
    if slope(c, rho, 1.0) > 0.0:
        low = 0.0
        high = 1.0
        for _ in range(_SEARCHES):
            share = 0.5 * (low + high)
            if slope(c, rho, share) > 0.0:
                high = share
            else:
                low = share
        share = 0.5 * (low + high)
    row = c.contact
    for i in range(c.counts[CLOSED]):
        for j in range(12):
            row[i, Z + j] += share * (row[i, Z_NEXT + j] - row[i, Z + j])
    for m in range(c.vectors.shape[1]):
        c.vectors[X, m] += share * (c.vectors[X_NEXT, m] - c.vectors[X, m])
    return share


@kernel
def soften(c):
    """Give contacts that do not rebound their compliance; returns whether there are any.

    Of a moving robot about zero where they carried no steady load; at rest only those that carried load before.
    """
    row = c.contact
    found = False
    for i in range(c.counts[CLOSED]):
        rebounds = row[i, SHIFT] < 0.0 or row[i, LEAST] > 0.0
        if row[i, KNOWN_RADIUS] < 0.0 and (row[i, STEADY] >= 0.0 or row[i, START] > 0.0) and not rebounds:
            row[i, SOFT] = _SOFT / c.settings[MASS_SCALE]
            if row[i, STEADY] == 0.0:
                row[i, START] = 0.0
            found = True
    return found


@routine
def solve_newton(p, c, q, w, tau, tolerance):
    """From centres and velocities W at hand to a pair on the law; returns the residual (N s). ``tau``: of imposed joints.

    Where it does not settle the best pair of this call is taken. Where no pair was finite there is none: the velocity and the
    residual are not numbers then, and the run ends.
    """
    mass = c.settings[MASS_SCALE]
    iterations = 0
    rung = 0
    best = _NONE
    residual = _NONE
    rho = c.settings[FIRST_RHO]
    checked = _NONE
    before = 0.0
    for k in range(_FAST):
        newton_step(p, c, q, w, tau, rho)
        accept(c)
        iterations += 1
        residual = natural_residual(c, Z, W, mass)
        if k > 1 and 0.4 * before < residual < before:  # slow but sure: a larger step contracts faster
            rho = min(10.0 * rho, _LARGEST_STEP * mass)
        before = residual
        if residual < best:
            best = residual
            keep_best(c)
        if residual <= tolerance:
            break
        running = recentre(c, k >= _ADAPT)
        if k % _PATIENCE == _PATIENCE - 1:
            if not best < 0.5 * checked and running == 0:
                break
            checked = best
    factor = 1000.0
    while not residual <= tolerance and best < _NONE and iterations < c.counts[MOST_ITERATIONS]:
        rung += 1
        rho = factor * mass
        if rung == _COUPLED + 1 and soften(c):
            best = natural_residual(c, Z_BEST, W_BEST, mass)
        copy_columns(c, Z_BEST, Z, 12)
        for m in range(c.vectors.shape[1]):
            c.vectors[X, m] = c.vectors[X_BEST, m]
        if (rung == _COUPLED or rung == _COUPLED + 1) and takes(p, c):
            residual, count = solve_coupled(p, c, q, w, tau, tolerance, best)
            best = min(best, residual)
            iterations += count
            continue
        recentre(c, False)
        for i in range(c.counts[CLOSED]):
            centre_on(c, i, W, mass)
        last = iterations + _ROUNDS
        goal = best
        while iterations < last and iterations < c.counts[MOST_ITERATIONS]:
            newton_step(p, c, q, w, tau, rho)
            go_part(c, rho)
            iterations += 1
            residual = natural_residual(c, Z, W, mass)
            if residual < best:
                best = residual
                keep_best(c)
            if residual <= tolerance:
                break
            inner = inner_defect(c, rho)
            if inner <= 0.1 * max(tolerance, min(goal, residual)):
                for i in range(c.counts[CLOSED]):
                    centre_on(c, i, W, rho)
                goal = residual
        factor = 10.0 if factor > 100.0 else factor * 10.0
        if rung >= _RUNGS:
            break
    if not best < _NONE:
        residual = nan
        for m in range(c.vectors.shape[1]):
            c.vectors[X, m] = nan
    elif not residual <= tolerance:
        copy_columns(c, Z_BEST, Z, 12)
        for m in range(c.vectors.shape[1]):
            c.vectors[X, m] = c.vectors[X_BEST, m]
        residual = best
    c.report[ITERATIONS] += iterations
    c.report[RUNG] = rung
    return residual
