"""Exudyn's spatial slider-crank: a crank, a connecting rod on a ball and a universal joint, a slider."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial
from locodyn.robot import about_centre
from models.exudyn_mechanism import FAST
from models.exudyn_runs import path_of, settings_for
from models.one_freedom import TINY
from models.own import places, run_own, worst_distance

T_END, SAMPLES, SPEED = 5.0, 101, 6.0
CRANK, ROD, AT_Y, AT_Z = 0.08, 0.3, 0.1, 0.12  # m; the crank turns about x through (0, AT_Y, AT_Z)
MASSES = (0.12, 0.5, 2.0)  # kg: crank, about its axis; rod, about its middle; slider
TURN, ALONG, ACROSS = 1e-4, 4e-4, 4e-3  # kg m^2: crank about x; rod along its axis and across
START_X = math.sqrt(ROD**2 - AT_Y**2 - (AT_Z + CRANK) ** 2)  # of the slider, 0.2 m
X = np.array([1.0, 0.0, 0.0])


# --------------------------------------------------------------------------------------------------------- the reference
def slider(angle: complex) -> tuple[complex, complex]:
    """Place of the slider on x, and its slope to the crank angle."""
    y, z = AT_Y - CRANK * np.sin(angle), AT_Z + CRANK * np.cos(angle)
    x = np.sqrt(ROD**2 - y**2 - z**2)
    return x, CRANK * (y * np.cos(angle) + z * np.sin(angle)) / x


def mass_and_potential(angle: complex) -> tuple[complex, complex]:
    """Of Lagrange's equation m a'' + m' a'^2 / 2 + V' = 0 of the crank angle a.

    The rod has the direction e(a); its axis y of the universal joint stays normal to e and to x. With this, w . (y x X) = 0 for
    its angular velocity w = e x e' + s e, which gives the spin s.
    """
    x, slope = slider(angle)
    pin = np.array([0.0 * x, AT_Y - CRANK * np.sin(angle), AT_Z + CRANK * np.cos(angle)])
    rate = np.array([0.0 * x, -CRANK * np.cos(angle), -CRANK * np.sin(angle)])
    along, change = (x * X - pin) / ROD, (slope * X - rate) / ROD
    normal = np.cross(np.cross(along, X), X)
    turn = np.cross(along, change)
    turn = turn - (turn @ normal) / (along @ normal) * along
    middle, spin = 0.5 * (rate + slope * X), turn @ along
    mass = TURN + MASSES[1] * (middle @ middle) + ACROSS * (turn @ turn) + (ALONG - ACROSS) * spin**2 + MASSES[2] * slope**2
    return mass, MASSES[1] * 9.81 * 0.5 * pin[2]


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the slider, m."""

    def rates(t: float, y: np.ndarray) -> tuple[float, float]:
        mass, potential = mass_and_potential(y[0] + 1j * TINY)
        return y[1], float(-(0.5 * mass.imag * y[1] ** 2 + potential.imag) / TINY / mass.real)

    times = np.linspace(0.0, T_END, SAMPLES)
    angles = solve_ivp(rates, (0.0, T_END), (0.0, SPEED), "DOP853", times, rtol=1e-13, atol=1e-13).y[0]
    return np.outer([slider(a)[0].real for a in angles], X)


# ------------------------------------------------------------------------------------------------------------------ codes
@cache
def scenario() -> ld.Scenario:
    """The tree ends at the pin of the crank, where a ball joint closes the loop; x of the rod leads from there to the slider."""
    robot = ld.Robot("slider-crank")
    ground = robot.base("ground", moves="fixed")
    moments = about_centre(xx=TURN, yy=TURN, zz=TURN)
    robot.body("crank", mass=MASSES[0], inertia=moments).on(ground, at=(0.0, AT_Y, AT_Z)).turning("x", name="crank")
    robot.body("slider", mass=MASSES[2], inertia=moments).on(ground, at=(START_X, 0.0, 0.0)).sliding("x", name="slider")
    rod = robot.body("rod", mass=MASSES[1], centre=(-0.5 * ROD, 0.0, 0.0), inertia=about_centre(xx=ALONG, yy=ACROSS, zz=ACROSS))
    rod.on("slider").universal("x", "y", name="cross")
    robot.loop("ball", "crank", "rod", joint="spherical", first_at=(0.0, 0.0, CRANK), second_at=(-ROD, 0.0, 0.0))
    first, second = math.atan2(-AT_Y, AT_Z + CRANK), math.acos(START_X / ROD)
    start = ld.Start({"cross": (first, second)}, {"crank": SPEED}, keep=("crank",))
    return ld.Scenario("slider-crank", robot, start=start, t_end=T_END, dt=1e-3, checks=())


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    return Trial(worst_distance(places(scenario(), solution, "slider"), reference()), spent)


