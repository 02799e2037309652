"""What a scenario and its parts take: the types of their fields as they may be given. They keep laws, whatever stood for them.

``simulate``, ``statics`` and ``Scenario.changed`` take the same words, so that editors and type checkers know them there too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from locodyn.motion.function import LawLike
from locodyn.typing import Array, Axis, Vector

if TYPE_CHECKING:
    from locodyn.contact.options import HardContact
    from locodyn.equilibria.shooting import StrongEquilibrium
    from locodyn.equilibria.statics import Equilibrium
    from locodyn.integrate.base import Method
    from locodyn.locomotion.servo import Servo
    from locodyn.phases import Phases
    from locodyn.robot.building.builder import Robot
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.robot.description import RobotDescription
    from locodyn.sim.check import Check
    from locodyn.sim.drive import Drive
    from locodyn.sim.parameter import Parameter
    from locodyn.sim.parts import Numerics, Recording, World
    from locodyn.sim.result import Result
    from locodyn.sim.sensors import Sensor
    from locodyn.sim.start import Start, Values
    from locodyn.world.compliant_law import CompliantContact
    from locodyn.world.obstacles import Fixture
    from locodyn.world.self_collision import SelfCollision

RobotLike: TypeAlias = "Robot | RobotDescription | CompiledRobot"
"""A robot in the making, its description, or its arrays."""

StateLaw: TypeAlias = Callable[[float, np.ndarray, np.ndarray], Any]
"""f(t, q, v): one number of a torque, (nv,) of a controller."""

StartLike: TypeAlias = (
    "Start | str | Equilibrium | StrongEquilibrium | Result | Mapping[str, Array] | tuple[Values, Values] | None"
)
"""What :meth:`Start.of` takes."""


class WorldFields(TypedDict, total=False):
    """Of a :class:`~locodyn.sim.parts.World`."""

    gravity: Vector
    obstacles: Sequence[Fixture]
    self_collision: bool | SelfCollision
    contact: HardContact | CompliantContact | str | None


class DriveFields(TypedDict, total=False):
    """Of a :class:`~locodyn.sim.drive.Drive`."""

    imposed: Mapping[str, LawLike]
    torque: Mapping[str, LawLike | StateLaw]
    servo: Mapping[str, Servo]
    tension: Mapping[str, LawLike]
    tendon_length: Mapping[str, LawLike]
    pressure: Mapping[str, LawLike]
    activation: Mapping[str, LawLike]
    load: Mapping[str, LawLike]
    desired: Mapping[str, LawLike]
    controller: StateLaw | None
    dependent: str | Sequence[str]
    steering: Mapping[str, LawLike]
    rolling: Mapping[str, LawLike]
    wheel_torque: Mapping[str, LawLike]
    speeds: Sequence[tuple[str, Axis, LawLike]]
    equal: Sequence[Sequence[str]]
    weights: Mapping[str, float]
    static: Mapping[str, float]
    torque_method: str


class StepFields(TypedDict, total=False):
    """Of :class:`~locodyn.sim.parts.Numerics`, but for the tolerance."""

    integrator: str | Method
    dt: float | None
    rho_inf: float
    split: float


class NumericsFields(StepFields, total=False):
    """Of :class:`~locodyn.sim.parts.Numerics`."""

    tolerance: float


class RecordingFields(TypedDict, total=False):
    """Of a :class:`~locodyn.sim.parts.Recording`."""

    t_end: float
    record_every: int
    record: Sequence[str]
    motor_reactions: bool
    sensors: Mapping[str, Sensor]


class StaticsFields(WorldFields, DriveFields, StepFields, RecordingFields, total=False):
    """Those of :class:`ScenarioFields` but for the tolerance, which statics has of its own."""

    world: World
    drive: Drive
    phases: Phases | None
    start: StartLike
    numerics: Numerics
    recording: Recording
    summary: str
    parameters: tuple[Parameter, ...]
    checks: tuple[Check, ...]
    source: str


class ScenarioFields(StaticsFields, total=False):
    """The words of a :class:`~locodyn.sim.scenario.Scenario` but for its name and its robot, as they may be given."""

    tolerance: float


class ChangedFields(ScenarioFields, total=False):
    """All words."""

    name: str
    robot: RobotLike
