"""Another reference body for the same robot.

The joints between the old and the new reference body are reversed: from ``g_ij = P exp(q S) C`` follows
``g_ji = C^-1 exp(-q S) P^-1``. A single-axis joint keeps its coordinate, because ``exp(-q S) = exp(q (-S))``: its axis is turned
round. The other joints get new coordinates, to which :meth:`Rerooting.convert` carries a state. A rod is counted from its tip
(:mod:`locodyn.robot.rods.reverse`); bodies, forces and springs at its abscissas stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.errors import DescriptionError, InputError
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body
from locodyn.robot.compilation.compile import compile_robot
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, coordinates, displacement, frame_poses, frame_twists
from locodyn.robot.description import RobotDescription, parents_first
from locodyn.robot.joint import Joint
from locodyn.robot.pose import Pose
from locodyn.robot.rods.reverse import HALF_TURN, reversed_coordinates, reversed_rod
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import is_numeric

# Rows of a twist that are the velocities of a frame with this code.
_ROWS = {layout.PLANAR: [0, 1, 5], layout.FREE: [0, 1, 2, 3, 4, 5]}
_CODES = {"planar": layout.PLANAR, "free": layout.FREE}
_PARALLEL = 1e-9  # sine of the angle between an axis and the normal of the plane: rounding of a few rotations


@dataclass(frozen=True, eq=False)
class Rerooting:
    """A robot before and after it was given another reference body.

    Parameters
    ----------
    original, description : RobotDescription
        Before and after.
    reversed_joints : frozenset of str
        The joints between the two reference bodies.
    """

    original: RobotDescription
    description: RobotDescription
    reversed_joints: frozenset[str]

    @cached_property
    def before(self) -> CompiledRobot:
        """The original robot, compiled."""
        return compile_robot(self.original)

    @cached_property
    def after(self) -> CompiledRobot:
        """The new robot, compiled."""
        return compile_robot(self.description)

    def convert(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """The state of the new robot in which all its bodies have the poses and twists that they have in the original.

        Parameters
        ----------
        q : (nq,)
        v : (nv,)
            State of the original robot.

        Returns
        -------
        q : (nq,)
        v : (nv,)
            State of the new robot. The angle of a planar base is in (-pi, pi].
        """
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        before, after = self.before, self.after
        if q.shape != (before.nq,) or v.shape != (before.nv,):
            raise InputError(
                f"The state of robot '{before.name}' has {before.nq} positions and {before.nv} velocities, "
                f"not {q.shape} and {v.shape}."
            )
        new_q, new_v = np.array(after.neutral, dtype=float), np.zeros(after.nv)
        for number, name in enumerate(after.joint_names):
            if number == 0:
                own = self._reference(q, v)
            else:
                old = before.joint_index(name)
                own = (q[before.joint_positions[old]], v[before.joint_velocities[old]])
                rod = self._rods.get(name)
                if rod is not None:
                    turned = reversed_coordinates(rod)
                    own = turned @ own[0], turned @ own[1]
                elif name in self.reversed_joints:
                    own = reversed_state(after.joint_types[number], *own)
            (new_q[after.joint_positions[number]], new_v[after.joint_velocities[number]]) = own
        return new_q, new_v

    @cached_property
    def _rods(self) -> dict[str, Rod]:
        """The rods that are reversed, by the names of their joints, as they were."""
        joints = [body.joint for body in self.original.bodies if body.joint.name in self.reversed_joints]
        return {joint.name: joint.rod for joint in joints if joint.rod is not None}

    def _reference(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of the new reference joint, by walking from the old reference body to the new one."""
        if not self.reversed_joints and self.description is self.original:
            return q[self.before.joint_positions[0]], v[self.before.joint_velocities[0]]
        body = self.description.reference_body
        frame, rotation, position = self.before.point(body.name)
        within = Pose(rotation, position)
        pose = frame_poses(self.before, q)[frame] @ within
        twist = adjoint(within.inverse()) @ frame_twists(self.before, q, v)[frame]
        joint = body.joint
        moved = joint.parent_offset.inverse() @ pose @ joint.child_offset.inverse()
        code = _CODES[joint.type]
        return coordinates(code, moved), (adjoint(joint.child_offset) @ twist)[_ROWS[code]]


