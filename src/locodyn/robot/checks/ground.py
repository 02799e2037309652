"""Checks of wheels, skates, surfaces that roll, closed loops and couplings: what a robot touches, where it closes on itself."""

from __future__ import annotations

import math

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.body import Body
from locodyn.robot.checks.basics import LOOSE, TIGHT, check_distinct, check_finite, check_pose
from locodyn.robot.contact import CONTACT_KINDS, Contact
from locodyn.robot.description import RobotDescription
from locodyn.robot.loop import LOOP_JOINTS, Coupling, Loop
from locodyn.robot.values import is_numeric
from locodyn.robot.wheel import WHEEL_KINDS, Wheel


# ------------------------------------------------------------------------ wheels
def check_wheel_names(description: RobotDescription) -> None:
    """Wheels, markers, bodies, joints and coordinates have different names; a wheel with inertia shares that of its own body."""
    check_distinct("wheel", (wheel.name for _, wheel in description.wheels), description.name)
    markers = {marker.name for _, marker in description.markers}
    joints = {body.joint.name: body for body in description.bodies}
    coordinates = {name: body for body in description.bodies for name in body.joint.coordinates}
    names = set(description.body_names)
    for carrier, wheel in description.wheels:
        own = joints.get(wheel.coordinate or "")
        if own is carrier:  # the robot is carried by the wheel
            own_name = carrier.parent
        else:
            own_name = None if own is None else own.name
        taken = {
            "marker": wheel.name in markers,
            "body": wheel.name in names and wheel.name != own_name,
            "joint": wheel.name in joints and wheel.name != wheel.coordinate,
            "coordinate": coordinates.get(wheel.name, own) is not own,
        }
        for what, is_taken in taken.items():
            if is_taken:
                raise DescriptionError(
                    f"Robot '{description.name}' has a {what} and a wheel named '{wheel.name}': names must differ."
                )


def check_wheel(wheel: Wheel, body: str) -> None:
    """A known kind with a proper axle, and a radius where it is needed."""
    if wheel.kind not in WHEEL_KINDS:
        raise DescriptionError(
            f"Wheel '{wheel.name}' on '{body}' is of the kind '{wheel.kind}', which is not known"
            f"{nearest(wheel.kind, WHEEL_KINDS)}"
        )
    what = f"{WHEEL_KINDS[wheel.kind].capitalize()} '{wheel.name}'"
    check_finite(wheel.at, f"The contact point of wheel '{wheel.name}'")
    check_wheel_axes(wheel)
    check_radius(wheel, what)
    check_finite(wheel.roller_angle, f"The roller angle of wheel '{wheel.name}'")
    if is_numeric(wheel.roller_angle) and wheel.roller_angle != 0:
        if wheel.kind != "omni":
            raise DescriptionError(f"{what} has a roller angle, but only an omni wheel has rollers: say kind='omni'.")
        if abs(wheel.roller_angle) >= math.pi / 2 - TIGHT:
            raise DescriptionError(
                f"{what} has the roller angle {wheel.roller_angle:.6g} rad, but its drive needs one between -pi/2 and pi/2."
            )
    if wheel.coordinate is not None and wheel.kind not in ("fixed", "omni"):
        raise DescriptionError(
            f"{what} cannot be a body with inertia of its own: its axle would have to turn with it; put a fixed wheel on a body "
            "that turns about the vertical."
        )


def check_wheel_axes(wheel: Wheel) -> None:
    """Axle and vertical are unit vectors, perpendicular to each other."""
    for axis, name in ((wheel.axle, "axle"), (wheel.vertical, "vertical")):
        if axis.shape != (3,):
            raise DescriptionError(f"The {name} of wheel '{wheel.name}' must have 3 numbers.")
        check_finite(axis, f"The {name} of wheel '{wheel.name}'")
        if np.linalg.norm(axis) < TIGHT:
            raise DescriptionError(f"The {name} of wheel '{wheel.name}' is zero: give a direction, such as 'y' or (0, 1, 0).")
    if abs(np.linalg.norm(wheel.vertical) - 1.0) > TIGHT or abs(np.linalg.norm(wheel.axle) - 1.0) > TIGHT:
        raise DescriptionError(f"The axle and the vertical of wheel '{wheel.name}' must be unit vectors.")
    cosine = float(wheel.axle @ wheel.vertical)
    if abs(cosine) > 1.0 - TIGHT:
        raise DescriptionError(
            f"The axle of wheel '{wheel.name}' is parallel to its vertical: a wheel stands on the ground and its axle lies level."
        )
    if abs(cosine) > TIGHT:
        raise DescriptionError(
            f"The axle of wheel '{wheel.name}' makes {math.degrees(math.acos(cosine)):.6g} degrees with its vertical: it must be "
            "perpendicular to it."
        )


