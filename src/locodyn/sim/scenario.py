"""A scenario: robot, world, drive, start, integrator and what to record. ``scenario.run()`` gives a result."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import AUTO, RHO_INF, Method
from locodyn.integrate.methods import all_options, method_of
from locodyn.motion import Law, as_law
from locodyn.sim.arguments import check_pull, robot_of
from locodyn.sim.check import Check
from locodyn.sim.drive_words import drive_words
from locodyn.sim.field_checks import PARTS, check_names
from locodyn.sim.fields import ChangedFields, RobotLike, ScenarioFields, StateLaw
from locodyn.sim.ground import check_reach, check_upright
from locodyn.sim.parameter import Parameter
from locodyn.sim.start import Start
from locodyn.typing import Axis
from locodyn.world.self_collision import BodyPairs, SelfCollision

if TYPE_CHECKING:
    from locodyn.contact.options import HardContact
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.problem import Problem
    from locodyn.locomotion.servo import Servo
    from locodyn.phases import HybridProblem, Phase, Phases
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.sim.result import Result
    from locodyn.world.obstacles import Fixture


Torque = Law | StateLaw
LawOrServo = TypeVar("LawOrServo")


@dataclass(frozen=True, eq=False)
class Scenario:
    """Everything that a run needs.

    Parameters
    ----------
    name : str
    robot : Robot, RobotDescription or CompiledRobot
        Wrench laws come with it.
    gravity : (3,) m/s^2
    imposed : mapping of coordinate names to laws
        Motion given; numbers and Python functions of time are taken too. Needs two derivatives.
    torque : mapping of coordinate names to laws or functions f(t, q, v)
        Torque (N m) or force (N) given.
    servo : mapping of coordinate names to :class:`~locodyn.locomotion.servo.Servo`
        Actuators that follow a target with a stiffness and a damping; added to ``torque``. A coordinate in none of these
        mappings is passive.
    tension, tendon_length, pressure, activation : mappings of names of tendons, chambers or muscles to laws
        Tension (N) of tendons; free length (m) of those that have a stiffness; pressure (Pa) of chambers; activation of muscles.
        None: zero, or the length at rest.
    load : mapping of names of wrench laws to laws
        What they are multiplied with; 1 without it.
    desired : mapping of ``name.x``, ``name.y``, ``name.z``, ``name.wx``, ... to laws
        Motion that the feedback laws of these names follow, m and rad/s, see :class:`~locodyn.world.laws.Feedback`.
    dependent : names of coordinates
        Actuated joints whose motion follows from the wheels that they carry; their torque comes out.
    steering, rolling, wheel_torque : mappings of wheel names to laws
        Angle of steered wheels (rad); rolling angle (rad) or torque (N m) of driven ones.
    speeds : triples (body or marker, direction in its axes, law of the distance)
        Speeds (m/s) that the motors of the driven wheels without a law of their own provide.
    equal : groups of wheel names
        Driven wheels that share one torque.
    weights, static : mappings of row names (``front.wheel.side``, ...) to numbers
        How redundant contacts share their load: a larger weight takes more of it; a static loading (N) is added.
    torque_method : str
        ``exact``, ``no_contact`` (as if only the reference body touched the ground) or ``projective`` (Ali 2011, 3.73-3.85).
    seed_sign : bool
        ``wheel_torque`` of the result with the sign of Ali (2011, (3.86)): reactions on the motors, negative where they drive.
    controller : f(t, q, v) -> torques (nv,), optional
    obstacles : sequence of Obstacle, Ground, Terrain
        What the surfaces of the robot hit (:mod:`locodyn.world`); needs an integrator for hard contact.
    self_collision : bool or SelfCollision
        Whether surfaces of bodies hit each other, but for neighbours, which a joint keeps in touch; ``left_out()`` lists them.
    contact : HardContact, optional
        How hard contact is solved.
    phases : Phases, optional
        The run passes through phases, in each of which other feet hold (:mod:`locodyn.phases`); needs ``adaptive``.
    start : Start, ``"zero_momentum"``, ``"equilibrium"``, an equilibrium of :func:`statics`, mapping of positions, or pair (q, v)
    t_end, dt : s
        The step is made a little smaller where that is needed for the last record to be at ``t_end``. Where none is given it is
        10 ms, or less where the integrator is chosen too.
    integrator : str or Method
        ``auto``: chosen from the robot at the start (:mod:`locodyn.integrate.choice`); the result says which and why. Or the name
        of a method of :mod:`locodyn.integrate.methods`, such as ``"radau3"``, or the method with its options, such as
        ``Radau3(tolerance=1e-8)``. A scenario keeps the name, and the options beside it.
    tolerance, rho_inf : float
        Options of the method: what each means says its class (``help(ld.Radau3)``); others do not look at them.
    record_every : int
        Steps between records.
    summary, parameters, checks
        Words, parameter table and acceptance checks, for scenarios of the zoo.
    source : str
        Of a scenario in a file: what follows ``locodyn run`` to run it again.
    """

    name: str
    robot: RobotLike
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    imposed: Mapping[str, Law] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    servo: Mapping[str, Servo] = field(default_factory=dict)
    tension: Mapping[str, Law] = field(default_factory=dict)
    tendon_length: Mapping[str, Law] = field(default_factory=dict)
    pressure: Mapping[str, Law] = field(default_factory=dict)
    activation: Mapping[str, Law] = field(default_factory=dict)
    load: Mapping[str, Law] = field(default_factory=dict)
    desired: Mapping[str, Law] = field(default_factory=dict)
    controller: StateLaw | None = None
    dependent: Sequence[str] = ()
    steering: Mapping[str, Law] = field(default_factory=dict)
    rolling: Mapping[str, Law] = field(default_factory=dict)
    wheel_torque: Mapping[str, Law] = field(default_factory=dict)
    speeds: Sequence[tuple[str, Axis, Law]] = ()
    equal: Sequence[Sequence[str]] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    static: Mapping[str, float] = field(default_factory=dict)
    torque_method: str = "exact"
    seed_sign: bool = False
    obstacles: Sequence[Fixture] = ()
    self_collision: bool | SelfCollision = False
    contact: HardContact | None = None
    phases: Phases | None = None
    start: Start = field(default_factory=Start)
    t_end: float = 10.0
    dt: float = None  # type: ignore[assignment]  # free; a number once the scenario is made
    integrator: str | Method = AUTO
    tolerance: float = 1e-9
    rho_inf: float = RHO_INF
    record_every: int = 1
    summary: str = ""
    parameters: tuple[Parameter, ...] = ()
    checks: tuple[Check, ...] = ()
    source: str = ""

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(self, name: str, robot: RobotLike, **fields: Unpack[ScenarioFields]) -> None: ...

    def __post_init__(self) -> None:
        robot_of(self.robot)  # refuses what is no robot
        for part in PARTS:
            self.__dict__.update(part(self))
        self.__dict__["start"] = Start.of(self.start)
        self.left_out()  # refuses wrong pairs
        check_names(self)
        if self.phases is not None:
            self.hybrid  # noqa: B018  refuses feet and coordinates that the robot does not have

    @property
    def method(self) -> Method:
        """The integrator with its options; ``auto`` has none before the run chooses."""
        return method_of(self.integrator, **{option.name: getattr(self, option.name) for option in all_options()})

    @functools.cached_property
    def compiled(self) -> CompiledRobot:
        """The robot as flat arrays."""
        return robot_of(self.robot)()

    @functools.cached_property
    def model(self) -> Model:
        """The dynamics of the robot."""
        from locodyn.dynamics.model import Model

        return Model(self.compiled, gravity=self.gravity)

    def by_index(self, laws: Mapping[str, LawOrServo]) -> dict[int, LawOrServo]:
        """Laws by the number of their coordinate instead of its name."""
        return {self.compiled.coordinate_names.index(name): law for name, law in laws.items()}

    @functools.cached_property
    def problem(self) -> Problem:
        """The locomotion problem: which coordinates are imposed, torque-driven, dependent, passive; what drives the wheels.

        Of a scenario with phases: that of the first phase.
        """
        return self._problem_of(None) if self.phases is None else self.hybrid.problems[self.phases.start]

    @functools.cached_property
    def hybrid(self) -> HybridProblem:
        """The problems of all phases."""
        from locodyn.phases import HybridProblem

        if self.phases is None:
            raise InputError(f"the scenario '{self.name}' has no phases; give phases=Phases(...).")
        return HybridProblem(self.phases, self._problem_of)

    def row_names(self) -> dict[str, list[str]]:
        """Names along the dimensions ``constraint``, ``contact`` and ``wheel`` of a result, of all phases."""
        from locodyn.locomotion.record import row_names
        from locodyn.phases.hybrid_run import all_row_names

        return row_names(self.problem) if self.phases is None else all_row_names(self.hybrid)

    def _problem_of(self, phase: Phase | None) -> Problem:
        """The problem of one phase; of None: with all feet."""
        from locodyn.locomotion.constraint_rows import Drives
        from locodyn.locomotion.problem import Problem

        locked = {} if phase is None else {name: as_law(value) for name, value in phase.locked.items()}
        return Problem(
            self.model,
            imposed=self.by_index({**self.imposed, **locked}),
            torque=self.by_index({name: law for name, law in self.torque.items() if name not in locked}),
            servo=self.by_index({name: one for name, one in self.servo.items() if name not in locked}),
            controller=self.controller if phase is None or phase.controller is None else phase.controller,
            feet=None if phase is None else phase.feet,
            dependent=[self.compiled.coordinate_names.index(name) for name in self.dependent],
            drives=Drives(self.steering, self.rolling, self.wheel_torque, self.speeds, self.equal),
            weights=self.weights,
            static=self.static,
            torque_method=self.torque_method,
            seed_sign=self.seed_sign,
            strands=self._strand_laws(),
            obstacles=tuple(self.obstacles),
            self_collision=self.self_collision,
            contact=self.contact,
            loads=self.load,
            desired=self.desired,
        )

    @property
    def targets(self) -> dict[str, Law]:
        """Motions that servos and a controller with ``targets`` follow, by coordinate."""
        given = {name: servo.law for name, servo in self.servo.items()} | dict(getattr(self.controller, "targets", {}))
        return {name: given[name] for name in self.compiled.coordinate_names[self.compiled.reference_nv :] if name in given}

    def _strand_laws(self) -> dict[str, Law]:
        given = {**self.tension, **self.tendon_length, **self.pressure, **self.activation}
        for number, name in enumerate(self.compiled.strand_names):
            if name not in given and self.compiled.strands[number, 0] == 1:
                given[name] = as_law(self.model.strand_lengths(self.model.neutral())[number])
        return given

    def check_motion(self, start: float = 0.0) -> None:
        """Refuse motion not known on the whole run, imposed motion without two derivatives, and tendons that push."""
        self.problem.check_motion(start, self.t_end)
        for name, law in self.tension.items():
            check_pull(name, law, start, self.t_end)
        for name, law in self.targets.items():
            law.require_known(name, start, self.t_end)

    def initial_state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and velocities (nv,) at t = 0."""
        q, v = self.start.state(self.model, self.by_index(self.imposed))
        if self.start.resolve and not len(self.problem.contact.table):
            raise InputError(
                f"resolve moves a robot out of what it overlaps; '{self.name}' has nothing to overlap: leave it out."
            )
        if (self.start.adjust or self.start.keep) and self.problem.arrays.constraints is None:
            word = "adjust" if self.start.adjust else "keep"
            raise InputError(
                f"{word} says what wheels, contacts and loops may change at the start; '{self.name}' has none of them."
            )
        if self.start.resolve:
            q = self.problem.resolved(q)
        check_upright(self, q)
        if self.start.equilibrium:
            from locodyn.equilibria.statics import equilibrium

            return equilibrium(self.problem, q, 0.0, steps=self.start.load_steps).q, v
        adjust, keep = (
            [self.compiled.coordinate_names.index(name) for name in names] for names in (self.start.adjust, self.start.keep)
        )
        if adjust:
            check_reach(self, q, adjust)
        return self.problem.settled(0.0, q, v, adjust or None, keep) if adjust or keep else (q, v)

    def changed(self, **fields: Unpack[ChangedFields]) -> Scenario:
        """A copy with other fields, e.g. ``scenario.changed(t_end=5, dt=0.001)``."""
        unknown = [name for name in fields if name not in self.__dataclass_fields__]
        if unknown:
            raise InputError(f"a scenario has no '{unknown[0]}'{nearest(unknown[0], self.__dataclass_fields__)}")
        free: dict[str, Any] = {"dt": None} if self.step_is_free else {}
        other: Mapping[str, Any] = fields
        return replace(self, **{**free, **other})

    @property
    def step_is_free(self) -> bool:
        """Whether no step was given, so that it may be chosen with the integrator."""
        return bool(self.__dict__["_step_is_free"])

    def computed_with(self, integrator: str, dt: float) -> Scenario:
        """A copy with this integrator and step (s), which shares the compiled robot and the problem."""
        twin = copy.copy(self)
        twin.__dict__.update(integrator=integrator, dt=float(dt), _step_is_free=False)
        return twin

    def on_whole_steps(self) -> Scenario:
        """The scenario with its step made a little smaller where needed, so that the last record is at ``t_end``."""
        stride = self.dt * self.record_every
        records = max(1, round(self.t_end / stride))
        if abs(records * stride - self.t_end) <= 1e-9 * self.t_end:
            return self
        return self.computed_with(str(self.integrator), self.t_end / (math.ceil(self.t_end / stride) * self.record_every))

    def left_out(self) -> dict[tuple[str, str], str]:
        """Pairs of bodies that have surfaces and never hit each other -> why; empty without ``self_collision``."""
        return BodyPairs(self.compiled.description, SelfCollision.of(self.self_collision)).left_out

    def drive_words(self) -> dict[str, str]:
        """For every coordinate and wheel, what drives it, in words."""
        return drive_words(self)

    def run(self, progress: bool | Callable[[float], None] = True, out: str | Path | None = None) -> Result:
        """Compute the run; ``out``: a NetCDF file for the result; ``progress``: show a bar and messages, or a function of the
        time reached (s), which may stop the run by raising KeyboardInterrupt.
        """
        from locodyn.sim.run import run

        return run(self, progress=progress, out=out)
