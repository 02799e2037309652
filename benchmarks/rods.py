"""Rods: accuracy against CPU time, in one run with Exudyn and PyElastica. python benchmarks/rods.py [--quick] [--json FILE].

1. ``rod_drop``: L = 0.5 m, r = 0.02 m, E = 1e6 Pa, G = E/3, rho = 1000 kg/m^3, clamped, released straight, no damping, 1 s.
   Error: the largest of 101 samples of the distance of the tip from the reference, over L; that of PyElastica from its own limit
   of 160 elements (its sections shrink when stretched, so that it tends to another motion, 0.9 % away). Time: CPU of one thread
   for 1 s of motion, the best of several runs that take turns, with recording, without compilation and model building. Peers
   twice: with the fastest settings found, and as they come: Exudyn (modified Newton, sparse) with its default tolerance,
   PyElastica with a clamp that reaches half an element into the wall.
2. The four rods of Gotelli 2024, Table 3.1, with its modes, nodes and step, 1 s of motion; the steel cantilever without gravity
   and with Young's modulus and force times 0.01 and 100.
3. Kernels of a Kirchhoff rod of 11 nodes: the price of the space integrators, and Gotelli's spectral cascade beside them.
4. ``cpr_rfrfr``: 9 s at Gotelli's step of 10 ms.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import best_us, write_json

import locodyn as ld
from locodyn.dynamics.rod_cascade import rod_cascade
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.robot.rods.space import SPACES
from locodyn.zoo.robots import cantilever

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "judges"))

from models.rod_drop import LENGTH, drop_problem, elastica_drop, exudyn_drop
from rod_cases import flying_rod, push

SAMPLES = 101
LEVELS = (0.0064, 0.002, 0.0005)
# level of error: (bending, stretch, shear), nodes, integrator, steps per second, Newton tolerance; the best of some hundred tried
ROWS: list[tuple[float, tuple[int, int, int], int, str, int, float]] = [
    (0.0064, (4, 2, 3), 4, "radau3", 12, 5e-3),
    (0.0064, (5, 2, 3), 6, "gauss2", 20, 1e-3),
    (0.0064, (5, 2, 3), 6, "generalized_alpha", 100, 3e-5),
    (0.002, (6, 2, 4), 6, "radau3", 28, 3e-3),
    (0.002, (6, 3, 3), 6, "gauss2", 40, 3e-4),
    (0.0005, (8, 4, 6), 8, "radau3", 62, 4e-4),
]
# level, elements, steps, Newton tolerance: the cheapest of about 300 tried with a free tolerance, and with the default one (1e-8)
EXUDYN = [
    (0.0064, 9, 60, 1e-2),
    (0.002, 22, 160, 1e-2),
    (0.0005, 58, 550, 1e-2),
    (0.0064, 9, 60, 1e-8),
    (0.002, 22, 160, 1e-8),
    (0.0005, 60, 550, 1e-8),
]
# level, elements, steps (the fewest that are stable), whether the clamp is of second order in shear too, or of first
ELASTICA = [
    (0.0064, 14, 1300, True),
    (0.002, 24, 1900, True),
    (0.0005, 50, 3500, True),
    (0.0064, 22, 1800, False),
    (0.002, 54, 3600, False),
    (0.0005, 180, 13500, False),
]


def strain_samples(problem: Problem, solution: Any) -> np.ndarray:
    """Places of the tip at the samples, strains interpolated in time by the quintics of their values, rates, accelerations."""
    from scipy.interpolate import BPoly

    accelerations = np.array(
        [problem.accelerations(t, q.copy(), v.copy()) for t, q, v in zip(solution.times, solution.q, solution.v, strict=True)]
    )
    curve = BPoly.from_derivatives(solution.times, np.stack([solution.q, solution.v, accelerations], axis=1))
    return np.array([problem.model.pose("rod", q)[1][[0, 2]] for q in curve(np.linspace(0.0, 1.0, SAMPLES))])


def run(problem: Problem, method: str, step: float, tolerance: float, every: int = 1) -> Any:
    """One second of motion from rest."""
    start = problem.model.neutral(), np.zeros(problem.model.nv)
    return solve(problem, *start, t_end=1.0, step=step, method=method, tolerance=tolerance, record_every=every)


def parallel_robot(quick: bool) -> list[dict[str, Any]]:
    """``cpr_rfrfr``: two rods of 20 nodes and three modes, a loop; difference of the tip at 4 s to Gauss-2 at 1 ms."""
    from locodyn import zoo

    table, result = Table("torques", "integrator", "s for 9 s", "corrections per step", "tips apart m", "error at 4 s m"), []
    for sign in ("in", "out"):
        scenario = zoo.make("cpr_rfrfr", {"torque_sign": sign})
        problem, start, model = scenario.problem, scenario.initial_state(), scenario.model
        fine = solve(problem, *start, t_end=4.0, step=1e-3, method="gauss2", record_every=4000)
        for method in ("generalized_alpha", "newmark", "gauss2", "radau3", "energy_momentum"):
            work = partial(solve, problem, *start, t_end=9.0, step=0.01, method=method, rho_inf=0.5)
            found = work()
            best = min(spent(work) for _ in range(2 if quick else 8))
            gap = max(float(np.max(np.abs(model.pose("left", q)[1] - model.pose("right", q)[1]))) for q in found.q)
            error = float(np.linalg.norm(model.pose("left", found.q[400])[1] - model.pose("left", fine.q[-1])[1]))
            table.add_row(sign, method, f"{best:.3f}", f"{np.mean(found.iterations[1:]):.2f}", f"{gap:.1e}", f"{error:.1e}")
            result.append({"work": f"cpr_rfrfr {sign}", "size": model.nv, "called": method, "locodyn_us": 1e6 * best})
    Console().print(table)
    return result


def spent(work: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def turn(work: Callable[[], float]) -> float:
    """The shortest of at least three runs, and of as many as 0.1 s of CPU time allow: all codes get about the same time."""
    times = [work() for _ in range(3)]
    while sum(times) < 0.1:
        times.append(work())
    return min(times)


def quiet(work: Callable[[], Any]) -> Any:
    """The result of work that prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        return work()


