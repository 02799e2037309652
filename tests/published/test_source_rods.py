"""Cantilever and flying rods of Gotelli 2024, 3.9.1: the rows C2 and C3 of its acceptance table, and D7."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics.model import Model
from locodyn.equilibria import equilibrium, vibrations
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.zoo.robots import cantilever as cantilevers
from rod_cases import flying_rod, push

pytestmark = pytest.mark.slow

NO_GRAVITY = (0.0, 0.0, 0.0)


def hanging(case: str, modes: int = 3, young: float = 1.0, force: float = 0.0, g: float = 9.81, **options: Any) -> Model:
    """Gotelli's cantilever along -z, Young's modulus times ``young``; ``force`` at the tip along x."""
    length, density, modulus, diameter, *_ = cantilevers.CASES[case]
    robot = ld.Robot(case)
    rod = robot.base("ground", moves="fixed").rod(
        "rod", turned=("y", np.pi / 2), length=length, section=ld.Circle(0.5 * diameter),
        material=ld.Material(young * modulus, density), bending=(modes, 0), **{"nodes": 20, **options},
    )  # fmt: skip
    if force:
        robot.wrench("pull", on=rod, law=ld.world.WorldForce((force, 0.0, 0.0)))
    return robot.model(gravity=(0.0, 0.0, -g))


def released(case: str, modes: int = 3, young: float = 1.0, **options: Any) -> tuple[Problem, np.ndarray]:
    """The free rod and its shape under Gotelli's force."""
    force = young * cantilevers.CASES[case][4]
    shape = equilibrium(Problem(hanging(case, modes, young, force, **options)), steps=4)
    return Problem(hanging(case, modes, young, **options)), shape.q


@pytest.mark.parametrize(("modes", "tip"), [(3, (5.08649, 7.88156)), (6, (5.06165, 7.99626)), (12, (5.06202, 7.99755))])
def test_soft_rod_at_rest(modes: int, tip: tuple[float, float]) -> None:
    """C2a: 3 and 6 modes, and the exact rod, which 12 modes reach; 1e-4 m."""
    problem, q = released("soft", modes, nodes=40)
    place = problem.model.pose("rod", q)[1]
    np.testing.assert_allclose((-place[2], place[0]), tip, atol=1e-4)


@pytest.mark.parametrize(("case", "tip"), [("stiff", (0.03731, 0.37190)), ("steel", (0.177225, 0.324219))])
def test_stiff_rod_at_rest(case: str, tip: tuple[float, float]) -> None:
    """C2b: three modes, 1e-5 m. The exact rods: tests/analytic/test_shooting.py."""
    problem = Problem(hanging(case, force=cantilevers.CASES[case][4], nodes=40))
    place = problem.model.pose("rod", equilibrium(problem, steps=4, stable=True).q)[1]
    np.testing.assert_allclose((-place[2], place[0]), tip, atol=1e-5)


