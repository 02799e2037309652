"""The dataset of a run: what the recorders compute, with labels and units; and two stretches of one run as one dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.locomotion.record import continuous_quaternions
from locodyn.sim.about import about
from locodyn.sim.contract import FORMAT, QUATERNION, STRAIN, TWIST, WRENCH, XYZ, places_along
from locodyn.sim.recorders import RECORDERS, VARIABLES, Records
from locodyn.sim.sensors import channel_names
from locodyn.sim.soundness import computed, sound_part

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.scenario import Scenario


def labelled(scenario: Scenario, solution: Any, skip: int) -> tuple[xarray.Dataset, np.ndarray, np.ndarray]:
    """Dataset, positions and velocities of the sound part of a solution, without its first ``skip`` records."""
    times, q, v = (np.asarray(x, dtype=float) for x in (solution.times, solution.q, solution.v))
    memory = np.zeros((len(times), 0)) if solution.memory is None else np.asarray(solution.memory, dtype=float)
    series = computed(scenario, solution, times, q, v, memory)
    sound, status = sound_part(scenario, solution, times, q, series)
    last = max(sound - 1, 0)
    attributes = {
        "locodyn_result": FORMAT,
        "title": f"locodyn: {scenario.name}",
        **about(scenario),
        "status": status,
        "evaluations": int(solution.evaluations),
        **solution.attributes,
        "resume_time": float(times[last]) if sound else 0.0,
        "resume_position": q[last] if sound else np.zeros(scenario.compiled.nq),
        "resume_velocity": v[last] if sound else np.zeros(scenario.compiled.nv),
    }
    if memory.shape[1]:
        attributes["resume_memory"] = memory[last] if sound else np.zeros(memory.shape[1])
    if solution.history is not None and sound == len(solution.times):
        attributes["resume_history"] = solution.history.ravel()
    kept = slice(skip, sound)
    records = Records(
        scenario, times[kept], q[kept], v[kept], np.asarray(solution.iterations)[kept],
        {name: values[kept] for name, values in series.items()},
    )  # fmt: skip
    return build_dataset(records, attributes), records.q, records.v


def build_dataset(records: Records, attributes: dict[str, Any]) -> xarray.Dataset:
    """The variables of all recorders; those along a dimension that the robot does not have are left out."""
    import xarray

    labels = _coordinates(records.scenario, records.times)
    variables = {}
    for recorder in RECORDERS:
        for name, values in recorder.values(records).items():
            dims = recorder.variables[name].dims
            if all(len(labels.get(dim, "-")) for dim in dims):
                variables[name] = (("time", *dims), values, recorder.attributes(records.scenario, name))
    used = {dim for dims, *_ in variables.values() for dim in dims}
    used |= {"twist_component"} if "twist" in used else set()
    dataset = xarray.Dataset(variables, {name: label for name, label in labels.items() if name in used}, attributes)
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset


def _coordinates(scenario: Scenario, times: np.ndarray) -> dict[str, Any]:
    """Labels along all dimensions; empty ones of what the robot does not have."""
    robot = scenario.compiled
    return {
        "time": ("time", times, {"units": "s", "long_name": "time"}),
        "xyz": list(XYZ),
        "quat": list(QUATERNION),
        "twist_component": ("twist", list(TWIST)),  # the variable 'twist' has the name of the dimension
        "joint": list(robot.coordinate_names[robot.reference_nv :]),
        "body": list(robot.body_names),
        "wrench": list(WRENCH),
        "strain": list(STRAIN),
        "rod": [body.name for body in robot.description.bodies if body.joint.rod is not None],
        "s": ("s", places_along(robot), {"units": "1", "long_name": "abscissa over the length of the rod"}),
        **scenario.row_names(),
        "steered_wheel": list(scenario.drive.steering),
        "tracked": list(scenario.targets),
        "state": list(scenario.problem.memories.names),
        "sensor": channel_names(scenario),
    }


def _values(stretch: xarray.Dataset, name: Any) -> np.ndarray:
    """Those of a variable; a sum that a stretch does not have did not change in it."""
    absent = name not in stretch and VARIABLES[str(name)].is_sum
    return np.zeros(stretch.sizes["time"]) if absent else stretch[name].values


def joined(before: xarray.Dataset, after: xarray.Dataset) -> xarray.Dataset:
    """Two stretches of one run as one dataset, with the attributes of the second."""
    import xarray

    whole = {}
    sums = [name for name in before.data_vars if name not in after and VARIABLES[str(name)].is_sum]
    for name in [*after.data_vars, *sums]:
        part, variable = after[name] if name in after else before[name], VARIABLES[str(name)]
        values, earlier = _values(after, name), _values(before, name)
        goes_on = variable.in_history and "resume_history" in before.attrs
        if variable.is_sum and before.sizes["time"] and not goes_on:
            values = values + earlier[-1]  # sums since the start go on from where they were
        if name == "body_orientation":  # of two signs that of the record before
            values = continuous_quaternions(np.concatenate([earlier[-1:], values]))[-len(values) :]
        whole[name] = (part.dims, np.concatenate([earlier, values]), part.attrs)
    time_axis = ("time", np.concatenate([before["time"].values, after["time"].values]), after["time"].attrs)
    others = {name: coordinate.variable for name, coordinate in after.coords.items() if name != "time"}
    dataset = xarray.Dataset(whole, {"time": time_axis, **others}, after.attrs)
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset
