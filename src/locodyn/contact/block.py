"""The response of one contact in physical units: scales, blocks and wrenches of the linear law z = q - D w.

D has a block for the linear rows and one for the angular rows, both symmetric, and a column of the normal velocity for all
friction rows, whose radius is the normal impulse.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import load3


@compiled(inline=True)
def scaled(s, x):
    """Entry by entry s x."""
    return (s[0] * x[0], s[1] * x[1], s[2] * x[2])


@compiled(inline=True)
def responds(contacts, i):
    """Whether contact i exerts or answers with anything."""
    law = contacts.linear
    size = abs(law.normal[i]) + abs(law.spinning[i])
    for j in range(3):
        size += abs(law.sliding[i, j]) + abs(law.rolling[i, j])
    for j in range(6):
        size += abs(law.offset[i, j])
    return size > 0.0


@compiled(inline=True)
def clear_law(contacts, i):
    """Contact i neither exerts nor answers."""
    law = contacts.linear
    law.normal[i] = 0.0
    law.spinning[i] = 0.0
    for j in range(3):
        law.sliding[i, j] = 0.0
        law.rolling[i, j] = 0.0
    for j in range(5):
        law.by_radius[i, j] = 0.0
    for j in range(6):
        law.offset[i, j] = 0.0


@compiled(inline=True)
def contact_blocks(contacts, i):
    """S D S of contact i: (force by linear, moment by linear, moment by angular velocity), 3 x 3 each, row by row."""
    law = contacts.linear
    s = load3(contacts.scales, i, 0)
    t = load3(contacts.scales, i, 3)
    n = s[0]
    cross = s[1] * s[2] * law.sliding[i, 1]
    roll = t[1] * t[2] * law.rolling[i, 1]
    return (
        (
            n * n * law.normal[i], 0.0, 0.0,
            s[1] * n * law.by_radius[i, 0], s[1] * s[1] * law.sliding[i, 0], cross,
            s[2] * n * law.by_radius[i, 1], cross, s[2] * s[2] * law.sliding[i, 2],
        ),
        (
            t[0] * n * law.by_radius[i, 2], 0.0, 0.0,
            t[1] * n * law.by_radius[i, 3], 0.0, 0.0,
            t[2] * n * law.by_radius[i, 4], 0.0, 0.0,
        ),
        (
            t[0] * t[0] * law.spinning[i], 0.0, 0.0,
            0.0, t[1] * t[1] * law.rolling[i, 0], roll,
            0.0, roll, t[2] * t[2] * law.rolling[i, 2],
        ),
    )  # fmt: skip


@compiled(inline=True)
def responding(normal, sliding, spinning, rolling, by_radius, u, s):
    """D (u; s), normalised, of a law with these entries."""
    return (
        (
            normal * u[0],
            by_radius[0] * u[0] + sliding[0] * u[1] + sliding[1] * u[2],
            by_radius[1] * u[0] + sliding[1] * u[1] + sliding[2] * u[2],
        ),
        (
            by_radius[2] * u[0] + spinning * s[0],
            by_radius[3] * u[0] + rolling[0] * s[1] + rolling[1] * s[2],
            by_radius[4] * u[0] + rolling[1] * s[1] + rolling[2] * s[2],
        ),
    )


@compiled(inline=True)
def response_to(contacts, i, u, s):
    """D (u; s) of contact i, normalised."""
    law = contacts.linear
    r = law.by_radius
    by_radius = (r[i, 0], r[i, 1], r[i, 2], r[i, 3], r[i, 4])
    return responding(law.normal[i], load3(law.sliding, i, 0), law.spinning[i], load3(law.rolling, i, 0), by_radius, u, s)


@compiled(inline=True)
def answer(contacts, i, u, s):
    """S D S (u; s): what physical velocities in contact axes take from the impulse (force; moment)."""
    f, n = response_to(contacts, i, scaled(load3(contacts.scales, i, 0), u), scaled(load3(contacts.scales, i, 3), s))
    return scaled(load3(contacts.scales, i, 0), f), scaled(load3(contacts.scales, i, 3), n)


@compiled(inline=True)
def law_wrench(contacts, i):
    """Impulse (force; moment) in contact axes that contact i exerts at velocity zero: S (q - D shift)."""
    law = contacts.linear
    f, n = response_to(contacts, i, (contacts.shift[i], 0.0, 0.0), (0.0, 0.0, 0.0))
    q = load3(law.offset, i, 0)
    t = load3(law.offset, i, 3)
    return (
        scaled(load3(contacts.scales, i, 0), (q[0] - f[0], q[1] - f[1], q[2] - f[2])),
        scaled(load3(contacts.scales, i, 3), (t[0] - n[0], t[1] - n[1], t[2] - n[2])),
    )
