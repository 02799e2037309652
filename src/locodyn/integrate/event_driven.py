"""Hard contact by events, as a reference of high order for a few smooth contacts: flight or rest, impact, restart.

Between events the motion is smooth and DOP853 integrates it; contacts at rest press with the forces of

    M a = f + J^T F,     0 <= F  perp  J a + (dJ/dt) v >= 0.

A gap that closes is located to round-off on the dense output; then all touching contacts collide by Newton's law,

    M (v+ - v-) = J^T P,     0 <= P  perp  u+ + e u- >= 0,

and the integration starts anew. Impacts that accumulate (Zeno) end where the next flight would be shorter than ``_LAST_FLIGHT``:
the contact is then at rest. Friction is not treated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import DOP853, cumulative_simpson
from scipy.optimize import brentq

from locodyn.errors import InputError
from locodyn.integrate.adaptive import Accelerations, Local
from locodyn.integrate.base import Progress, Solution
from locodyn.integrate.moreau_records import reference_twists
from locodyn.locomotion.contact_arrays import CLOSED, HardContact, new_contact_arrays
from locodyn.locomotion.contact_dense import contact_rows
from locodyn.locomotion.contact_detection import place
from locodyn.locomotion.outward import no_outward
from locodyn.locomotion.problem import Problem
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import ACROSS, BACKWARD, FORWARD, FRAME, KIND, OTHER, RESTITUTION, pair_gap
from locodyn.world.gaps import SUPPORT

_LAST_FLIGHT = 1e-7  # s: lower than 1e-14 m
_TOUCHING = 1e-12  # m
_DIFFERENCE = 1e-5
_SWEEPS = 2000


class Contacts:
    """Gaps, rows and the two complementarity problems at a configuration."""

    def __init__(self, problem: Problem) -> None:
        table = problem.contact.table
        self.problem, self.count = problem, len(table)
        self.restitution = table.data[:, RESTITUTION]
        self.arrays = new_contact_arrays(table, problem.arrays, HardContact("gauss_seidel"), no_outward())

    def moved(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """q (+) u."""
        result = np.empty_like(q)
        moved_configuration(self.problem.model.frames, q, np.ascontiguousarray(u), result)
        return result

    def gaps(self, q: np.ndarray) -> np.ndarray:
        """Gap of every pair (n,), m."""
        return self.problem.contact.gaps(q)

    def rows(self, q: np.ndarray, closed: np.ndarray) -> np.ndarray:
        """J (closed, nv): normal velocities for unit rates of the coordinates."""
        p, c = self.problem.arrays, self.arrays
        w = self.problem.workspace
        poses = w.poses
        frame_poses(p.frames, p.constants, q, 1, poses)
        for i, n in enumerate(closed):
            gap, point, normal = pair_gap(c.pairs, c.data, c.heights, poses, n)
            frame, other = (int(k) for k in c.pairs[n, [FRAME, OTHER]])
            if frame < 0:
                frame, other, normal = other, -1, tuple(-x for x in normal)
            place(c, poses, i, n, frame, other, point, normal, gap, 0.0)
        c.counts[CLOSED] = len(closed)
        contact_rows(p, c, q, w)
        return np.array(c.jacobian[0 : 6 * len(closed) : 6])

    def bends(self, q: np.ndarray, v: np.ndarray, closed: np.ndarray) -> np.ndarray:
        """(dJ/dt) v (closed,), m/s^2, by central differences along v."""
        size = _DIFFERENCE / max(1.0, float(np.abs(v).max()))
        ahead, back = (self.rows(self.moved(q, s * size * v), closed) for s in (1.0, -1.0))
        return (ahead - back) @ v / (2.0 * size)

    def press(self, t: float, q: np.ndarray, v: np.ndarray, closed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (nv,) with the forces (closed,) of contacts at rest."""
        a = self.problem.accelerations(t, q, v)
        if not len(closed):
            return a, np.zeros(0)
        rows = self.rows(q, closed)
        response = np.linalg.solve(self.problem.model.mass_matrix(q), rows.T)
        force = complementary(rows @ response, rows @ a + self.bends(q, v, closed))
        return a + response @ force, force

    def pressed(self, closed: np.ndarray) -> Accelerations:
        """The accelerations (t, q, v) -> (nv,) while the ``closed`` contacts stay closed."""
        return lambda t, q, v: self.press(t, q, v, closed)[0]

    def collide(self, q: np.ndarray, v: np.ndarray, touching: np.ndarray) -> np.ndarray:
        """Velocities after the impacts of all touching contacts."""
        rows = self.rows(q, touching)
        response = np.linalg.solve(self.problem.model.mass_matrix(q), rows.T)
        before = rows @ v
        impulse = complementary(rows @ response, before + self.restitution[touching] * np.minimum(0.0, before))
        return v + response @ impulse


