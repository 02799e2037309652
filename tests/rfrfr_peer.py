"""Statics of two planar rods with pinned tips in plain NumPy: an independent calculation for the robot of Gotelli 2024, 4.9.2.

Curvatures are sums of three Legendre functions, as Gotelli has them. The energy of bending and weight, under the closure of the
tips, has its gradient and Hessian in closed form: with theta(s) the angle of a rod, its tip is the integral of its tangent
(cos theta, sin theta).
Both joints are at the origin, both angles count from the level x axis; places are (x, z), m.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial.legendre import Legendre, leggauss
from scipy.linalg import null_space

LENGTH, BENDING, LINE, GRAVITY = 0.47, 36e9 * 0.01 * 0.0025**3 / 12.0, 1900.0 * 0.01 * 0.0025, 9.81
MODES = 3
_nodes, _weights = leggauss(24)
S, W = 0.5 * LENGTH * (_nodes + 1.0), 0.5 * LENGTH * _weights
TURNS = np.array([Legendre.basis(k, domain=[0.0, LENGTH]).integ(lbnd=0.0)(S) for k in range(MODES)])  # d theta / d coefficient
STIFFNESS = np.diag([BENDING * LENGTH / (2 * k + 1) for k in range(MODES)])


def _rod(c: np.ndarray, root: float, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integral (2,) of the tangent with ``weights`` over s, its gradient (2, 3) and its Hessian (2, 3, 3) by ``c``."""
    theta = root + c @ TURNS
    along, across = np.cos(theta), np.sin(theta)
    value = np.array([weights @ along, weights @ across])
    gradient = np.array([-TURNS @ (weights * across), TURNS @ (weights * along)])
    return value, gradient, np.array([-(TURNS * along * weights) @ TURNS.T, -(TURNS * across * weights) @ TURNS.T])


def _terms(x: np.ndarray, angle: float, mass: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Gradient (6,) and Hessian (6, 6) of the energy, gap of the tips (2,), its gradient (2, 6) and its Hessian (2, 6, 6)."""
    slope, hessian, bend = np.zeros(6), np.zeros((6, 6)), np.zeros((2, 6, 6))
    gap, rows = np.zeros(2), np.zeros((2, 6))
    for part, sign in ((slice(0, 3), 1.0), (slice(3, 6), -1.0)):
        tip, tip_1, tip_2 = _rod(x[part], sign * angle, W)
        _, low_1, low_2 = _rod(x[part], sign * angle, W * (LENGTH - S))  # integral of the place over s
        slope[part] = STIFFNESS @ x[part] + GRAVITY * (0.5 * mass * tip_1[1] + LINE * low_1[1])
        hessian[part, part] = STIFFNESS + GRAVITY * (0.5 * mass * tip_2[1] + LINE * low_2[1])
        gap, rows[:, part], bend[:, part, part] = gap + sign * tip, sign * tip_1, sign * tip_2
    return slope, hessian, gap, rows, bend


def rest(x: np.ndarray, angle: float, mass: float) -> tuple[np.ndarray, float]:
    """The stable equilibrium near ``x`` and the smallest eigenvalue there: Newton's steps downhill, at most 0.05 long."""
    for _ in range(5000):
        slope, hessian, gap, rows, bend = _terms(x, angle, mass)
        force = np.linalg.lstsq(rows.T, -slope, rcond=None)[0]
        free = null_space(rows)
        values, vectors = np.linalg.eigh(free.T @ (hessian + np.tensordot(force, bend, 1)) @ free)
        left = vectors.T @ free.T @ slope
        step = free @ (vectors @ (-left / np.maximum(np.abs(values), 1e-3))) - np.linalg.lstsq(rows, gap, rcond=None)[0]
        x = x + step * min(1.0, 0.05 / max(np.linalg.norm(step), 1e-300))
        if np.abs(left).max() < 1e-11 and np.abs(gap).max() < 1e-13 and values[0] > 0.0:
            return x, float(values[0])
    raise RuntimeError(f"no rest at {angle} rad")


def rest_heights(mass: float, angles: Sequence[float] | np.ndarray) -> np.ndarray:
    """Heights of the platform over the joints, m, as the motors turn without inertia through ``angles`` and their opposites."""
    x, found = np.array([-2.0, 0.0, 0.0, 2.0, 0.0, 0.0]), []
    for angle in angles:
        x, _ = rest(x, angle, mass)
        found.append(_rod(x[:3], angle, W)[0][1])
    return np.array(found)
