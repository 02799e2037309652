"""Eigenvalues along a parameter: branches followed by continuity, and the values at which stability changes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.linearisation.linearisation import NEUTRAL, Linearisation

_BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Boundary:
    """Where a mode becomes or ceases to be unstable: the parameter, the eigenvalue there (1/s), and what kind of mode it is."""

    value: float
    eigenvalue: complex
    kind: str  # "oscillatory" or "monotone"
    unstable: str  # "below" or "above": the side on which the mode is unstable


@dataclass(frozen=True, eq=False)
class EigenvalueSweep:
    """Eigenvalues (N, n), 1/s, at the ``values`` (N,) of a parameter; column k is one branch, followed by continuity.

    ``unstable`` (N, n): whether the eigenvalue counts as unstable; ``boundaries``: where that changes; ``stable``: intervals
    of the parameter with no unstable mode; ``name``, ``unit``: of the parameter.
    """

    name: str
    unit: str
    values: np.ndarray
    eigenvalues: np.ndarray
    unstable: np.ndarray
    boundaries: tuple[Boundary, ...]
    stable: tuple[tuple[float, float], ...]

    def oscillatory(self) -> np.ndarray:
        """Whether each eigenvalue belongs to an oscillation, (N, n)."""
        return np.asarray(np.abs(self.eigenvalues.imag) > 1e-9 * np.maximum(1.0, np.abs(self.eigenvalues)))


def eigenvalue_sweep(
    function: Callable[[float], Linearisation],
    values: Sequence[float] | np.ndarray,
    name: str = "parameter",
    unit: str = "",
    on_progress: Callable[[float], None] | None = None,
) -> EigenvalueSweep:
    """Eigenvalues of ``function(value)``, a linear system for every value of a parameter, and the stability boundaries between.

    Boundaries are found by root finding on further values, to round-off; where a mode only becomes neutral (a top that sleeps),
    to where its growth rate is 1e-7 of the largest entry of A. Take symmetries out (``lambda v: linearise(...).reduced()``):
    their eigenvalues are zero up to round-off.
    """
    grid = np.asarray(values, dtype=float)
    if grid.ndim != 1 or len(grid) < 2 or not np.isfinite(grid).all() or not (np.diff(grid) > 0.0).all():
        raise InputError("the values of a sweep must be at least two finite numbers, each larger than the one before.")
    systems: list[Linearisation] = []
    for value in grid:
        systems.append(function(float(value)))
        if len(systems[-1].A) != len(systems[0].A):
            raise InputError(
                f"the number of states changes along the sweep, from {len(systems[0].A)} to {len(systems[-1].A)} at"
                f" {name} = {value:g}; choose values on one side of that, or keep the symmetries in."
            )
        if on_progress is not None:
            on_progress(float(value))
    branches = _follow([system.eigenvalues for system in systems])
    unstable = np.array([[s.stability_of(x) == "unstable" for x in row] for s, row in zip(systems, branches, strict=True)])
    found: list[Boundary] = []
    for k, branch in zip(*np.nonzero(unstable[1:] != unstable[:-1]), strict=True):
        side = "below" if unstable[k, branch] else "above"
        ends = [k, k + 1]
        calm, next_one = (1, k + 2) if side == "below" else (0, k - 1)  # the end that is not unstable, and the value beyond it
        if 0 <= next_one < len(grid) and abs(branches[ends[calm], branch].real) < abs(branches[next_one, branch].real):
            ends[calm] = next_one  # the mode crosses zero on the grid, or near it
        here = branches[ends, branch]
        if here[0].imag >= -1e-12 * max(1.0, abs(here[0])):  # of a conjugate pair, one is enough
            found.append(_boundary(function, grid[ends], here, side))
    found = _distinct(sorted(found, key=lambda b: b.value), float(grid[-1] - grid[0]))
    stable = _stable_ranges(function, [float(grid[0]), *(b.value for b in found), float(grid[-1])])
    return EigenvalueSweep(name, unit, grid, branches, unstable, tuple(found), stable)


def _follow(rows: list[np.ndarray]) -> np.ndarray:
    """The eigenvalues in an order in which each column goes on as it went before."""
    from scipy.optimize import linear_sum_assignment

    done = [rows[0]]
    for row in rows[1:]:
        expected = done[-1] if len(done) < 2 else 2.0 * done[-1] - done[-2]
        # Where a pair has just met the extrapolation overshoots: half the weight stays with the last value.
        cost = np.abs(expected[:, None] - row[None, :]) + 0.5 * np.abs(done[-1][:, None] - row[None, :])
        done.append(row[linear_sum_assignment(cost)[1]])
    return np.array(done)


def _boundary(function: Callable[[float], Linearisation], ends: np.ndarray, here: np.ndarray, side: str) -> Boundary:
    """The boundary between two values, on the branch with the eigenvalues ``here`` at the ends."""
    from scipy.optimize import brentq

    zeros = min(_zeros(function(float(end))) for end in ends)  # modes that stay neutral, such as a change of speed

    def eigenvalue(value: float) -> tuple[complex, Linearisation]:
        system = function(value)
        share = (value - ends[0]) / (ends[1] - ends[0])
        expected = (1.0 - share) * here[0] + share * here[1]
        found = system.eigenvalues
        found = found[np.argsort(np.abs(found))[zeros:]]
        near = np.abs(found - expected) - 1e-6 * np.maximum(found.real, 0.0)  # of two that have just parted, the unstable one
        return complex(found[np.argmin(near)]), system

    if here[0].real * here[1].real < 0.0 and min(abs(here.real)) > 1e-6 * max(1.0, *abs(here)):
        value = float(brentq(lambda x: eigenvalue(float(x))[0].real, ends[0], ends[1], xtol=1e-14, rtol=1e-14))
    else:  # the mode is neutral on one side: there the real part has no sign, but it is unstable or not
        low, high = (float(x) for x in ends)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            if high - low <= 1e-14 * max(abs(low), abs(high)):
                break
            at, system = eigenvalue(middle)
            if (system.stability_of(at) == "unstable") == (side == "below"):
                low = middle
            else:
                high = middle
        value = 0.5 * (low + high)
    at, system = eigenvalue(value)
    kind = "oscillatory" if abs(at.imag) > 1e-6 * system.scale else "monotone"
    return Boundary(value, at, kind, side)


def _zeros(system: Linearisation) -> int:
    """How many eigenvalues are zero."""
    return int(np.sum(np.abs(system.eigenvalues) <= NEUTRAL * system.scale))


def _distinct(found: list[Boundary], span: float) -> list[Boundary]:
    kept: list[Boundary] = []
    for boundary in found:
        same = [b for b in kept if abs(b.value - boundary.value) < 1e-8 * span and b.kind == boundary.kind]
        if not same:
            kept.append(boundary)
    return kept


def _stable_ranges(function: Callable[[float], Any], cuts: list[float]) -> tuple[tuple[float, float], ...]:
    """The intervals between the cuts without an unstable mode, neighbours joined."""
    ranges: list[tuple[float, float]] = []
    for left, right in itertools.pairwise(cuts):
        if right - left <= 1e-9 * (cuts[-1] - cuts[0]):
            continue
        system = function(0.5 * (left + right))
        if not any(system.stability_of(x) == "unstable" for x in system.eigenvalues):
            if ranges and ranges[-1][1] == left:
                ranges[-1] = (ranges[-1][0], right)
            else:
                ranges.append((left, right))
    return tuple(ranges)
