"""Choices by numbers, for one robot and for robots in lanes that choose alike.

Where rows are solved, a kernel looks for the largest pivot, judges a rank and repeats a step until a residual is small: it asks
numbers of the robot. On one robot these are comparisons. In lanes there are two kinds of choices:

*Whether* something is done is one answer for all lanes (:func:`less`, :func:`at_most`). Where the robots would answer
differently they cannot go on together: the kernels that are running end with :class:`RobotsPart`, and who called them lets the
robots go on one by one, from where they began (:mod:`locodyn.integrate.lane_robots`). Where that would happen often, as with
loops some of which are closed before others, all do it and some are put back (:func:`where_at_most`).

*Which* entry of an array is meant, as the column of the largest pivot, each robot chooses for itself (:func:`place`): two
columns that are alike but for round-off would part robots all the time. A place is an integer of one robot, and lanes of whole
numbers of several; :func:`picked` and :func:`exchange` take both.

Symbols have no such choices. A kernel that makes them, or calls one that does, is marked ``@compiled(lanes=True)``.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from locodyn.kernel.compile import compiled
from locodyn.kernel.lanes import VECTOR, WIDTH, LanesType, lane_intrinsic, lanes, spread
from locodyn.kernel.primitives import select_lt

_WORD = ir.IntType(64)
_DOUBLE = ir.DoubleType()
_ANSWERS = ir.IntType(WIDTH)  # one bit of each lane


class RobotsPart(Exception):
    """Robots in the lanes of one register do not choose alike."""


def _in_lanes(*of: Any) -> bool:
    return any(isinstance(one, LanesType) for one in of)


def _are_numbers(*of: Any) -> bool:
    return all(isinstance(one, (types.Float, types.Integer)) for one in of)


def _leave(context: Any, builder: Any, when: Any) -> None:
    """End the kernels that are running, where the bit ``when`` is set."""
    with cgutils.if_unlikely(builder, when):
        context.call_conv.return_user_exc(builder, RobotsPart)


def _answer(a: Any, b: Any, comparison: str) -> Any:
    """Signature and code of a comparison whose answer all lanes have in common; false where a number is not one."""
    if not (_in_lanes(a, b) or _are_numbers(a, b)):
        return None
    of = lanes if _in_lanes(a, b) else types.float64

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        answer = builder.fcmp_ordered(comparison, *args)
        if of is not lanes:
            return answer
        answers = builder.bitcast(answer, _ANSWERS)
        everywhere = builder.icmp_unsigned("==", answers, ir.Constant(_ANSWERS, -1))
        nowhere = builder.icmp_unsigned("==", answers, ir.Constant(_ANSWERS, 0))
        _leave(context, builder, builder.not_(builder.or_(everywhere, nowhere)))
        return everywhere

    return types.boolean(of, of), codegen


@intrinsic
def less(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether a < b; robots in lanes part where they do not agree."""
    return _answer(a, b, "<")


