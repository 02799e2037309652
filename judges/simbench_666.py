"""SimBenchmark, 666 balls: a cube of balls that falls and spreads."""

from __future__ import annotations

import numpy as np

from locodyn.judge import Curve, Problem, Trial
from models.mujoco_runs import mujoco_run
from models.simbench import balls, balls_mjcf, cube_of_balls, grid, overlaps, run_hard, unconverged

T_END, SAMPLES = 10.0, 201


def penetration(places: np.ndarray) -> dict[str, float]:
    """Mean over the records of the square of all depths together (m^2), and the largest depth (m); places (records, n, 3)."""
    depths = [overlaps(one) for one in places]
    return {"error": float(np.mean([depth.sum() ** 2 for depth in depths])), "deepest": float(max(d.max() for d in depths))}


def ours(step: float) -> Trial:
    """Moreau's time stepping; every ball has seven positions."""
    solution, spent = run_hard(balls(*cube_of_balls(0.0, T_END)), step, round(T_END / (SAMPLES - 1) / step))
    found = penetration(solution.q.reshape(SAMPLES, -1, 7)[:, :, :3])
    return Trial(found["error"], spent, {"deepest (m)": found["deepest"], **unconverged(solution)})


def mujoco(step: float) -> Trial:
    """Soft contacts as they come."""
    side, layers, spacing, height, _, _, jitter = cube_of_balls(0.0, T_END)
    text = balls_mjcf(grid(side, layers, spacing, height, jitter), step, elastic=False)
    rows, spent = mujoco_run(text, SAMPLES, T_END, lambda model, data: data.qpos.reshape(-1, 7)[:, :3].ravel().copy())
    found = penetration(rows.reshape(SAMPLES, -1, 3))
    return Trial(found["error"], spent, {"deepest (m)": found["deepest"]})


PROBLEM = Problem(
    title="SimBenchmark: 666 balls",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="6 x 6 x 6 balls of 0.1 m radius and 10 kg, 0.21 m apart and shifted to the sides by up to 1 mm, fall from 1.1 m,"
    " without restitution and friction, and spread over the ground; 10 s.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored result there: ODE 1.5e-4 in its own sum",
    licence="Masses, sizes and stored results are cited facts; nothing of that repository is copied.",
    reference="rigid bodies do not overlap: closed form",
    measure="mean over 201 records of the square of the depths of all overlaps together (m^2)",
    curves=(
        Curve("locodyn", "moreau", (0.01, 0.005, 0.0025), ours, quick=(0.01,)),
        Curve("MuJoCo", "soft contacts, Newton, elliptic cones", (0.01, 0.005, 0.0025, 0.001), mujoco),
    ),
    notes="MuJoCo's runs with steps of 5 ms and more take less time than any of ours; balls overlap by 26 and 55 mm in them.",
)
