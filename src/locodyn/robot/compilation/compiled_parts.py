"""The parts of a compiled robot that are not arrays of frames: wrench laws, wheels, contacts, surfaces, loops, couplings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.robot.collision import Collision
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.rods.rod import Rod
from locodyn.robot.tie import Tie


@dataclass(frozen=True, eq=False)
class CompiledWrench:
    """A wrench law on a frame: ``rotation`` (3, 3) and ``position`` (3,) m are the pose of its own frame in that frame.

    A law along a rod is one for each point: ``share`` (m) is what the law is multiplied with there, ``abscissa`` (m) the place.
    """

    name: str
    body: str
    frame: int
    rotation: np.ndarray
    position: np.ndarray
    law: Any
    share: float = 1.0
    abscissa: float | None = None


@dataclass(frozen=True, eq=False)
class CompiledWheel:
    """A wheel or skate on a frame; all vectors are in that frame. See :class:`~locodyn.robot.wheel.Wheel`.

    Parameters
    ----------
    name, body : str
        Of the wheel, and of the body that it is on.
    frame : int
        The frame that this body moves with; it does not turn with the rolling wheel.
    point : (3,) m
        Where the wheel touches the ground.
    heading, axle, vertical : (3,)
        Right-handed unit vectors: rolling direction, axis of the wheel, away from the ground; a steered wheel at angle zero.
    radius : m or None
    kind : str
        One of :data:`~locodyn.robot.wheel.WHEEL_KINDS`.
    roller_angle : rad
    actuated : bool
    contact : law or None
        ``None``: ideal.
    coordinate : int
        Number of the velocity coordinate that is the rolling rate about the axle, or -1 if the wheel is not a body of its own.
    """

    name: str
    body: str
    frame: int
    point: np.ndarray
    heading: np.ndarray
    axle: np.ndarray
    vertical: np.ndarray
    radius: Any
    kind: str
    roller_angle: Any
    actuated: bool
    contact: Any
    coordinate: int


@dataclass(frozen=True, eq=False)
class CompiledContact:
    """A surface on a frame that stays on a plane. See :class:`~locodyn.robot.contact.Contact`.

    Parameters
    ----------
    name, body : str
    frame : int
    rotation, position : (3, 3), (3,) m
        Axes and centre of the surface in the frame.
    semi_axes, crown : (3,) m, m
    plane : (3, 3)
        Columns: two directions of the plane and its normal, in the world.
    ground : (3,) m
        A point of the plane.
    kind : str
    slips : bool
    row_names : tuple of str
    """

    name: str
    body: str
    frame: int
    rotation: np.ndarray
    position: np.ndarray
    semi_axes: np.ndarray
    crown: Any
    plane: np.ndarray
    ground: np.ndarray
    kind: str
    slips: bool
    row_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CompiledRodContact:
    """An anchor, sleeve or peg on a rod: what it is, the rod, the frames of its slices. See :mod:`locodyn.robot.rods.contact`."""

    contact: RodContact
    rod: Rod
    body: str
    frames: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CompiledCollision:
    """A surface of hard contact on a frame. See :class:`~locodyn.robot.collision.Collision`.

    ``rotation`` (3, 3) and ``position`` (3,) m are axes and centre of the surface, ``direction`` (3,) the forward direction of
    its friction, all in the frame.
    """

    name: str
    body: str
    frame: int
    rotation: np.ndarray
    position: np.ndarray
    direction: np.ndarray
    surface: Collision


@dataclass(frozen=True, eq=False)
class CompiledLoop:
    """The closure of a loop between two frames. See :class:`~locodyn.robot.loop.Loop`.

    Parameters
    ----------
    name : str
    first_frame, second_frame : int
        -1: the world.
    first_rotation, first_position : (3, 3), (3,) m
    second_rotation, second_position : (3, 3), (3,) m
        Poses of the frames of the joint in these frames.
    matrix : (k, 6)
        Rows that vanish on the twist (linear; angular) of the second joint frame relative to the first, in the axes of the first.
    row_names : tuple of str, k
    type : str
        One of :data:`~locodyn.robot.loop.LOOP_JOINTS`.
    axis : (3,)
        Of the joint, in its own frames.
    second_axis : (3,)
        The other axis of a universal or perpendicular joint, in its second frame.
    """

    name: str
    first_frame: int
    first_rotation: np.ndarray
    first_position: np.ndarray
    second_frame: int
    second_rotation: np.ndarray
    second_position: np.ndarray
    matrix: np.ndarray
    row_names: tuple[str, ...]
    type: str
    axis: np.ndarray
    second_axis: np.ndarray


@dataclass(frozen=True, eq=False)
class CompiledCoupling:
    """A gear between joints. See :class:`~locodyn.robot.loop.Coupling`.

    Parameters
    ----------
    name : str
    velocities, positions : tuple of int
        Numbers of the coordinates of its joints.
    factors : tuple of float
    offset : float
    is_moment : bool
        Whether its multiplier is a moment: its first joint turns.
    """

    name: str
    velocities: tuple[int, ...]
    positions: tuple[int, ...]
    factors: tuple[float, ...]
    offset: float
    is_moment: bool


@dataclass(frozen=True, eq=False)
class CompiledTie:
    """A cable, spring or torsion spring. See :class:`~locodyn.robot.tie.Tie`.

    Parameters
    ----------
    tie : Tie
    frames : tuple of int
        Of its points; -1: the world.
    rotations, positions : (k, 3, 3), (k, 3) m
        Poses of the points in these frames.
    """

    tie: Tie
    frames: tuple[int, ...]
    rotations: np.ndarray
    positions: np.ndarray

    @property
    def name(self) -> str:
        """Of the tie."""
        return self.tie.name
