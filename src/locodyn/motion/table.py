"""The table of all laws of a run, and the kernel that reads it. Columns: :mod:`locodyn.motion.base`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from locodyn.kernel import compiled, lit, portable, select_lt, sincos
from locodyn.kernel.bundle import Bundle
from locodyn.motion.base import BEYOND, TERM, Law

_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding and subtracting it rounds to the nearest integer


class LawArrays(Bundle):
    """Laws of time and their m terms, see :mod:`locodyn.motion.base`."""

    read_only = True

    start: np.ndarray  # (n + 1,) int64, first term of each law, and the number of all terms
    kind: np.ndarray  # (m,) int64: TERM
    first: np.ndarray  # (m,) int64, where its stretch of ``data`` begins
    count: np.ndarray  # (m,) int64, coefficients of a polynomial, or pieces
    degree: np.ndarray  # (m,) int64, of the pieces
    mode: np.ndarray  # (m,) int64: BEYOND, of the pieces
    is_soft: np.ndarray  # (m,) int64, 1 for a soft start
    scale: np.ndarray  # (m,)
    shift: np.ndarray  # (m,) s
    omega: np.ndarray  # (m,) rad/s, or 1/s of a cycloid
    phase: np.ndarray  # (m,) rad
    window_start: np.ndarray  # (m,) s, when the soft start begins
    window_rate: np.ndarray  # (m,) 1/s, one over its duration
    data: np.ndarray  # coefficients and knots


_WHOLE = ("kind", "first", "count", "degree", "mode", "is_soft")
_NUMBERS = ("scale", "shift", "omega", "phase", "window_start", "window_rate")


def _columns(names: tuple[str, ...], rows: list[tuple[Any, ...]], dtype: type) -> dict[str, np.ndarray]:
    """The entries of all rows by name."""
    return dict(zip(names, np.array(rows, dtype=dtype).reshape(-1, len(names)).T.copy(), strict=True))


@compiled
def locate(data, first, count, u):
    """Index of the piece that holds u: the last of ``count`` pieces whose left knot is not above u, by halving.

    The one comparison of floats in the kernels: time is a plain number, the same for all lanes and never a symbol here.
    """
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if data[first + middle] <= u:
            low = middle
        else:
            high = middle
    return low


@portable
def horner(data, first, count, u):
    """Value, first and second derivative of a polynomial with ``count`` coefficients, lowest first."""
    value = lit(u, 0.0)
    rate = lit(u, 0.0)
    half = lit(u, 0.0)
    for k in range(count - 1, -1, -1):
        half = half * u + rate
        rate = rate * u + value
        value = value * u + data[first + k]
    return value, rate, half + half


@compiled
def piecewise(laws, k, u):
    """Value, rate, acceleration of the piecewise term k."""
    data = laws.data
    first = laws.first[k]
    count = laws.count[k]
    width = laws.degree[k] + 1
    left = data[first]
    right = data[first + count]
    inside = u
    if laws.mode[k] == BEYOND.periodic:
        period = right - left
        turns = ((u - left) / period - lit(u, 0.5) + lit(u, _ROUND)) - lit(u, _ROUND)
        inside = u - turns * period
    if laws.mode[k] == BEYOND.hold:
        inside = select_lt(u, left, left, select_lt(right, u, right, u))
    piece = locate(data, first, count, inside)
    value, rate, acceleration = horner(data, first + count + 1 + piece * width, width, inside - data[first + piece])
    if laws.mode[k] == BEYOND.hold:
        zero = lit(u, 0.0)
        rate = select_lt(u, left, zero, select_lt(right, u, zero, rate))
        acceleration = select_lt(u, left, zero, select_lt(right, u, zero, acceleration))
    return value, rate, acceleration


@portable
def cycloid_step(inverse_duration, u):
    """x - sin(2 pi x) / (2 pi) and its derivatives, x = u / duration kept in [0, 1]."""
    turn = lit(u, 2.0 * np.pi)
    x = u * inverse_duration
    x = select_lt(x, lit(u, 0.0), lit(u, 0.0), select_lt(lit(u, 1.0), x, lit(u, 1.0), x))
    s, c = sincos(turn * x)
    return x - s / turn, (lit(u, 1.0) - c) * inverse_duration, turn * s * inverse_duration * inverse_duration


@portable
def soft_step(start, inverse_duration, t):
    """w, w', w'' of the septic step 35 x^4 - 84 x^5 + 70 x^6 - 20 x^7, x = (t - start) / duration kept in [0, 1]."""
    zero = lit(t, 0.0)
    one = lit(t, 1.0)
    x = (t - start) * inverse_duration
    x = select_lt(x, zero, zero, select_lt(one, x, one, x))
    y = one - x
    x2 = x * x
    y2 = y * y
    value = x2 * x2 * (lit(t, 35.0) - x * (lit(t, 84.0) - x * (lit(t, 70.0) - x * lit(t, 20.0))))
    rate = lit(t, 140.0) * x2 * x * y2 * y * inverse_duration
    acceleration = lit(t, 420.0) * x2 * y2 * (y - x) * inverse_duration * inverse_duration
    return value, rate, acceleration


