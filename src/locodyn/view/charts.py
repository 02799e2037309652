"""The charts of a result, as data: each shows one aspect, and knows whether there is something to show.

The same chart is drawn for print (:mod:`locodyn.view.draw`) and in the page (``charts.ts``, ``drawings.ts``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.turns import rotation_vectors

if TYPE_CHECKING:
    from locodyn.sim import Result

MANY = 8  # more curves than this are coloured along a scale instead of named one by one
SIDE = (".side",)
PIN = (".x", ".y", ".z", ".along", ".across_1", ".across_2")


@dataclass(frozen=True, eq=False)
class Chart:
    """What is drawn.

    Parameters
    ----------
    title : str
    kind : str
        ``time``: curves over time; ``log``: the same, logarithmic; ``plane``: curves in a plane; ``bars``: values of an instant.
    quantity, unit : str
        What the values are: ``torque``, ``N m``.
    names : tuple of str, k
        Of the curves or bars.
    values : (n, k)
        At the records of the result; of a plane (n, 2 k): x and y of each curve.
    labels : (str, str)
        Of a plane: its axes, with units.
    equal : bool
        Of a plane: both axes have one scale.
    """

    title: str
    kind: str
    quantity: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray
    labels: tuple[str, ...] = ()
    equal: bool = False


@dataclass(frozen=True)
class Panel:
    """A chart by name: its group, whether the result has it, whether it is shown unasked, and how it is made."""

    name: str
    group: str
    has: Callable[[Result], bool]
    make: Callable[[Result], Chart]
    unasked: Callable[[Result], bool] = lambda result: True


def moves(values: np.ndarray, threshold: float = 1e-9) -> bool:
    """Whether a column of (n, k) changes."""
    return values.size > 0 and float(np.max(np.ptp(values, axis=0))) > threshold


def over_time(
    title: str, quantity: str, unit: str, names: list[str], values: np.ndarray, kind: str = "time", labels: tuple[str, ...] = ()
) -> Chart:
    """Curves over time; a single one is named in the title."""
    if len(names) == 1 and names[0] != title:
        title = f"{title}: {names[0]}"
    return Chart(title, kind, quantity, unit, tuple(names), values, labels)


# ------------------------------------------------------------------------- reference body
def path_points(result: Result) -> tuple[str, np.ndarray]:
    """Name and positions (n, 3) m of the body whose path is drawn: the reference body, or the one that moves most."""
    if moves(result.position.values):
        return str(result.attributes["reference_body"]), result.position.values
    k = farthest(result)
    return str(result.body.values[k]), result.body_position.values[:, k]


def farthest(result: Result) -> int:
    """The body that moves most; the last one of several."""
    way = np.ptp(result.body_position.values, axis=0).max(axis=1)
    return int(np.flatnonzero(way >= 0.999 * way.max())[-1])


def plane_of(points: np.ndarray) -> tuple[int, int]:
    """The two coordinates of (n, 3) that change most."""
    first, second = sorted(np.argsort(np.ptp(points, axis=0), kind="stable")[-2:])
    return int(first), int(second)


def path(result: Result) -> Chart:
    """Path in the plane of the two coordinates that change most."""
    name, points = path_points(result)
    axes = plane_of(points)
    labels = tuple(f"{'xyz'[k]} (m)" for k in axes)
    return Chart(f"path of {name}", "plane", "", "m", (name,), points[:, axes], labels, equal=True)


def orientation(result: Result) -> Chart:
    """Heading of a body that turns about the vertical only, else its rotation vector."""
    vectors = rotation_vectors(result.orientation.values)
    if np.abs(vectors[:, :2]).max() < 1e-12:
        return over_time("heading", "angle about z", "rad", ["heading"], vectors[:, 2:])
    return over_time("orientation", "rotation vector", "rad", ["x", "y", "z"], vectors)


def twist(first: int, title: str, unit: str) -> Callable[[Result], Chart]:
    """Three components of the body twist."""
    return lambda result: over_time(title, "", unit, ["x", "y", "z"], result.twist.values[:, first : first + 3])


# ------------------------------------------------------------------------- joints
def joints(variable: str, title: str, quantity: str, kind: str = "time") -> Callable[[Result], Chart]:
    """A joint variable."""

    def make(result: Result) -> Chart:
        array = result.dataset[variable]
        names = [str(name) for name in array["joint"].values]
        if kind == "bars":
            return Chart(title, kind, quantity, array.attrs["units"], tuple(names), array.values, ("joint (-)", ""))
        return over_time(title, quantity, array.attrs["units"], names, array.values)

    return make


def phase(result: Result) -> Chart:
    """Phase portrait: velocity of each joint that moves over its position, at most :data:`MANY` joints."""
    position, velocity = result.joint_position, result.joint_velocity
    moving = [k for k in range(position.shape[1]) if np.ptp(position.values[:, k]) > 1e-9][:MANY]
    names = tuple(str(position["joint"].values[k]) for k in moving)
    pairs = [column for k in moving for column in (position.values[:, k], velocity.values[:, k])]
    labels = (f"position ({position.attrs['units']})", f"velocity ({velocity.attrs['units']})")
    return Chart("phase portrait", "plane", "", "", names, np.column_stack(pairs), labels)


def of_part(result: Result, name: str) -> list[Chart]:
    """Motion and torque of the joint or wheel of this name; nothing when there is none."""
    for dimension, variable, word in (("joint", "joint_position", "position"), ("wheel", "wheel_angle", "angle")):
        if dimension in result.dataset.coords and name in result.dataset[dimension].values:
            shown = ((variable, word), (f"{dimension}_torque", "torque"))
            arrays = [(result.dataset[v].sel({dimension: name}), w, result.dataset[v].attrs["units"]) for v, w in shown]
            return [Chart(f"{w} of {name}", "time", w, unit, (name,), a.values[:, None]) for a, w, unit in arrays]
    return []


# ------------------------------------------------------------------------- wheels and loops
def row_names(result: Result, ending: tuple[str, ...]) -> list[str]:
    """Rows of forces with these endings that are not zero all the time."""
    if "multiplier" not in result.dataset:
        return []
    array = result.multiplier
    sizes = np.abs(array.values).max(axis=0, initial=0.0)
    return [
        str(name)
        for name, size in zip(array["constraint"].values, sizes, strict=True)
        if str(name).endswith(ending) and ".about_" not in str(name) and size > 1e-12
    ]


def rows(ending: tuple[str, ...], title: str) -> Callable[[Result], Chart]:
    """Forces of ideal wheels or loops."""

    def make(result: Result) -> Chart:
        names = row_names(result, ending)
        values = result.multiplier.sel(constraint=names).values
        labels = [name.rsplit(".", 1)[0].removesuffix(".wheel") if ending == SIDE else name for name in names]
        values, labels = distinct(values, labels)
        return over_time(title, "force on the robot", "N", labels, values)

    return make


def wheels(variable: str, title: str, quantity: str) -> Callable[[Result], Chart]:
    """A wheel variable."""

    def make(result: Result) -> Chart:
        array = result.dataset[variable]
        names = [str(name).removesuffix(".wheel") for name in array[array.dims[1]].values]
        values, names = distinct(array.values, names)
        return over_time(title, quantity, array.attrs["units"], names, values)

    return make


def distinct(values: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Columns that are not zero, each once, with the names of all that are alike."""
    groups: list[list[int]] = []
    sizes = np.abs(values).max(axis=0, initial=0.0)
    for k in np.flatnonzero(sizes > 1e-12):
        alike = (group for group in groups if np.abs(values[:, k] - values[:, group[0]]).max() < 1e-9 * sizes[k])
        found = next(alike, None)
        if found is None:
            groups.append([int(k)])
        else:
            found.append(int(k))
    return values[:, [group[0] for group in groups]], [", ".join(names[k] for k in group) for group in groups]


