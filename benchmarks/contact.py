"""Snakes on a plane, locodyn against MuJoCo in one run: python benchmarks/contact.py [--quick] [--stress].

Chains of 10, 20, 50 capsule links on a plane (20, 40, 100 contacts), yaw or yaw and pitch joints, implicit PD, lateral undulation
(Transeth 2007, tables 7.1-7.2). CPU time of a whole step, best of several runs. Here a step is converged (residual below 1e-6 of
the weight of a link times the step); MuJoCo runs with Newton, elliptic cones and implicitfast. Also: the creep of a resting snake
on half the friction angle in 10 s, the deepest penetration of the gait, and by how much friction leaves its cone, at most, in
parts of the weight of a link. --stress: steps that do not converge with mu = 1, and of free chains that are dropped.
"""

from __future__ import annotations

import argparse
import math
import time

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

import locodyn as ld
from locodyn.gaits.serpenoid import joint_waves
from locodyn.integrate import solve
from locodyn.zoo.snake_links import HALF_AXIS, LENGTH, MASS, RADIUS, chain

STEP, MU = 1e-3, 0.2
ACROSS, ALONG = 1.32e-3, 0.5 * MASS * RADIUS**2
AMPLITUDE, OMEGA, PHASE = math.radians(40.0), math.radians(80.0), math.radians(-50.0)
LINK = {"length": LENGTH, "half_axis": HALF_AXIS, "radius": RADIUS, "mass": MASS, "inertia": ACROSS}


def ours(n: int, pitch: bool, friction: ld.Friction, moving: bool, gravity: tuple[float, float, float]) -> ld.Scenario:
    """The scenario of this library; at rest the posture of the wave is held."""
    robot = chain({"n": n, **LINK}, "snake", "free", pitch, friction)
    waves = joint_waves(n - 1, AMPLITUDE, OMEGA, PHASE)
    if not moving:
        waves = [ld.constant(law(0.0)) for law in waves]
    laws = {f"joint_{k + 1}.0" if pitch else f"joint_{k + 1}": law for k, law in enumerate(waves)}
    laws |= {f"joint_{k + 1}.1": ld.constant(0.0) for k in range(n - 1) if pitch}
    start = {name: law(0.0) for name, law in laws.items()} | {"link_1": (0.0, 0.0, RADIUS, 0.0, 0.0, 0.0)}
    return ld.Scenario(
        "snake", robot, gravity=gravity, servo={name: ld.Servo(law, 800.0, 2.0) for name, law in laws.items()}, dt=STEP,
        obstacles=[ld.Ground()], start=ld.Start(start), integrator="moreau",
        contact=ld.HardContact(tolerance=1e-6, midpoint=False),
    )  # fmt: skip


def theirs(n: int, pitch: bool, gravity: tuple[float, float, float]) -> mujoco.MjModel:
    """The same snake in MuJoCo."""
    tip = "</body>" * n
    inertial = f'<inertial pos="0 0 0" mass="{MASS}" diaginertia="{ALONG} {ACROSS} {ACROSS}"/>'
    geom = f'<geom type="capsule" fromto="{-HALF_AXIS} 0 0 {HALF_AXIS} 0 0" size="{RADIUS}"/>'
    bodies = f'<body pos="0 0 {RADIUS}"><freejoint/>{inertial}{geom}'
    motors = ""
    for k in range(1, n):
        axes = [("y", "0 0 1"), ("p", "0 1 0")] if pitch else [("y", "0 0 1")]
        joints = "".join(f'<joint name="{a}{k}" type="hinge" axis="{axis}" pos="{-0.5 * LENGTH} 0 0"/>' for a, axis in axes)
        bodies += f'<body pos="{LENGTH} 0 0">{joints}{inertial}{geom}'
        motors += "".join(f'<position joint="{a}{k}" kp="800" kv="2"/>' for a, _ in axes)
    option = (
        f'timestep="{STEP}" integrator="implicitfast" cone="elliptic" solver="Newton" gravity="{" ".join(map(str, gravity))}"'
    )
    link = f'<default><geom friction="{MU} 0 0" condim="3" contype="1" conaffinity="2"/></default>'
    plane = f'<geom type="plane" size="50 50 1" contype="2" conaffinity="1" friction="{MU} 0 0"/>'
    world = f"<worldbody>{plane}{bodies}{tip}</worldbody><actuator>{motors}</actuator>"
    return mujoco.MjModel.from_xml_string(f"<mujoco><option {option}/>{link}{world}</mujoco>")


