"""Tendon-driven swimmer (Gotelli 2024, 3.9.3): rows C5a to C5c of its acceptance list."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo.robots.swimmer import half_axes

pytestmark = pytest.mark.slow


@functools.lru_cache
def run(**parameters: float) -> ld.Result:
    return ld.zoo.make("swimmer", parameters).run(progress=False)


def test_torque_of_the_tendons() -> None:
    """C5a: D (T+ - T-) is 2 N m at 2.5 Hz."""
    scenario = ld.zoo.make("swimmer")
    t = np.linspace(2.0, 4.0, 2001)
    torque = 0.05 * np.array([scenario.drive.tension["left"].at(x)[0] - scenario.drive.tension["right"].at(x)[0] for x in t])
    np.testing.assert_allclose(torque, 2.0 * np.cos(5.0 * np.pi * t), atol=1e-12)


def test_swims_ahead_and_straight() -> None:
    """C5a: head first (nose at -x), faster and faster from rest; the mean heading stays, the path is that of the heading."""
    result = run()
    t, place = result.time.values, result.position.values
    x = np.array([place[(t >= s) & (t < s + 0.4), 0].mean() for s in np.arange(0.0, 9.7, 0.4)])
    assert (np.diff(x) < 0.0).all() and x[-1] < -2.0
    # smaller steps give the same way, 2.3225 m; measured difference 1.6e-5
    fine = ld.zoo.make("swimmer").changed(dt=0.005, record_every=2).run(progress=False)
    assert abs(fine.position.values[-1] - place[-1]).max() < 1e-4


def test_the_passive_rod_follows_the_tension() -> None:
    """The elastic torque at the root of the passive rod swings at 2.5 Hz too (Fig. 3.12), below the torque of the tendons."""
    result = run()
    t = result.time.values
    late = t > 6.0
    moment = result.rod_wrench.sel(rod="passive").isel(s=0).values[late, 5]
    spectrum = np.abs(np.fft.rfft((moment - moment.mean()) * np.hanning(late.sum())))
    frequency = np.fft.rfftfreq(late.sum(), t[1] - t[0])[np.argmax(spectrum)]
    assert frequency == pytest.approx(2.5, abs=0.3)
    assert 0.01 < np.abs(moment).max() < 2.0


def test_rests_under_equal_tensions() -> None:
    """C5b."""
    result = run(T1=0.0)
    assert np.abs(result.joint_position.values).max() < 1e-9
    assert np.abs(result.position.values).max() < 1e-9


def test_mass_centre_without_a_fluid() -> None:
    """C5c: mass centre and angular momentum stay zero while the rods undulate."""
    result = run(rho_f=0.0)
    assert np.abs(result.mass_centre.values - result.mass_centre.values[0]).max() < 1e-8
    assert np.abs(result.angular_momentum.values).max() < 1e-8
    assert np.abs(result.joint_position.values).max() > 0.3


def test_mass_of_the_body() -> None:
    """Neutrally buoyant: the mass is that of the displaced water, pi rho a b integrated along the body."""
    scenario = ld.zoo.make("swimmer")
    parameters = {parameter.name: parameter.value for parameter in scenario.parameters}
    x = np.linspace(0.0, 1.0, 20001)
    area = np.array([np.pi * np.prod(half_axes(parameters, s)) for s in x])
    assert scenario.compiled.total_mass == pytest.approx(1e3 * np.trapezoid(area, x), rel=1e-5)
