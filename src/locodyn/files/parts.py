"""Shapes, inertias, laws, friction and obstacles: from the values of a file to the objects of the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, LocodynError
from locodyn.files.motion_words import LAW_KINDS
from locodyn.files.paths import MOST_MESH, MOST_TEXT, check_size, inside
from locodyn.files.rules import Section
from locodyn.robot import Box, Capsule, Compound, Cylinder, Ellipsoid, Friction, Mesh, Shape, Sphere, about_centre, about_origin
from locodyn.world import (
    Anchor,
    ArctanFriction,
    Buoyancy,
    Drag,
    Feedback,
    Fixture,
    Ground,
    LuGre,
    Obstacle,
    Sliding,
    Terrain,
    Thrust,
    Wake,
    Water,
    Wave,
    WetDrag,
    WorldForce,
    WrenchLaw,
)

WRENCH_LAWS: dict[str, type[WrenchLaw]] = {
    "world_force": WorldForce,
    "thrust": Thrust,
    "drag": Drag,
    "sliding": Sliding,
    "lugre": LuGre,
    "arctan_friction": ArctanFriction,
    "anchor": Anchor,
    "wake": Wake,
    "feedback": Feedback,
    "buoyancy": Buoyancy,
    "wet_drag": WetDrag,
}
_PLAIN: dict[str, Callable[..., Shape]] = {"box": Box, "sphere": Sphere, "ellipsoid": Ellipsoid}
_ROUND: dict[str, Callable[..., Shape]] = {"cylinder": Cylinder, "capsule": Capsule}

Missing = Callable[[str, int], Shape | None]


def wrench_law(section: Section) -> WrenchLaw:
    """A wrench law from ``{drag: {linear: 1}}``."""
    ((kind, values),) = section.items()
    if kind in ("buoyancy", "wet_drag"):
        values = _wet_values(kind, values)
    return WRENCH_LAWS[kind](**values)


def _wet_values(kind: str, section: Section) -> dict[str, Any]:
    """What a law of water takes."""
    values: dict[str, Any] = {}
    if "shape" in section:
        values["shape"] = solid_of(section["shape"])
    water = dict(section.get("water", {}))
    values["water"] = Water(**water | ({"wave": Wave(**water["wave"])} if "wave" in water else {}))
    if kind == "wet_drag":
        values["drag"] = Drag(**section["drag"])
    return values


def wrench_values(section: Section) -> dict[str, Any]:
    """What :meth:`Robot.wrench` takes beside the name, from ``{acts_on: board, law: ...}``."""
    values = {key: value for key, value in section.items() if key not in ("acts_on", "law")}
    return {"on": section["acts_on"], "law": wrench_law(section["law"]), **values}


def actuator_values(section: Section) -> dict[str, Any]:
    """What an actuator is given, from ``{viscous: 0.1, bristles: {coulomb: 1, stiffness: 1e4}}``."""
    values = dict(section)
    return values | ({"bristles": LuGre(**values["bristles"])} if "bristles" in values else {})


def inertia_of(section: Any) -> Any:
    """The inertia from a mapping of moments or a matrix."""
    if not isinstance(section, Mapping):
        return section
    values = {key: value for key, value in section.items() if key != "about"}
    return (about_origin if section.get("about") == "origin" else about_centre)(**values)


def solid_of(section: Section) -> Shape:
    """A shape other than a mesh, from ``{box: [1, 1, 1], at: [0, 0, 0.5]}``."""
    look = _look(section)
    ((kind, value),) = ((key, value) for key, value in section.items() if key not in look)
    return _PLAIN[kind](value, **look) if kind in _PLAIN else _ROUND[kind](**value, **look)


def _look(section: Section) -> dict[str, Any]:
    return {key: section[key] for key in ("at", "turned", "colour") if key in section}


def shape_of(section: Any, folder: Path, root: Path, missing: Missing) -> Shape | None:
    """A shape, or several; ``missing`` stands in for a mesh whose file is not there."""
    if isinstance(section, list):
        parts = [part for one in section if (part := shape_of(one, folder, root, missing)) is not None]
        return Compound(parts) if parts else None
    if "scale" in section and "mesh" not in section:
        raise section.entry.value["scale"].error("only a mesh has a scale.")
    if "mesh" not in section:
        return solid_of(section)
    entry = section.entry.value["mesh"]
    try:
        path = inside(section["mesh"], folder, root, "the mesh")
        if os.path.isfile(path):
            check_size(path, MOST_MESH)
    except InputError as error:
        raise entry.error(str(error)) from None
    if not os.path.isfile(path):
        return missing(section["mesh"], entry.line)
    return Mesh(str(path), section.get("scale", 1.0), **_look(section))


def motion_of(section: Any, folder: Path, root: Path) -> Any:
    """A law of time from a number, a mapping or a list of mappings (their sum)."""
    from locodyn import motion as laws

    if isinstance(section, float):
        return laws.constant(section)
    if isinstance(section, list):
        total = motion_of(section[0], folder, root)
        for one in section[1:]:
            total = total + motion_of(one, folder, root)
        return total
    kind = next(key for key in section if key in LAW_KINDS)
    value = section[kind]
    try:
        if kind == "csv":
            options = {key: value[key] for key in ("time", "degree", "periodic", "cutoff") if key in value}
            path = inside(value["file"], folder, root, "the motion file")
            check_size(path, MOST_TEXT)
            law = laws.from_csv(path, [value["column"]], **options)[value["column"]]
        elif kind == "polynomial":
            law = laws.polynomial(*value)
        elif kind == "constant":
            law = laws.constant(value)
        else:
            law = getattr(laws, kind)(**value)
        law = section["factor"] * law if "factor" in section else law
        soft = section.get("soft_start")
        return law if soft is None else law.soft_start(soft) if isinstance(soft, float) else law.soft_start(**soft)
    except InputError as error:
        raise section.entry.error(str(error)) from None


SOLIDS: dict[str, type[Shape]] = {"sphere": Sphere, "capsule": Capsule, "cylinder": Cylinder, "box": Box, "ellipsoid": Ellipsoid}
_PLACING = ("at", "turned", "name", "friction", "restitution")  # arguments of the obstacle; the others are those of its solid


def friction_of(value: Any) -> Friction:
    """Friction from a number, a pair or a mapping."""
    return Friction(**value) if isinstance(value, Section) else Friction.of(value)


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


def obstacle_of(section: Section) -> Fixture:
    """An obstacle from ``{cylinder: {at: [1, 0], radius: 0.05}}``; its errors have its line."""
    ((kind, values),) = section.items()
    try:
        made: dict[str, Any] = {key: friction_of(value) if key == "friction" else value for key, value in values.items()}
        if kind not in SOLIDS:
            return (Ground if kind == "ground" else Terrain)(**made)
        solid = SOLIDS[kind](**{key: value for key, value in made.items() if key not in _PLACING})
        return Obstacle(solid, **{key: value for key, value in made.items() if key in _PLACING})
    except LocodynError as error:
        raise section.entry.error(str(error)) from None
