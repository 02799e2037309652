"""The arrays of a constrained problem, and their numbers in the table of addresses (:mod:`locodyn.kernel.handle`).

Handing forty arrays from kernel to kernel would make every call slow to compile; a table of (address, rows, columns) is one
array.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class ConstraintArrays(NamedTuple):
    """Rows, sets of coordinates and workspace of a constrained robot. Shapes: m rows, g groups, e free coordinates."""

    rows: Any  # (m, ROW_COLUMNS) int64
    data: Any  # (m, ROW_DATA)
    free: Any  # (e,) coordinates in E
    place: Any  # (nv,) place in E, or -1
    climb: Any  # (nf,) the frame itself or the nearest one before it that has a coordinate in E; -1
    active: Any  # rows that restrict E
    dependent: Any  # (d,) coordinates in D
    follower: Any  # (nf,) number of the dependent coordinate of a frame, or -1
    absorbed: Any  # (d,) the row that each takes up
    units: Any  # (e,) unit of each coordinate in E: 1 rad, or a length of the robot
    weights: Any  # (g,) of the rows when forces are shared
    static: Any  # (g,) static loading
    tolerance: Any  # (3,) of the rank, of positions; a length of the robot, m
    cotwists: Any
    sides: Any
    jacobian: Any  # (m, e)
    factor: Any
    basis: Any
    order: Any
    mass: Any
    reduced: Any
    force_factor: Any
    force_basis: Any
    force_order: Any
    group_force: Any
    multipliers: Any  # (m,)
    e_vectors: Any
    row_vectors: Any
    composites: Any
    work: Any
    needed: Any  # (nv,)
    loads: Any  # (nf, 6)
    shift: Any  # (nv,)
    zero: Any  # (nv,)
    path: Any  # (nf,) int64
    culprit: Any  # (1,) int64
    holonomic: Any  # (h,) int64: the rows among the active ones that are derivatives of positions
    status: Any  # (STATUS,)
    normals: Any  # (6, 6)
    base_wrench: Any  # (6,) left over by projective torques
    method: Any  # (1,) int64: EXACT, NO_CONTACT or PROJECTIVE
    unit: Any  # (nv,)
    sorted_rows: Any  # (m,) rows in the order of their first frames
    frame_starts: Any  # (nf + 1,) where the rows of a frame begin in it
    nominal: Any  # (2,) int64: largest rank of settled states since a run began; that of the holonomic rows at its start
    limit_rates: Any  # (e + 1, active) rates of rows, see locodyn.locomotion.singular
    limit: Any  # (e, active)
    limit_order: Any  # (active,) int64
    columns: Any  # of a robot with rods, see locodyn.shape.columns
    full_mass: Any  # (nv, nv) of a robot with rods
    settled_order: Any  # (active,) int64: ``order`` at the last settled state of the largest rank


# Number of each array of ConstraintArrays, in its order.
ROWS_AT = 0
DATA_AT = 1
FREE_AT = 2
PLACE_AT = 3
CLIMB_AT = 4
ACTIVE_AT = 5
DEPENDENT_AT = 6
FOLLOWER_AT = 7
ABSORBED_AT = 8
UNITS_AT = 9
WEIGHTS_AT = 10
STATIC_AT = 11
TOLERANCE_AT = 12
COTWISTS_AT = 13
SIDES_AT = 14
JACOBIAN_AT = 15
FACTOR_AT = 16
BASIS_AT = 17
ORDER_AT = 18
MASS_AT = 19
REDUCED_AT = 20
FORCE_FACTOR_AT = 21
FORCE_BASIS_AT = 22
FORCE_ORDER_AT = 23
GROUP_FORCE_AT = 24
MULTIPLIERS_AT = 25
E_VECTORS_AT = 26
ROW_VECTORS_AT = 27
COMPOSITES_AT = 28
WORK_AT = 29
NEEDED_AT = 30
LOADS_AT = 31
SHIFT_AT = 32
ZERO_AT = 33
PATH_AT = 34
CULPRIT_AT = 35
HOLONOMIC_AT = 36
STATUS_AT = 37
NORMALS_AT = 38
BASE_WRENCH_AT = 39
METHOD_AT = 40
UNIT_AT = 41
SORTED_ROWS_AT = 42
FRAME_STARTS_AT = 43
NOMINAL_AT = 44
LIMIT_RATES_AT = 45
LIMIT_AT = 46
LIMIT_ORDER_AT = 47
COLUMNS_AT = 48
FULL_MASS_AT = 49
SETTLED_ORDER_AT = 50