def reroot(description: RobotDescription, name: str) -> Rerooting:
    """Make the body ``name`` the reference body; the physics stays the same.

    A free robot can have any reference body; a planar one those that stay in the plane: between the two only joints that turn
    about its normal or slide along it. Other groups belong to their reference body.
    """
    path = description.path_to(name)
    if len(path) == 1:
        return Rerooting(description, description, frozenset())
    for parent, body in pairwise(path):
        refuse_unreversed(description, parent, body, name)
    base = path[0]
    if base.joint.type not in ("free", "planar"):
        raise DescriptionError(
            f"Robot '{description.name}' cannot be carried by '{name}': its base '{base.name}' is {base.joint.type} in the "
            "world, and only a free or planar robot can have another reference body."
        )
    if base.actuator is not None and _acts(base.actuator):
        raise DescriptionError(
            f"Robot '{description.name}' cannot be carried by '{name}': the actuator between the world and "
            f"'{base.name}' would be lost."
        )
    offsets = (base.joint.parent_offset, Pose()) if base.joint.type == "free" else planar_offsets(path)
    changed: dict[str, Body] = {}
    for parent, child in pairwise(path):
        joint = reversed_joint(child.joint)
        changed[parent.name] = replace(parent, parent=child.name, joint=joint, actuator=reversed_actuator(child))
    reference = Joint(base.joint.name, base.joint.type, (), 0.0, *offsets)
    changed[name] = replace(path[-1], parent=None, joint=reference, actuator=None)
    turned = replace(description, bodies=tuple(changed.get(body.name, body) for body in description.bodies))
    for parent, child in pairwise(path):
        if child.joint.rod is not None:
            turned = moved_along(turned, child, parent.name)
    turned = replace(turned, bodies=parents_first(turned.bodies))
    return Rerooting(description, turned, frozenset(body.joint.name for body in path[1:]))


# ------------------------------------------------------------------------------------------------------------ rods
def refuse_unreversed(description: RobotDescription, parent: Body, body: Body, name: str) -> None:
    """:class:`DescriptionError` where the joint between two bodies of the path cannot be reversed."""
    cannot = f"Robot '{description.name}' cannot be carried by '{name}': "
    if body.joint.abscissa is not None:
        raise DescriptionError(f"{cannot}'{body.name}' is on rod '{parent.name}' between its ends, which would be cut in two.")
    rod = body.joint.rod
    if rod is None:
        return
    along = [field.name for field in rod.fields] + [strand.name for strand in body.strands]
    along += [contact.name for contact in body.rod_contacts]
    along += [surface.name for surface in body.collisions if surface.kind == "rod"]
    along += [wrench.name for wrench in description.wrenches if wrench.body == body.name and wrench.spread is not None]
    if along:
        raise DescriptionError(f"{cannot}'{along[0]}' runs along rod '{body.name}', which lies in between.")


def moved_along(description: RobotDescription, tip: Body, holder: str) -> RobotDescription:
    """What is at abscissas of the rod that held ``tip`` is now on the body ``holder``, which the reversed rod holds."""
    assert tip.joint.rod is not None
    length, inward = tip.joint.rod.length, tip.joint.child_offset.inverse()

    def place(s: float, pose: Pose) -> dict[str, Any]:
        at_tip = s >= length * (1.0 - 1e-12)
        return {"abscissa": None if at_tip else length - s, "pose": inward @ pose if at_tip else HALF_TURN @ pose}

    bodies, wrenches, ties = [], [], []
    for body in description.bodies:
        if body.parent == tip.name and body.joint.abscissa is not None:
            there = place(float(body.joint.abscissa), body.joint.parent_offset)
            joint = replace(body.joint, abscissa=there["abscissa"], parent_offset=there["pose"])
            body = replace(body, parent=tip.name if there["abscissa"] is None else holder, joint=joint)
        bodies.append(body)
    for wrench in description.wrenches:
        if wrench.body == tip.name and wrench.abscissa is not None:
            there = place(float(wrench.abscissa), wrench.pose)
            wrench = replace(wrench, body=tip.name if there["abscissa"] is None else holder, **there)
        wrenches.append(wrench)
    for tie in description.ties:
        holds = []
        for hold in tie.holds:
            if hold.body == tip.name and hold.abscissa is not None:
                there = place(float(hold.abscissa), hold.pose)
                hold = replace(hold, body=tip.name if there["abscissa"] is None else holder, **there)
            holds.append(hold)
        ties.append(replace(tie, holds=tuple(holds)))
    return replace(description, bodies=tuple(bodies), wrenches=tuple(wrenches), ties=tuple(ties))


