"""Robots of the literature, runnable by name: ``locodyn.zoo.satellite(case="B").run()``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from locodyn.errors import nearest
from locodyn.zoo.registry import NAMED, ROBOTS, from_result, make, resume

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

__all__ = ["NAMED", "ROBOTS", "from_result", "make", "resume", *ROBOTS, *NAMED]


def __getattr__(name: str) -> Callable[..., Scenario]:
    if name not in ROBOTS and name not in NAMED:
        raise AttributeError(f"the zoo has no robot '{name}'{nearest(name, (*ROBOTS, *NAMED))}")

    @functools.wraps(make, assigned=())
    def build(**parameters: Any) -> Scenario:
        return make(name, parameters)

    build.__name__ = build.__qualname__ = name
    build.__doc__ = (
        f"Scenario '{name}': {ROBOTS[name] if name in ROBOTS else NAMED[name][2]}. Parameters: ``locodyn describe {name}``."
    )
    return build


def __dir__() -> list[str]:
    return __all__
