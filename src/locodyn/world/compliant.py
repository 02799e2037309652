"""Compliant contact of a ball or point with a plane: springs, dampers and friction on the depth of the contact.

With d the depth, u = ddot the speed of approach, n the normal of the plane and v the velocity along it of the point that touches,

    F_N = k d^m + lambda d^m u + b u,     never below ``least``          Hunt and Crossley (1975); Marhefka and Orin (1999)
    F_T = -mu F_N v / sqrt(|v|^2 + v0^2)                                 Coulomb's, regularised
    F_T = -F_N (s0 z + s1 zdot + s2 v),  zdot = v - s0 |v| / g(|v|) z    LuGre, :mod:`locodyn.world.lugre`, g without a unit

Off the ground bristles fall back to zero, zdot = -z / T. Springs and bristles store k d^(m+1) / (m+1) + 1/2 s0 k d^m z^2; what
the force takes beyond the rate of that is lost. The numbers of a law are a ``CONTACT`` of :mod:`locodyn.world.law_table`:

    halves                twice the exponent m             friction, speed       mu, v0
    stiffness, damping    k, lambda                        relaxation            T
    damper, least         b, the least force N             bristles, stribeck    s0, s1, s2; those of g
    by_size               part of u that counts by its size (1: the variant that returns all energy)
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, select_lt, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, rotate, rotate_back, scale, subtract
from locodyn.world.law_table import CONTACT
from locodyn.world.lugre import bristle_change, bristle_force, bristle_rate


@portable
def depth_laws(laws, row, p):
    """Depth d (0 off the ground), 1 where there is one, d^m and its slope, for a ball with its centre at p."""
    numbers = laws.numbers
    o = lit(p[0], 0.0)
    one = lit(p[0], 1.0)
    deep = lit(o, numbers[row, CONTACT.height] + numbers[row, CONTACT.radius]) - dot(p, load3(numbers, row, CONTACT.normal))
    d = select_lt(o, deep, deep, o)
    touches = select_lt(o, deep, one, o)
    root = sqrt(d)
    slope = touches * lit(o, 0.5 * numbers[row, CONTACT.halves])
    for _ in range(int(numbers[row, CONTACT.halves]) - 2):
        slope = slope * root
    power = slope * d / lit(o, 0.5 * numbers[row, CONTACT.halves])
    return d, touches, power, slope


@portable(inline=True)
def touching_velocity(laws, row, r, x, w):
    """Velocity of the point that touches, along normal, forward and side of the plane: R x - radius (R w) x n."""
    numbers = laws.numbers
    n = load3(numbers, row, CONTACT.normal)
    t = load3(numbers, row, CONTACT.forward)
    v = subtract(rotate(r, x), scale(lit(x[0], numbers[row, CONTACT.radius]), cross(rotate(r, w), n)))
    return dot(v, n), dot(v, t), dot(v, cross(n, t))


@portable(inline=True)
def counted_speed(laws, row, u):
    """The speed of approach as the damper counts it, and its slope."""
    o = lit(u, 0.0)
    part = lit(u, laws.numbers[row, CONTACT.by_size])
    other = lit(u, 1.0) - lit(u, 2.0) * part
    return select_lt(u, o, other * u, u), select_lt(u, o, other, lit(u, 1.0))


@portable
def normal_force(laws, row, d, touches, power, slope, u):
    """F_N, its slopes by d and u, and whether it pushes: the force that friction sees, max(0, F_N)."""
    numbers = laws.numbers
    o = lit(u, 0.0)
    one = lit(u, 1.0)
    counted, by_speed = counted_speed(laws, row, u)
    stiff = lit(u, numbers[row, CONTACT.stiffness]) + lit(u, numbers[row, CONTACT.damping]) * counted
    damper = touches * lit(u, numbers[row, CONTACT.damper])
    force = stiff * power + damper * counted
    least = lit(u, numbers[row, CONTACT.least])
    there = select_lt(least, force, one, o)
    force = select_lt(least, force, force, least * touches)
    damping = (lit(u, numbers[row, CONTACT.damping]) * power + damper) * by_speed
    return force, there * stiff * slope, there * damping, select_lt(o, force, one, o)


@portable(inline=True)
def bristle_numbers(laws, row):
    """(s0, s1, s2) and those of g."""
    return load3(laws.numbers, row, CONTACT.bristles), load3(laws.numbers, row, CONTACT.stribeck)


@portable
def bristle_motion(laws, memory, row, touches, v):
    """Deflection z, rate of bristles that touch, and the rate that counts: off the ground they fall back."""
    m = laws.memory[row]
    a, b = bristle_numbers(laws, row)
    z = (memory.value[m], memory.value[m + 1])
    bent = bristle_rate(a, b, v, z)
    back = (lit(touches, 1.0) - touches) / lit(touches, laws.numbers[row, CONTACT.relaxation])
    return z, bent, (touches * bent[0] - back * z[0], touches * bent[1] - back * z[1])


@portable(inline=True)
def in_body(laws, row, r, normal, forward, side):
    """Force and moment about the centre, in body axes, of a force at the point that touches, along the axes of the plane."""
    n = load3(laws.numbers, row, CONTACT.normal)
    t = load3(laws.numbers, row, CONTACT.forward)
    o = lit(normal, 0.0)
    n = (o + n[0], o + n[1], o + n[2])
    force = add(scale(normal, n), add(scale(forward, t), scale(side, cross(n, t))))
    moment = scale(lit(normal, -laws.numbers[row, CONTACT.radius]), cross(n, force))
    return rotate_back(r, force), rotate_back(r, moment)


@portable
def compliant_wrench(laws, memory, row, r, p, x, w):
    """Force, moment, stored energy and lost power of a compliant contact whose ball has the pose (r, p) and the twist (x; w)."""
    numbers = laws.numbers
    d, touches, power, slope = depth_laws(laws, row, p)
    vn, v1, v2 = touching_velocity(laws, row, r, x, w)
    force, _, _, pushes = normal_force(laws, row, d, touches, power, slope, -vn)
    load = pushes * force
    rest = v1 * v1 + v2 * v2 + lit(vn, numbers[row, CONTACT.speed] * numbers[row, CONTACT.speed])
    grip = lit(vn, numbers[row, CONTACT.friction]) * load / sqrt(rest)
    forward = -(grip * v1)
    side = -(grip * v2)
    spring = lit(vn, numbers[row, CONTACT.stiffness]) * power
    stored = spring * d / lit(vn, 0.5 * numbers[row, CONTACT.halves] + 1.0)
    filling = -(spring * vn)
    if laws.memory[row] >= 0:
        a, _ = bristle_numbers(laws, row)
        z, bent, rate = bristle_motion(laws, memory, row, touches, (v1, v2))
        forward = forward - load * bristle_force(a, z[0], bent[0], v1)
        side = side - load * bristle_force(a, z[1], bent[1], v2)
        size = z[0] * z[0] + z[1] * z[1]
        stored = stored + lit(vn, 0.5 * a[0]) * spring * size
        softer = lit(vn, numbers[row, CONTACT.stiffness] * 0.5 * a[0]) * slope * size
        filling = filling - softer * vn + lit(vn, a[0]) * spring * (z[0] * rate[0] + z[1] * rate[1])
    lost = -(force * vn + forward * v1 + side * v2) - filling
    force, moment = in_body(laws, row, r, force, forward, side)
    return force, moment, stored, lost


@portable
def compliant_rates(laws, memory, row, r, p, x, w):
    """Rates (2,) of the bristles of a compliant contact."""
    _, touches, _, _ = depth_laws(laws, row, p)
    _, v1, v2 = touching_velocity(laws, row, r, x, w)
    _, _, rate = bristle_motion(laws, memory, row, touches, (v1, v2))
    return rate


@portable
def compliant_change(laws, memory, row, r, p, x, w, d, t, e, f, dz):
    """Changes of force, moment and rates (2,) of a compliant contact, as :func:`~locodyn.world.law_slopes.law_change`."""
    numbers = laws.numbers
    o = lit(p[0], 0.0)
    deep, touches, power, slope = depth_laws(laws, row, p)
    vn, v1, v2 = touching_velocity(laws, row, r, x, w)
    force, by_depth, by_speed, pushes = normal_force(laws, row, deep, touches, power, slope, -vn)
    # R x turns with the body: its change is R (t x x + e), that of R w is R (t x w + f).
    en, e1, e2 = touching_velocity(laws, row, r, add(cross(t, x), e), add(cross(t, w), f))
    more = -(by_depth * dot(rotate(r, (o + d[0], o + d[1], o + d[2])), load3(numbers, row, CONTACT.normal))) - by_speed * en
    load = pushes * force
    more_load = pushes * more
    rest = v1 * v1 + v2 * v2 + lit(vn, numbers[row, CONTACT.speed] * numbers[row, CONTACT.speed])
    share = lit(vn, numbers[row, CONTACT.friction]) / sqrt(rest)
    turn = load * (v1 * e1 + v2 * e2) / rest
    forward = -(share * load * v1)
    side = -(share * load * v2)
    more_forward = -(share * (more_load * v1 + load * e1 - turn * v1))
    more_side = -(share * (more_load * v2 + load * e2 - turn * v2))
    rates = (o, o)
    if laws.memory[row] >= 0:
        a, b = bristle_numbers(laws, row)
        z, bent, _ = bristle_motion(laws, memory, row, touches, (v1, v2))
        change = bristle_change(a, b, (v1, v2), z, (e1, e2), dz)
        mu1 = bristle_force(a, z[0], bent[0], v1)
        mu2 = bristle_force(a, z[1], bent[1], v2)
        forward = forward - load * mu1
        side = side - load * mu2
        more_forward = more_forward - more_load * mu1 - load * bristle_force(a, dz[0], change[0], e1)
        more_side = more_side - more_load * mu2 - load * bristle_force(a, dz[1], change[1], e2)
        back = (lit(o, 1.0) - touches) / lit(o, numbers[row, CONTACT.relaxation])
        rates = (touches * change[0] - back * dz[0], touches * change[1] - back * dz[1])
    whole, moment = in_body(laws, row, r, force, forward, side)
    df, dn = in_body(laws, row, r, more, more_forward, more_side)
    return add(df, cross(whole, t)), add(dn, cross(moment, t)), rates
