"""The decoupled model of Saito et al. (2002; Transeth 2007, (2.5)-(2.10)) against the recursion of the library.

The library has joint angles theta_(i+1) - theta_i, the model theta_i - theta_(i+1); links lie along x from joint to joint.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.controllers import DecoupledSnake
from locodyn.locomotion.problem import Problem
from locodyn.world.laws import Drag

MASSES, MOMENTS = np.array([0.7, 1.1, 0.9, 1.3, 0.8]), np.array([0.01, 0.02, 0.015, 0.025, 0.012])
HALF, ALONG, ACROSS = np.array([0.1, 0.14, 0.12, 0.15, 0.11]), 0.5, 3.0
MODEL = DecoupledSnake(MASSES, MOMENTS, HALF, ALONG, ACROSS)
JOINTS = [f"joint_{k}" for k in range(1, 5)]


def robot() -> ld.Robot:
    """The chain; the frame of each link but the first is at its joint."""
    snake = ld.Robot("snake")
    link = snake.base("link_1", moves="planar", mass=MASSES[0], inertia=ld.about_centre(zz=MOMENTS[0]))
    at = HALF[0]
    for k in range(5):
        centre = (0.0 if k == 0 else HALF[k], 0.0, 0.0)
        if k:
            body = snake.body(f"link_{k + 1}", mass=MASSES[k], centre=centre, inertia=ld.about_centre(zz=MOMENTS[k]))
            link = body.on(link, at=(at, 0.0, 0.0)).turning("z", name=JOINTS[k - 1])
            at = 2.0 * HALF[k]
        drag = Drag(MASSES[k] * np.array([ALONG, ACROSS, 0.0]), angular=(0.0, 0.0, ACROSS * MASSES[k] * HALF[k] ** 2 / 3.0))
        snake.wrench(f"friction_{k + 1}", on=link, at=centre, law=drag)
    return snake


def state(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Random headings, their rates, velocity of the mass centre; the same as q, v of the library, and joint torques."""
    random = np.random.default_rng(seed)
    theta, rates = random.uniform(-2, 2, (2, 5))
    velocity, u = random.uniform(-1, 1, 2), random.uniform(-1, 1, 4)
    place = MODEL.centres(theta, (0.3, -0.2))[0]
    s, c = np.sin(theta), np.cos(theta)
    speed = velocity + np.array([MODEL.arms @ (s * rates), -MODEL.arms @ (c * rates)])[:, 0]
    q = np.concatenate([place, theta[:1], np.diff(theta)])
    turn = np.array([[c[0], s[0]], [-s[0], c[0]]])  # the base moves in its own axes
    return theta, rates, velocity, q, np.concatenate([turn @ speed, rates[:1], np.diff(rates)]), u


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_under_torques(seed: int) -> None:
    """Torque-based: u acts along theta_i - theta_(i+1), so the library's torques are -u."""
    theta, rates, velocity, q, v, u = state(seed)
    model = robot().model()
    found = Problem(model, torque={3 + k: ld.constant(-u[k]) for k in range(4)}).accelerations(0.0, q.copy(), v.copy())
    motion = MODEL.driven(theta, rates, velocity, u)
    np.testing.assert_allclose(np.cumsum(found[2:]), motion.headings, rtol=1e-11, atol=1e-11)
    total = sum(m * model_acceleration(model, k, q, v, found) for k, m in enumerate(MASSES, start=1)) / MASSES.sum()
    np.testing.assert_allclose(total[:2], motion.centre, rtol=1e-11, atol=1e-11)


def model_acceleration(model: ld.Model, k: int, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Of the centre of link k, world axes, m/s^2."""
    name, centre = f"link_{k}", np.array([0.0 if k == 1 else HALF[k - 1], 0.0, 0.0])
    eta, etadot = model.twist(name, q, v), model.acceleration(name, q, v, a)
    point = etadot[:3] + np.cross(eta[3:], eta[:3]) + np.cross(etadot[3:], centre) + np.cross(eta[3:], np.cross(eta[3:], centre))
    return model.pose(name, q)[0] @ point


@pytest.mark.parametrize("seed", range(4))
def test_shape_motion_and_inertial_locomotion(seed: int) -> None:
    """Shape-based: with given phi'' the locomotion, and the torques, are those of imposed joints."""
    theta, rates, velocity, q, v, bending = state(seed + 10)
    laws = {3 + k: ld.polynomial(q[3 + k], v[3 + k], -0.5 * bending[k]) for k in range(4)}
    problem = Problem(robot().model(), imposed=laws)
    found = problem.accelerations(0.0, q.copy(), v.copy())
    motion = MODEL.shaped(theta, rates, velocity, bending)
    np.testing.assert_allclose(np.cumsum(found[2:]), motion.headings, rtol=1e-11, atol=1e-11)
    torques = problem.series(np.zeros(1), q[None], v[None])["joint_torque"][0]
    np.testing.assert_allclose(-torques, motion.torques, rtol=1e-10, atol=1e-11)
    again = MODEL.driven(theta, rates, velocity, motion.torques)
    np.testing.assert_allclose(again.headings, motion.headings, rtol=1e-10, atol=1e-11)


def test_mean_rate_is_constant_without_friction() -> None:
    """psi' times the locked inertia is the angular momentum: it stays as the snake bends on ice."""
    ice = DecoupledSnake(MASSES, MOMENTS, HALF, 0.0, 0.0)
    random = np.random.default_rng(3)
    y0 = np.concatenate([random.uniform(-1, 1, 5), random.uniform(-1, 1, 5)])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[5:], ice.driven(y[:5], y[5:], (0.0, 0.0), 0.3 * np.sin(t + np.arange(4))).headings])

    path = solve_ivp(rate, (0.0, 3.0), y0, rtol=1e-10, atol=1e-12).y
    momenta = [ice.mean_rate(y[:5], y[5:]) * ice.inertia(y[:5]).sum() for y in path.T]
    assert np.ptp(momenta) < 1e-8 and np.ptp(path[0]) > 0.1


def test_refused() -> None:
    with pytest.raises(ld.InputError, match="two or more links"):
        DecoupledSnake([1.0], [1.0], [1.0], 0.1, 0.1)
    with pytest.raises(ld.InputError, match="must not be negative"):
        DecoupledSnake([1.0, 1.0], [1.0, 1.0], [1.0, 1.0], 0.1, -0.1)
