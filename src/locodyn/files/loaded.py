"""What a robot file gives: the robot, what was said about it, and the world, the drives and the starts that it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.files.notes import Note
from locodyn.locomotion.servo import Servo
from locodyn.robot import Robot
from locodyn.sim import Scenario, Start
from locodyn.world import Fixture, SelfCollision

T = TypeVar("T")


@dataclass(frozen=True)
class Mimic:
    """A coordinate that follows another one: ``q = multiplier * q_leader + offset``."""

    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Keyframe:
    """A state that a file stores under a name.

    ``positions``: values by joints, as of :class:`~locodyn.sim.start.Start`; ``velocities``: likewise, those that are not zero;
    ``targets``: positions of the servos.
    """

    positions: Mapping[str, np.ndarray]
    velocities: Mapping[str, np.ndarray] = field(default_factory=dict)
    targets: Mapping[str, float] = field(default_factory=dict)

    def of(self, joints: Sequence[str]) -> Keyframe:
        """The same of these joints only."""

        def chosen(part: Mapping[str, T]) -> dict[str, T]:
            return {name: value for name, value in part.items() if name in joints}

        return Keyframe(chosen(self.positions), chosen(self.velocities), chosen(self.targets))


@dataclass(frozen=True)
class Loaded:
    """A robot from a file.

    Parameters
    ----------
    robot : Robot
    notes : tuple of Note
        What was lost, changed or assumed.
    mimics : mapping of coordinates to Mimic
        A scenario file that imposes the leader moves these along; in Python: ``laws | loaded.followers(laws)``.
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
    mimics: Mapping[str, Mimic] = field(default_factory=dict)
    gravity: tuple[float, ...] | None = None
    obstacles: tuple[Fixture, ...] = ()
    self_collision: bool | SelfCollision = False
    servos: Mapping[str, Servo] = field(default_factory=dict)
    starts: Mapping[str, Keyframe] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Any]:
        """``robot, notes = load_robot(...)``."""
        return iter((self.robot, self.notes))

    def followers(self, laws: Mapping[str, Any]) -> dict[str, Any]:
        """Laws of the coordinates that mimic one of those in ``laws`` and have no law there."""
        found: dict[str, Any] = {}
        while True:
            known = {**laws, **found}
            new = {
                name: mimic.multiplier * known[mimic.leader] + mimic.offset
                for name, mimic in self.mimics.items()
                if mimic.leader in known and name not in known
            }
            if not new:
                return found
            found |= new

    def surroundings(self, start: str | None = None) -> dict[str, Any]:
        """The fields of a scenario that the file says: gravity, obstacles, servos; ``start``: the name of a keyframe."""
        values: dict[str, Any] = {} if self.gravity is None else {"gravity": self.gravity}
        values |= {"obstacles": self.obstacles} if self.obstacles else {}
        values |= {"self_collision": self.self_collision} if self.self_collision else {}
        servos = dict(self.servos)
        if start is not None:
            if start not in self.starts:
                raise InputError(f"the file of robot '{self.robot.name}' has no keyframe '{start}'{nearest(start, self.starts)}")
            key = self.starts[start]
            values["start"] = Start(positions=dict(key.positions), velocities=dict(key.velocities) or None)
            for name, target in key.targets.items():
                servos[name] = Servo(target, servos[name].stiffness, servos[name].damping)
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
