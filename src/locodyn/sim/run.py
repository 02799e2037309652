"""One run: check, start, integrate and record stretch by stretch, look back at it, write it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import AUTO, Past, Watch
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.sim.about import about
from locodyn.sim.dataset import labelled
from locodyn.sim.energy_account import account_of, energy_failure, note_energy, unwatched
from locodyn.sim.interrupts import Interrupts, telling
from locodyn.sim.ledger import first_records
from locodyn.sim.part_file import PartFile, part_of
from locodyn.sim.progress import CompileWatch, ProgressBar
from locodyn.sim.rank import note_rank_changes
from locodyn.sim.result import Result
from locodyn.sim.room import Forecast, check_room
from locodyn.sim.run_warnings import join_phases, note_inside_out, note_lifting, note_limits, note_violations, note_wedging
from locodyn.sim.same_run import check_same_run, same_step
from locodyn.sim.seen_numbers import seen_numbers
from locodyn.sim.start_kept import check_kept
from locodyn.sim.store import RESULT, check_writable, load_dataset
from locodyn.sim.stretches import Pace, Stretches
from locodyn.sim.surface_warning import note_surfacing
from locodyn.sim.unused import warn_unused

if TYPE_CHECKING:
    import xarray

    from locodyn.integrate.base import Solution
    from locodyn.sim.scenario import Scenario


Progress = bool | Callable[[float], None]  # a bar and messages, nothing, or a function that is told the time reached


@dataclass(frozen=True)
class Begin:
    """Where a stretch begins: time (s), positions (nq,), velocities (nv,), states of laws (nz,), history of the run so far."""

    t: float
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    history: np.ndarray | None = None


def run(scenario: Scenario, *, progress: Progress = True, out: str | Path | None = None) -> Result:
    """Run a scenario from t = 0.

    What it has so far is in ``out`` with ``.part`` behind it while it goes on, and opens like the result when it was killed.
    """
    return _run(scenario, progress, out)[0]


def run_through(scenario: Scenario, *, progress: Progress = True) -> Result:
    """Run a scenario as a step of something larger: where a signal comes, that ends too, with a KeyboardInterrupt.

    Also where the signal comes after the last step, and the run itself is whole.
    """
    result, signalled = _run(scenario, progress, None)
    if signalled:
        raise KeyboardInterrupt
    return result


def _run(scenario: Scenario, progress: Progress, out: str | Path | None) -> tuple[Result, bool]:
    """The result of a run, and whether a signal asked to end it."""
    target = None if out is None else check_writable(out, "output", RESULT)
    stretches, talks = Stretches(target), progress is True
    try:
        with (
            telling(stretches.told),
            Interrupts(say=talks) as interrupts,
            CompileWatch(talks, interrupts.check_early) as compiling,
        ):
            clock = Clock(compiling)
            q0, v0 = started(scenario)
            named = scenario.numerics.integrator
            scenario, choice = with_numerics(scenario, q0, v0)
            warn_unused(scenario, named)
            check_room(scenario, q0, v0, target)
            if choice:
                clock.also["integrator_choice"] = choice
            if target is not None:
                clock.also["seen_numbers"] = seen_numbers(scenario)
            interrupts.check_early()  # what was stopped so far has nothing to keep
            _record(scenario, stretches, Begin(0.0, q0, v0, scenario.initial_memory()), progress, interrupts, clock)
            result = _finished(scenario, stretches, clock)
        return result, interrupts.wanted or result.status.startswith("interrupted")
    finally:
        stretches.close()


def started(scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """Positions (nq,) and velocities (nv,) at which a run begins; refused where its motions or its start do not allow it."""
    scenario.check_motion()
    q0, v0 = scenario.initial_state()
    check_kept(scenario, q0, v0)
    return q0, v0


def resume(path: str | Path, t_end: float, scenario: Scenario, *, progress: bool = True, out: str | Path | None = None) -> Result:
    """Go on with a saved run from its last state to ``t_end`` (s), and write the whole run to ``out`` (default: the same file).

    The run may have been killed: it goes on from the last stretch that it had written; where that was the last of the run, only
    the file is put together. The scenario must be the one of that run: another robot, gravity, obstacles, integrator or step is
    refused. With fixed steps, and with ``adaptive`` where the run had not reached its end (to which its last step is cut), the
    result is the one of an uninterrupted run, bit by bit. Promise 7 of :mod:`locodyn.integrate.base` says what functions of the
    user keep. Where a run ended under a control law that samples, its
    last record has the torque that was held until there.
    """
    target = check_writable(path if out is None else out, "output", RESULT)
    stretches = _saved(path, target)
    try:
        before = stretches.last
        assert before is not None
        scenario, begin = _begin_again(before, path, t_end, scenario, killed=stretches.part is not None)
        with (
            telling(stretches.told),
            Interrupts(say=progress) as interrupts,
            CompileWatch(progress, interrupts.check_early) as compiling,
        ):
            clock = Clock(compiling, before.attrs)
            if begin.t < scenario.recording.t_end:
                _record(scenario, stretches, begin, progress, interrupts, clock)
            return _finished(scenario, stretches, clock)
    finally:
        stretches.close()


def _saved(path: str | Path, target: Path) -> Stretches:
    """The stretches of a saved run; where it was killed, and goes on to the same file, in its part file."""
    part = PartFile(part_of(path))
    if part_of(target) == part.path and part.path.is_file() and part.frames():
        return Stretches(target, part.dataset(part.go_on()[-1]), part)
    return Stretches(target, load_dataset(path))


def _begin_again(
    before: xarray.Dataset, path: str | Path, t_end: float, scenario: Scenario, killed: bool
) -> tuple[Scenario, Begin]:
    """The scenario with the numerics of a saved run, if it is the one of that run, and where it goes on."""
    if str(before.attrs["status"]).startswith("failed"):
        raise InputError(f"the run in '{path}' has {before.attrs['status']}; only a sound run can be resumed.")
    start = float(before.attrs["resume_time"])
    scenario = scenario.changed(t_end=t_end)
    if scenario.numerics.integrator == AUTO:
        step = float(before.attrs["step"]) if scenario.numerics.step_is_free else scenario.numerics.step
        scenario = scenario.computed_with(str(before.attrs["integrator"]), step)
    if scenario.recording.t_end < start or (scenario.recording.t_end == start and not killed):
        raise InputError(f"the run in '{path}' has reached t = {start:g} s already; the end time must be later.")
    q0, v0 = (np.atleast_1d(np.asarray(before.attrs[name], float)) for name in ("resume_position", "resume_velocity"))
    robot = scenario.compiled
    if q0.shape != (robot.nq,) or v0.shape != (robot.nv,):
        raise InputError(
            f"the run in '{path}' has {len(q0)} positions and {len(v0)} velocities, the scenario '{scenario.name}' has"
            f" {robot.nq} and {robot.nv}; give the scenario of that run."
        )
    scenario = same_step(scenario, before.attrs)
    told = {"seen_numbers": seen_numbers(scenario)} if "seen_numbers" in before.attrs else {}
    check_same_run(before.attrs, about(scenario) | told, path)
    scenario.check_motion(start)
    memory = np.atleast_1d(np.asarray(before.attrs.get("resume_memory", np.zeros(0)), float))
    history = before.attrs.get("resume_history")
    return scenario, Begin(start, q0, v0, memory, None if history is None else np.atleast_1d(np.asarray(history, dtype=float)))


class Clock:
    """Time since the start (s), that of compiling, and evaluations, for the attributes of a run; with those of the run before."""

    def __init__(self, compiling: CompileWatch, before: Any = None) -> None:
        before = {} if before is None else before
        self._compiling, self._began = compiling, time.perf_counter()
        self._sums = {name: float(before.get(name, 0.0)) for name in ("wall_time", "compile_time", "evaluations")}
        self.also = {name: before[name] for name in ("integrator_choice", "seen_numbers") if name in before}

    @property
    def seconds(self) -> float:
        """Since this run began or went on."""
        return time.perf_counter() - self._began

    @property
    def computing(self) -> float:
        """The same without what compiling took of it: a first run does not take long because it compiles."""
        return self.seconds - self._compiling.seconds

    def book(self, attributes: dict[Any, Any], evaluations: int | None = None) -> None:
        """Put the sums into attributes; ``evaluations`` of a new stretch."""
        if evaluations is not None:
            self._sums["evaluations"] += evaluations
        attributes["wall_time"] = self._sums["wall_time"] + self.seconds
        attributes["compile_time"] = self._sums["compile_time"] + self._compiling.seconds
        attributes["evaluations"] = int(self._sums["evaluations"])
        attributes |= self.also


def _record(
    scenario: Scenario, stretches: Stretches, begin: Begin, progress: Progress, interrupts: Interrupts, clock: Clock
) -> None:
    """Integrate and record from ``begin`` to the end, or to where something stops the run."""
    end, pace, forecast = scenario.recording.t_end, Pace(), Forecast(scenario.recording.t_end, progress is True)
    label = scenario.name if scenario.problem.is_compiled else f"{scenario.name} (time loop in Python)"

    def add(solution: Solution, more: bool) -> bool:
        """The next stretch; whether the run goes on after it."""
        before = stretches.last
        interrupts.has_states = True
        stretch, q, v = labelled(scenario, solution, before, stretches.ledger if scenario.recording.record else None)
        clock.book(stretch.attrs, int(stretch.attrs["evaluations"]))
        if before is not None:
            join_phases(before, stretch)
        stretches.add(stretch, q, v)
        reached = float(stretch.attrs["resume_time"])
        is_sound = not str(stretch.attrs["status"]).startswith("failed")
        goes_on = is_sound and (more or (solution.status == "completed" and reached < end * (1.0 - 1e-12)))
        if not goes_on:
            return False
        stretch.attrs["status"] = f"interrupted at t = {reached:g} s"  # if nothing follows
        if interrupts.wanted:
            return False
        pace.learn(stretch)
        stretches.keep()
        forecast.hear(reached, clock.computing, stretch.nbytes)
        return True

    over = False  # with a stretch that was handed over

    def hand_over(solution: Solution) -> None:
        nonlocal over
        over = not add(solution, more=True)
        if over:
            raise KeyboardInterrupt
        pace.begin()

    with ProgressBar(label, begin.t, end, progress is True) as bar:

        def told(t: float) -> None:
            (progress if callable(progress) else bar.to)(t)
            interrupts.check()

        while True:
            pace.begin()
            solution = _solve(scenario, begin, pace, told, hand_over)
            if over or not add(solution, solution.paused):
                return
            memory = begin.memory if solution.memory is None else solution.memory[-1]
            begin = Begin(float(solution.times[-1]), solution.q[-1], solution.v[-1], memory, solution.history)


def _finished(scenario: Scenario, stretches: Stretches, clock: Clock) -> Result:
    """The result of the whole run: looked back at, and written where there is an output."""
    dataset = stretches.whole()
    times, series = stretches.ledger.whole() if stretches.ledger else (dataset["time"].values, dataset)
    energy = account_of(scenario, times, series)
    broken = energy_failure(scenario, energy)
    if broken is not None:
        first, status = broken
        earlier = dataset.sizes["time"] - len(times)  # records before those of the account, of a run that was resumed
        dataset = dataset.isel(time=slice(0, earlier + first)).assign_attrs(status=status)
        energy = account_of(scenario, *first_records(times, series, first))
    q, v = stretches.states(dataset.sizes["time"])
    if broken is not None and q is not None and v is not None:
        dataset.attrs |= {"resume_time": float(dataset["time"].values[-1]), "resume_position": q[-1], "resume_velocity": v[-1]}
        dataset.attrs.pop("resume_history", None)
    clock.book(dataset.attrs)
    note_rank_changes(dataset)
    note_lifting(dataset)
    note_limits(dataset, scenario.compiled)
    note_wedging(dataset, scenario.compiled)
    note_surfacing(dataset, scenario.compiled)
    note_inside_out(dataset)
    note_violations(dataset)
    note_energy(dataset, scenario, energy)
    if stretches.out is not None:
        dataset = stretches.save(dataset)
        dataset.attrs.pop("seen_numbers", None)  # files alone have them: here the scenario itself is at hand
    return Result(dataset, scenario=scenario, model=scenario.model, q=q, v=v)


def with_numerics(scenario: Scenario, q0: np.ndarray, v0: np.ndarray) -> tuple[Scenario, str]:
    """The scenario with its integrator and a step that fits into the run; why, in words, where the integrator was not named.

    ``q0`` (nq,), ``v0`` (nv,): the start. An explicit integrator that was named, but is not stable there, gives a warning.
    """
    from locodyn.integrate.choice import choose, warn_beyond_limit

    problem = scenario.problem
    if scenario.numerics.integrator != AUTO:
        fitting = scenario.on_whole_steps()
        warn_beyond_limit(problem, scenario.numerics.method, q0, v0, fitting.numerics.step)
        return fitting, ""
    choice = choose(problem, q0, v0, None if scenario.numerics.step_is_free else scenario.numerics.step)
    return scenario.computed_with(choice.method.name, choice.step).on_whole_steps(), choice.words


def _solve(
    scenario: Scenario, begin: Begin, pace: Pace, told: Callable[[float], None], hand_over: Callable[[Solution], None]
) -> Solution:
    """Integrate one stretch; or to the end of the run where the method hands stretches over, or cannot be paused for its law."""
    from locodyn.integrate import solve

    method, step, every = scenario.numerics.method, scenario.numerics.step, scenario.recording.record_every
    end = scenario.recording.t_end
    if scenario.phases is not None:
        from locodyn.phases.hybrid_run import run_phases

        span = begin.t, end, step * every
        state = begin.q, begin.v, begin.memory
        watch = Watch(told, pause=pace.is_over, hand_over=hand_over)
        return run_phases(scenario.hybrid, *state, *span, scenario.numerics.tolerance, watch, begin.history)
    controller = scenario.problem.controller
    pauses = method.pauses and (not isinstance(controller, SampledController) or controller.hands_over)
    if pauses and method.fixed_step:  # the records of a stretch have their place before it begins
        until = (round(begin.t / step) + pace.most * every) * step
        end = until if until < end - 0.5 * step else end
    return solve(
        scenario.problem,
        begin.q,
        begin.v,
        begin.t,
        end,
        step=step,
        method=method,
        record_every=every,
        past=Past(begin.memory, 0.0, begin.history),
        watch=Watch(
            told,
            sums_work=not unwatched(scenario),
            pause=pace.is_over if pauses or method.hands_over else None,
            goes_on=end < scenario.recording.t_end,
            hand_over=hand_over if method.hands_over else None,
        ),
    )
