"""Implicit schemes as data: how positions, velocities and accelerations of their stages follow from the unknowns.

A scheme of S stages has S unknown vectors A_j (accelerations). With the known parts U0, V0, a0 of a step of length h,

    U_i = U0_i + h^2 sum_j B2_ij A_j,    V_i = V0_i + h sum_j B1_ij A_j,    a_i = a0_i + sum_j B0_ij A_j,

each stage solves the equation of motion at (q_n (+) U_i, V_i, a_i) and time t_n + c_i h. Newton's matrix is
B0 (x) M + h B1 (x) C + h^2 B2 (x) K. B0, B1, B2 have common eigenvectors, so that it falls into blocks of the size of the
robot: one real block for each real eigenvalue, one complex block for each pair (Hairer and Wanner 1996, IV.8).

- Generalized-alpha (Chung and Hulbert 1993) in the form for groups of Bruls, Cardona and Arnold (2012), one stage, order 2.
Newmark,
  HHT (Hilber, Hughes and Taylor 1977), WBZ (Wood, Bossak and Zienkiewicz 1980) are sets of its parameters (Gotelli 2024, 4.2.3).
- Implicit Euler: one stage, order 1, damps strongly.
- Collocation: Gauss with 2 stages (order 4, symplectic), Radau IIA with 3 stages (order 5, damps what it does not resolve).
- Energy-momentum: Gauss with 2 stages and the balance of :mod:`locodyn.integrate.implicit.end`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import RHO_INF


class SchemeArrays(NamedTuple):
    """What the kernels see of a scheme."""

    times: Any  # (S,) c
    positions: Any  # (S, S) B2
    velocities: Any  # (S, S) B1
    accelerations: Any  # (S, S) B0
    weights: Any  # (2, S): end position (of h^2) and end velocity (of h)
    alpha: Any  # (4,) alpha_m, alpha_f, beta, gamma; or (0,) for collocation
    real: Any  # (0 or 1, 3): eigenvalues of B0, B1, B2 in the real block
    pair: Any  # (0 or 1, 3) complex: those in the complex block
    real_left: Any  # (0 or 1, S) rows of P^-1
    real_right: Any  # (0 or 1, S) columns of P
    pair_left: Any  # complex
    pair_right: Any
    predictor: Any  # (S, S): unknowns of the next step by extrapolation of these
    conserves: Any  # (1,): energy and momentum are put on their balance at the end of a step; or (0,)


@dataclass(frozen=True)
class Scheme:
    """An implicit scheme: its name, its order, its arrays."""

    name: str
    order: int
    arrays: SchemeArrays


def generalized_alpha(rho_inf: float = RHO_INF) -> Scheme:
    """Second order with the spectral radius ``rho_inf`` at high frequencies: 1 keeps them, 0 damps them in one step."""
    r = _radius(rho_inf)
    return _alpha("generalized_alpha", (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0))


def hht(rho_inf: float = RHO_INF) -> Scheme:
    """Hilber, Hughes, Taylor: alpha_m = 0."""
    r = _radius(rho_inf)
    return _alpha("hht", 0.0, (1.0 - r) / (1.0 + r))


def wbz(rho_inf: float = RHO_INF) -> Scheme:
    """Wood, Bossak, Zienkiewicz: alpha_f = 0."""
    r = _radius(rho_inf)
    return _alpha("wbz", (r - 1.0) / (r + 1.0), 0.0)


def newmark() -> Scheme:
    """Newmark with beta = 1/4, gamma = 1/2: no numerical damping."""
    return _alpha("newmark", 0.0, 0.0)


def implicit_euler() -> Scheme:
    """v = v_n + h a, q = q_n (+) h v."""
    one = np.ones((1, 1))
    return Scheme("implicit_euler", 1, _collocation(np.ones(1), one, np.ones(1), one))


@cache
def gauss2() -> Scheme:
    """Gauss collocation with two stages."""
    s = np.sqrt(3.0) / 6.0
    c = np.array([0.5 - s, 0.5 + s])
    a = np.array([[0.25, 0.25 - s], [0.25 + s, 0.25]])
    return Scheme("gauss2", 4, _collocation(c, a, np.array([0.5, 0.5]), _extrapolation(c)))


@cache
def energy_momentum() -> Scheme:
    """Gauss collocation with two stages, energy and momentum put on their balance after each step."""
    return Scheme("energy_momentum", 4, gauss2().arrays._replace(conserves=np.ones(1)))


@cache
def radau3() -> Scheme:
    """Radau IIA collocation with three stages."""
    r = np.sqrt(6.0)
    c = np.array([(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0])
    a = np.array(
        [
            [(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
            [(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
            [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
        ]
    )
    return Scheme("radau3", 5, _collocation(c, a, a[2], _extrapolation(c)))


def _radius(rho: float) -> float:
    if not (np.isfinite(rho) and 0.0 <= rho <= 1.0):
        raise InputError(f"rho_inf is {rho!r}; it must lie between 0 and 1.")
    return float(rho)


def _alpha(name: str, alpha_m: float, alpha_f: float) -> Scheme:
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (gamma + 0.5) ** 2
    ratio = (1.0 - alpha_m) / (1.0 - alpha_f)
    one, none, empty = np.ones((1, 1)), np.zeros((0, 3), dtype=complex), np.zeros((0, 1), dtype=complex)
    arrays = SchemeArrays(
        np.ones(1), beta * one, gamma * one, ratio * one, np.array([[beta], [gamma]]),
        np.array([alpha_m, alpha_f, beta, gamma]), np.array([[ratio, gamma, beta]]), none, one, one, empty, empty, one.copy(),
        np.zeros(0),
    )  # fmt: skip
    return Scheme(name, 2, arrays)


def _collocation(c: np.ndarray, a: np.ndarray, b: np.ndarray, predictor: np.ndarray) -> SchemeArrays:
    n = len(c)
    values, right = np.linalg.eig(a)
    left = np.linalg.inv(right)
    real = [k for k in range(n) if abs(values[k].imag) < 1e-12]
    pair = [k for k in range(n) if values[k].imag > 1e-12]
    assert len(real) <= 1 and len(pair) <= 1
    powers = np.array([[1.0, x, x * x] for x in values])
    return SchemeArrays(
        c, a @ a, a, np.eye(n), np.array([b @ a, b]), np.zeros(0),
        np.ascontiguousarray(powers[real].real), np.ascontiguousarray(powers[pair]).astype(complex),
        np.ascontiguousarray(left[real].real), np.ascontiguousarray(right[:, real].T.real),
        np.ascontiguousarray(left[pair]).astype(complex), np.ascontiguousarray(right[:, pair].T).astype(complex), predictor,
        np.zeros(0),
    )  # fmt: skip


def _extrapolation(c: np.ndarray) -> np.ndarray:
    """Values at 1 + c of the polynomials that are 1 at one of the places c and 0 at the others."""
    return np.vander(1.0 + c, len(c)) @ np.linalg.inv(np.vander(c, len(c)))


def scheme_of(name: str, rho_inf: float = RHO_INF) -> Scheme:
    """The scheme of this name."""
    damped = {"generalized_alpha": generalized_alpha, "hht": hht, "wbz": wbz}
    plain: dict[str, Callable[[], Scheme]] = {
        "newmark": newmark,
        "implicit_euler": implicit_euler,
        "gauss2": gauss2,
        "radau3": radau3,
        "radau_adaptive": radau3,
        "energy_momentum": energy_momentum,
    }
    return damped[name](rho_inf) if name in damped else plain[name]()
