"""Gotelli's spectral cascade (2024, 3.8, 5.13.4) against the kernel: one inverse dynamics of rods (D2, D5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locodyn as ld
from locodyn.dynamics.rod_cascade import rod_cascade
from locodyn.locomotion.problem import Problem
from locodyn.robot import Ellipse, RodFluid
from locodyn.robot.rods.nodes import QUADRATURES
from rod_cases import SOFT

pytestmark = pytest.mark.slow

SECTIONS = (ld.Circle(0.02), ld.Rectangle(0.03, 0.02), lambda s: Ellipse(0.02 * (1.0 - 0.3 * s), 0.015 + 0.01 * s**2))


def random_rod(seed: int, **options: Any) -> tuple[ld.Robot, np.random.Generator]:
    """A rod of random strains, bases, section, curvature and fluid, somewhere on a base that is free or clamped."""
    rng = np.random.default_rng(seed)
    modes = {word: int(rng.integers(0, 3)) for word in ("stretch", "shear", "torsion")} | {"bending": int(rng.integers(1, 4))}
    robot = ld.Robot("random rod")
    free = {"moves": "free", "mass": 1.0, "inertia": ld.about_centre(xx=0.1, yy=0.2, zz=0.15)}
    base = robot.base("base", **(free if rng.random() < 0.5 else {"moves": "fixed"}))
    base.rod(
        "rod", at=0.3 * rng.standard_normal(3), turned=("y", float(rng.uniform(-3, 3))), length=float(rng.uniform(0.3, 2.0)),
        section=SECTIONS[rng.integers(3)], material=SOFT, rest_curvature=0.5 * rng.standard_normal(3),
        basis=("legendre", "chebyshev", "monomial")[rng.integers(3)],
        fluid=RodFluid(added_mass=(0.1, 0.8, 1.2)) if seed % 3 == 1 else None, **modes, **options,
    )  # fmt: skip
    return robot, rng


def random_state(model: ld.Model, rng: np.random.Generator) -> list[np.ndarray]:
    """A state and accelerations; the rod bends by about a radian."""
    span = model.compiled.joint_velocities[-1]
    rod = model.compiled.description.bodies[-1].joint.rod
    assert rod is not None
    size = np.ones(model.nv)
    size[span] = np.repeat([0.1, 0.1, 0.1, 0.6, 0.6, 0.6], rod.modes) / rod.length
    u, v, a = size * rng.uniform(-1.0, 1.0, (3, model.nv))
    return [model.move(model.neutral(), u), v, a]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_cascade_and_kernel_agree(seed: int) -> None:
    """Forces along all coordinates of a random rod to 1e-8, and exponentially in the number of points of the cascade."""
    robot, rng = random_rod(seed, nodes=30, space="magnus6")
    model = robot.model()
    state = random_state(model, rng)
    expected = model.inverse_dynamics(*state)[model.compiled.joint_velocities[-1]]
    size = np.max(np.abs(expected))
    fine = rod_cascade(model, "rod", *state, count=31)
    np.testing.assert_allclose(fine.forces, expected, atol=1e-8 * size)
    errors = [np.max(np.abs(rod_cascade(model, "rod", *state, count=n).forces - fine.forces)) / size for n in (6, 10, 14)]
    assert errors[1] < max(0.1 * errors[0], 1e-11)
    assert errors[2] < max(0.1 * errors[1], 1e-11)
    assert errors[2] < 1e-6


@pytest.mark.parametrize("quadrature", list(QUADRATURES))
def test_kernel_tends_to_the_cascade(quadrature: str) -> None:
    """The forces of the kernel, with either layout of its nodes, go to those of the cascade: quadrature first, then order 6."""
    errors = []
    for nodes in (6, 12, 24):
        robot, rng = random_rod(4, nodes=nodes, quadrature=quadrature, space="magnus6")
        model = robot.model()
        state = random_state(model, rng)
        exact = rod_cascade(model, "rod", *state, count=33).forces
        found = model.inverse_dynamics(*state)[model.compiled.joint_velocities[-1]]
        errors.append(float(np.max(np.abs(found - exact)) / np.max(np.abs(exact))))
    assert errors[0] > 30.0 * errors[1] > 900.0 * errors[2]
    assert errors[2] < 2e-9


def test_wrench_along_the_rod() -> None:
    """A clamped rod under gravity, a wrench at its tip and a load along it: at the root the opposite of what the ground does."""
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=0.8, section=ld.Circle(0.02), material=SOFT, bending=3, torsion=1, stretch=1, nodes=24, space="magnus6"
    )
    wind = ld.world.WorldForce((0.3, 0.5, -0.2))
    robot.wrench("wind", on=rod, law=wind, along=True)
    problem = Problem(robot.model())
    model = problem.model
    state = random_state(model, np.random.default_rng(1))
    tip = np.array([0.1, -0.2, 0.3, 0.01, 0.02, -0.03])

    def load(s: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
        return np.concatenate([rotation.T @ wind.force, np.zeros(3)])

    found = rod_cascade(model, "rod", *state, tip=tip, load=load)
    # what the kernel asks of the ground, without the law: it is added by hand, about the root
    model.inverse_dynamics(*state, {"rod": tip})
    weights = rod._draft.rod.length * QUADRATURES["chebyshev"](31)[1]
    pushed = np.asarray(wind.force)
    moment = np.cross(weights @ found.motion.position, pushed)
    asked = model.base_wrench - np.concatenate([weights.sum() * pushed, moment])
    np.testing.assert_allclose(-found.wrench[0], asked, atol=1e-9)
    np.testing.assert_array_equal(found.wrench[-1], tip)
    with pytest.raises(ld.InputError, match="has no rod 'rad'; did you mean 'rod'"):
        rod_cascade(model, "rad", *state)
