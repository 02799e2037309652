"""Forces of constraint rows and their tangent, exact: against central differences, on rods, with closure errors (D3, D4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria.rows_at_rest import RowsAtRest
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import motion_residual, new_tangent
from locodyn.locomotion.row_jacobian import rows_at
from locodyn.locomotion.row_residual import row_gaps, row_loads, row_slopes, take_coordinate_forces
from rod_cases import tree

pytestmark = pytest.mark.slow

JOINTS = ("fixed", "revolute", "spherical", "universal", "prismatic", "cylindrical", "planar")


def closed(joint: str, world: bool = False) -> tuple[Problem, RowsAtRest]:
    """The tree of rods with its far end joined to the base, or to the world, by a cut joint."""
    robot = tree("free")
    places = {"first_at": (0.1, 0.0, 0.2), "second_at": (0.05, 0.1, 0.0), "second_turned": ("y", 0.2)}
    ends = ("world", "end") if world else ("ground", "end")
    robot.loop("cut", *ends, joint=joint, axis=(0.0, 0.6, 0.8), second_axis=(0.0, 0.8, -0.6), **places)
    problem = Problem(robot.model())
    return problem, RowsAtRest(problem)


def apart(problem: Problem, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A configuration at which the loop does not close, and multipliers."""
    rng = np.random.default_rng(seed)
    q = problem.model.move(problem.model.neutral(), 0.3 * rng.standard_normal(problem.model.nv))
    return q, rng.standard_normal(len(problem.constraints.arrays.holonomic))


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("world", [False, True])
def test_change_of_the_forces_with_the_configuration(joint: str, world: bool) -> None:
    """d(J^T lambda)/dq against central differences of J^T lambda, 1e-6 (measured: 1e-8); the loop is decimetres apart."""
    problem, rows = closed(joint, world)
    q, forces = apart(problem, 3)
    found = rows.geometric(q, forces)
    step, expected = 1e-6, []
    for unit in step * np.eye(problem.model.nv):
        ahead, behind = (rows.at(problem.model.move(q, side * unit))[1].T @ forces for side in (1.0, -1.0))
        expected.append((ahead - behind) / (2.0 * step))
    np.testing.assert_allclose(found, np.array(expected).T, atol=1e-6 * np.max(np.abs(found)))
    assert np.max(np.abs(rows.at(q)[0])) > 0.05


@pytest.mark.parametrize("joint", JOINTS)
def test_residual_depends_on_multipliers_by_the_rows(joint: str) -> None:
    """dr/dlambda = -J^T to 1e-10, with the forces as wrenches; on the loop J is the derivative of Phi."""
    problem, rows = closed(joint)
    q, forces = apart(problem, 5)
    p, w, c, room = problem.arrays, problem.workspace, problem.arrays.rows, new_tangent(problem.model)
    zero, loads = np.zeros(problem.model.nv), np.zeros((problem.model.nf, 6))

    def residual(multipliers: np.ndarray) -> np.ndarray:
        every = np.zeros(len(problem.constraints.rows))
        every[problem.constraints.arrays.holonomic] = multipliers
        rows_at(p, c, problem.inputs, q, zero, w)
        row_loads(c, np.zeros((0, 6)), every, loads)
        motion_residual(p, replace(problem.inputs, wrenches=loads), q, zero, zero, w, room, 1.0)
        take_coordinate_forces(c, every, room.residual)
        return room.residual.copy()

    jacobian = rows.at(q)[1]
    change = residual(forces) - residual(np.zeros_like(forces))
    np.testing.assert_allclose(change, -jacobian.T @ forces, atol=1e-10 * np.max(np.abs(change)))
    on, _ = problem.imposed_state(0.0, q, zero)
    gap, jacobian = rows.at(on)
    assert np.max(np.abs(gap)) < 1e-10
    step, slopes = 1e-6, []
    for unit in step * np.eye(problem.model.nv):
        ahead, behind = (rows.at(problem.model.move(on, side * unit))[0] for side in (1.0, -1.0))
        slopes.append((ahead - behind) / (2.0 * step))
    np.testing.assert_allclose(jacobian, np.array(slopes).T, atol=1e-8)


