"""Satellite with three rotors (Ali 2011, section 4.1): its equations, and an independent integration of its three cases."""

import functools

import numpy as np
import pytest

import locodyn as ld
from peers import Recursion

pytestmark = pytest.mark.slow

I_W, LOCKED = 0.05, np.diag([20.0, 25.0, 30.0]) + (0.05 + 2 * 0.03 + 2 * 2.0 * 0.3**2) * np.eye(3)


@functools.cache
def run(case):
    scenario = ld.zoo.satellite(case=case)
    return scenario, scenario.run(progress=False)


def equation_4_4(result):
    """I_lock Omdot + I_r rddot + Om x (I_lock Om + I_r rdot) at every record, N m."""
    omega, rate = result.twist.values[:, 3:], result.acceleration.values[:, 3:]
    spin, spin_up = result.joint_velocity.values, result.joint_acceleration.values
    return rate @ LOCKED + I_W * spin_up + np.cross(omega, omega @ LOCKED + I_W * spin)


@pytest.mark.parametrize("case", ["A", "B"])
def test_equations_4_4_and_4_6_hold_at_every_record(case):
    _, result = run(case)
    # The terms are of size 30 N m and the tolerance asked for is 1e-12; round-off of the recursion is a few 1e-15 of them.
    assert np.abs(equation_4_4(result)).max() < 1e-12
    torque = I_W * (result.acceleration.values[:, 3:] + result.joint_acceleration.values)
    assert np.abs(result.joint_torque.values - torque).max() < 1e-12


def test_an_unbalanced_platform_needs_the_whole_group():
    """Case C: the formula on SO(3) about O_o leaves a moment of about 1.7e-3 N m."""
    assert np.abs(equation_4_4(run("C")[1])).max() == pytest.approx(1.7e-3, abs=0.05e-3)


@pytest.mark.parametrize("case", ["A", "B", "C"])
def test_momentum_energy_and_end_values(case):
    scenario, result = run(case)
    outcomes = [check.outcome(result) for check in scenario.checks]
    assert len(outcomes) >= 3
    for outcome in outcomes:
        assert outcome.passed, outcome


@pytest.mark.parametrize("case", ["A", "B", "C"])
def test_half_the_step_gives_the_same_end(case):
    scenario, result = run(case)
    finer = scenario.changed(dt=0.005, record_every=2).run(progress=False)
    # rkmk4 at 0.01 s is converged to 1e-11 here (measured: 5e-12 rad between the two steps).
    assert np.abs(finer.orientation.values[-1] - result.orientation.values[-1]).max() < 1e-10
    assert np.abs(finer.position.values[-1] - result.position.values[-1]).max() < 1e-10


def free_fall(recursion, scenario, step, count):
    """Mass centre of case C after ``count`` steps, the reference acceleration taken from a recursion in plain NumPy."""
    problem, model = scenario.problem, scenario.model
    q, v = problem.imposed_state(0.0, *scenario.initial_state())
    start = model.centre_of_mass(q)
    for n in range(count):
        stages = []
        for fraction in (0.0, 0.5, 0.5, 1.0):
            u, rate = (np.zeros(model.nv), np.zeros(model.nv)) if not stages else stages[-1]
            qs, vs = model.move(q, fraction * step * u), v + fraction * step * rate
            qs, vs = problem.imposed_state((n + fraction) * step, qs, vs)
            a = np.zeros(model.nv)
            a[6:] = problem.inputs.motion[2, 6:]
            locked, wrench = recursion.composite(qs, vs, a)
            a[:6] = np.linalg.solve(locked, wrench)
            stages.append((vs, a))
        weights = np.array([1, 2, 2, 1]) / 6
        q = model.move(q, step * sum(w * s[0] for w, s in zip(weights, stages, strict=True)))
        v = v + step * sum(w * s[1] for w, s in zip(weights, stages, strict=True))
        q, v = problem.imposed_state((n + 1) * step, q, v)
    return np.abs(model.centre_of_mass(q) - start).max()


def test_the_printed_acceleration_would_let_the_mass_centre_run_away():
    """(3.10) mixed with (3.13) must fail where the corrected recursion passes: the mass centre of case C stays."""
    scenario = ld.zoo.satellite(case="C")
    right = free_fall(Recursion(scenario.model), scenario, 0.02, 25)
    printed = free_fall(Recursion(scenario.model, printed="zeta"), scenario, 0.02, 25)
    # The plain update of the orientation is of order 2, and the drift of the right recursion is the error of that step.
    assert right < 1e-7
    assert printed > 100 * right
