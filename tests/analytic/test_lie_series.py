"""Coefficient functions and the arctangent against 60 digits, over a logarithmic grid down to 1e-12 and up to pi."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from locodyn.lie.arctangent import arctangent
from locodyn.lie.series import cos_sinc, inverse_tangent_series, stumpff
from locodyn.lie.so3 import log_quaternion

pytestmark = pytest.mark.slow

mpmath = pytest.importorskip("mpmath")
MP = mpmath.MPContext()  # a context of its own: no other test sees its precision
MP.dps = 60
compiled = numba.njit(error_model="numpy")  # not kept on disk

ANGLES = np.concatenate(
    [
        [0.0],
        10.0 ** np.linspace(-12.0, 0.0, 121),
        np.linspace(0.3, math.pi, 200),
        # both sides of every border between series and closed form, and of pi
        [math.sqrt(math.nextafter(b, s)) for b in (0.25, 4.0, 9.0, 16.0) for s in (0.0, 99.0)],
        [math.pi - 10.0**-e for e in range(3, 13)],
    ]
)
# About 1.3 times the largest errors in ulp measured over 2000 angles up to pi: c0 ... c8, then k, k', k''.
ULP = (2.0, 2.0, 2.5, 2.0, 2.5, 1.2, 1.2, 2.0, 5.0, 5.5, 7.0, 25.0)


@compiled
def evaluate(z, out):
    for i in range(z.shape[0]):
        c = stumpff(z[i])
        for k in range(9):
            out[i, k] = c[k]
        b = inverse_tangent_series(z[i])
        for k in range(3):
            out[i, 9 + k] = b[k]
        a = cos_sinc(z[i])
        for k in range(2):
            out[i, 12 + k] = a[k]


@compiled
def angles(y, x, out):
    for i in range(x.shape[0]):
        out[i] = arctangent(y[i], x[i])


@compiled
def logs(q, out):
    for i in range(q.shape[0]):
        v = log_quaternion((q[i, 0], q[i, 1], q[i, 2], q[i, 3]))
        for k in range(3):
            out[i, k] = v[k]


def stumpff_reference(z, n):
    """c_n(z) = sum (-z)^j / (2j + n)!"""
    return MP.fsum((-z) ** j / MP.factorial(2 * j + n) for j in range(36))


def test_coefficients_to_a_few_ulp():
    z = ANGLES**2
    out = np.zeros((len(z), 14))
    evaluate(z, out)
    # k(z) = sum |B_(2j+2)| z^j / (2j+2)!
    bernoulli = [abs(MP.bernoulli(2 * j + 2)) / MP.factorial(2 * j + 2) for j in range(90)]
    worst = np.zeros(14)
    for i, zi in enumerate(map(float, z)):
        exact = [stumpff_reference(MP.mpf(zi), n) for n in range(9)]
        for d in range(3):
            exact.append(MP.fsum(b * MP.ff(j, d) * MP.mpf(zi) ** (j - d) for j, b in enumerate(bernoulli) if j >= d))
        exact += exact[:2]
        for k in range(14):
            # c0 and c1 go through zero: their unit is that of 1/2, the size of the entries they make.
            unit = np.spacing(0.5) if k in (0, 1, 12, 13) else np.spacing(float(exact[k]))
            worst[k] = max(worst[k], abs(float((MP.mpf(float(out[i, k])) - exact[k]) / unit)))
    assert (worst <= [*ULP, *ULP[:2]]).all(), worst


def test_large_angles_keep_absolute_accuracy():
    t = np.linspace(math.pi, 40.0, 60)
    out = np.zeros((len(t), 14))
    evaluate(t * t, out)
    exact = np.array([[float(MP.cos(x)), float(MP.sin(x) / x), float((1 - MP.cos(x)) / x**2)] for x in map(MP.mpf, t)])
    # t = sqrt(t^2) is off by up to one unit of t: the cosine inherits it.
    assert (np.abs(out[:, :3] - exact) <= 2.0 * np.spacing(t)[:, None]).all()


def test_arctangent_to_two_ulp():
    rng = np.random.default_rng(2)
    ratio = 10.0 ** rng.uniform(-20.0, 20.0, 400)
    phi = rng.uniform(-math.pi, math.pi, 400)
    x = np.concatenate([rng.choice([-1.0, 1.0], 400), np.cos(phi), [1.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0]])
    y = np.concatenate([ratio * rng.choice([-1.0, 1.0], 400), np.sin(phi), [0.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0]])
    out = np.zeros_like(x)
    angles(y, x, out)
    for xi, yi, found in zip(map(float, x), map(float, y), map(float, out), strict=True):
        exact = MP.atan2(MP.mpf(yi), MP.mpf(xi)) if xi or yi else MP.mpf(0)
        assert abs(MP.mpf(found) - exact) <= 2.0 * np.spacing(abs(float(exact)))


def test_log_of_quaternion_near_zero_and_pi():
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    t = np.concatenate([[0.0], 10.0 ** -np.linspace(3, 12, 10), [1.0, 2.5], math.pi - 10.0 ** -np.linspace(3, 12, 10), [math.pi]])
    q = np.column_stack([np.cos(t / 2), np.sin(t / 2)[:, None] * axis])
    for sign in (1.0, -1.0):  # q and -q are one rotation; length does not matter
        for length in (1.0, 3.0):
            out = np.zeros((len(t), 3))
            logs(sign * length * q, out)
            assert (np.linalg.norm(out - t[:, None] * axis, axis=1) <= 4 * np.finfo(float).eps * t).all()
    # Past pi the short way round is taken.
    out = np.zeros((1, 3))
    logs(np.array([[math.cos(1.6), *(math.sin(1.6) * axis)]]), out)
    assert np.allclose(out[0], (3.2 - 2 * math.pi) * axis, atol=1e-15)