@intrinsic
def at_most(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether a <= b; robots in lanes part where they do not agree."""
    return _answer(a, b, "<=")


@intrinsic
def everywhere_at_most(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether a <= b for all robots in lanes, or for the one robot."""
    return _counted(a, b, "==", -1)


@intrinsic
def anywhere_at_most(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether a <= b for any robot in lanes, or for the one robot."""
    return _counted(a, b, "!=", 0)


def _counted(a: Any, b: Any, comparison: str, answers: int) -> Any:
    """Signature and code of a question about the bits of a <= b, one of each lane."""
    if not (_in_lanes(a, b) or _are_numbers(a, b)):
        return None
    of = lanes if _in_lanes(a, b) else types.float64

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.fcmp_ordered("<=", *args)
        if of is not lanes:
            return found
        return builder.icmp_unsigned(comparison, builder.bitcast(found, _ANSWERS), ir.Constant(_ANSWERS, answers))

    return types.boolean(of, of), codegen


@intrinsic
def where_at_most(typingctx: Any, a: Any, b: Any, if_so: Any, otherwise: Any) -> Any:
    """``if_so`` where a <= b, else ``otherwise``, robot by robot; both are evaluated."""
    args = (a, b, if_so, otherwise)
    if not (_in_lanes(*args) or _are_numbers(*args)):
        return None
    of: Any = lanes if _in_lanes(*args) else types.float64
    are_places = of is not lanes and all(isinstance(one, types.Integer) for one in args[2:])
    result = types.int64 if are_places else of

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<=", values[0], values[1]), values[2], values[3])

    return result(of, of, result, result), codegen


@intrinsic
def differs(typingctx: Any, a: Any, b: Any) -> Any:
    """Whether a and b differ, in lanes for any robot: what follows changes nothing for the others."""
    if not (_in_lanes(a, b) or _are_numbers(a, b)):
        return None
    of = lanes if _in_lanes(a, b) else types.float64

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.fcmp_unordered("!=", *args)
        if of is not lanes:
            return found
        return builder.icmp_unsigned("!=", builder.bitcast(found, _ANSWERS), ir.Constant(_ANSWERS, 0))

    return types.boolean(of, of), codegen


@intrinsic
def part(typingctx: Any, like: Any) -> Any:
    """Here each robot goes its own way: those in lanes part. Nothing where ``like`` is a number of one robot."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if _in_lanes(like):
            _leave(context, builder, cgutils.true_bit)
        return context.get_dummy_value()

    return types.none(like), codegen


@intrinsic
def magnitude(typingctx: Any, x: Any) -> Any:
    """The absolute value of x."""
    if _in_lanes(x):
        return lanes(x), lambda context, builder, sig, args: lane_intrinsic(builder, "fabs", args)
    if isinstance(x, types.Float):
        return x(x), lambda context, builder, sig, args: builder.call(
            builder.module.declare_intrinsic("llvm.fabs", [args[0].type]), args
        )
    return None


@compiled(inline=True, lanes=True)
def larger(a, b):
    """The larger one of a and b, or a where one of them is no number."""
    return select_lt(a, b, b, a)


@intrinsic
def first_of(typingctx: Any, x: Any) -> Any:
    """A number of one robot; of lanes that of the first, for what is noted in passing and is not asked of robots in lanes."""
    if _in_lanes(x):
        return types.float64(x), lambda context, builder, sig, args: _lane(builder, args[0], 0)
    return (x(x), lambda context, builder, sig, args: args[0]) if _are_numbers(x) else None


# ------------------------------------------------------------------------------------------------------------------ places
@intrinsic
def place(typingctx: Any, like: Any, k: Any) -> Any:
    """Entry k of an array as a place that each robot may choose, where ``like`` is a number of its own."""
    if not isinstance(k, types.Integer):
        return None
    if _in_lanes(like):
        return lanes(like, types.int64), lambda context, builder, sig, args: spread(builder, builder.sitofp(args[1], _DOUBLE))
    return types.int64(like, types.int64), lambda context, builder, sig, args: args[1]


@intrinsic
def first_place(typingctx: Any, k: Any) -> Any:
    """A place as an integer; of lanes that of the first robot, as :func:`first_of`."""
    if _in_lanes(k):
        return types.int64(k), lambda context, builder, sig, args: builder.fptosi(_lane(builder, args[0], 0), _WORD)
    return (types.int64(types.int64), lambda context, builder, sig, args: args[0]) if isinstance(k, types.Integer) else None


@intrinsic
def last_place(typingctx: Any, k: Any) -> Any:
    """A place as an integer; of lanes the largest one."""
    if isinstance(k, types.Integer):
        return types.int64(types.int64), lambda context, builder, sig, args: args[0]
    if not _in_lanes(k):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = _index(builder, k, args[0], 0)
        for lane in range(1, WIDTH):
            other = _index(builder, k, args[0], lane)
            found = builder.select(builder.icmp_signed(">", other, found), other, found)
        return found

    return types.int64(k), codegen


@intrinsic
def picked(typingctx: Any, array: Any, k: Any) -> Any:
    """Entry k of an array (n,), k a place."""
    return _picked(array, [k])


@intrinsic
def picked_from(typingctx: Any, array: Any, k: Any, j: Any) -> Any:
    """Entry (k, j) of an array (n, m), k a place, j an integer."""
    return _picked(array, [k, j])


@intrinsic
def exchange(typingctx: Any, array: Any, k: Any, best: Any) -> Any:
    """Entries k and ``best`` of an array (n,) change places; ``best`` is a place, k an integer."""
    return _exchanged(array, [k, best])


@intrinsic
def exchange_in(typingctx: Any, array: Any, i: Any, k: Any, best: Any) -> Any:
    """Entries (i, k) and (i, best) of an array (n, m) change places."""
    return _exchanged(array, [i, k, best])


def _lane(builder: Any, value: Any, lane: int) -> Any:
    return builder.extract_element(value, ir.Constant(ir.IntType(32), lane))


def _index(builder: Any, of: Any, value: Any, lane: int) -> Any:
    """A place, or an integer, as the index of a lane."""
    return builder.fptosi(_lane(builder, value, lane), _WORD) if _in_lanes(of) else value


def _entry(context: Any, builder: Any, of: Any, view: Any, at: list[Any], lane: int) -> Any:
    """Pointer to an entry of an array, or to that of a lane in it."""
    pointer = cgutils.get_item_pointer(context, builder, of, view, at)
    if not isinstance(of.dtype, LanesType):
        return pointer
    return builder.gep(builder.bitcast(pointer, _DOUBLE.as_pointer()), [ir.Constant(_WORD, lane)])


def _form(of: Any) -> Any:
    """Type of an argument: integers are words."""
    return types.int64 if isinstance(of, types.Integer) else of


def _picked(array: Any, at: list[Any]) -> Any:
    if not isinstance(array, types.Array) or array.ndim != len(at):
        return None
    forms = [_form(one) for one in at]
    result = lanes if _in_lanes(array.dtype, *at) else array.dtype

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        view = context.make_array(array)(context, builder, args[0])
        if not _in_lanes(*at):
            return builder.load(cgutils.get_item_pointer(context, builder, array, view, args[1:]))
        values = ir.Constant(VECTOR, ir.Undefined)
        for lane in range(WIDTH):
            places = [_index(builder, of, value, lane) for of, value in zip(forms, args[1:], strict=True)]
            found = builder.load(_entry(context, builder, array, view, places, lane))
            number = builder.sitofp(found, _DOUBLE) if isinstance(array.dtype, types.Integer) else found
            values = builder.insert_element(values, number, ir.Constant(ir.IntType(32), lane))
        return values

    return result(array, *forms), codegen


def _exchanged(array: Any, at: list[Any]) -> Any:
    if not isinstance(array, types.Array) or array.ndim != len(at) - 1:
        return None
    forms = [_form(one) for one in at]

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        view = context.make_array(array)(context, builder, args[0])
        for lane in range(WIDTH if isinstance(array.dtype, LanesType) else 1):
            *front, k, best = (_index(builder, of, value, lane) for of, value in zip(forms, args[1:], strict=True))
            one = _entry(context, builder, array, view, [*front, k], lane)
            other = _entry(context, builder, array, view, [*front, best], lane)
            kept, moved = builder.load(one), builder.load(other)
            builder.store(moved, one)
            builder.store(kept, other)
        return context.get_dummy_value()

    return types.none(array, *forms), codegen
