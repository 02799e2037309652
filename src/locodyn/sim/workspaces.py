"""The workspace of a robot: which places its platform can be put at, and where it is stable there when the drives hold still."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim.progress import CompileWatch, ProgressBar

if TYPE_CHECKING:
    import xarray

    from locodyn.equilibria.workspace import Place, TaskEquilibria
    from locodyn.sim.scenario import Scenario

_JUMP = 4.0  # steps of the grid: a body that moves farther from one place to the next belongs to another sheet
_CELLS = 1_000_000
_ROUND_OFF = 1e-9  # N, of a tension that is zero


class Workspace:
    """Equilibria over a grid of places of the platform; ``dataset`` is labelled (xarray), NaN where there is none.

    ``unstable_directions`` (-1: no equilibrium); ``least_stiffness`` (1/s^2): smallest squared frequency of small motions with
    the drives held, zero at singularities; ``drive``: positions (rad, m) or tensions (N) that put the platform there, ``effort``:
    their forces; ``transmission``: determinant of the change of the drives with the place, zero at the same singularities;
    ``position`` (nq) of the robot; ``feasible``: no tension is negative.
    """

    def __init__(self, dataset: xarray.Dataset, scenario: Scenario, body: str) -> None:
        self.dataset, self.scenario, self.body = dataset, scenario, body

    @property
    def axes(self) -> tuple[str, str]:
        """The two directions of the grid."""
        first, second = self.dataset["least_stiffness"].dims
        return str(first), str(second)

    @property
    def reached(self) -> np.ndarray:
        """Whether there is an equilibrium, (n1, n2)."""
        return self.dataset["unstable_directions"].values >= 0

    @property
    def stable(self) -> np.ndarray:
        """Whether there is a stable one that the drives can give, (n1, n2): tensions are not negative."""
        found: np.ndarray = (self.dataset["unstable_directions"].values == 0) & (self.dataset["feasible"].values > 0)
        return found

    def area(self, stable: bool = True) -> float:
        """Area of the stable places, or of all that are reached, in units of the grid."""
        steps = [float(np.diff(self.dataset[axis].values)[0]) for axis in self.axes]
        return float(np.sum(self.stable if stable else self.reached)) * steps[0] * steps[1]

    def plot(self, path: str | Path) -> Path:
        """Draw stable and unstable regions with their singular boundaries; the ending says the format (png, pdf, svg)."""
        from locodyn.view.workspace import plot_workspace

        return plot_workspace(self, path)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as NetCDF-4."""
        from locodyn.sim.store import save_dataset

        return save_dataset(self.dataset, path)

    def __repr__(self) -> str:
        count = self.reached.size
        return f"Workspace({self.body}: {self.reached.sum()} of {count} places reached, {self.stable.sum()} stable)"


def workspace(
    scenario: Scenario,
    body: str,
    grid: Mapping[str, tuple[float, float, int]],
    *,
    drives: Sequence[str] | None = None,
    hold: Sequence[str] = (),
    progress: bool = True,
) -> Workspace:
    """The workspace of a robot with as many drives as directions in which its platform is placed.

    Parameters
    ----------
    scenario : Scenario
        Its start, drives at t = 0 and loads give the equilibrium from which the grid is explored, from neighbour to neighbour.
    body : str
        The platform: a body or a marker.
    grid : {direction: (from, to, count)}
        Two of ``x``, ``y``, ``z`` (m), ``about_x``, ``about_y``, ``about_z`` (rad, of the rotation vector since the start).
    drives : names of imposed coordinates and of tendons
        What moves the platform; by default all imposed coordinates, and without them all tendons with a tension.
    hold : directions
        In which the platform stays where it is at the start.
    """
    from locodyn.sim.scenario import Scenario as Given

    if not isinstance(scenario, Given):
        raise InputError(f"a workspace is that of a scenario, but {scenario!r} is given.")
    if not isinstance(grid, Mapping) or not all(isinstance(one, (tuple, list)) and len(one) == 3 for one in grid.values()):
        raise InputError(f"the grid of a workspace is {grid!r}; it must be two directions with (from, to, count) each.")
    names = _drives(scenario, drives)
    directions = _directions(grid, hold, names)
    values = [np.linspace(*grid[name]) for name in grid]
    with CompileWatch(say=progress), ProgressBar(f"workspace of {scenario.name}", 0.0, 1.0, progress) as bar:
        system, start = _begun(scenario, body, directions, names)
        found = _explored(system, start, values, bar)
    return Workspace(_dataset(scenario, found, list(grid), values, names), scenario, body)


