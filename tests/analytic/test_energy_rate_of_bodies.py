"""Bodies without joints, and what swims and floats in the zoo: the rate of energy is the power given, less what is dissipated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from body_cases import check_rate_of_energy

pytestmark = pytest.mark.slow

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
    """At seven states of a run, to 1e-8: :func:`body_cases.check_rate_of_energy`."""
    check_rate_of_energy(getattr(ld.zoo, name)(**settings).changed(t_end=t_end).run(progress=False))


def test_energy_on_the_beach_falls_with_the_step() -> None:
    """Friction and impacts of a body that undulates down a beach: what the energy account misses falls with the square of the
    step (docs/hard-contact.md); measured 1.5e-4, 3.4e-5 and 6.8e-6 of the energy at 2, 1 and 0.5 ms.
    """
    left = []
    for dt in (2e-3, 1e-3, 5e-4):
        scenario = ld.zoo.amphibious_snake(ashore=0.6).changed(t_end=1.5, dt=dt, record_every=round(0.01 / dt))
        left.append(scenario.run(progress=False).energy_defect())
    assert left[0] < 3e-4
    assert np.all(np.log2(np.array(left[:-1]) / left[1:]) > 1.7)


def test_account_where_some_records_tell_too_little() -> None:
    """The eel starts fast: what trapezoids of its records miss there is known from the steps between. Where records tell all,
    the account is a spline through them, so that it closes to 1e-4 of the energy (of a trapezoid, 7e-3 is left).
    """
    run = ld.zoo.eel().changed(t_end=1.5).run(progress=False)
    changes = np.diff(run.work_unrecorded.values) != 0.0
    assert 0 < changes.sum() < 0.5 * len(changes)
    assert run.energy_defect() < 1e-4 * float(run.total_energy().max())
