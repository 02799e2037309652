"""The law of one contact with all its rows, and how far an impulse and a velocity are from it.

Rows: normal, forward, side; then about the normal (spinning), about forward and side (rolling). All normalised as in
:mod:`locodyn.world.friction_sets`.
"""

from __future__ import annotations

from locodyn.kernel import kernel, routine, step
from locodyn.kernel.vector import add, load3, store3, subtract
from locodyn.locomotion.contact.arrays import (
    BACKWARD_SHARE,
    CENTRE,
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    D_RADIUS,
    FORWARD_SHARE,
    KNOWN_RADIUS,
    LEAST,
    OFFSET,
    PAIR,
    SCALES,
    UNITS,
    W_NEXT,
    X_BEST,
    Z_BEST,
    Z_NEXT,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact.block import response_to
from locodyn.world.contact_pairs import COULOMB, LAW, RECTANGLE, SPEED
from locodyn.world.friction_sets import disc_projection, tangential_response


@step
def radius_of(c, i, normal):
    """Radius of the friction set: the normal impulse, or what is known of it."""
    known = c.contact[i, KNOWN_RADIUS]
    return known if known >= 0.0 else max(0.0, normal)


@step
def response(c, i, centre, turn, u, s, radius, rho):
    """Impulses (linear; angular) at the velocities (u; s) with the friction radius given, and the blocks -dz/dw.

    A radius below zero stands for that of the normal impulse found. ``rho`` (kg) belongs to impulses in N s; rows normalised by
    a coefficient have it over the square of that.

    Returns (z linear, z angular, d_n, (dxx, dxy, dyy), d_spin, (rxx, rxy, ryy)).
    """
    row = c.contact
    n = c.closed[i, PAIR]
    zn = 0.0
    dn = 0.0
    if row[i, KNOWN_RADIUS] < 0.0:
        zn = centre[0] - rho * u[0]
        dn = rho
        if zn < row[i, LEAST]:
            zn = row[i, LEAST]
            dn = 0.0
    if radius < 0.0:
        radius = radius_of(c, i, zn)
    sx = row[i, SCALES + 1]
    sy = row[i, SCALES + 2]
    zx = 0.0
    zy = 0.0
    d = (0.0, 0.0, 0.0)
    if sx > 0.0 or sy > 0.0:
        zx, zy, dxx, dxy, dyy = tangential_response(
            c.pairs[n, LAW], radius, row[i, FORWARD_SHARE], row[i, BACKWARD_SHARE], sx, sy, c.data[n, SPEED], centre[1],
            centre[2], u[1], u[2], rho / (row[i, UNITS] * row[i, UNITS]),
        )  # fmt: skip
        d = (dxx, dxy, dyy)
    zs = 0.0
    ds = 0.0
    if row[i, SCALES + 3] > 0.0:
        factor = rho / (row[i, UNITS + 1] * row[i, UNITS + 1])
        trial = turn[0] - factor * s[0]
        zs = min(max(trial, -radius), radius)
        ds = factor if zs == trial else 0.0
    zu = 0.0
    zv = 0.0
    roll = (0.0, 0.0, 0.0)
    if row[i, SCALES + 4] > 0.0:
        factor = rho / (row[i, UNITS + 2] * row[i, UNITS + 2])
        zu, zv, rxx, rxy, ryy = disc_projection(turn[1] - factor * s[1], turn[2] - factor * s[2], radius)
        roll = (factor * rxx, factor * rxy, factor * ryy)
    return (zn, zx, zy), (zs, zu, zv), dn, d, ds, roll


@step
def radius_column(c, i, centre, turn, u, s, rho, z, y, dn, d, ds, roll):
    """Column of D that the normal velocity has by the radius R = z_N: dn dz_T/dR for the five rows of friction.

    Projections on sets that grow with R are homogeneous, proj(k y; k R) = k proj(y; R), so that R dz/dR = z - (dproj/dy) y with
    y = centre - rho w; smooth laws are proportional to R.
    """
    row = c.contact
    if not (dn > 0.0 and z[0] > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    f = dn / z[0]
    law = c.pairs[c.closed[i, PAIR], LAW]
    if law == COULOMB or law == RECTANGLE:
        k = row[i, UNITS] * row[i, UNITS] / rho
        gx = k * centre[1] - u[1]
        gy = k * centre[2] - u[2]
        x = f * (z[1] - d[0] * gx - d[1] * gy)
        y2 = f * (z[2] - d[1] * gx - d[2] * gy)
    else:
        x = f * z[1]
        y2 = f * z[2]
    spin = f * (y[0] - ds * (row[i, UNITS + 1] * row[i, UNITS + 1] / rho * turn[0] - s[0]))
    k = row[i, UNITS + 2] * row[i, UNITS + 2] / rho
    gx = k * turn[1] - s[1]
    gy = k * turn[2] - s[2]
    return x, y2, spin, f * (y[1] - roll[0] * gx - roll[1] * gy), f * (y[2] - roll[1] * gx - roll[2] * gy)


@routine
def linearise(c, rho, share):
    """D and q of the law z = proj(zc - rho w) = q - D w about the velocities at ``share`` of the way from W to W_NEXT.

    The friction radius is the normal impulse of the law. Returns the sum of squares and the largest entry of z - proj(zc - rho w)
    there (N s), z at the same share of the way from Z to Z_NEXT.
    """
    row = c.contact
    total = 0.0
    worst = 0.0
    for i in range(c.counts[CLOSED]):
        centre = load3(row, i, CENTRE)
        turn = load3(row, i, CENTRE + 3)
        u = between(row, i, W, W_NEXT, share)
        s = between(row, i, W + 3, W_NEXT + 3, share)
        z, y, dn, d, ds, roll = response(c, i, centre, turn, u, s, -1.0, rho)
        r = radius_column(c, i, centre, turn, u, s, rho, z, y, dn, d, ds, roll)
        store3(row, i, D_LINEAR, (dn, 0.0, 0.0))
        store3(row, i, D_LINEAR + 3, d)
        store3(row, i, D_ANGULAR, (ds, 0.0, 0.0))
        store3(row, i, D_ANGULAR + 3, roll)
        for j in range(5):
            row[i, D_RADIUS + j] = r[j]
        f, n = response_to(c, i, u, s)
        store3(row, i, OFFSET, add(z, f))
        store3(row, i, OFFSET + 3, add(y, n))
        f = subtract(between(row, i, Z, Z_NEXT, share), z)
        n = subtract(between(row, i, Z + 3, Z_NEXT + 3, share), y)
        units = (row[i, UNITS], row[i, UNITS + 1], row[i, UNITS + 2])
        for g in (f[0], units[0] * f[1], units[0] * f[2], units[1] * n[0], units[2] * n[1], units[2] * n[2]):
            total += g * g
            worst = max(worst, abs(g))
    return total, worst


@kernel
def hold_reversed(c, rho):
    """Let friction stick, z_T = zc_T - rho w_T, where its velocity turns round on the way from W to W_NEXT; returns how often.

    Sliding that turns round passes through stick, which lasts for velocities of R / rho only: a line search hardly meets it.
    """
    row = c.contact
    count = 0
    for i in range(c.counts[CLOSED]):
        for part in range(3):
            first = (1, 3, 4)[part]
            last = (3, 4, 6)[part]
            turns = 0.0
            for j in range(first, last):
                turns += row[i, W + j] * row[i, W_NEXT + j]
            if turns < 0.0:
                count += 1
                stiff = rho / (row[i, UNITS + part] * row[i, UNITS + part])
                if part == 0:
                    store3(row, i, D_LINEAR + 3, (stiff, 0.0, stiff))
                elif part == 1:
                    row[i, D_ANGULAR] = stiff
                else:
                    store3(row, i, D_ANGULAR + 3, (stiff, 0.0, stiff))
                for j in range(first, last):
                    row[i, D_RADIUS + j - 1] = 0.0
                    row[i, OFFSET + j] = row[i, CENTRE + j]
    return count


@step
def between(row, i, first, last, share):
    """Three entries at ``share`` of the way from column ``first`` to column ``last``."""
    return (
        row[i, first] + share * (row[i, last] - row[i, first]),
        row[i, first + 1] + share * (row[i, last + 1] - row[i, first + 1]),
        row[i, first + 2] + share * (row[i, last + 2] - row[i, first + 2]),
    )


@step
def defect(c, i, z_at, w_at, step):
    """Largest entry of the natural map P - proj(P - step u) of contact i (N s), radius of the normal impulse itself."""
    row = c.contact
    z = load3(row, i, z_at)
    y = load3(row, i, z_at + 3)
    a, b, _, _, _, _ = response(c, i, z, y, load3(row, i, w_at), load3(row, i, w_at + 3), radius_of(c, i, z[0]), step)
    worst = max(abs(z[0] - a[0]), row[i, UNITS + 1] * abs(y[0] - b[0]))
    for j in range(1, 3):
        worst = max(worst, row[i, UNITS] * abs(z[j] - a[j]))
        worst = max(worst, row[i, UNITS + 2] * abs(y[j] - b[j]))
    return worst


@routine
def natural_residual(c, z_at, w_at, step):
    """Largest defect of all contacts, N s; not a number where one of them is not."""
    worst = 0.0
    for i in range(c.counts[CLOSED]):
        d = defect(c, i, z_at, w_at, step)
        if d != d:
            return d
        worst = max(worst, d)
    return worst


@kernel
def recentre(c):
    """Centres := impulses."""
    copy_columns(c, Z, CENTRE, 6)


@kernel
def copy_columns(c, source, target, count):
    """Copy ``count`` columns of all closed contacts."""
    for i in range(c.counts[CLOSED]):
        for j in range(count):
            c.contact[i, target + j] = c.contact[i, source + j]


@kernel
def keep_best(c):
    """The pair becomes the best one."""
    copy_columns(c, Z, Z_BEST, 12)
    for m in range(c.vectors.shape[1]):
        c.vectors[X_BEST, m] = c.vectors[X, m]


@step
def impulses(c, i):
    """Physical impulse (linear; angular) of contact i in contact axes, N s and N m s."""
    row = c.contact
    z = load3(row, i, Z)
    y = load3(row, i, Z + 3)
    return (
        (row[i, SCALES] * z[0], row[i, SCALES + 1] * z[1], row[i, SCALES + 2] * z[2]),
        (row[i, SCALES + 3] * y[0], row[i, SCALES + 4] * y[1], row[i, SCALES + 5] * y[2]),
    )
