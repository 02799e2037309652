"""Rods, tendons and chambers: from the values of a file to the words of the builder, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

import locodyn.robot.rods.section as section
from locodyn.errors import InputError
from locodyn.files.field_words import field_words, fields_of
from locodyn.files.notes import Notes
from locodyn.files.rod_words import MATERIALS
from locodyn.files.rules import Section
from locodyn.robot import Annulus, Circle, Ellipse, GivenSection, Material, Rectangle, Rod, RodFluid, Tapered, WrenchLaw
from locodyn.robot.layout import CHAMBER, MUSCLE
from locodyn.robot.rods.routing import ROUTES
from locodyn.robot.rods.strand import Strand
from locodyn.robot.values import is_number

SECTIONS = {"circle": Circle, "annulus": Annulus, "rectangle": Rectangle, "ellipse": Ellipse, "given": GivenSection}


def rod_values(words: Section) -> dict[str, Any]:
    """What :meth:`~locodyn.robot.BodyHandle.rod` takes, from the mapping under ``rod``."""
    values = dict(words)
    values["section"] = _section_of(words["section"])
    if "material" in words:
        material = words["material"]
        values["material"] = getattr(section, material) if isinstance(material, str) else Material(**material)
    if "fluid" in words:
        values["fluid"] = RodFluid(**words["fluid"])
    if "fields" in words:
        values["fields"] = fields_of(words["fields"])
    return values


def _section_of(section: Section) -> Any:
    if "first" in section:
        return Tapered(_section_of(section["first"]), _section_of(section["last"]))
    ((kind, numbers),) = section.items()
    return SECTIONS[kind](**numbers)


def route_of(value: Any) -> Any:
    """The place of a strand: two numbers, or a route."""
    if not isinstance(value, Mapping):
        return value
    ((kind, numbers),) = value.items()
    return ROUTES[kind](**numbers)


def _section_words(section: Any, name: str) -> dict[str, Any]:
    if isinstance(section, Tapered):
        return {"first": _section_words(section.first, name), "last": _section_words(section.last, name)}
    kind = next((word for word, known in SECTIONS.items() if type(section) is known), None)
    if kind is None:
        raise _refused(name, "section")
    return {kind: _said(section)}


def rod_words(rod: Rod, name: str) -> dict[str, Any]:
    """The mapping under ``rod``; :class:`InputError` where the rod is made of Python functions."""
    section = None if isinstance(rod.section, Tapered) else rod.section
    for what, value in (("section", section), ("material", rod.material), ("rest curvature", rod.rest_curvature)):
        if callable(value):
            raise _refused(name, what)
    if rod.fluid is not None and (callable(rod.fluid.added_mass) or callable(rod.fluid.added_inertia)):
        raise _refused(name, "fluid")
    if any(callable(basis) for basis in rod.bases):
        raise _refused(name, "strain basis")
    result: dict[str, Any] = {"length": rod.length, "section": _section_words(rod.section, name)}
    if isinstance(rod.material, Material):
        result["material"] = _material(rod.material)
    stretch, shear_y, shear_z, torsion, bending_y, bending_z = rod.modes
    counts = {
        "stretch": stretch,
        "shear": shear_y if shear_y == shear_z else [shear_y, shear_z],
        "torsion": torsion,
        "bending": bending_y if bending_y == bending_z else [bending_y, bending_z],
    }
    result |= {word: count for word, count in counts.items() if count}
    rest = _said(rod)
    words = ("basis", "nodes", "quadrature", "rest_curvature", "damping", "space", "tolerance")
    result |= {word: rest[word] for word in words if word in rest}
    result |= {} if rod.fluid is None else {"fluid": _said(rod.fluid)}
    result |= {"fields": {field.name: field_words(field) for field in rod.fields}} if rod.fields else {}
    result |= {"keeps_volume": True} if rod.keeps_volume else {}
    return result | {word: int(result[word]) for word in ("nodes",) if word in result}


def strand_words(strands: tuple[Strand, ...], notes: Notes) -> dict[str, Any]:
    """``tendons``, ``chambers`` and ``muscles`` of a rod; those along Python functions go to ``notes``."""
    result: dict[str, dict[str, Any]] = {}
    for strand in strands:
        key = "chambers" if strand.kind == CHAMBER else "muscles" if strand.kind == MUSCLE else "tendons"
        route = next((word for word, kind in ROUTES.items() if isinstance(strand.offset, kind)), None)
        if any(callable(value) for value in (None if route else strand.offset, strand.stress, strand.active_stiffness)):
            notes.lost(f"{key[:-1]} '{strand.name}'", "it runs along a Python function, which cannot be written")
            continue
        words = _said(strand)
        del words["name"]
        if route is not None:
            words["offset"] = {route: _said(strand.offset)}
        if strand.kind == MUSCLE:
            del words["offset"]
        result.setdefault(key, {})[strand.name] = words
    return result


def spread_words(wrench: WrenchLaw, notes: Notes) -> dict[str, Any] | None:
    """Where on a rod a wrench law acts; None, with a note, where its profile is a Python function."""
    if wrench.abscissa is not None:
        return {"at_s": float(wrench.abscissa)}
    spread = wrench.spread
    if spread is None:
        return {}
    if callable(spread.profile):
        notes.lost(f"wrench law '{wrench.name}'", "its profile is a Python function, which cannot be written")
        return None
    along = True if spread.end is None else [float(spread.start), float(spread.end)]
    return {"along": along} | ({} if spread.profile == 1.0 else {"profile": _plain(spread.profile)})


def _refused(name: str, what: str) -> InputError:
    return InputError(f"the {what} of rod '{name}' is made in Python; a file holds numbers only, so the robot cannot be written.")


def _material(material: Material) -> Any:
    """Its name, or its numbers; the shear modulus where it does not follow from Poisson's ratio."""
    known = next((name for name in MATERIALS if getattr(section, name) == material), None)
    if known is not None:
        return known
    words = _said(material)
    if Material(material.young, material.density, poisson=material.poisson) == material:
        del words["shear"]
    return words


def _said(thing: Any) -> dict[str, Any]:
    """The fields that are not the defaults, as plain data."""
    result = {}
    for entry in fields(thing):
        value = getattr(thing, entry.name)
        if entry.default is MISSING or not np.array_equal(value, entry.default):
            result[entry.name] = _plain(value)
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_plain(one) for one in value]
    return float(value) if is_number(value) else value
