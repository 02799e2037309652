"""Bodies without joints, and what swims and floats in the zoo: the rate of energy is the power given, less what is dissipated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

STEP = 1e-4  # s, of the differences: their error is STEP^4 / 30 times a fifth derivative, 1e-11 of the power at 30 rad/s
ROBOTS: list[tuple[str, dict[str, Any], float]] = [
    ("earthworm", {}, 2.0),
    ("earthworm", {"contact": "no_slip", "speed": "varying"}, 2.0),
    ("earthworm", {"speed": "varying"}, 2.0),
    ("inchworm", {}, 1.9),
    ("continuum_snake", {"turn": 2.0}, 5.0),
    ("continuum_snake_3d", {}, 5.0),
    ("continuum_snake_3d", {"gait": "helix"}, 1.0),
    ("reissner_snake", {}, 1.0),
    ("concertina", {}, 1.8),
    ("soft_snake_friction", {}, 1.0),
    ("snake_discretised", {}, 1.0),
    ("eel", {}, 2.0),
    ("passive_eel", {}, 0.5),
    ("floating_bodies", {}, 1.0),
    ("floating_bodies", {"wave": 0.05}, 1.0),
    ("amphibious_snake", {"ashore": -3.0}, 0.1),  # afloat; the account of its impacts on the beach is a check of the robot
    ("amphibious_snake", {"ashore": -0.4}, 0.1),  # across the water line; powers of all but the impacts
]


@pytest.mark.parametrize("name, settings, t_end", ROBOTS)
def test_rate_of_energy_is_power(name: str, settings: dict[str, Any], t_end: float) -> None:
    """At seven states of a run: dE/dt along (v, a), by differences of order 4, and the powers there; 1e-8.

    Relative to what passes between the coordinates, the sum of |v_i (M a + h)_i|: the actuators of a worm or a helix at constant
    speed give nothing in the sum.
    """
    run = getattr(ld.zoo, name)(**settings).changed(t_end=t_end).run(progress=False)
    problem, model = run.scenario.problem, run.model
    at = np.linspace(1, len(run.time) - 2, 7).astype(int)
    t, q, v = run.time.values[at], run.q[at].copy(), run.v[at].copy()
    a = np.array([problem.accelerations(float(t[n]), q[n], v[n]).copy() for n in range(len(at))])  # settles q and v
    now = problem.series(t, q, v)
    power = now["power_actuators"] - now["power_dissipated"] + now.get("power_external", 0.0)
    exchange = max(float(np.abs(v[n] * model.inverse_dynamics(q[n], v[n], a[n])).sum()) for n in range(len(at)))

    def energy(ahead: float) -> np.ndarray:
        places = np.array([model.move(q[n], ahead * v[n]) for n in range(len(at))])
        speeds = v + ahead * a
        kinetic = [model.kinetic_energy(places[n], speeds[n]) for n in range(len(at))]
        return np.asarray(kinetic + problem.series(t + ahead, places, speeds)["potential_energy"])

    near, far = energy(STEP) - energy(-STEP), energy(2.0 * STEP) - energy(-2.0 * STEP)
    round_off = 100.0 * np.finfo(float).eps * np.abs(energy(0.0)).max() / STEP  # of the differences; for a worm, all there is
    np.testing.assert_allclose((8.0 * near - far) / (12.0 * STEP), power, rtol=0.0, atol=1e-8 * exchange + round_off)


def test_account_where_some_records_tell_too_little() -> None:
    """The eel starts fast: what trapezoids of its records miss there is known from the steps between. Where records tell all,
    the account is a spline through them, so that it closes to 1e-4 of the energy (of a trapezoid, 7e-3 is left).
    """
    run = ld.zoo.eel().changed(t_end=1.5).run(progress=False)
    changes = np.diff(run.work_unrecorded.values) != 0.0
    assert 0 < changes.sum() < 0.5 * len(changes)
    assert run.energy_defect() < 1e-4 * float(run.total_energy().max())
