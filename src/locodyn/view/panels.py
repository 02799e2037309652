"""The panels of a plot: each draws one aspect of a result into a pair of axes, and knows whether there is something to draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.style import GREY, MANY, PALETTE, curve_style, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

POINTS = 3000  # of one curve; more cannot be seen


@dataclass(frozen=True)
class Panel:
    """One panel: a group (``reference``, ``joints``, ``torques``, ``energy``), whether it applies, how it is drawn."""

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
    if len(names) <= MANY:
        for k, name in enumerate(names):
            axes.plot(times, values[few, k], label=name, **curve_style(k))
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
    axes.plot(x[few], y[few], color=PALETTE[0])
    axes.plot(x[0], y[0], "o", color=PALETTE[2], markersize=6, label="start")
    axes.plot(x[-1], y[-1], "s", color=PALETTE[1], markersize=6, label="end")
    axes.set(title=title, xlabel=f"{'xyz'[first]} (m)", ylabel=f"{'xyz'[second]} (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.locator_params(axis="x", nbins=6)
    _legend(axes, 2)


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3), rad, of unit quaternions, followed continuously past half a turn."""
    q = np.array(quaternions)
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    length = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(length, q[:, 0])
    factor = np.where(length > 1e-12, angle / np.where(length > 1e-12, length, 1.0), 2.0)
    return q[:, 1:] * factor[:, None]


def _body_path(result: Result, axes: Axes) -> None:
    last = str(result.body.values[-1])
    _path(result, axes, result.body_position.values[:, -1], f"path of {last}")


def _orientation(result: Result, axes: Axes) -> None:
    vectors = rotation_vectors(result.orientation.values)
    _curves(result, axes, vectors, ["x", "y", "z"], "orientation", "rotation vector (rad)")


def _spin(result: Result, axes: Axes) -> None:
    _curves(result, axes, result.twist.values[:, 3:], ["x", "y", "z"], "angular velocity, body axes", "(rad/s)")


def _speed(result: Result, axes: Axes) -> None:
    _curves(result, axes, result.twist.values[:, :3], ["x", "y", "z"], "velocity, body axes", "(m/s)")


def _joint(variable: str, title: str, word: str) -> Callable[[Result, Axes], None]:
    def draw(result: Result, axes: Axes) -> None:
        array = result.dataset[variable]
        names = [str(name) for name in array["joint"].values]
        _curves(result, axes, array.values, names, title, f"{word} ({pretty_unit(array.attrs['units'])})")

    return draw


def _energy(result: Result, axes: Axes) -> None:
    few = _thin(result)
    times = result.time.values[few]
    parts = {"kinetic": result.kinetic_energy.values, "potential": result.potential_energy.values}
    parts = {name: values - values[0] for name, values in parts.items() if float(np.ptp(values)) > 0.0}
    for k, (name, values) in enumerate({**parts, "total": sum(parts.values(), np.zeros(1))}.items()):
        axes.plot(times, np.broadcast_to(values, result.time.shape)[few], label=name, **curve_style(k))
    axes.plot(times, result.energy_supplied().values[few], color="#000000", linestyle=(0, (1, 2)), label="supplied")
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
    curves = [("energy balance (J)", defect), ("residual (1)", result.constraint_residual.values)]
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


PANELS: tuple[Panel, ...] = (
    Panel(
        "reference",
        _position_moves,
        lambda r, axes: _path(r, axes, r.position.values, f"path of {r.attributes.get('reference_body', 'the reference body')}"),
    ),
    Panel("reference", lambda r: not _position_moves(r) and _moves(r.body_position.values[:, -1]), _body_path),
    Panel("reference", lambda r: _moves(r.orientation.values), _orientation),
    Panel("reference", lambda r: _moves(r.twist.values[:, :3]) and not _has_joints(r), _speed),
    Panel("reference", lambda r: _moves(r.orientation.values) and not _has_joints(r), _spin),
    Panel("joints", _has_joints, _joint("joint_position", "joint positions", "position")),
    Panel(
        "joints", lambda r: _has_joints(r) and not _some("joint_torque")(r), _joint("joint_velocity", "joint velocities", "rate")
    ),
    Panel("torques", _some("joint_torque"), _joint("joint_torque", "joint torques", "torque")),
    Panel("energy", lambda r: True, _energy),
    Panel("energy", lambda r: _some("power_actuators")(r) or _some("power_dissipated")(r), _power),
    Panel("energy", lambda r: True, _balance),
)

GROUPS = tuple(dict.fromkeys(panel.group for panel in PANELS))


def panels_of(result: Result, group: str | None) -> list[Any]:
    """The panels that have something to show, of one group or of all."""
    return [panel for panel in PANELS if group in (None, panel.group) and panel.applies(result)]
