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

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.joint_laws import joint_energy, joint_forces
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.totals import TOTALS, totals
from locodyn.integrate.implicit.matrix import add_rows_to
from locodyn.integrate.implicit.sparse import factor_sparse_end, is_sparse, solve_factored_block
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.kernel.vector import add, cross, load3, load9, rotate
from locodyn.locomotion.residual import acts_outside
from locodyn.locomotion.row_jacobian import free_mass, mass_of_all, rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import row_gaps
from locodyn.robot.layout import CODE, COUNT_V, DOF_CONSTANT_COLUMNS, FIRST_V, FREE, PARENT, PLANAR, ROD, ROOT, STIFFNESS
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import POSITION, ROTATION, frame_motions, frame_poses
from locodyn.world.rows import HOLONOMIC
from locodyn.world.wrenches import add_fluid_weight

ROUNDS = 8
_CLOSED = 1e-13  # positions on holonomic rows, in lengths of the robot
_LEAST_SHARE = 1e-6  # of the energy that must be in the motion for a factor of it to put the energy right


@compiled
def add_elasticity(problem, place, factor, matrix):
    """matrix += factor times the stiffness of rods and springs, among free coordinates: those with a ``place``."""
    frames, dof_constants = problem.frames, problem.dof_constants
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        first = frames[k, FIRST_V]
        if code == ROD and frames[k, PARENT] != frames[k, ROOT]:
            continue
        for i in range(frames[k, COUNT_V]):
            if place[first + i] < 0 or code == FREE or code == PLANAR:
                continue
            if code != ROD:
                matrix[first + i, first + i] += factor * dof_constants[first + i, STIFFNESS]
                continue
            for j in range(frames[k, COUNT_V]):
                if place[first + j] >= 0:
                    matrix[first + i, first + j] += factor * dof_constants[first + i, DOF_CONSTANT_COLUMNS + j]


@compiled(late=())
def sparse_end(problem, rows, h, q, work, scratch):
    """The same matrix without its zeros; of robots with rods their whole mass matrix is at hand."""
    place, scales, block = rows.place, scratch.end.scales, rows.dynamics.full_mass
    n = place.shape[0]
    with_rods = has_rods(problem.constants) and not moves_fluid(problem.frames)
    if with_rods:
        mass_of_all(problem, rows, q, work.poses)
    else:
        free_mass(problem, rows, q, work.poses)
        block = scratch.end.matrix
        for j in range(n):
            for p in range(scratch.closing.start[j], scratch.closing.start[j + 1]):
                i = scratch.closing.row[p]
                if i < n and place[i] >= 0 and place[j] >= 0:
                    block[i, j] = rows.dynamics.mass[place[i], place[j]]
    add_elasticity(problem, place, 0.25 * h * h, block)
    for i in range(n):
        scales[i] = 1.0 / sqrt(max(abs(block[i, i]), 1e-300)) if place[i] >= 0 else 1.0
    factor_sparse_end(rows, scratch.matrix, block, scales, scratch.closing)


@compiled(called=True)
def factor_end(problem, rows, h, q, n, work, scratch):
    """The saddle point matrix of the smallest change at q, where poses and rows are known."""
    free = rows.free
    mass = rows.dynamics.mass
    matrix = scratch.end.matrix
    scales = scratch.end.scales
    rod_columns(problem, rows, q, work.poses)
    row_jacobian(problem, rows, work.poses)
    if is_sparse(scratch.closing):
        sparse_end(problem, rows, h, q, work, scratch)
        return
    free_mass(problem, rows, q, work.poses)
    for i in range(n):
        for j in range(n):
            matrix[i, j] = 1.0 if i == j else 0.0
    for e in range(free.shape[0]):
        for g in range(free.shape[0]):
            matrix[free[e], free[g]] = mass[e, g]
    add_elasticity(problem, rows.place, 0.25 * h * h, matrix)
    for i in range(n):
        scales[i] = 1.0 / sqrt(max(abs(matrix[i, i]), 1e-300))
    for i in range(n):
        for j in range(n):
            matrix[i, j] *= scales[i] * scales[j]
    add_rows_to(rows, scratch.matrix.chosen, scratch.matrix.slopes, scales, n, 0.0, False, matrix)
    lu_factor(matrix, scratch.end.pivots)


