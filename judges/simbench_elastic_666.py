"""SimBenchmark, elastic 666 balls: a cube of balls that loses no energy."""

from __future__ import annotations

import numpy as np

from locodyn.judge import Curve, Problem, Target, Trial
from models.mujoco_runs import mujoco_run
from models.simbench import balls, balls_mjcf, cube_of_balls, energy_of_balls, grid, run_hard, unconverged

T_END, SAMPLES = 10.0, 201


def energy_error(places: np.ndarray, velocities: np.ndarray) -> float:
    """Mean of squares of the change of kinetic and potential energy (J^2)."""
    energy = energy_of_balls(places[:, :, 2], velocities)
    return float(np.mean((energy - energy[0]) ** 2))


def ours(step: float) -> Trial:
    """Moreau's time stepping, restitution by Newton's law; every ball has seven positions, body velocities first."""
    solution, spent = run_hard(balls(*cube_of_balls(1.0, T_END)), step, round(T_END / (SAMPLES - 1) / step))
    places, velocities = solution.q.reshape(SAMPLES, -1, 7)[:, :, :3], solution.v.reshape(SAMPLES, -1, 6)[:, :, :3]
    return Trial(energy_error(places, velocities), spent, unconverged(solution))


def mujoco(step: float) -> Trial:
    """Springs without damping for contacts, RK4."""
    side, layers, spacing, height, _, _, jitter = cube_of_balls(1.0, T_END)
    text = balls_mjcf(grid(side, layers, spacing, height, jitter), step, elastic=True)
    rows, spent = mujoco_run(
        text, SAMPLES, T_END,
        lambda model, data: np.concatenate([data.qpos.reshape(-1, 7)[:, :3].ravel(), data.qvel.reshape(-1, 6)[:, :3].ravel()]),
    )  # fmt: skip
    places, velocities = np.split(rows, 2, axis=1)
    return Trial(energy_error(places.reshape(SAMPLES, -1, 3), velocities.reshape(SAMPLES, -1, 3)), spent)


PROBLEM = Problem(
    title="SimBenchmark: elastic 666 balls",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="6 x 6 x 6 balls of 0.1 m radius and 10 kg, 0.21 m apart and shifted to the sides by up to 1 mm, fall from 1.1 m,"
    " with restitution 1 and without friction; 10 s.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored result there: RaiSim 8.4 J^2",
    licence="Masses, sizes and stored results are cited facts; nothing of that repository is copied.",
    reference="energy stays what it was: closed form",
    measure="mean over 201 records of the squared change of kinetic and potential energy (J^2); what springs of contacts hold at"
    " a record counts as lost",
    curves=(
        Curve("locodyn", "moreau", (0.01, 0.005, 0.0025), ours, quick=(0.0025,)),
        Curve("MuJoCo", "undamped contact springs, RK4", (0.01, 0.005, 0.0025, 0.001), mujoco, quick=(0.0025,)),
    ),
    targets=(Target("RaiSim's stored 8.4 J^2", 8.4, "moreau", 0.0025),),
)
