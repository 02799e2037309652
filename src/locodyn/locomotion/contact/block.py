"""The response of one contact in physical units: scales, blocks and wrenches of the linear law z = q - D w.

D has a block for the linear rows and one for the angular rows, both symmetric, and a column of the normal velocity for all
friction rows, whose radius is the normal impulse.
"""

from __future__ import annotations

from locodyn.kernel import step
from locodyn.kernel.vector import load3
from locodyn.locomotion.contact.arrays import D_ANGULAR, D_LINEAR, D_RADIUS, OFFSET, SCALES, SHIFT


@step
def scaled(s, x):
    """Entry by entry s x."""
    return (s[0] * x[0], s[1] * x[1], s[2] * x[2])


@step
def responds(row, i):
    """Whether contact i exerts or answers with anything."""
    size = 0.0
    for j in range(6):
        size += abs(row[i, D_LINEAR + j]) + abs(row[i, D_ANGULAR + j]) + abs(row[i, OFFSET + j])
    return size > 0.0


@step
def contact_blocks(c, i):
    """S D S of contact i: (force by linear, moment by linear, moment by angular velocity), 3 x 3 each, row by row."""
    row = c.contact
    s = load3(row, i, SCALES)
    t = load3(row, i, SCALES + 3)
    n = s[0]
    cross = s[1] * s[2] * row[i, D_LINEAR + 4]
    roll = t[1] * t[2] * row[i, D_ANGULAR + 4]
    return (
        (
            n * n * row[i, D_LINEAR], 0.0, 0.0,
            s[1] * n * row[i, D_RADIUS], s[1] * s[1] * row[i, D_LINEAR + 3], cross,
            s[2] * n * row[i, D_RADIUS + 1], cross, s[2] * s[2] * row[i, D_LINEAR + 5],
        ),
        (
            t[0] * n * row[i, D_RADIUS + 2], 0.0, 0.0,
            t[1] * n * row[i, D_RADIUS + 3], 0.0, 0.0,
            t[2] * n * row[i, D_RADIUS + 4], 0.0, 0.0,
        ),
        (
            t[0] * t[0] * row[i, D_ANGULAR], 0.0, 0.0,
            0.0, t[1] * t[1] * row[i, D_ANGULAR + 3], roll,
            0.0, roll, t[2] * t[2] * row[i, D_ANGULAR + 5],
        ),
    )  # fmt: skip


@step
def response_to(c, i, u, s):
    """D (u; s) of contact i, normalised."""
    row = c.contact
    return (
        (
            row[i, D_LINEAR] * u[0],
            row[i, D_RADIUS] * u[0] + row[i, D_LINEAR + 3] * u[1] + row[i, D_LINEAR + 4] * u[2],
            row[i, D_RADIUS + 1] * u[0] + row[i, D_LINEAR + 4] * u[1] + row[i, D_LINEAR + 5] * u[2],
        ),
        (
            row[i, D_RADIUS + 2] * u[0] + row[i, D_ANGULAR] * s[0],
            row[i, D_RADIUS + 3] * u[0] + row[i, D_ANGULAR + 3] * s[1] + row[i, D_ANGULAR + 4] * s[2],
            row[i, D_RADIUS + 4] * u[0] + row[i, D_ANGULAR + 4] * s[1] + row[i, D_ANGULAR + 5] * s[2],
        ),
    )


@step
def answer(c, i, u, s):
    """S D S (u; s): what physical velocities in contact axes take from the impulse (force; moment)."""
    row = c.contact
    f, n = response_to(c, i, scaled(load3(row, i, SCALES), u), scaled(load3(row, i, SCALES + 3), s))
    return scaled(load3(row, i, SCALES), f), scaled(load3(row, i, SCALES + 3), n)


@step
def law_wrench(c, i):
    """Impulse (force; moment) in contact axes that contact i exerts at velocity zero: S (q - D shift)."""
    row = c.contact
    f, n = response_to(c, i, (row[i, SHIFT], 0.0, 0.0), (0.0, 0.0, 0.0))
    q = load3(row, i, OFFSET)
    t = load3(row, i, OFFSET + 3)
    return (
        scaled(load3(row, i, SCALES), (q[0] - f[0], q[1] - f[1], q[2] - f[2])),
        scaled(load3(row, i, SCALES + 3), (t[0] - n[0], t[1] - n[1], t[2] - n[2])),
    )
