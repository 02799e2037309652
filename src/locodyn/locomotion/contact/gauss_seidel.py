"""Contacts by Gauss-Seidel with local problems solved, and by the source's prox fixed point.

Both need the rows J of all contacts and J M^-1. The velocity is carried along, so that one contact costs O(coordinates).
"""

from __future__ import annotations

from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import cholesky, solve_factored
from locodyn.kernel.vector import load3, store3
from locodyn.locomotion.contact.arrays import (
    CENTRE,
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    D_RADIUS,
    ITERATIONS,
    KERNEL,
    MASS_SCALE,
    MOST_ITERATIONS,
    OFFSET,
    R_NORMAL,
    R_TANGENT,
    REDUCED,
    SCALES,
    SHIFT,
    UNITS,
    W_NEXT,
    X_NEXT,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact.block import scaled
from locodyn.locomotion.contact.dense import dense_twist
from locodyn.locomotion.contact.law import defect, natural_residual, radius_of, response
from locodyn.locomotion.contact.operator import respond

_LOCAL_STEPS = 200


@kernel
def fixed_impulses(p, c, q, w, tau):
    """X, W for the impulses Z as they are (no response): the pair satisfies the dynamics."""
    row = c.contact
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            row[i, OFFSET + j] = row[i, Z + j]
            row[i, D_LINEAR + j] = 0.0
            row[i, D_ANGULAR + j] = 0.0
        for j in range(5):
            row[i, D_RADIUS + j] = 0.0
    respond(p, c, q, w, c.vectors[X], tau)
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            row[i, W + j] = row[i, W_NEXT + j]


@routine
def inverse_rows(p, c):
    """J M^-1 of all rows (normalised by their scales); imposed coordinates do not move. ``factor``: Cholesky's of M."""
    nv = c.vectors.shape[1]
    if c.kernel.shape[0] > 0:
        inverse_rows_on_kernel(c)
        return
    mixed = p.imposed.shape[0] > 0
    for i in range(nv):
        for j in range(i + 1):
            free = not (mixed and (p.imposed[i] != 0 or p.imposed[j] != 0))
            c.factor[i, j] = c.mass[i, j] if free else (1.0 if i == j else 0.0)
    cholesky(c.factor, nv)
    for r in range(6 * c.counts[CLOSED]):
        size = c.contact[r // 6, SCALES + r % 6]
        for m in range(nv):
            held = mixed and p.imposed[m] != 0
            c.inverse[r, m] = 0.0 if held else size * c.jacobian[r, m]
        solve_factored(c.factor, nv, c.inverse[r])


@kernel
def inverse_rows_on_kernel(c):
    """J Z (Z^T M Z)^-1 Z^T: the same on bilateral rows, see :mod:`locodyn.locomotion.contact.dense`."""
    count = c.counts[KERNEL]
    y = c.vectors[REDUCED]
    for a in range(count):
        for b in range(a + 1):
            c.factor[a, b] = c.reduced[a, b]
    cholesky(c.factor, count)
    for r in range(6 * c.counts[CLOSED]):
        for a in range(count):
            y[a] = c.contact[r // 6, SCALES + r % 6] * c.reduced_rows[r, a]
        solve_factored(c.factor, count, y)
        for m in range(c.inverse.shape[1]):
            total = 0.0
            for a in range(count):
                total += c.kernel[m, a] * y[a]
            c.inverse[r, m] = total


@kernel
def velocity_of(c, x, i):
    """Normalised velocity (linear with rebound; angular) of contact i at x."""
    row = c.contact
    u, s = dense_twist(c, x, i)
    u = scaled(load3(row, i, SCALES), u)
    return (u[0] + row[i, SHIFT], u[1], u[2]), scaled(load3(row, i, SCALES + 3), s)


@kernel
def own_inverse(c, i, a, b):
    """Entry (a, b) of the 6 x 6 block J M^-1 J^T of contact i, normalised."""
    total = 0.0
    for n in range(1, c.columns[i, 0] + 1):
        m = c.columns[i, n]
        total += c.inverse[6 * i + a, m] * c.jacobian[6 * i + b, m]
    return total * c.contact[i, SCALES + b]


@kernel
def local_solution(c, i, x, tolerance, mass):
    """Solve contact i with all others held: normal row exactly, then the discs by projection, until nothing changes."""
    row = c.contact
    nv = x.shape[0]
    normal = own_inverse(c, i, 0, 0)
    tangent = own_inverse(c, i, 1, 1) + own_inverse(c, i, 2, 2)
    spin = own_inverse(c, i, 3, 3)
    roll = own_inverse(c, i, 4, 4) + own_inverse(c, i, 5, 5)
    for _ in range(_LOCAL_STEPS):
        store_velocity(c, x, i)
        if defect(c, i, Z, W, mass) <= tolerance:
            return
        for block in range(4):
            u, s = velocity_of(c, x, i)
            first, last, inverse = 0, 1, normal
            if block == 1:
                first, last, inverse = 1, 3, tangent
            elif block == 2:
                first, last, inverse = 3, 4, spin
            elif block == 3:
                first, last, inverse = 4, 6, roll
            if not inverse > 0.0:
                continue
            z = load3(row, i, Z)
            y = load3(row, i, Z + 3)
            unit = 1.0 if block == 0 else row[i, UNITS + block - 1]
            a, b, _, _, _, _ = response(c, i, z, y, u, s, radius_of(c, i, z[0]), unit * unit / inverse)
            for j in range(first, last):
                change = (a[j] if j < 3 else b[j - 3]) - row[i, Z + j]
                if change != 0.0:
                    row[i, Z + j] += change
                    for m in range(nv):
                        x[m] += c.inverse[6 * i + j, m] * change


@kernel
def store_velocity(c, x, i):
    """Normalised velocity of contact i at x into its row."""
    u, s = velocity_of(c, x, i)
    store3(c.contact, i, W, u)
    store3(c.contact, i, W + 3, s)


@routine
def begin_sweeps(p, c, q, w, tau):
    """Impulses of the first guess, what they do to the velocity (X_NEXT), and the rows of the inverse; returns the residual."""
    row = c.contact
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            row[i, Z + j] = row[i, CENTRE + j]
    inverse_rows(p, c)
    fixed_impulses(p, c, q, w, tau)
    for m in range(c.vectors.shape[1]):
        c.vectors[X_NEXT, m] = c.vectors[X, m]
    return natural_residual(c, Z, W, c.settings[MASS_SCALE])


@kernel
def residual_of(c, x):
    """Residual of all contacts at the velocity x, N s."""
    for i in range(c.counts[CLOSED]):
        store_velocity(c, x, i)
    return natural_residual(c, Z, W, c.settings[MASS_SCALE])


@routine
def solve_gauss_seidel(p, c, q, w, tau, tolerance):
    """Sweeps over the contacts; returns the residual, N s."""
    mass = c.settings[MASS_SCALE]
    residual = begin_sweeps(p, c, q, w, tau)
    sweeps = 0
    x = c.vectors[X_NEXT]
    while not residual <= tolerance and sweeps < c.counts[MOST_ITERATIONS]:
        for i in range(c.counts[CLOSED]):
            local_solution(c, i, x, 0.1 * tolerance, mass)
        residual = residual_of(c, x)
        sweeps += 1
    fixed_impulses(p, c, q, w, tau)
    c.report[ITERATIONS] += sweeps
    return natural_residual(c, Z, W, mass)


@routine
def solve_prox(p, c, q, w, tau, tolerance):
    """P := prox(P - r W) for all contacts at once with fixed factors r (Transeth 2007, (3.73)-(3.76)); returns the residual."""
    row = c.contact
    residual = begin_sweeps(p, c, q, w, tau)
    sweeps = 0
    x = c.vectors[X_NEXT]
    while not residual <= tolerance and sweeps < c.counts[MOST_ITERATIONS]:
        for i in range(c.counts[CLOSED]):
            z = load3(row, i, Z)
            y = load3(row, i, Z + 3)
            u = load3(row, i, W)
            s = load3(row, i, W + 3)
            a, _, _, _, _, _ = response(c, i, z, y, u, s, radius_of(c, i, z[0]), c.settings[R_NORMAL])
            b, turn, _, _, _, _ = response(c, i, z, y, u, s, radius_of(c, i, a[0]), c.settings[R_TANGENT])
            for j in range(6):
                value = a[0] if j == 0 else (b[j] if j < 3 else turn[j - 3])
                change = value - row[i, Z + j]
                row[i, Z + j] = value
                for m in range(x.shape[0]):
                    x[m] += c.inverse[6 * i + j, m] * change
        residual = residual_of(c, x)
        sweeps += 1
    fixed_impulses(p, c, q, w, tau)
    c.report[ITERATIONS] += sweeps
    return natural_residual(c, Z, W, c.settings[MASS_SCALE])
