"""Against Pinocchio, on random trees of all joints: 1e-10 relative, as promised."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peers import Case, PinocchioModel, random_case, relative
from random_robots import ALL, BASES

pytestmark = pytest.mark.slow

pin = pytest.importorskip("pinocchio")
seeds = st.integers(0, 2**32 - 1)
PROMISED = 1e-10


def symmetric(upper: np.ndarray) -> np.ndarray:
    """Pinocchio fills the upper triangle of symmetric matrices only."""
    return np.triu(upper) + np.triu(upper, 1).T


def difference(found: np.ndarray, wanted: np.ndarray) -> float:
    """As :func:`peers.relative`, for matrices that may vanish (a robot of one joint)."""
    return float(np.max(np.abs(found - wanted)) / (np.max(np.abs(wanted)) + 1e-3))


def check_dynamics(case: Case) -> None:
    """rnea, aba, crba. Measured on 60 trees of up to 40 bodies: 2e-15, 2e-12, 7e-15."""
    model, peer = case.model, PinocchioModel(case.model)
    q, at = peer.configuration(case.q), peer.at
    v, a, tau = case.v[at], case.a[at], case.tau[at]
    assert relative(model.inverse_dynamics(case.q, case.v, case.a)[at], pin.rnea(peer.peer, peer.data, q, v, a)) < 1e-13
    assert relative(model.forward_dynamics(case.q, case.v, case.tau)[at], pin.aba(peer.peer, peer.data, q, v, tau)) < PROMISED
    assert relative(model.mass_matrix(case.q)[np.ix_(at, at)], symmetric(pin.crba(peer.peer, peer.data, q))) < 1e-13


@given(seeds)
@settings(max_examples=25)
def test_dynamics(seed: int) -> None:
    check_dynamics(random_case(seed, gravity=(1.0, -2.0, -9.0)))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "fixed"])
def test_dynamics_of_each_joint(kind: str, base: str) -> None:
    check_dynamics(random_case(60 + ALL.index(kind), 4, (kind,), (base,), least=2))


@given(seeds)
@settings(max_examples=20)
def test_external_wrenches(seed: int) -> None:
    """Wrenches on bodies in their own axes; Pinocchio takes them on its joints."""
    case = random_case(seed)
    model, peer = case.model, PinocchioModel(case.model)
    forces = [pin.Force.Zero() for _ in range(peer.peer.njoints)]
    wrenches = {name: case.rng.standard_normal(6) for name in model.compiled.body_names}
    for name, wrench in wrenches.items():
        joint, place = peer.placed[name]
        forces[joint] = forces[joint] + peer.placement(place).act(pin.Force(wrench))
    at = peer.at
    found = pin.rnea(peer.peer, peer.data, peer.configuration(case.q), case.v[at], case.a[at], forces)
    assert relative(model.inverse_dynamics(case.q, case.v, case.a, wrenches)[at], found) < 1e-13


@given(seeds)
@settings(max_examples=20)
def test_inverse_dynamics_derivatives(seed: int) -> None:
    case = random_case(seed)
    model, peer = case.model, PinocchioModel(case.model)
    at, q = peer.at, peer.configuration(case.q)
    found = model.inverse_dynamics_derivatives(case.q, case.v, case.a)
    by_q, by_v, by_a = pin.computeRNEADerivatives(peer.peer, peer.data, q, case.v[at], case.a[at])
    for ours, theirs in zip(found, (by_q, by_v, symmetric(by_a)), strict=True):
        assert difference(ours[np.ix_(at, at)], theirs) < 1e-12  # measured 1e-14


@given(seeds)
@settings(max_examples=20)
def test_forward_dynamics_derivatives(seed: int) -> None:
    """Up to 8 bodies: in longer trees Pinocchio itself loses digits (1e-8 at 38 bodies against 40-digit arithmetic)."""
    case = random_case(seed, 8)
    model, peer = case.model, PinocchioModel(case.model)
    at, q = peer.at, peer.configuration(case.q)
    found = model.forward_dynamics_derivatives(case.q, case.v, case.tau)
    by_q, by_v, by_tau = pin.computeABADerivatives(peer.peer, peer.data, q, case.v[at], case.tau[at])
    for ours, theirs in zip(found, (by_q, by_v, symmetric(by_tau)), strict=True):
        assert difference(ours[np.ix_(at, at)], theirs) < PROMISED


def test_forward_dynamics_derivatives_of_a_long_tree() -> None:
    """Seed 1 has 72 coordinates: the chain rule with M inverted in 40 digits."""
    case = random_case(1)
    a = case.model.forward_dynamics(case.q, case.v, case.tau)
    by_q, _, matrix = case.model.inverse_dynamics_derivatives(case.q, case.v, a)
    with mpmath.workdps(40):
        exact = -np.array((mpmath.matrix(matrix.tolist()) ** -1 * mpmath.matrix(by_q.tolist())).tolist(), dtype=float)
    assert relative(case.model.forward_dynamics_derivatives(case.q, case.v, case.tau)[0], exact) < PROMISED


@given(seeds)
@settings(max_examples=20)
def test_kinematics(seed: int) -> None:
    """Poses, twists, accelerations and Jacobians of all bodies."""
    case = random_case(seed)
    model, peer = case.model, PinocchioModel(case.model)
    at, q = peer.at, peer.configuration(case.q)
    v, a = case.v[at], case.a[at]
    pin.forwardKinematics(peer.peer, peer.data, q, v, a)
    pin.updateFramePlacements(peer.peer, peer.data)
    pin.computeJointJacobiansTimeVariation(peer.peer, peer.data, q, v)
    for name in model.compiled.body_names:
        frame = peer.peer.getFrameId(f"frame {name}")
        rotation, position = model.pose(name, case.q)
        place = peer.data.oMf[frame]
        assert relative(rotation, place.rotation) < 1e-12 and relative(position, place.translation) < 1e-12
        size = 1.0 + np.max(np.abs(model.acceleration(name, case.q, case.v, case.a)))
        twist = pin.getFrameVelocity(peer.peer, peer.data, frame, pin.LOCAL).vector
        np.testing.assert_allclose(model.twist(name, case.q, case.v), twist, atol=1e-13 * size)
        rate = pin.getFrameAcceleration(peer.peer, peer.data, frame, pin.LOCAL).vector
        np.testing.assert_allclose(model.acceleration(name, case.q, case.v, case.a), rate, atol=1e-13 * size)
        if peer.placed[name][0] == 0:
            continue  # a body fixed in the world: no columns
        jacobian, change = model.jacobians(name, case.q, case.v)
        theirs = pin.getFrameJacobian(peer.peer, peer.data, frame, pin.LOCAL)
        np.testing.assert_allclose(jacobian[:, at], theirs, atol=1e-13 * size)
        theirs = pin.getFrameJacobianTimeVariation(peer.peer, peer.data, frame, pin.LOCAL)
        np.testing.assert_allclose(change[:, at], theirs, atol=1e-12 * size)


@given(seeds)
@settings(max_examples=20)
def test_momentum_and_energy(seed: int) -> None:
    """Centroidal momentum and its rate (ccrba, dccrba), centre of mass, energies."""
    case = random_case(seed, armature=False, bases=("free", "planar", "translating", "spherical", "revolute", "prismatic"))
    model, peer = case.model, PinocchioModel(case.model)
    at, q = peer.at, peer.configuration(case.q)
    pin.ccrba(peer.peer, peer.data, q, case.v[at])
    linear, angular = model.momentum(case.q, case.v)
    assert relative(np.concatenate([linear, angular]), peer.data.hg.vector) < 1e-12
    assert relative(model.centre_of_mass(case.q), peer.data.com[0]) < 1e-12
    kinetic = pin.computeKineticEnergy(peer.peer, peer.data, q, case.v[at])
    potential = pin.computePotentialEnergy(peer.peer, peer.data, q)
    assert model.kinetic_energy(case.q, case.v) == pytest.approx(kinetic, rel=1e-12)
    assert model.potential_energy(case.q) == pytest.approx(potential, rel=1e-12)


@given(seeds)
@settings(max_examples=20)
def test_integration_on_the_configuration_space(seed: int) -> None:
    """q (+) u is Pinocchio's integrate, difference its difference."""
    case = random_case(seed)
    model, peer = case.model, PinocchioModel(case.model)
    u = 0.5 * case.v
    start, moved = peer.configuration(case.q), model.move(case.q, u)
    reached = pin.integrate(peer.peer, start, u[peer.at])
    gap = pin.difference(peer.peer, peer.configuration(moved), reached)
    np.testing.assert_allclose(gap, np.zeros(model.nv), atol=1e-12)
    np.testing.assert_allclose(model.difference(case.q, moved)[peer.at], pin.difference(peer.peer, start, reached), atol=1e-11)