def drop(quick: bool) -> list[dict[str, Any]]:
    """``rod_drop`` at three levels of error, all codes taking turns."""
    fine, step = (drop_problem((16, 12, 12), 24), 1 / 800) if quick else (drop_problem((24, 18, 18), 36), 1 / 1600)
    reference = np.array([fine.model.pose("rod", q)[1][[0, 2]] for q in run(fine, "gauss2", step, 1e-8, round(0.01 / step)).q])
    own = quiet(lambda: elastica_drop(160, 16000))[0]
    rows: list[tuple[float, str, str, np.ndarray, np.ndarray, Callable[[], float]]] = []
    for level, modes, nodes, method, steps, tolerance in ROWS:
        problem, dt = drop_problem(modes, nodes), 1.0 / steps
        places = strain_samples(problem, run(problem, method, dt, tolerance))
        work = partial(spent, partial(run, problem, method, dt, tolerance))
        text = f"{'/'.join(map(str, modes))} modes, {nodes} nodes, {1e3 * dt:.3g} ms"
        rows.append((level, f"locodyn {method}", text, places, reference, work))
    for level, elements, steps, tolerance in EXUDYN:
        peer = partial(exudyn_drop, elements, steps, tolerance=tolerance)
        text = f"{elements} beams, {1e3 / steps:.3g} ms"
        name = "Exudyn, default tolerance" if tolerance == 1e-8 else "Exudyn, fastest found"
        rows.append((level, name, text, peer()[0], reference, lambda peer=peer: peer()[1]))
    for level, elements, steps, corrected in ELASTICA:
        peer = partial(quiet, partial(elastica_drop, elements, steps, shear_at_clamp=corrected))
        text = f"{elements} elements, {1e3 / steps:.2g} ms"
        name = "PyElastica, fastest found" if corrected else "PyElastica, half an element"
        rows.append((level, name, text, peer()[0], own, lambda peer=peer: peer()[1]))
    best = np.full(len(rows), np.inf)
    for _ in range(2 if quick else 8):
        best = np.minimum(best, [turn(row[-1]) for row in rows])
    result, table = [], Table("level %", "code", "size and step", "error %", "ms per s", "times locodyn")
    for level in LEVELS:
        ours = min(t for t, row in zip(best, rows, strict=True) if row[0] == level and row[1].startswith("locodyn"))
        for t, (here, code, text, places, limit, _) in zip(best, rows, strict=True):
            if here == level:
                error = float(np.max(np.linalg.norm(places - limit, axis=1))) / LENGTH
                table.add_row(f"{100 * level:g}", code, text, f"{100 * error:.3f}", f"{1e3 * t:.2f}", f"{t / ours:.1f}")
                result.append({"work": "rod_drop", "size": text, "called": code, "error": error, "locodyn_us": 1e6 * t})
    Console().print(table)
    return result


