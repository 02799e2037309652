"""Implicit steps of robots with many rods and loops: sparse factors against full ones, and the structure against the tangents.

Both ways solve the same equations to the tolerance of Newton's method, 1e-12 of the accelerations; a step h multiplies it by h in
velocities, and multipliers lose what the condition of the rows takes, below 1e4 here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.integrate.implicit import pattern
from locodyn.integrate.implicit.arrays import ImplicitScratch, implicit_scratch
from locodyn.integrate.implicit.sparse_rank import choose_independent
from locodyn.linearisation.run_variation import _Side
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_residual import add_row_geometry
from net_cases import net, platform, shaken

pytestmark = pytest.mark.slow

BRUSH = "rods on a free body"
ROBOTS = {
    "net": lambda: net(4, deep=2),
    "doubled net": lambda: net(3, deep=2, doubled=True),  # half of the rows depend on others, and are not zero
    "platform": lambda: platform(7),
    BRUSH: lambda: brush(6),
}


def brush(rods: int) -> ld.Robot:
    """A floating body with rods: no loops, and coordinates that turn in space."""
    robot = ld.Robot("brush")
    body = robot.base("body", moves="free", mass=0.2, shape=ld.Box((0.2, 0.05, 0.05)))
    for k in range(rods):
        body.rod(f"r{k}", length=0.2, at=(0.03 * k, 0.0, 0.0), turned=("y", 1.2), section=ld.Circle(0.003),
                 material=ld.Material(1e7, 1100.0), bending=2, torsion=1, nodes=4, damping=5e-3)  # fmt: skip
    return robot


def scenario(name: str, **given: Any) -> ld.Scenario:
    robot = ROBOTS[name]()
    if "net" in name:
        return shaken(robot, **given)
    return ld.Scenario(robot.name, robot, dt=5e-3, t_end=0.1, **given)


def started(name: str, seed: int = 1) -> tuple[Problem, np.ndarray, np.ndarray]:
    """A state off rest, on the rows."""
    made = scenario(name)
    problem, (q, v) = made.problem, made.initial_state()
    v = v + 0.2 * np.random.default_rng(seed).standard_normal(len(v))
    q, v = problem.imposed_state(0.0, q, v)
    return problem, q, v


def sparse_or_not(monkeypatch: pytest.MonkeyPatch, problem: Problem, sparse: bool) -> None:
    problem.kept.clear()
    monkeypatch.setattr(pattern, "FEWEST", 1 if sparse else 10**9)
    monkeypatch.setattr(pattern, "WORTH", 0.0)


METHODS = ("generalized_alpha", "gauss2", "radau3", "radau_adaptive")


@pytest.mark.parametrize(
    ("name", "method"),
    [*((name, method) for name in ROBOTS for method in METHODS), *((name, "energy_momentum") for name in ("platform", BRUSH))],
)
def test_same_motion(monkeypatch: pytest.MonkeyPatch, name: str, method: str) -> None:
    problem, q, v = started(name)
    found, corrections = [], []
    for sparse in (False, True):
        sparse_or_not(monkeypatch, problem, sparse)
        tolerance = 1e-12 if method != "radau_adaptive" else 1e-6
        solution = solve(problem, q, v, t_end=0.03, step=5e-3, method=method, tolerance=tolerance)
        assert solution.status == "completed"
        scratch = next(one for one in problem.kept.values() if isinstance(one, ImplicitScratch))
        assert len(scratch.real.order) == (problem.model.nv + len(scratch.matrix.chosen) if sparse else 0)
        found.append((solution.q, solution.v, solution.multipliers))
        corrections.append(int(solution.iterations.sum()))
    if method != "radau_adaptive":  # the same matrix: at round-off, the last correction may be made or not
        assert abs(corrections[0] - corrections[1]) <= 2
    bounds = (1e-10, 1e-7, 1e-6) if method != "radau_adaptive" else (1e-6, 1e-4, 1e-3)
    for full, few, bound in zip(*found, bounds, strict=True):
        if full is not None:
            np.testing.assert_allclose(few, full, rtol=0.0, atol=bound * max(1.0, np.abs(full).max(initial=0.0)))


@pytest.mark.parametrize("name", ROBOTS)
def test_no_entry_is_forgotten(name: str) -> None:
    """Exact tangents of motion and rows at a random state: zero but for round-off wherever the structure says so."""
    problem, q, v = started(name, 3)
    random, rows = np.random.default_rng(4), problem.constraints.arrays
    side, free = _Side(problem), np.flatnonzero(problem.drive != 2)
    forces = random.standard_normal(len(problem.constraints.rows))
    side.residual(0.0, q, v, random.standard_normal(len(v)), forces)
    mass, damping, stiffness, jacobian, slopes, _ = side.tangent(q)
    start, row = pattern.entries(problem)
    n = len(start) - 1
    there = np.zeros((n, n), dtype=bool)
    there[row, np.repeat(np.arange(n), np.diff(start))] = True
    block = there[np.ix_(free, free)]
    for one in (mass, damping, stiffness):
        assert np.abs(one[~block]).max(initial=0.0) <= 1e-13 * np.abs(one).max()
    assert not block.all() and np.count_nonzero(np.abs(stiffness[block]) > 1e-9 * np.abs(stiffness).max()) > len(free)
    if rows is not None:
        below = there[problem.model.nv :][:, free]
        for one in (jacobian, slopes):
            assert np.abs(one[~below]).max(initial=0.0) <= 1e-13 * np.abs(one).max()
        np.testing.assert_array_equal(below.T, there[free][:, problem.model.nv :])


@pytest.mark.parametrize("name", ["net", "doubled net", "platform"])
def test_groups_of_coordinates(name: str) -> None:
    """What rows change by, found for groups of coordinates at a time, against one coordinate after the other."""
    problem, q, v = started(name, 5)
    rows, model = problem.constraints.arrays, problem.model
    groups, e = rows.groups, len(rows.free)
    assert len(groups.start) - 1 < e or name == "platform"
    np.testing.assert_array_equal(np.sort(groups.coordinate), np.arange(e))
    forces = np.random.default_rng(6).standard_normal(len(rows.kind))
    side = _Side(problem)
    side.residual(0.0, q, v, np.zeros(len(v)), forces)
    *_, slopes, _ = side.tangent(q)
    gradient = np.zeros((model.nv, model.nv))
    problem.imposed_state(0.0, q, v)
    add_row_geometry(problem.arrays, rows, problem.inputs, q, forces, problem.workspace, gradient)
    h = 1e-5
    for place, i in enumerate(rows.free):
        unit = np.zeros(model.nv)
        unit[i] = h
        ahead, behind = (speeds(problem, model.move(q, s * unit), v) for s in (1.0, -1.0))
        np.testing.assert_allclose(slopes[:, place], (ahead - behind) / (2.0 * h), rtol=0.0, atol=1e-6 * np.abs(slopes).max())
    assert np.abs(gradient).max() > 0.0


def speeds(problem: Problem, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """J v of the active rows."""
    from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at

    rows = problem.constraints.arrays
    rows_at(problem.arrays, rows, problem.inputs, q, v, problem.workspace)
    rod_columns(problem.arrays, rows, q, problem.workspace.poses)
    row_jacobian(problem.arrays, rows, problem.workspace.poses)
    found: np.ndarray = problem.row_speeds(q, v)[rows.active]
    return found


def test_a_rank_that_changes_is_left_to_the_pivots(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one row less or more than there are independent ones the random vectors tell, and all rows are factored."""
    problem, q, _ = started("doubled net")
    sparse_or_not(monkeypatch, problem, True)
    rows, scratch = problem.constraints.arrays, implicit_scratch(problem, 1)
    rank, order = rows.settled_rank, rows.settled_order.copy()
    assert 2 * rank == len(rows.active)

    def chosen(settled: int) -> int:
        rows.settled_rank = settled
        rows.factors.order[:] = -1
        choose_independent(problem.arrays, rows, problem.inputs, q, problem.workspace, scratch.matrix, scratch.ranks)
        assert scratch.matrix.chosen.sum() == rank
        return int(rows.factors.order[0])

    assert chosen(rank) == -1  # the pivots were not asked
    assert chosen(rank - 1) >= 0  # a row that depends on no other was left out
    rows.settled_order[:] = order
    assert chosen(rank + 1) >= 0  # one that depends on others was chosen


def test_a_run_goes_on_as_if_it_had_not_been_stopped(tmp_path: Any) -> None:
    """Factors, pivots and all: bit by bit."""
    whole = shaken(net(5), t_end=0.1, integrator="generalized_alpha").run(progress=False)
    half = shaken(net(5), t_end=0.05, integrator="generalized_alpha").run(progress=False)
    half.save(tmp_path / "half.nc")
    rest = ld.resume(tmp_path / "half.nc", t_end=0.1, scenario=shaken(net(5), integrator="generalized_alpha"), progress=False)
    np.testing.assert_array_equal(rest.joint_position.values, whole.joint_position.values)
    np.testing.assert_array_equal(rest.multiplier.values, whole.multiplier.values)
