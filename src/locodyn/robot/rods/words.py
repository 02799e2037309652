"""The words in which a rod is described."""

from __future__ import annotations

from typing import Any

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import is_number

_FIELDS = (
    "length", "section", "material", "basis", "nodes", "quadrature", "rest_curvature", "damping", "space", "tolerance", "fluid",
)  # fmt: skip
_STRAIN_WORDS = ("stretch", "shear", "torsion", "bending")


def rod_of(name: str, **values: Any) -> Rod:
    """A rod from its words.

    Parameters
    ----------
    bending, shear : int or pair of int
        Number of functions for both directions, or for y and z each: about y and z, along y and z.
    torsion, stretch : int
    length, section, material, basis, nodes, quadrature, rest_curvature, damping, space, tolerance, fluid
        As of :class:`~locodyn.robot.rods.rod.Rod`.
    """
    known = _FIELDS + _STRAIN_WORDS
    for word in values:
        if word not in known:
            raise DescriptionError(f"A rod has no '{word}'{nearest(word, known)}")
    for word in ("length", "section"):
        if word not in values:
            raise DescriptionError(f"Rod '{name}' has no {word}: give {word}=.")
    counts = {word: values.pop(word, 0) for word in _STRAIN_WORDS}
    shear_y, shear_z = _pair(counts["shear"], "shear", name)
    bending_y, bending_z = _pair(counts["bending"], "bending", name)
    modes = (counts["stretch"], shear_y, shear_z, counts["torsion"], bending_y, bending_z)
    for number in modes:
        if not is_number(number) or number != int(number) or number < 0:
            raise DescriptionError(f"A number of strain functions of rod '{name}' is {number!r}; it must be whole, 0 or more.")
    try:
        return Rod(modes=modes, **values)
    except DescriptionError as error:
        raise DescriptionError(f"Rod '{name}': {error}") from None


def _pair(value: Any, word: str, name: str) -> tuple[Any, Any]:
    if is_number(value):
        return value, value
    try:
        first, second = value
    except (TypeError, ValueError):
        raise DescriptionError(
            f"The {word} of rod '{name}' is {value!r}; it must be a number, or one for y and one for z."
        ) from None
    return first, second
