"""Numbers that a study keeps of each run, by name, with units; each says what it needs, and what cannot have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Result, Scenario
from locodyn.study import measures
from locodyn.study.subject import loaded
from locodyn.world import Ground

OfRun = Callable[[Any, float | None], float]  # of a Result, or of a BareRun with what the metric needs
OfScenario = Callable[[Scenario], float]
Refusal = Callable[[Scenario, float | None], str]


@dataclass(frozen=True)
class Metric:
    """One number of a run.

    Parameters
    ----------
    name, unit, meaning : str
    of_run : function(result, cycle) -> number, ``cycle`` (s) being None where the study has none
    of_scenario : function(scenario) -> number, in place of ``of_run``: no run is needed
    needs : names of recorded variables; None: all
    ends : whether the first and the last record are enough
    refusal : function(scenario, cycle) -> why the scenario has no such number, or ""
    """

    name: str
    unit: str
    meaning: str
    of_run: OfRun | None = None
    of_scenario: OfScenario | None = None
    needs: tuple[str, ...] | None = ()
    ends: bool = False
    refusal: Refusal = lambda scenario, cycle: ""

    def check(self, scenario: Scenario, cycle: float | None) -> None:
        """:class:`InputError` where a scenario has no such number."""
        reason = self.refusal(scenario, cycle)
        if reason:
            raise InputError(f"the metric '{self.name}' is not possible for '{scenario.name}': {reason}.")


def _stays(scenario: Scenario, cycle: float | None) -> str:
    return "" if scenario.compiled.reference_nv else "its reference body does not move"


def _no_cycle(scenario: Scenario, cycle: float | None) -> str:
    if _stays(scenario, cycle):
        return _stays(scenario, cycle)
    if measures.cycle_of(scenario, cycle) is None:
        return "its drive has no period; say the length of a cycle in s (cycle)"
    found, end = measures.cycle_of(scenario, cycle) or 0.0, scenario.recording.t_end
    return f"a cycle takes {found:g} s, the run only {end:g} s" if found > end * (1.0 + 1e-9) else ""


def _no_joints(scenario: Scenario, cycle: float | None) -> str:
    robot = scenario.compiled
    return "" if len(robot.coordinate_names) > robot.reference_nv else "it has no joints"


def _no_cost(scenario: Scenario, cycle: float | None) -> str:
    if not any(scenario.world.gravity):
        return "it has no weight, by which the cost is measured"
    return _stays(scenario, cycle) or _no_joints(scenario, cycle)


def _no_contact(scenario: Scenario, cycle: float | None) -> str:
    return "" if scenario.row_names()["contact"] else "nothing of it touches the ground"


def _not_level(scenario: Scenario, cycle: float | None) -> str:
    if _no_contact(scenario, cycle):
        return _no_contact(scenario, cycle)
    level = all(isinstance(one, Ground) and one.normal[2] == 1.0 for one in scenario.world.obstacles)
    return "" if level and not scenario.world.self_collision else "it may touch more than level ground"


def _no_limits(scenario: Scenario, cycle: float | None) -> str:
    return "" if measures.limited_joints(scenario) else "none of its joints has limits; say them, or take peak_joint_position"


def _no_target(scenario: Scenario, cycle: float | None) -> str:
    return "" if scenario.targets else "none of its joints follows a target (servo, controller)"


def _no_phases(scenario: Scenario, cycle: float | None) -> str:
    return "it does not go through phases" if scenario.phases is None else ""


_CENTRE = ("mass_centre",)
_PATH, _WORK = ("position", "orientation"), ("joint_torque", "joint_velocity", "wheel_torque", "wheel_rate")
_ALL = (
    Metric("displacement", "m", "distance of the mass centre's end from its start", measures.displacement, needs=_CENTRE,
           ends=True, refusal=_stays),
    Metric("displacement_x", "m", "net motion of the mass centre along x", measures.displacement_x, needs=_CENTRE, ends=True,
           refusal=_stays),
    Metric("displacement_y", "m", "net motion of the mass centre along y", measures.displacement_y, needs=_CENTRE, ends=True,
           refusal=_stays),
    Metric("rotation", "rad", "net turn of the reference body about z", measures.rotation, needs=_PATH, refusal=_stays),
    Metric("displacement_per_cycle", "m", "distance that the reference body covers in a cycle, mean of whole cycles",
           measures.displacement_per_cycle, needs=_PATH, refusal=_no_cycle),
    Metric("rotation_per_cycle", "rad", "turn of the reference body about z in a cycle, mean of whole cycles",
           measures.rotation_per_cycle, needs=_PATH, refusal=_no_cycle),
    Metric("speed", "m/s", "mean speed: displacement over time", measures.speed, needs=_CENTRE, ends=True, refusal=_stays),
    Metric("cost_of_transport", "1", "sum over actuators of the integral of |torque x rate|, over weight x displacement",
           measures.cost_of_transport, needs=("mass_centre", *_WORK), refusal=_no_cost),
    Metric("actuator_work", "J", "work that the actuators give to the robot, net", measures.actuator_work,
           needs=("power_actuators",)),
    Metric("actuator_effort", "J", "sum over actuators of the integral of |torque x rate|", measures.actuator_effort, needs=_WORK,
           refusal=_no_joints),
    Metric("peak_torque", "N m or N", "largest torque or force of a joint", measures.peak_torque, needs=("joint_torque",),
           refusal=_no_joints),
    Metric("rms_torque", "N m or N", "largest of the joints' root mean squares of torque or force in time", measures.rms_torque,
           needs=("joint_torque",), refusal=_no_joints),
    Metric("peak_contact_force", "N", "largest force at a wheel or contact", measures.peak_contact_force,
           needs=("contact_force",), refusal=_no_contact),
    Metric("friction_needed", "1", "largest ratio of horizontal to vertical force at a contact with level ground",
           measures.friction_needed, needs=("contact_force",), refusal=_not_level),
    Metric("joint_margin", "rad or m", "least distance of a joint from its limits; negative: beyond", measures.joint_margin,
           needs=("joint_position", "joint_velocity"), refusal=_no_limits),
    Metric("peak_joint_position", "rad or m", "largest position of a joint", measures.peak_joint_position,
           needs=("joint_position",), refusal=_no_joints),
    Metric("tracking_error", "rad or m", "root mean square of joint positions less their targets", measures.tracking_error,
           needs=("joint_target", "joint_position"), refusal=_no_target),
    Metric("lowest_height", "m", "lowest height of the mass centre", measures.lowest_height, needs=("mass_centre",)),
    Metric("energy_drift", "J", "largest defect of the energy balance", measures.energy_drift, needs=None),
    Metric("duration", "s", "time that the run reached", measures.duration, needs=("position",), ends=True),
    Metric("stability_margin", "1/s", "decay rate of the slowest mode about the motion at the start; negative: unstable",
           of_scenario=measures.stability_margin),
    Metric("largest_multiplier", "1", "largest Floquet multiplier of the gait near the start; above 1: unstable",
           of_scenario=measures.largest_multiplier, refusal=_no_phases),
)  # fmt: skip
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
"""All metrics that are known by name."""

MetricLike = str | Metric | Callable[[Result], float]


def metric_of(metric: MetricLike, name: str = "") -> Metric:
    """A metric by its name, from ``file.py:function``, from a function of the result, or as it is."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and ".py:" in metric:
        return _own(name or metric.rpartition(":")[2], loaded(metric))
    if isinstance(metric, str):
        if metric not in METRICS:
            raise InputError(f"there is no metric '{metric}'{nearest(metric, METRICS)}")
        return METRICS[metric]
    if callable(metric):
        return _own(name or getattr(metric, "__name__", "metric"), metric)
    raise InputError(f"a metric is {metric!r}; it must be a name, a function of the result, or a Metric(...).")


