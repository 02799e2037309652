"""Contacts of many bodies that touch each other: Newton's method on a smoothed natural map.

The springs of :mod:`locodyn.contact.newton` are stiff, and a line search meets one change between stick and slip after the other:
a heap that collapses takes hundreds of iterations. Here no spring is there. Impulses and velocities are both unknown, and the
natural map of the rigid law,

    z_N = max(0, z_N - r w_N),      z_T = proj_{R(z_N)}(z_T - r w_T),

is rounded off over a *blur* of e N s (Chen and Harker 1993; Kanzow 1996; Smale 1987):

    max(0, a)   ->  (a + sqrt(a^2 + 4 e^2)) / 2,    that is z_N r w_N = e^2,
    proj_R(y)   ->  R y / h,    h = (|y| + R + sqrt((|y| - R)^2 + 4 e^2)) / 2.

Its derivative P' has eigenvalues between 0 and 1, so that Newton's linear law z = q - D w has D = r P' (1 - P')^-1: the same
form as that of springs, with a stiffness that every contact finds for itself. The blur falls where a pair is on the rounded law
as well as that is near the rigid one, and rises where the line search is stuck. About ten iterations, whatever the size of the
heap.

The search ends where the natural map of the rigid law itself is met, by the tolerance and by a tenth of ``strict``. Springs go
first, for a few iterations: they are enough where little changes, and leave a body at rest alone. They also go on where this
method fails.
"""

from __future__ import annotations

from locodyn.contact.block import response_to
from locodyn.contact.islands import contact_at, index
from locodyn.contact.law import between, natural_residual, recentre
from locodyn.contact.newton import go_towards, new_pair, search, solve_newton
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, store3, subtract
from locodyn.robot.layout import MASS
from locodyn.world.contact_pairs import FRICTION

CROWD = 6  # contacts of an island: with fewer, springs need as few iterations
_FIRST = 4  # iterations that springs have, which are enough where little changes
_MOST = 40  # iterations
_HALVINGS = 4
_DESCENT = 1e-4
_LESS, _MORE = 0.1, 5.0  # factors of the blur
_FAST, _FASTEST = 5.0, 0.02  # by this times what is missed over the blur it falls, if that is less, and at least by the second
_NEAR = 0.5  # of the blur: root of the mean square of what is missed, below which the blur falls
_GROWS = 4.0  # factor of the sum of squares that a short step may bring
_SHORT = 0.2  # share of a step, below which the blur rises
_LEAST = 1e-4  # of what is asked for: least blur
_SLACK = 5e-5  # keeps 1 - P' away from 0: D is at most r over this
_THIN = 0.01  # part of the blur by which the radius of friction is kept above zero
_TURNING = 2.0 / 7.0  # mass that a ball opposes along its surface, over its mass
_CLOSE = 0.1  # part of ``strict`` that is asked for, as where centres have moved
_NONE = 1e300


@compiled(late=1)
def solve_crowd(problem, contacts, q, work, tau, tolerance, strict):
    """:func:`~locodyn.contact.newton.solve_newton` for an island of many contacts; returns the residual likewise."""
    if contacts.most_iterations <= _FIRST or not is_plain(contacts):
        return solve_newton(problem, contacts, q, work, tau, tolerance, strict)
    newton, report = contacts.newton, contacts.report
    met = report.met
    residual = search(problem, contacts, q, work, tau, tolerance, strict, _FIRST)
    if newton.met or not residual < _NONE:
        return residual
    report.met = met
    residual = smoothed_pair(problem, contacts, q, work, tau, min(tolerance, _CLOSE * strict))
    if not newton.met:
        return solve_newton(problem, contacts, q, work, tau, tolerance, strict)
    recentre(contacts)
    report.relaxations += 1  # a pair between two: forces of imposed joints are to be found for it
    return residual


@compiled
def is_plain(contacts):
    """Whether all contacts of the island have Coulomb's law by its ellipse alone: no rolling, no known or least loads."""
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if contacts.pairs.friction_law[index(contacts.pair[i])] != FRICTION.coulomb or contacts.known_radius[i] >= 0.0:
            return False
        if contacts.forward_share[i] != 1.0 or contacts.backward_share[i] != 1.0 or contacts.least_impulse[i] != 0.0:
            return False
        if (
            contacts.scales[i, 3] > 0.0
            or contacts.scales[i, 4] > 0.0
            or (contacts.scales[i, 1] > 0.0) != (contacts.scales[i, 2] > 0.0)
        ):
            return False
    return True


