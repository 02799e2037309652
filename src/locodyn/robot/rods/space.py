"""Integration along a rod: how the pose of the end of a slice follows from the strains in it.

Every space integrator is a product of exponentials, each of the one form that the kernel knows (:mod:`locodyn.shape.rod`),

    g = prod_f exp(Omega_f),      Omega_f = h_f/2 (x1 + x2) + sqrt(3)/12 h_f^2 [x1, x2],

with x1, x2 weighted sums of the strains at a few points of the slice and h_f a share of its length. A factor is a frame without
mass; so twists, accelerations, columns and derivatives are exact for all of them, and the kernel does not know which one it runs.

=============  =====  =======  ==========================================================================================
word           order  factors
=============  =====  =======  ==========================================================================================
magnus2        2      1        strain at the middle: piecewise constant strain
magnus4        4      1        strains at two Gauss points (Gotelli 2024, 5.13.4)
magnus6        6      3        three Gauss points; solves the order conditions of a time-symmetric product, see below
runge_kutta    4      2        stages of the classical Runge-Kutta method, commutator free (Celledoni, Marthinsen, Owren 2003)
adaptive       4      2        the same, slices halved until an estimate of its error is below the ``tolerance`` of the rod
spectral       6      3        ``magnus6`` between Chebyshev points, slices halved until only the points limit the accuracy
=============  =====  =======  ==========================================================================================

With h xi(m + t h) = a1 + a2 t + a3 t^2 about the middle m of a slice, the factors of ``magnus6`` are L + [L, M] for

    L = a1/3 -+ a2/8 + a3/24,  M = a2/240 -+ a3/180  (first, last)       L = a1/3,  M = -a2/120  (middle),

an own solution of these conditions (a1, a3, [a1, a2], [a2, a3], [a1, [a1, a3]], [a2, [a1, a2]], [a1, [a1, [a1, a2]]]).

``spectral`` has the accuracy of collocation at its N points, whose error falls exponentially with N (Gotelli 2024, 3.8, 5.13.4),
while the rod stays a Lagrangian system of products: forces are summed by the quadrature of Clenshaw and Curtis, and slices are
halved until poses at the points are as exact as the polynomial through them is (:mod:`locodyn.robot.rods.slices`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

COMMUTATOR = np.sqrt(3.0) / 12.0
_HALVINGS = 12
_ROUND_OFF = 4e-15  # of a pose over a slice: halving it cannot do better


@dataclass(frozen=True)
class Space:
    """A space integrator.

    ``points`` (p,): places in a slice, 0 ... 1; ``shares`` (f,): lengths of the factors over that of the slice; ``weights``
    (f, 2, p): of the strains at the points in x1 and x2 of each factor.
    """

    points: np.ndarray
    shares: np.ndarray
    weights: np.ndarray
    order: int


def _magnus6() -> Space:
    half = np.sqrt(0.15)  # Gauss points at 1/2 -+ half
    # a1, a2, a3 over h from the strains at the points.
    a = np.array([[0.0, 1.0, 0.0], np.array([-1.0, 0.0, 1.0]) / (2.0 * half), np.array([1.0, -2.0, 1.0]) / (2.0 * half**2)])
    linear = np.array([[1 / 3, -1 / 8, 1 / 24], [1 / 3, 0.0, 0.0], [1 / 3, 1 / 8, 1 / 24]])
    second = np.array([[0.0, 1 / 240, -1 / 180], [0.0, -1 / 120, 0.0], [0.0, 1 / 240, 1 / 180]])
    share = 1.0 / 3.0
    # L + [L, M] = h_f/2 (x1 + x2) + c h_f^2 [x1, x2] for x1, x2 = (L -+ M / (2 c)) / h_f
    weights = np.stack([linear - second / (2.0 * COMMUTATOR), linear + second / (2.0 * COMMUTATOR)], axis=1) / share
    return Space(np.array([0.5 - half, 0.5, 0.5 + half]), np.full(3, share), weights @ a, 6)


def _runge_kutta() -> Space:
    first, last = np.array([0.5, 2 / 3, -1 / 6]), np.array([-1 / 6, 2 / 3, 0.5])
    return Space(np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.5]), np.array([[first, first], [last, last]]), 4)


_GAUSS = 0.5 / np.sqrt(3.0)
SPACES = {
    "magnus2": Space(np.array([0.5]), np.ones(1), np.ones((1, 2, 1)), 2),
    "magnus4": Space(np.array([0.5 - _GAUSS, 0.5 + _GAUSS]), np.ones(1), np.eye(2)[None], 4),
    "magnus6": _magnus6(),
    "runge_kutta": _runge_kutta(),
    "adaptive": _runge_kutta(),
    "spectral": _magnus6(),
}


def pose_over(space: Space, h: float, strains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose of the end of a slice of length ``h`` (m) in its start, (N, 3, 3) and (N, 3), for N shapes.

    ``strains``: (N, p, 6) at the points of the space integrator, (linear; angular).
    """
    turn = np.broadcast_to(np.eye(3), (len(strains), 3, 3))
    move = np.zeros((len(strains), 3))
    for share, weights in zip(space.shares, space.weights, strict=True):
        effective = np.einsum("ap,npc->anc", weights, strains)
        (v1, w1), (v2, w2) = ((x[:, :3], x[:, 3:]) for x in effective)
        length = share * h
        c = COMMUTATOR * length**2
        rho = 0.5 * length * (v1 + v2) + c * (np.cross(w1, v2) + np.cross(v1, w2))
        theta = 0.5 * length * (w1 + w2) + c * np.cross(w1, w2)
        rotation, position = exponential(rho, theta)
        move = move + np.einsum("nij,nj->ni", turn, position)
        turn = turn @ rotation
    return turn, move


