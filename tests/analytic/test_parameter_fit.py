"""Parameters from measured motion: exact without noise; with noise within the errors that theory gives; what is refused."""

import math
import re

import numpy as np
import pytest
import xarray

import locodyn as ld
from locodyn.sim.columns import column
from locodyn.study import Measured, fit, fitted_motion
from study_cases import bob

TRUTH = {"length": 0.8, "angle": 0.3}
OVER = {"length": "0.5..1.5", "angle": "0.1..0.5"}


@pytest.fixture(scope="module")
def truth():
    return bob(**TRUTH, t_end=2.0).run(progress=False)


def test_exact_data_give_the_exact_parameters(truth):
    found = fit(
        bob, {"length": "0.5..1.5", "angle": "0.1..0.5"}, truth, columns=["joint_position.swing"], settings={"t_end": 2.0}
    )
    # Gauss-Newton ends where the parameters change by less than 1e-10 of their ranges.
    assert np.allclose(found.values, list(TRUTH.values()), rtol=1e-7)
    assert np.abs(found.residuals).max() < 1e-7
    assert float(found.scenario().run(progress=False).joint_position.values[-1, 0]) == pytest.approx(
        float(truth.joint_position.values[-1, 0]), abs=1e-7
    )


def test_noise_leaves_errors_of_the_size_that_theory_gives(truth, tmp_path):
    """Covariance sigma^2 (J^T J)^-1; a small swing has slopes cos(w t) and theta_0 sin(w t) w t / (2 l), whose squares sum up."""
    sigma, rng = 0.01, np.random.default_rng(4)
    times = truth.time.values[::4]
    noisy = truth.joint_position.values[::4] + sigma * rng.standard_normal((len(times), 1))
    found = fit(bob, OVER, Measured(times, noisy, ("joint_position.swing",)), settings={"t_end": 2.0})
    off = np.abs(found.values - list(TRUTH.values()))
    assert (off < 4.0 * found.standard_errors).all() and (off > 0.0).all()  # beyond 4 sigma in 1 of 16,000 cases
    omega = math.sqrt(9.81 / TRUTH["length"])
    slopes = np.array([TRUTH["angle"] * np.sin(omega * times) * omega * times / (2 * TRUTH["length"]), np.cos(omega * times)])
    expected = sigma * np.sqrt(np.diag(np.linalg.inv(slopes @ slopes.T)))
    # The scatter of 51 residuals tells sigma to 10 %; the swing of 0.3 rad is slower by 0.6 %.
    assert np.allclose(found.standard_errors, expected, rtol=0.35)
    assert found.noise[0] == pytest.approx(sigma, rel=0.35)
    assert found.plot(tmp_path / "fit.png").stat().st_size > 5000
    # Band of the fitted motion: the spread of slopes . parameters, as large as the confidence intervals are over their errors.
    spread = np.sqrt(np.einsum("pt,pq,qt->t", slopes, np.linalg.inv(slopes @ slopes.T), slopes))
    factor = found.interval()[0] / found.standard_errors[0]
    assert np.allclose(found.band()[:, 0], factor * sigma * spread, rtol=0.35, atol=0.02 * sigma)


def film(path, times, values, **units):
    """A NetCDF file as another program writes it."""
    data = xarray.Dataset({"joint_position": (("time", "joint"), values)}, {"time": times, "joint": ["swing"]})
    for name, unit in units.items():
        data[name].attrs["units"] = unit
    data.to_netcdf(path, engine="h5netcdf")
    return path


