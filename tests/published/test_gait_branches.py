"""Gaits along a parameter: where passive walkers begin to limp."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases.gait_branch import DOUBLING, FOLD, NEIMARK_SACKER, crossed, gait_branch
from locodyn.phases.poincare import Orbit


def orbit(*multipliers):
    return Orbit(np.zeros(1), np.zeros(1), None, np.array(multipliers, dtype=complex), np.eye(2), 0.0, 0)


def test_kinds_of_bifurcations():
    """One through +1, one through -1, a pair through the circle; a pair that becomes real inside it is none."""
    assert crossed(orbit(0.9, 0.2), orbit(1.1, 0.2)) == [FOLD]
    assert crossed(orbit(-0.9, 0.2), orbit(-1.1, 0.2)) == [DOUBLING]
    assert crossed(orbit(0.7 + 0.6j, 0.7 - 0.6j), orbit(0.8 + 0.7j, 0.8 - 0.7j)) == [NEIMARK_SACKER]
    assert crossed(orbit(-0.5 + 0.1j, -0.5 - 0.1j), orbit(-0.6, -0.4)) == []


@pytest.mark.slow
def test_simplest_walker_doubles_its_period():
    """Garcia et al. 1998: gaits of one step are stable up to a slope of 0.0151 rad (three digits), then the period doubles."""
    branch = gait_branch(lambda slope: ld.zoo.simplest_walker(slope=slope), 0.013, 0.016, steps=2, name="slope", unit="rad")
    assert [one.kind for one in branch.bifurcations] == [DOUBLING]
    found = branch.bifurcations[0]
    assert abs(found.value - 0.0151) < 5e-5 and abs(found.multiplier + 1.0) < 1e-7
    assert branch.gaits[0].orbit.stable and not branch.gaits[-1].orbit.stable


@pytest.mark.slow
def test_compass_gait_doubles_its_period(tmp_path):
    """Goswami et al. 1998 see steps of two lengths on slopes above some 4 degrees: one multiplier passes -1 there, and only
    there; all others stay inside the circle."""
    branch = gait_branch(lambda slope: ld.zoo.compass_gait(slope=slope), 3.0, 4.6, steps=2, name="slope", unit="deg")
    assert [one.kind for one in branch.bifurcations] == [DOUBLING]
    found = branch.bifurcations[0]
    assert 4.0 < found.value < 4.6 and abs(found.multiplier + 1.0) < 1e-7
    assert branch.gaits[0].orbit.stable and not branch.gaits[-1].orbit.stable
    assert branch.plot(tmp_path / "multipliers.png").stat().st_size > 10_000


def test_a_branch_needs_a_range():
    with pytest.raises(ld.InputError, match="different numbers"):
        gait_branch(lambda slope: ld.zoo.compass_gait(slope=slope), 3.0, 3.0)
