"""Checks of a description; each fault has its own sentence, which names the thing, the fault and what would be right.

Symbols are not compared: where a parameter is a symbol, its checks are left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, WrenchLaw
from locodyn.robot.checks.basics import LOOSE, TIGHT, check_distinct, check_finite, check_pose
from locodyn.robot.checks.ground import (
    check_contact,
    check_contact_names,
    check_coupling,
    check_loop,
    check_rolling_joint,
    check_wheel,
    check_wheel_names,
)
from locodyn.robot.checks.strands import check_strand, check_tie
from locodyn.robot.compilation.singularity import unresisted_joint
from locodyn.robot.description import RobotDescription, parents_first
from locodyn.robot.inertia import Inertia
from locodyn.robot.joint import KINDS, REFERENCE_KINDS, Joint
from locodyn.robot.values import is_number, is_numeric

# Joints in which a spring has a length or an angle (for a ball joint, the rotation vector) to act on.
_WITH_SPRING = ("revolute", "prismatic", "helical", "cylindrical", "universal", "translating", "spherical")


def validate(description: RobotDescription) -> RobotDescription:
    """Check a description and return it with its bodies in order, parents first.

    Raises
    ------
    DescriptionError
        One sentence about the first fault found.
    """
    check_names(description)
    check_tree(description)
    check_abscissas(description)
    for body in description.bodies:
        check_inertia(body.inertia, body.name, description.any_inertia)
        check_joint(body)
        check_actuator(body)
        for marker in body.markers:
            check_pose(marker.pose, f"Marker '{marker.name}'")
        for wheel in body.wheels:
            check_wheel(wheel, body.name)
            check_rolling_joint(wheel, body, description)
        for contact in body.contacts:
            check_contact(contact, body.name)
        for strand in body.strands:
            if body.joint.rod is not None:
                check_strand(strand, body.joint.rod, body.name)
        for along in body.rod_contacts:
            if body.joint.rod is not None:
                along.check(body.joint.rod, body.name)
    check_coordinates(description)
    for wrench in description.wrenches:
        if wrench.body not in description.body_names:
            known = description.body_names
            raise DescriptionError(
                f"Wrench law '{wrench.name}' acts on '{wrench.body}', which is not a body{nearest(wrench.body, known)}"
            )
        check_pose(wrench.pose, f"Wrench law '{wrench.name}'")
        check_along(wrench, next(body for body in description.bodies if body.name == wrench.body))
    for loop in description.loops:
        check_loop(loop, description)
    for coupling in description.couplings:
        check_coupling(coupling, description)
    for tie in description.ties:
        check_tie(tie, description)
    ordered = replace(description, bodies=parents_first(description.bodies))
    if not description.massless_ok:
        check_resistance(ordered)
    return ordered


# ------------------------------------------------------------------------- names
def check_names(description: RobotDescription) -> None:
    """Every body, joint, marker, wheel, loop or coupling, and wrench law has a name of its own."""
    if not description.bodies:
        raise DescriptionError(f"Robot '{description.name}' has no base: add one with robot.base(name, ...).")
    check_distinct("body", description.body_names, description.name)
    check_distinct("joint", (body.joint.name for body in description.bodies), description.name)
    markers = [marker.name for _, marker in description.markers]
    check_distinct("marker", markers, description.name)
    for name in markers:
        if name in description.body_names:
            raise DescriptionError(f"Robot '{description.name}' has a body and a marker named '{name}': names must differ.")
    check_wheel_names(description)
    check_contact_names(description)
    closed = [loop.name for loop in description.loops] + [coupling.name for coupling in description.couplings]
    check_distinct("loop", closed, description.name)
    check_distinct("wrench law", (wrench.name for wrench in description.wrenches), description.name)
    strands = [strand.name for body in description.bodies for strand in body.strands]
    check_distinct("cable or spring", [tie.name for tie in description.ties] + strands, description.name)


def check_coordinates(description: RobotDescription) -> None:
    """Coordinate names fit the degrees of freedom and differ."""
    names: list[str] = []
    for body in description.bodies:
        joint = body.joint
        if joint.coordinates and len(joint.coordinates) != joint.nv:
            raise DescriptionError(
                f"Joint '{joint.name}' has {joint.nv} degrees of freedom, but {len(joint.coordinates)} coordinate names."
            )
        names += joint.velocity_names(body.name if body.parent is None else None)
    check_distinct("coordinate", names, description.name)


# -------------------------------------------------------------------------- tree
def check_tree(description: RobotDescription) -> None:
    """One reference body, known parents, no cycle."""
    names = description.body_names
    bases = [body.name for body in description.bodies if body.parent is None]
    if not bases:
        raise DescriptionError(f"Robot '{description.name}' has no base: add one with robot.base(name, ...).")
    if len(bases) > 1:
        raise DescriptionError(
            f"Robot '{description.name}' has two bases, '{bases[0]}' and '{bases[1]}': a robot has one reference body."
        )
    for body in description.bodies:
        if body.parent is not None and body.parent not in names:
            raise DescriptionError(f"Body '{body.name}' is on '{body.parent}', which is not a body{nearest(body.parent, names)}")
    reached = {body.name for body in parents_first(description.bodies)}
    for body in description.bodies:
        if body.name not in reached:
            raise DescriptionError(f"The bodies {_cycle(description, body)} form a cycle: a robot is a tree from its base.")


def _cycle(description: RobotDescription, start: Body) -> str:
    seen: list[str] = []
    name: str = start.name
    while name not in seen:
        seen.append(name)
        name = str(description.body(name).parent)
    return " -> ".join([f"'{n}'" for n in seen[seen.index(name) :]] + [f"'{name}'"])


# ----------------------------------------------------------------------- numbers
def check_inertia(inertia: Inertia, name: str, any_tensor: bool = False) -> None:
    """Mass, centre and tensor are those of a possible body; ``any_tensor``: the tensor only needs to be symmetric."""
    check_finite(inertia.mass, f"The mass of body '{name}'")
    if is_number(inertia.mass) and inertia.mass < 0:
        raise DescriptionError(f"The mass of body '{name}' is {inertia.mass:g} kg, but it must not be negative.")
    check_finite(inertia.centre, f"The centre of body '{name}'")
    check_finite(inertia.tensor, f"The inertia of body '{name}'")
    if not is_numeric(inertia.tensor):
        return
    tensor = inertia.tensor.astype(float)
    scale = float(np.max(np.abs(tensor)))
    if np.max(np.abs(tensor - tensor.T)) > TIGHT * scale:
        raise DescriptionError(f"The inertia of body '{name}' is not symmetric.")
    if any_tensor:
        return
    small, middle, large = np.linalg.eigvalsh(tensor)
    if small < -TIGHT * scale:
        raise DescriptionError(
            f"The inertia of body '{name}' about its centre is not positive: its smallest principal moment is {small:.4g} kg m^2."
        )
    if large > small + middle + LOOSE * scale:
        raise DescriptionError(
            f"The inertia of body '{name}' violates the triangle inequality: the principal moment {large:.4g} kg m^2 "
            f"is larger than the sum of the others, {small:.4g} and {middle:.4g}, which no body can have."
        )


# ------------------------------------------------------------------------ joints
def check_joint(body: Body) -> None:
    """A known type with the right axes at a proper place."""
    joint = body.joint
    if joint.type not in KINDS:
        raise DescriptionError(
            f"Joint '{joint.name}' has the type '{joint.type}', which is not known{nearest(joint.type, KINDS)}"
        )
    if body.parent is None and joint.type not in REFERENCE_KINDS:
        raise DescriptionError(
            f"The base '{body.name}' cannot move by a {joint.type} joint: it moves in one of {', '.join(REFERENCE_KINDS)}."
        )
    if (joint.type == "rod") != (joint.rod is not None):
        raise DescriptionError(f"Joint '{joint.name}' must say what its rod is if, and only if, its type is 'rod'.")
    check_axes(joint)
    check_limits(joint)
    check_finite(joint.pitch, f"The pitch of joint '{joint.name}'")
    check_pose(joint.parent_offset, f"The place of joint '{joint.name}' on its parent")
    check_pose(joint.child_offset, f"The place of body '{body.name}' on its joint")


def check_abscissas(description: RobotDescription) -> None:
    """What is placed along a rod lies on it."""
    for body in description.bodies:
        s = body.joint.abscissa
        if s is None:
            continue
        rod = None if body.parent is None else description.body(body.parent).joint.rod
        if rod is None:
            raise DescriptionError(f"Body '{body.name}' is placed at s = {s:g} m along '{body.parent}', which is not a rod.")
        if not 0.0 <= s <= rod.length * (1.0 + TIGHT):
            raise DescriptionError(
                f"Body '{body.name}' is placed at s = {s:g} m along rod '{body.parent}', which is {rod.length:g} m long."
            )


def check_axes(joint: Joint) -> None:
    """As many unit axes as the type needs; those of a universal joint are not parallel."""
    if len(joint.axes) != joint.kind.axes:
        raise DescriptionError(
            f"Joint '{joint.name}' ({joint.type}) needs {joint.kind.axes} axes, but {len(joint.axes)} were given."
        )
    for axis in joint.axes:
        if axis.shape != (3,):
            raise DescriptionError(f"The axis of joint '{joint.name}' must have 3 numbers.")
        check_finite(axis, f"The axis of joint '{joint.name}'")
        if np.linalg.norm(axis) < TIGHT:
            raise DescriptionError(f"The axis of joint '{joint.name}' is zero: give a direction, such as 'z' or (0, 0, 1).")
        if abs(np.linalg.norm(axis) - 1.0) > TIGHT:
            raise DescriptionError(
                f"The axis of joint '{joint.name}' has the length {np.linalg.norm(axis):.6g}, but it must be 1."
            )
    if joint.type == "universal" and np.linalg.norm(np.cross(joint.axes[0], joint.axes[1])) < LOOSE:
        raise DescriptionError(f"The axes of the universal joint '{joint.name}' are parallel: they must differ.")


def check_limits(joint: Joint) -> None:
    """An interval of positions and a speed, of a joint with one coordinate."""
    if not joint.is_limited:
        return
    if joint.kind.nv != 1:
        raise DescriptionError(
            f"Joint '{joint.name}' ({joint.type}) has limits, but {joint.kind.nv} coordinates: limits belong to one coordinate."
        )
    lower, upper = joint.limits
    if not lower < upper:
        raise DescriptionError(
            f"The limits of joint '{joint.name}' are {lower:g} and {upper:g}: the second must be larger than the first."
        )
    if not joint.speed_limit > 0:
        raise DescriptionError(f"The speed limit of joint '{joint.name}' is {joint.speed_limit:g}: it must be positive.")


def check_actuator(body: Body) -> None:
    """Finite values that do not feed energy in, one for each degree of freedom."""
    actuator, joint = body.actuator, body.joint
    if actuator is None:
        return
    if joint.type == "rod":
        raise DescriptionError(f"Joint '{joint.name}' is a rod and has no actuator: give it damping=, or tendons.")
    if joint.type == "fixed":
        raise DescriptionError(f"Joint '{joint.name}' is fixed, but it has an actuator: only a joint that moves can have one.")
    if actuator.bristles is not None and not hasattr(actuator.bristles, "coulomb"):
        raise DescriptionError(f"The bristles of joint '{joint.name}' are {actuator.bristles!r}: they must be a LuGre law.")
    pairs = zip(*(actuator.values(name, joint.nv, joint.name) for name in ("torque_limit", "no_load_speed")), strict=True)
    if any(is_number(most) and np.isinf(most) and not (is_number(fast) and np.isinf(fast)) for most, fast in pairs):
        raise DescriptionError(
            f"The drive of joint '{joint.name}' has a no_load_speed, but no torque_limit that could fade: give both."
        )
    for entry in Actuator.numbers():
        for value in actuator.values(entry.name, joint.nv, joint.name):
            if not is_number(value):
                continue
            what = f"The {entry.name} of joint '{joint.name}'"
            if entry.name not in ("torque_limit", "no_load_speed") or np.isnan(value):
                check_finite(value, what)
            if entry.name in ("torque_limit", "armature", "viscous", "coulomb", "time_constant") and value < 0:
                raise DescriptionError(f"{what} is {value:g}, but it must not be negative.")
            if entry.name == "no_load_speed" and value <= 0:
                raise DescriptionError(f"{what} is {value:g}, but it must be positive: the drive has all of its torque at rest.")
            if entry.name == "coulomb_speed" and value <= 0:
                raise DescriptionError(f"{what} is {value:g}, but it must be positive: dry friction changes its sign over it.")
            if entry.name == "stiffness" and value != 0 and joint.type not in _WITH_SPRING:
                raise DescriptionError(
                    f"Joint '{joint.name}' ({joint.type}) has a stiffness, but its position is not a set of lengths or angles "
                    "to which a spring could belong: use a wrench law."
                )
            if entry.name == "rest" and value != 0 and joint.type == "spherical":
                raise DescriptionError(
                    f"The rest of joint '{joint.name}' is {value:g}, but the spring of a ball joint rests at its zero."
                )


def check_along(wrench: WrenchLaw, body: Body) -> None:
    """A law along a rod is on a rod, within its length."""
    if wrench.abscissa is None and wrench.spread is None:
        return
    rod = body.joint.rod
    if rod is None:
        raise DescriptionError(f"Wrench law '{wrench.name}' acts along '{wrench.body}', which is not a rod.")
    if wrench.abscissa is not None and wrench.spread is not None:
        raise DescriptionError(f"Wrench law '{wrench.name}' acts at one place and along its rod: give at_s= or along=.")
    if wrench.spread is not None:
        wrench.spread.check(rod, wrench.name, wrench.body)
    elif not 0.0 < float(wrench.abscissa or 0.0) <= rod.length * (1.0 + 1e-9):
        raise DescriptionError(
            f"Wrench law '{wrench.name}' acts at s = {wrench.abscissa:g} m on rod '{wrench.body}'; it must lie beyond 0 and up"
            f" to {rod.length:g} m."
        )


def check_resistance(description: RobotDescription) -> None:
    """Every joint moves something that has inertia along it, so that the mass matrix can be inverted."""
    found = unresisted_joint(description)
    if found is not None:
        joint, body = found
        raise DescriptionError(
            f"Nothing resists the motion of joint '{joint}': what it moves has no inertia along it, so the mass matrix is "
            f"singular; give body '{body}' mass and inertia or the joint an armature, or say Robot(..., massless_ok=True) "
            "if it is always imposed."
        )
