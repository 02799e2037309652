"""The panels of a plot: each draws one aspect of a result into a pair of axes, and knows whether there is something to draw."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.style import GREY, MANY, PALETTE, curve_style, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

POINTS = 3000  # of one curve; more cannot be seen
SNAPSHOTS = 6  # pictures of the robot along its path


@dataclass(frozen=True)
class Panel:
    """One panel: its group (``reference``, ``joints``, ...), whether it applies, how it is drawn."""

    group: str
    applies: Callable[[Result], bool]
    draw: Callable[[Result, Axes], None]


def _thin(result: Result) -> slice:
    return slice(None, None, max(1, result.dataset.sizes["time"] // POINTS))


def _moves(values: np.ndarray, threshold: float = 1e-9) -> bool:
    return values.size > 0 and float(np.max(np.ptp(values, axis=0))) > threshold


def _curves(result: Result, axes: Axes, values: np.ndarray, names: list[str], title: str, label: str) -> None:
    """Curves over time: named in a legend, or coloured along a scale when they are many."""
    few = _thin(result)
    times = result.time.values[few]
    if len(names) == 1 and names[0] != title:
        title = f"{title}: {names[0]}"
    if len(names) <= MANY:
        for k, name in enumerate(names):
            axes.plot(times, values[few, k], label=name, **curve_style(k))
        if len(names) > 1:
            _legend(axes, len(names))
    else:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale: Any = ScalarMappable(Normalize(1, len(names)), colormaps["cividis"])
        for k in range(len(names)):
            axes.plot(times, values[few, k], color=scale.to_rgba(k + 1), linewidth=1.0)
        strip = axes.inset_axes((0.62, 1.03, 0.25, 0.03))  # above the curves, where the legend of a few would be
        bar = axes.figure.colorbar(scale, cax=strip, orientation="horizontal", ticks=[])
        bar.outline.set_visible(False)
        strip.text(-0.04, 0.5, names[0], ha="right", va="center", transform=strip.transAxes, fontsize=8)
        strip.text(1.04, 0.5, names[-1], ha="left", va="center", transform=strip.transAxes, fontsize=8)
    axes.set(title=title, xlabel="time (s)", ylabel=label, xlim=(times[0], times[-1]))


def _legend(axes: Axes, count: int) -> None:
    """A legend above the curves, beside the title: it hides nothing."""
    columns = min(count, 4)
    axes.legend(loc="lower right", bbox_to_anchor=(1.02, 1.0), ncols=columns, borderaxespad=0.1, columnspacing=1.0)


def _path(result: Result, axes: Axes, positions: np.ndarray, title: str) -> None:
    """Path in the plane of the two coordinates that change most, with start and end."""
    first, second = sorted(np.argsort(np.ptp(positions, axis=0), kind="stable")[-2:])
    few = _thin(result)
    x, y = positions[:, first], positions[:, second]
    _snapshots(result, axes, first, second)
    axes.plot(x[few], y[few], color=PALETTE[0])
    axes.plot(x[0], y[0], "o", color=PALETTE[2], markersize=6, label="start")
    axes.plot(x[-1], y[-1], "s", color=PALETTE[1], markersize=6, label="end")
    axes.set(title=title, xlabel=f"{'xyz'[first]} (m)", ylabel=f"{'xyz'[second]} (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.locator_params(axis="x", nbins=6)
    _legend(axes, 2)


def _snapshots(result: Result, axes: Axes, first: int, second: int) -> None:
    """The robot as lines from body to body at a few instants, where it is larger than a spot beside its path."""
    bodies = [str(name) for name in result.body.values]
    parents = json.loads(result.attributes.get("parents", "{}"))
    bones = [(bodies.index(parent), k) for k, name in enumerate(bodies) if (parent := parents.get(name)) in bodies]
    instants = np.linspace(0, result.dataset.sizes["time"] - 1, SNAPSHOTS).round().astype(int)
    places = result.body_position.values[instants][:, :, [first, second]]
    size, way = np.ptp(places, axis=1).max(), np.ptp(result.position.values, axis=0).max()
    if not bones or size < 0.02 * way:
        return
    for frame in places:
        for bone in bones:
            axes.plot(*frame[list(bone)].T, color="#999999", linewidth=1.2, alpha=0.8, solid_capstyle="round")
        axes.plot(*frame.T, ".", color="#777777", markersize=3.0)


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3), rad, of unit quaternions, followed continuously past half a turn."""
    q = np.array(quaternions)
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    length = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(length, q[:, 0])
    factor = np.where(length > 1e-12, angle / np.where(length > 1e-12, length, 1.0), 2.0)
    return q[:, 1:] * factor[:, None]


