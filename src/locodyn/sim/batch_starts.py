"""What each robot of a batch brings along: where it begins, and the numbers in which it differs from the first one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel.kept import flat_view
from locodyn.kernel.swap import words_of
from locodyn.sim.batch_data import columns_among
from locodyn.sim.differences import Difference, check_same_method, differences
from locodyn.sim.seen_numbers import numbers_of
from locodyn.sim.stepping import Simulation

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.scenario import Scenario

Views = list[np.ndarray]


class BatchStarts:
    """Starts of ``count`` robots, by one scenario of all or one for each: ``q`` (B, nq), ``v`` (B, nv), ``own`` (B, w) words.

    The words of a robot are what its steps write, the numbers in which robots differ (``paths`` of arrays), and its actions.
    ``first``: a simulation of the first robot, before any step.
    """

    def __init__(self, scenarios: Sequence[Scenario], count: int, actions: Sequence[str] | None, first: Simulation) -> None:
        self.scenarios, self._actions, self._first = list(scenarios), actions, first
        self._pattern: Simulation | None = None
        changed = differences(self.scenarios, actions, first) if len(self.scenarios) > 1 else [{}]
        self.paths = list(dict.fromkeys(path for one in changed for path in one))
        rows = [self._row(self.simulation(r), r, difference) for r, difference in enumerate(changed)]
        written = self.views(first)[0]
        self.written = len(words_of(written))
        self.known = columns_among(first.stepper.known().views, written)
        self.q, self.v, self.own = (np.repeat(np.array(x), count // len(rows), axis=0) for x in zip(*rows, strict=True))

    def simulation(self, r: int) -> Simulation:
        """A simulation of robot r that no thread uses."""
        if len(self.scenarios) > 1:
            return Simulation(self.scenarios[r], self._actions)
        if self._pattern is None:
            self._pattern = Simulation(self.scenarios[0], self._actions)
        return self._pattern

    def acting(self, r: int, action: np.ndarray) -> Scenario:
        """The scenario of robot r with these actions (n,); the next one that is asked for may change them."""
        one = self.simulation(r)
        one.problem.arrays.laws.data[one.action_places] = action
        return one.scenario

    def judged(self, data: xarray.Dataset, own: np.ndarray) -> xarray.Dataset:
        """A data set with what the words ``own`` (B, w) tell of the contacts of its robots, and a warning where they are not met.

        ``contact_unconverged_steps``: as the attribute of a single run.
        """
        if not self._first.scenario.numerics.method.books_work:
            return data
        report = self._first.problem.contact.arrays.report
        counts = own[:, columns_among([flat_view(report, "unconverged")], self.views(self._first)[0])[0]]
        if counts.any():
            warnings.warn(
                f"{int((counts > 0).sum())} of {len(counts)} robots have steps whose contacts do not meet their tolerance, up to"
                f" {int(counts.max())} of a robot; see 'contact_unconverged_steps'.",
                stacklevel=4,
            )
        about = {"long_name": "steps whose contacts do not meet their tolerance"}
        return data.assign(contact_unconverged_steps=(("robot",), counts.copy(), about))

    def views(self, one: Simulation) -> tuple[Views, Views]:
        """Where a simulation has what belongs to a robot: what its steps write, and what they only read."""
        problem, memory = one.problem, one.problem.workspace.memory
        rows = problem.constraints.kept().views if problem.constraints.rows else ()
        written = [memory.state, memory.value, *rows, *one.stepper.kept().views]
        known, data = numbers_of(problem), problem.arrays.laws.data
        return written, [*(known[path] for path in self.paths), *(data[n : n + 1] for n in one.action_places)]

    def replace(self, chosen: np.ndarray, scenarios: Sequence[Scenario]) -> None:
        """Other scenarios for the robots with these numbers, which differ in the same arrays as those before."""
        changed = differences(scenarios, self._actions, self._first, chosen)
        rows = []
        for r, scenario, difference in zip(chosen, scenarios, changed, strict=True):
            new = sorted(set(difference) - set(self.paths))
            if new:
                raise InputError(
                    f"the new robot number {r} differs in '{new[0]}', in which the robots of this batch are alike; make the batch"
                    " of robots that differ there."
                )
            rows.append(self._row(Simulation(scenario, self._actions), int(r), difference))
        if len(self.scenarios) == 1:
            self.scenarios *= len(self.q)
        self._pattern = None  # it was of a scenario that may be gone
        for r, scenario, row in zip(chosen, scenarios, rows, strict=True):
            self.scenarios[r] = scenario
            self.q[r], self.v[r], self.own[r] = row

    def _row(self, one: Simulation, number: int, difference: Difference) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State and words of a robot at its start."""
        check_same_method(one, self._first, number)
        written, read = self.views(one)
        other = [np.ascontiguousarray(difference.get(path, view)) for path, view in zip(self.paths, read, strict=False)]
        return one.q.copy(), one.v.copy(), words_of([*written, *other, *read[len(other) :]])