def complementary(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """x with 0 <= x perp A x + b >= 0, by Gauss-Seidel."""
    x = np.zeros(len(vector))
    for _ in range(_SWEEPS):
        before = x.copy()
        for i in range(len(x)):
            x[i] = max(0.0, x[i] - (matrix[i] @ x + vector[i]) / matrix[i, i])
        if np.abs(x - before).max() <= 1e-15 * max(1e-300, float(np.abs(x).max())):
            break
    return x


def check(problem: Problem) -> None:
    """Refuse what is not treated: friction, supports, imposed joints, wheels and loops."""
    data, kinds = problem.contact.table.data, problem.contact.table.pairs[:, KIND]
    if np.any(data[:, [FORWARD, BACKWARD, ACROSS]] > 0.0) or np.any(kinds == SUPPORT):
        raise InputError("the integrator 'event_driven' takes contacts without friction; use 'moreau', or friction=0.")
    if problem.constraints.rows or np.any(problem.arrays.imposed) or problem.model.compiled.has_rods:
        raise InputError(
            "the integrator 'event_driven' takes robots without imposed joints, wheels, loops and rods; use 'moreau'."
        )
    if problem.contact.options.restitution != "newton":
        raise InputError("the integrator 'event_driven' knows Newton's law of restitution only; use 'moreau' for Poisson's.")


def run_events(
    problem: Problem, q: np.ndarray, v: np.ndarray, t0: float, t_end: float, interval: float, tolerance: float,
    on_progress: Progress | None,
) -> Solution:  # fmt: skip
    """Integrate to ``t_end``, record at t0 + multiples of ``interval`` s."""
    contacts = Contacts(problem)
    times = np.append(np.arange(t0, t_end - 1e-9 * interval, interval), t_end)
    states: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]] = []
    impacts: list[float] = []
    t, lost, evaluations, status = t0, 0.0, 0, "completed"
    everywhere = np.arange(contacts.count)

    def note(time: float, q: np.ndarray, v: np.ndarray, closed: np.ndarray) -> None:
        a, pressed = contacts.press(time, q, v, closed)
        force = np.zeros(contacts.count)
        force[closed] = pressed
        states.append((q, v, a, force, lost))

    closed = settle(contacts, t, q, v, everywhere[contacts.gaps(q) < _TOUCHING])
    note(t, q, v, closed)
    try:
        while t < t_end - 1e-14 * max(1.0, t_end):
            local = Local(problem, q, contacts.pressed(closed))
            solver = DOP853(local, t, np.concatenate([np.zeros(local.nv), v]), t_end, rtol=max(tolerance, 3e-14), atol=tolerance)
            event = None
            while event is None and solver.status == "running":
                solver.step()
                if solver.status == "failed" or not np.isfinite(solver.y).all():
                    return finished(problem, contacts, times, states, impacts, f"failed: no step small enough at t = {t:g} s", 0)
                dense = solver.dense_output()
                event = first_event(contacts, local, dense, solver.t_old, solver.t, closed)
                until = solver.t if event is None else event
                while len(states) < len(times) and times[len(states)] <= until:
                    time = times[len(states)]
                    note(time, *local.state(dense(time)), closed)
                if on_progress is not None:
                    on_progress(float(until))
            evaluations += solver.nfev
            t = solver.t if event is None else event
            q, v = local.state(solver.y if event is None else dense(t))
            if event is None:
                break
            touching = np.union1d(closed, everywhere[contacts.gaps(q) < _TOUCHING])
            energy = 0.5 * v @ problem.model.mass_matrix(q) @ v
            if np.any(contacts.rows(q, touching) @ v < 0.0):
                v = contacts.collide(q, v, touching)
                impacts.append(t)
            closed = settle(contacts, t, q, v, touching)
            lost += energy - 0.5 * v @ problem.model.mass_matrix(q) @ v
    except KeyboardInterrupt:
        status = f"interrupted at t = {t:g} s"
    return finished(problem, contacts, times, states, impacts, status, evaluations)