# ------------------------------------------------------------------------- energy
def energy(result: Result) -> Chart:
    """Energies and the energy supplied, as changes since the start."""
    parts = {"kinetic": result.kinetic_energy.values, "potential": result.potential_energy.values}
    parts = {name: values - values[0] for name, values in parts.items() if float(np.ptp(values)) > 0.0}
    parts["total"] = sum(parts.values(), np.zeros(result.time.shape))
    parts["supplied"] = result.energy_supplied().values
    return over_time("energy", "change since the start", "J", list(parts), np.column_stack(list(parts.values())))


def power(result: Result) -> Chart:
    """Power of actuators and friction, positive into the robot."""
    shown = [("actuators", "power_actuators", 1.0), ("friction", "power_dissipated", -1.0), ("sources", "power_external", 1.0)]
    shown = [entry for entry in shown if some(entry[1])(result)]
    values = np.column_stack([sign * result.dataset[variable].values for _, variable, sign in shown])
    return over_time("power", "into the robot", "W", [name for name, *_ in shown], values)


def energy_defect(result: Result) -> np.ndarray:
    """|change of energy - energy supplied|, (n,) J."""
    total = result.total_energy().values
    return np.abs(total - total[0] - result.energy_supplied().values)


def defects(result: Result) -> Chart:
    """How exact the solution is: balance of energy, and the largest residual so far."""
    worst = np.maximum.accumulate(result.constraint_residual.values)
    curves = {"energy balance (J)": energy_defect(result), "residual, largest so far (1)": worst}
    curves = {name: values for name, values in curves.items() if np.any(values > 0.0)} or {"energy balance (J)": worst}
    values = np.maximum(np.column_stack(list(curves.values())), 1e-17)
    return Chart("defects", "log", "of the numerical solution", "", tuple(curves), values)


