"""Newton with the friction radius that moves: the rung for contacts whose loads and friction are strongly coupled.

With the centre zc held, impulses are a function of the velocity alone, the normal one first, then friction with its radius,

    z_N = max(0, zc_N - rho w_N),    z_T = proj_{R(z_N)}(zc_T - rho w_T),    F(x) = (M + E) x - rhs - J^T z(J x + shift) = 0,

a semismooth equation whose matrix M + E + J^T D J is not symmetric: D has a column for the radius. It is factored whole (LU),
which costs more than a recursion and is only done where the other rungs, which freeze the radius, do not settle. Then the centre
becomes z, until z is on the law. Bilateral rows are left to the other rungs.
"""

from __future__ import annotations

from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.kernel.vector import load3
from locodyn.locomotion.contact_arrays import (
    CENTRE,
    CLOSED,
    DENSE,
    MASS_SCALE,
    REDUCED,
    REDUCED_RHS,
    RHS,
    SCALES,
    X_NEXT,
    Z_NEXT,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact_dense import contact_rows, fill_mass
from locodyn.locomotion.contact_gauss_seidel import fixed_impulses, velocity_of
from locodyn.locomotion.contact_law import keep_best, natural_residual, radius_of, response

_RHO = 3e4  # over the mean mass of a link: large, so that loads move far in a round
_ROUNDS, _STEPS, _HALVINGS = 8, 40, 12
_SLOPE = 1e-6  # relative change of a radius, for the derivative of friction by it
DEFECT, DIRECTION = REDUCED, REDUCED_RHS  # vectors that only bilateral rows use otherwise


@kernel
def takes(p, c):
    """Whether this rung knows the robot: no bilateral rows, no fluid that it moves along."""
    return c.kernel.shape[0] == 0 and not moves_fluid(p.frames)


@kernel
def law_at(c, i, u, s, rho):
    """Impulses of contact i at the velocities (u; s), their blocks -dz/dw, and the column of its normal velocity."""
    centre = load3(c.contact, i, CENTRE)
    turn = load3(c.contact, i, CENTRE + 3)
    first, _, _, _, _, _ = response(c, i, centre, turn, u, s, 0.0, rho)
    radius = radius_of(c, i, first[0])
    z, y, dn, d, ds, roll = response(c, i, centre, turn, u, s, radius, rho)
    column = (0.0, 0.0, 0.0, 0.0, 0.0)
    if dn > 0.0 and radius > 0.0:
        wide = radius * _SLOPE
        z1, y1, _, _, _, _ = response(c, i, centre, turn, u, s, radius + wide, rho)
        f = dn / wide
        column = (f * (z1[1] - z[1]), f * (z1[2] - z[2]), f * (y1[0] - y[0]), f * (y1[1] - y[1]), f * (y1[2] - y[2]))
    return z, y, dn, d, ds, roll, column


@routine
def momentum_defect(p, c, x, rho):
    """F(x) into its vector, z into Z_NEXT; returns sum F_i^2 / M_ii and the largest |F_i|."""
    nv = x.shape[0]
    f = c.vectors[DEFECT]
    row = c.contact
    for i in range(nv):
        total = -c.vectors[RHS, i]
        for j in range(nv):
            total += c.mass[i, j] * x[j]
        f[i] = total
    for i in range(c.counts[CLOSED]):
        u, s = velocity_of(c, x, i)
        z, y, _, _, _, _, _ = law_at(c, i, u, s, rho)
        for j in range(3):
            row[i, Z_NEXT + j] = z[j]
            row[i, Z_NEXT + 3 + j] = y[j]
        for n in range(1, c.columns[i, 0] + 1):
            m = c.columns[i, n]
            for j in range(6):
                f[m] -= c.jacobian[6 * i + j, m] * row[i, SCALES + j] * row[i, Z_NEXT + j]
    total = 0.0
    largest = 0.0
    for i in range(nv):
        if p.imposed.shape[0] > 0 and p.imposed[i] != 0:
            f[i] = 0.0
        total += f[i] * f[i] / c.mass[i, i]
        largest = max(largest, abs(f[i]))
    return total, largest


@routine
def coupled_matrix(p, c, x, rho):
    """M + E + J^T D J at x into ``factor``; unit rows for imposed coordinates."""
    nv = x.shape[0]
    row = c.contact
    for i in range(nv):
        for j in range(nv):
            c.factor[i, j] = c.mass[i, j]
    for i in range(c.counts[CLOSED]):
        u, s = velocity_of(c, x, i)
        _, _, dn, d, ds, roll, column = law_at(c, i, u, s, rho)
        first = 6 * i
        for n in range(1, c.columns[i, 0] + 1):
            b = c.columns[i, n]
            w0 = row[i, SCALES] * c.jacobian[first, b]
            w1 = row[i, SCALES + 1] * c.jacobian[first + 1, b]
            w2 = row[i, SCALES + 2] * c.jacobian[first + 2, b]
            w4 = row[i, SCALES + 4] * c.jacobian[first + 4, b]
            w5 = row[i, SCALES + 5] * c.jacobian[first + 5, b]
            z0 = row[i, SCALES] * dn * w0
            z1 = row[i, SCALES + 1] * (d[0] * w1 + d[1] * w2 + column[0] * w0)
            z2 = row[i, SCALES + 2] * (d[1] * w1 + d[2] * w2 + column[1] * w0)
            z3 = row[i, SCALES + 3] * (ds * row[i, SCALES + 3] * c.jacobian[first + 3, b] + column[2] * w0)
            z4 = row[i, SCALES + 4] * (roll[0] * w4 + roll[1] * w5 + column[3] * w0)
            z5 = row[i, SCALES + 5] * (roll[1] * w4 + roll[2] * w5 + column[4] * w0)
            for o in range(1, c.columns[i, 0] + 1):
                a = c.columns[i, o]
                c.factor[a, b] += (c.jacobian[first, a] * z0 + c.jacobian[first + 1, a] * z1 + c.jacobian[first + 2, a] * z2) + (
                    c.jacobian[first + 3, a] * z3 + c.jacobian[first + 4, a] * z4 + c.jacobian[first + 5, a] * z5
                )
    if p.imposed.shape[0] > 0:
        for i in range(nv):
            if p.imposed[i] != 0:
                for j in range(nv):
                    c.factor[i, j] = 0.0
                c.factor[i, i] = 1.0


@routine
def solve_coupled(p, c, q, w, tau, tolerance, best):
    """From the pair at hand, of residual ``best``, to better ones, exact in the dynamics; returns residual (N s), iterations."""
    if c.counts[DENSE] == 0:
        contact_rows(p, c, q, w)
        fill_mass(p, c, 0.0, w)
    mass = c.settings[MASS_SCALE]
    rho = _RHO * mass
    x = c.vectors[X]
    trial = c.vectors[X_NEXT]
    direction = c.vectors[DIRECTION]
    row = c.contact
    iterations = 0
    residual = best
    for _ in range(_ROUNDS):
        for i in range(c.counts[CLOSED]):
            for j in range(6):
                row[i, CENTRE + j] = row[i, Z + j]
        merit, largest = momentum_defect(p, c, x, rho)
        for _ in range(_STEPS):
            if not largest > 0.01 * tolerance:
                break
            coupled_matrix(p, c, x, rho)
            for m in range(x.shape[0]):
                direction[m] = -c.vectors[DEFECT, m]
            lu_factor(c.factor, c.pivots)
            lu_solve(c.factor, c.pivots, direction)
            iterations += 1
            share = 1.0
            found = merit
            for _ in range(_HALVINGS):
                for m in range(x.shape[0]):
                    trial[m] = x[m] + share * direction[m]
                found, largest = momentum_defect(p, c, trial, rho)
                if found < (1.0 - 1e-4 * share) * merit:
                    break
                share *= 0.5
            if not found < merit:
                break
            merit = found
            for m in range(x.shape[0]):
                x[m] = trial[m]
        momentum_defect(p, c, x, rho)
        for i in range(c.counts[CLOSED]):
            for j in range(6):
                row[i, Z + j] = row[i, Z_NEXT + j]
        fixed_impulses(p, c, q, w, tau)
        residual = natural_residual(c, Z, W, mass)
        if residual < best:
            best = residual
            keep_best(c)
        if residual <= tolerance:
            break
    return residual, iterations
