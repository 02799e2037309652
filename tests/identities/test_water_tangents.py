"""The exact slopes of laws of water in the equation of motion, against differences: solids of every kind and a rod in a wave."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.robot import Ellipse, Rectangle
from locodyn.world import Buoyancy, Water, Wave, WetDrag

pytestmark = pytest.mark.slow


def raft() -> ld.Robot:
    """Solids of all kinds on joints, and rods with elliptic and rectangular sections, in one wave and one current."""
    water = Water(1000.0, 0.05, Wave(0.1, 3.0, 2.0, (1.0, 0.4), 0.3))
    robot = ld.Robot("raft")
    hull = robot.base("hull", moves="free", density=500.0, shape=ld.Box((0.4, 0.3, 0.2)))
    for name, shape, at in (
        ("can", ld.Cylinder(0.1, 0.5, "y"), (0.3, 0, 0)),
        ("pill", ld.Capsule(0.1, 0.5, "x", at=(0.1, 0, 0)), (-0.3, 0, 0)),
        ("egg", ld.Ellipsoid((0.1, 0.2, 0.3)), (0, 0.4, 0)),
    ):
        robot.body(name, density=500.0, shape=shape).on(hull, at=at).turning("y")
    for name in ("hull", "can", "pill", "egg"):
        robot.wrench(f"{name} floats", on=name, law=Buoyancy(water=water), at=(0, 0.02, 0.01), turned=("z", 0.3))
    current = (0.6, -0.3, 0.2)
    robot.wrench("drag", on="pill", law=WetDrag(ld.Drag(1.0, (2, 3, 4), 0.1, current), water=water))
    robot.wrench("stream", on="egg", law=ld.Drag((1, 5, 2), (20, 3, 4), 0.1, current), at=(0.1, 0, 0), turned=("x", 0.4))
    soft = ld.Material(young=1e6, density=900.0, shear=1e6 / 3)
    rod = hull.rod("tail", length=0.5, at=(0, -0.2, 0), section=Ellipse(0.05, 0.03), material=soft, bending=(2, 2), nodes=4)
    robot.wrench("tail floats", on=rod, law=Buoyancy(water=water), along=True)
    robot.wrench("tail drag", on=rod, law=WetDrag(ld.Drag((0.1, 0.5, 0.6), (1, 20, 30)), water=water), along=True)
    fin = robot["can"].rod("fin", length=0.3, section=Rectangle(0.02, 0.1), material=soft, bending=(1, 1), torsion=1, nodes=3)
    robot.wrench("fin floats", on=fin, law=Buoyancy(water=water), along=True)
    robot.wrench("fin drag", on=fin, law=WetDrag(ld.Drag((0.1, 5, 0.6), (1, 20, 30), 0.0, current), water=water), along=True)
    return robot


def test_exact_tangent() -> None:
    """By position and rate; differences of step h = 1e-6 err by h^2 / (distance to the next rim)^(3/2) and by round-off / h."""
    problem = ld.Scenario("raft", raft()).problem
    model, room = problem.model, new_tangent(problem.model, 0)
    rng = np.random.default_rng(4)

    def residual(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        problem.read_inputs(0.3, q, v)
        motion_residual(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0)
        return room.residual.copy()

    for _ in range(3):
        q = model.move(model.neutral(), 0.1 * rng.standard_normal(model.nv))
        v, a = 0.7 * rng.standard_normal(model.nv), rng.standard_normal(model.nv)
        residual(q, v, a)
        motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0, 1)
        by_q, by_v = room.by_q.copy(), room.by_v.copy()
        h, units = 1e-6, np.eye(model.nv)
        moved = [(residual(model.move(q, h * e), v, a) - residual(model.move(q, -h * e), v, a)) / (2 * h) for e in units]
        faster = [(residual(q, v + h * e, a) - residual(q, v - h * e, a)) / (2 * h) for e in units]
        assert np.abs(by_q - np.array(moved).T).max() < 1e-7 * np.abs(by_q).max()
        assert np.abs(by_v - np.array(faster).T).max() < 2e-8 * np.abs(by_v).max()
