"""The rows of a constrained robot as compiled code sees them: what they are, their values, and the scratch of each algorithm.

Sizes: m rows, a active ones, e free coordinates (the set E of :mod:`locodyn.locomotion.constrained`), g groups of rows that share
one force, nf frames, nv coordinates. Each algorithm owns its scratch, so that one may call another between two of its lines.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from locodyn.dynamics import inverse_dynamics, mass_matrix
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.lanes import fields_as_lanes, lane_blocks
from locodyn.locomotion.row_groups import RowGroups
from locodyn.locomotion.row_paths import RowPaths
from locodyn.world.rows import RowArrays


class RangeFactors(Bundle):
    """A P = Q R of a matrix (e, a): J_E^T of some rows (:mod:`locodyn.locomotion.row_factors`), or G^T of :class:`RateLimit`."""

    factor: np.ndarray  # (e, a) R
    basis: np.ndarray  # (e, e) Q: first the range of J_E^T, then the kernel of J_E
    order: np.ndarray  # (a,) int64, P
    ordered: np.ndarray  # (a,) right-hand sides in this order
    coefficients: np.ndarray  # (e,) of a step along the range


class RowProjection(Bundle):
    """Scratch of :func:`~locodyn.locomotion.constrained.project_velocity` and :mod:`locodyn.locomotion.closure`."""

    defect: np.ndarray  # (a,) what the rows miss
    step: np.ndarray  # (e,) the smallest change that puts it right
    shift: np.ndarray  # (nv,) the same along all coordinates
    place: np.ndarray  # (nq,) a configuration before it was moved


class RowDynamics(Bundle):
    """Scratch of :func:`~locodyn.locomotion.constrained.solve_accelerations` and of the mass matrix that it needs."""

    defect: np.ndarray  # (a,)
    step: np.ndarray  # (e,)
    mass: np.ndarray  # (e, e) M_EE
    reduced: np.ndarray  # (e, e) Z^T M Z
    right: np.ndarray  # (e,) Z^T (tau - h - M a)
    product: np.ndarray  # (e,) a column of M Z
    needed: np.ndarray  # (nv,) h + M a
    reached: np.ndarray  # (nv,) accelerations of the motion that is kept
    change: np.ndarray  # (nv,) of them
    kept: int = 0  # whether ``inverse`` holds the motion at the state looked at last, see :func:`needed_forces`
    composites: np.ndarray  # (nf, COMPOSITE.size)
    full_mass: np.ndarray  # (nv, nv) of a robot with rods, else (1, 1)
    unit: np.ndarray  # (nv,) zero, but while a column of the mass matrix is looked at
    column: np.ndarray  # (nv,) force for a unit acceleration
    at_rest: np.ndarray  # (nv,) force for none


class ForceSharing(Bundle):
    """What :mod:`locodyn.locomotion.multipliers` is told, leaves behind and works with."""

    weights: np.ndarray  # (g,) of the rows when redundant ones share a load
    static: np.ndarray  # (g,) N or N m, static loading
    balance: np.ndarray  # (e,) N or N m, what the rows have to give; see share_forces
    factor: np.ndarray  # (e, g)
    basis: np.ndarray  # (e, e)
    order: np.ndarray  # (g,) int64
    right: np.ndarray  # (e,)
    ordered: np.ndarray  # (g,)
    group_force: np.ndarray  # (g,)
    needed: np.ndarray  # (nv,) M a + h
    unloaded: np.ndarray  # (nv,) the same without any load
    loads: np.ndarray  # (nf, 6) applied wrenches and those of the rows
    mismatch: float = 0.0  # J, largest part of the balance that no row can give
    scale: float = 0.0  # J, largest force at work times the unit of its coordinate


class RateLimit(Bundle):
    """Scratch of :mod:`locodyn.locomotion.singular`."""

    acceleration: np.ndarray  # (nv,) of imposed coordinates, 0 of the others
    rates: np.ndarray  # (e + 1, a) of the rows along the kernel; last those at the velocity itself
    other: np.ndarray  # (a,)
    share: np.ndarray  # (e,) of the independent rows in one that depends on them
    factors: RangeFactors  # of G^T
    defect: np.ndarray  # (a,) g
    right: np.ndarray  # (e,) step along the kernel
    step: np.ndarray  # (e,) taken so far


class ProjectiveTorques(Bundle):
    """Rows by frames, scratch and result of :mod:`locodyn.locomotion.projective`."""

    sorted_rows: np.ndarray  # (m,) int64, rows in the order of their first frames
    frame_starts: np.ndarray  # (nf + 1,) int64, where the rows of a frame begin in it
    normals: np.ndarray  # (6, 6)
    base_wrench: np.ndarray  # (6,) left over at the reference body


class ConstraintArrays(RowArrays):
    """Rows, sets of coordinates, values at the last state, and scratch by algorithms."""

    active: np.ndarray  # (a,) int64, rows that restrict E
    holonomic: np.ndarray  # (h,) int64, those of them that are derivatives of positions
    free: np.ndarray  # (e,) int64, coordinates in E
    place: np.ndarray  # (nv,) int64, place in E, or -1
    units: np.ndarray  # (e,) unit of each coordinate in E: 1 rad, or a length of the robot
    free_ancestor: np.ndarray  # (nf,) int64, the frame itself or the nearest one before it that has a coordinate in E; -1
    dependent: np.ndarray  # (d,) int64, coordinates in D
    follower: np.ndarray  # (nf,) int64, number of the dependent coordinate of a frame, or -1
    absorbed: np.ndarray  # (d,) int64, the row that each takes up
    path: np.ndarray  # (nf,) int64, scratch of locodyn.locomotion.dependent
    torque_method: int  # one of TORQUES of multipliers.py
    rank_tolerance: float
    position_tolerance: float  # m or rad
    position_limit: np.ndarray  # (m,) m or rad, largest residual of a loop or contact that is closed
    speed_tolerance: float  # of the largest velocity, at least of 1 m/s or rad/s: speed by which a row may be missed
    invariant: int  # whether the rows ask for the same body velocities wherever the robot is (left-invariance)
    bending: int  # number of coordinates of rods in E
    speeds_only: int = 0  # whether accelerations are not asked for where the rows determine all velocities: within a step
    rates_vary: int  # whether the rates of some rows depend on the velocity
    length: float  # m, of the robot
    jacobian: np.ndarray  # (m, e)
    columns: np.ndarray  # of a robot with rods, see locodyn.shape.columns
    multipliers: np.ndarray  # (m,)
    rank: int = 0  # of the active rows
    blur: float = 0.0  # relative size of what rows off the closure have beyond the settled rank; no rank
    settled_rank: int = 0  # largest of settled states since a run began
    settled_holonomic_rank: int = 0  # of the holonomic rows where the run began
    settled_order: np.ndarray  # (a,) int64, order of the factors at the last settled state of the largest rank
    condition: float = 0.0  # last over first pivot of the settled rank
    mismatch: float = 0.0  # m/s or rad/s, largest speed by which a redundant row is missed
    missed_row: int = 0  # that row
    zero: np.ndarray  # (nv,)
    tangent_direction: np.ndarray  # (nv,) zero, but while locodyn.locomotion.row_residual looks along a coordinate
    inverse: np.ndarray  # (nf, work_columns) of inverse dynamics
    factors: RangeFactors
    paths: RowPaths | None  # of robots with many loops
    groups: RowGroups
    projection: RowProjection
    dynamics: RowDynamics
    sharing: ForceSharing
    limit: RateLimit
    projective: ProjectiveTorques

    def forget_rank(self) -> None:
        """Before a run begins, or where other coordinates may move: nothing is known of settled states."""
        self.settled_rank = self.settled_holonomic_rank = 0


# What robots in lanes have of their own; the rest describes the rows, or is asked for at records only.
IN_LANES = (
    "cotwist", "other_cotwist", "cotwist_rate", "other_cotwist_rate", "right_side", "right_side_rate", "residual", "disc_sine",
    "jacobian", "settled_order", "inverse", "factors", "projection", "dynamics",
)  # fmt: skip
rows_as_lanes = fields_as_lanes(*IN_LANES, of="rows")


def new_lane_rows(rows: ConstraintArrays) -> ConstraintArrays:
    """The rows of one block of robots, seen through ``rows_as_lanes`` in a problem; places of pivots are numbers there."""
    return replace(rows, **{name: _blocks(getattr(rows, name)) for name in IN_LANES})


def _blocks(own: Any) -> Any:
    """Room for a block of robots in place of an array, or of the arrays of a bundle."""
    if isinstance(own, np.ndarray):
        return lane_blocks(1, *own.shape)[0]
    arrays = {one.name: getattr(own, one.name) for one in fields(own) if isinstance(getattr(own, one.name), np.ndarray)}
    return replace(own, **{name: _blocks(array) for name, array in arrays.items()})


def new_range_factors(e: int, a: int) -> RangeFactors:
    """Room for e free coordinates and a rows."""
    order = np.zeros(a, dtype=np.int64)
    return RangeFactors(
        factor=np.zeros((e, a)), basis=np.zeros((e, e)), order=order, ordered=np.zeros(a), coefficients=np.zeros(e)
    )


def new_row_projection(e: int, a: int, nv: int, nq: int) -> RowProjection:
    """Room for e free coordinates out of nv, and a rows."""
    return RowProjection(defect=np.zeros(a), step=np.zeros(e), shift=np.zeros(nv), place=np.zeros(nq))


def new_row_dynamics(e: int, a: int, nv: int, nf: int, rods: bool) -> RowDynamics:
    """Room for e free coordinates out of nv, a rows, and nf frames."""
    full, zeros = nv if rods else 1, np.zeros
    return RowDynamics(
        defect=zeros(a), step=zeros(e), mass=zeros((e, e)), reduced=zeros((e, e)), right=zeros(e), product=zeros(e),
        needed=zeros(nv), reached=zeros(nv), change=zeros(nv), composites=zeros((nf, mass_matrix.COMPOSITE.size)),
        full_mass=zeros((full, full)), unit=zeros(nv), column=zeros(nv), at_rest=zeros(nv),
    )  # fmt: skip


def new_force_sharing(e: int, nv: int, nf: int, weights: np.ndarray, static: np.ndarray) -> ForceSharing:
    """Room for e free coordinates out of nv, nf frames, and the groups of these weights and static loadings."""
    g, zeros = len(weights), np.zeros
    return ForceSharing(
        weights=weights, static=static, balance=zeros(e), factor=zeros((e, g)), basis=zeros((e, e)),
        order=zeros(g, dtype=np.int64), right=zeros(e), ordered=zeros(g), group_force=zeros(g), needed=zeros(nv),
        unloaded=zeros(nv), loads=zeros((nf, 6)),
    )  # fmt: skip


def new_rate_limit(e: int, a: int, nv: int) -> RateLimit:
    """Room for e free coordinates out of nv, and a rows."""
    zeros = np.zeros
    return RateLimit(
        acceleration=zeros(nv), rates=zeros((e + 1, a)), other=zeros(a), share=zeros(e), factors=new_range_factors(e, a),
        defect=zeros(a), right=zeros(e), step=zeros(e),
    )  # fmt: skip


def new_projective_torques(first_frames: np.ndarray, nf: int) -> ProjectiveTorques:
    """Rows (m,) with these first frames."""
    starts = np.searchsorted(np.sort(first_frames), np.arange(nf + 1))
    return ProjectiveTorques(
        sorted_rows=np.argsort(first_frames, kind="stable"),
        frame_starts=starts,
        normals=np.zeros((6, 6)),
        base_wrench=np.zeros(6),
    )


def inverse_work(nf: int, rods: bool) -> np.ndarray:
    """Room for inverse dynamics of nf frames."""
    return np.zeros((nf, inverse_dynamics.work_columns(rods)))
