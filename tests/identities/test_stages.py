"""Stages of a step are written once: compiled code that reads laws and Python that asks functions give the same bits."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem

pytestmark = pytest.mark.slow

LAW = ld.sine(0.3, omega=4.0)


def arm(**fields) -> Problem:
    robot = ld.Robot("arm")
    robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0, centre=(0.3, 0.0, 0.0), inertia=0.1 * np.eye(3)).on("ground").turning("y", name="joint")
    return ld.Scenario("arm", robot, **fields).problem


@pytest.mark.parametrize("method", ["rkmk4", "adams", "variational", "moreau"])
def test_a_law_and_a_function_give_the_same_bits(method: str) -> None:
    """f(t) as data, as a function of the user, and as data beside a controller that does nothing: the same operations."""
    driven = (
        {"torque": {"joint": LAW}},
        {"torque": {"joint": lambda t, q, v: float(LAW(t))}},
        {"torque": {"joint": LAW}, "controller": lambda t, q, v: np.zeros(1)},
    )
    runs = [solve(arm(**fields), [0.4], [0.0], t_end=0.3, step=0.01, method=method, record_every=3) for fields in driven]
    assert np.ptp(runs[0].q) > 0.05  # rad: it moves
    for run in runs[1:]:
        assert np.array_equal(run.q, runs[0].q) and np.array_equal(run.v, runs[0].v)
        assert np.array_equal(run.iterations, runs[0].iterations) and run.evaluations == runs[0].evaluations
