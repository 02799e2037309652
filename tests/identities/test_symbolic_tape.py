"""Expressions: what meets on the tape, what must not, and that shorter programs compute the same."""

import numpy as np
import pytest

from locodyn.errors import InputError
from locodyn.symbolic import Expression, symbols
from locodyn.symbolic.expression import SymbolError
from locodyn.symbolic.factoring import factored
from locodyn.symbolic.program import Program
from locodyn.symbolic.tape import Tape


def size(*expressions):
    return Program(list(expressions)).size


def test_equal_values_meet_however_they_were_computed():
    x, y = symbols("x y")
    assert np.sin(x) ** 2 + np.cos(x) ** 2 == 1
    assert (x + y) ** 2 - x * x - y * y == 2 * x * y
    assert x - x == 0 and (x * y) / y == x and -(x - y) == y - x
    assert np.sin(-x) == -np.sin(x) and np.cos(-x) == np.cos(x)
    assert np.cos(x) * np.cos(y) - np.sin(x) * np.sin(y) == np.cos(x + y)
    assert x * (1 + 1e-11) != x and x + 1e-9 * y != x


def test_rotation_of_a_unit_quaternion_is_orthogonal():
    from locodyn.kernel import twin
    from locodyn.lie.so3 import quaternion_matrix

    tape = Tape()
    q = tuple(Expression(tape, ref) for ref in tape.unit_vector(["w", "x", "y", "z"]))
    r = np.array(twin(quaternion_matrix)(q), dtype=object).reshape(3, 3)
    assert (r @ r.T == np.eye(3, dtype=int)).all()


def test_no_conclusion_is_drawn_from_the_branch_of_a_point():
    x, y = symbols("x y")
    assert (x * x).sqrt() != x and (x * x).sqrt() ** 2 == x * x
    assert (np.cos(x) ** 2).sqrt() != np.cos(x)  # although the cosine is positive at all points
    absolute = x.select_lt(x, 0, -x, x)
    assert absolute != x and absolute != -x
    assert np.arctan2(np.sin(x), np.cos(x)) != x
    assert x.select_lt(x, 0, y, y) == y
    assert x.select_lt(float("inf"), x, 1.0, y) == y
    values = {"x": np.array([-2.0, 3.0])}
    assert np.allclose(Program([absolute, (x * x).sqrt()]).run(values), [[2, 3], [2, 3]])


def test_signs_of_different_symbols_do_not_meet():
    """x / |x| has one of few patterns of signs at the points: twelve symbols would share them."""
    found = symbols(" ".join(f"x{k}" for k in range(12)))
    for scale in (1.0, 3.0):
        signs = [x / (scale * x * x).sqrt() for x in found]
        products = [found[0] * x / (scale * x * x).sqrt() for x in found[1:]]
        for group in (signs, products):
            assert not any(a == b or a == -b for i, a in enumerate(group) for b in group[:i])
    values = {f"x{k}": (-1.0) ** k * (k + 0.5) for k in range(12)}
    assert Program([x / (x * x).sqrt() for x in found]).run(values) == [(-1.0) ** k for k in range(12)]


def test_a_symbol_is_no_number():
    x, y = symbols("long wide")
    for wrong in (lambda: float(x), lambda: bool(x), lambda: x < 1, lambda: max(x, 2.0)):
        with pytest.raises(SymbolError, match="'long'"):
            wrong()
    with pytest.raises(SymbolError, match="long, wide"):
        float(x * y)
    with pytest.raises(InputError, match="whole number"):
        x**1.5
    with pytest.raises(InputError, match="made apart"):
        x + symbols("x")
    with pytest.raises(InputError, match="already a symbol"):
        symbols("a a")


def test_common_factors_are_taken_out():
    a, b, c, d = symbols("a b c d")
    assert size(a * b + a * c) == 2
    assert size(a * b + a * c - a * d) == 3
    assert size(a * b + c * d + a * c * d) == 5
    assert size(a * b + a * c, a * b) == 3  # the product is needed anyhow
    assert size(0.5 * a + 0.25 + 0.5 * a + 0.75) == 1
    assert Program([a - a * b]).count() == {"-": 1, "*": 1}
    assert Program([-(a - b)]).count() == {"-": 1}
    assert Program([-(a * b)]).count() == {"*": 1, "neg": 1}


@pytest.mark.parametrize("seed", range(20))
def test_programs_compute_what_the_expressions_say(seed):
    rng = np.random.default_rng(seed)
    tape = Tape(seed)
    pool = [Expression(tape, tape.symbol(f"x{i}")) for i in range(6)]
    numbers = dict(zip([f"x{i}" for i in range(6)], rng.uniform(0.5, 1.5, 6), strict=True))
    plain = list(numbers.values())
    for _ in range(150):
        i, j = rng.integers(len(pool), size=2)
        operation = rng.choice(["+", "-", "*", "/", "sin", "cos", "scale"], p=[0.25, 0.25, 0.3, 0.03, 0.03, 0.04, 0.1])
        if operation in "+-*/":
            made = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y}[operation]
            new, value = made(pool[i], pool[j]), made(plain[i], plain[j])
        elif operation == "scale":
            new, value = 0.5 * pool[i], 0.5 * plain[i]
        else:
            function = {"sin": np.sin, "cos": np.cos}[operation]
            new, value = function(pool[i]), function(plain[i])
        if isinstance(new, Expression) and 1e-3 < abs(value) < 1e3:
            pool.append(new)
            plain.append(value)
    outputs, wanted = [*pool[-12:], 3.0], [*plain[-12:], 3.0]
    program = Program(outputs)
    np.testing.assert_allclose(program.run(numbers), wanted, rtol=1e-9)
    entries, refs = factored(program.entries, program.outputs)
    program.entries, program.outputs = entries, refs
    np.testing.assert_allclose(program.run(numbers), wanted, rtol=1e-9)
    assert eval(program.formula(0), {"sin": np.sin, "cos": np.cos, **numbers}) == pytest.approx(wanted[0], rel=1e-9)


def test_rewinding_forgets():
    tape = Tape()
    x = Expression(tape, tape.symbol("x"))
    y = np.sin(x) * x
    length = len(tape.operations)
    z = np.cos(x) + Expression(tape, tape.symbol("z"))
    assert z.names == ("x", "z")
    tape.rewind(length)
    assert len(tape.operations) == length and np.sin(x) * x == y
    again = np.cos(x) + Expression(tape, tape.symbol("z"))
    assert Program([again]).run({"x": 0.0, "z": 2.0}) == [3.0]
