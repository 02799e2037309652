"""Looking at a function that is known only by its values: at times that no period fits, and for its kinks.

A function g is n times continuously differentiable when its n-th differences over an interval change by less and less as
the interval shrinks. So: take the interval of a grid where the n-th difference quotient changes most out of line with its
neighbours, look closer there, and again. A smooth function calms down as the interval shrinks; a kink does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_CELLS = 240  # of the first grid
_CANDIDATES = 4
_ZOOM = 8
_ROUNDS = {0: 9, 1: 7, 2: 3}  # zooms; differences of order n lose digits like width^-n
_CALM = 0.35  # a smooth function keeps less than 1/_ZOOM of its change in each zoom, a kink about all of it


def spread_times(start: float, end: float, count: int) -> np.ndarray:
    """Times from ``start`` to ``end`` (s), ends included: ``count`` even ones, and as many multiples of the golden ratio.

    A law whose period is the distance of even times has one value at all of them. The others come as near to any time as
    2 (end - start) / count, without a period.
    """
    golden = np.modf(np.arange(1, count) * 0.5 * (np.sqrt(5.0) - 1.0))[0]
    return np.sort(start + (end - start) * np.concatenate([np.linspace(0.0, 1.0, count), golden]))


def _changes(g: Callable[[float], float], order: int, left: float, width: float, cells: int) -> tuple[np.ndarray, float]:
    """Change of the ``order``-th difference quotient across each cell, less the usual change around, and its round-off."""
    h = width / cells
    margin = order
    times = left + h * np.arange(-margin, cells + margin + 1)
    values = np.array([g(float(t)) for t in times])
    quotient = np.diff(values, n=order) / h**order if order else values
    noise = 64.0 * np.finfo(float).eps * (np.max(np.abs(values)) + 1e-300) * 2.0**order / h**order
    # Differences of order n use n + 1 points; the change is taken over a window that clears the cell.
    span = order + 1
    change = quotient[span:] - quotient[:-span]
    reach = 2 * span
    around = np.lib.stride_tricks.sliding_window_view(np.pad(change, reach, mode="edge"), 2 * reach + 1)
    return np.abs(change - np.median(around, axis=1)), float(noise)


def find_kink(g: Callable[[float], float], order: int, start: float, end: float) -> float | None:
    """A time between ``start`` and ``end`` where g is not ``order`` times continuously differentiable, or None.

    ``order`` 0 looks for a jump, 1 for a corner (or a jump), 2 for a jump of the second derivative (or worse).
    """
    if not end > start:
        return None
    change, noise = _changes(g, order, start, end - start, _CELLS)
    cell = (end - start) / _CELLS
    for k in np.argsort(change)[::-1][:_CANDIDATES]:
        if change[k] <= noise:
            break
        centre = start + cell * (k + 0.5 * (1 - order) + 0.5 * order)
        width = cell * (order + 3)
        before = float(change[k])
        calm = False
        for _ in range(_ROUNDS[order]):
            closer, noise_here = _changes(g, order, centre - 0.5 * width, width, 4 * _ZOOM)
            best = int(np.argmax(closer))
            if closer[best] < max(_CALM * before, 4.0 * noise_here):
                calm = True
                break
            h = width / (4 * _ZOOM)
            centre = centre - 0.5 * width + h * (best - order + 0.5 * (2 * order + 1))
            width = h * (order + 3)
            before = float(closer[best])
        if not calm:
            return float(min(max(centre, start), end))
    return None
