"""SimBenchmark, rolling: 25 balls on a plate that is pushed over the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.judge import Curve, Problem, Target, Trial
from models.mujoco_runs import mujoco_run
from models.simbench import BALLS, PUSH, ROLL_TIME, rolling, rolling_error, rolling_mjcf, run_hard, unconverged

SAMPLES = 41
ANGLES = {"0 degrees": 0.0, "60 degrees": np.pi / 3}


def ours(angle: float, step: float) -> Trial:
    """Plate and balls turn little or roll: velocities in the world by their orientations."""
    scenario = rolling(angle)
    solution, spent = run_hard(scenario, step, round(ROLL_TIME / (SAMPLES - 1) / step))
    found = {}
    for name in ("plate", "ball_0"):
        speeds = []
        for q, v in zip(solution.q, solution.v, strict=True):
            speeds.append(scenario.model.pose(name, q)[0] @ scenario.model.twist(name, q, v)[:3])
        found[name] = np.array(speeds)
    return Trial(rolling_error(solution.times, found["plate"], found["ball_0"], angle), spent, unconverged(solution))


def mujoco(angle: float, step: float) -> Trial:
    """The push is an applied force at the plate's centre."""

    def push(model: Any, data: Any) -> None:
        data.xfrc_applied[1, :2] = PUSH * np.cos(angle), PUSH * np.sin(angle)

    found, spent = mujoco_run(
        rolling_mjcf(step), SAMPLES, ROLL_TIME, lambda model, data: data.qvel.reshape(BALLS + 1, 6)[:2, :3].ravel(), push
    )
    return Trial(rolling_error(np.linspace(0, ROLL_TIME, SAMPLES), found[:, :3], found[:, 3:], angle), spent)


PROBLEM = Problem(
    title="SimBenchmark: rolling",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="A plate of 20 x 20 x 1 m and 10 kg slides on the ground with mu 0.4, pushed by 150 N along x or at 60"
    " degrees to it; 25 balls of 0.5 m radius and 1 kg roll on it without slip (mu 0.8), 4 s.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored results there at 1 ms: Bullet 3.9e-27, RaiSim 4.1e-7, MuJoCo 5e-3",
    licence="Masses, sizes and stored results are cited facts; nothing of that repository is copied.",
    reference="a = (F - mu_1 (M + 25 m) g) / (M + 25 * 2/7 m) for the plate, 2/7 of it for the balls: closed form",
    measure="mean over 41 records of the squared errors of the velocities of plate and ball ((m/s)^2)",
    curves=(
        Curve("locodyn", "moreau, 0 degrees", (0.05, 0.02, 0.01, 0.004, 0.001), lambda step: ours(0.0, step), quick=()),
        Curve("locodyn", "moreau, 60 degrees", (0.05, 0.02, 0.01, 0.004, 0.001), lambda step: ours(np.pi / 3, step), quick=()),
        Curve("MuJoCo", "implicitfast, 0 degrees", (0.01, 0.004, 0.001), lambda step: mujoco(0.0, step), quick=()),
        Curve("MuJoCo", "implicitfast, 60 degrees", (0.01, 0.004, 0.001), lambda step: mujoco(np.pi / 3, step), quick=()),
    ),
    notes="Balls on a moving plate are coupled through it; the response goes through the tree of bodies, and a step takes 1.0 to"
    " 1.7 times as long as MuJoCo's. No setting of MuJoCo comes near our errors.",
    targets=(
        Target("velocities to 1e-11 at 1 ms, along x", 1e-11, "moreau, 0 degrees", 0.001),
        Target("velocities to 1e-11 at 1 ms, at 60 degrees", 1e-11, "moreau, 60 degrees", 0.001),
    ),
)
