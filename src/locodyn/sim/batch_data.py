"""The data set of a batch: what its robots recorded, along the dimensions ``robot`` and ``time``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import Solution
from locodyn.integrate.robots import SOUND, Robots
from locodyn.sim.batch_reductions import Reductions
from locodyn.sim.dataset import build_dataset
from locodyn.sim.energy_account import Account, account_of, unwatched
from locodyn.sim.recorder import Records
from locodyn.sim.recorders import VARIABLES
from locodyn.sim.soundness import computed, finite_records

if TYPE_CHECKING:
    import xarray

    from locodyn.device.driver import DeviceArray
    from locodyn.device.launch import DeviceRobots
    from locodyn.sim.scenario import Scenario

# Variables that states alone tell, whatever the integrator.
_OF_MOTION = (
    "position", "orientation", "twist", "joint_position", "joint_velocity", "joint_target", "body_position", "body_orientation",
    "rod_position", "rod_orientation", "rod_strain", "memory",
)  # fmt: skip


class Tape:
    """States of all robots, record by record: of robots on a card, there, until its memory is full or the end of the run.

    ``states``: how many numbers of what a robot brings along are the states of its laws.
    """

    def __init__(self, robots: Robots, device: DeviceRobots | None, states: int) -> None:
        self._robots, self._device, self._count = robots, device, states
        self._names = ("q", "v", "own") if states else ("q", "v")
        self._rows: list[list[np.ndarray | DeviceArray]] = []
        self._fetched = 0

    def note(self) -> None:
        """One record."""
        if self._device is None:
            self._rows.append([getattr(self._robots, name).copy() for name in self._names])
            return
        try:
            row = self._device.copies(*self._names)
        except InputError:
            self._fetch()
            row = self._device.copies(*self._names)
        self._rows.append(row)

    def __len__(self) -> int:
        return len(self._rows)

    def forget(self) -> None:
        """Keep the last record only."""
        self._rows, self._fetched = self._rows[-1:], min(self._fetched, 1)

    def states(self, steps: np.ndarray, failed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (N, B, nq), v (N, B, nv), memory (N, B, nz) after so many ``steps`` (N,); NaN after the step that ``failed`` (B,)."""
        self._fetch()
        q, v, *own = (np.array(column) for column in zip(*self._rows, strict=True))
        memory = own[0].view(float)[:, :, : self._count] if own else np.zeros((*q.shape[:2], 0))
        over = (failed != SOUND) & (failed < steps[:, None])
        memory = np.where(over[:, :, None], np.nan, memory)
        q[over] = v[over] = np.nan
        return q, v, memory

    def _fetch(self) -> None:
        """Have the records so far here."""
        for row in self._rows[self._fetched :]:
            row[:] = [one if isinstance(one, np.ndarray) else one.get() for one in row]
        self._fetched = len(self._rows)


def batch_dataset(
    scenario_of: Callable[[int], Scenario],
    times: np.ndarray,
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
    status: list[str],
    variables: Sequence[str],
    energy: bool,
) -> xarray.Dataset:
    """Positions, velocities and states of laws of all robots with names and units, and further variables of their results.

    ``times`` (N,) s; ``states``: q (N, B, nq), v (N, B, nv), memory (N, B, nz); ``scenario_of``: that of a robot with its present
    actions, which the next one that is asked for may change. ``energy``: whether energy accounts are looked at.
    """
    import xarray

    scenario = scenario_of(0)
    robot, problem = scenario.compiled, scenario.problem
    q, v, memory = (np.ascontiguousarray(x.swapaxes(0, 1)) for x in states)
    dims = ("robot", "time")
    data = {
        "q": ((*dims, "position_name"), q, {"long_name": "positions of the coordinates", "units": "m or rad"}),
        "v": ((*dims, "coordinate"), v, {"long_name": "velocities of the coordinates", "units": "m/s or rad/s"}),
        "status": (("robot",), np.array(status), {"long_name": "sound, or when the robot failed"}),
    }
    coordinates = {
        "robot": np.arange(len(q)),
        "time": ("time", times, {"units": "s", "long_name": "time"}),
        "position_name": list(robot.position_names),
        "coordinate": list(robot.coordinate_names),
    }
    if memory.shape[2]:
        data["memory"] = ((*dims, "state"), memory, {"long_name": "states of laws with memory"})
        coordinates["state"] = list(problem.memories.names)
    attributes = {"title": f"locodyn: {len(q)} x {scenario.name}", "integrator": scenario.numerics.integrator}
    if not energy:
        attributes["energy_unwatched"] = "a batch looks at the energy of its robots where it is asked to: run(energy=True)"
    result = xarray.Dataset(data, coordinates, attributes)
    if not variables and not energy:
        return result
    _check_variables(variables)
    parts, told = zip(
        *(_one(scenario_of(r), times, q[r], v[r], memory[r], variables, energy) for r in range(len(q))), strict=True
    )
    if energy:
        about = {"long_name": "whether the energy account of a robot closes"}
        result = result.assign(energy_account=(("robot",), np.array(told), about))
    return result.merge(_side_by_side(parts))


