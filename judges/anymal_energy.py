"""SimBenchmark, ANYmal energy: a quadruped floats with its joints moving."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial, timed
from models import quadruped
from models.own import run_own

T_END, SAMPLES = 10.0, 101


def rates() -> dict[str, float]:
    """Joint rates at the start, rad/s: every joint differs."""
    return {name: 0.3 * (1 + k % 4) * (-1) ** k for k, name in enumerate(quadruped.stance())}


@cache
def scenario() -> ld.Scenario:
    """No gravity, no drives."""
    start = ld.Start({"trunk": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), **quadruped.stance()}, dict(rates()))
    return ld.Scenario("ANYmal energy", quadruped.robot(False), gravity=(0.0, 0.0, 0.0), start=start, t_end=T_END)


def error(energy: np.ndarray) -> float:
    """Mean of squares of its change, J^2."""
    return float(np.mean((energy - energy[0]) ** 2))


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    model = scenario().model
    return Trial(error(np.array([model.kinetic_energy(q, v) for q, v in zip(solution.q, solution.v, strict=True)])), spent)


def mujoco(method: str, step: float) -> Trial:
    """The same robot; its energy by its own account."""
    import mujoco as mj

    spec = mj.MjSpec.from_string(quadruped.mjcf(False))
    spec.option.timestep, spec.option.gravity = step, (0.0, 0.0, 0.0)
    spec.option.integrator = getattr(mj.mjtIntegrator, f"mjINT_{method}")
    spec.option.enableflags |= int(mj.mjtEnableBit.mjENBL_ENERGY)
    spec.option.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT)
    model = spec.compile()
    data = mj.MjData(model)
    data.qpos[2] = 1.0
    for name, angle in quadruped.stance().items():
        data.qpos[int(model.joint(name).qposadr[0])] = angle
        data.qvel[int(model.joint(name).dofadr[0])] = rates()[name]
    mj.mj_forward(model, data)
    energies, total = [float(data.energy[1])], 0.0
    for _ in range(SAMPLES - 1):
        _, spent = timed(lambda: mj.mj_step(model, data, round(T_END / (SAMPLES - 1) / step)))
        total += spent
        mj.mj_forward(model, data)
        energies.append(float(data.energy[1]))
    return Trial(error(np.array(energies)), total)


PROBLEM = Problem(
    title="SimBenchmark: ANYmal energy",
    family="SimBenchmark (Kang and Hwangbo 2018)",
    statement="A quadruped with 12 hinges and 30 kg floats without gravity for 10 s, its joints moving freely from given rates.",
    source="Kang and Hwangbo 2018, SimBenchmark; best stored result there: RaiSim 0.012 J^2",
    licence="Stored results are cited facts; masses and lengths are rounded ones of ANYmal's size, rates chosen here.",
    reference="kinetic energy is constant: closed form",
    measure="mean over 101 records of the squared change of the energy (J^2)",
    curves=(
        Curve("locodyn", "rkmk4", (0.02, 0.01, 0.005, 0.002, 0.001), ours, quick=(0.01,)),
        Curve("MuJoCo", "RK4", (0.01, 0.005, 0.002, 0.001), lambda step: mujoco("RK4", step)),
        Curve("MuJoCo", "implicitfast", (0.01, 0.005, 0.002, 0.001), lambda step: mujoco("IMPLICITFAST", step), quick=()),
    ),
    targets=(Target("energy to 1e-18 J^2 at 1 ms", 1e-18, "rkmk4", 0.001),),
)
