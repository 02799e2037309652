"""What a compiled time loop sees of a problem: the robot, its drives and laws as arrays, and scratch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.lanes import lane_blocks
from locodyn.record import codes, record
from locodyn.robot.layout import CODE, REVOLUTE
from locodyn.shape.columns import COLUMNS
from locodyn.world.law_table import BRISTLES, WrenchLaws

if TYPE_CHECKING:
    from locodyn.locomotion.constraint_arrays import ConstraintArrays
    from locodyn.motion.table import LawArrays

# Drive of a coordinate.
PASSIVE, TORQUE, IMPOSED, DEPENDENT = range(4)
GAIN = record(stiffness=1, damping=1)  # of servos
# Laws of joints and strands that remember: a lag of the force of an actuator, of a strand; bristles of friction.
REMEMBERS = codes("lag", "strand_lag", "bristles")


class DriveMemories(Bundle):
    """One entry for each joint or strand whose law has a state, see :mod:`locodyn.locomotion.drive_memory`."""

    kind: np.ndarray  # (k,) int64: one of REMEMBERS
    place: np.ndarray  # (k,) int64: number of the coordinate, or of the strand
    memory: np.ndarray  # (k,) int64: number of its state
    numbers: np.ndarray = columns(BRISTLES.size)  # (k, 11) time constant s; or the numbers of the bristles
    lags: np.ndarray  # (nv,) int8: 1 for coordinates whose actuators lag; or (0,) where none does


class MemoryBlocks(Bundle):
    """Which states belong together: rates depend on those of the same block only."""

    first: np.ndarray  # (b,) int64
    count: np.ndarray  # (b,) int64


class ProblemArrays(Bundle):
    """The problem as arrays. All robots of a batch share it."""

    read_only = True

    frames: np.ndarray  # (nf, FRAME_COLUMNS) int64, columns of :mod:`locodyn.robot.layout`
    constants: np.ndarray  # (nf, CONSTANT_COLUMNS), with rods (nf, SLICE.modes + 2 modes)
    dofs: np.ndarray  # (nv, DOF_COLUMNS) int64
    dof_constants: np.ndarray  # (nv, DOF_CONSTANT_COLUMNS), with rods wider
    gravity: np.ndarray  # (3,) m/s^2
    imposed: np.ndarray  # (nv,) int8, or (0,) when no coordinate is imposed
    law: np.ndarray  # (nv,) int64: number of the law that drives the coordinate, -1 for none
    target: np.ndarray  # (nv,) int64: number of the law that its servo follows, -1 for none; or (0,) without servos
    gains: np.ndarray  # (nv, 2) stiffness and damping of the servos; or (0, 2)
    laws: LawArrays
    wrenches: WrenchLaws
    drives: DriveMemories
    blocks: MemoryBlocks
    row_law: np.ndarray  # (k,) int64: numbers of the laws that constraint rows need
    rows: ConstraintArrays | None  # of constraints
    strands: np.ndarray  # tendons and chambers, see locodyn.dynamics.strands
    strand_constants: np.ndarray
    strand_points: np.ndarray
    strand_law: np.ndarray  # (k,) int64: number of the law of each of them, -1 for none

    def facts(self) -> dict[str, int]:
        """As of :class:`Bundle`."""
        return {"hinges": int((self.frames[1:, CODE] == REVOLUTE).all())}


class Inputs(Bundle):
    """What drives the robot at one instant: filled by :func:`~locodyn.locomotion.rhs.read_laws`, or by Python functions.

    All robots of a batch share it, but for ``command``.
    """

    motion: np.ndarray  # (3, nv): position, rate, acceleration of imposed coordinates, and of the targets of servos
    command: np.ndarray  # (nv,) force of the actuators, before their limits
    wrenches: np.ndarray  # (nf, 6) wrenches of the user's functions on the frames, or (0, 6)
    rows: np.ndarray  # (k, 3): value, rate, acceleration of the laws of constraint rows
    strands: np.ndarray  # (k,) tensions, free lengths or pressures of tendons and chambers


class Memory(Bundle):
    """States z of laws with memory, those of wrench laws first: zdot = f(t, q, v, z)."""

    state: np.ndarray  # (nz,) at the end of the last step
    value: np.ndarray  # (nz,) where the laws are evaluated
    rate: np.ndarray  # (nz,) zdot there
    strands: np.ndarray  # (k,) tensions, free lengths, pressures or activations there


class WorkArrays(Bundle):
    """Scratch memory of one robot, or of a block of robots in lanes; and what its laws remember."""

    memory: Memory

    work: np.ndarray  # (nf, WORK.size) of forward dynamics
    dof_work: np.ndarray  # (nv, DOF_WORK.size) of forward dynamics
    poses: np.ndarray  # (nf, 12) in the world
    motions: np.ndarray  # (nf, 12) body twists and their derivatives
    wrenches: np.ndarray  # (nf, 6) on the frames
    tau: np.ndarray  # (nv,) forces along the coordinates
    inverse: np.ndarray  # the rest of robots with rods only: (nf, ROD_WORK.size) of inverse dynamics
    composites: np.ndarray
    columns: np.ndarray
    matrix: np.ndarray  # (nv, nv)
    rest: np.ndarray  # (nv,)


def new_inputs(nf: int, nv: int, user_wrenches: bool = False, row_laws: int = 0, strands: int = 0) -> Inputs:
    """Inputs of a robot at rest with no drive."""
    wrenches = np.zeros((nf if user_wrenches else 0, 6))
    return Inputs(
        motion=np.zeros((3, nv)), command=np.zeros(nv), wrenches=wrenches, rows=np.zeros((row_laws, 3)), strands=np.zeros(strands)
    )


def new_work(nf: int, nv: int, rod_columns: int = 0, states: int = 0, strands: int = 0) -> WorkArrays:
    """Scratch of one robot; ``rod_columns``: number of columns of a robot with rods; ``states`` that its laws have."""
    zeros = np.zeros
    memory = Memory(state=zeros(states), value=zeros(states), rate=zeros(states), strands=zeros(strands))
    return WorkArrays(memory=memory, **{name: zeros(shape) for name, shape in _shapes(nf, nv, rod_columns).items()})


def new_lane_work(nf: int, nv: int) -> WorkArrays:
    """Scratch of one block of robots, which compiled code sees through :func:`~locodyn.kernel.lanes.as_lanes`."""
    memory = Memory(**{name: lane_blocks(1, 0)[0] for name in ("state", "value", "rate", "strands")})
    return WorkArrays(memory=memory, **{name: lane_blocks(1, *shape)[0] for name, shape in _shapes(nf, nv, 0).items()})


def _shapes(nf: int, nv: int, columns: int) -> dict[str, tuple[int, ...]]:
    rods = columns > 0
    return {
        "work": (nf, forward_dynamics.WORK.size),
        "dof_work": (nv, forward_dynamics.DOF_WORK.size),
        "poses": (nf, 12),
        "motions": (nf, 12),
        "wrenches": (nf, 6),
        "tau": (nv,),
        "inverse": (nf * rods, inverse_dynamics.ROD_WORK.size),
        "composites": (nf * rods, mass_matrix.COMPOSITE.size),
        "columns": (columns, COLUMNS),
        "matrix": (nv * rods, nv * rods),
        "rest": (nv * rods,),
    }
