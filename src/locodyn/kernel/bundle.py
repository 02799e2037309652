"""A bundle: a named tuple of arrays that compiled code takes as one pointer.

Numba hands a tuple of arrays over field by field: a call with forty arrays writes some 300 words, and every kernel that takes
them is slow to call and to compile. A *bundle* is the same tuple for Python, and for the bodies of kernels, which write
``c.contact[i, j]`` as before; but a call hands over the address of a table with (address, extents) of each array. Entries of the
table never change, so that LLVM reads each of them once. The Python object owns the arrays and must outlive every call.

    @bundle
    class Arrays(NamedTuple):
        frames: Any  # (n, 5) int64
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from locodyn.kernel.handle import view_at

T = TypeVar("T")
_ENTRY = 4  # words of the table for an array: its address and up to three extents


class BundleType(types.Type):
    """Type of a bundle: names of its fields, and their types (arrays, or none)."""

    def __init__(self, kind: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        layout = hashlib.sha256(repr(fields).encode()).hexdigest()[:12]
        super().__init__(name=f"{kind}_{layout}")


class Bundled(tuple[Any, ...]):
    """What a bundle has besides the tuple: its table."""

    __dict__: dict[str, Any]

    @property
    def address(self) -> int:
        """Of the table of (address, extents)."""
        if "_table" not in self.__dict__:
            entries = np.zeros((len(self), _ENTRY), dtype=np.int64)
            for row, array in zip(entries, self, strict=True):
                if array is not None:
                    row[0], row[1 : 1 + array.ndim] = array.ctypes.data, array.shape
            self.__dict__["_table"] = entries
        return int(self.__dict__["_table"].ctypes.data)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)


def bundle(fields: type[T]) -> type[T]:
    """Make a NamedTuple of arrays a bundle."""
    made: Any = type(fields.__name__, (Bundled, fields), {"__doc__": fields.__doc__, "__module__": fields.__module__})

    @typeof_impl.register(made)
    def _(value: Any, context: Any) -> BundleType:
        if "_type" not in value.__dict__:
            pairs = zip(value._fields, value, strict=True)
            value.__dict__["_type"] = BundleType(made.__name__, tuple((name, _field_type(name, array)) for name, array in pairs))
        found: BundleType = value.__dict__["_type"]
        return found

    result: type[T] = made
    return result


def _field_type(name: str, array: Any) -> Any:
    if array is None:
        return types.none
    if not array.flags.c_contiguous:
        raise TypeError(f"array '{name}' of a bundle is not contiguous")
    return types.Array(types.float64 if array.dtype == np.float64 else getattr(types, array.dtype.name), array.ndim, "C")


@register_model(BundleType)
class _BundleModel(models.OpaqueModel):
    """One pointer."""


@unbox(BundleType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(pointer)


@infer_getattr
class _BundleAttributes(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind: BundleType, name: str) -> Any:  # type: ignore[override]  # NotImplemented in Numba
        """Type of a field."""
        return dict(kind.fields).get(name)


@lower_getattr_generic(BundleType)
def _field(context: Any, builder: Any, kind: BundleType, value: Any, name: str) -> Any:
    number = [field for field, _ in kind.fields].index(name)
    result = kind.fields[number][1]
    if result is types.none:
        return context.get_dummy_value()
    word, never_changes, words = ir.IntType(64), builder.module.add_metadata([]), []
    for k in range(1 + result.ndim):
        entry = word if k > 0 else ir.IntType(8).as_pointer()
        place = builder.gep(builder.bitcast(value, entry.as_pointer()), [ir.Constant(word, _ENTRY * number + k)])
        words.append(builder.load(place))
        words[-1].set_metadata("invariant.load", never_changes)
    return view_at(context, builder, result, words[0], words[1:])
