"""Equilibrium paths by arc length (Riks 1979; Keller 1977): past limit points, where loads fall while the robot goes on.

Along a path the parameter turns at folds; branches meet it where the determinant of the matrix (dF/dx, dF/dp ; tangent) changes
its sign. Both are located, and :func:`branch` follows the branch that a path crosses (Keller's method: along the null vector that
is not the tangent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from locodyn.equilibria.balance import Balance, newton
from locodyn.equilibria.continuation import Continuation, Point, carried
from locodyn.equilibria.relaxation import closed, reach_of
from locodyn.equilibria.statics import Equilibrium
from locodyn.errors import InputError, RunError
from locodyn.kernel.entry import numbers
from locodyn.locomotion.problem import Problem

_STRAIGHT = 0.95  # cosine of the angle that a path may turn in one step
_MOST_HALVINGS = 60

Until = Callable[[Equilibrium], bool]


@dataclass(frozen=True)
class CriticalPoint:
    """A ``fold`` (the parameter turns) or a ``branch`` point (another path crosses), and the direction that leads onward there.

    ``direction`` (n + m + 1,): at a fold the tangent of the path, at a branch point that of the crossing branch.
    """

    kind: str
    equilibrium: Equilibrium
    direction: np.ndarray


class EquilibriumPath(Sequence[Equilibrium]):
    """Equilibria in the order of a path, with its ``critical`` points; ``along`` what: ``load`` or ``time``."""

    def __init__(self, points: list[Equilibrium], critical: list[CriticalPoint], along: str) -> None:
        self.points, self.critical, self.along = points, critical, along

    @overload
    def __getitem__(self, k: int) -> Equilibrium: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Equilibrium]: ...
    def __getitem__(self, k: int | slice) -> Equilibrium | Sequence[Equilibrium]:
        return self.points[k]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.points)

    @property
    def folds(self) -> list[CriticalPoint]:
        """The critical points at which the parameter turns."""
        return [point for point in self.critical if point.kind == "fold"]

    @property
    def branch_points(self) -> list[CriticalPoint]:
        """The critical points at which another path crosses."""
        return [point for point in self.critical if point.kind == "branch"]


def equilibrium_path(
    problem: Problem,
    q0: Any | None = None,
    t: float = 0.0,
    *,
    arc: float,
    points: int = 100,
    along: str = "load",
    scale: float = 1.0,
    until: Until | None = None,
    tolerance: float = 1e-10,
) -> EquilibriumPath:
    """Equilibria along the path that starts at zero load, or at the time ``t``, past folds (snap-through), by arc length.

    Parameters
    ----------
    arc : float
        Length of a step: sqrt(|u|^2 + (scale * change of the parameter)^2), u the change of the coordinates.
    points : int
        How many points at most.
    along : str
        ``load``: the factor of all loads, from 0; ``time``: the time at which all laws are read (motions, tensions, torques).
    until : function of an equilibrium that says when to stop.
    """
    _check(arc, scale, along)
    balance = Balance(problem, t)
    balance.rows.refuse_rolling("a path of equilibria")
    q = problem.model.neutral() if q0 is None else problem.model.normalised(numbers(q0, "q0"))
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    q = closed(balance, q, reach_of(balance, q))
    found = newton(balance, q, 1.0 if along == "time" else 0.0, tolerance)
    if found is None:
        where = "without loads" if along == "load" else f"at t = {t:g} s"
        raise RunError(f"no equilibrium {where} was found near the start of the path.")
    system = Continuation(balance, found[0], along, scale)
    start = Point(found[0], balance.multipliers[system.kept], t if along == "time" else 0.0)
    start = _with_forces(system, start)
    direction = np.zeros(len(system.metric))
    direction[-1] = 1.0
    return _followed(system, start, system.along_path(system.matrix(start), direction), arc, points, until, tolerance)


def branch(
    problem: Problem,
    point: CriticalPoint,
    *,
    arc: float,
    side: int = 1,
    points: int = 100,
    along: str = "load",
    scale: float = 1.0,
    until: Until | None = None,
    tolerance: float = 1e-10,
) -> EquilibriumPath:
    """The branch that crosses a path at a branch point, to one ``side`` of it (1 or -1). The rest as of the path."""
    _check(arc, scale, along)
    if point.kind != "branch":
        raise InputError("a fold has no other branch; give a critical point of the kind 'branch'.")
    if side not in (1, -1):
        raise InputError(f"the side of a branch is {side!r}; it must be 1 or -1.")
    here = point.equilibrium
    balance = Balance(problem, here.time)
    system = Continuation(balance, here.q, along, scale)
    start = Point(here.q, here.multipliers[system.kept], here.time if along == "time" else here.load)
    return _followed(system, start, side * point.direction, arc, points, until, tolerance)


def _check(arc: float, scale: float, along: str) -> None:
    for what, value in (("the arc length", arc), ("the scale of the parameter", scale)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{what} is {value!r}; it must be a positive number.")
    if along not in ("load", "time"):
        raise InputError(f"an equilibrium path goes along {along!r}; it must be 'load' or 'time'.")


def _with_forces(system: Continuation, point: Point) -> Point:
    """The point with the multipliers of the independent rows that balance it."""
    q, load = system.set(point)
    return point._replace(forces=carried(system.balance, q, system.kept, system.balance.pull(q, load)))


def _followed(
    system: Continuation, point: Point, tangent: np.ndarray, arc: float, most: int, until: Until | None, tolerance: float
) -> EquilibriumPath:
    matrix = system.matrix(point)
    path, critical = [system.equilibrium(point, matrix, 0)], []
    longest, side = arc, _side(system, matrix, tangent)
    while len(path) < most:
        found = system.corrected(point, tangent, arc, tolerance)
        ahead = None if found is None else system.along_path(found[1], tangent)
        # A path that turns sharply within one step may be another one: look closer.
        if found is None or ahead is None or ahead @ (system.metric * tangent) < _STRAIGHT:
            arc *= 0.5
            if arc < 1e-9 * longest:
                raise RunError(f"the equilibrium path was lost at the {system.along} {point.parameter:.4g}.")
            continue
        new, matrix, iterations = found
        other = _side(system, matrix, ahead)
        if ahead[-1] * tangent[-1] < 0.0:
            critical.append(_located(system, point, tangent, arc, tolerance, "fold"))
        elif other != side and len(path) > 1:
            critical.append(_located(system, point, tangent, arc, tolerance, "branch"))
        point, tangent, side, arc = new, ahead, other, min(longest, 1.4 * arc)
        path.append(system.equilibrium(point, matrix, iterations))
        if until is not None and until(path[-1]):
            break
    return EquilibriumPath(path, critical, system.along)


def _side(system: Continuation, matrix: np.ndarray, tangent: np.ndarray) -> float:
    """Sign of the determinant that changes where another path crosses."""
    return float(np.linalg.slogdet(np.vstack([matrix, system.metric * tangent]))[0])


def _located(system: Continuation, point: Point, tangent: np.ndarray, arc: float, tolerance: float, kind: str) -> CriticalPoint:
    """The critical point on the next ``arc`` of the path, by bisection of the distance."""
    low, high, best = 0.0, arc, None
    start = tangent[-1] if kind == "fold" else _side(system, system.matrix(point), tangent)
    for _ in range(_MOST_HALVINGS):
        middle = 0.5 * (low + high)
        found = system.corrected(point, tangent, middle, tolerance)
        if found is None:
            break
        ahead = system.along_path(found[1], tangent)
        best = found, ahead
        test = ahead[-1] if kind == "fold" else _side(system, found[1], ahead)
        low, high = (middle, high) if test * start > 0.0 else (low, middle)
        if high - low < 1e-9 * arc:
            break
    if best is None:
        raise RunError(f"the {kind} of an equilibrium path near the {system.along} {point.parameter:.4g} was not located.")
    (place, matrix, iterations), ahead = best
    direction = ahead if kind == "fold" else _crossing(system, matrix, ahead)
    return CriticalPoint(kind, system.equilibrium(place, matrix, iterations), direction)


def _crossing(system: Continuation, matrix: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """The direction in the null space of (A, dF/dp), which has two dimensions, across the tangent of the path."""
    rows = 1.0 / np.linalg.norm(matrix, axis=1)
    sizes = np.linalg.norm(matrix * rows[:, None], axis=0)
    columns = 1.0 / np.maximum(sizes, 1e-6 * sizes.max())
    null = columns[:, None] * np.linalg.svd(matrix * rows[:, None] * columns)[2][-2:].T
    shares = null.T @ (system.metric * tangent)
    across = null @ np.array([-shares[1], shares[0]])
    across /= system.length(across)
    found: np.ndarray = across * np.sign(across[np.argmax(np.abs(across[: system.n]))])
    return found
