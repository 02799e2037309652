"""Slopes of compliant contacts between surfaces of all kinds, and by and of their deflections, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import compliant_gaps
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.world import CompliantContact

pytestmark = pytest.mark.slow

STEP = 1e-6  # of central differences: errors of 1e-12 third derivatives, and of round-off of forces of 10 N
LAWS: dict[str, dict[str, Any]] = {
    "even bristles": {"static": 1.3, "speed": 0.3, "bristle_damping": 0.4, "viscous": 0.2},
    "bristles by direction": {
        "static": (1.3, 1.6), "speed": 0.3, "bristle_stiffness": (20.0, 30.0), "bristle_damping": (0.4, 0.2),
        "viscous": (0.2, 0.3),
    },
    "a spring that slips": {"friction": "stick_slip", "grip_stiffness": 300.0, "grip_damping": 40.0},
    "smooth friction": {"friction": "regularised", "speed": 0.2},
}  # fmt: skip


def scene(**options: Any) -> tuple[Problem, np.ndarray]:
    """Bodies that overlap a little: an egg on hills with an arm on a bar, a ball on a box, a drum on the ground."""
    robot = ld.Robot("bodies")
    world = robot.base("world", moves="fixed")
    inertia = ld.about_centre(xx=0.02, yy=0.03, zz=0.04)

    def body(name: str, shape: ld.Shape, on: Any, **place: Any) -> Any:
        found = robot.body(name, mass=1.0, inertia=inertia, shape=shape).on(on, **place)
        found.collides(friction=(0.4, 0.7), restitution=0.6, direction=(1.0, 0.3, 0.2))
        return found

    egg = body("egg", ld.Ellipsoid((0.3, 0.2, 0.25)), world, at=(0.1, 0.2, 0.47)).free()
    body("arm", ld.Capsule(0.05, 0.4), egg, at=(0.0, 0.0, 0.5), turned=("x", 1.3)).turning("y")
    body("bar", ld.Capsule(0.04, 0.6), world, at=(0.1, 0.2, 0.9), turned=("y", 1.5)).free()
    body("ball", ld.Sphere(0.1), world, at=(2.0, 0.0, 0.295)).free()
    body("drum", ld.Cylinder(0.1, 0.2), world, at=(4.0, 0.0, 0.13), turned=("x", 0.5)).free()
    x, y = np.meshgrid(np.arange(-1.0, 1.01, 0.25), np.arange(-1.0, 1.01, 0.25), indexing="ij")
    hills = ld.Terrain(heights=0.2 + 0.05 * np.sin(3 * x) + 0.04 * np.cos(2 * y), spacing=0.25, origin=(-1.0, -1.0))
    crate = ld.Obstacle(ld.Box((0.5, 0.4, 0.4)), at=(2.0, 0.0, 0.0))
    contact = CompliantContact(stiffness=2e3, damping=300.0, exponent=2, **options)
    words: dict[str, Any] = {"obstacles": [hills, crate, ld.Ground(at=(0, 0, 0.02))], "self_collision": True, "contact": contact}
    problem = ld.Scenario("bodies", robot, **words).problem
    return problem, problem.model.neutral()


@pytest.mark.parametrize("name", list(LAWS))
def test_slopes(name: str) -> None:
    """All slopes of Newton's matrix; normals and points of curved surfaces follow by differences of 1e-6 m, to 1e-8."""
    problem, q = scene(**LAWS[name])
    rng = np.random.default_rng(5)
    model, memory, work = problem.model, problem.workspace.memory, problem.workspace
    q = model.move(q, 0.01 * rng.normal(size=model.nv))
    v, a, z = (size * rng.normal(size=n) for size, n in ((0.3, model.nv), (1.0, model.nv), (0.01, problem.memories.count)))
    tangent = new_tangent(model, len(z))
    problem.read_inputs(0.0, q, v)

    def found(q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        memory.value[:] = z
        motion_residual(problem.arrays, problem.inputs, q, v, a, work, tangent, 1.0)
        return np.concatenate([tangent.residual, memory.rate])

    def slope(move: np.ndarray, faster: np.ndarray, other: np.ndarray) -> np.ndarray:
        ends = [found(model.move(q, s * move), v + s * faster, z + s * other) for s in (STEP, -STEP)]
        return (ends[0] - ends[1]) / (2.0 * STEP)

    found(q, v, z)
    motion_tangent(problem.arrays, problem.inputs, q, v, a, work, tangent, 1.0, 1)
    by = {one: getattr(tangent, one).copy() for one in ("by_q", "by_v", "by_z", "rate_by_q", "rate_by_v", "rate_by_z")}
    rate_by_z = np.zeros((len(z), len(z)))
    for first, count in zip(problem.arrays.blocks.first, problem.arrays.blocks.count, strict=True):
        rate_by_z[first : first + count, first : first + count] = by["rate_by_z"][first : first + count, :count]
    nv, still, same = model.nv, np.zeros(model.nv), np.zeros(len(z))
    places = np.vstack([by["by_q"], by["rate_by_q"]])
    speeds = np.vstack([by["by_v"], by["rate_by_v"]])
    states = np.vstack([by["by_z"], rate_by_z])
    for i, unit in enumerate(np.eye(nv)):
        np.testing.assert_allclose(slope(unit, still, same), places[:, i], rtol=1e-6, atol=2e-6 * np.abs(places).max())
        np.testing.assert_allclose(slope(still, unit, same), speeds[:, i], rtol=1e-6, atol=1e-7 * np.abs(speeds).max())
    for c, unit in enumerate(np.eye(len(z))):
        np.testing.assert_allclose(slope(still, still, unit), states[:, c], rtol=1e-6, atol=1e-7 * np.abs(states).max())
    gaps = compliant_gaps(problem, q[None])[0][0]
    pushed = {one.name for one, gap in zip(problem.compliant, gaps, strict=True) if gap < 0.0}
    assert {"egg.surface on terrain", "ball.surface on box", "arm.surface on bar.surface"} <= pushed and len(pushed) >= 4