def planar_offsets(path: tuple[Body, ...]) -> tuple[Pose, Pose]:
    """Parent and child offset of the new planar reference joint; an error if a joint of the path leaves the plane."""
    pose = path[0].joint.child_offset  # of the bodies along the path at zero, in the moving frame of the reference joint
    for body in path[1:]:
        joint = body.joint
        pose = pose @ joint.parent_offset
        if not is_numeric(pose.rotation):
            raise DescriptionError(
                f"Whether joint '{joint.name}' stays in the plane cannot be told: a rotation of the path is a symbol."
            )
        normals = [pose.rotation @ axis for axis in joint.axes] or [pose.rotation @ np.array([0.0, 0.0, 1.0])]
        if joint.rod is not None:
            inside = bool(np.linalg.norm(normals[0][:2].astype(float)) < _PARALLEL) and stays_in_plane(joint.rod)
        elif joint.type in ("revolute", "planar"):
            inside = bool(np.linalg.norm(normals[0][:2].astype(float)) < _PARALLEL)
        elif joint.type == "prismatic":
            inside = bool(abs(normals[0][2]) < _PARALLEL)
        else:
            inside = joint.type == "fixed"
        if not inside:
            raise DescriptionError(
                f"Body '{path[-1].name}' cannot carry the robot: joint '{joint.name}' ({joint.type}) leaves the plane in which "
                f"the base '{path[0].name}' moves."
            )
        pose = pose @ joint.child_offset
    # The new body is at motion * (height, tilt): a pure height commutes with planar motions and goes to the world's side.
    zero = pose.position[2] * 0
    height = np.array([zero, zero, pose.position[2]])
    tilt = pose.rotation.astype(float)
    if np.linalg.norm(tilt[:2, 2]) < _PARALLEL and tilt[2, 2] > 0:
        return path[0].joint.parent_offset @ Pose(position=height), Pose()
    return path[0].joint.parent_offset, Pose(pose.rotation, height)


def stays_in_plane(rod: Rod) -> bool:
    """Whether a rod bends about z only, and neither shears nor is curved out of the plane of its x and y axes."""
    curvatures = rod.rest(np.linspace(0.0, rod.length, 9))[:, 3:5]
    return not (any(rod.modes[c] for c in (2, 3, 4)) or curvatures.any())


# -------------------------------------------------------------- reversed joints
def reversed_joint(joint: Joint) -> Joint:
    """The joint seen from its other side."""
    if joint.rod is not None:
        offsets = joint.child_offset.inverse() @ HALF_TURN, HALF_TURN @ joint.parent_offset.inverse()
        return replace(joint, rod=reversed_rod(joint.rod), parent_offset=offsets[0], child_offset=offsets[1])
    return replace(
        joint,
        axes=tuple(0.0 - axis for axis in reversed(joint.axes)),
        parent_offset=joint.child_offset.inverse(),
        child_offset=joint.parent_offset.inverse(),
        coordinates=joint.coordinates[::-1] if joint.type == "universal" else joint.coordinates,
    )


def reversed_state(kind: str, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of a reversed joint: the inverse motion, and minus its twist seen from the other side."""
    if kind in ("revolute", "prismatic", "helical", "cylindrical"):
        return q, v
    if kind == "universal":
        return q[::-1], v[::-1]
    if kind == "translating":
        return -q, -v
    if kind == "spherical":
        motion = displacement(layout.SPHERICAL, 0.0, q)
        return q * np.array([1.0, -1.0, -1.0, -1.0]), -(motion.rotation @ v)
    code = _CODES[kind]
    motion = displacement(code, 0.0, q)
    twist = np.zeros(6)
    twist[_ROWS[code]] = v
    new_v = -(adjoint(motion) @ twist)[_ROWS[code]]
    position = motion.inverse().position
    if kind == "planar":
        return np.array([position[0], position[1], -q[2]]), new_v
    return np.concatenate([position, q[3:7] * np.array([1.0, -1.0, -1.0, -1.0])]), new_v


def reversed_actuator(body: Body) -> Actuator | None:
    """The actuator of the reversed joint of ``body``, if its law does not depend on the side from which it is seen."""
    actuator, joint = body.actuator, body.joint
    if actuator is None or joint.kind.axes == 1:
        return actuator
    count = joint.nv
    if joint.type == "universal":
        return Actuator(
            **{entry.name: actuator.values(entry.name, count)[::-1] for entry in Actuator.numbers()}, bristles=actuator.bristles
        )
    if joint.type == "translating":
        return replace(actuator, rest=tuple(0 - rest for rest in actuator.values("rest", count)))
    uniform = all(len(set(values)) == 1 for values in (actuator.reflected_inertia(count), actuator.values("viscous", count)))
    # of a ball joint: the rotation vector of the reversed joint has the same components with the other sign, so any spring fits
    isotropic = joint.type == "spherical" and uniform and not _acts(replace(actuator, armature=0.0, viscous=0.0, stiffness=0.0))
    if isotropic or not _acts(actuator):
        return actuator
    raise DescriptionError(
        f"Joint '{joint.name}' ({joint.type}) cannot be reversed: its actuator acts along axes of body '{body.name}', "
        "which are not those of its parent."
    )


def _acts(actuator: Actuator) -> bool:
    """Whether an actuator differs from none at all."""
    neutral = {
        "torque_limit": np.inf,
        "no_load_speed": np.inf,
        "armature": 0.0,
        "viscous": 0.0,
        "coulomb": 0.0,
        "stiffness": 0.0,
        "time_constant": 0.0,
    }
    if actuator.bristles is not None:
        return True
    for name, nothing in neutral.items():
        values = getattr(actuator, name)
        if any(value != nothing for value in (values if isinstance(values, tuple) else (values,))):
            return True
    return False
