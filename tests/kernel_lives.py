"""One kernel and its lives: a case of arguments run for one robot after the other, in lanes, as plain Python, and on symbols.

A case is a kernel and its arguments. What all robots share (integers, the description of a robot, time) is given as it is; what
each robot has of its own (:class:`Own`) is given once for each of ``ROBOTS`` robots: a number, a tuple, an array, or a bundle.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import CodeType
from typing import Any

import numba
import numpy as np

from locodyn.kernel import twin
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.lanes import WIDTH, as_lanes, lane_blocks
from locodyn.kernel.plain import plain_life
from locodyn.kernel.primitives import lit
from locodyn.symbolic.expression import Expression
from locodyn.symbolic.program import NUMPY
from locodyn.symbolic.tape import POINTS, Tape

ROBOTS = POINTS  # a tape wants so many samples of each symbol; the first WIDTH of them share a register


@dataclass(frozen=True)
class Own:
    """What each robot has of its own: one value for each."""

    values: tuple[Any, ...]


def own(make: Callable[[], Any]) -> Own:
    """What ``make`` gives for each robot."""
    return Own(tuple(make() for _ in range(ROBOTS)))


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel with its arguments, each shared or :class:`Own`."""

    kernel: Any
    arguments: tuple[Any, ...]

    def of_robot(self, robot: int) -> list[Any]:
        """Fresh arguments for one robot."""
        return [_copy(a.values[robot]) if isinstance(a, Own) else _copy(a) for a in self.arguments]

    def outcome(self, arguments: list[Any], result: Any) -> list[Any]:
        """All numbers that a call left: what it returned, and every array of a robot's own."""
        kept = [x for x, given in zip(arguments, self.arguments, strict=True) if isinstance(given, Own)]
        return [x for part in (result, *kept) for x in _numbers(part)]

    # ------------------------------------------------------------------------------------------------------------ the lives
    def one_by_one(self) -> np.ndarray:
        """Outcomes (numbers, robots) of the compiled kernel on float64."""
        outcomes = []
        for robot in range(ROBOTS):
            arguments = self.of_robot(robot)
            outcomes.append(self.outcome(arguments, self.kernel(*arguments)))
        return np.array(outcomes, dtype=float).T

    def in_lanes(self) -> np.ndarray:
        """Outcomes (numbers, WIDTH) of the compiled kernel on lanes."""
        arguments = self.of_robot(0)
        shape = self.kernel(*arguments)
        packed = [_packed([_copy(x) for x in a.values[:WIDTH]]) if isinstance(a, Own) else _copy(a) for a in self.arguments]
        returned = lane_blocks(1, max(1, len(list(_numbers(shape)))))[0]
        _lane_call(self.kernel, self.arguments, shape)(returned, *packed)
        kept = [x for x, given in zip(packed, self.arguments, strict=True) if isinstance(given, Own)]
        rows = [returned[: len(list(_numbers(shape)))], *(_rows(x) for x in kept)]
        return np.concatenate(rows)

    def in_plain_python(self) -> np.ndarray:
        """Outcomes (numbers, 1) of the kernel that the interpreter runs on float64, for the first robot."""
        arguments = self.of_robot(0)
        result = plain_life(self.kernel)(*arguments)
        return np.array(self.outcome(arguments, result), dtype=float)[:, None]

    @cached_property
    def on_symbols(self) -> tuple[np.ndarray, set[CodeType]]:
        """Outcomes (numbers, robots) of the kernel on symbols, evaluated; and the code that ran."""
        tape = Tape()
        arguments = [_symbols(tape, a.values) if isinstance(a, Own) else _copy(a) for a in self.arguments]
        ran: set[CodeType] = set()
        sys.setprofile(lambda frame, event, _: ran.add(frame.f_code) if event == "call" else None)
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # a tape may find a zero among its samples
                result = twin(self.kernel)(*arguments)
        finally:
            sys.setprofile(None)
        return _evaluated(tape, self.outcome(arguments, result)), ran


def _copy(x: Any) -> Any:
    if isinstance(x, Bundle):
        return replace(x, **{f.name: _copy(getattr(x, f.name)) for f in fields(x)})  # type: ignore[arg-type,type-var]
    return x.copy() if isinstance(x, np.ndarray) else x


def _numbers(x: Any) -> Iterator[Any]:
    """All numbers of a value, one after the other."""
    if isinstance(x, np.ndarray):
        yield from (x.ravel() if x.dtype in (float, object) else ())
    elif isinstance(x, tuple):
        for part in x:
            yield from _numbers(part)
    elif isinstance(x, Bundle):  # its plain numbers are shared by the robots of a register
        for part in (getattr(x, field.name) for field in fields(x)):  # type: ignore[arg-type]
            yield from _numbers(part) if isinstance(part, (np.ndarray, Bundle)) else ()
    elif x is not None:
        yield x


