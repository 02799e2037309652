"""Exudyn's cantilever: a thick planar beam under a large tip force and moment, statics."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locodyn as ld
from locodyn.equilibria.statics import equilibrium
from locodyn.judge import Curve, Problem, Trial, timed
from locodyn.locomotion import Problem as Rod
from models.exudyn_mechanism import FAST

LENGTH, YOUNG, WIDTH, HEIGHT, SHEAR, ANGLE = 2.0, 2.07e11, 0.1, 0.5, 7.9615e10, np.pi / 4
AREA, INERTIA, FACTOR = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12.0, 10 * 1.3 / (12 + 11 * 0.3)
FORCE, MOMENT = 5e8 * HEIGHT**3, -5e8
LOAD = FORCE * np.array([np.sin(ANGLE), -np.cos(ANGLE)])
EI, EA, GA = YOUNG * INERTIA, YOUNG * AREA, FACTOR * SHEAR * AREA


@cache
def reference() -> np.ndarray:
    """Displacement (2,) m of the tip: Reissner's beam from the tip inward, with the angle there that puts the root at 45."""

    def inward(s: float, y: np.ndarray) -> tuple[float, ...]:
        _, _, phi, moment = y
        along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
        tangent = (1.0 + LOAD @ along / EA) * along + (LOAD @ across / GA) * across
        return tangent[0], tangent[1], moment / EI, -(tangent[0] * LOAD[1] - tangent[1] * LOAD[0])

    def from_tip(phi: float) -> np.ndarray:
        found = solve_ivp(inward, (LENGTH, 0.0), (0.0, 0.0, phi, MOMENT), "DOP853", rtol=1e-13, atol=1e-13)
        return np.asarray(found.y[:, -1])

    tip = brentq(lambda phi: from_tip(phi)[2] - ANGLE, -4.0, -3.0, xtol=1e-14)  # of several branches that of the loads
    end = -from_tip(tip)[:2]
    return end - LENGTH * np.array([np.cos(ANGLE), np.sin(ANGLE)])


@cache
def robot(modes: int) -> ld.Robot:
    """The beam in the x-z plane: so many functions of bending, one less of stretch and shear."""
    beam = ld.Robot("beam")
    material = ld.Material(young=YOUNG, density=7850.0, shear=FACTOR * SHEAR)
    ground = beam.base("ground", moves="fixed")
    strains: dict[str, Any] = {"bending": (modes, 0), "stretch": modes, "shear": (0, modes)}  # in the plane only
    section = ld.Rectangle(WIDTH, HEIGHT)
    ground.rod("rod", length=LENGTH, section=section, material=material, nodes=2 * modes, turned=("y", -ANGLE), **strains)
    law = ld.WorldForce((LOAD[0], 0.0, LOAD[1]), (0.0, -MOMENT, 0.0))
    return beam.wrench("tip", on="rod", law=law)


@cache
def posed(modes: int) -> Rod:
    """What statics solves."""
    return Rod(robot(modes).model(gravity=(0.0, 0.0, 0.0)))


def ours(modes: float) -> Trial:
    """Statics; loads are brought up in three parts."""
    rod = posed(int(modes))
    found, spent = timed(lambda: equilibrium(rod, rod.model.neutral(), 0.0, steps=3))
    place = rod.model.pose("rod", found.q)[1]
    moved = place[[0, 2]] - LENGTH * np.array([np.cos(ANGLE), np.sin(ANGLE)])
    return Trial(float(np.linalg.norm(moved - reference())), spent, {"deflection (m)": float(moved[1])})


def exudyn(elements: float) -> Trial:
    """Geometrically exact elements of two nodes."""
    import exudyn as exu
    from exudyn import itemInterface as items

    assert FAST
    count = int(elements)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    size = LENGTH / count
    nodes = [
        mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[np.cos(ANGLE) * size * i, np.sin(ANGLE) * size * i, ANGLE]))
        for i in range(count + 1)
    ]
    for first, second in pairwise(nodes):
        words: dict[str, Any] = {"physicsMassPerLength": 7850.0 * AREA, "physicsCrossSectionInertia": 7850.0 * INERTIA}
        words |= {"physicsBendingStiffness": EI, "physicsAxialStiffness": EA, "physicsShearStiffness": GA}
        mbs.AddObject(items.ObjectBeamGeometricallyExact2D(nodeNumbers=[first, second], physicsLength=size, **words))
    ground = mbs.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0])), coordinate=0)
    )
    for c in range(3):
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, marker]))
    tip = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[-1]))
    mbs.AddLoad(items.LoadForceVector(markerNumber=tip, loadVector=[LOAD[0], LOAD[1], 0]))
    mbs.AddLoad(items.LoadTorqueVector(markerNumber=tip, loadVector=[0, 0, MOMENT]))
    mbs.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.staticSolver.newton.maxIterations = 50
    settings.staticSolver.numberOfLoadSteps = 10
    settings.staticSolver.verboseMode = 0
    if count > 64:
        settings.staticSolver.newton.relativeTolerance = 2e-8
    _, spent = timed(lambda: mbs.SolveStatic(settings))
    moved = np.asarray(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Coordinates))[:2]
    return Trial(float(np.linalg.norm(moved - reference())), spent, {"deflection (m)": float(moved[1])})


PROBLEM = Problem(
    title="Exudyn: geometrically exact beam",
    family="Exudyn's test models",
    statement="A cantilever of 2 m with a section of 0.1 x 0.5 m, steel, at 45 degrees, bends under 62.5 MN across its tip and a"
    " moment of 500 MN m: statics.",
    source="Exudyn, test model geometricallyExactBeam2Dtest (Gerstmayr); there 16 elements give -2.21150 m",
    licence="Lengths, stiffnesses and loads are facts of the model; the reference is ours.",
    reference="Reissner's equations by shooting with DOP853 at 1e-13; deflection -2.20941 m",
    measure="distance of the displacement of the tip from the reference (m)",
    curves=(
        Curve("locodyn", "strain modes", (2, 3, 4, 6, 8, 10), ours, "modes", quick=(4,)),
        Curve("Exudyn", "two-node elements", (8, 16, 32, 64, 128, 256), exudyn, "elements", quick=(16,)),
    ),
)
