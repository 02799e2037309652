"""Planar parallel robot through its singularity (Gotelli 2024, 4.9.2; acceptance row C7a): drop, bounce and snap; mirror pairs.

Parallel clamps with their joints on one line: what Gotelli reports for both trajectories (Figs. 4.11, 4.12). Facing clamps:
the reading of the acceptance table, with mirror pairs at q = 0 and a fold.
"""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium, equilibrium_path
from locodyn.integrate import solve
from locodyn.zoo.registry import make
from locodyn.zoo.robots.cpr_rfrfr_gravity import FACING, bounces, motor
from rfrfr_peer import rest_heights

pytestmark = pytest.mark.slow


FIRST, SECOND = ({"trajectory": number, "q_0": np.pi / 6.0, "T": 2.0} for number in ("1", "2"))


def heights(result: ld.Result) -> np.ndarray:
    return np.asarray(result.body_position.sel(body="platform", xyz="z").values)


@pytest.mark.parametrize("mass", [0.1, 0.3, 0.6])
def test_drops_rises_and_snaps_without_inertia(mass: float) -> None:
    """Trajectory 2 (Fig. 4.12): the platform drops near q = 0, rises while the motors turn on, then snaps back to a shape like
    that of the start. Heights as in an independent calculation, before and after both jumps, whatever the mass.

    The slices of the library's rods leave 4e-6 m at the start; near a fold such a difference grows by the inverse root of the
    distance to it. 1e-3 m, a tenth of the smallest jump, covers it from the second record on either side of a jump.
    """
    scenario = make("cpr_rfrfr_gravity", {"m_p": mass})
    still = scenario.changed(integrator="quasi_static", dt=0.01, record_every=1, checks=()).run(progress=False)
    z, times, snaps = heights(still), still.time.values, np.atleast_1d(still.attributes["snaps"])
    angles = [motor(SECOND)(time) for time in times]
    assert len(snaps) == 2
    drop, middle, snap = (int(np.searchsorted(times, time)) for time in (snaps[0], 1.0, snaps[1]))
    away = [n for n in range(len(z)) if min(abs(n + 0.5 - drop), abs(n + 0.5 - snap)) > 1.0]
    np.testing.assert_allclose(z[away], rest_heights(mass, angles)[away], atol=1e-3)
    assert 0.0 < angles[drop - 1] < np.radians(4.0) and angles[snap] > -np.pi / 6.0 + 1e-3  # near q = 0; before the end
    assert z[drop] < z[drop - 1] - 0.4 * abs(z[drop])
    assert np.all(np.diff(z[:drop]) <= 1e-9)  # it sinks, drops,
    assert np.all(np.diff(z[middle:snap]) >= 1e-3 * z[drop])  # and rises (flat at q = 0: 1e-3 of the depth)
    assert z[snap - 1] > z[drop] + 0.1 * abs(z[drop])
    assert z[-1] == pytest.approx(z[0], abs=1e-6)  # the mirror image of the start, rods exchanged
    assert has_s_shape(still, snap - 1)


def has_s_shape(result: ld.Result, n: int) -> bool:
    """One of the rods bends to both sides."""
    states = result.q[n]
    names = list(result.model.compiled.position_names)
    places = np.linspace(-1.0, 1.0, 101)
    bends = []
    for limb in ("limb_1", "limb_2"):
        c = [states[names.index(f"{limb}.bending_y.{k}")] for k in range(3)]
        bends.append(np.polynomial.legendre.legval(places, c))
    return any(bend.min() < -0.2 < 0.2 < bend.max() for bend in bends)


def test_drops_and_bounces_at_rest_motors() -> None:
    """Trajectory 1 (Fig. 4.11): motors stop at q = 0, the platform drops when they come near it, and bounces about the
    equilibrium of statics. Half the step and another method give the same fall.
    """
    scenario = make("cpr_rfrfr_gravity", {"trajectory": "1"}).changed(checks=())
    runs = [
        scenario.changed(integrator=method, dt=dt, record_every=round(0.01 / dt)).run(progress=False)
        for method, dt in (("generalized_alpha", 1e-3), ("generalized_alpha", 5e-4), ("radau3", 1e-3))
    ]
    times = runs[0].time.values
    angles = np.array([motor(FIRST)(time) for time in times])
    still = rest_heights(0.3, angles)
    drop = int(np.argmin(np.diff(still))) + 1
    for run in runs:
        z = heights(run)
        # It follows statics until close to the drop, where it lags behind the branch, which becomes steep.
        np.testing.assert_allclose(z[: drop - 20], still[: drop - 20], atol=2e-3)
        np.testing.assert_allclose(z, heights(runs[0]), atol=2e-3)
        assert bounces(run) >= 3
        late = z[times > 2.0]
        assert late.max() > still[-1] + 0.02 and late.min() < still[-1] - 0.02  # to both sides of the rest
        assert (
            z.min() > 2.0 * still[-1] - still[drop - 1] - 0.02
        )  # as far below as it fell from above, and a little for its speed
    assert 0.0 < angles[drop] < np.radians(1.5)


