"""Runs of scenarios that differ in numbers only, in one compiled call (:mod:`locodyn.integrate.whole_runs`).

A study makes thousands of them: one method and step, one kind of robot, other amplitudes, masses, lengths, starts. The first
scenario says how a run goes; each of the others brings its numbers to the same arrays (:mod:`locodyn.sim.shared_numbers`). What a
run gives is what :func:`~locodyn.sim.bare_run.bare_run` gives, bit by bit; where that function, or a run in full, would have
anything to say, there is None.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.dynamics import totals
from locodyn.errors import InputError
from locodyn.integrate.linear_modes import difference_speed
from locodyn.integrate.methods import RKMK4
from locodyn.integrate.rkmk4 import new_scratch
from locodyn.integrate.runaway import FASTER
from locodyn.integrate.whole_runs import PLAIN, Runs, beyond_doubt, new_run_scratch, whole_runs
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.compatibility import BLOW_UP
from locodyn.locomotion.record import MISSING, continuous_quaternions
from locodyn.locomotion.series import ENERGY, Samples, new_samples
from locodyn.sim.bare_run import QUIET, BareRun, records_between
from locodyn.sim.energy_account import Account, account, unwatched
from locodyn.sim.ledger import UNSEEN_WORK, columns
from locodyn.sim.lending import is_plain
from locodyn.sim.rank import NEAR
from locodyn.sim.shared_numbers import Brought, SharedNumbers, can_share, same_start
from locodyn.sim.start_kept import largest_change, named
from locodyn.sim.stretches import FIRST

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim.scenario import Scenario

_MOST, _BYTES = 64, 32e6  # runs in one call, and what their records may take
_LONGEST = 20_000  # steps: longer runs gain nothing, and would keep Ctrl-C waiting
_FEW, _SECONDS = 4, 0.4  # runs in the first call, and how long one may keep Ctrl-C waiting

# What a run has of a variable in its samples; n: velocities of the reference body, b: its number among the bodies.
_TAKEN: dict[str, Callable[[Any, int, int], np.ndarray]] = {
    "position": lambda out, n, b: out.body_position[:, b],
    "orientation": lambda out, n, b: out.body_orientation[:, b],
    "twist": lambda out, n, b: out.reference_motion[:, :6],
    "mass_centre": lambda out, n, b: out.whole[:, 0:3],
    "mass_centre_velocity": lambda out, n, b: out.whole[:, 3:6],
    "joint_velocity": lambda out, n, b: out.v[:, n:],
    "joint_torque": lambda out, n, b: out.torque[:, n:],
    "power_actuators": lambda out, n, b: out.energy[:, ENERGY.actuators],
}
_OF_WHEELS = ("wheel_torque", "wheel_rate")


class SharedRuns:
    """How runs like that of ``scenario`` go, which has been started: positions ``q`` (nq,), velocities ``v`` (nv,), its method.

    Make one with :func:`shared_runs`.
    """

    def __init__(self, scenario: Scenario, own: Scenario, variables: Sequence[str], ends: bool) -> None:
        self.scenario, self.variables, self.ends = scenario, tuple(variables), ends
        problem, numerics = scenario.problem, scenario.numerics
        self.problem: Problem = problem
        self.step, self.steps = numerics.step, round(scenario.recording.t_end / numerics.step)
        self.every = records_between(scenario, ends)
        self.records = self.steps // self.every + 1
        model, compiled = problem.model, problem.model.compiled
        start, free = scenario.start, np.array([name not in scenario.drive.imposed for name in compiled.coordinate_names])
        rates = named(compiled, start.velocities, velocity=True) & free
        self._named = named(compiled, start.positions, velocity=False), rates
        self._numbers = SharedNumbers(own, problem)
        self._swap = self._numbers.swap()
        self._speed = difference_speed(model.dof_constants)
        self._scratch = new_scratch(model.nq, model.nv, 0), new_run_scratch(model.nq, model.nv), np.zeros(totals.TOTALS.size)
        self._order, self._damps = numerics.method.order, numerics.method.dissipates
        self._watched = not unwatched(scenario)
        self._reference = compiled.reference_nv, compiled.body_names.index(compiled.reference_body)
        row = new_samples(1, model.nq, model.nv, len(compiled.body_names), len(problem.constraints.rows), self._wrenches(), 0)
        bytes_of_run = self.records * sum(getattr(row, one.name).nbytes for one in fields(row))
        self.most = int(max(1, min(_MOST, _BYTES / bytes_of_run)))
        self._room: tuple[Runs, Samples] | None = None
        self.fitting = min(_FEW, self.most)  # runs that one call should make

    def _wrenches(self) -> int:
        return len(self.problem.wrench_table.wrenches)

    def numbers(self, scenario: Scenario) -> Brought | None:
        """What a scenario brings along; None where it differs from the first in more than that."""
        return self._numbers.of(scenario)

    def run(self, scenarios: Sequence[Scenario], brought: Sequence[Brought]) -> list[BareRun | None]:
        """The runs of scenarios with these :meth:`numbers`, ``most`` at most; None for those that must be made in full."""
        count, began = len(scenarios), time.perf_counter()
        runs, out = self._rooms()
        for values in (getattr(out, one.name) for one in fields(out)):  # a bundle is a dataclass
            values[: count * self.records] = 0.0
        for r, one in enumerate(brought):
            runs.words[r], runs.q[r], runs.v[r] = one.words, one.q, one.v
        problem, bodies, (steps, states, total) = self.problem, self._numbers.bodies, self._scratch
        whole_runs(
            count, self._swap, runs, problem.arrays, problem.inputs, bodies, self.step, self.steps, self.every, self._speed,
            problem.workspace, steps, states, total, out,
        )  # fmt: skip
        self.fitting = max(1, min(self.most, int(_SECONDS * count / (time.perf_counter() - began))))
        sound = self._sound(runs, out, count)
        return [self._bare(scenario, runs, out, r) if sound[r] else None for r, scenario in enumerate(scenarios)]

    def _rooms(self) -> tuple[Runs, Samples]:
        """Tables for ``most`` runs, made when they are needed."""
        if self._room is None:
            problem, model, count, records = self.problem, self.problem.model, self.most, self.records
            runs = Runs(
                words=np.zeros((count, int(self._swap.count.sum())), dtype=np.int64), q=np.zeros((count, model.nq)),
                v=np.zeros((count, model.nv)),
                begun_q=np.zeros((count, model.nq)), begun_v=np.zeros((count, model.nv)), times=np.zeros(count * records),
                conditions=np.zeros(count * records), residual=np.zeros(count * records),
                doubt=np.zeros(count, dtype=np.int64), free=np.flatnonzero(problem.drive != IMPOSED).astype(np.int64),
                fastest=beyond_doubt(self.step), records=records,
            )  # fmt: skip
            bodies, rows = len(model.compiled.body_names), len(problem.constraints.rows)
            self._room = runs, new_samples(count * records, model.nq, model.nv, bodies, rows, self._wrenches(), 0)
        return self._room

    def _sound(self, runs: Runs, out: Samples, count: int) -> np.ndarray:
        """Which runs (count,) a run in full would complete without a word."""
        records, problem = self.records, self.problem
        sound: np.ndarray = runs.doubt[:count] == PLAIN
        for one in fields(out):  # a bundle is a dataclass
            values = getattr(out, one.name)[: count * records]
            sound &= np.isfinite(values.reshape(count, -1).sum(axis=1))
        speeds = np.abs(out.v[: count * records]).max(axis=1, initial=0.0).reshape(count, records)
        sound &= speeds.max(axis=1) < FASTER * np.maximum(1.0, speeds[:, 0])
        rows = problem.constraints.arrays
        if self._watched:
            sound &= self._account(runs, out, count).closes(self._damps)
        if rows is None:
            return sound
        for asked, begun, which in zip((runs.q, runs.v), (runs.begun_q, runs.begun_v), self._named, strict=True):
            if which.any():
                sound &= [largest_change(asked[r], begun[r], which) is None for r in range(count)]
        free = np.abs(out.v[: count * records, rows.free]).max(axis=1, initial=0.0).reshape(count, records)
        usual = np.median(free, axis=1, keepdims=True)
        sound &= ~((usual > 0.0) & (free > BLOW_UP * usual)).any(axis=1)
        rank, condition, missed, scale = out.rank[: count * records].T.reshape(4, count, records)
        kinetic = out.energy[: count * records, ENERGY.kinetic].reshape(count, records)
        sound &= (missed <= MISSING * np.maximum(scale, kinetic)).all(axis=1)
        sound &= (rank == rank.max(axis=1, keepdims=True)).all(axis=1)
        sound &= (condition >= NEAR * np.median(condition, axis=1, keepdims=True)).all(axis=1)
        return sound

    def _account(self, runs: Runs, out: Samples, count: int) -> Account:
        """Of all runs, without the energy below which a robot is at rest: none closes here that does not close with it."""
        shape, n = (count, self.records), self._reference[0]
        energy, torque, place, speed = (
            values[: count * self.records] for values in (out.energy, out.torque[:, n:], out.coordinate[:, n:], out.v[:, n:])
        )
        series = dict(zip(("kinetic_energy", "potential_energy", "power_actuators", "power_dissipated"), energy.T, strict=False))
        if self.problem.wrench_table.gives_power:
            series["power_external"] = energy[:, ENERGY.outside]
        joints = {"joint_torque": torque, "joint_position": place, "joint_velocity": speed}
        series |= columns(runs.times[: count * self.records], joints, False)
        table = {name: values.reshape(shape) for name, values in series.items()}
        table[UNSEEN_WORK][:, 0] = 0.0  # between the end of a run and the start of the next
        with np.errstate(all="ignore"):  # of runs that are not finite
            return account(runs.times[: self.records], table, self._order, 0.0)

    def _bare(self, scenario: Scenario, runs: Runs, out: Samples, r: int) -> BareRun:
        """The variables of run number r, copied."""
        part = slice(r * self.records, (r + 1) * self.records)
        arrays = {}
        for name in self.variables:
            if name not in _OF_WHEELS:
                arrays[name] = np.array(_TAKEN[name](_Part(out, part), *self._reference))
        if "orientation" in arrays:
            arrays["orientation"] = continuous_quaternions(arrays["orientation"])
        return BareRun(scenario, runs.times[part].copy(), arrays, self._watched)


class _Part:
    """Some rows of samples."""

    def __init__(self, samples: Samples, part: slice) -> None:
        self._samples, self._part = samples, part

    def __getattr__(self, name: str) -> Any:
        return getattr(self._samples, name)[self._part]


def shared_runs(scenario: Scenario, variables: Sequence[str], ends: bool) -> SharedRuns | None:
    """How runs like this one go together, or None where each must go alone. The scenario must not be run by anybody else."""
    from locodyn.sim.run import started, with_numerics

    problem = scenario.problem
    if not QUIET.issuperset(variables) or not is_plain(scenario) or scenario.drive.servo or not can_share(problem):
        return None
    if any(name in variables for name in _OF_WHEELS) and problem.constraints.rows and scenario.row_names()["wheel"]:
        return None
    if not same_start(scenario, scenario):
        return None
    try:
        q, v = started(scenario)
    except InputError:
        return None
    fitting, _ = with_numerics(scenario, q, v)
    numerics, recording = fitting.numerics, fitting.recording
    if not isinstance(numerics.method, RKMK4) or recording.sensors:
        return None
    steps = round(recording.t_end / numerics.step)
    if steps > _LONGEST or steps / recording.record_every >= FIRST:
        return None
    return SharedRuns(fitting, scenario, variables, ends)
