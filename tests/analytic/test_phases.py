"""Runs through phases with closed forms: lift-off, flight, touchdown, resumed runs, energy through impacts."""

import json
import warnings

import numpy as np
import pytest

import locodyn as ld
from walker_cases import hopper

pytestmark = pytest.mark.slow

FORCE = ld.polynomial(40.0, -90.0)  # N, presses the two masses of the hopper apart, later together


@pytest.fixture(scope="module")
def run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hopper(FORCE).run(progress=False)


def changes(result):
    return json.loads(result.attributes["transitions"])


def test_lift_off_is_where_the_normal_force_vanishes(run):
    """N = 0.5 g + F = 5 + 40 - 90 t: zero at t = 0.5 s, to the tolerance of the integrator."""
    first = changes(run)[0]
    assert first["kind"] == "lift-off" and abs(first["time"] - 0.5) < 1e-9
    assert first["loss"] == 0.0
    held = run.time.values < 0.5
    normal = run.multiplier.sel(constraint="sole.normal").values
    assert np.abs(normal[held] - (45.0 - 90.0 * run.time.values[held])).max() < 1e-8
    assert (normal[~held & (run.phase.values == 1)] == 0.0).all()


def test_mass_centre_flies_freely(run):
    """In flight the mass centre has the acceleration of gravity: z'' = -10."""
    flight = run.phase.values == 1
    t, z = run.time.values[flight], run.mass_centre.values[flight, 2]
    assert len(t) > 5 and np.abs(np.diff(z, 2) / 0.01**2 + 10.0).max() < 1e-6
    assert np.abs(np.diff(t) - 0.01).max() < 1e-12


def test_energy_is_kept_through_impacts(run):
    left = run.total_energy().values - run.energy_supplied().values
    assert np.abs(left - left[0]).max() < 1e-9 * run.kinetic_energy.values.max()
    assert abs(run.attributes["energy_defect"]) < 1e-8


def test_result_names_its_phases(run):
    assert run.phase.attrs["flag_meanings"] == "stance flight"
    assert run.contact_gap.values.min() > -1e-9


def test_resumed_run_is_the_same(tmp_path):
    """Stopped in flight and resumed, a run meets the uninterrupted one to the tolerance of the integrator (1e-11 a step).

    Records are 12 ms apart: lift-off at 0.5 s is none of them, of which round-off would decide the phase.
    """
    scenario = hopper(FORCE).changed(dt=0.012)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = scenario.changed(t_end=0.804).run(progress=False)
        scenario.changed(t_end=0.552).run(progress=False, out=tmp_path / "part.nc")
        resumed = ld.sim.run.resume(tmp_path / "part.nc", 0.804, scenario, progress=False)
    assert len(resumed.time) == len(whole.time)
    for name in ("joint_position", "joint_velocity", "impact_loss", "work_supplied", "phase"):
        assert np.abs(resumed.dataset[name].values - whole.dataset[name].values).max() < 1e-8, name
    one, two = (json.loads(result.attributes["transitions"]) for result in (resumed, whole))
    assert [c["kind"] for c in one] == [c["kind"] for c in two]
    assert np.abs([a["time"] - b["time"] for a, b in zip(one, two, strict=True)]).max() < 1e-9
