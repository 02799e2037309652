"""Smoothing of measured strain coordinates along the body and in time, as far as their noise asks for.

The coordinates q (T, n) of single instants carry the noise of the marks, most in the shapes that hardly move a mark: short waves
of curvature, and curvature at the ends. Their information A (the sum of products of the slopes of the marks) and the roughness R
(the integral of the squared second derivatives of the strains) are made diagonal together; in these axes each coordinate is known
equally well, and

    z_k -> S_m z_k / (1 + stiffness rho_k)

is the penalised least-squares fit with m functions of time: S_m projects on splines of degree 5 with m functions, rho_k is the
roughness of axis k. All coordinates have the same functions of time, so fitting them one by one is as good as all together
(Zellner 1962). m and the stiffness are those with the least score of generalized cross-validation,

    (residual / N) / (1 - 1.4 freedom / N)^2,   freedom = m sum of 1 / (1 + stiffness rho_k)

(Craven, Wahba 1979; the factor 1.4 against too little smoothing: Kim, Gu 2004). A place on the body then keeps sqrt(freedom / N)
of the noise of a mark.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import positive
from locodyn.robot import Rod

_DEGREE = 5
_SAFE = 1.4  # Kim, Gu 2004
_STATIONS = 401
_FINER = 1.2  # from one number of functions to the next
_STIFFNESSES = np.concatenate([[0.0], np.logspace(-6.0, 6.0, 37)])  # over the roughness of the middle axis


@dataclass(frozen=True, eq=False)
class Smooth:
    """``values`` (T, n) at the times of the samples; ``noise`` (m) of a coordinate of a mark; ``cutoff`` (Hz) of the laws."""

    values: np.ndarray
    noise: float
    cutoff: float


def rough(rod: Rod) -> np.ndarray:
    """R (n, n): q^T R q is the integral over s / l of the squared second derivatives of all strains, curvatures times l."""
    s = np.linspace(0.0, rod.length, _STATIONS)
    still = rod.strain(s, np.zeros(rod.count))
    shapes = np.array([rod.strain(s, unit) - still for unit in np.eye(rod.count)])
    shapes[:, :, 3:] *= rod.length
    bent = np.diff(shapes, 2, axis=1) * (_STATIONS - 1) ** 2
    return np.asarray(np.einsum("isc,jsc->ij", bent, bent) / (_STATIONS - 1))


def smoothed(
    times: np.ndarray, q: np.ndarray, information: np.ndarray, roughness: np.ndarray, left: float, numbers: int,
    cutoff: float | None,
) -> Smooth:  # fmt: skip
    """The coordinates q (T, n) smoothed, see the head of this file.

    Parameters
    ----------
    information, roughness : (n, n)
        A in m^2, R.
    left : m^2
        What the shapes of single instants leave, summed over all marks.
    numbers : int
        N: numbers that were measured, less the unknowns of the head.
    cutoff : Hz
        Splines do not have more functions than this frequency needs, two in each period.
    """
    values, axes = np.linalg.eigh(information)
    values = np.maximum(values, 1e-12 * values[-1])
    whiten = axes * np.sqrt(values)  # A = whiten whiten^T
    back = axes / np.sqrt(values)
    rho, turn = np.linalg.eigh(back.T @ roughness @ back)
    rho = np.maximum(rho, 0.0)
    z = q @ whiten @ turn
    middle = float(np.median(rho))
    shrinks = 1.0 / (1.0 + np.outer(_STIFFNESSES / middle if middle > 0.0 else [0.0], rho))  # (S, n)
    best, found = np.inf, None
    for count in _counts(times, cutoff):
        along = _projected(times, z, count)
        away = np.square(z).sum(axis=0) - np.square(along).sum(axis=0)  # what no function of time has
        inside = np.square(along).sum(axis=0) * np.square(1.0 - shrinks)
        residual, freedom = (away + inside).sum(axis=1) + left, count * shrinks.sum(axis=1)
        share = 1.0 - _SAFE * freedom / numbers
        scores = np.where(share > 0.0, residual / numbers / np.maximum(share, 1e-9) ** 2, np.inf)
        k = int(np.argmin(scores))
        if scores[k] < best or found is None:
            noise = float(np.sqrt(max(residual[k], 0.0) / max(numbers - freedom[k], 1.0)))
            best, found = scores[k], (along * shrinks[k], noise, count)
    assert found is not None
    smooth, noise, count = found
    pieces = max(count - _DEGREE, 1) if count < len(times) else len(times) - 1
    return Smooth(smooth @ turn.T @ back.T, noise, 0.5 * pieces / float(times[-1] - times[0]))


def _counts(times: np.ndarray, cutoff: float | None) -> list[int]:
    """Numbers of functions of time to choose from, all samples at the most."""
    most = len(times)
    if cutoff is not None:
        limit = positive(cutoff, "the cut-off frequency of a measured body")
        span = float(times[-1] - times[0])
        if limit >= 0.5 * (most - 1) / span:
            raise InputError(
                f"the cut-off frequency is {limit:g} Hz; samples every {span / (most - 1):g} s show nothing above"
                f" {0.5 * (most - 1) / span:g} Hz: it must be lower."
            )
        most = min(most, _DEGREE + max(1, int(np.ceil(2.0 * limit * span))))
    found = [_DEGREE + 1]
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, round(_FINER * found[-1]))))
    return found


def _projected(times: np.ndarray, z: np.ndarray, count: int) -> np.ndarray:
    """z (T, n) on the splines with ``count`` functions, whose knots have as many samples between them."""
    if count >= len(times):
        return z
    from scipy.interpolate import BSpline

    places = np.linspace(0.0, len(times) - 1.0, count - _DEGREE + 1)
    inner = np.interp(places, np.arange(len(times)), times)
    knots = np.concatenate([[inner[0]] * _DEGREE, inner, [inner[-1]] * _DEGREE])
    basis = np.linalg.qr(BSpline.design_matrix(times, knots, _DEGREE).toarray())[0]
    return np.asarray(basis @ (basis.T @ z))