def exudyn(step: float) -> Trial:
    """Euler parameters, joints with 5, 5, 3 and 4 rows, generalized alpha."""
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.rigidBodyUtilities import RigidBodyInertia

    assert FAST
    model, (q, v) = scenario().model, scenario().initial_state()
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    moments = {"crank": (TURN,) * 3, "rod": (ALONG, ACROSS, ACROSS), "slider": (TURN,) * 3}
    poses, twists = model.kinematics(q, v)
    bodies = {}
    for name, mass in zip(moments, MASSES, strict=True):
        k = model.compiled.point(name)[0]
        axes, (turned, place) = poses[k, :9].reshape(3, 3), model.pose(name, q)
        speed, turn = axes @ twists[k, :3], axes @ twists[k, 3:6]
        if name == "rod":
            speed, place = speed - np.cross(turn, 0.5 * ROD * turned[:, 0]), place - 0.5 * ROD * turned[:, 0]
        bodies[name] = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag(moments[name])), referencePosition=list(place),
            referenceRotationMatrix=turned, initialVelocity=list(speed), initialAngularVelocity=list(turn),
            gravity=[0.0, 0.0, -9.81],
        )  # fmt: skip

    def marker(body: int, point: Any) -> int:
        return int(mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=list(point))))

    ground = mbs.AddObject(items.ObjectGround())
    middle, half = (0.0, 0.0, 0.0), 0.5 * ROD
    for ends, rows in (
        ((marker(ground, (0.0, AT_Y, AT_Z)), marker(bodies["crank"], middle)), [1, 1, 1, 0, 1, 1]),
        ((marker(ground, middle), marker(bodies["slider"], middle)), [0, 1, 1, 1, 1, 1]),
        ((marker(bodies["crank"], (0.0, 0.0, CRANK)), marker(bodies["rod"], (-half, 0.0, 0.0))), [1, 1, 1, 0, 0, 0]),
        ((marker(bodies["slider"], middle), marker(bodies["rod"], (half, 0.0, 0.0))), [1, 1, 1, 0, 0, 1]),
    ):
        mbs.AddObject(items.ObjectJointGeneric(markerNumbers=list(ends), constrainedAxes=rows))
    position = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(items.SensorBody(bodyNumber=bodies["slider"], storeInternal=True, outputVariableType=position))
    mbs.Assemble()
    settings = settings_for(T_END, SAMPLES, step)
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    path, spent = path_of(mbs, sensor, settings, SAMPLES)
    return Trial(worst_distance(path, reference()), spent)


PROBLEM = Problem(
    title="Exudyn: spatial slider-crank",
    family="Exudyn's test models",
    statement="A crank of 0.08 m turns about x at (0, 0.1, 0.12) m with 6 rad/s from the upright position. A rod of 0.3 m, 0.5 kg"
    " leads from a ball joint on it to a universal joint on a slider of 2 kg along x; gravity along -z, 5 s.",
    source="Haug 1989; spatial rigid slider-crank of the IFToMM library; Exudyn, test model sliderCrank3Dtest (Gerstmayr 2020)",
    licence="Lengths, masses and moments are cited facts; the reference is ours.",
    reference="Lagrange's equation of the crank angle in closed form, apart from the library, by DOP853 at 1e-13",
    measure="largest distance of the slider from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.01, 0.005, 0.0025, 0.001, 0.0005), ours, quick=(0.001,)),
        Curve("Exudyn", "Euler parameters, generalized alpha", (0.005, 0.002, 0.001, 0.0005), exudyn, quick=(0.002,)),
    ),
    notes="The shipped model starts with the axes of the universal joint 14 degrees off the right angle, and its method, of index"
    " 2, keeps them so; here they are at a right angle, as the joint asks.",
)
