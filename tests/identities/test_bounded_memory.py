"""What keeps memory bounded: splines in windows, compressed variables of large results, results that the studio drops."""

from __future__ import annotations

import weakref
from pathlib import Path

import numpy as np
import pytest
import xarray

import locodyn as ld
from locodyn.sim import quadrature, stretches
from locodyn.sim.quadrature import cumulative_integral
from locodyn.view import studio


def test_splines_in_windows_are_the_spline_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.43^64 = 3e-24 of what lies beyond a margin is left: only round-off differs, eps times the 6000 additions."""
    times = np.linspace(0.0, 30.0, 6001)
    values = np.cos(times) + 0.3 * np.sin(40.0 * times)
    whole = cumulative_integral(times, values)
    monkeypatch.setattr(quadrature, "_WINDOW", 500)
    np.testing.assert_allclose(cumulative_integral(times, values), whole, rtol=0.0, atol=6001 * 2.3e-16)
    exact = np.sin(times) + 0.3 / 40.0 * (1.0 - np.cos(40.0 * times))
    # A quintic spline has order 6: (40 h)^6 of an amplitude of 0.3, times the length.
    np.testing.assert_allclose(whole, exact, rtol=0.0, atol=30.0 * 0.3 * 0.2**6)


def test_constants_are_compressed_and_noise_is_not() -> None:
    noise = np.random.default_rng(0).normal(size=(5000, 3))
    for values, wanted in ((np.zeros((5000, 3)), True), (np.arange(5000) // 1000, True), (noise, False)):
        one = xarray.Variable(("time", "xyz")[: values.ndim], values)
        assert ("compression" in stretches.packed(one, (4096, *values.shape[1:]))) is wanted


def test_a_large_result_on_disk_is_the_one_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, attributes, coordinates and their attributes, whichever way the file was put together."""
    scenario = ld.zoo.snakeboard().changed(checks=(), t_end=0.5, dt=0.01, record_every=1)
    monkeypatch.setattr(stretches, "FIRST", 20)
    scenario.run(progress=False, out=tmp_path / "small.nc")
    monkeypatch.setattr(stretches, "IN_MEMORY", 0.0)
    scenario.run(progress=False, out=tmp_path / "large.nc")
    small, large = (ld.Result.load(tmp_path / f"{name}.nc").dataset for name in ("small", "large"))
    xarray.testing.assert_identical(small.drop_attrs(deep=False), large.drop_attrs(deep=False))
    assert set(small.attrs) == set(large.attrs)


def test_the_studio_lets_go_of_old_results() -> None:
    page = studio.Studio(port=8790)
    try:
        scenario = ld.zoo.pendulum(n=1).changed(checks=(), t_end=0.02, dt=0.01, integrator="rkmk4")
        gone = []
        for _ in range(studio.KEPT + 3):
            result = scenario.run(progress=False)
            result.itself = result  # a circle, as scenarios and models have
            gone.append(weakref.ref(result))
            page._keep(result, "")
            del result
        assert [one() is None for one in gone] == [True] * 3 + [False] * studio.KEPT
    finally:
        page.stop()