def _own(name: str, function: Callable[[Result], float]) -> Metric:
    """A function of the user."""

    def of_run(result: Result, cycle: float | None) -> float:
        return float(function(result))

    words = (getattr(function, "__doc__", None) or "function of the user").strip().splitlines()[0]
    return Metric(name, str(getattr(function, "unit", "")), words, of_run, needs=None)


def named(metrics: Sequence[MetricLike] | Mapping[str, MetricLike]) -> dict[str, MetricLike]:
    """Metrics by name; each name once."""
    pairs = list(metrics.items()) if isinstance(metrics, Mapping) else [(metric_of(one).name, one) for one in metrics]
    if not pairs:
        raise InputError(f"a study keeps no metric; give some of {', '.join(METRICS)}.")
    found: dict[str, MetricLike] = {}
    for name, one in pairs:
        metric_of(one, name)
        if name in found:
            raise InputError(f"the metric '{name}' is given twice; give it once.")
        found[name] = one
    return found


def variables(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """What a run must record for these metrics; empty: everything."""
    if any(metric.needs is None for metric in metrics):
        return ()
    return tuple(dict.fromkeys(name for metric in metrics for name in metric.needs or ())) or ("position",)


def not_a_number(metrics: Sequence[Metric]) -> np.ndarray:
    """Values of a run that failed."""
    return np.full(len(metrics), np.nan)
