"""Against Lagrange's equations, derived by SymPy from positions and rotations alone: three small robots.

    tau = d/dt dL/d(rdot) - dL/dr,   L = T - U

T = 1/2 v M v from the derivatives of each centre of mass and from R^T dR/dr. Evaluated in double precision: 1e-12.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.robot import Robot, about_centre
from peers import relative

pytestmark = pytest.mark.slow

GRAVITY = 9.81
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def turn(axis: str, angle: Any) -> sp.Matrix:
    """Rodrigues' formula."""
    hat = sp.Matrix(3, 3, lambda i, j: -sum(sp.LeviCivita(i, j, k) * AXES[axis][k] for k in range(3)))
    return sp.eye(3) + sp.sin(angle) * hat + (1 - sp.cos(angle)) * hat * hat


class Lagrange:
    """Equations of motion of bodies given as (rotation, position of the centre, mass, tensor about the centre)."""

    def __init__(self, bodies: list[tuple[Any, Any, float, Any]], q: list[sp.Symbol], more: Any = 0) -> None:
        matrix, potential = sp.zeros(len(q)), sp.sympify(more)
        for rotation, centre, mass, tensor in bodies:
            linear = centre.jacobian(q)
            spins = [rotation.T * rotation.diff(x) for x in q]
            angular = sp.Matrix([[spin[2, 1] for spin in spins], [spin[0, 2] for spin in spins], [spin[1, 0] for spin in spins]])
            matrix += mass * linear.T * linear + angular.T * sp.Matrix(tensor) * angular
            potential += mass * GRAVITY * centre[2]
        slopes = [potential.diff(x) for x in q]
        self._terms = sp.lambdify([q], [matrix, potential, slopes, *(matrix.diff(x) for x in q)], cse=True)

    def at(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """M, Mdot v - dT/dr + dU/dr, kinetic and potential energy."""
        matrix, potential, slopes, *changes = self._terms(q)
        moving = sum(rate * change for rate, change in zip(v, changes, strict=True)) @ v
        pull = np.array([0.5 * v @ change @ v for change in changes])
        return matrix, moving - pull + np.array(slopes, dtype=float), 0.5 * v @ matrix @ v, potential


TENSOR = np.array([[0.05, 0.01, -0.004], [0.01, 0.04, 0.006], [-0.004, 0.006, 0.03]])


def pendulum_with_slider() -> tuple[Robot, Lagrange]:
    """Two links turn about y; a slider moves along the second."""
    robot = Robot("double pendulum with a slider")
    ground = robot.base("ground", moves="fixed", at=(0.1, 0.2, 0.3))
    first = robot.body("first", mass=1.2, centre=(0.02, 0.01, -0.3), inertia=about_centre(TENSOR)).on(ground).turning("y")
    second = (
        robot.body("second", mass=0.7, centre=(0, 0, -0.2), inertia=about_centre(TENSOR))
        .on(first, at=(0, 0.1, -0.6))
        .turning("y")
    )
    robot.body("slider", mass=0.4, centre=(0.05, 0, 0), inertia=about_centre(TENSOR)).on(second, at=(0, 0, -0.1)).sliding(
        (0.6, 0, -0.8)
    )
    q = sp.symbols("q:3")
    r1, r2 = turn("y", q[0]), turn("y", q[0] + q[1])
    p1 = sp.Matrix([0.1, 0.2, 0.3])
    p2 = p1 + r1 * sp.Matrix([0, 0.1, -0.6])
    p3 = p2 + r2 * sp.Matrix([0.6 * q[2], 0, -0.1 - 0.8 * q[2]])
    bodies = [
        (r1, p1 + r1 * sp.Matrix([0.02, 0.01, -0.3]), 1.2, TENSOR),
        (r2, p2 + r2 * sp.Matrix([0, 0, -0.2]), 0.7, TENSOR),
        (r2, p3 + r2 * sp.Matrix([0.05, 0, 0]), 0.4, TENSOR),
    ]
    return robot, Lagrange(bodies, list(q))


def cart_pole() -> tuple[Robot, Lagrange]:
    """A cart held by a spring, a pole that swings on it against a torsion spring."""
    robot = Robot("cart-pole with springs")
    rail = robot.base("rail", moves="fixed")
    cart = robot.body("cart", mass=2.0).on(rail).sliding("x").actuator(stiffness=30.0, rest=0.2)
    robot.body("pole", mass=0.5, centre=(0, 0, 0.4), inertia=about_centre(TENSOR)).on(cart).turning("y").actuator(
        stiffness=3.0, rest=-0.1
    )
    q = sp.symbols("q:2")
    r, p = turn("y", q[1]), sp.Matrix([q[0], 0, 0])
    bodies = [(sp.eye(3), p, 2.0, np.zeros((3, 3))), (r, p + r * sp.Matrix([0, 0, 0.4]), 0.5, TENSOR)]
    return robot, Lagrange(bodies, list(q), 15 * (q[0] - sp.Rational(1, 5)) ** 2 + 1.5 * (q[1] + sp.Rational(1, 10)) ** 2)


def spatial_arm() -> tuple[Robot, Lagrange]:
    """Three links in space: about z, a universal joint about x and y, about y again."""
    robot = Robot("spatial arm")
    ground = robot.base("ground", moves="fixed")
    link = {"inertia": about_centre(TENSOR)}
    first = robot.body("first", mass=1.0, centre=(0.1, 0, 0.2), **link).on(ground).turning("z")
    second = robot.body("second", mass=0.8, centre=(0.2, 0.05, 0), **link).on(first, at=(0, 0.1, 0.4)).universal("x", "y")
    robot.body("third", mass=0.6, centre=(0.1, -0.02, 0.03), **link).on(second, at=(0.4, 0, 0.1)).turning("y")
    q = sp.symbols("q:4")
    r1 = turn("z", q[0])
    r2 = r1 * turn("x", q[1]) * turn("y", q[2])
    r3 = r2 * turn("y", q[3])
    p2 = r1 * sp.Matrix([0, 0.1, 0.4])
    p3 = p2 + r2 * sp.Matrix([0.4, 0, 0.1])
    bodies = [
        (r1, r1 * sp.Matrix([0.1, 0, 0.2]), 1.0, TENSOR),
        (r2, p2 + r2 * sp.Matrix([0.2, 0.05, 0]), 0.8, TENSOR),
        (r3, p3 + r3 * sp.Matrix([0.1, -0.02, 0.03]), 0.6, TENSOR),
    ]
    return robot, Lagrange(bodies, list(q))


@cache
def derived(name: str) -> tuple[Robot, Lagrange]:
    return {"slider": pendulum_with_slider, "cart": cart_pole, "arm": spatial_arm}[name]()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["slider", "cart", "arm"])
def test_lagrange(name: str, seed: int) -> None:
    robot, lagrange = derived(name)
    model = robot.model(gravity=(0, 0, -GRAVITY))
    q, v, a, tau = np.random.default_rng(seed).standard_normal((4, model.nv))
    matrix, bias, kinetic, potential = lagrange.at(q, v)
    assert relative(model.mass_matrix(q), matrix) < 1e-12
    # The problem adds the springs of the joints to inverse and forward dynamics.
    problem = Problem(model, torque={i: constant(tau[i]) for i in range(model.nv)})
    assert relative(problem.accelerations(0.0, q.copy(), v.copy()), np.linalg.solve(matrix, tau - bias)) < 1e-12
    recorded = problem.series(np.zeros(1), q[None], v[None])
    assert recorded["kinetic_energy"][0] == pytest.approx(kinetic, rel=1e-12)
    assert recorded["potential_energy"][0] == pytest.approx(potential, rel=1e-12)
    if name != "cart":
        assert relative(model.inverse_dynamics(q, v, a), matrix @ a + bias) < 1e-12