def halved(
    pose: Callable[[float, float], tuple[np.ndarray, np.ndarray]], ends: list[float], length: float, tolerance: float
) -> list[float]:
    """Ends of slices (m), halved until one step and two half steps differ by less than their share of the tolerance.

    ``pose(start, end)``: one step for N shapes, see :func:`pose_over`; ``length`` of the rod, m.
    """
    result: list[float] = []

    def add(start: float, end: float, left: int, one: tuple[np.ndarray, np.ndarray]) -> None:
        middle = 0.5 * (start + end)
        first, last = pose(start, middle), pose(middle, end)
        (turn, move), (turn1, move1), (turn2, move2) = one, first, last
        error = max(
            np.max(np.abs(turn1 @ turn2 - turn)), np.max(np.abs(move1 + np.einsum("nij,nj->ni", turn1, move2) - move)) / length
        )
        if error <= max(tolerance * (end - start) / length, _ROUND_OFF) or left == 0:
            result.append(end)
        else:
            add(start, middle, left - 1, first)
            add(middle, end, left - 1, last)

    for start, end in pairwise([0.0, *ends]):
        add(start, end, _HALVINGS, pose(start, end))
    return result


def exponential(rho: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R, p) = exp((rho; theta)), each (N, ...)."""
    t2 = np.sum(theta**2, axis=1)
    small = t2 < 1e-2
    safe = np.where(small, 1.0, np.sqrt(t2))
    c1 = np.where(small, 1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72))), np.sin(safe) / safe)
    c2 = np.where(small, 0.5 - t2 / 24 * (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90))), (1 - np.cos(safe)) / safe**2)
    c3 = np.where(small, 1 / 6 - t2 / 120 * (1 - t2 / 42 * (1 - t2 / 72 * (1 - t2 / 110))), (safe - np.sin(safe)) / safe**3)
    hat = np.zeros((len(theta), 3, 3))
    hat[:, 0, 1], hat[:, 0, 2], hat[:, 1, 2] = -theta[:, 2], theta[:, 1], -theta[:, 0]
    hat -= np.transpose(hat, (0, 2, 1))
    square = hat @ hat
    turn = np.eye(3) + c1[:, None, None] * hat + c2[:, None, None] * square
    return turn, np.einsum("nij,nj->ni", np.eye(3) + c2[:, None, None] * hat + c3[:, None, None] * square, rho)
