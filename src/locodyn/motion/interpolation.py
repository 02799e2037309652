"""Laws through data: splines, straight lines between samples."""

from __future__ import annotations

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import BEYOND, TERM, Law, Term
from locodyn.typing import Array


def checked_samples(times: Array, values: Array, what: str, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and values as float arrays of one length, finite, times strictly increasing."""
    try:
        t, x = np.array(times, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"times and values of {what} must be arrays of numbers.") from None
    if t.ndim != 1 or x.shape != t.shape:
        raise InputError(
            f"times and values of {what} have shapes {t.shape} and {x.shape}; both must be one-dimensional and equally long."
        )
    if len(t) < least:
        raise InputError(f"{what} has {len(t)} samples; it needs at least {least}.")
    for name, array in (("times", t), ("values", x)):
        bad = np.flatnonzero(~np.isfinite(array))
        if bad.size:
            raise InputError(f"{name} of {what} hold {array[bad[0]]} at sample {bad[0] + 1}; they must be finite.")
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        k = int(back[0])
        raise InputError(
            f"times of {what} do not increase at sample {k + 2} ({t[k]:g} s, then {t[k + 1]:g} s); sort them and remove doubles."
        )
    return t, x


def spline(times: Array, values: Array, degree: int = 5, periodic: bool = False) -> Law:
    """Spline of odd ``degree`` (1, 3, 5, 7) through the samples, times in s; C^(degree - 1).

    ``periodic``: the last value must equal the first, and the law repeats for all times. Otherwise the law is known between
    the first and the last time.
    """
    if degree not in (1, 3, 5, 7):
        raise InputError(f"the degree of a spline is {degree!r}; it must be 1, 3, 5 or 7.")
    t, x = checked_samples(times, values, "a spline", degree + 1)
    if periodic and abs(x[-1] - x[0]) > 1e-9 * max(1.0, float(np.ptp(x))):
        raise InputError(f"a periodic spline starts at {x[0]:g} and ends at {x[-1]:g}; first and last value must be equal.")
    from scipy.interpolate import PPoly, make_interp_spline

    if periodic:
        x[-1] = x[0]
    try:
        pieces = PPoly.from_spline(make_interp_spline(t, x, k=degree, bc_type="periodic" if periodic else None))
        found = bool(np.isfinite(pieces.c).all())
    except np.linalg.LinAlgError:
        found = False
    if not found:
        steps = np.diff(t)
        raise InputError(
            f"no spline of degree {degree} can be computed through times from {steps.min():.3g} to {steps.max():.3g} s apart and"
            f" values up to {np.abs(x).max():.3g}; give samples that are more alike, or a lower degree."
        )
    # The knots of a spline of degree k are repeated at the ends: pieces of no length, dropped here.
    keep = np.flatnonzero((np.diff(pieces.x) > 0.0) & (pieces.x[:-1] >= t[0]) & (pieces.x[:-1] < t[-1]))
    knots = np.append(pieces.x[keep], t[-1])
    term = Term(
        TERM.piecewise,
        words=f"{'periodic ' if periodic else ''}spline of degree {degree} through {len(t)} samples",
        coefficients=np.ascontiguousarray(pieces.c[::-1, keep].T),
        knots=knots,
        mode=BEYOND.periodic if periodic else BEYOND.extend,
        smoothness=degree - 1,
        kinks=tuple(knots[1:-1]) if degree < 3 else (),
        domain=(-np.inf, np.inf) if periodic else (float(t[0]), float(t[-1])),
    )
    return Law((term,))


def samples(times: Array, values: Array) -> Law:
    """Straight lines between the samples, times in s. Good for a torque; an imposed motion needs a :func:`spline`."""
    t, x = checked_samples(times, values, "samples", 2)
    slopes = np.diff(x) / np.diff(t)
    term = Term(
        TERM.piecewise,
        words=f"straight lines between {len(t)} samples",
        coefficients=np.column_stack([x[:-1], slopes]),
        knots=t,
        smoothness=0,
        kinks=tuple(t[1:-1]),
        domain=(float(t[0]), float(t[-1])),
    )
    return Law((term,))
