"""Kernels allocate nothing: no call into the runtime's allocator in their machine code, however deep."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.mass_matrix import mass_matrix
from locodyn.integrate import solve
from locodyn.integrate.rkmk4 import new_scratch, rkmk4_step
from locodyn.kernel import compiled
from locodyn.locomotion.problem import Problem
from peers import random_case

F1, F2, I2, FLAGS = numba.float64[::1], numba.float64[:, ::1], numba.int64[:, ::1], numba.int8[::1]
ALLOCATORS = ("NRT_MemInfo_alloc", "NRT_Allocate", "NRT_MemInfo_new", "NRT_Reallocate")

SIGNATURES = {
    inverse_dynamics: (I2, F2, F1, F1, F1, F1, F2, F2, F1),
    hybrid_dynamics: (I2, F2, F1, FLAGS, F1, F1, F2, F2, F2, F1, F1),
    mass_matrix: (I2, F2, I2, F2, F2, F2, F2),
    inverse_dynamics_derivatives: (I2, F2, I2, F2, F1, F1, F1, F1, F2, F2, F2, F2, F2, F2),
}


def code_of(function, signature) -> str:  # type: ignore[no-untyped-def]
    """LLVM code of the function, compiled afresh with the options of a kernel; callees are linked into it."""
    fresh = numba.njit(error_model="numpy", nogil=True, no_cfunc_wrapper=True)(function.py_func)
    fresh.compile(signature)
    return "\n".join(fresh.inspect_llvm().values())


@pytest.mark.slow
@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.py_func.__name__)
def test_no_allocation_in_the_code(function) -> None:  # type: ignore[no-untyped-def]
    code = code_of(function, SIGNATURES[function])
    assert "define" in code and not any(name in code for name in ALLOCATORS)


def test_the_code_would_show_an_allocation() -> None:
    """The words looked for are those that a kernel with an allocation has."""

    class Allocating:
        @staticmethod
        def py_func(x):  # type: ignore[no-untyped-def]
            return np.zeros(3) + x[0]

    assert any(name in code_of(Allocating, (F1,)) for name in ALLOCATORS)


def test_kernels_are_compiled_without_the_allocator() -> None:
    """Both decorators switch it off, so that an allocation would not even compile."""

    @compiled
    def allocating(x):
        return np.zeros(3)[0] + x

    with pytest.raises(Exception, match=r"NRT required|require.*NRT|allocat"):
        allocating(1.0)


def test_no_allocation_in_a_run() -> None:
    """The counters of the runtime stand still during steps of the integrators and calls of the dynamics."""
    case = random_case(3, 12, least=8)
    problem, model = Problem(case.model), case.model
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace
    q, v = case.q.copy(), 0.1 * case.v
    scratch = new_scratch(model.nq, model.nv)
    rkmk4_step(p, inputs, 0.0, 1e-3, q, v, w, scratch)
    results = [
        lambda: rkmk4_step(p, inputs, 0.0, 1e-3, q, v, w, scratch),
        lambda: model.inverse_dynamics(case.q, case.v, case.a),
        lambda: model.forward_dynamics(case.q, case.v, case.a),
        lambda: model.inverse_dynamics_derivatives(case.q, case.v, case.a),
        lambda: model.mass_matrix(case.q),
        lambda: solve(problem, case.q, 0.1 * case.v, t_end=0.01, step=0.005, method="variational"),
    ]
    assert count_allocations(lambda: numba.njit(lambda: np.zeros(3))()) > 0  # what the counters count
    for call in results:
        call()
        assert count_allocations(call) == 0


def count_allocations(call) -> int:  # type: ignore[no-untyped-def]
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        call()
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    return (after.alloc - before.alloc) + (after.mi_alloc - before.mi_alloc)
