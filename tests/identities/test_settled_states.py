"""The check of recorded states in one compiled call, against one state at a time in Python."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.compatibility import contradiction, first_contradiction
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.settled_states import settle_states
from locodyn.motion import cosine, function

RATES = {3: 1.0, 4: 1.3, 5: 1.5}


def axles():
    """Four axles with imposed hinges: three of them fix the base."""
    robot = ld.Robot("axles")
    body = robot.base("b0", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1)).wheel("w0")
    for i in range(1, 4):
        body = robot.body(f"b{i}", mass=1.0, inertia=ld.about_centre(zz=0.1)).on(body, at=(0.4, 0, 0)).turning("z")
        body.wheel(f"w{i}", at=(0.2, 0, 0))
    return robot.model()


def one_by_one(problem, times, q, v):
    """Number and sentence of the first contradiction, and the conditions, state by state."""
    found, conditions = None, []
    for n, t in enumerate(times):
        state = problem.imposed_state(float(t), q[n], v[n])
        conditions.append(problem.constraints.arrays.condition)
        sentence = contradiction(problem, float(t), *state) if found is None else None
        found = (n, sentence) if sentence is not None else found
    return found, np.array(conditions)


@pytest.mark.parametrize("python", [False, True])
def test_states_that_contradict_the_rows(python):
    """Motions that begin to fight at t = 0.5 s: the same state and the same sentence, whether laws are data or functions."""

    def law(omega):
        late = cosine(0.3, omega=omega).soft_start(1.0, 0.5)
        return function(late, late.rate, late.acceleration) if python else late

    problem = Problem(axles(), imposed={i: law(omega) for i, omega in RATES.items()})
    times = np.linspace(0.0, 1.0, 41)
    q, v = np.zeros((41, 6)), np.zeros((41, 6))
    wanted, _ = one_by_one(problem, times, q, v)
    assert 20 < wanted[0] < 40 and "do not go together at t = 0.5" in wanted[1]
    assert first_contradiction(problem, times, q, v) == wanted


@pytest.mark.parametrize("name", ["bicycle", "four_bar", "wheeled_snake", "car"])
def test_states_of_a_run(name):
    """Nothing is wrong: all states are settled, with the same conditions bit for bit."""
    scenario = getattr(ld.zoo, name)().changed(t_end=0.3, dt=0.01)
    problem = scenario.problem
    q, v = problem.start_state(0.0, *scenario.initial_state())
    solution = solve(problem, q, v, t_end=0.3, step=0.01)
    times, q, v = solution.times, solution.q, solution.v
    wanted, conditions = one_by_one(problem, times, q, v)
    assert wanted is None and first_contradiction(problem, times, q, v) is None
    found, scratch = np.full(len(times), np.nan), (np.zeros(v.shape[1]), np.zeros(q.shape[1]), np.zeros(v.shape[1]))
    p = problem.arrays
    end = settle_states(p, p.rows, problem.inputs, 1, 1, times, q, v, 0, problem.workspace, *scratch, found)
    assert end == len(times)
    np.testing.assert_array_equal(found, conditions)
    state = problem.imposed_state(times[-1], q[-1], v[-1])
    for one, two in zip(scratch[1:], state, strict=True):
        np.testing.assert_array_equal(one, two)
