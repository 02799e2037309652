"""Integrals of recorded values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

# A spline of many records is computed window by window: it needs a hundred and fifty bytes a record. What lies m knots away
# changes it by a factor of 0.43^m (the largest root of the Euler-Frobenius polynomial of degree 5), 1e-23 at the margin.
_WINDOW, _MARGIN = 16384, 64


def cumulative_integral(times: np.ndarray, values: np.ndarray, breaks: Sequence[float] = ()) -> np.ndarray:
    """Integral of the values from the first time on; of a quintic spline through them where there are enough.

    ``breaks``: times (s) at which the values have a kink, as a power has where a contact comes or goes: a spline ends there.
    """
    ends = np.unique(np.clip(np.searchsorted(times, [*breaks]), 1, max(len(times) - 1, 1))).tolist() if breaks else []
    found = np.zeros(len(times))
    for first, last in pairwise([0, *(k for k in ends if k < len(times) - 1), len(times) - 1]):
        piece = slice(first, last + 1)
        found[piece] = found[first] + _smooth_integral(times[piece], values[piece])
    return found


def _smooth_integral(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    if len(times) < 6 or not np.isfinite(values).all():
        return trapezoids(times, values)
    from scipy.interpolate import make_interp_spline

    found = np.zeros(len(times))
    for first in range(0, len(times) - 1, _WINDOW):
        last = min(first + _WINDOW, len(times) - 1)
        seen = slice(max(first - _MARGIN, 0), last + _MARGIN + 1)
        primitive = make_interp_spline(times[seen], values[seen], k=5).antiderivative()
        found[first : last + 1] = found[first] + primitive(times[first : last + 1]) - primitive(times[first])
    return found


def trapezoids(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Integral of the values (..., n) from the first of the times (n,) on, of straight lines between them.

    It looks at nothing that comes later.
    """
    found = np.zeros(values.shape)
    np.cumsum(np.diff(times) * 0.5 * (values[..., 1:] + values[..., :-1]), axis=-1, out=found[..., 1:])
    return found
