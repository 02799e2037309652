"""The robot file: which keys it has and what they mean. The reader and the JSON schema follow from these tables.

The words are those of the builder (:class:`locodyn.robot.Robot`); units are SI.
"""

from __future__ import annotations

from locodyn.files.contact_words import SUPPORT, SURFACE
from locodyn.files.part_words import (
    AXIS,
    INERTIA,
    LAW,
    LUGRE_WORDS,
    NAME,
    NOT_NEGATIVE,
    NUMBER,
    PER_FREEDOM,
    PLACE,
    POSITIVE,
    ROTATION,
    SHAPE,
    VECTOR,
    WRENCH,
    YES,
)
from locodyn.files.records import Key, Record
from locodyn.files.rod_contact_words import ROD_CONTACTS
from locodyn.files.rod_words import CHAMBER, MUSCLE, ROD, TENDON
from locodyn.files.rules import AnyOf, Flag, ListOf, MapOf, Text
from locodyn.files.tie_words import TIES
from locodyn.robot.joint import REFERENCE_KINDS
from locodyn.robot.loop import LOOP_JOINTS
from locodyn.robot.wheel import WHEEL_KINDS

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
_GROUND = {
    "at": Key(VECTOR, "centre of the surface, or the foot, in the frame of the body, m"),
    "normal": Key(AXIS, "of the plane in the world, towards the robot, z by default"),
    "ground": Key(VECTOR, "a point of the plane in the world, m; the origin by default"),
    "slips": Key(Flag(), "slides on the plane without friction"),
}
ROLLING = Record(
    "rolling",
    {
        "radius": Key(POSITIVE, "m; with an axis that of a disc, from its centre to the tread; alone that of a sphere"),
        "axis": Key(AXIS, "of a disc"),
        "crown": Key(NOT_NEGATIVE, "radius of the section of a tyre, m; also rounds an ellipsoid"),
        "semi_axes": Key(ListOf(POSITIVE, 3), "of an ellipsoid, m"),
        "turned": Key(ROTATION, "axes of an ellipsoid in the frame of the body"),
        **_GROUND,
    },
    exactly_one=("radius", "semi_axes"),
    meaning="A surface of the body that rolls on a plane in space, however the body leans.",
)
FOOT = Record("foot", _GROUND, meaning="A point of the body that stays where it stands on a plane.")
ACTUATOR = Record(
    "actuator",
    {
        "torque_limit": Key(PER_FREEDOM, "largest torque of the drive, N m or N"),
        "no_load_speed": Key(PER_FREEDOM, "at which the drive has no torque left, rad/s or m/s"),
        "armature": Key(PER_FREEDOM, "inertia of the rotor, kg m^2 or kg"),
        "gear": Key(PER_FREEDOM, "turns of the rotor for one of the joint"),
        "viscous": Key(PER_FREEDOM, "damping, N m s/rad or N s/m"),
        "coulomb": Key(PER_FREEDOM, "dry friction, N m or N"),
        "coulomb_speed": Key(PER_FREEDOM, "speed over which it changes its sign, rad/s or m/s"),
        "stiffness": Key(PER_FREEDOM, "of the spring, N m/rad or N/m"),
        "rest": Key(PER_FREEDOM, "position at which the spring has no torque, rad or m"),
        "time_constant": Key(PER_FREEDOM, "with which the drive follows its command, s"),
        "bristles": Key(Record("bristles", LUGRE_WORDS), "dry friction by bristles that bend before they slip (LuGre)"),
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
        "ellipsoid": Key(ListOf(POSITIVE, 3), "instead of these: semi-axes of an ellipsoid, m, whose added masses they are"),
        "density": Key(POSITIVE, "of the fluid around an ellipsoid, 1000 kg/m^3 by default"),
        "matrix": Key(ListOf(ListOf(NUMBER, 6), 6), "instead of these: the whole matrix, (linear; angular)"),
        "unbounded": Key(Flag(), "deep under water only: a run tells where the body comes out (by default of an ellipsoid)"),
    },
    exactly_one=("added_mass", "ellipsoid", "matrix"),
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
    "rolling": Key(MapOf(ROLLING, "rolling surface"), "discs, tyres, spheres and ellipsoids that roll in space"),
    "feet": Key(MapOf(FOOT, "foot"), "points that stand on a plane"),
    "collides": Key(MapOf(SURFACE, "surface"), "surfaces that hit, stick and slide: hard contact"),
    "rests": Key(MapOf(SUPPORT, "support"), "points that slide under a known load"),
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
    "rod": Key(ROD, "a rod that begins on the parent; the body is its tip"),
}
BODY = Record(
    "body",
    {
        "parent": Key(NAME, "the body that carries it"),
        "at_s": Key(NOT_NEGATIVE, "where along the parent, if that is a rod, m; by default at its tip"),
        "at": Key(VECTOR, "position of the joint in the frame of the parent, m"),
        "turned": Key(ROTATION, "rotation of the joint in the frame of the parent"),
        "body_at": Key(VECTOR, "position of the body's frame on the moving side of the joint, m"),
        "body_turned": Key(ROTATION, "its rotation there"),
        **JOINT_WORDS,
        **_BODY,
        **_BEARS,
        "tendons": Key(MapOf(TENDON, "tendon"), "of a rod"),
        "chambers": Key(MapOf(CHAMBER, "chamber"), "of a rod"),
        "muscles": Key(MapOf(MUSCLE, "muscle"), "of a rod"),
        **ROD_CONTACTS,
    },
    at_most_one=tuple(JOINT_WORDS),
    meaning="A body: 'parent' names the body that carries it, one word (turning, sliding, ...) says how it moves.",
    renamed={"on": "parent"},
)
BASE = Record(
    "base",
    {
        "name": Key(NAME, "of the reference body", needed=True),
        "moves": Key(Text(REFERENCE_KINDS), "in which group, free by default"),
        "axis": Key(AXIS, "of a revolute or prismatic base; normal of the plane of a planar one"),
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
        "second_axis": Key(AXIS, "of a universal or perpendicular joint: the other axis, x by default"),
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
COUPLING = Record(
    "coupling",
    {
        "factors": Key(MapOf(NUMBER, "joint"), "of each joint: their positions times these add up to the offset", needed=True),
        "offset": Key(NUMBER, "0 by default"),
    },
    meaning="A gear between joints of one coordinate.",
)
ONE_OF_SEVERAL = Record(
    "one of the robots",
    {
        "from": Key(NAME, "its file: urdf, xml (MJCF) or yaml, beside this one", needed=True),
        "moves": Key(Text(REFERENCE_KINDS), "how its base moves, where that file does not say"),
        "collides": Key(Flag(), "of a URDF or MJCF file: whether its collision shapes become surfaces of hard contact"),
        "at": Key(VECTOR, "place in the world from which the motion of its base is counted, m"),
        "turned": Key(ROTATION, "rotation there"),
    },
    meaning="A robot beside others.",
)
ROBOT_KEYS = {
    "robot": Key(NAME, "its name"),
    "from": Key(NAME, "another file that it begins with: urdf, xml (MJCF) or yaml, beside this one"),
    "robots": Key(
        MapOf(ONE_OF_SEVERAL, "robot"), "several robots in one world; their names stand before those of their parts: dog.trunk"
    ),
    "moves": Key(Text(REFERENCE_KINDS), "with 'from': how the base moves, where that file does not say"),
    "collides": Key(Flag(), "with 'from' a URDF or MJCF file: whether its collision shapes become surfaces of hard contact"),
    "change": Key(
        MapOf(
            AnyOf((NUMBER, Text(), ListOf(AnyOf((NUMBER, ListOf(NUMBER)), "numbers"))), "a number, a word or a list of numbers"),
            "parameter",
        ),
        "with 'from': other values of parameters by their dotted names, such as trunk.mass",
    ),
    "massless_ok": Key(Flag(), "allow joints that move parts without inertia"),
    "any_inertia": Key(Flag(), "allow inertia tensors that no body can have"),
    "base": Key(BASE, "the reference body; not with 'from' or 'robots'"),
    "bodies": Key(MapOf(BODY, "body"), "the other bodies; with 'from' a known name says more about that body"),
    "loops": Key(MapOf(LOOP, "loop"), "joints that close loops"),
    "couplings": Key(MapOf(COUPLING, "coupling"), "gears between joints"),
    **TIES,
    "wrenches": Key(MapOf(WRENCH, "wrench law"), "laws that act on bodies"),
}
ROBOT = Record("robot", ROBOT_KEYS, exactly_one=("base", "from", "robots"), meaning="A robot.")
