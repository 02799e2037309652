"""A problem: a robot in its world, and what drives each of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED, PASSIVE, TORQUE, ProblemArrays, new_inputs, new_work
from locodyn.locomotion.classify import classify
from locodyn.locomotion.compatibility import LATER, check_start
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.constraints import Constraints
from locodyn.locomotion.contact.problem import ContactProblem
from locodyn.locomotion.record import record
from locodyn.locomotion.rhs import accelerations, read_laws, settle
from locodyn.locomotion.servo import Servo
from locodyn.motion.base import Law
from locodyn.motion.table import MotionTable
from locodyn.robot.layout import CODE, DOF_FRAME, HELICAL, PRISMATIC, REVOLUTE, ROD, TRANSLATION
from locodyn.world.laws import UserLaw
from locodyn.world.obstacles import Fixture
from locodyn.world.rows import COEFFICIENT, COORDINATE, FRAME, OTHER, W_A, W_B
from locodyn.world.self_collision import SelfCollision
from locodyn.world.wrench_table import WrenchTable, wheel_wrenches
from locodyn.world.wrenches import amount, steered_point

Controller = Callable[[float, np.ndarray, np.ndarray], Any]
LATE = 1e-9  # s by which a servo may begin after the start of a step and is still on in it
_SINGLE_AXIS = (REVOLUTE, PRISMATIC, HELICAL, TRANSLATION, ROD)


class Problem:
    """Which coordinates are imposed, driven by a force, or passive; what acts from outside; the accelerations that follow.

    Parameters
    ----------
    model : Model
    imposed : {coordinate number: Law}
        Motions; two derivatives are needed.
    torque : {coordinate number: Law or function(t, q, v) -> number}
        Forces of actuators, N m or N, kept within the actuator's limit.
    servo : {coordinate number: Servo}
        Actuators that follow a target; their force is added to ``torque``.
    controller : function(t, q, v) -> (nv,), optional
        Forces for all coordinates, added to ``torque``. A Python function makes the time loop run in Python.
    dependent : coordinates of actuated joints whose motion follows from the wheels.
    drives : Drives
        What steers and drives the wheels.
    strands : {name of a tendon, chamber or muscle: Law}
        Its tension (N), free length (m), pressure (Pa) or activation.
    loads, desired
        Factors of wrench laws by their names, and desired motions of feedback laws: see
        :class:`~locodyn.world.wrenches.WrenchTable`.
    weights, static, torque_method
        How redundant contacts share their load, see :class:`~locodyn.locomotion.constraints.Constraints`.
    seed_sign : bool
        Record the torques of wheel motors with the sign of the source (Ali 2011, (3.86)): as reactions on the motor, negative
        where it drives. Torques that are given keep their sign, positive with positive power.
    obstacles, self_collision, contact
        What the surfaces of the robot may hit, and how hard contact is solved: see
        :class:`~locodyn.locomotion.contact.problem.ContactProblem`.
    feet : names of feet and rolling surfaces, optional
        Those that hold on their planes; None: all. The others are not there (:mod:`locodyn.phases`).
    """

    def __init__(
        self,
        model: Model,
        imposed: Mapping[int, Law] | None = None,
        torque: Mapping[int, Law | Controller] | None = None,
        servo: Mapping[int, Servo] | None = None,
        controller: Controller | None = None,
        dependent: Sequence[int] = (),
        drives: Drives | None = None,
        weights: Mapping[str, float] | None = None,
        static: Mapping[str, float] | None = None,
        torque_method: str = "exact",
        seed_sign: bool = False,
        strands: Mapping[str, Law] | None = None,
        obstacles: Sequence[Fixture] = (),
        self_collision: bool | SelfCollision = False,
        contact: HardContact | None = None,
        loads: Mapping[str, Law] | None = None,
        desired: Mapping[str, Law] | None = None,
        feet: Collection[str] | None = None,
    ) -> None:
        imposed, torque, servo = dict(imposed or {}), dict(torque or {}), dict(servo or {})
        self.model, self.controller, self.seed_sign = model, controller, bool(seed_sign)
        self._check_drives(imposed, torque, servo, dependent, torque_method)
        self.drive = np.full(model.nv, PASSIVE, dtype=np.int64)
        self.drive[list(imposed)] = IMPOSED
        self.drive[[*torque, *servo]] = TORQUE
        self.drive[list(dependent)] = DEPENDENT
        self.constraints = Constraints(
            model, drives or Drives(), sorted(imposed), sorted(dependent), weights, static, torque_method, feet
        )
        if self.constraints.arrays is None and len(dependent):
            name = model.compiled.coordinate_names[dependent[0]]
            raise InputError(f"coordinate '{name}' cannot be dependent: the robot has no wheels or loops.")
        self.laws: dict[int, Law] = {i: x for i, x in {**imposed, **torque}.items() if isinstance(x, Law)}
        self.functions: dict[int, Controller] = {i: x for i, x in torque.items() if not isinstance(x, Law)}
        self.servos = servo
        targets = [s.law for s in servo.values()]
        rods = model.compiled
        self.strands = dict(strands or {})
        for name in self.strands:
            if name not in rods.strand_names:
                raise InputError(f"robot '{rods.name}' has no tendon or chamber '{name}'{nearest(name, rods.strand_names)}")
        self.wrench_table = WrenchTable(
            [*model.compiled.wrenches, *wheel_wrenches(model.compiled)], self.constraints.steering, loads, desired,
            len(self.constraints.laws),
        )  # fmt: skip
        row_laws = [law for _, law in (*self.constraints.laws, *self.wrench_table.varying)]
        self.table = MotionTable([*self.laws.values(), *targets, *row_laws, *self.strands.values()])
        self.user_laws = [(row, w.law) for row, w in enumerate(self.wrench_table.wrenches) if isinstance(w.law, UserLaw)]
        self.user_forces: dict[int, np.ndarray] = {}  # of the last evaluation, N, world axes
        self.is_compiled = not (self.table.has_python or self.functions or controller or self.user_laws)
        law = np.full(model.nv, -1, dtype=np.int64)
        law[list(self.laws)] = np.arange(len(self.laws))
        target, gains = np.full(model.nv if servo else 0, -1, dtype=np.int64), np.zeros((model.nv if servo else 0, 2))
        for n, (i, one) in enumerate(servo.items()):
            target[i], gains[i] = len(self.laws) + n, (one.stiffness, one.damping)
        flags = (self.drive == IMPOSED).astype(np.int8)
        starts, terms, parameters, data = self.table.arrays
        row_law = np.arange(len(self.laws) + len(servo), len(self.table) - len(self.strands), dtype=np.int64)
        self.arrays = ProblemArrays(
            frames=model.frames, constants=model.constants, dofs=model.dofs, dof_constants=model.dof_constants,
            gravity=model.gravity, imposed=flags if imposed else np.zeros(0, dtype=np.int8), law=law, target=target, gains=gains,
            starts=starts, terms=terms, parameters=parameters, data=data, wrench_laws=self.wrench_table.laws,
            wrench_parameters=self.wrench_table.parameters, row_law=row_law, constraints=self.constraints.arrays,
            strands=rods.strands.copy(), strand_constants=rods.strand_constants.copy(), strand_points=rods.strand_points.copy(),
            strand_law=self._strand_laws(),
        )  # fmt: skip
        self.inputs = new_inputs(model.nf, model.nv, bool(self.user_laws), len(row_laws), len(rods.strand_names))
        self.workspace = new_work(model.nf, model.nq, model.nv, model.compiled.columns if model.compiled.has_rods else 0)
        self.contact = ContactProblem(model.compiled, self.arrays, obstacles, self_collision, contact)
        self.kept: dict[int, Any] = {}  # workspaces of implicit integrators, by their stages

    def _check_drives(
        self,
        imposed: Collection[int],
        torque: Collection[int],
        servo: Collection[int],
        dependent: Collection[int],
        torque_method: str,
    ) -> None:
        """Refuse coordinates that are driven in two ways, or in a way that their joint does not have."""
        robot = self.model.compiled
        names = robot.coordinate_names
        for i in sorted(set(imposed) & set(torque)):
            raise InputError(f"coordinate '{names[i]}' is both imposed and torque-driven; choose one of the two.")
        for i in sorted(set(dependent) & (set(imposed) | set(torque))):
            raise InputError(f"coordinate '{names[i]}' is dependent and driven; choose one of the two.")
        for i in sorted(set(servo) & (set(imposed) | set(dependent))):
            raise InputError(
                f"coordinate '{names[i]}' has a servo but its motion is imposed or dependent; choose one of the two."
            )
        for i in imposed:
            self._check_single_axis(i, "be imposed")
        for i in servo:
            self._check_single_axis(i, "have a servo")
        if robot.has_rods and (len(dependent) or torque_method == "projective"):
            raise InputError(f"robot '{robot.name}' has rods; dependent joints and projective torques are not possible.")

    @cached_property
    def classification(self) -> str:
        """What kind of problem this is, in words."""
        return classify(self)

    def _strand_laws(self) -> np.ndarray:
        first = len(self.table) - len(self.strands)
        number = {name: first + k for k, name in enumerate(self.strands)}
        return np.array([number.get(name, -1) for name in self.model.compiled.strand_names], dtype=np.int64)

    def _check_single_axis(self, i: int, act: str) -> None:
        compiled = self.model.compiled
        code = int(self.model.frames[self.model.dofs[i, DOF_FRAME], CODE])
        if code not in _SINGLE_AXIS:
            raise InputError(
                f"coordinate '{compiled.coordinate_names[i]}' cannot {act}: its joint turns in space (or moves in"
                " the plane as a whole), so its velocity is no derivative of one coordinate; use single-axis joints there."
            )

    def check_motion(self, start: float, end: float) -> None:
        """Raise :class:`InputError` when a law is not known, or an imposed motion not twice differentiable, from start to end."""
        for i, law in self.laws.items():
            name = self.model.compiled.coordinate_names[i]
            law.require_known(name, start, end)
            if self.drive[i] == IMPOSED:
                law.require_twice_differentiable(name, start, end)
        for i, servo in self.servos.items():
            servo.law.require_known(self.model.compiled.coordinate_names[i], start, end)
        for name, law in self.strands.items():
            law.require_known(name, start, end)
        for name, law in self.wrench_table.varying:
            law.require_known(name, start, end)
        for name, law in self.constraints.laws:
            law.require_known(name, start, end)
            law.require_twice_differentiable(name, start, end)

    # ------------------------------------------------------------------------------------------------------ evaluation
    def resolved(self, q: np.ndarray) -> np.ndarray:
        """The configuration nearest to q (in the metric of the mass matrix) at which no surfaces of hard contact overlap."""
        from locodyn.locomotion.contact.resolve import resolved

        return resolved(self, q)

    def switch_servos(self, t: float) -> None:
        """Gains of the servos as they are from time t (s) on: those that begin later have none."""
        for i, one in self.servos.items():
            self.arrays.gains[i] = (one.stiffness, one.damping) if t > one.begins - LATE else (0.0, 0.0)

    def read_inputs(self, t: float, q: np.ndarray, v: np.ndarray, forces: bool = True) -> None:
        """Fill ``self.inputs`` for time t: laws of the library, then Python functions (of torques only with ``forces``)."""
        if not self.table.has_python:
            if len(self.table):
                read_laws(self.arrays, float(t), self.inputs)
        else:
            values = self.table.at(t)
            for column, i in enumerate(self.laws):
                if self.drive[i] == IMPOSED:
                    self.inputs.motion[:, i] = values[:, column]
                else:
                    self.inputs.command[i] = values[0, column]
            for column, i in enumerate(self.servos, len(self.laws)):
                self.inputs.motion[:, i] = values[:, column]
            first = len(self.laws) + len(self.servos)
            self.inputs.rows[:] = values[:, first : first + len(self.inputs.rows)].T
            for column, name in enumerate(self.strands, first + len(self.inputs.rows)):
                self.inputs.strands[self.model.compiled.strand_names.index(name)] = values[0, column]
        if forces and (self.functions or self.controller is not None):
            state_q, state_v = q.copy(), v.copy()
            for i, function in self.functions.items():
                self.inputs.command[i] = self._number(function(t, state_q, state_v), i)
            if self.controller is not None:
                self._add_controller(t, state_q, state_v)
        if self.user_laws:
            self._add_user_wrenches(t, q, v)

    def _number(self, value: Any, i: int) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            name = self.model.compiled.coordinate_names[i]
            raise InputError(f"the torque function of '{name}' returned {value!r}; it must return one number.") from None

    def _add_controller(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        assert self.controller is not None
        given = self.controller(t, q, v)
        try:
            forces = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"the controller returned {given!r}; it must return {self.model.nv} forces.") from None
        if forces.shape != (self.model.nv,):
            raise InputError(f"the controller returned shape {forces.shape}; it must return {self.model.nv} forces.")
        for i in range(self.model.nv):
            if i not in self.functions and i not in self.laws:
                self.inputs.command[i] = 0.0
        free = self.drive != IMPOSED
        self.inputs.command[free] += forces[free]

    def _add_user_wrenches(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        self.inputs.wrenches[:] = 0.0
        poses, motions = self.model.kinematics(q, v)
        table = self.wrench_table
        for row, law in self.user_laws:
            wrench = table.wrenches[row]
            k = wrench.frame
            r, p = poses[k, :9].reshape(3, 3), poses[k, 9:]
            x, w = motions[k, :3], motions[k, 3:6]
            turned, rate = steered_point(table.laws, table.parameters, self.inputs.rows, row)
            axes = np.reshape(turned, (3, 3))
            local = np.concatenate([axes.T @ (x + np.cross(w, wrench.position)), axes.T @ w + (0.0, 0.0, rate)])
            place = () if wrench.abscissa is None else (wrench.abscissa,)
            load = np.asarray(law.function(t, r @ axes, p + r @ wrench.position, local, *place), dtype=float)
            if load.shape != (6,):
                raise InputError(f"the law of wrench '{wrench.name}' returned shape {load.shape}; it must return 6 numbers.")
            load = amount(table.laws, table.parameters, self.inputs.rows, row, 1.0) * load
            force, moment = axes @ load[:3], axes @ load[3:]
            self.user_forces[row] = r @ force
            self.inputs.wrenches[k, :3] += force
            self.inputs.wrenches[k, 3:] += moment + np.cross(wrench.position, force)

    def accelerations(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Acceleration (nv,) at the state; imposed coordinates of ``q`` and ``v`` are put in place (the arrays change)."""
        self.read_inputs(t, q, v)
        a = np.zeros(self.model.nv)
        accelerations(self.arrays, self.inputs, q, v, self.workspace, a)
        return a

    def imposed_state(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of q and v that obey motions and constraints at time t: see :func:`~locodyn.locomotion.rhs.settle`."""
        q, v = q.copy(), v.copy()
        self.read_inputs(t, q, v)
        if self.arrays.constraints is not None or len(self.arrays.imposed):
            settle(self.arrays.constraints, self.arrays, self.inputs, q, v, self.workspace, np.zeros(self.model.nv))
        return q, v

    def row_speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Speed along every constraint row, (m,), at the state (q, v) that :meth:`imposed_state` has just returned."""
        arrays = self.constraints.arrays
        motions = np.vstack([self.model.kinematics(q, v)[1][:, :6], np.zeros(6)])  # the last row is the world's
        speeds = np.einsum("mj,mj->m", arrays.cotwists[:, W_A : W_A + 6], motions[arrays.table[:, FRAME]])
        speeds += np.einsum("mj,mj->m", arrays.cotwists[:, W_B : W_B + 6], motions[arrays.table[:, OTHER]])
        coordinates = arrays.table[:, COORDINATE]
        return speeds + np.where(coordinates >= 0, arrays.data[:, COEFFICIENT] * v[coordinates], 0.0)

    def start_state(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state at which a run from time t begins: as :meth:`imposed_state`, checked, and sound at a singular start.

        Where the rows lose rank at the start but not right after it, the velocity that they leave open is the limit of those
        that follow (:mod:`locodyn.locomotion.singular`); a look at what follows tells that rank is lost. Loops are closed
        twice: any closed position tells the rank, with which the nearest one is found
        (:func:`~locodyn.locomotion.constrained.factor_kinematics`).
        """
        constraints = self.constraints.arrays
        if constraints is None:
            return self.imposed_state(t, q, v)
        self.constraints.plant_feet(q)
        constraints.forget_rank()
        self.imposed_state(t, q, v)
        start_q, start_v = self.imposed_state(t, q, v)
        check_start(self, t, start_q, start_v)
        self.imposed_state(t + LATER, self.model.move(start_q, LATER * start_v), start_v)
        return self.imposed_state(t, start_q, start_v)

    def settled(
        self, t: float, q: np.ndarray, v: np.ndarray, adjust: Sequence[int] | None = None, keep: Sequence[int] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """The state (q, v) put on loops and contacts by moving only what may move.

        ``adjust``: numbers of the coordinates whose positions may change (default: all). ``keep``: numbers of those whose
        velocities must not; the others follow. As :meth:`imposed_state` otherwise.
        """
        arrays = self.constraints.arrays
        if arrays is None:
            return self.imposed_state(t, q, v)
        self.constraints.plant_feet(q)
        units, free = arrays.units.copy(), list(arrays.free)
        try:
            if adjust is not None:
                arrays.units[[e for e, i in enumerate(free) if i not in set(adjust)]] = 0.0
            arrays.forget_rank()  # what may not move takes rank away: nothing is singular
            q, _ = self.imposed_state(t, q, v)
            arrays.units[:] = units
            arrays.forget_rank()
            arrays.units[[e for e, i in enumerate(free) if i in set(keep)]] = 0.0
            return self.imposed_state(t, q, v)
        finally:
            arrays.units[:] = units
            arrays.forget_rank()

    def series(self, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        """What a result records for the states ``q`` (N, nq), ``v`` (N, nv) at ``times`` (N,), by the names of the contract."""
        return record(self, times, q, v)
