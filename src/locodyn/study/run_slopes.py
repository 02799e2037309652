"""Slopes of the metrics of a run by its parameters, from one run: its states change as the variational equation says.

The changes of all states are those of :mod:`locodyn.linearisation.run_variation`. A metric is then taken of the records of
states a little to either side, each with the robot that has those parameters: its own slopes, and those of torques and of the
mass centre, are differences at given states, in which no error of a run is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.integrate.base import Solution
from locodyn.linearisation.run_variation import Beside, check_smooth, state_changes
from locodyn.sim import Scenario
from locodyn.sim.bare_run import QUIET, BareRun, arrays_of, records_between
from locodyn.sim.recorder import Records
from locodyn.sim.run import started, with_numerics
from locodyn.sim.soundness import computed
from locodyn.study.metrics import Metric, variables
from locodyn.study.one_run import Job

_APART = 1e-5  # of the cube, to either side


class RunSlopes:
    """Slopes of the metrics of a job at points (n,) of the unit cube, whose parameters ``row`` tells."""

    def __init__(self, job: Job, row: Callable[[np.ndarray], Mapping[str, Any]]) -> None:
        self.job, self._row, self.metrics = job, row, job.resolved()
        self._wanted = variables(self.metrics)
        for metric in self.metrics:
            if metric.of_run is not None and (metric.needs is None or not QUIET.issuperset(metric.needs)):
                raise InputError(
                    f"the metric '{metric.name}' has no slopes by the equations of a run; take the method 'slsqp', whose slopes"
                    " are differences of runs."
                )

    def __call__(self, point: np.ndarray) -> np.ndarray:
        """Slopes (metrics, n)."""
        ends = [(np.minimum(point + one, 1.0), np.maximum(point - one, 0.0)) for one in _APART * np.eye(len(point))]
        pairs = [tuple(self._scenario(side) for side in pair) for pair in ends]
        spans = np.array([[float((side - point)[k]) for side in pair] for k, pair in enumerate(ends)])  # above, below
        of_runs = [k for k, metric in enumerate(self.metrics) if metric.of_run is not None]
        found = np.zeros((len(self.metrics), len(point)))
        for k, metric in enumerate(self.metrics):
            if metric.of_scenario is not None:
                values = [[metric.of_scenario(one) for one in pair] for pair in pairs]
                found[k] = [(up - down) / (a - b) for (up, down), (a, b) in zip(values, spans, strict=True)]
        if of_runs:
            found[of_runs] = self._of_runs(self._scenario(point), pairs, spans, [self.metrics[k] for k in of_runs])
        return found

    def _scenario(self, point: np.ndarray) -> Scenario:
        return self.job.subject.scenario(self._row(point))

    def _of_runs(
        self, scenario: Scenario, pairs: Sequence[tuple[Scenario, ...]], spans: np.ndarray, metrics: Sequence[Metric]
    ) -> np.ndarray:
        """Slopes (m, n) of metrics of a run; ``spans`` (n, 2): how far the parameters of the ``pairs`` are off."""
        if scenario.phases is not None:
            raise InputError(f"slopes of runs of '{scenario.name}' cannot come from its equations: it has phases; take 'slsqp'.")
        check_smooth(scenario.problem)
        scenario, _ = with_numerics(scenario, *started(scenario))
        method, step, end = scenario.numerics.method, scenario.numerics.step, scenario.recording.t_end
        if not method.fixed_step or not method.inertia or method.implicit:
            raise InputError(f"slopes by the equations of a run need an explicit method of fixed steps, not '{method.name}'.")
        around = [tuple(one.computed_with(method.name, step) for one in pair) for pair in pairs]
        solution = solve(scenario.problem, *started(scenario), 0.0, end, step=step, method=method, record_every=1)
        beside = [
            Beside(above.problem, below.problem, float(a - b), _begin(above), _begin(below))
            for (above, below), (a, b) in zip(around, spans, strict=True)
        ]
        u, w = state_changes(scenario.problem, solution.times, solution.q, solution.v, beside)
        records = slice(None, None, records_between(scenario, all(metric.ends for metric in metrics)))
        found = np.zeros((len(metrics), len(pairs)))
        for p, pair in enumerate(around):
            values = np.zeros((2, len(metrics)))
            for k, (one, span) in enumerate(zip(pair, spans[p], strict=True)):
                run = self._run(one, solution, records, span * u[records, :, p], span * w[records, :, p])
                values[k] = [metric.of_run(run, self.job.cycle) for metric in metrics if metric.of_run is not None]
            found[:, p] = (values[0] - values[1]) / float(spans[p, 0] - spans[p, 1])
        return found

    def _run(self, scenario: Scenario, solution: Solution, records: slice, u: np.ndarray, w: np.ndarray) -> BareRun:
        """What a run of ``scenario`` records whose states are those of a solution, moved by ``u`` and ``w`` (N, nv)."""
        times, model = solution.times[records], scenario.model
        q = np.array([model.move(place, change) for place, change in zip(solution.q[records], u, strict=True)])
        v = solution.v[records] + w
        memory = np.zeros((len(times), 0))
        series = computed(scenario, solution, times, q, v, memory)
        told = Records(scenario, times, q, v, np.zeros(len(times), dtype=np.int64), series)
        return BareRun(scenario, times, arrays_of(told, self._wanted))


def _begin(scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """Where a run begins."""
    return scenario.problem.start_state(0.0, *started(scenario))