def test_trajectory_2_with_inertia() -> None:
    """Falls, comes up and snaps over: a burst of kinetic energy, ten times that of the fall, before the motors stop."""
    run = make("cpr_rfrfr_gravity").changed(checks=()).run(progress=False)
    t, energy = run.time.values, run.kinetic_energy.values
    angle = np.array([motor(SECOND)(time) for time in t])
    fall, snap = energy[angle > np.radians(-14.0)].max(), energy[t < 2.0].max()
    assert snap > 5.0 * fall
    assert angle[int(np.argmax(energy))] < np.radians(-14.0)


def test_mirror_pairs_without_gravity() -> None:
    """C7a, joints 0.6 m apart: motors at zero, the platform stands above or below, mirror images, both stable."""
    held = make("cpr_rfrfr_gravity", {**FACING, "d": 0.6, "g": 0.0}).changed(imposed={"motor_1": 0.0, "motor_2": 0.0})
    bent = np.array([0.0, -3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0])
    pair = [equilibrium(held.problem, sign * bent, stable=True) for sign in (1.0, -1.0)]
    assert all(found.stable for found in pair)
    np.testing.assert_allclose(pair[0].q, -pair[1].q, atol=1e-8)
    places = [held.model.pose("platform", found.q)[1] for found in pair]
    assert places[0][2] > 0.3 and abs(places[0][0]) < 1e-9  # above, in the middle


@pytest.mark.parametrize(("distance", "angle"), [(0.9, -0.40), (0.6, -1.26)])
def test_fold_of_facing_clamps(distance: float, angle: float) -> None:
    """C7a: the smallest eigenvalue is zero where the branch folds; the angles are those that the robot's file tells."""
    scenario = make("cpr_rfrfr_gravity", {**FACING, "d": distance})
    turn = ld.polynomial(np.pi / 6.0, -1.0)
    slow = scenario.changed(imposed={"motor_1": turn, "motor_2": -1.0 * turn})
    path = equilibrium_path(slow.problem, slow.initial_state()[0], along="time", arc=0.3, points=80, until=lambda e: not e.stable)
    fold = path.folds[0].equilibrium
    assert abs(fold.eigenvalues[0]) < 1e-6 < fold.eigenvalues[1]
    assert np.pi / 6.0 - fold.time == pytest.approx(angle, abs=0.01)


def test_fold_of_parallel_clamps() -> None:
    """C7a: the smallest eigenvalue is zero at the drop, 1.4 degrees before q = 0 with 0.3 kg: between the angles at which an
    independent calculation is still up and has dropped.
    """
    scenario = make("cpr_rfrfr_gravity")
    turn = ld.polynomial(np.pi / 6.0, -1.0)
    slow = scenario.changed(imposed={"motor_1": turn, "motor_2": -1.0 * turn})
    path = equilibrium_path(slow.problem, slow.initial_state()[0], along="time", arc=0.3, points=80, until=lambda e: not e.stable)
    fold = path.folds[0].equilibrium
    assert abs(fold.eigenvalues[0]) < 1e-6 < fold.eigenvalues[1]
    angles = np.radians(np.arange(30.0, 0.0, -0.1))
    drop = int(np.argmin(np.diff(rest_heights(0.3, angles)))) + 1
    assert angles[drop] < np.pi / 6.0 - fold.time < angles[drop - 1]


def test_quasi_static_and_dynamic_runs_snap_once() -> None:
    """Facing clamps, trajectory 2: without inertia it snaps at the fold; the dynamic run falls there too, a little later."""
    scenario = make("cpr_rfrfr_gravity", FACING)
    still = scenario.changed(integrator="quasi_static", dt=0.02, record_every=1).run(progress=False)
    moving = scenario.run(progress=False)
    snaps = np.atleast_1d(still.attributes["snaps"])
    assert len(snaps) == 1
    passes = moving.time.values[np.argmax(heights(moving) < 0.0)]
    assert snaps[0] < passes < snaps[0] + 0.1
    ends = [run.body_position.sel(body="platform").values[-1] for run in (still, moving)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


@pytest.mark.parametrize("step", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("method", ["newmark", "generalized_alpha", "gauss2", "radau3"])
def test_snap_at_any_step(method: str, step: float) -> None:
    """Facing clamps, trajectory 2 at steps of 5 to 100 ms: the platform comes to the equilibrium of statics.

    The snap itself takes 20 ms.

    Newmark damps nothing that it does not resolve, and rings on about it: some mm at 20 and 100 ms. Others: 2e-6 m at most.
    """
    scenario = make("cpr_rfrfr_gravity", FACING)
    end = scenario.changed(
        imposed={"motor_1": -np.pi / 6.0, "motor_2": np.pi / 6.0},
        start={"limb_1.bending_y.0": 1.0, "limb_2.bending_y.0": -1.0},
    )
    rest = equilibrium(end.problem, end.start.state(end.model, {})[0], stable=True)
    run = solve(scenario.problem, *scenario.initial_state(), t_end=4.0, step=step, method=method, rho_inf=0.5)
    assert run.status == "completed"
    places = [scenario.model.pose("platform", q)[1] for q in (run.q[-1], rest.q)]
    rings = method == "newmark" and step > 0.005
    np.testing.assert_allclose(places[0], places[1], atol=0.01 if rings else 5e-6)
    gaps = [scenario.model.pose("platform", q)[1] - scenario.model.pose("limb_2", q)[1] for q in run.q]
    assert np.max(np.abs(gaps)) < 1e-9
