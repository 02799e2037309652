"""Runs with hard contact that are stopped and go on: bit by bit the same as without the stop."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import Past, solve
from locodyn.sim.run import resume

pytestmark = pytest.mark.slow

# Steps up to the stop, steps between records. In each there is contact before and after the stop; boxes fall, hit and slide.
# A push out of penetration follows the running sums of the losses; sweeps start from centres alone, Poisson's impacts from none.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], int, int]] = {
    "pegs": ("snake_2d", {"pegs": "table_7_5"}, {}, 200, 20),
    "lateral": ("snake_3d", {"gait": "lateral"}, {}, 200, 10),
    "sidewinding": ("snake_3d", {"gait": "sidewinding"}, {}, 200, 10),
    "boxes": ("falling_boxes", {}, {}, 400, 10),
    "pushed apart": ("falling_boxes", {}, {"stabilise": True}, 400, 10),
    "sweeps": ("falling_boxes", {"n": 2}, {"solver": "gauss_seidel"}, 150, 10),
    "Poisson": ("falling_boxes", {"n": 2}, {"restitution": "poisson"}, 150, 10),
    "woodpecker": ("woodpecker", {}, {}, 5000, 50),
    "wheels and rods": ("soft_snake_pegs", {"pegs": "table_7_5"}, {}, 200, 20),
    "noise": ("snake_control", {"noise": "b"}, {}, 200, 20),
}


@pytest.mark.parametrize("case", CASES)
def test_resumed_runs_are_the_uninterrupted_ones(tmp_path: Path, case: str) -> None:
    """All that is recorded, sums since the start and numbers about the contacts of the whole run included."""
    name, parameters, options, steps, every = CASES[case]
    scenario = getattr(ld.zoo, name)(**parameters).changed(checks=(), record_every=every)
    if options:
        scenario = scenario.changed(contact=ld.HardContact(**options))
    end = steps * scenario.numerics.step
    whole = scenario.changed(t_end=2.0 * end).run(progress=False)
    scenario.changed(t_end=end).run(progress=False, out=tmp_path / "run.nc")
    resumed = resume(tmp_path / "run.nc", 2.0 * end, scenario, progress=False)
    for variable in whole.dataset.data_vars:
        one, two = whole.dataset[variable].values, resumed.dataset[variable].values
        np.testing.assert_array_equal(one, two, err_msg=str(variable))
    for attribute in ("contact_unconverged_steps", "contact_worst_residual", "contact_deepest_penetration"):
        assert whole.attributes[attribute] == resumed.attributes[attribute]


def test_runs_that_stop_between_records_go_on_from_the_last_one() -> None:
    """The history is the memory of the last record, not that of the steps after it."""
    scenario = ld.zoo.falling_boxes()
    options: dict[str, Any] = {"step": scenario.numerics.step, "method": "moreau", "record_every": 10}
    start = scenario.initial_state()
    whole = solve(scenario.problem, *start, t_end=0.6, **options)
    part = solve(scenario.problem, *start, t_end=0.307, **options)
    assert len(part.times) == 31
    rest = solve(
        scenario.problem, part.q[-1], part.v[-1], part.times[-1], 0.6, past=Past(origin=0.0, history=part.history), **options
    )
    np.testing.assert_array_equal(whole.q[30:], rest.q)
    np.testing.assert_array_equal(whole.recorded["contact_force"][31:], rest.recorded["contact_force"][1:])


def test_a_history_of_another_robot_is_refused() -> None:
    """Not left out in silence."""
    scenario = ld.zoo.falling_boxes(n=2)
    q, v = scenario.initial_state()
    with pytest.raises(ld.InputError, match="history of the run has 3 numbers"):
        solve(scenario.problem, q, v, 0.0, 0.01, step=1e-3, method="moreau", past=Past(history=np.zeros(3)))
