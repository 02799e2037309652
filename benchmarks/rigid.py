"""locodyn against Pinocchio and MuJoCo on rigid robots, in one run: python benchmarks/rigid.py [--quick] [--json FILE].

One thread, CPU time, best of many. "python": one call from Python each. "loop": our kernel inside a compiled loop, beside the
same call of the peer from Python (its wheel offers no other). MuJoCo computes in stages; those that the task needs are called.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numba
import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table
from robots import chain, humanoid
from timing import best_us, write_json

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from cross_code.mujoco_model import MujocoModel
from locodyn.dynamics import forward_dynamics, inverse_dynamics, inverse_dynamics_derivatives, mass_matrix
from locodyn.dynamics.model import Model
from locodyn.kernel.lanes import WIDTH
from locodyn.shape.kinematics import frame_poses
from peers import PinocchioModel

_id, _fd = inverse_dynamics.inverse_dynamics, forward_dynamics.hybrid_dynamics
_mm, _dd = mass_matrix.mass_matrix, inverse_dynamics_derivatives.inverse_dynamics_derivatives
LOOP = 100


@numba.njit(nogil=True)
def loop_inverse(times, frames, constants, gravity, q, v, a, none, work, tau):
    for _ in range(times):
        _id(frames, constants, gravity, q, v, a, none, work, tau)


@numba.njit(nogil=True)
def loop_forward(times, frames, constants, gravity, imposed, q, v, none, work, dof_work, a, tau):
    for _ in range(times):
        _fd(frames, constants, gravity, imposed, q, v, none, work, dof_work, a, tau)


@numba.njit(nogil=True)
def loop_mass(times, frames, constants, dofs, dof_constants, q, poses, composites, matrix):
    for _ in range(times):
        frame_poses(frames, constants, q, 0, poses)
        _mm(frames, constants, dofs, dof_constants, poses, composites, matrix)


@numba.njit(nogil=True)
def loop_derivatives(times, frames, constants, dofs, dof_constants, gravity, q, v, a, none, work, dof_work, x, y, z):
    for _ in range(times):
        _dd(frames, constants, dofs, dof_constants, gravity, q, v, a, none, work, dof_work, x, y, z)


def our_loops(m: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> dict[str, Callable[[], Any]]:
    none, imposed, nf, nv = np.zeros((0, 6)), np.zeros(0, dtype=np.int8), m.nf, m.nv
    out = np.zeros(nv)
    work, forward_work = np.zeros((nf, inverse_dynamics.WORK.size)), np.zeros((nf, forward_dynamics.WORK.size))
    dof_work, matrix = np.zeros((nv, forward_dynamics.DOF_WORK.size)), np.zeros((nv, nv))
    poses, composites = np.zeros((nf, 12)), np.zeros((nf, mass_matrix.COMPOSITE.size))
    room = np.zeros((nf, inverse_dynamics_derivatives.WORK.size)), np.zeros((nv, inverse_dynamics_derivatives.DOF_WORK.size))
    blocks = [np.zeros((nv, nv)) for _ in range(3)]
    f, c, g, d, dc = m.frames, m.constants, m.gravity, m.dofs, m.dof_constants
    return {
        "inverse_dynamics": lambda: loop_inverse(LOOP, f, c, g, q, v, a, none, work, out),
        "forward_dynamics": lambda: loop_forward(LOOP, f, c, g, imposed, q, v, none, forward_work, dof_work, out, tau),
        "mass_matrix": lambda: loop_mass(LOOP, f, c, d, dc, q, poses, composites, matrix),
        "inverse_dynamics_derivatives": lambda: loop_derivatives(LOOP, f, c, d, dc, g, q, v, a, none, *room, *blocks),
    }


def mujoco_tasks(peer: MujocoModel, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> dict[str, Callable[[], Any]]:
    """MuJoCo's own stages: kinematics, composite inertia and its factor, velocities, Newton-Euler, solve."""
    model, data = peer.peer, peer.data
    data.qpos[:], data.qvel[:] = peer.configuration(q), peer.velocity(q, v)
    data.qacc[:] = peer.acceleration(q, v, a)
    force, out = peer.force(q, tau), np.zeros(model.nv)
    right = np.zeros((1, model.nv))

    def inverse() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, out)

    def forward() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        crb(model, data)
        mujoco.mj_factorM(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, out)
        right[0] = force - out
        mujoco.mj_solveM(model, data, right, right)

    def mass() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        crb(model, data)

    crb = getattr(mujoco, "mj_makeM", None) or mujoco.mj_crb
    return {"inverse_dynamics": inverse, "forward_dynamics": forward, "mass_matrix": mass}


def pinocchio_tasks(
    peer: PinocchioModel, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray
) -> dict[str, Callable[[], Any]]:
    model, data, x = peer.peer, peer.data, peer.configuration(q)
    return {
        "inverse_dynamics": lambda: pin.rnea(model, data, x, v, a),
        "forward_dynamics": lambda: pin.aba(model, data, x, v, tau),
        "mass_matrix": lambda: pin.crba(model, data, x),
        "inverse_dynamics_derivatives": lambda: pin.computeRNEADerivatives(model, data, x, v, a),
    }


