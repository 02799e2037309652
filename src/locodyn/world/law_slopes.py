"""How the wrench of a law changes with the pose and the twist of its point: exact derivatives of the laws of the table.

For a displacement (d; t) of the point (t: turn, rad) and a change (e; f) of its twist (x; w), all in the axes of the point:

    world force   R^T a             ->  (R^T a) x t, the moment likewise
    drag          -(c + k |x|) x    ->  -(c + 2 k |x|) e, the moment -h w -> -h f; in a current R^T u, x - R^T u stands for x
                                        and e - (R^T u) x t for e
    anchor        -R^T k (p - a) - c x                 ->  -k d + force of the spring x t - c e
    wake          (-1/2 (m_y y^2 + m_z z^2); m_y x y; m_z x z) in the speeds x, y, z: by the product rule
    feedback      a (D - x), D = Ad(g^-1 g_d) eta_d    ->  a (D x t + turn x d - e), the moment likewise (Gotelli 2024, (3.62))
    contact       springs, dampers and friction on the depth: :mod:`locodyn.world.compliant`
    buoyancy      rho g (V n; S x n): by the moments of the waterplane, :mod:`locodyn.world.buoyant`
    wet drag      wet share times drag: by the product rule
    friction      -m x / sqrt(x^2 + ...), -m arctan(x / s), bristles: by the chain rule, :mod:`locodyn.world.dry_friction`

and the rates of its states likewise: of the integral of a feedback D x t + turn x d - e (Gotelli 2024, (3.62)). A thrust does not
change; functions in Python have no derivative here.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_momentum
from locodyn.kernel import lit, portable, select_lt
from locodyn.kernel.vector import add, cross, load3, load9, rotate_back, scale, subtract
from locodyn.robot.layout import FLUID
from locodyn.shape.kinematics import ROTATION, to_child, to_parent
from locodyn.world.buoyant import buoyancy_change, wet_share, wet_share_change
from locodyn.world.compliant import compliant_change
from locodyn.world.dry_friction import friction_change
from locodyn.world.law_table import LAW, LOAD, RESISTANCE, SPRING, TAIL, WET
from locodyn.world.twist_feedback import feedback_change
from locodyn.world.wrenches import acts_at_point, amount, drag, fluid_velocity, point_motion


@portable(inline=True)
def resistance_slope(linear, quadratic, v):
    """Of c v + k |v| v: c + 2 k |v|."""
    size = select_lt(v, lit(v, 0.0), -v, v)
    return linear + lit(v, 2.0) * quadratic * size


@portable(inline=True)
def drag_change(laws, row, at, x, e, f):
    """Of resistance, its numbers (``RESISTANCE``) from column ``at`` on."""
    o = lit(x[0], 0.0)
    a = load3(laws.numbers, row, at + RESISTANCE.linear)
    b = load3(laws.numbers, row, at + RESISTANCE.quadratic)
    c = load3(laws.numbers, row, at + RESISTANCE.angular)
    force = (
        o - resistance_slope(a[0], b[0], x[0]) * e[0],
        o - resistance_slope(a[1], b[1], x[1]) * e[1],
        o - resistance_slope(a[2], b[2], x[2]) * e[2],
    )
    return force, (o - c[0] * f[0], o - c[1] * f[1], o - c[2] * f[2])


@portable(inline=True)
def change_against_fluid(laws, row, at, r, x, t, e):
    """Velocity of the point of a drag against its fluid, and its change along a turn t and a change e of the point's own."""
    if laws.flows[row] == 1:
        u = fluid_velocity(laws, row, at, r)
        x = subtract(x, u)
        e = subtract(e, cross(u, t))
    return x, e


@portable
def law_change(laws, angles, memory, row, r, p, x, w, d, t, e, f, dz):
    """Changes of force, moment and rates of the states (6,) of law ``row`` at a point with world pose (r, p) and twist (x; w).

    ``dz`` (6,): change of its states. See above.
    """
    o = lit(p[0], 0.0)
    force = (o, o, o)
    moment = (o, o, o)
    rates = (o, o, o, o, o, o)
    kind = laws.kind[row]
    n = laws.numbers
    if kind == LAW.world_force:
        a = load3(n, row, LOAD.force)
        b = load3(n, row, LOAD.moment)
        force = cross(rotate_back(r, (o + a[0], o + a[1], o + a[2])), t)
        moment = cross(rotate_back(r, (o + b[0], o + b[1], o + b[2])), t)
    elif kind == LAW.drag:
        x, e = change_against_fluid(laws, row, 0, r, x, t, e)
        force, moment = drag_change(laws, row, 0, x, e, f)
    elif kind == LAW.sliding or kind == LAW.arctan or kind == LAW.lugre:
        force, bent = friction_change(laws, memory, row, x, w, e, f, dz)
        rates = (bent[0], bent[1], o, o, o, o)
    elif kind == LAW.anchor:
        stiffness = n[row, SPRING.stiffness]
        a = load3(n, row, SPRING.place)
        pull = rotate_back(r, scale(o - stiffness, subtract(p, (o + a[0], o + a[1], o + a[2]))))
        force = subtract(subtract(cross(pull, t), scale(o + stiffness, d)), scale(o + n[row, SPRING.damping], e))
    elif kind == LAW.wake:
        my = n[row, TAIL.added_mass]
        mz = n[row, TAIL.added_mass + 1]
        y = my * x[1]
        z = mz * x[2]
        force = (o - (y * e[1] + z * e[2]), e[0] * y + x[0] * my * e[1], e[0] * z + x[0] * mz * e[2])
    elif kind == LAW.feedback:
        force, moment, rates = feedback_change(laws, angles, row, r, p, d, t, e, f, dz)
    elif kind == LAW.compliant:
        force, moment, bent = compliant_change(laws, memory, row, r, p, x, w, d, t, e, f, dz)
        rates = (bent[0], bent[1], o, o, o, o)
    elif kind == LAW.buoyancy:
        force, moment = buoyancy_change(laws, angles, row, r, p, d, t)
    elif kind == LAW.wet_drag:
        wet = wet_share(laws, angles, row, r, p)
        wetter = wet_share_change(laws, angles, row, r, p, d, t)
        x, e = change_against_fluid(laws, row, WET.resistance, r, x, t, e)
        one, two = drag(laws, row, WET.resistance, x, w)
        force, moment = drag_change(laws, row, WET.resistance, x, e, f)
        force = add(scale(wet, force), scale(wetter, one))
        moment = add(scale(wet, moment), scale(wetter, two))
    return force, moment, rates


