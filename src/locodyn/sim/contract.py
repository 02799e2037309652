"""The contract of a result: its variables, their dimensions, units and meaning."""

from __future__ import annotations

from dataclasses import dataclass

XYZ = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
ROD_PARTS = 21  # places at equal distances along each rod
STRAIN = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Variable:
    """One variable of a result: dimensions after ``time``, units, meaning. ``{per_joint}``, ``{per_row}``: see below."""

    dims: tuple[str, ...]
    units: str
    long_name: str


# Units of joint quantities follow the motion of the joint: turning, sliding; a rod: mode of a curvature, of a stretch or shear.
TURNING, SLIDING, CURVATURE, STRETCH = range(4)
JOINT_UNITS = {
    "joint_position": ("rad", "m", "1/m", "1"),
    "joint_velocity": ("rad/s", "m/s", "1/m/s", "1/s"),
    "joint_acceleration": ("rad/s^2", "m/s^2", "1/m/s^2", "1/s^2"),
    "joint_torque": ("N m", "N", "N m^2", "N m"),
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
    "joint_target": Variable(("tracked",), "rad or m", "where servos and controllers want the joints that they move"),
    "body_position": Variable(("body", "xyz"), "m", "origins of the bodies in the world"),
    "body_orientation": Variable(("body", "quat"), "1", "orientations of the bodies, unit quaternions (w, x, y, z)"),
    "rod_position": Variable(("rod", "s", "xyz"), "m", "centre lines of the rods in the world"),
    "rod_orientation": Variable(
        ("rod", "s", "quat"), "1", "orientations of the sections of the rods, unit quaternions (w, x, y, z)"
    ),
    "rod_strain": Variable(("rod", "s", "strain"), "1, 1/m", "strains of the rods: stretch and shears, torsion and bendings"),
    "rod_wrench": Variable(
        ("rod", "s", "wrench"),
        "N, N m",
        "force and moment of the part beyond on the part before, by material, tendons, chambers and muscles, section axes",
    ),
    "rod_actuation": Variable(
        ("rod", "s", "wrench"), "N, N m", "the part of rod_wrench that tendons, chambers and muscles exert, section axes"
    ),
    "wheel_angle": Variable(("wheel",), "rad", "rolling angles of the wheels since the first record"),
    "wheel_rate": Variable(("wheel",), "rad/s", "rolling rates of the wheels"),
    "wheel_torque": Variable(("wheel",), "N m", "torques of the wheels' motors, positive with positive power"),
    "steering_angle": Variable(("steered_wheel",), "rad", "angles of the steered wheels about their verticals"),
    "contact_point": Variable(("contact", "xyz"), "m", "where each wheel or contact touches the ground, in the world"),
    "contact_force": Variable(("contact", "xyz"), "N", "force on the robot at each wheel or contact, world axes"),
    "contact_gap": Variable(("contact",), "m", "distance of the surfaces of each contact, negative in penetration"),
    "multiplier": Variable(
        ("constraint",), "{per_row}", "forces along the rows of ideal wheels, contacts and loops, on the robot"
    ),
    "base_wrench": Variable(("wrench",), "N, N m", "what projective torques leave to the reference body, in its own frame"),
    "constraint_rank": Variable((), "1", "number of independent constraint rows"),
    "constraint_condition": Variable((), "1", "smallest over largest pivot of the rows; 0 where rank is lost"),
    "mass_centre": Variable(("xyz",), "m", "mass centre of the whole robot in the world"),
    "mass_centre_velocity": Variable(("xyz",), "m/s", "velocity of the mass centre, world axes"),
    "linear_momentum": Variable(("xyz",), "N s", "momentum of the robot and the fluid that it moves along, world axes"),
    "angular_momentum": Variable(("xyz",), "N m s", "angular momentum about the mass centre (with the fluid's), world axes"),
    "kinetic_energy": Variable((), "J", "kinetic energy of the robot"),
    "potential_energy": Variable((), "J", "potential energy of gravity and springs"),
    "power_actuators": Variable((), "W", "power that the actuators give to the robot"),
    "power_dissipated": Variable((), "W", "power lost in joint friction, positive when energy is lost"),
    "power_external": Variable((), "W", "power that wrench laws with a source of energy give to the robot"),
    "constraint_residual": Variable((), "1", "largest defect of quaternion norms and imposed motion"),
    "unstable_directions": Variable((), "1", "directions along which an equilibrium of a quasi-static run is not stable"),
    "least_stiffness": Variable((), "1", "smallest eigenvalue of the scaled stiffness of an equilibrium of a quasi-static run"),
    "friction_loss": Variable((), "J", "energy lost in friction of hard contacts since the start"),
    "impact_loss": Variable((), "J", "energy lost in impacts since the start"),
    "work_supplied": Variable((), "J", "work of actuators and outer sources less joint friction since the start"),
    "solver_residual": Variable(
        (), "1", "largest natural-map residual of contacts since the last record, over weight times step"
    ),
    "solver_iterations": Variable((), "1", "iterations of the integrator since the last record"),
}

REQUIRED_ATTRIBUTES = ("locodyn_result", "scenario", "status", "resume_time", "resume_position", "resume_velocity")
FORMAT = 2  # version of the layout, attribute ``locodyn_result``


def joint_units(variable: str, motions: list[int]) -> str:
    """Units of a joint variable: ``rad``, ``m``, or several where joints differ.

    >>> joint_units("joint_torque", [TURNING, SLIDING])
    'N m or N'
    """
    units = [JOINT_UNITS[variable][motion] for motion in sorted(set(motions))]
    return " or ".join(dict.fromkeys(units)) or JOINT_UNITS[variable][TURNING]


def row_unit(row: str) -> str:
    """Unit of the multiplier of a constraint row, by its name: a torque where the row forbids turning or rolling.

    >>> [row_unit(name) for name in ("left.side", "left.roll", "pin.x", "pin.about_z")]
    ['N', 'N m', 'N', 'N m']
    """
    return "N m" if row.endswith((".roll", ".ground.pitch")) or ".about_" in row else "N"
