"""The tangent of the equation of motion with loads, fluid, muscles and feedback against differences of its residual."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.robot import Ellipse, RodFluid
from locodyn.world import Drag, Feedback, Thrust, Wake, WorldForce
from rod_cases import SOFT

pytestmark = pytest.mark.slow


def everything(base: str, space: str = "magnus4", quadrature: str = "gauss") -> ld.Scenario:
    """A rod that swims behind a joint, under every law that sees pose or twist."""
    robot = ld.Robot("everything")
    head = robot.base("head", moves=base, mass=0.3, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    head.fluid((0.1, 0.2, 0.3), (0.01, 0.02, 0.03), at=(0.1, 0.02, 0.0))
    arm = (
        robot.body("arm", mass=0.2, inertia=ld.about_centre(xx=0.001, yy=0.002, zz=0.0015)).on(head, at=(0.1, 0, 0)).turning("y")
    )
    rod = arm.fluid((0.3, 0.1, 0.2)).rod(
        "tail", length=0.5, at=(0.1, 0.2, 0.0), section=Ellipse(0.02, 0.015), material=SOFT, bending=(3, 2), torsion=2,
        stretch=1, shear=1, rest_curvature=(0.5, 0.2, -1.0), damping=0.01, fluid=RodFluid(density=1000.0),
        space=space, quadrature=quadrature,
    )  # fmt: skip
    robot.body("end", mass=0.1, shape=ld.Sphere(0.02)).on(rod).ball()
    rod.muscle("core", lambda s: (1, 2, 3, 0.1, 0.2 * s, 0.3), active_stiffness=(1, 2, 3, 0.4, 0.5, 0.6))
    robot.wrench("wake", on=rod, law=Wake((1.0, 2.0)))
    robot.wrench("drag", on=rod, law=Drag((0.1, 0.5, 0.5), (1, 2, 3), 0.1), along=True)
    dead = WorldForce((1, 2, 3), (0.1, 0.2, 0.3))
    robot.wrench("wind", on=rod, law=dead, along=(0.1, 0.4), profile=[(0, 0), (0.2, 1), (0.5, 0)])
    robot.wrench("jets", on=rod, law=Thrust((1, 2, 3), (0.3, 0.2, 0.1)), along=True, profile=lambda s: np.sin(5 * s))
    robot.wrench("weight", on=rod, law=dead, at_s=0.3, at=(0, 0.01, 0))
    robot.wrench(
        "fly", on=head, law=Feedback((20, 21, 22, 23, 24, 25), (2, 3, 4, 5, 6, 7)), at=(0.1, 0.2, 0.05), turned=("z", 0.4)
    )
    return ld.Scenario(
        "everything", robot, activation={"core": 0.7}, load={"wind": ld.sine(1.0, omega=2.0), "fly": 1.3},
        desired={"fly.x": ld.sine(0.3, omega=3.0), "fly.z": ld.ramp(0.5), "fly.wz": 0.4, "fly.wx": ld.sine(1.0, omega=1.0)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("base", "space", "quadrature"),
    [
        ("free", "magnus4", "gauss"),
        ("planar", "magnus4", "gauss"),
        ("free", "magnus6", "gauss"),
        ("free", "magnus4", "chebyshev"),
    ],
)
def test_exact_tangent(base: str, space: str, quadrature: str) -> None:
    """By position, rate and acceleration, with weight; differences of step h err by h^2 and by round-off / h."""
    problem = everything(base, space, quadrature).problem
    model, room = problem.model, new_tangent(problem.model, problem.memories.count)
    rng = np.random.default_rng(4)
    q = model.move(model.neutral(), 0.7 * rng.standard_normal(model.nv))
    v, a = 0.7 * rng.standard_normal(model.nv), rng.standard_normal(model.nv)

    def residual(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        problem.read_inputs(0.3, q, v)
        motion_residual(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0)
        return room.residual.copy()

    residual(q, v, a)
    motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0, 1)
    h, units = 1e-6, np.eye(model.nv)
    for found, slopes in (
        (
            room.by_q.copy(),
            [(residual(model.move(q, h * e), v, a) - residual(model.move(q, -h * e), v, a)) / (2 * h) for e in units],
        ),
        (room.by_v.copy(), [(residual(q, v + h * e, a) - residual(q, v - h * e, a)) / (2 * h) for e in units]),
        (room.by_a.copy(), [(residual(q, v, a + e) - residual(q, v, a - e)) / 2 for e in units]),
    ):
        assert np.abs(found - np.array(slopes).T).max() < 2e-9 * np.abs(found).max()
    mass = room.by_a.copy()
    assert np.abs(mass - mass.T).max() < 1e-14 * np.abs(mass).max()
    # the accelerations of explicit integrators solve the same equation
    explicit = problem.accelerations(0.3, q.copy(), v.copy())
    assert np.abs(residual(q, v, explicit)).max() < 1e-10 * np.abs(room.by_q).max()
    # the quick matrix has the fluid in its mass
    motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0, 0)
    assert np.abs(room.by_a - mass).max() < 1e-13 * np.abs(mass).max()
