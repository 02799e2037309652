"""Taking common factors out of sums: a b + a c + d = a (b + c) + d, where the products are used nowhere else."""

from __future__ import annotations

from collections import Counter
from typing import Any

LEAVES = ("symbol", "number")
Entry = tuple[str, tuple[Any, ...]]
Term = tuple[int, tuple[int, ...]]  # sign, factors (positive operands)


def factored(entries: list[Entry], outputs: list[int]) -> tuple[list[Entry], list[int]]:
    """The same outputs with fewer multiplications. Operands are numbered from 1, negative ones are negated."""
    return needed(*divided(*_Factoring(entries, outputs).result()))


def divided(entries: list[Entry], outputs: list[int]) -> tuple[list[Entry], list[int]]:
    """a / b in place of a (1 / b), where the reciprocal is used nowhere else."""
    uses = Counter(abs(ref) for op, operands in entries if op not in LEAVES for ref in operands)
    uses.update(map(abs, outputs))
    result = list(entries)
    for index, (op, operands) in enumerate(entries):
        for one, other in (operands, operands[::-1]) if op == "*" else ():
            inner, parts = result[one - 1]
            if inner == "/" and uses[one] == 1 and result[parts[0] - 1] == ("number", (1.0,)):
                result[index] = ("/", (other, parts[1]))
                break
    return result, outputs


def needed(entries: list[Entry], outputs: list[int]) -> tuple[list[Entry], list[int]]:
    """The entries that the outputs need, in their order, and the outputs in the new numbers."""
    found: set[int] = set()
    waiting = [abs(ref) for ref in outputs]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            if entries[index - 1][0] not in LEAVES:
                waiting += map(abs, entries[index - 1][1])
    place = {old: new for new, old in enumerate(sorted(found), start=1)}

    def moved(ref: int) -> int:
        return place[ref] if ref > 0 else -place[-ref]

    kept = [entries[old - 1] for old in place]
    return [(op, x if op in LEAVES else tuple(map(moved, x))) for op, x in kept], [moved(ref) for ref in outputs]


