"""Memory seen in another way than its arrays say, by kernels that run on devices alone; and robots' words, brought to it.

The words of a robot (:mod:`locodyn.kernel.swap`) are float64 and int64 wherever they lie, so that a batch reads and writes them
as ever. The image of a device (:mod:`locodyn.device.image`) marks places that are kept single by a count below zero.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic

from locodyn.device.single import single
from locodyn.kernel import compiled
from locodyn.kernel.handle import integers_at, view_at


@intrinsic
def singles_at(typingctx: Any, address: Any, count: Any) -> Any:
    """The array of ``count`` numbers that are kept single at an address."""
    result = types.Array(single, 1, "C")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return view_at(context, builder, result, args[0], [args[1]])

    return result(types.intp, types.intp), codegen


@intrinsic
def number_of(typingctx: Any, word: Any) -> Any:
    """The float64 whose bits a word is."""
    return types.float64(word), lambda context, builder, sig, args: builder.bitcast(
        args[0], context.get_value_type(types.float64)
    )


@intrinsic
def word_of(typingctx: Any, number: Any) -> Any:
    """The word that holds the bits of a float64."""
    return types.int64(number), lambda context, builder, sig, args: builder.bitcast(args[0], context.get_value_type(types.int64))


@intrinsic
def as_one(typingctx: Any, block: Any) -> Any:
    """An array of shape (...) at the beginning of the memory of a block (..., WIDTH) of lanes, for one of them."""
    if not isinstance(block, types.Array) or block.layout != "C" or block.ndim < 2:
        return None
    result = types.Array(block.dtype, block.ndim - 1, "C")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        whole = cgutils.create_struct_proxy(block)(context, builder, value=args[0])
        return view_at(context, builder, result, whole.data, cgutils.unpack_tuple(builder, whole.shape, block.ndim)[:-1])

    return result(block), codegen


# ------------------------------------------------------------------------------------------------------- words of robots
@compiled
def bring_on_card(swap, own):
    """As :func:`~locodyn.kernel.swap.bring`."""
    first = 0
    for k in range(swap.at.shape[0]):
        count = swap.count[k]
        if count < 0:
            numbers = singles_at(swap.at[k], -count)
            for i in range(-count):
                numbers[i] = number_of(own[first + i])
            first -= count
        else:
            place = integers_at(swap.at[k], count)
            for i in range(count):
                place[i] = own[first + i]
            first += count


@compiled
def take_on_card(swap, own):
    """As :func:`~locodyn.kernel.swap.take`."""
    first = 0
    for k in range(swap.written):
        count = swap.count[k]
        if count < 0:
            numbers = singles_at(swap.at[k], -count)
            for i in range(-count):
                own[first + i] = word_of(numbers[i])
            first -= count
        else:
            place = integers_at(swap.at[k], count)
            for i in range(count):
                own[first + i] = place[i]
            first += count
