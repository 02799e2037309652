"""Implicit integrators with loops, wheels and rolling surfaces: their orders, closure, and that all ways of running agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn import zoo
from locodyn.integrate import METHODS, solve
from locodyn.locomotion.problem import Problem
from locodyn.sim.parameter import fill
from locodyn.zoo import measures
from locodyn.zoo.robots import cpr_rfrfr, elastic_trailer
from rod_cases import SOFT

pytestmark = pytest.mark.slow

IMPLICIT = [name for name, method in METHODS.items() if method.implicit and name != "radau_adaptive"]
ORDERS = {"gauss2": 4, "energy_momentum": 4, "radau3": 5, "implicit_euler": 1}


def legs(**changes: Any) -> Problem:
    """The two pinned legs of cpr_rfrfr."""
    return Problem(cpr_rfrfr.robot(fill(cpr_rfrfr.PARAMETERS, changes, "legs")).model(gravity=(0, 0, 0)))


def swaying(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Straight legs that begin to sway and bend."""
    compiled = problem.model.compiled
    q, v = problem.model.neutral(), np.zeros(problem.model.nv)
    for name, angle in cpr_rfrfr.assembled({"d": 0.4, "l": 1.0}).items():
        q[compiled.position_index(name)] = angle
    v[compiled.coordinate_index("left_hub")] = 1.0
    v[compiled.coordinate_index("left.bending_z.0")] = -1.0
    return q, v


def slopes(problem: Problem, q: np.ndarray, v: np.ndarray, method: str, steps: Any, end: float, best: Any, tip: str = "") -> Any:
    """Orders seen from step to step (of the whole configuration, or of the place of a body), and the runs."""
    runs = [
        solve(problem, q, v, t_end=end, step=step, method=method, record_every=round(end / step), tolerance=1e-12, rho_inf=0.8)
        for step in steps
    ]
    assert all(run.status == "completed" for run in runs)

    def off(run: Any) -> float:
        if tip:
            return float(np.linalg.norm(problem.model.pose(tip, run.q[-1])[1] - problem.model.pose(tip, best.q[-1])[1]))
        return float(np.linalg.norm(problem.model.difference(best.q[-1], run.q[-1])))

    errors = np.array([off(run) for run in runs])
    return np.log2(errors[:-1] / errors[1:]), runs


@pytest.mark.parametrize("method", IMPLICIT)
def test_order_with_a_loop(method: str) -> None:
    """Against an explicit run on the rows; the pin holds to 1e-9 (measured: below 1e-13)."""
    problem = legs()
    q, v = swaying(problem)
    order = ORDERS.get(method, 2)
    steps = (4e-3, 2e-3) if order == 5 else (2e-3, 1e-3)
    best = solve(problem, q, v, t_end=0.04, step=1e-4, record_every=400)
    found, runs = slopes(problem, q, v, method, steps, 0.04, best, tip="left")
    assert found[-1] == pytest.approx(order, abs=0.2)  # measured: 2.01, 0.99, 3.97, 4.98
    for run in runs:
        ends = [problem.model.pose(name, run.q[-1])[1] for name in ("left", "right")]
        assert np.max(np.abs(ends[0] - ends[1])) < 1e-9


@pytest.mark.parametrize("method", [name for name in IMPLICIT if name != "energy_momentum"])
def test_order_with_wheels_and_a_rod(method: str) -> None:
    """The car with the elastic trailer: three rolling constraints, one of them at the end of the rod, a steering that changes."""
    scenario = elastic_trailer.scenario(fill(elastic_trailer.PARAMETERS, {"modes": 2}, "trailer"))
    problem, (q, v) = scenario.problem, scenario.initial_state()
    order = ORDERS.get(method, 2)
    steps = {1: (0.04, 0.02), 2: (0.04, 0.02), 4: (0.04, 0.02), 5: (0.08, 0.04)}[order]
    best = solve(problem, q, v, t_end=4.0, step=5e-4, record_every=8000)
    found, runs = slopes(problem, q, v, method, steps, 4.0, best)
    assert found[-1] == pytest.approx(order, abs=1.1 if order == 5 else 0.2)  # Radau IIA: 6.0 seen
    for run in runs:
        _, on_v = problem.imposed_state(4.0, run.q[-1], run.v[-1])
        np.testing.assert_allclose(run.v[-1], on_v, atol=1e-9)


