"""Mechanisms with springs between their bodies: Andrews' squeezing mechanism and the flyball governor, at compiled speed."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo.robots import andrews
from models import governor_reduced

pytestmark = pytest.mark.slow


def test_andrews() -> None:
    """All seven angles after 0.03 s, in which the crank turns 2.5 times, against ten digits of the test set."""
    scenario = ld.zoo.andrews()
    assert scenario.problem.is_compiled  # no function of Python in a step
    result = scenario.run(progress=False)
    found = [float(result.joint_position.sel(joint=name)[-1]) for name in andrews.NAMES]
    # Steps of 2 and 1 us give the same 1.43e-9 (measured): what is left is the reference, which its authors trust to 10 digits.
    np.testing.assert_allclose(found, andrews.SOLUTION, rtol=0.0, atol=3e-9)


def test_governor() -> None:
    """1 s of the stiff governor by Radau's method against the reduced equations; bounds: its tolerance over 1 s of motion."""
    scenario = ld.zoo.governor().changed(t_end=1.0, checks=())
    assert scenario.problem.is_compiled
    result = scenario.run(progress=False)
    y = governor_reduced.motion(np.array([0.0, 1.0]))[-1]
    at = {name: float(result.joint_position.sel(joint=name)[-1]) for name in ("slider", "right", "left", "shaft")}
    assert at["slider"] == pytest.approx(y[0] - 0.5, abs=1e-7)
    assert at["right"] == pytest.approx(y[1], abs=1e-7)
    assert at["left"] == pytest.approx(y[1], abs=1e-7)
    assert at["shaft"] == pytest.approx(y[4], abs=1e-6)