def test_order_of_newmark() -> None:
    """C2c: the tip of the soft rod after 0.5 s converges with order 2; energy over 10 s stays, without drift."""
    problem, q = released("soft")
    rest = np.zeros(problem.model.nv)

    def tip(step: float, method: str = "newmark") -> np.ndarray:
        end = solve(problem, q, rest, t_end=0.5, step=step, method=method, tolerance=1e-10)
        return problem.model.pose("rod", end.q[-1])[1]

    exact = tip(1 / 400, "gauss2")
    errors = [np.linalg.norm(tip(step) - exact) for step in (0.005, 0.0025, 0.00125)]
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx(2.0, abs=0.2)
    run = solve(problem, q, rest, t_end=10.0, step=0.01, method="newmark", tolerance=1e-10)
    model = problem.model
    energy = np.array(
        [model.kinetic_energy(a, b) + model.potential_energy(a) + elastic(model, a) for a, b in zip(run.q, run.v, strict=True)]
    )
    scale = elastic(model, q)
    assert np.max(np.abs(energy - energy[0])) < 0.02 * scale
    early, late = energy[: len(energy) // 2], energy[len(energy) // 2 :]
    assert abs(late.mean() - early.mean()) < 0.002 * scale


def elastic(model: Model, q: np.ndarray) -> float:
    rod = model.compiled.description.bodies[1].joint.rod
    assert rod is not None
    return float(0.5 * q @ rod.stiffness @ q)


MODULI = (0.01, 0.1, 1.0, 10.0, 100.0)


@pytest.mark.parametrize("case", ["stiff", "steel"])
@pytest.mark.parametrize("young", MODULI)
def test_newmark_at_any_stiffness(case: str, young: float) -> None:
    """C2d: Newmark at 10 ms, with weight, released from Gotelli's force, for E times 0.01 ... 100 about either reading:
    every step converges, in 5 corrections or less (about 3 to 5 in the row, with a new matrix for each).

    The library keeps a matrix while it contracts; a tolerance of 1e-4 is below the error of Newmark's rule at this step.
    """
    force = cantilevers.CASES[case][4]
    shape = equilibrium(Problem(hanging(case, young=young, force=force)), steps=4)
    problem = Problem(hanging(case, young=young))
    run = solve(problem, shape.q, np.zeros(problem.model.nv), t_end=1.0, step=0.01, method="newmark", tolerance=1e-4)
    assert run.status == "completed" and len(run.times) == 101
    assert 2 <= round(float(run.iterations[1:].mean())) <= 5
    tight = solve(problem, shape.q, np.zeros(problem.model.nv), t_end=1.0, step=0.01, method="newmark", tolerance=1e-8)
    assert tight.status == "completed"


@pytest.mark.parametrize("case", ["stiff", "steel"])
@pytest.mark.parametrize("young", MODULI)
def test_stiffness_does_not_matter(case: str, young: float) -> None:
    """Without weight, force and E scaled alike: the same shape is released, and energy never grows with Radau IIA at 10 ms."""
    problem, q = released(case, young=young, g=0.0)
    run = solve(problem, q, np.zeros(problem.model.nv), t_end=0.5, step=0.01, method="radau3")
    assert np.isfinite(run.q).all()
    model = problem.model
    energy = [model.kinetic_energy(a, b) + elastic(model, a) for a, b in zip(run.q, run.v, strict=True)]
    assert np.max(np.diff(energy)) < 1e-3 * energy[0]


def test_first_frequency() -> None:
    """C2e: omega = 3.516 sqrt(EI / rho A) / L^2 for small motions, with three modes; 1 % asked, 3e-4 reached."""
    length, density, young, diameter, *_ = cantilevers.CASES["steel"]
    model = hanging("steel", g=0.0)
    found = vibrations(Problem(model), np.zeros(3))[0]
    area, moment = np.pi * diameter**2 / 4.0, np.pi * diameter**4 / 64.0
    assert abs(found.imag) == pytest.approx(1.87510407**2 * np.sqrt(young * moment / (density * area)) / length**2, rel=5e-4)


@pytest.mark.parametrize("case", ["soft", "stiff"])
def test_records_show_the_motion(case: str) -> None:
    """The zoo records the released rods six times or more in a period of the fastest of their three modes (straight)."""
    scenario = ld.zoo.cantilever(case=case)
    fastest = vibrations(scenario.problem, scenario.model.neutral()).imag.max()
    between = scenario.numerics.dt * scenario.recording.record_every
    assert 2.0 * np.pi / fastest > 6.0 * between


def flight(model: Model, t_end: float, step: float, method: str = "gauss2") -> Any:
    return solve(
        Problem(model, schedule=Schedule(loads=push("soft"))),
        model.neutral(),
        np.zeros(model.nv),
        t_end=t_end,
        step=step,
        method=method,
        tolerance=1e-8,
    )


def test_soft_flying_rod() -> None:
    """C3a, C3c: the mass centre moves as a point mass, 12.5 m in 5 s, then at 5 m/s; both ends after 2.5 s within 0.03 m."""
    model = flying_rod("soft").model(gravity=NO_GRAVITY)
    run = flight(model, 5.5, 0.02, "radau3")
    at = {round(float(t), 6): n for n, t in enumerate(run.times)}
    middle = run.q[at[2.5]]
    np.testing.assert_allclose(model.pose("B", middle)[1], (0.78, 3.11, 1.51), atol=0.03)
    np.testing.assert_allclose(model.pose("A", middle)[1], (7.21, 6.67, -2.41), atol=0.03)
    np.testing.assert_allclose(centre(model, run.q[at[5.0]]), (15.5, 4.0, 0.0), atol=1e-3)
    np.testing.assert_allclose(centre(model, run.q[-1]), (18.0, 4.0, 0.0), atol=1e-3)


def centre(model: Model, q: np.ndarray) -> np.ndarray:
    return np.asarray(model.centre_of_mass(q))


@pytest.mark.parametrize("method", ["generalized_alpha", "gauss2"])
def test_momentum_in_free_flight(method: str) -> None:
    """C3b: after the push, angular momentum about the mass centre and energy stay: 1 % at 10 ms, a quarter at 5 ms."""
    pushed = flying_rod("soft").model(gravity=NO_GRAVITY)
    state = flight(pushed, 5.0, 0.02, "radau3")
    free = flying_rod("soft", pushed=False).model(gravity=NO_GRAVITY)
    drift = []
    for step in (0.01, 0.005):
        run = solve(Problem(free), state.q[-1], state.v[-1], t_end=2.0, step=step, method=method, tolerance=1e-12)
        spins = np.array([spin(free, q, v) for q, v in zip(run.q, run.v, strict=True)])
        energy = np.array([free.kinetic_energy(q, v) + elastic(free, q[7:]) for q, v in zip(run.q, run.v, strict=True)])
        drift.append([np.max(np.abs(spins - spins[0])) / np.linalg.norm(spins[0]), np.max(np.abs(energy / energy[0] - 1.0))])
    assert np.max(drift[0]) < 0.01
    assert drift[1][0] < max(drift[0][0] / 3.0, 1e-9)
    assert drift[1][1] < max(drift[0][1] / 3.0, 1e-9)


def spin(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angular momentum about the mass centre, world axes."""
    return model.momentum(q, v)[1]


def test_planar_flight() -> None:
    """C3d: with a moment about z only the motion of the free rod in space stays in its plane to 1e-10."""
    model = flying_rod("soft", planar=True).model(gravity=NO_GRAVITY)
    run = flight(model, 2.0, 0.02, "radau3")
    heights = [model.pose(name, q)[1][2] for q in run.q for name in ("A", "B")]
    assert np.max(np.abs(heights)) < 1e-10
    assert np.linalg.norm(model.pose("A", run.q[-1])[1] - model.pose("A", run.q[0])[1]) > 1.0


def test_bases_of_equal_span_move_alike() -> None:
    """D7: Legendre and Chebyshev functions of equal number, 1 s of the soft cantilever: the same motion to 1e-8 m."""
    ends = []
    for basis in ("legendre", "chebyshev"):
        problem, q = released("soft", basis=basis)
        run = solve(problem, q, np.zeros(problem.model.nv), t_end=1.0, step=0.01, method="gauss2", tolerance=1e-12)
        ends.append([problem.model.pose("rod", x)[1] for x in run.q])
    assert np.max(np.abs(np.subtract(*ends))) < 1e-8
