"""One source, several lives: the compiled loops on lanes give the bits of the scalar ones; symbols give the closed forms."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from locodyn.kernel import twin
from locodyn.kernel.lanes import WIDTH, as_lanes, lane_blocks
from locodyn.lie import SE2, SE3, SO3, rows
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import exp_matrix, log_quaternion, right_jacobian_derivative


def samples(dim):
    """Ordinary, tiny, zero and half-turn vectors: neighbours in one register take different branches."""
    rng = np.random.default_rng(5)
    u = rng.normal(size=(40, dim))
    u[4:12] *= 10.0 ** -np.arange(1, 9)[:, None]
    u[12] = 0.0
    u[13:19] *= 2.0
    for k, t in enumerate((math.pi, math.pi - 1e-9, 0.5, 2.0)):
        u[20 + k, -3:] *= t / np.linalg.norm(u[20 + k, -3:])
    return u


def to_lanes(a):
    blocks = lane_blocks(len(a), a.shape[1])
    for i, row in enumerate(a):
        blocks[i // WIDTH, :, i % WIDTH] = row
    return blocks


@pytest.mark.parametrize("G", [SO3, SE3, SE2], ids=str)
def test_lanes_are_bit_identical(G):
    exp, log = getattr(rows, f"{G.name.lower()}_exp"), getattr(rows, f"{G.name.lower()}_log")

    @numba.njit(error_model="numpy")
    def on_lanes(u, g, v):
        exp(as_lanes(u), as_lanes(g))
        log(as_lanes(g), as_lanes(v))

    u = samples(G.dim)
    n = math.prod(G.element_shape)
    g, v = lane_blocks(len(u), n), lane_blocks(len(u), G.dim)
    on_lanes(to_lanes(u), g, v)
    scalar = G.exp(u)
    assert np.array_equal(np.moveaxis(g, -1, 1).reshape(-1, n), scalar.reshape(-1, n))
    assert np.array_equal(np.moveaxis(v, -1, 1).reshape(-1, G.dim), G.log(scalar))


def test_symbolic_exp_is_rodrigues():
    sympy = pytest.importorskip("sympy")
    x, y, z = sympy.symbols("x y z", real=True)
    h = sympy.Symbol("h", positive=True)  # half of the angle
    A = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rodrigues = sympy.eye(3) + sympy.sin(2 * h) / (2 * h) * A + (1 - sympy.cos(2 * h)) / (2 * h) ** 2 * A * A
    R = sympy.Matrix(3, 3, twin(exp_matrix)((x, y, z))).subs(x**2 / 4 + y**2 / 4 + z**2 / 4, h**2)
    assert sympy.simplify(R - rodrigues) == sympy.zeros(3)


def test_symbolic_coefficients_are_closed_forms():
    sympy = pytest.importorskip("sympy")
    t = sympy.Symbol("t", positive=True)
    c = twin(stumpff)(t**2)
    assert c[1] == sympy.sin(t) / t
    assert sympy.simplify(c[3] - (t - sympy.sin(t)) / t**3) == 0
    assert twin(stumpff)(sympy.Integer(0))[4] == sympy.Rational(1, 24)


def test_casadi_life_is_safe_at_zero():
    casadi = pytest.importorskip("casadi")
    u = casadi.SX.sym("u", 3)
    d = casadi.SX.sym("d", 3)
    T = casadi.vertcat(*twin(right_jacobian_derivative)((u[0], u[1], u[2]), (d[0], d[1], d[2])))
    gradient = casadi.Function("gradient", [u, d], [casadi.jacobian(T, u)])
    assert np.isfinite(np.array(gradient([0, 0, 0], [1, 2, 3]))).all()
    q = casadi.SX.sym("q", 4)
    theta = casadi.vertcat(*twin(log_quaternion)((q[0], q[1], q[2], q[3])))
    jacobian = np.array(casadi.Function("jacobian", [q], [casadi.jacobian(theta, q)])([1, 0, 0, 0]))
    assert np.allclose(jacobian[:, 1:], 2 * np.eye(3), atol=1e-15) and np.isfinite(jacobian).all()
