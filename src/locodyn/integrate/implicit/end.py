"""The end of implicit steps with several stages: the state put on the constraint rows, and on the balance of energy and momentum.

Collocation holds the rows by velocities at its stages (index 2; Hairer and Wanner 1996, VII.4). At the end of a step the state
leaves the rows, positions by the error of the quadrature, velocities of Gauss by order 3: it is put back by the smallest change
in the norm of M + h^2 K_elastic / 4, so that what the rows do not see keeps its order (projected collocation: Ascher and Petzold
1991), and stiff strains are not excited.

``energy_momentum``: T + V and the momentum of a robot that floats follow their balance, whose rates are taken at the stages. The
momentum is put right by a motion of the robot as if it were rigid, the energy by a factor of the rest of the velocity, which has
no momentum; both are the smallest changes in the norm of the mass matrix (Hairer, Lubich and Wanner 2006, IV.4).
"""

from __future__ import annotations

from locodyn.dynamics.joint_laws import joint_energy, joint_forces
from locodyn.dynamics.totals import ANGULAR_MOMENTUM, CENTRE, KINETIC, LINEAR_MOMENTUM, MASS, POTENTIAL, totals
from locodyn.integrate.implicit.matrix import add_rows_to
from locodyn.integrate.implicit.scratch import BALANCE, END, END_SCALE, ENERGY, LENGTH, PASSIVE, POWER, RIGHT
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.kernel.vector import add, cross, load3, load9, rotate
from locodyn.locomotion.residual import acts_outside
from locodyn.locomotion.row_jacobian import free_mass, rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import row_gaps
from locodyn.robot.layout import CODE, COUNT_V, DOF_CONSTANT_COLUMNS, FIRST_V, FREE, PARENT, PLANAR, ROD, ROOT, STIFFNESS
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import POSITION, ROTATION, frame_motions, frame_poses
from locodyn.world.rows import FLAGS, HOLONOMIC
from locodyn.world.wrenches import add_fluid_weight

ROUNDS = 8
_CLOSED = 1e-13  # positions on holonomic rows, in lengths of the robot
_LEAST_SHARE = 1e-6  # of the energy that must be in the motion for a factor of it to put the energy right


@kernel
def add_elasticity(p, c, factor, matrix):
    """matrix += factor times the stiffness of rods and springs, among free coordinates."""
    place = c.place
    for k in range(p.frames.shape[0]):
        code = p.frames[k, CODE]
        first = p.frames[k, FIRST_V]
        if code == ROD and p.frames[k, PARENT] != p.frames[k, ROOT]:
            continue
        for i in range(p.frames[k, COUNT_V]):
            if place[first + i] < 0 or code == FREE or code == PLANAR:
                continue
            if code != ROD:
                matrix[first + i, first + i] += factor * p.dof_constants[first + i, STIFFNESS]
                continue
            for j in range(p.frames[k, COUNT_V]):
                if place[first + j] >= 0:
                    matrix[first + i, first + j] += factor * p.dof_constants[first + i, DOF_CONSTANT_COLUMNS + j]


@routine
def factor_end(p, c, h, q, n, w, s):
    """The saddle point matrix of the smallest change at q, where poses and rows are known."""
    free = c.free
    mass = c.dynamics.mass
    matrix = s.end_matrix
    scales = s.long_vectors[END_SCALE]
    rod_columns(p, c, q, w.poses)
    row_jacobian(p, c, w.poses)
    free_mass(p, c, q, w.poses)
    for i in range(n):
        for j in range(n):
            matrix[i, j] = 1.0 if i == j else 0.0
    for e in range(free.shape[0]):
        for g in range(free.shape[0]):
            matrix[free[e], free[g]] = mass[e, g]
    add_elasticity(p, c, 0.25 * h * h, matrix)
    for i in range(n):
        scales[i] = 1.0 / sqrt(max(abs(matrix[i, i]), 1e-300))
    for i in range(n):
        for j in range(n):
            matrix[i, j] *= scales[i] * scales[j]
    add_rows_to(c, s, scales, n, 0.0, False, matrix)
    lu_factor(matrix, s.end_pivots)