def _farthest(result: Result) -> int:
    """The body that moves most; the last one of several."""
    way = np.ptp(result.body_position.values, axis=0).max(axis=1)
    return int(np.flatnonzero(way >= 0.999 * way.max())[-1])


def _body_path(result: Result, axes: Axes) -> None:
    k = _farthest(result)
    _path(result, axes, result.body_position.values[:, k], f"path of {result.body.values[k]}")


def _orientation(result: Result, axes: Axes) -> None:
    orientation = result.orientation.values
    if np.abs(orientation[:, 1:3]).max() < 1e-12:  # turns about the vertical only: followed over any number of turns
        heading = np.unwrap(2.0 * np.arctan2(orientation[:, 3], orientation[:, 0]))
        _curves(result, axes, heading[:, None], ["heading"], "heading", "angle about z (rad)")
    else:
        _curves(result, axes, rotation_vectors(orientation), ["x", "y", "z"], "orientation", "rotation vector (rad)")


def _twist(first: int, title: str, label: str) -> Callable[[Result, Axes], None]:
    """Three components of the body twist, without those that a planar body does not have."""

    def draw(result: Result, axes: Axes) -> None:
        values = result.twist.values[:, first : first + 3]
        shown = np.flatnonzero(values.any(axis=0))
        _curves(result, axes, values[:, shown], ["xyz"[k] for k in shown], title, label)

    return draw


def _joint(variable: str, title: str, word: str) -> Callable[[Result, Axes], None]:
    def draw(result: Result, axes: Axes) -> None:
        array = result.dataset[variable]
        names = [str(name) for name in array["joint"].values]
        _curves(result, axes, array.values, names, title, f"{word} ({pretty_unit(array.attrs['units'])})")

    return draw


