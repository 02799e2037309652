"""Measured samples, filtered: laws that are twice differentiable, for imposed motions.

Samples at any times are brought to even steps, passed forth and back through a Butterworth filter (no delay; Gotelli 2024, 4.9:
order 4, 4 Hz), and joined by a spline of degree 5, so that value, rate and acceleration fit together.
"""

from __future__ import annotations

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import Law, positive
from locodyn.motion.interpolation import checked_samples, spline
from locodyn.typing import Array


def filtered(times: Array, values: Array, cutoff: float, *, order: int = 4, step: float | None = None) -> Law:
    """Law through samples without what is faster than ``cutoff``.

    Parameters
    ----------
    times, values : (N,) s and any unit
        Times increase, in any steps.
    cutoff : Hz
        At which a sine has lost half of its amplitude (a pass forth and one back, 1/sqrt(2) each).
    order : int
        Of the Butterworth filter.
    step : s
        Between the samples that the filter sees; by default the median of the steps given.

    >>> import numpy as np
    >>> t = np.arange(0.0, 4.0, 0.01)
    >>> law = filtered(t, np.sin(t) + 0.01 * np.sin(200 * t), cutoff=4.0)
    >>> bool(abs(law.acceleration(2.0) + np.sin(2.0)) < 1e-3)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    t, x = checked_samples(times, values, "a filtered motion", 8)
    h = float(np.median(np.diff(t))) if step is None else positive(step, "the step of a filtered motion")
    cutoff = positive(cutoff, "the cut-off frequency of a filtered motion")
    if cutoff >= 0.5 / h:
        raise InputError(
            f"the cut-off frequency is {cutoff:g} Hz; samples every {h:g} s show nothing above {0.5 / h:g} Hz: it must be lower."
        )
    if int(order) != order or order < 1:
        raise InputError(f"the order of the filter is {order!r}; it must be a whole number, 1 or more.")
    count = max(8, round((t[-1] - t[0]) / h) + 1)
    even = np.linspace(t[0], t[-1], count)
    resampled = spline(t, x, 3)(even)
    sections = butter(int(order), cutoff, fs=(count - 1) / (t[-1] - t[0]), output="sos")
    edge = min(count - 1, int(3.0 / (cutoff * h)))  # reflected beyond the ends: as long as the filter remembers
    return spline(even, sosfiltfilt(sections, resampled, padlen=edge), 5)
