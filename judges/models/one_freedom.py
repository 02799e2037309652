"""Linkages with one freedom, reduced to it in plain NumPy: an independent reference for loops of hinges.

A chain of bars hangs on the ground by hinges with the angles q(a) of one crank angle a, and their slopes q'(a). With the mass
m(a) = sum_i (m_i c_i'^2 + w_i' I_i w_i') and the potential V(a), Lagrange's equation is

    m a'' + m' a'^2 / 2 + V' = 0.

m' and V' by the complex step, exact to round-off: all of it is analytic in a. DOP853 of SciPy integrates it at 1e-13.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

TINY = 1e-30


@dataclass(frozen=True)
class Bar:
    """A bar in the frame of its hinge, all at angle zero in the axes of the bar before: where the hinge is, how it is turned."""

    at: np.ndarray  # (3,) m, of the hinge in the bar before
    turned: np.ndarray  # (3, 3) rotation of the frame of the hinge there
    axis: np.ndarray  # (3,) of the hinge
    mass: float  # kg
    centre: np.ndarray  # (3,) m
    inertia: np.ndarray  # (3, 3) kg m^2 about it


def rotation(axis: np.ndarray, angle: complex) -> np.ndarray:
    """Rodrigues' formula, also for complex angles."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def frames(bars: list[Bar], angles: list[complex]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rotation and origin of every bar."""
    turn, place = np.eye(3), np.zeros(3)
    found = []
    for bar, angle in zip(bars, angles, strict=True):
        place = place + turn @ bar.at
        turn = turn @ bar.turned @ rotation(bar.axis, angle)
        found.append((turn, place))
    return found


def tip_columns(bars: list[Bar], angles: list[complex], tip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place (3,) of a point of the last bar, and its slopes (3, bars) to the angles."""
    found = frames(bars, angles)
    place = found[-1][1] + found[-1][0] @ tip
    return place, np.column_stack([np.cross(turn @ bar.axis, place - at) for bar, (turn, at) in zip(bars, found, strict=True)])


def mass_and_potential(
    bars: list[Bar], angles: list[complex], slopes: list[complex], gravity: np.ndarray
) -> tuple[complex, complex]:
    """m and V, with products that are analytic (no conjugates)."""
    mass, potential = 0.0 + 0.0j, 0.0 + 0.0j
    spin, speed, last = np.zeros(3, dtype=complex), np.zeros(3, dtype=complex), np.zeros(3, dtype=complex)
    for bar, slope, (turn, place) in zip(bars, slopes, frames(bars, angles), strict=True):
        speed = speed + np.cross(spin, place - last)
        spin = spin + slope * (turn @ bar.axis)
        last = place
        arm = turn @ bar.centre
        rate, own = speed + np.cross(spin, arm), turn.T @ spin
        mass += bar.mass * (rate @ rate) + own @ bar.inertia @ own
        potential -= bar.mass * (gravity @ (place + arm))
    return mass, potential


def motion(
    bars: list[Bar],
    law: Callable[[complex], tuple[list[complex], list[complex]]],
    start: float,
    times: np.ndarray,
    gravity: np.ndarray,
) -> np.ndarray:
    """Crank angle at the times (s) of the fall from rest; ``law``: angles and their slopes."""

    def rates(t: float, y: np.ndarray) -> tuple[float, float]:
        mass, potential = mass_and_potential(bars, *law(y[0] + 1j * TINY), gravity)
        return y[1], float(-(0.5 * mass.imag * y[1] ** 2 + potential.imag) / TINY / mass.real)

    found = solve_ivp(rates, (0.0, times[-1]), (start, 0.0), method="DOP853", t_eval=times, rtol=1e-13, atol=1e-13)
    return np.asarray(found.y[0])
