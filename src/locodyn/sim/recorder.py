"""What a recorder is: variables of a run with their meaning, and how they are computed. The list is in ``recorders.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.sim.contract import Variable

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Records:
    """The sound records of a run, from which recorders compute their variables.

    ``times`` (n,) s, ``q`` (n, nq), ``v`` (n, nv), ``iterations`` (n,) of the integrator since the record before; ``series``:
    arrays (n, ...) that the dynamics and the integrator computed, by the names of variables.
    """

    scenario: Scenario
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    iterations: np.ndarray
    series: Arrays


@dataclass(frozen=True)
class Recorder:
    """Variables that are recorded together.

    Parameters
    ----------
    variables : {name: Variable}
    compute : function(Records) -> {name: (n, ...) array}, optional
        A variable may be missing. Without a function: what the dynamics and the integrator gave.
    records : function(Scenario) -> bool, optional
        Whether a run has these variables at all; by default every run that has values for them.
    label : function(Scenario, name) -> {attribute: words}, optional
        What the robot adds to units and meaning.
    """

    variables: Mapping[str, Variable]
    compute: Callable[[Records], Arrays] | None = None
    records: Callable[[Scenario], bool] | None = None
    label: Callable[[Scenario, str], dict[str, str]] | None = None

    def values(self, run: Records) -> Arrays:
        """The variables of a run, (n, ...) each; none where it has none."""
        if self.records is not None and not self.records(run.scenario):
            return {}
        found = run.series if self.compute is None else self.compute(run)
        return {name: found[name] for name in self.variables if name in found}

    def attributes(self, scenario: Scenario, name: str) -> dict[str, str]:
        """``units``, ``long_name`` and what else there is to say of a variable."""
        about = self.variables[name]
        return {"units": about.units, "long_name": about.long_name} | (self.label(scenario, name) if self.label else {})
