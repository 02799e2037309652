"""One step of Moreau's midpoint rule in minimal coordinates, from the start of the step to its end velocity.

    q_M = q_A (+) dt/2 v_A,     M(q_M) (v_E - v_A) = dt (tau - h(q_M, v)) + J^T P,     q_E = q_M (+) dt/2 v_E

with the set-valued laws of all contacts that are closed at q_M between the impulses P and the velocities J v_E (Moreau 1988;
Transeth 2007, 3.5). A contact that approaches with u_N < 0 rebounds with -e u_N (Newton), or the impact was before the step
(Poisson). Springs and friction of joints are taken at the mean of both ends, servos at the end or at the start, as the options
say.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces, limited
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.strands import strand_forces
from locodyn.kernel import kernel, routine
from locodyn.kernel.vector import add, load3, load9, multiply, rotate, store3, store9
from locodyn.locomotion.contact.arrays import (
    APPLIED,
    BASIS,
    BEFORE,
    CHANGE,
    CLOSED,
    DENSE,
    FRICTION_LOSS,
    GAUSS_SEIDEL,
    IMPACT_LOSS,
    IMPULSE_SCALE,
    KNOWN_RADIUS,
    MEAN,
    MET,
    NEWTON,
    PAIR,
    RESIDUAL,
    RHS,
    RHS_BEFORE,
    RUNG,
    SHIFT,
    SOLVER,
    STAMP,
    START,
    STEPS,
    SUPPLIED,
    TOLERANCE,
    UNCONVERGED,
    WENT,
    WORST,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact.bilateral import add_given, aim, book_rows, has_given, reduce_rows
from locodyn.locomotion.contact.curve import curve_contacts
from locodyn.locomotion.contact.dense import balance, contact_rows, fill_mass
from locodyn.locomotion.contact.detection import find_closed
from locodyn.locomotion.contact.gauss_seidel import fixed_impulses, solve_gauss_seidel, solve_prox
from locodyn.locomotion.contact.joints import carried_on, friction_force, implicit_servo, joint_diagonal, saturate, servo_force
from locodyn.locomotion.contact.law import impulses, recentre
from locodyn.locomotion.contact.newton import solve_newton
from locodyn.locomotion.contact.operator import respond
from locodyn.locomotion.contact.start import start_contacts, stride_of
from locodyn.locomotion.rhs import outer_wrenches
from locodyn.robot.layout import PARENT
from locodyn.shape.kinematics import POSITION, ROTATION

# Sweeps of a step with bilateral rows: at most, and by how much the velocity may miss the rows of the end, relative to 1 + |v|.
_SWEEPS, _MISSED = 8, 1e-11
# Natural map of the rigid law that is good enough where loads are open, over the weight of a link times the step. It does
# not follow the tolerance, since the path would, see locodyn.locomotion.contact.newton.
_STRICT = 1e-6


@routine
def right_side(p, c, inputs, step, q, q_mid, v, bias_v, w):
    """RHS of the step's equation: dt (tau - h) + (M + E) v_A, with h by inverse dynamics for the acceleration -v_A / dt."""
    n = v.shape[0]
    passive = w.stage[0]
    back = w.stage[1]
    needed = w.stage[2]
    work = w.inverse if has_rods(p.constants) else w.work
    rate = 1.0 / step
    for i in range(n):
        passive[i] = 0.0
        back[i] = -v[i] * rate
    given = 0.0
    if p.strands.shape[0] > 0:
        strand_forces(p.dofs, p.strands, p.strand_constants, p.strand_points, c.strands, q_mid, passive)
        for i in range(n):
            given += passive[i] * bias_v[i]
    joint_forces(p.frames, p.dof_constants, q_mid, v, passive)
    driven = has_given(p.constraints)
    outside = driven or p.wrench_laws.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(p.frames)
    loads = w.wrenches if outside else w.wrenches[:0]
    lost = 0.0
    if outside:
        for i in range(n):
            w.tau[i] = 0.0
        _, lost, power, steering = outer_wrenches(p, inputs, q_mid, bias_v, back, w)
        given += power + steering
        for i in range(n):
            passive[i] += w.tau[i]  # what drives the integrals of feedback laws
    if driven:
        given += add_given(p.constraints, c, w.motions, w.wrenches)
    inverse_dynamics(p.frames, p.constants, p.gravity, q_mid, bias_v, back, loads, work, needed)
    for i in range(n):
        total = c.vectors[APPLIED, i] + passive[i] - needed[i]
        extra = 0.0 if p.imposed.shape[0] > 0 and p.imposed[i] != 0 else carried_on(p, c, step, v, i)
        if implicit_servo(p, c, i):
            total += servo_force(p, inputs, step, q, v, i, 0.0)
        elif c.saturated[i] != 0:
            total += limited(p.dof_constants, i, c.saturated[i] * 1e300) - c.vectors[APPLIED, i]
        c.vectors[RHS, i] = step * total + extra
    return given - lost


