"""The dataset of a run: what the recorders compute, with labels and units; and the stretches of one run as one dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.locomotion.record import continuous_quaternions
from locodyn.sim.about import about
from locodyn.sim.contract import FORMAT, QUATERNION, STRAIN, TWIST, WRENCH, XYZ, places_along
from locodyn.sim.recorder import Records
from locodyn.sim.recorders import RECORDERS, VARIABLES
from locodyn.sim.sensors import channel_names
from locodyn.sim.soundness import computed, sound_part

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.ledger import Ledger
    from locodyn.sim.scenario import Scenario


def labelled(
    scenario: Scenario, solution: Any, before: xarray.Dataset | None = None, ledger: Ledger | None = None
) -> tuple[xarray.Dataset, np.ndarray, np.ndarray]:
    """Dataset, positions and velocities of the sound part of a solution.

    ``before``: the stretch that it goes on from, or its end; the first record, the last one there, is then left out.
    ``ledger``: for the energy account of a run whose result may not have the energies; the records are added to it.
    """
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
    if ledger is not None:
        told = {name: values[:sound] for name, values in series.items()}
        ledger.add(times[:sound], told, scenario.drive.torque_method == "projective")
    kept = slice(0 if before is None else 1, sound)
    records = Records(
        scenario, times[kept], q[kept], v[kept], np.asarray(solution.iterations)[kept],
        {name: values[kept] for name, values in series.items()},
    )  # fmt: skip
    dataset = build_dataset(records, attributes)
    if before is not None:
        dataset = continued(before, dataset, records.series.get("wheel_turn"))
    return dataset, records.q, records.v


def build_dataset(records: Records, attributes: dict[str, Any]) -> xarray.Dataset:
    """The variables of all recorders; those along a dimension that the robot does not have are left out."""
    import xarray

    labels, wanted = _coordinates(records.scenario, records.times), records.scenario.recording.record
    variables = {}
    for recorder in RECORDERS:
        if wanted and not any(name in wanted for name in recorder.variables):
            continue
        for name, values in recorder.values(records).items():
            dims = recorder.variables[name].dims
            if wanted and name not in wanted:
                continue
            if all(len(labels.get(dim, "-")) for dim in dims):
                variables[name] = plain(("time", *dims), values, recorder.attributes(records.scenario, name))
    used = {dim for variable in variables.values() for dim in variable.dims}
    used |= {"twist_component"} if "twist" in used else set()
    coordinates = {
        name: plain(*label) if isinstance(label, tuple) else plain(name, label) for name, label in labels.items() if name in used
    }
    dataset = xarray.Dataset(variables, coordinates, attributes)
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset


def plain(dims: str | tuple[str, ...], values: Any, attributes: dict[str, Any] | None = None) -> xarray.Variable:
    """A variable of an array of NumPy; xarray need not look whether it is one of Dask, which takes half a second to load."""
    import xarray

    return xarray.Variable(dims, np.asarray(values), attributes, fastpath=True)


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
        "tie": [tie.name for tie in robot.ties],
        "state": list(scenario.problem.memories.names),
        "sensor": channel_names(scenario),
    }


def continued(before: xarray.Dataset, after: xarray.Dataset, turns: np.ndarray | None = None) -> xarray.Dataset:
    """A stretch as it goes on from ``before``: sums since the start, and signs of quaternions.

    ``turns`` (n, wheels): rolling since the record before; added one by one, they give the bits of a run in one piece.
    """
    if not before.sizes["time"]:
        return after
    result, still = after.copy(), {}
    for name, variable in VARIABLES.items():
        if name not in before or (name not in after and not variable.is_sum):
            continue
        last = before[name].values[-1:]
        if name not in after:  # a sum that did not change
            still[name] = (before[name].dims, np.repeat(last, after.sizes["time"], axis=0), before[name].attrs)
        elif name == "wheel_angle" and turns is not None:
            result[name].values = np.cumsum(np.concatenate([last, turns]), axis=0)[1:]
        elif variable.is_sum and not (variable.in_history and "resume_history" in before.attrs):
            result[name].values = after[name].values + last
        elif name in ("orientation", "body_orientation", "rod_orientation"):  # of two signs that of the record before
            result[name].values = continuous_quaternions(np.concatenate([last, after[name].values]))[1:]
    return with_variables(result, still)


def with_variables(dataset: xarray.Dataset, more: dict[str, Any]) -> xarray.Dataset:
    """A dataset with further variables; the variable 'twist', which has the name of a dimension, stays one."""
    import xarray

    if not more:
        return dataset
    variables = {name: one.variable for name, one in dataset.data_vars.items()}
    whole = xarray.Dataset({**variables, **more}, dataset.coords, dataset.attrs)
    return whole.reset_coords("twist") if "twist" in whole.coords else whole


def concatenated(stretches: Sequence[xarray.Dataset]) -> xarray.Dataset:
    """All stretches of one run as one dataset, with the attributes of the last."""
    import xarray

    if len(stretches) == 1:
        return stretches[0]
    names = dict.fromkeys(name for one in stretches for name in one.data_vars)
    whole = {}
    for name in VARIABLES:
        if name in names:
            part = next(one[name] for one in stretches if name in one)
            values = [one[name].values if name in one else no_sum(part.values, one.sizes["time"]) for one in stretches]
            whole[name] = (part.dims, np.concatenate(values), part.attrs)
    last = stretches[-1]
    time_axis = ("time", np.concatenate([one["time"].values for one in stretches]), last["time"].attrs)
    others = {name: coordinate.variable for name, coordinate in last.coords.items() if name != "time"}
    dataset = xarray.Dataset(whole, {"time": time_axis, **others}, last.attrs)
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset


def no_sum(like: np.ndarray, records: int) -> np.ndarray:
    """A sum since the start in stretches in which nothing was added up yet."""
    return np.zeros((records, *like.shape[1:]), dtype=like.dtype)
