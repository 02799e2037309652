"""SimBenchmark, ANYmal PD: a quadruped stands on servos."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial, timed
from models import quadruped
from models.simbench import run_hard, unconverged

T_END, SETTLED = 15.0, 10.0


@cache
def scenario() -> ld.Scenario:
    """On its feet, servos of 40 N m/rad and 1 N m s/rad at the angles of the start."""
    servos = {name: ld.Servo(angle, 40.0, 1.0) for name, angle in quadruped.stance().items()}
    start = ld.Start({"trunk": (0.0, 0.0, quadruped.height(), 0.0, 0.0, 0.0), **quadruped.stance()})
    return ld.Scenario("ANYmal PD", quadruped.robot(), gravity=(0, 0, -9.81), obstacles=[ld.Ground()], servo=servos, start=start,
                       t_end=T_END, integrator="moreau")  # fmt: skip


def drift(places: np.ndarray) -> float:
    """Largest way (m) of a foot along the ground from 10 s on, of (times, feet, 2)."""
    return float(np.linalg.norm(places - places[0], axis=2).max())


def ours(step: float) -> Trial:
    """Moreau's time stepping; CPU time of all steps, and of one."""
    every = round(0.5 / step)
    solution, spent = run_hard(scenario(), step, every)
    feet = []
    for t, q in zip(solution.times, solution.q, strict=True):
        if t >= SETTLED - 1e-9:
            found = []
            for leg in quadruped.HIPS:
                rotation, place = scenario().model.pose(f"{leg}_shank", q)
                found.append((place + rotation @ (0.0, 0.0, -quadruped.SHANK))[:2])
            feet.append(found)
    height = float(scenario().model.pose("trunk", solution.q[-1])[1][2])
    more = {"us a step": 1e6 * spent * step / T_END, "trunk at (m)": height, **unconverged(solution)}
    return Trial(drift(np.array(feet)), spent, more)


def mujoco(ratio: float, step: float) -> Trial:
    """The same robot, elliptic cones, Newton, implicitfast; servos as springs and dampers of the joints. ``ratio``: impratio."""
    import mujoco as mj

    spec = mj.MjSpec.from_string(quadruped.mjcf(True))
    spec.option.timestep, spec.option.cone, spec.option.integrator = (
        step,
        mj.mjtCone.mjCONE_ELLIPTIC,
        mj.mjtIntegrator.mjINT_IMPLICITFAST,
    )
    spec.option.gravity, spec.option.impratio = (0.0, 0.0, -9.81), ratio
    spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=(10, 10, 1), friction=(0.8, 0.005, 0.0001))
    for leg in quadruped.HIPS:  # our writer keeps shapes, but not what touches
        at, ball = (0.0, 0.0, -quadruped.SHANK), mj.mjtGeom.mjGEOM_SPHERE
        spec.body(f"{leg}_shank").add_geom(
            type=ball, pos=at, size=(quadruped.FOOT, 0, 0), mass=0.0, friction=(0.8, 0.005, 0.0001)
        )
    model = spec.compile()
    data = mj.MjData(model)
    angles = quadruped.stance()
    at = {name: int(model.joint(name).qposadr[0]) for name in angles}
    dof = {name: int(model.joint(name).dofadr[0]) for name in angles}
    for number in dof.values():
        model.dof_damping[number] = 1.0
        model.jnt_stiffness[model.dof_jntid[number]] = 40.0
    data.qpos[2] = quadruped.height()
    for name, angle in angles.items():
        data.qpos[at[name]] = angle
        model.qpos_spring[at[name]] = angle
    every = round(0.5 / step)
    feet, total = [], 0.0
    ends = [int(model.body(f"{leg}_shank").id) for leg in quadruped.HIPS]
    for k in range(round(T_END / 0.5)):
        _, spent = timed(lambda: mj.mj_step(model, data, every))
        total += spent
        if (k + 1) * 0.5 >= SETTLED - 1e-9:
            mj.mj_kinematics(model, data)
            feet.append([(data.xpos[b] + data.xmat[b].reshape(3, 3) @ (0.0, 0.0, -quadruped.SHANK))[:2] for b in ends])
    return Trial(drift(np.array(feet)), total, {"us a step": 1e6 * total * step / T_END, "trunk at (m)": float(data.qpos[2])})


PROBLEM = Problem(
    title="SimBenchmark: ANYmal PD",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="A quadruped with 12 hinges and 30 kg stands for 15 s on four round feet (mu 0.8), held by servos of 40 N m/rad and"
    " 1 N m s/rad. It sags as it comes to rest; then nothing should move.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored there: RaiSim 8.2 us a step on an i7-7700HQ",
    licence="Gains and stored results are cited facts; masses and lengths are rounded ones of ANYmal's size, chosen here.",
    reference="feet that stick do not move: closed form",
    measure="largest way of a foot along the ground from 10 s to 15 s (m)",
    curves=(
        Curve("locodyn", "moreau", (0.005, 0.002, 0.001), ours, quick=(0.005,)),
        Curve("MuJoCo", "implicitfast", (0.005, 0.002, 0.001), lambda step: mujoco(1.0, step)),
        Curve("MuJoCo", "implicitfast, impratio 100", (0.005, 0.002, 0.001), lambda step: mujoco(100.0, step), quick=()),
    ),
    targets=(
        Target("exact stick at 5 ms", 1e-9, "moreau", 0.005),
        Target("6 us a step at 5 ms", 6.0, "moreau", 0.005, "us a step"),
    ),
)
