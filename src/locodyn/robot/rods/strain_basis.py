"""Bases in which the strains of a rod are written: functions of x = s / length in [0, 1].

=============  ===============================================================================================
name           n functions
=============  ===============================================================================================
``legendre``   Legendre polynomials P_0 ... P_(n-1) of 2 x - 1: orthogonal, the default
``chebyshev``  Chebyshev polynomials of the first kind
``monomial``   1, x, x^2, ...
``constant``   n pieces of equal length, the strain constant in each (piecewise constant strain)
``linear``     hat functions on n equally spaced nodes (piecewise linear strain); one function: constant
``hermite``    cubic Hermite functions, value and slope at n/2 equally spaced nodes (n even, 4 or more)
``bspline``    cubic B-splines on equally spaced knots (lower degree for fewer than 4 functions)
=============  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from locodyn.errors import DescriptionError, nearest

Basis = Callable[[np.ndarray, int], np.ndarray]

BasisLike: TypeAlias = str | Basis
"""The name of a basis, or a function f(x (m,), n) -> (m, n)."""


def legendre(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) shifted Legendre polynomials."""
    return np.polynomial.legendre.legvander(2.0 * x - 1.0, n - 1)


def chebyshev(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) shifted Chebyshev polynomials."""
    return np.polynomial.chebyshev.chebvander(2.0 * x - 1.0, n - 1)


def monomial(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) powers of x."""
    return np.polynomial.polynomial.polyvander(x, n - 1)


def constant(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) one in its piece, zero elsewhere."""
    piece = np.clip((x * n).astype(int), 0, n - 1)
    found: np.ndarray = np.eye(n)[piece]
    return found


def linear(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) hat functions."""
    if n == 1:
        return np.ones((len(x), 1))
    return np.maximum(0.0, 1.0 - np.abs(x[:, None] * (n - 1) - np.arange(n)))


def hermite(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) cubic Hermite functions: values at the nodes, then slopes."""
    if n < 4 or n % 2:
        raise DescriptionError(f"A Hermite basis has an even number of functions, 4 or more, not {n}.")
    from scipy.interpolate import CubicHermiteSpline

    nodes, zero = np.linspace(0.0, 1.0, n // 2), np.zeros((n // 2, n // 2))
    unit = np.eye(n // 2)
    return np.hstack([CubicHermiteSpline(nodes, unit, zero)(x), CubicHermiteSpline(nodes, zero, unit)(x)])


def bspline(x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) B-splines on a clamped uniform knot vector."""
    from scipy.interpolate import BSpline

    degree = min(3, n - 1)
    knots = np.concatenate([np.zeros(degree), np.linspace(0.0, 1.0, n - degree + 1), np.ones(degree)])
    return np.asarray(BSpline(knots, np.eye(n), degree)(np.clip(x, 0.0, 1.0)))


BASES: dict[str, Basis] = {
    "legendre": legendre,
    "chebyshev": chebyshev,
    "monomial": monomial,
    "constant": constant,
    "linear": linear,
    "hermite": hermite,
    "bspline": bspline,
}


def basis_of(basis: Any) -> Basis:
    """The basis of a name, or a function f(x (m,), n) -> (m, n) of the user's own."""
    if callable(basis):
        own: Basis = basis
        return own
    if basis not in BASES:
        raise DescriptionError(f"There is no strain basis '{basis}'{nearest(str(basis), BASES)}")
    return BASES[basis]


def joints_of(basis: Any, n: int) -> np.ndarray:
    """Places in (0, 1) where the functions, or their derivatives, jump: no slice of the rod reaches across them."""
    pieces = {"constant": n, "linear": n - 1, "hermite": n // 2 - 1, "bspline": n - min(3, n - 1)}.get(str(basis), 1)
    return np.arange(1, pieces) / pieces if pieces > 1 else np.zeros(0)


def evaluated(basis: Any, x: np.ndarray, n: int) -> np.ndarray:
    """(len(x), n) values of a basis, checked."""
    values = np.asarray(basis_of(basis)(x, n), dtype=float)
    if values.shape != (len(x), n) or not np.isfinite(values).all():
        raise DescriptionError(f"A strain basis of {n} functions gave shape {values.shape} at {len(x)} places, or no numbers.")
    return values