def test_forces_along_a_coordinate() -> None:
    """A wheel that is a body: the multiplier of its rolling acts on its own joint too."""
    cart = ld.Robot("cart")
    base = cart.base("cart", moves="planar", mass=2.0, inertia=ld.about_centre(zz=0.1))
    base.wheel("tyre", at=(0.2, 0, 0), axis="y", radius=0.05, mass=0.1)
    problem = Problem(cart.model())
    arrays = problem.constraints.arrays
    q, v = problem.imposed_state(0.0, problem.model.neutral(), np.array([1.0, 0.2, 0.5, 0.0]))
    rows_at(problem.arrays, problem.arrays.rows, problem.inputs, q, v, problem.workspace)
    forces = np.random.default_rng(0).standard_normal(len(arrays.kind))
    residual = np.zeros(problem.model.nv)
    take_coordinate_forces(problem.arrays.rows, forces, residual)
    spin = problem.model.compiled.coordinate_index("tyre")
    roll = [row.name for row in problem.constraints.rows].index("tyre.roll")
    assert residual[spin] == pytest.approx(forces[roll])  # coefficient -1
    assert np.count_nonzero(residual) == 1


def rolling(kind: str) -> Problem:
    """Rows that are no loops: a steered wheel, a wheel that is a body, and surfaces that roll in space, on a rod."""
    robot = ld.Robot(kind)
    solid = {"mass": 1.0, "inertia": ld.about_centre(xx=0.1, yy=0.2, zz=0.15)}
    if kind == "wheels":
        base = robot.base("cart", moves="planar", **solid)
        base.wheel("tyre", at=(0.2, 0, 0), axis="y", radius=0.05, mass=0.1)
        robot.body("fork", **solid).on(base, at=(-0.2, 0.1, 0)).turning("z").skate("blade", along="x")
    else:
        base = robot.base("frame", moves="free", **solid)
        rod = base.rod("rod", length=0.4, section=ld.Circle(0.01), material=ld.silicone, bending=2)
        wheel = robot.body("wheel", **solid).on(rod).ball()
        if kind == "disc":
            wheel.rolling("rim", radius=0.3, axis="y", crown=0.02)
        else:
            wheel.rolling("egg", semi_axes=(0.2, 0.3, 0.25))
    return Problem(robot.model())


@pytest.mark.parametrize("kind", [*JOINTS, "wheels", "disc", "ellipsoid"])
def test_change_of_the_speeds_with_the_configuration(kind: str) -> None:
    """d(J v)/dq at fixed v, exact: against differences of fourth order, on a free base with rods and ball joints."""
    problem = closed(kind)[0] if kind in JOINTS else rolling(kind)
    model, p, w, c = problem.model, problem.arrays, problem.workspace, problem.arrays.rows
    rng = np.random.default_rng(7)
    q, v = model.move(model.neutral(), 0.3 * rng.standard_normal(model.nv)), rng.standard_normal(model.nv)
    count = len(problem.constraints.arrays.active)
    gaps, slopes = np.zeros(count), np.zeros((count, model.nv))

    def speeds(place: np.ndarray) -> np.ndarray:
        rows_at(p, c, problem.inputs, place, v, w)
        row_gaps(c, False, w.motions, v, gaps)
        return gaps.copy()

    problem.read_inputs(0.0, q, v)
    row_slopes(p, c, problem.inputs, q, v, w, np.zeros(model.nv), np.zeros(model.nq), gaps, slopes)
    h, expected = 1e-3, []
    for unit in np.eye(model.nv):
        one, two = (speeds(model.move(q, s * h * unit)) - speeds(model.move(q, -s * h * unit)) for s in (1, 2))
        expected.append((8.0 * one - two) / (12.0 * h))
    assert count >= 2
    np.testing.assert_allclose(slopes, np.array(expected).T, atol=1e-9 * np.max(np.abs(slopes)))
