"""A scenario: robot, world, drive, start, numerics and recording. ``scenario.run()`` gives a result."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import AUTO
from locodyn.motion import Law, as_law
from locodyn.robot.html import html_table
from locodyn.sim.arguments import check_gravity, check_pull, robot_of
from locodyn.sim.body_checks import check_held, check_least_moments, check_stretch
from locodyn.sim.check import Check
from locodyn.sim.drive import Drive
from locodyn.sim.fields import ChangedFields, RobotLike, ScenarioFields
from locodyn.sim.parameter import Parameter
from locodyn.sim.parts import Numerics, Part, Recording, World, part_of
from locodyn.sim.sensors import check_places
from locodyn.sim.start import Start
from locodyn.sim.touching import check_reach, check_upright
from locodyn.world.compliant_law import CompliantContact
from locodyn.world.self_collision import BodyPairs, SelfCollision

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.problem import Problem
    from locodyn.phases import HybridProblem, Phase, Phases
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.sim.batch import ScenarioBatch
    from locodyn.sim.result import Result
    from locodyn.sim.stepping import Simulation

LawOrServo = TypeVar("LawOrServo")

_PARTS: dict[str, type[Part]] = {"world": World, "drive": Drive, "numerics": Numerics, "recording": Recording}
_PART_OF = {one.name: part for part, kind in _PARTS.items() for one in fields(kind)}
_MOST_RECORDS = 1e8


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Scenario:
    """Everything that a run needs: a robot and five parts, each of which checks itself.

    The words of world, drive, numerics and recording may be given in their place, or beside them to replace what they say:
    ``Scenario("arm", robot, imposed=laws, t_end=5)`` means
    ``Scenario("arm", robot, drive=Drive(imposed=laws), recording=Recording(t_end=5))``.

    Parameters
    ----------
    name : str
    robot : Robot, RobotDescription or CompiledRobot
        Wrench laws come with it.
    world : World
        gravity, obstacles, self_collision, contact
    drive : Drive
        imposed, torque, servo, controller; tension, tendon_length, pressure, activation; steering, rolling, wheel_torque, speeds,
        equal, dependent; load, desired; weights, static, torque_method
    phases : Phases, optional
        The run passes through phases, in each of which other feet hold (:mod:`locodyn.phases`); needs ``adaptive``.
    start : Start, ``"zero_momentum"``, ``"equilibrium"``, an equilibrium of :func:`statics`, mapping of positions, or pair (q, v)
    numerics : Numerics
        integrator, dt, tolerance, rho_inf, split
    recording : Recording
        t_end, record_every, motor_reactions, sensors
    summary, parameters, checks
        Words, parameter table and acceptance checks, for scenarios of the zoo.
    source : str
        Of a scenario in a file: what follows ``locodyn run`` to run it again.
    """

    name: str
    robot: RobotLike
    world: World
    drive: Drive
    phases: Phases | None
    start: Start
    numerics: Numerics
    recording: Recording
    summary: str
    parameters: tuple[Parameter, ...]
    checks: tuple[Check, ...]
    source: str

    def __init__(self, name: str, robot: RobotLike, **words: Unpack[ScenarioFields]) -> None:
        parts: dict[str, Any] = {"phases": None, "summary": "", "parameters": (), "checks": (), "source": "", **words}
        check_words(parts, "a scenario has no")
        robot_of(robot)  # refuses what is no robot
        given = [word for word in parts if word in _PART_OF]
        for part, kind in _PARTS.items():
            own = {word: parts.pop(word) for word in given if _PART_OF[word] == part}
            parts[part] = part_of(part, kind, parts.get(part), own)
        self.__dict__.update(parts, name=name, robot=robot, start=Start.of(parts.get("start")))
        self._check_span()
        self._check_names()
        if self.phases is not None:
            self._check_phases()
        check_gravity(self.drive.controller, self.phases, self.world.gravity)
        check_least_moments(self)
        if self.recording.sensors:
            check_places(self)

    def _check_span(self) -> None:
        """The step fits into the run, and the records into memory."""
        end, step, every = self.recording.t_end, self.numerics.step, self.recording.record_every
        if step > end:
            raise InputError(f"the step is {step:g} s, longer than the run of {end:g} s; it must be smaller.")
        if end / step / every > _MOST_RECORDS:
            raise InputError(
                f"a run of {end:g} s in steps of {step:g} s keeps {end / step / every:.3g} records; at most"
                f" {_MOST_RECORDS:g} are possible: take a longer step, or keep fewer (record_every)."
            )

    def _check_phases(self) -> None:
        """The method finds the ends of phases, and the robot has their feet and coordinates."""
        from locodyn.phases import Phases

        if not isinstance(self.phases, Phases):
            raise InputError(f"the phases are {self.phases!r}; they must be a Phases(...).")
        integrator = self.numerics.integrator
        if integrator not in (AUTO, "adaptive"):
            raise InputError(f"the integrator '{integrator}' does not find the ends of phases; use 'adaptive', or leave it out.")
        hard = self.world.obstacles and not isinstance(self.world.contact, CompliantContact)
        if hard or self.world.self_collision:
            raise InputError(
                "a run through phases has no hard contact: its feet hold or swing; leave out obstacles or phases, or take"
                ' contact="compliant".'
            )
        self.__dict__["numerics"] = replace(self.numerics, integrator="adaptive")
        self.hybrid  # noqa: B018  refuses feet and coordinates that the robot does not have

    def _check_names(self) -> None:
        """The robot has the pairs of bodies, coordinates, wheels and strands that are named."""
        if self.world.self_collision:
            self.left_out()
        self.drive.check_names(self.compiled)
        for name in (*self.start.adjust, *self.start.keep):
            if name not in self.compiled.coordinate_names:
                known = self.compiled.coordinate_names
                raise InputError(f"robot '{self.compiled.name}' has no coordinate '{name}'{nearest(name, known)}")

    def __repr__(self) -> str:
        return "\n".join([f"Scenario '{self.name}'", *(f"  {part:<10} {words}" for part, words in self.describe().items())])

    def _repr_html_(self) -> str:
        return html_table(("part", "what"), self.describe().items(), title=f"Scenario '{self.name}'")

    def describe(self) -> dict[str, str]:
        """The parts, in a few words each."""
        robot, bodies, freedoms = self.compiled.name, len(self.compiled.body_names), self.compiled.nv
        many = "y" if bodies == 1 else "ies", "" if freedoms == 1 else "s"
        words = f"{robot}: {bodies} bod{many[0]}, {freedoms} degree{many[1]} of freedom"
        parts = ("world", "drive", "start", "numerics", "recording")
        return {"robot": words, **{part: getattr(self, part).describe() for part in parts}}

    @functools.cached_property
    def compiled(self) -> CompiledRobot:
        """The robot as flat arrays."""
        return robot_of(self.robot)()

    @functools.cached_property
    def model(self) -> Model:
        """The dynamics of the robot."""
        from locodyn.dynamics.model import Model

        return Model(self.compiled, gravity=self.world.gravity)

    def by_index(self, laws: Mapping[str, LawOrServo]) -> dict[int, LawOrServo]:
        """Laws by the number of their coordinate instead of its name."""
        return {self.compiled.coordinate_names.index(name): law for name, law in laws.items()}

    @functools.cached_property
    def problem(self) -> Problem:
        """What is imposed, torque-driven, dependent, passive; what drives the wheels. With phases: the problem of the first."""
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

        return row_names(self.problem) if self.phases is None else self.hybrid.row_names()

    def _problem_of(self, phase: Phase | None) -> Problem:
        """The problem of one phase; of None: with all feet."""
        from locodyn.locomotion.constraint_rows import Drives, Sharing
        from locodyn.locomotion.problem import Problem, Schedule, Surroundings

        drive, world, feet = self.drive, self.world, None if phase is None else phase.feet
        locked = {} if phase is None else {name: as_law(value) for name, value in phase.locked.items()}
        return Problem(
            self.model,
            imposed=self.by_index({**drive.imposed, **locked}),
            torque=self.by_index({name: law for name, law in drive.torque.items() if name not in locked}),
            servo=self.by_index({name: one for name, one in drive.servo.items() if name not in locked}),
            controller=drive.controller if phase is None or phase.controller is None else phase.controller,
            dependent=[self.compiled.coordinate_names.index(name) for name in drive.dependent],
            drives=Drives(
                drive.steering, drive.rolling, drive.wheel_torque, drive.speeds, drive.equal, self.recording.motor_reactions
            ),
            sharing=Sharing(drive.weights, drive.static, drive.torque_method),
            schedule=Schedule(self._strand_laws(), drive.load, drive.desired),
            surroundings=Surroundings(tuple(world.obstacles), world.self_collision, world.contact, feet),
        )

    @property
    def targets(self) -> dict[str, Law]:
        """Motions that servos and a controller with ``targets`` follow, by coordinate."""
        found = {**{name: one.law for name, one in self.drive.servo.items()}, **getattr(self.drive.controller, "targets", {})}
        return {name: found[name] for name in self.compiled.coordinate_names[self.compiled.reference_nv :] if name in found}

    def _strand_laws(self) -> dict[str, Law]:
        laws = {**self.drive.tension, **self.drive.tendon_length, **self.drive.pressure, **self.drive.activation}
        for number, name in enumerate(self.compiled.strand_names):
            if name not in laws and self.compiled.strands[number, 0] == 1:
                laws[name] = as_law(self.model.strand_lengths(self.model.neutral())[number])
        return laws

    def check_motion(self, start: float = 0.0) -> None:
        """Refuse motion not known on the whole run, imposed motion without two derivatives, and tendons that push."""
        end = self.recording.t_end
        self.problem.check_motion(start, end)
        check_stretch(self, start, end)
        if start == 0.0:
            check_held(self)
        for name, law in self.drive.tension.items():
            check_pull(name, law, start, end)
        for name, law in self.targets.items():
            law.require_known(name, start, end)

    def initial_state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and velocities (nv,) at t = 0."""
        q, v = self.start.state(self.model, self.by_index(self.drive.imposed))
        if self.start.resolve and not len(self.problem.contact.table):
            raise InputError(f"resolve moves a robot out of overlaps; '{self.name}' has nothing to overlap: leave it out.")
        if (self.start.adjust or self.start.keep) and self.problem.arrays.rows is None:
            word = "adjust" if self.start.adjust else "keep"
            raise InputError(
                f"{word} says what wheels, contacts and loops may change at the start; '{self.name}' has none of them."
            )
        q = self.problem.resolved(q) if self.start.resolve else q
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

    def initial_memory(self) -> np.ndarray:
        """States (nz,) of laws with memory at t = 0: those of the start, or of its equilibrium."""
        if self.start.equilibrium and self.start.memory is None and self.problem.memories.count:
            from locodyn.equilibria.balance import Balance

            return Balance(self.problem, 0.0).memory(self.initial_state()[0])
        return self.problem.memories.start(self.start.memory)

    def changed(self, **words: Unpack[ChangedFields]) -> Scenario:
        """A copy with other parts or words of them, e.g. ``scenario.changed(t_end=5, dt=0.001)``."""
        check_words(words, "a scenario has no")
        kept: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        found = Scenario(**{**kept, **words})
        found.numerics.check_given(words)
        return found

    def computed_with(self, integrator: str, dt: float) -> Scenario:
        """A copy with this integrator and step (s), which shares the compiled robot and the problem."""
        return self.twin(numerics=replace(self.numerics, integrator=integrator, dt=float(dt)))

    def twin(self, **parts: object) -> Scenario:
        """A copy with other parts that need no check beside the rest, which shares the compiled robot and the problem."""
        found = copy.copy(self)
        found.__dict__.update(parts)
        return found

    def on_whole_steps(self) -> Scenario:
        """The scenario with its step made a little smaller where needed, so that the last record is at ``t_end``."""
        end, every = self.recording.t_end, self.recording.record_every
        stride = self.numerics.step * every
        records = max(1, round(end / stride))
        if abs(records * stride - end) <= 1e-9 * end:
            return self
        return self.computed_with(self.numerics.integrator, end / (math.ceil(end / stride) * every))

    def left_out(self) -> dict[tuple[str, str], str]:
        """Pairs of bodies that have surfaces and never hit each other -> why; empty without ``self_collision``."""
        return BodyPairs(self.compiled.description, SelfCollision.of(self.world.self_collision)).left_out

    def open(self, actions: Sequence[str] | None = None) -> Simulation:
        """A run that is stepped from outside, see :class:`~locodyn.sim.stepping.Simulation`.

        >>> import locodyn as ld
        >>> sim = ld.zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.001).open(actions=["joint_1"])
        >>> q, v = sim.step([0.5], steps=10)     # 0.5 N m for 10 ms
        >>> round(sim.time, 3)
        0.01
        """
        from locodyn.sim.stepping import Simulation

        return Simulation(self, actions)

    def batch(
        self, count: int, *, actions: Sequence[str] | None = None, threads: int | None = None, device: str | None = None,
        dtype: str = "float64",
    ) -> ScenarioBatch:  # fmt: skip
        """So many robots of this scenario, see :class:`~locodyn.sim.batch.ScenarioBatch`, which also takes different ones.

        >>> import locodyn as ld
        >>> many = ld.zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.01, t_end=0.1).batch(3)
        >>> dict(many.run().sizes)["robot"]
        3
        """
        from locodyn.sim.batch import ScenarioBatch

        return ScenarioBatch([self], count, actions, threads, device, dtype)

    def run(self, progress: bool | Callable[[float], None] = True, out: str | Path | None = None) -> Result:
        """Compute the run; ``out``: a NetCDF file for the result; ``progress``: show a bar and messages, or a function of the
        time reached (s), which may stop the run by raising KeyboardInterrupt.
        """
        from locodyn.sim.run import run

        return run(self, progress=progress, out=out)


def check_words(words: Mapping[str, Any], refusal: str) -> None:
    """:class:`InputError` that begins with ``refusal`` where a word is neither one of a scenario nor one of its parts."""
    for word in words:
        if word not in _PART_OF and word not in Scenario.__dataclass_fields__:
            known = [*Scenario.__dataclass_fields__, *_PART_OF]
            raise InputError(f"{refusal} '{word}'{nearest(word, known)}")
