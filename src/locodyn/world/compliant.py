"""Compliant contact of a ball or point with a plane, which needs no search for the nearest points: the contact of most feet.

Other pairs of surfaces: :mod:`locodyn.world.compliant_pairs`. The law of both: :mod:`locodyn.world.contact_law`.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, dot, load3, rotate, rotate_back, scale, subtract
from locodyn.world.contact_law import contact_change, contact_response
from locodyn.world.law_table import CONTACT


@portable(inline=True)
def plane_depth(laws, row, p):
    """How deep a ball with its centre at p is in the plane, m."""
    numbers = laws.numbers
    return lit(p[0], numbers[row, CONTACT.height] + numbers[row, CONTACT.radius]) - dot(p, load3(numbers, row, CONTACT.normal))


@portable(inline=True)
def touching_velocity(laws, row, r, x, w):
    """Velocity of the point that touches, along normal, forward and side of the plane: R x - radius (R w) x n."""
    numbers = laws.numbers
    n = load3(numbers, row, CONTACT.normal)
    t = load3(numbers, row, CONTACT.forward)
    v = subtract(rotate(r, x), scale(lit(x[0], numbers[row, CONTACT.radius]), cross(rotate(r, w), n)))
    return dot(v, n), (dot(v, t), dot(v, cross(n, t)))


@portable(inline=True)
def bent_bristles(laws, memory, row, o):
    """Deflection (3,) along forward, side and normal."""
    m = laws.memory[row]
    if m >= 0:
        return memory.value[m], memory.value[m + 1], o
    return o, o, o


@portable(inline=True)
def in_body(laws, row, r, along):
    """Force and moment about the centre, in body axes, of a force at the point that touches, along the axes of the plane."""
    n = load3(laws.numbers, row, CONTACT.normal)
    t = load3(laws.numbers, row, CONTACT.forward)
    o = lit(along[0], 0.0)
    n = (o + n[0], o + n[1], o + n[2])
    force = add(scale(along[0], n), add(scale(along[1], t), scale(along[2], cross(n, t))))
    moment = scale(lit(o, -laws.numbers[row, CONTACT.radius]), cross(n, force))
    return rotate_back(r, force), rotate_back(r, moment)


@portable(late=(3, 3, 1, 1))
def compliant_wrench(laws, memory, row, r, p, x, w):
    """Force, moment, stored energy and lost power of a compliant contact whose ball has the pose (r, p) and the twist (x; w)."""
    o = lit(p[0], 0.0)
    vn, v = touching_velocity(laws, row, r, x, w)
    bent = bent_bristles(laws, memory, row, o)
    along, _, stored, lost = contact_response(laws, row, plane_depth(laws, row, p), vn, v, bent, o)
    force, moment = in_body(laws, row, r, along)
    return force, moment, stored, lost


@portable(late=2)
def compliant_rates(laws, memory, row, r, p, x, w):
    """Rates (2,) of the bristles of a compliant contact."""
    o = lit(p[0], 0.0)
    vn, v = touching_velocity(laws, row, r, x, w)
    bent = bent_bristles(laws, memory, row, o)
    _, rate, _, _ = contact_response(laws, row, plane_depth(laws, row, p), vn, v, bent, o)
    return rate[0], rate[1]


@portable(late=(3, 3, 2))
def compliant_change(laws, memory, row, r, p, x, w, d, t, e, f, dz):
    """Changes of force, moment and rates (2,) of a compliant contact, as :func:`~locodyn.world.law_slopes.law_change`."""
    o = lit(p[0], 0.0)
    deep = plane_depth(laws, row, p)
    deeper = -dot(rotate(r, (o + d[0], o + d[1], o + d[2])), load3(laws.numbers, row, CONTACT.normal))
    vn, v = touching_velocity(laws, row, r, x, w)
    bent = bent_bristles(laws, memory, row, o)
    # R x turns with the body: its change is R (t x x + e), that of R w is R (t x w + f).
    en, along = touching_velocity(laws, row, r, add(cross(t, x), e), add(cross(t, w), f))
    whole, _, _, _ = contact_response(laws, row, deep, vn, v, bent, o)
    more, rates = contact_change(laws, row, deep, vn, v, bent, deeper, en, along, (o + dz[0], o + dz[1], o))
    force, moment = in_body(laws, row, r, whole)
    df, dn = in_body(laws, row, r, more)
    return add(df, cross(force, t)), add(dn, cross(moment, t)), (rates[0], rates[1])
