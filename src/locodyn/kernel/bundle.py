"""A bundle: named arrays, numbers and further bundles that compiled code takes as one pointer.

Numba hands a tuple of arrays over field by field: a call with forty arrays writes some 300 words, and every kernel that takes
them is slow to call and to compile. A *bundle* is an object with named fields for Python and for the bodies of kernels, which
write ``contacts.gap[i]``, ``contacts.iterations += 1`` or ``problem.rows.jacobian[m, e]``; but a call hands over one
address, that of a table of words:

    a number (annotated ``float`` or ``int``)    one word that holds the number; kernels and Python read and write it
    an array                                     its address and up to three extents
    a bundle                                     the address of its table
    None                                         nothing; kernels for bundles with and without it are different kernels

Addresses and extents never change, so that LLVM reads each of them once: an array is written into, not exchanged. The Python
object owns arrays and table and must outlive every call. A copy, also from a pickle, has a table of its own;
``dataclasses.replace`` makes a bundle with other fields.

    class Contacts(Bundle):
        gap: np.ndarray  # (n,) m
        impulse: np.ndarray = columns(6)  # (n, 6)
        tolerance: float
        iterations: int = 0

``columns(6)`` says that the last extent is 6 for every robot: compiled code then finds row i without a multiplication by what it
must look up first, which counts where an algorithm goes through many small arrays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, dataclass_transform

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import NumbaNotImplementedError, NumbaTypeError
from numba.core.imputils import lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.numpy_support import from_dtype

from locodyn.kernel.handle import view_at

_ENTRY = 4  # words of the table for an array: its address and up to three extents
_NUMBERS: dict[Any, Any] = {"float": types.float64, float: types.float64, "int": types.int64, int: types.int64}
_TYPES: dict[tuple[Any, ...], Any] = {}  # of bundles, by their class and the looks of their fields: to make one takes 0.4 ms


def _place(builder: Any, table: Any, word: int, of: Any) -> Any:
    """Pointer to a word of a table, seen as LLVM type ``of``."""
    return builder.gep(builder.bitcast(table, of.as_pointer()), [ir.Constant(ir.IntType(64), word)])


def _word(builder: Any, table: Any, word: int, of: Any) -> Any:
    """A word of a table that never changes: an address, or an extent."""
    found = builder.load(_place(builder, table, word, of))
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


class BundleType(types.Type):
    """Type of a bundle: (name, type, first word in the table) of each field, and the last extents that never change."""

    def __init__(self, kind: str, entries: tuple[tuple[str, Any, int], ...], columns: dict[str, int]) -> None:
        self.kind, self.columns = kind, columns
        self.entries = {name: (of, word) for name, of, word in entries}
        layout = hashlib.sha256(repr((entries, columns)).encode()).hexdigest()[:12]
        super().__init__(name=f"{kind}_{layout}")

    def get(self, context: Any, builder: Any, table: Any, name: str) -> Any:
        """LLVM value of a field, from the pointer to the table."""
        of, word = self.entries[name]
        if isinstance(of, types.Number):
            return builder.load(self.number(context, builder, table, name))
        address = _word(builder, table, word, ir.IntType(8).as_pointer())
        return (
            address if isinstance(of, BundleType) else view_at(context, builder, of, address, self.extents(builder, table, name))
        )

    def number(self, context: Any, builder: Any, table: Any, name: str) -> Any:
        """LLVM pointer to a number."""
        of, word = self.entries[name]
        return _place(builder, table, word, context.get_value_type(of))

    def extents(self, builder: Any, table: Any, name: str) -> list[Any]:
        """LLVM values of the extents of an array."""
        of, word = self.entries[name]
        found = [_word(builder, table, word + k, ir.IntType(64)) for k in range(1, of.ndim + (name not in self.columns))]
        return [*found, ir.Constant(ir.IntType(64), self.columns[name])] if name in self.columns else found

    @property
    def literal_type(self) -> BundleType:
        """Numba asks for it where a kernel compares an argument with None: a bundle is none, the other branch is left out."""
        return self

    def with_types(self, changed: Callable[[Any], Any]) -> BundleType:
        """The same table seen with other types of its fields."""
        entries = tuple((name, changed(of), word) for name, (of, word) in self.entries.items())
        return type(self)(self.kind, entries, self.columns)


def columns(count: int) -> Any:
    """Default of a field that says how many columns its array always has."""
    return field(metadata={"columns": count})


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(columns,))
class Bundle:
    """Base class of bundles: a dataclass with keyword arguments, and its table. See the module."""

    _numbers: ClassVar[dict[str, Any]] = {}  # type of each field that is a number
    _places: ClassVar[dict[str, int]] = {}  # first word of each field in the table
    _columns: ClassVar[dict[str, int]] = {}  # last extent of arrays where it never changes
    read_only: ClassVar[bool] = False  # whether kernels only read its arrays
    scratch: ClassVar[bool] = False  # whether kernels write its arrays before they read them

    def __init_subclass__(cls) -> None:
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        own = fields(cls)  # type: ignore[arg-type]  # made a dataclass just now
        of = {one.name: one.type for one in own}
        cls._columns = {one.name: one.metadata["columns"] for one in own if "columns" in one.metadata}
        cls._numbers = {name: _NUMBERS[kind] for name, kind in of.items() if kind in _NUMBERS}
        others = [name for name in of if name not in cls._numbers]
        cls._places = {name: word for word, name in enumerate(cls._numbers)}
        cls._places |= {name: len(cls._numbers) + _ENTRY * n for n, name in enumerate(others)}
        for name, kind in cls._numbers.items():
            setattr(cls, name, _number(cls._places[name], kind is types.float64))

    def __new__(cls, **values: Any) -> Any:
        """With room for the table: numbers first, then the rest."""
        self = object.__new__(cls)
        words = np.zeros(len(cls._numbers) + _ENTRY * (len(cls._places) - len(cls._numbers)), dtype=np.int64)
        self.__dict__["_words"], self.__dict__["_floats"] = words, words.view(np.float64)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._places:
            raise AttributeError(f"a bundle {type(self).__name__} has no field '{name}'.")
        if name in self.__dict__:
            raise AttributeError(f"field '{name}' of {type(self).__name__} keeps its array: write into that.")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), {name: getattr(self, name) for name in self._places})

    @cached_property
    def address(self) -> int:
        """Of the table, whose addresses and extents are filled in now."""
        for name, word in self._places.items():
            value = self.__dict__.get(name)
            if isinstance(value, Bundle):
                self._words[word] = value.address  # type: ignore[attr-defined]  # of __new__
            elif value is not None:
                entry = [value.ctypes.data, *value.shape]
                self._words[word : word + len(entry)] = entry  # type: ignore[attr-defined]  # of __new__
        return int(self._words.ctypes.data)  # type: ignore[attr-defined]  # of __new__

    def facts(self) -> dict[str, int]:
        """What is known of all robots with such a bundle, see :mod:`locodyn.device.facts`."""
        return {}

    @property
    def table_words(self) -> np.ndarray:
        """The words, numbers first; what kernels see of it, to read."""
        _ = self.address
        words: np.ndarray = self.__dict__["_words"]
        return words

    @classmethod
    def field_places(cls) -> dict[str, int]:
        """First word of each field in the table."""
        return cls._places

    @cached_property
    def _numba_type_(self) -> BundleType:
        """What Numba asks a value for; it stays with the value, and bundles that look alike have it in common."""
        looks = {name: self._look_of(name) for name in self._places if name not in self._numbers}
        key = (type(self), *looks.values())
        if key not in _TYPES:
            of = self._numbers | {name: self._type_of(name, look) for name, look in looks.items()}
            fixed = {name: count for name, count in self._columns.items() if not self._is_block(name)}
            _TYPES[key] = BundleType(
                type(self).__name__, tuple((name, of[name], word) for name, word in self._places.items()), fixed
            )
        return _TYPES[key]

    def _is_block(self, name: str) -> bool:
        """Whether an array with a fixed number of columns has an axis of robots behind them, see :mod:`locodyn.kernel.lanes`."""
        value = getattr(self, name)
        return value is not None and value.ndim == _ENTRY - 1 and value.shape[-2] == self._columns.get(name)

    def _look_of(self, name: str) -> Any:
        """What the type of a field follows from: element type, dimensions and whether it is a block, of an array."""
        value = getattr(self, name)
        if value is None:
            return types.none
        if isinstance(value, Bundle):
            return value._numba_type_
        if not isinstance(value, np.ndarray):
            raise self._no_array(name)
        if not value.flags.c_contiguous or value.ndim >= _ENTRY:
            raise TypeError(
                f"array '{name}' of {type(self).__name__} is not contiguous, or has more than {_ENTRY - 1} dimensions."
            )
        count, block = self._columns.get(name, value.shape[-1]), name in self._columns and self._is_block(name)
        if value.shape[-1] != count and not block:
            raise TypeError(f"array '{name}' of {type(self).__name__} has {value.shape[-1]} columns, not {self._columns[name]}.")
        return value.dtype, value.ndim, block

    def _type_of(self, name: str, look: Any) -> Any:
        """The type of a field that is not a number, from what :meth:`_look_of` says of it."""
        if not isinstance(look, tuple):
            return look
        try:
            return types.Array(from_dtype(look[0]), look[1], "C")
        except NumbaNotImplementedError:
            raise self._no_array(name) from None

    def _no_array(self, name: str) -> TypeError:
        value = getattr(self, name)
        return TypeError(
            f"field '{name}' of {type(self).__name__} is {value!r}; compiled code takes arrays of numbers and bundles."
        )


def _made(kind: type, values: dict[str, Any]) -> Any:
    return kind(**values)


def _number(word: int, is_float: bool) -> property:
    """The number at a word of the table, for Python."""
    numbers = "_floats" if is_float else "_words"

    def get(self: Bundle) -> Any:
        return self.__dict__[numbers].item(word)

    def put(self: Bundle, value: Any) -> None:
        self.__dict__[numbers][word] = value

    return property(get, put)


# ------------------------------------------------------------------------------------------------- for compiled code
@register_model(BundleType)
class _BundleModel(models.OpaqueModel):
    """One pointer."""


@unbox(BundleType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    """The address; the first time Python computes it, and may be interrupted by the handler of a signal: then the call fails."""
    number = c.pyapi.object_getattr_string(value, "address")
    failed = cgutils.is_null(c.builder, number)
    pointer = cgutils.alloca_once_value(c.builder, ir.Constant(ir.IntType(8).as_pointer(), None))
    with c.builder.if_then(c.builder.not_(failed), likely=True):
        c.builder.store(c.pyapi.long_as_voidptr(number), pointer)
        c.pyapi.decref(number)
    return NativeValue(c.builder.load(pointer), is_error=failed)


@infer_getattr
class _BundleAttributes(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind: BundleType, name: str) -> Any:  # type: ignore[override]  # NotImplemented in Numba
        """Type of a field."""
        return kind.entries[name][0] if name in kind.entries else None


@lower_getattr_generic(BundleType)
def _get_field(context: Any, builder: Any, kind: BundleType, table: Any, name: str) -> Any:
    return context.get_dummy_value() if kind.entries[name][0] is types.none else kind.get(context, builder, table, name)


@lower_setattr_generic(BundleType)
def _put_field(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    kind = signature.args[0]
    if not isinstance(kind.entries[name][0], types.Number):
        raise NumbaTypeError(f"field '{name}' of a bundle keeps its array; a kernel writes into it.")
    builder.store(arguments[1], kind.number(context, builder, arguments[0], name))
