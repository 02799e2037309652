"""Joint PD on outputs that follow Bezier polynomials, u = -K_P y - K_D ydot, in compiled code: one call instead of thirty.

y_i = h_i(q) - b_i(s) with h and theta sums of coordinates, s = (theta - theta+) / (theta- - theta+)
(:mod:`locodyn.controllers.virtual_constraints`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locodyn.controllers.curves import Bezier, bernstein_sums
from locodyn.controllers.virtual_constraints import VirtualConstraints
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle


class PdTable(Bundle):
    """Outputs, curve and gains of joint PD."""

    places: np.ndarray  # (n + 1, nq) weights of the coordinates in the outputs and, last, in theta
    rows: np.ndarray  # (n + 1, nv) of their rates
    curve: np.ndarray  # (3 n, M + 1) coefficients times binomials of b, b', b''
    shift: np.ndarray  # (n,) that is faded in along the curve
    driven: np.ndarray  # (n,) int64: coordinates of the actuators
    wanted: np.ndarray  # (3 n,) b, b', b'' at s
    begin: float  # theta+
    end: float  # theta-
    stiffness: float
    damping: float
    limit: float  # inf: none


def pd_table(
    constraints: VirtualConstraints, driven: Sequence[int], stiffness: float, damping: float, limit: float | None
) -> PdTable | None:
    """The table of these constraints; None of those that are not sums of coordinates on Bezier polynomials of theta."""
    curve = constraints.curve
    if type(constraints) is not VirtualConstraints or type(curve) is not Bezier:
        return None
    if constraints.outputs.points or constraints.phase.points:
        return None
    both, n = (constraints.outputs, constraints.phase), constraints.outputs.count
    return PdTable(
        places=np.concatenate([one.places for one in both]), rows=np.concatenate([one.rows for one in both]),
        curve=np.ascontiguousarray(curve.stack), shift=constraints.shift, driven=np.array(driven, dtype=np.int64),
        wanted=np.zeros(3 * n), begin=constraints.begin, end=constraints.end, stiffness=stiffness, damping=damping,
        limit=np.inf if limit is None else limit,
    )  # fmt: skip


@compiled(inline=True)
def weighted(weights, row, values):
    """Sum of the values (k,) with the weights of one row."""
    total = 0.0
    for i in range(values.shape[0]):
        total += weights[row, i] * values[i]
    return total


@compiled(called=True)
def add_pd_torques(table, q, v, command):
    """Add u, N m, to the forces ``command`` (nv,) of the actuators at the state (q, v)."""
    n = table.driven.shape[0]
    span = table.end - table.begin
    s = (weighted(table.places, n, q) - table.begin) / span
    rate = weighted(table.rows, n, v) / span
    bernstein_sums(table.curve, s, table.wanted)
    inside = min(max(s, 0.0), 1.0)  # of the shift, which is constant beyond the ends
    part = inside**3 * (10.0 + inside * (6.0 * inside - 15.0))
    slope = 30.0 * (inside * (1.0 - inside)) ** 2
    for i in range(n):
        y = weighted(table.places, i, q) - table.wanted[i] - part * table.shift[i]
        change = weighted(table.rows, i, v) - (table.wanted[n + i] + slope * table.shift[i]) * rate
        torque = -table.stiffness * y - table.damping * change
        command[table.driven[i]] += min(max(torque, -table.limit), table.limit)
