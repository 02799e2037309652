"""A run of a robot without a scenario of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest
from locodyn.sim.scenario import Scenario

if TYPE_CHECKING:
    from locodyn.sim.result import Result


def simulate(
    robot: Any,
    *,
    imposed: Mapping[str, Any] | None = None,
    torque: Mapping[str, Any] | None = None,
    t_end: float = 10.0,
    progress: bool = True,
    out: str | Path | None = None,
    **fields: Any,
) -> Result:
    """Run a robot without a scenario of its own; ``fields`` are those of :class:`Scenario` (dt, dependent, steering, ...)."""
    name = fields.pop("name", getattr(robot, "name", "robot"))
    known = Scenario.__dataclass_fields__
    unknown = [field_name for field_name in fields if field_name not in known]
    if unknown:
        raise InputError(f"simulate has no option '{unknown[0]}'{nearest(unknown[0], known)}")
    scenario = Scenario(name, robot, imposed=imposed or {}, torque=torque or {}, t_end=t_end, **fields)
    return scenario.run(progress=progress, out=out)
