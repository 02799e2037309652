"""One run: check, start, integrate, look at the solution, label it, write it."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.errors import InputError
from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import all_options
from locodyn.robot.portrait import portrait
from locodyn.sim.contract import CURVATURE, FORMAT, SLIDING, STRETCH, TURNING
from locodyn.sim.energy_account import energy_failure, note_energy
from locodyn.sim.numerics import with_numerics
from locodyn.sim.parameter import format_value
from locodyn.sim.progress import CompileWatch, ProgressBar
from locodyn.sim.rank import continue_forces, note_rank_changes
from locodyn.sim.result import Result, build_dataset
from locodyn.sim.run_warnings import note_lifting, note_limits, note_wedging
from locodyn.sim.same_run import check_same_run, same_step
from locodyn.sim.start_kept import check_kept
from locodyn.sim.store import RESULT, check_writable, load_dataset
from locodyn.sim.touching import first_flat, geometry, touching_points
from locodyn.world.portrait import obstacle_portrait

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
        solution = _solve(scenario, q0, v0, 0.0, progress)
        dataset, q, v = _labelled(scenario, solution, skip=0)
    dataset.attrs["wall_time"] = time.perf_counter() - clock
    dataset.attrs["compile_time"] = compiling.seconds
    if choice:
        dataset.attrs["integrator_choice"] = choice
    note_rank_changes(dataset)
    note_lifting(dataset)
    note_limits(dataset, scenario.compiled)
    note_wedging(dataset, scenario.compiled)
    note_energy(dataset, scenario.problem)
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
    if scenario.integrator == AUTO:
        step = float(before.attrs["step"]) if scenario.step_is_free else scenario.dt
        scenario = scenario.computed_with(str(before.attrs["integrator"]), step)
    if scenario.t_end <= start:
        raise InputError(f"the run in '{path}' has reached t = {start:g} s already; the end time must be later.")
    q0, v0 = (np.atleast_1d(np.asarray(before.attrs[name], float)) for name in ("resume_position", "resume_velocity"))
    robot = scenario.compiled
    if q0.shape != (robot.nq,) or v0.shape != (robot.nv,):
        raise InputError(
            f"the run in '{path}' has {len(q0)} positions and {len(v0)} velocities, the scenario '{scenario.name}' has"
            f" {robot.nq} and {robot.nv}; give the scenario of that run."
        )
    scenario = same_step(scenario, before.attrs)
    check_same_run(before.attrs, _about(scenario), path)
    scenario.check_motion(start)
    clock = time.perf_counter()
    with CompileWatch(say=progress) as compiling:
        solution = _solve(scenario, q0, v0, start, progress, _history(before))
        after, *_ = _labelled(scenario, solution, skip=1)  # the first record is the last one of the file
    dataset = _joined(before, after)
    if "integrator_choice" in before.attrs:
        dataset.attrs["integrator_choice"] = before.attrs["integrator_choice"]
    note_rank_changes(dataset)
    note_lifting(dataset)
    note_limits(dataset, scenario.compiled)
    note_wedging(dataset, scenario.compiled)
    note_energy(dataset, scenario.problem)
    dataset.attrs["wall_time"] = float(before.attrs.get("wall_time", 0.0)) + time.perf_counter() - clock
    dataset.attrs["compile_time"] = float(before.attrs.get("compile_time", 0.0)) + compiling.seconds
    dataset.attrs["evaluations"] = int(before.attrs.get("evaluations", 0)) + int(after.attrs["evaluations"])
    result = Result(dataset, scenario=scenario, model=scenario.model)
    result.save(target)
    return result


def _history(before: xarray.Dataset) -> np.ndarray | None:
    """What the last step of the saved run leaves to the next one besides the state."""
    if "resume_history" not in before.attrs:
        return None
    return np.asarray(before.attrs["resume_history"], dtype=float)


def _solve(
    scenario: Scenario, q0: np.ndarray, v0: np.ndarray, t0: float, progress: Progress, history: np.ndarray | None = None
) -> Any:
    """Integrate, with a bar; says when the loop runs in Python."""
    from locodyn.integrate import solve

    label = scenario.name if scenario.problem.is_compiled else f"{scenario.name} (time loop in Python)"
    with ProgressBar(label, t0, scenario.t_end, progress is True) as bar:
        return solve(
            scenario.problem,
            q0,
            v0,
            t0,
            scenario.t_end,
            step=scenario.dt,
            method=scenario.method,
            record_every=scenario.record_every,
            on_progress=progress if callable(progress) else bar.to,
            origin=0.0,
            history=history,
        )


def _labelled(scenario: Scenario, solution: Any, skip: int) -> tuple[xarray.Dataset, np.ndarray, np.ndarray]:
    """Dataset, positions and velocities of the sound part of a solution, without its first ``skip`` records."""
    from locodyn.integrate.choice import advice
    from locodyn.locomotion.record import row_names

    robot = scenario.compiled
    rows = {**row_names(scenario.problem), "steered_wheel": list(scenario.steering), "tracked": list(scenario.targets)}
    times, q, v = (np.asarray(x, dtype=float) for x in (solution.times, solution.q, solution.v))
    status = _status(solution)
    what = "state"
    finite = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
    with np.errstate(all="ignore"):
        sound = int(np.argmin(finite)) if not finite.all() else len(times)
        series = scenario.problem.series(times[:sound], q[:sound], v[:sound])
        continue_forces(scenario.problem, times[:sound], q[:sound], v[:sound], series)
        if rows["contact"] and not scenario.problem.contact.table.names:
            poses = series["body_position"], series["body_orientation"]
            series["contact_point"] = touching_points(robot.description, rows["contact"], *poses)
        series |= {name: values[:sound] for name, values in solution.recorded.items()}
    for name, values in series.items():
        good = np.isfinite(values).reshape(len(values), -1).all(axis=1)
        if not good.all() and np.argmin(good) < sound:
            sound = int(np.argmin(good))
            what = name.replace("_", " ")
    if sound < len(times) and not status.startswith("failed"):
        hint = advice(scenario.problem, scenario.method, q[0], scenario.dt, float(times[0]))
        status = f"failed: the {what} is not finite at t = {times[sound]:g} s; {hint}"
    flat = first_flat(robot.description, series["body_orientation"][:sound])
    if flat is not None:
        sound, status = flat[0], f"failed: the wheel '{flat[1]}' lies flat at t = {times[flat[0]]:g} s"
    broken = energy_failure(scenario, times[:sound], {name: values[:sound] for name, values in series.items()}, q)
    if broken is not None:
        sound, status = broken
    times, q, v = times[:sound], q[:sound], v[:sound]
    iterations = np.asarray(solution.iterations)[:sound]
    last = max(sound - 1, 0)
    attributes = {
        "locodyn_result": FORMAT,
        "title": f"locodyn: {scenario.name}",
        **_about(scenario),
        "status": status,
        "evaluations": int(solution.evaluations),
        **solution.attributes,
        "resume_time": float(times[last]) if sound else 0.0,
        "resume_position": q[last] if sound else np.zeros(robot.nq),
        "resume_velocity": v[last] if sound else np.zeros(robot.nv),
    }
    if solution.history is not None and sound == len(solution.times):
        attributes["resume_history"] = solution.history.ravel()
    series = {name: values[skip:sound] for name, values in series.items()}
    if "constraint_rank" in series:
        series["constraint_rank"] = series["constraint_rank"].astype(np.int64)
    if scenario.steering:
        series["steering_angle"] = np.column_stack([law(times) for law in scenario.steering.values()])[skip:]
    if scenario.targets:
        series["joint_target"] = np.column_stack([law(times) for law in scenario.targets.values()])[skip:]
    if scenario.torque_method == "projective":
        series.setdefault("base_wrench", np.zeros((len(series["position"]), 6)))
    times, q, v, iterations = times[skip:], q[skip:], v[skip:], iterations[skip:]
    base = robot.reference_nv
    from locodyn.sim.rod_fields import rod_fields

    forces = series.get("multiplier")
    if not scenario.method.inertia:
        from locodyn.integrate.equilibria.quasi_static import resting

        fields, rods = rod_fields(resting(scenario.problem), times, q, np.zeros_like(v), forces)
    else:
        fields, rods = rod_fields(scenario.problem, times, q, v, forces)
    series |= fields
    motions = [_motion(robot, i) for i in range(base, robot.nv)]
    joints, bodies = list(robot.coordinate_names[base:]), list(robot.body_names)
    dataset = build_dataset(times, series, iterations, joints, motions, bodies, rows, attributes, rods)
    if scenario.seed_sign and "wheel_torque" in dataset:
        dataset["wheel_torque"].attrs["long_name"] = (
            "reactions on the wheels' motors (Ali 2011, (3.86)): negative where they drive"
        )
    return dataset, q, v


def _motion(robot: Any, i: int) -> int:
    """What coordinate i is: TURNING, SLIDING, CURVATURE or STRETCH."""
    frame, axis = robot.dofs[i]
    if robot.frames[frame, layout.CODE] == layout.ROD:
        return STRETCH if axis < 3 else CURVATURE
    row = robot.dof_constants[i]
    return SLIDING if row[layout.ANGULAR] == 0.0 and row[layout.LINEAR] != 0.0 else TURNING


def _status(solution: Any) -> str:
    """``completed``, ``interrupted at t = ...`` or ``failed: ...`` from the words of the integrator."""
    word = str(solution.status)
    if word.startswith("failed"):
        message = str(getattr(solution, "message", "") or "").strip()
        return word if ":" in word or not message else f"failed: {message}"
    if word.startswith("interrupted"):
        return f"interrupted at t = {float(solution.times[-1]):g} s" if len(solution.times) else "interrupted at the start"
    return "completed"


def _about(scenario: Scenario) -> dict[str, Any]:
    """What was run, as attributes of the dataset."""
    from locodyn import __version__

    table = [
        {"name": p.name, "value": p.value, "unit": p.unit, "source": p.source, "meaning": p.meaning} for p in scenario.parameters
    ]
    return {
        "scenario": scenario.name,
        "summary": scenario.summary,
        "parameters": json.dumps({p.name: p.value for p in scenario.parameters}),
        "parameter_table": json.dumps(table),
        "classification": str(scenario.problem.classification),
        "drive": json.dumps(scenario.drive_words()),
        "gravity": np.asarray(scenario.gravity),
        "integrator": scenario.integrator,
        "step": float(scenario.dt),
        **{option.name: float(getattr(scenario, option.name)) for option in all_options()},
        "record_every": int(scenario.record_every),
        "t_end": float(scenario.t_end),
        "time_loop": "compiled" if scenario.problem.is_compiled else "Python",
        "robot": str(scenario.compiled.name),
        "reference_body": str(scenario.compiled.reference_body),
        "portrait": json.dumps(portrait(scenario.compiled.description), separators=(",", ":")),
        "joint_constants": np.asarray(scenario.compiled.dof_constants, dtype=float).ravel(),
        "contacts": json.dumps(_contacts(scenario)),
        "obstacles": json.dumps(obstacle_portrait(scenario.obstacles), separators=(",", ":")),
        "total_mass": float(scenario.compiled.total_mass),
        "degrees_of_freedom": int(scenario.compiled.nv),
        "command": command(scenario),
        "library_version": __version__,
        "python_version": platform.python_version(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _contacts(scenario: Scenario) -> dict[str, Any]:
    """Geometry of the contacts in space, see :func:`~locodyn.sim.touching.geometry`."""
    description, model = scenario.compiled.description, scenario.model
    if not any(True for _ in description.contacts):
        return {}
    neutral = model.neutral()
    return geometry(description, np.array([model.pose(body.name, neutral)[0] for body in description.bodies]))


def command(scenario: Scenario) -> str:
    """The command line that runs a scenario of the zoo or of a file again, or a note that it was made in Python."""
    if not scenario.parameters and not scenario.source:
        return "(made in Python)"
    words = [] if scenario.source else [f"--set {p.name}={format_value(p.value)}" for p in scenario.parameters]
    options = [f"--t-end {scenario.t_end!r}", f"--dt {scenario.dt!r}", f"--integrator {scenario.integrator}"]
    for option in all_options() if scenario.integrator == AUTO else scenario.method.options():
        if getattr(scenario, option.name) != option.default:
            options.append(f"--{option.name.replace('_', '-')} {getattr(scenario, option.name)!r}")
    if scenario.start.resolve:
        options.append("--resolve")
    return " ".join(["locodyn run", scenario.source or scenario.name, *words, *options])


_REMEMBERED = ("friction_loss", "impact_loss", "work_supplied")  # by the history
_SUMS = ("wheel_angle", *_REMEMBERED)


def _joined(before: xarray.Dataset, after: xarray.Dataset) -> xarray.Dataset:
    """Two stretches of one run as one dataset, with the attributes of the second."""
    import xarray

    from locodyn.locomotion.record import continuous_quaternions

    joined = {}
    for name, part in after.data_vars.items():
        values = part.values
        if name in _SUMS and before.sizes["time"] and (name not in _REMEMBERED or "resume_history" not in before.attrs):
            values = values + before[name].values[-1]  # sums since the start go on from where they were
        if name == "body_orientation":  # of two signs that of the record before
            values = continuous_quaternions(np.concatenate([before[name].values[-1:], values]))[-len(values) :]
        whole = np.concatenate([before[name].values, values])
        joined[name] = (part.dims, whole, part.attrs)
    time_axis = ("time", np.concatenate([before["time"].values, after["time"].values]), after["time"].attrs)
    others = {name: coordinate.variable for name, coordinate in after.coords.items() if name != "time"}
    dataset = xarray.Dataset(joined, {"time": time_axis, **others}, after.attrs)
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset
