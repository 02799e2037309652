"""Exudyn's kinematic tree: a chain of five bars with turned hinges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial, timed
from models.exudyn_mechanism import FAST
from models.own import run_own

COUNT, LENGTH, WIDTH = 5, 2.0, 0.1
SUM = -1.3093839514061  # rad at 1 s, with a step of 5e-5 s


def turned(i: int) -> np.ndarray:
    """Rotation of hinge i: about x, then y."""
    about = (np.pi / 2, np.pi / 4) if i % 3 >= 1 else ((0.0, np.pi / 4) if i % 2 else (0.0, 0.0))
    return np.asarray(ld.rotation_about("x", about[0]) @ ld.rotation_about("y", about[1]))


@cache
def scenario() -> ld.Scenario:
    """Bars of 2 x 0.1 x 0.1 m, 1000 kg/m^3, hinges about their z axes; gravity 10 m/s^2 along -y."""
    robot = ld.Robot("tree")
    parent: Any = robot.base("ground", moves="fixed")
    bar = ld.Box((LENGTH, WIDTH, WIDTH), at=(0.5 * LENGTH, 0.0, 0.0))
    for i in range(COUNT):
        body = robot.body(f"link_{i}", mass=1000.0 * LENGTH * WIDTH**2, centre=(0.5 * LENGTH, 0.0, 0.0), shape=bar)
        parent = body.on(parent, at=(LENGTH if i else 0.0, 0.0, 0.0), turned=turned(i)).turning("z", name=f"joint_{i}")
    return ld.Scenario("tree", robot, gravity=(0.0, -10.0, 0.0), t_end=1.0)


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, 2, "rkmk4")
    return Trial(abs(float(solution.q[-1].sum()) - SUM), spent)


def exudyn(step: float) -> Trial:
    """Its own kinematic tree in minimal coordinates, RK44."""
    import exudyn as exu
    from exudyn import itemInterface as items

    assert FAST
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    mass, across = 1000.0 * LENGTH * WIDTH**2, LENGTH**2 + WIDTH**2
    inertia = mass / 12.0 * np.diag([2 * WIDTH**2, across, across])
    offsets, turns, centres, inertias = exu.Vector3DList(), exu.Matrix3DList(), exu.Vector3DList(), exu.Matrix3DList()
    for i in range(COUNT):
        offsets.Append([LENGTH if i else 0.0, 0.0, 0.0])
        turns.Append(turned(i))
        centres.Append([0.5 * LENGTH, 0.0, 0.0])
        inertias.Append(inertia)
    zeros = [0.0] * COUNT
    words = {"referenceCoordinates": zeros, "initialCoordinates": zeros, "initialCoordinates_t": zeros}
    node = mbs.AddNode(items.NodeGenericODE2(numberOfODE2Coordinates=COUNT, **words))
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * COUNT, linkParents=np.arange(COUNT) - 1,
            jointTransformations=turns, jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centres,
            linkMasses=[mass] * COUNT, baseOffset=[0.0, 0.0, 0.0], gravity=[0.0, -10.0, 0.0],
        )
    )  # fmt: skip
    mbs.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.numberOfSteps = round(1.0 / step)
    settings.timeIntegration.endTime = 1.0
    settings.timeIntegration.verboseMode = 0
    _, spent = timed(lambda: mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK44))
    return Trial(abs(float(np.sum(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates))) - SUM), spent)


PROBLEM = Problem(
    title="Exudyn: kinematic tree",
    family="Exudyn's test models",
    statement="Five bars of 2 m and 20 kg hang in a chain on hinges whose axes are turned against each other, and swing for 1 s"
    " under 10 m/s^2.",
    source="Exudyn, test model kinematicTreeTest (Gerstmayr 2022)",
    licence="Lengths, masses and the result are cited facts of the model.",
    reference="the sum of the joint angles that its author found converged to 14 digits with steps of 5e-5 s, -1.3093839514061",
    measure="difference of the sum of the joint angles at 1 s (rad)",
    curves=(
        Curve("locodyn", "rkmk4", (0.02, 0.01, 0.005, 0.002, 0.001), ours, quick=(0.005,)),
        Curve("Exudyn", "kinematic tree, RK44", (0.02, 0.01, 0.005, 0.002, 0.001), exudyn, quick=(0.005,)),
    ),
)
