"""The decoupled model of a planar snake (Saito, Fukaya, Iwasaki 2002; Transeth 2007, (2.5)-(2.10)): shape apart from locomotion.

Links with masses m_i, moments J_i and half lengths l_i lie along headings theta_i; w is the mass centre of the whole. With
(D x)_i = x_i - x_(i+1) and (A x)_i = x_i + x_(i+1) the joints hold where D x + A L cos(theta) = 0, so that

    x = w_x - N cos(theta),   y = w_y - N sin(theta),    N = M^-1 D^T (D M^-1 D^T)^-1 A L,    H = N^T M N,

and with S = diag(sin theta), C = diag(cos theta) the equations of motion are

    (J + S H S + C H C) theta'' + (S H C - C H S) theta'^2 = S N^T f_x - C N^T f_y + tau + D^T u,      m w'' = sum f.

Here joint angles are phi = D theta (phi_i = theta_i - theta_(i+1), the other sign than in the rest of the library), u are the
joint torques. The rows that e = (1, ..., 1) adds up have no u: they are the inertial locomotion (2.10), and the others the shape
motion (2.9). With given phi(t) the first give the motion of the snake and the second the torques; with given torques both are
solved. Friction is viscous: f_i = -m_i (c_t v_t e_t + c_n v_n e_n) at the centre of each link, moment -c_n m_i l_i^2/3 theta_i'.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import finite, positive


class SnakeMotion(NamedTuple):
    """Accelerations of the headings (n,) rad/s^2 and of the mass centre (2,) m/s^2; joint torques (n - 1,) N m."""

    headings: np.ndarray
    centre: np.ndarray
    torques: np.ndarray


class DecoupledSnake:
    """A planar snake without wheels in the coordinates of Saito et al.

    Parameters
    ----------
    masses, moments, half_lengths : (n,)
        m_i (kg), J_i about the centre (kg m^2), l_i (m) of each link.
    along, across : 1/s
        Friction coefficients c_t and c_n, for each unit of mass.
    """

    def __init__(self, masses: Any, moments: Any, half_lengths: Any, along: float, across: float) -> None:
        self.masses, self.moments, self.half = (np.asarray(x, dtype=float) for x in (masses, moments, half_lengths))
        n = len(self.masses)
        if n < 2 or not self.masses.shape == self.moments.shape == self.half.shape == (n,):
            raise InputError("a decoupled snake needs masses, moments and half lengths of two or more links, as many of each.")
        for name, values in (("masses", self.masses), ("moments", self.moments), ("half lengths", self.half)):
            for value in values:
                positive(float(value), f"each of the {name} of a decoupled snake")
        self.along, self.across = (finite(c, "the friction of a decoupled snake") for c in (along, across))
        if min(self.along, self.across) < 0.0:
            raise InputError("the friction coefficients of a decoupled snake must not be negative.")
        self.difference = np.eye(n - 1, n) - np.eye(n - 1, n, 1)
        weighted = self.difference / self.masses
        spread = (np.eye(n - 1, n) + np.eye(n - 1, n, 1)) * self.half
        self.arms: np.ndarray = weighted.T @ np.linalg.solve(weighted @ self.difference.T, spread)  # N (n, n)
        self._coupling = self.arms.T @ (self.masses[:, None] * self.arms)  # H

    def centres(self, headings: Any, centre: Any) -> np.ndarray:
        """Centres of the links (n, 2), m, for the mass centre w (2,), m."""
        theta = np.asarray(headings, dtype=float)
        found: np.ndarray = np.asarray(centre, dtype=float) - np.column_stack(
            [self.arms @ np.cos(theta), self.arms @ np.sin(theta)]
        )
        return found

    def inertia(self, headings: Any) -> np.ndarray:
        """J + S H S + C H C, (n, n) kg m^2."""
        s, c = np.sin(headings), np.cos(headings)
        found: np.ndarray = np.diag(self.moments) + self._coupling * (np.outer(s, s) + np.outer(c, c))
        return found

    def friction(self, headings: Any, rates: Any, velocity: Any) -> tuple[np.ndarray, np.ndarray]:
        """Forces (n, 2) N and moments (n,) N m of the ground (2.5), (2.7); ``velocity`` of the mass centre (2,), m/s."""
        s, c, turn = np.sin(headings), np.cos(headings), np.asarray(rates, dtype=float)
        v = np.asarray(velocity, dtype=float) + np.column_stack([self.arms @ (s * turn), -self.arms @ (c * turn)])
        tangent, normal = np.column_stack([c, s]), np.column_stack([-s, c])
        slip = self.along * np.sum(v * tangent, axis=1, keepdims=True) * tangent
        slip += self.across * np.sum(v * normal, axis=1, keepdims=True) * normal
        return -self.masses[:, None] * slip, -self.across * self.masses * self.half**2 / 3.0 * turn

    def _forces(self, headings: Any, rates: Any, velocity: Any) -> tuple[np.ndarray, np.ndarray]:
        """What (J + S H S + C H C) theta'' - D^T u equals, (n,), and w'', (2,)."""
        s, c, turn = np.sin(headings), np.cos(headings), np.asarray(rates, dtype=float)
        forces, moments = self.friction(headings, rates, velocity)
        swing = self._coupling * (np.outer(s, c) - np.outer(c, s)) @ turn**2
        pull = s * (self.arms.T @ forces[:, 0]) - c * (self.arms.T @ forces[:, 1])
        return pull + moments - swing, forces.sum(axis=0) / self.masses.sum()

    def driven(self, headings: Any, rates: Any, velocity: Any, torques: Any) -> SnakeMotion:
        """The motion under joint torques u (n - 1,), N m."""
        right, centre = self._forces(headings, rates, velocity)
        u = np.asarray(torques, dtype=float)
        return SnakeMotion(np.linalg.solve(self.inertia(headings), right + self.difference.T @ u), centre, u)

    def shaped(self, headings: Any, rates: Any, velocity: Any, bending: Any) -> SnakeMotion:
        """The motion with given accelerations phi'' (n - 1,), rad/s^2, of the joint angles, and the torques that it takes."""
        right, centre = self._forces(headings, rates, velocity)
        n, matrix = len(self.masses), self.inertia(headings)
        # theta'' = F phi'' + e psi'' with D F = 1; the sum of all rows, without u, gives psi'' (2.10).
        relative = np.linalg.pinv(self.difference) @ np.asarray(bending, dtype=float)
        ones = np.ones(n)
        turn = (ones @ (right - matrix @ relative)) / (ones @ matrix @ ones)
        found = relative + turn
        # D^T u = what is left (2.9): u_i is the sum of the first i rows.
        return SnakeMotion(found, centre, np.cumsum(matrix @ found - right)[:-1])

    def mean_rate(self, headings: Any, rates: Any) -> float:
        """psi' (rad/s): angular momentum about the mass centre over the inertia of the locked snake, e^T J theta' / e^T J e."""
        matrix = self.inertia(headings)
        return float(np.sum(matrix @ np.asarray(rates, dtype=float)) / np.sum(matrix))