# ------------------------------------------------------------------------------------------------------------------- in lanes
def _packed(values: list[Any]) -> Any:
    """The values of the robots of a register side by side, along a last axis."""
    first = values[0]
    if isinstance(first, Bundle):
        parts = {f.name: [getattr(x, f.name) for x in values] for f in fields(first)}  # type: ignore[arg-type]
        return replace(first, **{n: _packed(v) if isinstance(v[0], (Bundle, np.ndarray)) else v[0] for n, v in parts.items()})  # type: ignore[type-var]
    if isinstance(first, np.ndarray) and first.dtype != float:
        return first
    shape = first.shape if isinstance(first, np.ndarray) else (len(list(_numbers(first))),)
    block = lane_blocks(1, *shape)[0]
    for lane, value in enumerate(values):
        block[..., lane] = value if isinstance(value, np.ndarray) else list(_numbers(value))
    return block


def _rows(x: Any) -> np.ndarray:
    """All numbers (numbers, WIDTH) of what :func:`_packed` gives."""
    if isinstance(x, Bundle):
        return np.concatenate([np.zeros((0, WIDTH)), *(_rows(getattr(x, f.name)) for f in fields(x))])  # type: ignore[arg-type]
    return x.reshape(-1, WIDTH) if isinstance(x, np.ndarray) and x.dtype == float else np.zeros((0, WIDTH))


def _lane_call(kernel: Any, arguments: tuple[Any, ...], shape: Any) -> Any:
    """A compiled function (returned, arguments ...) that calls the kernel on lanes and stores what it returns."""
    inside = [f"as_lanes(x{n})" if isinstance(a, Own) else f"x{n}" for n, a in enumerate(arguments)]
    for n, a in enumerate(arguments):
        if isinstance(a, Own) and not isinstance(a.values[0], (Bundle, np.ndarray)):
            inside[n] = _read(f"as_lanes(x{n})", a.values[0], iter(range(10**6)))
    stores = [f"    y[{i}] = lit(y[{i}], {place})" for i, place in enumerate(_places("result", shape))]
    names = ", ".join(f"x{n}" for n in range(len(arguments)))
    lines = [f"def call(returned, {names}):", "    y = as_lanes(returned)", f"    result = kernel({', '.join(inside)})", *stores]
    scope: dict[str, Any] = {"kernel": kernel, "as_lanes": as_lanes, "lit": lit}
    exec("\n".join(lines), scope)
    return numba.njit(error_model="numpy")(scope["call"])


def _read(block: str, value: Any, places: Iterator[int]) -> str:
    """The number or tuple that stands in a block."""
    if isinstance(value, tuple):
        return f"({', '.join(_read(block, x, places) for x in value)},)"
    return f"{block}[{next(places)}]"


def _places(name: str, value: Any) -> Iterator[str]:
    """How the numbers of a nested tuple are reached."""
    if isinstance(value, tuple):
        for i, x in enumerate(value):
            yield from _places(f"{name}[{i}]", x)
    elif value is not None:
        yield name


# ----------------------------------------------------------------------------------------------------------------- on symbols
def _symbols(tape: Tape, values: tuple[Any, ...]) -> Any:
    """A symbol for each number; a number that is the same for all robots stays one."""
    first = values[0]
    if isinstance(first, Bundle):
        return replace(first, **{f.name: _symbols(tape, tuple(getattr(x, f.name) for x in values)) for f in fields(first)})  # type: ignore[arg-type,type-var]
    if isinstance(first, np.ndarray):
        if first.dtype != float:
            return first
        result = np.empty(first.shape, dtype=object)
        for place in np.ndindex(*first.shape):
            result[place] = _symbols(tape, tuple(float(x[place]) for x in values))
        return result
    if isinstance(first, tuple):
        return tuple(_symbols(tape, parts) for parts in zip(*values, strict=True))
    if not isinstance(first, float) or all(x == first for x in values):
        return first
    return Expression(tape, tape.symbol(f"x{len(tape.operations)}", values=values))


def _evaluated(tape: Tape, outcome: list[Any]) -> np.ndarray:
    """The values (numbers, robots) of expressions at the values of their symbols."""
    done: list[Any] = []

    def operand(ref: int) -> Any:
        return done[ref - 1] if ref > 0 else -done[-ref - 1]

    with np.errstate(divide="ignore", invalid="ignore"):
        for index, (operation, operands) in enumerate(zip(tape.operations, tape.operands, strict=True)):
            if operation == "symbol":
                done.append(tape.values[index][0])
            else:
                done.append(float(operands[0]) if operation == "number" else NUMPY[operation](*map(operand, operands)))
    found = [operand(x.ref) if isinstance(x, Expression) else float(x) for x in outcome]
    return np.array([np.broadcast_to(x, ROBOTS) for x in found]).reshape(-1, ROBOTS)
