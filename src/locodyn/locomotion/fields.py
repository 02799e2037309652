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
