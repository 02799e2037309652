"""Reading ``--set key=value``."""

from __future__ import annotations

from locodyn.errors import InputError


def parse(settings: list[str] | None, option: str = "--set") -> dict[str, str]:
    """Keys and values of an option, as text; the parameter table of a scenario gives them their types.

    >>> parse(["case=B", "I_o=20,25,30"])
    {'case': 'B', 'I_o': '20,25,30'}
    """
    values: dict[str, str] = {}
    for setting in settings or []:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise InputError(f"{option} {setting} is not of the form key=value.")
        if key.strip() in values:
            raise InputError(f"{option} {key.strip()} is given twice; give it once.")
        values[key.strip()] = value.strip()
    return values
