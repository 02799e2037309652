"""The response of one contact in physical units: scales, blocks and wrenches of the linear law z = q - D w."""

from __future__ import annotations

from locodyn.kernel import step
from locodyn.kernel.vector import load3
from locodyn.locomotion.contact_arrays import D_LINEAR, OFFSET, SCALES, SHIFT


@step
def scaled(s, x):
    """Entry by entry s x."""
    return (s[0] * x[0], s[1] * x[1], s[2] * x[2])


@step
def physical_block(s, d):
    """S D S of a symmetric block (xx, xy, xz, yy, yz, zz)."""
    return (
        s[0] * s[0] * d[0], s[0] * s[1] * d[1], s[0] * s[2] * d[2],
        s[1] * s[1] * d[3], s[1] * s[2] * d[4], s[2] * s[2] * d[5],
    )  # fmt: skip


@step
def symmetric_product(d, x):
    """D x for (xx, xy, xz, yy, yz, zz)."""
    return (
        d[0] * x[0] + d[1] * x[1] + d[2] * x[2],
        d[1] * x[0] + d[3] * x[1] + d[4] * x[2],
        d[2] * x[0] + d[4] * x[1] + d[5] * x[2],
    )


@step
def law_wrench(c, i):
    """Impulse (force; moment) in contact axes that contact i exerts at velocity zero: S (q - D shift)."""
    row = c.contact
    q = load3(row, i, OFFSET)
    shift = row[i, SHIFT]
    f = (q[0] - row[i, D_LINEAR] * shift, q[1] - row[i, D_LINEAR + 1] * shift, q[2] - row[i, D_LINEAR + 2] * shift)
    return scaled(load3(row, i, SCALES), f), scaled(load3(row, i, SCALES + 3), load3(row, i, OFFSET + 3))
