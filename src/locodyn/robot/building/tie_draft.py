"""What has been said about a cable, spring or torsion spring so far: a draft that can still change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from locodyn.errors import DescriptionError
from locodyn.robot.pose import Pose
from locodyn.robot.tie import Hold, Tie
from locodyn.robot.values import is_number, scalar, vector
from locodyn.typing import Vector

if TYPE_CHECKING:
    from locodyn.robot.building.parts import Parts
    from locodyn.robot.building.sentence import BodyHandle

    On: TypeAlias = BodyHandle | str
    Place: TypeAlias = On | tuple[On, Vector] | tuple[On, float] | tuple[On, float, Vector]


@dataclass
class TieDraft:
    """A cable, spring or torsion spring; ``ends``: (body or marker, position or pose or None, abscissa or None) of each point."""

    name: str
    ends: list[tuple[str, Any, Any]]
    turns: bool = False
    numbers: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, tie: Tie) -> TieDraft:
        """The draft that builds ``tie`` again."""
        ends: list[tuple[str, Any, Any]] = []
        for hold in tie.holds:
            place = hold.pose if tie.turns else hold.pose.position
            ends.append(("world" if hold.body is None else hold.body, place, hold.abscissa))
        return cls(tie.name, ends, tie.turns, dict(tie.settings))

    def copy(self) -> TieDraft:
        """An independent copy."""
        return replace(self, ends=list(self.ends), numbers=dict(self.numbers))

    @property
    def parameters(self) -> dict[str, str]:
        """What may be changed, with the names of the fields of a tie."""
        rest, tension = ("rest_angle", "moment") if self.turns else ("rest_length", "tension")
        kept = ("stiffness", "damping", "curve", "damping_curve", *(() if self.turns else ("pulls_only",)))
        return {rest: "rest", tension: "tension"} | {name: name for name in kept}

    def change(self, entry: str, value: Any) -> None:
        """Set one of the parameters."""
        self.numbers[self.parameters[entry]] = value

    def built(self, parts: Parts) -> Tie:
        """The tie, with markers put on their bodies."""
        holds = []
        for end, at, s in self.ends:
            body, place = parts._marker(end)
            own = None if body == "world" and "world" not in parts._drafts else body
            position = None if at is None or isinstance(at, Pose) else vector(at, f"A point of '{self.name}'")
            pose = at if isinstance(at, Pose) else Pose() if position is None else Pose(position=position)
            held = Pose((place @ pose).rotation) if self.turns else place @ pose
            holds.append(Hold(own, held, None if s is None else scalar(s, f"The place of '{self.name}' along '{end}'")))
        return Tie(self.name, tuple(holds), self.turns, **self.numbers)


@dataclass(frozen=True)
class Guides:
    """A stretch of a cable along a rod, through eyes at even distances: a tendon that goes on beyond the rod.

    Between two eyes it runs straight, so that with ``count`` eyes it tends to a tendon in the sections of the rod with
    count^-2.

    Parameters
    ----------
    rod : rod or its name
    offset : (y, z) m
        Of the eyes in their sections.
    count : int
        Number of eyes, at least 2: at ``start``, at ``end`` and between them.
    start, end : m
        Along the rod, by default all of it; ``end`` before ``start`` runs towards its root.
    """

    rod: On
    offset: Vector
    count: int = 9
    start: float = 0.0
    end: float | None = None

    def places(self, name: str, length: float) -> list[Place]:
        """The eyes as places of the builder, on a rod of this length (m), for the cable ``name``."""
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 2:
            raise DescriptionError(f"Cable '{name}' runs through {self.count!r} guides of a rod; there must be two or more.")
        first, last = float(self.start), length if self.end is None else float(self.end)
        if not (0.0 <= first <= length and 0.0 <= last <= length and first != last):
            raise DescriptionError(
                f"Cable '{name}' runs along a rod from s = {first:g} to {last:g} m, but the rod is {length:g} m long."
            )
        y, z = vector((*self.offset, 0.0), f"The offset of the guides of '{name}'")[:2]
        step = (last - first) / (self.count - 1)
        return [(self.rod, first + k * step if k < self.count - 1 else last, (0.0, y, z)) for k in range(self.count)]


def end_of(place: Any, name: str) -> tuple[str, Any, Any]:
    """(body or marker, position, abscissa) from a place as the builder takes it."""
    parts = place if isinstance(place, (tuple, list)) else (place,)
    on, rest = parts[0] if parts else None, parts[1:]
    end = on if isinstance(on, str) else getattr(on, "name", None)
    wrong = not isinstance(end, str) or len(rest) > 2 or (len(rest) == 2 and not is_number(rest[0]))
    if wrong:
        raise DescriptionError(
            f"A point of '{name}' is {place!r}; it must be a body or marker, (body, (x, y, z)), or on a rod (rod, s) or (rod, s,"
            " (x, y, z))."
        )
    if not rest:
        return str(end), None, None
    if is_number(rest[0]):
        return str(end), rest[1] if len(rest) == 2 else None, rest[0]
    return str(end), rest[0], None
