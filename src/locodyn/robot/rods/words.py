"""The words in which a rod is described."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.rods.field import StrainField
from locodyn.robot.rods.fluid import RodFluid
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.section import MaterialLike, SectionLike
from locodyn.robot.rods.strain_basis import BasisLike
from locodyn.robot.values import is_number
from locodyn.typing import Vector

_FIELDS = (
    "length", "section", "material", "basis", "nodes", "quadrature", "rest_curvature", "damping", "space", "tolerance", "fluid",
    "fields", "keeps_volume",
)  # fmt: skip
_STRAIN_WORDS = ("stretch", "shear", "torsion", "bending")


class RodWords(TypedDict, total=False):
    """Arguments of :func:`rod_of` and of :meth:`locodyn.robot.BodyHandle.rod`."""

    bending: int | tuple[int, int]
    shear: int | tuple[int, int]
    torsion: int
    stretch: int
    length: float
    section: SectionLike
    material: MaterialLike | None
    basis: BasisLike | Sequence[BasisLike]
    nodes: int | None
    quadrature: str
    rest_curvature: Vector | Callable[[float], Vector]
    damping: float | Sequence[float]
    space: str
    tolerance: float
    fluid: RodFluid | None
    fields: Sequence[StrainField]
    keeps_volume: bool


def rod_of(name: str, **values: Unpack[RodWords]) -> Rod:
    """A rod from its words.

    Parameters
    ----------
    bending, shear : int or pair of int
        Number of functions for both directions, or for y and z each: about y and z, along y and z.
    torsion, stretch : int
    length, section, material, basis, nodes, quadrature, rest_curvature, damping, space, tolerance, fluid, fields, keeps_volume
        As of :class:`~locodyn.robot.rods.rod.Rod`.
    """
    known = _FIELDS + _STRAIN_WORDS
    for word in values:
        if word not in known:
            raise DescriptionError(f"A rod has no '{word}'{nearest(word, known)}")
    for word in ("length", "section"):
        if word not in values:
            raise DescriptionError(f"Rod '{name}' has no {word}: give {word}=.")
    words: dict[str, Any] = dict(values)
    counts = {word: words.pop(word, 0) for word in _STRAIN_WORDS}
    shear_y, shear_z = _pair(counts["shear"], "shear", name)
    bending_y, bending_z = _pair(counts["bending"], "bending", name)
    modes = (counts["stretch"], shear_y, shear_z, counts["torsion"], bending_y, bending_z)
    for number in modes:
        if not is_number(number) or number != int(number) or number < 0:
            raise DescriptionError(f"A number of strain functions of rod '{name}' is {number!r}; it must be whole, 0 or more.")
    try:
        return Rod(modes=modes, **words)
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
