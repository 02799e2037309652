"""Work between the records of an adaptive method, from the states that its steps pass by.

:class:`~locodyn.integrate.unrecorded_work.UnrecordedWork` integrates the powers at them after the run, so that nothing that a
step remembers is disturbed. A run that goes on later takes along the states since its last record.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.base import Run
from locodyn.integrate.steppers.base import Rows
from locodyn.integrate.unrecorded_work import UnrecordedWork
from locodyn.locomotion.sampled_controller import SampledController

_AT_ONCE = 1000  # states that are handed over together
State = tuple[float, np.ndarray, np.ndarray, np.ndarray]  # time s, q (nq,), v (nv,), states of laws (nz,)


class StepWork:
    """States since the start of the run, records among them.

    ``order`` of the method; ``states`` (k, 1 + nq + nv + nz): those after the record at the start that were passed by before.
    """

    def __init__(self, run: Run, order: int, states: np.ndarray) -> None:
        problem = run.problem
        self.nq, self.nv = problem.model.nq, problem.model.nv
        held = isinstance(problem.controller, SampledController)  # what it gave at a step is known at that step only
        start = _rows([(run.t0, run.q, run.v, np.array(run.memory))])
        self._work = UnrecordedWork(problem, start, order, True) if run.watch.sums_work and not held else None
        ends = (1, 1 + self.nq, 1 + self.nq + self.nv)
        self._states: list[State] = [(float(one[0]), *np.split(one, ends)[1:]) for one in states]  # type: ignore[misc]  # three parts
        self._recorded: list[int] = []

    @property
    def wanted(self) -> bool:
        """Whether the work is summed up at all."""
        return self._work is not None

    def pass_by(self, time: float, q: np.ndarray, v: np.ndarray, memory: np.ndarray) -> None:
        """The state of the last step at a time, s."""
        self._states.append((time, q, v, memory))

    def record(self, time: float, q: np.ndarray, v: np.ndarray, memory: np.ndarray) -> None:
        """The next record; states that were passed by may be later ones."""
        if self._work is None:
            return
        place = len(self._states)
        while place and self._states[place - 1][0] > time:
            place -= 1
        same = bool(place) and self._states[place - 1][0] == time
        self._states[place - same : place] = [(time, q, v, memory)]
        self._recorded.append(place - same)
        if len(self._states) > _AT_ONCE:
            self._hand_over()

    def since(self, end: float) -> np.ndarray:
        """States (k, 1 + nq + nv + nz) after the last record up to ``end`` (s), in one row."""
        first = self._recorded[-1] + 1 if self._recorded else 0
        rows = [np.concatenate([[time], q, v, memory]) for time, q, v, memory in self._states[first:] if time <= end]
        return np.concatenate([np.zeros(0), *rows])

    def close(self, rows: int) -> dict[str, np.ndarray]:
        """As of :class:`UnrecordedWork`, at the ``rows`` records."""
        if self._work is None:
            return {}
        if self._recorded:
            self._hand_over()
        return self._work.close(rows)

    def _hand_over(self) -> None:
        """All up to the last record."""
        assert self._work is not None
        end = self._recorded[-1] + 1
        self._work.add(_rows(self._states[:end]), np.array(self._recorded))
        self._states, self._recorded = self._states[end:], []


def _rows(states: list[State]) -> Rows:
    times, q, v, memory = (np.array(column, dtype=float) for column in zip(*states, strict=True))
    return Rows(times, q, v, np.zeros(len(times), dtype=np.int64), memory)