def test_a_netcdf_file_of_others(truth, tmp_path):
    """In ms and degrees: the same parameters as from the result itself; gaps and wrong units are refused."""
    times, angles = truth.time.values[::4], truth.joint_position.values[::4]
    file = film(tmp_path / "film.nc", 1e3 * times, np.degrees(angles), time="ms", joint_position="deg")
    read = Measured.of(file)
    assert read.columns == ("joint_position.swing",)
    assert np.allclose(read.times, times, rtol=1e-14) and np.allclose(read.values, angles, rtol=1e-14)
    found = fit(bob, OVER, file, settings={"t_end": 2.0})
    assert np.allclose(found.values, list(TRUTH.values()), rtol=1e-7)
    gap = angles.copy()
    gap[3] = np.nan
    for given, sentence in (
        (film(tmp_path / "gap.nc", times, gap), "record 3 of '.*' has no value for 'joint_position.swing'; leave records"),
        (film(tmp_path / "unit.nc", times, angles, time="m"), "'time' is given in 'm'; it is measured in 's'"),
        (film(tmp_path / "back.nc", times[::-1], angles), "time does not increase"),
        (tmp_path / "none.nc", "there is no file of measurements"),
    ):
        with pytest.raises(ld.InputError, match=sentence):
            fit(bob, OVER, given)
    (tmp_path / "text.nc").write_text("time,x\n0,1\n")
    with pytest.raises(ld.InputError, match="is damaged or not NetCDF"):
        fit(bob, OVER, tmp_path / "text.nc")


