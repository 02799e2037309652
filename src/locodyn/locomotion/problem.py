"""A problem: a robot in its world, and what drives each of its coordinates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED, PASSIVE, TORQUE, ProblemArrays, new_inputs, new_work
from locodyn.locomotion.classify import classify
from locodyn.locomotion.compatibility import LATER, check_start
from locodyn.locomotion.constraint_rows import Drives, Sharing
from locodyn.locomotion.constraints import Constraints
from locodyn.locomotion.contact.problem import ContactProblem
from locodyn.locomotion.drive_checks import check_current, check_drives, check_laws, check_strands
from locodyn.locomotion.memories import ControllerWithMemory, Memories
from locodyn.locomotion.record import record
from locodyn.locomotion.rhs import accelerations, impose, read_laws, settle
from locodyn.locomotion.rod_contacts import begin_booking, check_on_rods, end_booking, plant, recall
from locodyn.locomotion.row_paths import along_paths
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.locomotion.servo import Servo
from locodyn.locomotion.user_functions import Controller, check_user_laws, read_all_laws, read_torques, read_wrenches
from locodyn.motion.base import Law
from locodyn.motion.table import MotionTable
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.robot.layout import MASS
from locodyn.world.compliant_law import CompliantContact, compliant_wrenches
from locodyn.world.laws import UserLaw
from locodyn.world.obstacles import Fixture
from locodyn.world.self_collision import SelfCollision
from locodyn.world.tie_table import tie_arrays, tie_wrenches
from locodyn.world.wrench_table import WrenchTable, wheel_wrenches

LATE = 1e-9  # s by which a servo may begin after the start of a step and is still on in it


@dataclass(frozen=True)
class Schedule:
    """What neither joints nor wheels do, over time: laws by name.

    ``strands``: tension (N), free length (m), pressure (Pa) or activation of tendons, chambers and muscles. ``loads``: factors
    of wrench laws; ``desired``: motions that feedback laws follow (:class:`~locodyn.world.wrench_table.WrenchTable`).
    """

    strands: Mapping[str, Law] = field(default_factory=dict)
    loads: Mapping[str, Law] = field(default_factory=dict)
    desired: Mapping[str, Law] = field(default_factory=dict)


@dataclass(frozen=True)
class Surroundings:
    """What the surfaces of a robot may hit.

    ``contact``: how hard contact is solved (:class:`~locodyn.locomotion.contact.problem.ContactProblem`), or that contacts are
    compliant. ``feet``: names of the feet and rolling surfaces that hold on their planes; None: all. The others are not there
    (:mod:`locodyn.phases`).
    """

    obstacles: Sequence[Fixture] = ()
    self_collision: bool | SelfCollision = False
    contact: HardContact | CompliantContact | None = None
    feet: Collection[str] | None = None


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
        Forces for all coordinates, added to ``torque``. A Python function makes the time loop run in Python. One with states of
        its own is a :class:`~locodyn.locomotion.memories.ControllerWithMemory`.
    dependent : coordinates of actuated joints whose motion follows from the wheels.
    drives : Drives
        What steers and drives the wheels.
    sharing : Sharing
        How redundant contacts share their load.
    schedule : Schedule
        What tendons, chambers, muscles and wrench laws do over time.
    surroundings : Surroundings
        What the surfaces of the robot may hit, and which of its feet hold.
    """

    def __init__(
        self,
        model: Model,
        imposed: Mapping[int, Law] | None = None,
        torque: Mapping[int, Law | Controller] | None = None,
        servo: Mapping[int, Servo] | None = None,
        controller: Controller | ControllerWithMemory | None = None,
        dependent: Sequence[int] = (),
        drives: Drives | None = None,
        sharing: Sharing | None = None,
        schedule: Schedule | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        sharing, schedule, surroundings = sharing or Sharing(), schedule or Schedule(), surroundings or Surroundings()
        imposed, torque, servo = dict(imposed or {}), dict(torque or {}), dict(servo or {})
        self.model, self.controller = model, controller.of_its_own() if isinstance(controller, SampledController) else controller
        self._without_dependent = partial(
            Problem, model, imposed, torque, servo, controller, (), drives, sharing, schedule, surroundings
        )
        check_drives(model, imposed, torque, servo, dependent, sharing.torque_method)
        self.drive = np.full(model.nv, PASSIVE, dtype=np.int64)
        self.drive[list(imposed)] = IMPOSED
        self.drive[[*torque, *servo]] = TORQUE
        self.drive[list(dependent)] = DEPENDENT
        self.constraints = Constraints(model, drives or Drives(), sorted(imposed), sorted(dependent), sharing, surroundings.feet)
        if self.constraints.arrays is None and len(dependent):
            name = model.compiled.coordinate_names[dependent[0]]
            raise InputError(f"coordinate '{name}' cannot be dependent: the robot has no wheels or loops.")
        self.laws: dict[int, Law] = {i: x for i, x in {**imposed, **torque}.items() if isinstance(x, Law)}
        self.functions: dict[int, Controller] = {i: x for i, x in torque.items() if not isinstance(x, Law)}
        self.undriven = np.array([i for i in range(model.nv) if i not in self.laws and i not in self.functions], dtype=np.int64)
        self.servos, self.strands = servo, dict(schedule.strands)
        check_strands(model, self.strands)
        ties = model.compiled.ties
        drawn = {one.name: self.strands.pop(one.name) for one in ties if one.name in self.strands}
        held = tie_arrays(ties, model.frames, lambda: model.kinematics(model.neutral(), np.zeros(model.nv))[0])
        self.compliant: list[CompiledWrench] = []  # contacts that are laws
        obstacles, self_collision, contact = surroundings.obstacles, surroundings.self_collision, surroundings.contact
        pairs = None
        if isinstance(contact, CompliantContact):
            self.compliant, pairs = compliant_wrenches(model.compiled, obstacles, self_collision, contact, self.weight)
            obstacles, self_collision, contact = (), False, None
        acting = [*model.compiled.wrenches, *wheel_wrenches(model.compiled), *self.compliant, *tie_wrenches(ties)]
        timed = self.constraints.steering, schedule.loads, schedule.desired, len(self.constraints.laws)
        self.wrench_table = WrenchTable(acting, *timed, model.gravity, pairs, held, drawn)
        check_current(model, self.wrench_table.wrenches)
        check_user_laws(self.wrench_table.wrenches)
        self.memories = Memories(model.compiled, self.wrench_table, self.drive, controller)
        self.user_laws = [(row, w.law) for row, w in enumerate(self.wrench_table.wrenches) if isinstance(w.law, UserLaw)]
        self.user_forces: dict[int, np.ndarray] = {}  # of the last evaluation, N, world axes
        row_laws = [law for _, law in (*self.constraints.laws, *self.wrench_table.varying)]
        self.table = MotionTable([*self.laws.values(), *(s.law for s in servo.values()), *row_laws, *self.strands.values()])
        self.is_compiled = not (self.table.has_python or self.functions or controller or self.user_laws)
        self.arrays = self._arrays(len(row_laws))
        strand_count = len(model.compiled.strand_names)
        self.inputs = new_inputs(model.nf, model.nv, bool(self.user_laws), len(row_laws), strand_count)
        columns = model.compiled.columns if model.compiled.has_rods or model.in_fluid else 0
        self.workspace = new_work(model.nf, model.nv, columns, self.memories.count, strand_count)
        self.contact = ContactProblem(model.compiled, self.arrays, obstacles, self_collision, contact)
        self.kept: dict[str, Any] = {}  # what integrators find or need once: workspaces, of implicit ones by their schemes

    def _arrays(self, row_laws: int) -> ProblemArrays:
        """What kernels see. The table of laws has those of the coordinates first, then of servos, rows and strands."""
        model, robot, servos = self.model, self.model.compiled, self.servos
        law = np.full(model.nv, -1, dtype=np.int64)
        law[list(self.laws)] = np.arange(len(self.laws))
        target, gains = np.full(model.nv if servos else 0, -1, dtype=np.int64), np.zeros((model.nv if servos else 0, 2))
        for n, (i, one) in enumerate(servos.items()):
            target[i], gains[i] = len(self.laws) + n, (one.stiffness, one.damping)
        imposed = (self.drive == IMPOSED).astype(np.int8)
        first = len(self.laws) + len(servos)
        strand = {name: first + row_laws + k for k, name in enumerate(self.strands)}
        return ProblemArrays(
            frames=model.frames, constants=model.constants, dofs=model.dofs, dof_constants=model.dof_constants,
            gravity=model.gravity, imposed=imposed if imposed.any() else np.zeros(0, dtype=np.int8), law=law, target=target,
            gains=gains, laws=self.table.arrays, wrenches=self.wrench_table.laws, drives=self.memories.drives,
            blocks=self.memories.blocks, row_law=np.arange(first, first + row_laws, dtype=np.int64),
            rows=self.constraints.arrays, strands=robot.strands.copy(), strand_constants=robot.strand_constants.copy(),
            strand_points=robot.strand_points.copy(),
            strand_law=np.array([strand.get(name, -1) for name in robot.strand_names], dtype=np.int64),
        )  # fmt: skip

    @property
    def weight(self) -> float:
        """Of the whole robot, N; without gravity that on earth."""
        return float(self.model.constants[:, MASS].sum()) * (float(np.linalg.norm(self.model.gravity)) or 9.81)

    @cached_property
    def with_passive_followers(self) -> Problem:
        """The same robot with dependent joints passive; itself where there are none."""
        if not (self.drive == DEPENDENT).any():
            return self
        found = self._without_dependent()
        found.controller = self.controller  # which knows the torques of the run
        return found

    @cached_property
    def classification(self) -> str:
        """What kind of problem this is, in words."""
        return classify(self)

    def check_motion(self, start: float, end: float) -> None:
        """Raise :class:`InputError` when a law is not known, or an imposed motion not twice differentiable, from start to end."""
        check_laws(self, start, end)
        check_on_rods(self, start, end)

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
        if self.table.has_python:
            read_all_laws(self, t)
        elif len(self.table):
            read_laws(self.arrays, float(t), self.inputs)
        if forces and (self.functions or self.controller is not None):
            read_torques(self, t, q.copy(), v.copy())
        if self.user_laws:
            read_wrenches(self, t, q, v)

    def accelerations(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Acceleration (nv,) at the state; imposed coordinates of ``q`` and ``v`` are put in place (the arrays change).

        Laws with memory are at the states ``workspace.memory.value``.
        """
        self.switch_servos(t)
        self.read_inputs(t, q, v)
        a = np.zeros(self.model.nv)
        accelerations(self.arrays, self.inputs, q, v, self.workspace, a)
        return a

    def imposed_state(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Copies of q and v that obey motions and constraints at time t: see :func:`~locodyn.locomotion.rhs.settle`."""
        q, v = q.copy(), v.copy()
        self.read_inputs(t, q, v)
        if self.arrays.rows is not None or len(self.arrays.imposed):
            settle(self.arrays.rows, self.arrays, self.inputs, q, v, self.workspace, np.zeros(self.model.nv))
        return q, v

    def driven_positions(self, t: float, q: np.ndarray) -> np.ndarray:
        """A copy of q with imposed coordinates where their motion is at time t."""
        q, nothing = q.copy(), np.zeros(self.model.nv)
        self.read_inputs(t, q, nothing, forces=False)
        impose(self.arrays, self.inputs, q, nothing.copy(), nothing)
        return q

    def row_speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Speed along every constraint row, (m,), at the state (q, v) that :meth:`imposed_state` has just returned."""
        arrays = self.constraints.arrays
        motions = np.vstack([self.model.kinematics(q, v)[1][:, :6], np.zeros(6)])  # the last row is the world's
        speeds: np.ndarray = np.einsum("mj,mj->m", arrays.cotwist, motions[arrays.frame])
        speeds += np.einsum("mj,mj->m", arrays.other_cotwist, motions[arrays.other])
        speeds += np.einsum("mj,mj->m", arrays.coefficient, v[arrays.coordinate])
        return speeds

    def start_state(
        self, t: float, q: np.ndarray, v: np.ndarray, contacts: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The state at which a run from time t begins: as :meth:`imposed_state`, checked, and sound at a singular start.

        ``contacts``: what contacts on rods remember of a run that goes on here; by default they take hold anew.

        Where the rows lose rank at the start but not right after it, the velocity that they leave open is the limit of those
        that follow (:mod:`locodyn.locomotion.singular`); a look at what follows tells that rank is lost. Loops are closed
        twice: any closed position tells the rank, with which the nearest one is found
        (:func:`~locodyn.locomotion.row_factors.factor_kinematics`).
        """
        constraints = self.constraints.arrays
        if constraints is None:
            return self.imposed_state(t, q, v)
        self.constraints.plant_feet(q)
        end_booking(self)
        if contacts is None:
            plant(self, t, q)
        else:
            recall(self, contacts)
        constraints.forget_rank()
        with along_paths(constraints):
            self.imposed_state(t, q, v)
            start_q, start_v = self.imposed_state(t, q, v)
            check_start(self, t, start_q, start_v)
            self.imposed_state(t + LATER, self.model.move(start_q, LATER * start_v), start_v)
            begun = self.imposed_state(t, start_q, start_v)
        begin_booking(self)
        return begun

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
        end_booking(self)
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

    def series(
        self,
        times: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        memory: np.ndarray | None = None,
        wrenches: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """What a result records for the states ``q`` (N, nq), ``v`` (N, nv) at ``times`` (N,), by the names of the contract.

        ``memory`` (N, nz): states of laws with memory; None where there are none. ``wrenches`` (N, nf, 6): of hard contacts on
        the frames, which imposed joints, wheels and loops feel.
        """
        return record(self, times, q, v, memory, wrenches)
