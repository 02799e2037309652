"""The recursion against the Lagrangian picture (Ali 2011, ch. 2): Poincare's equations of the reduced Lagrangian, in NumPy.

With v = (eta_0, rdot) and l = 1/2 v^T M(r) v (2.12), momentum p = dl/deta_0:

    dp/dt - ad(eta_0)^T p = F,        d/dt dl/drdot - dl/dr = tau                                        (2.15)

on constraints eta_0 = H eta_r + J rdot with M = (M_0, M_1; M_1^T, m), F = M_0 etadot + M_1 rddot + F_in:

    H^T F = 0,     tau = m rddot + M_1^T etadot + Q_in + J^T F.

Lagrange's equations of l on the constraints, which (2.23) prints, are others. M comes from poses and Jacobians written
here, its slopes from complex steps: nothing is shared with the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locodyn as ld
from locodyn.locomotion.problem import Problem
from peers import relative

TINY = 1e-30


def hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def ad(twist: np.ndarray) -> np.ndarray:
    """ad of (V, Omega), (6, 6)."""
    return np.block([[hat(twist[3:]), hat(twist[:3])], [np.zeros((3, 3)), hat(twist[3:])]])


@dataclass
class Part:
    """A body: number of its parent, place and turn on it, kind and axis of its joint; mass, centre, tensor about the centre."""

    parent: int
    at: np.ndarray
    turn: np.ndarray
    slides: bool
    axis: np.ndarray
    mass: float
    centre: np.ndarray
    tensor: np.ndarray


def tree(seed: int) -> list[Part]:
    """Six bodies with branches."""
    random = np.random.default_rng(seed)
    parts = []
    for k, parent in enumerate((-1, 0, 1, 1, 0, 4)):
        points = 0.3 * random.standard_normal((6, 3))
        points -= points.mean(axis=0)
        tensor = np.trace(points.T @ points) * np.eye(3) - points.T @ points
        axis = random.standard_normal(3)
        turn = Rotation.random(random_state=10 * seed + k).as_matrix()
        parts.append(
            Part(
                parent,
                random.standard_normal(3),
                turn,
                k in (2, 5),
                axis / np.linalg.norm(axis),
                1.0 + k,
                0.3 * points[0],
                tensor,
            )
        )
    return parts


def robot_of(parts: list[Part]) -> ld.Robot:
    robot = ld.Robot("tree")
    bodies = []
    for k, part in enumerate(parts):
        body = {"mass": part.mass, "centre": tuple(part.centre), "inertia": ld.about_centre(part.tensor)}
        if k == 0:
            bodies.append(robot.base("b0", moves="free", **body))
            continue
        new = robot.body(f"b{k}", **body).on(bodies[part.parent], at=tuple(part.at), turned=part.turn)
        bodies.append(new.sliding(tuple(part.axis)) if part.slides else new.turning(tuple(part.axis)))
    return robot


def mass_matrix(parts: list[Part], r: np.ndarray) -> np.ndarray:
    """M(r) (6 + n, 6 + n) = sum J^T diag(m, I) J with Jacobians of mass centres in the axes of the reference body."""
    n = len(parts) - 1
    poses, jacobians = [], []
    matrix = np.zeros((6 + n, 6 + n), dtype=np.asarray(r).dtype)
    for k, part in enumerate(parts):
        jacobian = np.zeros_like(matrix[:6])  # of the origin, (linear; angular)
        rotation, place = np.eye(3), np.zeros(3)
        jacobian[:6, :6] = np.eye(6)
        if k:
            above, origin = poses[part.parent]
            foot, axis = above @ part.at, above @ part.turn @ part.axis
            rotation = above @ part.turn
            jacobian = jacobians[part.parent].copy()
            jacobian[:3] = jacobian[:3] - hat(foot) @ jacobian[3:]
            place = origin + foot
            if part.slides:
                jacobian[:3] = jacobian[:3] - hat(axis * r[k - 1]) @ jacobian[3:]
                jacobian[:3, 5 + k] += axis
                place = place + axis * r[k - 1]
            else:
                jacobian[3:, 5 + k] += axis
                turned = hat(part.axis)
                rotation = rotation @ (np.eye(3) + np.sin(r[k - 1]) * turned + (1.0 - np.cos(r[k - 1])) * turned @ turned)
        poses.append((rotation, place))
        jacobians.append(jacobian)
        linear, angular = jacobian[:3] - hat(rotation @ part.centre) @ jacobian[3:], jacobian[3:]
        matrix += part.mass * linear.T @ linear + angular.T @ (rotation @ part.tensor @ rotation.T) @ angular
    return matrix


def slopes(matrix_of, r: np.ndarray) -> np.ndarray:
    """dM/dr (n, N, N) by complex steps."""
    return np.array([matrix_of(r + 1j * TINY * unit).imag / TINY for unit in np.eye(len(r))])


@pytest.mark.parametrize("seed", range(4))
def test_poincare_and_lagrange_on_a_tree_in_space(seed: int) -> None:
    """F and tau of the recursion at random poses, velocities and accelerations are those of (2.15)."""
    parts, random = tree(seed), np.random.default_rng(50 + seed)
    model = robot_of(parts).model(gravity=(0.0, 0.0, 0.0))
    n = len(parts) - 1
    q = model.move(model.neutral(), random.standard_normal(model.nv))
    v, a = random.standard_normal((2, model.nv))
    r = q[7:]
    matrix, slope = mass_matrix(parts, r), slopes(lambda x: mass_matrix(parts, x), r)
    assert relative(model.mass_matrix(q), matrix) < 1e-13
    momentum = matrix @ v
    rate = matrix @ a + np.einsum("k,kij,j->i", v[6:], slope, v)
    wrench = rate[:6] - ad(v[:6]).T @ momentum[:6]
    torque = rate[6:] - 0.5 * np.einsum("i,kij,j->k", v, slope, v)
    assert relative(model.inverse_dynamics(q, v, a), np.concatenate([wrench, torque])) < 1e-12
    # the locomotion of the free robot: with its accelerations Poincare's equations have no wrench
    driven = Problem(model, imposed={6 + k: ld.polynomial(r[k], v[6 + k], 0.5 * a[6 + k]) for k in range(n)})
    found = driven.accelerations(0.0, q.copy(), v.copy())
    rate = matrix @ found + np.einsum("k,kij,j->i", v[6:], slope, v)
    assert np.abs(rate[:6] - ad(v[:6]).T @ momentum[:6]).max() < 1e-11 * np.abs(rate).max()


# -------------------------------------------------------------------------------------------------- with constraints
# The two-axle chain of Ali 2011, 3.2.2 (numbers of the zoo): axles of both bodies across x.
HINGE, AXLE, CENTRE, MASSES, MOMENTS = 0.30, 0.15, 0.10, (3.0, 1.0), (0.03, 0.008)


def chain_matrix(r: np.ndarray) -> np.ndarray:
    """M(r) (4, 4) by (Vx, Vy, Om, rdot)."""
    c, s = np.cos(r[0]), np.sin(r[0])
    zero = 0.0 * c
    linear = np.array([[1.0 + zero, zero, -CENTRE * s, -CENTRE * s], [zero, 1.0 + zero, HINGE + CENTRE * c, CENTRE * c]])
    turn, base = np.array([0.0, 0.0, 1.0, 1.0]), np.diag([MASSES[0], MASSES[0], MOMENTS[0], 0.0])
    return base + MASSES[1] * linear.T @ linear + MOMENTS[1] * np.outer(turn, turn)


def chain_rows(r: float) -> tuple[np.ndarray, np.ndarray]:
    """A (2, 3), B (2,)."""
    rows = np.array([[0.0, 1.0, 0.0], [-np.sin(r), np.cos(r), HINGE * np.cos(r) + AXLE]])
    return rows, np.array([0.0, AXLE])


def free_and_driven(r: float) -> tuple[np.ndarray, np.ndarray]:
    """H (3,) with A H = 0, and J (3,): eta = H eta_r + J rdot. A smooth basis: Vx is eta_r."""
    rows, by_rate = chain_rows(r)
    h, j = np.array([1.0, 0.0, np.sin(r) / rows[1, 2]]), np.array([0.0, 0.0, -by_rate[1] / rows[1, 2]])
    return h, j


def chain_motion(r: float, rate: float, acceleration: float, speed: float) -> tuple[np.ndarray, float, float]:
    """etadot (3,), the torque by (2.23) mended, and by Lagrange's equation of l on the constraints."""
    (h, j), e = free_and_driven(r), 1e-6
    ahead, behind = free_and_driven(r + e), free_and_driven(r - e)
    h_rate, j_rate = ((x - y) / (2.0 * e) * rate for x, y in zip(ahead, behind, strict=True))
    matrix, slope = chain_matrix(np.array([r])), slopes(chain_matrix, np.array([r]))[0]
    eta = h * speed + j * rate
    v = np.append(eta, rate)
    known = np.append(h_rate * speed + j_rate * rate + j * acceleration, acceleration)
    plane = np.array([[0.0, -eta[2], eta[1]], [eta[2], 0.0, -eta[0]], [0.0, 0.0, 0.0]])  # ad of SE(2)

    def forces(a: np.ndarray) -> tuple[np.ndarray, float]:
        momentum_rate = matrix @ a + rate * slope @ v
        return momentum_rate[:3] - plane.T @ (matrix @ v)[:3], momentum_rate[3] - 0.5 * v @ slope @ v

    free = np.append(h, 0.0)
    gain = -(h @ forces(known)[0]) / (h @ matrix[:3, :3] @ h)
    a = known + gain * free
    wrench, torque = forces(a)

    def reduced(x: float) -> np.ndarray:
        """Mass matrix by (eta_r, rdot) on the constraints."""
        hx, jx = free_and_driven(x)
        basis = np.column_stack([np.append(hx, 0.0), np.append(jx, 1.0)])
        return basis.T @ chain_matrix(np.array([x])) @ basis

    rates, change = np.array([speed, rate]), (reduced(r + e) - reduced(r - e)) / (2.0 * e)
    lagrange = (reduced(r) @ (gain, acceleration))[1] + rate * (change @ rates)[1] - 0.5 * rates @ change @ rates
    return a[:3], float(torque + j @ wrench), float(lagrange)


@pytest.mark.parametrize("state", [(0.4, 1.1, -0.7, 0.9), (-0.8, -0.5, 2.0, -1.3), (0.1, 2.0, 0.3, 0.4)])
def test_reduced_equations_of_a_wheeled_chain(state: tuple[float, float, float, float]) -> None:
    """Accelerations and torque of two_axle; Lagrange's equations of the constrained l, printed as (2.23), are others."""
    r, rate, acceleration, speed = state
    scenario = ld.zoo.two_axle().changed(imposed={"joint_1": ld.polynomial(r, rate, 0.5 * acceleration)})
    problem = scenario.problem
    h, j = free_and_driven(r)
    q, v = problem.model.neutral(), np.append(h * speed + j * rate, rate)
    q[3] = r
    etadot, torque, printed = chain_motion(*state)
    found = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(found[:3], etadot, atol=1e-8)  # of central differences of H and J
    tau = problem.series(np.zeros(1), q[None], v[None])["joint_torque"][0]
    np.testing.assert_allclose(tau, [torque], atol=1e-8)
    assert abs(printed - torque) > 1e-3
