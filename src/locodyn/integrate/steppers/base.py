"""What a method of fixed steps promises to :func:`~locodyn.integrate.fixed.run_fixed`.

1. Its method makes it for one run (:class:`FixedRun`), whose start it may look at.
2. ``chunk`` makes many steps in one compiled call, where all laws are data; ``robots`` those of many robots, one after the
   other, with the same bits (:mod:`locodyn.integrate.robots`).
3. ``step`` makes one step where a function of the user has its say: the stages that a chunk is made of, with inputs that Python
   asks for between them. ``note`` follows on every step that is recorded.
4. A step that has no end raises :class:`StepFailed`; what was recorded before it stays.
5. ``restart`` comes before a step at whose start forces jump, as those of a sampled controller do.
6. ``follow_parts``, before the first step, has a method that divides its steps keep the states between parts; ``parts`` gives
   them away.
7. ``complete`` adds to the solution what only the method knows.
8. ``kept`` says where all lies that a step takes from those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locodyn.integrate.base import Method, Solution
from locodyn.kernel.kept import Kept
from locodyn.locomotion.problem import Problem

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn

NEVER = 2**40  # steps between records: none


class StepFailed(RuntimeError):
    """A step without an end, in one sentence; ``rows`` states of the chunk were recorded before it."""

    def __init__(self, sentence: str, rows: int = 0) -> None:
        super().__init__(sentence)
        self.rows = rows


class Rows(NamedTuple):
    """Records of a run: ``times`` (n,) s, ``q`` (n, nq), ``v`` (n, nv), ``iterations`` (n,) since the record before.

    ``memory`` (n, nz): states of laws with memory. Those of the present step are in ``problem.workspace.memory``.
    """

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    iterations: np.ndarray
    memory: np.ndarray

    @property
    def states(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``q``, ``v`` and ``memory``."""
        return self.q, self.v, self.memory

    def part(self, first: int, last: int | None = None) -> Rows:
        """The rows from ``first`` up to ``last``, seen and not copied."""
        own = slice(first, last)
        return Rows(self.times[own], self.q[own], self.v[own], self.iterations[own], self.memory[own])


@dataclass(frozen=True)
class FixedRun:
    """``steps`` steps from number ``first`` on; number n goes from ``origin + n step`` (s), every ``every``-th is recorded.

    ``q0`` (nq,): the start. ``kept``: every so many-th step goes into the solution, a multiple of ``every``. Others as of
    :func:`~locodyn.integrate.solve`.
    """

    problem: Problem
    method: Method
    q0: np.ndarray
    origin: float
    step: float
    first: int
    steps: int
    every: int
    kept: int
    history: np.ndarray | None

    def time(self, n: int) -> float:
        """When step number n begins, s."""
        return self.origin + n * self.step

    @property
    def rows(self) -> int:
        """Number of records that are kept, that of the start included."""
        return (self.first + self.steps) // self.kept - self.first // self.kept + 1

    def are_kept(self, first: int, count: int) -> np.ndarray:
        """Which of the ``count`` records of steps from number ``first`` on are kept, by their numbers among them."""
        steps = first - first % self.every + self.every * np.arange(1, count + 1)
        found: np.ndarray = np.flatnonzero(steps % self.kept == 0)
        return found


def new_rows(problem: Problem, rows: int) -> Rows:
    """A table of so many records."""
    model = problem.model
    return Rows(
        np.empty(rows), np.empty((rows, model.nq)), np.empty((rows, model.nv)), np.zeros(rows, dtype=np.int64),
        np.empty((rows, problem.memories.count)),
    )  # fmt: skip


Launch = Callable[..., None]  # of a kernel and its arguments


def here(kernel: Callable[..., Any], *arguments: Any) -> None:
    """Call a kernel."""
    kernel(*arguments)


class Stepper:
    """A method at work in one run."""

    def __init__(self, run: FixedRun) -> None:
        self.run = run

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """``count`` compiled steps from number ``first``, in place; the number of rows that were filled."""
        raise NotImplementedError

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """``count`` compiled steps of each of the robots ``chosen`` (n,), which have made equally many before.

        ``launch`` calls the kernel that makes them, here or on a graphics card.
        """
        raise NotImplementedError

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """Step number ``n``, in place, with functions of the user; the number of iterations."""
        raise NotImplementedError

    def restart(self) -> None:
        """Forget accelerations of steps before the next one: forces jump here, and formulas must not look across the jump."""
        for view in self.known().views:
            view[:] = 0

    def known(self) -> Kept:
        """Numbers, part of :meth:`kept`, that are zero where nothing is known of the accelerations before the next step."""
        return Kept(())

    def note(self, q: np.ndarray) -> None:
        """Keep what belongs to the state that ``step`` ended at, besides the state."""

    def follow_parts(self) -> None:
        """Keep the states at which parts of steps end; most methods make whole steps only."""

    def parts(self) -> list[Rows]:
        """The states between parts of steps since they were last asked for, in the order of time."""
        return []

    def complete(self, solution: Solution, done: int) -> None:
        """Evaluations, and what else is told about the ``done`` steps."""
        solution.evaluations = int(solution.iterations.sum())

    def kept(self) -> Kept:
        """What the next step must know besides the state: the same places in every call."""
        return Kept(())
