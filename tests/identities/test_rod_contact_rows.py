"""Rows of anchors, sleeves and pegs on rods: their rates, Jacobians and slopes, exact, for sections that move along the rod."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import new_tangent
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import add_row_geometry, row_slopes
from locodyn.world.rows import HOLONOMIC

KINDS = ("anchor", "no_slip", "sleeve", "peg")
DIFFERENCES = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # of order 6


def held_rod(kind: str, moves: bool = True) -> Problem:
    """A free base with a rod of all strains and a field, held at an abscissa that moves by an obstacle that moves and turns."""
    robot = ld.Robot("worm")
    wave = ld.travelling("bending_y", 2.0, wavelength=0.5) + ld.travelling_bump("stretch", 0.1, centre=0.4, half_width=0.3)
    base = robot.base("head", mass=0.3, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    rod = base.rod(
        "body", at=(0.05, 0.0, 0.02), turned=("y", 0.2), length=0.8, section=ld.Circle(0.02), material=ld.silicone,
        bending=(3, 2), torsion=2, stretch=2, shear=1, rest_curvature=(0.0, 0.1, 0.4),
        fields=[ld.StrainField("wave", wave, True)],
    )  # fmt: skip
    laws = {"x": ld.sine(0.1, omega=2.0), "y": ld.sine(0.05, omega=1.0), "turn": ld.sine(0.4, omega=1.5)}
    laws |= {"about_x": ld.sine(0.3, omega=1.2), "about_y": ld.polynomial(0.1, 0.2, -0.3)}
    obstacle = {"place": (0.2, 0.05, 0.1), "turned": ("z", 0.3), "moves": laws if moves else {}}
    place = ld.polynomial(0.3, 0.2, 0.1)
    if kind == "peg":
        rod.peg("hold", **obstacle)
    elif kind == "sleeve":
        rod.sleeve("hold", at=place, **obstacle)
    else:
        rod.anchor("hold", at=place, slips=kind == "anchor", **obstacle)
    problem = Problem(robot.model())
    problem.constraints.arrays.rod_contacts.abscissa[:] = 0.3
    return problem


def state(problem: Problem, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, model = np.random.default_rng(seed), problem.model
    q = model.move(model.neutral(), 0.2 * rng.normal(size=model.nv))
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def missed(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J v - b and the residuals of all rows at a state that need not be on them."""
    arrays = problem.constraints.arrays
    problem.read_inputs(t, q, v)
    rows_at(problem.arrays, arrays, problem.inputs, q, v, problem.workspace)
    return problem.row_speeds(q, v) - arrays.right_side, arrays.residual.copy()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_rows_and_of_positions(kind: str) -> None:
    """d/dt (J v - b) as the rows say, and d/dt of the residual is the row: against differences of order 6 with h = 1e-3 s.

    Their error is about h^6 = 1e-18 times sixth derivatives, below round-off over h, 1e-13. Components about the axes of an
    anchor are left out of the second: as for every loop, their residual log(R) has the row as its rate at closure only.
    """
    problem, t, h = held_rod(kind), 0.4, 1e-3
    model, arrays = problem.model, problem.constraints.arrays
    q, v, a = state(problem)
    speed, _ = missed(problem, t, q, v)
    nodes, place = arrays.rod_contacts.sections.start, arrays.rod_contacts.abscissa[0]
    assert np.abs(nodes - place).min() > 4e-3  # the differences do not cross a node, where S_C has a kink of order 4
    motions, k, own = model.kinematics(q, v, a)[1], arrays.frame, arrays.coordinate[0]
    rate = np.einsum("mj,mj->m", arrays.cotwist, motions[k, 6:]) + np.einsum("mj,mj->m", arrays.cotwist_rate, motions[k, :6])
    rate += arrays.coefficient @ a[own] + arrays.coefficient_rate @ v[own] - arrays.right_side_rate
    along = [
        (weight / h, missed(problem, t + n * h, model.move(q, n * h * v + 0.5 * (n * h) ** 2 * a), v + n * h * a))
        for n, weight in DIFFERENCES
    ]
    np.testing.assert_allclose(sum(w * x[0] for w, x in along), rate, atol=1e-11 * (1.0 + np.abs(rate).max()))
    kept = [m for m in np.flatnonzero(arrays.flags & HOLONOMIC) if not problem.constraints.rows[m].is_moment]
    assert bool(kept) == (kind in ("anchor", "peg"))
    np.testing.assert_allclose(sum(w * x[1] for w, x in along)[kept], speed[kept], atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_jacobian_and_slopes(kind: str) -> None:
    """J against speeds for unit velocities (1e-13); d(J v)/dq and d(J^T lambda)/dq against differences (h = 1e-5: 1e-8)."""
    problem, t, h = held_rod(kind, moves=False), 0.4, 1e-5
    model, arrays, work = problem.model, problem.constraints.arrays, problem.workspace
    q, v, _ = state(problem, 3)
    nv, p = model.nv, problem.arrays

    def jacobian(place: np.ndarray) -> np.ndarray:
        missed(problem, t, place, np.zeros(nv))
        rod_columns(p, arrays, place, work.poses)
        row_jacobian(p, arrays, work.poses)
        return arrays.jacobian.copy()

    expected = np.column_stack([missed(problem, t, q, unit)[0] + arrays.right_side for unit in np.eye(nv)])
    found = jacobian(q)
    np.testing.assert_allclose(found, expected, atol=1e-13)
    steps = [jacobian(model.move(q, h * unit)) - jacobian(model.move(q, -h * unit)) for unit in np.eye(nv)]
    by_q = np.array(steps) / (2.0 * h)  # (nv, m, nv)
    # J v changes with q at fixed components v; the velocity of the base is in its own axes, so no bracket is left.
    slopes = np.zeros((len(arrays.active), nv))
    row_slopes(p, arrays, problem.inputs, q, v, work, np.zeros(nv), np.zeros(nv), np.zeros(len(arrays.active)), slopes)
    np.testing.assert_allclose(slopes, np.einsum("imj,j->mi", by_q, v), atol=2e-8)
    # J^T lambda: the change of the cotwists; what wrenches fixed in their frames do is not in it, so compare with their part.
    forces = np.random.default_rng(1).standard_normal(len(arrays.kind))
    matrix, tangent = np.zeros((nv, nv)), new_tangent(model)
    missed(problem, t, q, np.zeros(nv))
    loads = np.zeros((model.nf, 6))
    for m, force in enumerate(forces):
        loads[arrays.frame[m]] += force * arrays.cotwist[m]
    rod_columns(p, arrays, q, work.poses)
    add_row_geometry(p, arrays, problem.inputs, q, forces, work, matrix)
    fixed = _wrench_slopes(problem, q, loads, tangent)
    np.testing.assert_allclose(-matrix - fixed, np.einsum("imj,m->ji", by_q, forces), atol=2e-7)


def _wrench_slopes(problem: Problem, q: np.ndarray, loads: np.ndarray, room: object) -> np.ndarray:
    """d/dq of the force that wrenches fixed in their frames need along the coordinates, without gravity."""
    from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives

    p, zero = problem.arrays, np.zeros(problem.model.nv)
    inverse_dynamics_derivatives(
        p.frames, p.constants, p.dofs, p.dof_constants, np.zeros(3), q, zero, zero, loads, room.work, room.dof_work, room.by_q,
        room.by_v, room.by_a,
    )  # fmt: skip
    return room.by_q.copy()


def test_section_is_continuous_across_nodes_and_of_order_four() -> None:
    """The pose of a section has no jump at a node (round-off); its error falls as the fourth power of the slices.

    The reference is a rod with 96 nodes, whose error is 2^12 times smaller than that of 12.
    """
    place, poses = 0.37, {}
    for nodes in (12, 24, 48, 96):
        robot = ld.Robot("rod")
        rod = robot.base("ground", moves="fixed").rod(
            "rod", length=1.0, section=ld.Circle(0.01), material=ld.steel, bending=4, torsion=2, nodes=nodes
        )
        rod.sleeve("ring", at=ld.polynomial(0.0, 1.0))
        problem = Problem(robot.model())
        arrays = problem.constraints.arrays
        q = np.array([2.0, 1.0, 3.0, -4.0, 2.0, 1.0, -3.0, 5.0, -2.0, 1.0])
        poses[nodes] = _pose(problem, place, q)
        if nodes == 12:
            for k in arrays.rod_contacts.sections.start[2:6]:
                below, above = _pose(problem, k * (1.0 - 1e-15), q), _pose(problem, k * (1.0 + 1e-15), q)
                np.testing.assert_allclose(below, above, atol=1e-14)
    errors = [np.abs(poses[n] - poses[96]).max() for n in (12, 24, 48)]
    assert errors[0] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 3.5  # the section is at another share of its slice each time
    assert np.log2(errors[0] / errors[2]) > 7.0


def _pose(problem: Problem, place: float, q: np.ndarray) -> np.ndarray:
    from locodyn.locomotion.rod_contacts import section_in_world

    poses = problem.model.kinematics(q, np.zeros(problem.model.nv))[0]
    rotation, position = section_in_world(problem, problem.model.compiled.rod_contacts[0], place, q, poses)
    return np.vstack([rotation, position])
