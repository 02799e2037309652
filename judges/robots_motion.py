"""A second of motion of a robot that comes in a file: Gymnasium's humanoid thrown into the air, beside MuJoCo."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial, timed
from models.file_peers import MujocoFile
from models.own import run_own
from rigid_robots import path

NAME, T_END, SAMPLES = "humanoid", 1.0, 11
ROUND_OFF = 1e-13


@cache
def scenario() -> ld.Scenario:
    """Springs, damping and rotors are those of the file; nothing is touched and no joint reaches its stop."""
    robot = ld.load_robot(path(NAME), collides=False).robot
    joints = robot.compile().joint_names[1:]
    rates = {name: 0.5 * (1 + k % 3) * (-1) ** k for k, name in enumerate(joints)}
    return ld.Scenario("a second of a humanoid", robot, start=ld.Start({}, rates), t_end=T_END, checks=())


@cache
def peer() -> MujocoFile:
    """The file in MuJoCo, without contacts and stops."""
    return MujocoFile(path(NAME), scenario().model)


@cache
def reference() -> dict[str, np.ndarray]:
    """Positions (3,) of the bodies at the end, m: MuJoCo's accelerations, integrated by SciPy."""
    import mujoco as mj

    there, data = peer().peer, peer().data
    joints = [tuple(map(int, joint)) for joint in zip(there.jnt_type, there.jnt_qposadr, there.jnt_dofadr, strict=True)]
    free = int(mj.mjtJoint.mjJNT_FREE)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        data.qpos[:], data.qvel[:] = y[: there.nq], y[there.nq :]
        mj.mj_forward(there, data)
        change = np.zeros(there.nq)
        for kind, q, v in joints:  # a joint that is free, or on one axis
            if kind == free:
                change[q : q + 3] = data.qvel[v : v + 3]
                mj.mju_mulQuat(change[q + 3 : q + 7], y[q + 3 : q + 7], np.append(0.0, 0.5 * data.qvel[v + 3 : v + 6]))
            else:
                change[q] = data.qvel[v]
        return np.concatenate([change, data.qacc])

    q, v = scenario().initial_state()
    start = np.concatenate([peer().configuration(q), peer().turn(q) @ v])
    data.qpos[:] = solve_ivp(rates, (0.0, T_END), start, "DOP853", rtol=ROUND_OFF, atol=ROUND_OFF).y[: there.nq, -1]
    mj.mj_kinematics(there, data)
    return {there.body(i).name: data.xpos[i].copy() for i in range(1, there.nbody)}


def worst_place(found: dict[str, np.ndarray]) -> float:
    """Largest distance of a body from where it should be, m."""
    return max(float(np.linalg.norm(found[name] - wanted)) for name, wanted in reference().items())


def ours(method: str, step: float) -> Trial:
    """A method of ours."""
    solution, spent = run_own(scenario(), step, SAMPLES, method)
    model, q = scenario().model, solution.q[-1]
    return Trial(worst_place({name: model.pose(name, q)[1] for name in reference()}), spent)


def mujoco(step: float) -> Trial:
    """Its Runge-Kutta method; contacts and stops are off."""
    import mujoco as mj

    there, data = peer().peer, peer().data
    q, v = scenario().initial_state()
    there.opt.integrator, there.opt.timestep = mj.mjtIntegrator.mjINT_RK4, step
    data.qpos[:], data.qvel[:] = peer().configuration(q), peer().turn(q) @ v
    _, spent = timed(lambda: mj.mj_step(there, data, round(T_END / step)))
    mj.mj_kinematics(there, data)
    return Trial(worst_place({there.body(i).name: data.xpos[i].copy() for i in range(1, there.nbody)}), spent)


STEPS = (0.01, 0.005, 0.002, 0.001)
PROBLEM = Problem(
    title="Robots from files: a second of a humanoid",
    family="Rigid robots",
    statement="Gymnasium's humanoid (23 freedoms) falls freely for 1 s. Its joints start with 0.5, 1 and 1.5 rad/s to either side"
    " in turn; their springs, damping and rotors are those of the file. Contacts, stops and motors are off.",
    source="Gymnasium's MuJoCo environments (Farama Foundation)",
    licence="The file comes with Gymnasium's wheel (MIT) and is read where it is installed; it is not copied.",
    reference="MuJoCo's accelerations, integrated by SciPy's DOP853 at 1e-13",
    measure="largest distance of a body from the reference at the end (m)",
    curves=(
        Curve("locodyn", "rkmk4", STEPS, partial(ours, "rkmk4"), quick=(0.002,)),
        Curve("locodyn", "adams", STEPS[1:], partial(ours, "adams"), quick=(0.002,)),
        Curve("MuJoCo", "RK4", STEPS, mujoco, quick=(0.002,)),
    ),
    notes="Both read the same file with their own reader.",
)
