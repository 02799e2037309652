"""Runs in turn: one motion computed with several models, one after the other.

A run has one robot, because its result names each coordinate once. Where parts are added or taken away during a motion (Gotelli
2024, 5.8.1), or where a model ends to hold (Ali 2011, perspectives: wheels that do not slip, at a shape in which they would have
to), the next run goes on at that instant with another robot or other contacts: :mod:`locodyn.sim.hand_over` says what it takes
over. Laws of time go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Past, Watch
from locodyn.motion.base import finite, positive
from locodyn.sim.dataset import labelled
from locodyn.sim.energy_account import account_of, energy_failure, note_energy, unwatched
from locodyn.sim.hand_over import HandOver, first_of, state_of, with_history
from locodyn.sim.ledger import Ledger, first_records
from locodyn.sim.result import Result
from locodyn.sim.run import with_numerics

if TYPE_CHECKING:
    import xarray

    from locodyn.integrate.base import Solution
    from locodyn.sim.scenario import Scenario

Until = float | Callable[[float, np.ndarray, np.ndarray], float]
"""When a run hands over: a time (s), or a function g(t, q, v): at the first record, after that at its start, where it is >= 0."""

_MOST = 200  # changes of model in one motion; more is a model that cannot go on
_ROOM = 1e-12  # part of the time at which a motion has ended


@dataclass(frozen=True)
class Succession:
    """Results of runs in turn; the last record of one and the first of the next are at the same time.

    ``jumps``: the largest change of a velocity (m/s, rad/s) at each change of model, of coordinates that both robots have: what
    the new constraints took away.
    """

    results: tuple[Result, ...]
    jumps: tuple[float, ...]

    @property
    def status(self) -> str:
        """``completed``, or what stopped the last run."""
        return self.results[-1].status

    @property
    def time(self) -> np.ndarray:
        """(N,) of all records, s."""
        return np.concatenate([result.time.values for result in self.results])

    def series(self, name: str, **of: Any) -> xarray.DataArray:
        """A variable over the whole motion, ``of`` parts that all robots have: ``series("body_position", body="hand")``."""
        import xarray

        return xarray.concat([result.dataset[name].sel(of) for result in self.results], "time", join="inner")


def run_in_turn(turns: Sequence[tuple[Scenario, Until]]) -> Succession:
    """Run scenarios one after the other, each from where the one before it ended.

    Parameters
    ----------
    turns : pairs of a scenario and when it ends
        A time (s, from the beginning of the motion), or a function g(t, q, v) of its state that ends it at the first record
        at which it is not negative, at the latest at the ``t_end`` of the scenario. Laws of all scenarios are laws of the same
        time. The first scenario starts as it says; in the others, what the robot before did not have does.
    """
    if not turns:
        raise InputError("runs in turn need at least one scenario.")
    results: list[Result] = []
    jumps: list[float] = []
    t = 0.0
    for number, (scenario, until) in enumerate(turns):
        end = _end(scenario, until)
        if results and t >= end * (1.0 - _ROOM):
            raise InputError(
                f"run {number + 1} of {len(turns)} would end at {end:g} s, but begins at {t:g} s, when the one before it ends."
            )
        result, jump = _one(scenario, until, t, results[-1] if results else None)
        jumps += [jump] if results else []
        results.append(result)
        t = float(result.time.values[-1])
        if result.status != "completed":
            break
    return Succession(tuple(results), tuple(jumps))


def across_singularities(rolling: Scenario, slipping: Scenario, *, below: float = 0.05, above: float | None = None) -> Succession:
    """A motion on wheels through shapes at which they would have to slip: the model changes there (Ali 2011, perspectives).

    Where wheels give the motion of the robot, its velocity grows without bound towards a shape at which they are no longer
    independent, unless the gait happens to be compatible with it. No wheel takes such forces. So ``rolling`` goes on while its
    ``constraint_condition`` is at least ``below``; then ``slipping``, the same robot on wheels with a law of friction and driven
    alike, until the condition is ``above`` (by default twice ``below``) again. What slips then is stopped at once (``jumps``).
    Contacts on rods count as wheels: a body slides through its sleeves, or over a ground that resists across it.

    Parameters
    ----------
    rolling, slipping : Scenario
        With joints of the same names. The motion ends at the ``t_end`` of ``rolling``.
    below, above : part of 1
    """
    low = positive(below, "the condition at which the model changes")
    high = 2.0 * low if above is None else finite(above, "the condition at which the model changes back")
    if not low < high < 1.0:
        raise InputError(f"the model changes below the condition {low:g} and back above {high:g}; both must grow and be below 1.")
    if rolling.problem.constraints.arrays is None:
        raise InputError(
            f"scenario '{rolling.name}' has no wheels, loops or contacts on rods, and so no shapes at which they lose rank."
        )
    end, t = rolling.recording.t_end, 0.0

    def condition(time: float, q: np.ndarray, v: np.ndarray) -> float:
        found = rolling.problem.series(np.array([time]), q[None].copy(), v[None].copy())
        return float(found["constraint_condition"][0])

    results: list[Result] = []
    jumps: list[float] = []
    while t < end * (1.0 - _ROOM) and len(results) < _MOST:
        if len(results) % 2 == 0:
            chosen, until = rolling, lambda time, q, v: low - condition(time, q, v)
        else:
            chosen, until = slipping.changed(t_end=end), lambda time, q, v: condition(time, q, v) - high
        result, jump = _one(chosen, until, t, results[-1] if results else None)
        jumps += [jump] if results else []
        results.append(result)
        t = float(result.time.values[-1])
        if result.status != "completed":
            break
    return Succession(tuple(results), tuple(jumps))


def _end(scenario: Scenario, until: Until) -> float:
    return scenario.recording.t_end if callable(until) else positive(until, "the end of a run in turn")


def _one(scenario: Scenario, until: Until, t: float, before: Result | None) -> tuple[Result, float]:
    """The run from t on, and the largest jump of a velocity at its beginning."""
    if scenario.phases is not None:
        raise InputError(f"scenario '{scenario.name}' has phases; runs in turn take scenarios without them.")
    end = _end(scenario, until)
    begin = first_of(scenario) if before is None else state_of(before, scenario, t)
    fitting, _ = with_numerics(scenario.changed(t_end=end - t), begin.q, begin.v)
    named, origin = fitting.twin(recording=replace(fitting.recording, t_end=end)), _origin(fitting, t)
    if before is not None:
        begin = with_history(begin, before, named, origin)
    ledger = Ledger()
    dataset, q, v = labelled(named, _solved(fitting, begin, end, origin), ledger=ledger)
    if callable(until):
        last = _first_end(dataset, q, v, until)
        if last is not None and fitting.numerics.method.fixed_step:  # again to there: its last step is that of a run in one piece
            ledger = Ledger()
            solution = _solved(fitting, begin, float(dataset["time"].values[last]), origin)
            dataset, q, v = labelled(named, solution, ledger=ledger)
        elif last is not None:
            dataset, q, v = _cut(dataset, q, v, last)
    told = first_records(*ledger.whole(), len(q))
    energy = account_of(named, *told)
    broken = energy_failure(named, energy)
    if broken is not None:
        first, status = broken
        dataset, q, v = dataset.isel(time=slice(0, first)).assign_attrs(status=status), q[:first], v[:first]
        energy = account_of(named, *first_records(*told, first))
    note_energy(dataset, named, energy)
    return Result(dataset, scenario=named, model=named.model, q=q, v=v), begin.jump


def _origin(scenario: Scenario, t: float) -> float:
    """The time (s) from which steps are counted, so that t is at one and is recorded: 0 where that is so, else near it."""
    stride = scenario.numerics.step * scenario.recording.record_every
    rest = t - round(t / stride) * stride
    if abs(rest) <= _ROOM * max(t, stride):
        return 0.0
    return rest if t > stride else t


def _solved(scenario: Scenario, begin: HandOver, end: float, origin: float) -> Solution:
    from locodyn.integrate import solve

    numerics = scenario.numerics
    past = Past(begin.memory, origin, begin.history)
    watch = Watch(sums_work=not unwatched(scenario))
    return solve(
        scenario.problem, begin.q, begin.v, begin.t, end, step=numerics.step, method=numerics.method,
        record_every=scenario.recording.record_every, past=past, watch=watch,
    )  # fmt: skip


def _first_end(
    dataset: xarray.Dataset, q: np.ndarray, v: np.ndarray, until: Callable[[float, np.ndarray, np.ndarray], float]
) -> int | None:
    """Number of the first record, after the first of all, at which ``until`` is not negative; None where it always is."""
    times = dataset["time"].values
    return next((k for k in range(1, len(times)) if until(float(times[k]), q[k], v[k]) >= 0.0), None)


def _cut(dataset: xarray.Dataset, q: np.ndarray, v: np.ndarray, last: int) -> tuple[xarray.Dataset, np.ndarray, np.ndarray]:
    """The records up to this one."""
    kept = slice(0, last + 1)
    about = {"resume_time": float(dataset["time"].values[last]), "resume_position": q[last], "resume_velocity": v[last]}
    if "memory" in dataset:
        about["resume_memory"] = dataset["memory"].values[last]
    found = dataset.isel(time=kept).assign_attrs(status="completed", **about)
    found.attrs.pop("resume_history", None)
    return found, q[kept], v[kept]
