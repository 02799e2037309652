"""Answers of studies against closed forms: the kinematic snake of three links."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.study import Study

HALF, BEND, OMEGA = 0.1, 0.7, 2.0  # m: half a link; rad: mean of both joints; rad/s
PERIOD = 2.0 * math.pi / OMEGA


def snake(amplitude: float = 0.3, phase: float = 1.5) -> ld.Scenario:
    """Three links with a wheel at the middle of each, bent to one side, where no shape is singular."""
    robot = ld.Robot("kinematic_snake")
    shape = ld.Box((1.8 * HALF, 0.4 * HALF, 0.4 * HALF))
    middle = robot.base("middle", moves="planar", mass=1.0, shape=shape)
    middle.wheels(axis="y")
    for name, side in (("rear", -1.0), ("front", 1.0)):
        body = robot.body(name, mass=1.0, centre=(side * HALF, 0.0, 0.0), inertia=ld.about_centre(zz=1e-3))
        body.on(middle, at=(side * HALF, 0.0, 0.0)).turning("z", name=name).wheels(axis="y", at=(side * HALF, 0.0, 0.0))
    gait = {
        "rear": ld.constant(BEND) + ld.sine(amplitude, omega=OMEGA),
        "front": ld.constant(BEND) + ld.sine(amplitude, omega=OMEGA, phase=phase),
    }
    return ld.Scenario("kinematic_snake", robot, imposed=gait, t_end=PERIOD, dt=PERIOD / 200, integrator="rkmk4")


def step_in_closed_form(amplitude: float, phase: float) -> tuple[float, float]:
    """Distance (m) and turn (rad) in a cycle.

    No wheel slips: with t = tan(angle / 2) of the rear joint a and the front joint b, the middle link goes along itself with
    u = R (tb - ta)' / (ta + tb) and turns with w = (sin b u - R b') / (R (1 + cos b)). The pose follows by quadrature.
    """

    def rates(time: float, pose: np.ndarray) -> list[float]:
        angles = [BEND + amplitude * math.sin(OMEGA * time + shift) for shift in (0.0, phase)]
        speeds = [amplitude * OMEGA * math.cos(OMEGA * time + shift) for shift in (0.0, phase)]
        (a, b), (da, db) = angles, speeds
        along = HALF * (db / (1.0 + math.cos(b)) - da / (1.0 + math.cos(a))) / (math.tan(a / 2.0) + math.tan(b / 2.0))
        turn = (math.sin(b) * along - HALF * db) / (HALF * (1.0 + math.cos(b)))
        return [along * math.cos(pose[2]), along * math.sin(pose[2]), turn]

    x, y, angle = solve_ivp(rates, (0.0, PERIOD), [0.0, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return math.hypot(x, y), angle


def test_the_gait_that_carries_a_kinematic_snake_furthest():
    """All runs of the grid, so also the best one. Steps of T / 200 by order 4: (w h)^4 / 120 a radian, 5e-8 of what moves."""
    phases = np.linspace(0.5, 2.5, 5)
    found = Study(snake, {"amplitude": [0.2, 0.4], "phase": phases}, ["displacement_per_cycle", "rotation_per_cycle"]).run(
        progress=False
    )
    wanted = np.array([[step_in_closed_form(amplitude, phase) for phase in phases] for amplitude in (0.2, 0.4)])
    assert found.dataset["displacement_per_cycle"].values == pytest.approx(wanted[..., 0], abs=1e-7 * HALF * OMEGA * PERIOD)
    assert found.dataset["rotation_per_cycle"].values == pytest.approx(wanted[..., 1], abs=1e-7 * OMEGA * PERIOD)
    assert found.best("displacement_per_cycle").run == int(wanted[..., 0].argmax())
    assert wanted[..., 0].max() > 0.01  # it does move
