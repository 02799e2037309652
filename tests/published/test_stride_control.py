"""Feedback from step to step: a biped in space and a runner become stable; derivatives of the map with feedback."""

import functools

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

import locodyn as ld
from locodyn.controllers.stride_feedback import StrideFeedback
from locodyn.phases import PoincareMap
from locodyn.phases.variation import open_matrices
from locodyn.walking import ZeroDynamics, controllers
from locodyn.walking.stride_control import load_feedback, periodic_gains
from locodyn.zoo import biped, rabbit, rabbit_running

pytestmark = pytest.mark.slow


@functools.cache
def walker():
    """Poincare map of RABBIT on its gait C5, and the beginning of its step."""
    reduced = ZeroDynamics(rabbit.gait_c5(ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid))
    control = controllers(reduced.gait)
    step = PoincareMap(ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases(control)), tolerance=1e-11)
    return step, control, reduced.start()


def test_gains_of_one_phase_are_those_of_the_regulator():
    """K = (R + B^T P B)^-1 B^T P A with P of SciPy's algebraic Riccati equation."""
    rng, effort = np.random.default_rng(2), 0.3
    a, b, weight = 1.2 * rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), np.diag([1.0, 4.0, 0.5])
    p = solve_discrete_are(a, b, weight, effort * np.eye(2))
    wanted = np.linalg.solve(effort * np.eye(2) + b.T @ p @ b, b.T @ p @ a)
    np.testing.assert_allclose(periodic_gains([(a, b)], weight, effort)[0], wanted, atol=1e-8)


def test_gains_of_two_phases_cost_least():
    """The cost over 200 rounds, summed over three starts, has no slope at the gains (1e-6 of it) and grows to all sides."""
    rng, effort, weight = np.random.default_rng(3), 0.3, np.eye(3)
    parts = [(1.2 * rng.normal(size=(3, 3)), rng.normal(size=(3, 2))) for _ in range(2)]

    def cost(gains):
        total, x = 0.0, np.eye(3)
        for _ in range(200):
            for (a, b), gain in zip(parts, gains, strict=True):
                shift = -gain @ x
                total += float(np.sum(x * (weight @ x)) + effort * np.sum(shift * shift))
                x = a @ x + b @ shift
        return total

    gains = periodic_gains(parts, weight, effort)
    least = cost(gains)
    for i, gain in enumerate(gains):
        for place in np.ndindex(gain.shape):
            sides = []
            for h in (1e-3, -1e-3):
                other = [one.copy() for one in gains]
                other[i][place] += h
                sides.append(cost(other))
            assert min(sides) > least and abs(sides[0] - sides[1]) < 1e-3 * (sum(sides) - 2.0 * least) + 1e-6 * 1e-3 * least


def test_what_a_shift_does_is_the_derivative():
    """Central differences of the step with shifts of +- 1e-4 rad of one output: 1e-5 of the largest entry."""
    step, control, (q, v) = walker()
    stride = step(q, v)
    _, forced = open_matrices(step.hybrid, stride.passages[0], stride.changes[0])
    ends = []
    for size in (1e-4, -1e-4):
        gain = np.zeros((4, 14))
        gain[1, 0] = -size  # a shift of the swing femur at a height of 1 m above that of the feedback
        control[0].feedback = StrideFeedback(gain, q - np.eye(7)[0], v)
        change = step(q, v).changes[0]
        ends.append(np.concatenate([change.q, change.v]))
    control[0].feedback = None
    control[0].constraints.shift[:] = 0.0
    found = (ends[0] - ends[1]) / 2e-4
    assert np.abs(found - forced[:, 1]).max() < 1e-5 * np.abs(forced).max()


@pytest.mark.parametrize(("name", "bound"), [("biped_3d", 0.5), ("rabbit_run", 0.5)])
def test_feedback_makes_gaits_stable(name, bound):
    """Largest multipliers: 0.30 of the biped in space (4.6 without feedback), 0.36 of the runner (1.01)."""
    scenario = ld.zoo.biped_3d() if name == "biped_3d" else ld.zoo.rabbit_run()
    begin = load_feedback(biped.FEEDBACK if name == "biped_3d" else rabbit_running.FEEDBACK)["left"]
    step = PoincareMap(scenario, tolerance=1e-9)
    stride = step(begin.q, begin.v)
    clean = step.up_to_shifts(begin.q)
    off = clean @ np.concatenate([stride.q - begin.q, stride.v - begin.v])
    assert np.abs(off).max() < 1e-5  # it is the gait
    assert np.abs(np.linalg.eigvals(clean @ step.matrix(stride))).max() < bound


@pytest.mark.parametrize("name", ["biped_3d", "rabbit_run"])
def test_a_perturbed_start_comes_back(name):
    """1 % too fast: after six steps the state is off by less than a tenth of that after the first (0.4^5 = 0.01 in theory)."""
    scenario = ld.zoo.biped_3d() if name == "biped_3d" else ld.zoo.rabbit_run()
    begin = load_feedback(biped.FEEDBACK if name == "biped_3d" else rabbit_running.FEEDBACK)["left"]
    step = PoincareMap(scenario, tolerance=1e-8)
    q, v, off = begin.q, 1.01 * begin.v, []
    for _ in range(6):
        stride = step(q, v)
        q, v = stride.q, stride.v
        off.append(np.abs(step.up_to_shifts(begin.q) @ np.concatenate([q - begin.q, v - begin.v])).max())
    assert off[-1] < 0.1 * off[0]


def test_a_gain_of_the_wrong_size_is_refused():
    with pytest.raises(ld.InputError, match="a column for each of the 7 positions and velocities"):
        StrideFeedback(np.zeros((4, 7)), np.zeros(7), np.zeros(7))