def _side_by_side(parts: Sequence[xarray.Dataset | None]) -> xarray.Dataset:
    """Variables of robots, NaN where a robot has none."""
    import xarray

    there = max(
        (part for part in parts if part is not None), key=lambda part: part.sizes.get("time", 0), default=xarray.Dataset()
    )
    nothing = xarray.full_like(there, np.nan)
    every = [nothing if part is None else part for part in parts]
    return xarray.concat(every, dim="robot", join="outer", coords="minimal", compat="override")


def is_of_motion(scenario: Scenario, name: str) -> bool:
    """Whether the states of robots tell a variable, and not only the steps that lead to them."""
    return not scenario.numerics.method.books_work or name in ("q", "v", *_OF_MOTION)


def numbers_alone(
    scenario_of: Callable[[int], Scenario],
    times: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    sound: np.ndarray,
    reduce: Mapping[str, str],
) -> xarray.Dataset:
    """Numbers in place of records that only the steps of a method know: each robot runs once more, alone, up to its ``ends``.

    ``ends``: q (B, nq), v (B, nv); ``sound`` (B,): robots that have not failed; the others have NaN.
    """
    import xarray

    _check_variables(tuple(reduce))
    parts: list[xarray.Dataset | None] = []
    for r in range(len(sound)):
        parts.append(None)
        if sound[r]:
            one = Reductions(reduce)
            one.add(_alone(scenario_of(r), times, ends[0][r : r + 1], ends[1][r : r + 1]))
            parts[-1] = xarray.Dataset(one.numbers())
    return _side_by_side(parts)


def _check_variables(variables: Sequence[str]) -> None:
    for name in variables:
        if name not in VARIABLES:
            raise InputError(f"there is no variable '{name}'{nearest(name, VARIABLES)}")


def _one(
    scenario: Scenario,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    memory: np.ndarray,
    variables: Sequence[str],
    energy: bool,
) -> tuple[xarray.Dataset | None, str]:
    """Variables of one robot, up to its failure (None where it has failed before), and what becomes of its energy account."""
    n = finite_records(q, v, memory)
    if not n:
        return None, "not watched: it has no records"
    if scenario.numerics.method.books_work and (energy or not set(variables) <= set(_OF_MOTION)):
        result = _alone(scenario, times[:n], q[:n], v[:n])
        return result[list(variables)], _told(account_of(scenario, times[:n], result), scenario) if energy else ""
    solution = Solution(times[:n], q[:n], v[:n], np.zeros(n, dtype=np.int64), memory=memory[:n])
    series = computed(scenario, solution, times[:n], q[:n], v[:n], memory[:n])
    dataset = build_dataset(Records(scenario, solution.times, solution.q, solution.v, solution.iterations, series), {})
    missing = [name for name in variables if name not in dataset]
    if missing:
        raise InputError(
            f"a run of '{scenario.name}' has no '{missing[0]}'{nearest(missing[0], [str(name) for name in dataset.data_vars])}"
        )
    return dataset[list(variables)], _told(account_of(scenario, times[:n], series), scenario) if energy else ""


def _told(found: Account | None, scenario: Scenario) -> str:
    """What becomes of an energy account, in words."""
    if found is None:
        return f"not watched: {unwatched(scenario) or 'one record has no account'}"
    if found.closes(scenario.numerics.method.dissipates):
        return "closes"
    failed, (amount, time) = found.first_failure(), found.worst()
    words = "gained" if amount > 0.0 else "lost"
    beyond = f", by t = {found.times[failed]:g} s more than the motion ever had" if failed is not None else ""
    return (
        f"open: {abs(amount):.2g} J, {abs(amount) / found.scale:.2g} of the scale of the motion, are {words} without a source by"
        f" t = {time:g} s{beyond}"
    )


def _alone(scenario: Scenario, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> xarray.Dataset:
    """The result of a robot by itself, for what only the steps of its method know, as forces of hard contact; the same bits.

    ``q`` (n, nq), ``v`` (n, nv): its states at the last n of the ``times``, which the run must meet.
    """
    if times[0] == 0.0 and len(times) > 1:
        every = round((times[1] - times[0]) / scenario.numerics.step)
        result = scenario.changed(t_end=float(times[-1]), record_every=every, checks=()).run(progress=False)
        if result.q is not None and result.v is not None and _meets(result.q, q) and _meets(result.v, v):
            return result.dataset
    raise InputError(
        f"forces and works of '{scenario.name}' are known inside the steps of '{scenario.numerics.integrator}' only: a batch"
        " records them in runs from the start of its robots, without actions."
    )


def _meets(found: np.ndarray, ends: np.ndarray) -> bool:
    return np.array_equal(found[-len(ends) :], ends)


def columns_among(views: Sequence[np.ndarray], among: Sequence[np.ndarray]) -> list[int]:
    """Numbers of the words of some views among those of all."""
    first = np.cumsum([0, *map(len, among)])
    places = {view.ctypes.data: int(n) for view, n in zip(among, first[:-1], strict=True) if len(view)}
    return [places[view.ctypes.data] + k for view in views for k in range(len(view))]
