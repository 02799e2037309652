"""One row of the record of a run."""

from __future__ import annotations

from locodyn.kernel import compiled


@compiled(inline=True)
def record(row, time, q, v, memory, times, out_q, out_v, out_memory):
    """The state (q, v) at ``time`` (s), with that of the laws, into a row of ``times``, ``out_q``, ``out_v``, ``out_memory``."""
    times[row] = time
    for i in range(memory.shape[0]):
        out_memory[row, i] = memory[i]
    for i in range(q.shape[0]):
        out_q[row, i] = q[i]
    for i in range(v.shape[0]):
        out_v[row, i] = v[i]
