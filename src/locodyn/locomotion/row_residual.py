"""Constraint rows in the residual of the equation of motion: their forces as wrenches, what they miss, their exact tangent.

Implicit steps and statics solve r(t, q, v, a) - J(q)^T lambda = 0 with Phi(q) = 0 (holonomic rows) or J(q) v = b(t) (all rows).
A multiplier times the cotwists of its row is a wrench on the frames of the row: so the residual needs no Jacobian. How J^T lambda
changes with q has two parts: that of wrenches fixed in their frames, which the derivatives of inverse dynamics give, and the
change of the cotwists, which the rows know as their rates along a velocity (Gotelli 2024, (3.53)-(3.56), for any row).
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, load3, scale, store3, subtract
from locodyn.locomotion.multipliers import apply_known, apply_multipliers
from locodyn.locomotion.row_jacobian import add_factors, add_row, row_speed, rows_at
from locodyn.robot.layout import CODE, DOF_FRAME, FIRST_V, FREE, PLANAR, SPHERICAL
from locodyn.shape.kinematics import ACCELERATION, TWIST, frame_motions
from locodyn.world.law_slopes import unit
from locodyn.world.rows import GEAR, HOLONOMIC, POINT, TURN, coefficient_times, fill_rows, row_times


@compiled
def row_gaps(rows, positions, motions, v, gaps):
    """What the active rows miss into ``gaps`` (active,): Phi of holonomic rows if ``positions``, J v - b of the others."""
    active = rows.active
    for j in range(active.shape[0]):
        m = active[j]
        if positions and rows.flags[m] & HOLONOMIC:
            gaps[j] = rows.residual[m]
        else:
            gaps[j] = row_speed(rows, motions, m, v) - rows.right_side[m]


@compiled
def row_loads(rows, wrenches, multipliers, loads):
    """``loads`` (nf, 6) = ``wrenches`` (nf, 6) or (0, 6), forces that are given (driven wheels), multipliers (m,) of the rows."""
    for k in range(loads.shape[0]):
        for i in range(6):
            loads[k, i] = wrenches[k, i] if wrenches.shape[0] > 0 else 0.0
    apply_known(rows, loads)
    apply_multipliers(rows, multipliers, loads)


@compiled
def take_coordinate_forces(rows, multipliers, residual):
    """Subtract what multipliers (m,) do directly along coordinates (a wheel that is a body, a rod) from ``residual`` (nv,)."""
    for m in range(rows.kind.shape[0]):
        for j in range(rows.coordinates[m]):
            i = rows.coordinate[m, j]
            if rows.place[i] >= 0:
                residual[i] -= multipliers[m] * rows.coefficient[m, j]


@compiled(inline=True)
def varies(kind):
    """Whether a row changes with q: cotwists of wheels are fixed in their frames, factors of gears are constant."""
    return kind != POINT and kind != TURN and kind != GEAR


@compiled(late=())
def add_row_geometry(problem, rows, inputs, q, multipliers, work, by_q):
    """by_q -= the change of J^T lambda with q that comes from the cotwists, one group of columns after the other; exact.

    ``work.poses`` and the columns of rods (:func:`~locodyn.locomotion.row_jacobian.rod_columns`) are those at q. Rows, motions
    and Jacobian are left changed.
    """
    free = rows.free
    jacobian = rows.jacobian
    groups = rows.groups
    unit = rows.tangent_direction
    bends = False
    for m in range(rows.kind.shape[0]):
        bends = bends or (varies(rows.kind[m]) and multipliers[m] != 0.0)
    if not bends:
        return
    for c in range(groups.start.shape[0] - 1):
        set_group(groups, free, c, 1.0, unit)
        frame_motions(problem.frames, problem.constants, q, unit, rows.zero, work.motions)
        fill_rows(rows, inputs.rows, 0, q, unit, work.poses, work.motions)
        set_group(groups, free, c, 0.0, unit)
        for m in range(rows.kind.shape[0]):
            if groups.felt[m, c] < 0 or not varies(rows.kind[m]) or multipliers[m] == 0.0:
                continue
            i = free[groups.felt[m, c]]
            for n in range(groups.reach_start[m], groups.reach_start[m + 1]):
                jacobian[m, groups.reach[n]] = 0.0
            add_row(problem, rows, work.poses, m, rows.frame[m], rows.cotwist_rate)
            add_row(problem, rows, work.poses, m, rows.other[m], rows.other_cotwist_rate)
            add_factors(rows, m, rows.coefficient_rate)
            for n in range(groups.reach_start[m], groups.reach_start[m + 1]):
                by_q[free[groups.reach[n]], i] -= multipliers[m] * jacobian[m, groups.reach[n]]


@compiled(inline=True)
def set_group(groups, free, c, value, direction):
    """The entries of ``direction`` (nv,) of the coordinates of group c."""
    for n in range(groups.start[c], groups.start[c + 1]):
        direction[free[groups.coordinate[n]]] = value


@compiled
def add_half_bracket(problem, i, v, result):
    """``result`` (nv,) += 1/2 [e_i, v] in the algebra of the joint that coordinate i belongs to; whether that may be nonzero."""
    k = problem.dofs[i, DOF_FRAME]
    code = problem.frames[k, CODE]
    first = problem.frames[k, FIRST_V]
    n = i - first
    if code == SPHERICAL:
        turn = cross((unit(n, 0), unit(n, 1), unit(n, 2)), (v[first], v[first + 1], v[first + 2]))
        for j in range(3):
            result[first + j] += 0.5 * turn[j]
    elif code == FREE:
        x, w = (unit(n, 0), unit(n, 1), unit(n, 2)), (unit(n, 3), unit(n, 4), unit(n, 5))
        y, z = (v[first], v[first + 1], v[first + 2]), (v[first + 3], v[first + 4], v[first + 5])
        move = add(cross(w, y), cross(x, z))
        turn = cross(w, z)
        for j in range(3):
            result[first + j] += 0.5 * move[j]
            result[first + 3 + j] += 0.5 * turn[j]
    elif code == PLANAR:
        result[first] += 0.5 * (unit(n, 1) * v[first + 2] - unit(n, 2) * v[first + 1])
        result[first + 1] += 0.5 * (unit(n, 2) * v[first] - unit(n, 0) * v[first + 2])
    else:
        return False
    return True


@compiled(inline=True)
def take_half_bracket(cotwist, cotwist_rate, m, motions, k):
    """Subtract 1/2 ad(eta)^T w from the rate of the cotwist w of row m on frame k, which moves with eta."""
    if k >= 0:
        x, w = load3(motions, k, TWIST), load3(motions, k, TWIST + 3)
        f, n = load3(cotwist, m, 0), load3(cotwist, m, 3)
        # (f; n) . [(x; w), (y; z)] = (f x w) . y + (f x x + n x w) . z
        store3(cotwist_rate, m, 0, subtract(load3(cotwist_rate, m, 0), scale(0.5, cross(f, w))))
        store3(cotwist_rate, m, 3, subtract(load3(cotwist_rate, m, 3), scale(0.5, add(cross(f, x), cross(n, w)))))


@compiled
def row_change(rows, motions, m):
    """wdot . eta + 1/2 w . etadot of row m."""
    k = rows.frame[m]
    other = rows.other[m]
    total = row_times(rows.cotwist_rate, m, motions, k, TWIST) + row_times(rows.other_cotwist_rate, m, motions, other, TWIST)
    half = row_times(rows.cotwist, m, motions, k, ACCELERATION) + row_times(rows.other_cotwist, m, motions, other, ACCELERATION)
    return total + 0.5 * half


@compiled(late=())
def row_slopes(problem, rows, inputs, q, v, work, shift, moved, gaps, slopes):
    """``slopes`` (active, nv): the change of J v with the configuration at fixed v; exact.

    The twist of a frame is eta(v), linear in v; b(v) its acceleration where those of the coordinates are zero, quadratic in v.
    The change D_u eta(v) along u has the symmetric part that b knows, and the antisymmetric one of Maurer and Cartan:

        D_u eta(v) + D_v eta(u) = b(u + v) - b(u) - b(v),      D_u eta(v) - D_v eta(u) = eta([u, v]) - [eta(u), eta(v)].

    The cotwists w of a row change as their rates along u say. Scratch: ``shift`` (nv,), ``moved`` (nv or more,), ``gaps``
    (active,). Rows, poses and motions are left changed.
    """
    free = rows.free
    active = rows.active
    groups = rows.groups
    zero = rows.zero
    single = rows.tangent_direction
    rows_at(problem, rows, inputs, q, v, work)
    frame_motions(problem.frames, problem.constants, q, v, zero, work.motions)
    for j in range(active.shape[0]):
        m = active[j]
        half = row_times(rows.cotwist, m, work.motions, rows.frame[m], ACCELERATION)
        gaps[j] = 0.5 * (half + row_times(rows.other_cotwist, m, work.motions, rows.other[m], ACCELERATION))
    for c in range(groups.start.shape[0] - 1):
        set_group(groups, free, c, 1.0, single)
        frame_motions(problem.frames, problem.constants, q, single, zero, work.motions)
        fill_rows(rows, inputs.rows, 0, q, single, work.poses, work.motions)
        set_group(groups, free, c, 0.0, single)
        for j in range(active.shape[0]):
            m = active[j]
            if groups.felt[m, c] >= 0:
                take_half_bracket(rows.cotwist, rows.cotwist_rate, m, work.motions, rows.frame[m])
                take_half_bracket(rows.other_cotwist, rows.other_cotwist_rate, m, work.motions, rows.other[m])
                change = coefficient_times(rows.coefficient_rate, m, rows, v) - gaps[j] - row_change(rows, work.motions, m)
                slopes[j, free[groups.felt[m, c]]] = change
        turns = False
        for n in range(v.shape[0]):
            moved[n] = v[n]
            shift[n] = 0.0
        for n in range(groups.start[c], groups.start[c + 1]):
            i = free[groups.coordinate[n]]
            moved[i] += 1.0
            turns = add_half_bracket(problem, i, v, shift) or turns
        frame_motions(problem.frames, problem.constants, q, moved, zero, work.motions)
        for j in range(active.shape[0]):
            e = groups.felt[active[j], c]
            if e >= 0:
                slopes[j, free[e]] += row_change(rows, work.motions, active[j])
        if turns:
            frame_motions(problem.frames, problem.constants, q, shift, zero, work.motions)
            for j in range(active.shape[0]):
                m = active[j]
                e = groups.felt[m, c]
                if e >= 0:
                    slopes[j, free[e]] += row_times(rows.cotwist, m, work.motions, rows.frame[m], TWIST)
                    slopes[j, free[e]] += row_times(rows.other_cotwist, m, work.motions, rows.other[m], TWIST)
