"""Steps of a floating body on SO(3) x R^3: tangents (row D1 of Gotelli 2024), order 2, straight paths; against SE(3)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.lie import SO3
from split_steps import AlphaRule, SplitBody, SplitStep

MASS, CENTRE, TENSOR = 2.0, np.array([0.1, -0.2, 0.05]), np.diag([0.3, 0.5, 0.7])


def hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


INERTIA = np.block([[MASS * np.eye(3), -MASS * hat(CENTRE)], [MASS * hat(CENTRE), TENSOR - MASS * hat(CENTRE) @ hat(CENTRE)]])
SPIN = np.array([0.4, -0.3, 0.2, 1.0, 2.0, -0.5])
TILT = SO3.exp(np.array([0.3, -0.4, 0.6]))


def weight(t: float, rotation: np.ndarray, place: np.ndarray) -> np.ndarray:
    return INERTIA @ np.concatenate([rotation.T @ (0.0, 0.0, -9.81), np.zeros(3)])


@pytest.mark.parametrize("seed", range(4))
def test_tangents_against_differences(seed: int) -> None:
    """dC, dA, dB (B.5): central differences, 1e-7 relative as the row asks."""
    random = np.random.default_rng(seed)
    step = SplitStep(SO3.exp(random.standard_normal(3)), random.standard_normal(3), 20.0, 400.0, *random.standard_normal((2, 6)))
    nu, e = 0.4 * random.standard_normal(6), 1e-6
    exact = step.tangents(nu)
    rotation = step.pose(nu)[0]

    def moved(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        turn, place = step.pose(x)
        pose = np.concatenate([rotation.T @ (place - step.pose(nu)[1]), SO3.log(rotation.T @ turn)])
        return pose, step.twist(x), step.acceleration(x)

    for k, unit in enumerate(np.eye(6)):
        for found, ahead, behind in zip(exact, moved(nu + e * unit), moved(nu - e * unit), strict=True):
            slope = (ahead - behind) / (2.0 * e)
            assert np.abs(found[:, k] - slope).max() < 1e-7 * max(1.0, np.abs(found).max())


def exact_motion(t_end: float) -> np.ndarray:
    """Rotation (9) and place (3) at the end, by DOP853 on Newton and Euler."""
    body = SplitBody(INERTIA, weight)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        rotation, eta = y[:9].reshape(3, 3), y[12:]
        etadot = np.linalg.solve(INERTIA, body._pull(t, rotation, y[9:12], eta))
        return np.concatenate([(rotation @ hat(eta[3:])).ravel(), rotation @ eta[:3], etadot])

    start = np.concatenate([TILT.ravel(), np.zeros(3), SPIN])
    return solve_ivp(rate, (0.0, t_end), start, "DOP853", rtol=1e-12, atol=1e-12).y[:12, -1]


@pytest.mark.parametrize("rule", [AlphaRule(newmark=True), AlphaRule(0.5), AlphaRule(0.9)], ids=["newmark", "0.5", "0.9"])
def test_order_two(rule: AlphaRule) -> None:
    """Half the step, a quarter of the error, for a body whose mass centre is off its origin."""
    exact, errors = exact_motion(1.0), []
    for step in (0.02, 0.01, 0.005):
        rotations, places, _ = SplitBody(INERTIA, weight, rule).run(TILT, np.zeros(3), SPIN, 1.0, step)
        errors.append(np.abs(np.concatenate([rotations[-1].ravel(), places[-1]]) - exact).max())
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx(2.0, abs=0.15)


def test_a_free_body_goes_straight_on() -> None:
    """About its mass centre the path is exact at any step, however it tumbles; kinetic energy of the spin stays near."""
    inertia = np.block([[MASS * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), TENSOR]])
    body = SplitBody(inertia, lambda t, rotation, place: np.zeros(6), AlphaRule(newmark=True))
    rotations, places, twists = body.run(TILT, np.zeros(3), SPIN, 5.0, 0.05)
    velocity = TILT @ SPIN[:3]
    assert places == pytest.approx(np.outer(0.05 * np.arange(101), velocity), abs=1e-11)
    energy = 0.5 * np.einsum("ti,ij,tj->t", twists, inertia, twists)
    assert np.ptp(energy) < 0.02 * energy[0] and np.abs(np.linalg.det(rotations) - 1.0).max() < 1e-12


@pytest.mark.slow
def test_same_motion_as_on_se3() -> None:
    """Generalized-alpha of the library, on SE(3), and this one, on SO(3) x R^3, tend to one motion with order 2."""
    robot = ld.Robot("body")
    robot.base("body", moves="free", mass=MASS, centre=tuple(CENTRE), inertia=ld.about_centre(TENSOR))
    scenario = ld.Scenario("body", robot, integrator="generalized_alpha", rho_inf=0.5, t_end=1.0, dt=0.005)
    model = scenario.model
    q = model.move(model.neutral(), np.concatenate([np.zeros(3), SO3.log(TILT)]))
    result = scenario.changed(start=(q, SPIN)).run(progress=False)
    rotations, places, _ = SplitBody(INERTIA, weight, AlphaRule(0.5)).run(TILT, np.zeros(3), SPIN, 1.0, 0.005)
    rotation, place = model.pose("body", result.q[-1])
    exact = exact_motion(1.0)
    assert np.abs(place - places[-1]).max() < 1e-3 and np.abs(rotation - rotations[-1]).max() < 1e-3
    assert np.abs(np.concatenate([rotation.ravel(), place]) - exact).max() < 1e-3


def test_refused() -> None:
    with pytest.raises(ld.InputError, match="rho_inf is 2"):
        AlphaRule(2.0)
