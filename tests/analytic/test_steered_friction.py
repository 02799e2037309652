"""Steered wheels with a contact law: they tend to the ideal car, and the power balance closes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, sine
from locodyn.robot import Robot, about_centre
from locodyn.world import Drag, Sliding, UserLaw
from peers import totals_rate

pytestmark = pytest.mark.slow

MASS, YAW, CENTRE, BASE, RADIUS = 20.0, 1.5, 0.3, 0.6, 0.1
STEERING = sine(0.5, omega=1.5, phase=0.4)
TORQUE = 0.4


def car(contact: Any = None) -> Problem:
    """A car of two wheels, the rear one driven by a torque, the front one steered; frame in the rear contact."""
    robot = Robot("car")
    body = robot.base("car", moves="planar", mass=MASS, centre=(CENTRE, 0, 0), inertia=about_centre(zz=YAW))
    body.wheel("rear", axis="y", radius=RADIUS, actuated=True, contact=contact)
    body.wheel("front", at=(BASE, 0, 0), axis="y", kind="steered", contact=contact)
    return Problem(robot.model(), drives=Drives(steering={"front": STEERING}, torque={"rear": constant(TORQUE)}))


def ideal_end(t_end: float) -> np.ndarray:
    """The ideal car in its own equation: with k = tan(beta) / l, (m + (I + m s^2) k^2) vdot + (I + m s^2) k kdot v = F."""
    turning = YAW + MASS * CENTRE**2

    def rate(t: float, y: np.ndarray) -> list[float]:
        beta, betadot, _ = STEERING.at(t)
        k, kdot = np.tan(beta) / BASE, betadot / np.cos(beta) ** 2 / BASE
        acceleration = (TORQUE / RADIUS - turning * k * kdot * y[3]) / (MASS + turning * k * k)
        return [y[3] * np.cos(y[2]), y[3] * np.sin(y[2]), y[3] * k, acceleration]

    return solve_ivp(rate, (0.0, t_end), np.zeros(4), rtol=1e-11, atol=1e-12).y[:3, -1]


def end(problem: Problem, step: float) -> np.ndarray:
    solution = solve(problem, np.zeros(3), np.zeros(3), t_end=2.0, step=step, record_every=100)
    assert solution.status == "completed"
    return solution.q[-1]


def test_ideal_car_in_its_own_equation() -> None:
    np.testing.assert_allclose(end(car(), 2e-3), ideal_end(2.0), atol=1e-9)


@pytest.mark.parametrize("law", ["drag", "sliding", "function"])
def test_car_with_friction_tends_to_the_ideal_car_with_order_one(law: str) -> None:
    ideal, errors = ideal_end(2.0), []
    strengths = (2e3, 4e3) if law == "function" else (2e3, 4e3, 8e3)
    for c in strengths:
        contact: Any = Drag(linear=(0.0, c, 0.0))
        if law == "sliding":
            contact = Sliding((0.0, 1.0), load=c, speed=1.0, coupled=False)
        if law == "function":
            contact = UserLaw(lambda t, rotation, position, twist, c=c: (0.0, -c * twist[1], 0.0, 0.0, 0.0, 0.0))
        errors.append(np.abs(end(car(contact), 2e-3) - ideal).max())
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(slopes, 1.0, atol=0.05)
    assert errors[-1] < 2e-3


def state(seed: int = 3) -> tuple[float, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return 0.7, rng.standard_normal(3), rng.standard_normal(3)


def law_by_hand(t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
    """Force (world axes) and moment of Drag(linear=(2, 30, 0), angular=(0, 0, 0.7)) at the steered front wheel."""
    beta, betadot, _ = STEERING.at(t)
    heading, axle = np.array([np.cos(beta), np.sin(beta)]), np.array([-np.sin(beta), np.cos(beta)])
    point = np.array([v[0], v[1] + BASE * v[2]])
    force = -2.0 * (heading @ point) * heading - 30.0 * (axle @ point) * axle
    turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
    return turn @ force, -0.7 * (v[2] + betadot)


def test_forces_are_those_of_the_law_in_the_axes_of_the_steered_wheel() -> None:
    """The wheel turns with its steering: its drag against turning feels the rate of the body and that of the steering."""
    robot = Robot("car")
    body = robot.base("car", moves="planar", mass=MASS, centre=(CENTRE, 0, 0), inertia=about_centre(zz=YAW))
    body.wheel("front", at=(BASE, 0, 0), kind="steered", contact=Drag(linear=(2.0, 30.0, 0.0), angular=(0.0, 0.0, 0.7)))
    model = robot.model()
    problem = Problem(model, drives=Drives(steering={"front": STEERING}))
    t, q, v = state()
    force, moment = law_by_hand(t, q, v)
    series = problem.series(np.array([t]), q[None], v[None])
    np.testing.assert_allclose(series["contact_force"][0, 0], (*force, 0.0), rtol=1e-13)
    turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
    local = turn.T @ force
    loads = np.array([*local, BASE * local[1] + moment])
    wanted = np.linalg.solve(model.mass_matrix(q), loads - model.bias(q, v))
    np.testing.assert_allclose(series["acceleration"][0, [0, 1, 5]], wanted, rtol=1e-12)
    # The steering motor works against the moment; all of force and moment is lost.
    _, betadot, _ = STEERING.at(t)
    point = np.array([v[0], v[1] + BASE * v[2]])
    assert series["power_actuators"][0] == pytest.approx(-moment * betadot, rel=1e-12)
    assert series["power_dissipated"][0] == pytest.approx(-(local @ point) - moment * (v[2] + betadot), rel=1e-12)


@pytest.mark.parametrize(
    "contact",
    [Drag(linear=(0.5, 60.0, 0.0), angular=(0.0, 0.0, 0.3)), Sliding((0.02, 0.6), load=98.1, speed=0.05, coupled=False)],
)
def test_power_balance_of_the_car_with_friction(contact: Any) -> None:
    problem = car(contact)
    t, q, v = state()
    series = problem.series(np.array([t]), q[None], v[None])
    a = problem.accelerations(t, q.copy(), v.copy())
    gained = totals_rate(problem.model, q, v, a)[0]
    supplied = series["power_actuators"][0] - series["power_dissipated"][0]
    assert series["power_dissipated"][0] > 0.1
    assert gained == pytest.approx(supplied, rel=1e-12)


def test_contact_forces_of_wheels_with_a_law_move_the_mass_centre() -> None:
    """Sum of contact forces = m a of the mass centre; the driven wheel pushes with torque / radius along its heading."""
    problem = car(Drag(linear=(0.0, 40.0, 0.0)))
    t, q, v = state()
    series = problem.series(np.array([t]), q[None], v[None])
    a = problem.accelerations(t, q.copy(), v.copy())
    rate = totals_rate(problem.model, q, v, a)[6:9]
    np.testing.assert_allclose(series["contact_force"][0].sum(axis=0), rate, rtol=1e-12, atol=1e-12)
    heading = np.array([np.cos(q[2]), np.sin(q[2]), 0.0])
    assert series["contact_force"][0, 0] @ heading == pytest.approx(TORQUE / RADIUS, rel=1e-12)


def test_results_name_the_contacts_and_those_that_would_have_to_pull() -> None:
    """A wheel on a glue that pulls it down at 3 N: the result holds its force, and says that the ground would have to pull."""
    robot = ld.Robot("sled")
    sled = robot.base("sled", moves="free", mass=1.0, inertia=about_centre(xx=0.1, yy=0.1, zz=0.1))
    sled.wheel("pad", contact=UserLaw(lambda t, rotation, position, twist: (0.0, 0.0, -3.0, 0.0, 0.0, 0.0)))
    with pytest.warns(ld.sim.LiftWarning, match="hold 'pad' down from t = 0 s"):
        result = ld.simulate(robot, gravity=(0, 0, 0), t_end=0.1, progress=False)
    assert result.contact.values.tolist() == ["pad"]
    np.testing.assert_allclose(result.contact_force.values[:, 0], np.tile((0.0, 0.0, -3.0), (11, 1)), atol=1e-15)


def test_wheel_with_inertia_keeps_rolling_under_a_contact_law() -> None:
    """The law stands for the grip across; along its heading the wheel rolls, so that its inertia counts: m + I / R^2."""
    robot = Robot("roller", massless_ok=True)
    base = robot.base("frame", moves="planar", mass=3.0, inertia=about_centre(zz=0.2))
    base.wheel("w", radius=RADIUS, mass=1.0, spin_inertia=0.02, contact=Drag(linear=(0.0, 50.0, 0.0)))
    model = robot.model()
    a = Problem(model, torque={3: constant(0.5)}).accelerations(0.0, model.neutral(), np.zeros(4))
    assert a[0] == pytest.approx(0.5 / RADIUS / (4.0 + 0.02 / RADIUS**2), rel=1e-12)
    assert a[3] == pytest.approx(a[0] / RADIUS, rel=1e-12)
