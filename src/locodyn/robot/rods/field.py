"""Strain fields of a rod: strains that are given functions of the place s and of one or two coordinates.

    xi(s) = xi_rest(s) + sum_j Phi_j(s) q_j + F(s, sigma, y),

sigma the *phase* of the field and y its *amplitude*. Both are coordinates of the rod like its strain modes: their motion is
imposed (then the field is what ideal actuators make of the body), or a force drives them, or they are free. A wave f(s + sigma)
travels with the speed -sigmadot along the rod, whatever law the phase follows; with sigma = t a field is one of the time.

The rod is without stress where its strain modes are zero: the field is a rest strain that moves. So a strain that has a field and
no modes is imposed, and one that has both is elastic about the field.

Kinds of profiles and the rows of the kernel: :mod:`locodyn.motion.field_base`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.motion.field_base import MOST_COEFFICIENTS, PROFILE, TERM, WAVE
from locodyn.robot.rods.section import STRAINS

_SAME, _TURNED = (1.0,) * 6, (1.0, 1.0, -1.0, 1.0, 1.0, -1.0)  # signs of the strains
KINDS = {
    WAVE.sine: "sin",
    WAVE.cosine: "cos",
    WAVE.polynomial: "polynomial",
    WAVE.bump: "bump",
    WAVE.step: "step",
    WAVE.front: "front",
}


@dataclass(frozen=True)
class Profile:
    """f(along s + across sigma + shift); ``coefficients`` of a polynomial, lowest first."""

    kind: int
    along: float
    across: float = 0.0
    shift: float = 0.0
    coefficients: tuple[float, ...] = ()

    @property
    def span(self) -> float:
        """The length (m) over which it does what it does: a wavelength, the width of a bump, that of a step."""
        slope = abs(self.along)
        if slope == 0.0 or self.kind == WAVE.polynomial:
            return math.inf
        return {WAVE.bump: 2.0, WAVE.step: 2.0, WAVE.front: 2.0}.get(self.kind, 2.0 * math.pi) / slope

    def words(self) -> str:
        """The profile in words, such as ``cos(6.28 s + 6.28 sigma)``."""
        parts = [f"{x:g}{name}" for x, name in ((self.along, " s"), (self.across, " sigma"), (self.shift, "")) if x != 0.0]
        inside = " + ".join(parts).replace("+ -", "- ") or "0"
        if self.kind != WAVE.polynomial:
            return f"{KINDS[self.kind]}({inside})"
        powers = " + ".join(f"{c:g} u^{n}" if n else f"{c:g}" for n, c in enumerate(self.coefficients) if c != 0.0) or "0"
        return f"({powers}, u = {inside})"


@dataclass(frozen=True)
class FieldTerm:
    """One summand: ``scale`` times the product of the profiles, for one of :data:`~locodyn.robot.rods.section.STRAINS`."""

    strain: str
    scale: float
    profiles: tuple[Profile, ...] = ()

    def __post_init__(self) -> None:
        if self.strain not in STRAINS:
            raise DescriptionError(f"A rod has no strain '{self.strain}'{nearest(str(self.strain), STRAINS)}")
        numbers = [self.scale, *(x for p in self.profiles for x in (p.along, p.across, p.shift, *p.coefficients))]
        if not all(isinstance(x, (int, float, np.number)) and math.isfinite(x) for x in numbers):
            raise DescriptionError(f"A field of the strain '{self.strain}' has numbers {numbers}; all must be finite.")
        for profile in self.profiles:
            if len(profile.coefficients) > MOST_COEFFICIENTS:
                raise DescriptionError(
                    f"A polynomial of a strain field has {len(profile.coefficients)} coefficients; at most {MOST_COEFFICIENTS}."
                )

    @property
    def travels(self) -> bool:
        """Whether it depends on the phase."""
        return any(profile.across != 0.0 for profile in self.profiles)

    def words(self) -> str:
        """The term in words, such as ``bending_z: 10 cos(6.28 s + 6.28 sigma)``."""
        return f"{self.strain}: " + " ".join([f"{self.scale:g}", *(profile.words() for profile in self.profiles)])

    def row(self, phase: int, amplitude: int) -> np.ndarray:
        """The row of the kernel, for these coordinates of the rod (-1: none)."""
        row = np.zeros(TERM.size + PROFILE.size * len(self.profiles))
        row[TERM.strain], row[TERM.scale], row[TERM.count] = STRAINS.index(self.strain), self.scale, len(self.profiles)
        row[TERM.phase], row[TERM.amplitude] = phase if self.travels else -1, amplitude
        for n, profile in enumerate(self.profiles):
            part = row[TERM.size + n * PROFILE.size :]
            part[PROFILE.kind], part[PROFILE.shift] = profile.kind, profile.shift
            part[PROFILE.along], part[PROFILE.across] = profile.along, profile.across
            part[PROFILE.degree] = max(0, len(profile.coefficients) - 1)
            part[PROFILE.coefficients : PROFILE.coefficients + len(profile.coefficients)] = profile.coefficients
        return row


@dataclass(frozen=True)
class FieldShape:
    """A sum of terms. Shapes add, take a number as factor, and a window along the rod (:func:`window`) as another.

    >>> from locodyn.robot.rods.field_shapes import travelling, window
    >>> shape = 2 * travelling("bending_z", 5.0, wavelength=1.0) * window(0.1, 0.3)
    >>> shape.terms[0].words()
    'bending_z: 10 cos(6.28319 s + 6.28319 sigma) step(5 s - 0.5)'
    """

    terms: tuple[FieldTerm, ...]

    def __add__(self, other: FieldShape) -> FieldShape:
        return FieldShape(self.terms + other.terms)

    def __mul__(self, factor: float | Profile) -> FieldShape:
        if isinstance(factor, Profile):
            return FieldShape(tuple(replace(term, profiles=(*term.profiles, factor)) for term in self.terms))
        return FieldShape(tuple(replace(term, scale=float(factor) * term.scale) for term in self.terms))

    __rmul__ = __mul__


@dataclass(frozen=True)
class StrainField:
    """A field of a rod.

    Parameters
    ----------
    name : str
        Its phase is the coordinate of this name; its amplitude is ``NAME.amplitude``, or ``NAME`` where there is no phase.
    shape : FieldShape or sequence of FieldTerm
        See :mod:`locodyn.robot.rods.field_shapes`.
    amplitude : bool
        Whether the shape is multiplied with a coordinate. One that has no phase always is.
    """

    name: str
    shape: FieldShape | Sequence[FieldTerm]
    amplitude: bool = False

    def __post_init__(self) -> None:
        terms = self.shape.terms if isinstance(self.shape, FieldShape) else tuple(self.shape)
        object.__setattr__(self, "shape", FieldShape(terms))
        if not isinstance(self.name, str) or not self.name or "." in self.name:
            raise DescriptionError(f"The name of a strain field is {self.name!r}; it must be a word without dots.")
        if not terms:
            raise DescriptionError(f"The strain field '{self.name}' has no term; give it at least one.")
        if not self.has_phase:
            object.__setattr__(self, "amplitude", True)

    @property
    def terms(self) -> tuple[FieldTerm, ...]:
        """Its summands."""
        return self.shape.terms if isinstance(self.shape, FieldShape) else tuple(self.shape)

    @property
    def has_phase(self) -> bool:
        """Whether something in it travels."""
        return any(term.travels for term in self.terms)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates: phase, amplitude."""
        if not self.has_phase:
            return (self.name,)
        return (self.name, f"{self.name}.amplitude") if self.amplitude else (self.name,)

    @property
    def strains(self) -> set[int]:
        """Numbers of the strains that it changes."""
        return {STRAINS.index(term.strain) for term in self.terms}

    @property
    def span(self) -> float:
        """The shortest length (m) over which it changes."""
        return min(profile.span for term in self.terms for profile in (*term.profiles, Profile(WAVE.polynomial, 0.0)))

    @property
    def turns(self) -> float:
        """How often a metre of rod can turn around, at most, where its amplitude is one."""
        return sum(abs(term.scale) for term in self.terms if STRAINS.index(term.strain) > 3) / (2.0 * math.pi)

    def beyond(self, place: float) -> StrainField:
        """The field of the part of the rod beyond ``place`` (m), as a rod of its own that begins there."""
        return self._seen(place, 1.0, _SAME)

    def before(self, place: float) -> StrainField:
        """The field of the part before ``place`` (m), as a rod that begins there and runs back to the root.

        Its sections are turned by pi about their z axis, so that x points along it: xi becomes -Ad(Rz(pi)) xi. With both parts on
        one body, any section of a rod is the reference section (Ali 2011, 5.2.1).
        """
        return self._seen(place, -1.0, _TURNED)

    def _seen(self, place: float, way: float, signs: tuple[float, ...]) -> StrainField:
        terms = []
        for term in self.terms:
            profiles = tuple(replace(p, along=way * p.along, shift=p.shift + p.along * place) for p in term.profiles)
            terms.append(FieldTerm(term.strain, signs[STRAINS.index(term.strain)] * term.scale, profiles))
        return StrainField(self.name, terms, self.amplitude)

    def words(self) -> str:
        """The field in words."""
        return f"{self.name}: " + ", ".join(term.words() for term in self.terms)


def field_rows(fields: Sequence[StrainField], first: int) -> np.ndarray:
    """The rows of all terms of the fields of a rod, whose coordinates begin with number ``first`` of the rod."""
    rows: list[np.ndarray] = []
    for field in fields:
        phase = first if field.has_phase else -1
        amplitude = first + len(field.coordinates) - 1 if field.amplitude else -1
        rows += [term.row(phase, amplitude) for term in field.terms]
        first += len(field.coordinates)
    width = max((len(row) for row in rows), default=TERM.size)
    return np.array([np.pad(row, (0, width - len(row))) for row in rows]).reshape(-1, width)