@pytest.mark.parametrize("method", ["gauss2", "radau3", "generalized_alpha"])
@pytest.mark.parametrize(("name", "step"), [("rolling_disc", 0.02), ("rattleback", 0.0025)])
def test_rolling_in_space(name: str, step: float, method: str) -> None:
    """Surfaces that roll: on the plane by position, without slipping by velocity; the explicit run is met with the order."""
    scenario = zoo.make(name)
    problem, (q, v) = scenario.problem, scenario.initial_state()
    best = solve(problem, q, v, t_end=0.16, step=step / 20.0, record_every=round(3.2 / step))
    found, _ = slopes(problem, q, v, method, (step, step / 2.0), 0.16, best)
    assert found[-1] > ORDERS.get(method, 2) - 0.4


@pytest.mark.parametrize("method", ["radau3", "newmark"])
def test_imposed_joints_and_redundant_rows(method: str) -> None:
    """A four-bar linkage whose crank is imposed: positions follow from the loop alone; five rows, of which two count."""
    scenario = zoo.make("four_bar")
    problem, (q, v) = scenario.problem, scenario.initial_state()
    one, two = (solve(problem, q, v, t_end=0.4, step=0.01, method=name) for name in ("rkmk4", method))
    np.testing.assert_allclose(two.q, one.q, atol=1e-9)


def test_functions_of_the_user_take_part() -> None:
    """A torque as a law of the library and as a Python function: the same steps, to round-off."""
    problem = legs()
    q, _ = swaying(problem)
    hub = problem.model.compiled.coordinate_index("left_hub")
    runs = []
    for torque in (ld.motion.sine(0.3, omega=20.0), lambda t, q, v: 0.3 * np.sin(20.0 * t)):
        driven = Problem(problem.model, torque={hub: torque})
        for method in ("generalized_alpha", "gauss2"):
            runs.append(solve(driven, q, np.zeros(problem.model.nv), t_end=0.2, step=0.01, method=method))
    for one, two in zip(runs[:2], runs[2:], strict=True):
        np.testing.assert_allclose(two.q, one.q, atol=1e-10)
        np.testing.assert_allclose(two.multipliers, one.multipliers, atol=1e-7)


def test_multipliers_are_the_forces_in_the_pin() -> None:
    """Radau IIA ends a step at its last stage: its multipliers are those of the dynamics at the recorded state."""
    scenario = zoo.make("cpr_rfrfr", {"integrator": "radau3"}).changed(t_end=2.5, dt=0.005)
    problem = scenario.problem
    run = solve(problem, *scenario.initial_state(), t_end=2.5, step=0.005, method="radau3")
    result = scenario.run(progress=False)
    assert run.multipliers is not None
    exact = result.multiplier.values[100:, :2]
    np.testing.assert_allclose(run.multipliers[100:, :2], exact, atol=2e-3 * np.max(np.abs(exact)))


def floating_ring() -> Problem:
    """A free body with two soft rods whose tips are joined: an internal loop, momentum in space."""
    robot = ld.Robot("ring")
    base = robot.base("base", moves="free", mass=0.4, inertia=ld.about_centre(xx=2e-3, yy=3e-3, zz=4e-3))
    values = {"length": 0.3, "section": ld.Circle(0.01), "material": SOFT, "bending": 2, "torsion": 1}
    left = base.rod("left", at=(0, 0.1, 0), **values)
    right = base.rod("right", at=(0, -0.1, 0), **values)
    robot.loop("weld", left, right, joint="spherical", second_at=(0, 0.2, 0))
    return Problem(robot.model(gravity=(0, 0, 0)))


