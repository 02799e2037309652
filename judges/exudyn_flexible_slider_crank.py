"""Exudyn's flexible slider-crank: a slider-crank that drags a mass on a spring."""

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
from models.own import places, run_own, worst_distance

T_END, SAMPLES = 1.0, 101
CRANK, ROD, REST = 0.3, 0.6, 0.2  # m; length of the spring
MASSES = (0.36, 0.15, 0.1, 0.7)  # kg: crank, rod, slider, mass on the spring
STIFFNESS, TORQUE = 1000.0, 1.0  # N/m; N m
# Moments about the middles of crank and rod: next to nothing in that model.
TURN = tuple(mass * length**2 / 12.0 * 1e-10 for mass, length in zip(MASSES, (CRANK, ROD), strict=False))
START_X = math.sqrt(ROD**2 - CRANK**2)  # of the slider, crank upright


# --------------------------------------------------------------------------------------------------------- the reference
def slider(angle: float) -> tuple[float, float, float]:
    """x = A cos a + B cos b of the slider, B sin b = -A sin a, and its first and second slope to the crank angle a."""
    sin, cos = math.sin(angle), math.cos(angle)
    reach = math.sqrt(ROD**2 - (CRANK * sin) ** 2)  # B cos b
    first = -(CRANK**2) * sin * cos / reach
    second = -(CRANK**2) * (cos**2 - sin**2) / reach - first**2 / reach
    return CRANK * cos + reach, -CRANK * sin + first, -CRANK * cos + second


