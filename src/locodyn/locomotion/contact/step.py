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
from locodyn.locomotion.contact.bilateral import add_given, aim, book_rows, has_given, reduce_rows
from locodyn.locomotion.contact.curve import curve_contacts
from locodyn.locomotion.contact.dense import balance, contact_rows, fill_mass
from locodyn.locomotion.contact.detection import find_closed
from locodyn.locomotion.contact.gauss_seidel import fixed_impulses, solve_gauss_seidel, solve_prox
from locodyn.locomotion.contact.joints import carried_on, friction_force, implicit_servo, joint_diagonal, saturate, servo_force
from locodyn.locomotion.contact.law import impulses, recentre
from locodyn.locomotion.contact.newton import solve_newton
from locodyn.locomotion.contact.operator import respond
from locodyn.locomotion.contact.options import GAUSS_SEIDEL, NEWTON
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
def right_side(problem, contacts, inputs, step, q, q_mid, v, bias_v, work):
    """``rhs`` of the step's equation: dt (tau - h) + (M + E) v_A, with h by inverse dynamics for the acceleration -v_A / dt."""
    n = v.shape[0]
    passive = contacts.step.passive
    back = contacts.step.back
    needed = contacts.step.needed
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    rate = 1.0 / step
    for i in range(n):
        passive[i] = 0.0
        back[i] = -v[i] * rate
    joint_forces(problem.frames, problem.dof_constants, q_mid, v, passive)
    if problem.strands.shape[0] > 0:
        strand_forces(
            problem.dofs, problem.strands, problem.strand_constants, problem.strand_points, contacts.strands, q_mid, passive
        )
    driven = has_given(problem.constraints)
    outside = driven or problem.wrench_laws.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(problem.frames)
    loads = work.wrenches if outside else work.wrenches[:0]
    lost = 0.0
    given = 0.0
    if outside:
        for i in range(n):
            work.tau[i] = 0.0
        _, lost, given, steering = outer_wrenches(problem, inputs, q_mid, bias_v, back, work)
        given += steering
        for i in range(n):
            passive[i] += work.tau[i]  # what drives the integrals of feedback laws
    if driven:
        given += add_given(problem.constraints, contacts, work.motions, work.wrenches)
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q_mid, bias_v, back, loads, frame_work, needed)
    for i in range(n):
        total = contacts.applied[i] + passive[i] - needed[i]
        extra = 0.0 if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0 else carried_on(problem, contacts, step, v, i)
        if implicit_servo(problem, contacts, i):
            total += servo_force(problem, inputs, step, q, v, i, 0.0)
        elif contacts.saturated[i] != 0:
            total += limited(problem.dof_constants, i, contacts.saturated[i] * 1e300) - contacts.applied[i]
        contacts.rhs[i] = step * total + extra
    return given - lost


@routine
def world_poses(frames, frame_work, poses):
    """World poses from those in the parents, which inverse dynamics has left in ``frame_work``."""
    for k in range(frames.shape[0]):
        r = load9(frame_work, k, 0)
        x = load3(frame_work, k, 9)
        parent = frames[k, PARENT]
        if parent >= 0:
            r0 = load9(poses, parent, ROTATION)
            x = add(load3(poses, parent, POSITION), rotate(r0, x))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, x)


@routine
def solve_contacts(problem, contacts, q_mid, work, tau, step):
    """End velocity and impulses by the chosen solver; returns the residual of the natural map, reports whether it is ``met``."""
    scale = contacts.mean_weight * step
    solver = contacts.solver
    contacts.report.relaxations = 0
    if contacts.closed == 0:
        respond(problem, contacts, q_mid, work, contacts.end_velocity, tau)
        contacts.report.met = 1
        return 0.0
    tolerance = contacts.tolerance
    if solver == NEWTON:
        strict = tolerance if contacts.bilateral.kernel.shape[0] > 0 or few_loads(contacts) else max(tolerance, _STRICT)
        residual = solve_newton(problem, contacts, q_mid, work, tau, tolerance * scale, strict * scale)
        if contacts.report.relaxations > 0 and problem.imposed.shape[0] > 0:
            fixed_impulses(problem, contacts, q_mid, work, tau)  # forces of imposed joints for the pair that was chosen
        return residual / scale
    if solver == GAUSS_SEIDEL:
        residual = solve_gauss_seidel(problem, contacts, q_mid, work, tau, tolerance * scale)
    else:
        residual = solve_prox(problem, contacts, q_mid, work, tau, tolerance * scale)
    contacts.report.met = 1 if residual <= tolerance * scale else 0
    return residual / scale


