"""Implicit schemes as data: how positions, velocities and accelerations of their stages follow from the unknowns.

A scheme of S stages has S unknown vectors A_j (accelerations). With the known parts U0, V0, a0 of a step of length h,

    U_i = U0_i + h^2 sum_j B2_ij A_j,    V_i = V0_i + h sum_j B1_ij A_j,    a_i = a0_i + sum_j B0_ij A_j,

each stage solves the equation of motion at (q_n (+) U_i, V_i, a_i) and time t_n + c_i h. Newton's matrix is
B0 (x) M + h B1 (x) C + h^2 B2 (x) K. B0, B1, B2 have common eigenvectors, so that it falls into blocks of the size of the
robot: one real block for each real eigenvalue, one complex block for each pair (Hairer and Wanner 1996, IV.8).

Two families: generalized-alpha with its sets of parameters, and collocation. Their members are in ``integrate/methods``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from locodyn.kernel.bundle import Bundle


class SchemeArrays(Bundle):
    """What the kernels see of a scheme."""

    remembers: int = 0  # 1 for generalized-alpha: accelerations of the step before
    alpha_m: float = 0.0  # its parameters
    alpha_f: float = 0.0
    beta: float = 0.0
    gamma: float = 0.0
    split: int = 0  # 1, of one stage: rotation and place of floating joints apart, :mod:`locodyn.integrate.implicit.split`
    conserves: int = 0  # 1: energy and momentum are put on their balance at the end of a step
    times: np.ndarray  # (S,) c
    positions: np.ndarray  # (S, S) B2
    velocities: np.ndarray  # (S, S) B1
    accelerations: np.ndarray  # (S, S) B0
    weights: np.ndarray  # (2, S): end position (of h^2) and end velocity (of h)
    real: np.ndarray  # (0 or 1, 3): eigenvalues of B0, B1, B2 in the real block
    pair: np.ndarray  # (0 or 1, 3) complex: those in the complex block
    real_left: np.ndarray  # (0 or 1, S) rows of P^-1
    real_right: np.ndarray  # (0 or 1, S) columns of P
    pair_left: np.ndarray  # (0 or 1, S) complex
    pair_right: np.ndarray  # (0 or 1, S) complex
    predictor: np.ndarray  # (S, S): unknowns of the next step by extrapolation of these


@cache
def alpha_scheme(alpha_m: float, alpha_f: float, split: int = 0) -> SchemeArrays:
    """Generalized-alpha (Chung and Hulbert 1993) in the form for groups of Brüls, Cardona and Arnold (2012): one stage, order 2.

    HHT, WBZ and Newmark are sets of its parameters (Gotelli 2024, 4.5.1 and 5.5.1).
    """
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (gamma + 0.5) ** 2
    ratio = (1.0 - alpha_m) / (1.0 - alpha_f)
    one, none, empty = np.ones((1, 1)), np.zeros((0, 3), dtype=complex), np.zeros((0, 1), dtype=complex)
    return SchemeArrays(
        split=split, remembers=1, alpha_m=alpha_m, alpha_f=alpha_f, beta=beta, gamma=gamma, times=np.ones(1),
        positions=beta * one, velocities=gamma * one, accelerations=ratio * one, weights=np.array([[beta], [gamma]]),
        real=np.array([[ratio, gamma, beta]]), pair=none, real_left=one, real_right=one, pair_left=empty, pair_right=empty,
        predictor=one,
    )  # fmt: skip


def collocation(c: np.ndarray, a: np.ndarray, b: np.ndarray, split: int = 0) -> SchemeArrays:
    """Collocation at the places ``c`` (S,) with the matrix ``a`` (S, S) and the weights ``b`` (S,)."""
    n = len(c)
    values, right = np.linalg.eig(a)
    left = np.linalg.inv(right)
    real = [k for k in range(n) if abs(values[k].imag) < 1e-12]
    pair = [k for k in range(n) if values[k].imag > 1e-12]
    assert len(real) <= 1 and len(pair) <= 1
    powers = np.array([[1.0, x, x * x] for x in values])
    whole = np.ascontiguousarray
    return SchemeArrays(
        split=split, times=c, positions=a @ a, velocities=a, accelerations=np.eye(n), weights=np.array([b @ a, b]),
        real=whole(powers[real].real), pair=whole(powers[pair]).astype(complex), real_left=whole(left[real].real),
        real_right=whole(right[:, real].T.real), pair_left=whole(left[pair]).astype(complex),
        pair_right=whole(right[:, pair].T).astype(complex), predictor=extrapolation(c),
    )  # fmt: skip


def extrapolation(c: np.ndarray) -> np.ndarray:
    """Values at 1 + c of the polynomials that are 1 at one of the places c and 0 at the others."""
    return np.vander(1.0 + c, len(c)) @ np.linalg.inv(np.vander(c, len(c)))
