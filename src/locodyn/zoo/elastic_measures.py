"""What the checks of elastic robots measure: the balance of powers with the energy of springs and rods."""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.joint_laws import joint_forces
from locodyn.errors import InputError
from locodyn.sim import Result
from locodyn.zoo.measures import power_supplied


def elastic_power_balance(result: Result) -> float:
    """Largest difference between power supplied and rate of energy at a record, relative to the largest power, to round-off.

    The rate of kinetic energy and that of gravity is v . (M a + h); elastic forces f, those of the joints at rest, store -v . f.
    The accelerations are computed anew for the recorded states, so that nothing is differentiated by numbers.
    """
    if result.scenario is None or result.q is None or result.v is None:
        raise InputError("the balance of powers needs the states of a run in memory; run the scenario again.")
    problem = result.scenario.problem
    model, still, rates = problem.model, np.zeros(problem.model.nv), []
    for t, q, v in zip(result.time.values, result.q, result.v, strict=True):
        place, speed, elastic = np.array(q), np.array(v), np.zeros(model.nv)
        a = problem.accelerations(float(t), place, speed)
        joint_forces(model.frames, model.dof_constants, place, still, elastic)
        rates.append(speed @ (model.inverse_dynamics(place, speed, a) - elastic))
    power = power_supplied(result)
    return float(np.max(np.abs(rates - power)) / np.max(np.abs(power)))