@routine
def contact_velocity(problem, contacts, inputs, step, q, q_mid, v, midpoint, work):
    """Velocity at the end of the step. ``inputs``: targets and imposed motion at the end; ``applied`` as at the start."""
    n = v.shape[0]
    tau = work.tau
    x = contacts.end_velocity
    mixed = problem.imposed.shape[0] > 0
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    joint_diagonal(problem, contacts, v, step)
    given = right_side(problem, contacts, inputs, step, q, q_mid, v, v, work)
    world_poses(problem.frames, frame_work, work.poses)
    stride_of(contacts, problem.gravity, frame_work, step)
    find_closed(contacts, work.poses, step)
    curve_contacts(problem, contacts, frame_work, q_mid, v, step, work)
    start_contacts(problem, contacts, frame_work, step)
    dense = contacts.robot.dense
    if dense:
        contact_rows(problem, contacts, q_mid, work)
    for i in range(n):
        x[i] = inputs.motion[1, i] if mixed and problem.imposed[i] != 0 else v[i]
    residual = 0.0
    missed = aim(problem.constraints, problem, contacts, inputs, step, q_mid, x, work)
    sweeps = 2 + midpoint if contacts.bilateral.kernel.shape[0] == 0 else _SWEEPS
    for sweep in range(sweeps):
        if dense:
            fill_mass(problem, contacts, step, work)
            reduce_rows(problem.constraints, contacts)
        residual = solve_contacts(problem, contacts, q_mid, work, tau, step)
        again = saturate(problem, contacts, inputs, step, q, v, x)
        missed = aim(problem.constraints, problem, contacts, inputs, step, q_mid, x, work)
        again = again or missed > _MISSED * (1.0 + fastest(x))
        if sweep >= midpoint and not again:
            break
        # Once more with what the velocity at the end tells: mean velocity in the bias, saturated servos.
        mean = contacts.step.mean_velocity
        for i in range(n):
            mean[i] = 0.5 * (v[i] + x[i]) if midpoint else v[i]
            contacts.step.rhs_before[i] = contacts.rhs[i]
        joint_diagonal(problem, contacts, v, step)
        given = right_side(problem, contacts, inputs, step, q, q_mid, v, mean, work)
        if not again and changed(contacts) <= 0.1 * contacts.tolerance * contacts.mean_weight * step:
            break
        recentre(contacts)
    judge(contacts, residual)
    if dense:
        balance(contacts, x, tau)
        book_rows(problem.constraints, problem, contacts, step, q_mid, v, work, tau)
    book(problem, contacts, inputs, step, q, v, x, tau, given)


@kernel
def few_loads(contacts):
    """Whether so few contacts are closed that their loads are determined: up to three, supports with known loads aside."""
    count = 0
    for i in range(contacts.closed):
        if contacts.known_radius[i] < 0.0:
            count += 1
    return count <= 3


@kernel
def judge(contacts, residual):
    """Count what the solver has found: its residual, and whether it is what was asked for."""
    contacts.report.residual = max(contacts.report.residual, residual)
    if not residual <= contacts.report.worst_residual:
        contacts.report.worst_residual = residual
    if not contacts.report.met:
        contacts.report.unconverged += 1


@kernel
def fastest(x):
    """Largest entry of x."""
    largest = 0.0
    for i in range(x.shape[0]):
        largest = max(largest, abs(x[i]))
    return largest


@kernel
def changed(contacts):
    """Largest change of the right-hand side, N s or N m s."""
    worst = 0.0
    for i in range(contacts.rhs.shape[0]):
        worst = max(worst, abs(contacts.rhs[i] - contacts.step.rhs_before[i]))
    return worst


@kernel
def book(problem, contacts, inputs, step, q, v, x, tau, given):
    """Forces of actuators into ``applied``, work and losses into the report, impulses of the pairs."""
    mixed = problem.imposed.shape[0] > 0
    energy = step * given
    for i in range(x.shape[0]):
        mean = 0.5 * (v[i] + x[i])
        if mixed and problem.imposed[i] != 0:
            contacts.applied[i] = (tau[i] - contacts.rhs[i]) / step
        elif implicit_servo(problem, contacts, i):
            contacts.applied[i] += servo_force(problem, inputs, step, q, v, i, x[i])
        elif contacts.saturated[i] != 0:
            contacts.applied[i] = limited(problem.dof_constants, i, contacts.saturated[i] * 1e300)
        energy += step * mean * (contacts.applied[i] - friction_force(problem, contacts, v, x, i))
    contacts.report.supplied += energy
    rate = 1.0 / step
    for i in range(contacts.closed):
        n = contacts.pair[i]
        f, _ = impulses(contacts, i)
        if contacts.known_radius[i] >= 0.0:
            f = (0.0, f[1], f[2])
        force = rotate(load9(contacts.basis, i, 0), f)
        for j in range(3):
            contacts.pair_impulse[n, j] += force[j]
        start = contacts.warm.start[i, 0]
        steady = abs(contacts.impulse[i, 0] - start) < 0.5 * start  # no impact, not just closed
        for j in range(6):
            contacts.warm.force[n, j] = contacts.impulse[i, j] * rate
            contacts.warm.force_change[n, j] = (contacts.impulse[i, j] - contacts.warm.start[i, j]) * rate if steady else 0.0
        contacts.warm.step[n] = contacts.warm.steps
        for j in range(1, 6):
            contacts.warm.acceleration[n, j - 1] = (contacts.velocity[i, j] - contacts.velocity_before[i, j]) * rate
        # Work of an impulse at the mean of the velocities before and after: normalised rows keep products.
        after = contacts.velocity[i, 0] - contacts.shift[i]
        contacts.report.impact_loss -= 0.5 * contacts.impulse[i, 0] * (contacts.velocity_before[i, 0] + after)
        for j in range(1, 6):
            contacts.report.friction_loss -= (
                0.5 * contacts.impulse[i, j] * (contacts.velocity_before[i, j] + contacts.velocity[i, j])
            )
