"""What a run warns of when it looks back at its record: joint limits passed, ground that would have to pull, wedged contacts,
rods that turn inside out, phases that the ground would not have allowed.

The dynamics does not know joint limits. Ideal wheels never lift off: the ground can only push, but their constraint also pulls.
Ideal wheels do not give way sideways, hard obstacles do not either, and a joint that follows a position pushes as hard as it
must: a wheel whose axle points at a peg, but for an angle a, bears F / sin a where F pushes it along, without bound as a
vanishes, also where torques are limited.
"""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import numpy as np

from locodyn.phases.admissibility import Violation, joined_violations
from locodyn.robot.layout import MASS

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.compilation.compiled import CompiledRobot

MANY = 100.0  # weights
_LASTING = 3  # records in a row: one alone is an impact
_SLACK = 1e-9  # relative to the size of a limit


class LimitWarning(UserWarning):
    """A joint went beyond the limits of its position or speed."""


def note_limits(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``limits_passed`` (JSON): for each joint beyond its limits the first time (s), and a warning for the first one.

    Looks at the recorded positions (rad, m) and speeds (rad/s, m/s) of the joints that have limits.
    """
    dataset.attrs.pop("limits_passed", None)
    if "joint_position" not in dataset or "joint_velocity" not in dataset:
        return
    known = {str(name) for name in dataset["joint"].values}
    touching = {str(name) for name in dataset["contact"].values} if "contact" in dataset.coords else set()
    found: dict[str, float] = {}
    for body in robot.description.bodies:
        names = body.joint.velocity_names(body.name if body.parent is None else None)
        if not body.joint.is_limited or names[0] not in known:
            continue
        position, speed = (dataset[v].sel(joint=names[0]).values for v in ("joint_position", "joint_velocity"))
        lower, upper = body.joint.limits
        if any(f"{body.joint.name}.{word}_stop" in touching for word in ("lower", "upper")):
            lower, upper = -np.inf, np.inf  # it is stopped there, but for what an impact goes too far in a step
        beyond = (position < _beyond(lower, -1.0)) | (position > _beyond(upper, 1.0))
        beyond |= np.abs(speed) > _beyond(body.joint.speed_limit, 1.0)
        if beyond.any():
            found[names[0]] = float(dataset["time"].values[int(np.argmax(beyond))])
    if found:
        dataset.attrs["limits_passed"] = json.dumps(found)
        joint, time = min(found.items(), key=lambda item: item[1])
        more = f", and {len(found) - 1} other joints pass theirs" if len(found) > 1 else ""
        warnings.warn(f"joint '{joint}' passes its limits from t = {time:g} s on{more}.", LimitWarning, stacklevel=4)


def _beyond(limit: float, side: float) -> float:
    return limit + side * _SLACK * (1.0 + abs(limit)) if np.isfinite(limit) else limit


class LiftWarning(UserWarning):
    """The ground would have to pull at a wheeled body: it would lift off."""


def _along_rods(dataset: xarray.Dataset) -> set[str]:
    """Contacts on rods: they hold on both sides."""
    if "contact_abscissa" not in dataset:
        return set()
    known = ~np.isnan(dataset["contact_abscissa"].values).all(axis=0)
    return {str(name) for name in dataset["contact"].values[known]}


def note_lifting(dataset: xarray.Dataset) -> None:
    """Attribute ``lifts``: for each body or wheel that the ground would have to hold down, first time (s) and largest pull (N).

    Looks at the multipliers ``<body>.ground.z`` and ``<contact>.normal``, the forces of the ground along its normal, and at the
    vertical parts of ``contact_force`` of wheels with a contact law. Robots whose reference body moves in the plane have none:
    their vertical forces are not computed.
    """
    dataset.attrs.pop("lifts", None)
    if "phase" in dataset:  # its violations say so
        return
    forces: dict[str, xarray.DataArray] = {}  # by name: vertical force last, beside what tells its scale; (time, k); not read yet
    if "multiplier" in dataset:
        for name in map(str, dataset["constraint"].values):
            if name.endswith((".ground.z", ".normal")):
                body = name.removesuffix(".ground.z").removesuffix(".normal")
                forces[body] = dataset["multiplier"].sel(constraint=[name])
    if "contact_force" in dataset and "contact_gap" not in dataset:  # hard contacts never pull
        bilateral = _along_rods(dataset)
        for name in (one for one in map(str, dataset["contact"].values) if one not in bilateral):
            forces.setdefault(name, dataset["contact_force"].sel(contact=name))
    found = {}
    for name, one in forces.items():
        all_parts = one.values
        force = all_parts[:, -1]
        pulled = np.flatnonzero(force < -1e-9 * np.abs(all_parts).max(initial=0.0))
        if len(pulled):
            found[name] = (float(dataset["time"].values[pulled[0]]), float(-force.min()))
    if found:
        dataset.attrs["lifts"] = json.dumps(found)
        body, (time, pull) = min(found.items(), key=lambda item: item[1][0])
        warnings.warn(
            f"the ground would have to hold '{body}' down from t = {time:g} s on (by up to {pull:.3g} N): it would lift off.",
            LiftWarning,
            stacklevel=4,
        )


class WedgeWarning(UserWarning):
    """A contact carries many times the weight of the robot."""


def note_wedging(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``wedged`` (JSON): contact, first time (s), largest force (N), and the joint with the largest torque then.

    Looks at the forces of hard contact, means since the last record; three records in a row above 100 times the weight count.
    """
    dataset.attrs.pop("wedged", None)
    gravity = float(np.linalg.norm(np.atleast_1d(dataset.attrs.get("gravity", 9.81)))) or 9.81
    weight = float(robot.constants[:, MASS].sum()) * gravity
    if "contact_gap" not in dataset or "contact_force" not in dataset or dataset.sizes["time"] < _LASTING or not weight > 0.0:
        return
    sizes = np.linalg.norm(dataset["contact_force"].values, axis=-1)
    large = sizes > MANY * weight
    lasting = np.logical_and.reduce([large[k : len(large) - _LASTING + 1 + k] for k in range(_LASTING)])
    if not lasting.any():
        return
    row = int(np.argmax(lasting.any(axis=1)))
    n = int(np.argmax(np.where(lasting[row], sizes[row], 0.0)))
    name, time, force = str(dataset["contact"].values[n]), float(dataset["time"].values[row]), float(sizes[:, n].max())
    joint = _strained(dataset, row)
    dataset.attrs["wedged"] = json.dumps({"contact": name, "time": time, "force": force, "joint": joint})
    through = f", and joint '{joint}' pushes hardest" if joint else ""
    warnings.warn(
        f"contact '{name}' carries up to {force:.3g} N, {force / weight:.0f} times the weight of the robot, from t = {time:g} s"
        f" on{through}: it is wedged between things that do not give way; wheels that may slip do, and"
        " torque limits of the joints help.",
        WedgeWarning,
        stacklevel=4,
    )


def _strained(dataset: xarray.Dataset, row: int) -> str:
    """The joint with the largest torque at a record, or nothing."""
    if "joint_torque" not in dataset or not dataset.sizes.get("joint"):
        return ""
    torque = np.nan_to_num(np.abs(dataset["joint_torque"].values[row]))
    return str(dataset["joint"].values[int(np.argmax(torque))]) if torque.any() else ""


class StretchWarning(UserWarning):
    """A rod was pressed together until it turned inside out."""


def note_inside_out(dataset: xarray.Dataset) -> None:
    """Attribute ``inside_out`` (JSON): for each rod whose stretch is not positive the first time (s), the abscissa as a share of
    the length and the stretch there, and a warning for the first one.

    Imposed stretches are looked at before a run; those that are free follow from it. The material of a rod is linear: it does not
    know that its sections cannot pass each other.
    """
    dataset.attrs.pop("inside_out", None)
    if "rod_strain" not in dataset:
        return
    found: dict[str, dict[str, float]] = {}
    for name in map(str, dataset["rod"].values):
        stretch = dataset["rod_strain"].sel(rod=name).isel(strain=0).values  # (time, s)
        wrong = np.flatnonzero((stretch <= 0.0).any(axis=1))
        if len(wrong):
            at = int(np.argmin(stretch[wrong[0]]))
            time, share = float(dataset["time"].values[wrong[0]]), float(dataset["s"].values[at])
            found[name] = {"time": time, "share": share, "stretch": float(stretch[wrong[0], at])}
    if found:
        dataset.attrs["inside_out"] = json.dumps(found)
        rod, one = min(found.items(), key=lambda item: item[1]["time"])
        warnings.warn(
            f"rod '{rod}' turns inside out from t = {one['time']:g} s on: its stretch is {one['stretch']:.3g} at"
            f" {one['share']:g} of its length, where no material can follow; make it stiffer, or press it less.",
            StretchWarning,
            stacklevel=4,
        )


class AdmissibilityWarning(UserWarning):
    """The ground would not have allowed a motion through phases: a foot would be pulled, slip or scuff; a torque was cut off."""


def note_violations(dataset: xarray.Dataset) -> None:
    """A warning for the first entry of the attribute ``violations``; each has kind, foot, phase, first time and amount."""
    found = [Violation(**one) for one in json.loads(dataset.attrs.get("violations", "[]"))]
    if not found:
        return
    more = f"; {len(found) - 1} more in the attribute 'violations'" if len(found) > 1 else ""
    warnings.warn(f"the gait is not admissible: {found[0]}{more}.", AdmissibilityWarning, stacklevel=4)


def join_phases(before: xarray.Dataset, whole: xarray.Dataset) -> None:
    """Transitions and violations of both stretches of a resumed run in the attributes of the whole."""
    if "transitions" not in before.attrs:
        return
    changes = [*json.loads(before.attrs["transitions"]), *json.loads(whole.attrs["transitions"])]
    found = [Violation(**one) for part in (before, whole) for one in json.loads(part.attrs["violations"])]
    whole.attrs["transitions"] = json.dumps(changes)
    whole.attrs["violations"] = json.dumps([one.plain() for one in joined_violations(found)])
