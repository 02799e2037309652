"""Exudyn's heavy top: a fast top on a fixed point."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial
from models.exudyn_mechanism import FAST
from models.exudyn_runs import path_of, settings_for
from models.own import places, run_own, worst_distance

T_END, SAMPLES = 0.2, 21
MASS, MOMENTS, SPIN = 15.0, np.array([0.234375, 0.46875, 0.234375]), np.array([0.0, 150.0, -4.61538])
ABOUT_PIVOT = MOMENTS + MASS * np.array([1.0, 0.0, 1.0])  # the mass centre is at (0, 1, 0)


@cache
def scenario() -> ld.Scenario:
    """That of the zoo, in which the axis of the top is z."""
    return ld.zoo.heavy_top().changed(t_end=T_END, checks=())


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the mass centre: Euler's equations with quaternions, by DOP853 at 1e-13."""

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w, x, yy, z = y[:4] / np.linalg.norm(y[:4])
        turn = y[4:]
        down = np.array([2 * (x * z - w * yy), 2 * (yy * z + w * x), 1 - 2 * (x * x + yy * yy)])  # R^T e_z
        torque = np.cross([0.0, 1.0, 0.0], -MASS * 9.81 * down)
        change = (torque - np.cross(turn, ABOUT_PIVOT * turn)) / ABOUT_PIVOT
        left = np.array([[-x, -yy, -z], [w, -z, yy], [z, w, -x], [-yy, x, w]])
        return np.concatenate([0.5 * left @ turn, change])

    times = np.linspace(0.0, T_END, SAMPLES)
    start = np.concatenate([[1.0, 0.0, 0.0, 0.0], SPIN])
    found = solve_ivp(rates, (0.0, T_END), start, "DOP853", times, rtol=1e-13, atol=1e-13).y[:4]
    w, x, y, z = found / np.linalg.norm(found, axis=0)
    return np.column_stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])  # R e_y


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    return Trial(worst_distance(places(scenario(), solution, "top", (0.0, 0.0, 1.0)), reference()), spent)


def exudyn(step: float) -> Trial:
    """Euler parameters, three constraints at the pivot, the implicit method of the model (index 2, Newmark)."""
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.rigidBodyUtilities import AngularVelocity2EulerParameters_t

    assert FAST
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    unit = [1.0, 0.0, 0.0, 0.0]
    rate = list(np.ravel(AngularVelocity2EulerParameters_t(list(SPIN), unit)))
    node = mbs.AddNode(
        items.NodeRigidBodyEP(referenceCoordinates=[0.0, 0.0, 0.0, *unit], initialVelocities=[0.0, 0.0, 0.0, *rate])
    )
    body = mbs.AddObject(items.ObjectRigidBody(physicsMass=MASS, physicsInertia=[*ABOUT_PIVOT, 0.0, 0.0, 0.0], nodeNumber=node))
    centre = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[0.0, 1.0, 0.0]))
    mbs.AddLoad(items.LoadForceVector(markerNumber=centre, loadVector=[0.0, 0.0, -MASS * 9.81]))
    point = mbs.AddNode(items.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
    ground = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=point, coordinate=0))
    for c in range(3):
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=c))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, marker]))
    position = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(
        items.SensorBody(bodyNumber=body, localPosition=[0.0, 1.0, 0.0], storeInternal=True, outputVariableType=position)
    )
    mbs.Assemble()
    settings = settings_for(T_END, SAMPLES, step)
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
    settings.timeIntegration.generalizedAlpha.useNewmark = True
    path, spent = path_of(mbs, sensor, settings, SAMPLES)
    return Trial(worst_distance(path, reference()), spent)


PROBLEM = Problem(
    title="Exudyn: heavy top",
    family="Exudyn's test models",
    statement="A top of 15 kg, its mass centre 1 m from the fixed point, starts lying with 150 rad/s about its axis; 0.2 s.",
    source="Exudyn, test model heavyTop (Gerstmayr 2020); Terze, Mueller and Zlatar 2016; Bruls, Cardona and Arnold 2012",
    licence="Masses, moments and start are cited facts; the reference is ours.",
    reference="Euler's equations with quaternions, integrated apart from the library by DOP853 at 1e-13",
    measure="largest distance of the mass centre from the reference at 21 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (1e-3, 5e-4, 2e-4, 1e-4, 5e-5), ours, quick=(1e-4,)),
        Curve("Exudyn", "Euler parameters, index 2, Newmark", (5e-4, 2e-4, 1e-4, 5e-5), exudyn, quick=(1e-4,)),
    ),
)
