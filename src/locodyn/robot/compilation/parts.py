"""What is on the tree of a robot, with the frames that carry it: wrench laws, wheels, rolling surfaces, hard contact, loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.body import Body, WrenchLaw
from locodyn.robot.compilation.compiled_parts import (
    CompiledCollision,
    CompiledContact,
    CompiledCoupling,
    CompiledLoop,
    CompiledRodContact,
    CompiledTie,
    CompiledWheel,
    CompiledWrench,
)
from locodyn.robot.compilation.rods import rod_pieces
from locodyn.robot.compilation.tree import Placement, Tree, compose
from locodyn.robot.contact import plane_axes
from locodyn.robot.pose import Pose
from locodyn.robot.rods.space import SPACES
from locodyn.robot.values import read_only


def compiled_wrenches(tree: Tree) -> list[CompiledWrench]:
    """The wrench laws with the frames that they act on."""
    result = []
    bodies = {body.name: body for body in tree.bodies}
    for wrench in tree.description.wrenches:
        places: list[tuple[float | None, float]] = [*wrench.places(bodies[wrench.body].joint.rod)] or [(None, 1.0)]
        for s, share in places:
            frame, within = tree.placed[wrench.body] if s is None else tree.nearest_slice(wrench.body, s)
            law, pose = wrench.law, wrench.pose
            if hasattr(law, "fitted"):
                law, pose = _in_water(wrench, bodies[wrench.body], s, share)
            rotation, position = (read_only(part) for part in compose(within, tree.exact_pose(pose)))
            result.append(CompiledWrench(wrench.name, wrench.body, frame, rotation, position, law, share, s))
    return result


def _in_water(wrench: WrenchLaw, body: Body, s: float | None, share: float) -> tuple[Any, Pose]:
    """A law of water, fitted to what displaces it, and the place of that: a solid, or a section of a rod at s (m)."""
    rod, law = body.joint.rod, wrench.law
    if wrench.spread is not None and rod is not None and s is not None:
        if law.shape is not None:
            raise DescriptionError(
                f"Wrench law '{wrench.name}' has a shape, but it acts along rod '{body.name}': leave the shape out, since the"
                " sections of the rod displace the water."
            )
        return law.fitted(rod.section(s) if callable(rod.section) else rod.section, share), wrench.pose
    if law.shape is not None:
        return law, wrench.pose @ law.shape.pose()
    if rod is not None:
        raise DescriptionError(
            f"Wrench law '{wrench.name}' acts at a point of rod '{body.name}': say along=True, or give a shape."
        )
    if body.shape is None:
        raise DescriptionError(
            f"Wrench law '{wrench.name}' needs a shape that displaces water, since body '{body.name}' has none."
        )
    return law.fitted(body.shape, None), wrench.pose @ body.shape.pose(body.inertia.centre)


def drive_memories(tree: Tree) -> tuple[dict[int, Any], dict[int, Any]]:
    """Time constants (s) of actuators that lag, and bristles of dry friction, by the numbers of their coordinates."""
    lags, bristles = dict[int, Any](), dict[int, Any]()
    for body, _, _, span in tree.joints:
        if body.actuator is None:
            continue
        constants = body.actuator.values("time_constant", span.stop - span.start, body.joint.name)
        for i, constant in zip(range(span.start, span.stop), constants, strict=True):
            if constant != 0:
                lags[i] = tree.exact_number(constant)
            if body.actuator.bristles is not None:
                bristles[i] = body.actuator.bristles
    return lags, bristles


def compiled_wheels(tree: Tree) -> list[CompiledWheel]:
    """The wheels with the frames of the bodies that they are on."""
    first_v = {body.joint.name: span.start for body, _, _, span in tree.joints}
    result = []
    for body, wheel in tree.description.wheels:
        frame, (rotation, position) = tree.placed[body.name]
        result.append(
            CompiledWheel(
                name=wheel.name,
                body=body.name,
                frame=frame,
                point=read_only(rotation @ tree.exact(wheel.at) + position),
                heading=read_only(rotation @ tree.exact(wheel.heading)),
                axle=read_only(rotation @ tree.exact(wheel.axle)),
                vertical=read_only(rotation @ tree.exact(wheel.vertical)),
                radius=None if wheel.radius is None else tree.exact_number(wheel.radius),
                kind=wheel.kind,
                roller_angle=tree.exact_number(wheel.roller_angle),
                actuated=wheel.actuated,
                contact=wheel.contact,
                coordinate=-1 if wheel.coordinate is None else first_v[wheel.coordinate],
            )
        )
    return result


def compiled_contacts(tree: Tree) -> list[CompiledContact]:
    """The surfaces that roll in space, with the frames of the bodies that they are on."""
    result = []
    for body, contact in tree.description.contacts:
        frame, within = tree.placed[body.name]
        rotation, position = compose(within, tree.exact_pose(contact.pose))
        result.append(
            CompiledContact(
                name=contact.name,
                body=body.name,
                frame=frame,
                rotation=read_only(rotation),
                position=read_only(position),
                semi_axes=read_only(tree.exact(contact.semi_axes)),
                crown=tree.exact_number(contact.crown),
                plane=read_only(tree.exact(plane_axes(contact.normal))),
                ground=read_only(tree.exact(contact.ground)),
                kind=contact.kind,
                slips=contact.slips,
                row_names=contact.rows,
            )
        )
    return result


def compiled_rod_contacts(tree: Tree) -> list[CompiledRodContact]:
    """The anchors, sleeves and pegs, with the slices of the rods that they are on."""
    frames = {body.name: created for body, created, _, _ in tree.joints}
    result = []
    for body, contact in tree.description.rod_contacts:
        assert body.joint.rod is not None
        result.append(CompiledRodContact(contact, body.joint.rod, body.name, frames[body.name]))
    return result


def compiled_collisions(tree: Tree) -> list[CompiledCollision]:
    """The surfaces of hard contact, with the frames of the bodies that they are on."""
    result = []
    for body, surface in tree.description.collisions:
        if surface.kind == "rod":
            rod = body.joint.rod
            assert rod is not None
            result += rod_pieces(body.name, surface, tree.along[body.name][:: len(SPACES[rod.space].shares)])
            continue
        frame, within = tree.placed[body.name]
        rotation, position = compose(within, tree.exact_pose(surface.pose))
        direction = within[0] @ tree.exact(surface.direction)
        parts = (read_only(rotation), read_only(position), read_only(direction))
        result.append(CompiledCollision(surface.name, body.name, frame, *parts, surface))
    return result


def compiled_loops(tree: Tree) -> list[CompiledLoop]:
    """The loops with the frames that they join."""
    result = []
    for loop in tree.description.loops:
        first, first_pose = loop_end(tree, loop.first, loop.first_pose)
        second, second_pose = loop_end(tree, loop.second, loop.second_pose)
        result.append(
            CompiledLoop(
                name=loop.name,
                first_frame=first,
                first_rotation=read_only(first_pose[0]),
                first_position=read_only(first_pose[1]),
                second_frame=second,
                second_rotation=read_only(second_pose[0]),
                second_position=read_only(second_pose[1]),
                matrix=read_only(tree.exact(loop.constraint_matrix)),
                row_names=loop.row_names,
                type=loop.type,
                axis=read_only(tree.exact(loop.axis)),
                second_axis=read_only(tree.exact(loop.second_axis)),
            )
        )
    return result


def compiled_couplings(tree: Tree) -> list[CompiledCoupling]:
    """The couplings with the coordinates of their joints."""
    kinds = {body.joint.name: body.joint.type for body in tree.description.bodies}
    spans = {body.joint.name: (positions, velocities) for body, _, positions, velocities in tree.joints}
    result = []
    for coupling in tree.description.couplings:
        positions = tuple(spans[name][0].start for name in coupling.factors)
        velocities = tuple(spans[name][1].start for name in coupling.factors)
        turns = kinds[next(iter(coupling.factors))] != "prismatic"
        factors = tuple(coupling.factors.values())
        result.append(CompiledCoupling(coupling.name, velocities, positions, factors, coupling.offset, turns))
    return result


def compiled_ties(tree: Tree) -> list[CompiledTie]:
    """The cables and springs with the frames of their points; on a rod those of its slices."""
    result = []
    for tie in tree.description.ties:
        ends = []
        for hold in tie.holds:
            if hold.body is None or hold.abscissa is None:
                ends.append(loop_end(tree, hold.body, hold.pose))
            else:
                frame, within = tree.nearest_slice(hold.body, hold.abscissa)
                ends.append((frame, compose(within, tree.exact_pose(hold.pose))))
        rotations, positions = (np.array([pose[n] for _, pose in ends]) for n in range(2))
        result.append(CompiledTie(tie, tuple(frame for frame, _ in ends), read_only(rotations), read_only(positions)))
    return result


def loop_end(tree: Tree, body: str | None, pose: Pose) -> tuple[int, Placement]:
    """The frame of one end of a loop, and the pose of the joint in it."""
    frame, within = (-1, tree.identity()) if body is None else tree.placed[body]
    return frame, compose(within, tree.exact_pose(pose))
