"""One row of the record of a run."""

from __future__ import annotations

from locodyn.kernel import compiled


@compiled(inline=True)
def record(row, time, q, v, times, out_q, out_v):
    """The state (q, v) at ``time`` (s) into a row of ``times`` (n,), ``out_q`` (n, nq) and ``out_v`` (n, nv)."""
    times[row] = time
    for i in range(q.shape[0]):
        out_q[row, i] = q[i]
    for i in range(v.shape[0]):
        out_v[row, i] = v[i]