@compiled
def smallest_change(rows, n, end, sparse):
    """``end.change`` (n,) of free coordinates that closes ``end.gaps``."""
    free, side, scales = rows.free, end.side, end.scales
    for i in range(n):
        side[i] = 0.0
        end.change[i] = 0.0
    for j in range(end.gaps.shape[0]):
        side[n + j] = -scales[n + j] * end.gaps[j]
    solve_factored_block(sparse, end.matrix, end.pivots, side)
    for e in range(free.shape[0]):
        end.change[free[e]] = side[free[e]] * scales[free[e]]


@compiled(late=())
def settle_end(problem, rows, inputs, h, q, v, work, scratch):
    """Positions on holonomic rows, then velocities on all rows, in place."""
    active, end = rows.active, scratch.end
    n = v.shape[0]
    rows_at(problem, rows, inputs, q, v, work)
    factor_end(problem, rows, h, q, n, work, scratch)
    for _ in range(ROUNDS):
        row_gaps(rows, True, work.motions, v, end.gaps)
        worst = 0.0
        for j in range(active.shape[0]):
            if rows.flags[active[j]] & HOLONOMIC == 0:
                end.gaps[j] = 0.0
            elif scratch.matrix.chosen[j] != 0:
                worst = max(worst, abs(end.gaps[j]))
        if worst <= _CLOSED * rows.length:
            break
        smallest_change(rows, n, end, scratch.closing)
        moved_configuration(problem.frames, q, end.change, q)
        rows_at(problem, rows, inputs, q, v, work)
    for _ in range(2):
        row_gaps(rows, False, work.motions, v, end.gaps)
        smallest_change(rows, n, end, scratch.closing)
        for i in range(n):
            v[i] += end.change[i]
        rows_at(problem, rows, inputs, q, v, work)


@compiled
def momentum_entry(totals_of, base, i):
    """Component i of the ``base`` components of momentum that the reference joint moves."""
    if base == 3:  # along x and y, about z
        return totals_of[TOTALS.linear_momentum + i] if i < 2 else totals_of[TOTALS.angular_momentum + 2]
    return totals_of[TOTALS.linear_momentum + i]  # linear, then angular


@compiled
def balance_entry(base, i):
    """Its place among linear and angular momentum."""
    return 5 if base == 3 and i == 2 else i


@compiled
def totals_at(problem, q, v, balance):
    """``balance.totals`` at a state."""
    totals(problem.frames, problem.constants, problem.gravity, q, v, balance.work, balance.totals)


@compiled(late=())
def stage_balance(rows, problem, inputs, k, work, scratch):
    """Rates at stage k: force and moment from outside (world axes, about the origin), power of all but gravity and springs.

    Call after the residual of the stage: forces along coordinates and wrenches are those that it left.
    """
    state, balance, rate = scratch.state, scratch.balance, scratch.balance.momentum_rate
    for i in range(6):
        rate[k, i] = 0.0
    v = state.v
    for i in range(v.shape[0]):
        balance.passive[i] = 0.0
    joint_forces(problem.frames, problem.dof_constants, state.q, balance.zero, balance.passive)
    power = 0.0
    for i in range(v.shape[0]):
        power += v[i] * (work.tau[i] - balance.passive[i])
    if acts_outside(problem, inputs) or state.loads.shape[0] > 0:
        power = add_wrench_rates(problem, inputs, power, k, work, state, balance)
    power -= row_power(rows, k, scratch.stages)
    totals_at(problem, state.q, v, balance)
    centre = (balance.totals[TOTALS.centre], balance.totals[TOTALS.centre + 1], balance.totals[TOTALS.centre + 2])
    mass = balance.totals[TOTALS.mass]
    weight = (mass * problem.gravity[0], mass * problem.gravity[1], mass * problem.gravity[2])
    moment = cross(centre, weight)
    for i in range(3):
        rate[k, i] += weight[i]
        rate[k, 3 + i] += moment[i]
    balance.power[k] = power