@kernel
def smallest_change(c, n, s, change):
    """The change (n,) of free coordinates that closes the gaps of stage 0."""
    free = c.free
    right = s.long_vectors[RIGHT]
    scales = s.long_vectors[END_SCALE]
    for i in range(n):
        right[i] = 0.0
        change[i] = 0.0
    for j in range(s.chosen.shape[0]):
        right[n + j] = -scales[n + j] * s.gaps[0, j]
    lu_solve(s.end_matrix, s.end_pivots, right)
    for e in range(free.shape[0]):
        change[free[e]] = right[free[e]] * scales[free[e]]


@routine
def settle_end(p, c, inputs, h, q, v, w, s):
    """Positions on holonomic rows, then velocities on all rows, in place."""
    rows = c.table
    active = c.active
    n = v.shape[0]
    rows_at(p, c, inputs, q, v, w)
    factor_end(p, c, h, q, n, w, s)
    change = s.vectors[END]
    for _ in range(ROUNDS):
        row_gaps(c, True, w.motions, v, s.gaps[0])
        worst = 0.0
        for j in range(active.shape[0]):
            if rows[active[j], FLAGS] & HOLONOMIC == 0:
                s.gaps[0, j] = 0.0
            elif s.chosen[j] != 0:
                worst = max(worst, abs(s.gaps[0, j]))
        if worst <= _CLOSED * s.status[LENGTH]:
            break
        smallest_change(c, n, s, change)
        moved_configuration(p.frames, q, change, q)
        rows_at(p, c, inputs, q, v, w)
    for _ in range(2):
        row_gaps(c, False, w.motions, v, s.gaps[0])
        smallest_change(c, n, s, change)
        for i in range(n):
            v[i] += change[i]
        rows_at(p, c, inputs, q, v, w)


@kernel
def momentum_entry(s, b, i):
    """Component i of the b components of momentum that the reference joint moves."""
    if b == 3:  # along x and y, about z
        return s.totals[LINEAR_MOMENTUM + i] if i < 2 else s.totals[ANGULAR_MOMENTUM + 2]
    return s.totals[LINEAR_MOMENTUM + i]  # linear, then angular


@kernel
def balance_entry(b, i):
    """Its place among linear and angular momentum."""
    return 5 if b == 3 and i == 2 else i


@routine
def stage_balance(constraints, p, inputs, k, w, s):
    """``rates`` of stage k: force and moment from outside (world axes, about the origin), power of all but gravity and springs.

    Call after the residual of the stage: forces along coordinates and wrenches are those that it left.
    """
    for i in range(BALANCE):
        s.rates[k, i] = 0.0
    v = s.stage_v
    passive = s.vectors[PASSIVE]
    zero = s.vectors[END]
    for i in range(v.shape[0]):
        passive[i] = 0.0
        zero[i] = 0.0
    joint_forces(p.frames, p.dof_constants, s.stage_q, zero, passive)
    power = 0.0
    for i in range(v.shape[0]):
        power += v[i] * (w.tau[i] - passive[i])
    if acts_outside(p, inputs) or s.loads.shape[0] > 0:
        frame_poses(p.frames, p.constants, s.stage_q, 1, w.poses)
        frame_motions(p.frames, p.constants, s.stage_q, v, zero, w.motions)
        user = inputs.wrenches.shape[0] > 0
        # Gravity does not pull at the fluid that is moved along: what takes its weight out of the recursions is no force.
        add_fluid_weight(p.frames, p.constants, (-p.gravity[0], -p.gravity[1], -p.gravity[2]), w.poses, w.wrenches)
        for f in range(p.frames.shape[0]):
            r = load9(w.poses, f, ROTATION)
            for i in range(6):
                power += w.wrenches[f, i] * w.motions[f, i]
                if s.base[0] > 0 and s.loads.shape[0] > 0:  # forces in loops have no resultant
                    w.wrenches[f, i] += (inputs.wrenches[f, i] if user else 0.0) - s.loads[f, i]
            force = rotate(r, load3(w.wrenches, f, 0))
            moment = add(rotate(r, load3(w.wrenches, f, 3)), cross(load3(w.poses, f, POSITION), force))
            for i in range(3):
                s.rates[k, i] += force[i]
                s.rates[k, 3 + i] += moment[i]
        add_fluid_weight(p.frames, p.constants, p.gravity, w.poses, w.wrenches)
    power -= row_power(constraints, k, s)
    totals(p.frames, p.constants, p.gravity, s.stage_q, v, s.totals_work, s.totals)
    centre = (s.totals[CENTRE], s.totals[CENTRE + 1], s.totals[CENTRE + 2])
    mass = s.totals[MASS]
    weight = (mass * p.gravity[0], mass * p.gravity[1], mass * p.gravity[2])
    moment = cross(centre, weight)
    for i in range(3):
        s.rates[k, i] += weight[i]
        s.rates[k, 3 + i] += moment[i]
    s.rates[k, POWER] = power


