"""IFToMM A01: the simple pendulum."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial
from models.exudyn_mechanism import ExudynMechanism
from models.mujoco_runs import mujoco_run
from models.own import places, run_own, worst_distance

SAMPLES, T_END = 101, 10.0
MUJOCO = """<mujoco><compiler boundinertia="0" boundmass="0"/><option gravity="0 0 -9.81" timestep="{step}" integrator="RK4"/>
<worldbody><body><joint type="hinge" axis="0 1 0"/><inertial pos="-1 0 0" mass="1" diaginertia="1e-12 1e-12 1e-12"/>
</body></worldbody></mujoco>"""


@cache
def scenario() -> ld.Scenario:
    """The bar lies along -x and turns about y; gravity along -z (the y of the statement is our z)."""
    robot = ld.Robot("A01")
    ground = robot.base("ground", moves="fixed")
    mass = robot.body("mass", mass=1.0, centre=(-1.0, 0.0, 0.0), inertia=ld.about_centre(xx=0.0, yy=0.0, zz=0.0))
    mass.on(ground).turning("y", name="hinge")
    return ld.Scenario("A01", robot, gravity=(0.0, 0.0, -9.81), t_end=T_END)


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the mass: theta'' = -g cos(theta) from pi, with (x, z) = (cos, sin), by DOP853 at 1e-13."""
    times = np.linspace(0.0, T_END, SAMPLES)
    found = solve_ivp(
        lambda t, y: (y[1], -9.81 * np.cos(y[0])), (0, T_END), (np.pi, 0.0), "DOP853", times, rtol=1e-13, atol=1e-13
    )
    return np.column_stack([np.cos(found.y[0]), np.zeros(SAMPLES), np.sin(found.y[0])])


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    energy = 0.5 * solution.v[:, 0] ** 2 + 9.81 * places(scenario(), solution, "mass", (-1, 0, 0))[:, 2]
    error = worst_distance(places(scenario(), solution, "mass", (-1, 0, 0)), reference())
    return Trial(error, spent, {"energy": float(np.abs(energy).max())})


def exudyn(step: float) -> Trial:
    """In the plane, one body with three coordinates and a hinge."""
    mechanism = ExudynMechanism(scenario(), plane=(0, 2))
    mechanism.watch("mass", "mass", (-1, 0, 0))
    found, spent = mechanism.run(round(T_END / step), SAMPLES)
    return Trial(worst_distance(found["mass"][:, :2], reference()[:, [0, 2]]), spent)


def mujoco(step: float) -> Trial:
    """One hinge."""
    found, spent = mujoco_run(MUJOCO.format(step=step), SAMPLES, T_END, lambda model, data: data.qpos.copy())
    path = np.column_stack([-np.cos(found[:, 0]), np.zeros(SAMPLES), np.sin(found[:, 0])])
    return Trial(worst_distance(path, reference()), spent)


PROBLEM = Problem(
    title="A01 simple pendulum",
    family="Multibody benchmark library (IFToMM)",
    statement="A point mass of 1 kg on a massless bar of 1 m starts horizontal at rest and swings for 10 s under 9.81 m/s^2.",
    source="IFToMM library of computational benchmark problems, A01",
    licence="Masses and lengths are facts of the statement; the reference is ours.",
    reference="theta'' = -g cos(theta), integrated apart from the library by DOP853 at 1e-13",
    measure="largest distance of the mass from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.05, 0.02, 0.01, 0.005, 0.002, 0.001), ours, quick=(0.01,)),
        Curve("Exudyn", "planar body, generalized alpha", (0.01, 0.005, 0.002, 0.001, 0.0005), exudyn),
        Curve("MuJoCo", "hinge, RK4", (0.01, 0.005, 0.002, 0.001), mujoco),
    ),
    targets=(Target("a tenth of the 0.64 s of OpenSim 3.2 (on another machine)", 0.064, "rkmk4", 0.01, "cpu"),),
)