def test_friction_from_a_path(tmp_path):
    """A block that slides to rest, filmed in mm: its coefficient of friction."""
    scenario = ld.zoo.sliding_block()
    name = next(p.name for p in scenario.parameters if p.name.startswith("mu"))
    result = scenario.run(progress=False)
    few = slice(None, None, max(1, result.time.size // 40))
    rows = ["time [ms],position.x [mm]"] + [
        f"{1e3 * t!r},{1e3 * x!r}"
        for t, x in zip(result.time.values[few].tolist(), result.position.values[few, 0].tolist(), strict=True)
    ]
    (tmp_path / "film.csv").write_text("\n".join(rows))
    value = next(p.value for p in scenario.parameters if p.name == name)
    found = fit("sliding_block", {name: f"{0.7 * value}..{1.2 * value}"}, tmp_path / "film.csv")
    assert found.values[0] == pytest.approx(value, rel=1e-4)


def test_a_fit_that_was_killed_goes_on_to_the_same_bits(truth, tmp_path, monkeypatch):
    """Also where runs of its search fail: one of four points of a Sobol sequence is in the upper quarter of a range.

    With other measurements, or in another file, it is refused.
    """
    words = {"columns": ["joint_position.swing"], "settings": {"t_end": 2.0}, "search": 4}

    def again(name, data=truth):
        return fit(swing_of_some_lengths, {"length": "0.2..1.5", "angle": "0.1..0.5"}, data, history=tmp_path / name, **words)

    whole = again("whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "part.jsonl").write_bytes(b"".join(lines[:8]) + lines[8][:20])  # killed while it wrote a line
    assert b"no pendulum is longer" in b"".join(lines[:8])
    made, motion = [], fitted_motion._motion
    monkeypatch.setattr(fitted_motion, "_motion", lambda *words: (made.append(1), motion(*words))[1])
    found = again("part.jsonl")
    assert len(made) == len(lines) - 8 and found.runs == whole.runs
    assert found.values.tobytes() == whole.values.tobytes() and found.covariance.tobytes() == whole.covariance.tobytes()
    assert (tmp_path / "part.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    with pytest.raises(ld.InputError, match=r"holds another fit .'measured' differs."):
        again("whole.jsonl", bob(length=0.9, angle=0.3, t_end=2.0).run(progress=False))
    (tmp_path / "other.jsonl").write_text("{}\n")
    with pytest.raises(ld.InputError, match="is not the history of a fit"):
        again("other.jsonl")


def swing_of_some_lengths(length: float = 1.0, angle: float = 0.1, t_end: float = 0.5) -> ld.Scenario:
    if length > 1.1:
        raise ld.InputError("no pendulum is longer than 1.1 m.")
    return bob(length, angle, t_end)


def test_what_is_refused(truth, tmp_path):
    file = tmp_path / "m.csv"
    for text, sentence in (
        (
            "time,joint_position.swing\n0,0.3\n0.1,\n0.2,0.1\n",
            "line 3 of .* has no value for 'joint_position.swing'; leave lines",
        ),
        ("time,joint_position.swing\n0,0.3\n0.1,x\n0.2,0.1\n", "has 'x' for 'joint_position.swing'; it must be a finite number"),
        ("time,position.x [kg]\n0,0\n1,1\n2,2\n", "'position.x' is given in 'kg'; it is measured in 'm'"),
        ("t,position.x\n0,0\n1,1\n2,2\n", "have no column 'time'"),
        ("time,positon.x\n0,0\n1,1\n2,2\n", "a run has no variable 'positon.x'; did you mean 'position'?"),
        ("time,position.x\n0,0\n1,1\n0.5,2\n", "time does not increase in line 4"),
        ("time,joint_position.swing\n0,0.3\n1,0\n9,0.1\n", "measured from 0 to 9 s, but the run is from 0 to 0.5 s"),
        ("time,joint_position.sing\n0,0.3\n0.1,0\n0.2,0.1\n", "has no 'sing'; did you mean 'swing'?"),
    ):
        file.write_text(text)
        with pytest.raises(ld.InputError, match=sentence):
            fit(bob, {"length": "0.5..1.5"}, file)
    with pytest.raises(ld.RunError, match=r"the measurements do not tell 'bob.mass'"):
        fit(bob(t_end=2.0), {"bob.mass": "0.5..2"}, truth, columns=["joint_position.swing"])
    with pytest.raises(ld.InputError, match="say which were measured"):
        fit(bob, {"length": "0.5..1.5"}, truth)


def test_a_column_is_one_column(truth, tmp_path):
    """Each name means one column of a result, with the label along each dimension; else the error lists them."""
    body, time = truth.body_position.sel(body="bob"), truth.time.values
    read = Measured.of(truth, ("body_position.bob.z", "twist.wy", "kinetic_energy"))
    assert read.values.shape == (len(time), 3)
    np.testing.assert_array_equal(read.values[:, 0], body.sel(xyz="z").values)
    np.testing.assert_array_equal(read.values[:, 2], truth.kinetic_energy.values)
    for name, sentence in (
        ("body_position.bob", "'body_position.bob' does not say which column of the run is meant; give one of them: "
         "body_position.bob.x, body_position.bob.y, body_position.bob.z."),
        ("body_position.x", "'body_position' of the run has no 'x'; its columns are body_position.ground.x, "),
        ("joint_position", "column of the run is meant; give one of them: joint_position.swing."),
        ("kinetic_energy.x", "'kinetic_energy' of the run is one number in time and has no 'x'; give 'kinetic_energy' alone."),
        ("body_positon.bob.z", "the run has no variable 'body_positon'; did you mean 'body_position'?"),
    ):  # fmt: skip
        with pytest.raises(ld.InputError, match=re.escape(sentence)):
            Measured.of(truth, (name,))
    found = fit(bob, OVER, truth, columns=["mass_centre.x", "mass_centre.z"], settings={"t_end": 2.0})
    assert np.allclose(found.values, list(TRUTH.values()), rtol=1e-6)
    data = xarray.Dataset(
        {"body_position": (("time", "body", "xyz"), 1e3 * truth.body_position.values)},
        {"time": time, "body": truth.body.values, "xyz": ["x", "y", "z"]},
    )
    data["body_position"].attrs["units"] = "mm"
    data.to_netcdf(tmp_path / "film.nc", engine="h5netcdf")
    film = Measured.of(tmp_path / "film.nc", ("body_position.bob.z",))
    np.testing.assert_allclose(film.values, body.sel(xyz="z").values[:, None], rtol=1e-14, atol=1e-300)


def test_a_column_along_a_rod():
    """Fields along rods have a label more: the part of the length."""
    dataset = xarray.Dataset(
        {"rod_position": (("time", "rod", "s", "xyz"), np.arange(24.0).reshape(2, 2, 2, 3))},
        {"time": [0.0, 1.0], "rod": ["a", "a.0"], "s": [0.1, 1.0], "xyz": ["x", "y", "z"]},
    )
    np.testing.assert_array_equal(column(dataset, "rod_position.a.1.z").values, [5.0, 17.0])
    with pytest.raises(ld.InputError, match=r"'rod_position\.a\.0\.1\.z' of the run means several columns, because names"):
        column(dataset, "rod_position.a.0.1.z")
    with pytest.raises(ld.InputError, match=r"'rod_position\.a' does not say which column of the run is meant"):
        column(dataset.isel(rod=[0]), "rod_position.a")
