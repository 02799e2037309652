"""Planar parallel robot through its singularity (Gotelli 2024, 4.9.2; acceptance row C7a): mirror pairs, fold, one snap."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium, equilibrium_path
from locodyn.integrate import solve
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow


def test_mirror_pairs_without_gravity() -> None:
    """Motors at zero: the platform stands above or below, mirror images; between them an unstable one."""
    heights = []
    for side in (1.0, -1.0):
        start = {"left.bending_y.0": -side, "right.bending_y.0": side}
        held = make("cpr_rfrfr_gravity", {"g": 0.0}).changed(imposed={"left_motor": 0.0, "right_motor": 0.0}, start=start)
        found = equilibrium(held.problem, held.start.state(held.model, {})[0], stable=True)
        assert found.stable
        heights.append(held.model.pose("platform", found.q)[1][2])
    assert heights[0] == pytest.approx(-heights[1], abs=1e-9)
    assert abs(heights[0]) > 0.05


@pytest.mark.parametrize(("distance", "angle"), [(0.9, -0.40), (0.6, -1.26)])
def test_fold(distance: float, angle: float) -> None:
    """The smallest eigenvalue is zero where the branch folds; the angles are those that the robot's file tells."""
    scenario = make("cpr_rfrfr_gravity", {"d": distance})
    turn = ld.polynomial(np.pi / 6.0, -1.0)
    slow = scenario.changed(imposed={"left_motor": turn, "right_motor": -1.0 * turn})
    path = equilibrium_path(slow.problem, slow.initial_state()[0], along="time", arc=0.3, points=80, until=lambda e: not e.stable)
    fold = path.folds[0].equilibrium
    assert abs(fold.eigenvalues[0]) < 1e-6 < fold.eigenvalues[1]
    assert np.pi / 6.0 - fold.time == pytest.approx(angle, abs=0.01)


def test_quasi_static_and_dynamic_runs_snap_once() -> None:
    """Trajectory 2: without inertia it snaps at the fold; the dynamic run falls at the same motor angle, a little later."""
    scenario = make("cpr_rfrfr_gravity")
    still = scenario.changed(integrator="quasi_static", dt=0.02, record_every=1).run(progress=False)
    moving = scenario.run(progress=False)
    snaps = np.atleast_1d(still.attributes["snaps"])
    assert len(snaps) == 1
    height = moving.body_position.sel(body="platform", xyz="z").values
    passes = moving.time.values[np.argmax(height < 0.0)]
    assert snaps[0] < passes < snaps[0] + 0.1
    ends = [run.body_position.sel(body="platform").values[-1] for run in (still, moving)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


@pytest.mark.parametrize("step", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("method", ["newmark", "generalized_alpha", "gauss2", "radau3"])
def test_snap_at_any_step(method: str, step: float) -> None:
    """Trajectory 2 at steps of 5 to 100 ms, the snap itself takes 20 ms: the platform comes to the equilibrium of statics.

    Newmark damps nothing that it does not resolve, and rings on about it: some mm at 20 and 100 ms. Others: 2e-6 m at most.
    """
    scenario = make("cpr_rfrfr_gravity")
    end = scenario.changed(
        imposed={"left_motor": -np.pi / 6.0, "right_motor": np.pi / 6.0},
        start={"left.bending_y.0": 1.0, "right.bending_y.0": -1.0},
    )
    rest = equilibrium(end.problem, end.start.state(end.model, {})[0], stable=True)
    run = solve(scenario.problem, *scenario.initial_state(), t_end=4.0, step=step, method=method, rho_inf=0.5)
    assert run.status == "completed"
    places = [scenario.model.pose("platform", q)[1] for q in (run.q[-1], rest.q)]
    rings = method == "newmark" and step > 0.005
    np.testing.assert_allclose(places[0], places[1], atol=0.01 if rings else 5e-6)
    gaps = [scenario.model.pose("platform", q)[1] - scenario.model.pose("right", q)[1] for q in run.q]
    assert np.max(np.abs(gaps)) < 1e-9
