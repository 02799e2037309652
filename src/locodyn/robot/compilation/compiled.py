"""The compiled robot: flat arrays for the kernels, and the names that point into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
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
from locodyn.robot.description import RobotDescription
from locodyn.robot.layout import COUNT_V


@dataclass(frozen=True, eq=False)
class CompiledRobot:
    """A robot as flat arrays; the columns are those of :mod:`locodyn.robot.layout`. All arrays are read-only.

    ``nf`` frames, ``nq`` positions, ``nv`` velocities, ``nb`` bodies, ``nm`` markers.

    Parameters
    ----------
    name : str
    frames : (nf, FRAME_COLUMNS) int64
    constants : (nf, CONSTANT_COLUMNS, more with rods) float64, or object when compiled on symbols
    dofs : (nv, 2) int64
    dof_constants : (nv, DOF_CONSTANT_COLUMNS, more with rods) float64 or object
    neutral : (nq,)
        The configuration in which every joint is at zero (unit quaternions at identity).
    body_names : tuple of str, nb
    body_frame : (nb,) int64
        The frame that each body moves with.
    body_rotation, body_position : (nb, 3, 3), (nb, 3) m
        Pose of each body's own frame in that frame.
    marker_names, marker_frame, marker_rotation, marker_position
        The same for markers.
    joint_names, joint_types : tuple of str
        The reference joint first (also when it is fixed), then every joint that moves.
    joint_frames : tuple of tuple of int
        The frames of each joint, from parent to child; none but the last carries mass.
    joint_positions, joint_velocities : tuple of slice
        The ranges of each joint's coordinates.
    coordinate_names : tuple of str, nv
    position_names : tuple of str, nq
    total_mass : kg
    wrenches : tuple of CompiledWrench
    wheels : tuple of CompiledWheel
        Body by body, in the order in which they were said.
    contacts : tuple of CompiledContact
    collisions : tuple of CompiledCollision
    loops : tuple of CompiledLoop
    rod_contacts : tuple of CompiledRodContact
    couplings : tuple of CompiledCoupling
    ties : tuple of CompiledTie
    reference_body : str
    base_code : int
        Code of the reference joint: the group in which the reference body moves.
    description : RobotDescription
    strand_names, strands, strand_constants, strand_points
        Tendons and chambers, see :mod:`locodyn.dynamics.strands`.
    """

    name: str
    frames: np.ndarray
    constants: np.ndarray
    dofs: np.ndarray
    dof_constants: np.ndarray
    neutral: np.ndarray
    body_names: tuple[str, ...]
    body_frame: np.ndarray
    body_rotation: np.ndarray
    body_position: np.ndarray
    marker_names: tuple[str, ...]
    marker_frame: np.ndarray
    marker_rotation: np.ndarray
    marker_position: np.ndarray
    joint_names: tuple[str, ...]
    joint_types: tuple[str, ...]
    joint_frames: tuple[tuple[int, ...], ...]
    joint_positions: tuple[slice, ...]
    joint_velocities: tuple[slice, ...]
    coordinate_names: tuple[str, ...]
    position_names: tuple[str, ...]
    total_mass: Any
    wrenches: tuple[CompiledWrench, ...]
    wheels: tuple[CompiledWheel, ...]
    contacts: tuple[CompiledContact, ...]
    collisions: tuple[CompiledCollision, ...]
    loops: tuple[CompiledLoop, ...]
    reference_body: str
    base_code: int
    description: RobotDescription
    rod_contacts: tuple[CompiledRodContact, ...] = ()
    couplings: tuple[CompiledCoupling, ...] = ()
    ties: tuple[CompiledTie, ...] = ()
    strand_names: tuple[str, ...] = ()
    strands: np.ndarray = field(default_factory=lambda: np.zeros((0, 6), dtype=np.int64))
    strand_constants: np.ndarray = field(default_factory=lambda: np.zeros(0))
    strand_points: np.ndarray = field(default_factory=lambda: np.zeros((0, 13)))
    strand_lags: dict[int, float] = field(default_factory=dict)
    lags: dict[int, Any] = field(default_factory=dict)
    bristles: dict[int, Any] = field(default_factory=dict)

    @property
    def nf(self) -> int:
        """Number of frames."""
        return len(self.frames)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.position_names)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates: the degrees of freedom."""
        return len(self.coordinate_names)

    @property
    def columns(self) -> int:
        """Number of pairs of a frame and one of its coordinates; ``nv`` for a robot without rods."""
        return int(self.frames[:, COUNT_V].sum())

    @property
    def has_rods(self) -> bool:
        """Whether a joint is a rod."""
        return "rod" in self.joint_types

    @property
    def reference_nq(self) -> int:
        """Number of positions of the reference joint; they come first."""
        return int(self.joint_positions[0].stop)

    @property
    def reference_nv(self) -> int:
        """Number of velocities of the reference joint; they come first."""
        return int(self.joint_velocities[0].stop)

    def kernel_arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Fresh, writable copies of (frames, constants, dofs, dof_constants), as compiled kernels take them."""
        return (self.frames.copy(), self.constants.copy(), self.dofs.copy(), self.dof_constants.copy())

    def body_index(self, name: str) -> int:
        """Row of a body in ``body_frame`` and its offsets."""
        return self._index(name, self.body_names, "body")

    def joint_index(self, name: str) -> int:
        """Number of a joint."""
        return self._index(name, self.joint_names, "joint")

    def coordinate_index(self, name: str) -> int:
        """Number of a velocity coordinate."""
        return self._index(name, self.coordinate_names, "coordinate")

    def position_index(self, name: str) -> int:
        """Number of a position coordinate."""
        return self._index(name, self.position_names, "position coordinate")

    def wheel_index(self, name: str) -> int:
        """Number of a wheel in ``wheels``."""
        return self._index(name, tuple(wheel.name for wheel in self.wheels), "wheel")

    def loop_index(self, name: str) -> int:
        """Number of a loop in ``loops``."""
        return self._index(name, tuple(loop.name for loop in self.loops), "loop")

    def point(self, name: str) -> tuple[int, np.ndarray, np.ndarray]:
        """Frame, rotation (3, 3) and position (3,) m in that frame of the body or marker of this name."""
        if name in self.body_names:
            row = self.body_names.index(name)
            return (int(self.body_frame[row]), self.body_rotation[row], self.body_position[row])
        if name in self.marker_names:
            row = self.marker_names.index(name)
            return (int(self.marker_frame[row]), self.marker_rotation[row], self.marker_position[row])
        known = self.body_names + self.marker_names
        raise InputError(f"Robot '{self.name}' has no body or marker '{name}'{nearest(name, known)}")

    def _index(self, name: str, names: Sequence[str], what: str) -> int:
        if name not in names:
            raise InputError(f"Robot '{self.name}' has no {what} '{name}'{nearest(name, names)}")
        return names.index(name)

    def __repr__(self) -> str:
        return f"CompiledRobot('{self.name}', {self.nf} frames, {self.nq} positions, {self.nv} velocities)"
