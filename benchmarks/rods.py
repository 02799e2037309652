"""Rods against time: python benchmarks/rods.py [--quick] [--json FILE]. A soft rod dropped from the horizontal (rod_drop): error
against CPU time; the continuum parallel robot cpr_rfrfr: 9 s at the source's step of 10 ms.

L = 0.5 m, r = 0.02 m, E = 1e6 Pa, G = E/3, rho = 1000 kg/m^3, clamped, released straight, no damping, 1 s. Error: the largest of
101 samples of the distance of the tip from the reference, over L. Time: CPU of one thread for 1 s of motion, the best of several
runs, with the recording of states, without compilation and model building. Seen elsewhere (another day, the same class of
machine): Exudyn 0.64 % at 35 ms, 0.20 % at 118 ms, 0.048 % at 391 ms; PyElastica 0.73 % at 200 ms; MuJoCo cable 0.5 % at 125 ms.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import write_json

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem

LENGTH, SAMPLES = 0.5, 101
# (bending, stretch, shear), nodes, integrator, step, Newton tolerance
ROWS: list[tuple[tuple[int, int, int], int, str, float, float]] = [
    ((5, 2, 3), 6, "gauss2", 0.05, 1e-3),
    ((5, 2, 3), 6, "radau3", 0.05, 1e-3),
    ((5, 2, 3), 6, "generalized_alpha", 0.01, 1e-4),
    ((6, 3, 4), 7, "gauss2", 0.025, 1e-4),
    ((6, 3, 4), 7, "radau3", 0.04, 1e-4),
    ((6, 3, 3), 7, "generalized_alpha", 0.005, 1e-4),
    ((9, 6, 6), 10, "gauss2", 0.01, 1e-5),
    ((9, 6, 6), 10, "radau3", 0.0125, 1e-4),
    ((9, 6, 6), 10, "generalized_alpha", 0.001, 1e-5),
]


def rod(modes: tuple[int, int, int], nodes: int) -> Problem:
    """The rod with so many strain functions and nodes."""
    robot = ld.Robot("rod drop")
    material = ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)
    bending, stretch, shear = modes
    robot.base("ground", moves="fixed").rod(
        "rod", length=LENGTH, section=ld.Circle(0.02), material=material, bending=(bending, 0), stretch=stretch, shear=(0, shear),
        nodes=nodes,
    )  # fmt: skip
    return Problem(robot.model())


def strain_samples(problem: Problem, solution: Any) -> np.ndarray:
    """Places of the tip at the samples, strains interpolated in time by the quintics of their values, rates, accelerations."""
    from scipy.interpolate import BPoly

    accelerations = np.array(
        [problem.accelerations(t, q.copy(), v.copy()) for t, q, v in zip(solution.times, solution.q, solution.v, strict=True)]
    )
    data = np.stack([solution.q, solution.v, accelerations], axis=1)
    curve = BPoly.from_derivatives(solution.times, data)
    return np.array([problem.model.pose("rod", q)[1] for q in curve(np.linspace(0.0, 1.0, SAMPLES))])


def run(problem: Problem, method: str, step: float, tolerance: float, every: int = 1) -> Any:
    """One second of motion."""
    start = problem.model.neutral(), np.zeros(problem.model.nv)
    return solve(problem, *start, t_end=1.0, step=step, method=method, tolerance=tolerance, record_every=every)


def parallel_robot(repeats: int) -> tuple[Table, list[dict[str, Any]]]:
    """cpr_rfrfr: 9 s at 10 ms, two rods of 20 nodes and three modes, a loop; difference of the tip at 4 s to Gauss-2 at 1 ms."""
    from locodyn import zoo

    table = Table("cpr_rfrfr", "integrator", "s for 9 s", "corrections per step", "tips apart (m)", "error at 4 s (m)")
    rows = []
    for sign in ("in", "out"):
        scenario = zoo.make("cpr_rfrfr", {"torque_sign": sign})
        problem, start, model = scenario.problem, scenario.initial_state(), scenario.model
        fine = solve(problem, *start, t_end=4.0, step=1e-3, method="gauss2", record_every=4000)
        for method in ("generalized_alpha", "newmark", "gauss2", "radau3", "energy_momentum"):
            best = np.inf
            for _ in range(repeats):
                began = time.process_time()
                found = solve(problem, *start, t_end=9.0, step=0.01, method=method, rho_inf=0.5)
                best = min(best, time.process_time() - began)
            gap = max(float(np.max(np.abs(model.pose("left", q)[1] - model.pose("right", q)[1]))) for q in found.q)
            error = float(np.linalg.norm(model.pose("left", found.q[400])[1] - model.pose("left", fine.q[-1])[1]))
            rounds = float(found.iterations.sum()) / 900.0
            rows.append({"work": f"cpr_rfrfr {sign}", "size": model.nv, "called": method, "step": 0.01, "locodyn_us": 1e6 * best})
            table.add_row(sign, method, f"{best:.3f}", f"{rounds:.2f}", f"{gap:.1e}", f"{error:.1e}")
    return table, rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions, a coarser reference")
    parser.add_argument("--json", help="write the numbers to this file")
    options = parser.parse_args()
    fine = rod((16, 12, 12), 24) if options.quick else rod((24, 18, 18), 36)
    step = 1.0 / 800 if options.quick else 1.0 / 1600
    reference = np.array([fine.model.pose("rod", q)[1] for q in run(fine, "gauss2", step, 1e-8, round(0.01 / step)).q])
    for t, place in ((25, (0.3286, -0.3540)), (50, (-0.0829, -0.3897)), (100, (0.4994, -0.0107))):
        print(f"reference at {t / 100:.2f} s: {reference[t, 0]:.5f} {reference[t, 2]:.5f}   two other codes: {place}")
    table = Table("modes", "nodes", "integrator", "step ms", "error %", "ms per s", "corrections per step")
    rows = []
    for modes, nodes, method, dt, tolerance in ROWS:
        problem = rod(modes, nodes)
        solution = run(problem, method, dt, tolerance)
        best = np.inf
        for _ in range(3 if options.quick else 25):
            began = time.process_time()
            run(problem, method, dt, tolerance)
            best = min(best, time.process_time() - began)
        error = float(np.max(np.linalg.norm(strain_samples(problem, solution) - reference, axis=1))) / LENGTH
        rounds = float(solution.iterations.sum() * dt)
        rows.append(
            {"work": "rod_drop", "size": sum(modes), "called": method, "step": dt, "error": error, "locodyn_us": 1e6 * best}
        )
        table.add_row(
            "/".join(map(str, modes)),
            str(nodes),
            method,
            f"{1e3 * dt:g}",
            f"{100 * error:.3f}",
            f"{1e3 * best:.2f}",
            f"{rounds:.2f}",
        )
    Console().print(table)
    table, more = parallel_robot(2 if options.quick else 10)
    rows += more
    Console().print(table)
    if options.json:
        write_json(options.json, rows)


if __name__ == "__main__":
    main()