def source_rods(quick: bool) -> list[dict[str, Any]]:
    """The four rods of Table 3.1 of Gotelli 2024 (its times: 7.1, 9.1, 8.5, 7.9 s per s)."""
    table, result = Table("rod", "E times", "integrator", "s per s", "corrections per step"), []

    def add(name: str, factor: float, problem: Problem, q: np.ndarray, v: np.ndarray) -> None:
        for method in ("newmark", "gauss2"):  # Gotelli's, and ours
            work = partial(solve, problem, q, v, t_end=1.0, step=0.01, method=method, tolerance=1e-5)
            count = float(np.mean(work().iterations))
            best = min(spent(work) for _ in range(2 if quick else 8))
            table.add_row(name, f"{factor:g}", method, f"{best:.4f}", f"{count:.1f}")
            result.append({"work": name, "size": factor, "called": method, "locodyn_us": 1e6 * best})

    for case, factor, g in (("soft", 1.0, 9.81), ("stiff", 1.0, 9.81), *(("steel", x, 0.0) for x in (0.01, 1.0, 100.0))):
        length, density, young, diameter, force, *_ = cantilever.CASES[case]
        cantilever.CASES["scaled"] = (length, density, young * factor, diameter, force * factor, 1.0, (0.0, 0.0))
        p, gravity = {"case": "scaled", "modes": 3, "nodes": 20, "g": g}, (0.0, 0.0, -g)
        q = ld.statics(cantilever.robot(p, force * factor), gravity=gravity, steps=4).q
        problem = Problem(cantilever.robot(p).model(gravity=gravity))
        add(f"{case} cantilever", factor, problem, q, np.zeros(problem.model.nv))
    for case in ("soft", "stiff"):
        problem = Problem(flying_rod(case).model(gravity=(0, 0, 0)), schedule=Schedule(loads=push(case)))
        add(f"{case} flying rod", 1.0, problem, problem.model.neutral(), np.zeros(problem.model.nv))
    Console().print(table)
    return result


def kernels() -> list[dict[str, Any]]:
    """Calls of a Kirchhoff rod with three functions for each strain and 11 nodes, us."""
    table, result = Table("space", "frames", "error", "inverse dynamics us", "mass matrix us", "derivatives us"), []

    def rod(space: str, quadrature: str, nodes: int = 11) -> ld.Model:
        robot = ld.Robot("rod")
        place = robot.base("ground", moves="fixed")
        given = {"bending": 3, "torsion": 3, "nodes": nodes, "space": space, "tolerance": 1e-6, "quadrature": quadrature}
        place.rod("rod", length=1.0, section=ld.Circle(0.001), material=ld.steel, **given)
        return robot.model()

    q, v, a = np.random.default_rng(1).standard_normal((3, 9))
    exact = rod_cascade(rod("magnus4", "gauss"), "rod", q, v, a, count=41).forces

    def error(found: np.ndarray) -> str:
        return f"{np.max(np.abs(found - exact)) / np.max(np.abs(exact)):.0e}"

    for space, quadrature in [*((space, "gauss") for space in SPACES), ("magnus4", "chebyshev"), ("magnus6", "chebyshev")]:
        model = rod(space, quadrature)
        calls: dict[str, Callable[[], Any]] = {
            "inverse dynamics": partial(model.inverse_dynamics, q, v, a),
            "mass matrix": partial(model.mass_matrix, q),
            "derivatives": partial(model.inverse_dynamics_derivatives, q, v, a),
        }
        times = best_us(calls, 0.5)
        called = f"{space}, {quadrature} nodes"
        numbers = (f"{times[name]:.2f}" for name in calls)
        table.add_row(called, str(model.nf), error(model.inverse_dynamics(q, v, a)), *numbers)
        result += [{"work": name, "size": 11, "called": called, "locodyn_us": t} for name, t in times.items()]
    for count in (11, 21, 31):
        model = rod("magnus4", "gauss")
        work = partial(rod_cascade, model, "rod", q, v, a, count=count)
        (t,) = best_us({"cascade": work}, 0.5).values()
        table.add_row(f"cascade, {count} points, NumPy", "", error(work().forces), f"{t:.0f}", "", "")
        result.append({"work": "inverse dynamics", "size": count, "called": "cascade", "locodyn_us": t})
    Console().print(table)
    return result


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions, a coarser reference")
    parser.add_argument("--json", help="write the numbers to this file")
    options = parser.parse_args()
    rows = [*drop(options.quick), *source_rods(options.quick), *kernels(), *parallel_robot(options.quick)]
    if options.json:
        write_json(options.json, rows)


if __name__ == "__main__":
    main()
