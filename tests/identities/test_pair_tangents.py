"""Slopes of compliant contacts between surfaces of all kinds, and by and of their deflections, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import compliant_gaps
from locodyn.world import CompliantContact
from newton_slopes import NewtonSlopes

pytestmark = pytest.mark.slow

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
    model = problem.model
    q = model.move(q, 0.01 * rng.normal(size=model.nv))
    v, a, z = (size * rng.normal(size=n) for size, n in ((0.3, model.nv), (1.0, model.nv), (0.01, problem.memories.count)))
    slopes = NewtonSlopes(problem, q, v, a, z, 0.0)
    places, speeds, states = slopes.places, slopes.speeds, slopes.states
    for i, unit in enumerate(np.eye(model.nv)):
        np.testing.assert_allclose(slopes.along(unit), places[:, i], rtol=1e-6, atol=2e-6 * np.abs(places).max())
        np.testing.assert_allclose(slopes.along(faster=unit), speeds[:, i], rtol=1e-6, atol=1e-7 * np.abs(speeds).max())
    for c, unit in enumerate(np.eye(len(z))):
        np.testing.assert_allclose(slopes.along(other=unit), states[:, c], rtol=1e-6, atol=1e-7 * np.abs(states).max())
    gaps = compliant_gaps(problem, q[None])[0][0]
    pushed = {one.name for one, gap in zip(problem.compliant, gaps, strict=True) if gap < 0.0}
    assert {"egg.surface on terrain", "ball.surface on box", "arm.surface on bar.surface"} <= pushed and len(pushed) >= 4
