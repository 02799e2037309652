"""A handle: one integer by which compiled code finds all arrays of a model.

A call from Python pays for every array that it hands over, and also for an object whose type must be looked up. A model, whose
calls take a microsecond, therefore keeps the addresses and sizes of its arrays in one small table and hands over the address of
that table (:mod:`locodyn.dynamics.entries`); all others use bundles (:mod:`locodyn.kernel.bundle`). The owner of the arrays must
outlive every call: :class:`locodyn.dynamics.model.Model` does.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_sizes: dict[Any, int] = {}  # bytes of an element of each type: LLVM reads a whole module to say so


def view_at(context: Any, builder: Any, result: Any, address: Any, extents: list[Any]) -> Any:
    """The C-array of a shape that lies at an address, as LLVM value."""
    view = cgutils.create_struct_proxy(result)(context, builder)
    if result.dtype not in _sizes:
        _sizes[result.dtype] = context.get_abi_sizeof(context.get_data_type(result.dtype))
    item = ir.Constant(extents[0].type, _sizes[result.dtype])
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
