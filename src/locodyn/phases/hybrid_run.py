"""A run through phases: passages, transitions, and one record of all of them.

Works and losses are booked as they come: the power of actuators and other sources less that of friction is integrated along every
step by four Gauss points (order 8, as the method), and an impact loses 1/2 (v- - v+) M (v- + v+). A phase that locks joints at
other values than they have puts them there at once: the change of energy is work of its locks.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Progress, Solution, Watch
from locodyn.locomotion.record import continuous_quaternions, row_names, samples
from locodyn.locomotion.rod_contacts import recall
from locodyn.locomotion.series import ENERGY, coordinates
from locodyn.phases.admissibility import Violation, is_limited, joined_violations, observed, violations
from locodyn.phases.hybrid_problem import Change, HybridProblem
from locodyn.phases.passage import Began, Brought, Passage, travel

_MOST, _INSTANT = 50, 1e-9  # transitions within so many seconds: more do not end; records so near to one are at it
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


def run_phases(
    hybrid: HybridProblem, q: np.ndarray, v: np.ndarray, memory: np.ndarray, t0: float, t_end: float, interval: float,
    tolerance: float, watch: Watch, history: np.ndarray | None = None,
) -> Solution:  # fmt: skip
    """Integrate from (q, v) at ``t0`` to ``t_end``, record at multiples of ``interval`` (s); handed over between two phases.

    ``memory`` (nz,): states of laws with memory. ``history``: of a run that goes on: number of its phase, losses and work so far,
    and when and in which state the phase began.
    """
    run = HybridRun(hybrid, _times(t0, t_end, interval), interval, (q, v, memory), tolerance, history)
    try:
        while run.t < t_end and run.status == "completed":
            run.advance(t_end, watch.on_progress)
            goes_on = run.t < t_end and run.status == "completed"
            if goes_on and watch.hand_over is not None and run.parts and watch.takes(run.count):
                watch.hand_over(run.solution())
                run.forget()
    except KeyboardInterrupt:
        run.status = f"interrupted at t = {run.t:g} s"
    return run.solution()


def _times(t0: float, t_end: float, interval: float) -> np.ndarray:
    """When to record: at multiples of the interval from the beginning of the run, and at both ends."""
    first, last = int(np.floor(t0 / interval * (1 + 1e-12))) + 1, int(np.floor(t_end / interval * (1 + 1e-12)))
    times = np.concatenate([[t0], interval * np.arange(first, last + 1)])
    if abs(times[-1] - t_end) <= 1e-9 * interval and len(times) > 1:
        times[-1] = t_end
    return times if times[-1] == t_end else np.append(times, t_end)


class HybridRun:
    """A run so far."""

    def __init__(
        self, hybrid: HybridProblem, times: np.ndarray, interval: float, state: tuple[np.ndarray, np.ndarray, np.ndarray],
        tolerance: float, history: np.ndarray | None,
    ) -> None:  # fmt: skip
        known = np.array([hybrid.phases.names.index(hybrid.phases.start), 0.0, 0.0]) if history is None else history
        ends = 4 + hybrid.model.nq, 4 + hybrid.model.nq + hybrid.model.nv
        self.began: Began | None = (float(known[3]), known[4 : ends[0]], known[ends[0] : ends[1]]) if len(known) > 3 else None
        self.contacts = None if history is None else known[ends[1] :]  # what contacts on rods remember
        for problem in hybrid.problems.values():
            recall(problem, known[ends[1] :])
        self.hybrid, self.times, self.interval, self.tolerance = hybrid, times, interval, tolerance
        self.phase = hybrid.phases.names[int(known[0])]
        self.lost, self.work = float(known[1]), float(known[2])
        self.t, (self.q, self.v, self.memory) = float(times[0]), (np.array(one) for one in state)
        self.status, self.evaluations, self.row = "completed", 0, 0
        self.parts: list[dict[str, np.ndarray]] = []
        self.last_began: Began = self.t, self.q, self.v  # of the phase of the last record
        self.last_contacts = np.zeros(0)  # what contacts on rods remember there
        self.changes: list[Change] = []  # those that have not been handed over
        self.has_changed = False
        self.violations: list[Violation] = []

    def advance(self, t_end: float, on_progress: Progress | None) -> None:
        """One phase, and the transition that ends it."""
        brought = Brought(self.memory, self.began, self.contacts)
        way = travel(self.hybrid, self.phase, self.t, self.q, self.v, t_end, self.tolerance, on_progress, brought)
        if self.began is None:
            self.work += self._work_of_locks(way)
            self.began = way.begin, way.q, way.v
        self.evaluations += way.evaluations
        self.t = way.end
        self.note(way)
        self.q, self.v = way.state(way.end)
        self.memory, self.contacts = np.array(way.problem.workspace.memory.value), way.contacts
        self.lost += sum(loss for _, loss in way.losses)
        if way.failure:
            self.status = f"failed: {way.failure}"
        elif way.transition is not None:
            change = self.hybrid.change(way.transition, self.t, self.q, self.v, self.contacts)
            self.changes.append(change)
            self.has_changed = True
            self.lost += change.impact.loss
            for what, foot, amount in change.remarks:
                self.violations.append(Violation(what, foot, self.phase, self.t, amount))
            self.phase, self.q, self.v, self.began = way.transition.target, change.q, change.v, None
            if change.refusal:
                self.status = f"failed: at t = {self.t:g} s {change.refusal.removesuffix('.')}"
            elif len(self.changes) > _MOST and self.t - self.changes[-_MOST].time < _INSTANT:
                self.status = f"failed: phases change without end at t = {self.t:g} s"

    @property
    def count(self) -> int:
        """Number of records that are here."""
        return sum(len(part["times"]) for part in self.parts)

    def forget(self) -> None:
        """Only the last record and what follows it stay: the others have been handed over."""
        self.parts = [{name: values[-1:] for name, values in self.parts[-1].items()}]
        last, self.evaluations = self.parts[0]["times"][0], 0
        self.changes = [one for one in self.changes if one.time > last]
        self.violations = [one for one in self.violations if one.time > last]

    def note(self, way: Passage) -> None:
        """Records of a passage: what its problem computes at them, and the work done up to each.

        A record at the time of a transition, to what that is known, shows the state before it.
        """
        last = int(np.searchsorted(self.times, way.end + _INSTANT, side="right"))
        recorded = self.times[self.row : last]
        times = np.minimum(recorded, way.end)
        work = self._work(way, times)
        series = self._seen(way, times)
        if len(times):
            series |= {
                "times": recorded,
                "work_supplied": work[:-1],
                "impact_loss": np.array([self.lost + sum(loss for time, loss in way.losses if time <= t) for t in times]),
                "phase": np.full(len(times), self.hybrid.phases.names.index(self.phase)),
            }
            self.parts.append(self._with_all_rows(way, series))
            assert self.began is not None
            self.last_began, self.last_contacts = self.began, way.contacts_at(times[-1])
        self.row, self.work = last, float(work[-1])

    def _seen(self, way: Passage, times: np.ndarray) -> dict[str, np.ndarray]:
        """What is recorded at the ``times`` of a passage; limits are looked at between them too."""
        if not is_limited(self.hybrid, way.phase):
            return observed(self.hybrid, way, times) if len(times) else {}
        marks = np.unique(np.concatenate([[way.begin, way.end], times, [piece.end for piece in way.pieces]]))
        marks = marks[(marks >= way.begin) & (marks <= way.end)]
        series = observed(self.hybrid, way, marks)
        self.violations += violations(self.hybrid, way, series, self.interval)
        if row_names(way.problem)["wheel"]:  # their angles add up from record to record
            return observed(self.hybrid, way, times) if len(times) else {}
        places = np.searchsorted(marks, times)
        return {name: values[places] for name, values in series.items()}

    def _work_of_locks(self, way: Passage) -> float:
        """What the locks of a phase give, J, where they put joints to other values than these have at the transition into it."""
        if not self.has_changed or not self.hybrid.phases[self.phase].locked:
            return 0.0
        q, v, memory = (np.array(pair) for pair in ((self.q, way.q), (self.v, way.v), (way.memory, way.memory)))
        energy = samples(self.hybrid.loose, np.full(2, way.begin), q, v, memory)[0].energy
        before, after = energy[:, ENERGY.kinetic] + energy[:, ENERGY.potential]
        return float(after - before)

    def _work(self, way: Passage, times: np.ndarray) -> np.ndarray:
        """Work supplied up to each of the ``times`` within a passage and to its end, J."""
        marks = np.unique(np.concatenate([[way.begin, way.end], times, [piece.end for piece in way.pieces]]))
        marks = marks[(marks >= way.begin) & (marks <= way.end)]
        half = 0.5 * np.diff(marks)
        if not len(half):
            return np.full(len(times) + 1, self.work)
        nodes = (0.5 * (marks[1:] + marks[:-1]))[:, None] + half[:, None] * _NODES
        q, v, memory = way.states(nodes.ravel())
        energy = samples(way.problem, nodes.ravel(), q, v, memory)[0].energy
        power = energy[:, ENERGY.actuators] - energy[:, ENERGY.lost] + energy[:, ENERGY.outside]
        done = self.work + np.concatenate([[0.0], np.cumsum(half * (power.reshape(nodes.shape) @ _WEIGHTS))])
        return done[np.searchsorted(marks, np.append(times, way.end))]

    def _with_all_rows(self, way: Passage, series: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The same with columns for the rows of all phases; those that do not hold have no force."""
        count = len(series["times"])
        if "multiplier" in series:
            own = row_names(way.problem)["constraint"]
            all_rows = np.zeros((count, len(self.rows)))
            all_rows[:, [self.rows.index(name) for name in own]] = series["multiplier"]
            series["multiplier"] = all_rows
        elif self.rows:
            series["multiplier"] = np.zeros((count, len(self.rows)))
        if self.rows:
            series.setdefault("constraint_rank", np.zeros(count))
            series.setdefault("constraint_condition", np.ones(count))
        return series

    @property
    def rows(self) -> list[str]:
        """Names of the rows with a force, of all phases."""
        return self.hybrid.row_names()["constraint"]

    def solution(self) -> Solution:
        """All records as one solution, with what only the run knows."""
        if not self.parts:
            raise InputError(f"the run ended before its first record: {self.status}.")
        names = set.intersection(*(set(part) for part in self.parts))
        series = {name: np.concatenate([part[name] for part in self.parts]) for name in names}
        times, q, v, memory = (series.pop(name) for name in ("times", "q", "v", "memory_states"))
        series |= {
            "friction_loss": np.zeros(len(times)),
            "solver_residual": np.zeros(len(times)),
            "body_orientation": continuous_quaternions(series["body_orientation"]),
            "orientation": continuous_quaternions(series["orientation"][:, None])[:, 0],
        }
        begin, *state = self.last_began
        sums = series["phase"][-1], series["impact_loss"][-1], series["work_supplied"][-1]
        history = np.concatenate([[*sums, begin], *state, self.last_contacts])
        return Solution(
            times, q, v, np.zeros(len(times), dtype=np.int64), status=self.status, evaluations=self.evaluations,
            message=self.status, history=history, series=series, memory=memory,
            attributes=self._attributes(np.inf if self.status.startswith("failed") else times[-1]),
        )  # fmt: skip

    def _attributes(self, until: float) -> dict[str, Any]:
        """Transitions and violations up to a time: what follows the last record comes again when the run goes on from there."""
        changes = [_words(self.hybrid, one) for one in self.changes if one.time <= until]
        found = [one.plain() for one in joined_violations([one for one in self.violations if one.time <= until])]
        return {"transitions": json.dumps(changes), "violations": json.dumps(found)}


def _words(hybrid: HybridProblem, change: Change) -> dict[str, Any]:
    """A transition as plain data: what it was, and the joints after it."""
    foot, base = getattr(change.transition, "foot", ""), hybrid.model.compiled.reference_nv
    joints = np.empty(hybrid.model.nv)
    coordinates(hybrid.model.frames, change.q, joints)
    place = hybrid.feet.place(hybrid.name_after(change.transition, foot), change.q).tolist() if foot else []
    return {
        "time": change.time, "from": change.transition.source, "to": change.transition.target, "kind": change.transition.kind,
        "foot": foot, "place": place, "loss": change.impact.loss,
        "impulse": {name: value for name, value in change.impact.impulse.items() if name.startswith(f"{foot}.")},
        "joint_position": joints[base:].tolist(), "joint_velocity": change.v[base:].tolist(),
    }  # fmt: skip
