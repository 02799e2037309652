"""Sensitivities of a small swing, theta = theta_0 cos(sqrt(g / l) t), against their closed forms; stability metrics."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.study import Study, local_sensitivity, sobol_indices
from study_cases import bob, last_angle

G, END = 9.81, 0.5


def test_slopes():
    """Runge-Kutta steps of 10 ms are late by w t (w h)^4 / 120 = 1.3e-8 rad of phase; the rest is smaller."""
    found = local_sensitivity(bob, {"length": 1.0, "angle": 1e-4}, {"end": last_angle}, settings={"t_end": END})
    omega = math.sqrt(G)
    slopes = [1e-4 * math.sin(omega * END) * END * omega / 2.0, math.cos(omega * END)]
    assert np.allclose(found["end"].values, slopes, rtol=1e-6, atol=3e-8)
    assert found["relative_end"].values[1] == pytest.approx(1.0, rel=1e-6)
    assert float(found["value_end"]) == pytest.approx(1e-4 * math.cos(omega * END), abs=1e-4 * 3e-8)
    with pytest.raises(ld.RunError, match="'end' has no slope at this place: "):
        local_sensitivity("snakeboard", {"l": 0.0}, {"end": last_angle}, settings={"t_end": 0.1})


@pytest.mark.slow
def test_sobol_indices_of_a_product(tmp_path):
    """Of f = a c(l) with independent a and l: V = E a^2 E c^2 - (E a E c)^2, V_a = var a (E c)^2, V_l = var c (E a)^2."""
    over = {"length": "0.3..1", "angle": "0.001..0.003"}
    settings = {"t_end": END, "dt": 0.02}
    found = sobol_indices(bob, over, {"end": last_angle}, samples=64, settings=settings, out=tmp_path / "s.zarr", progress=False)
    length = np.linspace(0.3, 1.0, 20001)
    c = np.cos(np.sqrt(G / length) * END)
    mean_a, var_a = 0.002, 0.002**2 / 12.0
    total = (mean_a**2 + var_a) * np.mean(c**2) - mean_a**2 * np.mean(c) ** 2
    first = np.array([np.var(c) * mean_a**2, var_a * np.mean(c) ** 2]) / total
    # With 64 samples the estimates scatter; SALib's own 95 % half widths, twice, are the bound, and they are below 0.5.
    assert (np.abs(found["first_end"].values - first) < 2.0 * found["first_error_end"].values).all()
    both = 1.0 - first.sum()
    assert (np.abs(found["total_end"].values - first - both) < 2.0 * found["total_error_end"].values).all()
    assert (found["first_error_end"].values < 0.5).all()
    with pytest.raises(ld.InputError, match="must be a power of two"):
        sobol_indices(bob, over, {"end": last_angle}, samples=100)


def test_stability_margin_of_pendulums():
    """Hanging with friction b: the slowest mode decays with b / (2 m l^2); standing: it grows with about sqrt(g / l)."""

    def swinging(angle: float) -> ld.Scenario:
        scenario = bob(angle=angle)
        return scenario.changed(robot=scenario.robot.changed({"swing.viscous": 0.4}))

    found = Study(swinging, {"angle": [0.0, math.pi]}, ["stability_margin"]).run(progress=False)
    decay = 0.2  # b / (2 m l^2), 1/s
    growth = -decay + math.sqrt(decay**2 + G)
    # Derivatives by differences of order 8; the inertia of 1e-9 kg m^2 is 1e-9 of m l^2.
    assert np.allclose(found.column("stability_margin"), [decay, -growth], rtol=1e-6)
    with pytest.raises(ld.InputError, match="'largest_multiplier' is not possible for 'bob': it does not go through phases"):
        Study(bob, {"length": [1.0]}, ["largest_multiplier"]).run(progress=False)
