"""Derivatives of inverse and forward dynamics against complex steps through the kernels themselves, in random directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peers import TINY, Case, complex_inverse_dynamics, complex_move, random_case, relative
from random_robots import ALL, BASES

seeds = st.integers(0, 2**32 - 1)


def check_inverse(case: Case, direction: np.ndarray, wrenches: dict[str, np.ndarray] | None = None) -> float:
    """Largest relative error of the three derivatives along a direction (nv,) of positions, velocities, accelerations."""
    model, q, v, a = case.model, case.q, case.v, case.a
    loads = None if wrenches is None else model.frame_wrenches(wrenches)
    by_q, by_v, by_a = model.inverse_dynamics_derivatives(q, v, a, wrenches)
    small = 1j * TINY * direction
    exact_q = complex_inverse_dynamics(model, complex_move(model, q, small), v, a, loads).imag / TINY
    exact_v = complex_inverse_dynamics(model, q, v + small, a, loads).imag / TINY
    exact_a = complex_inverse_dynamics(model, q, v, a + small, loads).imag / TINY
    pairs = ((by_q, exact_q), (by_v, exact_v), (by_a, exact_a))
    # relative to the largest entry of the matrix: a column may be zero (a base that translates)
    return max(float(np.max(np.abs(matrix @ direction - exact)) / (np.max(np.abs(matrix)) + 1e-12)) for matrix, exact in pairs)


@given(seeds)
@settings(max_examples=20)
def test_inverse_dynamics_derivatives(seed: int) -> None:
    case = random_case(seed)
    wrenches = {name: case.rng.standard_normal(6) for name in case.model.compiled.body_names}
    assert check_inverse(case, case.rng.standard_normal(case.model.nv), wrenches) < 1e-10  # promised; measured 1e-13


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "fixed"])
def test_inverse_dynamics_derivatives_of_each_joint(kind: str, base: str) -> None:
    """Every coordinate by itself: each column of the three matrices."""
    case = random_case(10 + ALL.index(kind), 3, (kind,), (base,))
    for unit in np.eye(case.model.nv):
        assert check_inverse(case, unit) < 1e-10


@given(seeds)
@settings(max_examples=20)
def test_derivative_by_acceleration_is_the_mass_matrix(seed: int) -> None:
    case = random_case(seed)
    by_a = case.model.inverse_dynamics_derivatives(case.q, case.v, case.a)[2]
    assert relative(by_a, case.model.mass_matrix(case.q)) < 1e-12


@given(seeds)
@settings(max_examples=20)
def test_forward_dynamics_derivatives(seed: int) -> None:
    """tau(q, v, a(q, v, tau)) = tau at all q and v: the chain rule through the complex kernel gives zero."""
    case = random_case(seed, 20)
    model, q, v, tau = case.model, case.q, case.v, case.tau
    wrenches = {name: case.rng.standard_normal(6) for name in model.compiled.body_names}
    a_q, a_v, a_tau = model.forward_dynamics_derivatives(q, v, tau, wrenches)
    a, loads = model.forward_dynamics(q, v, tau, wrenches), model.frame_wrenches(wrenches)
    direction = case.rng.standard_normal(model.nv)
    small = 1j * TINY * direction
    # Scale: what cancels, d tau/dq . direction, and the torques themselves. Measured 1e-12.
    size = np.max(np.abs(tau))
    moved = complex_inverse_dynamics(model, complex_move(model, q, small), v, a + a_q @ small, loads).imag / TINY
    plain = complex_inverse_dynamics(model, complex_move(model, q, small), v, a, loads).imag / TINY
    assert np.max(np.abs(moved)) < 1e-10 * (size + np.max(np.abs(plain)))
    faster = complex_inverse_dynamics(model, q, v + small, a + a_v @ small, loads).imag / TINY
    plain = complex_inverse_dynamics(model, q, v + small, a, loads).imag / TINY
    assert np.max(np.abs(faster)) < 1e-10 * (size + np.max(np.abs(plain)))
    pushed = model.forward_dynamics(q, v, tau + direction, wrenches) - a
    assert relative(a_tau @ direction, pushed) < 1e-9  # difference of two accelerations, condition of M up to 1e6
    np.testing.assert_array_equal(a_tau, a_tau.T)
