"""Random robots for property tests, built through the public builder: general offsets, full inertias, all types of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.robot import BodyHandle, Robot, about_centre
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.pose import rotation_of_quaternion

SINGLE_AXIS = ("revolute", "prismatic", "helical")
MULTI_AXIS = ("cylindrical", "universal", "spherical", "translating", "planar", "free")
ALL = SINGLE_AXIS + MULTI_AXIS + ("fixed",)
BASES = ("free", "planar", "fixed", "spherical", "translating", "prismatic", "revolute")


def random_unit(rng: np.random.Generator, size: int) -> np.ndarray:
    """A unit vector (size,), uniform on the sphere."""
    vector = rng.standard_normal(size)
    return vector / np.linalg.norm(vector)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation (3, 3), uniform on SO(3)."""
    return rotation_of_quaternion(random_unit(rng, 4))


def random_inertia(rng: np.random.Generator) -> dict[str, Any]:
    """Mass, centre and a full inertia tensor of a possible body: a cloud of points about its centre."""
    mass = rng.uniform(0.5, 2.0)
    points = 0.2 * rng.standard_normal((8, 3))
    points -= points.mean(axis=0)
    second = mass * points.T @ points / len(points)
    return {"mass": mass, "centre": 0.2 * rng.standard_normal(3), "inertia": about_centre(np.trace(second) * np.eye(3) - second)}


def random_robot(
    rng: np.random.Generator,
    n_bodies: int,
    joints: Sequence[str] = ALL,
    base: str = "free",
    branching: float = 0.3,
    armature: bool = False,
    markers: bool = False,
) -> Robot:
    """A random robot.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_bodies : int
        Number of bodies, the reference body included.
    joints : sequence of str
        Types of joints to choose from; see :data:`ALL`.
    base : str
        How the reference body moves; see :data:`BASES`.
    branching : float
        Probability that a body is put on a random earlier body instead of the last one: 0 is a chain.
    armature : bool
        Give every moving joint a rotor inertia.
    markers : bool
        Put a marker ``tip_i`` on every body.
    """
    robot = Robot(f"random {base} {n_bodies}")
    place = {"at": 0.3 * rng.standard_normal(3), "turned": random_rotation(rng)}
    robot.base("body_0", moves=base, axis=random_unit(rng, 3), **place, **random_inertia(rng))
    for i in range(1, n_bodies):
        parent = f"body_{rng.integers(i)}" if rng.random() < branching else f"body_{i - 1}"
        body = robot.body(f"body_{i}", **random_inertia(rng)).on(
            parent,
            at=0.3 * rng.standard_normal(3),
            turned=random_rotation(rng),
            body_at=0.1 * rng.standard_normal(3),
            body_turned=random_rotation(rng),
        )
        kind = str(rng.choice(list(joints)))
        random_motion(body, kind, rng)
        if armature and kind != "fixed":
            body.actuator(armature=rng.uniform(0.001, 0.01), gear=rng.uniform(1.0, 5.0))
        if markers:
            body.marker(f"tip_{i}", at=0.3 * rng.standard_normal(3), turned=random_rotation(rng))
    return robot


def random_motion(body: BodyHandle, kind: str, rng: np.random.Generator) -> None:
    """Give a placed body a joint of this type about random axes (a coordinate axis one time in three)."""

    def axis() -> Any:
        return rng.choice(["x", "y", "z", "-x", "-y", "-z"]) if rng.random() < 1 / 3 else random_unit(rng, 3)

    if kind == "revolute":
        body.turning(axis())
    elif kind == "prismatic":
        body.sliding(axis())
    elif kind == "helical":
        body.screwing(axis(), pitch=rng.uniform(-0.2, 0.2))
    elif kind == "cylindrical":
        body.cylindrical(axis())
    elif kind == "universal":
        first = random_unit(rng, 3)
        body.universal(first, np.cross(first, random_unit(rng, 3)) + 0.3 * first)
    else:
        getattr(body, "ball" if kind == "spherical" else kind)()


def random_configuration(rng: np.random.Generator, compiled: CompiledRobot, scale: float = 1.0) -> np.ndarray:
    """A configuration (nq,): normally distributed coordinates, unit quaternions uniform on SO(3)."""
    q = scale * rng.standard_normal(compiled.nq)
    for i, name in enumerate(compiled.position_names):
        if name.endswith(".qw"):
            q[i : i + 4] = random_unit(rng, 4)
    return q


def random_velocity(rng: np.random.Generator, compiled: CompiledRobot, scale: float = 1.0) -> np.ndarray:
    """A velocity (nv,), normally distributed."""
    return scale * rng.standard_normal(compiled.nv)
