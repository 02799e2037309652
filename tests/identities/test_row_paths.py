"""Rows of many loops along their paths, against the pivoted factorisation of all rows: the same motions and forces.

Bounds are round-off: some hundred sums of numbers of order 1 to 100, through a condition of 1e2 to 1e3.
"""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.multipliers import constrained_forces
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import accelerations, settle
from locodyn.locomotion.row_paths import along_paths
from locodyn.zoo.robots import bricard, n_four_bar

pytestmark = pytest.mark.slow


def bars(count: int, coupled: bool = False) -> tuple[Problem, np.ndarray, np.ndarray]:
    """N four-bars, rods at 0.7 rad; ``coupled``: a gear between two of them, which asks for what the loops give already."""
    p = {one.name: one.value for one in n_four_bar.PARAMETERS} | {"N": count}
    robot = n_four_bar.robot(p)
    if coupled:
        robot.coupling("gear", {"joint_0": 1.0, "joint_3": -1.0})
    problem = ld.Scenario("bars", robot, gravity=(0.0, 0.0, -9.81), t_end=1.0, dt=0.01).problem
    q = np.zeros(problem.model.nq)
    names = problem.model.compiled.coordinate_names
    for i, name in enumerate(names):
        q[i] = 0.7 if name.startswith("joint") else -0.7
    return problem, q, q / 0.7


def bricards(count: int) -> ld.Robot:
    """Bricard's mechanism, ``count`` times side by side: each has a row that depends on others and is not zero."""
    robot = ld.Robot("bricards")
    robot.base("ground", moves="fixed")
    for n in range(count):
        shift = np.array([0.0, 3.0 * n, 0.0])
        robot["ground"].marker(f"last_{n}", at=bricard.PINS[5] + shift)
        parent, place = "ground", bricard.PINS[0] + shift
        for k in range(5):
            along = bricard.PINS[k + 1] - bricard.PINS[k]
            size = np.where(along != 0.0, 1.0, 0.1)
            xx, yy, zz = ((size @ size - size**2) / 12.0).tolist()
            bar = robot.body(f"bar_{n}_{k}", mass=1.0, centre=0.5 * along, inertia=ld.about_centre(xx=xx, yy=yy, zz=zz))
            bar.on(parent, at=place).turning(bricard.AXES[k], name=f"joint_{n}_{k}").marker(f"pin_{n}_{k}", at=along)
            parent, place = f"bar_{n}_{k}", along
        robot.loop(f"loop_{n}", f"last_{n}", f"pin_{n}_4", joint="revolute", axis=bricard.AXES[5])
    return robot


def both_ways(problem: Problem, q: np.ndarray, v: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """(q, v) settled, accelerations, multipliers: by the pivoted factorisation, and along the paths."""
    found, rows = [], problem.arrays.rows
    for on in (False, True):
        here, speed, a = q.copy(), v.copy(), np.zeros(problem.model.nv)
        with along_paths(rows, on):
            problem.read_inputs(0.0, here, speed)
            settle(rows, problem.arrays, problem.inputs, here, speed, problem.workspace, a)
            accelerations(problem.arrays, problem.inputs, here, speed, problem.workspace, a)
            constrained_forces(problem.arrays, rows, here, speed, problem.workspace, a)
        assert rows.paths.used == int(on)
        assert rows.sharing.mismatch < 1e-9 * max(1.0, rows.sharing.scale)
        found.append((here, speed, a, rows.multipliers.copy()))
    return found


def compare(whole: tuple[np.ndarray, ...], paths: tuple[np.ndarray, ...]) -> None:
    """Positions, velocities, accelerations, forces agree, each to more round-off than the one before."""
    for one, other, bound in zip(whole, paths, (1e-12, 1e-11, 1e-9, 1e-8), strict=True):
        np.testing.assert_allclose(other, one, rtol=0.0, atol=bound * max(1.0, np.abs(one).max()))


@pytest.mark.parametrize("coupled", [False, True])
def test_same_motions_and_forces(coupled: bool) -> None:
    """States off the closure and off the rows. With the gear, rows that are not zero share the force of smallest norm; the way
    back to the closure then depends on which rows are taken for independent, so that states are on it.
    """
    problem, q, v = bars(10, coupled)
    problem.start_state(0.0, q, v)
    random = np.random.default_rng(2)
    for _ in range(3):
        moved, pushed = q + (0.0 if coupled else 1e-3) * random.standard_normal(len(q)), v + 0.3 * random.standard_normal(len(v))
        compare(*both_ways(problem, moved, pushed))


def test_a_lower_rank_is_left_to_the_pivots() -> None:
    """All rods on one line: the loops lose rows, which pivots tell. Near it they do not, and the paths go on."""
    problem, q, v = bars(10)
    problem.start_state(0.0, q, v)
    rows, count = problem.arrays.rows, 20
    for angle, rank in ((np.pi / 2, 10), (np.pi / 2 - 1e-3, count)):
        here, a = np.where(q > 0.0, angle, -angle), np.zeros(len(v))
        with along_paths(rows):
            accelerations(problem.arrays, problem.inputs, here, v.copy(), problem.workspace, a)
        assert (rows.rank, rows.paths.used) == (rank, int(rank == count))


def test_a_higher_rank_is_left_to_the_pivots() -> None:
    """A row that is independent but was not before: the random vector tells it."""
    problem, q, v = bars(10)
    q, v = problem.start_state(0.0, q, v)
    rows = problem.arrays.rows
    for lost in range(3):
        rows.settled_rank = 20 - 1 - lost
        with along_paths(rows):
            accelerations(problem.arrays, problem.inputs, q.copy(), v.copy(), problem.workspace, np.zeros(len(v)))
        assert (rows.rank, rows.paths.used) == (20, 0)


def test_many_bricards() -> None:
    """Rows that depend on others on the closure only, inside the steps of a run: each mechanism goes where one of them does."""
    scenario = ld.Scenario("bricards", bricards(4), gravity=(0.0, 0.0, -9.81), t_end=1.0, dt=0.01)
    problem = scenario.problem
    assert problem.arrays.rows.paths is not None
    solution = solve(problem, *scenario.initial_state(), t_end=1.0, step=0.01)
    assert solution.status == "completed" and problem.arrays.rows.paths.used == 1 and problem.arrays.rows.rank == 16
    for n in range(4):
        _, (x, y, z) = scenario.model.pose(f"bar_{n}_3", solution.q[-1])
        np.testing.assert_allclose((x, z, -(y - 3.0 * n)), (0.510501, -1.649168, 0.140123), atol=1e-6)  # of zoo.bricard
    compare(*both_ways(problem, solution.q[-1], solution.v[-1]))


def test_room_grows_with_the_loops() -> None:
    """The envelope of four times as many loops has four times as many entries."""
    sizes = [len(bars(count)[0].arrays.rows.paths.factor) for count in (10, 40)]
    assert sizes[1] < 4.3 * sizes[0]


def test_few_loops_have_no_paths() -> None:
    """Their rows are factored as a whole, by the code of before."""
    assert bars(3)[0].arrays.rows.paths is None
