"""Entries of the small vectors that constrained dynamics leaves behind or works with."""

from __future__ import annotations

# Entries of the status vector that a solve leaves behind.
RANK, CONDITION, MISMATCH, FORCE_RANK, FORCE_MISMATCH, FORCE_SCALE, BLUR = range(7)
STATUS = 7
# Rows of the scratch vectors over E, and over rows.
RHS, STEP, UNKNOWN, BALANCE = range(4)
E_VECTORS = 4
DEFECT, SORTED, TARGET = range(3)
ROW_VECTORS = 3
MOST_ITERATIONS = 20
NEAR = 1e-7  # residual (m, rad) whose square is round-off
CLOSED = 1e-11  # residual, relative to the size of its row: nearer to closure, the tolerance of the rank alone judges
SPREAD = 10.0  # change of a row, relative to its size, for each unit of the residual of the loops
# How the forces of imposed joints are computed.
EXACT, NO_CONTACT, PROJECTIVE = range(3)
