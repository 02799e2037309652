"""Robots whose builders get symbols in place of some of their numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.robot import CompiledRobot, Robot
from locodyn.symbolic.expression import Expression, SymbolError
from locodyn.symbolic.tape import Tape

GRAVITY = "g"


@dataclass(frozen=True)
class ParameterSymbol:
    """A parameter that stays a symbol, with the number that it has by default."""

    name: str
    value: float
    unit: str = "-"
    meaning: str = ""


@dataclass(frozen=True)
class SymbolicRobot:
    """A robot compiled on symbols, gravity (3,), and the parameters that are symbols in them."""

    compiled: CompiledRobot
    gravity: np.ndarray
    parameters: tuple[ParameterSymbol, ...]
    tape: Tape


def symbolic_robot(
    build: Callable[[dict[str, Any]], Robot],
    values: Mapping[str, Any],
    gravity: Any,
    symbols: str | Sequence[str] = "none",
    about: Mapping[str, tuple[str, str]] | None = None,
) -> SymbolicRobot:
    """The robot of ``build`` with symbols for some of its parameters.

    Parameters
    ----------
    build : function of a dictionary of parameters
        As ``robot`` in the files of the zoo. It may add, multiply and take ``np.sin`` and so on of its parameters; one on
        whose value it decides cannot be a symbol.
    values : all parameters with their numbers; a tuple of numbers becomes the symbols ``name_1``, ``name_2``, ...
    gravity : (3,) m/s^2
        Its size is the parameter ``g``.
    symbols : ``all`` (every number that can be a symbol), ``none``, or names.
    about : {name: (unit, meaning)}
    """
    known = _candidates(values, np.asarray(gravity, dtype=float))
    everything = symbols == "all"
    chosen = list(known) if everything else [] if symbols == "none" else [symbols] if isinstance(symbols, str) else list(symbols)
    for name in chosen:
        if name not in known:
            raise InputError(f"there is no parameter '{name}' that could be a symbol{nearest(name, known)}")
    while True:
        tape = Tape()
        made = {name: _symbol(tape, name, known[name]) for name in chosen}
        try:
            compiled = build({**values, **{n: x for n, x in made.items() if n in values}}).compile(dtype=object)
            break
        except SymbolError as error:
            owners = [n for n in chosen if any(part in error.names for part in _parts(n, known[n]))]
            if not everything or not owners:
                raise
            chosen = [n for n in chosen if n not in owners]
    pull = np.array(gravity, dtype=object)
    if GRAVITY in made:
        pull = pull / float(np.linalg.norm(np.asarray(gravity, dtype=float))) * made[GRAVITY]
    used = names_in(compiled) | {x for entry in pull if isinstance(entry, Expression) for x in entry.names}
    if not everything:
        for name in chosen:
            if not used & set(_parts(name, known[name])):
                raise InputError(f"parameter '{name}' does not enter the robot; leave it out of the symbols.")
    found = []
    for name in chosen:
        unit, meaning = (about or {}).get(name, ("m/s^2", "gravity") if name == GRAVITY else ("-", ""))
        for part, value in zip(_parts(name, known[name]), np.atleast_1d(known[name]), strict=True):
            if part in used:
                found.append(ParameterSymbol(part, float(value), unit, meaning))
    return SymbolicRobot(compiled, pull, tuple(found), tape)


def _candidates(values: Mapping[str, Any], gravity: np.ndarray) -> dict[str, Any]:
    """Parameters that are numbers, and the size of gravity."""
    known = {name: x for name, x in values.items() if isinstance(x, float) or (isinstance(x, tuple) and len(x))}
    size = float(np.linalg.norm(gravity))
    if size > 0.0:
        known[GRAVITY] = size
    elif known.get(GRAVITY) == 0.0:
        del known[GRAVITY]
    return known


def _parts(name: str, value: Any) -> list[str]:
    return [f"{name}_{i + 1}" for i in range(len(value))] if isinstance(value, tuple) else [name]


def _symbol(tape: Tape, name: str, value: Any) -> Any:
    found = [Expression(tape, tape.symbol(p, float(x))) for p, x in zip(_parts(name, value), np.atleast_1d(value), strict=True)]
    return tuple(found) if isinstance(value, tuple) else found[0]


def names_in(thing: Any) -> set[str]:
    """The symbols in a compiled robot, its wheels, loops, wrenches and their laws."""
    if isinstance(thing, Expression):
        return set(thing.names)
    if isinstance(thing, np.ndarray):
        return {name for x in thing.flat for name in names_in(x)} if thing.dtype == object else set()
    if isinstance(thing, (tuple, list)):
        return {name for x in thing for name in names_in(x)}
    if dataclasses.is_dataclass(thing):
        fields = [f.name for f in dataclasses.fields(thing) if f.name != "description"]
        return {name for field in fields for name in names_in(getattr(thing, field))}
    return set()
