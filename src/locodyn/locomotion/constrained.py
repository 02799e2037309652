"""Constrained dynamics: rows of :mod:`locodyn.world.rows`, coordinates free, dependent or imposed.

Coordinates fall into three sets: E, whose force is known (reference joint, torque-driven, passive); D, dependent: actuated joints that follow
from the constraints (Ali 2011, (3.44)); I, imposed. With J the rows,

    J_E v_E = b - (the rest),   M_EE a_E + h_E = tau_E + J_E^T lambda,

and the rank-revealing factorisation J_E^T P = Q R, the columns of Q split into the range of J_E^T and the kernel of J_E: an orthonormal kernel basis that is
computed anew at every evaluation. Velocities are projected on the rows (smallest change), accelerations solved in both parts (the dynamics (3.69)-(3.70) in the
kernel, kinematics (3.45)-(3.46) in the range), so no basis has to be smooth or transported, and no derivative of it is ever taken.

Everything runs in O(n + m) for robots whose joints are imposed or dependent: rows are carried to the reference body in one step, dependent joints are found
one after the other on the way outward, torques come from inverse dynamics with the contact forces applied.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.mass_matrix import INERTIA, MASS, MOMENT, along, composite_inertias
from locodyn.kernel import kernel, step
from locodyn.kernel.dense import pivoted_qr, solve_positive, solve_transposed
from locodyn.kernel.handle import float_table, floats, integer_table, integers
from locodyn.kernel.vector import add, cross, load3, load6, load9, rotate, scale, store3, subtract
from locodyn.locomotion.fields import (
    ABSORBED_AT,
    ACTIVE_AT,
    BASIS_AT,
    CLIMB_AT,
    COMPOSITES_AT,
    COTWISTS_AT,
    CULPRIT_AT,
    DATA_AT,
    DEPENDENT_AT,
    E_VECTORS_AT,
    FACTOR_AT,
    FOLLOWER_AT,
    FORCE_BASIS_AT,
    FORCE_FACTOR_AT,
    FORCE_ORDER_AT,
    FREE_AT,
    GROUP_FORCE_AT,
    HOLONOMIC_AT,
    JACOBIAN_AT,
    LOADS_AT,
    MASS_AT,
    MULTIPLIERS_AT,
    NEEDED_AT,
    ORDER_AT,
    PATH_AT,
    PLACE_AT,
    REDUCED_AT,
    ROW_VECTORS_AT,
    ROWS_AT,
    SHARE_AT,
    SHARE_BASIS_AT,
    SHARE_ORDER_AT,
    SHIFT_AT,
    SIDES_AT,
    STATIC_AT,
    STATUS_AT,
    TOLERANCE_AT,
    UNITS_AT,
    WEIGHTS_AT,
    WORK_AT,
    ZERO_AT,
)
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_ARMATURE,
    DOF_AXIS,
    DOF_FRAME,
    FIRST_Q,
    FIRST_V,
    LINEAR,
    PARENT,
)
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import ACCELERATION, POSITION, ROTATION, TWIST, frame_motions, frame_poses, to_child
from locodyn.world.rows import (
    COEFFICIENT,
    COORDINATE,
    FLAGS,
    FORCE,
    FRAME,
    GROUP,
    HOLONOMIC,
    KNOWN,
    OTHER,
    RATE_A,
    RATE_B,
    RESIDUAL,
    SIDE,
    SIDE_RATE,
    W_A,
    W_B,
    fill_rows,
    row_times,
)

# Entries of the status vector that a solve leaves behind.
RANK, CONDITION, MISMATCH, FORCE_RANK, FORCE_MISMATCH = range(5)
STATUS = 5
# Rows of the scratch vectors over E, and over rows.
RHS, STEP, UNKNOWN, BALANCE = range(4)
E_VECTORS = 4
DEFECT, SORTED, TARGET = range(3)
ROW_VECTORS = 3
MOST_ITERATIONS = 20


# ------------------------------------------------------------------------------------------------------------ assembly
@kernel
def row_jacobian(p, c, poses):
    """J_E (m, |E|) into ``jacobian``: each row carried to the frames that have a coordinate in E, nothing in between."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    free = integers(c, FREE_AT)
    place = integers(c, PLACE_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    for m in range(rows.shape[0]):
        for e in range(free.shape[0]):
            jacobian[m, e] = 0.0
        add_row(p, c, poses, m, rows[m, FRAME], W_A)
        add_row(p, c, poses, m, rows[m, OTHER], W_B)
        i = rows[m, COORDINATE]
        if i >= 0 and place[i] >= 0:
            jacobian[m, place[i]] += data[m, COEFFICIENT]


@step
def add_row(p, c, poses, m, k, column):
    """Add the part of row m that acts on frame k (-1: none)."""
    place = integers(c, PLACE_AT)
    climb = integers(c, CLIMB_AT)
    cotwists = float_table(c, COTWISTS_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    if k >= 0:
        r = load9(poses, k, ROTATION)
        f = rotate(r, load3(cotwists, m, column))
        n = rotate(r, load3(cotwists, m, column + 3))
        at = load3(poses, k, POSITION)
        k = climb[k]
        while k >= 0:
            here = load3(poses, k, POSITION)
            n = add(n, cross(subtract(at, here), f))
            at = here
            first = p.frames[k, FIRST_V]
            for i in range(first, first + p.frames[k, COUNT_V]):
                if place[i] >= 0:
                    jacobian[m, place[i]] += along(p.dofs, p.dof_constants, poses, k, i, f, n)
            parent = p.frames[k, PARENT]
            k = climb[parent] if parent >= 0 else -1


@kernel
def free_mass(p, c, poses):
    """M_EE into ``mass``, from composite inertias."""
    free = integers(c, FREE_AT)
    place = integers(c, PLACE_AT)
    climb = integers(c, CLIMB_AT)
    mass = float_table(c, MASS_AT)
    composites = float_table(c, COMPOSITES_AT)
    composite_inertias(p.frames, p.constants, poses, composites)
    for e in range(free.shape[0]):
        for j in range(free.shape[0]):
            mass[e, j] = 0.0
    for e in range(free.shape[0]):
        i = free[e]
        k = p.dofs[i, DOF_FRAME]
        axis = axis_vector(poses, k, p.dofs[i, DOF_AXIS])
        f, n = momentum(
            composites[k, MASS],
            load3(composites, k, MOMENT),
            load6(composites, k, INERTIA),
            scale(p.dof_constants[i, LINEAR], axis),
            scale(p.dof_constants[i, ANGULAR], axis),
        )
        mass[e, e] += p.dof_constants[i, DOF_ARMATURE]
        at = load3(poses, k, POSITION)
        while k >= 0:
            here = load3(poses, k, POSITION)
            n = add(n, cross(subtract(at, here), f))
            at = here
            first = p.frames[k, FIRST_V]
            for j in range(first, first + p.frames[k, COUNT_V]):
                other = place[j]
                if 0 <= other <= e:
                    mass[e, other] += along(p.dofs, p.dof_constants, poses, k, j, f, n)
                    mass[other, e] = mass[e, other]
            parent = p.frames[k, PARENT]
            k = climb[parent] if parent >= 0 else -1


@step
def row_speed(c, motions, m, v):
    """w . eta + c v of row m."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    cotwists = float_table(c, COTWISTS_AT)
    total = row_times(cotwists, m, W_A, motions, rows[m, FRAME], TWIST)
    total += row_times(cotwists, m, W_B, motions, rows[m, OTHER], TWIST)
    i = rows[m, COORDINATE]
    return total + data[m, COEFFICIENT] * v[i] if i >= 0 else total


@step
def row_acceleration(c, motions, m, a):
    """w . etadot + wdot . eta + c a of row m."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    cotwists = float_table(c, COTWISTS_AT)
    k = rows[m, FRAME]
    other = rows[m, OTHER]
    total = row_times(cotwists, m, W_A, motions, k, ACCELERATION) + row_times(cotwists, m, RATE_A, motions, k, TWIST)
    total += row_times(cotwists, m, W_B, motions, other, ACCELERATION) + row_times(cotwists, m, RATE_B, motions, other, TWIST)
    i = rows[m, COORDINATE]
    return total + data[m, COEFFICIENT] * a[i] if i >= 0 else total


@kernel
def factor_kinematics(p, c, poses):
    """J_E of the rows that restrict E, and its factors; returns the rank."""
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    units = floats(c, UNITS_AT)
    tolerance = floats(c, TOLERANCE_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    factor = float_table(c, FACTOR_AT)
    basis = float_table(c, BASIS_AT)
    order = integers(c, ORDER_AT)
    row_jacobian(p, c, poses)
    n = free.shape[0]
    for j in range(active.shape[0]):
        for e in range(n):
            factor[e, j] = jacobian[active[j], e] * units[e]
    return pivoted_qr(factor, n, active.shape[0], basis, order, tolerance[0])


@kernel
def range_step(c, rank, defect, result):
    """Smallest step in E with J step = defect (over active rows); returns the largest row that is missed.

    ``defect`` (active,) is overwritten by its permutation.
    """
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    units = floats(c, UNITS_AT)
    factor = float_table(c, FACTOR_AT)
    basis = float_table(c, BASIS_AT)
    order = integers(c, ORDER_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    culprit = integers(c, CULPRIT_AT)
    n = free.shape[0]
    ordered = row_vectors[SORTED]
    for j in range(active.shape[0]):
        ordered[j] = defect[order[j]]
    solve_transposed(factor, rank, ordered, e_vectors[UNKNOWN])
    missed = 0.0
    for j in range(rank, active.shape[0]):
        rest = ordered[j]
        for i in range(rank):
            rest -= factor[i, j] * e_vectors[UNKNOWN, i]
        if abs(rest) > abs(missed):
            missed = rest
            culprit[0] = active[order[j]]
    for e in range(n):
        total = 0.0
        for i in range(rank):
            total += basis[e, i] * e_vectors[UNKNOWN, i]
        result[e] = total * units[e]
    return missed


# ------------------------------------------------------------------------------------------------------------ velocities
@kernel
def project_velocity(p, c, inputs, q, v, w):
    """Put v on the rows: v_E by the smallest change, v_D one after the other. Leaves poses, rows and factors; returns the rank."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    factor = float_table(c, FACTOR_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    zero = floats(c, ZERO_AT)
    culprit = integers(c, CULPRIT_AT)
    status = floats(c, STATUS_AT)
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    rank = 0
    # Rows of loops depend on velocity through their rates only: one fill for positions, one for the final velocity.
    frame_motions(p.frames, p.constants, q, v, zero, w.motions)
    fill_rows(rows, data, inputs.rows, w.poses, w.motions, cotwists, sides)
    if free.shape[0] > 0:
        rank = factor_kinematics(p, c, w.poses)
        defect = row_vectors[DEFECT]
        for j in range(active.shape[0]):
            m = active[j]
            defect[j] = sides[m, SIDE] - row_speed(c, w.motions, m, v)
        status[MISMATCH] = range_step(c, rank, defect, e_vectors[STEP])
        for e in range(free.shape[0]):
            v[free[e]] += e_vectors[STEP, e]
        status[RANK] = rank
        last = abs(factor[rank - 1, rank - 1]) if rank > 0 else 0.0
        status[CONDITION] = last / abs(factor[0, 0]) if rank > 0 else 0.0
    else:
        status[MISMATCH] = 0.0
        for j in range(active.shape[0]):
            m = active[j]
            rest = sides[m, SIDE] - row_speed(c, w.motions, m, v)
            if abs(rest) > abs(status[MISMATCH]):
                status[MISMATCH] = rest
                culprit[0] = m
    return rank


@kernel
def project_position(p, c, inputs, q, v, w):
    """Newton on the holonomic rows: coordinates in E move until the residuals vanish; returns the largest residual left."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    tolerance = floats(c, TOLERANCE_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    shift = floats(c, SHIFT_AT)
    zero = floats(c, ZERO_AT)
    worst = 0.0
    for _ in range(MOST_ITERATIONS):
        frame_poses(p.frames, p.constants, q, 1, w.poses)
        frame_motions(p.frames, p.constants, q, v, zero, w.motions)
        fill_rows(rows, data, inputs.rows, w.poses, w.motions, cotwists, sides)
        defect = row_vectors[DEFECT]
        worst = 0.0
        for j in range(active.shape[0]):
            m = active[j]
            defect[j] = -sides[m, RESIDUAL] if rows[m, FLAGS] & HOLONOMIC else 0.0
            worst = max(worst, abs(defect[j]))
        if worst <= tolerance[1]:
            return worst
        rank = factor_kinematics(p, c, w.poses)
        range_step(c, rank, defect, e_vectors[STEP])
        for i in range(v.shape[0]):
            shift[i] = 0.0
        for e in range(free.shape[0]):
            shift[free[e]] = e_vectors[STEP, e]
        moved_configuration(p.frames, q, shift, q)
    return worst


@step
def twist_of(p, q, k, parent_x, parent_w, v):
    """Pose in the parent, joint twist and twist of frame k from that of its parent."""
    r, at = joint_pose(p.frames[k, CODE], p.constants, k, q, p.frames[k, FIRST_Q])
    sx, sw = joint_twist(p.frames[k, CODE], p.constants, k, v, p.frames[k, FIRST_V])
    x, w = to_child(r, at, parent_x, parent_w)
    return r, at, sx, sw, add(x, sx), add(w, sw)


@step
def rate_of(r, at, sx, sw, x, w, parent_x, parent_w, dx, dw):
    """Acceleration of a frame from that of its parent."""
    ax, aw = to_child(r, at, parent_x, parent_w)
    return add(add(ax, dx), add(cross(w, sx), cross(x, sw))), add(add(aw, dw), cross(w, sw))


@kernel
def row_value(p, c, q, v, a, motions, m, f):
    """(speed, acceleration) of row m on a frame that frame f carries, with the motion of the parent of f from ``motions``."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    path = integers(c, PATH_AT)
    depth = 0
    k = rows[m, FRAME]
    while k != f:
        path[depth] = k
        depth += 1
        k = p.frames[k, PARENT]
    path[depth] = f
    parent = p.frames[f, PARENT]
    x, w = load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3)
    ax, aw = load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3)
    for n in range(depth, -1, -1):
        k = path[n]
        r, at, sx, sw, nx, nw = twist_of(p, q, k, x, w, v)
        dx, dw = joint_twist(p.frames[k, CODE], p.constants, k, a, p.frames[k, FIRST_V])
        ax, aw = rate_of(r, at, sx, sw, nx, nw, ax, aw, dx, dw)
        x = nx
        w = nw
    speed = 0.0
    acceleration = 0.0
    for j in range(3):
        speed += cotwists[m, W_A + j] * x[j] + cotwists[m, W_A + 3 + j] * w[j]
        acceleration += cotwists[m, W_A + j] * ax[j] + cotwists[m, W_A + 3 + j] * aw[j]
        acceleration += cotwists[m, RATE_A + j] * x[j] + cotwists[m, RATE_A + 3 + j] * w[j]
    return speed, acceleration


@kernel
def dependent_motion(p, c, q, v, a, poses, motions):
    """v and a of the dependent coordinates, and the motion of all frames, in one pass outward.

    Each dependent coordinate takes up one row on a frame that it carries (its absorbed row), given everything before it.
    """
    rows = integer_table(c, ROWS_AT)
    follower = integers(c, FOLLOWER_AT)
    absorbed = integers(c, ABSORBED_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    for k in range(p.frames.shape[0]):
        parent = p.frames[k, PARENT]
        d = follower[k]
        if d >= 0:
            i = p.frames[k, FIRST_V]
            m = absorbed[d]
            r = load9(poses, rows[m, FRAME], ROTATION)
            f = rotate(r, load3(cotwists, m, W_A))
            n = rotate(r, load3(cotwists, m, W_A + 3))
            lever = subtract(load3(poses, rows[m, FRAME], POSITION), load3(poses, k, POSITION))
            gain = 1.0 / along(p.dofs, p.dof_constants, poses, k, i, f, add(n, cross(lever, f)))
            v[i] = 0.0
            speed, _ = row_value(p, c, q, v, a, motions, m, k)
            v[i] = (sides[m, SIDE] - speed) * gain
            a[i] = 0.0
            _, acceleration = row_value(p, c, q, v, a, motions, m, k)
            a[i] = (sides[m, SIDE_RATE] - acceleration) * gain
        if parent < 0:
            sx, sw = joint_twist(p.frames[k, CODE], p.constants, k, v, p.frames[k, FIRST_V])
            dx, dw = joint_twist(p.frames[k, CODE], p.constants, k, a, p.frames[k, FIRST_V])
            x, w, ax, aw = sx, sw, dx, dw
        else:
            r, at, sx, sw, x, w = twist_of(p, q, k, load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3), v)
            dx, dw = joint_twist(p.frames[k, CODE], p.constants, k, a, p.frames[k, FIRST_V])
            px, pw = load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3)
            ax, aw = rate_of(r, at, sx, sw, x, w, px, pw, dx, dw)
        store3(motions, k, TWIST, x)
        store3(motions, k, TWIST + 3, w)
        store3(motions, k, ACCELERATION, ax)
        store3(motions, k, ACCELERATION + 3, aw)


# -------------------------------------------------------------------------------------------------- accelerations, forces
@kernel
def solve_accelerations(p, c, rank, q, v, w, loads, a, tau):
    """a_E from the rows (range) and from the dynamics (kernel), for velocities that are on the rows."""
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    units = floats(c, UNITS_AT)
    sides = float_table(c, SIDES_AT)
    basis = float_table(c, BASIS_AT)
    mass = float_table(c, MASS_AT)
    reduced = float_table(c, REDUCED_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    n = free.shape[0]
    for e in range(n):
        a[free[e]] = 0.0
    frame_motions(p.frames, p.constants, q, v, a, w.motions)
    defect = row_vectors[DEFECT]
    for j in range(active.shape[0]):
        m = active[j]
        defect[j] = sides[m, SIDE_RATE] - row_acceleration(c, w.motions, m, a)
    range_step(c, rank, defect, e_vectors[STEP])
    for e in range(n):
        a[free[e]] = e_vectors[STEP, e]
    if rank < n:
        # Kernel: Z^T M Z z = Z^T (tau - h - M a_range), with h + M a_range by inverse dynamics.
        inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
        free_mass(p, c, w.poses)
        for x in range(rank, n):
            total = 0.0
            for e in range(n):
                total += basis[e, x] * units[e] * (tau[free[e]] - needed[free[e]])
            e_vectors[RHS, x - rank] = total
            for y in range(rank, x + 1):
                total = 0.0
                for e in range(n):
                    part = 0.0
                    for g in range(n):
                        part += mass[e, g] * basis[g, y] * units[g]
                    total += basis[e, x] * units[e] * part
                reduced[x - rank, y - rank] = total
        solve_positive(reduced, n - rank, e_vectors[RHS])
        for e in range(n):
            total = 0.0
            for x in range(rank, n):
                total += basis[e, x] * e_vectors[RHS, x - rank]
            a[free[e]] += total * units[e]


@kernel
def solve_multipliers(p, c, q, v, a, loads, tau):
    """lambda with J_E^T lambda = (M a + h - tau)_E, of smallest weighted norm, rows of one group sharing one value.

    ``needed`` is left with M a + h of all coordinates. A static loading (``static``, the user's) may be added in the kernel of J_E^T.
    """
    rows = integer_table(c, ROWS_AT)
    free = integers(c, FREE_AT)
    units = floats(c, UNITS_AT)
    weights = floats(c, WEIGHTS_AT)
    static = floats(c, STATIC_AT)
    tolerance = floats(c, TOLERANCE_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    force_factor = float_table(c, FORCE_FACTOR_AT)
    force_basis = float_table(c, FORCE_BASIS_AT)
    force_order = integers(c, FORCE_ORDER_AT)
    share = float_table(c, SHARE_AT)
    share_basis = float_table(c, SHARE_BASIS_AT)
    share_order = integers(c, SHARE_ORDER_AT)
    group_force = floats(c, GROUP_FORCE_AT)
    multipliers = floats(c, MULTIPLIERS_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    status = floats(c, STATUS_AT)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
    n = free.shape[0]
    groups = weights.shape[0]
    for e in range(n):
        for g in range(groups):
            force_factor[e, g] = 0.0
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                force_factor[e, rows[m, GROUP]] += jacobian[m, e] * units[e] * weights[rows[m, GROUP]]
    rank = pivoted_qr(force_factor, n, groups, force_basis, force_order, tolerance[0])
    # Balance left when the static loading acts, in the basis of the range: R (P^T mu) = Q^T balance.
    for e in range(n):
        i = free[e]
        total = needed[i] - tau[i]
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                total -= jacobian[m, e] * static[rows[m, GROUP]]
        e_vectors[BALANCE, e] = total * units[e]
    missed = 0.0
    for x in range(n):
        total = 0.0
        for e in range(n):
            total += force_basis[e, x] * e_vectors[BALANCE, e]
        e_vectors[RHS, x] = total
        if x >= rank:
            missed = max(missed, abs(total))
    status[FORCE_RANK] = rank
    status[FORCE_MISMATCH] = missed
    # Smallest norm: R^T = Z U, mu = Z U^-T (Q^T balance).
    for g in range(groups):
        for x in range(rank):
            share[g, x] = force_factor[x, g]
    full = pivoted_qr(share, groups, rank, share_basis, share_order, tolerance[0])
    for x in range(full):
        e_vectors[STEP, x] = e_vectors[RHS, share_order[x]]
    solve_transposed(share, full, e_vectors[STEP], e_vectors[UNKNOWN])
    for g in range(groups):
        total = 0.0
        for x in range(full):
            total += share_basis[g, x] * e_vectors[UNKNOWN, x]
        group_force[force_order[g]] = total
    for g in range(groups):
        group_force[g] = group_force[g] * weights[g] + static[g]
    for m in range(rows.shape[0]):
        multipliers[m] = group_force[rows[m, GROUP]] if rows[m, FLAGS] & FORCE else 0.0


@kernel
def apply_known(c, loads):
    """Add the wrenches of rows whose force is given (driven wheels) to ``loads`` (nf, 6)."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    for m in range(rows.shape[0]):
        if rows[m, FLAGS] & KNOWN:
            for j in range(6):
                loads[rows[m, FRAME], j] += sides[m, SIDE] * cotwists[m, W_A + j]


@kernel
def apply_multipliers(p, c, loads):
    """Add the wrenches of the multipliers to ``loads`` (nf, 6)."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    multipliers = floats(c, MULTIPLIERS_AT)
    for m in range(rows.shape[0]):
        k = rows[m, FRAME]
        other = rows[m, OTHER]
        for j in range(6):
            if k >= 0:
                loads[k, j] += multipliers[m] * cotwists[m, W_A + j]
            if other >= 0:
                loads[other, j] += multipliers[m] * cotwists[m, W_B + j]


@kernel
def constrained_motion(p, c, inputs, q, v, w, a):
    """Accelerations on the rows, for applied forces ``w.tau`` and wrenches ``w.wrenches``; v is projected. No multipliers yet."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    free = integers(c, FREE_AT)
    dependent = integers(c, DEPENDENT_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    zero = floats(c, ZERO_AT)
    rank = project_velocity(p, c, inputs, q, v, w)
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)
    else:
        frame_motions(p.frames, p.constants, q, v, zero, w.motions)
    # Rates of the rows for the velocity that is now on them.
    fill_rows(rows, data, inputs.rows, w.poses, w.motions, cotwists, sides)
    apply_known(c, w.wrenches)
    if free.shape[0] > 0:
        solve_accelerations(p, c, rank, q, v, w, w.wrenches, a, w.tau)
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)


@kernel
def constrained_forces(p, c, q, v, w, a):
    """Multipliers, and the forces of imposed and dependent coordinates into ``w.tau``; call after the motion is known."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    place = integers(c, PLACE_AT)
    multipliers = floats(c, MULTIPLIERS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    loads = float_table(c, LOADS_AT)
    solve_multipliers(p, c, q, v, a, w.wrenches, w.tau)
    for k in range(p.frames.shape[0]):
        for j in range(6):
            loads[k, j] = w.wrenches[k, j]
    apply_multipliers(p, c, loads)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
    for m in range(rows.shape[0]):
        i = rows[m, COORDINATE]
        if i >= 0:
            needed[i] -= multipliers[m] * data[m, COEFFICIENT]
    for i in range(v.shape[0]):
        if place[i] < 0:
            w.tau[i] = needed[i]


@kernel
def settle_rows(p, c, inputs, q, v, w, a):
    """Positions on the holonomic rows, velocities on all rows."""
    dependent = integers(c, DEPENDENT_AT)
    holonomic = integers(c, HOLONOMIC_AT)
    if holonomic[0] != 0:
        project_position(p, c, inputs, q, v, w)
    project_velocity(p, c, inputs, q, v, w)
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)
