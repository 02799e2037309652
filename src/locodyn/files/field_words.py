"""Strain fields of rods in a file: which keys they have, and their way to the words of the builder and back.

The words are those of :mod:`locodyn.robot.rods.field_shapes`. A file that is written has ``term``: any field can be said so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from locodyn.files.part_words import NUMBER, POSITIVE
from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import Flag, ListOf, MapOf, Text
from locodyn.motion.field_base import MOST_COEFFICIENTS, WAVE
from locodyn.robot.rods.field import FieldShape, FieldTerm, Profile, StrainField
from locodyn.robot.rods.field_shapes import front, polynomial_shape, standing, travelling, travelling_bump, window
from locodyn.robot.rods.section import STRAINS

_STRAIN = Key(Text(STRAINS), "which strain", needed=True)
_PAIR = ListOf(NUMBER, 2)
_PROFILES = {
    "sine": WAVE.sine, "cosine": WAVE.cosine, "polynomial": WAVE.polynomial, "bump": WAVE.bump, "step": WAVE.step,
    "front": WAVE.front,
}  # fmt: skip
_PROFILE = Record(
    "profile",
    {
        "kind": Key(Text(tuple(_PROFILES)), "a function f(u)", needed=True),
        "along": Key(NUMBER, "u = along s + across sigma + shift, 1/m"),
        "across": Key(NUMBER, "0 by default: it does not travel"),
        "shift": Key(NUMBER, "0 by default"),
        "coefficients": Key(ListOf(NUMBER, least=1), f"of a polynomial, lowest first, at most {MOST_COEFFICIENTS}"),
    },
)
_KINDS = kinds(
    {
        "travelling": (
            "amplitude cos(2 pi (s + sigma) / wavelength + phase)",
            {
                "strain": _STRAIN,
                "amplitude": Key(NUMBER, "1, or 1/m of torsion and bending", needed=True),
                "wavelength": Key(POSITIVE, "m", needed=True),
                "phase": Key(NUMBER, "rad"),
            },
        ),
        "travelling_bump": (
            "a smooth bump of compact support",
            {
                "strain": _STRAIN,
                "height": Key(NUMBER, "1, or 1/m of torsion and bending", needed=True),
                "centre": Key(NUMBER, "where it is at sigma = 0, m", needed=True),
                "half_width": Key(POSITIVE, "m", needed=True),
            },
        ),
        "standing": (
            "amplitude cos(2 pi s / wavelength + phase)",
            {
                "strain": _STRAIN,
                "amplitude": Key(NUMBER, "1, or 1/m of torsion and bending", needed=True),
                "wavelength": Key(POSITIVE, "m; without it constant along the rod"),
                "phase": Key(NUMBER, "rad"),
            },
        ),
        "polynomial": (
            "c0 + c1 s + c2 s^2 + ...",
            {"strain": _STRAIN, "coefficients": Key(ListOf(NUMBER, least=1), "lowest first", needed=True)},
        ),
        "term": Key(
            Record(
                "field_term",
                {
                    "strain": _STRAIN,
                    "scale": Key(NUMBER, "a factor", needed=True),
                    "profiles": Key(ListOf(_PROFILE), "functions of s and sigma, which are multiplied"),
                },
            ),
            "a product of functions",
        ),
    }
)
_SHAPE = Record(
    "field_shape",
    {
        **_KINDS,
        "window": Key(_PAIR, "multiplies it with a smooth step along the rod, from 0 at the first place (m) to 1 at the second"),
        "front": Key(_PAIR, "likewise, of s + sigma: a step that travels"),
    },
    exactly_one=tuple(_KINDS),
    meaning="A summand of a strain field.",
)
FIELDS = MapOf(
    Record(
        "strain_field",
        {
            "shape": Key(ListOf(_SHAPE, least=1), "its summands", needed=True),
            "amplitude": Key(Flag(), "whether a coordinate multiplies it; one that does not travel always has it"),
        },
        meaning="Strains that are a given function of s and of a phase sigma, which is a coordinate named as the field.",
    ),
    "strain field",
)


def fields_of(section: Mapping[str, Any]) -> list[StrainField]:
    """Strain fields from the mapping under ``fields``."""
    return [
        StrainField(name, sum((_shape(one) for one in field["shape"]), FieldShape(())), field.get("amplitude", False))
        for name, field in section.items()
    ]


def _shape(section: Mapping[str, Any]) -> FieldShape:
    kind = next(word for word in _KINDS if word in section)
    values = dict(section[kind])
    if kind == "term":
        profiles = tuple(_profile(one) for one in values.get("profiles", ()))
        shape = FieldShape((FieldTerm(values["strain"], values["scale"], profiles),))
    elif kind == "travelling":
        shape = travelling(**values)
    elif kind == "travelling_bump":
        shape = travelling_bump(**values)
    elif kind == "standing":
        shape = standing(**values)
    else:
        shape = polynomial_shape(**values)
    for word, step in (("window", window), ("front", front)):
        shape = shape * step(*section[word]) if word in section else shape
    return shape


def _profile(section: Mapping[str, Any]) -> Profile:
    along, across, shift = (section.get(word, 0.0) for word in ("along", "across", "shift"))
    return Profile(_PROFILES[section["kind"]], along, across, shift, tuple(section.get("coefficients", ())))


def field_words(field: StrainField) -> dict[str, Any]:
    """The mapping under the name of a strain field."""
    names = {kind: word for word, kind in _PROFILES.items()}
    shape = []
    for term in field.terms:
        profiles = []
        for profile in term.profiles:
            numbers = {"along": profile.along, "across": profile.across, "shift": profile.shift}
            words: dict[str, Any] = {"kind": names[profile.kind], **{key: float(x) for key, x in numbers.items() if x != 0.0}}
            words |= {"coefficients": [float(c) for c in profile.coefficients]} if profile.coefficients else {}
            profiles.append(words)
        shape.append({"term": {"strain": term.strain, "scale": float(term.scale), "profiles": profiles}})
    return {"shape": shape, **({"amplitude": True} if field.amplitude else {})}
