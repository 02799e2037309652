"""Axioms of the groups, one set for all of them, at the places where such code breaks: zero, nearly zero, nearly pi, pi.

Tolerances are a number of units of round-off (2.2e-16) times the size of what is compared; the numbers are about
three times the largest error seen over 1200 samples of each group.
"""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from locodyn.errors import InputError
from locodyn.lie import R1, R3, SE2, SE3, SO3

EPS = np.finfo(float).eps
GROUPS = (SO3, SE3, SE2, R3, R1)
ANGULAR = {"SO3": slice(0, 3), "SE3": slice(3, 6), "SE2": slice(2, 3), "R3": slice(0, 0), "R1": slice(0, 0)}

groups = pytest.mark.parametrize("G", GROUPS, ids=str)
deterministic = settings(derandomize=True, deadline=None, max_examples=60, database=None)

_exponent = st.floats(3.0, 12.0)
_angle = st.one_of(
    st.floats(1e-3, math.pi - 1e-3),
    _exponent.map(lambda e: 10.0**-e),
    st.just(0.0),
    _exponent.map(lambda e: math.pi - 10.0**-e),
    st.just(math.pi),
)
_component = st.floats(-1.0, 1.0)


@st.composite
def vectors(draw, angle=_angle):
    """A function from a group to a vector of its algebra, so that one sample serves all groups."""
    direction = np.array([draw(_component) for _ in range(3)])
    assume(np.linalg.norm(direction) > 1e-2)
    direction /= np.linalg.norm(direction)
    linear = draw(st.sampled_from([0.0, 1e-9, 1.0, 10.0])) * np.array([draw(_component) for _ in range(3)])
    t = draw(angle)

    def of(G):
        if G is SO3:
            return t * direction
        if G is SE3:
            return np.concatenate([linear, t * direction])
        if G is SE2:
            return np.array([linear[0], linear[1], math.copysign(t, direction[2])])
        return linear[: G.dim]

    of.angle = t
    return of


def size(*arrays):
    """1, or the largest number in sight."""
    return max(1.0, *(float(np.abs(a).max(initial=0.0)) for a in arrays))


def close(a, b, units, *scale):
    assert np.abs(a - b).max() <= units * EPS * size(a, b, *scale)


def series_exp(m):
    """Matrix exponential by its power series (small matrices of norm below about 10)."""
    out = term = np.eye(m.shape[-1])
    for k in range(1, 60):
        term = term @ m / k
        out = out + term
    return out


@groups
@given(u=vectors())
@deterministic
def test_exp_of_log(G, u):
    g = G.exp(u(G))
    v = G.log(g)
    close(G.exp(v), g, 10, v)
    assert np.linalg.norm(v[ANGULAR[G.name]]) <= math.pi * (1 + 2 * EPS)


@groups
@given(u=vectors(angle=_angle.filter(lambda t: t < math.pi - 1e-13)))
@deterministic
def test_log_of_exp(G, u):
    v = u(G)
    w = G.log(G.exp(v))
    a = ANGULAR[G.name]
    # Relative to the angle, also where the angle is 1e-12.
    assert np.linalg.norm(w[a] - v[a]) <= 16 * EPS * np.linalg.norm(v[a])
    close(w, v, 12)


@groups
@given(u=vectors(angle=_exponent.map(lambda e: 10.0**-e)))
@deterministic
def test_log_of_exp_keeps_relative_accuracy_of_small_twists(G, u):
    v = u(G)
    w = G.log(G.exp(v))
    assert np.abs(w - v).max() <= 16 * EPS * np.abs(v).max(initial=0.0)


@groups
@given(u=vectors(), v=vectors(), w=vectors())
@deterministic
def test_group(G, u, v, w):
    a, b, c = (G.exp(x(G)) for x in (u, v, w))
    close(G.compose(a, G.compose(b, c)), G.compose(G.compose(a, b), c), 24)
    close(G.compose(a, G.inverse(a)), G.identity, 24, a)
    close(G.compose(G.inverse(a), a), G.identity, 24, a)
    assert np.array_equal(G.compose(a, G.identity), a) and np.array_equal(G.compose(G.identity, a), a)


@groups
def test_zero_is_exact(G):
    zero = np.zeros(G.dim)
    assert np.array_equal(G.exp(zero), G.identity)
    assert np.array_equal(G.log(G.identity), zero)
    for T in (G.tangent, G.inverse_tangent):
        assert np.array_equal(T(zero), np.eye(G.dim))


@groups
@given(u=vectors())
@deterministic
def test_exp_is_the_exponential_of_hat(G, u):
    v = u(G)
    assert np.array_equal(G.vee(G.hat(v)), v)
    if len(G.element_shape) == 2:
        close(G.exp(v), series_exp(G.hat(v)), 12, v)
        g = G.exp(v)
        n = G._rotation
        close(g[:n, :n].T @ g[:n, :n], np.eye(n), 20)


