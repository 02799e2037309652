"""Rods, their sections and materials, tendons and chambers: which keys they have and what they mean.

The words are those of the builder (:mod:`locodyn.robot.rods.words`). What is a function of s in Python has no word here;
routes and tapers (:mod:`locodyn.robot.rods.routing`) have.
"""

from __future__ import annotations

from locodyn.files.field_words import FIELDS
from locodyn.files.part_words import NOT_NEGATIVE, NUMBER, POSITIVE, VECTOR
from locodyn.files.records import Key, Record, kinds
from locodyn.files.rules import AnyOf, Flag, ListOf, Number, Text
from locodyn.robot.rods.nodes import QUADRATURES
from locodyn.robot.rods.space import SPACES
from locodyn.robot.rods.strain_basis import BASES

MATERIALS = ("steel", "aluminium", "silicone")

_SHEAR_FACTOR = {"shear_factor": Key(POSITIVE, "multiplies G A, 1 by default")}
SECTIONS = kinds(
    {
        "circle": ("a full disc", {"radius": Key(POSITIVE, "m", needed=True), **_SHEAR_FACTOR}),
        "annulus": (
            "a tube",
            {"radius": Key(POSITIVE, "m", needed=True), "inner_radius": Key(POSITIVE, "m", needed=True), **_SHEAR_FACTOR},
        ),
        "rectangle": (
            "a rectangle",
            {
                "width": Key(POSITIVE, "along y, m", needed=True),
                "height": Key(POSITIVE, "along z, m", needed=True),
                **_SHEAR_FACTOR,
                "torsion": Key(POSITIVE, "torsion constant, m^4; by default that of Saint-Venant"),
            },
        ),
        "ellipse": (
            "an ellipse",
            {
                "semi_y": Key(POSITIVE, "semi-axis along y, m", needed=True),
                "semi_z": Key(POSITIVE, "semi-axis along z, m", needed=True),
                **_SHEAR_FACTOR,
            },
        ),
        "given": Key(
            Record(
                "given_section",
                {
                    "stiffness": Key(
                        AnyOf((ListOf(NUMBER, 6), ListOf(ListOf(NUMBER, 6), 6)), "six numbers or a 6 x 6 matrix"),
                        "along stretch, shear y, shear z (N), torsion, bending y, bending z (N m^2)",
                        needed=True,
                    ),
                    "mass": Key(POSITIVE, "kg/m", needed=True),
                    "inertia": Key(ListOf(NOT_NEGATIVE, 3), "of a metre of rod, about x, y, z, kg m"),
                },
            ),
            "its numbers, without a material",
        ),
    }
)
_ONE_SECTION = Record("section", SECTIONS, exactly_one=tuple(SECTIONS), meaning="The cross-section of a rod, the same all along.")
TAPERED = Record(
    "tapered_section",
    {
        "first": Key(_ONE_SECTION, "at the root", needed=True),
        "last": Key(_ONE_SECTION, "at the tip, of the same kind", needed=True),
    },
    meaning="A cross-section whose numbers go linearly from those at the root to those at the tip.",
    mark="first",
)
SECTION = AnyOf(
    (TAPERED, _ONE_SECTION),
    f"one of {', '.join(SECTIONS)}, such as {{circle: {{radius: 0.005}}}}, or {{first: ..., last: ...}} for a taper",
)
MATERIAL = AnyOf(
    (
        Text(MATERIALS),
        Record(
            "material",
            {
                "young": Key(POSITIVE, "Young's modulus, Pa", needed=True),
                "density": Key(POSITIVE, "kg/m^3", needed=True),
                "shear": Key(POSITIVE, "shear modulus, Pa; by default young / (2 (1 + poisson))"),
                "poisson": Key(NUMBER, "Poisson's ratio, 0.3 by default"),
            },
        ),
    ),
    f"one of {', '.join(MATERIALS)}, or a mapping such as {{young: 2.1e11, density: 7800}}",
)
FLUID = Record(
    "rod_fluid",
    {
        "density": Key(POSITIVE, "of the fluid, kg/m^3; the added masses are then those of the section"),
        "added_mass": Key(ListOf(NOT_NEGATIVE, 3), "instead of the density: along x, y, z of the section, kg/m"),
        "added_inertia": Key(ListOf(NOT_NEGATIVE, 3), "with added masses: about x, y, z, kg m"),
    },
    exactly_one=("density", "added_mass"),
    meaning="Inertia of an ideal fluid that each metre of rod moves along.",
)
_COUNT = Number(whole=True, least=0)
_COUNTS = AnyOf((_COUNT, ListOf(_COUNT, 2)), "a whole number, or one for y and one for z")
_BASIS = Text(tuple(BASES))
ROD = Record(
    "rod",
    {
        "length": Key(POSITIVE, "m", needed=True),
        "section": Key(SECTION, "its cross-section", needed=True),
        "material": Key(MATERIAL, "what it is made of; not with a section that is given by its numbers"),
        "stretch": Key(_COUNT, "number of strain functions; 0, the default: the strain keeps its rest value"),
        "shear": Key(_COUNTS, "likewise, for both directions, or [along y, along z]"),
        "torsion": Key(_COUNT, "likewise"),
        "bending": Key(_COUNTS, "likewise, for both directions, or [about y, about z]"),
        "basis": Key(
            AnyOf((_BASIS, ListOf(_BASIS, 6)), f"one of {', '.join(BASES)}, or six of them"),
            "of the strains; six: stretch, shear y, shear z, torsion, bending y, bending z; legendre by default",
        ),
        "nodes": Key(Number(whole=True, least=1), "points that carry the mass; by default three more than functions"),
        "quadrature": Key(Text(tuple(QUADRATURES)), "where these points are; gauss by default, chebyshev: as many again"),
        "rest_curvature": Key(VECTOR, "torsion, curvature about y and about z without load, 1/m"),
        "damping": Key(
            AnyOf((NOT_NEGATIVE, ListOf(NOT_NEGATIVE, 6)), "a number or six, zero or more"),
            "Kelvin-Voigt, s, of all or each strain",
        ),
        "space": Key(Text(tuple(SPACES)), "integrator along the rod; magnus4 by default"),
        "tolerance": Key(POSITIVE, "of the place of the tip over the length, for the adaptive integrator; 1e-9 by default"),
        "fluid": Key(FLUID, "what it moves along of the fluid around it"),
        "fields": Key(FIELDS, "strain fields: waves, bumps and shapes whose phase or amplitude is a coordinate"),
        "keeps_volume": Key(Flag(), "whether its sections shrink where it stretches, as those of a worm; false by default"),
    },
    meaning="A rod along the x axis of its place; the body is its tip.",
)
ROUTE = Record(
    "route",
    {
        "helix": Key(
            Record(
                "helix",
                {
                    "radius": Key(POSITIVE, "m", needed=True),
                    "pitch": Key(NUMBER, "of one turn, m; negative: the other way round", needed=True),
                    "phase": Key(NUMBER, "angle at the root from the y axis, rad"),
                },
            ),
            "about the centre line",
        ),
        "polynomial": Key(
            Record(
                "polynomial_route",
                {"y": Key(ListOf(NUMBER), "coefficients of 1, s, s^2, ..."), "z": Key(ListOf(NUMBER), "likewise")},
            ),
            "in s (m)",
        ),
    },
    exactly_one=("helix", "polynomial"),
    meaning="The place of a tendon in the sections along the rod.",
)
_STRAND = {
    "offset": Key(
        AnyOf((ListOf(NUMBER, 2), ROUTE), "two numbers, or {helix: ...} or {polynomial: ...}"),
        "place in the sections: y and z, m, or a route",
    ),
    "start": Key(NOT_NEGATIVE, "from where on the rod it acts, m"),
    "end": Key(POSITIVE, "to where, m; by default to the tip"),
    "time_constant": Key(NOT_NEGATIVE, "with which it follows what it is told, s"),
}
TENDON = Record(
    "tendon",
    {
        **_STRAND,
        "offset": Key(_STRAND["offset"].rule, _STRAND["offset"].meaning, needed=True),
        "stiffness": Key(NOT_NEGATIVE, "N/m; with it the free length is given instead of the tension"),
    },
    meaning="A tendon along a rod, driven by its tension or its free length.",
)
CHAMBER = Record(
    "chamber",
    {**_STRAND, "area": Key(POSITIVE, "m^2", needed=True)},
    meaning="A pressurised chamber along a rod.",
)
_SIX = ListOf(NUMBER, 6)
MUSCLE = Record(
    "muscle",
    {
        "stress": Key(_SIX, "force (N) and moment (N m) in the axes of the section for the activation 1", needed=True),
        "active_stiffness": Key(_SIX, "along the six strains for the activation 1, N and N m^2"),
        "start": _STRAND["start"],
        "end": _STRAND["end"],
        "time_constant": _STRAND["time_constant"],
    },
    meaning="An active stress along a rod, driven by its activation.",
)
