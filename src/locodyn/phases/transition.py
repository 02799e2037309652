"""Transitions between phases: the guard that ends a phase, and what follows.

A guard is a function g(t, q, v) of the state. The phase ends where g passes zero in the direction of the transition, while its
condition holds. All of them are located on the dense output of the integrator, to round-off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from locodyn.errors import InputError, check_takes
from locodyn.motion.base import finite
from locodyn.world.obstacles import numbers

if TYPE_CHECKING:
    from locodyn.phases.hybrid_problem import HybridProblem

FALLING, RISING, BOTH = -1, 1, 0
_WORDS = {"falling": FALLING, "rising": RISING, "both": BOTH}
_AT_REST = 1e-9  # of the robot's length or weight: a foot so near to the ground, or pulled by so little, rests on it


@dataclass(frozen=True)
class Transition:
    """From the phase ``source`` to the phase ``target``.

    Parameters
    ----------
    source, target : str
    exchange : bool
        Of each kind: the legs change their names there; coordinates are exchanged by the mirror of the phases.
    """

    source: str
    target: str

    kind: ClassVar[str] = "transition"

    @property
    def sense(self) -> int:
        """Direction in which the guard passes zero: -1 falling, 1 rising, 0 both."""
        return FALLING

    def guard(self, hybrid: HybridProblem, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """g(t, q, v) in the phase ``source``."""
        raise NotImplementedError

    def armed(self, hybrid: HybridProblem, q: np.ndarray) -> bool:
        """Whether a zero of the guard at the configuration q counts."""
        return True

    def rest(self, hybrid: HybridProblem) -> float:
        """A guard that begins so near to zero passes it only after it has been farther away, or where it is so far beyond."""
        return 0.0

    def at_once(self, hybrid: HybridProblem, value: float) -> bool:
        """Whether a phase that begins with this value of the guard ends where it begins."""
        return False

    def check(self, hybrid: HybridProblem) -> None:
        """Refuse names that the robot does not have."""

    def words(self) -> str:
        """``left -> right: touchdown of right_foot``."""
        return f"{self.source} -> {self.target}: {self.kind}"


@dataclass(frozen=True)
class Touchdown(Transition):
    """A foot comes down on its plane; the feet of the next phase hold from then on, after a plastic impact.

    Parameters
    ----------
    foot : str
        The one that lands.
    ahead : m
        It counts only where the foot is this far in front of every foot that holds, along ``along``; the foot of a robot without
        knees passes through the ground in mid-swing. None: it counts everywhere.
    along : (3,)
        Direction of walking in the world, x by default.
    stiff : {coordinate: value}
        Joints that are locked during the impact, though not after it: a knee that is released by it.
    depth : m
        On compliant ground, where no foot holds: how deep the foot must press; then only the controller changes.
    """

    foot: str
    ahead: float | None = 0.0
    along: tuple[float, float, float] = (1.0, 0.0, 0.0)
    stiff: Mapping[str, float] = field(default_factory=dict)
    exchange: bool = False
    depth: float = 0.0

    kind: ClassVar[str] = "touchdown"

    def __post_init__(self) -> None:
        what = f"of the touchdown of '{self.foot}'"
        object.__setattr__(self, "along", walking_direction(self.along, what))
        if self.ahead is not None:
            object.__setattr__(self, "ahead", finite(self.ahead, f"'ahead' {what}"))
        object.__setattr__(self, "depth", finite(self.depth, f"the depth {what}"))
        if self.depth < 0.0:
            raise InputError(f"the depth {what} is {self.depth:g} m; it must be zero or more.")
        stiff = {str(name): finite(value, f"the value of '{name}' in the impact {what}") for name, value in self.stiff.items()}
        object.__setattr__(self, "stiff", stiff)

    def guard(self, hybrid: HybridProblem, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Height of the foot over where it counts, m."""
        return hybrid.feet.height(self.foot, q) + self.depth

    def armed(self, hybrid: HybridProblem, q: np.ndarray) -> bool:
        """Whether the foot is far enough in front of those that hold."""
        if self.ahead is None:
            return True
        place, held = hybrid.feet.place(self.foot, q), hybrid.phases[self.source].feet
        if self._is_soft(hybrid):
            held = [foot for foot in hybrid.feet.contacts if foot != self.foot]
        return all(float(np.dot(self.along, place - hybrid.feet.place(foot, q))) > self.ahead for foot in held)

    def rest(self, hybrid: HybridProblem) -> float:
        """A foot that has just lifted off is at rest on the ground: round-off would let it land again."""
        return 0.0 if self._is_soft(hybrid) else _AT_REST * hybrid.problems[self.source].constraints.length

    def check(self, hybrid: HybridProblem) -> None:
        """As of :class:`Transition`."""
        hybrid.feet.check(self.foot, f"the touchdown from phase '{self.source}'")
        for joint in self.stiff:
            hybrid.position(joint)
        if self._is_soft(hybrid):
            return
        if self.depth != 0.0:
            raise InputError(
                f"the touchdown of '{self.foot}' waits for a depth of {self.depth:g} m, but its ground is hard; leave out depth,"
                " or make contact compliant."
            )
        if self.foot not in hybrid.after(self):
            raise InputError(
                f"the foot '{self.foot}' lands at the end of phase '{self.source}', but does not hold in phase '{self.target}'"
                " that follows."
            )

    def _is_soft(self, hybrid: HybridProblem) -> bool:
        """Whether the ground is compliant, and no foot holds."""
        feet = (*hybrid.phases[self.source].feet, *hybrid.phases[self.target].feet)
        return not feet and bool(hybrid.problems[self.source].compliant)

    def words(self) -> str:
        """As of :class:`Transition`."""
        return f"{super().words()} of {self.foot}"


