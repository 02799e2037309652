"""What a file holds that a robot cannot, and the other way round: every such thing is said in a note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from locodyn.robot import Robot

# What a note may say: something is not carried over; something is carried over in another form; something had to be supposed.
KINDS = ("lost", "changed", "assumed")


@dataclass(frozen=True)
class Note:
    """One remark about a conversion.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    about : str
        The thing, such as ``joint 'knee'``.
    text : str
        What became of it.
    line : int or None
        Where it stands in the file that was read.
    """

    kind: str
    about: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{self.kind}: {place}{self.about}: {self.text}"


class Notes:
    """A list of notes in the making; the same remark about many things becomes one note."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], list[tuple[str, int | None]]] = {}

    def lost(self, about: str, text: str, line: int | None = None) -> None:
        """Something that is not carried over."""
        self._add("lost", about, text, line)

    def changed(self, about: str, text: str, line: int | None = None) -> None:
        """Something that is carried over in another form."""
        self._add("changed", about, text, line)

    def assumed(self, about: str, text: str, line: int | None = None) -> None:
        """Something that had to be supposed."""
        self._add("assumed", about, text, line)

    def _add(self, kind: str, about: str, text: str, line: int | None) -> None:
        word = about.partition(" ")[0]
        found = self._found.setdefault((kind, word, text), [])
        if about not in [known for known, _ in found]:
            found.append((about, line))

    def all(self) -> tuple[Note, ...]:
        """The notes in the order of their first mention; things with the same remark are named together."""
        result = []
        for (kind, word, text), things in self._found.items():
            first, line = things[0]
            names = [about.partition(" ")[2] for about, _ in things]
            if len(things) == 1:
                about = first
            else:
                shown = ", ".join(dict.fromkeys(name for name in names[:3] if name))
                about = f"{len(things)} x {word}" + (f" ({shown}{', ...' if len(names) > 3 else ''})" if shown else "")
            result.append(Note(kind, about, text, line))
        return tuple(result)


@dataclass(frozen=True)
class Mimic:
    """A coordinate that follows another one: ``q = multiplier * q_leader + offset``."""

    leader: str
    multiplier: float
    offset: float


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
    """

    robot: Robot
    notes: tuple[Note, ...] = ()
    mimics: Mapping[str, Mimic] = field(default_factory=dict)
    gravity: tuple[float, ...] | None = None

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
