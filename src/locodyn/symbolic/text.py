"""Programs as text: one statement for each quantity that is used more than once, formulas with as few brackets as needed;
and what a generated file says about itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from locodyn.record import codes
from locodyn.symbolic.factoring import LEAVES
from locodyn.symbolic.program import Program

if TYPE_CHECKING:
    from locodyn.symbolic.function import Function, Group

_RANK = codes("sum", "product", "sign", "atom")
LONGEST = 90  # characters of a formula that is still put into another one


@dataclass(frozen=True)
class Language:
    """How a language writes numbers, functions and choices."""

    number: Callable[[float], str]
    functions: Mapping[str, str]
    select: str  # with {a}, {b}, {less}, {otherwise}


def decimal(value: float) -> str:
    """A number in full precision, whole ones with a point."""
    return repr(float(value))


def short(value: float) -> str:
    """A number in full precision, whole ones without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


_SAME = {name: name for name in ("sin", "cos", "exp", "sqrt", "floor", "atan2")}
PYTHON = Language(short, _SAME | {"atan2": "arctan2"}, "where({a} < {b}, {less}, {otherwise})")
CASADI = Language(short, {name: f"ca.{name}" for name in _SAME}, "ca.if_else({a} < {b}, {less}, {otherwise})")
C = Language(decimal, _SAME, "({a} < {b} ? {less} : {otherwise})")
MATLAB = Language(short, _SAME, "(({a} < {b})*({less}) + ~({a} < {b})*({otherwise}))")


class Writer:
    """The statements ``(name, formula)`` and the ``outputs`` of a program.

    ``symbols`` says how each symbol is written, ``temporary`` how intermediate quantities are named; with ``inline`` there are
    none.
    """

    def __init__(
        self, program: Program, language: Language, symbols: Mapping[str, str], temporary: str = "t{}", inline: bool = False
    ) -> None:
        self.language, self.symbols = language, symbols
        uses = Counter(abs(r) for op, operands in program.entries if op not in LEAVES for r in operands)
        uses.update(abs(ref) for ref in program.outputs)
        self.statements: list[tuple[str, str]] = []
        self._formulas: list[tuple[str, int]] = []
        for index, (op, operands) in enumerate(program.entries, start=1):
            text, rank = self._formula(program, op, operands)
            if op not in LEAVES and not inline and (uses[index] > 1 or len(text) > LONGEST):
                name = temporary.format(len(self.statements))
                self.statements.append((name, text))
                text, rank = name, _RANK.atom
            self._formulas.append((text, rank))
        self.outputs = [self._signed(ref, _RANK.sum) for ref in program.outputs]

    def _formula(self, program: Program, op: str, operands: tuple[Any, ...]) -> tuple[str, int]:
        if op == "symbol":
            return self.symbols[operands[0]], _RANK.atom
        if op == "number":
            return self.language.number(operands[0]), _RANK.atom
        if op in ("+", "-"):
            left = self._signed(operands[0], _RANK.sum)
            right = self._signed(operands[1], _RANK.sum if op == "+" else _RANK.product)
            return f"{left} {op} {right}", _RANK.sum
        if op in ("*", "/"):
            # A quotient to the right of * keeps its brackets: x*(y/z) is rounded otherwise than x*y/z.
            least = _RANK.product if op == "*" and program.entries[abs(operands[1]) - 1][0] != "/" else _RANK.atom
            return f"{self._signed(operands[0], _RANK.product)}{op}{self._signed(operands[1], least)}", _RANK.product
        if op == "select":
            parts = dict(zip(("a", "b", "less", "otherwise"), (self._signed(r, _RANK.sum) for r in operands), strict=True))
            return self.language.select.format(**parts), _RANK.atom
        return f"{self.language.functions[op]}({', '.join(self._signed(r, _RANK.sum) for r in operands)})", _RANK.atom

    def _signed(self, ref: int, least: int) -> str:
        """An operand, in brackets where it binds less than ``least``."""
        text, rank = self._formulas[abs(ref) - 1]
        if ref < 0:
            text, rank = (f"-({text})" if rank == _RANK.sum else f"-{text}"), _RANK.sum
        return f"({text})" if rank < least else text


def heading(function: Function) -> list[str]:
    """Lines: what it computes, who wrote it, inputs and outputs with units and order, operations."""
    from locodyn import __version__

    count = function.program.count()
    kinds = ", ".join(f"{n} {kind}" for kind, n in count.items())
    lines = [
        function.summary,
        f"Written by locodyn {__version__}; SI units, angles in rad. {sum(count.values())} operations ({kinds}).",
    ]
    lines += function.notes
    for title, groups in (("Inputs", function.inputs), ("Outputs", function.outputs)):
        lines += ["", f"{title}:"]
        for group in groups:
            lines += group_lines(group)
    return lines


def group_lines(group: Group) -> list[str]:
    """One input or output: name, shape, meaning; then its entries with units."""
    shape = " x ".join(map(str, group.shape)) or "one number"
    order = ", row by row" if len(group.shape) == 2 else ""
    lines = [f"  {group.name} ({shape}{order}): {group.meaning}"]
    if len(group.shape) == 1:
        values = [f" = {x:g}" for x in group.defaults] or [""] * group.size
        lines += [f"    {i}: {e} [{u}]{x}" for i, (e, u, x) in enumerate(zip(group.entries, group.units, values, strict=True))]
    return lines