@kernel
def row_power(constraints, k, s):
    """Power of the forces of the rows at stage k: what is left of it while the iteration goes on."""
    power = 0.0
    if constraints is not None:
        active = constraints.active
        for j in range(active.shape[0]):
            power += s.multipliers[k, active[j]] * s.gaps[k, j]
    return power


@routine
def begin_balance(p, q, v, s):
    """Energy and momentum at the start."""
    totals(p.frames, p.constants, p.gravity, q, v, s.totals_work, s.totals)
    springs, _ = joint_energy(p.frames, p.dof_constants, q, v)
    s.status[ENERGY] = s.totals[KINETIC] + s.totals[POTENTIAL] + springs
    for i in range(6):
        s.momentum[i] = s.totals[LINEAR_MOMENTUM + i]


@routine
def keep_balance(p, c, h, q, v, s):
    """v changed so that energy and momentum are what their balance says."""
    n = v.shape[0]
    b = s.base[0]
    for k in range(c.times.shape[0]):
        s.status[ENERGY] += h * c.weights[1, k] * s.rates[k, POWER]
        for i in range(6):
            s.momentum[i] += h * c.weights[1, k] * s.rates[k, i]
    locked = s.vectors[END]
    for i in range(n):
        locked[i] = 0.0
    if b > 0:
        matrix = s.end_matrix[:b, :b]
        right = s.long_vectors[RIGHT, :b]
        for j in range(b):
            locked[j] = 1.0
            totals(p.frames, p.constants, p.gravity, q, locked, s.totals_work, s.totals)
            locked[j] = 0.0
            for i in range(b):
                matrix[i, j] = momentum_entry(s, b, i)
        lu_factor(matrix, s.end_pivots)
        totals(p.frames, p.constants, p.gravity, q, v, s.totals_work, s.totals)
        for i in range(b):
            right[i] = s.momentum[balance_entry(b, i)] - momentum_entry(s, b, i)
        lu_solve(matrix, s.end_pivots, right)
        for i in range(b):
            v[i] += right[i]
        for i in range(b):
            right[i] = s.momentum[balance_entry(b, i)]
        lu_solve(matrix, s.end_pivots, right)
        for i in range(b):
            locked[i] = right[i]
    totals(p.frames, p.constants, p.gravity, q, locked, s.totals_work, s.totals)
    whole = s.totals[KINETIC]
    inner = s.vectors[PASSIVE]
    for i in range(n):
        inner[i] = v[i] - locked[i]
    totals(p.frames, p.constants, p.gravity, q, inner, s.totals_work, s.totals)
    own = s.totals[KINETIC]
    springs, _ = joint_energy(p.frames, p.dof_constants, q, v)
    wanted = s.status[ENERGY] - s.totals[POTENTIAL] - springs - whole
    # Where hardly anything moves the energy is put right later.
    if own > _LEAST_SHARE * (whole + abs(wanted) + abs(springs)) and 0.81 * own < wanted < 1.21 * own:
        factor = sqrt(wanted / own)
        for i in range(n):
            v[i] = locked[i] + factor * inner[i]
