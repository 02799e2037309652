"""Exudyn's rolling coin: a coin that spins on its rim."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial, timed
from models.exudyn_mechanism import FAST
from models.own import run_own

T_END, RADIUS, TILT, SPIN = 0.5, 0.01, np.radians(1.0), 10.0 * np.pi
MOMENTS = np.array([0.5, 0.25, 0.25]) * RADIUS**2  # of 1 kg, axis x
CONTACT = 2.004947e-3  # m


@cache
def scenario() -> ld.Scenario:
    """Its axis is x, leant by one degree; it turns about the vertical through its contact point."""
    robot = ld.Robot("coin")
    xx, yy, zz = MOMENTS.tolist()
    coin = robot.base("coin", mass=1.0, inertia=ld.about_centre(xx=xx, yy=yy, zz=zz))
    coin.rolling("rim", radius=RADIUS, axis="x")
    place = (RADIUS * np.sin(TILT), 0.0, RADIUS * np.cos(TILT), 0.0, TILT, 0.0)
    rates = (0.0, SPIN * RADIUS * np.sin(TILT), 0.0, -SPIN * np.sin(TILT), 0.0, SPIN * np.cos(TILT))  # body axes
    return ld.Scenario("coin", robot, gravity=(0, 0, -9.81), start=ld.Start({"coin": place}, {"coin": rates}), t_end=T_END)


def contact_of(rotation: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The lowest point of the rim, m."""
    axis = rotation[:, 0]
    up = np.array([0.0, 0.0, 1.0]) - axis[2] * axis
    return np.asarray(place - RADIUS * up / np.linalg.norm(up))


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, 2, "rkmk4")
    return Trial(abs(float(contact_of(*scenario().model.pose("coin", solution.q[-1]))[0]) - CONTACT), spent)


def exudyn(step: float) -> Trial:
    """Its joint for rolling discs, with the settings of the model."""
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.rigidBodyUtilities import AngularVelocity2EulerParameters_t, RotationMatrix2EulerParameters

    assert FAST
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    unit = list(RotationMatrix2EulerParameters(ld.rotation_about("y", TILT)))
    rate = list(np.ravel(AngularVelocity2EulerParameters_t([0.0, 0.0, SPIN], unit)))
    node = mbs.AddNode(
        items.NodeRigidBodyEP(
            referenceCoordinates=[RADIUS * np.sin(TILT), 0.0, RADIUS * np.cos(TILT), *unit],
            initialVelocities=[0.0, SPIN * RADIUS * np.sin(TILT), 0.0, *rate],
        )
    )
    body = mbs.AddObject(items.ObjectRigidBody(physicsMass=1.0, physicsInertia=[*MOMENTS, 0.0, 0.0, 0.0], nodeNumber=node))
    mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0.0, 0.0, -9.81]))
    ground = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(items.ObjectGround())))
    coin = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body))
    joint = items.ObjectJointRollingDisc(markerNumbers=[ground, coin], constrainedAxes=[1, 1, 1], discRadius=RADIUS)
    rolling = mbs.AddObject(joint)
    mbs.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.numberOfSteps = round(T_END / step)
    settings.timeIntegration.endTime = T_END
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
    settings.timeIntegration.generalizedAlpha.useNewmark = True
    settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    _, spent = timed(lambda: mbs.SolveDynamic(settings))
    found = mbs.GetObjectOutput(rolling, exu.OutputVariableType.Position)
    return Trial(abs(float(found[0]) - CONTACT), spent)


PROBLEM = Problem(
    title="Exudyn: rolling coin",
    family="Exudyn's test models",
    statement="A coin of 1 cm radius that leans by one degree spins on its rim at 10 pi rad/s about the vertical and rolls"
    " without slip for 0.5 s.",
    source="Exudyn, test model rollingCoinTest (Gerstmayr 2020), after Rill and Schaeffer 2010",
    licence="Sizes and start are cited facts.",
    reference="the contact point that independent runs converge to, 2.004947e-3 m: errors below 5e-10 m are its own",
    measure="difference of the contact point along x at the end (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.005, 0.002, 0.001, 0.0005), ours, quick=(0.001,)),
        Curve("Exudyn", "rolling disc, index 2, Newmark", (0.002, 0.001, 0.0005, 0.0001), exudyn, quick=(0.0005,)),
    ),
)