def rates(t: float, y: np.ndarray) -> tuple[float, ...]:
    """Lagrange's equations of crank angle a and place y of the outer mass: m a'' + m' a'^2 / 2 = M + F x'(a), m4 y'' = -F."""
    angle, place, rate, speed = y
    sin, cos = math.sin(angle), math.cos(angle)
    x, first, second = slider(angle)
    # The middle of the rod is that between pin and slider; its turning b' = -A cos a / (B cos b).
    middle = 0.5 * (first - CRANK * sin), 0.5 * CRANK * cos
    bend = 0.5 * (second - CRANK * cos), -0.5 * CRANK * sin
    reach = x - CRANK * cos
    turn = -CRANK * cos / reach
    turned = CRANK * sin / reach + CRANK * cos / reach**2 * (first + CRANK * sin)
    mass = TURN[0] + 0.25 * MASSES[0] * CRANK**2 + MASSES[1] * (middle[0] ** 2 + middle[1] ** 2) + TURN[1] * turn**2
    half = MASSES[1] * (middle[0] * bend[0] + middle[1] * bend[1]) + TURN[1] * turn * turned + MASSES[2] * first * second
    mass += MASSES[2] * first**2
    pull = STIFFNESS * (place - x - REST)
    return rate, speed, (TORQUE + pull * first - half * rate**2) / mass, -pull / MASSES[3]


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the outer mass, m."""
    start = (0.5 * math.pi, START_X + REST, 0.0, 0.0)
    found = solve_ivp(rates, (0.0, T_END), start, "DOP853", np.linspace(0.0, T_END, SAMPLES), rtol=1e-13, atol=1e-13)
    return np.outer(found.y[1], (1.0, 0.0, 0.0))


# ------------------------------------------------------------------------------------------------------------------ codes
@cache
def scenario() -> ld.Scenario:
    """The pin between rod and slider is cut; all stays in the plane, where it has two rows."""
    robot = ld.Robot("flexible slider-crank")
    ground = robot.base("ground", moves="fixed")
    parent: Any = ground
    for name, mass, length, turn, x in (("crank", MASSES[0], CRANK, TURN[0], 0.0), ("rod", MASSES[1], ROD, TURN[1], CRANK)):
        bar = robot.body(name, mass=mass, centre=(0.5 * length, 0.0, 0.0), inertia=about_centre(xx=turn, yy=turn, zz=turn))
        parent = bar.on(parent, at=(x, 0.0, 0.0)).turning("z", name=name)
    moments = about_centre(xx=1e-4, yy=1e-4, zz=1e-4)  # of what only slides: without effect
    robot.body("slider", mass=MASSES[2], inertia=moments).on(ground).sliding("x", name="slider")
    outer = robot.body("outer", mass=MASSES[3], inertia=moments).on("slider", at=(REST, 0.0, 0.0)).sliding("x", name="spring")
    outer.actuator(stiffness=STIFFNESS)
    robot.loop("pin", "rod", "slider", joint="pin", first_at=(ROD, 0.0, 0.0))
    start = {"crank": 0.5 * math.pi, "rod": -math.asin(CRANK / ROD) - 0.5 * math.pi, "slider": START_X}
    words: dict[str, Any] = {"gravity": (0.0, 0.0, 0.0), "torque": {"crank": TORQUE}, "start": start, "t_end": T_END, "dt": 1e-3}
    return ld.Scenario("flexible slider-crank", robot, checks=(), **words)


def ours(method: str, step: float) -> Trial:
    """Fixed steps."""
    solution, spent = run_own(scenario(), step, SAMPLES, method)
    return Trial(worst_distance(places(scenario(), solution, "outer"), reference()), spent)


def exudyn(step: float) -> Trial:
    """Planar bodies and points, pins of two rows, a spring between coordinates, generalized alpha."""
    import exudyn as exu
    from exudyn import itemInterface as items

    assert FAST
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    held = mbs.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0])), coordinate=0)
    )
    pins = [mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))]
    turned = 0
    for k, (x, y, angle, length) in enumerate(
        ((0.0, 0.5 * CRANK, 0.5 * math.pi, CRANK), (0.5 * START_X, 0.5 * CRANK, -math.asin(CRANK / ROD), ROD))
    ):
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, y, angle]))
        body = mbs.AddObject(items.ObjectRigidBody2D(physicsMass=MASSES[k], physicsInertia=TURN[k], nodeNumber=node))
        for side in (-0.5, 0.5):
            pins.append(mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[side * length, 0, 0])))
        turned = node if k == 0 else turned
    along = []
    for mass, x in ((MASSES[2], START_X), (MASSES[3], START_X + REST)):
        node = mbs.AddNode(items.NodePoint2D(referenceCoordinates=[x, 0.0]))
        body = mbs.AddObject(items.ObjectMassPoint2D(physicsMass=mass, nodeNumber=node))
        across = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[held, across]))
        along.append(mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=0)))
        if len(pins) < 6:
            pins.append(mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[0, 0, 0])))
    for k in (0, 2, 4):
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=pins[k : k + 2]))
    mbs.AddObject(items.ObjectConnectorCoordinateSpringDamper(markerNumbers=along, stiffness=STIFFNESS))
    angle = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=turned, coordinate=2))
    mbs.AddLoad(items.LoadCoordinate(markerNumber=angle, load=TORQUE))
    position = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(items.SensorBody(bodyNumber=body, storeInternal=True, outputVariableType=position))
    mbs.Assemble()
    settings = settings_for(T_END, SAMPLES, step)
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    path, spent = path_of(mbs, sensor, settings, SAMPLES)
    return Trial(worst_distance(path, reference()), spent)


PROBLEM = Problem(
    title="Exudyn: flexible slider-crank",
    family="Exudyn's test models",
    statement="A slider-crank in a plane, crank 0.3 m and rod 0.6 m, starts at rest with its crank upright and is driven by 1 N m"
    " for 1 s; its slider of 0.1 kg drags a mass of 0.7 kg on a spring of 1000 N/m. No gravity.",
    source="Arnold and Brüls 2007; Exudyn, example slidercrankWithMassSpring (Gerstmayr 2019)",
    licence="Lengths, masses, stiffness and torque are cited facts; the reference is ours.",
    reference="Lagrange's equations of crank angle and outer mass in closed form, apart from the library, by DOP853 at 1e-13",
    measure="largest distance of the outer mass from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.01, 0.005, 0.002, 0.001, 0.0005), lambda x: ours("rkmk4", x), quick=(0.002,)),
        Curve("locodyn", "adams", (0.005, 0.002, 0.001), lambda x: ours("adams", x), quick=()),
        Curve("Exudyn", "planar bodies, generalized alpha", (0.005, 0.002, 0.001, 0.0005), exudyn, quick=(0.002,)),
    ),
)
