"""Rigid dynamics of robots that come in files: forward dynamics beside Pinocchio and MuJoCo."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial
from models.file_peers import MujocoFile, PinocchioFile, random_state, worst

# Robots of Gymnasium's wheel (MIT) by their freedoms.
FILES = {5: "swimmer", 6: "hopper", 9: "half_cheetah", 11: "pusher", 14: "ant", 23: "humanoid"}
CALLS = 2000


def path(name: str) -> Path:
    """Where the wheel has the file."""
    found = find_spec("gymnasium")
    if found is None or found.origin is None:
        raise ld.InputError("Gymnasium, whose wheel carries the robots, is not installed here.")
    return Path(found.origin).parent / "envs" / "mujoco" / "assets" / f"{name}.xml"


@cache
def model(name: str) -> ld.Model:
    """The robot here, under gravity."""
    return ld.load_robot(path(name)).robot.model(gravity=(0.0, 0.0, -9.81))


@cache
def state(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and forces at random."""
    rng = np.random.default_rng(4)
    return (*random_state(model(name), rng), rng.uniform(-1.0, 1.0, model(name).nv))


@cache
def found_by_mujoco(name: str) -> np.ndarray:
    """Accelerations along our coordinates, from MuJoCo's mass matrix and inverse dynamics."""
    q, v, tau = state(name)
    peer = MujocoFile(path(name), model(name))
    peer.peer.opt.gravity[:] = (0.0, 0.0, -9.81)
    return np.asarray(np.linalg.solve(peer.mass_matrix(q), tau - peer.inverse_dynamics(q, v, np.zeros(model(name).nv))))


def each(work: Callable[[], object]) -> float:
    """CPU time of one call, s."""
    work()
    began = time.thread_time()
    for _ in range(CALLS):
        work()
    return (time.thread_time() - began) / CALLS


def ours(freedoms: float) -> Trial:
    """The articulated-body recursion, called from Python."""
    name = FILES[int(freedoms)]
    q, v, tau = state(name)
    robot = model(name)
    acceleration = robot.forward_dynamics(q, v, tau)
    return Trial(worst(acceleration, found_by_mujoco(name)), each(lambda: robot.forward_dynamics(q, v, tau)))


def pinocchio(freedoms: float) -> Trial:
    """aba, called from Python; rotors of the file are taken in."""
    import pinocchio as pin

    name = FILES[int(freedoms)]
    q, v, tau = state(name)
    peer = PinocchioFile(path(name), model(name))
    theirs, force = np.zeros(peer.peer.nv), np.zeros(peer.peer.nv)
    theirs[peer.at], force[peer.at] = v, tau
    place = peer.configuration(q)
    found = np.linalg.solve(peer.mass_matrix(q), tau - peer.bias(q, v))
    return Trial(worst(found, found_by_mujoco(name)), each(lambda: pin.aba(peer.peer, peer.data, place, theirs, force)))


def mujoco(freedoms: float) -> Trial:
    """Its stages from kinematics to the solution with the factors of the mass matrix, called from Python one by one."""
    import mujoco as mj

    name = FILES[int(freedoms)]
    q, v, _ = state(name)
    peer = MujocoFile(path(name), model(name))
    there, data = peer.peer, peer.data
    data.qpos[:], data.qvel[:] = peer.configuration(q), peer.turn(q) @ v
    make = getattr(mj, "mj_makeM", None) or mj.mj_crb
    bias, right = np.zeros(there.nv), np.zeros((1, there.nv))

    def forward() -> None:
        mj.mj_kinematics(there, data)
        mj.mj_comPos(there, data)
        make(there, data)
        mj.mj_factorM(there, data)
        mj.mj_comVel(there, data)
        mj.mj_rne(there, data, 0, bias)
        right[0] = -bias
        mj.mj_solveM(there, data, right, right)

    return Trial(0.0, each(forward))


PROBLEM = Problem(
    title="Robots from files: forward dynamics",
    family="Rigid robots",
    statement="Accelerations of six robots of Gymnasium's wheel (swimmer to humanoid) at a random state under random forces, each"
    " file read by each code's own reader; time of one call from Python.",
    source="Gymnasium's MuJoCo environments (Farama Foundation)",
    licence="The files come with Gymnasium's wheel (MIT) and are read where it is installed; none is copied.",
    reference="MuJoCo's mass matrix and bias of the same file, solved in NumPy: the error is the difference from it",
    measure="largest difference of accelerations, relative to the largest",
    curves=(
        Curve("locodyn", "articulated bodies", tuple(FILES), ours, "freedoms", quick=(6, 14)),
        Curve("Pinocchio", "aba", (14,), pinocchio, "freedoms", quick=()),
        Curve("MuJoCo", "stages", tuple(FILES), mujoco, "freedoms", quick=(6,)),
    ),
    against="size",
    notes="Pinocchio reads bodies with several joints as one joint of its own kind, so that its coordinates are matched for"
    " the ant only; benchmarks/rigid.py compares chains and a humanoid of the same description.",
)
