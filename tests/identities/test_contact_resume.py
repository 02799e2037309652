"""Runs with hard contact that are stopped and go on: the same numbers as without the stop."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim.run import resume

pytestmark = pytest.mark.slow

NAMES = ("position", "joint_position", "joint_velocity", "contact_force", "contact_gap")
SUMS = ("friction_loss", "impact_loss", "work_supplied")  # begun anew: round-off


@pytest.mark.parametrize("name, tolerance", [("snake_2d", 0.0), ("soft_snake_pegs", 5e-11)])
def test_resumed_runs_are_the_uninterrupted_ones(tmp_path, name, tolerance):
    """Bit by bit; robots with wheels are put back on them at the start, which is round-off: 9e-14 rad measured in positions, and
    that over the step (1.8e-10 of 11 rad/s) in velocities of contacts that look ahead, u_N >= -gap / dt."""
    scenario = getattr(ld.zoo, name)(pegs="table_7_5").changed(checks=(), record_every=20)
    end = 200 * scenario.dt
    whole = scenario.changed(t_end=2.0 * end).run(progress=False)
    first = scenario.changed(t_end=end).run(progress=False, out=tmp_path / "run.nc")
    assert first.attributes["contact_unconverged_steps"] == 0
    resumed = resume(tmp_path / "run.nc", 2.0 * end, scenario, progress=False)
    for variable in NAMES + SUMS:
        one, two = whole.dataset[variable].values, resumed.dataset[variable].values
        scale = max(1.0, float(np.abs(one).max()))
        assert np.abs(two - one).max() <= (tolerance if variable in NAMES else 1e-12) * scale, variable
