"""The contract of a result: its variables, their dimensions, units and meaning."""

from __future__ import annotations

from dataclasses import dataclass

XYZ = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True)
class Variable:
    """One variable of a result: dimensions after ``time``, units, meaning. ``{per_joint}`` units depend on the joints."""

    dims: tuple[str, ...]
    units: str
    long_name: str


# Units of joint quantities follow the motion of the joint: turning, sliding.
JOINT_UNITS = {
    "joint_position": ("rad", "m"),
    "joint_velocity": ("rad/s", "m/s"),
    "joint_acceleration": ("rad/s^2", "m/s^2"),
    "joint_torque": ("N m", "N"),
}

VARIABLES: dict[str, Variable] = {
    "position": Variable(("xyz",), "m", "origin of the reference body in the world"),
    "orientation": Variable(("quat",), "1", "orientation of the reference body in the world, unit quaternion (w, x, y, z)"),
    "twist": Variable(("twist",), "m/s, rad/s", "body twist of the reference body, in its own frame"),
    "acceleration": Variable(("twist",), "m/s^2, rad/s^2", "time derivative of the components of the body twist"),
    "joint_position": Variable(("joint",), "{per_joint}", "joint positions (rotation vector for a spherical joint)"),
    "joint_velocity": Variable(("joint",), "{per_joint}", "joint velocities"),
    "joint_acceleration": Variable(("joint",), "{per_joint}", "joint accelerations"),
    "joint_torque": Variable(("joint",), "{per_joint}", "joint torques or forces, positive with positive power"),
    "body_position": Variable(("body", "xyz"), "m", "origins of the bodies in the world"),
    "body_orientation": Variable(("body", "quat"), "1", "orientations of the bodies, unit quaternions (w, x, y, z)"),
    "kinetic_energy": Variable((), "J", "kinetic energy of the robot"),
    "potential_energy": Variable((), "J", "potential energy of gravity and springs"),
    "power_actuators": Variable((), "W", "power that the actuators give to the robot"),
    "power_dissipated": Variable((), "W", "power lost in joint friction, positive when energy is lost"),
    "power_external": Variable((), "W", "power that wrench laws with a source of energy give to the robot"),
    "constraint_residual": Variable((), "1", "largest defect of quaternion norms and imposed motion"),
    "solver_iterations": Variable((), "1", "iterations of the integrator since the last record"),
}

REQUIRED_ATTRIBUTES = ("locodyn_result", "scenario", "status", "resume_time", "resume_position", "resume_velocity")
FORMAT = 1  # version of the layout, attribute ``locodyn_result``


def joint_units(variable: str, sliding: list[bool]) -> str:
    """Units of a joint variable: ``rad``, ``m``, or both where joints differ.

    >>> joint_units("joint_torque", [False, True])
    'N m or N'
    """
    turning_unit, sliding_unit = JOINT_UNITS[variable]
    if all(sliding) and sliding:
        return sliding_unit
    return f"{turning_unit} or {sliding_unit}" if any(sliding) else turning_unit