@groups
@given(u=vectors(), v=vectors())
@deterministic
def test_adjoint(G, u, v):
    x, y = u(G), v(G)
    g, h = G.exp(x), G.exp(y)
    close(G.Ad(G.compose(g, h)), G.Ad(g) @ G.Ad(h), 16, G.Ad(g), G.Ad(h))
    close(G.Ad(g) @ G.Ad(G.inverse(g)), np.eye(G.dim), 30, G.Ad(g))
    close(G.Ad(g), series_exp(G.ad(x)), 20, x)
    close(G.ad(x) @ y, -G.ad(y) @ x, 8, x, y)
    if len(G.element_shape) == 2:
        close(g @ G.hat(y) @ G.inverse(g), G.hat(G.Ad(g) @ y), 30, G.Ad(g), y)
        X, Y = G.hat(x), G.hat(y)
        close(G.hat(G.ad(x) @ y), X @ Y - Y @ X, 6, x, y, G.ad(x) @ y)


@groups
@given(u=vectors())
@deterministic
def test_tangent_maps(G, u):
    v = u(G)
    T, S = G.tangent(v), G.inverse_tangent(v)
    close(S @ T, np.eye(G.dim), 10, T, S)
    # Left Jacobian two ways: T(-u) = Ad(exp u) T(u); and ad(u) T(u) = 1 - exp(-ad u).
    close(G.tangent(-v), G.Ad(G.exp(v)) @ T, 12, T, G.Ad(G.exp(v)))
    close(G.ad(v) @ T, np.eye(G.dim) - G.Ad(G.exp(-v)), 16, v, T, G.Ad(G.exp(-v)))
    close(T @ v, v, 8)
    close(S @ v, v, 10)


@groups
@given(u=vectors(), du=vectors())
@deterministic
def test_derivatives_of_tangent_maps_fit_together(G, u, du):
    v, dv = u(G), du(G)
    dT, dS = G.tangent_derivative(v, dv), G.inverse_tangent_derivative(v, dv)
    T, S = G.tangent(v), G.inverse_tangent(v)
    # D(S T) = 0, and D(T(u) u)[du] = du.
    close(dS @ T + S @ dT, np.zeros((G.dim, G.dim)), 30, dS, dT, np.abs(dS) @ np.abs(T))
    close(dT @ v + T @ dv, dv, 10, v, np.abs(dT) @ np.abs(v))


@groups
def test_batches(G):
    rng = np.random.default_rng(3)
    u = rng.normal(size=(2, 3, G.dim))
    du = rng.normal(size=(3, G.dim))
    g = G.exp(u)
    assert g.shape == (2, 3, *G.element_shape)
    assert G.log(g).shape == u.shape
    assert np.array_equal(g[1, 2], G.exp(u[1, 2]))
    assert np.array_equal(G.tangent_derivative(u, du)[1, 2], G.tangent_derivative(u[1, 2], du[2]))
    assert np.array_equal(G.compose(g, g[0])[1, 1], G.compose(g[1, 1], g[0, 1]))
    assert G.exp(np.zeros((0, G.dim))).shape == (0, *G.element_shape)
    assert np.array_equal(G.exp(np.asfortranarray(u[0])), g[0])
    for same in (G.hat, G.ad, G.Ad):
        batch = same(g if same == G.Ad else u)
        assert np.array_equal(batch[1, 2], same(g[1, 2] if same == G.Ad else u[1, 2]))


@given(u=vectors())
@deterministic
def test_quaternions(u):
    g = SO3.exp(u(SO3))
    q = SO3.to_quaternion(g)
    assert q[0] >= 0.0 and abs(q @ q - 1.0) <= 4 * EPS
    close(SO3.from_quaternion(q), g, 16)
    assert np.array_equal(SO3.from_quaternion(-q), SO3.from_quaternion(q))


@groups
def test_wrong_input_is_one_sentence(G):
    bad = np.zeros(G.dim)
    bad[0] = np.nan
    element = G.identity
    calls = [
        lambda: G.exp(np.zeros(G.dim + 1)),
        lambda: G.exp(1.0),
        lambda: G.exp(bad),
        lambda: G.exp(["x"] * G.dim),
        lambda: G.exp(1j * np.ones(G.dim)),
        lambda: G.log(np.zeros((2, 7))),
        lambda: G.log(element + np.nan),
        lambda: G.compose(np.stack([element] * 2), np.stack([element] * 3)),
        lambda: G.tangent_derivative(np.zeros((2, G.dim)), np.zeros((3, G.dim))),
    ]
    if len(G.element_shape) == 2:
        calls += [lambda: G.log(2.0 * element), lambda: G.log(np.diag([-1.0] + [1.0] * (element.shape[0] - 1)))]
    for call in calls:
        with pytest.raises(InputError, match=rf"^{G.name}: .*\.$"):
            call()


def test_zero_quaternion_is_refused():
    with pytest.raises(InputError, match="zero"):
        SO3.from_quaternion([0.0, 0.0, 0.0, 0.0])


def test_import_loads_no_compiler():
    code = "import sys, locodyn.lie; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
