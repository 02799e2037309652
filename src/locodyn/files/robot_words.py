"""The robot file: which keys it has and what they mean. Reader, JSON schema and the tables of the docs follow.

The words are those of the builder (:class:`locodyn.robot.Robot`); units are SI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from locodyn.files.rules import AnyOf, Flag, Key, ListOf, MapOf, Number, Record, Rule, Schema, Text, Yes
from locodyn.files.yaml_reader import Entry
from locodyn.robot.joint import REFERENCE_KINDS
from locodyn.robot.loop import LOOP_JOINTS
from locodyn.robot.pose import AXES, roll_pitch_yaw
from locodyn.robot.wheel import WHEEL_KINDS

NUMBER, POSITIVE, NOT_NEGATIVE, NAME, YES = Number(), Number(above=0.0), Number(least=0.0), Text(), Yes()
VECTOR = ListOf(NUMBER, 3)
MATRIX = ListOf(ListOf(NUMBER, 3), 3)
AXIS = AnyOf((Text(tuple(AXES)), VECTOR), "an axis such as z or [0, 0, 1]")
PER_FREEDOM = AnyOf((NUMBER, ListOf(NUMBER, least=1)), "a number, or a list with one for each degree of freedom")
PER_AXIS = AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 3)), "a number, or three of them, zero or more")
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

# --------------------------------------------------------------------------------------------------------------------- laws
WRENCH_LAWS = {
    "world_force": Key(Record("world_force", {"force": Key(VECTOR, "N, world axes", needed=True)}), "a constant force"),
    "thrust": Key(
        Record("thrust", {"force": Key(VECTOR, "N, axes of the point"), "moment": Key(VECTOR, "N m")}),
        "a wrench that follows the body",
    ),
    "drag": Key(
        Record(
            "drag",
            {
                "linear": Key(PER_AXIS, "N s/m"),
                "quadratic": Key(PER_AXIS, "N s^2/m^2"),
                "angular": Key(PER_AXIS, "N m s"),
            },
        ),
        "resistance along each axis of the point",
    ),
    "sliding": Key(
        Record(
            "sliding",
            {
                "friction": Key(
                    AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 2)), "a number or two, zero or more"),
                    "coefficient, or one along x (the heading of a wheel) and one along y (its axle)",
                    needed=True,
                ),
                "load": Key(NOT_NEGATIVE, "normal force, N", needed=True),
                "speed": Key(POSITIVE, "speed at which friction is developed, m/s"),
            },
        ),
        "smoothed dry friction in the x-y plane of the point",
    ),
    "anchor": Key(
        Record(
            "anchor",
            {
                "place": Key(VECTOR, "in the world, m", needed=True),
                "stiffness": Key(NOT_NEGATIVE, "N/m", needed=True),
                "damping": Key(NOT_NEGATIVE, "N s/m"),
            },
        ),
        "a spring and damper to a place in the world",
    ),
}
LAW = Record("wrench_law", WRENCH_LAWS, exactly_one=tuple(WRENCH_LAWS), meaning="What the world does to a point of a body.")
WRENCH = Record(
    "wrench",
    {"on": Key(NAME, "a body or marker", needed=True), "law": Key(LAW, "the law", needed=True), **PLACE},
    meaning="A wrench law at a point of a body.",
)

# ------------------------------------------------------------------------------------------------------------------- bodies
WHEEL = Record(
    "wheel",
    {
        "at": Key(VECTOR, "point of contact with the ground, in the frame of the body, m"),
        "axis": Key(AXIS, "axle, y by default; it rolls along axle x vertical"),
        "vertical": Key(AXIS, "from the ground to its centre, z by default"),
        "radius": Key(POSITIVE, "m"),
        "kind": Key(Text(tuple(kind for kind in WHEEL_KINDS if kind != "skate")), "fixed by default"),
        "roller_angle": Key(NUMBER, "of an omni wheel, rad"),
        "actuated": Key(Flag(), "whether a motor turns it"),
        "contact": Key(LAW, "instead of an ideal contact"),
        "mass": Key(NOT_NEGATIVE, "kg; with it the wheel is a body of its own"),
        "spin_inertia": Key(NOT_NEGATIVE, "about the axle, kg m^2"),
        "across_inertia": Key(NOT_NEGATIVE, "across the axle, kg m^2"),
        "coordinate": Key(NAME, "the joint of a body that is this wheel already"),
    },
)
SKATE = Record(
    "skate",
    {
        "at": Key(VECTOR, "point of contact, in the frame of the body, m"),
        "along": Key(AXIS, "it glides along this axis, x by default"),
        "vertical": Key(AXIS, "away from the ground, z by default"),
        "contact": Key(LAW, "instead of an ideal contact"),
    },
)
ACTUATOR = Record(
    "actuator",
    {
        "torque_limit": Key(PER_FREEDOM, "largest torque of the drive, N m or N"),
        "armature": Key(PER_FREEDOM, "inertia of the rotor, kg m^2 or kg"),
        "gear": Key(PER_FREEDOM, "turns of the rotor for one of the joint"),
        "viscous": Key(PER_FREEDOM, "damping, N m s/rad or N s/m"),
        "coulomb": Key(PER_FREEDOM, "dry friction, N m or N"),
        "coulomb_speed": Key(PER_FREEDOM, "speed over which it changes its sign, rad/s or m/s"),
        "stiffness": Key(PER_FREEDOM, "of the spring, N m/rad or N/m"),
        "rest": Key(PER_FREEDOM, "position at which the spring has no torque, rad or m"),
    },
    meaning="Drive, friction and spring of a joint; one value, or a list with one for each degree of freedom.",
)
LIMITS = Record(
    "limits",
    {
        "lower": Key(NUMBER, "smallest position, rad or m"),
        "upper": Key(NUMBER, "largest position, rad or m"),
        "speed": Key(POSITIVE, "largest speed, rad/s or m/s"),
    },
    meaning="Limits of a joint with one coordinate. The dynamics does not know them; a run that passes them says so.",
)
FLUID = Record(
    "fluid",
    {
        "added_mass": Key(ListOf(NOT_NEGATIVE, 3), "along x, y, z, kg"),
        "added_inertia": Key(ListOf(NOT_NEGATIVE, 3), "about x, y, z, kg m^2"),
        **PLACE,
        "matrix": Key(ListOf(ListOf(NUMBER, 6), 6), "instead of these: the whole matrix, (linear; angular)"),
    },
    exactly_one=("added_mass", "matrix"),
    meaning="Inertia of an ideal fluid that the body moves along.",
)
_BODY = {
    "mass": Key(NOT_NEGATIVE, "kg"),
    "density": Key(NOT_NEGATIVE, "instead of the mass, if there is a shape, kg/m^3"),
    "centre": Key(VECTOR, "centre of mass in the frame of the body, m"),
    "inertia": Key(INERTIA, "about the centre of mass unless 'about' says otherwise; by default that of the shape"),
    "shape": Key(SHAPE, "what it looks like"),
}
_BEARS = {
    "markers": Key(MapOf(Record("marker", PLACE), "marker"), "named frames on the body"),
    "wheels": Key(MapOf(WHEEL, "wheel"), "where it touches the ground"),
    "skates": Key(MapOf(SKATE, "skate"), "knife edges"),
    "fluid": Key(FLUID, "added mass"),
    "actuator": Key(ACTUATOR, "drive, friction and spring of the joint"),
    "limits": Key(LIMITS, "of the joint"),
    "coordinates": Key(ListOf(NAME, least=1), "names of the velocity coordinates"),
    "joint": Key(NAME, "name of the joint, by default that of the body"),
}
JOINT_WORDS = {
    "turning": Key(AXIS, "revolute about this axis"),
    "sliding": Key(AXIS, "prismatic along this axis"),
    "screwing": Key(Record("screw", {"axis": Key(AXIS, "z by default"), "pitch": Key(NUMBER, "m/rad", needed=True)}), "helical"),
    "cylindrical": Key(AXIS, "slides along this axis and turns about it"),
    "universal": Key(ListOf(AXIS, 2), "turns about the first axis, then about the second"),
    "ball": Key(YES, "spherical"),
    "translating": Key(YES, "along x, y, z without turning"),
    "planar": Key(YES, "in the x-y plane of the joint"),
    "free": Key(YES, "any motion"),
    "fixed": Key(YES, "held rigidly"),
}
BODY = Record(
    "body",
    {
        "on": Key(NAME, "the parent"),
        "at": Key(VECTOR, "position of the joint in the frame of the parent, m"),
        "turned": Key(ROTATION, "rotation of the joint in the frame of the parent"),
        "body_at": Key(VECTOR, "position of the body's frame on the moving side of the joint, m"),
        "body_turned": Key(ROTATION, "its rotation there"),
        **JOINT_WORDS,
        **_BODY,
        **_BEARS,
    },
    at_most_one=tuple(JOINT_WORDS),
    meaning="A body: 'on' names its parent, one word (turning, sliding, ...) says how it moves.",
)
BASE = Record(
    "base",
    {
        "name": Key(NAME, "of the reference body", needed=True),
        "moves": Key(Text(REFERENCE_KINDS), "in which group, free by default"),
        "axis": Key(AXIS, "of a revolute or prismatic base"),
        "at": Key(VECTOR, "place in the world from which the motion is counted, m"),
        "turned": Key(ROTATION, "rotation there"),
        "body_at": Key(VECTOR, "position of the body's frame on the moving side, m"),
        "body_turned": Key(ROTATION, "its rotation there"),
        **_BODY,
        **_BEARS,
    },
    meaning="The reference body, which carries the robot.",
)
LOOP = Record(
    "loop",
    {
        "first": Key(NAME, "a body, a marker or world", needed=True),
        "second": Key(NAME, "a body, a marker or world", needed=True),
        "joint": Key(Text(tuple(LOOP_JOINTS)), "revolute by default"),
        "axis": Key(AXIS, "in the frames of the joint, z by default"),
        "second_axis": Key(AXIS, "of a universal joint: the other axis, x by default"),
        "pitch": Key(NUMBER, "of a helical joint, m/rad"),
        "at": Key(VECTOR, "place of the joint in the world, if one end is world, m"),
        "turned": Key(ROTATION, "rotation there"),
        "first_at": Key(VECTOR, "place of the joint on the first end, m"),
        "first_turned": Key(ROTATION, "rotation there"),
        "second_at": Key(VECTOR, "place of the joint on the second end, m"),
        "second_turned": Key(ROTATION, "rotation there"),
    },
    meaning="A joint that closes a loop of the tree.",
)
ROBOT_KEYS = {
    "robot": Key(NAME, "its name"),
    "from": Key(NAME, "another file that it begins with: urdf, xml (MJCF) or yaml, beside this one"),
    "moves": Key(Text(REFERENCE_KINDS), "with 'from': how the base moves, where that file does not say"),
    "change": Key(
        MapOf(
            AnyOf((NUMBER, Text(), ListOf(AnyOf((NUMBER, ListOf(NUMBER)), "numbers"))), "a number, a word or a list of numbers"),
            "parameter",
        ),
        "with 'from': other values of parameters by their dotted names, such as trunk.mass",
    ),
    "massless_ok": Key(Flag(), "allow joints that move parts without inertia"),
    "any_inertia": Key(Flag(), "allow inertia tensors that no body can have"),
    "base": Key(BASE, "the reference body; not with 'from'"),
    "bodies": Key(MapOf(BODY, "body"), "the other bodies; with 'from' a known name says more about that body"),
    "loops": Key(MapOf(LOOP, "loop"), "joints that close loops"),
    "wrenches": Key(MapOf(WRENCH, "wrench law"), "laws that act on bodies"),
}
ROBOT = Record("robot", ROBOT_KEYS, exactly_one=("base", "from"), meaning="A robot.")
