"""The states at which parts of implicit steps ended: what happens within a step is known to nobody else.

A step that is divided, or adapted to an error, resolves an impact that is over before it ends. The account of energy
(:mod:`locodyn.integrate.unrecorded_work`) then needs the powers at its parts.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.record import record
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle

_MOST, _NUMBERS = 4096, 1_000_000  # parts that are kept, and numbers of all of them


class Trail(Bundle):
    """Ends of parts since the trail was last emptied, those at the ends of whole steps left out.

    One step may have more parts than there is room for: then every other one is let go, again and again.
    """

    wanted: int = 0  # whether parts are kept
    count: int = 0  # of those kept
    stride: int = 1  # every so many-th part is kept
    skipped: int = 0  # parts since the last one kept
    times: np.ndarray  # (c,) s
    q: np.ndarray  # (c, nq)
    v: np.ndarray  # (c, nv)
    memory: np.ndarray  # (c, nz)


def new_trail(nq: int, nv: int, nz: int, wanted: bool) -> Trail:
    """Room for the parts of a robot with so many positions, velocities and states of laws; none where they are not wanted."""
    size = max(64, min(_MOST, _NUMBERS // max(nq + nv + nz, 1))) if wanted else 0
    return Trail(times=np.zeros(size), q=np.zeros((size, nq)), v=np.zeros((size, nv)), memory=np.zeros((size, nz)))


@compiled(late=())
def note_part(trail, time, q, v, memory):
    """The end of a part at ``time`` (s), at the state (q, v) with that of the laws."""
    trail.skipped += 1
    if trail.wanted == 0 or trail.skipped < trail.stride:
        return
    trail.skipped = 0
    if trail.count == trail.times.shape[0]:
        trail.count //= 2
        trail.stride *= 2
        for n in range(trail.count):
            keep_part(trail, n, trail.times[2 * n + 1], trail.q[2 * n + 1], trail.v[2 * n + 1], trail.memory[2 * n + 1])
    keep_part(trail, trail.count, time, q, v, memory)
    trail.count += 1


@compiled(inline=True)
def keep_part(trail, n, time, q, v, memory):
    """A state into row n."""
    record(n, time, q, v, memory, trail.times, trail.q, trail.v, trail.memory)


@compiled(inline=True)
def is_long(trail):
    """Whether the next step may not find room enough."""
    return 2 * trail.count > trail.times.shape[0]
