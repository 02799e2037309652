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

*Factors that serve again.* In a heap of free bodies the factors of the linear problem cost three times what it costs to solve
it with them. After an iteration that has come much nearer, the next ones keep D, (1 - P')^-1 and the factors, and only find q
anew (a chord method): as long as each comes nearer by half.

*Where it begins.* In heaps of balls where much changes, with the pair that a few sweeps over the contacts leave
(:mod:`locodyn.contact.heap_sweeps`); else springs go first, for a few iterations: they are enough where little changes, and leave
a body at rest alone. They also go on where this method fails.

*Where it ends.* Where the natural map of the rigid law itself is met, by the tolerance and by a tenth of ``strict``. The first
sweep of a step only serves the change of momentum that the next one starts from (:mod:`locodyn.integrate.moreau_velocity`): where
a heap begins with sweeps over its contacts it ends at a twentieth of the largest impulse.
"""

from __future__ import annotations

from locodyn.contact.block import responding
from locodyn.contact.free_heap import is_free_heap
from locodyn.contact.heap_sweeps import sweep_heap
from locodyn.contact.islands import contact_at
from locodyn.contact.law import between, is_plain, recentre
from locodyn.contact.newton import go_towards, new_pair, search, solve_newton
from locodyn.contact.operator import respond_again
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, load3, store3, subtract
from locodyn.robot.layout import MASS

CROWD = 6  # contacts of an island: with fewer, springs need as few iterations
_FIRST = 4  # iterations that springs have, which are enough where little changes
_SWEEPS = 8  # over the contacts of a heap, where the right-hand side has changed
_MORE_SWEEPS = 32  # times the number of short steps, where the search is stuck: with few of them it comes back to the same place
_ROUGHLY = 0.05  # of the largest impulse: what the first sweep of a step may miss
_MOST = 100  # iterations
_AGAIN, _NEARER = 0.1, 0.25  # of the sum of squares: factors serve again where less was left, and while less is left
_LEAST_SHARE = 0.1  # of the way to the response
_DESCENT = 1e-4
_LESS, _GENTLE, _GENTLER = 0.1, 0.5, 4.0  # factor of the blur, at first, at most, and by what it grows where a step was short
_MORE = 5.0  # factor by which the blur rises
_FAST, _FASTEST = 5.0, 0.02  # by this times what is missed over the blur it falls, if that is less, and at least by the second
_NEAR = 0.5  # of the blur: root of the mean square of what is missed, below which the blur falls
_GROWS = 4.0  # factor of the sum of squares that a short step may bring
_SHORT = 0.2  # share of a step, below which the blur rises
_STUCK, _WIDER = 2, 2.0  # short steps, after which sweeps begin anew, with a blur of so many times what they miss
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
    newton, report, crowd = contacts.newton, contacts.report, contacts.crowd
    goal, met = min(tolerance, _CLOSE * strict), report.met
    if crowd.begun:
        if crowd.solved == 0:
            goal = _ROUGHLY * largest_impulse(contacts)
        else:
            sweep_heap(problem.frames, contacts, contacts.end_velocity, _SWEEPS)
    else:
        residual = search(problem, contacts, q, work, tau, tolerance, strict, _FIRST)
        if newton.met or not residual < _NONE:
            return residual
        report.met = met
    residual = smoothed_pair(problem, contacts, q, work, tau, goal)
    if not newton.met:
        return solve_newton(problem, contacts, q, work, tau, tolerance, strict)
    recentre(contacts)
    report.relaxations += 1  # a pair between two: forces of imposed joints are to be found for it
    return residual


@compiled
def largest_impulse(contacts):
    """Largest normal impulse of the island at hand."""
    largest = 0.0
    for c in range(contacts.begin, contacts.end):
        largest = max(largest, contacts.impulse[contact_at(contacts, c), 0])
    return largest


@compiled
def smoothed_pair(problem, contacts, q, work, tau, goal):
    """From the pair at hand towards one whose natural map is at most ``goal`` (N s); returns that map, ``met`` whether it is."""
    newton = contacts.newton
    count = contacts.end - contacts.begin
    least = _LEAST * goal
    find_masses(contacts)
    total, newton.residual = rounded(contacts, least, 0.0)
    newton.met = 1 if newton.residual <= goal else 0
    blur = max(least, sqrt(total / count))
    top = _MORE * blur
    heap, again = is_free_heap(contacts), False
    stuck, fall = 0, _LESS
    for _ in range(0 if newton.met else min(_MOST, contacts.most_iterations)):
        if again:
            merit = offset_again(contacts, blur)
            respond_again(problem, contacts, work, newton.next_end_velocity, tau)
        else:
            merit = linear_law(contacts, blur)
            new_pair(problem, contacts, q, work, tau)
        contacts.report.iterations += 1
        share = 1.0
        reached, residual = rounded(contacts, blur, share)
        if again and not reached < _NEARER * merit:
            again = False
            continue
        while share > _LEAST_SHARE and not reached < (1.0 - _DESCENT * share) * merit:
            share *= 0.5
            reached, residual = rounded(contacts, blur, share)
        if reached < _GROWS * merit and goes(contacts, share, residual, goal):  # neither far off nor not a number
            break
        again = heap and share == 1.0 and reached < _AGAIN * merit
        if share >= _SHORT:
            blur = less_blur(blur, sqrt(reached / count), least, fall)
            continue
        stuck += 1
        fall = min(_GENTLE, _GENTLER * fall)
        blur = min(_MORE * blur, top)
        if contacts.crowd.begun and stuck % _STUCK == 0:
            sweep_heap(problem.frames, contacts, contacts.end_velocity, _MORE_SWEEPS * stuck)
            total, newton.residual = rounded(contacts, least, 0.0)
            blur = max(blur, _WIDER * sqrt(total / count))
            top = _MORE * blur
    return newton.residual


@compiled
def less_blur(blur, missed, least, fall):
    """The blur of the next iteration, where a pair misses the law rounded over this one by so much; ``fall``: its factor."""
    if missed < _NEAR * blur:
        return max(blur * min(fall, max(_FASTEST, _FAST * missed / blur)), least)
    return blur


@compiled
def goes(contacts, share, residual, goal):
    """Go ``share`` of the way to the response; whether that ends where it should, ``met``."""
    newton = contacts.newton
    go_towards(contacts, share)
    newton.residual = residual
    newton.met = 1 if residual <= goal else 0
    return newton.met


@compiled
def find_masses(contacts):
    """Mass that each contact moves: that of its two bodies, kg."""
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        inverse = 0.0
        for k in (contacts.frame[i], contacts.other[i]):
            if k >= 0 and contacts.islands.tree[k] >= 0:
                mass = contacts.robot.constants[k, MASS]
                inverse += 1.0 / (mass if mass > 0.0 else contacts.mean_mass)
        contacts.crowd.mass[i] = 1.0 / inverse if inverse > 0.0 else contacts.mean_mass


@compiled(called=True)
def rounded(contacts, blur, share):
    """Of the pair at ``share`` of the way to the response: sum of squares of the rounded natural map, largest entry of the rigid
    one (N s), :func:`~locodyn.contact.law.natural_residual`."""
    total, worst = 0.0, 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        z = between(contacts.impulse, contacts.response.impulse, i, 0, share)
        w = between(contacts.velocity, contacts.response.velocity, i, 0, share)
        f, missed = missed_at(contacts, i, z, w, blur)
        unit = contacts.units[i, 0]
        total += f * f + unit * unit * (missed[0] * missed[0] + missed[1] * missed[1])
        worst = max(worst, abs(z[0] - max(0.0, z[0] - contacts.mean_mass * w[0])))
        if contacts.scales[i, 1] > 0.0:
            stiff = contacts.mean_mass / (unit * unit)
            x, y, radius = z[1] - stiff * w[1], z[2] - stiff * w[2], max(0.0, z[0])
            length = sqrt(x * x + y * y)
            k = radius / length if length > radius else 1.0
            worst = max(worst, unit * max(abs(z[1] - k * x), abs(z[2] - k * y)))
    return total, worst


@compiled(inline=True)
def missed_at(contacts, i, z, w, blur):
    """The rounded natural map of contact i: normal, and (forward, side)."""
    mass = contacts.crowd.mass[i]
    f, _, _ = normal_law(z[0], w[0], mass, blur)
    missed = (0.0, 0.0)
    if contacts.scales[i, 1] > 0.0:
        unit = contacts.units[i, 0]
        missed, _, _, _ = sliding_law(z, w, _TURNING * mass / (unit * unit), blur)
    return f, missed


@compiled(called=True)
def linear_law(contacts, blur):
    """D and q of the linear law, about the pair at hand; returns the sum of squares of the rounded natural map there."""
    total = 0.0
    crowd = contacts.crowd
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        z, w = load3(contacts.impulse, i, 0), load3(contacts.velocity, i, 0)
        mass, unit = crowd.mass[i], contacts.units[i, 0]
        f, d, inverse = normal_law(z[0], w[0], mass, blur)
        missed, slide, back, pull = (0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0)
        if contacts.scales[i, 1] > 0.0:
            missed, slide, back, pull = sliding_law(z, w, _TURNING * mass / (unit * unit), blur)
        total += f * f + unit * unit * (missed[0] * missed[0] + missed[1] * missed[1])
        crowd.normal[i] = d
        store3(crowd.sliding, i, 0, slide)
        crowd.inverse[i, 0] = inverse
        store3(crowd.inverse, i, 1, back)
        crowd.inverse[i, 4] = pull[0]
        crowd.inverse[i, 5] = pull[1]
        store_law(contacts, i, z, w, f, missed)
    return total


@compiled(called=True)
def offset_again(contacts, blur):
    """q of the linear law about the pair at hand, with D and (1 - P')^-1 of the last time; returns the sum of squares too."""
    total = 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        z, w = load3(contacts.impulse, i, 0), load3(contacts.velocity, i, 0)
        f, missed = missed_at(contacts, i, z, w, blur)
        unit = contacts.units[i, 0]
        total += f * f + unit * unit * (missed[0] * missed[0] + missed[1] * missed[1])
        store_law(contacts, i, z, w, f, missed)
    return total


@compiled(inline=True)
def store_law(contacts, i, z, w, f, missed):
    """D as at hand and q = z - (1 - P')^-1 (f; missed) + D w of contact i."""
    law, crowd = contacts.linear, contacts.crowd
    back = crowd.inverse
    d, slide, pull = crowd.normal[i], load3(crowd.sliding, i, 0), (back[i, 4], back[i, 5])
    normal = back[i, 0] * f
    change = (
        normal,
        back[i, 1] * missed[0] + back[i, 2] * missed[1] + pull[0] * normal,
        back[i, 2] * missed[0] + back[i, 3] * missed[1] + pull[1] * normal,
    )
    by_radius = (d * pull[0], d * pull[1], 0.0, 0.0, 0.0)
    pushed, _ = responding(d, slide, 0.0, (0.0, 0.0, 0.0), by_radius, w, (0.0, 0.0, 0.0))
    z = z if contacts.scales[i, 1] > 0.0 else (z[0], 0.0, 0.0)
    law.normal[i] = d
    store3(law.sliding, i, 0, slide)
    law.spinning[i] = 0.0
    store3(law.rolling, i, 0, (0.0, 0.0, 0.0))
    for j in range(5):
        law.by_radius[i, j] = by_radius[j]
    store3(law.offset, i, 0, add(subtract(z, change), pushed))
    store3(law.offset, i, 3, (0.0, 0.0, 0.0))


@compiled(inline=True)
def normal_law(z, w, r, blur):
    """(z_N - max(0, z_N - r w_N), D, (1 - P')^-1), with the maximum rounded."""
    a = z - r * w
    root = sqrt(a * a + 4.0 * blur * blur)
    slope = 0.5 * (1.0 + a / root)
    inverse = 1.0 / (1.0 - slope + _SLACK)
    return z - 0.5 * (a + root), r * slope * inverse, inverse


@compiled(inline=True)
def sliding_law(z, w, r, blur):
    """The like for z_T - proj(z_T - r w_T): what is missed, D and (1 - P')^-1 (xx, xy, yy), and how z_T follows z_N."""
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
    c_across = 1.0 / (1.0 - across + _SLACK)
    c_along = 1.0 / (1.0 - along + _SLACK)
    d_across = r * across * c_across
    bend = r * along * c_along - d_across
    more = c_along - c_across
    pull = c_along * by_radius
    return (
        (z[1] - across * x, z[2] - across * y),
        (d_across + bend * ex * ex, bend * ex * ey, d_across + bend * ey * ey),
        (c_across + more * ex * ex, more * ex * ey, c_across + more * ey * ey),
        (pull * ex, pull * ey),
    )
