"""Loops with rows that are redundant only where they are closed: Bricard's mechanism, Bennett's linkage, chains of four-bars.

Inside the steps of an integrator loops are not closed, and rows that are redundant on the closure are independent there, as much
as the residual is large: rank must not follow it, or the mechanism locks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.integrate import Solution, solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import Circle, Material, Robot, about_centre, rotation_about
from locodyn.zoo import measures
from locodyn.zoo.robots import bennett as bennett_file

P3 = np.array([0.510501, -1.649168, 0.140123])  # m at 1 s, IFToMM A04: three independent methods, six decimals


def bricard() -> tuple[Problem, np.ndarray]:
    scenario = ld.zoo.bricard()
    return Problem(scenario.robot.model(gravity=(0.0, 0.0, -9.81))), np.zeros(5)


def bennett() -> tuple[Problem, np.ndarray]:
    scenario = ld.zoo.bennett()
    start = bennett_file.assembled({q.name: q.value for q in bennett_file.PARAMETERS})
    return Problem(scenario.robot.model(gravity=(0.0, 0.0, -9.81))), np.array(list(start.values()))


CASES = {"bricard": bricard, "bennett": bennett}


def run(case: str, step: float, method: str = "rkmk4", t_end: float = 1.0) -> tuple[Problem, Solution]:
    problem, q = CASES[case]()
    solution = solve(problem, q, np.zeros(len(q)), t_end=t_end, step=step, method=method)
    assert solution.status == "completed"
    return problem, solution


def settled_ranks(problem: Problem) -> tuple[int, int]:
    """Ranks of all rows and of the holonomic ones at settled states."""
    rows = problem.constraints.arrays
    return rows.settled_rank, rows.settled_holonomic_rank


def test_bricards_mechanism_is_where_independent_computations_put_it() -> None:
    problem, solution = run("bricard", 0.01)
    x, y, z = problem.model.kinematics(solution.q[-1], np.zeros(5))[0][4, 9:]  # the fourth bar begins at P3
    np.testing.assert_allclose((x, z, -y), P3, atol=1e-6)
    assert settled_ranks(problem) == (4, 4)


@pytest.mark.parametrize("case", CASES)
def test_runge_kutta_has_order_four_on_redundant_loops(case: str) -> None:
    _, fine = run(case, 0.00125)
    errors = [np.abs(run(case, step)[1].q[-1] - fine.q[-1]).max() for step in (0.01, 0.005)]
    # Order 4: 16 times smaller; against a reference with a 4096th of the first error.
    assert 3.6 < np.log2(errors[0] / errors[1]) < 4.4
    assert errors[0] < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_time_stepping_goes_to_the_same_motion_of_redundant_loops(case: str) -> None:
    _, fine = run(case, 0.00125)
    errors = [np.abs(run(case, step, "moreau")[1].q[-1] - fine.q[-1]).max() for step in (0.01, 0.005)]
    assert np.log2(errors[0] / errors[1]) > 1.8  # midpoint: order 2 while nothing touches
    assert errors[1] < 1e-3


# Error at a step of 5 ms, of order h^2 w^3 (w = 6 rad/s at most) for methods of order 2, h w^2 for Euler, and the tolerance of
# Newton's method for the others; all halved or better with the step.
ERRORS = {
    "adams": 1e-7, "adaptive": 1e-7, "gauss2": 1e-6, "radau3": 1e-5, "radau_adaptive": 1e-7, "energy_momentum": 1e-6,
    "generalized_alpha": 2e-3, "newmark": 2e-3, "hht": 2e-3, "wbz": 2e-3, "implicit_euler": 0.1,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_all_methods_that_take_loops_take_redundant_ones(case: str) -> None:
    _, fine = run(case, 0.00125)
    for method, bound in ERRORS.items():
        _, solution = run(case, 0.005, method)
        assert np.abs(solution.q[-1] - fine.q[-1]).max() < bound, method


@pytest.mark.parametrize("settings", [{"case": "free"}, {"case": "driven"}])
def test_bennetts_linkage_keeps_its_closed_form(settings: dict[str, Any]) -> None:
    result = ld.zoo.bennett(**settings).run(progress=False)
    assert result.status == "completed" and set(result.constraint_rank.values.tolist()) == {2}
    assert all(check.passed for check in result.checks())
    # Its rates: d/dt of tan(theta/2) tan(phi/2) = k is sin(phi) theta' + sin(theta) phi' = 0.
    theta, phi = (result.joint_position.sel(joint=name).values for name in ("joint_1", "joint_2"))
    rates = [result.joint_velocity.sel(joint=name).values for name in ("joint_1", "joint_2")]
    np.testing.assert_allclose(np.sin(phi) * rates[0] + np.sin(theta) * rates[1], 0.0, atol=1e-10 * np.abs(rates).max())


def test_driven_bricard_feels_the_power_of_its_bars() -> None:
    scenario = ld.zoo.bricard().changed(imposed={"joint_1": ld.sine(0.4, omega=2.0)}, t_end=3.0, checks=())
    result = scenario.run(progress=False)
    assert result.status == "completed" and set(result.constraint_rank.values.tolist()) == {4}
    assert measures.power_balance(result) < 1e-11  # round-off over the smallest pivot, 0.1
    free = result.joint_position.values  # by symmetry, angles 1, 3, 5 agree, and 2 and 4
    np.testing.assert_allclose(free[:, [2, 4, 3]], free[:, [0, 0, 1]], atol=1e-11)


def test_redundant_rows_share_their_force_by_the_smallest_norm() -> None:
    problem, solution = run("bennett", 0.01, t_end=0.2)
    q, v = solution.q[-1], solution.v[-1]
    series = problem.series(solution.times[-1:], q[None], v[None])
    arrays = problem.constraints.arrays
    rows = arrays.jacobian * arrays.units * arrays.sharing.weights[:, None]
    redundant = np.linalg.svd(rows)[0][:, 2:]  # combinations without effect on the joints
    force = series["multiplier"][0] / arrays.sharing.weights
    assert np.abs(redundant.T @ force).max() < 1e-9 * np.abs(force).max()
    # ... and they balance: M a + h = J^T lambda.
    model = problem.model
    needed = model.inverse_dynamics(q, v, series["joint_acceleration"][0])
    np.testing.assert_allclose(arrays.jacobian.T @ series["multiplier"][0], needed, atol=1e-9 * np.abs(needed).max())


def test_a_rough_start_moves_by_the_smallest_change() -> None:
    problem, q = bennett()
    rough = q + np.array([0.004, -0.006, 0.009])
    start, _ = problem.start_state(0.0, rough, np.zeros(3))
    assert settled_ranks(problem) == (2, 2)
    # The way to the nearest closed position has no part along the motion there, but for squares of its length.
    theta, phi, _ = start
    along = np.array([1.0, -np.sin(phi) / np.sin(theta), -1.0])
    way = start - rough
    assert abs(way @ along) / np.linalg.norm(along) < 5 * way @ way
    assert np.tan(theta / 2) * np.tan(phi / 2) == pytest.approx(np.tan(q[0] / 2) * np.tan(q[1] / 2), abs=1e-10)


def sledge() -> Robot:
    """Bennett's linkage on a body with a knife edge: rows of a loop and of a wheel in one robot."""
    a, alpha, beta = 0.5, 0.6, 1.3
    b = a * np.sin(beta) / np.sin(alpha)
    tilt = rotation_about("x", 0.9)
    robot = Robot("sledge")
    base = robot.base("body", moves="planar", mass=3.0, centre=(0.1, 0, 0), inertia=about_centre(xx=0.2, yy=0.2, zz=0.3))
    base.skate(at=(-0.3, 0, 0))
    parent, place, turned = "body", 0.0, tilt
    for k, (length, twist) in enumerate(((a, alpha), (b, beta), (a, alpha)), start=1):
        moment = length**3 / 12
        inertia = about_centre(xx=0.01 * moment, yy=moment, zz=moment)
        bar = robot.body(f"bar_{k}", mass=length, centre=(length / 2, 0, 0), inertia=inertia)
        bar.on(parent, at=(place, 0, 0), turned=turned).turning("z", name=f"joint_{k}")
        parent, place, turned = f"bar_{k}", length, rotation_about("x", twist)
    bar.marker("end", at=(a, 0, 0), turned=turned)
    back = tilt @ rotation_about("x", -beta)
    base.marker("pivot", at=back @ (-b, 0, 0), turned=back)
    return robot.loop("pin", "pivot", "end", joint="revolute", axis="z")


