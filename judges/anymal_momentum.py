"""SimBenchmark, ANYmal momentum: a ball hits a quadruped that floats."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial, timed
from models import quadruped
from models.simbench import run_hard, unconverged

T_END, SAMPLES, MASS, SPEED = 2.0, 41, 10.0, 5.0
AT = (1.5, 0.02, 0.03)  # m: it comes along -x, a little beside the middle


@cache
def scenario() -> ld.Scenario:
    """No gravity, no drives; ball against trunk."""
    ball = ld.Robot("ball")
    ball.base("ball", mass=MASS, shape=ld.Sphere(0.1)).collides(friction=0.5)
    both = ld.Robot.together("hit", {"dog": quadruped.robot(False, trunk_touches=True), "ball": ball})
    joints = {f"dog.{name}": angle for name, angle in quadruped.stance().items()}
    places = {"ball.ball": (*AT, 0.0, 0.0, 0.0), **joints}
    start = ld.Start(places, {"ball.ball": (-SPEED, 0.0, 0.0, 0.0, 0.0, 0.0)})
    return ld.Scenario("hit", both, gravity=(0.0, 0.0, 0.0), self_collision=True, start=start, t_end=T_END, integrator="moreau")


def error(momentum: np.ndarray) -> float:
    """Mean of squares of the distance (times, 3) from 50 N s along -x, (N s)^2."""
    return float(np.mean(np.sum((momentum - (-MASS * SPEED, 0.0, 0.0)) ** 2, axis=1)))


def ours(step: float) -> Trial:
    """Moreau's time stepping; linear momentum is the sum of the bodies'."""
    solution, spent = run_hard(scenario(), step, round(T_END / (SAMPLES - 1) / step))
    model = scenario().model
    found = []
    for q, v in zip(solution.q, solution.v, strict=True):
        total = np.zeros(3)
        for body in model.compiled.description.bodies:
            if body.inertia.mass > 0.0:
                twist = model.twist(body.name, q, v)
                rate = twist[:3] + np.cross(twist[3:], body.inertia.centre)
                total += body.inertia.mass * (model.pose(body.name, q)[0] @ rate)
        found.append(total)
    return Trial(error(np.array(found)), spent, unconverged(solution))


def mujoco(method: str, step: float) -> Trial:
    """The same robot and ball."""
    import mujoco as mj

    spec = mj.MjSpec.from_string(quadruped.mjcf(False))
    spec.option.timestep, spec.option.gravity = step, (0.0, 0.0, 0.0)
    spec.option.integrator, spec.option.cone = getattr(mj.mjtIntegrator, f"mjINT_{method}"), mj.mjtCone.mjCONE_ELLIPTIC
    for geom in spec.geoms:
        trunk = geom.parent.name == "trunk"
        geom.contype, geom.conaffinity = (1, 1) if trunk else (0, 0)
        geom.friction = (0.5, 0.0, 0.0)
    body = spec.worldbody.add_body(name="the_ball", pos=AT)
    body.add_freejoint()
    body.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, size=(0.1, 0, 0), mass=MASS, friction=(0.5, 0.0, 0.0))
    model = spec.compile()
    data = mj.MjData(model)
    for name, angle in quadruped.stance().items():
        data.qpos[int(model.joint(name).qposadr[0])] = angle
    data.qvel[int(model.body("the_ball").dofadr[0])] = -SPEED
    found, total = [], 0.0
    for k in range(SAMPLES):
        if k:
            _, spent = timed(lambda: mj.mj_step(model, data, round(T_END / (SAMPLES - 1) / step)))
            total += spent
        mj.mj_forward(model, data)
        mj.mj_subtreeVel(model, data)
        found.append(data.subtree_linvel[0] * model.body_subtreemass[0])
    moved = float(np.abs(data.qvel[:3]).max())
    return Trial(error(np.array(found)), total, {"trunk moves at (m/s)": moved})


PROBLEM = Problem(
    title="SimBenchmark: ANYmal momentum",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="A ball of 10 kg at 5 m/s hits the trunk of a quadruped with 12 hinges that floats without gravity; 2 s.",
    source="Kang and Hwangbo 2018, SimBenchmark; stored there: ODE 5e-26, MuJoCo RK4 5e-13, RaiSim 4.7e-5 (N s)^2",
    licence="Ball and stored results are cited facts; masses and lengths are rounded ones of ANYmal's size, chosen here.",
    reference="the momentum of all is 50 N s along the way of the ball: closed form",
    measure="mean over 41 records of the squared change of the momentum ((N s)^2)",
    curves=(
        Curve("locodyn", "moreau", (0.05, 0.025, 0.01, 0.005, 0.001), ours, quick=(0.01,)),
        Curve("MuJoCo", "RK4", (0.01, 0.005, 0.001), lambda step: mujoco("RK4", step)),
        Curve("MuJoCo", "implicitfast", (0.01, 0.005, 0.001), lambda step: mujoco("IMPLICITFAST", step), quick=()),
    ),
    notes="Momentum is exact here at any step, but a step costs three to ten times MuJoCo's: where coarse is enough,"
    " MuJoCo is quicker.",
    targets=(Target("momentum to 1e-8 (N s)^2 at 1 ms", 1e-8, "moreau", 0.001),),
)
