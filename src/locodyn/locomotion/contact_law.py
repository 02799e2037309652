"""The law of one contact with all its rows, and how far an impulse and a velocity are from it.

Rows: normal, forward, side; then about the normal (spinning), about forward and side (rolling). All normalised as in
:mod:`locodyn.world.friction_sets`.
"""

from __future__ import annotations

from locodyn.kernel import kernel, routine, step
from locodyn.kernel.vector import load3, store3
from locodyn.locomotion.contact_arrays import (
    BACKWARD_SHARE,
    CENTRE,
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    FORWARD_SHARE,
    FROZEN,
    KNOWN_RADIUS,
    LEAST,
    MISSED,
    OFFSET,
    PAIR,
    SCALES,
    SHARE,
    SOFT,
    START,
    UNITS,
    X_BEST,
    Z_BEST,
    W,
    X,
    Z,
)
from locodyn.world.contact_pairs import LAW, SPEED
from locodyn.world.friction_sets import disc_projection, tangential_response


@step
def radius_of(c, i, normal):
    """Radius of the friction set: the normal impulse, or what is known of it."""
    known = c.contact[i, KNOWN_RADIUS]
    return known if known >= 0.0 else max(0.0, normal)


@step
def response(c, i, centre, turn, u, s, radius, rho):
    """Impulses (linear; angular) at the velocities (u; s) with the friction radius given, and the blocks -dz/dw.

    The normal velocity of the law is u_N + soft (z_N - start). ``rho`` (kg) belongs to impulses in N s; rows normalised by a
    coefficient have it over the square of that.

    Returns (z linear, z angular, d_n, (dxx, dxy, dyy), d_spin, (rxx, rxy, ryy)).
    """
    row = c.contact
    n = c.closed[i, PAIR]
    zn = 0.0
    dn = 0.0
    if row[i, KNOWN_RADIUS] < 0.0:
        soft = rho * row[i, SOFT]
        zn = (centre[0] - rho * u[0] + soft * row[i, START]) / (1.0 + soft)
        dn = rho / (1.0 + soft)
        if zn < row[i, LEAST]:
            zn = row[i, LEAST]
            dn = 0.0
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


@routine
def linearise(c, rho):
    """D and q of all contacts about their velocities W and centres: z = q - D w, q = z(W) + D W, radius frozen at the centre."""
    row = c.contact
    for i in range(c.counts[CLOSED]):
        centre = load3(row, i, CENTRE)
        u = load3(row, i, W)
        s = load3(row, i, W + 3)
        z, y, dn, d, ds, roll = response(c, i, centre, load3(row, i, CENTRE + 3), u, s, row[i, FROZEN], rho)
        store3(row, i, OFFSET, (z[0] + dn * u[0], z[1] + d[0] * u[1] + d[1] * u[2], z[2] + d[1] * u[1] + d[2] * u[2]))
        store3(
            row,
            i,
            OFFSET + 3,
            (y[0] + ds * s[0], y[1] + roll[0] * s[1] + roll[1] * s[2], y[2] + roll[1] * s[1] + roll[2] * s[2]),
        )
        store3(row, i, D_LINEAR, (dn, 0.0, 0.0))
        store3(row, i, D_LINEAR + 3, d)
        store3(row, i, D_ANGULAR, (ds, 0.0, 0.0))
        store3(row, i, D_ANGULAR + 3, roll)


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


@step
def start_radius(c, i):
    """Frozen radius of contact i := that of its centre."""
    c.contact[i, FROZEN] = radius_of(c, i, c.contact[i, CENTRE])
    c.contact[i, MISSED] = 0.0
    c.contact[i, SHARE] = 1.0


@kernel
def follow_radius(c, i):
    """The frozen radius of contact i follows that of its centre; returns whether it runs away.

    The normal impulse answers to the radius by friction. Where it swings about, the radius goes part of the way; where it
    runs away steadily (no sliding solution: the impulse grows until the contact sticks), it goes ahead.
    """
    row = c.contact
    off = radius_of(c, i, row[i, CENTRE]) - row[i, FROZEN]
    last = row[i, MISSED]
    if off * last < 0.0 and abs(off) > 0.8 * abs(last):
        row[i, SHARE] = max(0.25, 0.5 * row[i, SHARE])
    elif off * last > 0.0 and abs(off) > abs(last):
        row[i, SHARE] = min(2.0 * row[i, SHARE], 1e3)
    else:
        row[i, SHARE] = 1.0
    row[i, MISSED] = off
    row[i, FROZEN] = max(0.0, row[i, FROZEN] + row[i, SHARE] * off)
    return off > 0.0 and row[i, SHARE] > 1.0


@kernel
def recentre(c, adapt):
    """Centres := impulses, radii as well or, where ``adapt``, as :func:`follow_radius` says; returns how many run away."""
    running = 0
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            c.contact[i, CENTRE + j] = c.contact[i, Z + j]
        if not adapt:
            start_radius(c, i)
        elif follow_radius(c, i):
            running += 1
    return running


@kernel
def centre_on(c, i, w_at, rho):
    """Centre of contact i := projection of zc - rho w; its radius follows part of the way."""
    row = c.contact
    centre = load3(row, i, CENTRE)
    turn = load3(row, i, CENTRE + 3)
    a, b, _, _, _, _ = response(c, i, centre, turn, load3(row, i, w_at), load3(row, i, w_at + 3), row[i, FROZEN], rho)
    store3(row, i, CENTRE, a)
    store3(row, i, CENTRE + 3, b)
    follow_radius(c, i)


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