@routine
def world_poses(frames, work, poses):
    """World poses from those in the parents, which inverse dynamics has left in ``work``."""
    for k in range(frames.shape[0]):
        r = load9(work, k, 0)
        x = load3(work, k, 9)
        parent = frames[k, PARENT]
        if parent >= 0:
            r0 = load9(poses, parent, ROTATION)
            x = add(load3(poses, parent, POSITION), rotate(r0, x))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, x)


@routine
def solve_contacts(p, c, q_mid, w, tau, step):
    """End velocity X and impulses Z by the chosen solver; returns the residual of the natural map. Reports whether it is MET."""
    scale = c.settings[IMPULSE_SCALE] * step
    solver = c.counts[SOLVER]
    c.report[RUNG] = 0.0
    if c.counts[CLOSED] == 0:
        respond(p, c, q_mid, w, c.vectors[X], tau)
        c.report[MET] = 1.0
        return 0.0
    tolerance = c.settings[TOLERANCE]
    if solver == NEWTON:
        strict = tolerance if c.kernel.shape[0] > 0 or few_loads(c) else max(tolerance, _STRICT)
        residual = solve_newton(p, c, q_mid, w, tau, tolerance * scale, strict * scale)
        if c.report[RUNG] > 0.0 and p.imposed.shape[0] > 0:
            fixed_impulses(p, c, q_mid, w, tau)  # forces of imposed joints for the pair that was chosen
        return residual / scale
    if solver == GAUSS_SEIDEL:
        residual = solve_gauss_seidel(p, c, q_mid, w, tau, tolerance * scale)
    else:
        residual = solve_prox(p, c, q_mid, w, tau, tolerance * scale)
    c.report[MET] = 1.0 if residual <= tolerance * scale else 0.0
    return residual / scale


@routine
def contact_velocity(p, c, inputs, step, q, q_mid, v, midpoint, w):
    """X: velocity at the end of the step. ``inputs``: targets and imposed motion at the end; APPLIED as at the start."""
    n = v.shape[0]
    tau = w.tau
    x = c.vectors[X]
    mixed = p.imposed.shape[0] > 0
    work = w.inverse if has_rods(p.constants) else w.work
    joint_diagonal(p, c, v, step)
    given = right_side(p, c, inputs, step, q, q_mid, v, v, w)
    world_poses(p.frames, work, w.poses)
    stride_of(c, p.gravity, work, step)
    find_closed(c, w.poses, step)
    curve_contacts(p, c, work, q_mid, v, step, w)
    start_contacts(p, c, work, step)
    dense = c.counts[DENSE] != 0
    if dense:
        contact_rows(p, c, q_mid, w)
    for i in range(n):
        x[i] = inputs.motion[1, i] if mixed and p.imposed[i] != 0 else v[i]
    residual = 0.0
    missed = aim(p.constraints, p, c, inputs, step, q_mid, x, w)
    sweeps = 2 + midpoint if c.kernel.shape[0] == 0 else _SWEEPS
    for sweep in range(sweeps):
        if dense:
            fill_mass(p, c, step, w)
            reduce_rows(p.constraints, c)
        residual = solve_contacts(p, c, q_mid, w, tau, step)
        again = saturate(p, c, inputs, step, q, v, x)
        missed = aim(p.constraints, p, c, inputs, step, q_mid, x, w)
        again = again or missed > _MISSED * (1.0 + fastest(x))
        if sweep >= midpoint and not again:
            break
        # Once more with what the velocity at the end tells: mean velocity in the bias, saturated servos.
        mean = c.vectors[MEAN]
        for i in range(n):
            mean[i] = 0.5 * (v[i] + x[i]) if midpoint else v[i]
            c.vectors[RHS_BEFORE, i] = c.vectors[RHS, i]
        joint_diagonal(p, c, v, step)
        given = right_side(p, c, inputs, step, q, q_mid, v, mean, w)
        if not again and changed(c) <= 0.1 * c.settings[TOLERANCE] * c.settings[IMPULSE_SCALE] * step:
            break
        recentre(c)
    judge(c, residual)
    if dense:
        balance(c, x, tau)
        book_rows(p.constraints, p, c, step, q_mid, v, w, tau)
    book(p, c, inputs, step, q, v, x, tau, given)


