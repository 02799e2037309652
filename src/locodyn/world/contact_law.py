"""The law of a compliant contact: springs, dampers and friction on its depth, along its normal, forward and side.

With d the depth, u = ddot the speed of approach and v the velocity along the surface of the point that touches,

    F_N = k d^m + lambda d^m u + b u,     never below ``least``          Hunt and Crossley (1975); Marhefka and Orin (1999)
    F_T = -mu^2 F_N v / sqrt(|mu v|^2 + (largest mu v0)^2)               Coulomb's, regularised
    F_T = -F_N (s z + d zdot + c v)                                      LuGre, :mod:`locodyn.world.lugre`, without units of force
    F_T of a spring that slips at mu F_N                                 :mod:`locodyn.world.stick_slip`

Off the ground bristles and springs along it fall back to zero, zdot = -z / T. Springs and bristles store
k d^(m+1) / (m+1) + 1/2 s k d^m z^2; what the force takes beyond the rate of that is lost. Where the normal of a contact turns, z
keeps a part along it, which falls back likewise. The numbers of a law are a ``CONTACT`` of
:mod:`locodyn.world.law_table`:

    halves                twice the exponent m             friction, speed    mu forward and aside, v0
    stiffness, damping    k, lambda                        relaxation         T
    damper, least         b, the least force N             bristles           those of LuGre; mu of the spring that slips
    by_size               part of u that counts by its     grip               k and lambda of the spring along the ground
                          size (1: all energy comes back)
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, select_lt, sqrt
from locodyn.world.law_table import BRISTLES, CONTACT, RUBS
from locodyn.world.lugre import bristle_change, bristle_force, bristle_rate, load_bristles
from locodyn.world.stick_slip import stick_slip, stick_slip_change


@portable
def depth_laws(laws, row, deep):
    """Depth d (0 off the ground), 1 where there is one, d^m and its slope, of a contact that is ``deep`` (m; negative: a gap)."""
    numbers = laws.numbers
    o = lit(deep, 0.0)
    one = lit(deep, 1.0)
    d = select_lt(o, deep, deep, o)
    touches = select_lt(o, deep, one, o)
    root = sqrt(d)
    slope = touches * lit(o, 0.5 * numbers[row, CONTACT.halves])
    for _ in range(int(numbers[row, CONTACT.halves]) - 2):
        slope = slope * root
    power = slope * d / lit(o, 0.5 * numbers[row, CONTACT.halves])
    return d, touches, power, slope


@portable(inline=True)
def counted_speed(laws, row, u):
    """The speed of approach as the damper counts it, and its slope."""
    o = lit(u, 0.0)
    part = lit(u, laws.numbers[row, CONTACT.by_size])
    other = lit(u, 1.0) - lit(u, 2.0) * part
    return select_lt(u, o, other * u, u), select_lt(u, o, other, lit(u, 1.0))


@portable
def normal_force(laws, row, touches, power, slope, u):
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
def regularised_size(laws, row, v):
    """sqrt(|mu v|^2 + (largest mu v0)^2), and mu^2 of both directions."""
    numbers = laws.numbers
    x = numbers[row, CONTACT.friction] * numbers[row, CONTACT.friction]
    y = numbers[row, CONTACT.friction + 1] * numbers[row, CONTACT.friction + 1]
    a = lit(v[0], x)
    b = lit(v[0], y)
    rest = select_lt(a, b, b, a) * lit(v[0], numbers[row, CONTACT.speed] * numbers[row, CONTACT.speed])
    return sqrt(a * v[0] * v[0] + b * v[1] * v[1] + rest + lit(v[0], 1e-200)), x, y


@portable(inline=True)
def spring_numbers(laws, row):
    """Of the spring along the ground: (k, lambda, relaxation) and its limits."""
    n = laws.numbers
    slip = CONTACT.bristles + BRISTLES.coulomb
    spring = (n[row, CONTACT.grip], n[row, CONTACT.grip + 1], n[row, CONTACT.relaxation])
    return spring, (n[row, slip], n[row, slip + 1])


@portable
def contact_response(laws, row, deep, vn, v, z, turn):
    """Force (3,) along normal, forward and side; zdot (3,) along forward, side and normal; stored energy; lost power.

    Parameters
    ----------
    deep : m, depth; negative: a gap.
    vn, v : m/s, velocity of the point that touches: away from the surface, and along forward and side (2,).
    z : (3,) m, along forward, side and normal.
    turn : rad/s, with which forward turns to side over the ground; counts where bristles differ by direction.
    """
    numbers = laws.numbers
    o = lit(deep, 0.0)
    d, touches, power, slope = depth_laws(laws, row, deep)
    force, _, _, pushes = normal_force(laws, row, touches, power, slope, -vn)
    load = pushes * force
    spring = lit(o, numbers[row, CONTACT.stiffness]) * power
    stored = spring * d / lit(o, 0.5 * numbers[row, CONTACT.halves] + 1.0)
    filling = -(spring * vn)
    rate = (o, o, o)
    back = (lit(o, 1.0) - touches) / lit(o, numbers[row, CONTACT.relaxation])
    if laws.rubs[row] == RUBS.by_bristles:
        bristles = load_bristles(numbers, row, CONTACT.bristles)
        a, b, _, _ = bristles
        bent = bristle_rate(bristles, v, (z[0], z[1]))
        forward = -(load * bristle_force(a, z[0], bent[0], v[0]))
        side = -(load * bristle_force(b, z[1], bent[1], v[1]))
        rate = (
            touches * bent[0] - back * z[0],
            touches * bent[1] - back * z[1],
            -(z[2] / lit(o, numbers[row, CONTACT.relaxation])),
        )
        size = a[0] * z[0] * z[0] + b[0] * z[1] * z[1] + a[0] * z[2] * z[2]
        stored = stored + lit(o, 0.5) * spring * size
        softer = lit(o, numbers[row, CONTACT.stiffness] * 0.5) * slope * size
        growth = a[0] * z[0] * (rate[0] + turn * z[1]) + b[0] * z[1] * (rate[1] - turn * z[0]) + a[0] * z[2] * rate[2]
        filling = filling - softer * vn + spring * growth
    elif laws.rubs[row] == RUBS.by_stick_slip:
        elastic, limits = spring_numbers(laws, row)
        held, bent, inside, pull = stick_slip(numbers[row, CONTACT.halves], elastic, limits, load, v, z)
        forward = -held[0]
        side = -held[1]
        rate = (touches * bent[0] - back * z[0], touches * bent[1] - back * z[1], bent[2])
        stored = stored + inside
        filling = filling + pull[0] * rate[0] + pull[1] * rate[1] + pull[2] * rate[2]
    else:
        size, x, y = regularised_size(laws, row, v)
        grip = load / size
        forward = -(x * grip * v[0])
        side = -(y * grip * v[1])
    lost = -(force * vn + forward * v[0] + side * v[1]) - filling
    return (force, forward, side), rate, stored, lost


@portable
def contact_change(laws, row, deep, vn, v, z, deeper, en, e, dz):
    """How force (3,) and zdot (3,) change with depth, velocity and z by ``deeper``, (en, e) and dz (3,)."""
    numbers = laws.numbers
    o = lit(deep, 0.0)
    _, touches, power, slope = depth_laws(laws, row, deep)
    force, by_depth, by_speed, pushes = normal_force(laws, row, touches, power, slope, -vn)
    more = by_depth * deeper - by_speed * en
    load = pushes * force
    more_load = pushes * more
    rates = (o, o, o)
    back = (lit(o, 1.0) - touches) / lit(o, numbers[row, CONTACT.relaxation])
    if laws.rubs[row] == RUBS.by_bristles:
        bristles = load_bristles(numbers, row, CONTACT.bristles)
        a, b, _, _ = bristles
        bent = bristle_rate(bristles, v, (z[0], z[1]))
        change = bristle_change(bristles, v, (z[0], z[1]), e, (dz[0], dz[1]))
        forward = -(more_load * bristle_force(a, z[0], bent[0], v[0]) + load * bristle_force(a, dz[0], change[0], e[0]))
        side = -(more_load * bristle_force(b, z[1], bent[1], v[1]) + load * bristle_force(b, dz[1], change[1], e[1]))
        fallen = -(dz[2] / lit(o, numbers[row, CONTACT.relaxation]))
        rates = (touches * change[0] - back * dz[0], touches * change[1] - back * dz[1], fallen)
    elif laws.rubs[row] == RUBS.by_stick_slip:
        elastic, limits = spring_numbers(laws, row)
        held, change = stick_slip_change(numbers[row, CONTACT.halves], elastic, limits, load, v, z, more_load, e, dz)
        forward = -held[0]
        side = -held[1]
        rates = (touches * change[0] - back * dz[0], touches * change[1] - back * dz[1], change[2])
    else:
        size, x, y = regularised_size(laws, row, v)
        turn = load * (x * v[0] * e[0] + y * v[1] * e[1]) / (size * size)
        forward = -(x * (more_load * v[0] + load * e[0] - turn * v[0]) / size)
        side = -(y * (more_load * v[1] + load * e[1] - turn * v[1]) / size)
    return (more, forward, side), rates