def test_redundant_loop_beside_a_wheel() -> None:
    p = {q.name: q.value for q in bennett_file.PARAMETERS}
    start = ld.Start(positions=bennett_file.assembled(p), velocities={"joint_1": 2.0}, keep=("joint_1",))
    scenario = ld.Scenario("sledge", sledge(), gravity=(0, 0, -9.81), start=start, t_end=1.0)
    results = [scenario.changed(dt=step).run(progress=False) for step in (0.01, 0.005)]
    drifts = [measures.energy_drift(result) for result in results]
    assert all(set(result.constraint_rank.values.tolist()) == {3} for result in results)  # 2 of the loop, 1 of the edge
    assert np.log2(drifts[0] / drifts[1]) > 3.6 and drifts[0] < 1e-5
    assert max(bennett_file.off_relation(result, bennett_file.constant_of(p)) for result in results) < 1e-11


def rod_loop(**strains: Any) -> Robot:
    """Bennett's linkage with a rod in the place of its rocker, massless at its joint but for a light hub."""
    a, alpha, beta = 0.5, 0.6, 1.3
    b = a * np.sin(beta) / np.sin(alpha)
    tilt = rotation_about("x", np.pi / 2)
    robot = Robot("rod loop")
    ground = robot.base("ground", moves="fixed")
    for name, parent, at, turned, length in (
        ("crank", ground, 0, tilt, a),
        ("coupler", "crank", a, rotation_about("x", alpha), b),
    ):
        inertia = about_centre(xx=0.01 * length**3 / 12, yy=length**3 / 12, zz=length**3 / 12)
        bar = robot.body(name, mass=length, centre=(length / 2, 0, 0), inertia=inertia)
        bar.on(parent, at=(at, 0, 0), turned=turned).turning("z", name=f"{name}_joint")
    hub = robot.body("hub", mass=0.05, inertia=about_centre(xx=1e-4, yy=1e-4, zz=1e-4))
    hub.on("coupler", at=(b, 0, 0), turned=rotation_about("x", beta)).turning("z", name="hub_joint")
    rod = hub.rod("rocker", length=a, section=Circle(0.01), material=Material(2e9, 1200.0), nodes=6, **strains)
    rod.marker("end", turned=rotation_about("x", alpha))
    back = tilt @ rotation_about("x", -beta)
    ground.marker("pivot", at=back @ (-b, 0, 0), turned=back)
    return robot.loop("pin", "pivot", "end", joint="revolute", axis="z")


