"""SimBenchmark, bouncing: 49 elastic balls."""

from __future__ import annotations

import numpy as np

from locodyn.judge import Curve, Problem, Target, Trial
from models.mujoco_runs import mujoco_run
from models.simbench import balls, balls_mjcf, energy_of_balls, grid, run_hard

T_END, SAMPLES = 20.0, 401
START = 49 * 10.0 * 9.81 * 5.0


def energy_error(heights: np.ndarray, velocities: np.ndarray) -> float:
    """Mean of squares of its change (J^2) over records at which no ball touches: contact springs store energy."""
    above = heights.min(axis=1) > 0.1
    return float(np.mean((energy_of_balls(heights, velocities)[above] - START) ** 2))


def ours(step: float) -> Trial:
    """Moreau's time stepping; every ball has seven positions, body velocities first."""
    scenario = balls(7, 1, 1.0, 5.0, 1.0, T_END, 0.0)
    solution, spent = run_hard(scenario, step, round(T_END / (SAMPLES - 1) / step))
    heights, velocities = solution.q.reshape(SAMPLES, 49, 7)[:, :, 2], solution.v.reshape(SAMPLES, 49, 6)[:, :, :3]
    return Trial(energy_error(heights, velocities), spent)


def mujoco(step: float) -> Trial:
    """Springs without damping for contacts, RK4."""
    text = balls_mjcf(grid(7, 1, 1.0, 5.0, 0.0), step, elastic=True)
    found, spent = mujoco_run(
        text, SAMPLES, T_END, lambda model, data: np.concatenate([data.qpos[2::7], data.qvel.reshape(-1, 6)[:, :3].ravel()])
    )
    return Trial(energy_error(found[:, :49], found[:, 49:].reshape(SAMPLES, 49, 3)), spent)


PROBLEM = Problem(
    title="SimBenchmark: bouncing",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="49 balls of 0.1 m radius and 10 kg fall 5 m and bounce for 20 s, with restitution 1 and without friction.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored results there: RaiSim 0.019, ODE 185, Bullet 7.5e4 J^2",
    licence="Masses, sizes and stored results are cited facts; nothing of that repository is copied.",
    reference="energy stays what it was: closed form",
    measure="mean over 401 records (those in the air) of the squared change of the total energy (J^2)",
    curves=(
        Curve("locodyn", "moreau", (0.01, 0.005, 0.001), ours, quick=(0.01,)),
        Curve("MuJoCo", "undamped contact springs, RK4", (0.01, 0.005, 0.001), mujoco),
    ),
    targets=(Target("energy to 1e-13 J^2 at 1 ms", 1e-13, "moreau", 0.001),),
)
