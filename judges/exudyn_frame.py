"""Exudyn's L-shaped frame: two planar beams at a right angle under a large tip force, statics."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root_scalar

import locodyn as ld
from locodyn.equilibria.statics import equilibrium
from locodyn.judge import Curve, Problem, Trial, timed
from locodyn.locomotion import Problem as Frame
from models.exudyn_mechanism import FAST

LENGTH, YOUNG, WIDTH, HEIGHT, FORCE, DENSITY = 1.0, 2.1e11, 0.1, 0.05, 1e6, 7800.0  # of each of the two beams
AREA, INERTIA, FACTOR, SHEAR = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12.0, 10 * 1.3 / (12 + 11 * 0.3), YOUNG / 2.6
EI, EA, GA = YOUNG * INERTIA, YOUNG * AREA, FACTOR * SHEAR * AREA
PARTS = 20  # in which the load of the reference is brought up, so that its branch is that of the loads


@cache
def reference() -> np.ndarray:
    """Displacement (2,) m of the tip: Reissner's beams from the tip inward, with the angle there that clamps the root."""

    def from_tip(phi: float, force: float) -> np.ndarray:
        def inward(s: float, y: np.ndarray) -> tuple[float, ...]:
            cos, sin = np.cos(y[2]), np.sin(y[2])
            along, across = 1.0 + force * cos / EA, -force * sin / GA
            return along * cos - across * sin, along * sin + across * cos, y[3] / EI, force * (along * sin + across * cos)

        state = np.array([0.0, 0.0, phi, 0.0])
        for corner in (0.5 * np.pi, 0.0):  # the second beam stands on the first one
            state = solve_ivp(inward, (LENGTH, 0.0), state, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
            state[2] -= corner
        return np.asarray(state)

    phi, before = 0.5 * np.pi, 0.5 * np.pi
    for force in np.linspace(0.0, FORCE, PARTS + 1)[1:]:
        found = root_scalar(lambda x, f=force: from_tip(x, f)[2], x0=2.0 * phi - before, x1=phi - 0.01, xtol=1e-14).root
        before, phi = phi, found
    return -from_tip(phi, FORCE)[:2] - LENGTH


@cache
def posed(modes: int) -> Frame:
    """The frame in the x-z plane: so many functions of bending in each beam, one less of stretch and shear."""
    frame = ld.Robot("frame")
    material = ld.Material(young=YOUNG, density=DENSITY, shear=FACTOR * SHEAR)
    strains: dict[str, Any] = {"bending": (modes, 0), "stretch": modes, "shear": (0, modes)}  # in the plane only
    words: dict[str, Any] = {"length": LENGTH, "section": ld.Rectangle(WIDTH, HEIGHT), "material": material, "nodes": 2 * modes}
    lower = frame.base("ground", moves="fixed").rod("lower", **words, **strains)
    lower.rod("upper", turned=("y", -0.5 * np.pi), **words, **strains)
    frame.wrench("tip", on="upper", law=ld.WorldForce((FORCE, 0.0, 0.0)))
    return Frame(frame.model(gravity=(0.0, 0.0, 0.0)))


def ours(modes: float) -> Trial:
    """Statics; the load is brought up in three parts."""
    frame = posed(int(modes))
    found, spent = timed(lambda: equilibrium(frame, frame.model.neutral(), 0.0, steps=3))
    moved = frame.model.pose("upper", found.q)[1][[0, 2]] - LENGTH
    return Trial(float(np.linalg.norm(moved - reference())), spent, {"deflection (m)": float(moved[1])})


def exudyn(elements: float) -> Trial:
    """Geometrically exact elements of two nodes, half of them in each beam, which share the node of the corner."""
    import exudyn as exu
    from exudyn import itemInterface as items

    assert FAST
    each = int(elements) // 2
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    size = LENGTH / each
    places = [(size * i, 0.0) for i in range(each + 1)] + [(LENGTH, size * i) for i in range(1, each + 1)]
    nodes = [mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, y, 0.0])) for x, y in places]
    for pair in pairwise(nodes):
        words: dict[str, Any] = {"physicsMassPerLength": DENSITY * AREA, "physicsCrossSectionInertia": DENSITY * INERTIA}
        words |= {"physicsBendingStiffness": EI, "physicsAxialStiffness": EA, "physicsShearStiffness": GA}
        words |= {"includeReferenceRotations": False}
        mbs.AddObject(items.ObjectBeamGeometricallyExact2D(nodeNumbers=list(pair), physicsLength=size, **words))
    ground = mbs.AddMarker(
        items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround(referenceCoordinates=[0, 0, 0])), coordinate=0)
    )
    for c in range(3):
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[ground, marker]))
    tip = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[-1]))
    mbs.AddLoad(items.LoadForceVector(markerNumber=tip, loadVector=[FORCE, 0, 0]))
    mbs.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.staticSolver.newton.maxIterations = 50
    settings.staticSolver.newton.relativeTolerance = 1e-6
    settings.staticSolver.numberOfLoadSteps = 10
    settings.staticSolver.verboseMode = 0
    _, spent = timed(lambda: mbs.SolveStatic(settings))
    moved = np.asarray(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Coordinates))[:2]
    return Trial(float(np.linalg.norm(moved - reference())), spent, {"deflection (m)": float(moved[1])})


PROBLEM = Problem(
    title="Exudyn: L-shaped frame",
    family="Exudyn's test models",
    statement="Two steel beams of 1 m with a section of 0.1 x 0.05 m are joined at a right angle, the first one clamped and"
    " horizontal, the second one upright on its end. A force of 1 MN along the first one pulls at the tip of the second one:"
    " statics.",
    source="Exudyn, test model LShapeGeomExactBeam2D (Gerstmayr 2021); there 8 elements give -0.91815 m",
    licence="Lengths, stiffnesses and the load are facts of the model; the reference is ours.",
    reference="Reissner's equations by shooting through the corner with DOP853 at 1e-13; deflection -0.91405 m",
    measure="distance of the displacement of the tip from the reference (m)",
    curves=(
        Curve("locodyn", "strain modes", (2, 3, 4, 6, 8), ours, "modes", quick=(4,)),
        Curve("Exudyn", "two-node elements", (8, 16, 32, 64, 128, 256), exudyn, "elements", quick=(16,)),
    ),
)
