"""Tendons, chambers and muscles of rods: forces along the modes, and their tangent. Equations: :mod:`locodyn.robot.rods.strand`.

``strands`` (k, STRAND.size) int64 and ``points`` (m, POINT.size + modes) are made by
:func:`locodyn.robot.compilation.compile.compile_robot`; ``values`` (k,) are tensions (N), free lengths (m), pressures (Pa) or
activations.
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, portable, select_lt, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, scale
from locodyn.record import record
from locodyn.robot.layout import CHAMBER, DOF_AXIS, MUSCLE, SPRING, TENDON

# strands[l], int64; strand_constants[l]: stiffness (N/m) of a spring, area (m^2) of a chamber
STRAND = record(kind=1, first_point=1, point_count=1, first_q=1, first_v=1, mode_count=1)
# points[m], of a muscle or of the others; the values of the strain functions follow
POINT = record(weight=1, place=3, slope=3, rest=6)
MUSCLE_POINT = record(weight=1, stress=6, active=6)
assert TENDON == 0 and POINT.size == MUSCLE_POINT.size


@portable(inline=True)
def part(x, w, c):
    """Component c of (x; w)."""
    if c == 0:
        return x[0]
    if c == 1:
        return x[1]
    if c == 2:
        return x[2]
    if c == 3:
        return w[0]
    if c == 4:
        return w[1]
    return w[2]


@portable
def direction(dofs, strands, points, row, m, q):
    """(u, D x u, |G|) of strand ``row`` at point m; of a chamber u is the normal of the section and |G| its stretch there."""
    o = lit(q[0], 0.0)
    first = strands[row, STRAND.first_q]
    x0, x1, x2, w0, w1, w2 = o, o, o, o, o, o
    for j in range(strands[row, STRAND.mode_count]):
        c = dofs[strands[row, STRAND.first_v] + j, DOF_AXIS]
        e = points[m, POINT.size + j] * q[first + j]
        if c == 0:
            x0 = x0 + e
        elif c == 1:
            x1 = x1 + e
        elif c == 2:
            x2 = x2 + e
        elif c == 3:
            w0 = w0 + e
        elif c == 4:
            w1 = w1 + e
        else:
            w2 = w2 + e
    d = load3(points, m, POINT.place)
    g = add((x0, x1, x2), add(load3(points, m, POINT.rest), load3(points, m, POINT.slope)))
    g = add(g, cross(add((w0, w1, w2), load3(points, m, POINT.rest + 3)), d))
    if strands[row, STRAND.kind] == CHAMBER:
        u = (lit(o, 1.0), o, o)
        return u, cross(d, u), g[0]
    size = sqrt(dot(g, g))
    u = scale(lit(o, 1.0) / size, g)
    return u, cross(d, u), size


@portable
def strand_length(dofs, strands, points, row, q):
    """Length of a tendon, or of the centre line of a chamber, m."""
    total = lit(q[0], 0.0)
    first = strands[row, STRAND.first_point]
    for m in range(first, first + strands[row, STRAND.point_count]):
        _, _, size = direction(dofs, strands, points, row, m, q)
        total = total + points[m, POINT.weight] * size
    return total


@portable
def strand_tension(dofs, strands, constants, points, row, value, q):
    """Tension of a strand (N); a chamber pushes: -p A."""
    tension = lit(q[0], value)
    if strands[row, STRAND.kind] == SPRING:
        stretch = strand_length(dofs, strands, points, row, q) - tension
        zero = lit(q[0], 0.0)
        return constants[row] * select_lt(stretch, zero, zero, stretch)
    if strands[row, STRAND.kind] == CHAMBER:
        return lit(q[0], 0.0) - constants[row] * tension
    return tension


@portable
def muscle_forces(dofs, strands, points, row, value, q, tau):
    """Add the forces of a muscle along the modes of its rod to ``tau``: -a integral of Phi^T (Lambda0 + H_a eps)."""
    first = strands[row, STRAND.first_point]
    v = strands[row, STRAND.first_v]
    activation = lit(q[0], value)
    for m in range(first, first + strands[row, STRAND.point_count]):
        for j in range(strands[row, STRAND.mode_count]):
            c = dofs[v + j, DOF_AXIS]
            strain = lit(q[0], 0.0)
            for i in range(strands[row, STRAND.mode_count]):
                if dofs[v + i, DOF_AXIS] == c:
                    strain = strain + points[m, POINT.size + i] * q[strands[row, STRAND.first_q] + i]
            stress = points[m, MUSCLE_POINT.active + c] * strain + points[m, MUSCLE_POINT.stress + c]
            tau[v + j] = tau[v + j] - activation * points[m, POINT.weight] * points[m, POINT.size + j] * stress


@portable
def tension_forces(dofs, strands, points, row, tension, q, tau):
    """Add the forces along the modes of a tendon or chamber under a tension (N) to ``tau``."""
    first = strands[row, STRAND.first_point]
    v = strands[row, STRAND.first_v]
    for m in range(first, first + strands[row, STRAND.point_count]):
        u, turn, _ = direction(dofs, strands, points, row, m, q)
        weight = tension * points[m, POINT.weight]
        for j in range(strands[row, STRAND.mode_count]):
            tau[v + j] = tau[v + j] - weight * points[m, POINT.size + j] * part(u, turn, dofs[v + j, DOF_AXIS])


@portable(late=())
def strand_forces(dofs, strands, constants, points, values, q, tau):
    """Add the forces of all strands along the modes of their rods to ``tau``."""
    for row in range(strands.shape[0]):
        if strands[row, STRAND.kind] == MUSCLE:
            muscle_forces(dofs, strands, points, row, values[row], q, tau)
            continue
        tension = strand_tension(dofs, strands, constants, points, row, values[row], q)
        tension_forces(dofs, strands, points, row, tension, q, tau)


@compiled
def strand_slope(dofs, strands, constants, points, row, value, q, tau):
    """Add what a unit of the value of strand ``row`` changes in the forces along the modes to ``tau``."""
    if strands[row, STRAND.kind] == MUSCLE:
        muscle_forces(dofs, strands, points, row, 1.0, q, tau)
        return
    slope = 1.0
    if strands[row, STRAND.kind] == SPRING:
        slack = strand_tension(dofs, strands, constants, points, row, value, q) == 0.0
        slope = 0.0 if slack else -constants[row]
    elif strands[row, STRAND.kind] == CHAMBER:
        slope = -constants[row]
    tension_forces(dofs, strands, points, row, slope, q, tau)


@compiled(late=())
def add_strand_tangent(dofs, strands, constants, points, values, q, gradient, by_q):
    """Add the derivative of the forces that the strands need, T d2 length / dq2 + k (d length / dq)^2, to ``by_q``.

    ``gradient`` (nv,) is scratch. A chamber has none.
    """
    for row in range(strands.shape[0]):
        if strands[row, STRAND.kind] == CHAMBER:
            continue
        if strands[row, STRAND.kind] == MUSCLE:
            add_muscle_tangent(dofs, strands, points, row, values[row], by_q)
            continue
        tension = strand_tension(dofs, strands, constants, points, row, values[row], q)
        first = strands[row, STRAND.first_point]
        v = strands[row, STRAND.first_v]
        count = strands[row, STRAND.mode_count]
        for j in range(count):
            gradient[j] = 0.0
        for m in range(first, first + strands[row, STRAND.point_count]):
            u, turn, size = direction(dofs, strands, points, row, m, q)
            d = load3(points, m, POINT.place)
            weight = points[m, POINT.weight]
            for j in range(count):
                along = points[m, POINT.size + j] * part(u, turn, dofs[v + j, DOF_AXIS])
                gradient[j] += weight * along
                # du = (1 - u u^T) dG / |G|, dG = B_j
                b = lever(dofs[v + j, DOF_AXIS], d)
                b = scale(points[m, POINT.size + j], b)
                du = scale(1.0 / size, add(b, scale(-along, u)))
                dt = cross(d, du)
                for i in range(count):
                    entry = points[m, POINT.size + i] * part(du, dt, dofs[v + i, DOF_AXIS])
                    by_q[v + i, v + j] += tension * weight * entry
        if strands[row, STRAND.kind] == SPRING and tension > 0.0:
            for i in range(count):
                for j in range(count):
                    by_q[v + i, v + j] += constants[row] * gradient[i] * gradient[j]


@compiled
def add_muscle_tangent(dofs, strands, points, row, activation, by_q):
    """Add a integral of Phi^T H_a Phi of a muscle to ``by_q``."""
    first = strands[row, STRAND.first_point]
    v = strands[row, STRAND.first_v]
    for m in range(first, first + strands[row, STRAND.point_count]):
        for j in range(strands[row, STRAND.mode_count]):
            c = dofs[v + j, DOF_AXIS]
            along = activation * points[m, POINT.weight] * points[m, POINT.size + j] * points[m, MUSCLE_POINT.active + c]
            for i in range(strands[row, STRAND.mode_count]):
                if dofs[v + i, DOF_AXIS] == c:
                    by_q[v + i, v + j] += along * points[m, POINT.size + i]


@compiled
def lever(c, d):
    """Change of G for a unit of strain c: e_c, or e_c x D."""
    if c < 3:
        return (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
    return cross((1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0), d)
