"""Wheels with friction: they tend to the ideal wheel with order 1, lose what their law says, and slide as Coulomb says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import cosine
from locodyn.robot import Robot, about_centre
from locodyn.world import Drag, Sliding


def two_axle(contact: Any = None) -> Problem:
    """Spec C5: two bodies with an axle each and an imposed hinge."""
    robot = Robot("two axles")
    robot.base("front", mass=3.0, inertia=about_centre(zz=0.03), moves="planar").wheel(axis="y", contact=contact)
    rear = robot.body("rear", mass=1.0, centre=(0.1, 0, 0), inertia=about_centre(zz=0.008)).on("front", at=(0.3, 0, 0))
    rear.turning("z").wheel(at=(0.15, 0, 0), axis="y", contact=contact)
    return Problem(robot.model(), imposed={3: cosine(-0.6, omega=2.0)})


def end(problem: Problem, step: float) -> np.ndarray:
    solution = solve(problem, np.zeros(4), np.zeros(4), t_end=2.0, step=step, record_every=100)
    assert solution.status == "completed"
    return solution.q[-1, :3]


# The rate c / m (with m down to the 0.1 kg that the axle of the rear body moves) must stay within rkmk4's 2.7 / h.
@pytest.mark.parametrize("law", ["drag", "sliding"])
def test_friction_tends_to_the_ideal_wheel_with_order_one(law: str) -> None:
    """Spec B4: the error falls like 1 / c. For dry friction c = mu N / v near rest, so that the load plays this part."""
    ideal = end(two_axle(), 2e-3)
    errors = []
    for c in (100.0, 200.0, 400.0):
        contact = Drag(linear=(0.0, c, 0.0)) if law == "drag" else Sliding((0.0, 0.5), load=2.0 * c, speed=1.0)
        errors.append(np.abs(end(two_axle(contact), 5e-4) - ideal).max())
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(slopes, 1.0, atol=0.06)  # measured 0.98 to 1.01
    assert errors[-1] < 5e-3


@pytest.mark.parametrize(
    "contact",
    [
        Drag(linear=(0.5, 60.0, 0.0)),
        Sliding((0.05, 0.6), load=30.0, speed=0.05),
        Sliding((0.05, 0.6), load=30.0, speed=0.05, coupled=False),
    ],
)
def test_power_lost_by_wheels_closes_the_balance(contact: Any) -> None:
    problem = two_axle(contact)
    solution = solve(problem, np.zeros(4), np.zeros(4), t_end=2.0, step=5e-4)
    series = problem.series(solution.times, solution.q, solution.v)
    assert (series["power_dissipated"] >= 0.0).all() and series["power_dissipated"].max() > 1e-4
    balance = series["power_actuators"] - series["power_dissipated"]
    # Simpson's rule for the work between every second sample, against the energy.
    work = np.cumsum((balance[:-2:2] + 4 * balance[1:-1:2] + balance[2::2]) * 5e-4 / 3)
    found = series["kinetic_energy"][2::2] - series["kinetic_energy"][0]
    np.testing.assert_allclose(found, work, atol=1e-7)  # Simpson and rkmk4: h^4; measured 3e-9 J of 0.03 J


def test_block_on_dry_friction_stops_after_the_distance_of_coulomb() -> None:
    """v0^2 / (2 mu g) for v0 much above the regularisation speed: the rest is of the order of speed^2 log."""
    mu, mass, start = 0.4, 2.0, 1.5
    robot = Robot("block")
    body = robot.base("block", mass=mass, inertia=about_centre(zz=0.1), moves="planar")
    body.wheel("pad", contact=Sliding(mu, load=mass * 9.81, speed=1e-3))
    solution = solve(Problem(robot.model()), np.zeros(3), [start, 0.0, 0.0], t_end=1.0, step=1e-4, record_every=100)
    # After the stop it creeps at v = v0 exp(-mu g t / speed): nothing.
    assert solution.q[-1, 0] == pytest.approx(start**2 / (2 * mu * 9.81), rel=1e-4)
    assert abs(solution.v[-1, 0]) < 1e-9


def test_drag_of_a_wheel_acts_along_its_own_axes_at_its_own_place() -> None:
    """Wheel turned by 0.7, at (0.2, -0.1): wrench on the body = J^T (-c_x vx, -c_y vy) of the contact point."""
    robot = Robot("turned")
    heading = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    axle = np.array([-np.sin(0.7), np.cos(0.7), 0.0])
    base = robot.base("b", mass=2.0, inertia=about_centre(zz=0.1), moves="planar")
    base.wheel("w", at=(0.2, -0.1, 0.0), axis=axle, contact=Drag(linear=(1.5, 7.0, 0.0)))
    model = robot.model()
    v = np.array([0.3, -0.6, 1.1])
    point = np.array([v[0] + 0.1 * v[2], v[1] + 0.2 * v[2], 0.0])
    force = -1.5 * (heading @ point) * heading - 7.0 * (axle @ point) * axle
    loads = np.array([force[0], force[1], 0.2 * force[1] + 0.1 * force[0]])
    wanted = np.linalg.solve(model.mass_matrix(np.zeros(3)), loads - model.bias(np.zeros(3), v))
    found = Problem(model).accelerations(0.0, np.zeros(3), v.copy())
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def side_force(coupled: bool, forward: float, across: float) -> np.ndarray:
    """Force of a friction of (0.1, 0.5) under 20 N at a contact that moves with these speeds."""
    robot = Robot("block")
    body = robot.base("block", mass=2.0, inertia=about_centre(zz=0.1), moves="planar")
    body.wheel("pad", contact=Sliding((0.1, 0.5), load=20.0, speed=0.01, coupled=coupled))
    problem = Problem(robot.model())
    series = problem.series(np.zeros(1), np.zeros((1, 3)), np.array([[forward, across, 0.0]]))
    np.testing.assert_allclose(2.0 * series["acceleration"][0, :2], series["contact_force"][0, 0, :2], atol=1e-14)
    return series["contact_force"][0, 0, :2]


def test_grip_of_a_wheel_does_not_depend_on_how_fast_it_rolls() -> None:
    """Independent directions: -mu_i N v_i / sqrt(v_i^2 + v0^2), the same across at any speed along."""
    wanted = -0.5 * 20.0 * 0.02 / np.hypot(0.02, 0.01)
    for forward in (0.0, 0.5, 3.0):
        found = side_force(False, forward, 0.02)
        np.testing.assert_allclose(found, (-0.1 * 20.0 * forward / np.hypot(forward, 0.01), wanted), rtol=1e-13)


def test_pad_that_slides_one_way_has_little_friction_left_across() -> None:
    """Coupled: the force is opposite to mu v, and in size mu N when mu_x = mu_y."""
    found = side_force(True, 3.0, 0.02)
    speed = np.sqrt(3.0**2 + 0.02**2 + 0.01**2)
    np.testing.assert_allclose(found, (-0.1 * 20.0 * 3.0 / speed, -0.5 * 20.0 * 0.02 / speed), rtol=1e-13)
