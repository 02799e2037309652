"""The lane type: several robots, or a row of a matrix, in one SIMD register.

``Lanes`` is a Numba type whose values are LLVM vectors of ``WIDTH`` doubles, or of ``ROW``. It has ``+ - * /``, negation and the
primitives of :mod:`locodyn.kernel.primitives`; a float met on the way is spread over all lanes. Kernels are therefore compiled
for it from the same source as for one robot, and each lane carries out the same IEEE operations: results are bit-identical.

A block of ``WIDTH`` robots is a float64 array whose last axis has length ``WIDTH``; :func:`as_lanes` sees it, inside compiled
code, as an array of lanes with that axis gone; a bundle of blocks as a bundle of arrays of lanes. :func:`as_rows` does so for a
last axis of length ``ROW``: rows of up to so many numbers, which one register holds where the processor has AVX-512, else two.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, register_model

from locodyn.kernel.bundle import BundleType

WIDTH = 4
ROW = 8
_DOUBLE = ir.DoubleType()
VECTOR = ir.VectorType(_DOUBLE, WIDTH)


class LanesType(types.Type):
    """Numba type of so many doubles side by side."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"Lanes(float64, {width})")
        self.width = width

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """A plain number becomes lanes that all hold it."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


lanes = LanesType(WIDTH)
row_of_lanes = LanesType(ROW)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(_DOUBLE, fe_type.width))


def spread(builder: Any, value: Any, width: int = WIDTH) -> Any:
    """The vector with ``value`` in every lane."""
    nothing = ir.Constant(ir.VectorType(_DOUBLE, width), ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(one, nothing, mask)


def lanes_among(arguments: Any) -> Any:
    """The type of lanes that one of the arguments has, or None."""
    return next((one for one in arguments if isinstance(one, LanesType)), None)


@lower_cast(types.Float, LanesType)
@lower_cast(types.Integer, LanesType)
def _cast_scalar(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return spread(builder, context.cast(builder, value, fromty, types.float64), toty.width)


def _register_binary(op: Any, instruction: str) -> None:
    @infer_global(op)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            found = lanes_among(args)
            if len(args) == 2 and found is not None:
                if all(a == found or isinstance(a, (types.Float, types.Integer)) for a in args):
                    return signature(found, found, found)
            return None

    @lower_builtin(op, LanesType, LanesType)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _op, _inplace, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _register_binary(_op, _instruction)
    _register_binary(_inplace, _instruction)


@infer_global(operator.neg)
class _NegTemplate(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if len(args) == 1 and isinstance(args[0], LanesType) else None


@lower_builtin(operator.neg, LanesType)
def _lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


def lane_intrinsic(builder: Any, name: str, values: Any) -> Any:
    """An LLVM intrinsic (``sqrt``, ``fma``) on each lane."""
    vector = values[0].type
    kind = ir.FunctionType(vector, [vector] * len(values))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{vector.count}f64"), values)


def _lane_type(of: Any) -> Any:
    """Type of a field in a bundle of blocks: float64 arrays become arrays of lanes, also those of bundles within."""
    if isinstance(of, BundleType):
        return of.with_types(_lane_type)
    is_block = isinstance(of, types.Array) and of.dtype == types.float64 and of.ndim >= 2
    return types.Array(lanes, of.ndim - 1, "C") if is_block else of


@intrinsic
def as_lanes(typingctx: Any, block: Any) -> Any:
    """See a float64 C-array of shape (..., WIDTH) as an array of lanes of shape (...), without copying.

    Or a bundle of such arrays: its table has the addresses, and the extents of an array of lanes are the first of its block.
    """
    if isinstance(block, BundleType):
        in_lanes = block.with_types(_lane_type)
        return in_lanes(block), lambda context, builder, sig, args: args[0]
    return _seen(block, lanes)


@intrinsic
def as_rows(typingctx: Any, block: Any) -> Any:
    """:func:`as_lanes` of a float64 C-array of shape (..., ROW)."""
    return _seen(block, row_of_lanes)


def _seen(block: Any, of: LanesType) -> Any:
    """Signature and code of what sees a C-array of numbers as one of lanes, its last axis."""
    if not isinstance(block, types.Array) or block.dtype != types.float64 or block.layout != "C" or block.ndim < 2:
        return None
    result = types.Array(of, block.ndim - 1, "C")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = cgutils.create_struct_proxy(block)(context, builder, value=args[0])
        view = cgutils.create_struct_proxy(result)(context, builder)
        shape = cgutils.unpack_tuple(builder, source.shape, block.ndim)[:-1]
        strides = cgutils.unpack_tuple(builder, source.strides, block.ndim)[:-1]
        word = shape[0].type
        nitems = ir.Constant(word, 1)
        for extent in shape:
            nitems = builder.mul(nitems, extent)
        view.meminfo = ir.Constant(view.meminfo.type, None)
        view.parent = ir.Constant(view.parent.type, None)
        view.nitems = nitems
        view.itemsize = ir.Constant(word, 8 * of.width)
        view.data = builder.bitcast(source.data, view.data.type)
        view.shape = cgutils.pack_array(builder, shape)
        view.strides = cgutils.pack_array(builder, strides)
        return view._getvalue()

    return result(block), codegen


def fields_as_lanes(*names: str, of: str = "") -> Any:
    """A function for compiled code: a bundle with the blocks in these fields, or in those of its field ``of``, seen as lanes."""

    def changed(bundle: BundleType, looks: dict[str, Any]) -> BundleType:
        entries = tuple((n, looks.get(n, kind), word) for n, (kind, word) in bundle.entries.items())
        return type(bundle)(bundle.kind, entries, bundle.columns)

    def in_lanes(bundle: BundleType) -> BundleType:
        return changed(bundle, {n: _lane_type(bundle.entries[n][0]) for n in names})

    @intrinsic
    def seen(typingctx: Any, bundle: Any) -> Any:
        if not isinstance(bundle, BundleType):
            return None
        inner = bundle.entries[of][0] if of else None
        if isinstance(inner, BundleType):
            result = changed(bundle, {of: in_lanes(inner)})
        else:  # as it is, where there is no such field
            result = bundle if of else in_lanes(bundle)
        return result(bundle), lambda context, builder, sig, args: args[0]

    return seen


@intrinsic
def swap_middle(typingctx: Any, x: Any) -> Any:
    """The lanes 0, 2, 1, 3 of x: a real number, then real and imaginary part of a complex one, exchanged."""
    if not isinstance(x, LanesType):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        order = [0, 2, 1, *range(3, WIDTH)]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), order)
        return builder.shuffle_vector(args[0], ir.Constant(args[0].type, ir.Undefined), mask)

    return lanes(x), codegen


@intrinsic
def first_three(typingctx: Any, x: Any) -> Any:
    """The first three lanes as numbers."""
    if not isinstance(x, LanesType):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = [builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane)) for lane in range(3)]
        return context.make_tuple(builder, sig.return_type, numbers)

    return types.UniTuple(types.float64, 3)(x), codegen


@intrinsic
def sum_of_lanes(typingctx: Any, x: Any) -> Any:
    """The sum of all lanes: of halves, of halves of that, and so on."""
    if not isinstance(x, LanesType):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found, width = args[0], x.width
        while width > 1:
            width //= 2
            halves = (ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(n, n + width)]) for n in (0, width))
            low, high = (builder.shuffle_vector(found, ir.Constant(found.type, ir.Undefined), half) for half in halves)
            found = builder.fadd(low, high)
        return builder.extract_element(found, ir.Constant(ir.IntType(32), 0))

    return types.float64(x), codegen


def lane_blocks(count: int, *shape: int) -> np.ndarray:
    """Zeros of shape (ceil(count / WIDTH), *shape, WIDTH), aligned for vector loads."""
    return _aligned(WIDTH, -(-count // WIDTH), *shape)


def row_blocks(*shape: int) -> np.ndarray:
    """Zeros of shape (*shape, ROW), aligned for vector loads."""
    return _aligned(ROW, *shape)


def _aligned(width: int, *shape: int) -> np.ndarray:
    """Zeros of shape (*shape, width) at an address that ``width`` numbers divide."""
    size = math.prod((*shape, width))
    raw = np.zeros(size + width)
    shift = (-raw.__array_interface__["data"][0] % (8 * width)) // 8
    return raw[shift : shift + size].reshape(*shape, width)
