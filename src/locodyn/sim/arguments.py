"""Arguments of a scenario, checked: numbers, servos, speeds, tensions; and names in few words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, as_law
from locodyn.motion.kinks import spread_times

if TYPE_CHECKING:
    from locodyn.phases import Phases
    from locodyn.robot.compilation.compiled import CompiledRobot

_SAME_GRAVITY = 1e-9  # m/s^2


def positive(value: Any, what: str, unit: str) -> float:
    """A positive finite float, or :class:`InputError` that names ``what``."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number) and not isinstance(value, float):
        raise InputError(f"{what} is {value!r}; it must be a number.")
    if not math.isfinite(number) or number <= 0.0:
        raise InputError(f"{what} is {number:g}{' ' + unit if unit else ''}; it must be positive and finite.")
    return number


def check_gravity(controller: Any, phases: Phases | None, gravity: Sequence[float]) -> None:
    """Controllers that reckon with gravity, as those of gaits on a slope do, know that of the scenario."""
    named = {} if phases is None else {f" of phase '{name}'": phases[name].controller for name in phases}
    for where, one in {"": controller, **named}.items():
        known = getattr(one, "assumed_gravity", None)
        if known is not None and not np.allclose(known, gravity, rtol=0.0, atol=_SAME_GRAVITY):
            own, its = (", ".join(f"{x + 0.0:.4g}" for x in g) for g in (known, gravity))
            raise InputError(
                f"the controller{where} reckons with the gravity ({own}) m/s^2, but that of the scenario is ({its}); give the"
                " scenario the gravity of its gait, or take a gait of this slope."
            )


def finite(value: Any, what: str) -> float:
    """A finite float, or :class:`InputError` that names ``what``."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{what} is {value!r}; it must be a finite number.")
    return number


def three(value: Any, what: str, unit: str) -> tuple[float, float, float]:
    """Three finite floats, or :class:`InputError` that names ``what``."""
    if type(value) is tuple and len(value) == 3 and all(type(x) is float and math.isfinite(x) for x in value):
        return value  # as it is kept, and asked for again with every change of a scenario
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise InputError(f"{what} is {value!r}; it must be three finite numbers ({unit}).")
    x, y, z = map(float, numbers)
    return x, y, z


def listed(value: Any, what: str) -> tuple[Any, ...]:
    """Things in a row, or :class:`InputError` that names ``what``; a single word is one of them."""
    if isinstance(value, str):
        return (value,)
    if type(value) is not tuple and (not isinstance(value, Iterable) or isinstance(value, Mapping)):
        raise InputError(f"{what} is {value!r}; it must be a list.")
    return tuple(value)


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Values by name, or :class:`InputError` that names ``what``."""
    if type(value) is not dict and not isinstance(value, Mapping):
        raise InputError(f"{what} is {value!r}; it must be a mapping of names to values, such as {{'joint': 0.0}}.")
    return {str(name): one for name, one in value.items()}


def robot_of(value: Any) -> Callable[[], CompiledRobot]:
    """What compiles a robot, or :class:`InputError` where it is something else."""
    from locodyn.robot import CompiledRobot, Robot, RobotDescription, compile_robot

    if isinstance(value, CompiledRobot):
        return lambda: value
    if isinstance(value, RobotDescription):
        return partial(compile_robot, value)
    if isinstance(value, Robot):
        return value.compile
    if callable(getattr(value, "run", None)):
        raise InputError(f"the robot is the scenario '{value.name}'; give its robot, scenario.robot, or run it: scenario.run().")
    if getattr(value, "robot", None) is not None:
        raise InputError(f"the robot is what a file gave, {type(value).__name__}; give its robot: loaded.robot.")
    raise InputError(f"the robot is {value!r}; it must be a Robot, a RobotDescription or a CompiledRobot.")


def servo_of(name: str, value: Any) -> Any:
    """A servo as it is."""
    from locodyn.locomotion.servo import Servo

    if not isinstance(value, Servo):
        raise InputError(f"the servo of '{name}' is {value!r}; it must be a Servo(target, stiffness=, damping=).")
    return value


def speed_of(speed: Any) -> tuple[str, Any, Law]:
    """A speed that motors provide: body or marker, direction, law of the distance."""
    try:
        point, direction, law = speed
    except (TypeError, ValueError):
        raise InputError(
            f"a speed is {speed!r}; it must be three things: a body or marker, a direction and a law of the distance."
        ) from None
    return str(point), direction, as_law(law)


def shortened(names: Sequence[Any], most: int = 6) -> str:
    """The names, or the first ones and how many more there are.

    >>> shortened(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def check_pull(name: str, law: Law, start: float, end: float) -> None:
    """Refuse a tension that is negative somewhere from ``start`` to ``end`` (s), at some 2000 times and at its kinks."""
    times = np.union1d(spread_times(start, end, 1001), [kink for kink in law.kinks if start < kink < end])
    tensions = np.asarray(law(times))
    least = int(np.argmin(tensions))
    if tensions[least] < -1e-9 * max(1.0, float(np.abs(tensions).max())):
        raise InputError(
            f"the tension of '{name}' is {tensions[least]:.4g} N at t = {times[least]:.4g} s; a tendon pulls only, so it must"
            " not be negative."
        )
