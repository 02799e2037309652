"""Whether a scenario is the one of a saved run: what the file knows of it is compared, and what differs is said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.seen_numbers import unlike

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

ROUND_OFF = 1e-9  # relative, of numbers that another machine may compute a little differently
_NUMERICS = {
    "integrator": "integrator",
    "step": "step",
    "tolerance": "tolerance",
    "rho_inf": "spectral radius rho_inf",
    "split": "switch for steps on SO(3) x R^3 (split)",
    "record_every": "number of steps between records",
}
_LOOKS = ("shape", "markers", "strands")  # parts of a portrait that are only drawn, or are compared as what drives them


def check_same_run(saved: Mapping[str, Any], now: Mapping[str, Any], path: str | Path) -> None:
    """:class:`InputError` where the attributes ``saved`` in the result file and those of the scenario ``now`` differ."""
    found = next(differences(saved, now), None)
    if found is not None:
        raise InputError(
            f"the run in '{path}' is of another scenario: {found}; resume it with the scenario that made it, or start a new run"
            " from its last state."
        )


def same_step(scenario: Scenario, saved: Mapping[str, Any]) -> Scenario:
    """The scenario with the step of the saved run, where this is its own step, made smaller to meet the end of that run."""
    whole = (
        scenario.changed(t_end=float(saved["t_end"])).on_whole_steps()
        if scenario.numerics.step <= float(saved["t_end"])
        else scenario
    )
    return scenario.changed(dt=float(saved["step"])) if same(whole.numerics.step, float(saved["step"])) else scenario


def differences(saved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What differs, in words: "the parameter 'mass' was 1 and is 2"."""
    before, after = json.loads(saved["parameters"]), json.loads(now["parameters"])
    for name in before:
        if name in after and not same(before[name], after[name]):
            yield f"the parameter '{name}' was {before[name]} and is {after[name]}"
    for key, words in _NUMERICS.items():
        if not same(_plain(saved.get(key, 0.0)), _plain(now[key])):
            yield f"the {words} was {_plain(saved.get(key, 0.0))} and is {_plain(now[key])}"
    if set(_recorded(saved)) != set(_recorded(now)):
        yield f"it recorded {_all_or(_recorded(saved))} and is to record {_all_or(_recorded(now))}"
    drives_before, drives_after = json.loads(saved["drive"]), json.loads(now["drive"])
    for name in drives_before:
        if name in drives_after and drives_before[name] != drives_after[name]:
            yield f"'{name}' was driven by '{drives_before[name]}' and is by '{drives_after[name]}'"
    if saved.get("phases") != now.get("phases"):
        yield "the phases differ"
    if not same(_plain(saved["gravity"]), _plain(now["gravity"])):
        yield f"the gravity was {_plain(saved['gravity'])} and is {_plain(now['gravity'])} m/s^2"
    yield from _unlike_robots(json.loads(saved["portrait"]), json.loads(now["portrait"]))
    if "joint_constants" in saved and not same(_plain(saved["joint_constants"]), _plain(now["joint_constants"])):
        yield "springs, friction, inertia or limits of its joints differ"
    if "drive_constants" in saved and not same(*(_row(one["drive_constants"]) for one in (saved, now))):
        yield "time constants of its drives or bristles of its joints differ"
    if not same(json.loads(saved["obstacles"]), json.loads(now["obstacles"])):
        yield "the obstacles differ"
    if "seen_numbers" in saved and "seen_numbers" in now:  # what the words above do not tell
        yield from unlike(saved["seen_numbers"], now["seen_numbers"])


def _recorded(about: Mapping[str, Any]) -> list[str]:
    """Names of the variables of a run that records some only."""
    return [name for name in str(about.get("record", "")).split(",") if name]


def _all_or(names: list[str]) -> str:
    return f"'{', '.join(names)}'" if names else "all variables"


def _unlike_robots(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Names and numbers of bodies, wheels, contacts, rods and loops."""
    for kind in before:
        if kind in _LOOKS or kind not in after:
            continue
        names = [[str(part["name"]) for part in robot[kind]] for robot in (before, after)]
        if names[0] != names[1]:
            yield f"its {kind} were {', '.join(names[0]) or 'none'} and are {', '.join(names[1]) or 'none'}"
            continue
        for one, two in zip(before[kind], after[kind], strict=True):
            for key in one:
                if key not in _LOOKS and not same(one[key], two.get(key)):
                    yield f"{key} of '{one['name']}' was {one[key]} and is {two.get(key)}"


def _row(value: Any) -> list[float]:
    return [float(number) for number in np.atleast_1d(value)]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def same(one: Any, two: Any) -> bool:
    """Whether two values of plain data are equal, numbers to round-off.

    >>> same([1.0, {"a": 2}], [1.0 + 1e-12, {"a": 2}])
    True
    """
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (one, two))
    return bool(one == two or (numbers and abs(one - two) <= ROUND_OFF * max(abs(one), abs(two))))
