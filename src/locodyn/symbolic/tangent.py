"""Derivatives of functions in closed form along a direction: forward differentiation of a program, entry by entry.

Each operation c = f(a, b) gets a second one, dc = f_a da + f_b db (Wengert 1964; Griewank and Walther 2008, chapter 3). A branch
has the derivative of the side that is taken. The result is a function like the others, exact to rounding.
"""

from __future__ import annotations

from dataclasses import replace

from locodyn.symbolic.factoring import LEAVES, Entry
from locodyn.symbolic.function import Function, Group
from locodyn.symbolic.program import Program
from locodyn.symbolic.tape import Ref

NOTHING = 0  # the operand of a derivative that is zero; operands begin at 1


def tangent(function: Function) -> Function:
    """The derivative of a function: for inputs x and their rates ``d_x``, the rates ``d_y`` of its outputs.

    >>> import locodyn as ld
    >>> from locodyn.symbolic.scenarios import generator
    >>> forward = generator(ld.zoo.pendulum(n=1)).function("forward")
    >>> [group.name for group in tangent(forward).inputs]
    ['q', 'u', 'tau', 'd_q', 'd_u', 'd_tau']
    """
    rates = {symbol: f"d_{symbol}" for group in function.inputs for symbol in group.symbols}
    work = _Differentiation(function.program, rates)
    inputs = [*function.inputs, *(_rate(group) for group in function.inputs)]
    outputs = tuple(replace(_rate(group), units=group.units) for group in function.outputs)
    summary = f"Derivative of {function.name} along a direction: rates d_ of the outputs from those of the inputs."
    program = Program.of_entries(work.entries, [work.output(ref) for ref in function.program.outputs])
    return Function(f"{function.name}_tangent", summary, tuple(inputs), outputs, program, function.notes)


def _rate(group: Group) -> Group:
    symbols = tuple(f"d_{symbol}" for symbol in group.symbols)
    return replace(group, name=f"d_{group.name}", meaning=f"change of {group.meaning}", symbols=symbols, defaults=())


class _Differentiation:
    """The entries of a program with those of its derivative among them; ``rates``: symbols of the derivatives of its symbols."""

    def __init__(self, program: Program, rates: dict[str, str]) -> None:
        self.entries: list[Entry] = []
        self.known: dict[Entry, Ref] = {}
        self.values: list[Ref] = []
        self.changes: list[Ref] = []
        for operation, operands in program.entries:
            if operation in LEAVES:
                self.values.append(self.enter(operation, operands))
                moves = operation == "symbol" and operands[0] in rates
                self.changes.append(self.enter("symbol", (rates[operands[0]],)) if moves else NOTHING)
            else:
                places = [self._of(self.values, ref) for ref in operands]
                self.values.append(self.enter(operation, tuple(places)))
                changes = [self._of(self.changes, ref) for ref in operands]
                self.changes.append(self.change(operation, places, changes, self.values[-1]) if any(changes) else NOTHING)

    @staticmethod
    def _of(table: list[Ref], ref: Ref) -> Ref:
        return table[ref - 1] if ref > 0 else -table[-ref - 1]

    def output(self, ref: Ref) -> Ref:
        """The derivative of an output."""
        return self._of(self.changes, ref) or self.number(0.0)

    def change(self, operation: str, places: list[Ref], changes: list[Ref], value: Ref) -> Ref:
        """The derivative of one operation from those of its operands, at least one of which is not zero."""
        a, da = places[0], changes[0]
        if operation in ("+", "-"):
            return self.add(da, changes[1] if operation == "+" else -changes[1])
        if operation == "*":
            return self.add(self.times(da, places[1]), self.times(a, changes[1]))
        if operation == "/":
            return self.divide(self.add(da, -self.times(value, changes[1])), places[1])
        if operation == "sin":
            return self.times(self.enter("cos", (a,)), da)
        if operation == "cos":
            return -self.times(self.enter("sin", (a,)), da)
        if operation == "exp":
            return self.times(value, da)
        if operation == "sqrt":
            slope = self.divide(self.times(self.number(0.5), da), value)
            return self.enter("select", (self.number(0.0), value, slope, self.number(0.0)))  # of |x| at its kink: zero
        if operation == "atan2":  # of y = a and x = b: (x dy - y dx) / (x^2 + y^2)
            b, db = places[1], changes[1]
            size = self.add(self.times(a, a), self.times(b, b))
            return self.divide(self.add(self.times(b, da), -self.times(a, db)), size)
        if operation == "select":
            less, otherwise = (one or self.number(0.0) for one in changes[2:])
            return NOTHING if not any(changes[2:]) else self.enter("select", (*places[:2], less, otherwise))
        return NOTHING  # floor: constant but where it jumps

    # ----------------------------------------------------------------------------------------------------------- operations
    def enter(self, operation: str, operands: tuple) -> Ref:  # type: ignore[type-arg]  # names, numbers or operands
        """The operand for an operation, each once."""
        key = (operation, operands)
        if key not in self.known:
            self.entries.append(key)
            self.known[key] = len(self.entries)
        return self.known[key]

    def number(self, value: float) -> Ref:
        return self.enter("number", (value,))

    def add(self, a: Ref, b: Ref) -> Ref:
        """a + b; the first operand of a sum or difference is positive."""
        if not a or not b:
            return a or b
        if a > 0 and b > 0:
            return self.enter("+", (a, b))
        if a < 0 and b < 0:
            return -self.enter("+", (-a, -b))
        return self.enter("-", (a, -b) if a > 0 else (b, -a))

    def times(self, a: Ref, b: Ref) -> Ref:
        """a b; the operands of a product are positive."""
        if not a or not b:
            return NOTHING
        found = self.enter("*", (abs(a), abs(b)))
        return found if (a > 0) == (b > 0) else -found

    def divide(self, a: Ref, b: Ref) -> Ref:
        """a / b."""
        if not a:
            return NOTHING
        found = self.enter("/", (abs(a), abs(b)))
        return found if (a > 0) == (b > 0) else -found
