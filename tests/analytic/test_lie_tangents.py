"""Tangent maps and their derivatives against complex steps through the twins of the same loops, and against 50 digits.

A complex step has no truncation or cancellation error: f'(x) = Im f(x + i h) / h with h = 1e-30.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from locodyn.kernel import twin
from locodyn.lie import SE2, SE3, SO3, rows, se2, se3, so3

EPS = np.finfo(float).eps
STEP = 1e-30
compiled = numba.njit(error_model="numpy")  # not kept on disk
groups = pytest.mark.parametrize("G", [SO3, SE3, SE2], ids=str)
ANGLES = (
    0.0,
    1e-12,
    1e-8,
    1e-5,
    1e-3,
    0.1,
    0.49999,
    0.50001,
    1.0,
    1.99,
    2.01,
    2.99,
    3.01,
    math.pi - 1e-6,
    math.pi,
    3.5,
    4.2,
    5.0,
)


def samples(G):
    """(u, du) pairs: every angle of the list, linear parts of size 1 and 10."""
    rng = np.random.default_rng(11)
    for t in ANGLES:
        for scale in (1.0, 10.0):
            u = scale * rng.normal(size=G.dim)
            a = slice(2, 3) if G is SE2 else slice(G.dim - 3, G.dim)
            u[a] *= t / np.linalg.norm(u[a])
            yield u, rng.normal(size=G.dim)


def derivative(loop, size, u, du):
    """d/ds of a loop of one argument along du, by a complex step through its twin."""
    out = np.zeros((1, size), dtype=complex)
    twin(loop)((u + 1j * STEP * du)[None, :], out)
    return out[0].imag / STEP


def loop(G, name):
    return getattr(rows, f"{G.name.lower()}_{name}")


@groups
def test_tangent_is_the_derivative_of_exp(G):
    for u, du in samples(G):
        dg = derivative(loop(G, "exp"), math.prod(G.element_shape), u, du).reshape(G.element_shape)
        found = G.vee(G.inverse(G.exp(u)) @ dg)
        expected = G.tangent(u) @ du
        scale = 1.0 + np.abs(u).max() * np.abs(du).max()
        assert np.abs(found - expected).max() <= 40 * EPS * scale


@groups
def test_ad_is_the_derivative_of_Ad(G):
    def Ad_of_exp(u):
        g = np.zeros((1, math.prod(G.element_shape)), dtype=complex)
        twin(loop(G, "exp"))(u[None, :], g)
        if G is SO3:  # there Ad is the matrix itself
            return g.reshape(3, 3)
        Ad = np.zeros((1, G.dim**2), dtype=complex)
        twin(loop(G, "adjoint"))(g, Ad)
        return Ad.reshape(G.dim, G.dim)

    for u, du in samples(G):
        at_identity = Ad_of_exp(1j * STEP * du).imag / STEP
        assert np.abs(at_identity - G.ad(du)).max() <= 2 * EPS * np.abs(du).max()
        # elsewhere, d Ad(exp u) = Ad(exp u) ad(T(u) du)
        found = Ad_of_exp(u + 1j * STEP * du).imag / STEP
        expected = G.Ad(G.exp(u)) @ G.ad(G.tangent(u) @ du)
        assert np.abs(found - expected).max() <= 40 * EPS * (1.0 + np.abs(u).max()) * np.abs(du).max()


@groups
@pytest.mark.parametrize("name", ["tangent", "inverse_tangent"])
def test_derivatives_of_tangent_maps(G, name):
    for u, du in samples(G):
        expected = derivative(loop(G, name), G.dim**2, u, du).reshape(G.dim, G.dim)
        found = getattr(G, name + "_derivative")(u, du)
        scale = (1.0 + np.abs(u).max()) * np.abs(du).max() + np.abs(expected).max()
        assert np.abs(found - expected).max() <= 30 * EPS * scale


@groups
def test_against_fifty_digits(G):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(50):
        for u, _ in list(samples(G))[:30:2]:
            x = mp.matrix(G.hat(u).tolist())
            a = mp.matrix(G.ad(u).tolist())
            g = xk = mp.eye(x.rows)
            T = ak = mp.eye(a.rows)  # T = sum (-ad)^j / (j+1)!
            for j in range(1, 60):
                xk = xk * x / j
                g = g + xk
                ak = ak * (-a) / (j + 1)
                T = T + ak
            S = T**-1
            size = 1.0 + np.abs(u).max()
            assert np.abs(G.exp(u) - np.array(g.tolist(), dtype=float)).max() <= 4 * EPS * size
            assert np.abs(G.tangent(u) - np.array(T.tolist(), dtype=float)).max() <= 4 * EPS * size
            assert np.abs(G.inverse_tangent(u) - np.array(S.tolist(), dtype=float)).max() <= 6 * EPS * size


@compiled
def applied(u, w, g, out):
    """Every apply function on one sample; the order is that of the matrices in the test."""
    R, p = rows.pose(g, 0)
    a, b = rows.vector6(u, 0), rows.vector6(w, 0)
    rows.put(out, 0, se3.adjoint_apply(R, p, b), 6)
    rows.put(out, 1, se3.adjoint_inverse_apply(R, p, b), 6)
    rows.put(out, 2, se3.adjoint_transposed_apply(R, p, b), 6)
    rows.put(out, 3, se3.adjoint_inverse_transposed_apply(R, p, b), 6)
    rows.put(out, 4, se3.bracket(a, b), 6)
    rows.put(out, 5, se3.bracket_transposed(a, b), 6)
    rows.put(out, 6, se3.tangent_apply(a, b), 6)
    rows.put(out, 7, se3.tangent_transposed_apply(a, b), 6)
    rows.put(out, 8, se3.inverse_tangent_apply(a, b), 6)
    rows.put(out, 9, se3.inverse_tangent_transposed_apply(a, b), 6)


@compiled
def applied_rotation(u, w, out):
    a, b = rows.vector3(u, 0), rows.vector3(w, 0)
    rows.put(out, 0, so3.right_jacobian_apply(a, b), 3)
    rows.put(out, 1, so3.right_jacobian_transposed_apply(a, b), 3)
    rows.put(out, 2, so3.right_jacobian_inverse_apply(a, b), 3)
    rows.put(out, 3, so3.right_jacobian_inverse_transposed_apply(a, b), 3)


@compiled
def applied_planar(u, w, g, out):
    h = rows.planar_pose(g, 0)
    a, b = rows.vector3(u, 0), rows.vector3(w, 0)
    rows.put(out, 0, se2.adjoint_apply(h, b), 3)
    rows.put(out, 1, se2.adjoint_inverse_apply(h, b), 3)
    rows.put(out, 2, se2.adjoint_transposed_apply(h, b), 3)
    rows.put(out, 3, se2.adjoint_inverse_transposed_apply(h, b), 3)
    rows.put(out, 4, se2.bracket(a, b), 3)
    rows.put(out, 5, se2.bracket_transposed(a, b), 3)
    rows.put(out, 6, se2.tangent_apply(a, b), 3)
    rows.put(out, 7, se2.tangent_transposed_apply(a, b), 3)
    rows.put(out, 8, se2.inverse_tangent_apply(a, b), 3)
    rows.put(out, 9, se2.inverse_tangent_transposed_apply(a, b), 3)


@pytest.mark.slow
@groups
def test_apply_functions_are_the_matrices(G):
    rng = np.random.default_rng(4)
    u, w = rng.normal(size=(2, G.dim))
    g = G.exp(rng.normal(size=G.dim))
    T, S = G.tangent(u), G.inverse_tangent(u)
    matrices = [T, T.T, S, S.T]
    if G is SO3:
        out = np.zeros((4, 3))
        applied_rotation(u[None], w[None], out)
    else:
        A, B = G.Ad(g), G.Ad(G.inverse(g))
        matrices = [A, B, A.T, B.T, G.ad(u), G.ad(u).T, *matrices]
        out = np.zeros((10, G.dim))
        (applied if G is SE3 else applied_planar)(u[None], w[None], g.reshape(1, -1), out)
    assert np.abs(out - np.array([m @ w for m in matrices])).max() <= 40 * EPS


@compiled
def quaternion_poses(u, p, q, back):
    for i in range(u.shape[0]):
        a, b = se3.exp_position_quaternion(rows.vector6(u, i))
        rows.put(p, i, a, 3)
        rows.put(q, i, b, 4)
        rows.put(back, i, se3.log_position_quaternion(a, b), 6)


def test_position_and_quaternion_of_exp():
    u = np.array([v for v, _ in samples(SE3)])
    p, q, back = np.zeros((len(u), 3)), np.zeros((len(u), 4)), np.zeros((len(u), 6))
    quaternion_poses(u, p, q, back)
    g = SE3.exp(u)
    size = 1.0 + np.abs(u).max(axis=1)
    assert (np.abs(p - g[:, :3, 3]).max(axis=1) <= 8 * EPS * size).all()
    assert np.abs(SO3.from_quaternion(q) - g[:, :3, :3]).max() <= 8 * EPS
    assert np.abs(np.linalg.norm(q, axis=1) - 1.0).max() <= 2 * EPS
    short = np.linalg.norm(u[:, 3:], axis=1) < math.pi
    assert (np.abs(back - u).max(axis=1)[short] <= 16 * EPS * size[short]).all()


@compiled
def quaternion_algebra(a, b, out):
    rows.put(out, 0, so3.quaternion_product(a, b), 4)
    rows.put(out, 1, so3.quaternion_conjugate(a), 4)
    rows.put(out, 2, so3.exp_quaternion(b[1], b[2], b[3]), 4)


def test_quaternion_product_and_exp():
    a = SO3.to_quaternion(SO3.exp([0.3, -0.7, 0.2]))
    b = SO3.to_quaternion(SO3.exp([-1.1, 0.4, 0.5]))
    out = np.zeros((3, 4))
    quaternion_algebra(tuple(a), tuple(b), out)
    assert np.allclose(SO3.from_quaternion(out[0]), SO3.from_quaternion(a) @ SO3.from_quaternion(b), atol=8 * EPS)
    assert np.allclose(SO3.from_quaternion(out[1]), SO3.from_quaternion(a).T, atol=4 * EPS)
    assert np.allclose(SO3.from_quaternion(out[2]), SO3.exp(b[1:]), atol=8 * EPS)
