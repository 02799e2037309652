"""The law of one contact with all its rows, and how far an impulse and a velocity are from it.

Rows: normal, forward, side; then about the normal (spinning), about forward and side (rolling). All normalised as in
:mod:`locodyn.world.friction_sets`.
"""

from __future__ import annotations

from locodyn.contact.block import responding
from locodyn.contact.islands import contact_at, index
from locodyn.kernel import compiled
from locodyn.kernel.vector import add, load3, load9, rotate, store3, subtract
from locodyn.world.contact_pairs import FRICTION
from locodyn.world.friction_sets import disc_projection, tangential_response

_INSIDE = 0.9999  # of the friction radius: less sticks


@compiled(inline=True)
def radius_of(contacts, i, normal):
    """Radius of the friction set: the normal impulse, or what is known of it."""
    known = contacts.known_radius[i]
    return known if known >= 0.0 else max(0.0, normal)


@compiled(inline=True)
def response(contacts, i, centre, turn, u, s, radius, rho):
    """Impulses (linear; angular) at the velocities (u; s) with the friction radius given, and the blocks -dz/dw.

    A radius below zero stands for that of the normal impulse found. ``rho`` (kg) belongs to impulses in N s; rows normalised by
    a coefficient have it over the square of that.

    Returns (z linear, z angular, d_n, (dxx, dxy, dyy), d_spin, (rxx, rxy, ryy)).
    """
    n = index(contacts.pair[i])
    zn = 0.0
    dn = 0.0
    if contacts.known_radius[i] < 0.0:
        zn = centre[0] - rho * u[0]
        dn = rho
        if zn < contacts.least_impulse[i]:
            zn = contacts.least_impulse[i]
            dn = 0.0
    if radius < 0.0:
        radius = radius_of(contacts, i, zn)
    sx = contacts.scales[i, 1]
    sy = contacts.scales[i, 2]
    zx = 0.0
    zy = 0.0
    d = (0.0, 0.0, 0.0)
    if sx > 0.0 or sy > 0.0:
        zx, zy, dxx, dxy, dyy = tangential_response(
            contacts.pairs.friction_law[n], radius, contacts.forward_share[i], contacts.backward_share[i], sx, sy,
            contacts.pairs.friction_speed[n], centre[1], centre[2], u[1], u[2],
            rho / (contacts.units[i, 0] * contacts.units[i, 0]),
        )  # fmt: skip
        d = (dxx, dxy, dyy)
    zs = 0.0
    ds = 0.0
    if contacts.scales[i, 3] > 0.0:
        factor = rho / (contacts.units[i, 1] * contacts.units[i, 1])
        trial = turn[0] - factor * s[0]
        zs = min(max(trial, -radius), radius)
        ds = factor if zs == trial else 0.0
    zu = 0.0
    zv = 0.0
    roll = (0.0, 0.0, 0.0)
    if contacts.scales[i, 4] > 0.0:
        factor = rho / (contacts.units[i, 2] * contacts.units[i, 2])
        zu, zv, rxx, rxy, ryy = disc_projection(turn[1] - factor * s[1], turn[2] - factor * s[2], radius)
        roll = (factor * rxx, factor * rxy, factor * ryy)
    return (zn, zx, zy), (zs, zu, zv), dn, d, ds, roll


