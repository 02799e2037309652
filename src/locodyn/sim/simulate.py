"""A run of a robot without a scenario of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from locodyn.errors import InputError, nearest
from locodyn.sim.fields import RobotLike, ScenarioFields
from locodyn.sim.scenario import Scenario

if TYPE_CHECKING:
    from locodyn.sim.result import Result


def simulate(
    robot: RobotLike,
    *,
    name: str | None = None,
    progress: bool = True,
    out: str | Path | None = None,
    **fields: Unpack[ScenarioFields],
) -> Result:
    """Run a robot without a scenario of its own; ``fields`` are those of :class:`Scenario`: imposed, torque, t_end, ..."""
    known = Scenario.__dataclass_fields__
    unknown = [field_name for field_name in fields if field_name not in known]
    if unknown:
        raise InputError(f"simulate has no option '{unknown[0]}'{nearest(unknown[0], known)}")
    scenario = Scenario(robot.name if name is None else name, robot, **fields)
    return scenario.run(progress=progress, out=out)
