"""Charts of robots that fall and lie on hard ground: heights and vertical velocities of the first and the middle body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.chart import Chart, over_time

if TYPE_CHECKING:
    from locodyn.sim import Result

_FLAT = 1e-6  # m


def shown_bodies(result: Result) -> list[str]:
    """The first body, and the middle one where there are several."""
    names = [str(name) for name in result.body.values]
    return list(dict.fromkeys([names[0], names[len(names) // 2]]))


def rises(result: Result) -> bool:
    """Whether a robot with hard contact moves up and down at all."""
    if "contact_gap" not in result.dataset:
        return False
    return float(np.ptp(result.body_position.sel(body=shown_bodies(result)).values[:, :, 2], axis=0).max(initial=0.0)) > _FLAT


def heights(result: Result) -> Chart:
    """Heights of bodies above z = 0."""
    names = shown_bodies(result)
    return over_time("heights", "height", "m", names, result.body_position.sel(body=names).values[:, :, 2], level=0.0)


def vertical_velocities(result: Result) -> Chart:
    """Differences of the heights between records: jumps at impacts."""
    names, times = shown_bodies(result), result.time.values
    z = result.body_position.sel(body=names).values[:, :, 2]
    return over_time("vertical velocities", "velocity", "m/s", names, np.gradient(z, times, axis=0))
