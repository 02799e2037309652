"""What people give to a batch, checked: numbers of robots and steps, states, actions, precision."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.typing import Array

if TYPE_CHECKING:
    from locodyn.device.launch import DeviceRobots
    from locodyn.integrate.robots import Robots
    from locodyn.sim.scenario import Scenario
    from locodyn.sim.stepping import Simulation


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


def precision(dtype: Any, device: str | None, scenario: Scenario) -> str:
    """``"float64"``, or ``"float32"`` where a device makes the steps and there is no hard contact.

    Contacts are solved for beside the bodies, as springs of 1e3 masses over a step (:mod:`locodyn.contact.newton`): inertias that
    hold both keep 1e3 roundings of the smaller, in every step.
    """
    try:
        name = str(np.dtype(dtype).name)
    except TypeError:
        name = ""
    if name not in ("float64", "float32"):
        raise InputError(f"dtype of a batch of scenarios is {dtype!r}; it must be 'float64' or 'float32'.")
    if name == "float32" and device is None:
        raise InputError(
            "float32 halves what the steps of a graphics card load; a processor steps in float64: name device='cuda' (or 'host',"
            " to compare), or leave dtype away."
        )
    if name == "float32" and scenario.numerics.method.books_work:
        raise InputError(
            f"float32 is not for hard contact ('{scenario.numerics.integrator}'): '{scenario.name}' is solved together with laws"
            " of contact that are a thousand times stiffer than it is heavy, which leaves four digits of float32 to each step;"
            " leave dtype away."
        )
    return name


def robots_on_device(robots: Robots, device: str, dtype: str, first: Callable[[], Simulation]) -> DeviceRobots:
    """The robots on a device. One step of the ``first`` here tells which parts of the kernels such a robot reaches."""
    from locodyn.device.launch import DeviceRobots

    found = DeviceRobots(robots, device, single=dtype == "float32")
    first().step()
    return found


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
