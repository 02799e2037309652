"""Surfaces that roll on a plane: their lowest point, the rates of their rows, and the dynamics, on random robots."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn.locomotion.constraint_arrays import ConstraintArrays
from locodyn.locomotion.problem import Problem
from locodyn.robot import Robot, rotation_about
from locodyn.robot.pose import rotation_of_quaternion
from locodyn.world.rows import HOLONOMIC, fill_rows
from random_robots import random_inertia

SURFACES = ("disc", "tyre", "sphere", "ellipsoid", "rounded ellipsoid", "foot")
GRAVITY = (0.6, -0.9, -9.81)


def unit(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def touch(body: Any, name: str, surface: str, rng: np.random.Generator, **plane: Any) -> None:
    """Put a random surface of this kind on a body."""
    at, turned = rng.uniform(-0.2, 0.2, 3), rotation_about(unit(rng), rng.uniform(0, 3))
    radius, crown = rng.uniform(0.2, 0.5), rng.uniform(0.02, 0.1)
    if surface == "foot":
        body.foot(name, at=at, **plane)
    elif surface == "sphere":
        body.rolling(name, radius=radius, at=at, **plane)
    elif "ellipsoid" in surface:
        extra = {"crown": crown} if surface.startswith("rounded") else {}
        body.rolling(name, semi_axes=rng.uniform(0.1, 0.4, 3), turned=turned, at=at, **extra, **plane)
    else:
        body.rolling(name, radius=radius, axis=unit(rng), crown=crown if surface == "tyre" else None, at=at, **plane)


def random_rolling_robot(seed: int) -> tuple[Robot, np.random.Generator]:
    """A free base and two bodies on joints, each with a surface on a plane of its own."""
    rng = np.random.default_rng(seed)
    robot = Robot("roller")
    bodies = [robot.base("base", **random_inertia(rng))]
    for name, joint in (("arm", "turning"), ("tail", "sliding")):
        body = robot.body(name, **random_inertia(rng)).on(bodies[-1], at=rng.uniform(-0.3, 0.3, 3))
        bodies.append(getattr(body, joint)(unit(rng)))
    for number, body in enumerate(bodies):
        surface = SURFACES[rng.integers(len(SURFACES))]
        touch(body, f"c{number}", surface, rng, normal=unit(rng), ground=rng.uniform(-1, 1, 3), slips=bool(rng.integers(4) == 0))
    return robot, rng


def rows_at(problem: Problem, q: np.ndarray, v: np.ndarray) -> tuple[ConstraintArrays, np.ndarray]:
    """(rows, speeds along them) at a state that need not be on them."""
    arrays = problem.constraints.arrays
    poses, motions = problem.model.kinematics(q, v)
    rows = copy.deepcopy(arrays)
    fill_rows(rows, problem.inputs.rows, 1, q, v, poses, motions)
    speeds = np.einsum("mj,mj->m", rows.cotwist, motions[arrays.frame, :6])
    return rows, speeds


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_rates_of_rows_and_of_heights(seed: int) -> None:
    """Along a curve with acceleration a: d/dt (w . eta) = w . etadot + wdot . eta, and d/dt height = w . eta."""
    robot, rng = random_rolling_robot(seed)
    model = robot.model()
    problem = Problem(model)
    q, v, a = model.move(model.neutral(), rng.normal(size=model.nv)), rng.normal(size=model.nv), rng.normal(size=model.nv)
    arrays = problem.constraints.arrays
    frames = arrays.frame
    rows, speeds = rows_at(problem, q, v)
    if rows.disc_sine.min() < 0.1:
        return  # a disc that lies nearly flat: finite differences see nothing there
    motions = model.kinematics(q, v, a)[1]
    rate = np.einsum("mj,mj->m", rows.cotwist, motions[frames, 6:])
    rate += np.einsum("mj,mj->m", rows.cotwist_rate, motions[frames, :6])

    def along(t: float) -> tuple[np.ndarray, np.ndarray]:
        moved, speed = rows_at(problem, model.move(q, t * v + 0.5 * t * t * a), v + t * a)
        return speed, moved.residual

    h = 1e-3
    weights = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    measured = sum(w * along(k * h)[0] for k, w in weights) / h
    heights = sum(w * along(k * h)[1] for k, w in weights) / h
    scale = 1.0 + np.abs(rate).max()
    np.testing.assert_allclose(measured, rate, atol=2e-6 * scale)
    holonomic = (arrays.flags & HOLONOMIC) != 0
    np.testing.assert_allclose(heights[holonomic], speeds[holonomic], atol=1e-7 * (1.0 + np.abs(speeds).max()))


@pytest.mark.parametrize("surface", SURFACES)
def test_no_point_of_the_surface_is_lower(surface: str) -> None:
    """The contact is the lowest point: n . x >= height for points x of the surface, with equality in the limit."""
    rng = np.random.default_rng(7)
    robot = Robot("stone")
    touch(robot.base("stone", **random_inertia(rng)), "c", surface, rng, normal=(normal := unit(rng)))
    model = robot.model()
    problem = Problem(model)
    q = model.move(model.neutral(), rng.normal(size=6))
    height = rows_at(problem, q, np.zeros(6))[0].residual[0]
    contact = model.compiled.contacts[0]
    u = rng.normal(size=(400_000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    if contact.kind == "disc":
        u = np.column_stack([u[:, :2] / np.linalg.norm(u[:, :2], axis=1)[:, None], np.zeros(len(u))])
    rotation = rotation_of_quaternion(q[3:])
    points = q[:3] + (contact.position + (u * contact.semi_axes) @ contact.rotation.T) @ rotation.T
    lowest = float((points @ normal).min() - contact.crown)
    assert -1e-12 <= lowest - height < 1e-4


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_dynamics_of_rolling_equals_the_dense_system(seed: int) -> None:
    """Accelerations and forces solve [[M, -J^T], [J, 0]] (a, lambda) = (tau - h, -Jdot v), assembled from marker-free twists."""
    rng = np.random.default_rng(seed)
    robot = Robot("roller")
    base = robot.base("base", **random_inertia(rng))
    arm = robot.body("arm", **random_inertia(rng)).on(base, at=rng.uniform(-0.3, 0.3, 3)).turning(unit(rng))
    touch(arm, "c0", SURFACES[rng.integers(len(SURFACES))], rng, normal=unit(rng))
    model = robot.model(gravity=GRAVITY)
    problem = Problem(model)
    q, v = problem.settled(0.0, model.move(model.neutral(), 0.3 * rng.normal(size=7)), rng.normal(size=7))
    rows, speeds = rows_at(problem, q, v)
    if rows.disc_sine.min() < 0.2:
        return
    assert np.abs(speeds).max() < 1e-10 * (1.0 + np.abs(v).max())
    frames = problem.constraints.arrays.frame
    jacobian = np.stack(
        [w @ model.kinematics(q, e)[1][k, :6] for w, k in zip(rows.cotwist, frames, strict=True) for e in np.eye(7)]
    )
    jacobian = jacobian.reshape(len(frames), 7)
    still = model.kinematics(q, v, np.zeros(7))[1]
    drift = np.einsum("mj,mj->m", rows.cotwist, still[frames, 6:])
    drift += np.einsum("mj,mj->m", rows.cotwist_rate, still[frames, :6])
    mass, m = model.mass_matrix(q), len(frames)
    matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((m, m))]])
    solution = np.linalg.solve(matrix, np.concatenate([-model.bias(q, v), -drift]))
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(a, solution[:7], atol=1e-9 * (1.0 + np.abs(solution[:7]).max()))
    found = problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]
    np.testing.assert_allclose(found, solution[7:], atol=1e-8 * (1.0 + np.abs(solution[7:]).max()))


def test_a_servo_pulls_to_its_target() -> None:
    """tau = k (r_d - r) + d (rdot_d - rdot), within the limit of the actuator."""
    from locodyn.locomotion.servo import Servo
    from locodyn.motion import sine

    robot = Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("bob", mass=2.0, centre=(0, 0, -0.5)).on(ground).turning("y")
    model = robot.model()
    problem = Problem(model, servo={0: Servo(sine(0.4, omega=3.0), stiffness=7.0, damping=0.5)})
    t, q, v = 0.7, np.array([0.3]), np.array([-1.1])
    force = 7.0 * (0.4 * np.sin(3.0 * t) - q[0]) + 0.5 * (1.2 * np.cos(3.0 * t) - v[0])
    expected = (force - model.bias(q, v)[0]) / model.mass_matrix(q)[0, 0]
    assert problem.accelerations(t, q, v)[0] == pytest.approx(expected, rel=1e-12)
    recorded = problem.series(np.array([t]), q[None], v[None])["joint_torque"][0, 0]
    assert recorded == pytest.approx(force, rel=1e-12)
