"""Contacts by Gauss-Seidel with local problems solved, and by the fixed point of proximal maps of Transeth (2007, (3.73)-(3.76)).

Both need the rows J of all contacts and J M^-1. The velocity is carried along, so that one contact costs O(coordinates).
"""

from __future__ import annotations

from locodyn.contact.block import clear_law, scaled
from locodyn.contact.law import defect, natural_residual, radius_of, response
from locodyn.contact.operator import respond
from locodyn.contact.rows import dense_twist
from locodyn.kernel import compiled
from locodyn.kernel.dense import cholesky, solve_factored
from locodyn.kernel.vector import load3, store3

_LOCAL_STEPS = 200


@compiled
def fixed_impulses(problem, contacts, q, work, tau):
    """Velocities for the impulses as they are (no response): the pair satisfies the dynamics."""
    for i in range(contacts.closed):
        clear_law(contacts, i)
        for j in range(6):
            contacts.linear.offset[i, j] = contacts.impulse[i, j]
    respond(problem, contacts, q, work, contacts.end_velocity, tau)
    for i in range(contacts.closed):
        for j in range(6):
            contacts.velocity[i, j] = contacts.response.velocity[i, j]


@compiled(late=())
def inverse_rows(problem, contacts):
    """J M^-1 of all rows (normalised by their scales); imposed coordinates do not move. ``factor``: Cholesky's of M."""
    nv = contacts.rhs.shape[0]
    if contacts.bilateral.kernel.shape[0] > 0:
        inverse_rows_on_kernel(contacts)
        return
    mixed = problem.imposed.shape[0] > 0
    for i in range(nv):
        for j in range(i + 1):
            free = not (mixed and (problem.imposed[i] != 0 or problem.imposed[j] != 0))
            contacts.sweeps.factor[i, j] = contacts.robot.mass[i, j] if free else (1.0 if i == j else 0.0)
    cholesky(contacts.sweeps.factor, nv)
    for r in range(6 * contacts.closed):
        size = contacts.scales[r // 6, r % 6]
        for m in range(nv):
            held = mixed and problem.imposed[m] != 0
            contacts.sweeps.inverse[r, m] = 0.0 if held else size * contacts.robot.jacobian[r, m]
        solve_factored(contacts.sweeps.factor, nv, contacts.sweeps.inverse[r])


@compiled
def inverse_rows_on_kernel(contacts):
    """J Z (Z^T M Z)^-1 Z^T: the same on bilateral rows, see :mod:`locodyn.contact.dense`."""
    count = contacts.bilateral.kernel_size
    y = contacts.sweeps.reduced
    for a in range(count):
        for b in range(a + 1):
            contacts.sweeps.factor[a, b] = contacts.bilateral.reduced[a, b]
    cholesky(contacts.sweeps.factor, count)
    for r in range(6 * contacts.closed):
        for a in range(count):
            y[a] = contacts.scales[r // 6, r % 6] * contacts.bilateral.reduced_rows[r, a]
        solve_factored(contacts.sweeps.factor, count, y)
        for m in range(contacts.sweeps.inverse.shape[1]):
            total = 0.0
            for a in range(count):
                total += contacts.bilateral.kernel[m, a] * y[a]
            contacts.sweeps.inverse[r, m] = total


@compiled
def velocity_of(contacts, x, i):
    """Normalised velocity (linear with rebound; angular) of contact i at x."""
    u, s = dense_twist(contacts, x, i)
    u = scaled(load3(contacts.scales, i, 0), u)
    return (u[0] + contacts.shift[i], u[1], u[2]), scaled(load3(contacts.scales, i, 3), s)


@compiled
def own_inverse(contacts, i, a, b):
    """Entry (a, b) of the 6 x 6 block J M^-1 J^T of contact i, normalised."""
    total = 0.0
    for n in range(1, contacts.robot.movers[i, 0] + 1):
        m = contacts.robot.movers[i, n]
        total += contacts.sweeps.inverse[6 * i + a, m] * contacts.robot.jacobian[6 * i + b, m]
    return total * contacts.scales[i, b]


@compiled
def local_solution(contacts, i, x, tolerance, mass):
    """Solve contact i with all others held: normal row exactly, then the discs by projection, until nothing changes."""
    nv = x.shape[0]
    normal = own_inverse(contacts, i, 0, 0)
    tangent = own_inverse(contacts, i, 1, 1) + own_inverse(contacts, i, 2, 2)
    spin = own_inverse(contacts, i, 3, 3)
    roll = own_inverse(contacts, i, 4, 4) + own_inverse(contacts, i, 5, 5)
    for _ in range(_LOCAL_STEPS):
        store_velocity(contacts, x, i)
        if defect(contacts, i, mass) <= tolerance:
            return
        for block in range(4):
            u, s = velocity_of(contacts, x, i)
            first, last, inverse = 0, 1, normal
            if block == 1:
                first, last, inverse = 1, 3, tangent
            elif block == 2:
                first, last, inverse = 3, 4, spin
            elif block == 3:
                first, last, inverse = 4, 6, roll
            if not inverse > 0.0:
                continue
            z = load3(contacts.impulse, i, 0)
            y = load3(contacts.impulse, i, 3)
            unit = 1.0 if block == 0 else contacts.units[i, block - 1]
            a, b, _, _, _, _ = response(contacts, i, z, y, u, s, radius_of(contacts, i, z[0]), unit * unit / inverse)
            for j in range(first, last):
                change = (a[j] if j < 3 else b[j - 3]) - contacts.impulse[i, j]
                if change != 0.0:
                    contacts.impulse[i, j] += change
                    for m in range(nv):
                        x[m] += contacts.sweeps.inverse[6 * i + j, m] * change


@compiled
def store_velocity(contacts, x, i):
    """Normalised velocity of contact i at x into its row."""
    u, s = velocity_of(contacts, x, i)
    store3(contacts.velocity, i, 0, u)
    store3(contacts.velocity, i, 3, s)


@compiled(called=True)
def begin_sweeps(problem, contacts, q, work, tau):
    """Impulses of the first guess, what they do to the velocity, and the rows of the inverse; returns the residual."""
    for i in range(contacts.closed):
        for j in range(6):
            contacts.impulse[i, j] = contacts.centre[i, j]
    inverse_rows(problem, contacts)
    fixed_impulses(problem, contacts, q, work, tau)
    for m in range(contacts.rhs.shape[0]):
        contacts.sweeps.end_velocity[m] = contacts.end_velocity[m]
    return natural_residual(contacts, contacts.mean_mass)


@compiled
def residual_of(contacts, x):
    """Residual of all contacts at the velocity x, N s."""
    for i in range(contacts.closed):
        store_velocity(contacts, x, i)
    return natural_residual(contacts, contacts.mean_mass)


@compiled(late=1)
def solve_gauss_seidel(problem, contacts, q, work, tau, tolerance):
    """Sweeps over the contacts; returns the residual, N s."""
    mass = contacts.mean_mass
    residual = begin_sweeps(problem, contacts, q, work, tau)
    sweeps = 0
    x = contacts.sweeps.end_velocity
    while not residual <= tolerance and sweeps < contacts.most_iterations:
        for i in range(contacts.closed):
            local_solution(contacts, i, x, 0.1 * tolerance, mass)
        residual = residual_of(contacts, x)
        sweeps += 1
    fixed_impulses(problem, contacts, q, work, tau)
    contacts.report.iterations += sweeps
    return natural_residual(contacts, mass)


@compiled(late=1)
def solve_prox(problem, contacts, q, work, tau, tolerance):
    """P := prox(P - r W) for all contacts at once with fixed factors r (Transeth 2007, (3.73)-(3.76)); returns the residual."""
    residual = begin_sweeps(problem, contacts, q, work, tau)
    sweeps = 0
    x = contacts.sweeps.end_velocity
    while not residual <= tolerance and sweeps < contacts.most_iterations:
        for i in range(contacts.closed):
            z = load3(contacts.impulse, i, 0)
            y = load3(contacts.impulse, i, 3)
            u = load3(contacts.velocity, i, 0)
            s = load3(contacts.velocity, i, 3)
            a, _, _, _, _, _ = response(contacts, i, z, y, u, s, radius_of(contacts, i, z[0]), contacts.r_normal)
            b, turn, _, _, _, _ = response(contacts, i, z, y, u, s, radius_of(contacts, i, a[0]), contacts.r_tangent)
            for j in range(6):
                value = a[0] if j == 0 else (b[j] if j < 3 else turn[j - 3])
                change = value - contacts.impulse[i, j]
                contacts.impulse[i, j] = value
                for m in range(x.shape[0]):
                    x[m] += contacts.sweeps.inverse[6 * i + j, m] * change
        residual = residual_of(contacts, x)
        sweeps += 1
    fixed_impulses(problem, contacts, q, work, tau)
    contacts.report.iterations += sweeps
    return natural_residual(contacts, contacts.mean_mass)
