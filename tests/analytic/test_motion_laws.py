"""Laws against their formulas; tolerances are round-off of the size of the numbers involved unless said otherwise."""

import math

import numpy as np
import pytest

from locodyn import motion

T = np.linspace(-1.0, 7.0, 161)


def check(law, value, rate, acceleration, tolerance=1e-13):
    scale = 1.0 + max(np.max(np.abs(x)) for x in (value, rate, acceleration))
    assert np.max(np.abs(law(T) - value)) <= tolerance * scale
    assert np.max(np.abs(law.rate(T) - rate)) <= tolerance * scale
    assert np.max(np.abs(law.acceleration(T) - acceleration)) <= tolerance * scale


def test_polynomial():
    check(motion.polynomial(1, 2, -3, 0.5), 1 + 2 * T - 3 * T**2 + 0.5 * T**3, 2 - 6 * T + 1.5 * T**2, -6 + 3 * T)


def test_harmonics():
    w, p = 2.5, 0.4
    sine, cosine = np.sin(w * T + p), np.cos(w * T + p)
    check(motion.sine(3, omega=w, phase=p, offset=1), 1 + 3 * sine, 3 * w * cosine, -3 * w * w * sine)
    check(motion.cosine(3, omega=w, phase=p), 3 * cosine, -3 * w * sine, -3 * w * w * cosine)


def test_sums_and_factors():
    law = 2 * (motion.sine(1, omega=1) - 3) + motion.polynomial(0, 1) / 4 - motion.constant(1)
    check(law, 2 * np.sin(T) - 7 + T / 4, 2 * np.cos(T) + 0.25, -2 * np.sin(T))
    check(1 - law, 8 - 2 * np.sin(T) - T / 4, -2 * np.cos(T) - 0.25, 2 * np.sin(T))


@pytest.mark.parametrize("degree", [5, 7])
def test_transition_rests_at_both_ends(degree):
    law = motion.transition(1.0, 3.0, duration=2.0, at=1.0, degree=degree)
    for t, value in ((-5.0, 1.0), (1.0, 1.0), (3.0, 3.0), (9.0, 3.0)):
        assert np.allclose(law.at(t), (value, 0, 0), atol=1e-12)
    assert law(2.0) == pytest.approx(2.0, abs=1e-14)


def test_blended_ramp_ends_half_a_blend_later():
    law = motion.ramp(2.0, at=1.0, blend=0.5)  # slope (t - at - blend/2)
    assert law.at(0.9) == (0.0, 0.0, 0.0)
    assert np.allclose(law.at(4.0), (2.0 * 2.75, 2.0, 0.0), atol=1e-13)


def test_soft_start_is_the_product():
    law = motion.sine(1.0, omega=3.0).soft_start(2.0)
    x = np.clip(T / 2.0, 0, 1)
    w = 35 * x**4 - 84 * x**5 + 70 * x**6 - 20 * x**7
    w1 = 70 * x**3 - 210 * x**4 + 210 * x**5 - 70 * x**6  # by t, with x = t / 2
    w2 = 105 * x**2 - 420 * x**3 + 525 * x**4 - 210 * x**5
    s, c = np.sin(3 * T), np.cos(3 * T)
    check(law, w * s, w1 * s + 3 * w * c, w2 * s + 6 * w1 * c - 9 * w * s)
    assert law.at(0.0) == (0.0, 0.0, 0.0)


def test_quintic_spline_reproduces_a_quintic():
    c = np.array([1.0, -2.0, 0.3, 0.7, -0.1, 0.05])
    knots = np.linspace(-1, 7, 12)
    exact = np.polynomial.Polynomial(c)
    check(motion.spline(knots, exact(knots)), exact(T), exact.deriv()(T), exact.deriv(2)(T), 1e-11)


def test_spline_converges_with_its_order():
    errors = []
    inner = np.linspace(1, 5, 401)  # away from the ends, where the constant of the error is larger
    for n in (20, 40):
        knots = np.linspace(-1, 7, n + 1)
        errors.append(np.max(np.abs(motion.spline(knots, np.sin(knots))(inner) - np.sin(inner))))
    assert 2**5.5 < errors[0] / errors[1] < 2**7.5  # order 6


def test_periodic_spline_repeats():
    knots = 1.0 + np.linspace(0, 2 * np.pi, 33)
    law = motion.spline(knots, np.sin(knots), periodic=True)
    far = np.linspace(-20, 50, 211)
    assert np.allclose(law(far), np.sin(far), atol=1e-6)  # interpolation error (2 pi/32)^6 / 30
    assert np.allclose(law(far), law(far + 6 * np.pi), atol=1e-13)
    assert np.allclose(law.acceleration(far), law.acceleration(far - 2 * np.pi), atol=1e-10)


def test_samples_are_straight_lines():
    law = motion.samples([0, 1, 3], [0, 2, 0])
    assert law.at(0.5) == (1.0, 2.0, 0.0) and law.at(2.0) == (1.0, -1.0, 0.0)


@pytest.mark.parametrize("omega", [0.1, 3.0, 30.0])
def test_derivatives_of_python_functions(omega):
    law = motion.function(lambda t: math.sin(omega * t))
    assert np.allclose(law.rate(T) / omega, np.cos(omega * T), atol=1e-11)
    assert np.allclose(law.acceleration(T) / omega**2, -np.sin(omega * T), atol=1e-8)


def test_python_function_with_soft_start_and_library_law():
    mixed = (motion.function(math.sin, math.cos) - 2 * motion.sine(1, omega=2)).soft_start(3.0)
    library = (motion.sine(1, omega=1) - 2 * motion.sine(1, omega=2)).soft_start(3.0)
    assert mixed.is_python and not library.is_python
    assert np.allclose(mixed(T), library(T), atol=1e-14)
    assert np.allclose(mixed.acceleration(T), library.acceleration(T), atol=1e-9)