@pytest.mark.slow
def test_a_rod_that_a_redundant_loop_keeps_straight_moves_as_a_bar() -> None:
    """Torsion, or bending about y, takes up one redundant row each: neither can bend, and both move alike."""
    p = {q.name: q.value for q in bennett_file.PARAMETERS}
    start = dict(zip(("crank_joint", "coupler_joint", "hub_joint"), bennett_file.assembled(p).values(), strict=True))
    ends = []
    for strains, rank in (({"torsion": 1}, 3), ({"bending": (2, 0)}, 4)):
        scenario = ld.Scenario("rod loop", rod_loop(**strains), gravity=(0, 0, -9.81), start=start, t_end=0.2)
        for method, step, bound in (("rkmk4", 0.002, 1e-9), ("gauss2", 0.005, 1e-6)):  # order 4; Newton's tolerance
            result = scenario.changed(integrator=method, dt=step).run(progress=False)
            assert result.status == "completed" and set(result.constraint_rank.values.tolist()) == {rank}
            assert measures.energy_drift(result) < bound
            ends.append(result.joint_position.values[-1, :3])
    np.testing.assert_allclose(ends, np.broadcast_to(ends[0], (4, 3)), atol=1e-6)


def four_bars(n: int) -> Robot:
    """n + 1 upright rods and n level ones, 1 m and 1 kg each, all pins about y (IFToMM A02)."""
    robot = Robot("four-bars")
    ground = robot.base("ground", moves="fixed")
    for i in range(n + 1):
        rod = robot.body(f"rod_{i}", mass=1.0, centre=(0, 0, 0.5), inertia=about_centre(xx=1 / 12, yy=1 / 12, zz=1e-4))
        rod.on(ground, at=(i, 0, 0)).turning("y", name=f"rod_{i}").marker(f"top_{i}", at=(0, 0, 1))
    for i in range(n):
        bar = robot.body(f"bar_{i}", mass=1.0, centre=(0.5, 0, 0), inertia=about_centre(xx=1e-4, yy=1 / 12, zz=1 / 12))
        bar.on(f"rod_{i}", at=(0, 0, 1)).turning("y", name=f"bar_{i}").marker(f"end_{i}", at=(1, 0, 0))
        robot.loop(f"pin_{i}", f"end_{i}", f"top_{i + 1}", joint="revolute", axis="y")
    return robot