def settle(contacts: Contacts, t: float, q: np.ndarray, v: np.ndarray, touching: np.ndarray) -> np.ndarray:
    """Contacts that stay closed from here on; what is left of their velocity away is taken out of ``v``, in place."""
    if not len(touching):
        return touching
    rows = contacts.rows(q, touching)
    fall = -(rows @ contacts.problem.accelerations(t, q, v) + contacts.bends(q, v, touching))
    slow = (fall > 0.0) & (2.0 * np.abs(rows @ v) < _LAST_FLIGHT * np.maximum(fall, 1e-300))
    kept = rows[slow]
    if len(kept):
        response = np.linalg.solve(contacts.problem.model.mass_matrix(q), kept.T)
        v -= response @ np.linalg.lstsq(kept @ response, kept @ v, rcond=None)[0]
    return touching[slow]


def first_event(contacts: Contacts, local: Any, dense: Any, begin: float, end: float, closed: np.ndarray) -> float | None:
    """First time in a step at which an open gap closes, or at which a contact at rest would have to pull."""
    open_ = np.setdiff1d(np.arange(contacts.count), closed)
    samples = np.linspace(begin, end, 9)
    found: list[float] = []

    def gap(time: float, i: int) -> float:
        return float(contacts.gaps(local.state(dense(time))[0])[i])

    def push(time: float, i: int) -> float:
        q, v = local.state(dense(time))
        return float(contacts.press(time, q, v, closed)[1][i]) - 1e-14

    for function, numbers in ((gap, open_), (push, range(len(closed)))):
        for i in numbers:
            values = [function(time, i) for time in samples]
            for k in range(8):
                if values[k] > 0.0 >= values[k + 1]:
                    found.append(brentq(function, samples[k], samples[k + 1], args=(i,), xtol=1e-15, rtol=1e-15))
                    break
    return min(found) if found else None


def finished(
    problem: Problem,
    contacts: Contacts,
    times: np.ndarray,
    states: list[Any],
    impacts: list[float],
    status: str,
    evaluations: int,
) -> Solution:
    """The solution with forces, gaps, points and losses by the names of the contract."""
    times = times[: len(states)]
    q, v, a, force, lost = (np.array(column) for column in zip(*states, strict=True))
    base = problem.model.compiled.reference_nv
    series = problem.series(times, q, v)
    power = series["power_actuators"] - series["power_dissipated"] + series.get("power_external", 0.0)
    work = cumulative_simpson(power, x=times, initial=0.0) if len(times) > 2 else np.zeros(len(times))
    nearest = [problem.contact.nearest(one) for one in q]
    normals = np.array([problem.contact.normals(one) for one in q])
    recorded = {
        "contact_gap": np.array([gap for gap, _ in nearest]), "contact_point": np.array([point for _, point in nearest]),
        "contact_force": force[:, :, None] * normals, "impact_loss": lost, "friction_loss": np.zeros(len(times)),
        "work_supplied": work, "solver_residual": np.zeros(len(times)), "joint_acceleration": a[:, base:],
        "acceleration": a[:, :base] @ reference_twists(problem),
    }  # fmt: skip
    attributes = {"impacts": len(impacts), "last_impact": impacts[-1] if impacts else -1.0}
    return Solution(
        times, q, v, np.zeros(len(times), dtype=np.int64), status=status, evaluations=evaluations, message=status,
        events=[np.array(impacts)], recorded=recorded, attributes=attributes,
    )  # fmt: skip
