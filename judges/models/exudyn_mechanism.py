"""Any tree of hinges and slides with loops and springs, rebuilt in Exudyn in redundant coordinates from its description.

Bodies are placed where forward kinematics has them at the start, with the velocities that they have there. In a plane
(``plane``: which two of x, y, z) bodies, joints and loops are Exudyn's two-dimensional ones; otherwise bodies have Euler
parameters. Exudyn runs as its manual recommends for speed: the module without range checks, modified Newton.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from locodyn.judge import timed
from locodyn.robot.compilation.frame_motion import spatial_inertia, subspace
from locodyn.robot.pose import rotation_to_axis
from locodyn.sim import Scenario

sys.exudynFast = FAST = True  # type: ignore[attr-defined]  # the compiled module without range checks


class ExudynMechanism:
    """A scenario in Exudyn; ``torque``: {joint: N m}, constant."""

    def __init__(self, scenario: Scenario, plane: tuple[int, int] | None = None, torque: dict[str, float] | None = None) -> None:
        import exudyn as exu
        from exudyn import itemInterface as items

        self.exu, self.items, self.plane = exu, items, plane
        self.sensors: dict[str, int] = {}
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.scenario, self.model = scenario, scenario.model
        self.compiled = scenario.model.compiled
        q, v = scenario.initial_state()
        self.poses, self.twists = self.model.kinematics(q, v)
        self.ground = self.mbs.AddObject(items.ObjectGround())
        self.held = {k for k in range(self.model.nf) if subspace(self.compiled, k).shape[1] == 0}  # the base, at rest
        self.bodies = [self.ground if k in self.held else self._body(k) for k in range(self.model.nf)]
        for k in range(self.model.nf):
            self._joint(k)
        for loop in self.compiled.description.loops:
            self._loop(loop)
        for tie in self.compiled.description.ties:
            ends = [self._marker(*self._frame_point(hold.body, hold.pose.position)) for hold in tie.holds]
            spring = items.ObjectConnectorSpringDamper(
                markerNumbers=ends, referenceLength=float(tie.rest), stiffness=float(tie.stiffness), damping=float(tie.damping)
            )
            self.mbs.AddObject(spring)
        for name, value in (torque or {}).items():
            k = self.compiled.point(name)[0]
            marker = self.mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=self.bodies[k]))
            self.mbs.AddLoad(items.LoadTorqueVector(markerNumber=marker, loadVector=[0.0, 0.0, value]))

    # ------------------------------------------------------------------------------------------------------------ parts
    def _centre(self, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass centre in the frame, inertia about it in the axes of the frame."""
        matrix = spatial_inertia(self.compiled, k)
        mass = float(matrix[0, 0])
        if mass == 0.0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        lever = matrix[3:, :3] / mass  # the cross matrix of the mass centre
        centre = np.array([lever[2, 1], lever[0, 2], lever[1, 0]])
        return mass, centre, matrix[3:, 3:] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))

    def _pose(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        return self.poses[k, :9].reshape(3, 3), self.poses[k, 9:12]

    def _body(self, k: int) -> int:
        """Frame k as a body whose node is its mass centre."""
        items, (rotation, origin) = self.items, self._pose(k)
        mass, centre, inertia = self._centre(k)
        twist = self.twists[k, :6]
        place, turn = origin + rotation @ centre, rotation @ twist[3:]
        speed = rotation @ twist[:3] + np.cross(turn, rotation @ centre)
        if self.plane is not None:
            i, j = self.plane
            sign = self._sign()
            about = 3 - i - j
            node = items.NodeRigidBody2D(
                referenceCoordinates=[place[i], place[j], 0.0], initialVelocities=[speed[i], speed[j], sign * turn[about]]
            )
            moment = float((rotation @ inertia @ rotation.T)[about, about])
            body = items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=moment, nodeNumber=self.mbs.AddNode(node))
        else:
            from exudyn.rigidBodyUtilities import AngularVelocity2EulerParameters_t, RotationMatrix2EulerParameters

            unit = RotationMatrix2EulerParameters(rotation)
            rate = AngularVelocity2EulerParameters_t(turn, unit)
            node = items.NodeRigidBodyEP(
                referenceCoordinates=[*place, *unit], initialVelocities=[*speed, *np.asarray(rate).ravel()]
            )
            six = [inertia[a, b] for a, b in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))]
            body = items.ObjectRigidBody(physicsMass=mass, physicsInertia=six, nodeNumber=self.mbs.AddNode(node))
        number = int(self.mbs.AddObject(body))
        gravity = np.array(self.model.gravity)
        weight = [gravity[self.plane[0]], gravity[self.plane[1]], 0.0] if self.plane else list(gravity)
        if mass > 0.0 and np.any(gravity):
            marker = self.mbs.AddMarker(items.MarkerBodyMass(bodyNumber=number))
            self.mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=weight))
        return number

    def _sign(self) -> float:
        """Whether the third axis is the normal of the plane (first, second), or its opposite."""
        i, j = self.plane or (0, 1)
        return float(np.cross(np.eye(3)[i], np.eye(3)[j])[3 - i - j])

    def _frame_point(self, body: str | None, point: Any) -> tuple[int, np.ndarray]:
        """Frame of a body (-1: the world), and a point of the body in the world at the start."""
        if body is None:
            return -1, np.asarray(point, dtype=float)
        number = self.compiled.point(body)[0]
        rotation, origin = self.model.pose(body, self.scenario.initial_state()[0])
        return number, origin + rotation @ np.asarray(point, dtype=float)

    def _local(self, k: int, place: np.ndarray) -> tuple[list[float], np.ndarray]:
        """A point of the world in the axes of frame k from its mass centre, and these axes."""
        if k < 0 or k in self.held:
            at, axes = place, np.eye(3)
        else:
            (rotation, origin), (_, centre, _) = self._pose(k), self._centre(k)
            at, axes = place - origin - rotation @ centre, rotation
        if self.plane is not None:  # a body of the plane starts unturned
            return [at[self.plane[0]], at[self.plane[1]], 0.0], np.eye(3)
        return list(axes.T @ at), axes

    def _marker(self, k: int, place: np.ndarray, rigid: bool = False) -> int:
        kind = self.items.MarkerBodyRigid if rigid else self.items.MarkerBodyPosition
        return int(
            self.mbs.AddMarker(kind(bodyNumber=self.ground if k < 0 else self.bodies[k], localPosition=self._local(k, place)[0]))
        )

    def _connect(self, first: int, second: int, place: np.ndarray, axis: np.ndarray, slides: bool) -> None:
        """A hinge or slide at a place of the world, about or along an axis of the world."""
        items = self.items
        if self.plane is not None:
            self.mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[self._marker(k, place) for k in (first, second)]))
            return
        frame = rotation_to_axis(axis)  # its z axis
        markers = [self._marker(k, place, rigid=True) for k in (first, second)]
        turns = [self._local(k, place)[1].T @ frame for k in (first, second)]
        fixed = [1, 1, 0, 1, 1, 1] if slides else [1, 1, 1, 1, 1, 0]
        self.mbs.AddObject(
            items.ObjectJointGeneric(
                markerNumbers=markers, constrainedAxes=fixed, rotationMarker0=turns[0], rotationMarker1=turns[1]
            )
        )

    def _joint(self, k: int) -> None:
        if k in self.held:
            return
        rotation, origin = self._pose(k)
        (column,) = subspace(self.compiled, k).T
        slides = bool(np.any(column[:3]))
        self._connect(int(self.compiled.frames[k, 0]), k, origin, rotation @ (column[:3] if slides else column[3:]), slides)

    def _loop(self, loop: Any) -> None:
        first, place = self._frame_point(loop.first, loop.first_pose.position)
        second, _ = self._frame_point(loop.second, loop.second_pose.position)
        rotation = np.eye(3) if loop.first is None else self.model.pose(loop.first, self.scenario.initial_state()[0])[0]
        self._connect(first, second, place, rotation @ loop.first_pose.rotation @ loop.axis, False)

    # ------------------------------------------------------------------------------------------------------------- runs
    def watch(self, name: str, body: str, point: Any = (0.0, 0.0, 0.0)) -> None:
        """Record the place of a point of a body under a name."""
        k, place = self._frame_point(body, point)
        sensor = self.items.SensorBody(
            bodyNumber=self.bodies[k], localPosition=self._local(k, place)[0], storeInternal=True,
            outputVariableType=self.exu.OutputVariableType.Position,
        )  # fmt: skip
        self.sensors[name] = self.mbs.AddSensor(sensor)

    def watch_angle(self, body: str) -> None:
        """Record how far a body of the plane has turned, under its name."""
        k = self.compiled.point(body)[0]
        sensor = self.items.SensorBody(
            bodyNumber=self.bodies[k], storeInternal=True, outputVariableType=self.exu.OutputVariableType.Rotation
        )
        self.sensors[body] = self.mbs.AddSensor(sensor)

    def run(
        self, steps: int, samples: int, tolerance: float = 1e-8, rho: float = 0.9, singular: bool = False, dense: bool = True,
        modified: bool = True,
    ) -> tuple[dict[str, np.ndarray], float]:  # fmt: skip
        """What was watched at ``samples`` times, and CPU time (s); ``modified``: by modified Newton, which is not its default."""
        exu = self.exu
        self.mbs.Assemble()
        settings: Any = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = self.scenario.recording.t_end
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.newton.useModifiedNewton = modified
        settings.timeIntegration.newton.relativeTolerance = tolerance
        settings.timeIntegration.generalizedAlpha.spectralRadius = rho
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = self.scenario.recording.t_end / (samples - 1)
        if dense:
            settings.linearSolverType = exu.LinearSolverType.EXUdense
            settings.linearSolverSettings.ignoreSingularJacobian = singular
        else:
            settings.linearSolverType = exu.LinearSolverType.EigenSparse
        if singular:
            settings.linearSolverType = exu.LinearSolverType.EigenDense
        done, spent = timed(lambda: self.mbs.SolveDynamic(settings))
        if done is False:
            raise RuntimeError("Exudyn's solver did not converge")
        times = np.linspace(0.0, self.scenario.recording.t_end, samples)
        found = {}
        for name, number in self.sensors.items():
            data = np.asarray(self.mbs.GetSensorStoredData(number))
            if data[-1, 0] < self.scenario.recording.t_end * (1.0 - 1e-9):
                raise RuntimeError(f"Exudyn stopped at {data[-1, 0]:g} s")
            found[name] = np.column_stack([np.interp(times, data[:, 0], column) for column in data[:, 1:].T])
        return found, spent
