"""Motion along a rod by Chebyshev collocation in cascade (Gotelli 2024, 3.8 and 5.13.4): a space integrator for fields.

On N Chebyshev-Gauss-Lobatto points of [0, L], with the matrix that differentiates there and the motion of the root given, one
linear system after the other, for strains (Gamma; K) and their rates:

    Q' = 1/2 [[0, -K^T], [K, -hat K]] Q,   r' = R Gamma,
    w' + K x w = K',    V' + K x V = Gamma' - Gamma x w,    and the same matrix again for the accelerations.

Its error falls exponentially with N. Twist and acceleration are those of the continuous rod, not derivatives of the collocated
pose: they fit to it to the accuracy of the collocation only. So it serves fields and references, and not the slices of the kernel
(:mod:`locodyn.robot.rods.space`), where the discrete rod is a Lagrangian system. The forces: :mod:`locodyn.dynamics.rod_cascade`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.rods.nodes import clenshaw_curtis
from locodyn.robot.rods.rod import Rod


@dataclass(frozen=True)
class RootMotion:
    """How the root of a rod moves: ``rotation`` (3, 3) and ``position`` (3,) m in the world, ``twist`` and its rate
    ``acceleration`` (6,) in the axes of the root, (linear; angular)."""

    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    twist: np.ndarray = field(default_factory=lambda: np.zeros(6))
    acceleration: np.ndarray = field(default_factory=lambda: np.zeros(6))


@dataclass(frozen=True)
class RodMotion:
    """A rod at ``s`` (N,) m: ``strain`` (N, 6), ``position`` (N, 3) m and ``rotation`` (N, 3, 3) of the sections in the world,
    ``twist`` and ``acceleration`` (N, 6) in their axes, (linear; angular), the acceleration as the rate of the twist."""

    s: np.ndarray
    strain: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray


def differentiation(count: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev-Gauss-Lobatto points (N,) on [0, length], ascending, and the matrix (N, N) that differentiates."""
    k = np.arange(count)
    s = length * clenshaw_curtis(count)[0]
    weights = (-1.0) ** k * np.where((k == 0) | (k == count - 1), 2.0, 1.0)
    matrix = np.outer(weights, 1.0 / weights) / (s[:, None] - s[None, :] + np.eye(count))
    np.fill_diagonal(matrix, 0.0)
    matrix -= np.diag(matrix.sum(axis=1))
    return s, matrix


def hats(w: np.ndarray) -> np.ndarray:
    """(N, 3, 3) of the vectors (N, 3)."""
    result = np.zeros((len(w), 3, 3))
    result[:, 2, 1], result[:, 0, 2], result[:, 1, 0] = w.T
    return result - np.transpose(result, (0, 2, 1))


class Cascade:
    """x' + B x = b, blocks B (N, k, k) and b (N, k) at the points, x given at one end: one factorisation for all b.

    ``known``: 0 where x is given at the root, -1 at the tip.
    """

    def __init__(self, matrix: np.ndarray, blocks: np.ndarray, known: int) -> None:
        from scipy.linalg import lu_factor

        self.known, self.size = known, blocks.shape[1]
        self.free = slice(1, None) if known == 0 else slice(None, -1)
        self.column = matrix[self.free, known]
        whole = np.kron(matrix[self.free, self.free], np.eye(self.size))
        for k, block in enumerate(blocks[self.free]):
            here = slice(self.size * k, self.size * (k + 1))
            whole[here, here] += block
        self.factors = lu_factor(whole)

    def solved(self, right: np.ndarray, end: np.ndarray) -> np.ndarray:
        """x (N, k) for b (N, k) and the given end (k,)."""
        from scipy.linalg import lu_solve

        found = lu_solve(self.factors, (right[self.free] - np.outer(self.column, end)).ravel()).reshape(-1, self.size)
        return np.concatenate([end[None], found] if self.known == 0 else [found, end[None]])


def chebyshev_motion(
    rod: Rod, q: Any, v: Any = None, a: Any = None, count: int = 31, root: RootMotion | None = None
) -> RodMotion:
    """Fields of a rod for strain coordinates, rates and accelerations (n,), by ``count`` collocation points.

    ``root``: how its root moves; by default it is clamped at the origin.
    """
    if rod.joints.size:
        raise InputError("Chebyshev collocation needs smooth strain functions; this rod has a piecewise basis.")
    if int(count) < 3:
        raise InputError(f"the number of collocation points is {count!r}; it must be 3 or more.")
    root = RootMotion() if root is None else root
    s, matrix = differentiation(int(count), rod.length)
    zero = np.zeros(rod.count)
    state = (np.asarray(zero if x is None else x, dtype=float)[None] for x in (q, v, a))
    strain, rates, second = rod.strain_motion(s, *state)[:, 0]
    (g, k), (dg, dk), (eg, ek) = ((x[:, :3], x[:, 3:]) for x in (strain, rates, second))
    turning = np.zeros((len(k), 4, 4))
    turning[:, 0, 1:], turning[:, 1:, 0], turning[:, 1:, 1:] = -k, k, -hats(k)
    quaternions = Cascade(matrix, -0.5 * turning, 0).solved(np.zeros((len(s), 4)), np.array([1.0, 0.0, 0.0, 0.0]))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    w, x = quaternions[:, 0], hats(quaternions[:, 1:])
    rotation = root.rotation @ (np.eye(3) + 2.0 * (w[:, None, None] * x + x @ x))
    run = np.linalg.solve(matrix[1:, 1:], np.einsum("nij,nj->ni", rotation, g)[1:])
    position = root.position + np.concatenate([np.zeros((1, 3)), run])
    cascade = Cascade(matrix, hats(k), 0)
    angular = cascade.solved(dk, root.twist[3:])
    linear = cascade.solved(dg - np.cross(g, angular), root.twist[:3])
    angular_rate = cascade.solved(ek - np.cross(dk, angular), root.acceleration[3:])
    right = eg - np.cross(g, angular_rate) - np.cross(dg, angular) - np.cross(dk, linear)
    linear_rate = cascade.solved(right, root.acceleration[:3])
    return RodMotion(s, strain, position, rotation, np.hstack([linear, angular]), np.hstack([linear_rate, angular_rate]))
