"""Several robots and free objects in one world: one tree, whose base is the world and carries the base of each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.body import Body
from locodyn.robot.description import RobotDescription
from locodyn.robot.inertia import Inertia
from locodyn.robot.joint import Joint
from locodyn.robot.loop import Coupling, Loop
from locodyn.robot.pose import Pose, pose_from
from locodyn.robot.tie import Tie
from locodyn.typing import Rotation, Vector

WORLD = "world"


def together(
    name: str,
    robots: Mapping[str, RobotDescription],
    at: Mapping[str, Vector] | None = None,
    turned: Mapping[str, Rotation] | None = None,
) -> RobotDescription:
    """One description of several robots; see :meth:`~locodyn.robot.building.builder.Robot.together`."""
    places: dict[str, dict[str, Any]] = {"at": dict(at or {}), "turned": dict(turned or {})}
    for word, names in places.items():
        for key in names:
            if key not in robots:
                raise DescriptionError(f"{word}= places '{key}', which is none of the robots of '{name}'{nearest(key, robots)}")
    ground = Body(WORLD, Inertia.none(), None, Joint(WORLD, "fixed"))
    bodies, wrenches, loops, couplings, ties = [ground], [], [], [], []
    for key, robot in robots.items():
        if key == WORLD or not isinstance(key, str) or not key:
            raise DescriptionError(f"A robot of '{name}' is called {key!r}: give it a name other than '{WORLD}'.")
        place = pose_from(places["at"].get(key), places["turned"].get(key), f"The place of '{key}'")
        own = {body.joint.name for body in robot.bodies}
        bodies += [_renamed(body, f"{key}.", place, own) for body in robot.bodies]
        wrenches += [replace(one, name=f"{key}.{one.name}", body=f"{key}.{one.body}") for one in robot.wrenches]
        loops += [_placed(loop, key, place) for loop in robot.loops]
        for one in robot.couplings:
            factors = {f"{key}.{joint}": factor for joint, factor in one.factors.items()}
            couplings.append(Coupling(f"{key}.{one.name}", factors, one.offset))
        ties += [_tied(tie, key, place) for tie in robot.ties]
    return RobotDescription(
        name,
        tuple(bodies),
        tuple(wrenches),
        any(robot.massless_ok for robot in robots.values()),
        tuple(loops),
        any(robot.any_inertia for robot in robots.values()),
        tuple(couplings),
        tuple(ties),
    )


def _tied(tie: Tie, key: str, place: Pose) -> Tie:
    """The cable or spring under its new name; points of the world move with the robot."""
    holds = tuple(
        replace(hold, pose=place @ hold.pose) if hold.body is None else replace(hold, body=f"{key}.{hold.body}")
        for hold in tie.holds
    )
    return replace(tie, name=f"{key}.{tie.name}", holds=holds)


def _placed(loop: Loop, key: str, place: Pose) -> Loop:
    """The loop under its new name; an end in the world moves with the robot."""
    (first, first_pose), (second, second_pose) = (
        (None, place @ pose) if end is None else (f"{key}.{end}", pose)
        for end, pose in ((loop.first, loop.first_pose), (loop.second, loop.second_pose))
    )
    return replace(loop, name=f"{key}.{loop.name}", first=first, second=second, first_pose=first_pose, second_pose=second_pose)


def _renamed(body: Body, prefix: str, place: Pose, joints: set[str]) -> Body:
    """The body under names that begin with the prefix; the base is moved to its place and hangs on the world."""
    joint = body.joint
    names = tuple(prefix + one for one in joint.coordinates)
    offset = place @ joint.parent_offset if body.parent is None else joint.parent_offset
    wheels = tuple(
        replace(wheel, name=prefix + wheel.name, coordinate=prefix + wheel.coordinate if wheel.coordinate in joints else None)
        for wheel in body.wheels
    )
    parts: dict[str, Any] = {
        part: tuple(replace(one, name=prefix + one.name) for one in getattr(body, part))
        for part in ("markers", "contacts", "strands", "collisions")
    }
    held = tuple(
        replace(one, name=prefix + one.name, place=None if one.place is None else place @ one.place) for one in body.rod_contacts
    )
    return replace(
        body,
        name=prefix + body.name,
        parent=WORLD if body.parent is None else prefix + body.parent,
        joint=replace(joint, name=prefix + joint.name, coordinates=names, parent_offset=offset),
        wheels=wheels,
        rod_contacts=held,
        **parts,
    )