@pytest.mark.parametrize("angle", [0.0, np.pi / 2])
def test_four_bars_through_and_from_flat_positions(angle: float) -> None:
    """((n+1)/3 + n) theta'' = ((n+1)/2 + n) g sin(theta): upright, or flat, where both loops lose a row, and on through flat."""
    n = 2
    rods, bars = [f"rod_{i}" for i in range(n + 1)], [f"bar_{i}" for i in range(n)]
    places = dict.fromkeys(rods, angle) | dict.fromkeys(bars, -angle)
    rates = dict.fromkeys(rods, 1.0) | dict.fromkeys(bars, -1.0)
    start = ld.Start(positions=places, velocities=rates)
    result = ld.Scenario("A02", four_bars(n), gravity=(0, 0, -9.81), start=start, t_end=2.0, dt=0.005).run(progress=False)
    assert result.status == "completed"
    factor = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    wanted = solve_ivp(lambda t, y: (y[1], factor * np.sin(y[0])), (0, 2), (angle, 1.0), rtol=1e-12, atol=1e-12).y[0, -1]
    # Order 4 with rates up to 8 rad/s: (h w)^4 = 2.6e-6; at a flat start the first stage does not know the lost rows.
    np.testing.assert_allclose(result.joint_position.sel(joint=rods).values[-1], wanted, atol=3e-5)


def test_loops_stay_closed_to_round_off_however_many_steps() -> None:
    """Of 20,000 steps through flat positions the residual stays that of a few: it must not add up, since what is left of it is
    divided by the cube of the distance from a flat position, and steps come nearer to one the shorter they are.

    Round-off of a metre is 2e-16; 1e-15 is left alone, a step and the look at it add as much each.
    """
    rods, bars = ("rod_0", "rod_1", "rod_2"), ("bar_0", "bar_1")
    start = ld.Start(velocities=dict.fromkeys(rods, 1.0) | dict.fromkeys(bars, -1.0))
    scenario = ld.Scenario("A02", four_bars(2), gravity=(0, 0, -9.81), start=start, t_end=10.0, dt=5e-4, record_every=20)
    result, model = scenario.run(progress=False), scenario.model
    gaps = [model.pose(f"end_{i}", q)[1] - model.pose(f"top_{i + 1}", q)[1] for q in result.q for i in range(2)]
    assert np.abs(gaps).max() < 3e-15
