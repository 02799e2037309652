"""A hybrid system: phases, in each of which other feet hold or another controller drives, what leads from one to another, and
the symmetry of a robot with a left and a right side, as an exchange of coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.motion.base import finite, positive
from locodyn.phases.transition import Touchdown, Transition, exchanges
from locodyn.robot.compilation.compiled import CompiledRobot


@dataclass(frozen=True)
class Phase:
    """What holds and what drives in one phase.

    Parameters
    ----------
    feet : names of feet
        Those that stay where they stand. None of them: flight; two: double support.
    controller : f(t, q, v) -> torques (nv,), optional
        In place of that of the scenario. If it has a method ``restart(t, q, v)``, this is called where the phase
        begins, with the state there.
    locked : {coordinate: value}
        Joints held at a value (rad or m), such as a straight knee; their torque comes out.
    """

    feet: Sequence[str] = ()
    controller: Callable[..., Any] | None = None
    locked: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.feet, (str, Iterable)) or not isinstance(self.locked, Mapping):
            raise InputError(
                f"a phase has the feet {self.feet!r} and locks {self.locked!r}; give names of feet, and {{joint: value}} to lock."
            )
        feet = (self.feet,) if isinstance(self.feet, str) else tuple(dict.fromkeys(map(str, self.feet)))
        object.__setattr__(self, "feet", feet)
        locked = {str(name): finite(value, f"the value at which '{name}' is locked") for name, value in self.locked.items()}
        object.__setattr__(self, "locked", locked)
        if self.controller is not None and not callable(self.controller):
            raise InputError(f"the controller of a phase is {self.controller!r}; it must be a function f(t, q, v) -> torques.")


class Phases:
    """The graph of phases and transitions.

    Parameters
    ----------
    phases : {name: Phase, or names of the feet that hold}
    transitions : Touchdown, LiftOff, Reaches, When
    start : str
        The first phase; by default the first one named.
    mirror : Mirror, optional
        The symmetry of left and right: which coordinates and feet change places.
    friction : number, optional
        Of the ground: feet that would slip, in a phase or an impact, are reported.
    scuffing : bool
        Feet may pass through the ground in mid-swing, as those of robots without knees do; otherwise this is reported.
    final : names of phases that need no way out.

    >>> walk = Phases({"left": "left_foot", "right": "right_foot"},
    ...               [Touchdown("left", "right", "right_foot"), Touchdown("right", "left", "left_foot")])
    >>> print(walk)
    left: left_foot holds; right: right_foot holds; left -> right: touchdown of right_foot; right -> left: touchdown of left_foot
    """

    def __init__(
        self,
        phases: Mapping[str, Phase | str | Sequence[str]],
        transitions: Iterable[Transition],
        start: str | None = None,
        *,
        mirror: Mirror | None = None,
        friction: float | None = None,
        scuffing: bool = False,
        final: Sequence[str] = (),
    ) -> None:
        if not isinstance(phases, Mapping):
            raise InputError(f"the phases are {phases!r}; give {{name: names of the feet that hold}}.")
        self.phases = {str(name): one if isinstance(one, Phase) else Phase(one) for name, one in dict(phases).items()}
        self.transitions = tuple(transitions)
        self.mirror, self.friction, self.scuffing = mirror, friction, bool(scuffing)
        self.final = (final,) if isinstance(final, str) else tuple(final)
        if not self.phases:
            raise InputError("there is no phase; give one or more, by name.")
        self.start = next(iter(self.phases)) if start is None else str(start)
        self._check()

    def _check(self) -> None:
        for transition in self.transitions:
            if not isinstance(transition, Transition):
                raise InputError(f"a transition is {transition!r}; it must be a Touchdown, LiftOff, Reaches or When.")
        named = [self.start, *self.final, *(end for one in self.transitions for end in (one.source, one.target))]
        for name in named:
            if name not in self.phases:
                raise InputError(f"there is no phase '{name}'{nearest(name, self.phases)}")
        for name in self.phases:
            if name not in self.final and not self.out_of(name):
                raise InputError(f"phase '{name}' has no way out; give a transition from it, or name it in final.")
        for transition in self.transitions:
            if exchanges(transition) and self.mirror is None:
                raise InputError(
                    f"the legs change their names from '{transition.source}' to '{transition.target}', but there is no mirror;"
                    " give mirror=Mirror({left coordinate: right coordinate})."
                )
        if self.friction is not None:
            self.friction = positive(self.friction, "the friction of the phases")
        if self.mirror is not None and not isinstance(self.mirror, Mirror):
            raise InputError(f"the mirror of the phases is {self.mirror!r}; it must be a Mirror.")

    @classmethod
    def walking(
        cls,
        left: str,
        right: str,
        ahead: float = 0.0,
        along: tuple[float, float, float] = (1.0, 0.0, 0.0),
        controllers: tuple[Callable[..., Any] | None, Callable[..., Any] | None] = (None, None),
        *,
        start: str | None = None,
        mirror: Mirror | None = None,
        friction: float | None = None,
        scuffing: bool = False,
    ) -> Phases:
        """Two phases, ``left`` and ``right``, in which the foot of this name holds until the other one lands in front of it.

        ``ahead`` (m) and ``along`` as of :class:`Touchdown`; ``controllers`` of the two phases; others as of the class.
        """
        phases = {"left": Phase((left,), controllers[0]), "right": Phase((right,), controllers[1])}
        ways = [Touchdown("left", "right", right, ahead, along), Touchdown("right", "left", left, ahead, along)]
        return cls(phases, ways, start, mirror=mirror, friction=friction, scuffing=scuffing)

    def __getitem__(self, name: str) -> Phase:
        return self.phases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.phases)

    def __len__(self) -> int:
        return len(self.phases)

    def restart(self, name: str, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Tell the controller of a phase that the phase begins at the time t (s) in the state (q, v)."""
        restart = getattr(self.phases[name].controller, "restart", None)
        if callable(restart):
            restart(t, q, v)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the phases; their numbers in a result are the places here."""
        return tuple(self.phases)

    def out_of(self, name: str) -> tuple[Transition, ...]:
        """The transitions that leave a phase."""
        return tuple(one for one in self.transitions if one.source == name)

    def drives(self, robot: CompiledRobot) -> dict[str, str]:
        """Coordinate -> what drives it or locks it, and where not in all phases alike, in which."""
        found: dict[str, dict[str, str]] = {}
        for phase, one in self.phases.items():
            driven = range(robot.reference_nv, robot.nv) if one.controller is not None else ()
            for i in getattr(one.controller, "driven", None) or driven:
                found.setdefault(robot.coordinate_names[i], {})[phase] = f"controller: {words_of(one.controller)}"
            for name, value in one.locked.items():
                found.setdefault(name, {})[phase] = f"locked at {value:g}"
        return {
            name: next(iter(words.values())) if len(set(words.values())) == 1 and len(words) == len(self.phases)
            else "; ".join(f"in phase {phase}: {what}" for phase, what in words.items())
            for name, words in found.items()
        }  # fmt: skip

    def portrait(self) -> dict[str, object]:
        """Plain data by which a result knows them."""
        return {
            "phases": {
                name: {"feet": list(one.feet), "locked": dict(one.locked), "controller": words_of(one.controller)}
                for name, one in self.phases.items()
            },
            "transitions": [one.words() for one in self.transitions],
            "start": self.start,
            "friction": self.friction,
        }

    def __str__(self) -> str:
        parts = []
        for name, one in self.phases.items():
            held = " and ".join(one.feet) + (" hold" if len(one.feet) > 1 else " holds") if one.feet else "flight"
            locked = "".join(f", {joint} locked" for joint in one.locked)
            parts.append(f"{name}: {held}{locked}")
        return "; ".join([*parts, *(one.words() for one in self.transitions)])


def words_of(controller: Any) -> str:
    """What drives a phase, in words."""
    if controller is None:
        return "none"
    describe = getattr(controller, "describe", None)
    return str(describe()) if callable(describe) else "Python function of time and state"


@dataclass(frozen=True)
class Mirror:
    """Which coordinates and feet change places when left and right do.

    Parameters
    ----------
    pairs : {left coordinate: right coordinate}
        Joints of one axis.
    feet : {left foot: right foot}
    negated : names of coordinates that change sign (motion out of the plane of symmetry).
    """

    pairs: Mapping[str, str]
    feet: Mapping[str, str] = field(default_factory=dict)
    negated: Sequence[str] = ()

    def __post_init__(self) -> None:
        names = [*self.pairs, *self.pairs.values()]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise InputError(f"the mirror names the coordinate '{min(twice)}' twice; each has one counterpart.")

    def other_foot(self, name: str) -> str:
        """The counterpart of a foot; itself where it has none."""
        both = {**self.feet, **{two: one for one, two in self.feet.items()}}
        return both.get(name, name)

    def matrices(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Permutations (nq, nq) of positions and (nv, nv) of velocities, with signs."""
        names = model.compiled.coordinate_names
        positions, velocities = np.eye(model.nq), np.eye(model.nv)
        for one, two in self.pairs.items():
            k, m = model.position_of(one), model.position_of(two)
            i, j = names.index(one), names.index(two)
            velocities[[i, j]] = velocities[[j, i]]
            positions[[k, m]] = positions[[m, k]]
        for name in self.negated:
            positions[model.position_of(name)] *= -1.0
            velocities[names.index(name)] *= -1.0
        return positions, velocities
