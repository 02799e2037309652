"""Hard contact: surfaces of bodies, friction, obstacles and how contacts are solved. Which keys they have and what they mean.

The words are those of :meth:`locodyn.robot.BodyHandle.collides`, of :mod:`locodyn.world.obstacles` and of ``HardContact``.
"""

from __future__ import annotations

from locodyn.contact.options import PROJECTIONS, RESTITUTION_LAWS, SOLVERS
from locodyn.files.part_words import AXIS, NAME, NOT_NEGATIVE, NUMBER, PLACE, POSITIVE, ROTATION, SHAPES, VECTOR
from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import AnyOf, Flag, ListOf, Number, Text
from locodyn.robot.friction import FRICTION_LAWS
from locodyn.world.compliant_law import FRICTIONS, NORMAL_LAWS

FRICTION = Record(
    "friction",
    {
        "along": Key(NOT_NEGATIVE, "coefficient, forward; 0 by default"),
        "across": Key(NOT_NEGATIVE, "to the sides; by default as along"),
        "backward": Key(NOT_NEGATIVE, "by default as along"),
        "rolling": Key(NOT_NEGATIVE, "rolling friction, in parts of the radius"),
        "spinning": Key(NOT_NEGATIVE, "torsional friction, m"),
        "law": Key(Text(tuple(FRICTION_LAWS)), "coulomb by default"),
        "speed": Key(POSITIVE, "of the smooth laws, m/s"),
    },
)
_FRICTION = AnyOf(
    (NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 2), FRICTION),
    "a number, [along, across], or a mapping such as {along: 0.3, rolling: 0.01}",
)
_SOLIDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid")
_DIRECTION = Key(AXIS, "forward direction of the friction in the frame of the body, x by default")
SURFACE = Record(
    "surface",
    {
        "shape": Key(
            Record("surface_shape", {**{kind: SHAPES[kind] for kind in _SOLIDS}, **PLACE}, exactly_one=_SOLIDS),
            "by default that of the body",
        ),
        "vertices": Key(ListOf(VECTOR, least=1), "points instead of a shape: those of a mesh, m"),
        "radius": Key(POSITIVE, "of the surface along a rod, m; by default that of its round section"),
        "friction": Key(_FRICTION, "none by default"),
        "restitution": Key(NOT_NEGATIVE, "from 0 (default) to 1; by Newton's law, or by Poisson's where contact says so"),
        "direction": _DIRECTION,
    },
    at_most_one=("shape", "vertices", "radius"),
    meaning="A surface of the body that hits, sticks and slides.",
)
SUPPORT = Record(
    "support",
    {
        "load": Key(NOT_NEGATIVE, "N", needed=True),
        "at": Key(VECTOR, "in the frame of the body, m"),
        "friction": Key(_FRICTION, "none by default"),
        "direction": _DIRECTION,
    },
    meaning="A point of the body that slides on the horizontal plane under a known load.",
)

# --------------------------------------------------------------------------------------------------------------- obstacles
_OBSTACLE = {
    "name": Key(NAME, "by default its kind"),
    "friction": Key(_FRICTION, "instead of that of the surfaces that touch it"),
    "restitution": Key(NOT_NEGATIVE, "instead of theirs, from 0 to 1"),
}
_RADIUS = Key(POSITIVE, "m", needed=True)
_AXIS = Key(AXIS, "z by default")


def _solid(kind: str, meaning: str, keys: dict[str, Key]) -> Key:
    """A solid in the world: its own lengths, then where it is."""
    place = {
        "at": Key(AnyOf((VECTOR, ListOf(NUMBER, 2)), "two or three numbers"), "its centre, m", needed=True),
        "turned": Key(ROTATION, "rotation"),
    }
    return Key(Record(f"{kind}_in_world", {**_OBSTACLE, **keys, **place}), meaning)


