"""The charts of a result by name: each shows one aspect, and knows whether there is something to show.

The same chart (:mod:`locodyn.view.chart`) is drawn for print (:mod:`locodyn.view.draw`) and in the page (``charts.ts``,
``drawings.ts``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.view.chart import MANY, Chart, Panel, moves, over_time, recorded, units_of
from locodyn.view.contact_charts import (
    HEADING,
    PLANE,
    SIDE,
    angles,
    contact_forces,
    contact_moments,
    force_at,
    has_carriers,
    held_rows,
    is_bicycle,
    loop_forces,
    loop_names,
    normal_forces,
    normal_names,
    plane_normals,
    rear_load,
    row_names,
    rows,
    tangential_forces,
    touches,
    wheels,
)
from locodyn.view.energy_charts import defects, energy, power
from locodyn.view.field_charts import FIELDS
from locodyn.view.height_charts import heights, rises, rises_much, vertical_velocities
from locodyn.view.motion_charts import (
    axles,
    driven_axles,
    effort,
    efforts,
    has_iterations,
    iterations,
    joints,
    modes,
    modes_of,
    orientation,
    own_joints,
    path,
    path_points,
    phase,
    rolls_in_space,
    seen_from_above,
    some_torque,
    stability,
    torque_bars,
    tracking_errors,
    tracks,
    twist,
)
from locodyn.view.push_charts import has_pushes, numbers, pushes

if TYPE_CHECKING:
    from locodyn.sim import Result

SPEED = twist(0, "velocity, body axes", "velocity", "m/s")
SPIN = twist(3, "angular velocity, body axes", "angular velocity", "rad/s")


def _moves_by_itself(result: Result) -> bool:
    """Velocities of the reference body say something: it is alone, or rolls in space."""
    return "joint_position" not in result.dataset or rolls_in_space(result)


def _goes_by_itself(result: Result) -> bool:
    """Likewise the velocity of the head of a body that moves by its strains."""
    return _moves_by_itself(result) or "rod_power" in result.dataset


def _many_torques(result: Result) -> bool:
    return some_torque(result) and len(own_joints(result)) > MANY


def _never(result: Result) -> bool:
    return False


PANELS: tuple[Panel, ...] = (
    Panel("tracks", "reference", seen_from_above, tracks, wide=True),
    Panel("path", "reference", lambda r: moves(path_points(r)[1]), path, lambda r: not seen_from_above(r)),
    Panel("orientation", "reference", lambda r: moves(r.orientation.values), orientation),
    Panel("velocity", "reference", lambda r: moves(r.twist.values[:, :3]), SPEED, _goes_by_itself),
    Panel("spin", "reference", lambda r: moves(r.orientation.values), SPIN, _moves_by_itself),
    Panel("axle_rates", "joints", lambda r: bool(axles(r)), joints("joint_velocity", "wheel rates", "rate", axles)),
    Panel("joint_positions", "joints", lambda r: bool(own_joints(r)), joints("joint_position", "joint positions", "position")),
    Panel(
        "joint_velocities",
        "joints",
        lambda r: bool(own_joints(r)),
        joints("joint_velocity", "joint velocities", "rate"),
        lambda r: not some_torque(r) or rolls_in_space(r),
    ),
    Panel("tracking_errors", "joints", recorded("joint_target"), tracking_errors),
    Panel(
        "phase",
        "joints",
        lambda r: moves(r.joint_position.sel(joint=own_joints(r)).values) if own_joints(r) else False,
        phase,
        _never,
    ),
    Panel(
        "axle_torques",
        "torques",
        lambda r: bool(driven_axles(r)),
        lambda r: efforts(r, driven_axles, "wheel"),
    ),
    Panel("joint_torques", "torques", some_torque, lambda r: efforts(r, own_joints)),
    Panel("torque_bars", "torques", lambda r: recorded("joint_torque")(r) and len(own_joints(r)) > 0, torque_bars, _many_torques),
    Panel("rod_modes", "rods", lambda r: bool(modes_of(r)), modes),
    *FIELDS,
    Panel("stability", "rods", lambda r: "least_stiffness" in r.dataset, stability),
    Panel("contact_angles", "contacts", has_carriers, angles),
    Panel("normal_forces", "contacts", lambda r: bool(normal_names(r) or plane_normals(r)), normal_forces),
    Panel("tangential_forces", "contacts", lambda r: bool(plane_normals(r)), tangential_forces),
    Panel("rear_load", "contacts", is_bicycle, rear_load),
    Panel("side_forces", "contacts", lambda r: bool(row_names(r, SIDE)), rows(SIDE, "side forces")),
    Panel("contact_forces", "contacts", touches, contact_forces, lambda r: not plane_normals(r)),
    Panel("contact_moments", "contacts", lambda r: bool(held_rows(r, turning=True)), contact_moments),
    Panel("heights", "contacts", rises, heights, rises_much),
    Panel("vertical_velocities", "contacts", rises, vertical_velocities, rises_much),
    Panel("push_forces", "contacts", has_pushes, pushes),
    Panel("push_points", "contacts", has_pushes, numbers),
    Panel("rolling_forces", "contacts", lambda r: bool(row_names(r, HEADING)), rows(HEADING, "rolling forces")),
    Panel("plane_forces", "contacts", lambda r: bool(row_names(r, PLANE)), rows(PLANE, "forces in the plane")),
    Panel("loop_forces", "contacts", lambda r: bool(loop_names(r)), loop_forces),
    Panel("wheel_torques", "contacts", recorded("wheel_torque"), wheels("wheel_torque", "wheel torques", "torque")),
    Panel("rolling_angles", "contacts", recorded("wheel_angle"), wheels("wheel_angle", "rolling angles", "angle")),
    Panel(
        "steering_angles", "contacts", recorded("steering_angle"), wheels("steering_angle", "steering angles", "angle"), _never
    ),
    Panel("energies", "energy", lambda r: True, energy),
    Panel("power", "energy", lambda r: recorded("power_actuators")(r) or recorded("power_dissipated")(r), power),
    Panel("defects", "energy", lambda r: True, defects),
    Panel("iterations", "energy", has_iterations, iterations, _never),
)
GROUPS = tuple(dict.fromkeys(panel.group for panel in PANELS))
PARTS = ("joint", "wheel", "contact")  # dimensions whose names are parts that have charts of their own


def default_panels(result: Result, group: str | None = None) -> list[Panel]:
    """The panels that are shown when nothing is asked for, of one group or of all."""
    return [p for p in PANELS if group in (None, p.group) and p.has(result) and p.by_default(result)]


def of_part(result: Result, name: str) -> list[Chart]:
    """Motion and torque of the joint or wheel of this name, or the force at this contact; nothing when there is none."""
    for dimension, variable, word in (("joint", "joint_position", "position"), ("wheel", "wheel_angle", "angle")):
        if dimension in result.dataset.coords and name in result.dataset[dimension].values:
            charts = []
            for shown in (variable, f"{dimension}_torque"):
                unit = units_of(result, shown, [name]) if dimension == "joint" else result.dataset[shown].attrs["units"]
                quantity = word if shown == variable else effort(unit)
                values = result.dataset[shown].sel({dimension: name}).values[:, None]
                charts.append(Chart(f"{quantity} of {name}", "time", quantity, unit, (name,), values))
            return charts
    if "contact_force" in result.dataset and name in result.contact.values:
        return [force_at(result, name)]
    return []


def position_of(result: Result, body: str) -> Chart:
    """Position of a body over time."""
    values = result.body_position.sel(body=body).values
    shown = [k for k in range(3) if k < 2 or moves(values[:, k : k + 1])]
    return over_time(f"position of {body}", "position", "m", ["xyz"[k] for k in shown], values[:, shown])
