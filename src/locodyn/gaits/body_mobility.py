"""Mobility of a body whose every section moves along its own axis only: which changes of shape its contacts allow.

Along a body of strains xi = (Gamma; K) the twist obeys eta' = -ad_xi eta + xidot (Ali 2011, (5.12)). Where sleeves stand close
by, V_Y = V_Z = Omega_X = 0 everywhere, the sideways components of that equation give

    Omega_Z Gamma_X = V_X K_Z - Gammadot_Y,      Omega_Y Gamma_X = V_X K_Y + Gammadot_Z,
    V_X' = Omega_Y Gamma_Z - Omega_Z Gamma_Y + Gammadot_X,

so that all follows from V_o = V_X(0), and three conditions are left, the compatibility of the gait with its contacts:

    0 = Omega_Y K_Z - Omega_Z K_Y + Kdot_X,    Omega_Y' = Omega_Z K_X + Kdot_Y,    Omega_Z' = -Omega_Y K_X + Kdot_Z.

They are (6.32) Kdot = V_o K' of a planar inextensible body, (6.48) in space, and (6.43) of a body that shears, with the rates
of shear that its printed form leaves out. All are straight in V_o: e0(s) + V_o e1(s) = 0. V_o is found by least squares over the
whole body, so that instants at which K' vanishes at the head are crossed (the quotient (6.34) is 0/0 there). What is left says
how far a gait is from its contacts, and where. Where e1 vanishes all along, the shape is singular: constant curvature, or a
straight body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.row_solver import kernel_of
from locodyn.robot.rods.rod import Rod
from locodyn.typing import Array

Field = Callable[[np.ndarray], np.ndarray]
_POINTS = 12  # Gauss points of a panel
_SINGULAR = 1e-6  # of the largest bend over the length: smaller slopes of the curvature count as none


@dataclass(frozen=True, eq=False)
class BodyMobility:
    """How a body of this ``length`` (m) moves through its contacts when its strains change.

    ``strain``, ``rate``: functions of the places s (P,) m that give (P, 6): stretch, shears (1), torsion, bendings (1/m), and
    their rates. ``panels``: stretches on each of which these are smooth polynomials of degree 11, to round-off.
    """

    length: float
    strain: Field
    rate: Field
    panels: int = 16

    @classmethod
    def of(cls, rod: Rod, q: Array, v: Array) -> BodyMobility:
        """Of a rod at the coordinates q and rates v (count,): its strain modes and fields."""
        place, speed = (np.asarray(x, dtype=float)[None] for x in (q, v))
        return cls(
            rod.length,
            lambda s: np.asarray(rod.strain_motion(s, place)[0, 0]),
            lambda s: np.asarray(rod.strain_motion(s, place, speed)[1, 0]),
            max(16, rod.node_count),
        )

    # ---------------------------------------------------------------------------------------------------------- along s
    @cached_property
    def places(self) -> np.ndarray:
        """Where the conditions are looked at, (P,) m."""
        x = 0.5 * (1.0 + np.polynomial.legendre.leggauss(_POINTS)[0])
        found: np.ndarray = (self.length / self.panels * (np.arange(self.panels)[:, None] + x)).ravel()
        return found

    @cached_property
    def weights(self) -> np.ndarray:
        """Of the quadrature over the body, (P,) m."""
        one = np.polynomial.legendre.leggauss(_POINTS)[1] * 0.5 * self.length / self.panels
        return np.tile(one, self.panels)

    def _slope(self, values: np.ndarray) -> np.ndarray:
        """d/ds of values (P, ...) at the places."""
        matrix = _panel_matrices()[0] * 2.0 * self.panels / self.length
        parts = values.reshape(self.panels, _POINTS, *values.shape[1:])
        return np.asarray(np.einsum("ij,pj...->pi...", matrix, parts).reshape(values.shape))

    def _integral(self, values: np.ndarray) -> np.ndarray:
        """The integral of values (P,) from 0 to each place."""
        parts = values.reshape(self.panels, _POINTS)
        within = parts @ _panel_matrices()[1].T * 0.5 * self.length / self.panels
        whole = (parts * self.weights[:_POINTS]).sum(axis=1)
        return np.asarray((within + np.concatenate([[0.0], np.cumsum(whole)[:-1]])[:, None]).ravel())

    @cached_property
    def _sides(self) -> tuple[np.ndarray, np.ndarray]:
        """e0 and e1, (P, 3) 1/(m s) and 1/m^2."""
        xi, rate = self.strain(self.places), self.rate(self.places)
        gamma, k, dgamma, dk = xi[:, :3], xi[:, 3:], rate[:, :3], rate[:, 3:]
        if gamma[:, 0].min() <= 0.0:
            raise InputError(
                f"the body is turned inside out at s = {self.places[np.argmin(gamma[:, 0])]:.3g} m: its stretch is negative."
            )
        # V_X = V_o a + b
        growth = self._integral((k[:, 1] * gamma[:, 2] - k[:, 2] * gamma[:, 1]) / gamma[:, 0])
        source = (dgamma[:, 2] * gamma[:, 2] + dgamma[:, 1] * gamma[:, 1]) / gamma[:, 0] + dgamma[:, 0]
        a = np.exp(growth)
        b = a * self._integral(source / a)
        zero = np.zeros_like(dgamma)
        return self._conditions(b, gamma, k, dgamma, dk), self._conditions(a, gamma, k, zero, zero)

    def _conditions(self, speed: np.ndarray, gamma: np.ndarray, k: np.ndarray, dgamma: np.ndarray, dk: np.ndarray) -> np.ndarray:
        about_y = (speed * k[:, 1] + dgamma[:, 2]) / gamma[:, 0]
        about_z = (speed * k[:, 2] - dgamma[:, 1]) / gamma[:, 0]
        first = about_y * k[:, 2] - about_z * k[:, 1] + dk[:, 0]
        second = dk[:, 1] + about_z * k[:, 0] - self._slope(about_y)
        third = dk[:, 2] - about_y * k[:, 0] - self._slope(about_z)
        return np.column_stack([first, second, third])

    # ---------------------------------------------------------------------------------------------------------- results
    @cached_property
    def is_singular(self) -> bool:
        """Whether no speed of the head shows in the shape: constant curvature, or a straight body."""
        _, e1 = self._sides
        bend = np.abs(self.strain(self.places)[:, 3:]).max(initial=0.0)
        return bool(
            np.sqrt(self.weights @ np.sum(e1**2, axis=1) / self.length) <= _SINGULAR * max(bend, 1.0 / self.length) / self.length
        )

    @cached_property
    def speed(self) -> float:
        """V_o, m/s: the speed of the head along its axis, by least squares over the body; negative: head first."""
        if self.is_singular:
            raise InputError(
                "the shape of the body is singular: its curvature is constant along it (or it is straight), so that it glides"
                " along itself at any speed, and no change of its shape tells which; bend it, or give its speed by other means."
            )
        e0, e1 = self._sides
        return float(-(self.weights @ np.sum(e0 * e1, axis=1)) / (self.weights @ np.sum(e1 * e1, axis=1)))

    @cached_property
    def misfit(self) -> np.ndarray:
        """What is left of the conditions, (P, 3) 1/(m s): zero for a gait that suits its contacts."""
        e0, e1 = self._sides
        found: np.ndarray = e0 + self.speed * e1
        return found

    @cached_property
    def share(self) -> float:
        """The misfit over what it is made of, 0 (compatible) ... 1 (nothing of it travels): ratio of root mean squares."""
        e0, _ = self._sides
        size = np.sqrt(self.weights @ np.sum(e0**2, axis=1))
        return float(np.sqrt(self.weights @ np.sum(self.misfit**2, axis=1)) / size) if size > 0.0 else 0.0

    @property
    def worst(self) -> tuple[float, float]:
        """Where the misfit is largest, m, and how large, 1/(m s)."""
        sizes = np.linalg.norm(self.misfit, axis=1)
        n = int(np.argmax(sizes))
        return float(self.places[n]), float(sizes[n])

    def head_twist(self) -> np.ndarray:
        """Body twist (6,) of the head, (V_o, 0, 0; 0, Omega_Y, Omega_Z): (6.34), (6.50) without their quotients."""
        at = np.zeros(1)
        xi, rate = self.strain(at)[0], self.rate(at)[0]
        about_y, about_z = (self.speed * xi[4] + rate[2]) / xi[0], (self.speed * xi[5] - rate[1]) / xi[0]
        return np.array([self.speed, 0.0, 0.0, 0.0, about_y, about_z])

    def fitting_bending(self, speed: float) -> np.ndarray:
        """Kdot (P, 3), 1/(m s), with which the body glides at ``speed`` (m/s) through its contacts, its other rates as they are.

        The generator of admissible gaits: integrate it in time for the shape that follows.
        """
        e0, e1 = self._sides
        return np.asarray(self.rate(self.places)[:, 3:] - e0 - speed * e1)


def admissible_rates(rod: Rod, q: Array, tolerance: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the coordinates of a rod that its contacts allow, with the speeds of the head that go with them.

    ``q`` (count,). Returns V_o (n,) m/s and v (n, count): an orthonormal basis of all (V_o, v) for which the conditions hold
    along the whole body within ``tolerance`` (relative). A singular shape has (1, 0) among them.
    """
    columns = [_straight_part(rod, q, np.zeros(rod.count))[1]]
    columns += [_straight_part(rod, q, unit)[0] for unit in np.eye(rod.count)]
    matrix = np.column_stack([column.ravel() for column in columns])
    found = kernel_of(matrix, tolerance).T
    return found[:, 0], found[:, 1:]


def _straight_part(rod: Rod, q: Array, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """e0 and e1 of a rod, weighted for the mean square over it."""
    own = BodyMobility.of(rod, q, v)
    e0, e1 = own._sides
    root = np.sqrt(own.weights / own.length)[:, None]
    return root * e0, root * e1


def _panel_matrices() -> tuple[np.ndarray, np.ndarray]:
    """On -1 ... 1: derivative and integral from -1 on of the polynomial through values at the Gauss points, (n, n) each."""
    x = np.polynomial.legendre.leggauss(_POINTS)[0]
    legendre = np.polynomial.legendre
    basis = np.linalg.inv(legendre.legvander(x, _POINTS - 1))
    eye = np.eye(_POINTS)
    slope = np.column_stack([legendre.legval(x, legendre.legder(eye[n])) for n in range(_POINTS)]) @ basis
    return slope, np.column_stack([legendre.legval(x, legendre.legint(eye[n], lbnd=-1)) for n in range(_POINTS)]) @ basis
