"""What a sensor reads against what there is: T = k (f - f_0), found from readings under known loads (Gotelli 2024, 4.9.1).

Force sensors on tendons read f (N, or any unit) where T pulls. k and f_0 follow by least squares of T against f, and their
standard errors from what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError


@dataclass(frozen=True)
class SensorScale:
    """T = ``gain`` (f - ``zero``); ``gain_error``, ``zero_error``: standard errors, NaN when two readings leave nothing over."""

    gain: float
    zero: float
    gain_error: float = float("nan")
    zero_error: float = float("nan")

    def __call__(self, reading: Any) -> Any:
        """The load for a reading, number or array."""
        found = self.gain * (np.asarray(reading, dtype=float) - self.zero)
        return float(found) if found.ndim == 0 else found

    def reading(self, load: Any) -> Any:
        """What the sensor reads under a load, number or array."""
        found = np.asarray(load, dtype=float) / self.gain + self.zero
        return float(found) if found.ndim == 0 else found


def sensor_scale(readings: Any, loads: Any) -> SensorScale:
    """Gain and zero of a sensor from its readings (n,) under known loads (n,).

    >>> sensor_scale([0.3, 1.3, 2.3], [0.0, 0.5, 1.0]).gain
    0.5
    """
    f, t = np.asarray(readings, dtype=float), np.asarray(loads, dtype=float)
    if f.ndim != 1 or f.shape != t.shape or len(f) < 2 or not (np.isfinite(f).all() and np.isfinite(t).all()):
        raise InputError("a sensor is scaled by two or more readings, each with its load, all finite numbers.")
    away = f - f.mean()
    spread = float(away @ away)
    if spread <= 1e-24 * float(f @ f) or np.ptp(t) == 0.0:
        raise InputError("all readings, or all loads, of a sensor are the same; they do not show its gain.")
    gain = float(away @ t) / spread
    zero = float(f.mean() - t.mean() / gain)
    if len(f) == 2:
        return SensorScale(gain, zero)
    left = t - gain * (f - zero)
    noise = float(left @ left) / (len(f) - 2)
    by_gain = noise / spread
    # zero = mean(f) - mean(T) / gain
    by_zero = noise / len(f) / gain**2 + (t.mean() / gain**2) ** 2 * by_gain
    return SensorScale(gain, zero, float(np.sqrt(by_gain)), float(np.sqrt(by_zero)))
