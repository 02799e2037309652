"""Gaits along a parameter: fixed points of Poincare maps followed by arc length, and the bifurcations between them.

With P(x, p) the stride, a gait is P(x, p) = x. Its branch is followed past folds (Keller 1977): the step (dx, dp) of Newton's
method solves

    (1 - dP/dx) dx - dP/dp dp = P - x,      t_x . dx + t_p dp = 0,

with the tangent t of the branch. Where multipliers of the stride leave the unit circle a bifurcation lies between two gaits
(Kuznetsov 2004, 4.1):

    fold: one is +1;    period doubling: one is -1;    Neimark-Sacker: a pair is exp(+-i phi).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.phases.poincare import Orbit, PoincareMap, Stride, sorted_multipliers
from locodyn.phases.variation import scales

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

FOLD, DOUBLING, NEIMARK_SACKER = "fold", "period doubling", "Neimark-Sacker"
_ROUNDS, _HALVINGS, _EXACT = 12, 8, 1e-9
_SMALL = 1e-3  # multipliers below this are those of rows and impacts, and say nothing


@dataclass(frozen=True)
class GaitAt:
    """A gait of the branch: ``value`` of the parameter, the ``orbit``, and the ``tangent`` (2 nv + 1,) of the branch there.

    ``matrix`` (2 nv, 2 nv + 1): (1 - dP/dx, -dP/dp), as the tangent in units of the robot and of the range of the parameter.
    """

    value: float
    orbit: Orbit
    tangent: np.ndarray = field(repr=False)
    matrix: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Bifurcation:
    """Where gaits change: ``kind``, ``value`` of the parameter, the ``multiplier`` on the unit circle, the gait there."""

    kind: str
    value: float
    multiplier: complex
    orbit: Orbit = field(repr=False)


@dataclass(frozen=True)
class GaitBranch:
    """Gaits in the order of the branch, and the bifurcations on it; ``name`` and ``unit`` of the parameter."""

    name: str
    unit: str
    gaits: tuple[GaitAt, ...]
    bifurcations: tuple[Bifurcation, ...]

    @property
    def values(self) -> np.ndarray:
        """The parameter (n,)."""
        return np.array([one.value for one in self.gaits])

    def multipliers(self, count: int = 4) -> np.ndarray:
        """The largest multipliers (n, count), each column followed by continuity."""
        from scipy.optimize import linear_sum_assignment

        rows = [self.gaits[0].orbit.multipliers[:count]]
        for one in self.gaits[1:]:
            row = one.orbit.multipliers[:count]
            rows.append(row[linear_sum_assignment(np.abs(rows[-1][:, None] - row[None, :]))[1]])
        return np.array(rows)

    def plot(self, file: str | Path) -> Path:
        """Multipliers over the parameter and in the complex plane; the ending of the file says the format."""
        from locodyn.view.multipliers import plot_multipliers

        return plot_multipliers(self, file)


def gait_branch(
    make: Callable[[float], Scenario],
    begin: float,
    end: float,
    *,
    steps: int = 12,
    state: tuple[np.ndarray, np.ndarray] | None = None,
    name: str = "parameter",
    unit: str = "",
    tolerance: float = 1e-11,
) -> GaitBranch:
    """The gaits of ``make(value)`` from ``begin`` until the parameter reaches ``end``, or the branch ends.

    ``steps``: about how many gaits. ``state`` (q, v): near the first gait; by default the start of its scenario. ``tolerance`` of
    the integration.

    >>> import locodyn as ld
    >>> branch = gait_branch(lambda slope: ld.zoo.compass_gait(slope=slope), 3.0, 4.6)   # doctest: +SKIP
    >>> branch.bifurcations[0].kind                                                       # doctest: +SKIP
    'period doubling'
    """
    if begin == end or not np.isfinite([begin, end]).all():
        raise InputError(f"the parameter goes from {begin!r} to {end!r}; the two must be different numbers.")
    if steps < 1:
        raise InputError(f"a branch of {steps} steps has no gait; take 1 or more.")
    follower = _Follower(make, (float(begin), float(end)), steps, tolerance)
    gaits = [follower.first(state)]
    while not follower.over(gaits[-1].value) and len(gaits) < 20 * steps:
        try:
            gaits.append(follower.next(gaits[-1]))
        except RunError:
            break
    found = [follower.located(one, two, kind) for one, two in pairwise(gaits) for kind in crossed(one.orbit, two.orbit)]
    return GaitBranch(name, unit, tuple(gaits), tuple(found))


def crossed(one: Orbit, two: Orbit) -> list[str]:
    """Kinds of the bifurcations that lie between two gaits; a pair that becomes real inside the circle is none."""
    return [kind for kind in _TESTS if _TESTS[kind](one.multipliers) * _TESTS[kind](two.multipliers) < 0.0]


def _relevant(multipliers: np.ndarray) -> np.ndarray:
    return np.asarray(multipliers[np.abs(multipliers) > _SMALL])


def _neimark_sacker(multipliers: np.ndarray) -> float:
    """How far the largest complex pair is outside the unit circle; zero where all multipliers are real."""
    return float(max((abs(x) - 1.0 for x in multipliers if abs(x.imag) > _SMALL), default=0.0))


# Functions of the multipliers that change sign at a bifurcation.
_TESTS: dict[str, Callable[[np.ndarray], float]] = {
    FOLD: lambda x: float(np.prod(1.0 - _relevant(x)).real),
    DOUBLING: lambda x: float(np.prod(1.0 + _relevant(x)).real),
    NEIMARK_SACKER: _neimark_sacker,
}


class _Follower:
    """Newton's method along the arc of a branch, in units of the robot and of the range of the parameter."""

    def __init__(self, make: Callable[[float], Scenario], ends: tuple[float, float], steps: int, tolerance: float) -> None:
        self.make, self.ends, self.tolerance = make, ends, tolerance
        self.range, self.arc = abs(ends[1] - ends[0]), 1.0 / steps
        self._maps: dict[float, PoincareMap] = {}

    def over(self, value: float) -> bool:
        """Whether the parameter has passed its end."""
        return (value - self.ends[1]) * (self.ends[1] - self.ends[0]) >= 0.0

    def map(self, value: float) -> PoincareMap:
        """The map of strides for a value of the parameter."""
        if value not in self._maps:
            self._maps = {value: PoincareMap(self.make(value), tolerance=self.tolerance)}
        return self._maps[value]

    def first(self, state: tuple[np.ndarray, np.ndarray] | None) -> GaitAt:
        """The gait at the beginning; its tangent looks to the end."""
        begin = self.map(self.ends[0])
        orbit = begin.fixed_point() if state is None else begin.fixed_point(*state)
        towards = np.zeros(2 * begin.model.nv + 1)
        towards[-1] = np.sign(self.ends[1] - self.ends[0])
        return self._with_tangent(self.ends[0], orbit, towards)

    def _with_tangent(self, value: float, orbit: Orbit, towards: np.ndarray) -> GaitAt:
        """The gait and the unit tangent that goes on in the direction ``towards``."""
        matrix = self._matrix(value, orbit)
        tangent = np.linalg.solve(np.vstack([matrix, towards]), np.append(np.zeros(len(towards) - 1), 1.0))
        # The parameter alone measures the arc as long as the state follows it at the pace of the robot.
        return GaitAt(value, orbit, tangent / max(abs(tangent[-1]), float(np.abs(tangent[:-1]).max())), matrix)

    def _matrix(self, value: float, orbit: Orbit) -> np.ndarray:
        """(1 - dP/dx, -dP/dp), (2 nv, 2 nv + 1), in units."""
        here, h = self.map(value), 1e-5 * self.range
        sizes = scales(here.hybrid, orbit.v)
        ends = []
        for change in (h, -h):
            stride = PoincareMap(self.make(value + change), tolerance=self.tolerance)(orbit.q, orbit.v)
            ends.append(np.concatenate([here.model.difference(orbit.q, stride.q), stride.v]))
        slope = here.up_to_shifts(orbit.q) @ (ends[0] - ends[1]) / (2.0 * h)
        whole = np.eye(len(sizes)) - orbit.matrix * sizes / sizes[:, None]
        return np.column_stack([whole, -slope * self.range / sizes])

    def next(self, last: GaitAt) -> GaitAt:
        """The gait one arc further on."""
        for _ in range(_HALVINGS):
            try:
                found = self.corrected(last, self.arc)
            except RunError:
                self.arc *= 0.5
                continue
            return found
        raise RunError(f"the branch ends near the value {last.value:g}: no gait follows.")

    def corrected(self, last: GaitAt, arc: float) -> GaitAt:
        """The gait at a distance ``arc`` from ``last`` along its tangent."""
        start = self.map(last.value)
        sizes, n = scales(start.hybrid, last.orbit.v), start.model.nv
        step = arc * last.tangent
        q, v = start.model.move(last.orbit.q, step[:n] * sizes[:n]), last.orbit.v + step[n : 2 * n] * sizes[n:]
        value = last.value + step[-1] * self.range
        system = np.linalg.inv(np.vstack([last.matrix, last.tangent]))
        before = np.inf
        for round_ in range(_ROUNDS):
            here = self.map(value)
            stride = here(q, v)
            q, v = stride.start_q, stride.start_v
            off = self._off(here, stride) / sizes
            defect = float(np.abs(off).max())
            if defect <= _EXACT:
                matrix = here.up_to_shifts(q) @ here.matrix(stride)
                orbit = Orbit(q, v, stride, sorted_multipliers(matrix), matrix, defect, round_)
                return self._with_tangent(value, orbit, last.tangent)
            if defect > 2.0 * before:
                break
            before = defect
            change = system @ np.append(off, 0.0)
            q, v = here.model.move(q, change[:n] * sizes[:n]), v + change[n : 2 * n] * sizes[n:]
            value += change[-1] * self.range
        raise RunError(f"no gait was found near the value {value:g}.")

    def _off(self, here: PoincareMap, stride: Stride) -> np.ndarray:
        """What a stride changes, up to shifts, (2 nv,)."""
        change = np.concatenate([here.model.difference(stride.start_q, stride.q), stride.v - stride.start_v])
        return np.asarray(here.up_to_shifts(stride.start_q) @ change)

    def located(self, one: GaitAt, two: GaitAt, kind: str) -> Bifurcation:
        """The bifurcation between two gaits: the zero of its test function along the arc, by the Illinois method."""
        test = _TESTS[kind]
        sizes = scales(self.map(one.value).hybrid, one.orbit.v)
        gap = np.concatenate([self.map(one.value).model.difference(one.orbit.q, two.orbit.q), two.orbit.v - one.orbit.v]) / sizes
        whole = np.append(gap, (two.value - one.value) / self.range)
        ends = [0.0, float(whole @ one.tangent / (one.tangent @ one.tangent))]
        values = [test(one.orbit.multipliers), test(two.orbit.multipliers)]
        near = one
        for _ in range(_ROUNDS):
            arc = ends[0] - values[0] * (ends[1] - ends[0]) / (values[1] - values[0])
            near = self.corrected(one, arc)
            new = test(near.orbit.multipliers)
            if abs(new) < 1e-8 or abs(ends[1] - ends[0]) < 1e-9:
                break
            if new * values[1] < 0.0:
                ends, values = [ends[1], arc], [values[1], new]
            else:
                ends, values = [ends[0], arc], [0.5 * values[0], new]
        circle = {FOLD: 1.0, DOUBLING: -1.0}
        found = _relevant(near.orbit.multipliers)
        off = np.abs(found - circle[kind]) if kind in circle else np.abs(np.abs(found) - 1.0)
        return Bifurcation(kind, near.value, complex(found[np.argmin(off)]), near.orbit)