def test_energy_and_momentum_are_kept() -> None:
    """Free flight with an internal loop, 200 steps: energy to 1e-13, momentum to 1e-12 relative; Gauss alone: 1e-7 and more."""
    problem = floating_ring()
    model = problem.model
    v = 0.5 * np.random.default_rng(2).standard_normal(model.nv)
    spreads = {}
    for method in ("gauss2", "energy_momentum"):
        run = solve(problem, model.neutral(), v, t_end=4.0, step=0.02, method=method)
        assert run.status == "completed"
        totals = np.array([model.totals(q, v) for q, v in zip(run.q, run.v, strict=True)])
        elastic = np.array([problem_energy(problem, q) for q in run.q])
        energy = totals[:, 0] + elastic
        momentum = np.ptp(totals[:, 6:12], axis=0) / np.linalg.norm(totals[0, 6:12])
        spreads[method] = np.ptp(energy) / energy[0], np.max(momentum)
    assert spreads["energy_momentum"][0] < 1e-13 and spreads["energy_momentum"][1] < 1e-12
    assert spreads["gauss2"][0] > 1e-9 and spreads["gauss2"][1] > 1e-9


def problem_energy(problem: Problem, q: np.ndarray) -> float:
    """Elastic energy of the rods, J."""
    compiled, total = problem.model.compiled, 0.0
    for body in compiled.description.bodies:
        if body.joint.rod is not None:
            names = [name for name in compiled.coordinate_names if name.startswith(f"{body.name}.")]
            x = q[[compiled.position_index(name) for name in names]]
            total += 0.5 * float(x @ body.joint.rod.stiffness @ x)
    return total


def test_flying_rod_keeps_energy_and_momentum() -> None:
    """After the push: energy to 1e-13 relative, angular momentum to 1e-11 of 400 N m s (measured: 5e-15, 1e-12 N m s)."""
    result = zoo.make("flying_rod").changed(integrator="energy_momentum", t_end=5.0).run(progress=False)
    later = result.time.values > 2.5 + 1e-9
    energy = result.total_energy().values[later]
    assert np.ptp(energy) / energy[0] < 1e-13
    assert np.max(np.ptp(measures.angular_momenta(result)[later], axis=0)) < 4e-9
    assert np.max(np.ptp(result.linear_momentum.values[later], axis=0)) < 1e-11


def test_stiff_loop_at_large_steps() -> None:
    """Steps far beyond the periods of the legs (0.25 s to 18 ms; step 50 ms): no energy is made, the pin holds."""
    problem = legs()
    q, v = swaying(problem)
    for method in ("radau3", "implicit_euler"):
        run = solve(problem, q, v, t_end=2.0, step=0.05, method=method, tolerance=1e-8)
        assert run.status == "completed"
        states = zip(run.q, run.v, strict=True)
        energy = np.array([problem_energy(problem, a) + problem.model.kinetic_energy(a, b) for a, b in states])
        assert np.max(energy) < energy[0] * (1.0 + 1e-6)
        ends = [problem.model.pose(name, run.q[-1])[1] for name in ("left", "right")]
        assert np.max(np.abs(ends[0] - ends[1])) < 1e-9


def test_steps_adapted_to_an_error() -> None:
    """``radau_adaptive`` from rest through the torques: errors fall with the tolerance, steps are spent on the motion."""
    scenario = zoo.make("cpr_rfrfr")
    problem, start = scenario.problem, scenario.initial_state()
    best = solve(problem, *start, t_end=3.0, step=2e-3, method="gauss2", record_every=50)

    def tips(run: Any) -> np.ndarray:
        return np.array([scenario.model.pose("left", q)[1] for q in run.q])

    errors, rounds = [], []
    for tolerance in (1e-2, 1e-4, 1e-6):
        run = solve(problem, *start, t_end=3.0, step=0.1, method="radau_adaptive", tolerance=tolerance)
        assert run.status == "completed"
        errors.append(np.max(np.abs(tips(run) - tips(best))))
        rounds.append(run.iterations)
    # Measured: 1.9e-4 m, 2.2e-7 m, 1.1e-9 m.
    assert errors[0] < 1e-3 and errors[1] < 1e-5 and errors[2] < 1e-7
    assert max(rounds[2][1:10]) < 0.1 * max(rounds[2][10:])  # at rest until 1 s