def some(variable: str) -> Callable[[Result], bool]:
    """Whether the result has a variable that is not zero all the time."""
    return lambda result: variable in result.dataset and float(np.max(np.abs(result.dataset[variable].values))) > 1e-12


def has_joints(result: Result) -> bool:
    """Whether the robot has joints."""
    return "joint_position" in result.dataset


def _no_joints(result: Result) -> bool:
    return not has_joints(result)


def _many_torques(result: Result) -> bool:
    return result.dataset.sizes["joint"] > MANY


TORQUES = ("joint_torque", "joint torques", "torque")
PANELS: tuple[Panel, ...] = (
    Panel("path", "reference", lambda r: moves(path_points(r)[1]), path),
    Panel("orientation", "reference", lambda r: moves(r.orientation.values), orientation),
    Panel("velocity", "reference", lambda r: moves(r.twist.values[:, :3]), twist(0, "velocity, body axes", "m/s"), _no_joints),
    Panel(
        "spin", "reference", lambda r: moves(r.twist.values[:, 3:]), twist(3, "angular velocity, body axes", "rad/s"), _no_joints
    ),
    Panel("joint_positions", "joints", has_joints, joints("joint_position", "joint positions", "position")),
    Panel(
        "joint_velocities",
        "joints",
        has_joints,
        joints("joint_velocity", "joint velocities", "rate"),
        lambda r: not some("joint_torque")(r),
    ),
    Panel("phase", "joints", lambda r: has_joints(r) and moves(r.joint_position.values), phase, lambda r: False),
    Panel("joint_torques", "torques", some("joint_torque"), joints(*TORQUES)),
    Panel("torque_bars", "torques", some("joint_torque"), joints(*TORQUES, kind="bars"), _many_torques),
    Panel("side_forces", "contacts", lambda r: bool(row_names(r, SIDE)), rows(SIDE, "side forces")),
    Panel("loop_forces", "contacts", lambda r: bool(row_names(r, PIN)), rows(PIN, "loop forces")),
    Panel("wheel_torques", "contacts", some("wheel_torque"), wheels("wheel_torque", "wheel torques", "torque")),
    Panel("rolling_angles", "contacts", some("wheel_angle"), wheels("wheel_angle", "rolling angles", "angle")),
    Panel(
        "steering_angles",
        "contacts",
        some("steering_angle"),
        wheels("steering_angle", "steering angles", "angle"),
        lambda r: False,
    ),
    Panel("energies", "energy", lambda r: True, energy),
    Panel("power", "energy", lambda r: some("power_actuators")(r) or some("power_dissipated")(r), power),
    Panel("defects", "energy", lambda r: True, defects),
)
GROUPS = tuple(dict.fromkeys(panel.group for panel in PANELS))


def unasked(result: Result, group: str | None = None) -> list[Panel]:
    """The panels that are shown when nothing is asked for, of one group or of all."""
    return [p for p in PANELS if group in (None, p.group) and p.has(result) and p.unasked(result)]