def check_radius(wheel: Wheel, what: str) -> None:
    """A positive radius where the wheel rolls by it; a motor only where it can drive."""
    if wheel.actuated and wheel.kind == "castor":
        raise DescriptionError(
            f"Wheel '{wheel.name}' is a castor, and a castor cannot be actuated: it turns freely about its vertical, so a motor "
            "has nothing to push against; say kind='steered' or kind='fixed'."
        )
    if wheel.kind == "skate" and (wheel.actuated or wheel.radius is not None):
        raise DescriptionError(f"{what} does not roll, so it has no radius and cannot be actuated: use a wheel.")
    if wheel.radius is not None:
        check_finite(wheel.radius, f"The radius of wheel '{wheel.name}'")
        if is_numeric(wheel.radius) and wheel.radius <= 0:
            raise DescriptionError(f"The radius of wheel '{wheel.name}' is {wheel.radius:g} m, but it must be positive.")
    elif wheel.actuated:
        raise DescriptionError(f"{what} is actuated, but it has no radius: give the radius by which its turns become a way.")
    elif wheel.coordinate is not None:
        raise DescriptionError(f"{what} has inertia, but no radius: its centre is one radius above the ground.")


def check_rolling_joint(wheel: Wheel, body: Body, description: RobotDescription) -> None:
    """The joint of a wheel that is a body of its own turns about the axle, through the centre of the wheel."""
    if wheel.coordinate is None:
        return
    joints = {other.joint.name: other for other in description.bodies}
    what = f"Wheel '{wheel.name}' on '{body.name}' turns by the joint '{wheel.coordinate}'"
    if wheel.coordinate not in joints:
        raise DescriptionError(f"{what}, which is not a joint{nearest(wheel.coordinate, joints)}")
    other = joints[wheel.coordinate]
    joint = other.joint
    if joint.type != "revolute" or body.name not in (other.name, other.parent):
        raise DescriptionError(f"{what}, but it needs a revolute joint between '{body.name}' and the wheel.")
    if other.name == body.name:  # the robot is carried by the wheel: the joint is seen from its other side
        pose, sign = joint.child_offset.inverse(), -1.0
    else:
        pose, sign = joint.parent_offset, 1.0
    if not (is_numeric(pose.rotation) and is_numeric(pose.position) and is_numeric(wheel.centre)):
        return
    axis = sign * (pose.rotation @ joint.axes[0])
    if np.linalg.norm(axis - wheel.axle) > LOOSE:
        raise DescriptionError(f"{what}, but the axis of this joint is not the axle of the wheel.")
    off = pose.position - wheel.centre
    if np.linalg.norm(np.cross(wheel.axle, off.astype(float))) > LOOSE * wheel.radius:
        raise DescriptionError(f"{what}, but the axis of this joint does not go through the centre of the wheel.")


# ------------------------------------------------------------------------- loops
def check_loop(loop: Loop, description: RobotDescription) -> None:
    """A known joint between two frames that move relative to each other."""
    if loop.type not in LOOP_JOINTS:
        raise DescriptionError(
            f"Loop '{loop.name}' is closed by a joint of the type '{loop.type}', which is not known"
            f"{nearest(loop.type, LOOP_JOINTS)}"
        )
    known = [*description.body_names, *(marker.name for _, marker in description.markers), "world"]
    for end in (loop.first, loop.second):
        if end is not None and end not in description.body_names:
            raise DescriptionError(f"Loop '{loop.name}' joins '{end}', which is not a body or marker{nearest(end, known)}")
    first, second = (f"'{end}'" if end is not None else "the world" for end in (loop.first, loop.second))
    if loop.first == loop.second:
        raise DescriptionError(f"Loop '{loop.name}' joins {first} with itself: a loop is closed between two bodies.")
    if rigid_with(loop.first, description) == rigid_with(loop.second, description):
        raise DescriptionError(
            f"Loop '{loop.name}' joins {first} and {second}, which are fixed to each other: there is no relative motion to "
            "constrain."
        )
    check_pose(loop.first_pose, f"The place of loop '{loop.name}' on its first end")
    check_pose(loop.second_pose, f"The place of loop '{loop.name}' on its second end")
    check_finite(loop.axis, f"The axis of loop '{loop.name}'")
    if loop.axis.shape != (3,) or abs(np.linalg.norm(loop.axis) - 1.0) > TIGHT:
        raise DescriptionError(f"The axis of loop '{loop.name}' must be a unit vector of 3 numbers.")
    check_finite(loop.second_axis, f"The second axis of loop '{loop.name}'")
    check_finite(loop.pitch, f"The pitch of loop '{loop.name}'")


