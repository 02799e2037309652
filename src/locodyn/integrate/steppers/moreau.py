"""Runs of :mod:`locodyn.integrate.moreau`."""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.history import contact_kept, recall_method
from locodyn.integrate.moreau import (
    END,
    MIDDLE,
    START,
    TIMES,
    is_finite,
    moreau_run,
    moreau_stage,
    moreau_step,
    note,
)
from locodyn.integrate.moreau_records import LOG, from_first_step, new_records, recorded, report_words
from locodyn.integrate.moreau_velocity import new_scratch
from locodyn.integrate.steppers.base import FixedRun, Launch, Rows, StepFailed, Stepper, here, new_rows
from locodyn.kernel.kept import Kept
from locodyn.locomotion.problem import LATE

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn


class MoreauStepper(Stepper):
    """Time stepping for hard contact: nothing touches at the start, or what the history says."""

    def __init__(self, run: FixedRun) -> None:
        super().__init__(run)
        self._begun = -1  # so many of the cuts by servos lie behind; not known yet
        contact = run.problem.contact
        self.records = new_records(run.rows, run.problem)
        self.noted = 1
        model, kept = run.problem.model, run.problem.kept
        if "moreau" not in kept:
            kept["moreau"] = new_scratch(model.nf, model.nq, model.nv, run.problem.memories.count)
        self.scratch = kept["moreau"]
        contact.begin(run.q0)
        recall_method(self.kept(), run.history)
        report = contact.arrays.report
        losses = {LOG.friction: report.friction_loss, LOG.impact: report.impact_loss, LOG.damping: report.damping_loss}
        sums = {**losses, LOG.supplied: report.supplied}
        self.records.log[0, list(sums)] = list(sums.values())
        self.records.gap[0], self.records.point[0] = contact.nearest(run.q0)

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`; in stretches in which the same servos are on."""
        run, problem = self.run, self.run.problem
        total = 0
        for begin, end in self.stretches(first, first + count):
            begun = bisect_right(self._cuts, begin)
            if begun != self._begun:
                problem.switch_servos(run.origin + begin * run.step)
                self._begun = begun
            filled, failed = moreau_run(
                problem.arrays, problem.contact.arrays, problem.inputs, run.origin, run.step, begin, end - begin, run.every, q, v,
                problem.workspace, self.scratch, *(rows.part(total) if total else rows), self.records, self.noted,
            )  # fmt: skip
            self.noted += filled
            total += filled
            if failed >= 0:
                raise no_finite_end(run.origin + failed * run.step, total)
        return total

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """As of :class:`Stepper`; in stretches in which the same servos are on."""
        from locodyn.integrate.robots import moreau_robots

        run, problem = self.run, self.run.problem
        first = int(robots.done[chosen[0]])
        for begin, end in self.stretches(first, first + count):
            problem.switch_servos(run.origin + begin * run.step)
            launch(
                moreau_robots, robots, turn, chosen, end - begin,
                problem.arrays, problem.contact.arrays, problem.inputs, run.origin, run.step,
                problem.workspace, self.scratch, new_rows(problem, 0), self.records,
            )  # fmt: skip

    def stretches(self, first: int, last: int) -> list[tuple[int, int]]:
        """Steps ``first`` to ``last`` cut where a servo begins: at the first step at whose start it is on."""
        return list(pairwise([first, *(cut for cut in self._cuts if first < cut < last), last]))

    @cached_property
    def _cuts(self) -> list[int]:
        """Numbers of the steps with which servos begin."""
        run = self.run
        return sorted({math.floor((one.begins - LATE - run.origin) / run.step) + 1 for one in run.problem.servos.values()})

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`: torques are asked for at the start; where motions are data, a compiled call makes the rest."""
        run, problem, scratch = self.run, self.run.problem, self.scratch
        arrays, contacts, inputs, work = problem.arrays, problem.contact.arrays, problem.inputs, problem.workspace
        t = run.time(n)
        problem.switch_servos(t)
        problem.read_inputs(t, q, v)
        if problem.table.has_python or problem.user_laws:
            for k in (START, MIDDLE, END):
                if k > START:
                    problem.read_inputs(t + TIMES[k] * run.step, scratch.middle if k == MIDDLE else q, v, forces=False)
                moreau_stage(k, arrays, contacts, inputs, run.step, q, v, work, scratch)
        else:
            moreau_step(arrays, contacts, inputs, t, run.step, q, v, work, scratch, 1)
        if not is_finite(q, v):
            raise no_finite_end(t)
        iterations, contacts.report.iterations = contacts.report.iterations, 0
        return iterations

    def note(self, q: np.ndarray) -> None:
        """Impulses, gaps and points of contact."""
        problem = self.run.problem
        note(problem.arrays, problem.contact.arrays, self.noted, q, problem.workspace, self.scratch, self.records)
        self.noted += 1

    def complete(self, solution: Solution, done: int) -> None:
        """Forces of contact, and how well their equations were solved."""
        super().complete(solution, done)
        solution.recorded = recorded(self.run.problem, self.records, solution.times, solution.v, self.run.step)
        solution.row_forces = from_first_step(self.records.row_force[: len(solution.times)])
        solution.attributes = report_words(self.run.problem)

    def kept(self) -> Kept:
        """As of :func:`~locodyn.integrate.history.contact_kept`."""
        return contact_kept(self.run.problem)


def no_finite_end(time: float, rows: int = 0) -> StepFailed:
    """The end of the step from ``time`` on is not finite."""
    return StepFailed(
        f"the step from t = {time:g} s has no finite impulses and velocities, as when wheels, loops or strong servos wedge"
        " the robot between contacts; all records before it are kept; take a smaller step, or torque limits for the joints",
        rows,
    )
