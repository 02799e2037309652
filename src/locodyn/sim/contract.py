"""The contract of a result: what a variable says of itself, the labels along its dimensions, and units that joints decide.

The variables themselves are declared by what records them: :mod:`locodyn.sim.recorders`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import locodyn.robot.layout as layout
from locodyn.motion.field_base import TERM
from locodyn.record import codes

if TYPE_CHECKING:
    from locodyn.robot.compilation.compiled import CompiledRobot

XYZ = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
ROD_PARTS, MOST_PARTS = 21, 61  # places at equal distances along each rod; more than the first where a field changes fast
FIELD_PARTS = 12  # places along a wave of a strain field
STRAIN = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")

REQUIRED_ATTRIBUTES = ("locodyn_result", "scenario", "status", "resume_time", "resume_position", "resume_velocity")
FORMAT = 2  # version of the layout, attribute ``locodyn_result``


def places_along(robot: CompiledRobot) -> np.ndarray:
    """Where fields along the rods of a robot are recorded, over their lengths (P,): enough for their strain fields to be seen."""
    rods = [body.joint.rod for body in robot.description.bodies if body.joint.rod is not None]
    waves = max((rod.length * max(1.0 / field.span, field.turns) for rod in rods for field in rod.fields), default=0.0)
    count = math.ceil(FIELD_PARTS * waves / (ROD_PARTS - 1) - 1e-9) * (ROD_PARTS - 1) + 1
    return np.linspace(0.0, 1.0, min(max(count, ROD_PARTS), MOST_PARTS))


@dataclass(frozen=True)
class Variable:
    """One variable of a result: dimensions after ``time``, units, meaning.

    ``{per_joint}``, ``{per_row}``: the units follow the joints or the constraint rows of the robot. ``is_sum``: the values are
    counted from the start of the run, so a resumed run goes on from the last of them; ``in_history``: by itself,
    where the method kept its history.
    """

    dims: tuple[str, ...]
    units: str
    long_name: str
    is_sum: bool = False
    in_history: bool = False


# Units of joint quantities follow the motion of the joint: turning, sliding; a rod: mode of a curvature, of a stretch or shear.
# The phase of a strain field is a length as that of a slide, its amplitude a number as that of a stretch.
COORDINATE = codes("turning", "sliding", "curvature", "stretch")
JOINT_UNITS = {
    "joint_position": ("rad", "m", "1/m", "1"),
    "joint_velocity": ("rad/s", "m/s", "1/m/s", "1/s"),
    "joint_acceleration": ("rad/s^2", "m/s^2", "1/m/s^2", "1/s^2"),
    "joint_torque": ("N m", "N", "N m^2", "N m"),
}


def joint_motions(robot: CompiledRobot) -> list[int]:
    """What each coordinate of the joints is: a code of ``COORDINATE``."""
    return [_motion(robot, i) for i in range(robot.reference_nv, robot.nv)]


def _motion(robot: CompiledRobot, i: int) -> int:
    frame, axis = robot.dofs[i]
    if robot.frames[frame, layout.CODE] == layout.ROD:
        if i - robot.frames[frame, layout.FIRST_V] >= robot.constants[frame, layout.SLICE.strain_end + 5]:  # of a field
            return int(COORDINATE.stretch if _is_amplitude(robot, i) else COORDINATE.sliding)
        return int(COORDINATE.stretch if axis < 3 else COORDINATE.curvature)
    row = robot.dof_constants[i]
    return int(COORDINATE.sliding if row[layout.ANGULAR] == 0.0 and row[layout.LINEAR] != 0.0 else COORDINATE.turning)


def _is_amplitude(robot: CompiledRobot, i: int) -> bool:
    """Whether coordinate i of a strain field is its amplitude, not its phase."""
    frame = int(robot.dofs[i, layout.DOF_FRAME])
    first, last = (int(robot.constants[frame, column]) for column in (layout.SLICE.field_first, layout.SLICE.field_last))
    number = i - int(robot.frames[frame, layout.FIRST_V])
    return number in robot.constants[first:last, layout.FIELD_TERM + TERM.amplitude]


def joint_units(variable: str, motions: list[int]) -> str:
    """Units of a joint variable: ``rad``, ``m``, or several where joints differ.

    >>> joint_units("joint_torque", [COORDINATE.turning, COORDINATE.sliding])
    'N m or N'
    """
    units = [JOINT_UNITS[variable][motion] for motion in sorted(set(motions))]
    return " or ".join(dict.fromkeys(units)) or JOINT_UNITS[variable][COORDINATE.turning]


def row_unit(row: str) -> str:
    """Unit of the multiplier of a constraint row, by its name: a torque where the row forbids turning or rolling.

    >>> [row_unit(name) for name in ("left.side", "left.roll", "pin.x", "pin.about_z")]
    ['N', 'N m', 'N', 'N m']
    """
    return "N m" if row.endswith((".roll", ".ground.pitch")) or ".about_" in row else "N"
