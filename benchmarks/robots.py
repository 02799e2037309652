"""The robots that are timed: a floating chain with alternating axes and general offsets, and a branched humanoid-like tree."""

from __future__ import annotations

import numpy as np

from locodyn.robot import Robot, about_centre

AXES = "xyz"


def _body(rng: np.random.Generator) -> dict:
    mass = rng.uniform(0.5, 2.0)
    points = 0.2 * rng.standard_normal((8, 3))
    points -= points.mean(axis=0)
    second = mass * points.T @ points / len(points)
    return {"mass": mass, "centre": 0.1 * rng.standard_normal(3), "inertia": about_centre(np.trace(second) * np.eye(3) - second)}


def _rotation(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return q * np.linalg.det(q)


def chain(n: int) -> Robot:
    """A free body and n - 1 bodies in a row, revolute joints about x, y, z in turn."""
    rng = np.random.default_rng(n)
    robot = Robot(f"chain {n}")
    robot.base("body_0", moves="free", **_body(rng))
    for i in range(1, n):
        body = robot.body(f"body_{i}", **_body(rng))
        body.on(f"body_{i - 1}", at=0.3 * rng.standard_normal(3), turned=_rotation(rng)).turning(AXES[i % 3])
    return robot


def humanoid() -> Robot:
    """34 degrees of freedom: a free trunk, a waist and a neck of one joint each, legs of 6 joints and arms of 7."""
    rng = np.random.default_rng(34)
    robot = Robot("humanoid")
    robot.base("pelvis", moves="free", **_body(rng))
    limbs = {"waist": ("pelvis", 1), "neck": ("waist_0", 1)}
    for side in ("left", "right"):
        limbs[f"{side}_leg"] = ("pelvis", 6)
        limbs[f"{side}_arm"] = ("waist_0", 7)
    for name, (parent, count) in limbs.items():
        for i in range(count):
            body = robot.body(f"{name}_{i}", **_body(rng))
            body.on(parent, at=0.2 * rng.standard_normal(3), turned=_rotation(rng)).turning(AXES[i % 3])
            parent = f"{name}_{i}"
    return robot
