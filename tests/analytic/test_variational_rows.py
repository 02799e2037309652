"""The variational integrator on wheels and loops: closed forms, order 2, momentum to round-off, energy without drift."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics.totals import TOTALS
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem

pytestmark = pytest.mark.slow


def drift(energy: np.ndarray) -> float:
    """How far the mean energy of the last quarter is from that of the first, over the largest deviation from the start."""
    quarter = len(energy) // 4
    return float(abs(energy[-quarter:].mean() - energy[:quarter].mean()) / np.abs(energy - energy[0]).max())


def test_a_skate_on_a_slope() -> None:
    """With gravity c along x it turns at w and stays near: x = c / (2 w^2) sin^2(wt), y = c / (2 w^2) (wt - sin(2wt) / 2).

    (Neimark and Fufaev 1972, III.1.) Order 2: half the step, a quarter of the error.
    """
    c, w = 2.0, 1.5
    robot = ld.Robot("skate")
    robot.base("blade", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1)).skate("edge", along="x")
    problem = Problem(robot.model(gravity=(c, 0.0, 0.0)))
    errors = []
    for step in (0.02, 0.01):
        run = solve(problem, np.zeros(3), np.array([0.0, 0.0, w]), t_end=40.0, step=step, method="variational")
        t = run.times
        exact = c / (2.0 * w**2) * np.column_stack([np.sin(w * t) ** 2, w * t - 0.5 * np.sin(2.0 * w * t)])
        errors.append(np.abs(run.q[:, :2] - exact).max())
        energy = np.array([problem.model.kinetic_energy(q, v) - c * q[0] for q, v in zip(run.q, run.v, strict=True)])
        assert drift(energy) < 0.05  # 10 turns; of a method that gains or loses it would be about 0.75
    assert errors[1] < 1e-2  # of a way of 27 m; measured 4.4e-3
    assert 3.8 < errors[0] / errors[1] < 4.2


def pinned(gravity: tuple[float, float, float], moves: str = "free") -> Problem:
    """Two bodies in space, the second free in coordinates of its own and held to the first by a ball joint that closes a loop."""
    robot = ld.Robot("pair")
    first = robot.base("first", moves=moves, mass=1.0, inertia=ld.about_centre(xx=0.03, yy=0.02, zz=0.04))
    first.marker("socket", at=(0.2, 0.1, 0.0))
    second = robot.body("second", mass=0.5, centre=(0.3, 0.0, 0.0), inertia=ld.about_centre(xx=0.001, yy=0.01, zz=0.01))
    second.on(first, at=(0.2, 0.1, 0.0)).free()
    robot.loop("ball", "socket", "second", joint="spherical")
    return Problem(robot.model(gravity=gravity))


def test_momentum_of_a_free_robot_with_a_loop() -> None:
    """Forces of the loop are equal and opposite at both ends of a step: momentum is kept to round-off of log(g) / h."""
    problem = pinned((0.0, 0.0, 0.0))
    rng = np.random.default_rng(3)
    q, v = problem.imposed_state(0.0, problem.model.neutral(), rng.standard_normal(problem.model.nv))
    run = solve(problem, q, v, t_end=5.0, step=0.01, method="variational")
    spatial = slice(TOTALS.linear_momentum, TOTALS.angular_momentum + 3)  # about the origin: that of the symmetry
    momenta = np.array([problem.model.totals(*state)[spatial] for state in zip(run.q, run.v, strict=True)])
    assert np.abs(momenta - momenta[0]).max() < 1e-9  # measured
    residuals = problem.series(run.times, run.q, run.v)
    place = [problem.model.pose(name, run.q[-1])[1] for name in ("socket", "second")]
    np.testing.assert_allclose(*place, atol=1e-12)
    assert residuals["constraint_rank"].min() == 3
    fine = solve(problem, q, v, t_end=0.5, step=0.01, method="adaptive", tolerance=1e-11)
    half = [solve(problem, q, v, t_end=0.5, step=step, method="variational").q[-1] for step in (0.005, 0.0025)]
    far = [np.abs(problem.model.difference(one, fine.q[-1])).max() for one in half]
    assert 3.6 < far[0] / far[1] < 4.4  # order 2


def test_energy_of_a_linkage_over_long_times() -> None:
    """A four-bar linkage swings under gravity for 400 s, some 300 swings: the error of the energy is bounded, not summed up."""
    robot = ld.Robot("linkage")
    ground = robot.base("ground", moves="fixed")
    inertia = ld.about_centre(zz=0.01)
    crank = robot.body("crank", mass=1.0, centre=(0.15, 0.0, 0.0), inertia=inertia).on(ground).turning("z")
    coupler = robot.body("coupler", mass=1.0, centre=(0.2, 0.0, 0.0), inertia=inertia).on(crank, at=(0.3, 0.0, 0.0)).turning("z")
    coupler.marker("coupler_end", at=(0.4, 0.0, 0.0))
    rocker = robot.body("rocker", mass=1.0, centre=(0.15, 0.0, 0.0), inertia=inertia).on(ground, at=(0.4, 0.0, 0.0)).turning("z")
    rocker.marker("rocker_end", at=(0.35, 0.0, 0.0))
    robot.loop("pin", "coupler_end", "rocker_end", joint="revolute", axis="z")
    problem = Problem(robot.model(gravity=(0.0, -9.81, 0.0)))
    q, v = problem.start_state(0.0, np.array([-0.6, 0.6, -0.9]), np.zeros(3))
    run = solve(problem, q, v, t_end=400.0, step=0.02, method="variational")
    assert run.status == "completed"
    model = problem.model
    energy = np.array([model.kinetic_energy(*s) + model.potential_energy(s[0]) for s in zip(run.q, run.v, strict=True)])
    assert np.ptp(run.q[:, 0]) > 0.3
    assert np.abs(energy - energy[0]).max() < 0.02 * np.ptp([model.kinetic_energy(*s) for s in zip(run.q, run.v, strict=True)])
    assert drift(energy) < 0.05