class _Factoring:
    """Sums and products that are used once are flattened into their users and built anew, largest common factor first."""

    def __init__(self, entries: list[Entry], outputs: list[int]) -> None:
        self.entries, self.outputs = entries, outputs
        self.uses = Counter(abs(ref) for op, operands in entries if op not in LEAVES for ref in operands)
        self.uses.update(abs(ref) for ref in outputs)
        self.built: list[Entry] = []
        self.known: dict[Entry, int] = {}
        self.place: dict[int, int] = {}  # old operand -> new one

    def result(self) -> tuple[list[Entry], list[int]]:
        """Entries that are not flattened away are built in their old order."""
        parent: dict[int, str] = {}
        for op, operands in self.entries:
            if op not in LEAVES:
                parent.update(dict.fromkeys(map(abs, operands), op))
        for index, (op, operands) in enumerate(self.entries, start=1):
            if self.uses[index] == 1 and index in parent and self._flattens(op, parent[index]):
                continue
            if op in LEAVES:
                self.place[index] = self.enter(op, operands)
            elif op in ("+", "-"):
                self.place[index] = self.sum(self.terms(index, 1, True))
            elif op == "*":
                self.place[index] = self.product(self.factors(index, True))
            else:
                self.place[index] = self.enter(op, tuple(self.new(ref) for ref in operands))
        return self.built, [self.new(ref) for ref in self.outputs]

    @staticmethod
    def _flattens(op: str, into: str) -> bool:
        return (op in "+-*" and into in ("+", "-")) or (op == "*" and into == "*")

    def new(self, ref: int) -> int:
        return self.place[ref] if ref > 0 else -self.place[-ref]

    def enter(self, op: str, operands: tuple[Any, ...]) -> int:
        """The new operand for an operation; signs move out of products and quotients."""
        sign = 1
        if op in ("*", "/"):
            sign = 1 if sum(ref < 0 for ref in operands) % 2 == 0 else -1
            operands = tuple(map(abs, operands))
        elif op == "sin" and operands[0] < 0:
            sign, operands = -1, (-operands[0],)
        elif op == "cos":
            operands = (abs(operands[0]),)
        key = (op, tuple(sorted(operands)) if op in ("*", "+") else operands)
        if key not in self.known:
            self.built.append((op, operands))
            self.known[key] = len(self.built)
        return sign * self.known[key]

    def order(self, ref: int) -> tuple[bool, int]:
        """Numbers first, then in the order of the entries."""
        return self.built[abs(ref) - 1][0] != "number", abs(ref)

    # ----------------------------------------------------------------------------------------------- sums and products
    def factors(self, index: int, own: bool = False) -> tuple[int, ...]:
        """Factors of a product in new operands (signed); one that is used once, or has a number in it, counts as its factors."""
        op, operands = self.entries[index - 1]
        scaled = op == "*" and self.entries[operands[0] - 1][0] == "number"
        if op != "*" or (self.uses[index] > 1 and not own and not scaled):
            return (self.place[index],)
        return tuple(f for ref in operands for f in self.factors(abs(ref)))

    def terms(self, index: int, sign: int, own: bool = False) -> list[Term]:
        """Signed terms of a sum; a sum that is used once counts as its terms."""
        op, operands = self.entries[index - 1]
        if op in ("+", "-") and (own or self.uses[index] == 1):
            second = sign if op == "+" else -sign
            return self.terms(operands[0], sign) + self.terms(operands[1], second)
        factors = self.factors(index)
        if sum(f < 0 for f in factors) % 2:
            sign = -sign
        return [(sign, tuple(map(abs, factors)))]

    def split(self, factors: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """The numbers among some factors as one number, and the others."""
        number, rest = 1.0, []
        for factor in factors:
            op, operands = self.built[abs(factor) - 1]
            if op == "number":
                number *= operands[0] if factor > 0 else -operands[0]
            else:
                rest.append(factor)
        return number, tuple(sorted(rest))

    def joined(self, number: float, factors: tuple[int, ...]) -> tuple[int, ...]:
        """Factors with a positive number before them, unless it is 1."""
        return factors if number == 1.0 and factors else (self.enter("number", (number,)), *factors)

    def gathered(self, terms: list[Term]) -> list[Term]:
        """Terms that differ by a number only are one term."""
        total: dict[tuple[int, ...], float] = {}
        for sign, factors in terms:
            number, rest = self.split(factors)
            total[rest] = total.get(rest, 0.0) + sign * number
        return [(1 if x > 0 else -1, self.joined(abs(x), rest)) for rest, x in total.items() if x != 0.0]

    def product(self, factors: tuple[int, ...]) -> int:
        """Product of some operands, numbers first."""
        number, rest = self.split(factors)
        if number < 0:
            return -self.product(self.joined(-number, rest))
        ordered = sorted(self.joined(number, rest), key=self.order)
        result = ordered[0]
        for factor in ordered[1:]:
            result = self.enter("*", (result, factor))
        return result

    def sum(self, terms: list[Term]) -> int:
        """Sum of some terms. The factor that most terms share (in a product of two or more) is taken out, again and again."""
        terms = self.gathered(terms)
        if not terms:
            return self.enter("number", (0.0,))
        while True:
            shared = Counter(f for _, factors in terms if len(factors) > 1 for f in set(factors))
            common, count = max(shared.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
            if count < 2:
                break
            inside, rest = [], []
            for sign, factors in terms:
                if len(factors) > 1 and common in factors:
                    left = list(factors)
                    left.remove(common)
                    inside.append((sign, tuple(left)))
                else:
                    rest.append((sign, factors))
            inner = self.sum(inside)
            terms = [*rest, (1 if inner > 0 else -1, (common, abs(inner)))]
        refs = [sign * self.product(factors) for sign, factors in terms]
        positive, negative = [r for r in refs if r > 0], [-r for r in refs if r < 0]
        sign = 1 if positive else -1
        first, second = (positive, negative) if positive else (negative, positive)
        result = first[0]
        for ref in first[1:]:
            result = self.enter("+", (result, ref))
        for ref in second:
            result = self.enter("-", (result, ref))
        return sign * result
