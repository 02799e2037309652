"""Implicit steps of one floating body on SO(3) x R^3 (Gotelli 2024, 3.3.2 and App. B), written apart from the library: a peer of
its option ``split``.

Rotation and place are stepped apart, with the increment nu = (d; Theta), place first as in all twists of the library:

    R = R_n exp(Theta),           r = r_n + d,
    Omega = a Theta + f_Theta,    rdot = a d + f_r,       V = R^T rdot,
    Omegadot = b Theta + h_Theta, rddot = b d + h_r,      Vdot = R^T rddot + V x Omega,

so that a body without forces keeps its path straight whatever it does. With T the tangent map of SO(3) and A_0 = R^T rddot, the
changes of pose, twist and acceleration for a change of nu (its (B.5), in our order) are

    dC = (R^T, 0; 0, T),    dA = (a R^T, hat(V) T; 0, a),
    dB = ((b - a hat(Omega)) R^T, (hat(A_0) - hat(Omega) hat(V)) T + a hat(V); 0, b).

a, b, f and h are those of Newmark or generalized-alpha (Chung and Hulbert 1993; its (4.10)-(4.12)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.lie import SO3

_ITERATIONS = 30
Force = Callable[[float, np.ndarray, np.ndarray], Any]  # (t, R, r) -> wrench (6,) in body axes


@dataclass(frozen=True)
class AlphaRule:
    """Generalized-alpha with the spectral radius ``rho_inf`` at infinity, or a relative: ``newmark`` (both alphas zero,
    beta 1/4, gamma 1/2), ``hht`` (Hilber et al. 1977, alpha_m zero), ``wbz`` (Wood et al. 1980, alpha_f zero).
    """

    rho_inf: float = 1.0
    kind: str = "generalized_alpha"

    def __post_init__(self) -> None:
        if not 0.0 <= self.rho_inf <= 1.0:
            raise InputError(f"rho_inf is {self.rho_inf!r}; it must be between 0 and 1.")

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        r = self.rho_inf
        m, f = {
            "generalized_alpha": ((2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)), "newmark": (0.0, 0.0),
            "hht": (0.0, (1.0 - r) / (1.0 + r)), "wbz": ((r - 1.0) / (r + 1.0), 0.0),
        }[self.kind]  # fmt: skip
        gamma = 0.5 - m + f
        return m, f, 0.25 * (gamma + 0.5) ** 2, gamma


@dataclass(frozen=True, eq=False)
class SplitStep:
    """One step: where the body was, and (rdot; Omega) = a nu + f, (rddot; Omegadot) = b nu + h, in (world; body) axes."""

    rotation: np.ndarray
    place: np.ndarray
    a: float
    b: float
    f: np.ndarray
    h: np.ndarray

    def pose(self, nu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """R (3, 3) and r (3,)."""
        return self.rotation @ SO3.exp(nu[3:]), self.place + nu[:3]

    def twist(self, nu: np.ndarray) -> np.ndarray:
        """(V; Omega) in body axes, (6,)."""
        rotation, _ = self.pose(nu)
        rates = self.a * nu + self.f
        return np.concatenate([rotation.T @ rates[:3], rates[3:]])

    def acceleration(self, nu: np.ndarray) -> np.ndarray:
        """(Vdot; Omegadot): derivatives of the components of the twist, (6,)."""
        rotation, _ = self.pose(nu)
        twist, second = self.twist(nu), self.b * nu + self.h
        return np.concatenate([rotation.T @ second[:3] + np.cross(twist[:3], twist[3:]), second[3:]])

    def tangents(self, nu: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """dC, dA, dB (6, 6): changes of pose (body axes), twist and acceleration for a change of nu."""
        rotation, _ = self.pose(nu)
        turn, back = SO3.tangent(nu[3:]), rotation.T
        v, omega = np.split(self.twist(nu), 2)
        pull = back @ (self.b * nu + self.h)[:3]
        hat_v, hat_w, zero, one = SO3.hat(v), SO3.hat(omega), np.zeros((3, 3)), np.eye(3)
        pose = np.block([[back, zero], [zero, turn]])
        twist = np.block([[self.a * back, hat_v @ turn], [zero, self.a * one]])
        mixed = (SO3.hat(pull) - hat_w @ hat_v) @ turn + self.a * hat_v
        return pose, twist, np.block([[(self.b * one - self.a * hat_w) @ back, mixed], [zero, self.b * one]])


@dataclass(eq=False)
class SplitBody:
    """A rigid body under forces, stepped on SO(3) x R^3.

    Parameters
    ----------
    inertia : (6, 6)
        About the origin of the body, (linear; angular) order.
    force : function(t, R, r) -> (6,) wrench in body axes
    rule : AlphaRule
    """

    inertia: np.ndarray
    force: Force
    rule: AlphaRule = field(default_factory=AlphaRule)

    def run(self, rotation: Any, place: Any, twist: Any, t_end: float, step: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotations (N, 3, 3), places (N, 3) m, twists (N, 6) from 0 to ``t_end`` (s)."""
        m, af, beta, gamma = self.rule.numbers
        r, p, eta = (np.asarray(x, dtype=float) for x in (rotation, place, twist))
        x1 = np.concatenate([r @ eta[:3], eta[3:]])  # (rdot; Omega)
        etadot = np.linalg.solve(self.inertia, self._pull(0.0, r, p, eta))
        x2 = np.concatenate([r @ (etadot[:3] - np.cross(eta[:3], eta[3:])), etadot[3:]])  # (rddot; Omegadot)
        pseudo, a, b = x2.copy(), gamma / (step * beta), (1.0 - m) / (step**2 * beta * (1.0 - af))
        found = [(r, p, eta)]
        for n in range(1, round(t_end / step) + 1):
            base = -x1 / (step * beta) - (0.5 / beta - 1.0) * pseudo  # pseudo-acceleration with nu = 0
            f = x1 + step * (1.0 - gamma) * pseudo + step * gamma * base
            h = ((1.0 - m) * base + m * pseudo - af * x2) / (1.0 - af)
            one = SplitStep(r, p, a, b, f, h)
            nu = self._solve(one, n * step, step * x1 + 0.5 * step**2 * x2)
            pseudo = base + nu / (step**2 * beta)
            x1, x2 = a * nu + f, b * nu + h
            (r, p), eta = one.pose(nu), one.twist(nu)
            found.append((r, p, eta))
        rotations, places, twists = (np.array(x) for x in zip(*found, strict=True))
        return rotations, places, twists

    def _pull(self, t: float, rotation: np.ndarray, place: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """What M etadot equals: force and gyration ad(eta)^T M eta, (6,)."""
        found: np.ndarray = np.asarray(self.force(t, rotation, place), dtype=float) + _gyration(eta, self.inertia @ eta)
        return found

    def _solve(self, step: SplitStep, t: float, nu: np.ndarray) -> np.ndarray:
        """Newton's method on the balance of the step: exact slopes of inertia and gyration, differences of the force."""
        units = 1e-6 * np.eye(6)
        for _ in range(_ITERATIONS):
            (rotation, place), eta = step.pose(nu), step.twist(nu)
            left = self.inertia @ step.acceleration(nu) - self._pull(t, rotation, place, eta)
            _, by_twist, by_acceleration = step.tangents(nu)
            momentum = self.inertia @ eta
            turning = np.array([_gyration(e, momentum) + _gyration(eta, self.inertia @ e) for e in np.eye(6)]).T
            forces = [np.subtract(self.force(t, *step.pose(nu + u)), self.force(t, *step.pose(nu - u))) / 2e-6 for u in units]
            matrix = self.inertia @ by_acceleration - turning @ by_twist - np.array(forces).T
            change = np.linalg.solve(matrix, -left)
            nu = nu + change
            if np.abs(change).max() < 1e-12 * (1.0 + np.abs(nu).max()):
                return nu
        raise RunError(f"the step to t = {t:g} s of a body on SO(3) x R^3 does not converge; take a smaller step.")


def _gyration(eta: np.ndarray, momentum: np.ndarray) -> np.ndarray:
    """ad(eta)^T p, (6,)."""
    v, w, p, spin = eta[:3], eta[3:], momentum[:3], momentum[3:]
    return -np.concatenate([np.cross(w, p), np.cross(v, p) + np.cross(w, spin)])
