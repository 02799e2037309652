"""Numbers of a description: read-only arrays of float64, or of objects where a parameter is a symbol.

A description may hold symbols (SymPy, CasADi) in place of numbers: masses, inertias, positions. Such an array has the data
type ``object``; nothing here compares, rounds or casts a symbol.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.typing import Scalar


def is_number(value: Any) -> TypeGuard[float]:
    """Whether ``value`` is a plain number (not a symbol, not a truth value)."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_symbol(value: Any) -> bool:
    """Whether ``value`` can stand for a number in an expression: it can be added and multiplied, and is no container."""
    if value is None or isinstance(value, (str, bytes, bool, np.bool_, complex, list, tuple, dict, set, np.ndarray)):
        return False
    return hasattr(value, "__add__") and hasattr(value, "__mul__") and not is_number(value)


def is_numeric(array: Any) -> bool:
    """Whether every entry of an array (or a scalar) is a plain number, so that it can be compared.

    >>> is_numeric(np.zeros(3))
    True
    """
    if isinstance(array, np.ndarray):
        return array.dtype != object or all(is_number(x) for x in array.flat)
    return is_number(array)


def scalar(value: Any, what: str) -> Any:
    """A number as ``float``, a symbol as it is; anything else is an error that names ``what``."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if is_number(value):
        return float(value)
    if is_symbol(value):
        return value
    raise DescriptionError(f"{what} is {value!r}, which is not a number.")


def float_of(value: Scalar) -> float:
    """A number of a description that holds no symbols, as float."""
    return float(value)  # type: ignore[arg-type]  # a symbol fails here


def floats(values: Any, what: str) -> Any:
    """A number as ``float``, several as (nested) tuples of them; anything else is an error that names ``what``."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DescriptionError(f"{what} must be numbers, not {values!r}.") from None
    return float(array) if array.ndim == 0 else tuple(floats(row, what) for row in array)


def read_only(array: np.ndarray) -> np.ndarray:
    """The array itself, made read-only."""
    array.setflags(write=False)
    return array


def array_of(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A read-only copy of ``values`` with the given shape: float64, or objects if a symbol is among them."""
    wanted = " x ".join(str(n) for n in shape)
    try:
        raw = np.array(values, dtype=object)
    except ValueError:
        raise DescriptionError(f"{what} must be {wanted} numbers, not {values!r}.") from None
    if raw.shape != shape:
        got = " x ".join(str(n) for n in raw.shape) or "1"
        raise DescriptionError(f"{what} must have {wanted} numbers, but {got} were given.")
    result = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        result[index] = scalar(raw[index], what)
    if all(isinstance(x, float) for x in result.flat):
        result = result.astype(float)
    return read_only(result)


def vector(values: Any, what: str, length: int = 3) -> np.ndarray:
    """A read-only vector; see :func:`array_of`."""
    return array_of(values, (length,), what)


def matrix(values: Any, what: str) -> np.ndarray:
    """A read-only 3 x 3 matrix; see :func:`array_of`."""
    return array_of(values, (3, 3), what)


def whole(value: Any) -> Any:
    """A whole float as an integer, so that its product with a symbol stays exact; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def exact(array: Any) -> np.ndarray:
    """A new array of objects in which whole numbers are integers; see :func:`whole`."""
    result = np.empty(np.shape(array), dtype=object)
    for index, value in np.ndenumerate(np.asarray(array)):
        result[index] = whole(value)
    return result


def product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``first @ second``, exact in whole numbers if one of them holds symbols."""
    if first.dtype == object or second.dtype == object:
        first, second = exact(first), exact(second)
    found: np.ndarray = first @ second
    return found
