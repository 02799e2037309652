"""The rod of ``rod_drop`` here, in Exudyn and in PyElastica: one second of motion, places of the tip (N, 2) and CPU time (s).

L = 0.5 m, r = 0.02 m, E = 1e6 Pa, G = E/3, rho = 1000 kg/m^3, g = 9.81 m/s^2, shear factor 1, rotary inertia, no damping. Time is
that of the solver alone.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.locomotion.problem import Problem

LENGTH, RADIUS, YOUNG, SHEAR, DENSITY, GRAVITY = 0.5, 0.02, 1e6, 1e6 / 3.0, 1000.0, 9.81
AREA, MOMENT = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0


def drop_problem(modes: tuple[int, int, int], nodes: int) -> Problem:
    """The rod here, with so many strain functions of bending, stretch and shear, and nodes."""
    robot = ld.Robot("rod drop")
    material = ld.Material(young=YOUNG, density=DENSITY, shear=SHEAR)
    bending, stretch, shear = modes
    robot.base("ground", moves="fixed").rod(
        "rod", length=LENGTH, section=ld.Circle(RADIUS), material=material, bending=(bending, 0), stretch=stretch,
        shear=(0, shear), nodes=nodes,
    )  # fmt: skip
    return Problem(robot.model())


def exudyn_drop(
    elements: int, steps: int, samples: int = 101, rho: float = 0.9, tolerance: float = 1e-8
) -> tuple[np.ndarray, float]:
    """Planar geometrically exact beams, generalized-alpha with rho_inf ``rho``, modified Newton to ``tolerance``, sparse."""
    sys.exudynFast = True  # type: ignore[attr-defined]  # the compiled module without range checks
    import exudyn as exu
    from exudyn import itemInterface as items

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    h = LENGTH / elements
    nodes = [mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=[i * h, 0.0, 0.0])) for i in range(elements + 1)]
    for i in range(elements):
        beam = items.ObjectBeamGeometricallyExact2D(
            nodeNumbers=[nodes[i], nodes[i + 1]], physicsLength=h, physicsMassPerLength=DENSITY * AREA,
            physicsCrossSectionInertia=DENSITY * MOMENT, physicsBendingStiffness=YOUNG * MOMENT,
            physicsAxialStiffness=YOUNG * AREA, physicsShearStiffness=SHEAR * AREA,
        )  # fmt: skip
        marker = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=mbs.AddObject(beam)))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0.0, -GRAVITY, 0.0]))
    ground = mbs.AddNode(items.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
    held = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for c in range(3):
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[held, marker]))
    sensor = items.SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
    number = mbs.AddSensor(sensor)
    mbs.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = 1.0
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = tolerance
    settings.timeIntegration.generalizedAlpha.spectralRadius = rho
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 1.0 / (samples - 1)
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    began = time.process_time()
    mbs.SolveDynamic(settings)
    spent = time.process_time() - began
    data = np.asarray(mbs.GetSensorStoredData(number))
    return np.column_stack([np.interp(np.linspace(0, 1, samples), data[:, 0], data[:, c]) for c in (1, 2)]), spent


def elastica_drop(
    elements: int, steps: int, samples: int = 101, axial: float = 1.0, shear_at_clamp: bool = True
) -> tuple[np.ndarray, float]:
    """Discrete elastic rod, position Verlet; the clamped element reaches half its length into the wall.

    ``shear_at_clamp``: what is in the wall does not shear or stretch either, so that the clamp is of second order.
    """
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.CallBacks):  # type: ignore[misc]  # PyElastica has no types
        pass

    simulator = Simulator()
    h = LENGTH / (elements - 0.5)
    rod = ea.CosseratRod.straight_rod(
        elements, np.array([-0.5 * h, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), elements * h, RADIUS,
        DENSITY, youngs_modulus=YOUNG, shear_modulus=SHEAR,
    )  # fmt: skip
    rod.shear_matrix[0, 0, :] = rod.shear_matrix[1, 1, :] = SHEAR * AREA
    rod.shear_matrix[2, 2, :] *= axial
    if shear_at_clamp:
        rod.shear_matrix[:, :, 0] *= 2.0
    simulator.append(rod)
    simulator.constrain(rod).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -GRAVITY]))
    every = max(1, steps // (samples - 1))
    found: list[tuple[float, float, float]] = []

    class Recorder(ea.CallBackBaseClass):  # type: ignore[misc]  # as above
        def make_callback(self, system: Any, time: float, current_step: int) -> None:
            if current_step % every == 0:
                found.append((float(time), *system.position_collection[[0, 2], -1]))

    simulator.collect_diagnostics(rod).using(Recorder)
    simulator.finalize()
    began = time.process_time()
    ea.integrate(ea.PositionVerlet(), simulator, 1.0, steps, progress_bar=False)
    spent = time.process_time() - began
    data = np.array(found)
    return np.column_stack([np.interp(np.linspace(0, 1, samples), data[:, 0], data[:, c]) for c in (1, 2)]), spent