def check_coupling(coupling: Coupling, description: RobotDescription) -> None:
    """Two or more joints of one coordinate, with factors that count."""
    what = f"Coupling '{coupling.name}'"
    joints = {body.joint.name: body.joint for body in description.bodies}
    if len(coupling.factors) < 2:
        raise DescriptionError(f"{what} holds {len(coupling.factors)} joint: it must couple two or more.")
    for name, factor in coupling.factors.items():
        if name not in joints:
            raise DescriptionError(f"{what} holds joint '{name}', which the robot does not have{nearest(name, joints)}")
        if joints[name].rod is not None or joints[name].kind.axes != 1 or joints[name].nv != 1:
            raise DescriptionError(
                f"{what} holds joint '{name}' ({joints[name].type}): only joints that turn about, slide along or screw about one"
                " axis can be coupled."
            )
        if not (np.isfinite(factor) and factor != 0.0):
            raise DescriptionError(f"The factor of '{name}' in coupling '{coupling.name}' is {factor:g}: it must not be 0.")
    check_finite(coupling.offset, f"The offset of coupling '{coupling.name}'")


def rigid_with(name: str | None, description: RobotDescription) -> str | None:
    """The body nearest to the base that the body ``name`` is fixed to; ``None``: the world."""
    while name is not None:
        body = description.body(name)
        if body.joint.type != "fixed":
            return name
        name = body.parent
    return None


def check_contact(contact: Contact, body: str) -> None:
    """A surface of positive size on a proper plane."""
    what = f"{CONTACT_KINDS[contact.kind].capitalize()} '{contact.name}' on '{body}'"
    check_pose(contact.pose, f"The place of contact '{contact.name}'")
    check_finite(contact.semi_axes, f"The semi-axes of contact '{contact.name}'")
    word = "radius" if contact.kind == "sphere" else "crown radius"
    check_finite(contact.crown, f"The {word} of contact '{contact.name}'")
    check_finite(contact.ground, f"The point of the plane of contact '{contact.name}'")
    if contact.normal.shape != (3,) or abs(np.linalg.norm(contact.normal) - 1.0) > TIGHT:
        raise DescriptionError(f"The normal of the plane of contact '{contact.name}' must be a unit vector of 3 numbers.")
    if is_numeric(contact.crown) and contact.crown < 0.0:
        raise DescriptionError(f"{what} has the {word} {contact.crown:g} m, but it must not be negative.")
    if not is_numeric(contact.semi_axes) or not is_numeric(contact.crown):
        return
    if contact.kind == "disc" and not contact.semi_axes[0] > 0.0:
        whole = contact.semi_axes[0] + contact.crown
        raise DescriptionError(
            f"{what} has the radius {whole:g} m, but it must be positive, and larger than its crown radius {contact.crown:g} m."
        )
    if contact.kind == "ellipsoid" and not np.all(contact.semi_axes > 0.0):
        raise DescriptionError(f"{what} has the semi-axes {contact.semi_axes.tolist()} m, but all must be positive.")
    if contact.kind == "sphere" and not contact.crown > 0.0:
        raise DescriptionError(f"{what} has the radius {contact.crown:g} m, but it must be positive.")


def check_contact_names(description: RobotDescription) -> None:
    """Contacts have names of their own among bodies, markers and wheels."""
    everything = [contact.name for _, contact in description.contacts] + [one.name for _, one in description.rod_contacts]
    check_distinct("contact", everything, description.name)
    taken = {name: "body" for name in description.body_names}
    taken |= {marker.name: "marker" for _, marker in description.markers}
    taken |= {wheel.name: "wheel" for _, wheel in description.wheels}
    for name in everything:
        if name in taken:
            raise DescriptionError(
                f"Robot '{description.name}' has a {taken[name]} and a contact named '{name}': names must differ."
            )