@kernel
def few_loads(c):
    """Whether so few contacts are closed that their loads are determined: up to three, supports with known loads aside."""
    count = 0
    for i in range(c.counts[CLOSED]):
        if c.contact[i, KNOWN_RADIUS] < 0.0:
            count += 1
    return count <= 3


@kernel
def judge(c, residual):
    """Count what the solver has found: its residual, and whether it is what was asked for."""
    c.report[RESIDUAL] = max(c.report[RESIDUAL], residual)
    if not residual <= c.report[WORST]:
        c.report[WORST] = residual
    if c.report[MET] == 0.0:
        c.report[UNCONVERGED] += 1.0


@kernel
def fastest(x):
    """Largest entry of x."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = max(largest, abs(x[i]))
    return largest


@kernel
def changed(c):
    """Largest change of the right-hand side, N s or N m s."""
    worst = 0.0
    for i in range(c.vectors.shape[1]):
        worst = max(worst, abs(c.vectors[RHS, i] - c.vectors[RHS_BEFORE, i]))
    return worst


@kernel
def book(p, c, inputs, step, q, v, x, tau, given):
    """Forces of actuators into APPLIED, work and losses into the report, impulses of the pairs."""
    mixed = p.imposed.shape[0] > 0
    work = step * given
    for i in range(x.shape[0]):
        mean = 0.5 * (v[i] + x[i])
        if mixed and p.imposed[i] != 0:
            c.vectors[APPLIED, i] = (tau[i] - c.vectors[RHS, i]) / step
        elif implicit_servo(p, c, i):
            c.vectors[APPLIED, i] += servo_force(p, inputs, step, q, v, i, x[i])
        elif c.saturated[i] != 0:
            c.vectors[APPLIED, i] = limited(p.dof_constants, i, c.saturated[i] * 1e300)
        work += step * mean * (c.vectors[APPLIED, i] - friction_force(p, c, v, x, i))
    c.report[SUPPLIED] += work
    row = c.contact
    rate = 1.0 / step
    for i in range(c.counts[CLOSED]):
        n = c.closed[i, PAIR]
        f, _ = impulses(c, i)
        if row[i, KNOWN_RADIUS] >= 0.0:
            f = (0.0, f[1], f[2])
        force = rotate(load9(row, i, BASIS), f)
        for j in range(3):
            c.impulse[n, j] += force[j]
        steady = abs(row[i, Z] - row[i, START]) < 0.5 * row[i, START]  # no impact, not just closed
        for j in range(6):
            c.warm[n, j] = row[i, Z + j] * rate
            c.warm[n, WENT + j] = (row[i, Z + j] - row[i, START + j]) * rate if steady else 0.0
        c.warm[n, STAMP] = c.counts[STEPS]
        for j in range(1, 6):
            c.warm[n, CHANGE + j - 1] = (row[i, W + j] - row[i, BEFORE + j]) * rate
        # Work of an impulse at the mean of the velocities before and after: normalised rows keep products.
        after = row[i, W] - row[i, SHIFT]
        c.report[IMPACT_LOSS] -= 0.5 * row[i, Z] * (row[i, BEFORE] + after)
        for j in range(1, 6):
            c.report[FRICTION_LOSS] -= 0.5 * row[i, Z + j] * (row[i, BEFORE + j] + row[i, W + j])
