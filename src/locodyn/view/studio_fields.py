"""The fields of the studio: parameters of a scenario as the page shows them, and the values that it sends back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from locodyn.errors import InputError
from locodyn.sim.parameter import Parameter

PLAIN = (1e-5, 1e7)  # numbers from and below which are written without a power of ten


def number_text(value: float) -> str:
    """A number with all its digits and no others, such that ``float`` reads the same number again.

    >>> [number_text(x) for x in (0.00025, 6.05e10, 2.0, -1e-7, 0.0, 1234567.5)]
    ['0.00025', '6.05e10', '2', '-1e-7', '0', '1234567.5']
    """
    if value == 0.0:
        return "0"
    sign, digits, power = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(power, int)
    if PLAIN[0] <= abs(value) < PLAIN[1]:
        return f"{Decimal(repr(value)).normalize():f}"
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{'-' * sign}{first}{'.' * bool(rest)}{rest}e{power + len(digits) - 1}"


def value_text(value: Any) -> str:
    """A value as it stands in a field; several numbers with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value))
    return number_text(value) if isinstance(value, float) else str(value)


def bounds(parameter: Parameter) -> tuple[float, float, float]:
    """Least and largest value and step of a slider: around the default, within what is allowed.

    >>> bounds(Parameter("m", 2.0, "kg", "", "", above=0.0))
    (0.01, 6.0, 0.01)
    """
    value = parameter.value
    reach = 2 * abs(value) or 1
    low, high = value - reach, value + reach
    if isinstance(value, int):
        low = max(low, int(parameter.least)) if parameter.least is not None else low
        high = min(high, int(parameter.most)) if parameter.most is not None else max(high, low + 4)
        return low, high, 1
    step = round_down(reach / 200.0)
    if parameter.least is not None:
        low = max(low, parameter.least)
    if parameter.most is not None:
        high = min(high, parameter.most)
    if parameter.above is not None and low <= parameter.above:
        low = parameter.above + step
    return low, high, step


def round_down(value: float) -> float:
    """The power of ten at or below a positive number."""
    return float(f"1e{math.floor(math.log10(value))}")


def field(p: Parameter) -> dict[str, Any]:
    """One field for the page (``Field`` of ``fields`` in ``studio_form.ts``)."""
    found: dict[str, Any] = {
        "name": p.name,
        "unit": "" if p.unit == "-" else p.unit,
        "meaning": p.meaning,
        "source": p.source,
        "value": value_text(p.value),
        "choices": None,
        "slider": None,
    }
    if isinstance(p.value, bool):
        return {**found, "value": "yes" if p.value else "no", "choices": ["yes", "no"]}
    if p.choices is not None:
        return {**found, "choices": [str(choice) for choice in p.choices]}
    if isinstance(p.value, (int, float)):
        return {**found, "slider": bounds(p)}
    return found


def changed_values(parameters: tuple[Parameter, ...], texts: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults, read from the texts of the fields and checked; a wrong one is an InputError."""
    known = {p.name: p for p in parameters}
    found = {}
    for name, text in texts.items():
        if name not in known:
            raise InputError(f"there is no parameter '{name}'.")
        value = known[name].check(text)
        if value != known[name].value:
            found[name] = value
    return found


def seconds(text: Any, what: str) -> float:
    """The number of a field for a time."""
    try:
        return float(text)
    except (TypeError, ValueError):
        raise InputError(f"{what} is '{text}'; it must be a number of seconds.") from None
