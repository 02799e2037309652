"""Balances of the zoo close with the order of the method: bounds of their checks are those of the step, not of an output."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo import measures

pytestmark = pytest.mark.slow


def defects(scenario, measure, t_end):
    """A measure at the step of the scenario and at half of it, records at the same times."""
    dt, every = scenario.numerics.dt, scenario.recording.record_every
    runs = [scenario.changed(t_end=t_end, dt=dt / n, record_every=every * n, checks=()).run(progress=False) for n in (1, 2)]
    return [measure(run) for run in runs]


def test_momentum_of_the_eel():
    """Without drag and wake the momentum of eel and water is constant: of rkmk4 it drifts by a sixteenth at half the step."""
    first, second = defects(ld.zoo.eel(C_n=0.0, C_t=0.0, wake=False), measures.linear_momentum_drift, 2.0)
    assert np.log2(first / second) == pytest.approx(4.0, abs=0.3)


def test_energy_of_the_amphibious_snake():
    """Friction, impacts and water: the account of moreau is of first order at least."""
    first, second = defects(ld.zoo.amphibious_snake(), measures.energy_defect, 0.5)
    assert second < 0.6 * first
