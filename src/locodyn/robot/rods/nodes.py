"""Where the mass of a rod is: places and weights of the quadratures along it, on 0 ... 1; its slices between them.

==========  ==============================================================================  ==========================
word        nodes                                                                           exact for polynomials up to
==========  ==============================================================================  ==========================
gauss       N points of Gauss and Legendre, inside                                          degree 2 N - 1
chebyshev   N points of Chebyshev, Gauss and Lobatto, both ends among them, with the        degree N - 1
            weights of Clenshaw and Curtis (Gotelli 2024, 3.8 and 5.13.4)
==========  ==============================================================================  ==========================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Nodes = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Lump:
    """The mass of a node: kg, moments of inertia (3,) kg m^2, inertia (6, 6) of the fluid that it moves along."""

    mass: float
    inertia: np.ndarray
    fluid: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Slice:
    """One factor along a rod: from ``start`` to ``end`` (m), its two strains, mass at its end."""

    start: float
    end: float
    rest: np.ndarray  # (2, 6)
    functions: np.ndarray  # (2, n)
    places: np.ndarray  # (p,) m: where strain fields are evaluated
    weights: np.ndarray  # (2, p): of these places in the two strains
    lump: Lump | None = None


def gauss(count: int) -> Nodes:
    """Gauss-Legendre points and weights, (N,) each."""
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5 * (1.0 + x), 0.5 * w


def clenshaw_curtis(count: int) -> Nodes:
    """Chebyshev-Gauss-Lobatto points, ascending, and the weights of Clenshaw and Curtis, (N,) each.

    Weights: of the interpolating polynomial, sum over even k of its cosine coefficients times 2 / (1 - k^2).
    """
    n = count - 1
    angles = np.pi * np.arange(count) / n
    even = np.arange(0, n + 1, 2)
    share = np.where((even == 0) | (even == n), 0.5, 1.0) * 2.0 / (1.0 - even**2)
    weights = np.cos(np.outer(angles, even)) @ share / n
    weights[[0, -1]] *= 0.5
    return 0.5 * (1.0 - np.cos(angles)), weights


QUADRATURES: dict[str, Callable[[int], Nodes]] = {"gauss": gauss, "chebyshev": clenshaw_curtis}
