"""Derivatives of a function of several numbers by central differences of order 8, with an estimate of their error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))  # of f(k h) - f(-k h), over h
_STEPS = 0.03 * 0.5 ** np.arange(14)  # the largest first; smaller ones are for functions with sharp bends
_GOOD = 1e-11  # relative change between two steps that is taken as converged


def central_derivative(function: Callable[[np.ndarray], np.ndarray], scales: np.ndarray) -> tuple[np.ndarray, float]:
    """Derivative (m, n) of ``function`` (n,) -> (m,) at zero, and its error relative to the largest entry.

    ``scales`` (n,): changes of the numbers over which the function bends. With a step of 0.03 of them the truncation is of
    the order 1e-14 and round-off of the order 1e-14; steps are halved until two of them agree, and of all the two that agree
    best are taken. The error is what they differ by.
    """
    columns, errors = [], [0.0]
    for k, scale in enumerate(scales):
        unit = np.zeros(len(scales))
        unit[k] = scale
        best, miss, last = np.zeros(0), np.inf, _difference(function, unit, _STEPS[0])
        for step in _STEPS[1:]:
            new = _difference(function, unit, step)
            change = float(np.abs(new - last).max(initial=0.0))
            if change < miss:
                best, miss = new, change
            last = new
            if miss <= _GOOD * max(1.0, float(np.abs(best).max(initial=0.0))):
                break
        columns.append(best / scale)
        errors.append(miss / scale)
    matrix = np.column_stack(columns) if columns else np.zeros((len(function(np.zeros(0))), 0))
    return matrix, max(errors) / max(float(np.abs(matrix).max(initial=0.0)), 1e-300)


def _difference(function: Callable[[np.ndarray], np.ndarray], unit: np.ndarray, step: float) -> np.ndarray:
    parts = [weight * (function(k * step * unit) - function(-k * step * unit)) for k, weight in _STENCIL]
    return np.asarray(sum(parts)) / step
