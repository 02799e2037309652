"""Parts of a scenario: the world, the numerics and the record of a run. Each checks itself when it is made.

What drives the robot is in :mod:`locodyn.sim.drive`, where it starts in :mod:`locodyn.sim.start`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import AUTO, DEFAULT_STEP, RHO_INF, Method
from locodyn.integrate.methods import METHODS, all_options, check_options, method_of
from locodyn.sim.arguments import listed, positive, three
from locodyn.sim.sensors import Sensor, checked
from locodyn.world.self_collision import SelfCollision

if TYPE_CHECKING:
    from locodyn.contact.options import HardContact
    from locodyn.sim.fields import NumericsFields, RecordingFields, WorldFields
    from locodyn.world.compliant_law import CompliantContact
    from locodyn.world.obstacles import Fixture

MOST_EVERY = 10**9  # steps between two records


class Part:
    """What the parts of a scenario share: they print what differs from their defaults."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.chosen().items())})"

    def chosen(self) -> dict[str, Any]:
        """Fields that differ from their defaults."""
        return {one.name: getattr(self, one.name) for one in fields(self) if not _is_default(one, getattr(self, one.name))}

    def _keep(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _is_default(one: Any, value: Any) -> bool:
    default = one.default_factory() if one.default is MISSING else one.default
    plain = isinstance(value, (bool, int, float, str, tuple, dict))  # arrays have no one answer
    return value is default or (plain and value == default)


@dataclass(frozen=True, eq=False, repr=False)
class World(Part):
    """Where the robot is.

    Parameters
    ----------
    gravity : (3,) m/s^2
    obstacles : sequence of Obstacle, Ground, Terrain
        What the surfaces of the robot hit (:mod:`locodyn.world`); needs an integrator for hard contact.
    self_collision : bool or SelfCollision
        Whether surfaces of bodies hit each other, but for neighbours, which a joint keeps in touch.
    contact : HardContact, CompliantContact, ``"hard"``, ``"compliant"`` or ``"regularised"``
        How hard contact is solved; or contact by springs and dampers with the friction of bristles, or with regularised friction
        (:mod:`locodyn.world.compliant_law`).
    """

    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    obstacles: Sequence[Fixture] = ()
    self_collision: bool | SelfCollision = False
    contact: HardContact | CompliantContact | None = None

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(self, **fields: Unpack[WorldFields]) -> None: ...

    def __post_init__(self) -> None:
        from locodyn.contact.options import HardContact
        from locodyn.world.compliant_law import CompliantContact

        words: dict[str, tuple[Any, dict[str, Any]]] = {
            "hard": (HardContact, {}),
            "compliant": (CompliantContact, {}),
            "regularised": (CompliantContact, {"friction": "regularised"}),
        }
        if isinstance(self.contact, str) and self.contact in words:
            kind, options = words[self.contact]
            self._keep(contact=kind(**options))
        self._keep(gravity=three(self.gravity, "gravity", "m/s^2"), obstacles=listed(self.obstacles, "obstacles"))
        SelfCollision.of(self.self_collision)  # refuses what is none
        if self.contact is not None and not isinstance(self.contact, (HardContact, CompliantContact)):
            raise InputError(
                f"contact is {self.contact!r}; it must be a HardContact(...), CompliantContact(...) or one of {', '.join(words)}."
            )

    def describe(self) -> str:
        """``gravity (0, 0, -9.81) m/s^2, 7 obstacles``."""
        words = [f"gravity ({', '.join(f'{x + 0.0:g}' for x in self.gravity)}) m/s^2"]
        if self.obstacles:
            words.append(f"{len(self.obstacles)} obstacle{'s' if len(self.obstacles) > 1 else ''}")
        return ", ".join([*words, "self-collision"] if self.self_collision else words)


@dataclass(frozen=True, eq=False, repr=False)
class Numerics(Part):
    """The integrator with its options, and the step.

    Parameters
    ----------
    integrator : str or Method
        ``auto``: chosen from the robot at the start (:mod:`locodyn.integrate.choice`); the result says which and why. Or the name
        of a method of :mod:`locodyn.integrate.methods`, such as ``"radau3"``, or the method with its options, such as
        ``ld.Radau3(tolerance=1e-8)``: the name is kept, and the options beside it.
    dt : s, optional
        The step, made a little smaller where that is needed for the last record to be at the end of the run. Where none is given
        it is 10 ms, or less where the integrator is chosen too.
    tolerance, rho_inf, split : float
        Options of the method: what each means says its class (``help(ld.Radau3)``). ``simulate``, ``changed``, files and the
        command line refuse one that the integrator they are given does not have; a run says of others that it does not look at
        them (:class:`~locodyn.sim.unused.UnusedWarning`).
    """

    integrator: str = AUTO
    dt: float | None = None
    tolerance: float = 1e-9
    rho_inf: float = RHO_INF
    split: float = 0.0

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[NumericsFields]) -> None: ...

    def __post_init__(self) -> None:
        chosen: Any = self.integrator
        options = self.options()
        if isinstance(chosen, Method):
            options, chosen = {**options, **chosen.values()}, chosen.name
        if chosen not in (AUTO, *METHODS):
            raise InputError(f"there is no integrator '{chosen}'{nearest(str(chosen), (AUTO, *METHODS))}")
        checked = {option.name: option.check(option.name, options[option.name]) for option in all_options()}
        self._keep(integrator=chosen, dt=None if self.dt is None else positive(self.dt, "the step", "s"), **checked)

    def options(self) -> dict[str, float]:
        """Options of all methods with their values."""
        return {option.name: getattr(self, option.name) for option in all_options()}

    def check_given(self, words: Iterable[str]) -> None:
        """Refuse ``words`` that are options which the named integrator does not have; of one chosen later the run says so."""
        if self.integrator != AUTO:
            check_options(self.integrator, words)

    @property
    def step(self) -> float:
        """The step, s; where it is free, the one that named integrators take."""
        return DEFAULT_STEP if self.dt is None else self.dt

    @property
    def step_is_free(self) -> bool:
        """Whether no step was given, so that it may be chosen with the integrator."""
        return self.dt is None

    @property
    def method(self) -> Method:
        """The integrator with its options; ``auto`` has none before the run chooses."""
        return method_of(self.integrator, **self.options())

    def describe(self) -> str:
        """``radau3, step 0.01 s``."""
        if self.integrator != AUTO:
            return f"{self.integrator}, step {self.step:g} s"
        return (
            "integrator and step chosen from the robot"
            if self.dt is None
            else f"integrator chosen from the robot, step {self.dt:g} s"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Recording(Part):
    """How long a run is, and what is recorded.

    Parameters
    ----------
    t_end : s
        The end of the run.
    record_every : int
        Steps between records.
    record : sequence of str
        Names of the variables that are recorded, such as ``("position", "joint_torque")``; none: all. Reports, plots and
        checks need those that they show.
    motor_reactions : bool
        ``wheel_torque`` of the result as Ali (2011, (3.86)) writes it: reactions on the motors, negative where they drive.
    sensors : {name: Sensor}
        Instruments on the robot, whose readings are ``measured`` of the result.
    """

    t_end: float = 10.0
    record_every: int = 1
    record: tuple[str, ...] = ()
    motor_reactions: bool = False
    sensors: Mapping[str, Sensor] = field(default_factory=dict)

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[RecordingFields]) -> None: ...

    def __post_init__(self) -> None:
        every = self.record_every
        self._keep(t_end=positive(self.t_end, "the end time", "s"), motor_reactions=bool(self.motor_reactions))
        self._keep(sensors=checked(self.sensors))
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise InputError(f"record_every is {every!r}; it must be a whole number of steps, at least 1.")
        if every > MOST_EVERY:
            raise InputError(f"record_every is {every:.3g} steps; it must be at most {MOST_EVERY:g}.")
        if isinstance(self.record, str) or not all(isinstance(name, str) for name in self.record):
            raise InputError(f"record is {self.record!r}; it must be a list of names of variables.")
        self._keep(record=tuple(self.record))
        if self.record:
            from locodyn.sim.recorders import VARIABLES

            for name in self.record:
                if name not in VARIABLES:
                    raise InputError(f"no result has a variable '{name}'{nearest(name, VARIABLES)}")

    def describe(self) -> str:
        """``to 10 s, every 2 steps``."""
        count = len(self.sensors)
        read = f", {count} sensor{'s' if count > 1 else ''}" if count else ""
        return f"to {self.t_end:g} s, every {'step' if self.record_every == 1 else f'{self.record_every} steps'}{read}"


def part_of(name: str, kind: type[Part], part: Any, words: dict[str, Any]) -> Part:
    """The part, or one of its kind where it is None, with ``words`` in the place of its own."""
    if part is None:
        return kind(**words)
    if not isinstance(part, kind):
        raise InputError(f"the {name} is {part!r}; it must be a {kind.__name__}(...).")
    return replace(part, **words) if words else part