@compiled
def add_wrench_rates(problem, inputs, power, k, work, state, balance):
    """Wrenches on the frames in the rates of momentum at stage k; returns ``power`` with theirs added."""
    frames, constants, gravity, rate = problem.frames, problem.constants, problem.gravity, balance.momentum_rate
    poses, wrenches = work.poses, work.wrenches
    frame_poses(frames, constants, state.q, 1, poses)
    frame_motions(frames, constants, state.q, state.v, balance.zero, work.motions)
    user = inputs.wrenches.shape[0] > 0
    # Gravity does not pull at the fluid that is moved along: what takes its weight out of the recursions is no force.
    add_fluid_weight(frames, constants, (-gravity[0], -gravity[1], -gravity[2]), poses, wrenches)
    for f in range(frames.shape[0]):
        r = load9(poses, f, ROTATION)
        for i in range(6):
            power += wrenches[f, i] * work.motions[f, i]
            if balance.base > 0 and state.loads.shape[0] > 0:  # forces in loops have no resultant
                wrenches[f, i] += (inputs.wrenches[f, i] if user else 0.0) - state.loads[f, i]
        force = rotate(r, load3(wrenches, f, 0))
        moment = add(rotate(r, load3(wrenches, f, 3)), cross(load3(poses, f, POSITION), force))
        for i in range(3):
            rate[k, i] += force[i]
            rate[k, 3 + i] += moment[i]
    add_fluid_weight(frames, constants, gravity, poses, wrenches)
    return power


@compiled
def row_power(rows, k, stages):
    """Power of the forces of the rows at stage k: what is left of it while the iteration goes on."""
    power = 0.0
    if rows is not None:
        active = rows.active
        for j in range(active.shape[0]):
            power += stages.multipliers[k, active[j]] * stages.gaps[k, j]
    return power


@compiled(late=())
def begin_balance(problem, q, v, balance):
    """Energy and momentum at the start."""
    totals_at(problem, q, v, balance)
    springs, _ = joint_energy(problem.frames, problem.dof_constants, q, v)
    balance.energy = balance.totals[TOTALS.kinetic] + balance.totals[TOTALS.potential] + springs
    for i in range(6):
        balance.momentum[i] = balance.totals[TOTALS.linear_momentum + i]


@compiled
def keep_momentum(problem, q, v, balance):
    """v changed so that the momentum is what it should be; the velocity as if the robot were rigid into ``balance.locked``."""
    base, locked = balance.base, balance.locked
    inertia = balance.inertia[:base, :base]
    side = balance.side[:base]
    for j in range(base):
        locked[j] = 1.0
        totals_at(problem, q, locked, balance)
        locked[j] = 0.0
        for i in range(base):
            inertia[i, j] = momentum_entry(balance.totals, base, i)
    lu_factor(inertia, balance.pivots)
    totals_at(problem, q, v, balance)
    for i in range(base):
        side[i] = balance.momentum[balance_entry(base, i)] - momentum_entry(balance.totals, base, i)
    lu_solve(inertia, balance.pivots, side)
    for i in range(base):
        v[i] += side[i]
    for i in range(base):
        side[i] = balance.momentum[balance_entry(base, i)]
    lu_solve(inertia, balance.pivots, side)
    for i in range(base):
        locked[i] = side[i]


@compiled(late=())
def keep_balance(problem, scheme, h, q, v, balance):
    """v changed so that energy and momentum are what their balance says."""
    n = v.shape[0]
    for k in range(scheme.times.shape[0]):
        balance.energy += h * scheme.weights[1, k] * balance.power[k]
        for i in range(6):
            balance.momentum[i] += h * scheme.weights[1, k] * balance.momentum_rate[k, i]
    locked, inner = balance.locked, balance.inner
    for i in range(n):
        locked[i] = 0.0
    if balance.base > 0:
        keep_momentum(problem, q, v, balance)
    totals_at(problem, q, locked, balance)
    whole = balance.totals[TOTALS.kinetic]
    for i in range(n):
        inner[i] = v[i] - locked[i]
    totals_at(problem, q, inner, balance)
    own = balance.totals[TOTALS.kinetic]
    springs, _ = joint_energy(problem.frames, problem.dof_constants, q, v)
    wanted = balance.energy - balance.totals[TOTALS.potential] - springs - whole
    # Where hardly anything moves the energy is put right later.
    if own > _LEAST_SHARE * (whole + abs(wanted) + abs(springs)) and 0.81 * own < wanted < 1.21 * own:
        factor = sqrt(wanted / own)
        for i in range(n):
            v[i] = locked[i] + factor * inner[i]
