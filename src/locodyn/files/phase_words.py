"""Phases in a scenario file: which keys they have and what they mean. Units are SI."""

from __future__ import annotations

from locodyn.files.part_words import NAME, NOT_NEGATIVE, NUMBER, POSITIVE, VECTOR
from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import AnyOf, Flag, ListOf, MapOf, Text

_NAMES = AnyOf((NAME, ListOf(NAME)), "a name, or a list of names")
_VALUES = MapOf(NUMBER, "coordinate")
_EXCHANGE = Key(Flag(), "the legs change their names there, by the mirror")
PHASE = AnyOf(
    (
        NAME,
        ListOf(NAME),
        Record(
            "phase",
            {
                "feet": Key(_NAMES, "feet that hold; none: flight"),
                "locked": Key(_VALUES, "joints held at a value, rad or m"),
            },
        ),
    ),
    "the feet that hold, or {feet: [...], locked: {...}}",
)
GUARDS = kinds(
    {
        "touchdown": (
            "a foot comes down on its plane",
            {
                "foot": Key(NAME, "the one that lands", needed=True),
                "ahead": Key(NUMBER, "m, by which it must be in front of those that hold; 0 by default"),
                "anywhere": Key(Flag(), "it counts wherever the foot is"),
                "along": Key(VECTOR, "direction of walking; x by default"),
                "stiff": Key(_VALUES, "joints that are locked during the impact, rad or m"),
                "depth": Key(NOT_NEGATIVE, "m, that it must press into compliant ground"),
                "exchange": _EXCHANGE,
            },
        ),
        "lift_off": (
            "the normal force of a foot falls to zero",
            {"foot": Key(NAME, "the one that leaves", needed=True), "exchange": _EXCHANGE},
        ),
        "reaches": (
            "a coordinate passes a value",
            {
                "coordinate": Key(NAME, "which", needed=True),
                "value": Key(NUMBER, "rad or m; 0 by default"),
                "direction": Key(Text(("falling", "rising", "both")), "both by default"),
                "exchange": _EXCHANGE,
            },
        ),
    }
)
TRANSITION = Record(
    "phase_transition",
    {"from": Key(NAME, "the phase that ends", needed=True), "to": Key(NAME, "the one that follows", needed=True), **GUARDS},
    exactly_one=tuple(GUARDS),
)
MIRROR = Record(
    "mirror",
    {
        "pairs": Key(MapOf(NAME, "coordinate"), "left coordinate: right coordinate", needed=True),
        "feet": Key(MapOf(NAME, "foot"), "left foot: right foot"),
        "negated": Key(ListOf(NAME), "coordinates that change sign"),
    },
)
PHASES = Record(
    "phases",
    {
        "phases": Key(MapOf(PHASE, "phase"), "what holds in each", needed=True),
        "transitions": Key(ListOf(TRANSITION), "what leads from one to another", needed=True),
        "start": Key(NAME, "the first phase; by default the first one named"),
        "mirror": Key(MIRROR, "which coordinates and feet change places with left and right"),
        "friction": Key(POSITIVE, "of the ground; feet that would slip are reported"),
        "scuffing": Key(Flag(), "feet may pass through the ground in mid-swing"),
        "final": Key(_NAMES, "phases that need no way out"),
    },
    meaning="A run through phases, in each of which other feet hold.",
)
