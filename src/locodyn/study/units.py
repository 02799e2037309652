"""Units that a person may write behind a number or into a heading, and what they are in the unit of a parameter."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

from locodyn.errors import InputError, nearest

# unit -> (SI unit, factor)
UNITS: dict[str, tuple[str, float]] = {
    "rad": ("rad", 1.0),
    "deg": ("rad", math.pi / 180.0),
    "rad/s": ("rad/s", 1.0),
    "deg/s": ("rad/s", math.pi / 180.0),
    "rpm": ("rad/s", 2.0 * math.pi / 60.0),
    "m": ("m", 1.0),
    "cm": ("m", 1e-2),
    "mm": ("m", 1e-3),
    "km": ("m", 1e3),
    "m/s": ("m/s", 1.0),
    "cm/s": ("m/s", 1e-2),
    "mm/s": ("m/s", 1e-3),
    "km/h": ("m/s", 1.0 / 3.6),
    "m/s^2": ("m/s^2", 1.0),
    "kg": ("kg", 1.0),
    "g": ("kg", 1e-3),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "min": ("s", 60.0),
    "Hz": ("Hz", 1.0),
    "N": ("N", 1.0),
    "kN": ("N", 1e3),
    "mN": ("N", 1e-3),
    "Pa": ("Pa", 1.0),
    "kPa": ("Pa", 1e3),
    "MPa": ("Pa", 1e6),
    "GPa": ("Pa", 1e9),
    "kg/m^3": ("kg/m^3", 1.0),
    "kg m^2": ("kg m^2", 1.0),
    "N m": ("N m", 1.0),
    "%": ("-", 1e-2),
    "-": ("-", 1.0),
    "1": ("-", 1.0),
}

_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_HEADING = re.compile(r"\s*([^\[\(]+?)\s*(?:[\[\(](.*)[\]\)])?\s*")
_NUMBERS = re.compile(rf"({_NUMBER}(?:\s*(?:\.\.|,)\s*{_NUMBER})*(?::\d+(?:log)?)?)\s*([a-zA-Z%][\w/^ %]*)?")


def factor(unit: str, wanted: str, name: str) -> float:
    """What one ``unit`` is in the unit of the parameter ``name``; ``wanted`` empty: in SI units.

    >>> round(factor("deg", "rad", "A"), 6)
    0.017453
    """
    if not unit or unit == wanted:
        return 1.0
    if unit not in UNITS:
        raise InputError(f"'{name}' is given in '{unit}', which is not a known unit{nearest(unit, UNITS)}")
    si, scale = UNITS[unit]
    if not wanted:
        return scale
    own, own_scale = UNITS.get(wanted, (wanted, 1.0))
    if own != si:
        raise InputError(f"'{name}' is given in '{unit}'; it is measured in '{wanted}': give it in that unit.")
    return scale / own_scale


def split(text: str) -> tuple[str, str]:
    """A number, or several with ``..``, ``:`` and commas, and the unit behind.

    >>> split("10..60:11deg"), split("1e-3,2e-3 kg m^2"), split("A,B")
    (('10..60:11', 'deg'), ('1e-3,2e-3', 'kg m^2'), ('A,B', ''))
    """
    found = _NUMBERS.fullmatch(text.strip())
    return (text.strip(), "") if found is None else (found[1], found[2] or "")


def behind(unit: str) -> str:
    """A unit as it follows a number in a text; nothing of numbers without a unit."""
    return "" if unit in ("", "-", "1") else f" {unit}"


def read_csv(file: Path, what: str) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Headings (name, unit) and lines of a CSV file; ``A [deg]`` or ``A (deg)`` tells the unit. ``what``: for error messages."""
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{what} '{file}' cannot be read ({getattr(error, 'strerror', None) or 'it is not text'}).") from None
    found = [_HEADING.fullmatch(cell) for cell in rows[0]] if rows else []
    return [(one[1], one[2] or "") if one else ("", "") for one in found], rows[1:]
