"""The bicycle in closed form: 26 parameters, 9 velocities, 6 rolling constraints, 3 speeds (Mauny, Porez and Boyer 2017).

Against the numeric problem, and made linear by exact differentiation against the benchmark of Meijaard et al. (2007).
"""

from __future__ import annotations

import ctypes
import subprocess
import time
from functools import cache

import numpy as np
import pytest

from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.symbolic import Function
from locodyn.symbolic.export import check_c, compiler, write
from locodyn.symbolic.scenarios import generator
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow

# M qdd + v C1 qd + (g K0 + v^2 K2) q = f in (lean, steer), both positive to the right; printed with 14 decimals.
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
G, RADIUS = 9.81, 0.3


@cache
def function(what: str, symbols: str = "all") -> Function:
    return generator("bicycle", symbols=symbols).function(what, name=f"bicycle_{what}")


def test_size_and_time_of_generation():
    """Mauny et al.: "a few thousand" operations. Ours: 1199 with all 26 parameters symbols (generated within a second)."""
    began = time.perf_counter()
    reduced = generator("bicycle", symbols="all").function("reduced")
    assert time.perf_counter() - began < 10.0
    groups = {g.name: g for g in reduced.inputs}
    assert groups["p"].size == 26
    assert groups["u"].entries == ("frame.wx", "steer", "rear")  # as Mauny et al. choose: lean rate, steer rate, rear wheel
    assert reduced.program.size < 1250
    assert reduced.notes == ("It does not depend on rear, front.",)
    assert not {"q_frame_x", "q_frame_y", "q_frame_z", "q_rear", "q_front"} & set(reduced.program.names)


def state(seed: int) -> tuple[Problem, np.ndarray, np.ndarray, np.ndarray]:
    """A problem with random torques, and a state on the ground: leaning, steered, rolling."""
    rng = np.random.default_rng(seed)
    scenario = make("bicycle")
    tau = rng.standard_normal(3)
    problem = Problem(scenario.model, torque={6 + i: constant(x) for i, x in enumerate(tau)})
    q, v = scenario.initial_state()
    lean, yaw = 0.5 * rng.standard_normal(), rng.standard_normal()
    q[3:7] = np.array([np.cos(lean / 2) * np.cos(yaw / 2), np.sin(lean / 2) * np.cos(yaw / 2),
                       np.sin(lean / 2) * np.sin(yaw / 2), np.cos(lean / 2) * np.sin(yaw / 2)])  # fmt: skip
    q[7:] = rng.standard_normal(3) * (0.4, 2.0, 2.0)
    q, v = problem.imposed_state(0.0, q, v + rng.standard_normal(9))
    return problem, q, v, tau


@pytest.mark.parametrize("symbols", ["none", "all"])
@pytest.mark.parametrize("seed", range(5))
def test_motion_is_that_of_the_numeric_problem(seed, symbols):
    problem, q, v, tau = state(seed)
    u = v[[3, 6, 7]]
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(function("speeds", symbols)(q, u)[0], v, atol=1e-11 * np.abs(v).max())
    mass, force = function("reduced", symbols)(q, u, tau)
    np.testing.assert_allclose(mass, mass.T, atol=1e-12 * np.abs(mass).max())
    assert np.linalg.eigvalsh(mass).min() > 0
    np.testing.assert_allclose(np.linalg.solve(mass, force), a[[3, 6, 7]], atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(function("forward", symbols)(q, u, tau)[1], a[[3, 6, 7]], atol=1e-9 * np.abs(a).max())


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_contact_forces_are_those_of_the_numeric_problem(seed):
    problem, q, v, tau = state(seed)
    contacts, rows = function("contacts"), function("constraints")
    assert contacts.outputs[0].entries == problem.constraints.names
    wanted = problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]
    np.testing.assert_allclose(contacts(q, v[[3, 6, 7]], tau)[0], wanted, atol=1e-9 * np.abs(wanted).max())
    matrix, residual, drift = rows(q, v)
    assert np.abs(residual).max() < 1e-11 * np.abs(v).max()
    assert np.linalg.matrix_rank(matrix) == 6
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(matrix @ a + drift, 0, atol=1e-10 * np.abs(a).max())


def test_linear_benchmark_by_exact_differentiation():
    """Upright and straight, lean and steer to first order: pitch and height change in second order only."""
    pytest.importorskip("casadi")
    reduced = function("reduced")
    slope = reduced.casadi().jacobian()
    names = [g.name for g in reduced.inputs]

    def linear(speed):
        q = np.array([0.0, 0.0, RADIUS, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        values = {"q": q, "u": [0.0, 0.0, speed / RADIUS], "tau": np.zeros(3), "p": reduced.inputs[-1].defaults}
        mass, force = reduced(**values)
        found = slope(**{name: values[name] for name in names}, out_M=mass, out_F=force)
        by_q, by_u = np.asarray(found["jac_F_q"]), np.asarray(found["jac_F_u"])
        to_right = np.diag([1.0, -1.0])  # steer is positive to the left here
        lean_and_steer = np.column_stack([0.5 * by_q[:2, 4], by_q[:2, 7]])  # lean by d is the quaternion (1, d / 2, 0, 0)
        return [to_right @ x @ to_right for x in (mass[:2, :2], -by_u[:2, :2], -lean_and_steer)]

    (m, _, k_still), (_, c, k) = linear(0.0), linear(1.0)
    for found, published in ((m, M), (c, C1), (k_still / G, K0), (k - k_still, K2)):
        np.testing.assert_allclose(found, published, atol=1e-12 * np.abs(published).max(), rtol=1e-12)


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_generated_c(tmp_path):
    reduced = function("reduced")
    files = write([reduced], "c", tmp_path, "bicycle")
    assert "agrees with Python" in check_c(files)
    library = tmp_path / "bicycle.so"
    source = str(tmp_path / "bicycle.c")
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler(), *strict, source, "-lm", "-o", str(library)], check=True)
    problem, q, v, tau = state(1)
    mass, force = np.zeros((3, 3)), np.zeros(3)
    arrays = (q, np.ascontiguousarray(v[[3, 6, 7]]), tau, np.array(reduced.inputs[-1].defaults), mass, force)
    ctypes.CDLL(str(library)).bicycle_reduced(*(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in arrays))
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(np.linalg.solve(mass, force), a[[3, 6, 7]], atol=1e-10 * np.abs(a).max())
