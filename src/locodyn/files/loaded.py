"""What a robot file gives: the robot, what was said about it, and the world, the drives and the starts that it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.errors import InputError, nearest
from locodyn.files.notes import Note
from locodyn.locomotion.servo import Servo
from locodyn.robot import Robot
from locodyn.robot.html import html_table
from locodyn.sim import Scenario, Start
from locodyn.typing import Rotation, Vector
from locodyn.world import Fixture, SelfCollision

T = TypeVar("T")


@dataclass(frozen=True)
class Keyframe:
    """A state that a file stores under a name.

    ``positions``: values by joints, as of :class:`~locodyn.sim.start.Start`; ``velocities``: likewise, those that are not zero;
    ``targets``: positions of the servos, or velocities of those that follow velocities.
    """

    positions: Mapping[str, np.ndarray]
    velocities: Mapping[str, np.ndarray] = field(default_factory=dict)
    targets: Mapping[str, float] = field(default_factory=dict)

    def of(self, joints: Sequence[str]) -> Keyframe:
        """The same of these joints only."""

        def chosen(part: Mapping[str, T]) -> dict[str, T]:
            return {name: value for name, value in part.items() if name in joints}

        return Keyframe(chosen(self.positions), chosen(self.velocities), chosen(self.targets))


@dataclass(frozen=True, repr=False)
class Loaded:
    """A robot from a file.

    Parameters
    ----------
    robot : Robot
    notes : tuple of Note
        What was lost, changed or assumed.
    gravity : (3,) m/s^2 or None
        Where the file says it (MJCF).
    obstacles : tuple of fixtures
        What stands in the world of an MJCF file, or the ground under a URDF robot that ``collides``.
    self_collision : bool or SelfCollision
        Which bodies hit each other.
    servos : mapping of coordinates to Servo
        Position and velocity actuators of an MJCF file, with their targets at zero control.
    starts : mapping of names to Keyframe
        The keyframes of an MJCF file.
    """

    robot: Robot
    notes: tuple[Note, ...] = ()
    gravity: tuple[float, ...] | None = None
    obstacles: tuple[Fixture, ...] = ()
    self_collision: bool | SelfCollision = False
    servos: Mapping[str, Servo] = field(default_factory=dict)
    starts: Mapping[str, Keyframe] = field(default_factory=dict)

    @classmethod
    def together(cls, name: str, parts: Mapping[str, Loaded], at: Mapping[str, Vector], turned: Mapping[str, Rotation]) -> Loaded:
        """Several robots in one world, see :meth:`~locodyn.robot.building.builder.Robot.together`; they hit each other.

        Bodies of one of them hit each other as its own file says. Keyframes stay behind: each is of one robot only.
        """
        said = {part.gravity for part in parts.values() if part.gravity is not None}
        if len(said) > 1:
            raise InputError(f"the files of '{name}' differ in gravity, {' and '.join(map(str, said))}; it must be one.")
        obstacles: list[Fixture] = []
        for part in parts.values():  # the ground under several robots is one
            obstacles += [one for one in part.obstacles if repr(one) not in map(repr, obstacles)]
        notes = [replace(note, about=f"{key}: {note.about}") for key, part in parts.items() for note in part.notes]
        return cls(
            Robot.together(name, {key: part.robot for key, part in parts.items()}, at, turned),
            tuple(notes),
            next(iter(said), None),
            tuple(obstacles),
            SelfCollision(
                [(f"{key}.{one}", f"{key}.{two}") for key, part in parts.items() for one, two in part.own_pairs("include")],
                [(f"{key}.{one}", f"{key}.{two}") for key, part in parts.items() for one, two in part.own_pairs("exclude")],
            ),
            {f"{key}.{joint}": servo for key, part in parts.items() for joint, servo in part.servos.items()},
        )

    def _parts(self) -> dict[str, str]:
        """What the file brought beside the robot, by a word; only what is there."""
        found = {
            "gravity": "" if self.gravity is None else f"({', '.join(f'{x:g}' for x in self.gravity)}) m/s^2",
            "world": ", ".join(one.what for one in self.obstacles),
            "servos": ", ".join(self.servos),
            "starts": ", ".join(self.starts),
        }
        return {word: text for word, text in found.items() if text}

    def __repr__(self) -> str:
        lines = [f"{word:8} {text}" for word, text in self._parts().items()]
        return "\n  ".join([f"Loaded {self.robot!r}", *lines, *map(str, self.notes)])

    def _repr_html_(self) -> str:
        rows = [*self._parts().items(), *((note.kind, str(note).partition(": ")[2]) for note in self.notes)]
        return f"{self.robot._repr_html_()}{html_table(('of the file', ''), rows) if rows else ''}"

    def own_pairs(self, kind: str) -> list[tuple[str, str]]:
        """Pairs of bodies that its file includes, or excludes; where bodies do not hit each other all are excluded."""
        if isinstance(self.self_collision, SelfCollision):
            return list(getattr(self.self_collision, kind))
        if self.self_collision or kind == "include":
            return []
        touching = list(dict.fromkeys(body.name for body, _ in self.robot.description.collisions))
        return list(combinations(touching, 2))

    def __iter__(self) -> Iterator[Any]:
        """``robot, notes = load_robot(...)``."""
        return iter((self.robot, self.notes))

    def surroundings(self, start: str | None = None) -> dict[str, Any]:
        """The fields of a scenario that the file says: gravity, obstacles, servos; ``start``: the name of a keyframe."""
        values: dict[str, Any] = {} if self.gravity is None else {"gravity": self.gravity}
        values |= {"obstacles": self.obstacles} if self.obstacles else {}
        values |= {"self_collision": self.self_collision} if self.self_collision else {}
        values |= {"contact": HardContact(stops=True)} if self.obstacles or self.self_collision else {}
        servos = dict(self.servos)
        if start is not None:
            if start not in self.starts:
                raise InputError(f"the file of robot '{self.robot.name}' has no keyframe '{start}'{nearest(start, self.starts)}")
            key = self.starts[start]
            values["start"] = Start(positions=dict(key.positions), velocities=dict(key.velocities) or None)
            for name, target in key.targets.items():
                servos[name] = servos[name].toward(target)
        return values | ({"servo": servos} if servos else {})

    def scenario(self, name: str = "", summary: str = "", *, start: str | None = None) -> Scenario:
        """The robot among what the file puts around it, driven by its servos; motors give no torque.

        ``start``: the name of a keyframe; by default the first one, or the initial configuration if there is none. Where that
        overlaps, as states of soft contacts do, the robot is moved out by the smallest change (``Start(resolve=True)``).
        """
        start = next(iter(self.starts), None) if start is None else start
        driven = "its servos hold it" if self.servos else "all joints passive"
        begin = "" if start is None else f", from its keyframe '{start}'"
        words = f"{summary or 'robot of a file'}, {driven}{begin}"
        found = Scenario(name or self.robot.name, self.robot, summary=words, **self.surroundings(start))
        touches = (self.obstacles or self.self_collision) and len(found.problem.contact.table)
        return found.changed(start=replace(found.start, resolve=True)) if touches else found
