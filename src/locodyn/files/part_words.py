"""The parts that robot and scenario files share: numbers, axes, rotations, inertias, shapes, wrench laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import AnyOf, Flag, ListOf, Number, Rule, Schema, Text, Yes
from locodyn.files.yaml_reader import Entry
from locodyn.robot.pose import AXES, roll_pitch_yaw

NUMBER, POSITIVE, NOT_NEGATIVE, NAME, YES = Number(), Number(above=0.0), Number(least=0.0), Text(), Yes()
VECTOR = ListOf(NUMBER, 3)
MATRIX = ListOf(ListOf(NUMBER, 3), 3)
AXIS = AnyOf((Text(tuple(AXES)), VECTOR), "an axis such as z or [0, 0, 1]")
PER_FREEDOM = AnyOf((NUMBER, ListOf(NUMBER, least=1)), "a number, or a list with one for each degree of freedom")
PER_AXIS = AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 3)), "a number, or three of them, zero or more")
PER_TWIST = AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 6)), "a number, or six of them, zero or more")
PROFILE = AnyOf((NUMBER, ListOf(ListOf(NUMBER, 2), least=2)), "a number, or a list of pairs [s, factor]")
_PAIR = AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 2)), "a number or two, zero or more")
TURN = Record(
    "turn",
    {"rpy": Key(ListOf(NUMBER, 3), "roll, pitch and yaw, rad, as in URDF: Rz(yaw) Ry(pitch) Rx(roll)", needed=True)},
)


@dataclass(frozen=True)
class Rotation(Rule):
    """A rotation: ``[z, 0.3]`` (axis, angle), a quaternion ``[w, x, y, z]``, a matrix, or ``{rpy: [r, p, y]}``."""

    words = "[axis, angle], a quaternion [w, x, y, z], a 3 x 3 matrix or {rpy: [roll, pitch, yaw]}"

    def fits(self, entry: Entry) -> bool:
        return isinstance(entry.value, (list, dict))

    def read(self, entry: Entry, what: str) -> Any:
        value = entry.value
        if isinstance(value, dict):
            return roll_pitch_yaw(*TURN.read(entry, what)["rpy"])
        if isinstance(value, list) and len(value) == 2:
            return (AXIS.read(value[0], f"the axis of {what}"), NUMBER.read(value[1], f"the angle of {what}"))
        if isinstance(value, list) and len(value) == 4:
            return ListOf(NUMBER, 4).read(entry, what)
        if isinstance(value, list) and len(value) == 3 and all(isinstance(row.value, list) for row in value):
            return MATRIX.read(entry, what)
        raise self.refuse(entry, what)

    def schema(self, parts: dict[str, Schema]) -> Schema:
        pair = {
            "type": "array",
            "prefixItems": [AXIS.schema(parts), NUMBER.schema(parts)],
            "items": False,
            "minItems": 2,
        }
        return {"anyOf": [pair, ListOf(NUMBER, 4).schema(parts), MATRIX.schema(parts), TURN.schema(parts)]}


ROTATION = Rotation()
PLACE = {
    "at": Key(VECTOR, "position, m"),
    "turned": Key(ROTATION, "rotation"),
}

# ------------------------------------------------------------------------------------------------------------ inertia, shape
INERTIA = AnyOf(
    (
        MATRIX,
        Record(
            "inertia",
            {
                **{name: Key(NUMBER, f"entry {name} of the tensor, kg m^2") for name in ("xx", "yy", "zz", "xy", "xz", "yz")},
                "about": Key(Text(("centre", "origin")), "the point: the centre of mass (default) or the origin of the body"),
            },
            meaning="All of xx, yy, zz, or one alone: a thin plate normal to that axis. Products are entries of the matrix.",
        ),
    ),
    "a mapping such as {xx: 0.1, yy: 0.1, zz: 0.2} or a 3 x 3 matrix",
)
_LOOK = {
    **PLACE,
    "colour": Key(
        AnyOf((ListOf(NOT_NEGATIVE, 3), ListOf(NOT_NEGATIVE, 4)), "[red, green, blue] or [red, green, blue, opacity]"),
        "red, green, blue and opacity, 0 to 1",
    ),
}
_ROUND = {
    "radius": Key(POSITIVE, "m", needed=True),
    "length": Key(POSITIVE, "m; a capsule's half balls add to it", needed=True),
    "axis": Key(AXIS, "its axis, z by default"),
}
SHAPES = {
    "box": Key(ListOf(POSITIVE, 3), "full lengths along x, y, z, m"),
    "sphere": Key(POSITIVE, "radius, m"),
    "ellipsoid": Key(ListOf(POSITIVE, 3), "half lengths along x, y, z, m"),
    "cylinder": Key(Record("cylinder", _ROUND), "a cylinder"),
    "capsule": Key(Record("capsule", _ROUND), "a cylinder with half balls at its ends"),
    "mesh": Key(NAME, "a mesh file beside this one, for drawing only: it has no inertia"),
}
ONE_SHAPE = Record(
    "shape",
    {**SHAPES, "scale": Key(AnyOf((NUMBER, VECTOR), "one number or three"), "of a mesh"), **_LOOK},
    exactly_one=tuple(SHAPES),
    meaning="What a body looks like; also its inertia if only a mass or a density is given. It sits at the centre of mass"
    " unless 'at' places it.",
)
SHAPE = AnyOf((ONE_SHAPE, ListOf(ONE_SHAPE, least=1)), "a shape such as {box: [1, 1, 1]}, or a list of shapes for drawing")

SOLID = Record(
    "solid",
    {**{name: key for name, key in SHAPES.items() if name != "mesh"}, **_LOOK},
    exactly_one=tuple(name for name in SHAPES if name != "mesh"),
    meaning="What displaces water, about the point of its law unless 'at' places it.",
)
WATER = Record(
    "water",
    {
        "density": Key(POSITIVE, "kg/m^3, by default 1000"),
        "level": Key(NUMBER, "height of its surface at rest, m, by default 0"),
        "wave": Key(
            Record(
                "wave",
                {
                    "amplitude": Key(POSITIVE, "m", needed=True),
                    "length": Key(POSITIVE, "m", needed=True),
                    "period": Key(POSITIVE, "s", needed=True),
                    "direction": Key(ListOf(NUMBER, 2), "along x and y of the world, by default [1, 0]"),
                    "phase": Key(NUMBER, "rad"),
                },
            ),
            "a wave on the surface that is long against the bodies in it",
        ),
    },
    meaning="Water with a free surface.",
)
_WET = {
    "shape": Key(SOLID, "what displaces the water, by default the shape of the body; along a rod its sections"),
    "water": Key(WATER, "the water"),
}

# --------------------------------------------------------------------------------------------------------------------- laws
_DRAG = {
    "linear": Key(PER_AXIS, "N s/m"), "quadratic": Key(PER_AXIS, "N s^2/m^2"), "angular": Key(PER_AXIS, "N m s"),
    "current": Key(VECTOR, "velocity of the fluid, m/s, world axes"),
}  # fmt: skip
LUGRE_WORDS = {
    "coulomb": Key(POSITIVE, "friction of fast sliding, N; N m at a joint that turns", needed=True),
    "stiffness": Key(POSITIVE, "of the bristles, N/m or N m/rad", needed=True),
    "static": Key(POSITIVE, "friction at the beginning of sliding, by default that of fast sliding"),
    "speed": Key(POSITIVE, "over which friction falls from the one to the other, m/s or rad/s"),
    "damping": Key(NOT_NEGATIVE, "of the bristles, N s/m or N m s/rad"),
    "viscous": Key(NOT_NEGATIVE, "added while it slides, N s/m or N m s/rad"),
}
WRENCH_LAWS = kinds(
    {
        "world_force": (
            "a dead load: force and moment of constant direction",
            {"force": Key(VECTOR, "N, world axes", needed=True), "moment": Key(VECTOR, "N m, world axes")},
        ),
        "thrust": (
            "a wrench that follows the body",
            {"force": Key(VECTOR, "N, axes of the point"), "moment": Key(VECTOR, "N m")},
        ),
        "drag": (
            "resistance along each axis of the point",
            _DRAG,
        ),
        "buoyancy": ("the weight of the displaced water, at the centre of the displaced volume", _WET),
        "wet_drag": (
            "drag times the share of the volume that is under water",
            {"drag": Key(Record("drag_in_water", _DRAG), "of the wet body", needed=True), **_WET},
        ),
        "sliding": (
            "smoothed dry friction in the x-y plane of the point",
            {
                "friction": Key(
                    _PAIR, "coefficient, or one along x (the heading of a wheel) and one along y (its axle)", needed=True
                ),
                "load": Key(NOT_NEGATIVE, "normal force, N", needed=True),
                "speed": Key(POSITIVE, "speed at which friction is developed, m/s"),
                "coupled": Key(Flag(), "true (default): one friction for x and y together; false: each by itself, as of a wheel"),
            },
        ),
        "lugre": (
            "dry friction by bristles that bend before they slip, along x and y of the point together",
            LUGRE_WORDS
            | {
                name: Key(_PAIR, f"{key.meaning}; or one along x and one along y", needed=key.needed)
                for name, key in LUGRE_WORDS.items()
                if name != "speed"
            },
        ),
        "arctan_friction": (
            "dry friction smoothed by arctan, and viscous friction, along x and y of the point, each by itself",
            {
                "friction": Key(_PAIR, "coefficient of dry friction, or one along x and one along y", needed=True),
                "load": Key(NOT_NEGATIVE, "normal force, N", needed=True),
                "speed": Key(POSITIVE, "speed at which half of the dry friction is there, m/s"),
                "viscous": Key(_PAIR, "coefficient of viscous friction, s/m, or one along x and one along y"),
            },
        ),
        "anchor": (
            "a spring and damper to a place in the world",
            {
                "place": Key(VECTOR, "in the world, m", needed=True),
                "stiffness": Key(NOT_NEGATIVE, "N/m", needed=True),
                "damping": Key(NOT_NEGATIVE, "N s/m"),
            },
        ),
        "wake": (
            "Lighthill's force of the wake on the tail of a slender body along x",
            {"added_mass": Key(ListOf(NOT_NEGATIVE, 2), "of the last section along y and z, kg/m", needed=True)},
        ),
        "feedback": (
            "a controlled wrench, as of a drone; the scenario gives the desired motion",
            {
                "proportional": Key(PER_TWIST, "on the error of the twist, N s/m and N m s", needed=True),
                "integral": Key(PER_TWIST, "on its integral, N/m and N m"),
            },
        ),
    }
)
LAW = Record("wrench_law", WRENCH_LAWS, exactly_one=tuple(WRENCH_LAWS), meaning="What the world does to a point of a body.")
WRENCH = Record(
    "wrench",
    {
        "acts_on": Key(NAME, "a body, marker or rod", needed=True),
        "law": Key(LAW, "the law", needed=True),
        **PLACE,
        "at_s": Key(POSITIVE, "on a rod: where along it the law acts, m, instead of the tip"),
        "along": Key(
            AnyOf((YES, ListOf(NOT_NEGATIVE, 2)), "true, or [start, end] in m"),
            "on a rod: the law acts on every metre of it, or of this stretch",
        ),
        "profile": Key(PROFILE, "with along: what the law is multiplied with; linear between pairs, zero outside of them"),
    },
    at_most_one=("at_s", "along"),
    meaning="A wrench law at a point of a body, or along a rod.",
    renamed={"on": "acts_on"},
)
