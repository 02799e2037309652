"""Virtual constraints: curves against their definition, and the piston against its zero dynamics (Aguirre 2010, 5.7)."""

from math import comb

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.controllers import Bezier, OutputLinearisation, Place, SplineCurve, VirtualConstraints


@pytest.mark.parametrize("degree", [2, 3, 6, 9])
def test_bezier_is_its_definition(degree):
    rng = np.random.default_rng(degree)
    alpha = rng.normal(size=(3, degree + 1))
    curve = Bezier(alpha)
    for s in (0.0, 0.3, 0.9, 1.0):
        wanted = sum(alpha[:, k] * comb(degree, k) * s**k * (1 - s) ** (degree - k) for k in range(degree + 1))
        value, slope, bend = curve(s)
        assert np.abs(value - wanted).max() < 1e-14
        h = 1e-4  # central differences, errors h^2 times derivatives of order M^3
        assert np.abs(slope - (curve(s + h)[0] - curve(s - h)[0]) / (2 * h)).max() < 1e-4
        assert np.abs(bend - (curve(s + h)[1] - curve(s - h)[1]) / (2 * h)).max() < 1e-3
    assert np.abs(curve(0.0)[1] - degree * (alpha[:, 1] - alpha[:, 0])).max() < 1e-13
    assert np.abs(curve(1.0)[1] - degree * (alpha[:, -1] - alpha[:, -2])).max() < 1e-13


def test_spline_passes_its_values():
    s = np.linspace(0.0, 1.0, 9)
    curve = SplineCurve(s, [np.sin(3 * s), s**3])
    assert np.abs(curve(s[4])[0] - (np.sin(3 * s[4]), s[4] ** 3)).max() < 1e-14
    assert np.abs(curve(0.4)[2] - (-9 * np.sin(1.2), 2.4)).max() < 1e-2


def test_wrong_curves_and_outputs_are_refused():
    robot = ld.zoo.piston().model
    with pytest.raises(ld.InputError, match="three or more"):
        Bezier([[0.0, 1.0]])
    with pytest.raises(ld.InputError, match="one for each"):
        VirtualConstraints(robot, ["th_2"], "th_1", (0.0, 1.0), Bezier(np.zeros((2, 4))))
    with pytest.raises(ld.InputError, match="'th_9'"):
        VirtualConstraints(robot, ["th_9"], "th_1", (0.0, 1.0), Bezier(np.zeros((1, 4))))
    with pytest.raises(ld.InputError, match="different numbers"):
        VirtualConstraints(robot, ["th_2"], "th_1", (1.0, 1.0), Bezier(np.zeros((1, 4))))
    outputs = VirtualConstraints(robot, ["th_2"], "th_1", (0.0, 1.0), Bezier(np.zeros((1, 4))))
    with pytest.raises(ld.InputError, match="one for each"):
        OutputLinearisation(outputs, ["th_2", "th_3"])


def test_derivatives_of_outputs():
    """ydot and yddot along a motion are those of y by central differences (1e-7)."""
    scenario = ld.zoo.piston()
    outputs = scenario.drive.controller.constraints
    rng = np.random.default_rng(0)
    q, v, a, h = rng.uniform(-1, 1, 3), rng.normal(size=3), rng.normal(size=3), 1e-4
    _, rate, rows, drift = outputs.at(q, v)

    def at(t):
        return outputs.at(q + t * v + 0.5 * t * t * a, v + t * a)

    assert np.abs(rate - (at(h)[0] - at(-h)[0]) / (2 * h)).max() < 1e-7
    assert np.abs(rows @ a + drift - (at(h)[1] - at(-h)[1]) / (2 * h)).max() < 1e-7


@pytest.mark.slow
def test_piston_moves_as_its_zero_dynamics():
    """D21: th1 is that of sigmadot = moment of gravity, sigma = I(th1) th1dot, integrated apart, to 1e-6."""
    run = ld.zoo.piston().run(progress=False)
    lengths, masses = np.array([0.3, 0.5, 0.1]), np.array([1.0, 1.0, 0.5])

    def posture(th):
        rod = np.arccos(-lengths[0] / lengths[1] * np.cos(th))
        turn = -lengths[0] * np.sin(th) / (lengths[1] * np.sin(rod))
        return np.array([th, rod, np.pi]), np.array([1.0, turn, 0.0])  # absolute angles of the bars, their slopes by th

    def momentum(th):
        """sigma for th1dot = 1, and the horizontal place of the mass centre times the mass."""
        angle, slope = posture(th)
        place, speed, sigma, moment = np.zeros(2), np.zeros(2), 0.0, 0.0
        for length, mass, a, w in zip(lengths, masses, angle, slope, strict=True):
            along, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
            centre, motion = place + 0.5 * length * along, speed + 0.5 * length * w * across
            sigma += mass * (centre[0] * motion[1] - centre[1] * motion[0]) + mass * length**2 / 12 * w
            moment -= mass * 9.81 * centre[0]
            place, speed = place + length * along, speed + length * w * across
        return sigma, moment

    def rates(_, x):
        inertia, moment = momentum(x[0])
        return [x[1] / inertia, moment]

    start = [1.0, 2.0 * momentum(1.0)[0]]
    exact = solve_ivp(rates, (0.0, 1.0), start, rtol=1e-11, atol=1e-12, t_eval=[1.0]).y[0, -1]
    assert abs(float(run.joint_position.sel(joint="th_1")[-1]) - exact) < 1e-6


@pytest.mark.slow
def test_virtual_and_physical_constraints_differ():
    """D22: walls give another motion of the crank than actuators, by more than 0.1 rad after 1 s."""
    one, two = (float(ld.zoo.piston(walls=walls).run(progress=False).joint_position.sel(joint="th_1")[-1]) for walls in (0, 1))
    assert abs(one - two) > 0.1


def test_place_is_the_place_of_a_point():
    model = ld.zoo.piston().model
    outputs = VirtualConstraints(model, [Place("pin", (0, 0, 1))], "th_1", (0.0, 1.0), Bezier(np.zeros((1, 3))))
    q = np.array([0.3, 0.4, 0.5])
    assert abs(outputs.at(q, np.zeros(3))[0][0] - (0.3 * np.sin(0.3) + 0.5 * np.sin(0.7))) < 1e-14
