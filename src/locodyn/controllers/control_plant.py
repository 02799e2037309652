"""The control plant model of a planar robot (Transeth 2007, 6.4): velocities in the axes of the reference body, so that nothing
depends on where the robot is, and how it is turned.

    M(phi) nudot + C(phi, nu) nu = S^T tau + g,       nu = (R^T v, thetadot, phidot)

All matrices come from the kernel: M is its mass matrix, and C is made from its bias h(q, nu), a quadratic function of nu. In the
coordinates (x, y, theta, phi), qdot = T nu with T = blockdiag(R(theta), I), the Christoffel matrix is the polarisation of their
bias; carried over, C = T^T (M_P Tdot + C_P T) is

    C(nu) = M thetadot S + polarisation of (h(nu) - M thetadot S nu) at nu,     S = (0 -1; 1 0) on the first two components,

for which Mdot - 2 C is skew-symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.robot.layout import CODE, PLANAR


class ControlPlant:
    """Matrices of the control plant model of a robot that moves in the plane.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model) -> None:
        if int(model.frames[0, CODE]) != PLANAR:
            raise InputError(f"robot '{model.compiled.name}' does not move in the plane; give its base moves='planar'.")
        self.model, self.base = model, model.compiled.reference_nv
        self._turn = np.zeros((model.nv, model.nv))
        self._turn[0, 1], self._turn[1, 0] = -1.0, 1.0

    def mass(self, q: Any) -> np.ndarray:
        """M(phi), (nv, nv)."""
        return self.model.mass_matrix(q)

    def bias(self, q: Any, v: Any) -> np.ndarray:
        """h = C nu, (nv,): velocity forces without gravity."""
        found: np.ndarray = self.model.bias(q, v) - self.model.bias(q, np.zeros(self.model.nv))
        return found

    def coriolis(self, q: Any, v: Any) -> np.ndarray:
        """C(phi, nu), (nv, nv), with Mdot - 2 C skew."""
        mass, nu = self.mass(q), np.asarray(v, dtype=float)

        def inertial(x: np.ndarray) -> np.ndarray:
            found: np.ndarray = self.bias(q, x) - x[2] * (mass @ (self._turn @ x))
            return found

        units = np.eye(self.model.nv)
        columns = [0.25 * (inertial(nu + unit) - inertial(nu - unit)) for unit in units]
        found: np.ndarray = nu[2] * (mass @ self._turn) + np.column_stack(columns)
        return found

    def reduced_mass(self, q: Any) -> np.ndarray:
        """Mbar = M22 - M21 M11^-1 M12: what the joints feel on a free reference body, (n, n)."""
        mass, k = self.mass(q), self.base
        found: np.ndarray = mass[k:, k:] - mass[k:, :k] @ np.linalg.solve(mass[:k, :k], mass[:k, k:])
        return found

    def reduced_force(self, q: Any, force: Any) -> np.ndarray:
        """f2 - M21 M11^-1 f1 of a generalised force f (nv,): hbar of h, gbar of g, (n,)."""
        mass, k = self.mass(q), self.base
        f = np.asarray(force, dtype=float)
        found: np.ndarray = f[k:] - mass[k:, :k] @ np.linalg.solve(mass[:k, :k], f[:k])
        return found

    def quasi_stationary(self, q: Any, rates: Any, points: Sequence[str], coefficients: Any, *, turns: bool = True) -> np.ndarray:
        """Velocity (vx, vy, w) of the reference body at which the viscous forces of all points sum to zero, (3,) m/s, rad/s.

        The limit without inertia (Transeth 2007, (2.11)), v = -(sum H_i)^-1 sum H_i v_rel,i, for joint ``rates`` (n,) rad/s:
        force and moment balance, or with ``turns=False`` the forces alone on a body whose heading is held, as (2.11) has it.
        ``points`` and ``coefficients`` as of :meth:`resistance`.
        """
        k = 3 if turns else 2
        rows = self.resistance(q, points, coefficients)[:k]
        found = np.zeros(3)
        found[:k] = -np.linalg.solve(rows[:, :k], rows[:, 3:] @ np.asarray(rates, dtype=float))
        return found

    def resistance(self, q: Any, points: Sequence[str], coefficients: Any) -> np.ndarray:
        """M_V = sum J^T diag(c) J over markers, (nv, nv): c (x, y) in N s/m are viscous coefficients along their axes."""
        total = np.zeros((self.model.nv, self.model.nv))
        for point in points:
            rows = self.model.jacobian(point, q)[:2]
            total += rows.T @ (np.asarray(coefficients, dtype=float)[:, None] * rows)
        return total
