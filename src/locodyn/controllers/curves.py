"""Curves of several numbers over s in 0 .. 1, with two derivatives: Bezier polynomials of any degree, and splines."""

from __future__ import annotations

from functools import cached_property
from math import comb, factorial

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel import compiled
from locodyn.typing import Array


class Curve:
    """What virtual constraints follow: ``curve(s)`` gives the values (n,) and their first two derivatives by s.

    ``breaks`` (k,): places inside 0 .. 1 at which higher derivatives jump.
    """

    count: int
    breaks: np.ndarray = np.zeros(0)

    def hold(self, s: float | None) -> None:
        """From now on the polynomial at ``s`` is the curve everywhere, so that differences see no jump; None: as before."""

    def __call__(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and derivatives, each (n,)."""
        raise NotImplementedError


@compiled
def bernstein_sums(weights, s, result):
    """sum_k weights_ik s^k (1 - s)^(M - k) (n,), by Horner's rule in s with the powers of 1 - s carried along."""
    degree = weights.shape[1] - 1
    for i in range(weights.shape[0]):
        down = 1.0
        total = weights[i, degree]
        for k in range(degree - 1, -1, -1):
            down *= 1.0 - s
            total = total * s + weights[i, k] * down
        result[i] = total


class Bezier(Curve):
    """b_i(s) = sum_k alpha_ik C(M, k) s^k (1 - s)^(M - k) (Westervelt, Grizzle, Koditschek 2003, (5.24) of Aguirre 2010).

    Beyond 0 and 1 the polynomial goes on, so that a step may be a little longer than planned.

    Parameters
    ----------
    coefficients : (n, M + 1)
        alpha: a row for each number, degree M. The first and last columns are the values at both ends; the slope at the
        beginning is M (alpha_1 - alpha_0), at the end M (alpha_M - alpha_(M-1)).

    >>> Bezier([[0.0, 0.0, 1.0]])(0.5)[0]
    array([0.25])
    """

    def __init__(self, coefficients: Array) -> None:
        try:
            self.coefficients = np.array(coefficients, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"the coefficients of a Bezier curve are {coefficients!r}; they must be rows of numbers.") from None
        if self.coefficients.ndim != 2 or self.coefficients.shape[1] < 3 or not np.isfinite(self.coefficients).all():
            raise InputError(
                f"the coefficients of a Bezier curve have shape {self.coefficients.shape}; they must be rows of three or more"
                " finite numbers."
            )
        self.count, self.degree = len(self.coefficients), self.coefficients.shape[1] - 1

    @cached_property
    def stack(self) -> np.ndarray:
        """(3 n, M + 1): coefficients of the curve and of its two derivatives, all of degree M, times binomials."""
        rows, alpha = [], self.coefficients
        for order in range(3):
            raised = alpha
            for degree in range(self.degree - order, self.degree):  # raising the degree by one keeps the curve
                part = np.arange(degree + 2) / (degree + 1)
                wide = np.pad(raised, ((0, 0), (1, 1)))
                raised = part * wide[:, :-1] + (1.0 - part) * wide[:, 1:]
            rows.append(raised * [comb(self.degree, k) for k in range(self.degree + 1)])
            alpha = (self.degree - order) * np.diff(alpha, axis=1)
        return np.concatenate(rows)

    def __call__(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and derivatives, each (n,)."""
        found, n = np.empty(3 * self.count), self.count
        bernstein_sums(self.stack, s, found)
        return found[:n], found[n : 2 * n], found[2 * n :]

    @staticmethod
    def basis(degree: int, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Matrices (M + 1, len(s)) with alpha @ matrix = values, first and second derivatives at the places s."""
        unit = Bezier(np.eye(degree + 1))
        columns = [unit(float(x)) for x in s]
        first, second, third = (np.column_stack(parts) for parts in zip(*columns, strict=True))
        return first, second, third


class SplineCurve(Curve):
    """A spline of degree 5 through ``values`` (n, k) at ``places`` (k,) from 0 to 1: four derivatives are continuous.

    Beyond 0 and 1 the first and the last polynomial go on.
    """

    def __init__(self, places: Array, values: Array) -> None:
        from scipy.interpolate import make_interp_spline

        s, rows = np.array(places, dtype=float), np.atleast_2d(np.array(values, dtype=float))
        if s.ndim != 1 or rows.shape[1] != len(s) or len(s) < 6 or np.any(np.diff(s) <= 0.0):
            raise InputError("a spline needs values at six or more places that increase, in rows with one value for each.")
        self.count = len(rows)
        spline = make_interp_spline(s, rows.T, k=5)
        ends = np.unique(spline.t)
        self.breaks = ends[1:-1]
        self._begins = ends[:-1]
        powers = np.array([spline.derivative(k)(self._begins) / factorial(k) for k in range(6)]).transpose(1, 0, 2)
        self._powers = np.concatenate([_derivatives(powers, order) for order in range(3)], axis=2)  # (pieces, 6, 3 n)
        self._held: int | None = None

    def hold(self, s: float | None) -> None:
        """As of :class:`Curve`."""
        self._held = None if s is None else self._piece(s)

    def _piece(self, s: float) -> int:
        return max(int(np.searchsorted(self._begins, s, side="right")) - 1, 0)

    def __call__(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and derivatives, each (n,)."""
        piece, n = self._piece(s) if self._held is None else self._held, self.count
        found = (s - self._begins[piece]) ** np.arange(6) @ self._powers[piece]
        return found[:n], found[n : 2 * n], found[2 * n :]


def _derivatives(powers: np.ndarray, order: int) -> np.ndarray:
    """Coefficients of the derivative of polynomials (pieces, 6, n), by powers from 0 on."""
    for _ in range(order):
        powers = np.concatenate([powers[:, 1:] * np.arange(1.0, 6.0)[:, None], np.zeros_like(powers[:, :1])], axis=1)
    return powers
