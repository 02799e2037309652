"""Legendre-Gauss-Lobatto places on 0 .. 1: both ends, weights, integration from 0 to each of them; what bounds a polynomial."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.polynomial import legendre


def lobatto(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (n,), weights (n,) and matrix A (n, n) with integral of f from 0 to s_k = sum_j A_kj f(s_j), exact to degree n - 1.

    >>> places, weights, matrix = lobatto(5)
    >>> bool(abs(weights @ places**3 - 0.25) < 1e-15)
    True
    """
    last = np.zeros(count)
    last[-1] = 1.0
    inner = np.sort(legendre.legroots(legendre.legder(last)))
    x = np.concatenate([[-1.0], inner, [1.0]])
    weights = 1.0 / (count * (count - 1) * legendre.legval(x, last) ** 2)  # halved: the interval has length 1
    values = legendre.legvander(x, count - 1)
    integrals = np.column_stack([legendre.legval(x, legendre.legint(unit, lbnd=-1)) for unit in np.eye(count)])
    return 0.5 * (x + 1.0), weights, 0.5 * integrals @ np.linalg.inv(values)


def hull(places: np.ndarray) -> np.ndarray:
    """Matrix (n, n) from the values of a polynomial at places on 0 .. 1 to its Bernstein coefficients.

    It lies within them everywhere on 0 .. 1 (Farin 2002, 5.3: the convex hull); the first and the last are its ends.

    >>> bool(abs(hull(np.array([0.0, 0.5, 1.0])) @ [0.0, 1.0, 0.0] - [0.0, 2.0, 0.0]).max() < 1e-15)
    True
    """
    degree = len(places) - 1
    basis = [comb(degree, k) * places**k * (1.0 - places) ** (degree - k) for k in range(degree + 1)]
    return np.linalg.inv(np.column_stack(basis))
