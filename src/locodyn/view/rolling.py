"""Panels of robots that roll in space: top view with tracks, contact angles, normal forces, wheels, lambda_4 of a bicycle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from locodyn.robot.pose import rotation_of_quaternion
from locodyn.sim.touching import contact_angles, contacts_of
from locodyn.view.curves import Panel, curves, legend, thin
from locodyn.view.style import GREY, curve_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

SNAPSHOT = 0.5  # s between pictures of the robot in the top view, or a multiple of it
MOST_SNAPSHOTS = 24
NORMAL = (".normal", ".ground.z")


def axles(result: Result) -> list[str]:
    """Joints that are axles of rolling discs: they turn without end, and are drawn apart from the others."""
    return [about["joint"] for about in contacts_of(result.dataset).values() if "joint" in about]


def rolls_in_space(result: Result) -> bool:
    """Whether the robot has contacts in space."""
    return bool(contacts_of(result.dataset))


def _level(result: Result) -> bool:
    """Whether all planes are horizontal, so that a top view says something."""
    planes = [about["normal"] for about in contacts_of(result.dataset).values()]
    return bool(planes) and bool(np.allclose(planes, (0.0, 0.0, 1.0)))


def top_view(result: Result, axes: Axes) -> None:
    """Where every contact has touched the ground, and the robot from above each half second; the longer way lies across."""
    names, few = list(contacts_of(result.dataset)), thin(result)
    tracks = result.contact_point.sel(contact=names).values[few, :, :2]
    size = np.ptp(tracks.reshape(-1, 2), axis=0)
    plane = [1, 0] if size[1] > 1.5 * size[0] else [0, 1]
    for k, name in enumerate(names):
        axes.plot(*tracks[:, k, plane].T, label=name, **curve_style(k))
    period = _pictures(result, axes, plane)
    title = f"top view, robot each {period:g} s" if period else "top view of the track"
    axes.set(title=title, xlabel=f"{'xy'[plane[0]]} (m)", ylabel=f"{'xy'[plane[1]]} (m)")
    if plane[0] == 1:
        axes.invert_xaxis()  # x up, y to the left: still seen from above
    axes.set_aspect("equal", adjustable="datalim")
    axes.locator_params(axis="x", nbins=6)
    if len(names) > 1:
        legend(axes, len(names))


def _pictures(result: Result, axes: Axes, plane: list[int]) -> float:
    """Discs and lines from body to body, seen from above; returns the time between the pictures, s, 0 without any."""
    times, bodies = result.time.values, [str(name) for name in result.body.values]
    parents = json.loads(result.attributes.get("parents", "{}"))
    bones = [(bodies.index(parents[name]), k) for k, name in enumerate(bodies) if parents.get(name) in bodies]
    period = SNAPSHOT * max(1.0, np.ceil((times[-1] - times[0]) / SNAPSHOT / MOST_SNAPSHOTS))
    instants = np.unique([int(np.argmin(np.abs(times - t))) for t in np.arange(times[0], times[-1] + 1e-9, period)])
    angle = np.linspace(0.0, 2.0 * np.pi, 49)
    rims = []
    for about in contacts_of(result.dataset).values():
        if about["kind"] == "disc":
            axis = np.array(about["axis"])
            first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
            first /= np.linalg.norm(first)
            circle = np.outer(np.cos(angle), first) + np.outer(np.sin(angle), np.cross(axis, first))
            rims.append((bodies.index(about["body"]), np.array(about["centre"]) + about["radius"] * circle))
    if not rims and np.ptp(result.body_position.values[0], axis=0).max() < 1e-9:
        return 0.0
    for n in instants:
        places, turned = result.body_position.values[n], rotation_of_quaternion(result.body_orientation.values[n])
        for bone in bones:
            axes.plot(*places[list(bone)][:, plane].T, color="#777777", linewidth=0.9, solid_capstyle="round")
        for k, rim in rims:
            axes.plot(*(places[k] + rim @ turned[k].T)[:, plane].T, color="#222222", linewidth=1.2)
    return float(period)


def angles(result: Result, axes: Axes) -> None:
    """Where the wheels touch, about their axles, from where they do standing upright (dotted; its value is in the legend)."""
    found, contacts = contact_angles(result.dataset), contacts_of(result.dataset)
    standing = np.array([contacts[name]["standing"] for name in found])
    values = np.unwrap(np.array(list(found.values())).T, axis=0) - standing
    names = [f"{name} ({value:.4g})" for name, value in zip(found, standing, strict=True)]
    axes.axhline(0.0, color=GREY, linewidth=0.9, linestyle=(0, (1, 2)))
    curves(result, axes, values, names, "contact angles", "from standing (rad)")


def normal_forces(result: Result, axes: Axes) -> None:
    """Forces of the ground along its normal; from where it would have to pull they are marked."""
    names = [str(name) for name in result.multiplier["constraint"].values if str(name).endswith(NORMAL)]
    labels = [name.removesuffix(".normal").removesuffix(".ground.z") for name in names]
    values = result.multiplier.sel(constraint=names).values
    curves(result, axes, values, labels, "normal forces", "force on the robot (N)")
    lifts = json.loads(result.attributes.get("lifts", "{}"))
    if lifts:
        first = min(time for time, _ in lifts.values())
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        axes.axvline(first, color="#000000", linewidth=0.9, linestyle=(0, (1, 2)))
        axes.annotate(" lifts off", (first, 0.02), xycoords=("data", "axes fraction"), fontsize=8)


def contact_force(result: Result, axes: Axes, name: str) -> None:
    """Force of the ground at one contact, world axes."""
    values = result.contact_force.sel(contact=name).values
    curves(result, axes, values, ["x", "y", "z"], f"force at {name}", "on the robot (N)")


def _has_normals(result: Result) -> bool:
    return "multiplier" in result.dataset and any(str(name).endswith(NORMAL) for name in result.multiplier["constraint"].values)


def _has_carriers(result: Result) -> bool:
    return any("carrier" in about for about in contacts_of(result.dataset).values())


def _is_bicycle(result: Result) -> bool:
    return set(result.body.values) == {"frame", "fork", "rear", "front"} and set(contacts_of(result.dataset)) == {
        "rear.tyre",
        "front.tyre",
    }


def rear_load(result: Result, axes: Axes) -> None:
    """lambda_4 of Mauny 2017: the force on the rear wheel along the upward axis of the frame."""
    from locodyn.zoo.whipple import rear_force_up

    curves(result, axes, rear_force_up(result)[:, None], ["lambda_4"], "lambda_4", "rear force along the frame's z (N)")


def wheel_rates(result: Result, axes: Axes) -> None:
    """Rates of the axles."""
    names = axles(result)
    curves(result, axes, result.joint_velocity.sel(joint=names).values, names, "wheel rates", "rate (rad/s)")


def wheel_torques(result: Result, axes: Axes) -> None:
    """Torques of the axles that are driven."""
    names = _driven(result)
    curves(result, axes, result.joint_torque.sel(joint=names).values, names, "wheel torques", "torque (N·m)")


def _driven(result: Result) -> list[str]:
    return [name for name in axles(result) if np.abs(result.joint_torque.sel(joint=name).values).max() > 1e-12]


PANELS: tuple[Panel, ...] = (
    Panel("reference", _level, top_view, wide=True),
    Panel("joints", lambda r: bool(axles(r)), wheel_rates),
    Panel("torques", lambda r: bool(_driven(r)), wheel_torques),
    Panel("contacts", _has_carriers, angles),
    Panel("contacts", _has_normals, normal_forces),
    Panel("contacts", _is_bicycle, rear_load),
)
