"""Expressions: what a kernel computes with when a robot, or its state, is made of symbols.

An expression is an operand of a :class:`~locodyn.symbolic.tape.Tape`. Numbers stay Python numbers, so an operation on numbers is
done at once, and what turns out to be constant is a number again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.symbolic.tape import Ref, Tape


class SymbolError(InputError):
    """A symbol stands where a number is needed; ``names`` are the symbols in question."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        what = f"parameter '{names[0]}'" if len(names) == 1 else f"one of the parameters {', '.join(names)}"
        super().__init__(f"{what} cannot stay symbolic: its number decides what the robot is; leave it out of the symbols.")


class Expression:
    """A quantity made of symbols, with ``+ - * / **`` and the functions that NumPy calls on objects, as in ``np.sin(x)``."""

    __slots__ = ("ref", "tape")

    def __init__(self, tape: Tape, ref: Ref) -> None:
        self.tape, self.ref = tape, ref

    def _operand(self, other: Any) -> Ref:
        if isinstance(other, Expression):
            if other.tape is not self.tape:
                raise InputError("symbols that were made apart cannot be mixed; make them in one call of symbols().")
            return other.ref
        return self.tape.number(other)

    def _result(self, ref: Ref) -> Any:
        number = self.tape.as_number(ref)
        if number is None:
            return Expression(self.tape, ref)
        return int(number) if number.is_integer() else number

    # -------------------------------------------------------------------------------------------------------- arithmetic
    def __add__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if not isinstance(other, Expression) and other == 0:
            return self
        return self._result(self.tape.add(self.ref, self._operand(other)))

    __radd__ = __add__

    def __neg__(self) -> Expression:
        return Expression(self.tape, -self.ref)

    def __pos__(self) -> Expression:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if not isinstance(other, Expression):
            if other == 0:
                return 0
            if abs(other) == 1:
                return self if other > 0 else -self
            scaled = self._scaled(float(other))
            if scaled is not None:
                return scaled
        return self._result(self.tape.multiply(self.ref, self._operand(other)))

    __rmul__ = __mul__

    def _scaled(self, factor: float) -> Any:
        """``factor`` times this, where this is already a number times something."""
        index = abs(self.ref) - 1
        if self.tape.operations[index] == "*":
            first, second = self.tape.operands[index]
            number = self.tape.as_number(first)
            if number is not None:
                return Expression(self.tape, second if self.ref > 0 else -second) * (factor * number)
        return None

    def __truediv__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if not isinstance(other, Expression):
            return self * (1.0 / other)
        return self._result(self.tape.divide(self.ref, self._operand(other)))

    def __rtruediv__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        return 0 if other == 0 else self._result(self.tape.divide(self._operand(other), self.ref))

    def __pow__(self, power: Any) -> Any:
        if power == 0.5:
            return self.sqrt()
        if isinstance(power, Expression) or power != int(power):
            raise InputError(f"an expression cannot be raised to the power {power!r}; it must be a whole number or 0.5.")
        if power < 0:
            return 1 / self ** (-power)
        result: Any = 1
        for _ in range(int(power)):
            result = result * self
        return result

    # --------------------------------------------------------------------------------- functions, by the names of NumPy
    def sin(self) -> Any:
        """Sine."""
        return self._result(self.tape.sine(self.ref))

    def cos(self) -> Any:
        """Cosine."""
        return self._result(self.tape.cosine(self.ref))

    def tan(self) -> Any:
        """Tangent."""
        return self.sin() / self.cos()

    def exp(self) -> Any:
        """Exponential function."""
        return self._result(self.tape.exponential(self.ref))

    def sqrt(self) -> Any:
        """Square root."""
        return self._result(self.tape.root(self.ref))

    def floor(self) -> Any:
        """Largest whole number that is not above this."""
        return self._result(self.tape.floor(self.ref))

    def arctan2(self, x: Any) -> Any:
        """Angle of the point (x, self)."""
        return self._result(self.tape.arctangent(self.ref, self._operand(x)))

    def select_lt(self, a: Any, b: Any, less: Any, otherwise: Any) -> Any:
        """``less`` where a < b, else ``otherwise``; one of the four is an expression (which is ``self`` does not matter)."""
        for number, other, decided in ((a, b, 1), (b, a, -1)):
            if not isinstance(number, Expression) and math.isinf(number) and isinstance(other, Expression):
                return less if decided * number < 0 else otherwise
        if not isinstance(a, Expression) and not isinstance(b, Expression):
            return less if a < b else otherwise
        return self._result(self.tape.select(*(self._operand(x) for x in (a, b, less, otherwise))))

    # ------------------------------------------------------------------------------------------------------ not a number
    @property
    def names(self) -> tuple[str, ...]:
        """The symbols in this expression."""
        found, waiting, seen = set(), [abs(self.ref) - 1], set()
        while waiting:
            index = waiting.pop()
            if index not in seen:
                seen.add(index)
                operation, operands = self.tape.operations[index], self.tape.operands[index]
                if operation == "symbol":
                    found.add(operands[0])
                elif operation != "number":
                    waiting += [abs(ref) - 1 for ref in operands]
        return tuple(sorted(found))

    def __float__(self) -> float:
        raise SymbolError(self.names)

    def __bool__(self) -> bool:
        raise SymbolError(self.names)

    def __lt__(self, other: Any) -> bool:
        raise SymbolError(self.names)

    __gt__ = __le__ = __ge__ = __lt__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.tape is self.tape and other.ref == self.ref

    def __hash__(self) -> int:
        return hash((id(self.tape), self.ref))

    def __repr__(self) -> str:
        from locodyn.symbolic.program import Program

        return Program([self]).formula(0)


def _is_operand(x: Any) -> bool:
    return isinstance(x, (Expression, int, float, np.integer, np.floating))


def symbols(names: str, tape: Tape | None = None) -> Any:
    """Symbols by names that spaces separate: one expression, or an array of them.

    >>> m, l = symbols("m l")
    >>> m * l**2 + l * m * l
    2*m*l*l
    """
    tape = tape or Tape()
    found = [Expression(tape, tape.symbol(name)) for name in names.split()]
    if len(found) == 1:
        return found[0]
    result = np.empty(len(found), dtype=object)
    result[:] = found
    return result
