"""Strides that leave the ground: the derivative of the map through lift-off, flight and touchdown, with feedback in stance; and
those of a robot that has no foot."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locodyn as ld
from locodyn.controllers import OutputLinearisation
from locodyn.controllers.curves import SplineCurve
from locodyn.controllers.stride_feedback import StrideFeedback
from locodyn.controllers.virtual_constraints import TimedConstraints
from locodyn.phases import LiftOff, Phase, PoincareMap, Reaches, Touchdown
from walker_cases import hopper

PUSH = 0.4  # s


def hopping():
    """Poincare map of a foot and a body above it whose leg follows splines of time, and a state in which stance begins.

    The leg pushes with l'' down to -18 m/s^2; the ground would have to pull where l'' < -15, with 1 kg on 0.5 kg and g = 10. The
    spline goes through places that are a little off a sine, so that its higher derivatives jump at the knots. Feedback shifts the
    push by what the leg and its rate are where stance begins, and so the force on the foot and the time of lift-off.
    """
    bare = hopper(ld.motion.constant(0.0))
    model, s = bare.model, np.linspace(0.0, 1.0, 17)
    rough = 1.0 + 0.3 * np.sin(np.pi * s) + 5e-4 * (-1.0) ** np.arange(17)
    push = OutputLinearisation(TimedConstraints(model, ["leg"], PUSH, SplineCurve(s, rough)), ["leg"], ["sole"])
    push.feedback = StrideFeedback(np.array([[0.0, 0.4, 0.0, 0.2]]), np.array([0.0, 1.02]), np.array([0.0, 2.2]))
    fold = TimedConstraints(model, ["leg"], PUSH, SplineCurve(s, 1.15 - 0.1 * s))
    stands, flies = Phase("sole", push), Phase((), OutputLinearisation(fold, ["leg"]))
    ways = [LiftOff("stance", "flight", "sole"), Touchdown("flight", "stance", "sole", None)]
    phases = ld.Phases({"stance": stands, "flight": flies}, ways)
    scenario = ld.Scenario("hopping", bare.robot, gravity=(0, 0, -10.0), phases=phases, t_end=1.0)
    return PoincareMap(scenario, tolerance=1e-13), np.array([0.0, 1.0]), np.array([0.0, 2.3])


def test_derivative_through_lift_off_flight_and_touchdown():
    """That of finite differences of order 4, to 1e-6 (measured 1e-10); the guard has slopes by state, shift and time."""
    step, q, v = hopping()
    stride = step(q, v)
    assert [way.phase for way in stride.passages] == ["stance", "flight"]

    def after(x):
        found = step(q + x[:2], v + x[2:])
        return np.concatenate([found.q, found.v])

    matrix, h = step.matrix(stride), 1e-3
    for direction in (np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])):
        near, far = ((after(k * h * direction) - after(-k * h * direction)) / (2 * k * h) for k in (1, 2))
        wanted = (4.0 * near - far) / 3.0
        assert np.abs(wanted).max() > 0.1
        assert np.abs(matrix @ direction - wanted).max() < 1e-6


def test_what_is_learned_where_a_phase_begins_is_refused():
    """A controller that keeps the state of the beginning makes the map depend on it in a way that no slope shows; one that keeps
    the time alone does not."""

    class Learns:
        kept = 0.0

        def restart(self, t, q, v):
            self.kept = v[1]

        def __call__(self, t, q, v):
            return np.array([0.0, 20.0 + self.kept])

    class Starts(Learns):
        def restart(self, t, q, v):
            self.kept = t

    step, q, v = hopping()
    old = step.hybrid.phases
    for controller, refused in ((Learns(), True), (Starts(), False)):
        phases = ld.Phases({"stance": old["stance"], "flight": Phase((), controller)}, old.transitions)
        changed = PoincareMap(step.scenario.changed(phases=phases), tolerance=1e-9)
        stride = changed(q, v)
        if not refused:
            changed.matrix(stride)
            continue
        with pytest.raises(ld.InputError, match="phase 'flight' answers the state in which the phase began"):
            changed.matrix(stride)


def test_limit_cycle_of_a_robot_without_feet():
    """Van der Pol's oscillator, x'' = (1 - x^2) x' - x, as a sliding mass on a spring: its cycle from x = 0, rising, on.

    Independent: DOP853 on the equation, 1e-12 a step. The multiplier of the section is exp of the integral of the divergence
    1 - x^2 (Liouville); nothing is shifted along a floor.
    """
    robot = ld.Robot("oscillator")
    mass = robot.body("mass", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x", name="x")
    mass.actuator(stiffness=1.0)
    round_ = ld.Phases({"round": Phase((), lambda t, q, v: (1.0 - q * q) * v)}, [Reaches("round", "round", "x", 0.0, "rising")])
    step = PoincareMap(ld.Scenario("oscillator", robot, gravity=(0, 0, 0), phases=round_), tolerance=1e-12)
    orbit = step.fixed_point(np.zeros(1), np.array([2.0]))

    def rates(_, y):
        return [y[1], (1.0 - y[0] ** 2) * y[1] - y[0], 1.0 - y[0] ** 2]

    def passes(_, y):
        return y[0]

    passes.terminal, passes.direction = 2, 1.0  # the start is one

    def after(speed):
        return solve_ivp(rates, (0.0, 20.0), [0.0, speed, 0.0], "DOP853", events=passes, rtol=1e-12, atol=1e-13)

    speed = brentq(lambda v: after(v).y_events[0][-1][1] - v, 1.8, 2.6, xtol=1e-13)
    exact = after(speed)
    assert abs(orbit.v[0] - speed) < 1e-9 and abs(orbit.stride.duration - exact.t_events[0][-1]) < 1e-9
    assert step.shifts(orbit.q).shape == (1, 0)
    assert abs(orbit.multipliers[0] - np.exp(exact.y[2, -1])) < 1e-9 and abs(orbit.multipliers[1]) < 1e-9
