"""Rods against another method along s: shooting for the equilibrium in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import root

import locodyn as ld
from locodyn.equilibria import equilibrium
from locodyn.locomotion.problem import Problem
from locodyn.world.laws import WorldForce
from rod_cases import SOFT, cantilever

pytestmark = pytest.mark.slow


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def test_equilibrium_by_shooting() -> None:
    """Reissner rod, curved at rest, under its weight and a force out of its plane: the boundary value problem by shooting.

    N' = -K x N - f, C' = -K x C - Gamma x N in the axes of the section (Gotelli 2024, (2.20)), unknown N(0), C(0).
    """
    curvature, force, gravity = np.array([0.2, 0.5, -0.8]), np.array([0.1, 0.4, 0.3]), np.array([0.0, 0.0, -9.81])
    robot = cantilever(
        WorldForce(tuple(force)), length=0.5, section=ld.Circle(0.02), material=SOFT, bending=9, torsion=9, stretch=7, shear=7,
        rest_curvature=tuple(curvature), nodes=24,
    )  # fmt: skip
    model = robot.model()
    section = ld.Circle(0.02).properties(SOFT)
    compliance = 1.0 / np.diag(section.stiffness)

    def slope(s: float, y: np.ndarray) -> np.ndarray:
        rotation, n, c = y[:9].reshape(3, 3), y[12:15], y[15:]
        gamma = np.array([1.0, 0.0, 0.0]) + compliance[:3] * n
        k = curvature + compliance[3:] * c
        weight = section.mass * rotation.T @ gravity
        return np.concatenate(
            [(rotation @ hat(k)).ravel(), rotation @ gamma, -np.cross(k, n) - weight, -np.cross(k, c) - np.cross(gamma, n)]
        )

    def shoot(guess: np.ndarray) -> np.ndarray:
        start = np.concatenate([np.eye(3).ravel(), np.zeros(3), guess])
        return solve_ivp(slope, (0.0, 0.5), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]

    def miss(guess: np.ndarray) -> np.ndarray:
        end = shoot(guess)
        return np.concatenate([end[12:15] - end[:9].reshape(3, 3).T @ force, end[15:]])

    found = equilibrium(Problem(model), steps=4)
    run = ld.simulate(robot, start=found, t_end=0.01, integrator="gauss2", progress=False)
    guess = run.rod_wrench.values[0, 0, 0]  # the internal wrench at the root starts the shooting: it must be close
    solution = root(miss, guess, tol=1e-11)
    assert solution.success
    np.testing.assert_allclose(guess, solution.x, atol=4e-3 * np.max(np.abs(solution.x)))  # polynomials at an end
    end = shoot(solution.x)
    rotation, position = model.pose("rod", found.q)
    np.testing.assert_allclose(position, end[9:12], atol=2e-6)
    np.testing.assert_allclose(rotation, end[:9].reshape(3, 3), atol=2e-5)
