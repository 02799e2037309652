"""Strides that leave the ground: the derivative of the map through lift-off, flight and touchdown, with feedback in stance."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import OutputLinearisation
from locodyn.controllers.curves import SplineCurve
from locodyn.controllers.stride_feedback import StrideFeedback
from locodyn.controllers.virtual_constraints import TimedConstraints
from locodyn.phases import LiftOff, Phase, PoincareMap, Touchdown
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
