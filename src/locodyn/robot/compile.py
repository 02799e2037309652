"""From the description of a robot to the flat arrays of :mod:`locodyn.robot.layout`.

Only ``+``, ``-``, ``*`` and ``@`` touch the parameters, so a description whose masses, inertias and positions are symbols
compiles with ``dtype=object``; whole numbers then stay exact integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot import layout
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, memory_of
from locodyn.robot.compile_rods import fill_slice, mode_constants, rod_pieces, strand_arrays
from locodyn.robot.compiled import (
    CompiledCollision,
    CompiledContact,
    CompiledLoop,
    CompiledRobot,
    CompiledWheel,
    CompiledWrench,
)
from locodyn.robot.contact import plane_axes
from locodyn.robot.description import RobotDescription, holds_symbols, parents_first
from locodyn.robot.inertia import Inertia, parallel_axis
from locodyn.robot.pose import Pose, rotation_to_axis
from locodyn.robot.space import SPACES
from locodyn.robot.values import exact, read_only, whole

# A pose inside the compiler: rotation (3, 3) and position (3,) of the working data type.
Placement = tuple[np.ndarray, np.ndarray]

_SINGLE_AXIS = (layout.REVOLUTE, layout.PRISMATIC, layout.HELICAL)

# The twists of the velocities of each joint: (axis of the frame, linear, angular); the linear part of a helix is its pitch.
_TURN, _SLIDE = [(2, 0, 1)], [(2, 1, 0)]
_LINEAR, _ANGULAR = [(i, 1, 0) for i in range(3)], [(i, 0, 1) for i in range(3)]
_MOTIONS: dict[int, list[tuple[int, int, int]]] = {
    layout.FIXED: [],
    layout.REVOLUTE: _TURN,
    layout.PRISMATIC: _SLIDE,
    layout.HELICAL: _TURN,
    layout.SPHERICAL: _ANGULAR,
    layout.TRANSLATION: _LINEAR,
    layout.PLANAR: [(0, 1, 0), (1, 1, 0), (2, 0, 1)],
    layout.FREE: _LINEAR + _ANGULAR,
}

_NEUTRAL: dict[int, list[float]] = {code: [0] * layout.NQ[code] for code in range(len(layout.NQ))}
_NEUTRAL[layout.SPHERICAL] = [1, 0, 0, 0]
_NEUTRAL[layout.FREE] = [0, 0, 0, 1, 0, 0, 0]


def compile_robot(description: RobotDescription, dtype: Any = float) -> CompiledRobot:
    """Compile a valid description.

    Parameters
    ----------
    description : RobotDescription
    dtype : data type
        ``float``, or ``object`` when parameters are symbols.

    Returns
    -------
    CompiledRobot
    """
    if np.dtype(dtype) != object and holds_symbols(description):
        raise DescriptionError(f"Robot '{description.name}' has symbols as parameters: compile it with dtype=object.")
    return _Compiler(description, np.dtype(dtype)).result()


class _Compiler:
    """Walks the bodies, parents first, and collects rows of the arrays."""

    def __init__(self, description: RobotDescription, dtype: np.dtype) -> None:
        self.description, self.dtype = description, dtype
        self.bodies = parents_first(description.bodies)
        self.frames: list[list[int]] = []
        self.constants: list[np.ndarray] = []
        self.dofs: list[tuple[int, int]] = []
        self.dof_constants: list[list[Any]] = []
        self.neutral: list[float] = []
        self.placed: dict[str, tuple[int, Placement]] = {}  # body -> frame, pose of the body in it
        self.along: dict[str, list[tuple[float, int, Placement]]] = {}  # rod -> abscissa, frame, pose in it
        self.joints: list[tuple[Body, tuple[int, ...], slice, slice]] = []
        self.modes = max([0, *(body.joint.nv for body in self.bodies if body.joint.rod is not None)])
        for body in self.bodies:
            self.add(body)

    # ----------------------------------------------------------------- the walk
    def add(self, body: Body) -> None:
        """Add the frames of the joint of ``body`` and put the body's inertia on the last of them."""
        joint = body.joint
        parent, within = (-1, self.identity()) if body.parent is None else self.carrier(body)
        placement = compose(within, self.exact_pose(joint.parent_offset))
        if joint.rod is not None:
            self.add_rod(body, parent, placement)
            return
        codes = joint.kind.codes
        if body.parent is None and not codes:
            codes = (layout.FIXED,)
        first_q, first_v = len(self.neutral), len(self.dofs)
        laws = joint_laws(body.actuator or Actuator(), sum(layout.NV[code] for code in codes), joint.name)
        created = []
        for i, code in enumerate(codes):
            if code in _SINGLE_AXIS:
                aligned = self.exact(rotation_to_axis(joint.axes[min(i, len(joint.axes) - 1)]))
            else:
                aligned = self.exact(np.eye(3))
            here = len(self.dofs) - first_v
            offset = compose(placement, (aligned, self.exact(np.zeros(3))))
            created.append(self.add_frame(parent, code, offset, joint.pitch, laws[here : here + layout.NV[code]]))
            # what follows is placed in the moving frame of the joint, whose axes are those of the joint again
            parent, placement = created[-1], (aligned.T, self.exact(np.zeros(3)))
        if codes:
            span_q, span_v = (slice(first_q, len(self.neutral)), slice(first_v, len(self.dofs)))
            self.joints.append((body, tuple(created), span_q, span_v))
        placement = compose(placement, self.exact_pose(joint.child_offset))
        self.placed[body.name] = (parent, placement)
        self.add_inertia(parent, body.inertia, placement)
        if body.fluid is not None:
            self.add_fluid(parent, body.fluid, placement)

    def add_frame(self, parent: int, code: int, offset: Placement, pitch: Any, laws: list[list[Any]]) -> int:
        """Add one frame with its degrees of freedom; returns its number."""
        frame = len(self.frames)
        self.frames.append([parent, code, len(self.neutral), len(self.dofs), layout.NV[code], 0, self.columns, parent])
        row = self.new_row(offset)
        pitch = self.exact_number(pitch) if code == layout.HELICAL else 0
        row[layout.PITCH] = pitch
        for i, ((axis, linear, angular), law) in enumerate(zip(_MOTIONS[code], laws, strict=True)):
            law = [self.exact_number(value) for value in law]
            row[layout.ARMATURE + i] = law[0]
            self.dofs.append((frame, axis))
            self.dof_constants.append([pitch if code == layout.HELICAL else linear, angular, *law, *[0.0] * (2 * self.modes)])
        self.constants.append(row)
        self.neutral.extend(_NEUTRAL[code])
        return frame

    @property
    def columns(self) -> int:
        """Number of columns of all frames so far, see :mod:`locodyn.robot.layout`."""
        return self.frames[-1][layout.FIRST_COLUMN] + self.frames[-1][layout.COUNT_V] if self.frames else 0

    def new_row(self, offset: Placement) -> np.ndarray:
        """Constants of a frame with this offset."""
        row = self.exact(np.zeros(layout.MODES + 2 * self.modes if self.modes else layout.CONSTANT_COLUMNS))
        row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9] = offset[0].reshape(9)
        row[layout.OFFSET_POSITION : layout.OFFSET_POSITION + 3] = offset[1]
        return row

    # --------------------------------------------------------------------- rods
    def carrier(self, body: Body) -> tuple[int, Placement]:
        """The frame that the joint of ``body`` is on, and the pose from which its offset is counted."""
        assert body.parent is not None
        if body.joint.abscissa is None:
            return self.placed[body.parent]
        return self.nearest_slice(body.parent, body.joint.abscissa)

    def nearest_slice(self, rod: str, s: float) -> tuple[int, Placement]:
        """The frame at the place s (m) of a rod, and its pose there."""
        _, frame, within = min(self.along[rod], key=lambda entry: abs(entry[0] - s))
        return frame, within

    def add_rod(self, body: Body, parent: int, placement: Placement) -> None:
        """Add the slices of a rod and its coordinates; the body's frame is at its tip."""
        joint, rod = body.joint, body.joint.rod
        assert rod is not None
        first_q, first_v, count = len(self.neutral), len(self.dofs), rod.count
        attached = [b.joint.abscissa for b in self.bodies if b.parent == body.name and b.joint.abscissa is not None]
        attached += [s for wrench in self.description.wrenches if wrench.body == body.name for s, _ in wrench.places(rod)]
        self.along[body.name] = [(0.0, parent, placement)]
        root, created = parent, []
        for part in rod.slices([s for s in attached if s > 0.0]):
            row = self.new_row(placement)
            fill_slice(row, rod, part)
            self.frames.append([parent, layout.ROD, first_q, first_v, count, 0, self.columns, root])
            self.constants.append(row)
            parent, placement = len(self.frames) - 1, self.identity()
            created.append(parent)
            if part.fluid is not None:
                self.add_fluid(parent, part.fluid, placement)
            self.along[body.name].append((part.end, parent, placement))
        self.neutral.extend([0.0] * count)
        for strain in rod.strain_of_mode:
            self.dofs.append((created[0], strain))
        self.dof_constants += mode_constants(rod, self.modes)
        span_q, span_v = slice(first_q, len(self.neutral)), slice(first_v, len(self.dofs))
        self.joints.append((body, tuple(created), span_q, span_v))
        placement = self.exact_pose(joint.child_offset)
        self.placed[body.name] = (parent, placement)
        self.add_inertia(parent, body.inertia, placement)
        if body.fluid is not None:
            self.add_fluid(parent, body.fluid, placement)

    def add_inertia(self, frame: int, inertia: Inertia, placement: Placement) -> None:
        """Add the inertia of a body that has the pose ``placement`` in a frame."""
        rotation, position = placement
        mass = self.exact_number(inertia.mass)
        centre = rotation @ self.exact(inertia.centre) + position
        tensor = rotation @ self.exact(inertia.tensor) @ rotation.T + parallel_axis(mass, centre)
        row = self.constants[frame]
        row[layout.MASS] = row[layout.MASS] + mass
        for i in range(3):
            row[layout.FIRST_MOMENT + i] = row[layout.FIRST_MOMENT + i] + mass * centre[i]
        for column, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=layout.INERTIA):
            row[column] = row[column] + tensor[i, j]

    def add_fluid(self, frame: int, matrix: np.ndarray, placement: Placement) -> None:
        """Add the inertia of the fluid moved along by a body that has the pose ``placement`` in a frame."""
        rotation, position = placement
        zero = self.exact(np.zeros((3, 3)))
        hat = zero.copy()
        hat[0, 1], hat[0, 2], hat[1, 2] = -position[2], position[1], -position[0]
        hat[1, 0], hat[2, 0], hat[2, 1] = position[2], -position[1], position[0]
        carry = np.block([[rotation.T, -rotation.T @ hat], [zero, rotation.T]])
        moved = carry.T @ self.exact(matrix) @ carry
        upper = [(i, j) for i in range(3) for j in range(i, 3)]
        values = [moved[i, j] for i, j in upper] + [moved[i, 3 + j] for i in range(3) for j in range(3)]
        values += [moved[3 + i, 3 + j] for i, j in upper]
        self.frames[frame][layout.FLUID] = 1
        for column, value in enumerate(values, start=layout.ADDED):
            self.constants[frame][column] = self.constants[frame][column] + value

    # ------------------------------------------------------------ exact numbers
    def exact_number(self, value: Any) -> Any:
        """The value; on symbols, whole numbers become integers so that expressions stay exact."""
        return whole(value) if self.dtype == object else value

    def exact(self, array: np.ndarray) -> np.ndarray:
        """A new array of the working data type."""
        return exact(array) if self.dtype == object else np.array(array, dtype=self.dtype)

    def exact_pose(self, pose: Pose) -> Placement:
        return self.exact(pose.rotation), self.exact(pose.position)

    def identity(self) -> Placement:
        return self.exact(np.eye(3)), self.exact(np.zeros(3))

    # ------------------------------------------------------------------- result
    def stack(self, rows: list[Any], *shape: int) -> np.ndarray:
        """Rows as one read-only array (number of rows, *shape) of the working data type."""
        result = self.exact(np.zeros((len(rows), *shape)))
        for i, row in enumerate(rows):
            result[i] = row
        return read_only(result)

    def result(self) -> CompiledRobot:
        description, reference = self.description, self.bodies[0]
        bodies = [self.placed[body.name] for body in self.bodies]
        markers = []
        for body, marker in description.markers:
            frame, within = self.placed[body.name]
            markers.append((marker.name, frame, compose(within, self.exact_pose(marker.pose))))
        velocities: list[str] = []
        positions: list[str] = []
        for body, *_ in self.joints:
            owner = reference.name if body is reference else None
            velocities += body.joint.velocity_names(owner)
            positions += body.joint.position_names(owner)
        return CompiledRobot(
            name=description.name,
            frames=read_only(np.array(self.frames, dtype=np.int64).reshape(-1, layout.FRAME_COLUMNS)),
            constants=self.stack(self.constants, layout.MODES + 2 * self.modes if self.modes else layout.CONSTANT_COLUMNS),
            dofs=read_only(np.array(self.dofs, dtype=np.int64).reshape(-1, layout.DOF_COLUMNS)),
            dof_constants=self.stack(self.dof_constants, layout.DOF_CONSTANT_COLUMNS + 2 * self.modes),
            neutral=self.stack(self.neutral),
            body_names=tuple(body.name for body in self.bodies),
            body_frame=read_only(np.array([frame for frame, _ in bodies], dtype=np.int64)),
            body_rotation=self.stack([pose[0] for _, pose in bodies], 3, 3),
            body_position=self.stack([pose[1] for _, pose in bodies], 3),
            marker_names=tuple(name for name, *_ in markers),
            marker_frame=read_only(np.array([frame for _, frame, _ in markers], dtype=np.int64)),
            marker_rotation=self.stack([pose[0] for *_, pose in markers], 3, 3),
            marker_position=self.stack([pose[1] for *_, pose in markers], 3),
            joint_names=tuple(body.joint.name for body, *_ in self.joints),
            joint_types=tuple(body.joint.type for body, *_ in self.joints),
            joint_frames=tuple(frames for _, frames, _, _ in self.joints),
            joint_positions=tuple(span for _, _, span, _ in self.joints),
            joint_velocities=tuple(span for *_, span in self.joints),
            coordinate_names=tuple(velocities),
            position_names=tuple(positions),
            total_mass=sum(row[layout.MASS] for row in self.constants),
            wrenches=tuple(self.compiled_wrenches()),
            wheels=tuple(self.compiled_wheels()),
            contacts=tuple(self.compiled_contacts()),
            collisions=tuple(self.compiled_collisions()),
            loops=tuple(self.compiled_loops()),
            reference_body=reference.name,
            base_code=self.frames[0][layout.CODE],
            description=description,
            **strand_arrays(self.bodies, {body.name: (q.start, v.start) for body, _, q, v in self.joints}, self.modes),
        )

    def compiled_wrenches(self) -> list[CompiledWrench]:
        """The wrench laws with the frames that they act on."""
        result = []
        first_v = {body.name: span.start for body, _, _, span in self.joints}
        rods = {body.name: body.joint.rod for body in self.bodies}
        for wrench in self.description.wrenches:
            memory = first_v.get(memory_of(wrench.name), -1)
            places: list[tuple[float | None, float]] = [*wrench.places(rods[wrench.body])] or [(None, 1.0)]
            for s, share in places:
                frame, within = self.placed[wrench.body] if s is None else self.nearest_slice(wrench.body, s)
                rotation, position = (read_only(part) for part in compose(within, self.exact_pose(wrench.pose)))
                result.append(CompiledWrench(wrench.name, wrench.body, frame, rotation, position, wrench.law, share, s, memory))
        return result

    def compiled_wheels(self) -> list[CompiledWheel]:
        """The wheels with the frames of the bodies that they are on."""
        first_v = {body.joint.name: span.start for body, _, _, span in self.joints}
        result = []
        for body, wheel in self.description.wheels:
            frame, (rotation, position) = self.placed[body.name]
            result.append(
                CompiledWheel(
                    name=wheel.name,
                    body=body.name,
                    frame=frame,
                    point=read_only(rotation @ self.exact(wheel.at) + position),
                    heading=read_only(rotation @ self.exact(wheel.heading)),
                    axle=read_only(rotation @ self.exact(wheel.axle)),
                    vertical=read_only(rotation @ self.exact(wheel.vertical)),
                    radius=None if wheel.radius is None else self.exact_number(wheel.radius),
                    kind=wheel.kind,
                    roller_angle=self.exact_number(wheel.roller_angle),
                    actuated=wheel.actuated,
                    contact=wheel.contact,
                    coordinate=-1 if wheel.coordinate is None else first_v[wheel.coordinate],
                )
            )
        return result

    def compiled_contacts(self) -> list[CompiledContact]:
        """The surfaces that roll in space, with the frames of the bodies that they are on."""
        result = []
        for body, contact in self.description.contacts:
            frame, within = self.placed[body.name]
            rotation, position = compose(within, self.exact_pose(contact.pose))
            result.append(
                CompiledContact(
                    name=contact.name,
                    body=body.name,
                    frame=frame,
                    rotation=read_only(rotation),
                    position=read_only(position),
                    semi_axes=read_only(self.exact(contact.semi_axes)),
                    crown=self.exact_number(contact.crown),
                    plane=read_only(self.exact(plane_axes(contact.normal))),
                    ground=read_only(self.exact(contact.ground)),
                    kind=contact.kind,
                    slips=contact.slips,
                    row_names=contact.rows,
                )
            )
        return result

    def compiled_collisions(self) -> list[CompiledCollision]:
        """The surfaces of hard contact, with the frames of the bodies that they are on."""
        result = []
        for body, surface in self.description.collisions:
            if surface.kind == "rod":
                rod = body.joint.rod
                assert rod is not None
                result += rod_pieces(body.name, surface, self.along[body.name][:: len(SPACES[rod.space].shares)])
                continue
            frame, within = self.placed[body.name]
            rotation, position = compose(within, self.exact_pose(surface.pose))
            direction = within[0] @ self.exact(surface.direction)
            parts = (read_only(rotation), read_only(position), read_only(direction))
            result.append(CompiledCollision(surface.name, body.name, frame, *parts, surface))
        return result

    def compiled_loops(self) -> list[CompiledLoop]:
        """The loops with the frames that they join."""
        result = []
        for loop in self.description.loops:
            first, first_pose = self.loop_end(loop.first, loop.first_pose)
            second, second_pose = self.loop_end(loop.second, loop.second_pose)
            result.append(
                CompiledLoop(
                    name=loop.name,
                    first_frame=first,
                    first_rotation=read_only(first_pose[0]),
                    first_position=read_only(first_pose[1]),
                    second_frame=second,
                    second_rotation=read_only(second_pose[0]),
                    second_position=read_only(second_pose[1]),
                    matrix=read_only(self.exact(loop.constraint_matrix)),
                    row_names=loop.row_names,
                    type=loop.type,
                    axis=read_only(self.exact(loop.axis)),
                    second_axis=read_only(self.exact(loop.second_axis)),
                )
            )
        return result

    def loop_end(self, body: str | None, pose: Pose) -> tuple[int, Placement]:
        """The frame of one end of a loop, and the pose of the joint in it."""
        frame, within = (-1, self.identity()) if body is None else self.placed[body]
        return frame, compose(within, self.exact_pose(pose))


def compose(first: Placement, second: Placement) -> Placement:
    """Pose of C in A from those of B in A and of C in B, on numbers or symbols."""
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def joint_laws(actuator: Actuator, count: int, joint: str) -> list[list[Any]]:
    """For each degree of freedom: armature, viscous, coulomb, coulomb speed, stiffness, rest, limit (columns of the layout)."""
    names = ("viscous", "coulomb", "coulomb_speed", "stiffness", "rest", "torque_limit")
    columns = [actuator.reflected_inertia(count, joint)] + [actuator.values(name, count, joint) for name in names]
    return [list(row) for row in zip(*columns, strict=True)]
