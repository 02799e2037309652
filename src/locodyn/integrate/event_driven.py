"""Hard contact by events, as a reference of high order for a few contacts: flight, stick, slip, impact, restart.

Between events the motion is smooth (:mod:`locodyn.integrate.event_contacts`) and DOP853 integrates it; where slip begins in a
direction that may turn, the equation is stiff until the slip has grown, and Radau's method does. Events are located on the dense
output: a gap closes, a normal force ends, the force of a sticking contact reaches the edge of its friction set; slip that comes
to zero is approached by steps that halve the time left. Where a gap closes all touching contacts collide,

    M (v+ - v-) = J^T P,     0 <= P_N  perp  u_N+ + e u_N- >= 0,     P_T in the friction set of P_N, against u_T+

(Newton; Poisson: in two phases), solved as in the time stepping, and the integration starts anew. Impacts that accumulate (Zeno)
end where the next flight would be shorter than 1e-7 s: the contact is then closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import DOP853, Radau, cumulative_simpson, cumulative_trapezoid

from locodyn.integrate.base import Progress, Solution, Watch
from locodyn.integrate.event_contacts import Contacts, Modes, NoSolution
from locodyn.integrate.event_modes import APPROACH, Event, Phase, settle
from locodyn.integrate.moreau_records import reference_twists
from locodyn.locomotion.problem import Problem

_TOUCHING = 1e-12  # m
_MOST = 200  # events within _INSTANT s: more do not end
_INSTANT = 1e-9
_ONSET_ACCURACY = 1e-9  # of the short stiff parts, in which round-off turns the direction of slow slip
_FELT = 1e-9  # part of the kinetic energy: less is round-off


def run_events(
    problem: Problem, q: np.ndarray, v: np.ndarray, t0: float, t_end: float, interval: float, tolerance: float,
    watch: Watch, memory: np.ndarray,
) -> Solution:  # fmt: skip
    """Integrate to ``t_end``, record at t0 + multiples of ``interval`` s; records are handed over between two events."""
    run = Run(problem, np.append(np.arange(t0, t_end - 1e-9 * interval, interval), t_end), q, v, memory)
    last = t_end - 1e-14 * max(1.0, t_end)  # the end, to round-off
    try:
        run.settle(run.touching(), np.zeros(0, dtype=np.int64))
        run.note(t0, run.q, run.v)
        while run.t < last and run.status == "completed":
            run.stretch(t_end, tolerance, watch.on_progress)
            goes_on = run.t < last and run.status == "completed"  # what is there at the end is handed over by the return
            if goes_on and watch.hand_over is not None and watch.takes(run.count):
                watch.hand_over(finished(run))
                run.forget()
    except KeyboardInterrupt:
        run.status = f"interrupted at t = {run.t:g} s"
    except NoSolution as failure:
        run.status = f"failed: {failure} at t = {run.t:g} s"
        if not run.samples:
            run.note(t0, run.q, run.v)
    return finished(run)


class Run:
    """A run so far: state, modes, losses and the work that imposed motions give in impacts (J), records and events."""

    def __init__(self, problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, memory: np.ndarray) -> None:
        self.problem, self.contacts, self.times = problem, Contacts(problem), times
        self.t, self.q, self.v, self.modes = float(times[0]), q.copy(), v.copy(), Modes.none()
        self.memory = problem.workspace.memory
        self.memory.state[:] = self.memory.value[:] = memory
        self.lost, self.rubbed, self.supplied, self.evaluations, self.status = 0.0, 0.0, 0.0, 0, "completed"
        self.samples: list[tuple[Any, ...]] = []  # records, and the ends of stretches, at which powers jump
        self.recorded, self.stretches = 0, 0
        self.events: list[tuple[float, str]] = []
        self.base, self.evaluations_before = np.zeros(3), 0  # losses and work (J) at the first record here, evaluations before it

    @property
    def count(self) -> int:
        """Number of records that are here."""
        return sum(sample[1] for sample in self.samples)

    def forget(self) -> None:
        """Only the last record and what follows it stay: the others have been handed over."""
        last = max(n for n, sample in enumerate(self.samples) if sample[1])
        self.samples = self.samples[last:]
        self.base, self.evaluations_before = np.array(self.samples[0][-3:]), self.evaluations
        self.memory.value[:] = self.memory.state  # records have moved it

    def touching(self) -> np.ndarray:
        """Contacts that are closed, or whose gap is."""
        return np.union1d(self.modes.numbers, np.flatnonzero(self.contacts.gaps(self.q) < _TOUCHING))

    def note(self, time: float, q: np.ndarray, v: np.ndarray, rubbed: float | None = None, record: bool = True) -> None:
        """A sample, with the states of laws as they are; a record, or the end of a stretch."""
        found = self.contacts.forces(time, q, v, self.modes)
        force = np.zeros((self.contacts.count, 3))
        force[self.modes.numbers] = found.world
        wrenches = self.contacts.wrenches(q, self.modes.numbers, found.world) if self.contacts.is_held else np.zeros((0, 6))
        losses = self.lost, self.rubbed if rubbed is None else rubbed, self.supplied
        self.recorded += record
        kept = q, v, self.memory.value.copy(), found.acceleration, force, wrenches
        self.samples.append((self.stretches, record, time, *kept, *losses))

    def stretch(self, t_end: float, tolerance: float, on_progress: Progress | None) -> None:
        """From the present state to the next event, or to the end."""
        self.stretches += 1
        self.note(self.t, self.q.copy(), self.v.copy(), record=False)
        phase = Phase(self.contacts, self.q, self.modes)
        y = np.concatenate([np.zeros(phase.nv), self.v, self.memory.state, [self.rubbed]])
        stiff = phase.is_stiff(y)
        accuracy = max(tolerance, _ONSET_ACCURACY if stiff else 3e-14)
        words: dict[str, Any] = {"rtol": accuracy, "atol": accuracy if stiff else tolerance}
        solver: Any = (
            Radau(phase, self.t, y, t_end, jac=phase.slope, **words) if stiff else DOP853(phase, self.t, y, t_end, **words)
        )
        event = None
        while event is None and solver.status == "running":
            solver.f = phase(solver.t, solver.y)
            solver.max_step = max(phase.horizon(solver.y, solver.f), 1e-13)
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                self.status = f"failed: no step small enough at t = {self.t:g} s"
                return
            dense = solver.dense_output()
            event = phase.first_event(dense, solver.t_old, solver.t, solver.y, stiff)
            until = solver.t if event is None else event.time
            while self.recorded < len(self.times) and self.times[self.recorded] <= until:
                time = self.times[self.recorded]
                at = dense(time)
                self.note(time, *phase.state(at), rubbed=float(at[-1]))
            if on_progress is not None:
                on_progress(float(until))
            if event is None:
                solver.y, solver.sol = phase.anew(solver.t, solver.y), None
        self.evaluations += solver.nfev
        end = solver.y if event is None or event.time >= solver.t else dense(event.time)
        if event is not None and event.time > solver.t:
            end = end + (event.time - solver.t) * phase(solver.t, end)
        self.t = solver.t if event is None else event.time
        end = phase.anew(self.t, end)
        self.q, self.v, self.rubbed = phase.anchor.copy(), end[phase.nv : 2 * phase.nv].copy(), float(end[-1])
        self.memory.state[:] = self.memory.value[:] = end[2 * phase.nv : -1]
        if self.t > self.samples[-1][2]:
            self.note(self.t, self.q.copy(), self.v.copy(), record=False)
        if event is not None:
            self.change(phase, event)

    def change(self, phase: Phase, event: Event) -> None:
        """What an event makes of modes and velocities."""
        self.events.append((self.t, event.kind))
        if len(self.events) > _MOST and self.t - self.events[-_MOST][0] < _INSTANT:
            self.status = f"failed: contacts change without end at t = {self.t:g} s"
        elif event.kind == "leaves":
            self.modes = self.modes.without(event.place)
        elif event.kind == "slips":
            self.modes = phase.begin_slip(self.t, self.q, self.v, event.place)
        elif event.kind == "fast":
            self.modes = Modes(self.modes.numbers, self.modes.sticks, np.zeros_like(self.modes.onset))
        else:
            touching, stopped = self.touching(), self.modes.numbers[[event.place] if event.kind == "stops" else []]
            speeds = self.contacts.rows(self.q, touching).normal @ self.v
            if np.any(speeds[~self.contacts.supports[touching]] < -APPROACH):
                before = self.v
                self.v, lost, rubbed = self.contacts.collide(self.q, before, touching)
                self.lost, self.rubbed = self.lost + lost, self.rubbed + rubbed
                if self.contacts.is_driven:
                    kinetic = self.problem.model.kinetic_energy
                    self.supplied += kinetic(self.q, self.v) - kinetic(self.q, before) + lost + rubbed
                self.events[-1] = (self.t, "impact")
            self.settle(touching, stopped)

    def settle(self, touching: np.ndarray, stopped: np.ndarray) -> None:
        """Modes from here on; what velocities lose in it is an impact, also one without collision."""
        mass, before = self.problem.model.mass_matrix(self.q), self.v.copy()
        self.modes = settle(self.contacts, self.t, self.q, self.v, touching, stopped)
        # Of the velocity taken out alone where motions are imposed, whose work the difference of energies would hold.
        loss = 0.5 * float((before - self.v) @ mass @ (before - self.v if self.contacts.is_driven else before + self.v))
        self.lost += loss
        if loss > _FELT * 0.5 * float(before @ mass @ before):
            self.events.append((self.t, "impact"))


def finished(run: Run) -> Solution:
    """The solution with forces, gaps, points and losses by the names of the contract."""
    problem, held = run.problem, run.contacts.is_held
    stretch, record, times, q, v, memory, a, force, wrenches, lost, rubbed, supplied = (
        np.array(column) for column in zip(*run.samples, strict=True)
    )
    base = problem.model.compiled.reference_nv
    series = problem.series(times, q, v, memory, wrenches if held else None)
    if held and "power_external" in series:
        twists = np.array([problem.model.kinematics(*state)[1][:, :6] for state in zip(q, v, strict=True)])
        series["power_external"] -= np.einsum("nkj,nkj->n", wrenches, twists)
    power = series["power_actuators"] - series["power_dissipated"] + series.get("power_external", 0.0)
    lost, rubbed, supplied = np.array([lost, rubbed, supplied]) - run.base[:, None]
    work = summed(stretch, times, power) + supplied
    series = {name: values[record] for name, values in series.items()}
    times, q, v, memory, a, force, work = (part[record] for part in (times, q, v, memory, a, force, work))
    recorded = {
        "impact_loss": lost[record], "friction_loss": rubbed[record],
        "work_supplied": work, "solver_residual": np.zeros(len(times)), "joint_acceleration": a[:, base:],
        "acceleration": a[:, :base] @ reference_twists(problem),
    }  # fmt: skip
    if len(problem.contact.table):
        gaps, points = zip(*(problem.contact.nearest(one) for one in q), strict=True)
        recorded |= {"contact_gap": np.array(gaps), "contact_point": np.array(points), "contact_force": force}
    if held:  # forces of imposed joints, wheels and loops, with those of the contacts
        names = ("joint_torque", "power_actuators", "power_external", "multiplier", "wheel_torque")
        recorded |= {name: series[name] for name in names if name in series}
    found = {kind: [time for time, one in run.events if one == kind] for kind in ("impact", "stops", "slips", "leaves")}
    attributes: dict[str, Any] = {}
    for kind, one, last in (("impact", "impacts", "last_impact"), ("slips", "slip_begins", "last_slip_begin"),
                            ("stops", "slip_ends", "last_slip_end"), ("leaves", "lift_offs", "last_lift_off")):  # fmt: skip
        attributes[one], attributes[last] = len(found[kind]), found[kind][-1] if found[kind] else -1.0
    return Solution(
        times, q, v, np.zeros(len(times), dtype=np.int64), status=run.status, message=run.status,
        evaluations=run.evaluations - run.evaluations_before, events=[np.array(one) for one in found.values()],
        recorded=recorded, attributes=attributes, memory=memory,
    )  # fmt: skip


def summed(stretch: np.ndarray, times: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Integral (N,) J of a power (N,) W that jumps between stretches, by Simpson's rule in each."""
    work, total = np.zeros(len(times)), 0.0
    for number in np.unique(stretch):
        at = np.flatnonzero(stretch == number)
        rule = cumulative_simpson if len(at) > 2 else cumulative_trapezoid
        work[at] = total + rule(power[at], x=times[at], initial=0.0)
        total = float(work[at[-1]])
    return work
