"""Shapes of strain fields: travelling waves and bumps, standing shapes, windows along the rod.

Strains have the words of :data:`~locodyn.robot.rods.section.STRAINS`: ``stretch`` and ``shear_y``, ``shear_z`` (dimensionless),
``torsion``, ``bending_y``, ``bending_z`` (1/m). What a field says is added to the strain of the rod without load, so that
``stretch`` 0.1 makes the rod longer by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from locodyn.errors import DescriptionError
from locodyn.motion.field_base import WAVE
from locodyn.robot.rods.field import FieldShape, FieldTerm, Profile
from locodyn.robot.rods.section import positive


def travelling(strain: str, amplitude: float, *, wavelength: float, phase: float = 0.0) -> FieldShape:
    """amplitude cos(2 pi (s + sigma) / wavelength + phase): Ali 2011, (6.40).

    Parameters
    ----------
    strain : str
    amplitude : of the strain
    wavelength : m
    phase : rad
        -pi/2 makes it a sine.
    """
    k = 2.0 * math.pi / positive(wavelength, "The wavelength of a strain field", "m")
    return FieldShape((FieldTerm(strain, amplitude, (Profile(WAVE.cosine, k, k, phase),)),))


def travelling_bump(strain: str, height: float, *, centre: float, half_width: float) -> FieldShape:
    """height B((s + sigma - centre) / half_width), B(u) = exp(-u^2 / (1 - u^2)) within 1 and zero outside.

    With all its derivatives, and zero beyond its edges (Ali 2011, (6.41), repaired). A bump of the curvature turns a snake by
    height * half_width * 1.2069003 as it passes.

    Parameters
    ----------
    strain : str
    height : of the strain
    centre : m
        Where it is on the rod at sigma = 0 (it may be beyond its ends).
    half_width : m
    """
    slope = 1.0 / positive(half_width, "The half-width of a bump", "m")
    return FieldShape((FieldTerm(strain, height, (Profile(WAVE.bump, slope, slope, -slope * centre),)),))


def standing(strain: str, amplitude: float, *, wavelength: float = math.inf, phase: float = 0.0) -> FieldShape:
    """amplitude cos(2 pi s / wavelength + phase), which stays where it is; constant along the rod without a wavelength."""
    if wavelength == math.inf:
        return FieldShape((FieldTerm(strain, amplitude * math.cos(phase)),))
    k = 2.0 * math.pi / positive(wavelength, "The wavelength of a strain field", "m")
    return FieldShape((FieldTerm(strain, amplitude, (Profile(WAVE.cosine, k, 0.0, phase),)),))


def polynomial_shape(strain: str, coefficients: Sequence[float]) -> FieldShape:
    """c0 + c1 s + c2 s^2 + ..., s in m."""
    numbers = tuple(float(c) for c in coefficients)
    if not numbers:
        raise DescriptionError("A polynomial of a strain field has no coefficient; give at least one.")
    return FieldShape((FieldTerm(strain, 1.0, (Profile(WAVE.polynomial, 1.0, coefficients=numbers),)),))


def window(start: float, end: float) -> Profile:
    """A smooth step along the rod, from 0 at s = ``start`` to 1 at ``end`` (m), or the other way round: a factor of a shape."""
    _apart(start, end)
    return Profile(WAVE.step, 1.0 / (end - start), 0.0, -start / (end - start))


def front(start: float, end: float) -> Profile:
    """A :func:`window` that travels, of s + sigma. It is C^5: where it passes, motions keep the order of the method."""
    _apart(start, end)
    return Profile(WAVE.front, 1.0 / (end - start), 1.0 / (end - start), -start / (end - start))


def _apart(start: float, end: float) -> None:
    if not (math.isfinite(start) and math.isfinite(end)) or start == end:
        raise DescriptionError(
            f"A window along a rod goes from {start!r} to {end!r} m; it must begin and end at different places."
        )
