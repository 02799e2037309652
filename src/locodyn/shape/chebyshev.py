"""Motion along a rod by Chebyshev collocation in cascade (Gotelli 2024, 3.5 and 5.4.2): a space integrator for fields.

On N Chebyshev-Gauss-Lobatto points of [0, L], with D the differentiation matrix and the root at rest, one linear system after the
other, for strains (Gamma; K) and their rates:

    Q' = 1/2 [[0, -K^T], [K, -hat K]] Q,   r' = R Gamma,
    w' + K x w = K',    V' + K x V = Gamma' - Gamma x w,    and the same matrix again for the accelerations.

Its error falls exponentially with N. Twist and acceleration are those of the continuous rod, not derivatives of the collocated
pose: they fit to it to the accuracy of the collocation only. So it serves fields and references, and not the slices of the kernel
(:mod:`locodyn.robot.space`), where the discrete rod is a Lagrangian system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.rod import Rod


@dataclass(frozen=True)
class RodMotion:
    """A rod seen from its root at ``s`` (N,) m: ``position`` (N, 3) m and ``rotation`` (N, 3, 3) of the sections, ``twist`` and
    ``acceleration`` (N, 6) in their axes, (linear; angular), the acceleration as the rate of the twist."""

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray


def differentiation(count: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev-Gauss-Lobatto points (N,) on [0, length], ascending, and the matrix (N, N) that differentiates."""
    k = np.arange(count)
    x = -np.cos(np.pi * k / (count - 1))
    weights = (-1.0) ** k * np.where((k == 0) | (k == count - 1), 2.0, 1.0)
    gaps = x[:, None] - x[None, :] + np.eye(count)
    matrix = np.outer(weights, 1.0 / weights) / gaps
    matrix -= np.diag(matrix.sum(axis=1))
    return 0.5 * length * (1.0 + x), 2.0 / length * matrix


def _hats(w: np.ndarray) -> np.ndarray:
    """(N, 3, 3) of the vectors (N, 3)."""
    result = np.zeros((len(w), 3, 3))
    result[:, 2, 1], result[:, 0, 2], result[:, 1, 0] = w.T
    return result - np.transpose(result, (0, 2, 1))


def _blocks(matrix: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """matrix (x) 1 + blkdiag(blocks)."""
    size = blocks.shape[1]
    result = np.kron(matrix, np.eye(size))
    for k, block in enumerate(blocks):
        result[size * k : size * (k + 1), size * k : size * (k + 1)] += block
    return result


def chebyshev_motion(rod: Rod, q: Any, v: Any = None, a: Any = None, count: int = 31) -> RodMotion:
    """Fields of a clamped rod for strain coordinates, rates and accelerations (n,), by ``count`` collocation points."""
    from scipy.linalg import lu_factor, lu_solve

    if rod.joints.size:
        raise InputError("Chebyshev collocation needs smooth strain functions; this rod has a piecewise basis.")
    if int(count) < 3:
        raise InputError(f"the number of collocation points is {count!r}; it must be 3 or more.")
    s, matrix = differentiation(int(count), rod.length)
    zero = np.zeros(rod.count)
    strain = rod.strain(s, np.asarray(q, dtype=float))
    free = rod.rest(s)
    rates, second = (rod.strain(s, zero if x is None else np.asarray(x, dtype=float)) - free for x in (v, a))
    (g, k), (dg, dk), (eg, ek) = ((x[1:, :3], x[1:, 3:]) for x in (strain, rates, second))
    inner = matrix[1:, 1:]
    turning = np.zeros((len(k), 4, 4))
    turning[:, 0, 1:], turning[:, 1:, 0], turning[:, 1:, 1:] = -k, k, -_hats(k)
    start = np.array([1.0, 0.0, 0.0, 0.0])
    quaternions = np.linalg.solve(_blocks(inner, -0.5 * turning), -np.kron(matrix[1:, 0], start)).reshape(-1, 4)
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    w, x = quaternions[:, 0], _hats(quaternions[:, 1:])
    rotation = np.eye(3) + 2.0 * (w[:, None, None] * x + x @ x)
    position = np.linalg.solve(inner, np.einsum("nij,nj->ni", rotation, g))
    factors = lu_factor(_blocks(inner, _hats(k)))

    def solved(right: np.ndarray) -> np.ndarray:
        return lu_solve(factors, right.ravel()).reshape(-1, 3)

    angular = solved(dk)
    linear = solved(dg - np.cross(g, angular))
    angular_rate = solved(ek - np.cross(dk, angular))
    linear_rate = solved(eg - np.cross(g, angular_rate) - np.cross(dg, angular) - np.cross(dk, linear))

    def from_root(values: np.ndarray, first: np.ndarray) -> np.ndarray:
        return np.concatenate([first[None], values])

    rest = np.zeros(6)
    return RodMotion(
        s, from_root(position, rest[:3]), from_root(rotation, np.eye(3)), from_root(np.hstack([linear, angular]), rest),
        from_root(np.hstack([linear_rate, angular_rate]), rest),
    )  # fmt: skip