def single(size: str, model: Model, seconds: float, records: list[dict]) -> None:
    """All works of one robot, from Python and in a compiled loop."""
    rng = np.random.default_rng(1)
    q = model.normalised(rng.standard_normal(model.nq))
    v, a, tau = (rng.standard_normal(model.nv) for _ in range(3))
    ours = {
        "inverse_dynamics": lambda: model.inverse_dynamics(q, v, a),
        "forward_dynamics": lambda: model.forward_dynamics(q, v, tau),
        "mass_matrix": lambda: model.mass_matrix(q),
        "inverse_dynamics_derivatives": lambda: model.inverse_dynamics_derivatives(q, v, a),
    }
    loops = our_loops(model, q, v, a, tau)
    peers = {
        "pinocchio": pinocchio_tasks(PinocchioModel(model), q, v, a, tau),
        "mujoco": mujoco_tasks(MujocoModel(model), q, v, a, tau),
    }
    for work, task in ours.items():
        tasks = {"python": task, "loop": loops[work], **{name: t[work] for name, t in peers.items() if work in t}}
        times = best_us(tasks, seconds)
        times["loop"] /= LOOP
        for called in ("python", "loop"):
            for peer in peers:
                if peer in times:
                    record = {"work": work, "size": size, "called": called, "locodyn_us": times[called]}
                    records.append({**record, "peer": peer, "peer_us": times[peer]})


def batch(size: str, model: Model, seconds: float, records: list[dict], count: int = 4096) -> None:
    """Forward dynamics of many robots: wall-clock time over all cores, times the number of cores, for each robot."""
    from locodyn.batch import Batch

    rng = np.random.default_rng(2)
    many = Batch(model, count)
    q = np.array([model.normalised(x) for x in rng.standard_normal((count, model.nq))])
    many.q, many.v = q, rng.standard_normal((count, model.nv))
    tau = rng.standard_normal((count, model.nv))
    many.forward_dynamics(tau)
    peer = PinocchioModel(model)
    x, v = peer.configuration(q[0]), many.v[0]
    pinocchio = best_us({"pinocchio": lambda: pin.aba(peer.peer, peer.data, x, v, tau[0])}, seconds / 2)["pinocchio"]
    for name, task in (
        ("batch_forward_dynamics", many.forward_blocks),
        ("batch_forward_dynamics_with_copies", lambda: many.forward_dynamics(tau)),
    ):
        best, end = float("inf"), time.perf_counter() + seconds / 2
        while time.perf_counter() < end:
            began = time.process_time_ns()
            task()
            best = min(best, (time.process_time_ns() - began) / count / 1e3)
        records.append(
            {"work": name, "size": size, "called": "loop", "locodyn_us": best, "peer": "pinocchio", "peer_us": pinocchio}
        )


def linear(seconds: float) -> list[tuple[int, float, float]]:
    """Inverse and forward dynamics per body for long chains, us."""
    rows = []
    for n in (100, 200, 500, 1000):
        model = chain(n).model()
        rng = np.random.default_rng(3)
        q = model.normalised(rng.standard_normal(model.nq))
        v, a = rng.standard_normal(model.nv), rng.standard_normal(model.nv)
        tasks = {"i": partial(model.inverse_dynamics, q, v, a), "f": partial(model.forward_dynamics, q, v, a)}
        times = best_us(tasks, seconds)
        rows.append((n, times["i"] / n, times["f"] / n))
    return rows


def start_up() -> list[tuple[str, float]]:
    """Seconds for import and for a first run with nothing compiled, then with everything compiled."""
    command = [sys.executable, "-m", "locodyn", "run", "satellite", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LOCODYN_CACHE_DIR": folder}
        steps = [
            ("import locodyn", [sys.executable, "-c", "import locodyn"]),
            ("locodyn run satellite, cold", command),
            ("locodyn run satellite, warm", command),
        ]
        rows = []
        for name, call in steps:
            began = time.perf_counter()
            subprocess.run(call, check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
            rows.append((name, time.perf_counter() - began))
        return rows


def show(records: list[dict]) -> None:
    table = Table(title="time of one evaluation, us (ratio: how many times locodyn is faster)")
    for column in ("work", "size", "called", "locodyn", "peer", "peer us", "ratio"):
        table.add_column(column, justify="right" if column in ("locodyn", "peer us", "ratio") else "left")
    for r in records:
        ratio = r["peer_us"] / r["locodyn_us"]
        table.add_row(
            r["work"], r["size"], r["called"], f"{r['locodyn_us']:.3g}", r["peer"], f"{r['peer_us']:.3g}", f"{ratio:.2f}"
        )
    Console(width=130).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions, under 45 s when kernels are compiled")
    parser.add_argument("--json", metavar="FILE", help="write the records to a file")
    options = parser.parse_args()
    seconds = 0.15 if options.quick else 1.0
    records: list[dict] = []
    for n in (10, 20, 40, 100):
        single(str(n), chain(n).model(), seconds, records)
    single("humanoid", humanoid().model(), seconds, records)
    for n in (10, 20, 40):
        batch(str(n), chain(n).model(), 2 * seconds, records)
    batch("humanoid", humanoid().model(), 2 * seconds, records)
    show(records)
    print(f"batch: 4096 robots, {WIDTH} per register; CPU time per robot, summed over cores")
    for n, inverse, forward in linear(seconds):
        print(f"chain of {n:4d}: inverse dynamics {1e3 * inverse:5.1f}, forward dynamics {1e3 * forward:5.1f} ns per body")
    if not options.quick:
        for name, taken in start_up():
            print(f"{name}: {taken:.2f} s")
    if options.json:
        write_json(options.json, records)


if __name__ == "__main__":
    main()
