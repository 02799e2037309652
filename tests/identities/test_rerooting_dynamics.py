"""The physics does not depend on which body carries the robot, nor on the order in which its bodies are said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn.dynamics.model import Model
from locodyn.robot import Robot
from peers import Case, random_case, relative
from random_robots import ALL

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)
ONE_AXIS = ("revolute", "prismatic", "helical", "cylindrical")


def check_rerooting(case: Case, target: str) -> None:
    """The same torques give the same accelerations of all bodies, the same energy and momentum."""
    rerooting = case.robot.rerooting(target)
    before, after = Model(rerooting.before), Model(rerooting.after)
    q, v = rerooting.convert(case.q, case.v)
    # v_new = B v_old at one configuration, so tau_old = B^T tau_new does the same work.
    carry = np.array([rerooting.convert(case.q, unit)[1] for unit in np.eye(before.nv)]).T
    n = before.compiled.reference_nv
    tau = np.concatenate([np.zeros(n), case.tau[n:]])
    new_tau = np.linalg.solve(carry.T, tau)
    assert np.max(np.abs(new_tau[:n])) < 1e-12 * (1.0 + np.max(np.abs(new_tau)))  # a free base stays free of forces
    new_tau[:n] = 0.0
    for number, name in enumerate(before.compiled.joint_names[1:], start=1):
        if before.compiled.joint_types[number] in ONE_AXIS:
            own = new_tau[after.compiled.joint_velocities[after.compiled.joint_index(name)]]
            np.testing.assert_allclose(own, tau[before.compiled.joint_velocities[number]], rtol=1e-12, atol=1e-13)
    a, new_a = before.forward_dynamics(case.q, case.v, tau), after.forward_dynamics(q, v, new_tau)
    names = before.compiled.body_names
    found = np.array([after.acceleration(name, q, v, new_a) for name in names])
    wanted = np.array([before.acceleration(name, case.q, case.v, a) for name in names])
    assert relative(found, wanted) < 1e-10  # promised; measured 2e-11
    assert np.max(np.abs(after.inverse_dynamics(q, v, new_a) - new_tau)) < 1e-10 * (1.0 + np.max(np.abs(new_tau)))
    assert relative(carry.T @ after.mass_matrix(q) @ carry, before.mass_matrix(case.q)) < 1e-12
    assert relative(after.totals(q, v), before.totals(case.q, case.v)) < 1e-12


@given(seeds)
@settings(max_examples=12)
def test_rerooting(seed: int) -> None:
    case = random_case(seed, 25, bases=("free",), armature=False)
    check_rerooting(case, str(case.rng.choice(case.robot.bodies)))


@pytest.mark.parametrize("kind", ALL)
def test_rerooting_through_each_joint(kind: str) -> None:
    """One joint between the two reference bodies, with a rotor where it may have one."""
    case = random_case(40 + ALL.index(kind), 4, (kind,), ("free",), armature=kind not in ("planar", "free"), least=2)
    check_rerooting(case, case.robot.bodies[-1])


def test_rerooting_in_the_plane() -> None:
    robot = Robot("planar chain")
    robot.base("a", moves="planar", mass=1.0, inertia=np.eye(3), at=(0.1, 0.2, 0.3), turned=("x", 0.4))
    robot.body("b", mass=2.0, inertia=np.eye(3), centre=(0.1, 0.2, 0.0)).on("a", at=(0.5, 0.1, 0.2)).turning("z")
    robot.body("c", mass=0.5, inertia=np.eye(3)).on("b", at=(0.0, 0.4, -0.1)).sliding((1, 2, 0))
    rng = np.random.default_rng(0)
    check_rerooting(Case(robot, robot.model(), rng, *(rng.standard_normal(5) for _ in range(4))), "c")


@given(seeds)
@settings(max_examples=20)
def test_reindexing(seed: int) -> None:
    """Bodies said in another order: the same numbers under the same names."""
    case = random_case(seed)
    description = case.robot.description
    order = case.rng.permutation(len(description.bodies))
    shuffled = Robot.from_description(replace(description, bodies=tuple(description.bodies[i] for i in order)))
    model, other = case.model, shuffled.model()
    positions = [model.compiled.position_index(name) for name in other.compiled.position_names]
    at = [model.compiled.coordinate_index(name) for name in other.compiled.coordinate_names]
    q, v, a, tau = case.q[positions], case.v[at], case.a[at], case.tau[at]
    # Sums over children come in another order, so round-off differs; forward dynamics by the condition of M (measured 2e-11).
    assert relative(other.inverse_dynamics(q, v, a), model.inverse_dynamics(case.q, case.v, case.a)[at]) < 1e-12
    assert relative(other.forward_dynamics(q, v, tau), model.forward_dynamics(case.q, case.v, case.tau)[at]) < 1e-10
    assert relative(other.mass_matrix(q), model.mass_matrix(case.q)[np.ix_(at, at)]) < 1e-12
    assert relative(other.totals(q, v), model.totals(case.q, case.v)) < 1e-12
    by_q = model.inverse_dynamics_derivatives(case.q, case.v, case.a)[0]
    assert relative(other.inverse_dynamics_derivatives(q, v, a)[0], by_q[np.ix_(at, at)]) < 1e-11


def test_reindexing_does_change_the_order() -> None:
    """The test above is about something: this robot gets another order of its frames."""
    case = random_case(6, 20, bases=("free",), least=20)
    bodies = case.robot.description.bodies
    other = Robot.from_description(replace(case.robot.description, bodies=bodies[::-1])).compile()
    assert other.body_names != case.model.compiled.body_names
    assert sorted(other.body_names) == sorted(case.model.compiled.body_names)
