"""Legendre-Gauss-Lobatto places on 0 .. 1: both ends, weights, and integration from 0 to each of them."""

from __future__ import annotations

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