@compiled
def smoothed_pair(problem, contacts, q, work, tau, goal):
    """From the pair at hand towards one whose natural map is at most ``goal`` (N s); returns that map, ``met`` whether it is."""
    newton = contacts.newton
    count = contacts.end - contacts.begin
    least = _LEAST * goal
    blur = max(least, sqrt(rounded(contacts, least, 0.0, False) / count))
    top = _MORE * blur
    newton.met = 0
    for _ in range(min(_MOST, contacts.most_iterations)):
        merit = rounded(contacts, blur, 0.0, True)
        new_pair(problem, contacts, q, work, tau)
        contacts.report.iterations += 1
        share = 1.0
        reached = rounded(contacts, blur, share, False)
        for _ in range(_HALVINGS):
            if reached < (1.0 - _DESCENT * share) * merit:
                break
            share *= 0.5
            reached = rounded(contacts, blur, share, False)
        if reached < _GROWS * merit:  # neither far off nor not a number
            go_towards(contacts, share)
            newton.residual = natural_residual(contacts, contacts.mean_mass)
            if newton.residual <= goal:
                newton.met = 1
                break
        missed = sqrt(reached / count)
        if not share >= _SHORT:
            blur = min(_MORE * blur, top)
        elif missed < _NEAR * blur:
            blur = max(blur * min(_LESS, max(_FASTEST, _FAST * missed / blur)), least)
    return newton.residual


@compiled
def mass_at(contacts, i):
    """Mass that contact i moves: that of its two bodies, kg."""
    inverse = 0.0
    for k in (contacts.frame[i], contacts.other[i]):
        if k >= 0 and contacts.islands.tree[k] >= 0:
            mass = contacts.robot.constants[k, MASS]
            inverse += 1.0 / (mass if mass > 0.0 else contacts.mean_mass)
    return 1.0 / inverse if inverse > 0.0 else contacts.mean_mass


@compiled
def rounded(contacts, blur, share, linear):
    """Sum of squares of the rounded natural map at ``share`` of the way to the response; ``linear``: also its linear law."""
    total = 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        z = between(contacts.impulse, contacts.response.impulse, i, 0, share)
        w = between(contacts.velocity, contacts.response.velocity, i, 0, share)
        mass = mass_at(contacts, i)
        f, d, correction = normal_law(z[0], w[0], mass, blur)
        total += f * f
        unit = contacts.units[i, 0]
        rubs = contacts.scales[i, 1] > 0.0
        slide, column, change = (0.0, 0.0, 0.0), (0.0, 0.0), (0.0, 0.0)
        if rubs:
            stiff = _TURNING * mass / (unit * unit)
            missed, slide, column, change = sliding_law(z, w, stiff, blur, d, correction)
            total += unit * unit * (missed[0] * missed[0] + missed[1] * missed[1])
        if linear:
            law = contacts.linear
            law.normal[i] = d
            store3(law.sliding, i, 0, slide)
            law.spinning[i] = 0.0
            for j in range(3):
                law.rolling[i, j] = 0.0
            law.by_radius[i, 0] = column[0]
            law.by_radius[i, 1] = column[1]
            for j in range(2, 5):
                law.by_radius[i, j] = 0.0
            pushed, _ = response_to(contacts, i, w, (0.0, 0.0, 0.0))
            z = z if rubs else (z[0], 0.0, 0.0)
            store3(law.offset, i, 0, add(subtract(z, (correction, change[0], change[1])), pushed))
            store3(law.offset, i, 3, (0.0, 0.0, 0.0))
    return total


@compiled(inline=True)
def normal_law(z, w, r, blur):
    """(z_N - max(0, z_N - r w_N), D, (1 - P')^-1 of the former), with the maximum rounded."""
    a = z - r * w
    root = sqrt(a * a + 4.0 * blur * blur)
    slope = 0.5 * (1.0 + a / root)
    missed = z - 0.5 * (a + root)
    inverse = 1.0 / (1.0 - slope + _SLACK)
    return missed, r * slope * inverse, missed * inverse


@compiled(inline=True)
def sliding_law(z, w, r, blur, d_normal, correction):
    """The like for z_T - proj(z_T - r w_T): what is missed, D (xx, xy, yy), its column of the normal velocity, and correction."""
    thin = _THIN * blur
    root = sqrt(z[0] * z[0] + 4.0 * thin * thin)
    radius = 0.5 * (z[0] + root)
    growth = 0.5 * (1.0 + z[0] / root)
    x = z[1] - r * w[1]
    y = z[2] - r * w[2]
    length = sqrt(x * x + y * y)
    k = 1.0 / length if length > 0.0 else 0.0
    ex, ey = k * x, k * y
    root = sqrt((length - radius) * (length - radius) + 4.0 * blur * blur)
    h = 1.0 / (0.5 * (length + radius + root))
    inner = 0.5 * (1.0 - (length - radius) / root)
    across = radius * h
    along = across * (1.0 - length * h * (1.0 - inner))
    by_radius = length * h * (1.0 - across * inner) * growth
    fx = z[1] - across * x
    fy = z[2] - across * y
    c_across = 1.0 / (1.0 - across + _SLACK)
    c_along = 1.0 / (1.0 - along + _SLACK)
    d_across = r * across * c_across
    bend = r * along * c_along - d_across
    part = (c_along - c_across) * (ex * fx + ey * fy) + c_along * by_radius * correction
    pull = c_along * by_radius * d_normal
    return (
        (fx, fy),
        (d_across + bend * ex * ex, bend * ex * ey, d_across + bend * ey * ey),
        (pull * ex, pull * ey),
        (c_across * fx + part * ex, c_across * fy + part * ey),
    )
