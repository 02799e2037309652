"""What people give to a batch, checked: numbers of robots and steps, states, actions, precision."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.typing import Array

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def whole(what: str, value: Any) -> int:
    """A whole number, 1 or more."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise InputError(f"the {what} is {value!r}; it must be a whole number, 1 or more.")
    return int(value)


def chosen_robots(robots: Any, count: int) -> np.ndarray:
    """Numbers of robots of a batch of so many: as they are given, of a row of booleans, or all (None)."""
    if robots is None:
        return np.arange(count)
    wanted = np.atleast_1d(np.asarray(robots))
    numbers: np.ndarray = np.flatnonzero(wanted) if wanted.dtype == bool and wanted.shape == (count,) else wanted
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or ((numbers < 0) | (numbers >= count)).any():
        raise InputError(f"the robots are {robots!r}; give whole numbers from 0 to {count - 1}, or a boolean for each robot.")
    return numbers


def agreed(scenarios: Sequence[Scenario], what: str) -> Any:
    """``t_end`` or ``record_every`` of all scenarios of a batch."""
    values = {getattr(one.recording, what) for one in scenarios}
    if len(values) > 1:
        raise InputError(f"the scenarios of this batch have different {what}; give one to all: run({what}=...).")
    return values.pop()


def here(values: Any) -> np.ndarray:
    """Numbers as an array of this machine, wherever they are: on a card, or an array of another library."""
    if hasattr(values, "__cuda_array_interface__"):
        from locodyn.device.driver import fetched

        return fetched(values.__cuda_array_interface__).astype(float)
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        values = np.from_dlpack(values)
    try:
        found = np.asarray(values)
        if found.dtype.kind == "c" or np.ma.is_masked(values):
            raise TypeError
        return found.astype(float, copy=False)
    except (TypeError, ValueError):
        raise InputError("actions and states are real numbers, without gaps; these are not.") from None


def states_of_each(asked: Array | None, count: int, states: np.ndarray, word: str) -> np.ndarray | None:
    """One row for each of ``count`` robots."""
    if asked is None:
        return None
    values, width = here(asked), states.shape[1]
    if values.shape not in ((width,), (count, width)):
        raise InputError(f"{word} of reset must have the shape ({count}, {width}) or ({width},); it has {values.shape}.")
    return np.broadcast_to(values, (count, width))


def actions_of_each(action: Array | Mapping[str, Any], names: Sequence[str], now: np.ndarray, scenario: str) -> np.ndarray:
    """Actions (count, n) or (n,) in the order of ``names``; those that are not given stay as they are ``now`` (count, n)."""
    count = len(now)
    if isinstance(action, Mapping):
        for word in action:
            if word not in names:
                raise InputError(f"'{scenario}' has no action '{word}'{nearest(word, names)}")
        actions = np.array([_of_each(action.get(word, now[:, k]), count, word) for k, word in enumerate(names)]).T
    else:
        actions = here(action)
    if actions.shape not in ((len(names),), now.shape):
        raise InputError(
            f"an action of '{scenario}' has {len(names)} numbers ({', '.join(names)}), and this batch {count} robots; the"
            f" shape must be {now.shape} or ({len(names)},), not {actions.shape}."
        )
    if not np.isfinite(actions).all():
        raise InputError("an action holds a number that is not finite.")
    return actions


def _of_each(values: Any, count: int, name: str) -> np.ndarray:
    """One number for each robot."""
    row = here(values)
    if row.shape not in ((), (count,)):
        raise InputError(f"action '{name}' has the shape {row.shape}; give one number, or {count}, one for each robot.")
    return np.broadcast_to(row, (count,))


def check_precision(dtype: Any) -> None:
    """Refuse single precision: equations inside of a step are solved to 1e-10 and better, which it does not have."""
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name == "float32":
        raise InputError(
            "a scenario is stepped in float64, because wheels, contacts and implicit steps solve their equations to tolerances"
            " that float32 does not have; trees alone take it: robot.batch(count, device='cuda', dtype='float32')."
        )
    if name != "float64":
        raise InputError(f"dtype of a batch of scenarios is {dtype!r}; it must be 'float64'.")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
