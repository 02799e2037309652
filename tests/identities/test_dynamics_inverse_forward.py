"""Inverse, forward and hybrid dynamics and the mass matrix tell the same story, on random trees of all joints and all bases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from locodyn.robot.compilation.frame_motion import adjoint, frame_poses, spatial_inertia
from locodyn.robot.layout import DOF_ARMATURE
from locodyn.robot.pose import Pose
from peers import Case, random_case, relative
from random_robots import ALL, BASES

# The library promises 1e-10 relative. Measured over 1000 seeds: forward(inverse) 4e-11 (condition of M up to 1e7), all others
# below 1e-12.
PROMISED = 1e-10
seeds = st.integers(0, 2**32 - 1)


def random_wrenches(case: Case) -> dict[str, np.ndarray]:
    """Wrenches on three random bodies and markers."""
    compiled = case.model.compiled
    names = case.rng.choice(compiled.body_names + compiled.marker_names, 3)
    return {str(name): case.rng.standard_normal(6) for name in names}


@given(seeds)
@example(141)
@settings(max_examples=30)
def test_forward_after_inverse(seed: int) -> None:
    case = random_case(seed)
    model, wrenches = case.model, random_wrenches(case)
    tau = model.inverse_dynamics(case.q, case.v, case.a, wrenches)
    assert relative(model.forward_dynamics(case.q, case.v, tau, wrenches), case.a) < PROMISED
    a = model.forward_dynamics(case.q, case.v, case.tau, wrenches)
    assert relative(model.inverse_dynamics(case.q, case.v, a, wrenches), case.tau) < PROMISED


@pytest.mark.slow
def test_many_trees() -> None:
    """The promise on 500 trees: there and back, any partition, symmetric and positive definite."""
    for seed in range(500):
        case = random_case(seed)
        model = case.model
        tau = model.inverse_dynamics(case.q, case.v, case.a)
        assert relative(model.forward_dynamics(case.q, case.v, tau), case.a) < PROMISED
        imposed = case.rng.random(model.nv) < 0.5
        a, forces = model.hybrid_dynamics(case.q, case.v, np.where(imposed, case.a, 0), np.where(imposed, 0, tau), imposed)
        assert relative(a, case.a) < PROMISED and relative(forces, tau) < PROMISED
        matrix = model.mass_matrix(case.q)
        assert relative(matrix @ case.a + model.bias(case.q, case.v), tau) < 1e-12
        assert np.linalg.eigvalsh(matrix)[0] > 0.0


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", ALL)
def test_forward_after_inverse_of_each_joint(kind: str, base: str) -> None:
    """Every type of joint on every base, so that no combination is left to chance."""
    if kind == "fixed" and base == "fixed":
        return
    case = random_case(ALL.index(kind), 5, (kind,), (base,))
    tau = case.model.inverse_dynamics(case.q, case.v, case.a)
    assert relative(case.model.forward_dynamics(case.q, case.v, tau), case.a) < PROMISED


@given(seeds)
@settings(max_examples=30)
def test_hybrid_for_any_partition(seed: int) -> None:
    """Given half of (a, tau), the other half comes out: it is that of inverse dynamics."""
    case = random_case(seed)
    model, wrenches = case.model, random_wrenches(case)
    tau = model.inverse_dynamics(case.q, case.v, case.a, wrenches)
    imposed = case.rng.random(model.nv) < case.rng.random()
    rates, forces = np.where(imposed, case.a, 0.0), np.where(imposed, 0.0, tau)
    found_a, found_tau = model.hybrid_dynamics(case.q, case.v, rates, forces, imposed, wrenches)
    assert relative(found_a, case.a) < PROMISED
    assert relative(found_tau, tau) < PROMISED
    np.testing.assert_array_equal(found_a[imposed], case.a[imposed])
    np.testing.assert_array_equal(found_tau[~imposed], tau[~imposed])


@given(seeds)
@settings(max_examples=20)
def test_hybrid_at_its_ends(seed: int) -> None:
    """All coordinates imposed: inverse dynamics; none: forward dynamics."""
    case = random_case(seed)
    model, every = case.model, np.ones(case.model.nv, dtype=bool)
    _, tau = model.hybrid_dynamics(case.q, case.v, case.a, np.zeros(model.nv), every)
    assert relative(tau, model.inverse_dynamics(case.q, case.v, case.a)) < 1e-12  # one recursion written twice
    a, _ = model.hybrid_dynamics(case.q, case.v, np.zeros(model.nv), case.tau, ~every)
    assert relative(a, model.forward_dynamics(case.q, case.v, case.tau)) < PROMISED


@given(seeds)
@settings(max_examples=20)
def test_mass_matrix(seed: int) -> None:
    """M = d tau / d a (tau is affine in a: differences are exact), symmetric, positive definite, T = 1/2 v M v."""
    case = random_case(seed)
    model, zero = case.model, np.zeros(case.model.nv)
    matrix, still = model.mass_matrix(case.q), model.inverse_dynamics(case.q, zero, zero)
    columns = [model.inverse_dynamics(case.q, zero, unit) - still for unit in np.eye(model.nv)]
    assert relative(np.array(columns).T, matrix) < 1e-12  # round-off of the weights that cancel
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix)[0] > 0.0
    assert model.kinetic_energy(case.q, case.v) == pytest.approx(0.5 * case.v @ matrix @ case.v, rel=1e-12)
    rates = [model.forward_dynamics(case.q, zero, still + unit) for unit in np.eye(model.nv)]
    assert relative(matrix @ np.array(rates).T, np.eye(model.nv)) < 1e-9  # times the condition of M, up to 1e7
    n = model.compiled.reference_nv
    locked, coupling, shape = model.mass_blocks(case.q)
    np.testing.assert_array_equal(np.block([[locked, coupling], [coupling.T, shape]]), matrix)
    assert locked.shape == (n, n)


def test_armature_sits_on_the_diagonal() -> None:
    """The same robot with and without rotors: the mass matrices differ by the reflected inertias."""
    with_rotors = random_case(7, 12, bases=("free",), armature=True)
    robot = with_rotors.robot.changed({f"{joint}.armature": 0.0 for joint in with_rotors.model.compiled.joint_names})
    difference = with_rotors.model.mass_matrix(with_rotors.q) - robot.model().mass_matrix(with_rotors.q)
    rotors = with_rotors.model.dof_constants[:, DOF_ARMATURE]
    assert np.count_nonzero(rotors) == with_rotors.model.nv - 6
    np.testing.assert_allclose(difference, np.diag(rotors), atol=1e-12)


@given(seeds)
@settings(max_examples=20)
def test_external_wrenches(seed: int) -> None:
    """tau(with wrenches) - tau(without) = -sum J^T w, for wrenches on bodies and markers in their own axes."""
    case = random_case(seed)
    model, wrenches = case.model, random_wrenches(case)
    change = model.inverse_dynamics(case.q, case.v, case.a, wrenches) - model.inverse_dynamics(case.q, case.v, case.a)
    wanted = -sum(model.jacobian(name, case.q).T @ wrench for name, wrench in wrenches.items())
    scale = np.max(np.abs(model.inverse_dynamics(case.q, case.v, case.a))) + np.max(np.abs(wanted))
    assert np.max(np.abs(change - wanted)) < 1e-13 * scale  # the difference of two rounded vectors


@given(seeds)
@settings(max_examples=20)
def test_composite_inertia(seed: int) -> None:
    """Sum of Ad^T M Ad over the frames, carried to F0 along the poses of the plain NumPy kinematics."""
    case = random_case(seed)
    compiled = case.model.compiled
    poses = frame_poses(compiled, case.q)
    wanted = np.zeros((6, 6))
    for k, pose in enumerate(poses):
        x = adjoint((poses[0].inverse() @ pose).inverse())
        wanted += x.T @ spatial_inertia(compiled, k) @ x
    assert relative(case.model.composite_inertia(case.q), wanted) < 1e-13
    if compiled.base_code == 7:
        assert relative(case.model.mass_blocks(case.q)[0], wanted) < 1e-13


@given(seeds)
@settings(max_examples=20)
def test_zero_momentum(seed: int) -> None:
    """A free robot that moves its shape from rest: momentum stays zero; other velocities are untouched."""
    case = random_case(seed, bases=("free",))
    model = case.model
    v = model.zero_momentum(case.q, case.v)
    np.testing.assert_array_equal(v[6:], case.v[6:])
    linear, angular = model.momentum(case.q, v)
    size = np.sum(np.abs(model.composite_inertia(case.q))) * max(1.0, np.max(np.abs(v)))
    assert np.max(np.abs(linear)) < 1e-13 * size and np.max(np.abs(angular)) < 1e-13 * size * 10.0


def test_totals_against_bodies() -> None:
    """Mass, centre and momentum from the bodies of the description, one by one."""
    case = random_case(3, 15)
    model, compiled = case.model, case.model.compiled
    mass, moment, linear, angular = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
    for body in compiled.description.bodies:
        rotation, position = model.pose(body.name, case.q)
        twist = model.twist(body.name, case.q, case.v)
        centre = Pose(rotation, position).apply(body.inertia.centre)
        push = body.inertia.mass * rotation @ (twist[:3] + np.cross(twist[3:], body.inertia.centre))
        mass, moment, linear = mass + body.inertia.mass, moment + body.inertia.mass * centre, linear + push
        angular += np.cross(centre, push) + rotation @ (body.inertia.tensor @ twist[3:])
    centre = model.centre_of_mass(case.q)
    np.testing.assert_allclose(centre, moment / mass, rtol=1e-12)
    assert model.potential_energy(case.q) == pytest.approx(9.81 * mass * centre[2], rel=1e-12)
    assert relative(model.momentum(case.q, case.v)[0], linear) < 1e-12
    assert relative(model.momentum(case.q, case.v)[1], angular - np.cross(centre, linear)) < 1e-12
    assert model.power(case.v, case.tau) == pytest.approx(case.v @ case.tau)
