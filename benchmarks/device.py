"""Steps of many robots on a graphics card: rates, and the bits of the processor.

    python benchmarks/device.py                       both parts on this machine, which has a card
    python benchmarks/device.py prepare FOLDER        on any machine: programs, first states, and the bits to come, in files
    python benchmarks/device.py measure FOLDER        where the card is; needs its driver and NumPy alone

For each robot: whether 64 of them, with velocities of their own, equal the processor bit by bit after 200 steps; then million
robot steps a second of 4096, 16384 and 65536 robots, alike and different. ``--out FILE.json`` writes the records, ``--rows``
chooses robots.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

COUNTS = (4096, 16384, 65536)
COMPARED, STEPS, SPREAD = 64, 200, 0.05  # robots and steps that are compared, largest change of their velocities
ROWS = ("pendulum", "tree", "snakeboard", "snake_3d", "quadruped", "rod_drop", "rod_drop_radau3", "cpr_rfrfr")


def scenario(row):
    """The robot of a row."""
    import locodyn as ld

    if row == "pendulum":
        return ld.zoo.pendulum(n=20).changed(integrator="rkmk4", dt=1e-3)
    if row == "tree":
        return tree()
    if row == "quadruped":
        return ld.zoo.quadruped_trot().changed(contact="hard", integrator="moreau", dt=1e-3)
    if row == "rod_drop_radau3":
        return ld.zoo.rod_drop().changed(integrator="radau3")
    return getattr(ld.zoo, row)()


def tree():
    """A free trunk with four limbs of seven joints: 34 freedoms."""
    import locodyn as ld

    robot = ld.Robot("tree")
    moment = ld.about_centre(xx=0.02, yy=0.03, zz=0.01)
    trunk = robot.base("trunk", mass=8.0, inertia=ld.about_centre(xx=0.3, yy=0.3, zz=0.1))
    for limb, place in enumerate(((0.1, 0.1, 0.3), (0.1, -0.1, 0.3), (0.0, 0.1, -0.3), (0.0, -0.1, -0.3))):
        last, at = trunk, place
        for k in range(7):
            body = robot.body(f"body_{limb}_{k}", mass=1.0, centre=(0, 0, -0.1), inertia=moment)
            last, at = body.on(last, at=at).turning("xyz"[k % 3], name=f"joint_{limb}_{k}"), (0, 0, -0.2)
    rates = {f"joint_{limb}_{k}": 0.3 * (k - 3) + 0.1 * limb for limb in range(4) for k in range(7)}
    return ld.Scenario("tree", robot, start=ld.Start(velocities=rates), integrator="rkmk4", dt=1e-3, t_end=1.0)


# --------------------------------------------------------------------------------------------------------------- prepare
def prepare(folder, rows):
    """Write the program of each robot, its first states and those after the steps that are compared."""
    from locodyn.device.launch import file_steps

    for row in rows:
        began = time.perf_counter()
        batch = scenario(row).batch(COMPARED)
        rng = np.random.default_rng(1)
        batch.reset(v=batch.v + SPREAD * rng.uniform(-1.0, 1.0, batch.v.shape))
        first = {name: getattr(batch.robots, name).copy() for name in batch.robots.field_places()}
        batch.advance(STEPS)
        after = {name: getattr(batch.robots, name).copy() for name in ("q", "v", "failed")}
        for name, values in first.items():
            getattr(batch.robots, name)[:] = values
        worker, turn = batch._workers[0]
        taken = []
        worker.stepper.robots(batch.robots, turn, np.arange(COMPARED), 1, lambda *arguments, taken=taken: taken.append(arguments))
        file_steps(folder / f"{row}.npz", *taken[0])
        np.savez_compressed(folder / f"{row}.after.npz", **after)
        print(f"{row}: prepared in {time.perf_counter() - began:.0f} s", flush=True)


# --------------------------------------------------------------------------------------------------------------- measure
def measure(folder, rows, out):
    """Compare and time all rows that the folder has."""
    from locodyn.device.card_program import FiledRobots
    from locodyn.device.driver import Card, found

    print(found())
    print(f"{'robot':18s} {'bits':>9s} {'registers':>9s} {'local kB':>9s}" + "".join(f" {n:>9d} {'differ':>8s}" for n in COUNTS))
    card, records = Card(), []
    for row in rows:
        if not (folder / f"{row}.npz").exists():
            continue
        try:
            record = measured(FiledRobots, card, folder, row)
        except Exception as error:  # a robot that does not fit leaves the others their rows
            record = {"robot": row, "error": str(error)}
            print(f"{row:18s} {error}", flush=True)
        records.append(record)
        if out:
            Path(out).write_text(json.dumps({"card": found(), "records": records}, indent=1) + "\n", encoding="utf-8")


def measured(robots_of, card, folder, row):
    """One row."""
    began = time.perf_counter()
    some = robots_of(card, folder / f"{row}.npz", COMPARED)
    assembled = time.perf_counter() - began
    some.advance(STEPS)
    with np.load(folder / f"{row}.after.npz") as after:
        same = [np.array_equal(some.arrays[name].get(), after[name]) for name in ("q", "v", "failed")]
    record = {"robot": row, "equal": all(same), "registers": some.registers, "local_bytes": some.local_bytes,
              "assembled_s": assembled, "rates": []}  # fmt: skip
    text = f"{row:18s} {'equal' if all(same) else 'DIFFERENT':>9s} {some.registers:9d} {some.local_bytes / 1024:9.0f}"
    for count in COUNTS:
        rates = [rate(robots_of(card, folder / f"{row}.npz", count), count, alike) for alike in (True, False)]
        record["rates"].append({"robots": count, "alike": rates[0], "different": rates[1]})
        text += f" {rates[0] / 1e6:9.3g} {rates[1] / 1e6:8.3g}"
    print(text, flush=True)
    return record


def rate(robots, count, alike):
    """Robot steps a second; ``alike``: all of them as the first."""
    if alike:
        for name in ("q", "v", "own"):
            robots.arrays[name].put(np.repeat(robots.arrays[name].get()[:1], count, axis=0))
    robots.advance(1)
    steps, best = 10, 0.0
    for _ in range(3):
        began = time.perf_counter()
        robots.advance(steps)
        spent = time.perf_counter() - began
        best = max(best, count * steps / spent)
        steps = int(min(100, max(2, steps * 0.3 / spent)))
    return best


def main():
    """Command."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("part", nargs="?", choices=("prepare", "measure"))
    asked.add_argument("folder", nargs="?", type=Path)
    asked.add_argument("--out")
    asked.add_argument("--rows", default=",".join(ROWS))
    given = asked.parse_args()
    rows = given.rows.split(",")
    warnings.simplefilter("ignore")
    if given.part and given.folder is None:
        asked.error("name the folder.")
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if given.part in (None, "prepare"):
        prepare(folder, rows)
    if given.part in (None, "measure"):
        measure(folder, rows, given.out)


if __name__ == "__main__":
    sys.exit(main())
