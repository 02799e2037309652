"""Numbers of the arrays of a constrained problem in their table of addresses (:mod:`locodyn.kernel.handle`).

Handing forty arrays from kernel to kernel would make every call slow to compile; a table of (address, rows, columns) is one
array.
"""

from __future__ import annotations

# Number of each array of locodyn.locomotion.constraints.ConstraintArrays, in its order.
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
SHARE_AT = 24
SHARE_BASIS_AT = 25
SHARE_ORDER_AT = 26
GROUP_FORCE_AT = 27
MULTIPLIERS_AT = 28
E_VECTORS_AT = 29
ROW_VECTORS_AT = 30
COMPOSITES_AT = 31
WORK_AT = 32
NEEDED_AT = 33
LOADS_AT = 34
SHIFT_AT = 35
ZERO_AT = 36
PATH_AT = 37
CULPRIT_AT = 38
HOLONOMIC_AT = 39
STATUS_AT = 40
NORMALS_AT = 41
BASE_WRENCH_AT = 42
METHOD_AT = 43
UNIT_AT = 44
