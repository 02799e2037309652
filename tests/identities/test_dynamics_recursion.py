"""Ali's recursion (2011, (3.7)-(3.13), (3.23)-(3.28)) in plain NumPy: the kernels compute it as corrected, not as printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peers import Recursion, random_case, relative

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
@settings(max_examples=20)
def test_inverse_dynamics(seed: int) -> None:
    case = random_case(seed)
    found = case.model.inverse_dynamics(case.q, case.v, case.a)
    assert relative(found, Recursion(case.model).inverse_dynamics(case.q, case.v, case.a)) < 1e-13  # measured 3e-15


@given(seeds)
@settings(max_examples=20)
def test_composite_wrench(seed: int) -> None:
    """M0 etadot = F0 (B2) gives the reference acceleration of hybrid dynamics with imposed shape."""
    case = random_case(seed, bases=("free",))
    model = case.model
    shape = np.concatenate([np.zeros(6), case.a[6:]])
    inertia, wrench = Recursion(model).composite(case.q, case.v, shape)
    imposed = np.arange(model.nv) >= 6
    found = model.hybrid_dynamics(case.q, case.v, shape, np.zeros(model.nv), imposed)[0][:6]
    assert relative(found, np.linalg.solve(inertia, wrench)) < 1e-11  # condition of the composite inertia up to 1e4
    assert relative(model.composite_inertia(case.q), inertia) < 1e-13


@pytest.mark.parametrize("seed", range(5))
def test_printed_accelerations_are_wrong(seed: int) -> None:
    """(3.10) beside (3.13) mixes two meanings of Vdot: torques off by more than a percent; the corrected form has 14 digits."""
    case = random_case(seed, 12, ("revolute", "universal"), ("free",), armature=False, least=5)
    found = case.model.inverse_dynamics(case.q, case.v, case.a)
    assert relative(Recursion(case.model).inverse_dynamics(case.q, case.v, case.a), found) < 1e-13
    assert relative(Recursion(case.model, printed="zeta").inverse_dynamics(case.q, case.v, case.a), found) > 1e-2


@pytest.mark.parametrize("seed", range(5))
def test_printed_composite_wrench_is_wrong(seed: int) -> None:
    """(3.28) subtracts the wrench of the bodies further out; the sum (3.24) adds it."""
    case = random_case(seed, 12, ("revolute", "universal"), ("free",), armature=False, least=5)
    model, shape = case.model, np.concatenate([np.zeros(6), case.a[6:]])
    found = model.hybrid_dynamics(case.q, case.v, shape, np.zeros(model.nv), np.arange(model.nv) >= 6)[0][:6]
    assert relative(np.linalg.solve(*Recursion(model).composite(case.q, case.v, shape)), found) < 1e-11
    assert relative(np.linalg.solve(*Recursion(model, printed="wrench").composite(case.q, case.v, shape)), found) > 1e-1
