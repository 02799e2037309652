"""Metrics of studies against closed forms, on robots whose whole motion is given."""

import math
import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.study import METRICS
from locodyn.study.measures import cycle_of

G, SPEED, CART, BOB, SWING, OMEGA, CYCLES, STEPS = 9.81, 0.3, 2.0, 0.5, 0.1, 4.0, 3, 200
PERIOD = 2.0 * math.pi / OMEGA
HALF = 4.0 * math.pi / STEPS  # k h of |sin cos| = |sin 2 phi| / 2 from record to record


def of(name: str, result: ld.Result, cycle: float | None = None) -> float:
    metric = METRICS[name]
    assert metric.of_run is not None and result.scenario is not None
    metric.check(result.scenario, cycle)
    return metric.of_run(result, cycle)


@pytest.fixture(scope="module")
def cart() -> ld.Result:
    """A cart that is driven at constant speed, with a mass that is driven to and fro on it along the same line."""
    robot = ld.Robot("cart")
    base = robot.base("cart", moves="prismatic", axis="x", joint="drive", mass=CART)
    robot.body("bob", mass=BOB).on(base).sliding("x", name="slide")
    motion = {"drive": ld.ramp(SPEED), "slide": ld.sine(SWING, omega=OMEGA)}
    return ld.simulate(robot, imposed=motion, t_end=CYCLES * PERIOD, dt=PERIOD / STEPS, integrator="rkmk4", progress=False)


def test_motion_over_whole_cycles(cart: ld.Result) -> None:
    way = SPEED * CYCLES * PERIOD
    assert cart.scenario is not None and cycle_of(cart.scenario) == pytest.approx(PERIOD, rel=1e-12)
    for name, value in {
        "displacement": way, "displacement_x": way, "displacement_y": 0.0, "speed": SPEED, "duration": CYCLES * PERIOD,
        "displacement_per_cycle": SPEED * PERIOD, "lowest_height": 0.0,
    }.items():  # fmt: skip
        assert of(name, cart) == pytest.approx(value, rel=1e-9, abs=1e-9), name
    # Half a cycle more than two are two whole ones.
    assert of("displacement_per_cycle", cart, cycle=0.4 * CYCLES * PERIOD) == pytest.approx(
        SPEED * 0.4 * CYCLES * PERIOD, rel=1e-6
    )


def test_effort_and_torques(cart: ld.Result) -> None:
    """Force m w^2 A sin, power m w^3 A^2 sin cos: of magnitude 2 m w^2 A^2 in a cycle, by trapezoids (k h)^2 / 12 less."""
    force, effort = BOB * OMEGA**2 * SWING, 2.0 * BOB * OMEGA**2 * SWING**2 * CYCLES
    less = 1.01 * HALF**2 / 12.0
    assert of("peak_torque", cart) == pytest.approx(force, rel=1e-9)
    assert of("rms_torque", cart) == pytest.approx(force / math.sqrt(2.0), rel=1e-9)
    assert of("actuator_effort", cart) == pytest.approx(effort, rel=less)
    weight = (CART + BOB) * G
    assert of("cost_of_transport", cart) == pytest.approx(effort / (weight * SPEED * CYCLES * PERIOD), rel=less)
    assert of("actuator_work", cart) == pytest.approx(0.0, abs=1e-9)


def test_friction_needed() -> None:
    """A block that slides needs mu; one that rests on a slope at least its tangent, and each corner no more than mu."""
    sliding = ld.zoo.sliding_block(mu=0.3, slope=0.0, speed=2.0).changed(t_end=0.2).run(progress=False)
    assert of("friction_needed", sliding) == pytest.approx(0.3, rel=1e-6)  # solved to 1e-10 of weight times step
    resting = ld.zoo.sliding_block(mu=0.3, slope=0.2, speed=0.0).changed(t_end=0.2).run(progress=False)
    assert math.tan(0.2) * (1.0 - 1e-6) <= of("friction_needed", resting) <= 0.3 * (1.0 + 1e-6)
    with pytest.raises(ld.InputError, match="'friction_needed' is not possible for 'cart': nothing of it touches the ground"):
        METRICS["friction_needed"].check(ld.Scenario("cart", free_block(), t_end=0.1), None)
    peg = ld.Obstacle(ld.Cylinder(0.1), at=(3.0, 0.0))
    with pytest.raises(ld.InputError, match="it may touch more than level ground"):
        METRICS["friction_needed"].check(ld.zoo.sliding_block().changed(obstacles=[ld.Ground(), peg]), None)


def free_block() -> ld.Robot:
    robot = ld.Robot("cart")
    robot.base("block", mass=1.0, shape=ld.Box((1, 1, 1)))
    return robot


@pytest.mark.parametrize(("upper", "margin"), [(0.15, 0.05), (0.08, -0.02)])
def test_distance_from_joint_limits(upper: float, margin: float) -> None:
    """Of a slide that goes 0.1 m to either side; its records meet the ends of its way to (w h)^2 / 2 of it."""
    robot = ld.Robot("cart")
    base = robot.base("cart", moves="prismatic", axis="x", joint="drive", mass=CART)
    robot.body("bob", mass=BOB).on(base).sliding("x", name="slide").limits(-0.3, upper)
    motion = {"drive": ld.constant(0.0), "slide": ld.sine(SWING, omega=OMEGA)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a limit is passed
        result = ld.simulate(robot, imposed=motion, t_end=PERIOD, dt=PERIOD / STEPS, integrator="rkmk4", progress=False)
    off = SWING * (2.0 * math.pi / STEPS) ** 2 / 2.0
    assert of("joint_margin", result) == pytest.approx(margin, abs=off)
    assert of("peak_joint_position", result) == pytest.approx(SWING, abs=off)


def test_margins_need_limits(cart: ld.Result) -> None:
    with pytest.raises(ld.InputError, match=r"'joint_margin' is not possible for .*: none of its joints has limits"):
        of("joint_margin", cart)


def test_turns_are_counted() -> None:
    robot = ld.Robot("table")
    robot.base("table", moves="revolute", axis="z", joint="turn", mass=1.0, inertia=np.eye(3))
    result = ld.simulate(robot, imposed={"turn": ld.ramp(5.0)}, t_end=4.0, dt=0.01, integrator="rkmk4", progress=False)
    assert of("rotation", result) == pytest.approx(20.0, rel=1e-9)
    assert of("rotation_per_cycle", result, cycle=1.5) == pytest.approx(7.5, rel=1e-9)


def test_a_servo_sags() -> None:
    """At rest m g / k below its target."""
    robot = ld.Robot("lift")
    base = robot.base("ground", moves="fixed")
    robot.body("load", mass=2.0).on(base).sliding("z", name="rise")
    sag = 2.0 * G / 400.0
    result = ld.simulate(
        robot, servo={"rise": ld.Servo(0.0, 400.0, 0.0)}, start={"rise": -sag}, t_end=0.5, dt=0.01, integrator="rkmk4",
        progress=False,
    )  # fmt: skip
    assert of("tracking_error", result) == pytest.approx(sag, rel=1e-9)
    assert of("lowest_height", result) == pytest.approx(-sag, rel=1e-9)
    assert of("energy_drift", result) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_largest_multiplier_of_a_gait() -> None:
    """Garcia et al. 1998, slope 0.009: the pair -0.19009984 +- 0.55759878 i, see tests/published/test_walkers.py."""
    metric = METRICS["largest_multiplier"]
    assert metric.of_scenario is not None
    assert metric.of_scenario(ld.zoo.simplest_walker()) == pytest.approx(abs(-0.19009984 + 0.55759878j), abs=1e-6)
