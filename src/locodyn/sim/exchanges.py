"""Both sides of the instants at which contacts along rods change: come, go, or go around.

Positions and velocities are one there, forces and accelerations are two: those under the contacts that held so far, and those
under the contacts that hold from then on. A record at such an instant has the second. The reaction of an inchworm jumps where it
changes its grip (Ali 2011, 6.2.3). Here the dynamics are asked just before and just after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Solution
from locodyn.locomotion.rod_contacts import contact_places, looking
from locodyn.sim.dataset import labelled
from locodyn.world.rod_places import INSTANT

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.result import Result

SIDES = ("before", "after")
_OF_THE_RUN = ("solver_iterations",)  # not of a state
_APART = 2.0 * INSTANT  # s, from the instant: contacts are there from INSTANT before they begin
_JUMP = 0.01  # of the length of a rod: an abscissa that moves so far in two such times has gone around
_STRUCK = 1e-12  # of the largest kinetic energy: an impact that loses less is none


def at_exchanges(result: Result) -> xarray.Dataset:
    """The variables of the records at which contacts along rods change, (side, time, ...), on both sides of the change.

    Instants that no record falls on are not there. Nor are those at which a contact comes as an impact: the velocities before it
    are not recorded. The attribute ``impacts`` has their times (s).
    """
    import xarray

    q, v = result.states()
    scenario = result.scenario
    assert scenario is not None
    problem = scenario.problem
    if scenario.phases is not None or problem.contact.table.names or not problem.model.compiled.rod_contacts:
        raise InputError(
            f"'{scenario.name}' has no exchange of contacts along rods to look at; it takes anchors, sleeves or pegs on a rod,"
            " and neither phases nor hard contacts beside them."
        )
    model, times = problem.model, result.time.values
    sides = [
        (times + apart, np.array([model.move(x, apart * y) for x, y in zip(q, v, strict=True)])) for apart in (-_APART, _APART)
    ]
    before, after = (contact_places(problem, at, states, v)[0] for at, states in sides)
    lengths = np.array([one.rod.length for one in model.compiled.rod_contacts])
    came = (np.isnan(before) != np.isnan(after)).any(axis=1)
    around = (np.abs(np.nan_to_num(after - before)) > _JUMP * lengths).any(axis=1)
    changes = np.flatnonzero((came | around) & (times > times[0]) & (times < times[-1]))
    struck = _struck(result)
    kept = [n for n in changes if not struck[n]]
    memory = result.memory.values[kept] if "memory" in result.dataset else np.zeros((len(kept), 0))
    found = []
    for at, states in sides:
        settled = np.empty((len(kept), model.nq)), np.empty((len(kept), model.nv))
        with looking(problem):
            for row, n in enumerate(kept):
                settled[0][row], settled[1][row] = problem.imposed_state(float(at[n]), states[n], v[n])
        none = np.zeros(len(kept), dtype=int)
        side = labelled(scenario, Solution(at[kept], *settled, none, memory=memory))[0]
        found.append(side.assign_coords(time=times[kept]).drop_vars(_OF_THE_RUN, errors="ignore"))
    whole = xarray.concat(found, xarray.IndexVariable("side", list(SIDES)), combine_attrs="override").reset_coords("twist")
    whole.attrs = {"scenario": scenario.name, "impacts": [float(times[n]) for n in changes if struck[n]]}
    return whole


def _struck(result: Result) -> np.ndarray:
    """Which records (n,) come with an impact, or after one since the record before."""
    if "impact_loss" not in result.dataset:
        return np.zeros(result.dataset.sizes["time"], dtype=bool)
    loss = result.impact_loss.values
    return np.diff(loss, prepend=loss[:1]) > _STRUCK * float(result.kinetic_energy.values.max())
