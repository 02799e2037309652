"""Hard contact: from the values of a file to friction, obstacles and options, and friction back to the words of a file."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from locodyn.errors import LocodynError
from locodyn.files.rules import Section
from locodyn.robot import Friction
from locodyn.world import Ball, Block, Ground, Obstacle, Peg, Terrain

OBSTACLES: dict[str, type[Obstacle]] = {"ground": Ground, "peg": Peg, "ball": Ball, "block": Block, "terrain": Terrain}


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


def obstacle_of(given: Section) -> Obstacle:
    """An obstacle from ``{peg: {at: [1, 0], radius: 0.05}}``; its errors have its line."""
    ((kind, values),) = given.items()
    try:
        made: dict[str, Any] = {key: friction_of(value) if key == "friction" else value for key, value in values.items()}
        return OBSTACLES[kind](**made)
    except LocodynError as error:
        raise given.entry.error(str(error)) from None
