"""Hard contact: from the values of a file to friction, obstacles and options, and friction back to the words of a file."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from locodyn.errors import LocodynError
from locodyn.files.rules import Section
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Friction, Shape, Sphere
from locodyn.world import Fixture, Ground, Obstacle, Terrain

SOLIDS: dict[str, type[Shape]] = {"sphere": Sphere, "capsule": Capsule, "cylinder": Cylinder, "box": Box, "ellipsoid": Ellipsoid}
_PLACING = ("at", "turned", "name", "friction", "restitution")  # arguments of the obstacle; the others are those of its solid


def friction_of(given: Any) -> Friction:
    """Friction from a number, a pair or a mapping."""
    return Friction(**given) if isinstance(given, Section) else Friction.of(given)


def friction_words(friction: Friction) -> Any:
    """The shortest form that gives the same friction: a number, [along, across] or a mapping."""
    plain = Friction(friction.along)
    words = {
        entry.name: getattr(friction, entry.name)
        for entry in fields(friction)
        if entry.name != "along" and getattr(friction, entry.name) != getattr(plain, entry.name)
    }
    if not words:
        return friction.along
    return [friction.along, friction.across] if set(words) == {"across"} else {"along": friction.along, **words}


def obstacle_of(given: Section) -> Fixture:
    """An obstacle from ``{cylinder: {at: [1, 0], radius: 0.05}}``; its errors have its line."""
    ((kind, values),) = given.items()
    try:
        made: dict[str, Any] = {key: friction_of(value) if key == "friction" else value for key, value in values.items()}
        if kind not in SOLIDS:
            return (Ground if kind == "ground" else Terrain)(**made)
        solid = SOLIDS[kind](**{key: value for key, value in made.items() if key not in _PLACING})
        return Obstacle(solid, **{key: value for key, value in made.items() if key in _PLACING})
    except LocodynError as error:
        raise given.entry.error(str(error)) from None
