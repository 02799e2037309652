"""A program: the operations that some expressions need, each once, in an order in which they can be carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.symbolic.expression import Expression
from locodyn.symbolic.factoring import LEAVES, Entry, factored, needed
from locodyn.symbolic.tape import Ref

KINDS = ("+", "-", "*", "/", "sin", "cos", "exp", "sqrt", "floor", "atan2", "select", "neg")


class Program:
    """Straight-line code for some outputs.

    ``entries`` are (operation, operands) as on a :class:`~locodyn.symbolic.tape.Tape`, without what the outputs do not need and
    with common factors taken out; ``outputs`` are operands.
    """

    def __init__(self, outputs: Sequence[Any]) -> None:
        tape = next((x.tape for x in outputs if isinstance(x, Expression)), None)
        self.entries: list[Entry] = []
        self.outputs: list[Ref] = []
        numbers: dict[float, Ref] = {}
        refs = [x.ref if isinstance(x, Expression) else None for x in outputs]
        if tape is not None:
            wanted = [ref for ref in refs if ref is not None]
            self._shorten(list(zip(tape.operations, tape.operands, strict=True)), wanted)
        rest = iter(list(self.outputs))
        self.outputs = [
            next(rest) if ref is not None else self._number(float(x), numbers) for ref, x in zip(refs, outputs, strict=True)
        ]
        self._flip_outputs()

    @classmethod
    def of_entries(cls, entries: list[Entry], outputs: list[Ref]) -> Program:
        """The program of entries that are not on a tape."""
        found = cls([])
        found._shorten(entries, outputs)
        found._flip_outputs()
        return found

    def _shorten(self, entries: list[Entry], outputs: list[Ref]) -> None:
        """Leave out what the outputs do not need, and take common factors out as long as it helps."""
        self.entries, self.outputs = needed(entries, outputs)
        before = len(entries)
        while _length(shorter := factored(self.entries, self.outputs)) < before:
            self.entries, self.outputs = shorter
            before = _length(shorter)

    def _number(self, value: float, numbers: dict[float, Ref]) -> Ref:
        size = abs(value)
        if size not in numbers:
            self.entries.append(("number", (size,)))
            numbers[size] = len(self.entries)
        return -numbers[size] if value < 0 else numbers[size]

    def _flip_outputs(self) -> None:
        """Write b - a in place of -(a - b) where only outputs ask for it."""
        inside = {abs(ref) for operation, operands in self.entries if operation not in LEAVES for ref in operands}
        wanted = set(self.outputs)
        for ref in {ref for ref in wanted if ref < 0 and -ref not in wanted and -ref not in inside}:
            operation, operands = self.entries[-ref - 1]
            if operation == "-":
                self.entries[-ref - 1] = ("-", operands[::-1])
                self.outputs = [-x if x == ref else x for x in self.outputs]

    # ------------------------------------------------------------------------------------------------------------- facts
    @property
    def names(self) -> list[str]:
        """The symbols that the outputs depend on."""
        return [operands[0] for operation, operands in self.entries if operation == "symbol"]

    def count(self) -> dict[str, int]:
        """Number of operations by kind; an output that is the negative of something is one more."""
        found = Counter(operation for operation, _ in self.entries if operation not in LEAVES)
        found["neg"] += sum(ref < 0 and self.entries[-ref - 1][0] != "number" for ref in set(self.outputs))
        return {kind: found[kind] for kind in KINDS if found[kind]}

    @property
    def size(self) -> int:
        """Number of operations."""
        return sum(self.count().values())

    # --------------------------------------------------------------------------------------------------------------- use
    def run(self, values: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] | None = None) -> list[Any]:
        """The outputs for given values of the symbols: numbers, arrays, or the symbols of another engine with its functions."""
        functions = functions or NUMPY
        number = functions.get("number", float)
        done: list[Any] = []

        def operand(ref: Ref) -> Any:
            return done[ref - 1] if ref > 0 else -done[-ref - 1]

        with np.errstate(divide="ignore", invalid="ignore"):  # not a number is an answer at a point outside the domain
            for operation, operands in self.entries:
                if operation == "symbol":
                    done.append(values[operands[0]])
                elif operation == "number":
                    done.append(number(operands[0]))
                else:
                    done.append(functions[operation](*map(operand, operands)))
        return [operand(ref) for ref in self.outputs]

    def formula(self, output: int) -> str:
        """One output as a formula in its symbols, written out in full."""
        from locodyn.symbolic.text import PYTHON, Writer

        return Writer(self, PYTHON, {name: name for name in self.names}, inline=True).outputs[output]


NUMPY: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "floor": np.floor,
    "atan2": np.arctan2,
    "select": lambda a, b, less, otherwise: np.where(a < b, less, otherwise),
}


def _length(program: tuple[list[Entry], list[Ref]]) -> int:
    """Number of operations."""
    return sum(operation not in LEAVES for operation, _ in program[0])
