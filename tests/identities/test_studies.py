"""Studies: the numbers of a run are those of the scenario run alone; stores are the same bytes however they came about."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import xarray

import locodyn as ld
from locodyn.study import METRICS, Range, Study, StudyResult, backends, study_progress
from locodyn.study.axes import Axis
from locodyn.study.design import design, table
from study_cases import bob, chain, files, last_angle, same

METRIC_NAMES = ["speed", "cost_of_transport", "displacement_per_cycle", "rotation_per_cycle", "peak_torque", "peak_contact_force"]


def test_numbers_are_those_of_each_scenario_run_alone():
    """Bit for bit, though a study records only what its metrics need."""
    found = Study("snakeboard", {"a_phi": "10..30:2deg", "gait": "drive,rotate"}, METRIC_NAMES, settings={"w": 3.0}).run(
        progress=False
    )
    data = found.dataset.sel(gait="rotate").isel(a_phi=1)
    result = ld.zoo.snakeboard(a_phi=math.radians(30.0), gait="rotate", w=3.0).run(progress=False)
    for name in METRIC_NAMES:
        of_run = METRICS[name].of_run
        assert of_run is not None and float(data[name]) == of_run(result, None), name
    assert found.dataset["a_phi"].attrs["units"] == "rad"
    assert np.allclose(found.dataset["a_phi"].values, np.radians([10.0, 30.0]), rtol=1e-15)
    assert found.result(3).parameters["gait"] == "rotate"


def test_a_grid_has_a_dimension_for_each_parameter_and_xarray_opens_the_store(tmp_path):
    study = Study(bob, {"length": [0.5, 1.0, 2.0], "angle": "0.1..0.2:2"}, {"end": last_angle}, series=["joint_position"])
    found = study.run(tmp_path / "bob.zarr", progress=False)
    assert found.dataset["end"].dims == ("length", "angle") and found.dataset["end"].shape == (3, 2)
    assert found.dataset["joint_position"].dims == ("length", "angle", "sample", "joint")
    assert same(found.dataset["joint_position"].values[..., -1, 0], found.dataset["end"].values)
    flat = xarray.open_zarr(tmp_path / "bob.zarr", consolidated=False)
    assert flat["end"].dims == ("run",) and same(flat["end"].values, found.column("end"))
    assert flat["status"].values.tolist() == [1] * 6
    # Linear swing: theta = theta_0 cos(sqrt(g / l) t), the nonlinear term being theta_0^2 / 16 of the frequency: 6e-4 here.
    small = found.dataset.sel(angle=0.1)["end"].values
    assert np.allclose(small, 0.1 * np.cos(np.sqrt(9.81 / np.array([0.5, 1.0, 2.0])) * 0.5), atol=0.1 * 6e-4 * 2.5)


def test_series_have_the_shape_of_the_first_completed_run_in_whatever_order_tasks_come(tmp_path, monkeypatch):
    """Of robots with one, two and three joints, the first run being impossible; each run that does not fit says so."""
    vary = {"n": [1, 2, 3, 2], "length": [-1.0, 0.5, 0.5, 1.0]}
    study = Study(chain, vary, {"end": last_angle}, design="list", series=["joint_position"])
    found = study.run(tmp_path / "forth.zarr", progress=False)
    computed = backends.here
    with monkeypatch.context() as patched:
        patched.setattr(backends, "local", lambda job, tasks, left, asked: computed(job, iter(list(tasks)[::-1])))
        study.run(tmp_path / "back.zarr", progress=False)
    assert files(tmp_path / "back.zarr") == files(tmp_path / "forth.zarr")
    positions = found.dataset["joint_position"]
    assert positions.dims == ("run", "sample", "joint") and positions["joint"].values.tolist() == ["joint_0", "joint_1"]
    assert np.isfinite(positions.values[[1, 3]]).all() and np.isnan(positions.values[[0, 2]]).all()
    assert same(positions.values[[1, 3], -1, 0], found.column("end")[[1, 3]]) and np.isfinite(found.column("end")[2])
    assert [str(one)[:49] for one in found.dataset["message"].values] == [
        "a link has no length.", "", "series of this run are not kept ('joint_position'", "",
    ]  # fmt: skip


def test_paths_of_runs_as_small_multiples(tmp_path):
    varied = {"a_phi": "10..30:2deg"}
    found = Study("snakeboard", varied, ("speed",), series=["position"]).run(progress=False)
    assert found.plot_paths(tmp_path / "paths.png").stat().st_size > 5000
    with pytest.raises(ld.InputError, match="the study keeps no path"):
        Study("snakeboard", varied, ("speed",)).run(progress=False).plot_paths(tmp_path / "no.png")


def test_a_study_that_was_stopped_goes_on_and_ends_as_the_same_bytes(tmp_path, monkeypatch):
    """Stopped between the metrics and the status of a task, which is the worst moment."""
    study = Study(bob, {"length": Range(0.5, 2.0, 9)}, {"end": last_angle})
    whole = study.run(tmp_path / "whole.zarr", progress=False)
    computed = backends.here

    def until(job, tasks):
        for number, outcome in computed(job, tasks):
            if number == 4:
                raise KeyboardInterrupt
            yield number, outcome

    with monkeypatch.context() as patched:
        patched.setattr(backends, "here", until)
        with pytest.raises(KeyboardInterrupt):
            study.run(tmp_path / "part.zarr", progress=False)
    part = StudyResult.load(tmp_path / "part.zarr")
    assert part.store.counts() == (5, 4, 0) and np.isnan(part.column("end")[4:]).all()
    store = part.store.open(tmp_path / "part.zarr", "r+")
    store.group["end"][4:5] = 7.0  # written, but not yet counted as done
    again = study.run(tmp_path / "part.zarr", progress=False)
    assert same(again.column("end"), whole.column("end"))
    assert files(tmp_path / "part.zarr") == files(tmp_path / "whole.zarr")
    counted = []
    with monkeypatch.context() as patched:
        patched.setattr(backends, "run_task", lambda *_: counted.append(1))
        study.run(tmp_path / "part.zarr", progress=False)
    assert counted == []


def test_a_run_that_fails_is_recorded_with_its_sentence_and_the_others_go_on():
    found = Study("snakeboard", {"l": [-0.1, 0.2, 0.0]}, ["speed", "peak_torque"], settings={"gait": "park"}).run(progress=False)
    assert found.store.counts() == (0, 1, 2)
    assert list(found.failures()) == [
        "parameter 'l' is -0.1; it must be greater than 0.",
        "parameter 'l' is 0; it must be greater than 0.",
    ]
    assert np.isnan(found.column("speed")[[0, 2]]).all() and found.best("speed").run == 1


def test_start_states_times_and_entries_of_robots_vary():
    vary = {"start.swing": [0.1, 0.2], "t_end": [0.2, 0.4], "bob.mass": [1.0, 2.0]}
    found = Study(bob(), vary, {"end": last_angle}).run(progress=False)
    for angle, end in ((0.1, 0.2), (0.2, 0.4)):
        alone = bob(angle=angle, t_end=end).run(progress=False)
        assert float(found.dataset["end"].sel({"start.swing": angle, "t_end": end, "bob.mass": 1.0})) == last_angle(alone)
    fast = Study(bob(), {"start_velocity.swing": [0.0, 0.5]}, {"end": last_angle}).run(progress=False).column("end")
    alone = bob().changed(start=ld.Start({"swing": 0.1}, {"swing": 0.5})).run(progress=False)
    assert fast[1] == last_angle(alone) != fast[0]
    # The period of a mathematical pendulum does not depend on its mass; its inertia of 1e-9 kg m^2 does, by 1e-9 of it.
    values = found.dataset["end"]
    assert np.allclose(values.sel({"bob.mass": 1.0}), values.sel({"bob.mass": 2.0}), rtol=1e-8)


def test_designs():
    axes = [Axis.of("a", "0..1:5"), Axis.of("b", "10..1000:3log"), Axis.of("c", "x,y")]
    grid = design(axes)
    assert grid.shape == (5, 3, 2) and len(grid) == 30
    assert grid.row(0) == {"a": 0.0, "b": 10.0, "c": "x"} and grid.row(3) == {"a": 0.0, "b": pytest.approx(100.0), "c": "y"}
    for kind in ("random", "latin", "sobol"):
        one, two, other = (design(axes, kind, 16, seed) for seed in (1, 1, 2))
        assert one == two and one != other
        assert all(0 <= x <= 1 for x in one.columns["a"]) and all(10 <= x <= 1000 for x in one.columns["b"])
    # A Latin hypercube has one sample in each of the 16 equal intervals of each range.
    latin = design(axes, "latin", 16)
    assert sorted(int(16 * x) for x in latin.columns["a"]) == list(range(16))
    # The first 16 points of a scrambled Sobol sequence too (Sobol 1967: a (t, m, s)-net in base 2).
    assert sorted(int(16 * x) for x in design(axes, "sobol", 16).columns["a"]) == list(range(16))
    whole = design([Axis.of("n", "2..5", whole=True)], "random", 400)
    assert set(whole.columns["n"]) == {2, 3, 4, 5}


def test_a_table_of_runs(tmp_path):
    (tmp_path / "runs.csv").write_text("a_phi [deg],gait\n10,drive\n20,park\n")
    assert table(tmp_path / "runs.csv") == {"a_phi": ["10 deg", "20 deg"], "gait": ["drive", "park"]}
    study = Study("snakeboard", tmp_path / "runs.csv", ["speed"])
    assert len(study) == 2 and study.design.row(1) == {"a_phi": pytest.approx(math.radians(20.0)), "gait": "park"}


def test_warnings_of_a_run_are_kept_with_it():
    def warned(result):
        warnings.warn("the bob is tired.", UserWarning, stacklevel=1)
        return 1.0

    found = Study(bob, {"length": [1.0]}, {"one": warned}).run(progress=False)
    assert found.table["message"].values.tolist() == ["the bob is tired."] and found.completed == 1


def test_progress_tells_rate_and_time_left(monkeypatch, capsys):
    """Of the runs since the study went on, 20 being there already; without a terminal a line each 10 s."""
    now = [100.0]
    monkeypatch.setattr(study_progress, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    with study_progress.StudyProgress("boards", 100, 20, True) as shown:
        assert shown.words() == "20 of 100 runs"
        now[0] += 2.0
        shown.add(40)
        assert shown.words() == "60 of 100 runs, 20 a second, 2 s left"
        now[0] += 9.0
        shown.add(15)
    assert capsys.readouterr().err == "boards: 75 of 100 runs, 5 a second, 5 s left\n"