@portable(inline=True)
def unit(i, j):
    """Component j of the unit vector i."""
    return 1.0 if i == j else 0.0


@portable(inline=True)
def add_slope(slopes, k, direction, amount, f, n):
    """Add amount times (f; n) to the column ``direction`` of frame k."""
    for m in range(3):
        slopes[k, 12 * m + direction] += amount * f[m]
        slopes[k, 12 * (3 + m) + direction] += amount * n[m]


@portable(inline=True)
def unit6(i):
    """The i-th of six directions; none of them for -1."""
    return unit(i, 0), unit(i, 1), unit(i, 2), unit(i, 3), unit(i, 4), unit(i, 5)


@portable(inline=True)
def store_rates(rate_slopes, laws, row, column, rates):
    """Changes of the rates of the states of law ``row`` into one column."""
    m = laws.memory[row]
    if m >= 0:
        for j in range(laws.states[row]):
            rate_slopes[m + j, column] = rates[j]


@portable(called=True)
def wrench_slopes(frames, constants, gravity, laws, angles, poses, motions, memory, load, slopes, rate_slopes):
    """``slopes`` (nf, 72): change of the wrench on every frame with its displacement and its twist, (6, 12), times ``load``.

    Of all laws and of the weight of the fluid that is moved along, which is taken out of that of the frames. ``rate_slopes``
    (nz, 12): change of the rates of the states of laws, along the same directions.
    """
    for k in range(slopes.shape[0]):
        for i in range(72):
            slopes[k, i] = 0.0
        if frames[k, FLUID] != 0:
            g = rotate_back(load9(poses, k, ROTATION), (-gravity[0], -gravity[1], -gravity[2]))
            for i in range(3):
                f, n = fluid_momentum(constants, k, cross(g, (unit(i, 0), unit(i, 1), unit(i, 2))), (0.0, 0.0, 0.0))
                add_slope(slopes, k, 3 + i, load, f, n)
    for row in range(laws.frame.shape[0]):
        if laws.kind[row] == LAW.thrust or laws.kind[row] == LAW.user or not acts_at_point(laws, row):
            continue
        r0, p0, r, p, x, w, _ = point_motion(laws, angles, poses, motions, row)
        scaling = load * amount(laws, angles, row, 1.0)
        o = (0.0, 0.0, 0.0)
        z = unit6(-1)
        for i in range(6):
            d, t = to_child(r0, p0, (unit(i, 0), unit(i, 1), unit(i, 2)), (unit(i, 3), unit(i, 4), unit(i, 5)))
            f, n, rates = law_change(laws, angles, memory, row, r, p, x, w, d, t, o, o, z)
            store_rates(rate_slopes, laws, row, i, rates)
            f, n = to_parent(r0, p0, f, n)
            add_slope(slopes, laws.frame[row], i, scaling, f, n)
            if laws.kind[row] == LAW.buoyancy:  # it does not see the twist
                continue
            f, n, rates = law_change(laws, angles, memory, row, r, p, x, w, o, o, d, t, z)
            store_rates(rate_slopes, laws, row, 6 + i, rates)
            f, n = to_parent(r0, p0, f, n)
            add_slope(slopes, laws.frame[row], 6 + i, scaling, f, n)


@portable
def state_slope(laws, angles, poses, motions, memory, row, c):
    """What a unit of state c of law ``row`` changes: force and moment on its frame, rates of its states (6,)."""
    r0, p0, r, p, x, w, _ = point_motion(laws, angles, poses, motions, row)
    o = (0.0, 0.0, 0.0)
    f, n, rates = law_change(laws, angles, memory, row, r, p, x, w, o, o, o, o, unit6(c))
    f, n = to_parent(r0, p0, f, n)
    scaling = amount(laws, angles, row, 1.0)
    return scale(scaling, f), scale(scaling, n), rates
