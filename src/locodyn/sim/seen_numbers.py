"""By what the numbers of a scenario are known again: a short hash of each kind of array that compiled steps read.

Whatever a scenario says, masses or friction or the points of a spline, ends in these arrays, so that nothing has to be known of
parameters here. Not in them: functions in Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.kernel.bundle import Bundle
from locodyn.kernel.kept import flat_view
from locodyn.locomotion.sampled_controller import SampledController

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim.scenario import Scenario

# Arrays by the first part of their paths, in words of who changes them.
_KINDS = {
    "frames": "its joints", "constants": "its masses, places or rods", "dofs": "its joints",
    "dof_constants": "its springs, friction or limits", "gravity": "the gravity", "imposed": "what is imposed",
    "law": "what is driven", "target": "its servos", "gains": "the gains of its servos", "row_law": "its laws of time",
    "laws": "the numbers of its laws of time", "wrenches": "its wrench laws, springs or compliant contacts",
    "drives": "its actuators", "blocks": "its laws with memory", "strands": "its tendons, chambers or muscles",
    "strand_constants": "its tendons, chambers or muscles", "strand_points": "its tendons, chambers or muscles",
    "strand_law": "its tendons, chambers or muscles", "rows": "its wheels, loops or contacts on rods",
    "contact": "its surfaces, obstacles or the options of their contacts", "controller": "its controller",
}  # fmt: skip
_DIGITS = 2.0**30  # of a number that counts: nine decimals, since another machine may compute the rest a little differently
_NOISE = 1e-14  # of 1: what is less is left over from numbers that cancel
_RELATIVE_NOISE = 1e-15  # of the largest number of an array, likewise


def numbers_of(problem: Problem) -> dict[str, np.ndarray]:
    """All numbers that kernels see of a problem, as flat views by path, as ``rows.radius``."""
    found = dict(_fields(problem.arrays, ""))
    return found | dict(_fields(problem.contact.arrays, "contact.")) if len(problem.contact.table) else found


def _fields(bundle: Bundle, path: str) -> Iterator[tuple[str, np.ndarray]]:
    for name in (one.name for one in fields(bundle)):  # type: ignore[arg-type]  # a bundle is a dataclass
        value = getattr(bundle, name)
        if isinstance(value, Bundle):
            yield from _fields(value, f"{path}{name}.")
        elif value is not None:
            yield f"{path}{name}", flat_view(bundle, name)


def seen_numbers(scenario: Scenario) -> str:
    """One hash for each kind of array, as JSON; the same on all machines, and before and after a run.

    A run writes into arrays of its problem, so these are of one that was never run.
    """
    fresh = scenario.changed()
    problems = [fresh.problem] if fresh.phases is None else list(fresh.hybrid.problems.values())
    hashes: dict[str, Any] = {}
    for path, values in (pair for problem in problems for pair in numbers_of(problem).items()):
        own = hashes.setdefault(path.partition(".")[0], hashlib.sha256())
        own.update(path.encode())
        own.update(_rounded(values).tobytes())
    own = hashes.setdefault("contact", hashlib.sha256())
    own.update(repr(scenario.world.contact).encode())
    if isinstance(scenario.drive.controller, SampledController):
        hashes["controller"] = hashlib.sha256(json.dumps(_settings(scenario.drive.controller)).encode())
    return json.dumps({kind: one.hexdigest()[:8] for kind, one in hashes.items()})


def unlike(before: str, after: str) -> Iterator[str]:
    """What differs, in words, between two answers of :func:`seen_numbers`."""
    one, two = json.loads(before), json.loads(after)
    told: Mapping[str, None] = dict.fromkeys(
        _KINDS.get(kind, f"its '{kind}'") for kind in (*one, *two) if one.get(kind) != two.get(kind)
    )
    yield from (f"{words} differ" for words in told)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Whole numbers by which numbers are alike to nine digits, infinite ones and those that are none included."""
    if values.dtype.kind != "f":
        return values
    known = np.isfinite(values)
    plain = np.where(known, values, 0.0)
    least = max(_NOISE, _RELATIVE_NOISE * float(np.abs(plain).max(initial=0.0)))
    mantissa, power = np.frexp(np.where(np.abs(plain) < least, 0.0, plain))
    other = np.where(known, 0.0, np.nan_to_num(values, nan=3.0, posinf=1.0, neginf=2.0))
    return np.stack([np.round(mantissa * _DIGITS), power.astype(float), other])


def _settings(controller: SampledController) -> list[Any]:
    """Numbers of a sampled controller, and of its law where it is one of the library."""
    law, noise = controller.law, controller.noise
    errors = [] if noise is None else [np.ravel(noise.position).tolist(), np.ravel(noise.velocity).tolist(), noise.seed]
    own = vars(law) if type(law).__module__.startswith("locodyn.") else {}
    plain = {name: value for name, value in own.items() if not name.startswith("_") and isinstance(value, (int, float, str))}
    return [controller.period, controller.delay, errors, getattr(type(law), "__qualname__", ""), plain]
