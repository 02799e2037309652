"""Tendons, chambers and muscles of rods: forces along the modes, and their tangent. Equations: :mod:`locodyn.robot.rods.strand`.

``strands`` (k, STRAND_COLUMNS) int64 and ``points`` (m, POINT_COLUMNS + modes) are made by
:func:`locodyn.robot.compilation.compile.compile_robot`; ``values`` (k,) are tensions (N), free lengths (m), pressures (Pa) or
activations.
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, portable, select_lt, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, scale
from locodyn.robot.layout import CHAMBER, DOF_AXIS, MUSCLE, SPRING, TENDON

# strands[l, column], int64; strand_constants[l]: stiffness (N/m) of a spring, area (m^2) of a chamber
KIND, FIRST_POINT, POINT_COUNT, STRAND_Q, STRAND_V, MODE_COUNT = range(6)
STRAND_COLUMNS = 6
# points[m, column]
WEIGHT, PLACE, SLOPE, REST, FUNCTIONS = 0, 1, 4, 7, 13
STRESS, ACTIVE = 1, 7  # of a muscle, instead of place, slope and rest
assert TENDON == 0


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
    first = strands[row, STRAND_Q]
    x0, x1, x2, w0, w1, w2 = o, o, o, o, o, o
    for j in range(strands[row, MODE_COUNT]):
        c = dofs[strands[row, STRAND_V] + j, DOF_AXIS]
        e = points[m, FUNCTIONS + j] * q[first + j]
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
    d = load3(points, m, PLACE)
    g = add((x0, x1, x2), add(load3(points, m, REST), load3(points, m, SLOPE)))
    g = add(g, cross(add((w0, w1, w2), load3(points, m, REST + 3)), d))
    if strands[row, KIND] == CHAMBER:
        u = (lit(o, 1.0), o, o)
        return u, cross(d, u), g[0]
    size = sqrt(dot(g, g))
    u = scale(lit(o, 1.0) / size, g)
    return u, cross(d, u), size


@portable
def strand_length(dofs, strands, points, row, q):
    """Length of a tendon, or of the centre line of a chamber, m."""
    total = lit(q[0], 0.0)
    first = strands[row, FIRST_POINT]
    for m in range(first, first + strands[row, POINT_COUNT]):
        _, _, size = direction(dofs, strands, points, row, m, q)
        total = total + points[m, WEIGHT] * size
    return total


@portable
def strand_tension(dofs, strands, constants, points, row, value, q):
    """Tension of a strand (N); a chamber pushes: -p A."""
    tension = lit(q[0], value)
    if strands[row, KIND] == SPRING:
        stretch = strand_length(dofs, strands, points, row, q) - tension
        zero = lit(q[0], 0.0)
        return constants[row] * select_lt(stretch, zero, zero, stretch)
    if strands[row, KIND] == CHAMBER:
        return lit(q[0], 0.0) - constants[row] * tension
    return tension


@portable
def muscle_forces(dofs, strands, points, row, value, q, tau):
    """Add the forces of a muscle along the modes of its rod to ``tau``: -a integral of Phi^T (Lambda0 + H_a eps)."""
    first = strands[row, FIRST_POINT]
    v = strands[row, STRAND_V]
    activation = lit(q[0], value)
    for m in range(first, first + strands[row, POINT_COUNT]):
        for j in range(strands[row, MODE_COUNT]):
            c = dofs[v + j, DOF_AXIS]
            strain = lit(q[0], 0.0)
            for i in range(strands[row, MODE_COUNT]):
                if dofs[v + i, DOF_AXIS] == c:
                    strain = strain + points[m, FUNCTIONS + i] * q[strands[row, STRAND_Q] + i]
            stress = points[m, ACTIVE + c] * strain + points[m, STRESS + c]
            tau[v + j] = tau[v + j] - activation * points[m, WEIGHT] * points[m, FUNCTIONS + j] * stress


@portable
def tension_forces(dofs, strands, points, row, tension, q, tau):
    """Add the forces along the modes of a tendon or chamber under a tension (N) to ``tau``."""
    first = strands[row, FIRST_POINT]
    v = strands[row, STRAND_V]
    for m in range(first, first + strands[row, POINT_COUNT]):
        u, turn, _ = direction(dofs, strands, points, row, m, q)
        weight = tension * points[m, WEIGHT]
        for j in range(strands[row, MODE_COUNT]):
            tau[v + j] = tau[v + j] - weight * points[m, FUNCTIONS + j] * part(u, turn, dofs[v + j, DOF_AXIS])


@portable(called=True)
def strand_forces(dofs, strands, constants, points, values, q, tau):
    """Add the forces of all strands along the modes of their rods to ``tau``."""
    for row in range(strands.shape[0]):
        if strands[row, KIND] == MUSCLE:
            muscle_forces(dofs, strands, points, row, values[row], q, tau)
            continue
        tension = strand_tension(dofs, strands, constants, points, row, values[row], q)
        tension_forces(dofs, strands, points, row, tension, q, tau)


@compiled
def strand_slope(dofs, strands, constants, points, row, value, q, tau):
    """Add what a unit of the value of strand ``row`` changes in the forces along the modes to ``tau``."""
    if strands[row, KIND] == MUSCLE:
        muscle_forces(dofs, strands, points, row, 1.0, q, tau)
        return
    slope = 1.0
    if strands[row, KIND] == SPRING:
        slack = strand_tension(dofs, strands, constants, points, row, value, q) == 0.0
        slope = 0.0 if slack else -constants[row]
    elif strands[row, KIND] == CHAMBER:
        slope = -constants[row]
    tension_forces(dofs, strands, points, row, slope, q, tau)


@compiled(called=True)
def add_strand_tangent(dofs, strands, constants, points, values, q, gradient, by_q):
    """Add the derivative of the forces that the strands need, T d2 length / dq2 + k (d length / dq)^2, to ``by_q``.

    ``gradient`` (nv,) is scratch. A chamber has none.
    """
    for row in range(strands.shape[0]):
        if strands[row, KIND] == CHAMBER:
            continue
        if strands[row, KIND] == MUSCLE:
            add_muscle_tangent(dofs, strands, points, row, values[row], by_q)
            continue
        tension = strand_tension(dofs, strands, constants, points, row, values[row], q)
        first = strands[row, FIRST_POINT]
        v = strands[row, STRAND_V]
        count = strands[row, MODE_COUNT]
        for j in range(count):
            gradient[j] = 0.0
        for m in range(first, first + strands[row, POINT_COUNT]):
            u, turn, size = direction(dofs, strands, points, row, m, q)
            d = load3(points, m, PLACE)
            weight = points[m, WEIGHT]
            for j in range(count):
                along = points[m, FUNCTIONS + j] * part(u, turn, dofs[v + j, DOF_AXIS])
                gradient[j] += weight * along
                # du = (1 - u u^T) dG / |G|, dG = B_j
                b = lever(dofs[v + j, DOF_AXIS], d)
                b = scale(points[m, FUNCTIONS + j], b)
                du = scale(1.0 / size, add(b, scale(-along, u)))
                dt = cross(d, du)
                for i in range(count):
                    entry = points[m, FUNCTIONS + i] * part(du, dt, dofs[v + i, DOF_AXIS])
                    by_q[v + i, v + j] += tension * weight * entry
        if strands[row, KIND] == SPRING and tension > 0.0:
            for i in range(count):
                for j in range(count):
                    by_q[v + i, v + j] += constants[row] * gradient[i] * gradient[j]


@compiled
def add_muscle_tangent(dofs, strands, points, row, activation, by_q):
    """Add a integral of Phi^T H_a Phi of a muscle to ``by_q``."""
    first = strands[row, FIRST_POINT]
    v = strands[row, STRAND_V]
    for m in range(first, first + strands[row, POINT_COUNT]):
        for j in range(strands[row, MODE_COUNT]):
            c = dofs[v + j, DOF_AXIS]
            along = activation * points[m, WEIGHT] * points[m, FUNCTIONS + j] * points[m, ACTIVE + c]
            for i in range(strands[row, MODE_COUNT]):
                if dofs[v + i, DOF_AXIS] == c:
                    by_q[v + i, v + j] += along * points[m, FUNCTIONS + i]


@compiled
def lever(c, d):
    """Change of G for a unit of strain c: e_c, or e_c x D."""
    if c < 3:
        return (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
    return cross((1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0), d)
