"""What an optimisation found: the best parameters, their metrics, the front of several objectives, the history of all runs."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import RunError

if TYPE_CHECKING:
    import xarray

    from locodyn.sim import Result
    from locodyn.study.optimisation import Optimisation


class Optimum:
    """``parameters`` and ``metrics`` of the best run that keeps all constraints; ``front()``, ``history``, ``result()``.

    ``points`` (k, n) in the unit cube and ``numbers`` (k, metrics) are all runs in the order in which they were asked for,
    ``messages`` says why each search ended.
    """

    def __init__(self, search: Optimisation, points: np.ndarray, numbers: np.ndarray, messages: tuple[str, ...]) -> None:
        self.search, self.points, self.numbers, self.messages = search, points, numbers, messages
        self.objectives, self.violations = search.judged(numbers)

    @property
    def feasible(self) -> np.ndarray:
        """Whether a run was completed and keeps all constraints, (k,)."""
        return np.asarray(np.isfinite(self.objectives).all(axis=1) & (self.violations <= 0.0).all(axis=1))

    @property
    def run(self) -> int:
        """Number of the best run; of several objectives, of the first one."""
        if not self.feasible.any():
            raise RunError(f"no run of '{self.search.subject.name}' keeps all constraints; widen the ranges, or the limits.")
        return int(np.argmin(np.where(self.feasible, self.objectives[:, 0], np.inf)))

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the best run."""
        return self.search.row(self.points[self.run])

    @property
    def metrics(self) -> dict[str, float]:
        """Of the best run."""
        return dict(zip(self.search.job.metrics, (float(x) for x in self.numbers[self.run]), strict=True))

    def front(self) -> np.ndarray:
        """Numbers of the runs that no other run beats in all objectives (Pareto), in the order of the first objective."""
        kept = np.flatnonzero(self.feasible)
        values = self.objectives[kept]
        beaten = [((values <= one).all(axis=1) & (values < one).any(axis=1)).any() for one in values]
        found = kept[~np.array(beaten, dtype=bool)]
        _, first = np.unique(self.objectives[found], axis=0, return_index=True)
        return np.asarray(found[first])

    @cached_property
    def history(self) -> xarray.Dataset:
        """All runs: parameters, metrics, whether they keep the constraints, the best objective so far."""
        import xarray

        rows = [self.search.row(point) for point in self.points]
        coords = {axis.name: ("run", [row[axis.name] for row in rows], {"units": axis.unit}) for axis in self.search.axes}
        data: dict[str, Any] = {
            name: ("run", self.numbers[:, k], {"units": metric.unit})
            for k, (name, metric) in enumerate(zip(self.search.job.metrics, self.search.job.resolved(), strict=True))
        }
        first, sign = next(iter(self.search.objectives.items()))
        best = np.minimum.accumulate(np.where(self.feasible, self.objectives[:, 0], np.inf))
        data |= {"feasible": ("run", self.feasible), "best": ("run", sign * best, {"long_name": f"best {first} so far"})}
        return xarray.Dataset(data, coords, {"source": self.search.subject.name, "method": self.search.method})

    def result(self, run: int | None = None, progress: bool = False) -> Result:
        """The best run (or another one) again, as an ordinary result with everything on record."""
        point = self.points[self.run if run is None else run]
        return self.search.subject.scenario(self.search.row(point)).run(progress=progress)

    def plot(self, path: str | Path) -> Path:
        """Draw convergence beside the runs over the first two parameters, or the front of two objectives, into a file."""
        from locodyn.view.search_pictures import plot_search

        return plot_search(self, path)

    def __repr__(self) -> str:
        words = ", ".join(f"{name} = {value:.6g}" for name, value in {**self.parameters, **self.metrics}.items())
        return f"Optimum({self.search.subject.name}: {words}; {len(self.points)} runs)"