OBSTACLES = kinds(
    {
        "ground": (
            "everything below a plane",
            {**_OBSTACLE, "at": Key(VECTOR, "a point of the plane, m"), "normal": Key(AXIS, "z by default")},
        ),
        "sphere": _solid("sphere", "a ball", {"radius": _RADIUS}),
        "capsule": _solid(
            "capsule",
            "a cylinder with half balls at its ends",
            {"radius": _RADIUS, "length": Key(POSITIVE, "m, without its round ends", needed=True), "axis": _AXIS},
        ),
        "cylinder": _solid(
            "cylinder",
            "a cylinder, with or without ends; a peg",
            {"radius": _RADIUS, "length": Key(POSITIVE, "m; by default it is endless"), "axis": _AXIS},
        ),
        "box": _solid("box", "a box", {"size": Key(ListOf(POSITIVE, 3), "full lengths along x, y, z, m", needed=True)}),
        "ellipsoid": _solid(
            "ellipsoid", "an ellipsoid", {"semi_axes": Key(ListOf(POSITIVE, 3), "half lengths along x, y, z, m", needed=True)}
        ),
        "terrain": (
            "a smooth heightfield",
            {
                **_OBSTACLE,
                "heights": Key(ListOf(ListOf(NUMBER, least=4), least=4), "a list along x of lists along y, m", needed=True),
                "spacing": Key(POSITIVE, "m, 1 by default"),
                "origin": Key(ListOf(NUMBER, 2), "x and y of the first height, m"),
            },
        ),
    }
)
OBSTACLE = Record("obstacle", OBSTACLES, exactly_one=tuple(OBSTACLES), meaning="What surfaces of the robot hit.")
_PAIRS = ListOf(ListOf(NAME, 2, each="body"), each="pair")
SELF_COLLISION = AnyOf(
    (
        Flag(),
        Record(
            "self_collision",
            {
                "include": Key(_PAIRS, "pairs of bodies that hit each other although a joint keeps them in touch"),
                "exclude": Key(_PAIRS, "pairs of bodies that do not hit each other"),
            },
            meaning="Bodies hit each other, but for those that a joint keeps in touch.",
        ),
    ),
    "true, false or {include: [[a, b]], exclude: [[c, d]]}",
)
CONTACT = Record(
    "contact",
    {
        "solver": Key(Text(tuple(SOLVERS)), "newton by default"),
        "tolerance": Key(POSITIVE, "in parts of the mean weight of a link times the step"),
        "iterations": Key(Number(whole=True, least=1), "at most so many"),
        "implicit_servo": Key(Flag(), "servos at the end of the step (default)"),
        "stabilise": Key(Flag(), "push surfaces apart that overlap, as far as lost energy pays for it (not by default)"),
        "midpoint": Key(Flag(), "the momenta of both ends of a step are balanced (default), not forces at its start"),
        "restitution": Key(Text(tuple(RESTITUTION_LAWS)), "what the coefficients of restitution mean, newton by default"),
        "r_normal": Key(POSITIVE, "factor of prox, kg"),
        "r_tangent": Key(POSITIVE, "factor of prox, kg"),
        "projection": Key(Text(tuple(PROJECTIONS)), "how loops are closed after a step, smallest by default"),
        "ahead": Key(Flag(), "inelastic contacts that would close within the step take part (default); else closed ones only"),
        "curved": Key(Flag(), "normal velocities at the end of a step, so that what rolls keeps its height (default)"),
        "stops": Key(Flag(), "limits of hinges and slides stop them (by default only of robots from URDF and MJCF that collide)"),
        "sleeping": Key(Flag(), "bodies that the impulses of the last step hold at rest are not solved for (not by default)"),
        "theta": Key(POSITIVE, "part of the step at which springs, joint friction and rods are taken: 0.5 (default) to 1"),
    },
    meaning="How hard contact is solved.",
)
_ONE_OR_TWO = AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 2)), "a number, or [forward, aside]")
COMPLIANT = Record(
    "compliant",
    {
        "normal": Key(Text(tuple(NORMAL_LAWS)), "hunt_crossley by default"),
        "stiffness": Key(POSITIVE, "N/m^exponent; by default one contact carries the robot at the depth sink"),
        "sink": Key(POSITIVE, "m, 1e-4 by default"),
        "damping": Key(NOT_NEGATIVE, "N s/m^(exponent + 1), of the linear law N s/m; by default from the restitution"),
        "impact_speed": Key(POSITIVE, "m/s, at which the surfaces have their restitution"),
        "exponent": Key(POSITIVE, "1, 1.5 (default), 2, 2.5 or 3"),
        "friction": Key(Text(tuple(FRICTIONS)), "lugre by default"),
        "speed": Key(POSITIVE, "of regularised friction, and over which static friction falls, m/s"),
        "static": Key(_ONE_OR_TWO, "friction at rest over that of slip, 1 by default; or [forward, aside]"),
        "bristle_stiffness": Key(_ONE_OR_TWO, "of LuGre's law, 1/m; or [forward, aside]"),
        "bristle_damping": Key(_ONE_OR_TWO, "of LuGre's law, s/m; or [forward, aside]"),
        "viscous": Key(_ONE_OR_TWO, "of LuGre's law, s/m; or [forward, aside]"),
        "grip_stiffness": Key(
            POSITIVE, "of the spring along the ground of stick_slip, N/m^exponent; that along the normal by default"
        ),
        "grip_damping": Key(NOT_NEGATIVE, "of its damper, N s/m^(exponent + 1); that along the normal by default"),
        "relaxation": Key(POSITIVE, "in which bristles fall back off the ground, s"),
    },
    meaning="Contact by springs, dampers and friction in place of hard contact.",
)