def run_ours(scenario: ld.Scenario, seconds: float, repeats: int) -> tuple[float, ld.integrate.Solution]:
    """us of a step, and the last solution."""
    problem, (q, v) = scenario.problem, scenario.initial_state()
    solve(problem, q, v, 0.0, 10 * STEP, step=STEP, method="moreau")
    best = math.inf
    for _ in range(repeats):
        began = time.process_time()
        solution = solve(problem, q, v, 0.0, seconds, step=STEP, method="moreau", record_every=round(seconds / STEP))
        best = min(best, (time.process_time() - began) / round(seconds / STEP) * 1e6)
    return best, solution


def run_theirs(model: mujoco.MjModel, pitch: bool, moving: bool, seconds: float, repeats: int) -> tuple[float, np.ndarray, float]:
    """us of a step, way of the mass centre (m), deepest penetration (m)."""
    best = math.inf
    stride = 2 if pitch else 1
    phases = PHASE * np.arange(model.nu // stride)
    for _ in range(repeats):
        data = mujoco.MjData(model)
        data.qpos[7::stride] = data.ctrl[::stride] = AMPLITUDE * np.sin(phases)
        mujoco.mj_forward(model, data)
        began, spent, deepest = data.subtree_com[1].copy(), 0.0, 0.0
        for k in range(round(seconds / STEP)):
            if moving:
                data.ctrl[::stride] = AMPLITUDE * np.sin(OMEGA * k * STEP + phases)
            clock = time.process_time_ns()
            mujoco.mj_step(model, data)
            spent += time.process_time_ns() - clock
            if data.ncon:
                deepest = max(deepest, -float(data.contact.dist.min()))
        best = min(best, spent / round(seconds / STEP) / 1e3)
    return best, data.subtree_com[1] - began, deepest


def cone_errors(scenario: ld.Scenario, model: mujoco.MjModel, pitch: bool) -> tuple[float, float]:
    """Largest |F_T| - mu F_N of a contact in 0.3 s of the gait over the weight of a link, here and there."""
    problem, (q, v) = scenario.problem, scenario.initial_state()
    forces = solve(problem, q, v, 0.0, 0.3, step=STEP, method="moreau").recorded["contact_force"]
    here = float((np.linalg.norm(forces[..., :2], axis=2) - MU * forces[..., 2]).max())
    data, there, stride, force = mujoco.MjData(model), 0.0, 2 if pitch else 1, np.zeros(6)
    phases = PHASE * np.arange(model.nu // stride)
    data.qpos[7::stride] = AMPLITUDE * np.sin(phases)
    for k in range(round(0.3 / STEP)):
        data.ctrl[::stride] = AMPLITUDE * np.sin(OMEGA * k * STEP + phases)
        mujoco.mj_step(model, data)
        for i in range(data.ncon):
            mujoco.mj_contactForce(model, data, i, force)
            there = max(there, float(np.linalg.norm(force[1:3]) - MU * force[0]))
    return here / (MASS * 9.81), there / (MASS * 9.81)


def stress(console: Console) -> None:
    """Steps that do not converge to 1e-6 where contacts are hard to solve."""
    down = (0.0, 0.0, -9.81)
    for n in (10, 20):
        for pitch in (False, True):
            solution = run_ours(ours(n, pitch, ld.Friction(1.0), True, down), 2.0, 1)[1]
            console.print(f"mu = 1, {n} links, {'yaw, pitch' if pitch else 'yaw'}: {unconverged(solution)} of 2000 steps")
    for step in (1e-3, 2.5e-4):
        robot = chain({"n": 10, **LINK}, "snake", "free", True, ld.Friction(0.2, 0.5))
        lowest = (9 * LENGTH + HALF_AXIS) * math.sin(0.2)  # the last link, below the first one
        start = ld.Start({"link_1": (0.0, 0.0, RADIUS + 0.1 + lowest, 0.1, 0.2, 0.0)})
        scenario = ld.Scenario("drop", robot, gravity=down, dt=step, obstacles=[ld.Ground()], start=start, integrator="moreau",
                               contact=ld.HardContact(tolerance=1e-6))  # fmt: skip
        problem, (q, v) = scenario.problem, scenario.initial_state()
        solution = solve(problem, q, v, 0.0, 1.0, step=step, method="moreau", record_every=round(0.1 / step))
        console.print(f"drop, free joints, {step:g} s: {unconverged(solution)} of {round(1.0 / step)} steps")


def unconverged(solution: ld.integrate.Solution) -> str:
    """Number of steps, and the worst of them."""
    about = solution.attributes
    return f"{about['contact_unconverged_steps']} (worst {about['contact_worst_residual']:.0e})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10 links only, short runs")
    parser.add_argument("--stress", action="store_true", help="only count steps that do not converge")
    words = parser.parse_args()
    quick = words.quick
    console, table = Console(width=170), Table(title="one step, us (gait, 1 ms)")
    if words.stress:
        return stress(console)
    for head in (
        "links",
        "joints",
        "here",
        "its",
        "not converged",
        "here (0.2, 0.5)",
        "MuJoCo",
        "times faster",
        "depth here",
        "depth MuJoCo",
        "cone here",
        "cone MuJoCo",
    ):
        table.add_column(head, justify="right")
    down = (0.0, 0.0, -9.81)
    for n in (10,) if quick else (10, 20, 50):
        for pitch in (False, True):
            seconds, repeats = (0.3, 1) if quick else (1.0, 3)
            us, solution = run_ours(ours(n, pitch, ld.Friction(MU), True, down), seconds, repeats)
            us_ortho, _ = run_ours(ours(n, pitch, ld.Friction(0.2, 0.5), True, down), seconds, repeats)
            peer, _, depth = run_theirs(theirs(n, pitch, down), pitch, True, seconds, repeats)
            about = solution.attributes
            cones = cone_errors(ours(n, pitch, ld.Friction(MU), True, down), theirs(n, pitch, down), pitch)
            table.add_row(
                str(n), "yaw, pitch" if pitch else "yaw", f"{us:.1f}", f"{solution.iterations.sum() / (seconds / STEP):.1f}",
                str(about["contact_unconverged_steps"]), f"{us_ortho:.1f}", f"{peer:.1f}", f"{peer / us:.1f}",
                f"{about['contact_deepest_penetration']:.1e}", f"{depth:.1e}", f"{cones[0]:.0e}", f"{cones[1]:.0e}",
            )  # fmt: skip
    console.print(table)
    slope = 0.5 * math.atan(MU)
    gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    for n in (10,) if quick else (10, 20, 50):
        for pitch in (False, True):
            scenario = ours(n, pitch, ld.Friction(MU), False, gravity)
            _, solution = run_ours(scenario, 1.0 if quick else 10.0, 1)
            _, way, _ = run_theirs(theirs(n, pitch, gravity), pitch, False, 1.0 if quick else 10.0, 1)
            creep = np.linalg.norm(solution.q[-1, :2] - solution.q[0, :2])
            joints = f"{n} links, {'yaw, pitch' if pitch else 'yaw'}"
            console.print(f"creep at half the friction angle, {joints}: here {creep:.1e} m, MuJoCo {np.linalg.norm(way):.1e} m")


if __name__ == "__main__":
    main()