@compiled
def evaluate(laws, i, t):
    """Value, rate and acceleration of law i at time t (float64): the sum over its terms."""
    value = lit(t, 0.0)
    rate = lit(t, 0.0)
    acceleration = lit(t, 0.0)
    for k in range(laws.start[i], laws.start[i + 1]):
        kind = laws.kind[k]
        u = t - laws.shift[k]
        x = lit(t, np.nan)
        x1 = lit(t, np.nan)
        x2 = lit(t, np.nan)
        if kind == TERM.polynomial:
            x, x1, x2 = horner(laws.data, laws.first[k], laws.count[k], u)
        if kind == TERM.sine or kind == TERM.cosine:
            omega = laws.omega[k]
            s, c = sincos(omega * u + laws.phase[k])
            if kind == TERM.sine:
                x = s
                x1 = omega * c
            else:
                x = c
                x1 = -(omega * s)
            x2 = -(omega * omega * x)
        if kind == TERM.piecewise:
            x, x1, x2 = piecewise(laws, k, u)
        if kind == TERM.cycloid:
            x, x1, x2 = cycloid_step(laws.omega[k], u)
        if laws.is_soft[k] == 1:
            w, w1, w2 = soft_step(laws.window_start[k], laws.window_rate[k], t)
            x2 = w * x2 + lit(t, 2.0) * w1 * x1 + w2 * x
            x1 = w * x1 + w1 * x
            x = w * x
        scale = laws.scale[k]
        value = value + scale * x
        rate = rate + scale * x1
        acceleration = acceleration + scale * x2
    return value, rate, acceleration


@compiled
def evaluate_times(laws, i, times, out):
    """Law i at many times: ``out[0]`` values, ``out[1]`` rates, ``out[2]`` accelerations."""
    for n in range(times.shape[0]):
        value, rate, acceleration = evaluate(laws, i, times[n])
        out[0, n] = value
        out[1, n] = rate
        out[2, n] = acceleration


def law_numbers(laws: Sequence[Law]) -> dict[str, np.ndarray]:
    """What kernels read of laws, as fields of :class:`LawArrays`, one row each."""
    rows = [term for law in laws for term in law.terms]
    whole: list[tuple[int, ...]] = []
    numbers: list[tuple[float, ...]] = []
    stretches: list[np.ndarray] = []
    first = 0
    for term in rows:
        if term.kind == TERM.piecewise:
            pieces, width = term.coefficients.shape
            stretch = np.concatenate([term.knots, term.coefficients.ravel()])
        else:
            pieces, width = len(term.coefficients), 1
            stretch = term.coefficients
        whole.append((term.kind, first, pieces, width - 1, term.mode, term.window is not None))
        start, duration = term.window or (0.0, 1.0)
        numbers.append((term.scale, term.shift, term.omega, term.phase, start, 1.0 / duration))
        stretches.append(stretch)
        first += len(stretch)
    counts = [len(law.terms) for law in laws]
    return {
        "start": np.array([0, *accumulate(counts)], dtype=np.int64),
        **_columns(_WHOLE, whole, np.int64),
        **_columns(_NUMBERS, numbers, np.float64),
        "data": np.concatenate([*stretches, [0.0]]),  # never empty: a kernel may look at it
    }


class MotionTable:
    """The laws of a run, and as ``arrays`` what kernels read of them.

    ``has_python`` tells that some law holds a Python function; the kernel gives NaN for such a law, :meth:`at` the right value.
    """

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = tuple(laws)
        self.has_python = any(law.is_python for law in self.laws)
        self.arrays = LawArrays(**law_numbers(self.laws))

    def __len__(self) -> int:
        return len(self.laws)

    def sample(self, i: int, times: np.ndarray) -> np.ndarray:
        """Law i at the times (n,): array (3, n) of values, rates, accelerations. Python functions included."""
        out = np.zeros((3, len(times)))
        law = self.laws[i]
        if not law.is_python:
            evaluate_times(self.arrays, i, np.ascontiguousarray(times, dtype=float), out)
            return out
        library = Law(tuple(term for term in law.terms if term.kind != TERM.python))
        if library.terms:
            out += MotionTable([library]).sample(0, times)
        for term in law.terms:
            if term.kind == TERM.python:
                x, x1, x2 = np.array([[f(float(t)) for t in times] for f in term.functions]).reshape(3, -1)
                if term.window is not None:
                    start, duration = term.window
                    w, w1, w2 = np.array([soft_step(start, 1.0 / duration, float(t)) for t in times]).reshape(-1, 3).T
                    x, x1, x2 = w * x, w * x1 + w1 * x, w * x2 + 2.0 * w1 * x1 + w2 * x
                out += term.scale * np.array([x, x1, x2])
        return out

    def at(self, t: float) -> np.ndarray:
        """All laws at one time: array (3, n) of values, rates, accelerations. Python functions included."""
        out = np.zeros((3, len(self.laws)))
        for i, law in enumerate(self.laws):
            out[:, i] = law.at(t) if law.is_python else evaluate(self.arrays, i, float(t))
        return out
