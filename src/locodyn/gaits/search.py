"""The inverse gait problem: which parameters of a gait give a wanted net displacement (Ali 2011, ch. 2).

Least squares on the forward model, with its derivative: exact sensitivities for robots with a connection, central differences of
the forward model for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.gaits.gait import PACE, Gait
from locodyn.gaits.local_curvature import as_connection
from locodyn.gaits.reconstruction import (
    NAMES,
    Displacement,
    LocomotorLike,
    displacement_derivative,
    net_displacement,
    reconstruct,
    relative,
)
from locodyn.typing import Array

if TYPE_CHECKING:
    from locodyn.locomotion.connection import Connection
    from locodyn.sim.scenario import Scenario

_DIFFERENCE = 1e-5
_MOST = 40  # evaluations of one search
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


@dataclass(frozen=True, eq=False)
class InverseGait:
    """A gait that gives a wanted displacement.

    ``parameters``: the values found, by name; ``gait``: the gait with them; ``displacement``: what it gives; ``residual``:
    largest weighted miss of a wanted component; ``iterations``, ``evaluations``: of the search that found it, of all.
    """

    parameters: dict[str, float]
    gait: Gait
    displacement: Displacement
    residual: float
    iterations: int
    evaluations: int


def inverse_gait(
    robot: LocomotorLike,
    gait: Gait,
    wanted: Mapping[str, float],
    *,
    vary: Sequence[str] | Mapping[str, tuple[float, float]] | None = None,
    weights: Mapping[str, float] | None = None,
    q: Array | None = None,
    steps: int = 200,
    tolerance: float = 1e-8,
    starts: int = 4,
    after: int = 0,
) -> InverseGait:
    """Parameters of the gait for a wanted displacement in one cycle.

    Parameters
    ----------
    robot, q, steps, after : as for :func:`~locodyn.gaits.reconstruction.net_displacement`.
    gait : Gait of a family; the search begins with its parameters.
    wanted : {component: value}
        ``x``, ``y``, ``theta`` in the plane (m, rad); components that are left out are free.
    vary : names of parameters, or {parameter: (lowest, highest)}
        By default all but ``omega`` (which matters for scenarios only), without bounds.
    weights : {component: number}
        Of the misses, by default 1 (so 1 m counts as 1 rad).
    tolerance : float
        Largest weighted miss that is accepted.
    starts : int
        Searches from other points of the bounds before giving up.
    """
    connection = None if hasattr(robot, "changed") and hasattr(robot, "run") else as_connection(robot, gait.names)
    model: Model = cast("Scenario", robot).model if connection is None else connection.model
    components = NAMES.get(model.compiled.base_code, ("x", "y", "z"))
    rows, target, weight = _goal(components, wanted, weights or {})
    names = _varied(gait, vary)
    low, high = _box(names, vary if isinstance(vary, Mapping) else {})
    trial = _Trial(robot, connection, model, gait, names, q, steps, after)

    def miss(x: np.ndarray) -> np.ndarray:
        found: np.ndarray = weight * (trial.displacement(x)[rows] - target)
        return found

    def slope(x: np.ndarray) -> np.ndarray:
        return np.asarray(weight[:, None] * trial.slope(x)[rows])

    begin = np.array([gait.parameters[name] for name in names])
    if (begin < low).any() or (begin > high).any():
        worst = names[int(np.argmax(np.maximum(low - begin, begin - high)))]
        raise InputError(f"the search begins with '{worst}' = {gait.parameters[worst]:g}, outside its bounds.")
    best = _search(miss, slope, begin, low, high, tolerance, starts)
    residual = float(np.abs(best.fun).max())
    values = dict(zip(names, (float(x) for x in best.x), strict=True))
    if residual > tolerance:
        nearest_one = ", ".join(f"{components[r]} = {target[i] + best.fun[i] / weight[i]:.6g}" for i, r in enumerate(rows))
        raise _not_reached(wanted, values, starts + 1, nearest_one)
    solved = gait.with_parameters(**values)
    displacement = net_displacement(connection or robot, solved, q=q, steps=steps, after=after)
    return InverseGait(values, solved, displacement, residual, int(best.njev), trial.count)


def _not_reached(wanted: Mapping[str, float], values: Mapping[str, float], searches: int, nearest_one: str) -> InputError:
    asked = ", ".join(f"{name} = {value:g}" for name, value in wanted.items())
    where = ", ".join(f"{name} = {value:.4g}" for name, value in values.items())
    return InputError(
        f"the displacement {asked} was not reached by varying {', '.join(values)} ({searches} searches): the nearest is"
        f" {nearest_one}, at {where}; ask for less, widen the bounds or vary more parameters."
    )


class _Trial:
    """The displacement as a function of the varied parameters; ``count``: how often it was computed."""

    def __init__(
        self,
        robot: LocomotorLike,
        connection: Connection | None,
        model: Model,
        gait: Gait,
        names: Sequence[str],
        q: Array | None,
        steps: int,
        after: int,
    ) -> None:
        self.robot, self.connection, self.model, self.gait, self.names = robot, connection, model, gait, names
        self.q, self.steps, self.after = q, steps, after
        self.count = 0

    def _gait(self, x: np.ndarray) -> Gait:
        return self.gait.with_parameters(**dict(zip(self.names, x, strict=True)))

    def displacement(self, x: np.ndarray) -> np.ndarray:
        """Of one cycle with the parameters x."""
        self.count += 1
        if self.connection is None:
            return net_displacement(self.robot, self._gait(x), q=self.q, steps=self.steps, after=self.after).vector
        states = reconstruct(self.connection, self._gait(x), self.q, self.steps)
        return relative(self.model, states[0], states[-1])

    def slope(self, x: np.ndarray) -> np.ndarray:
        """Its derivatives by the parameters, in columns."""
        if self.connection is not None and not self.connection.following:
            return displacement_derivative(self.connection, self._gait(x), self.names, self.q, self.steps)[1]
        step, along = _DIFFERENCE * np.maximum(1.0, np.abs(x)), self.displacement
        columns = [(along(x + d) - along(x - d)) / (2.0 * h) for h, d in zip(step, np.diag(step), strict=True)]
        return np.array(columns).T


def _goal(
    components: tuple[str, ...], wanted: Mapping[str, float], weights: Mapping[str, float]
) -> tuple[list[int], np.ndarray, np.ndarray]:
    for name in (*wanted, *weights):
        if name not in components:
            raise InputError(f"the displacement has no component '{name}'{nearest(name, components)}")
    rows = [k for k, name in enumerate(components) if name in wanted]
    if not rows:
        raise InputError(f"no displacement is wanted; give at least one of {', '.join(components)}.")
    target = np.array([float(wanted[components[k]]) for k in rows])
    weight = np.array([float(weights.get(components[k], 1.0)) for k in rows])
    if not np.isfinite(target).all() or not (np.isfinite(weight) & (weight > 0.0)).all():
        raise InputError("the wanted displacement and its weights must be finite numbers, the weights positive.")
    return rows, target, weight


def _varied(gait: Gait, vary: Iterable[str] | None) -> list[str]:
    names = [name for name in gait.parameters if name != PACE] if vary is None else list(vary)
    for name in names:
        if name not in gait.parameters:
            raise InputError(f"the gait has no parameter '{name}'{nearest(name, gait.parameters)}")
    if not names:
        raise InputError("the gait has no parameter to vary; use harmonic_gait or serpenoid_gait.")
    return names


def _box(names: Sequence[str], bounds: Mapping[str, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    for name, (low, high) in bounds.items():
        if not low < high:
            raise InputError(f"the bounds of '{name}' are {low!r} and {high!r}; the first must be the smaller one.")
    pairs = np.array([bounds.get(name, (-np.inf, np.inf)) for name in names], dtype=float)
    return pairs[:, 0], pairs[:, 1]


def _search(
    miss: Callable[[np.ndarray], np.ndarray],
    slope: Callable[[np.ndarray], np.ndarray],
    begin: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    tolerance: float,
    starts: int,
) -> Any:
    """The best least-squares result of SciPy from ``begin`` and up to ``starts`` other points; the first within tolerance."""
    from scipy.optimize import least_squares

    best: Any = None
    for k in range(starts + 1):
        first = begin if k == 0 else _other(k, begin, low, high)
        # Dogleg steps: with more parameters than goals they are those of Gauss-Newton, shortest, and converge quadratically.
        found = least_squares(
            miss, first, slope, bounds=(low, high), method="dogbox", xtol=1e-10, ftol=1e-10, gtol=1e-14, max_nfev=_MOST
        )
        if best is None or np.abs(found.fun).max() < np.abs(best.fun).max():
            best = found
        if np.abs(best.fun).max() <= tolerance:
            break
    return best


def _other(k: int, begin: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Another start: point k of Halton's sequence in the bounds, or within 1 of the first start where there are none."""
    result = np.empty_like(begin)
    for i in range(len(begin)):
        base, number, part, value = _PRIMES[i % len(_PRIMES)], k, 1.0, 0.0
        while number:
            part /= base
            number, digit = divmod(number, base)
            value += part * digit
        bottom, top = max(low[i], begin[i] - 1.0), min(high[i], begin[i] + 1.0)
        if np.isfinite(low[i]) and np.isfinite(high[i]):
            bottom, top = low[i], high[i]
        result[i] = bottom + value * (top - bottom)
    return result