@dataclass(frozen=True)
class LiftOff(Transition):
    """The ground would have to pull at a foot that holds: its normal force falls to zero."""

    foot: str
    exchange: bool = False

    kind: ClassVar[str] = "lift-off"

    def guard(self, hybrid: HybridProblem, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Normal force on the foot, N."""
        return hybrid.row_force(self.source, f"{self.foot}.normal", t, q, v)

    def at_once(self, hybrid: HybridProblem, value: float) -> bool:
        """A foot that would be pulled as soon as it holds lifts off there."""
        return value < -_AT_REST * hybrid.problems[self.source].weight

    def check(self, hybrid: HybridProblem) -> None:
        """As of :class:`Transition`."""
        hybrid.feet.check(self.foot, f"the lift-off from phase '{self.source}'")
        if self.foot not in hybrid.phases[self.source].feet:
            raise InputError(f"the foot '{self.foot}' lifts off from phase '{self.source}', in which it does not hold.")

    def words(self) -> str:
        """As of :class:`Transition`."""
        return f"{super().words()} of {self.foot}"


@dataclass(frozen=True)
class Reaches(Transition):
    """A coordinate passes a value: a knee that strikes its stop, a leg at its length.

    Parameters
    ----------
    coordinate : str
    value : rad or m
    direction : str
        ``falling``, ``rising`` or ``both``.
    """

    coordinate: str
    value: float = 0.0
    direction: str = "both"
    exchange: bool = False

    kind: ClassVar[str] = "reaches"

    def __post_init__(self) -> None:
        if self.direction not in _WORDS:
            raise InputError(f"the direction of the guard on '{self.coordinate}' is {self.direction!r}; it must be one of"
                             f" {', '.join(_WORDS)}.")  # fmt: skip
        if not math.isfinite(self.value):
            raise InputError(f"the guard on '{self.coordinate}' waits for {self.value!r}; it must be a finite number.")

    @property
    def sense(self) -> int:
        """As of :class:`Transition`."""
        return _WORDS[self.direction]

    def guard(self, hybrid: HybridProblem, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """The coordinate less the value."""
        return float(q[hybrid.position(self.coordinate)]) - self.value

    def check(self, hybrid: HybridProblem) -> None:
        """As of :class:`Transition`."""
        hybrid.position(self.coordinate)

    def words(self) -> str:
        """As of :class:`Transition`."""
        return f"{self.source} -> {self.target}: {self.coordinate} = {self.value:g}"


@dataclass(frozen=True)
class When(Transition):
    """A function g(t, q, v) of the user passes zero."""

    function: Callable[[float, np.ndarray, np.ndarray], float]
    direction: str = "both"
    exchange: bool = False

    kind: ClassVar[str] = "function"

    def __post_init__(self) -> None:
        if self.direction not in _WORDS:
            raise InputError(f"the direction of a guard is {self.direction!r}; it must be one of {', '.join(_WORDS)}.")
        if not callable(self.function):
            raise InputError(f"the guard from '{self.source}' is {self.function!r}; it must be a function g(t, q, v).")
        check_takes(self.function, "t, q, v", f"the guard from '{self.source}'")

    @property
    def sense(self) -> int:
        """As of :class:`Transition`."""
        return _WORDS[self.direction]

    def guard(self, hybrid: HybridProblem, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """What the function says."""
        return float(self.function(t, q, v))


def walking_direction(along: Any, what: str) -> tuple[float, float, float]:
    """A direction (3,) of the world, of length 1."""
    vector = numbers(along, (3,), f"direction of walking {what}")
    size = float(np.linalg.norm(vector))
    if not size > 0.0:
        raise InputError(f"the direction of walking {what} is {along!r}; it must not be zero.")
    x, y, z = (vector / size).tolist()
    return x, y, z


def exchanges(transition: Transition) -> bool:
    """Whether the legs change their names."""
    return bool(getattr(transition, "exchange", False))


def landed(before: Collection[str], after: Collection[str]) -> tuple[list[str], list[str]]:
    """Feet that begin to hold, and those that no longer do."""
    return [foot for foot in after if foot not in before], [foot for foot in before if foot not in after]
