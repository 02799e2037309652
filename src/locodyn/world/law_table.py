"""The table of wrench laws: which column holds what. :mod:`locodyn.world.wrench_table` fills it, kernels read it."""

from __future__ import annotations

# Kinds of laws.
WORLD_FORCE, THRUST, DRAG, ANCHOR, USER, SLIDING, WAKE, FEEDBACK, ARCTAN = range(9)
PARAMETERS = 12  # numbers of a law, at most

# laws[l, column], int64: frame, kind of law; of the laws of time (rows of the inputs; -1: none) that of the steering angle, that
# of the factor, the first of six of the desired motion; 1 where a share counts; first velocity coordinate of its integral, or -1
FRAME, KIND, STEERING, FACTOR, TARGET, SHARED, MEMORY = range(7)
LAW_COLUMNS = 7
# parameters[l, column]: pose of the point in its frame, then the numbers of the law, then its share: weight along a rod, m
POINT_ROTATION, POINT_POSITION, FIRST = 0, 9, 12
SHARE = FIRST + PARAMETERS
