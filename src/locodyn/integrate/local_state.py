"""The state of an adaptive method: local coordinates about a configuration, and contacts on rods that change between steps.

Local coordinates u stay small, because they are taken about the configuration that the last step reached:
q = q_n (+) u, udot = T(u)^-1 v, vdot = a. The states z of laws with memory are further components.

Contacts on rods stay as they are within a step. Steps end where contacts come, go or wrap around by their laws of time, and where
a peg runs off the body, found on the dense output; the method starts anew there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.locomotion.constrained import hold_rows, next_change
from locodyn.locomotion.problem import Problem
from locodyn.shape.configuration import moved_configuration, step_rate
from locodyn.world.rod_places import INSTANT, PEG


class Local:
    """The equation of motion about an anchor configuration, of the local state y = (u, v, z)."""

    def __init__(self, problem: Problem, anchor: np.ndarray) -> None:
        self.problem, self.anchor = problem, anchor.copy()
        self.nv, self.memory = problem.model.nv, problem.workspace.memory

    def state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and velocities; the states of laws are put where the problem looks for them."""
        q = np.empty(self.problem.model.nq)
        moved_configuration(self.problem.model.frames, self.anchor, np.ascontiguousarray(y[: self.nv]), q)
        self.memory.value[:] = y[2 * self.nv :]
        return q, np.array(y[self.nv : 2 * self.nv])

    def whole_state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Configuration, velocities, and the states of laws."""
        return *self.state(y), np.array(y[2 * self.nv :])

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of the local state."""
        u = np.ascontiguousarray(y[: self.nv])
        q, v = self.state(y)
        rate = np.empty(self.nv)
        a = self.problem.accelerations(t, q, v)
        step_rate(self.problem.model.frames, u, v, rate)
        return np.concatenate([rate, a, self.memory.rate])


def start_anew(problem: Problem, local: Local, solver: DOP853) -> None:
    """Local coordinates about the present state: the rate of u at u = 0 is v, and the acceleration is what it was."""
    nv = local.nv
    local.anchor, speed = local.state(solver.y)
    if problem.constraints.rows:
        local.anchor, speed = problem.imposed_state(solver.t, local.anchor, speed)
        solver.y = np.concatenate([np.zeros(nv), speed, solver.y[2 * nv :]])
        solver.f = local(solver.t, solver.y)
    else:
        solver.y = np.concatenate([np.zeros(nv), speed, solver.y[2 * nv :]])
        solver.f = np.concatenate([speed, solver.f[nv:]])


class ContactChanges:
    """When contacts on rods come, go and wrap around by their laws of time. Within a step they stay as they are.

    ``end`` (s) of the run; wraps are looked for between the times ``looks`` (s).
    """

    def __init__(self, problem: Problem, end: float, looks: np.ndarray) -> None:
        self.problem, self.end, self.rows = problem, end, problem.arrays.rows
        self.wraps = wrap_times(problem, looks)
        hold_rows(self.rows, 1)

    def bound(self, t: float) -> float:
        """The next one after t (s), or the end of the run."""
        return float(next_change(self.rows, t, min([self.end, *(x for x in self.wraps if x > t + INSTANT)])))

    def cut(self, local: Local, dense: Callable[[float], np.ndarray], solver: DOP853) -> None:
        """The step ends where the first peg runs off the body, if one does."""
        contacts = None if self.rows is None else self.rows.rod_contacts
        if contacts is None:
            return
        pegs = np.flatnonzero((contacts.kind == PEG) & (contacts.there != 0)).tolist()
        first = solver.t

        def beyond(t: float, c: int) -> float:
            local.problem.accelerations(t, *local.state(dense(t)))
            return float(max(contacts.abscissa[c] - contacts.length[c], -contacts.abscissa[c]))

        for c in pegs:
            if beyond(solver.t, c) > INSTANT and beyond(solver.t_old, c) < 0.0:
                first = min(first, float(brentq(beyond, solver.t_old, solver.t, args=(c,), xtol=1e-14)))
        if first < solver.t:
            solver.y, solver.t, solver.status = dense(first), first, "running"

    def pass_by(self, local: Local, solver: DOP853) -> None:
        """Between two steps contacts change where they must, and the method starts anew from there."""
        hold_rows(self.rows, 0)
        start_anew(self.problem, local, solver)
        hold_rows(self.rows, 1)
        if solver.status == "finished" and solver.t < self.end:
            solver.t_bound, solver.status = self.bound(solver.t), "running"


def wrap_times(problem: Problem, times: np.ndarray) -> list[float]:
    """When abscissas of contacts on rods go around, s, by their laws; looked for between the ``times`` of records."""
    contacts = None if problem.arrays.rows is None else problem.arrays.rows.rod_contacts
    if contacts is None:
        return []
    found: set[float] = set()
    for c in np.flatnonzero(contacts.wrap_length > 0.0):
        law = problem.constraints.laws[int(contacts.law[c])][1]
        first, length = float(contacts.wrap_first[c]), float(contacts.wrap_length[c])
        place = (np.asarray(law(times), dtype=float) - first) / length
        for n in np.flatnonzero(np.diff(np.floor(place))):
            edge = first + length * max(np.floor(place[n]), np.floor(place[n + 1]))
            ends = float(law(times[n])) - edge, float(law(times[n + 1])) - edge
            if ends[0] * ends[1] < 0.0:
                found.add(float(brentq(lambda t, law=law, edge=edge: float(law(t)) - edge, times[n], times[n + 1], xtol=1e-13)))
            else:
                found.add(float(times[n] if ends[0] == 0.0 else times[n + 1]))
    return sorted(found)
