"""Whether a run fits: how much it will record, and how long it will take, before and not after it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.store import amount

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

MANY = 1e5  # records: fewer always fit
_LONG = 60.0  # s of computing: worth a word
_COPIES = 2.0  # of a result on disk while its stretches are joined


def check_room(scenario: Scenario, q: np.ndarray, v: np.ndarray, out: Path | None) -> None:
    """:class:`InputError` where the records of a run from the state (q, v) do not fit on the disk of ``out``, or into memory."""
    records = scenario.recording.t_end / (scenario.numerics.step * scenario.recording.record_every)
    if records < MANY:
        return
    size = records * _of_a_record(scenario, q, v) * (1.0 if out is None else _COPIES)
    free = _memory() if out is None else float(shutil.disk_usage(Path(os.path.realpath(out)).parent).free)
    if size > free:
        where = "of memory" if out is None else f"on the disk of '{out}'"
        raise InputError(
            f"the run to t = {scenario.recording.t_end:g} s has {records:.3g} records, which need about {amount(size)}, and there"
            f" are {amount(free)} {where}; record less often (record_every), fewer variables (record), or for a shorter time"
            " (t_end)."
        )


def _of_a_record(scenario: Scenario, q: np.ndarray, v: np.ndarray) -> float:
    """Bytes of the record of a state."""
    from locodyn.integrate.base import Solution
    from locodyn.sim.dataset import labelled

    if not scenario.problem.is_compiled or scenario.phases is not None:  # functions of the user are not asked for this
        return 8.0 * (40 + 8 * scenario.compiled.nv)
    q, v = scenario.problem.start_state(0.0, q.copy(), v.copy())
    memory = scenario.initial_memory()[None]
    start = Solution(np.zeros(1), q[None], v[None], np.zeros(1, dtype=np.int64), memory=memory)
    return float(labelled(scenario, start)[0].drop_vars(["xyz", "quat"], errors="ignore").nbytes)


def _memory() -> float:
    """Bytes of memory that are free, or infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) + _cached()
    except (AttributeError, ValueError, OSError):
        return np.inf


def _cached() -> float:
    """Bytes that the system keeps of files and gives back when asked."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(1024.0 * float(line.split()[1]) for line in lines if line.startswith("Cached:"))


class Forecast:
    """Says how long a run to ``end`` (s) takes, once, where it ``says`` anything and the run takes long.

    It looks at the second stretch: the first one also loads what all of them need.
    """

    def __init__(self, end: float, says: bool) -> None:
        self._end, self._says = end, says
        self._first: tuple[float, float] | None = None

    def hear(self, reached: float, seconds: float, size: float) -> None:
        """A stretch of ``size`` bytes is over at the time ``reached`` (s), after so many seconds of computing."""
        if not self._says:
            return
        if self._first is None:
            self._first = reached, seconds
            return
        self._says = False
        share = max((reached - self._first[0]) / (self._end - self._first[0]), 1e-12)
        left = (seconds - self._first[1]) * (1.0 / share - 1.0)
        if left > _LONG:
            print(f"about {duration(left)} to go, and {amount(size / share)} of records", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(200.0), duration(9000.0)
    ('3.3 minutes', '2.5 hours')
    """
    for unit, length, most in (("minutes", 60.0, 90.0), ("hours", 3600.0, 48.0), ("days", 86400.0, 1000.0)):
        if seconds < most * length:
            return f"{seconds / length:.2g} {unit}"
    return f"{seconds / (365.25 * 86400.0):.2g} years"
