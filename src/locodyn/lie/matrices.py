"""Small matrices of the groups, beside the vocabulary of :mod:`locodyn.kernel.vector`.

A matrix is a flat 9-tuple, row by row. A symmetric matrix is ``(xx, yy, zz, xy, xz, yz)``. ``hat(a)`` is the matrix with
``hat(a) b = a x b``.
"""

from __future__ import annotations

from locodyn.kernel import fma, lit, portable


@portable(inline=True)
def combine(s, a, t, b):
    """s a + t b"""
    return (fma(s, a[0], t * b[0]), fma(s, a[1], t * b[1]), fma(s, a[2], t * b[2]))


@portable(inline=True)
def transpose(m):
    """m^T"""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@portable(inline=True)
def matrix_sum(m, n):
    """m + n"""
    return (
        m[0] + n[0],
        m[1] + n[1],
        m[2] + n[2],
        m[3] + n[3],
        m[4] + n[4],
        m[5] + n[5],
        m[6] + n[6],
        m[7] + n[7],
        m[8] + n[8],
    )


@portable(inline=True)
def hat_product(a, m):
    """hat(a) m"""
    return (
        a[1] * m[6] - a[2] * m[3],
        a[1] * m[7] - a[2] * m[4],
        a[1] * m[8] - a[2] * m[5],
        a[2] * m[0] - a[0] * m[6],
        a[2] * m[1] - a[0] * m[7],
        a[2] * m[2] - a[0] * m[8],
        a[0] * m[3] - a[1] * m[0],
        a[0] * m[4] - a[1] * m[1],
        a[0] * m[5] - a[1] * m[2],
    )


@portable(inline=True)
def jordan(a, b):
    """hat(a) hat(b) + hat(b) hat(a) = a b^T + b a^T - 2 (a.b) 1, symmetric, 6-tuple."""
    xx = a[0] * b[0]
    yy = a[1] * b[1]
    zz = a[2] * b[2]
    two = lit(xx, -2.0)
    return (
        two * (yy + zz),
        two * (xx + zz),
        two * (xx + yy),
        fma(a[0], b[1], a[1] * b[0]),
        fma(a[0], b[2], a[2] * b[0]),
        fma(a[1], b[2], a[2] * b[1]),
    )


@portable(inline=True)
def symmetric_sum(s, t):
    """s + t of symmetric 6-tuples."""
    return (s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4], s[5] + t[5])


@portable(inline=True)
def skew_and_symmetric(diagonal, a, s):
    """diagonal 1 + hat(a) + s, with s a symmetric 6-tuple."""
    return (
        diagonal + s[0],
        s[3] - a[2],
        s[4] + a[1],
        s[3] + a[2],
        diagonal + s[1],
        s[5] - a[0],
        s[4] - a[1],
        s[5] + a[0],
        diagonal + s[2],
    )
