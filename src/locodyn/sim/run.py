"""One run: check, start, integrate, have the solution recorded, warn, write it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import AUTO
from locodyn.sim.about import about
from locodyn.sim.dataset import joined, labelled
from locodyn.sim.energy_account import has_account, note_energy
from locodyn.sim.phase_notes import join_phases, note_violations
from locodyn.sim.progress import CompileWatch, ProgressBar
from locodyn.sim.rank import note_rank_changes
from locodyn.sim.result import Result
from locodyn.sim.run_warnings import note_lifting, note_limits, note_wedging
from locodyn.sim.same_run import check_same_run, same_step
from locodyn.sim.start_kept import check_kept
from locodyn.sim.store import RESULT, check_writable, load_dataset

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.scenario import Scenario


Progress = bool | Callable[[float], None]  # a bar and messages, nothing, or a function that is told the time reached


def run(scenario: Scenario, *, progress: Progress = True, out: str | Path | None = None) -> Result:
    """Run a scenario from t = 0."""
    if out is not None:
        check_writable(out, "output", RESULT)
    scenario.check_motion()
    clock = time.perf_counter()
    with CompileWatch(say=progress is True) as compiling:
        q0, v0 = scenario.initial_state()
        check_kept(scenario, q0, v0)
        scenario, choice = with_numerics(scenario, q0, v0)
        solution = _solve(scenario, (q0, v0, scenario.initial_memory()), 0.0, progress)
        dataset, q, v = labelled(scenario, solution, skip=0)
    dataset.attrs["wall_time"] = time.perf_counter() - clock
    dataset.attrs["compile_time"] = compiling.seconds
    if choice:
        dataset.attrs["integrator_choice"] = choice
    note_rank_changes(dataset)
    note_lifting(dataset)
    note_limits(dataset, scenario.compiled)
    note_wedging(dataset, scenario.compiled)
    note_violations(dataset)
    note_energy(dataset, scenario)
    result = Result(dataset, scenario=scenario, model=scenario.model, q=q, v=v)
    if out is not None:
        result.save(out)
    return result


def resume(path: str | Path, t_end: float, scenario: Scenario, *, progress: bool = True, out: str | Path | None = None) -> Result:
    """Go on with a saved run from its last state to ``t_end`` (s), and write the whole run to ``out`` (default: the same file).

    The scenario must be the one of that run: another robot, gravity, obstacles, integrator or step is refused.
    At a fixed step the result is the one of an uninterrupted run, bit by bit, but for rolling angles, whose sum is begun anew
    (round-off). Promise 7 of :mod:`locodyn.integrate.base` says what implicit methods and functions of the user keep.
    """
    before = load_dataset(path)
    target = check_writable(path if out is None else out, "output", RESULT)
    if str(before.attrs["status"]).startswith("failed"):
        raise InputError(f"the run in '{path}' has {before.attrs['status']}; only a sound run can be resumed.")
    start = float(before.attrs["resume_time"])
    scenario = scenario.changed(t_end=t_end)
    if scenario.numerics.integrator == AUTO:
        step = float(before.attrs["step"]) if scenario.numerics.step_is_free else scenario.numerics.step
        scenario = scenario.computed_with(str(before.attrs["integrator"]), step)
    if scenario.recording.t_end <= start:
        raise InputError(f"the run in '{path}' has reached t = {start:g} s already; the end time must be later.")
    q0, v0 = (np.atleast_1d(np.asarray(before.attrs[name], float)) for name in ("resume_position", "resume_velocity"))
    robot = scenario.compiled
    if q0.shape != (robot.nq,) or v0.shape != (robot.nv,):
        raise InputError(
            f"the run in '{path}' has {len(q0)} positions and {len(v0)} velocities, the scenario '{scenario.name}' has"
            f" {robot.nq} and {robot.nv}; give the scenario of that run."
        )
    scenario = same_step(scenario, before.attrs)
    check_same_run(before.attrs, about(scenario), path)
    scenario.check_motion(start)
    clock = time.perf_counter()
    with CompileWatch(say=progress) as compiling:
        memory = np.atleast_1d(np.asarray(before.attrs.get("resume_memory", np.zeros(0)), float))
        solution = _solve(scenario, (q0, v0, memory), start, progress, _history(before))
        after, *_ = labelled(scenario, solution, skip=1)  # the first record is the last one of the file
    dataset = joined(before, after)
    if "integrator_choice" in before.attrs:
        dataset.attrs["integrator_choice"] = before.attrs["integrator_choice"]
    note_rank_changes(dataset)
    note_lifting(dataset)
    note_limits(dataset, scenario.compiled)
    note_wedging(dataset, scenario.compiled)
    join_phases(before, dataset)
    note_violations(dataset)
    note_energy(dataset, scenario)
    dataset.attrs["wall_time"] = float(before.attrs.get("wall_time", 0.0)) + time.perf_counter() - clock
    dataset.attrs["compile_time"] = float(before.attrs.get("compile_time", 0.0)) + compiling.seconds
    dataset.attrs["evaluations"] = int(before.attrs.get("evaluations", 0)) + int(after.attrs["evaluations"])
    result = Result(dataset, scenario=scenario, model=scenario.model)
    result.save(target)
    return result


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


def _history(before: xarray.Dataset) -> np.ndarray | None:
    """What the last step of the saved run leaves to the next one besides the state."""
    if "resume_history" not in before.attrs:
        return None
    return np.asarray(before.attrs["resume_history"], dtype=float)


def _solve(
    scenario: Scenario,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    t0: float,
    progress: Progress,
    history: np.ndarray | None = None,
) -> Any:
    """Integrate from the state (q, v, memory), with a bar; says when the loop runs in Python."""
    from locodyn.integrate import solve

    label = scenario.name if scenario.problem.is_compiled else f"{scenario.name} (time loop in Python)"
    with ProgressBar(label, t0, scenario.recording.t_end, progress is True) as bar:
        told = progress if callable(progress) else bar.to
        if scenario.phases is not None:
            from locodyn.phases.hybrid_run import run_phases

            span = t0, scenario.recording.t_end, scenario.numerics.step * scenario.recording.record_every
            return run_phases(scenario.hybrid, *state, *span, scenario.numerics.tolerance, told, history)
        return solve(
            scenario.problem,
            *state[:2],
            t0,
            scenario.recording.t_end,
            step=scenario.numerics.step,
            method=scenario.numerics.method,
            record_every=scenario.recording.record_every,
            on_progress=told,
            origin=0.0,
            history=history,
            memory=state[2],
            sums_work=has_account(scenario),
        )
