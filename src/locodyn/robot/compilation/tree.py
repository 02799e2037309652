"""The tree of a robot as rows of arrays: a walk over its bodies, parents first, that adds frames, freedoms and inertia.

Only ``+``, ``-``, ``*`` and ``@`` touch the parameters, see :mod:`locodyn.robot.compilation.compile`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body
from locodyn.robot.compilation.rods import fill_slice, mode_constants
from locodyn.robot.description import RobotDescription, parents_first
from locodyn.robot.inertia import Inertia, parallel_axis
from locodyn.robot.pose import Pose, rotation_to_axis
from locodyn.robot.rods.slices import slices
from locodyn.robot.values import exact, is_number, whole

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


class Tree:
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
        rods = [body.joint.rod for body in self.bodies if body.joint.rod is not None]
        self.modes = max([0, *(rod.count for rod in rods)])
        terms = [layout.FIELD_TERM + rod.field_rows.shape[1] for rod in rods if rod.fields]
        self.width = max([layout.SLICE.modes + 2 * self.modes, *terms]) if rods else layout.CONSTANT_COLUMNS
        self.terms: list[np.ndarray] = []  # of strain fields: the rows of constants after those of the frames
        for body in self.bodies:
            self.add(body)
        for row in self.constants:
            if self.terms and row[layout.SLICE.field_last] != 0:
                row[layout.SLICE.field_first] += len(self.frames)
                row[layout.SLICE.field_last] += len(self.frames)

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
        row = self.exact(np.zeros(self.width))
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
        holds = [hold for tie in self.description.ties for hold in tie.holds if hold.body == body.name]
        attached += [hold.abscissa for hold in holds if hold.abscissa is not None]
        self.along[body.name] = [(0.0, parent, placement)]
        root, created = parent, []
        if rod.root_lump is not None:
            held = rod.root_lump
            self.add_inertia(parent, Inertia(held.mass, np.zeros(3), np.diag(held.inertia)), placement)
            if held.fluid is not None:
                self.add_fluid(parent, held.fluid, placement)
        for part in slices(rod, [s for s in attached if s > 0.0]):
            row = self.new_row(placement)
            fill_slice(row, rod, part)
            if rod.fields:
                row[layout.SLICE.field_first] = len(self.terms)
                row[layout.SLICE.field_last] = len(self.terms) + len(rod.field_rows)
            self.frames.append([parent, layout.ROD, first_q, first_v, count, 0, self.columns, root])
            self.constants.append(row)
            parent, placement = len(self.frames) - 1, self.identity()
            created.append(parent)
            if part.lump is not None and part.lump.fluid is not None:
                self.add_fluid(parent, part.lump.fluid, placement)
            self.along[body.name].append((part.end, parent, placement))
        self.neutral.extend([0.0] * count)
        for term in rod.field_rows if rod.fields else ():
            self.terms.append(self.exact(np.zeros(self.width)))
            self.terms[-1][layout.FIELD_TERM : layout.FIELD_TERM + len(term)] = term
        for strain in rod.strain_of_coordinate:
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
        """Rotation and position of a pose in the working data type."""
        return self.exact(pose.rotation), self.exact(pose.position)

    def identity(self) -> Placement:
        """No rotation, no displacement."""
        return self.exact(np.eye(3)), self.exact(np.zeros(3))


def compose(first: Placement, second: Placement) -> Placement:
    """Pose of C in A from those of B in A and of C in B, on numbers or symbols."""
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def joint_laws(actuator: Actuator, count: int, joint: str) -> list[list[Any]]:
    """For each freedom: armature, viscous, coulomb, coulomb speed, stiffness, rest, limit, fading (columns of the layout)."""
    names = ("viscous", "coulomb", "coulomb_speed", "stiffness", "rest", "torque_limit")
    speeds: Any = actuator.values("no_load_speed", count, joint)  # numbers or symbols
    fading = tuple(0.0 if is_number(v0) and np.isinf(v0) else 1.0 / v0 for v0 in speeds)
    columns = [actuator.reflected_inertia(count, joint)] + [actuator.values(name, count, joint) for name in names] + [fading]
    return [list(row) for row in zip(*columns, strict=True)]
