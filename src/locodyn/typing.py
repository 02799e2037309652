"""Types of arguments: what may stand for a number, a vector, an axis, a rotation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Axis", "Matrix", "Rotation", "Scalar", "Symbol", "Vector"]


class Symbol(Protocol):
    """Something that stands for a number in an expression: of SymPy, of CasADi, of :mod:`locodyn.symbolic`."""

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...


Scalar: TypeAlias = float | np.number[Any] | Symbol
"""A number, or a symbol for one."""

Vector: TypeAlias = Sequence[Scalar] | npt.NDArray[Any]
"""A few of them: a position (3,) m, a direction, a twist (6,)."""

Matrix: TypeAlias = Sequence[Sequence[Scalar]] | npt.NDArray[Any]
"""Rows of them."""

Axis: TypeAlias = str | Vector
"""``"x"``, ``"-z"`` or a vector (3,)."""

Rotation: TypeAlias = Matrix | Vector | tuple[Axis, float]
"""A 3 x 3 matrix, a unit quaternion (w, x, y, z), or a pair (axis, angle in rad) such as ``("z", 0.3)``."""

Array: TypeAlias = npt.ArrayLike
"""Numbers of any shape, as NumPy takes them."""
