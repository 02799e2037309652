"""The N-four-bar mechanism (IFToMM A02) here and in Exudyn, and its one equation."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.judge import Trial
from models.exudyn_mechanism import ExudynMechanism
from models.own import places, run_own, worst_distance

SAMPLES, T_END = 101, 10.0


@cache
def scenario(n: int) -> ld.Scenario:
    """n + 1 upright rods and n level ones, 1 m and 1 kg each, all pins about y; upright, 1 rad/s."""
    robot = ld.Robot("four-bars")
    ground = robot.base("ground", moves="fixed")
    for i in range(n + 1):
        rod = robot.body(f"rod_{i}", mass=1.0, centre=(0, 0, 0.5), inertia=ld.about_centre(xx=1 / 12, yy=1 / 12, zz=1e-4))
        rod.on(ground, at=(i, 0, 0)).turning("y", name=f"rod_{i}").marker(f"top_{i}", at=(0, 0, 1))
    for i in range(n):
        bar = robot.body(f"bar_{i}", mass=1.0, centre=(0.5, 0, 0), inertia=ld.about_centre(xx=1e-4, yy=1 / 12, zz=1 / 12))
        bar.on(f"rod_{i}", at=(0, 0, 1)).turning("y", name=f"bar_{i}").marker(f"end_{i}", at=(1, 0, 0))
        robot.loop(f"pin_{i}", f"end_{i}", f"top_{i + 1}", joint="pin", axis="y")
    rates = {f"rod_{i}": 1.0 for i in range(n + 1)} | {f"bar_{i}": -1.0 for i in range(n)}
    return ld.Scenario("A02", robot, gravity=(0, 0, -9.81), start=ld.Start({}, rates), t_end=T_END)


@cache
def reference(n: int) -> np.ndarray:
    """Places (samples, 3) of the first top: ((n+1)/3 + n) theta'' = ((n+1)/2 + n) g sin(theta), by DOP853 at 1e-13."""
    factor = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    times = np.linspace(0.0, T_END, SAMPLES)
    found = solve_ivp(lambda t, y: (y[1], factor * np.sin(y[0])), (0, T_END), (0.0, 1.0), "DOP853", times, rtol=1e-13, atol=1e-13)
    return np.column_stack([np.sin(found.y[0]), np.zeros(SAMPLES), np.cos(found.y[0])])


def ours(n: int, step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(n), step, SAMPLES, "rkmk4")
    found = places(scenario(n), solution, "top_0")
    kinetic = 0.5 * ((n + 1) / 3 + n) * solution.v[:, 0] ** 2
    energy = kinetic + 9.81 * ((n + 1) / 2 + n) * found[:, 2]
    return Trial(worst_distance(found, reference(n)), spent, {"energy": float(np.abs(energy - energy[0]).max())})


def exudyn(n: int, step: float) -> Trial:
    """In the plane: 2 N + 1 bodies of three coordinates, 3 N + 1 pins of two rows."""
    mechanism = ExudynMechanism(scenario(n), plane=(0, 2))
    mechanism.watch("top", "rod_0", (0, 0, 1))
    found, spent = mechanism.run(round(T_END / step), SAMPLES, dense=False)
    return Trial(worst_distance(found["top"][:, :2], reference(n)[:, [0, 2]]), spent)