def _drives(scenario: Scenario, chosen: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Names of driven coordinates and of driven tendons."""
    known = [*scenario.drive.imposed, *scenario.drive.tension]
    names = list(chosen) if chosen is not None else list(scenario.drive.imposed) or list(scenario.drive.tension)
    for name in names:
        if name not in known:
            raise InputError(f"'{name}' is neither an imposed coordinate nor a tendon with a tension{nearest(name, known)}")
    return [n for n in names if n in scenario.drive.imposed], [n for n in names if n in scenario.drive.tension]


def _directions(
    grid: Mapping[str, tuple[float, float, int]], hold: Sequence[str], names: tuple[list[str], list[str]]
) -> list[str]:
    from locodyn.equilibria.workspace import DIRECTIONS

    for name in (*grid, *hold):
        if name not in DIRECTIONS:
            raise InputError(f"a platform has no direction '{name}'{nearest(name, DIRECTIONS)}")
    if len(grid) != 2:
        raise InputError(f"the grid of a workspace has {len(grid)} directions; it must have two.")
    for name, (low, high, count) in grid.items():
        if not (np.isfinite([low, high]).all() and high > low and int(count) == count and count >= 2):
            raise InputError(
                f"the grid along {name} is {grid[name]}; it must be (from, to, count) with from < to and 2 places or more."
            )
    if np.prod([int(count) for *_, count in grid.values()]) > _CELLS:
        raise InputError(f"the grid of the workspace has more than {_CELLS} places; take fewer.")
    wanted, drives = [*grid, *hold], [*names[0], *names[1]]
    if len(set(wanted)) != len(wanted):
        raise InputError("a direction of the workspace is named twice; each is either on the grid or held.")
    if len(wanted) != len(drives):
        raise InputError(
            f"the platform is placed in {len(wanted)} directions ({', '.join(wanted)}) by {len(drives)} drives"
            f" ({', '.join(drives) or 'none'}); there must be as many: name drives, or directions to hold."
        )
    return wanted


def _begun(
    scenario: Scenario, body: str, directions: list[str], names: tuple[list[str], list[str]]
) -> tuple[TaskEquilibria, Place]:
    """The equations, and the equilibrium of the scenario at its start."""
    from locodyn.equilibria.statics import equilibrium
    from locodyn.equilibria.workspace import TaskEquilibria

    q, _ = scenario.start.state(scenario.model, scenario.by_index(scenario.drive.imposed))
    first = equilibrium(scenario.problem, q, 0.0, steps=scenario.start.load_steps, stable=True)
    free = scenario.changed(imposed={n: law for n, law in scenario.drive.imposed.items() if n not in names[0]}, start=None)
    coordinates = [scenario.compiled.coordinate_names.index(name) for name in names[0]]
    strands = [scenario.compiled.strand_names.index(name) for name in names[1]]
    if body not in (*scenario.compiled.body_names, *scenario.compiled.marker_names):
        raise InputError(
            f"robot '{scenario.compiled.name}' has no body or marker '{body}'{nearest(body, scenario.compiled.body_names)}"
        )
    system = TaskEquilibria(free.problem, first.q, body, directions, coordinates, strands)
    tensions = [float(scenario.drive.tension[name].at(0.0)[0]) for name in names[1]]
    start = system.started(first.q, first.multipliers, np.array(tensions))
    return system, start


def _explored(system: TaskEquilibria, start: Place, values: list[np.ndarray], bar: ProgressBar) -> dict[tuple[int, int], Place]:
    """Equilibria by the numbers of their places, from the one nearest to the start on, from neighbour to neighbour."""
    shape = tuple(len(v) for v in values)
    steps = np.array([v[1] - v[0] for v in values])
    target = system.task(start.q)
    first, second = (int(np.argmin(np.abs(v - x))) for v, x in zip(values, target[:2], strict=True))
    seed = (first, second)
    way = np.concatenate([[v[k] for v, k in zip(values, seed, strict=True)], target[2:]]) - target
    place: Place | None = start
    parts = max(1, int(np.ceil(np.max(np.abs(way[:2]) / steps))))
    for _ in range(parts):  # from the start to the nearest place of the grid
        place = None if place is None else system.next(place, way / parts, np.inf)
    if place is None:
        raise InputError(
            "the grid of the workspace cannot be reached from the start; let it contain the place of the platform there."
        )
    found = {seed: place}
    queue = deque([seed])
    while queue:
        here = queue.popleft()
        for axis, side in ((0, 1), (0, -1), (1, 1), (1, -1)):
            there = (here[0] + side * (axis == 0), here[1] + side * (axis == 1))
            if there in found or not all(0 <= k < n for k, n in zip(there, shape, strict=True)):
                continue
            move = np.zeros(len(target))
            move[axis] = side * steps[axis]
            place = system.next(found[here], move, _JUMP * float(np.max(steps)))
            if place is not None:
                found[there] = place
                queue.append(there)
        bar.to(min(1.0, len(found) / float(np.prod(shape))))
    return found


def _dataset(
    scenario: Scenario, found: dict[tuple[int, int], Place], axes: list[str], values: list[np.ndarray],
    names: tuple[list[str], list[str]],
) -> xarray.Dataset:  # fmt: skip
    import xarray

    shape, drives = tuple(len(v) for v in values), [*names[0], *names[1]]
    blank = {"least_stiffness": (), "transmission": (), "drive": (len(drives),), "effort": (len(drives),)}
    arrays = {name: np.full((*shape, *more), np.nan) for name, more in blank.items()}
    arrays["position"] = np.full((*shape, scenario.compiled.nq), np.nan)
    count, feasible = np.full(shape, -1), np.zeros(shape, dtype=np.int8)
    for cell, place in found.items():
        arrays["least_stiffness"][cell] = place.eigenvalues.min(initial=np.inf)
        arrays["transmission"][cell] = np.linalg.det(place.slope)
        arrays["drive"][cell], arrays["effort"][cell], arrays["position"][cell] = place.drives, place.efforts, place.q
        count[cell] = int(np.sum(place.eigenvalues <= 0.0))
        feasible[cell] = int((place.efforts[len(names[0]) :] >= -_ROUND_OFF).all())
    dims = {"drive": (*axes, "drives"), "effort": (*axes, "drives"), "position": (*axes, "q")}
    units = {name: "rad" if name.startswith("about") else "m" for name in axes}
    dataset = xarray.Dataset(
        {name: (dims.get(name, tuple(axes)), values_) for name, values_ in arrays.items()},
        {
            **{name: (name, v, {"units": units[name]}) for name, v in zip(axes, values, strict=True)},
            "drives": drives,
            "q": list(scenario.compiled.position_names),
        },
        {"scenario": scenario.name},
    )
    dataset["unstable_directions"] = (tuple(axes), count)
    dataset["feasible"] = (tuple(axes), feasible)
    return dataset