def test_adapted_steps_with_functions_of_the_user() -> None:
    """The same parts are driven from Python: a free swinging rod with its weight given twice over."""
    robot = ld.Robot("rod")
    robot.base("ground", moves="fixed").rod("rod", length=0.5, section=ld.Circle(0.02), material=SOFT, bending=(3, 0))
    model = robot.model()
    runs = []
    for torque in ({}, {0: lambda t, q, v: 0.0}):
        problem = Problem(model, torque=torque)
        start = model.neutral(), np.zeros(model.nv)
        runs.append(solve(problem, *start, t_end=0.5, step=0.1, method="radau_adaptive", tolerance=1e-5))
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-9 * np.max(np.abs(runs[0].q)))
    assert list(runs[0].iterations) == list(runs[1].iterations)


def arch(stiffer: float) -> ld.Scenario:
    """Two short soft legs, hinged and pinned: a shallow arch that torques turn over; a mass at its top."""
    robot = ld.Robot("arch")
    ground = robot.base("ground", moves="fixed")
    tips = []
    for name, x, turn in (("left", -0.3, 0.0), ("right", 0.3, np.pi)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0), turned=("z", turn)).turning("z")
        material = ld.Material(1e6 * stiffer, 1000.0)
        values = {"section": ld.Circle(0.02), "material": material, "bending": (0, 2), "stretch": 1, "nodes": 5, "damping": 0.005}
        tips.append(hub.rod(name, length=0.31, **values))
    robot.body("top", mass=0.2, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4)).on(tips[0]).fixed()
    robot.loop("pin", *tips, joint="revolute", axis="z")
    angle = float(np.arccos(0.3 / 0.31))
    rise = ld.motion.transition(0.0, 2.0 * stiffer, duration=2.0)
    start = {"left_hub": angle, "right_hub": -angle}
    return ld.Scenario("arch", robot, gravity=(0, 0, 0), start=start, torque={"left_hub": -rise, "right_hub": rise})


@pytest.mark.parametrize("stiffer", [1.0, 100.0])
@pytest.mark.parametrize("method", ["generalized_alpha", "gauss2", "radau3", "implicit_euler", "energy_momentum"])
def test_snap_through(method: str, stiffer: float) -> None:
    """The arch snaps to the other side within one step of 0.1 s: steps are divided there, and it comes to rest turned over.

    The soft arch rings on: within 0.02 m of its rest after 6 s.
    """
    scenario, end = arch(stiffer), 3.0 if stiffer > 1.0 else 6.0
    run = solve(scenario.problem, *scenario.initial_state(), t_end=end, step=0.1, method=method, rho_inf=0.5, tolerance=1e-7)
    assert run.status == "completed"
    height = [scenario.model.pose("top", q)[1][1] for q in run.q]
    assert height[0] > 0.07 and height[5] > 0.05
    assert height[-1] == pytest.approx(-0.0607, abs=2e-4 if stiffer > 1.0 else 0.02)
    gaps = [scenario.model.pose("left", q)[1] - scenario.model.pose("right", q)[1] for q in run.q]
    assert np.max(np.abs(gaps)) < 1e-9
    assert np.max(run.iterations) > 3 * np.median(run.iterations[1:])  # where it snaps


def test_refusals() -> None:
    problem = legs()
    q, v = swaying(problem)
    hub = problem.model.compiled.coordinate_index("left_hub")
    driven = Problem(problem.model, imposed={hub: ld.motion.constant(1.3)})
    with pytest.raises(ld.InputError, match="takes no imposed motions"):
        solve(driven, q, v, method="energy_momentum")
    snake = zoo.make("wheeled_snake")
    with pytest.raises(ld.InputError, match="takes no dependent joints"):
        solve(snake.problem, *snake.initial_state(), method="quasi_static")
