"""Robots in words: a line, a tree, a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.motion.base import Law
from locodyn.robot.body import Body
from locodyn.robot.collision import Collision
from locodyn.robot.contact import CONTACT_KINDS, Contact
from locodyn.robot.description import RobotDescription
from locodyn.robot.joint import Joint
from locodyn.robot.loop import Loop
from locodyn.robot.pose import AXES
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.rods.section import STRAINS
from locodyn.robot.tie import KINDS as TIES
from locodyn.robot.values import is_numeric
from locodyn.robot.wheel import WHEEL_KINDS, Wheel

_BETWEEN = {"prismatic": "along", "cylindrical": "along", "pin": "along", "planar": "with normal", "in_plane": "with normal",
            "parallel": "to", "perpendicular": "to"}  # fmt: skip


def one_line(description: RobotDescription) -> str:
    """``<robot 'snakeboard': 4 bodies, 6 degrees of freedom, 4 kg>``."""
    return f"<robot '{description.name}': {summary(description)}>"


def diagram(description: RobotDescription) -> str:
    """Name and summary of the robot, and the tree of its bodies and its loops below."""
    return f"{description.name}: {summary(description)}\n{tree(description)}"


def summary(description: RobotDescription) -> str:
    """Numbers of bodies and degrees of freedom, total mass, numbers of wheels and loops if there are any."""
    count, nv = (len(description.bodies), sum(body.joint.nv for body in description.bodies))
    reference = description.reference_body.joint.nv
    freedoms = f"{_plural(nv, 'degree')} of freedom"
    if 0 < reference < nv:
        freedoms += f" ({reference} of the base)"
    mass = sum(body.mass for body in description.bodies)
    words = [_plural(count, "body", "bodies"), freedoms, f"{number(mass)} kg"]
    contacts = [wheel.kind for _, wheel in description.wheels]
    skates = contacts.count("skate")
    rolling = len(list(description.contacts)) + len(list(description.rod_contacts))
    parts: tuple[tuple[int, str], ...] = (
        (len(contacts) - skates, "wheel"),
        (skates, "skate"),
        (rolling, "contact"),
        (len(description.loops), "loop"),
        (len(description.couplings), "coupling"),
        *((sum(tie.words_of_kind == kind for tie in description.ties), kind) for kind in TIES),
    )
    touching = [surface.kind for _, surface in description.collisions]
    resting = touching.count("support")
    parts = (*parts, (len(touching) - resting, "colliding surface"), (resting, "support"))
    for found, what in parts:
        if found:
            words.append(_plural(found, what))
    return ", ".join(words)


def tree(description: RobotDescription) -> str:
    """The bodies as a tree: name, joint and axis, mass, and what is on them; loops, couplings, cables and springs below.

    ::

        board          planar in the world   2 kg
        ├── rotor      turns about z         1 kg
        └── front      turns about z         0.5 kg
    """
    children: dict[str | None, list[Body]] = {}
    for body in description.bodies:
        children.setdefault(body.parent, []).append(body)
    rows: list[tuple[str, str, str]] = []
    # depth first, with an explicit stack: chains may be longer than Python's recursion
    waiting: list[tuple[Body, str, str]] = [(description.reference_body, "", "")]
    while waiting:
        body, branch, below = waiting.pop()
        rows.append((branch + body.name, motion(body), remarks(body)))
        own = children.get(body.name, [])
        for i, child in reversed(list(enumerate(own))):
            last = i == len(own) - 1
            waiting.append((child, below + ("└── " if last else "├── "), below + ("    " if last else "│   ")))
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = [f"{name:<{widths[0]}}   {moves:<{widths[1]}}   {rest}".rstrip() for name, moves, rest in rows]
    lines += [loop_words(loop) for loop in description.loops] + [coupling.words for coupling in description.couplings]
    lines += [tie.words for tie in description.ties]
    return "\n".join(lines)


def motion(body: Body) -> str:
    """How a body moves: ``turns about z``, ``universal x, y``, ``planar in the world``."""
    words = joint_words(body.joint)
    if body.parent is None:
        words += " in the world"
    if body.joint.name != body.name:
        words += f" (joint {body.joint.name})"
    return words


def joint_words(joint: Joint) -> str:
    """Type and axes of a joint."""
    if joint.rod is not None:
        modes = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in zip(STRAINS, joint.rod.modes, strict=True) if n)
        fields = ", ".join(f"field {field.name}" for field in joint.rod.fields)
        return f"rod of {number(joint.rod.length)} m ({', '.join(filter(None, (modes, fields)))})"
    words = " ".join([joint.kind.word, ", ".join(axis_words(axis) for axis in joint.axes)]).strip()
    return words + (f", {number(joint.pitch)} m/rad" if joint.type == "helical" else "")


def axis_words(axis: np.ndarray) -> str:
    """``z``, ``-x`` or ``(0.6, 0, 0.8)``."""
    for name, direction in AXES.items():
        if np.array_equal(axis, direction):
            return name
    return "(" + ", ".join(number(float(component)) for component in axis) + ")"


def remarks(body: Body) -> str:
    """Mass, shape, actuator, markers and wheels of a body."""
    parts = [f"{number(body.mass)} kg"]
    if body.shape is not None:
        parts.append(body.shape.word)
    if body.actuator is not None:
        parts.append("actuator")
    if body.joint.is_limited:
        parts.append("limits")
    if body.markers:
        parts.append("markers " + " ".join(marker.name for marker in body.markers))
    parts += [wheel_words(wheel) for wheel in body.wheels] + [contact_words(contact) for contact in body.contacts]
    parts += [surface_words(surface) for surface in body.collisions]
    parts += [rod_contact_words(contact) for contact in body.rod_contacts]
    return ", ".join(parts)


def surface_words(surface: Collision) -> str:
    """``colliding capsule link_1.surface``, ``rests with 6.69 N at link_1.support``."""
    if surface.kind == "support":
        return f"rests with {number(surface.size[0])} N at {surface.name}"
    return f"colliding {surface.kind} {surface.name}"


def wheel_words(wheel: Wheel) -> str:
    """``driven wheel left about y of radius 0.05 m``, ``skate blade along x``."""
    words = f"{'driven ' if wheel.actuated else ''}{WHEEL_KINDS[wheel.kind]} {wheel.name}"
    if wheel.kind == "skate":
        words += f" along {axis_words(wheel.heading)}"
    elif wheel.kind != "castor":
        words += f" about {axis_words(wheel.axle)}"
    if not is_numeric(wheel.roller_angle) or wheel.roller_angle != 0:
        words += f" with rollers at {number(wheel.roller_angle)} rad"
    if wheel.radius is not None:
        words += f" of radius {number(wheel.radius)} m"
    return words if wheel.contact is None else words + " with a contact law"


def contact_words(contact: Contact) -> str:
    """``rolling disc front.contact about y of radius 0.35 m``, ``foot heel``, ``slipping sphere``."""
    manner = "slipping " if contact.slips else "" if contact.kind == "point" else "rolling "
    words = f"{manner}{CONTACT_KINDS[contact.kind]} {contact.name}"
    if contact.kind == "disc":
        axis = contact.pose.rotation[:, 2].astype(float)
        words += f" about {axis_words(axis)} of radius {number(contact.semi_axes[0] + contact.crown)} m"
    elif contact.kind == "sphere":
        words += f" of radius {number(contact.crown)} m"
    elif contact.kind == "ellipsoid":
        words += f" of semi-axes {', '.join(number(x) for x in contact.semi_axes)} m"
    return words


def rod_contact_words(contact: RodContact) -> str:
    """``anchor head at s = 0 m``, ``sleeve ring at s = 0.25 + 0.05 t m, around 0 ... 1 m``, ``peg post``."""
    words = f"{contact.kind} {contact.name}"
    if isinstance(contact.at, Law):
        words += f" at s = {contact.at.describe()} m"
    elif contact.at is not None:
        words += f" at s = {number(contact.at)} m"
    if contact.wrap is not None:
        words += f", around {number(contact.wrap[0])} ... {number(contact.wrap[1])} m"
    if contact.kind == "anchor" and isinstance(contact.at, Law):
        words += ", sweeping" if contact.slips else ", without slip"
    if contact.during is not None:
        words += f", from {number(contact.during[0])} to {number(contact.during[1])} s"
        words += "" if contact.period is None else f" of every {number(contact.period)} s"
    return words + (", moving" if contact.moves else "")


def loop_words(loop: Loop) -> str:
    """``loop pin: coupler - rocker, revolute about z``."""
    ends = " - ".join("world" if end is None else end for end in (loop.first, loop.second))
    words = f"loop {loop.name}: {ends}, {loop.type}"
    if not loop.has_axis:
        return words
    words = f"{words} {_BETWEEN.get(loop.type, 'about')} {axis_words(loop.axis)}"
    if loop.has_second_axis:
        return f"{words} and {axis_words(loop.second_axis)}"
    return words + (f", {number(loop.pitch)} m/rad" if loop.type == "helical" else "")


def number(value: Any) -> str:
    """A number with at most five digits, or a symbol as it is."""
    return f"{float(value) + 0.0:.5g}" if is_numeric(value) else str(value)


def _plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