def torques_at(time: float | None) -> Callable[[Result, Axes], None]:
    """All joint torques at an instant (s), as bars; by default in the middle of the run."""

    def draw(result: Result, axes: Axes) -> None:
        times = result.time.values
        wanted = 0.5 * (times[0] + times[-1]) if time is None else time
        k = int(np.argmin(np.abs(times - wanted)))
        array = result.joint_torque
        names = [str(name) for name in array["joint"].values]
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        axes.bar(range(len(names)), array.values[k], width=0.7, color=PALETTE[0])
        step = max(1, len(names) // 20)
        axes.set_xticks(range(0, len(names), step), [name.removeprefix("joint_") for name in names[::step]])
        axes.grid(axis="x", visible=False)
        axes.set(
            title=f"joint torques at t = {times[k]:.4g} s",
            xlabel="joint (-)",
            ylabel=f"torque ({pretty_unit(array.attrs['units'])})",
        )

    return draw


def of_joint(variable: str, name: str, word: str) -> Callable[[Result, Axes], None]:
    """One joint or wheel over time."""

    def draw(result: Result, axes: Axes) -> None:
        array = result.dataset[variable]
        column = array.sel({array.dims[1]: name})
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        few = _thin(result)
        axes.plot(result.time.values[few], column.values[few], **curve_style(0))
        label = f"{word} ({pretty_unit(array.attrs['units'])})"
        axes.set(title=f"{word} of {name}", xlabel="time (s)", ylabel=label, xlim=tuple(result.time.values[[0, -1]]))

    return draw


def _rows(ending: tuple[str, ...], title: str) -> Callable[[Result, Axes], None]:
    def draw(result: Result, axes: Axes) -> None:
        names = _row_names(result, ending)
        values = result.multiplier.sel(constraint=names).values
        labels = [name.rsplit(".", 1)[0].removesuffix(".wheel") if ending == SIDE else name for name in names]
        _curves(result, axes, *_distinct(values, labels), title, "force on the robot (N)")

    return draw


def _distinct(values: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
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


SIDE = (".side",)
PIN = (".x", ".y", ".z", ".along", ".across_1", ".across_2")


def _row_names(result: Result, ending: tuple[str, ...]) -> list[str]:
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


def _law_contacts(result: Result) -> list[str]:
    """Wheels whose contact is a law: their forces stand in no row."""
    if "contact_force" not in result.dataset:
        return []
    rows = set(result.dataset["constraint"].values.tolist()) if "constraint" in result.dataset.coords else set()
    return [str(name) for name in result.contact.values if f"{name}.side" not in rows and f"{name}.roll" not in rows]


def _law_forces(result: Result, axes: Axes) -> None:
    names = _law_contacts(result)
    sizes = np.linalg.norm(result.contact_force.sel(contact=names).values, axis=2)
    _curves(
        result,
        axes,
        sizes,
        [name.removesuffix(".wheel") for name in names],
        "contact forces",
        "size of the force on the robot (N)",
    )


def _wheel(variable: str, title: str, word: str) -> Callable[[Result, Axes], None]:
    def draw(result: Result, axes: Axes) -> None:
        array = result.dataset[variable]
        names = [str(name).removesuffix(".wheel") for name in array["wheel"].values]
        label = f"{word} ({pretty_unit(array.attrs['units'])})"
        _curves(result, axes, *_distinct(array.values, names), title, label)

    return draw


def _energy(result: Result, axes: Axes) -> None:
    few = _thin(result)
    times = result.time.values[few]
    parts = {"kinetic": result.kinetic_energy.values, "potential": result.potential_energy.values}
    parts = {name: values - values[0] for name, values in parts.items() if float(np.ptp(values)) > 0.0}
    for k, (name, values) in enumerate({**parts, "total": sum(parts.values(), np.zeros(1))}.items()):
        axes.plot(times, np.broadcast_to(values, result.time.shape)[few], label=name, **curve_style(k))
    axes.plot(times, result.energy_supplied().values[few], color="#000000", linestyle=(0, (1, 2)), label="supplied")
    least = 1e-3 * float(result.kinetic_energy.values.max())  # a robot that coasts: a flat line, not its round-off
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(bottom, -least), max(top, least))
    axes.set(title="energy", xlabel="time (s)", ylabel="change since the start (J)", xlim=(times[0], times[-1]))
    _legend(axes, len(parts) + 2)


def _power(result: Result, axes: Axes) -> None:
    few = _thin(result)
    times = result.time.values[few]
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    shown = [("actuators", "power_actuators", 1.0), ("friction", "power_dissipated", -1.0)]
    shown = [entry for entry in shown if _some(entry[1])(result)]
    for k, (name, variable, sign) in enumerate(shown):
        axes.plot(times, sign * result.dataset[variable].values[few], label=name, **curve_style(k))
    axes.set(title="power", xlabel="time (s)", ylabel="into the robot (W)", xlim=(times[0], times[-1]))
    _legend(axes, len(shown))


def _balance(result: Result, axes: Axes) -> None:
    few = _thin(result)
    times = result.time.values[few]
    total = result.total_energy().values
    defect = np.abs(total - total[0] - result.energy_supplied().values)
    worst = np.maximum.accumulate(result.constraint_residual.values)
    curves = [("energy balance (J)", defect), ("residual, largest so far (1)", worst)]
    curves = [(name, values) for name, values in curves if np.any(values > 0.0)]
    for k, (name, values) in enumerate(curves):
        axes.semilogy(times[1:], np.maximum(values, 1e-17)[few][1:], label=name, **curve_style(k))
    axes.set(title="defects", xlabel="time (s)", ylabel="of the numerical solution", xlim=(times[0], times[-1]))
    _legend(axes, len(curves))


def _position_moves(result: Result) -> bool:
    return _moves(result.position.values)


def _has_joints(result: Result) -> bool:
    return "joint_position" in result.dataset


def _some(variable: str) -> Callable[[Result], bool]:
    return lambda result: variable in result.dataset and float(np.max(np.abs(result.dataset[variable].values))) > 1e-12


def _many_torques(result: Result) -> bool:
    return _some("joint_torque")(result) and result.dataset.sizes["joint"] > MANY


SPEED = _twist(0, "velocity, body axes", "velocity (m/s)")
SPIN = _twist(3, "angular velocity, body axes", "angular velocity (rad/s)")

PANELS: tuple[Panel, ...] = (
    Panel(
        "reference",
        _position_moves,
        lambda r, axes: _path(r, axes, r.position.values, f"path of {r.attributes.get('reference_body', 'the reference body')}"),
    ),
    Panel("reference", lambda r: not _position_moves(r) and _moves(r.body_position.values[:, _farthest(r)]), _body_path),
    Panel("reference", lambda r: _moves(r.orientation.values), _orientation),
    Panel("reference", lambda r: _moves(r.twist.values[:, :3]) and not _has_joints(r), SPEED),
    Panel("reference", lambda r: _moves(r.orientation.values) and not _has_joints(r), SPIN),
    Panel("joints", _has_joints, _joint("joint_position", "joint positions", "position")),
    Panel(
        "joints", lambda r: _has_joints(r) and not _some("joint_torque")(r), _joint("joint_velocity", "joint velocities", "rate")
    ),
    Panel("torques", _some("joint_torque"), _joint("joint_torque", "joint torques", "torque")),
    Panel("torques", _many_torques, torques_at(None)),
    Panel("contacts", lambda r: bool(_row_names(r, SIDE)), _rows(SIDE, "side forces")),
    Panel("contacts", lambda r: bool(_law_contacts(r)), _law_forces),
    Panel("contacts", lambda r: bool(_row_names(r, PIN)), _rows(PIN, "loop forces")),
    Panel("contacts", _some("wheel_torque"), _wheel("wheel_torque", "wheel torques", "torque")),
    Panel("contacts", _some("wheel_angle"), _wheel("wheel_angle", "rolling angles", "angle")),
    Panel("energy", lambda r: True, _energy),
    Panel("energy", lambda r: _some("power_actuators")(r) or _some("power_dissipated")(r), _power),
    Panel("energy", lambda r: True, _balance),
)

GROUPS = tuple(dict.fromkeys(panel.group for panel in PANELS))


def panels_of(result: Result, group: str | None) -> list[Panel]:
    """The panels that have something to show, of one group or of all."""
    return [panel for panel in PANELS if group in (None, panel.group) and panel.applies(result)]


def panels_of_part(result: Result, name: str) -> list[Panel]:
    """Motion and torque of the joint or wheel of this name; nothing when there is none."""
    for dimension, motion in (("joint", "joint_position"), ("wheel", "wheel_angle")):
        if dimension in result.dataset.coords and name in result.dataset[dimension].values:
            drawn = [of_joint(motion, name, "angle" if dimension == "wheel" else "position")]
            drawn.append(of_joint(f"{dimension}_torque", name, "torque"))
            return [Panel(name, lambda r: True, draw) for draw in drawn]
    return []
