"""Functions as a LaTeX document: formulas, with abbreviations for what occurs more than once."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from locodyn.symbolic.factoring import LEAVES
from locodyn.symbolic.function import Function
from locodyn.symbolic.text import group_lines

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
    " Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
).split()  # fmt: skip
LONGEST = 28  # operations' worth of symbols in one formula before it is given a name


def latex_source(function: Function) -> str:
    """A document that compiles on its own with amsmath."""
    from locodyn import __version__

    names = {s: _name(g.name, e) for g in function.inputs for s, e in zip(g.symbols, g.entries, strict=True)}
    formulas, definitions = _formulas(function, names)
    lines = [
        r"\documentclass{article}", r"\usepackage{amsmath}", r"\usepackage[margin=2cm,landscape]{geometry}",
        r"\allowdisplaybreaks", r"\begin{document}",
        rf"\section*{{{_text(function.name)}}}", _text(function.summary),
        _text(f"Written by locodyn {__version__}; SI units, angles in rad. {function.program.size} operations."),
        *map(_text, function.notes),
    ]  # fmt: skip
    for title, groups in (("Inputs", function.inputs), ("Outputs", function.outputs)):
        lines += [rf"\subsection*{{{title}}}", r"\begin{itemize}"]
        for group in groups:
            rows = group_lines(group)
            lines.append(rf"\item {_text(rows[0].strip())}")
            if len(group.shape) == 1:
                entries = zip(group.entries, group.units, group.symbols or group.entries, strict=True)
                words = [rf"${names[s]}$ {_text(f'{e} [{u}]')}" if s in names else _text(f"{e} [{u}]") for e, u, s in entries]
                lines.append("; ".join(words) + ".")
        lines.append(r"\end{itemize}")
    if definitions:
        lines += [r"\subsection*{Abbreviations}", *_align(definitions)]
    lines.append(r"\subsection*{Formulas}")
    results: list[tuple[str, str]] = []
    for group, places in function.slices():
        for i, place in enumerate(places):
            if len(group.shape) == 2:
                row, column = divmod(i, group.shape[1])
                index = f"_{{{row + 1},{column + 1}}}"
            else:
                index = f"_{{{i + 1}}}" if group.shape else ""
            results.append((rf"\mathrm{{{_text(group.name)}}}{index}", formulas[place]))
    return "\n".join([*lines, *_align(results), r"\end{document}"]) + "\n"


def _align(entries: list[tuple[str, str]]) -> list[str]:
    body = [rf"{left} &= {right}" for left, right in entries]
    return [r"\begin{align*}", " \\\\\n".join(body), r"\end{align*}"]


class _Formula(NamedTuple):
    """A formula: its text, how strongly it binds (0 sum, 1 product, 2 atom), its size, and its factors if it is a product."""

    text: str
    rank: int
    size: int
    factors: tuple[str, ...] = ()


def _formulas(function: Function, names: dict[str, str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Formulas of the outputs, and the abbreviations in them."""
    program = function.program
    uses = Counter(abs(r) for op, operands in program.entries if op not in LEAVES for r in operands)
    uses.update(abs(ref) for ref in set(program.outputs))
    done: list[_Formula] = []
    definitions: list[tuple[str, str]] = []

    def operand(ref: int, least: int) -> str:
        text, rank, *_ = done[abs(ref) - 1]
        if ref < 0:
            text, rank = (rf"-\left({text}\right)" if rank == 0 else f"-{text}"), 0
        return rf"\left({text}\right)" if rank < least else text

    for index, (op, operands) in enumerate(program.entries, start=1):
        if op in LEAVES:
            done.append(_Formula(names[operands[0]] if op == "symbol" else _number(operands[0]), 2, 1))
            continue
        size = 1 + sum(done[abs(r) - 1].size for r in operands)
        if op == "*":
            factors = sum((done[r - 1].factors or (operand(r, 1),) for r in operands), ())
            found = _Formula(_product(factors), 1, size, factors)
        else:
            found = _Formula(*_formula(op, operands, operand), size)
        if (uses[index] > 1 and size > 5) or size > LONGEST:
            definitions.append((f"x_{{{len(definitions) + 1}}}", found.text))
            found = _Formula(definitions[-1][0], 2, 1)
        done.append(found)
    return [operand(ref, 0) for ref in program.outputs], definitions


def _product(factors: tuple[str, ...]) -> str:
    """Factors side by side, numbers first, equal ones as powers."""
    factors = tuple(sorted(factors, key=lambda f: not f[0].isdigit()))
    powers = [f if n == 1 else rf"\left({f}\right)^{n}" if " " in f else f"{{{f}}}^{n}" for f, n in Counter(factors).items()]
    return r" \, ".join(powers)


def _formula(op: str, operands: tuple[Any, ...], operand: Any) -> tuple[str, int]:
    if op in ("+", "-"):
        return f"{operand(operands[0], 0)} {op} {operand(operands[1], 0 if op == '+' else 1)}", 0
    if op == "/":
        return rf"\frac{{{operand(operands[0], 0)}}}{{{operand(operands[1], 0)}}}", 2
    if op == "exp":
        return rf"\mathrm{{e}}^{{{operand(operands[0], 0)}}}", 2
    if op == "sqrt":
        return rf"\sqrt{{{operand(operands[0], 0)}}}", 2
    if op == "floor":
        return rf"\left\lfloor {operand(operands[0], 0)} \right\rfloor", 2
    if op == "atan2":
        return rf"\operatorname{{atan2}}\left({operand(operands[0], 0)}, {operand(operands[1], 0)}\right)", 2
    if op == "select":
        a, b, less, otherwise = (operand(r, 0) for r in operands)
        return rf"\begin{{cases}} {less} & {a} < {b} \\ {otherwise} & \text{{else}} \end{{cases}}", 2
    return rf"\{op} {operand(operands[0], 2)}", 1


def _number(x: float) -> str:
    if float(x).is_integer() and x < 1e6:
        return str(int(x))
    mantissa, _, exponent = f"{x:.8g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _name(group: str, entry: str) -> str:
    """A symbol: parameters by their own name, coordinates as letter and index."""
    if group == "p":
        stem, _, index = entry.partition("_")
        letter = rf"\{stem}" if stem in _GREEK else stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
        return rf"{letter}_{{\mathrm{{{index.replace('_', ',')}}}}}" if index else letter
    letter = r"\tau" if group == "tau" else group if len(group) == 1 else rf"\mathrm{{{_text(group)}}}"
    return rf"{letter}_{{\mathrm{{{_text(entry)}}}}}"


def _text(words: str) -> str:
    return re.sub(r"([_&%#$])", r"\\\1", words.replace("^", r"\^{}"))
