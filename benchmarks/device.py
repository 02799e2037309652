"""Steps of many robots on a graphics card: rates, and the bits of the processor.

    python benchmarks/device.py                       both parts on this machine, which has a card
    python benchmarks/device.py prepare FOLDER        on any machine: programs, first states, and the bits to come, in files
    python benchmarks/device.py measure FOLDER        where the card is; needs its driver and NumPy alone
    python benchmarks/device.py mjx                   MJX on the same card: a snake of ten links, where the package is installed

For each robot: whether 64 of them, with velocities of their own, equal the processor bit by bit after 200 steps (rows of forward
and inverse dynamics: after one evaluation; in float32: the largest difference); then million robot steps or evaluations a
second, of robots that are alike, of those after ``SETTLED`` more steps, and the same of robots that differ. ``--out FILE.json``
writes the records, ``--json`` the same for the documentation, ``--rows`` chooses robots, ``--registers`` tries others than the
program asks for.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

COUNTS = (4096, 16384, 65536)
TREE_COUNTS = (65536, 1048576, 4194304)  # of rows without a scenario
COMPARED, STEPS, SPREAD = 64, 200, 0.05  # robots and steps that are compared, largest change of their velocities
SETTLED = 400  # steps after which robots that started with a changed velocity go as they do
ROWS = ("pendulum", "tree", "snakeboard", "snake_3d", "quadruped", "rod_drop", "rod_alpha", "rod_drop_radau3", "cpr_rfrfr")
WORK = {"forward": 1, "inverse": 1, "semi": 200, "rkmk4": 200}  # of trees: how many evaluations or steps are compared
TREES = tuple(f"{work}_{robot}_{kind}" for work in WORK for robot in ("20", "34") for kind in ("f64", "f32"))
SINGLE = tuple(f"{row}_f32" for row in ("snakeboard", "rod_drop", "rod_alpha", "rod_drop_radau3", "cpr_rfrfr"))


def scenario(row):
    """The robot of a row."""
    import locodyn as ld

    row = row.removesuffix("_f32")
    if row == "pendulum":
        return ld.zoo.pendulum(n=20).changed(integrator="rkmk4", dt=1e-3)
    if row == "tree":
        return tree()
    if row == "quadruped":
        return ld.zoo.quadruped_trot().changed(contact="hard", integrator="moreau", dt=1e-3)
    if row == "rod_alpha":
        return ld.zoo.rod_drop().changed(integrator="generalized_alpha", dt=2e-3)
    if row == "rod_drop_radau3":
        return ld.zoo.rod_drop().changed(integrator="radau3")
    return getattr(ld.zoo, row)()


def chain(count):
    """A free body and ``count`` - 1 more, each on the one before by a hinge, with offsets and inertias of all kinds."""
    import locodyn as ld

    robot, rng = ld.Robot(f"chain of {count}"), np.random.default_rng(3)
    moment = ld.about_centre(xx=0.02, yy=0.03, zz=0.015, xy=0.001, yz=0.002, xz=-0.001)
    last = robot.base("body_0", mass=1.0, inertia=moment)
    for k in range(1, count):
        body = robot.body(f"body_{k}", mass=1.0, centre=rng.uniform(-0.05, 0.05, 3), inertia=moment)
        last = body.on(last, at=rng.uniform(-0.2, 0.2, 3)).turning(rng.standard_normal(3))
    return robot


def tree():
    """A scenario of :func:`limbs`."""
    import locodyn as ld

    rates = {f"joint_{limb}_{k}": 0.3 * (k - 3) + 0.1 * limb for limb in range(4) for k in range(7)}
    return ld.Scenario("tree", limbs(), start=ld.Start(velocities=rates), integrator="rkmk4", dt=1e-3, t_end=1.0)


def limbs():
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
    return robot


# --------------------------------------------------------------------------------------------------------------- prepare
def prepare(folder, rows):
    """Write the program of each robot, its first states and those after the steps that are compared."""
    from locodyn.device.launch import file_steps

    for row in rows:
        began = time.perf_counter()
        if row in TREES:
            prepare_tree(folder, row)
            print(f"{row}: prepared in {time.perf_counter() - began:.0f} s", flush=True)
            continue
        single = row in SINGLE
        batch = scenario(row).batch(COMPARED, **({"device": "host", "dtype": "float32"} if single else {}))
        worker, turn = batch._workers[0]
        everyone = np.arange(COMPARED)
        rng = np.random.default_rng(1)
        batch.reset(v=batch.v + SPREAD * rng.uniform(-1.0, 1.0, batch.v.shape))
        first = {name: getattr(batch.robots, name).copy() for name in batch.robots.field_places()}
        go_on = partial(worker.stepper.robots, batch.robots, turn, everyone) if single else batch.advance  # here, in float64
        go_on(STEPS)
        after = {name: getattr(batch.robots, name).copy() for name in ("q", "v", "failed")}
        go_on(2 * SETTLED)  # reaches the late kernels that these robots need
        for name, values in first.items():
            getattr(batch.robots, name)[:] = values
        taken = []
        worker.stepper.robots(batch.robots, turn, everyone, 1, lambda *arguments, taken=taken: taken.append(arguments))
        file_steps(folder / f"{row}.npz", *taken[0], single=single)
        np.savez_compressed(folder / f"{row}.after.npz", **after)
        print(f"{row}: prepared in {time.perf_counter() - began:.0f} s", flush=True)


def prepare_tree(folder, row):
    """The same for a row of dynamics alone, whose robots have no scenario."""
    from locodyn.batch.device_batch import uncalled
    from locodyn.device.launch import file_steps

    work, which, kind = row.split("_")
    robot = chain(20) if which == "20" else limbs()
    rng, here = np.random.default_rng(1), robot.batch(COMPARED)
    nv, model = here.model.nv, here.model
    q = np.array([model.move(model.neutral(), one) for one in 0.5 * rng.standard_normal((COMPARED, nv))])
    v, tau = 0.5 * rng.standard_normal((2, COMPARED, nv))
    there = robot.batch(COMPARED, device="host", dtype={"f64": "float64", "f32": "float32"}[kind])
    for one in (here, there):
        one.q, one.v = q, v
    taken = []
    there._device.launch = lambda *arguments: taken.append(arguments)
    if work == "forward":
        after = {"a": here.forward_dynamics(tau)}
        there.forward_dynamics(tau)
    elif work == "inverse":
        after = {"tau": here.inverse_dynamics(tau)}
        there.inverse_dynamics(tau)
    else:
        method = {"semi": "semi_implicit"}.get(work, work)
        here.rollout(WORK[work], 1e-3, tau=tau, method=method)
        there.rollout(WORK[work], 1e-3, tau=tau, method=method)
        after = {"q": here.q, "v": here.v}
    file_steps(folder / f"{row}.npz", *taken[0], tile=32, without=uncalled(model))
    tiles = {name: values.reshape(COMPARED // 32, 32, -1).transpose(0, 2, 1) for name, values in after.items()}
    np.savez_compressed(folder / f"{row}.after.npz", **tiles)


# --------------------------------------------------------------------------------------------------------------- measure
def for_docs(records):
    """Records as ``docs/site/store_benchmark.py`` keeps them: microseconds of a robot for each number of robots and start."""
    return [
        {"work": words_of(one["robot"]), "size": rate["robots"], "called": "on the card" if start == "None" else start,
         "locodyn_us": 1e6 / value}
        for one in records
        for rate in one.get("rates", ())
        for start, value in rate.items()
        if start != "robots"
    ]  # fmt: skip


def words_of(row):
    """What a row of trees is called."""
    if row not in TREES:
        return row.replace("_f32", ", float32")
    work, robot, kind = row.split("_")
    does = {"forward": "forward dynamics", "inverse": "inverse dynamics", "semi": "semi-implicit step", "rkmk4": "rkmk4 step"}
    of = {"20": "free chain of 20 bodies", "34": "tree of 34 freedoms"}
    return f"{does[work]}, {of[robot]}, {kind.replace('f', 'float')}"


def measure(folder, rows, out, registers, docs=None):
    """Compare and time all rows that the folder has."""
    from locodyn.device.driver import Card, found

    print(found())
    print("million a second of so many robots: alike / alike and settled / different / different and settled")
    card, records = Card(), []
    for row in rows:
        if not (folder / f"{row}.npz").exists():
            continue
        try:
            record = measured(card, folder / f"{row}.npz", registers)
        except Exception as error:  # a robot that does not fit leaves the others their rows
            record = {"robot": row, "error": str(error)}
            print(f"{row:18s} {error}", flush=True)
        records.append(record)
        if out:
            Path(out).write_text(json.dumps({"card": found(), "records": records}, indent=1) + "\n", encoding="utf-8")
        if docs:
            Path(docs).write_text(json.dumps(for_docs(records), indent=1) + "\n", encoding="utf-8")


def measured(card, file, registers):
    """One row."""
    from locodyn.device.card_program import FiledRobots

    row, began = file.stem, time.perf_counter()
    is_tree = row in TREES
    some = FiledRobots(card, file, COMPARED, registers)
    assembled = time.perf_counter() - began
    some.advance(WORK[row.split("_")[0]] if is_tree else STEPS)
    with np.load(file.with_suffix(".after.npz")) as after:
        pairs = [(some.arrays[name].get(), after[name]) for name in after.files]
    same = all(np.array_equal(*pair) for pair in pairs)
    miss = max(float(np.abs(one - other).max() / max(1.0, np.abs(other).max())) for one, other in pairs)
    record = {"robot": row, "equal": same, "miss": miss, "registers": some.registers, "local_bytes": some.local_bytes,
              "assembled_s": assembled, "rates": []}  # fmt: skip
    text = f"{row:18s} {'equal' if same else f'{miss:.1e}':>9s} {some.registers:4d} {some.local_bytes / 1024:4.0f} kB"
    for count in TREE_COUNTS if is_tree else COUNTS:
        repeats = row.split("_")[0] not in ("forward", "inverse")  # several steps a launch
        starts = (None,) if is_tree else ("alike", "alike, settled", "different", "settled")
        robots = [FiledRobots(card, file, count, registers) for start in starts[:1]]
        rates = [rate(robots[0], count, start, repeats) for start in starts]
        record["rates"].append({"robots": count, **{str(s): r for s, r in zip(starts, rates, strict=True)}})
        text += f"  {count}: " + " / ".join(f"{one / 1e6:.3g}" for one in rates)
    print(text, flush=True)
    return record


def rate(robots, count, start, repeats):
    """Robot steps a second; ``start``: "alike", all of them as the first; "different", as in the file; "settled": those later."""
    first = robots.first
    for name, one in first.items() if start in ("alike", "different") else ():
        robots.arrays[name].put(np.repeat(one[:1], count, axis=0) if start == "alike" else one)
    robots.advance(SETTLED if "settled" in str(start) else 1)
    steps, best = 10 if repeats else 1, 0.0
    for _ in range(3 if repeats else 8):
        began = time.perf_counter()
        robots.advance(steps)
        spent = time.perf_counter() - began
        best = max(best, count * steps / spent)
        steps = int(min(100, max(2, steps * 0.3 / spent))) if repeats else 1
    return best


# ------------------------------------------------------------------------------------------------------------------- MJX
SNAKE = """<mujoco><option timestep="0.002" cone="elliptic" iterations="10" ls_iterations="10"/>
<worldbody><geom type="plane" size="0 0 1" friction="0.5 0.01 0.001"/>{body}</worldbody><actuator>{drives}</actuator></mujoco>"""


def mjx(counts=(4096, 16384), steps=50):
    """Steps a second of a snake of ten links on the ground, in float32."""
    import jax
    import mujoco
    from mujoco import mjx as on_card

    body, drives = "", ""
    for k in reversed(range(10)):
        joints = (
            "<freejoint/>"
            if k == 0
            else "".join(
                f'<joint name="{a}{k}" type="hinge" axis="{b}" damping="0.05"/>' for a, b in (("y", "0 1 0"), ("z", "0 0 1"))
            )
        )
        body = (f'<body pos="{0.1 if k else 0} 0 {0 if k else 0.05}">{joints}'
                f'<geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.04" mass="0.5"/>{body}</body>')  # fmt: skip
        drives += "" if k == 0 else f'<position joint="z{k}" kp="10"/>'
    model = mujoco.MjModel.from_xml_string(SNAKE.format(body=body, drives=drives))
    there = on_card.put_model(model)
    print(f"MJX {mujoco.__version__}, JAX {jax.__version__}: nv {model.nv}, snake of ten links")
    for count in counts:
        key = jax.random.PRNGKey(0)
        data = jax.vmap(lambda k: on_card.make_data(model).replace(qvel=0.05 * jax.random.normal(k, (model.nv,))))(
            jax.random.split(key, count)
        )
        roll = jax.jit(
            lambda d: jax.lax.scan(lambda x, _: (jax.vmap(lambda y: on_card.step(there, y))(x), None), d, None, steps)[0]
        )
        began = time.perf_counter()
        data = jax.block_until_ready(roll(data))
        compiled, best = time.perf_counter() - began, 0.0
        for _ in range(2):
            began = time.perf_counter()
            data = jax.block_until_ready(roll(data))
            best = max(best, count * steps / (time.perf_counter() - began))
        print(f"{count} robots: {best / 1e6:.3g} million steps a second, first call {compiled:.0f} s", flush=True)


def main():
    """Command."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("part", nargs="?", choices=("prepare", "measure", "mjx"))
    asked.add_argument("folder", nargs="?", type=Path)
    asked.add_argument("--out")
    asked.add_argument("--json")
    asked.add_argument("--rows", default=",".join(ROWS + SINGLE + TREES))
    asked.add_argument("--registers", type=int)
    given = asked.parse_args()
    rows = given.rows.split(",")
    warnings.simplefilter("ignore")
    if given.part == "mjx":
        return mjx()
    if given.part and given.folder is None:
        asked.error("name the folder.")
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if given.part in (None, "prepare"):
        prepare(folder, rows)
    if given.part in (None, "measure"):
        measure(folder, rows, given.out, given.registers, given.json)
    return None


if __name__ == "__main__":
    sys.exit(main())
