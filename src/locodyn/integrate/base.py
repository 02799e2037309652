"""What a method of time integration declares and promises.

A method is a frozen dataclass in a file of its own under ``integrate/methods``. It declares

1. ``name``, by which scenarios, files and the command line know it; ``order``; whether its step is fixed, and whether implicit;
2. the features that it ``takes``, with its reasons for those that it does not; what it ``suits``, in words for tables;
3. its options: fields made by :func:`option`, with default, unit, meaning and check.

From that come the registry, refusals, the help of the command line, the schema of files and the tables of the documentation.
It promises that

4. ``run`` advances the state (q, v) of a :class:`~locodyn.locomotion.problem.Problem`, with the states of its laws with memory
   (``problem.workspace.memory``); imposed coordinates follow their motion exactly;
5. quaternions keep norm 1 to round-off, whatever the number of steps;
6. it reports evaluations of the dynamics and iterations, and stops with a sentence when the numbers go bad; what it has so
   far is kept;
7. a run with fixed steps, or by ``adaptive`` before its end, that is stopped at a record and started again from its state and
   ``Solution.history`` gives the same bits. The history is all that a step takes from those before it besides the state, see
   :mod:`locodyn.integrate.history`. Not in it: memories of functions of the user, but for control laws that hand theirs over
   (:mod:`locodyn.locomotion.sampled_controller`).

Declarations load without kernels: a method imports those when it runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from locodyn.errors import InputError
from locodyn.integrate.features import SMOOTH, Feature

if TYPE_CHECKING:
    import numpy as np

    from locodyn.integrate.steppers.base import FixedRun, Stepper
    from locodyn.locomotion.problem import Problem

AUTO = "auto"  # the name under which the choice is left to the library
DEFAULT_STEP = 0.01  # s
SMALLEST_TOLERANCE = 1e-15  # five units in the last place of 1
Progress = Callable[[float], None]
Event = Callable[[float, "np.ndarray", "np.ndarray"], float]

# Spectral radius of generalized-alpha, HHT and WBZ at high frequencies, where none is given. With loops and extensible rods 0.9
# is not enough: rows held by positions feed the stretch modes in every step, and the energy grows without bound (threefold
# within 1.4 s in tests/analytic/test_energy_account.py). At 0.7 and below it does not; 0.6 is what Gotelli (2024, 4.9.1) uses.
RHO_INF = 0.6


@dataclass
class Solution:
    """States at the recorded times.

    ``times`` (N,) s, ``q`` (N, nq), ``v`` (N, nv), ``iterations`` (N,) of the solver since the sample before, ``status``
    "completed" or what went wrong, ``evaluations`` of the dynamics, ``step`` s (0 when adaptive), ``events`` (times at which each
    event function was zero), ``history``: what the next step takes from those before it besides the state, at the last recorded
    time (None: nothing, or not known), ``recorded`` and ``attributes``: variables of the result that only the integrator knows
    (forces of hard contact), and numbers about the run.
    ``memory`` (N, nz): states of laws with memory, by ``problem.memories.names``.
    ``multipliers`` (N, m): those of all constraint rows inside implicit steps, at their last stage; None for other methods.
    ``row_forces`` (N, m): those of all constraint rows over the last step, where ``recorded`` has means of more; or None.
    ``series``: what the dynamics give at the records by the names of the contract, of a run through phases, whose rows change;
    None: one problem computes it (:meth:`~locodyn.locomotion.problem.Problem.series`).
    ``paused``: whoever asked for the run wanted to go on from here later, see :class:`Watch`.
    """

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    iterations: np.ndarray
    status: str = "completed"
    evaluations: int = 0
    step: float = 0.0
    message: str = ""
    events: list[np.ndarray] = field(default_factory=list)
    history: np.ndarray | None = None
    recorded: dict[str, np.ndarray] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    multipliers: np.ndarray | None = None
    row_forces: np.ndarray | None = None
    memory: np.ndarray | None = None
    series: dict[str, np.ndarray] | None = None
    paused: bool = False

    @property
    def failed(self) -> bool:
        """True when the run ended because its numbers went bad."""
        return self.status.startswith("failed")


@dataclass(frozen=True)
class Past:
    """What a run has behind it where it begins, besides positions and velocities.

    ``memory``: states of laws with memory, by name or all of them; None: zero. ``origin`` (s): where a run began that goes on
    here; steps are counted from there, so that a resumed run is the uninterrupted one bit by bit. ``history``:
    ``Solution.history`` of that run: what its last step leaves to the next one besides the state, see
    :mod:`locodyn.integrate.history`; without it methods, contacts and controllers start anew.
    """

    memory: Mapping[str, float] | Sequence[float] | np.ndarray | None = None
    origin: float | None = None
    history: np.ndarray | None = None


@dataclass(frozen=True)
class Watch:
    """What looks at a run while it goes on.

    ``on_progress``: called with the time reached, often enough for a progress bar. ``events``: functions g(t, q, v); with
    ``adaptive`` the times of their zeros are found, and the run goes on. A function with the attribute ``terminal = True`` ends
    it. ``sums_work``: of fixed steps, sum up the work between records that powers at the records do not tell, for the energy
    account (:mod:`locodyn.integrate.unrecorded_work`). ``pause``: asked at records, with their number so far, whether to stop
    there for now, by methods whose history makes the run that goes on the one that was not stopped; the solution then says
    ``paused``. ``goes_on``: at its end, too, the run only pauses. ``hand_over``: takes the records so far from methods that
    cannot be stopped without a change of their results, where ``pause`` says so; the run goes on, and its next records begin
    with the last of these.
    """

    on_progress: Progress | None = None
    events: Sequence[Event] = ()
    sums_work: bool = False
    pause: Callable[[int], bool] | None = None
    goes_on: bool = False
    hand_over: Callable[[Solution], None] | None = None

    def takes(self, records: int) -> bool:
        """Whether so many records are to be handed over."""
        return self.hand_over is not None and self.pause is not None and self.pause(records)


@dataclass(frozen=True)
class Run:
    """What a method is asked for: arguments as of :func:`~locodyn.integrate.solve`, checked.

    (``q``, ``v``, ``memory``): the start.
    """

    problem: Problem
    q: np.ndarray
    v: np.ndarray
    t0: float
    t_end: float
    step: float
    every: int
    origin: float
    memory: np.ndarray
    history: np.ndarray | None
    watch: Watch


@dataclass(frozen=True)
class Option:
    """A number that a method can be given."""

    name: str
    default: float
    unit: str
    meaning: str
    check: Callable[[str, Any], float]


def option(default: float, unit: str, meaning: str, check: Callable[[str, Any], float]) -> Any:
    """A field of a method that is an option of it."""
    return field(default=default, metadata={"unit": unit, "meaning": meaning, "check": check})


def tolerance(meaning: str) -> Any:
    """The option of that name, with what it bounds."""
    return option(1e-9, "1", meaning, tolerable)


def tolerable(name: str, value: Any) -> float:
    """A positive number that sums of doubles can reach, or :class:`InputError`."""
    number = positive(name, value)
    if number < SMALLEST_TOLERANCE:
        raise InputError(f"the {name} is {number:g}; numbers have 16 digits, so that it must be at least {SMALLEST_TOLERANCE:g}.")
    return number


def positive(name: str, value: Any) -> float:
    """A positive number, or :class:`InputError`."""
    number = _number(value)
    if not 0.0 < number < math.inf:
        raise InputError(f"the {name} is {value!r}; it must be a positive number.")
    return number


def fraction(name: str, value: Any) -> float:
    """A number from 0 to 1, or :class:`InputError`."""
    number = _number(value)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{name} is {value!r}; it must lie between 0 and 1.")
    return number


def zero_or_one(name: str, value: Any) -> float:
    """0 or 1, or :class:`InputError`."""
    number = _number(value)
    if number not in (0.0, 1.0):
        raise InputError(f"{name} is {value!r}; it must be 0 or 1.")
    return number


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


@dataclass(frozen=True)
class Method:
    """A time integrator with its options."""

    name: ClassVar[str]
    order: ClassVar[int]
    suits: ClassVar[str]  # which runs it is for, for tables
    choice: ClassVar[tuple[str, str] | None] = None  # in the table that helps to choose: which robot, which step
    purpose: ClassVar[str] = ""  # what a family is for; none: smooth motion of rigid robots
    fixed_step: ClassVar[bool] = True  # the run is counted in steps of one length
    step_words: ClassVar[str] = "fixed"
    order_words: ClassVar[str] = ""  # where one number does not say it all
    implicit: ClassVar[bool] = False  # Newton's method solves each step
    implicit_servos: ClassVar[bool] = False  # stiff servos do not limit the step
    holds_torques: ClassVar[bool] = False  # functions of the user are asked for torques once in a step
    dissipates: ClassVar[bool] = False  # it takes energy out of what a step does not resolve, or of impacts
    always_stable: ClassVar[bool] = False  # at any step, and damps what that does not resolve
    pauses: ClassVar[bool] = False  # it asks ``Watch.pause``
    hands_over: ClassVar[bool] = False  # it calls ``Watch.hand_over``
    inertia: ClassVar[bool] = True  # False: a sequence of equilibria
    divides: ClassVar[bool] = False  # its steps have parts that follow an error: much may happen in one of them
    books_work: ClassVar[bool] = False  # it sums up work and losses itself, step by step
    accounts: ClassVar[bool] = True  # False: events between records change the energy, and no recorded power shows them
    keeps_to_paths: ClassVar[bool] = False  # its steps ask for motions only, which rows of many loops give along their paths
    frees_dependent: ClassVar[bool] = False  # it moves dependent joints as passive ones, see ``subject``
    takes: ClassVar[frozenset[Feature]] = SMOOTH
    best_for: ClassVar[frozenset[Feature]] = frozenset()  # named first to who has these and is refused elsewhere
    reasons: ClassVar[tuple[tuple[Feature, str], ...]] = ()  # for not taking a feature, where it needs one
    sources: ClassVar[tuple[tuple[str, str], ...]] = ()  # short name, full source

    def __post_init__(self) -> None:
        for one in self.options():
            object.__setattr__(self, one.name, one.check(one.name, getattr(self, one.name)))

    @classmethod
    @cache
    def options(cls) -> tuple[Option, ...]:
        """What the method can be given."""
        return tuple(Option(one.name, one.default, **one.metadata) for one in fields(cls))  # type: ignore[arg-type]  # all have a default

    def values(self) -> dict[str, float]:
        """Options with their values."""
        return {one.name: getattr(self, one.name) for one in self.options()}

    def growth(self, z: complex) -> float | None:
        """Factor by which a step h multiplies a mode of xdot = lambda x, z = h lambda; None where no step is too long for one."""
        return None

    def check(self, problem: Problem, q: np.ndarray, step: float, fresh: bool) -> None:
        """Refuse a start (``fresh``: not a resumed one) or a step that the method cannot make anything of."""

    def subject(self, problem: Problem) -> Problem:
        """The problem whose motion the method computes.

        Where joints are dependent, wheels give all velocities, whatever the forces: a method without equations of its own for
        such joints moves them as passive ones, on the rows of their wheels. Their forces are those of the problem itself.
        """
        return problem.with_passive_followers if self.frees_dependent else problem

    def run(self, run: Run) -> Solution:
        """The solution from ``run.t0`` to ``run.t_end``."""
        raise NotImplementedError


@dataclass(frozen=True)
class FixedStep(Method):
    """A method of fixed steps: :func:`~locodyn.integrate.fixed.run_fixed` drives its stepper."""

    pauses = True

    def stepper(self, run: FixedRun) -> Stepper:
        """The method at work in one run."""
        raise NotImplementedError

    def run(self, run: Run) -> Solution:
        """As of :class:`Method`."""
        from locodyn.integrate.fixed import run_fixed

        return run_fixed(self, run)
