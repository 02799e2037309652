"""Roller racer (Krishnaprasad and Tsakiris 2001) by its reduced equation, integrated by another code."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo import measures
from roller_racer_peer import RACER, reduced

pytestmark = pytest.mark.slow


def test_pose_and_speed_from_the_reduced_equation():
    scenario = ld.zoo.roller_racer()
    law = scenario.drive.imposed["joint_1"]
    result = scenario.run(progress=False)
    times = result.time.values
    course = reduced(law, RACER, dense=True)
    end = course(10.0)
    assert np.abs(measures.final_pose(result) - end[:3]).max() < 1e-7  # rkmk4 at 0.01 s
    assert np.abs(end[:3] - (-1.547624, 0.003578, -0.209307)).max() < 6e-7  # six printed digits in the zoo
    later = times >= 2.0
    assert np.abs(result.twist.values[later, 0] - course(times[later])[3]).max() < 1e-7
