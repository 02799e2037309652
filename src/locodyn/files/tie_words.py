"""Springs, cables and torsion springs in files: which keys they have, their values for the builder, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from locodyn.errors import InputError
from locodyn.files.part_words import AXIS, NAME, NOT_NEGATIVE, NUMBER, ROTATION, VECTOR
from locodyn.files.records import Key, Record
from locodyn.files.rules import AnyOf, Flag, ListOf, MapOf, Number, Section
from locodyn.robot.building.tie_draft import Guides
from locodyn.robot.pose import Pose
from locodyn.robot.tie import Hold, Tie

_COUNT = Number(whole=True, least=2)
_PAIRS = ListOf(ListOf(NUMBER, 2), least=2)


def _end(what: str, own: dict[str, Key], meaning: str) -> AnyOf:
    """A body or marker by its name, or with ``own`` words that say where on it."""
    keys = {
        "body": Key(NAME, "a body, a marker or world", needed=True),
        **own,
        "at_s": Key(NUMBER, "on a rod: where along it, m"),
    }
    words = ", ".join(f"{word}: [x, y, z]" if key.rule is VECTOR else f"{word}: " for word, key in keys.items())
    return AnyOf((NAME, Record(what, keys, meaning=meaning)), f"a body or marker, or {{{words}}}")


_POINT = _end(
    "point of a cable",
    {"at": Key(VECTOR, "in its frame, in the section of a rod, or in the world, m")},
    "What a cable or spring holds on to.",
)
_EYES = _end(
    "eye of a cable",
    {
        "at": Key(VECTOR, "in its frame, in the section of a rod, or in the world, m"),
        "guides": Key(_COUNT, "so many eyes along a rod in place of one, at even distances"),
        "from_s": Key(NUMBER, "with guides: where on the rod the first is, m; 0 by default"),
        "to_s": Key(NUMBER, "with guides: where the last is, m; the end of the rod by default"),
    },
    "What a cable runs through: a point, or guides along a rod.",
)
_FRAME = _end(
    "end of a torsion spring",
    {"turned": Key(ROTATION, "of the frame of the spring in that of the body")},
    "What a torsion spring holds on to.",
)
_LAW = {
    "stiffness": Key(NOT_NEGATIVE, "N/m"),
    "damping": Key(NOT_NEGATIVE, "N s/m"),
    "rest_length": Key(NOT_NEGATIVE, "m; by default that where all joints are at zero"),
    "tension": Key(NUMBER, "at the rest length, N"),
    "curve": Key(_PAIRS, "pairs of elongation (m) and tension (N), in place of stiffness and tension"),
    "damping_curve": Key(_PAIRS, "pairs of rate (m/s) and tension (N), with [0, 0] among them"),
    "pulls_only": Key(Flag(), "whether it goes slack instead of pushing"),
}
SPRING = Record(
    "spring",
    {"first": Key(_POINT, "one end", needed=True), "second": Key(_POINT, "the other end", needed=True), **_LAW},
    meaning="A spring and damper between two points.",
)
CABLE = Record(
    "cable",
    {"through": Key(ListOf(_EYES, least=1), "its points, or guides along rods, in their order", needed=True), **_LAW},
    meaning="A cable that runs straight from point to point; it only pulls unless it says otherwise.",
)
TORSION_SPRING = Record(
    "torsion spring",
    {
        "first": Key(_FRAME, "one end", needed=True),
        "second": Key(_FRAME, "the other end", needed=True),
        "axis": Key(AXIS, "in the frames of both, z by default"),
        "stiffness": Key(NOT_NEGATIVE, "N m/rad"),
        "damping": Key(NOT_NEGATIVE, "N m s/rad"),
        "rest_angle": Key(NUMBER, "rad"),
        "moment": Key(NUMBER, "at the rest angle, N m"),
        "curve": Key(_PAIRS, "pairs of angle from rest (rad) and moment (N m), in place of stiffness and moment"),
        "damping_curve": Key(_PAIRS, "pairs of rate (rad/s) and moment (N m), with [0, 0] among them"),
    },
    meaning="A torsion spring and damper between two bodies, about an axis of both.",
)
TIES = {
    "springs": Key(MapOf(SPRING, "spring"), "springs and dampers between points of bodies or of the world"),
    "cables": Key(MapOf(CABLE, "cable"), "cables through points"),
    "torsion_springs": Key(MapOf(TORSION_SPRING, "torsion spring"), "torsion springs between bodies"),
}


def tie_values(section: Section) -> dict[str, Any]:
    """The words of the builder for what a file says of a spring, cable or torsion spring."""
    values = dict(section)
    for end in ("first", "second"):
        if isinstance(values.get(end), Mapping):
            if "turned" in values[end]:
                values[f"{end}_turned"] = values[end]["turned"]
            values[end] = _place(values[end])
    if "through" in values:
        values["through"] = [_eyes(point) for point in values["through"]]
    return values


def _eyes(value: Any) -> Any:
    """A place, or guides along a rod."""
    if not isinstance(value, Mapping) or "guides" not in value:
        for word in ("from_s", "to_s"):
            if isinstance(value, Mapping) and word in value:
                raise InputError(f"a cable has '{word}' on '{value['body']}', but no guides there; say how many: guides: 9.")
        return _place(value)
    at = value.get("at", [0.0, 0.0, 0.0])
    if "at_s" in value or at[0] != 0.0:
        raise InputError(
            f"the guides of a cable along '{value['body']}' lie from from_s to to_s, at [0, y, z] in the sections;"
            " leave out at_s, and the x of at."
        )
    return Guides(value["body"], (at[1], at[2]), value["guides"], value.get("from_s", 0.0), value.get("to_s"))


def _place(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return (value["body"], *((value["at_s"],) if "at_s" in value else ()), *((value["at"],) if "at" in value else ()))


def tie_entry(tie: Tie, place: Callable[[Pose], dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The section of a file and the entry there of a tie; ``place`` writes a pose."""
    named = {"rest": "rest_angle" if tie.turns else "rest_length", "tension": "moment" if tie.turns else "tension"}
    law = {named.get(name, name): value for name, value in tie.settings.items()}
    for name in ("curve", "damping_curve"):
        if name in law:
            law[name] = [list(pair) for pair in law[name]]
    points = [_point(hold, place) for hold in tie.holds]
    if tie.turns:
        return "torsion_springs", {"first": points[0], "second": points[1], **law}
    if len(points) == 2:
        return "springs", {"first": points[0], "second": points[1], **law}
    return "cables", {"through": points, **law, "pulls_only": tie.pulls_only}


def _point(hold: Hold, place: Callable[[Pose], dict[str, Any]]) -> Any:
    body = "world" if hold.body is None else hold.body
    more = place(hold.pose) | ({} if hold.abscissa is None else {"at_s": hold.abscissa})
    return {"body": body, **more} if more else body
