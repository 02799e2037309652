"""3-vectors and 3x3 matrices as tuples: the vocabulary of every kernel. Matrices are 9-tuples, row by row."""

from __future__ import annotations

from locodyn.kernel.compile import portable
from locodyn.kernel.primitives import fma


@portable(inline=True)
def cross(a, b):
    """a x b."""
    return (fma(a[1], b[2], -(a[2] * b[1])), fma(a[2], b[0], -(a[0] * b[2])), fma(a[0], b[1], -(a[1] * b[0])))


@portable(inline=True)
def dot(a, b):
    """a . b."""
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))


@portable(inline=True)
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@portable(inline=True)
def subtract(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@portable(inline=True)
def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@portable(inline=True)
def add_times(a, s, b):
    """a + s b."""
    return (fma(s, b[0], a[0]), fma(s, b[1], a[1]), fma(s, b[2], a[2]))


@portable(inline=True)
def rotate(r, a):
    """R a."""
    return (
        fma(r[0], a[0], fma(r[1], a[1], r[2] * a[2])),
        fma(r[3], a[0], fma(r[4], a[1], r[5] * a[2])),
        fma(r[6], a[0], fma(r[7], a[1], r[8] * a[2])),
    )


@portable(inline=True)
def rotate_back(r, a):
    """R^T a."""
    return (
        fma(r[0], a[0], fma(r[3], a[1], r[6] * a[2])),
        fma(r[1], a[0], fma(r[4], a[1], r[7] * a[2])),
        fma(r[2], a[0], fma(r[5], a[1], r[8] * a[2])),
    )


@portable(inline=True)
def multiply(a, b):
    """A B."""
    return (
        fma(a[0], b[0], fma(a[1], b[3], a[2] * b[6])),
        fma(a[0], b[1], fma(a[1], b[4], a[2] * b[7])),
        fma(a[0], b[2], fma(a[1], b[5], a[2] * b[8])),
        fma(a[3], b[0], fma(a[4], b[3], a[5] * b[6])),
        fma(a[3], b[1], fma(a[4], b[4], a[5] * b[7])),
        fma(a[3], b[2], fma(a[4], b[5], a[5] * b[8])),
        fma(a[6], b[0], fma(a[7], b[3], a[8] * b[6])),
        fma(a[6], b[1], fma(a[7], b[4], a[8] * b[7])),
        fma(a[6], b[2], fma(a[7], b[5], a[8] * b[8])),
    )


@portable(inline=True)
def transform_symmetric(r, s):
    """R S R^T for symmetric S = (xx, xy, xz, yy, yz, zz), in the same form."""
    t0 = fma(r[0], s[0], fma(r[1], s[1], r[2] * s[2]))
    t1 = fma(r[0], s[1], fma(r[1], s[3], r[2] * s[4]))
    t2 = fma(r[0], s[2], fma(r[1], s[4], r[2] * s[5]))
    t3 = fma(r[3], s[0], fma(r[4], s[1], r[5] * s[2]))
    t4 = fma(r[3], s[1], fma(r[4], s[3], r[5] * s[4]))
    t5 = fma(r[3], s[2], fma(r[4], s[4], r[5] * s[5]))
    t6 = fma(r[6], s[0], fma(r[7], s[1], r[8] * s[2]))
    t7 = fma(r[6], s[1], fma(r[7], s[3], r[8] * s[4]))
    t8 = fma(r[6], s[2], fma(r[7], s[4], r[8] * s[5]))
    return (
        fma(t0, r[0], fma(t1, r[1], t2 * r[2])),
        fma(t0, r[3], fma(t1, r[4], t2 * r[5])),
        fma(t0, r[6], fma(t1, r[7], t2 * r[8])),
        fma(t3, r[3], fma(t4, r[4], t5 * r[5])),
        fma(t3, r[6], fma(t4, r[7], t5 * r[8])),
        fma(t6, r[6], fma(t7, r[7], t8 * r[8])),
    )


@portable(inline=True)
def transform_general(r, b):
    """R B R^T."""
    t = multiply(r, b)
    return (
        fma(t[0], r[0], fma(t[1], r[1], t[2] * r[2])),
        fma(t[0], r[3], fma(t[1], r[4], t[2] * r[5])),
        fma(t[0], r[6], fma(t[1], r[7], t[2] * r[8])),
        fma(t[3], r[0], fma(t[4], r[1], t[5] * r[2])),
        fma(t[3], r[3], fma(t[4], r[4], t[5] * r[5])),
        fma(t[3], r[6], fma(t[4], r[7], t[5] * r[8])),
        fma(t[6], r[0], fma(t[7], r[1], t[8] * r[2])),
        fma(t[6], r[3], fma(t[7], r[4], t[8] * r[5])),
        fma(t[6], r[6], fma(t[7], r[7], t[8] * r[8])),
    )


@portable(inline=True)
def symmetric_times(s, a):
    """S a for symmetric S = (xx, xy, xz, yy, yz, zz)."""
    return (
        fma(s[0], a[0], fma(s[1], a[1], s[2] * a[2])),
        fma(s[1], a[0], fma(s[3], a[1], s[4] * a[2])),
        fma(s[2], a[0], fma(s[4], a[1], s[5] * a[2])),
    )


@portable(inline=True)
def load3(a, i, j):
    """a[i, j:j+3] as a tuple."""
    return (a[i, j], a[i, j + 1], a[i, j + 2])


@portable(inline=True)
def load6(a, i, j):
    """a[i, j:j+6] as a tuple."""
    return (a[i, j], a[i, j + 1], a[i, j + 2], a[i, j + 3], a[i, j + 4], a[i, j + 5])


@portable(inline=True)
def load9(a, i, j):
    """a[i, j:j+9] as a tuple."""
    return (
        a[i, j], a[i, j + 1], a[i, j + 2], a[i, j + 3], a[i, j + 4], a[i, j + 5], a[i, j + 6], a[i, j + 7], a[i, j + 8],
    )  # fmt: skip


@portable(inline=True)
def store3(a, i, j, x):
    """a[i, j:j+3] = x."""
    a[i, j] = x[0]
    a[i, j + 1] = x[1]
    a[i, j + 2] = x[2]


@portable(inline=True)
def store6(a, i, j, x):
    """a[i, j:j+6] = x."""
    a[i, j] = x[0]
    a[i, j + 1] = x[1]
    a[i, j + 2] = x[2]
    a[i, j + 3] = x[3]
    a[i, j + 4] = x[4]
    a[i, j + 5] = x[5]


@portable(inline=True)
def store9(a, i, j, x):
    """a[i, j:j+9] = x."""
    for k in range(9):
        a[i, j + k] = x[k]


@portable(inline=True)
def increase3(a, i, j, x):
    """a[i, j:j+3] += x."""
    a[i, j] = a[i, j] + x[0]
    a[i, j + 1] = a[i, j + 1] + x[1]
    a[i, j + 2] = a[i, j + 2] + x[2]