@compiled(inline=True)
def radius_column(contacts, i, centre, turn, u, s, rho, z, y, dn, d, ds, roll):
    """Column of D that the normal velocity has by the radius R = z_N: dn dz_T/dR for the five rows of friction.

    Projections on sets that grow with R are homogeneous, proj(k y; k R) = k proj(y; R), so that R dz/dR = z - (dproj/dy) y with
    y = centre - rho w; smooth laws are proportional to R.
    """
    if not (dn > 0.0 and z[0] > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    f = dn / z[0]
    law = contacts.pairs.friction_law[index(contacts.pair[i])]
    if law == FRICTION.coulomb or law == FRICTION.rectangle:
        k = contacts.units[i, 0] * contacts.units[i, 0] / rho
        gx = k * centre[1] - u[1]
        gy = k * centre[2] - u[2]
        x = f * (z[1] - d[0] * gx - d[1] * gy)
        y2 = f * (z[2] - d[1] * gx - d[2] * gy)
    else:
        x = f * z[1]
        y2 = f * z[2]
    spin = f * (y[0] - ds * (contacts.units[i, 1] * contacts.units[i, 1] / rho * turn[0] - s[0]))
    k = contacts.units[i, 2] * contacts.units[i, 2] / rho
    gx = k * turn[1] - s[1]
    gy = k * turn[2] - s[2]
    return x, y2, spin, f * (y[1] - roll[0] * gx - roll[1] * gy), f * (y[2] - roll[1] * gx - roll[2] * gy)


@compiled(called=True)
def linearise(contacts, rho, share):
    """D and q of the law z = proj(zc - rho w) = q - D w about the velocities at ``share`` of the way to those of the response.

    The friction radius is the normal impulse of the law. Returns the sum of squares and the largest entry of z - proj(zc - rho w)
    there (N s), z at the same share of the way.
    """
    total = 0.0
    worst = 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        centre = load3(contacts.centre, i, 0)
        turn = load3(contacts.centre, i, 3)
        u = between(contacts.velocity, contacts.response.velocity, i, 0, share)
        s = between(contacts.velocity, contacts.response.velocity, i, 3, share)
        z, y, dn, d, ds, roll = response(contacts, i, centre, turn, u, s, -1.0, rho)
        r = radius_column(contacts, i, centre, turn, u, s, rho, z, y, dn, d, ds, roll)
        units = load3(contacts.units, i, 0)
        # All is read before anything is written, so that nothing is read twice.
        p = between(contacts.impulse, contacts.response.impulse, i, 0, share)
        m = between(contacts.impulse, contacts.response.impulse, i, 3, share)
        f, n = responding(dn, d, ds, roll, r, u, s)
        contacts.linear.normal[i] = dn
        store3(contacts.linear.sliding, i, 0, d)
        contacts.linear.spinning[i] = ds
        store3(contacts.linear.rolling, i, 0, roll)
        store3(contacts.linear.by_radius, i, 0, (r[0], r[1], r[2]))
        contacts.linear.by_radius[i, 3] = r[3]
        contacts.linear.by_radius[i, 4] = r[4]
        store3(contacts.linear.offset, i, 0, add(z, f))
        store3(contacts.linear.offset, i, 3, add(y, n))
        f = subtract(p, z)
        n = subtract(m, y)
        for g in (f[0], units[0] * f[1], units[0] * f[2], units[1] * n[0], units[2] * n[1], units[2] * n[2]):
            total += g * g
            worst = max(worst, abs(g))
    return total, worst


@compiled
def hold_reversed(contacts, rho):
    """Let friction stick, z_T = zc_T - rho w_T, where its velocity turns round on the way to the response; returns how often.

    Sliding that turns round passes through stick, which lasts for velocities of R / rho only: a line search hardly meets it.
    """
    count = 0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        for part in range(3):
            first = (1, 3, 4)[part]
            last = (3, 4, 6)[part]
            turns = 0.0
            for j in range(first, last):
                turns += contacts.velocity[i, j] * contacts.response.velocity[i, j]
            if turns < 0.0:
                count += 1
                stiff = rho / (contacts.units[i, part] * contacts.units[i, part])
                if part == 0:
                    store3(contacts.linear.sliding, i, 0, (stiff, 0.0, stiff))
                elif part == 1:
                    contacts.linear.spinning[i] = stiff
                else:
                    store3(contacts.linear.rolling, i, 0, (stiff, 0.0, stiff))
                for j in range(first, last):
                    contacts.linear.by_radius[i, j - 1] = 0.0
                    contacts.linear.offset[i, j] = contacts.centre[i, j]
    return count


@compiled(inline=True)
def between(first, last, i, j, share):
    """Entries j to j + 2 of contact i at ``share`` of the way from ``first`` to ``last``."""
    return (
        first[i, j] + share * (last[i, j] - first[i, j]),
        first[i, j + 1] + share * (last[i, j + 1] - first[i, j + 1]),
        first[i, j + 2] + share * (last[i, j + 2] - first[i, j + 2]),
    )


@compiled(inline=True)
def defect(contacts, i, rho):
    """Largest entry of the natural map P - proj(P - rho u) of contact i (N s), radius of the normal impulse itself."""
    z = load3(contacts.impulse, i, 0)
    y = load3(contacts.impulse, i, 3)
    u = load3(contacts.velocity, i, 0)
    s = load3(contacts.velocity, i, 3)
    a, b, _, _, _, _ = response(contacts, i, z, y, u, s, radius_of(contacts, i, z[0]), rho)
    worst = max(abs(z[0] - a[0]), contacts.units[i, 1] * abs(y[0] - b[0]))
    for j in range(1, 3):
        worst = max(worst, contacts.units[i, 0] * abs(z[j] - a[j]))
        worst = max(worst, contacts.units[i, 2] * abs(y[j] - b[j]))
    return worst


@compiled(called=True)
def natural_residual(contacts, rho):
    """Largest defect of all contacts, N s; not a number where one of them is not."""
    worst = 0.0
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        d = defect(contacts, i, rho)
        if d != d:
            return d
        worst = max(worst, d)
    return worst


@compiled
def recentre(contacts):
    """Centres := impulses."""
    copy_rows(contacts, contacts.impulse, contacts.centre)


@compiled
def settle_velocities(contacts, share):
    """``share`` of the velocities along what carries load, or sticks: there the rigid law has none."""
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        z = load3(contacts.impulse, i, 0)
        y = load3(contacts.impulse, i, 3)
        radius = radius_of(contacts, i, z[0])
        if contacts.known_radius[i] < 0.0 and z[0] > contacts.least_impulse[i]:
            contacts.velocity[i, 0] *= share
        inside = _INSIDE * radius
        if z[1] * z[1] + z[2] * z[2] < inside * inside:
            contacts.velocity[i, 1] *= share
            contacts.velocity[i, 2] *= share
        if abs(y[0]) < inside:
            contacts.velocity[i, 3] *= share
        if y[1] * y[1] + y[2] * y[2] < inside * inside:
            contacts.velocity[i, 4] *= share
            contacts.velocity[i, 5] *= share


@compiled
def copy_rows(contacts, source, target):
    """The contacts at hand of ``source`` (c, 6) to ``target``."""
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        for j in range(6):
            target[i, j] = source[i, j]


@compiled(inline=True)
def impulses(contacts, i):
    """Physical impulse (linear; angular) of contact i in contact axes, N s and N m s."""
    z = load3(contacts.impulse, i, 0)
    y = load3(contacts.impulse, i, 3)
    return (
        (contacts.scales[i, 0] * z[0], contacts.scales[i, 1] * z[1], contacts.scales[i, 2] * z[2]),
        (contacts.scales[i, 3] * y[0], contacts.scales[i, 4] * y[1], contacts.scales[i, 5] * y[2]),
    )


@compiled
def pair_forces(contacts, step, result):
    """result[n]: force on the robot at pair n, the impulse of the last step over its length ``step``, N, world axes.

    Controllers feel it.
    """
    for n in range(result.shape[0]):
        for j in range(3):
            result[n, j] = 0.0
    for i in range(contacts.closed):
        f, _ = impulses(contacts, i)
        if contacts.known_radius[i] >= 0.0:
            f = (0.0, f[1], f[2])
        force = rotate(load9(contacts.basis, i, 0), f)
        for j in range(3):
            result[contacts.pair[i], j] += force[j] / step


@compiled
def is_plain(contacts):
    """Whether all contacts of the island have Coulomb's law by its ellipse alone: no rolling, no known or least loads."""
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if contacts.pairs.friction_law[index(contacts.pair[i])] != FRICTION.coulomb or contacts.known_radius[i] >= 0.0:
            return False
        if contacts.forward_share[i] != 1.0 or contacts.backward_share[i] != 1.0 or contacts.least_impulse[i] != 0.0:
            return False
        if (
            contacts.scales[i, 3] > 0.0
            or contacts.scales[i, 4] > 0.0
            or (contacts.scales[i, 1] > 0.0) != (contacts.scales[i, 2] > 0.0)
        ):
            return False
    return True
