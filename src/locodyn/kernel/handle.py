"""A handle: one integer by which compiled code finds all arrays of a model.

A call from Python pays for every array that it hands over. A model therefore keeps the addresses and sizes of its arrays in
one small table, and a
call hands over the address of that table. The owner of the arrays must outlive every call:
:class:`locodyn.dynamics.model.Model` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from locodyn.kernel.twin import register_twin


def view_at(context: Any, builder: Any, result: Any, address: Any, extents: list[Any]) -> Any:
    """The C-array of a shape that lies at an address, as LLVM value."""
    view = cgutils.create_struct_proxy(result)(context, builder)
    item = ir.Constant(extents[0].type, context.get_abi_sizeof(context.get_data_type(result.dtype)))
    strides, count = [item], extents[-1]
    for extent in reversed(extents[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    for extent in extents[:-1]:
        count = builder.mul(count, extent)
    view.meminfo = ir.Constant(view.meminfo.type, None)
    view.parent = ir.Constant(view.parent.type, None)
    view.nitems = count
    view.itemsize = item
    is_pointer = isinstance(address.type, ir.PointerType)
    view.data = builder.bitcast(address, view.data.type) if is_pointer else builder.inttoptr(address, view.data.type)
    view.shape = cgutils.pack_array(builder, extents)
    view.strides = cgutils.pack_array(builder, strides)
    return view._getvalue()


def _view(dtype: Any, address: Any, shape: tuple[Any, ...]) -> Any:
    """Signature and code of an intrinsic: the array of a shape at an address."""
    result = types.Array(dtype, len(shape), "C")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return view_at(context, builder, result, args[0], list(args[1:]))

    return result(types.intp, *[types.intp] * len(shape)), codegen


def _field(dtype: Any, dimensions: int, table: Any, number: Any) -> Any:
    """Signature and code of an intrinsic: array ``number`` of a table of (address, rows, columns)."""
    result = types.Array(dtype, dimensions, "C")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        entries = cgutils.create_struct_proxy(table)(context, builder, value=args[0]).data
        first = builder.mul(args[1], ir.Constant(args[1].type, 3))
        values = [
            builder.load(builder.gep(entries, [builder.add(first, ir.Constant(first.type, k))])) for k in range(1 + dimensions)
        ]
        return view_at(context, builder, result, values[0], values[1:])

    return result(table, types.intp), codegen


@intrinsic
def integers_at(typingctx: Any, address: Any, count: Any) -> Any:
    """The int64 array of ``count`` entries at an address."""
    return _view(types.int64, address, (count,))


@intrinsic
def integer_table_at(typingctx: Any, address: Any, rows: Any, columns: Any) -> Any:
    """The int64 array (rows, columns) at an address."""
    return _view(types.int64, address, (rows, columns))


@intrinsic
def floats_at(typingctx: Any, address: Any, count: Any) -> Any:
    """The float64 array of ``count`` entries at an address."""
    return _view(types.float64, address, (count,))


@intrinsic
def float_table_at(typingctx: Any, address: Any, rows: Any, columns: Any) -> Any:
    """The float64 array (rows, columns) at an address."""
    return _view(types.float64, address, (rows, columns))


@intrinsic
def integers(typingctx: Any, table: Any, number: Any) -> Any:
    """The int64 vector with this number in a table of (address, rows, columns), see :func:`table_of`."""
    return _field(types.int64, 1, table, number)


@intrinsic
def integer_table(typingctx: Any, table: Any, number: Any) -> Any:
    """The int64 matrix with this number."""
    return _field(types.int64, 2, table, number)


@intrinsic
def floats(typingctx: Any, table: Any, number: Any) -> Any:
    """The float64 vector with this number."""
    return _field(types.float64, 1, table, number)


@intrinsic
def float_table(typingctx: Any, table: Any, number: Any) -> Any:
    """The float64 matrix with this number."""
    return _field(types.float64, 2, table, number)


def table_of(arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """(address, rows, columns) of each array, one after the other; the arrays must stay alive and in place."""
    entries = []
    for array in arrays:
        rows, columns = array.shape if array.ndim == 2 else (array.shape[0], 1)
        entries += [array.ctypes.data, rows, columns]
    return np.array(entries, dtype=np.int64)


def _entry(table: Any, number: int) -> Any:
    """In the symbolic life a table is the tuple of the arrays themselves."""
    return table[number]


for _kind in (integers, integer_table, floats, float_table):
    register_twin(_kind, _entry)
