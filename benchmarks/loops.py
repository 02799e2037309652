"""Many loops: python benchmarks/loops.py [--quick] [--json FILE].

N four-bars in a row (IFToMM A02, `n_four_bar` of the zoo), 10 s in 1000 steps: CPU time, best of several, of our time loop by
rkmk4, of our records with all forces (101 of them), and of Exudyn (generalized alpha, its default tolerance, Newton's method as
it comes and the modified one; sparse; planar bodies, two rows a pin; the time of its run without the building of the model),
taking turns. The error is the largest distance (m) of the first top from the one equation of the mechanism, at 101 times. The
slopes are those of a log-log plot from N = 10 on.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

import numpy as np
from timing import write_json

import locodyn as ld
from locodyn.integrate import solve
from locodyn.judge import timed
from locodyn.locomotion.record import samples
from locodyn.zoo.robots.n_four_bar import rod_angle

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "judges"))
STEP, SAMPLES = 0.01, 101


def error(found: np.ndarray, n: int) -> float:
    """Largest distance of the first top (samples, 2) from where its equation has it, m."""
    p = {"N": n, "l": 1.0, "v": 1.0, "g": 9.81}
    angle = rod_angle(p, np.linspace(0.0, 10.0, SAMPLES))
    return float(np.linalg.norm(found - np.column_stack([np.sin(angle), np.cos(angle)]), axis=1).max())


def ours(scenario: ld.Scenario, n: int) -> tuple[float, float, float]:
    """(time of the steps, of the records, s; error, m)."""
    problem, every = scenario.problem, round(10.0 / STEP / (SAMPLES - 1))
    start = scenario.initial_state()
    solution, spent = timed(lambda: solve(problem, *start, t_end=10.0, step=STEP, method="rkmk4", record_every=every))
    _, recorded = timed(lambda: samples(problem, solution.times, solution.q, solution.v, None))
    return spent, recorded, error(np.column_stack([np.sin(solution.q[:, 0]), np.cos(solution.q[:, 0])]), n)


def exudyn(scenario: ld.Scenario, n: int) -> tuple[float, float, float]:
    """(time by Newton, by modified Newton, s; error of the latter, m)."""
    from models.exudyn_mechanism import ExudynMechanism

    times = []
    for modified in (False, True):
        mechanism = ExudynMechanism(scenario, plane=(0, 2))
        mechanism.watch("top", "rod_0", (0.0, 0.0, 1.0))
        found, spent = mechanism.run(round(10.0 / STEP), SAMPLES, dense=False, modified=modified)
        times.append(spent)
    return times[0], times[1], error(found["top"][:, :2], n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 40 loops, twice")
    parser.add_argument("--json", metavar="FILE", help="write the records to a file")
    options = parser.parse_args()
    sizes = (1, 3, 10, 20, 40) if options.quick else (1, 2, 3, 5, 10, 20, 40, 70, 100)
    peer = importlib.util.find_spec("exudyn") is not None
    if not peer:
        print("Exudyn is not installed and left out")
    records, found = [], {}
    for n in sizes:
        scenario = ld.zoo.n_four_bar(N=n)
        turns = [(ours(scenario, n), exudyn(scenario, n) if peer else (np.nan,) * 3) for _ in range(2 if options.quick else 5)]
        step, record, own = np.min([one for one, _ in turns], axis=0)
        full, other, off = np.min([two for _, two in turns], axis=0)
        found[n] = (step, record, full, other)
        peers = f"Exudyn {full:6.3f} s, modified {other:6.3f} s, {off:.1e} m"
        print(f"N = {n:3d}: steps {step:6.3f} s, records {record:6.3f} s, error {own:.1e} m; {peers}")
        for work, value in (("10 s of N four-bars, steps", step), ("10 s of N four-bars, records", record)):
            named = {"peer": "Exudyn", "peer_us": 1e6 * other} if peer and "steps" in work else {"peer": "", "peer_us": None}
            records.append({"work": work, "size": n, "called": "solve", "locodyn_us": 1e6 * value, **named})
    large = [n for n in sizes if n >= 10]
    slopes = np.polyfit(np.log(large), np.log([found[n] for n in large]), 1)[0]
    print(f"slope in a log-log plot: steps {slopes[0]:.2f}, records {slopes[1]:.2f}, Exudyn {slopes[2]:.2f}, {slopes[3]:.2f}")
    if options.json:
        write_json(options.json, records)


if __name__ == "__main__":
    main()
