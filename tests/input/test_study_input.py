"""Studies: what is refused, each with one sentence."""

import errno
import json
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import locodyn as ld
from locodyn.cli.app import app
from locodyn.cli.sweep import summary
from locodyn.study import Study, StudyResult
from locodyn.study.one_run import run_task
from locodyn.study.store import StudyStore
from locodyn.study.study_file import load_study
from locodyn.view.study_paths import paths_figure
from locodyn.view.study_pictures import study_figure
from study_cases import bob, last_angle

SPEED = ["speed"]


def refused(pattern, *arguments, **options):
    with pytest.raises(ld.InputError, match=pattern):
        Study(*arguments, **options)


@pytest.mark.parametrize(
    ("vary", "sentence"),
    [
        ({"a_ph": "1..2:3"}, "'snakeboard' has no parameter 'a_ph'; did you mean 'a_phi'?"),
        ({"a_phi": "60..10:3deg"}, "the range of 'a_phi' runs from 60 down to 10; write the smaller one first."),
        ({"a_phi": "1..1:3"}, "the range of 'a_phi' is empty: both its ends are 1; give two numbers that differ."),
        ({"a_phi": "1..2:0"}, "the range of 'a_phi' has 0 values; it must have from 2 to"),
        ({"a_phi": "1..2"}, "the range of 'a_phi' does not say how many values; write 1..2:11, or take random samples."),
        ({"a_phi": "0..2:3log"}, "begins at 0; equal ratios .log. need positive numbers."),
        ({"a_phi": "1..2:3mm"}, "'a_phi' is given in 'mm'; it is measured in 'rad': give it in that unit."),
        ({"a_phi": "1..2:3dg"}, "'a_phi' is given in 'dg', which is not a known unit; did you mean 'deg'?"),
        ({"a_phi": "1..2..3"}, "'a_phi' is to vary over '1..2..3'; write it such as"),
        ({"a_phi": "1,,2"}, "a value is missing"),
        ({"a_phi": []}, "'a_phi' has no values; give some"),
        ({}, "a study varies nothing"),
    ],
)
def test_what_varies(vary, sentence):
    refused(sentence, "snakeboard", vary, SPEED)


def test_metrics():
    vary = {"a_phi": "0.1..0.2:2"}
    refused("there is no metric 'sped'; did you mean 'speed'?", "snakeboard", vary, ["sped"])
    refused("the metric 'speed' is given twice; give it once.", "snakeboard", vary, ["speed", "speed"])
    refused("a study keeps no metric; give some of displacement", "snakeboard", vary, [])
    refused("no result has a variable 'positon'; did you mean 'position'?", "snakeboard", vary, SPEED, series=["positon"])
    for source, metric, reason in (
        (bob, "speed", "its reference body does not move"),
        (bob, "tracking_error", "none of its joints follows a target"),
        (bob, "peak_contact_force", "nothing of it touches the ground"),
        ("chaplygin_sleigh", "displacement_per_cycle", "its drive has no period"),
    ):
        name = "length" if source is bob else "a"
        with pytest.raises(ld.InputError, match=f"the metric '{metric}' is not possible for .*: {reason}"):
            Study(source, {name: [0.1, 0.2]}, [metric]).run(progress=False)


def test_designs_and_places():
    vary = {"a_phi": "0.1..0.2:2"}
    refused("there is no design 'soble'; did you mean 'sobol'?", "snakeboard", vary, SPEED, design="soble")
    refused("the design 'sobol' has None samples", "snakeboard", vary, SPEED, design="sobol")
    refused("leave the number of samples out", "snakeboard", vary, SPEED, samples=4)
    refused("as many values of each", "snakeboard", {"a_phi": [1, 2], "a_psi": [1]}, SPEED, design="list")
    refused("both set and varied", "snakeboard", vary, SPEED, settings={"a_phi": 1.0})
    study = Study(bob, {"length": [1.0]}, {"end": last_angle})
    for options, sentence in (
        ({"processes": 0}, "the number of processes is 0; it must be a whole number from 1 on."),
        ({"workers": 2, "cluster": "tcp://x:1"}, "give one of the three"),
    ):
        with pytest.raises(ld.InputError, match=sentence):
            study.run(progress=False, **options)
    with pytest.raises(ld.InputError, match=r"cannot be sent to other processes"):
        Study(lambda length: bob(length), {"length": [1.0, 2.0]}, {"end": last_angle}).run(processes=2, progress=False)


def test_a_completed_run_without_a_finite_number_says_so():
    """Beside others whose number is finite, alone and in a compiled call."""
    metrics = {"odd": lambda result: float("nan") if result.parameters["a_phi"] > 0.4 else 1.0}
    found = Study("snakeboard", {"a_phi": [0.3, 0.5]}, metrics, settings={"t_end": 1.0}).run(progress=False)
    assert found.store.counts() == (0, 2, 0) and found.best("odd").run == 0
    said = found.table["message"].values.tolist()
    assert said == ["", "the metric 'odd' of this run is nan, not a finite number."]
    assert summary(found)[1] == "odd: from 1 at a_phi = 0.3 rad to 1 at a_phi = 0.3 rad; 1 completed run without a finite number"
    still = Study("snakeboard", {"a_phi": [0.3]}, ["cost_of_transport"], settings={"t_end": 1.0}).job
    told = run_task(still, [{"a_phi": 0.3}, {"a_phi": 0.3, "a_psi": 0.0}]).messages
    assert told == ["", "the metric 'cost_of_transport' of this run is inf, not a finite number."]


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_told_soon():
    """Within 10 s, what takes Dask's own import aside."""
    pytest.importorskip("distributed")
    began = time.monotonic()
    with pytest.raises(ld.InputError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9' within 8 s"):
        Study(bob, {"length": [1.0]}, {"end": last_angle}).run(cluster="tcp://127.0.0.1:9", progress=False)
    assert time.monotonic() - began < 10.0


def test_stores(tmp_path):
    study = Study(bob, {"length": [1.0, 2.0]}, {"end": last_angle})
    path = tmp_path / "bob.zarr"
    study.run(path, progress=False)
    with pytest.raises(ld.InputError, match=r"holds another study, of 'bob' with 2 runs .'length' differs.; give another output"):
        Study(bob, {"length": [1.0, 3.0]}, {"end": last_angle}).run(path, progress=False)
    with pytest.raises(ld.InputError, match=r"is not a study; give a folder"):
        StudyResult.load(tmp_path)
    with pytest.raises(ld.InputError, match=r"there is no study"):
        StudyResult.load(tmp_path / "none.zarr")
    with pytest.raises(ld.InputError, match=r"must end in .zarr"):
        study.run(tmp_path / "bob.nc", progress=False)
    with pytest.raises(ld.InputError, match=r"there is no folder"):
        study.run(tmp_path / "none" / "bob.zarr", progress=False)
    about = path / "zarr.json"
    told = json.loads(about.read_text())
    told["attributes"]["locodyn_study"] = 99
    about.write_text(json.dumps(told))
    with pytest.raises(
        ld.InputError, match=r"was written by a newer locodyn; update locodyn to read it .layout 99, this version"
    ):
        StudyResult.load(path)


def test_a_full_disk_leaves_what_is_there_and_the_study_goes_on(tmp_path, monkeypatch):
    import zarr.storage._local as local

    study = Study(bob, {"length": [1.0, 1.5, 2.0]}, {"end": last_angle})
    path, put, written = tmp_path / "bob.zarr", local._put, []

    def full(file: Path, *rest, **words):
        if "status" in str(file) and "c" in file.parts:
            written.append(file)
            if len(written) == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
        return put(file, *rest, **words)

    with monkeypatch.context() as patched:
        patched.setattr(local, "_put", full)
        with pytest.raises(ld.InputError, match=r"cannot be written .No space left on device.; 1 of 3 runs are kept: make room"):
            study.run(path, progress=False)
    assert StudyStore.open(path).counts() == (2, 1, 0)
    assert study.run(path, progress=False).completed == 3


def test_a_map_shows_where_runs_failed_and_why():
    """A mark at each run that failed, and its sentence in the legend; sentences that differ in numbers only are one."""
    vary = {"l": [-0.1, -0.2, 0.2], "a_phi": [0.2, 0.3]}
    found = Study("snakeboard", vary, SPEED, settings={"t_end": 1.0}).run(progress=False)
    for panel, count in ((study_figure(found), 4), (study_figure(curve()), 1)):
        marks = [one for one in panel.axes[0].lines if one.get_marker() == "x"]
        assert [len(one.get_xdata()) for one in marks] == [count]
        said = " ".join(text.get_text() for text in panel.axes[0].get_legend().get_texts()).replace("\n", " ")
        assert "failed (first: 0): parameter 'l' is -0.1; it must be greater than 0." in said
    mesh = np.ma.getmaskarray(study_figure(found).axes[0].collections[0].get_array()).reshape(2, 3)
    assert mesh.tolist() == [[True, True, False]] * 2  # cells in the order of their places, not in that of the list
    assert sorted(zip(*marks_of(found), strict=True)) == [(-0.2, 0.2), (-0.2, 0.3), (-0.1, 0.2), (-0.1, 0.3)]


def test_maps_over_three_parameters_stand_side_by_side_in_one_scale():
    vary = {"l": [0.2, 0.25], "a_phi": [0.2, 0.3], "w": [2.0, -1.0, 1.5]}
    found = Study("snakeboard", vary, SPEED, settings={"t_end": 1.0}).run(progress=False)
    panels = [one for one in study_figure(found).axes if one.get_title(loc="left")]
    assert [one.get_title(loc="left") for one in panels] == [f"speed\nw = {w} rad/s" for w in ("2", "-1", "1.5")]
    values = found.dataset["speed"].values
    for k, one in enumerate(panels):
        if k == 1:  # all of them failed
            assert not one.collections and len(next(x for x in one.lines if x.get_marker() == "x").get_xdata()) == 4
            continue
        np.testing.assert_array_equal(np.asarray(one.collections[0].get_array()).reshape(2, 2), values[..., k].T)
        assert one.collections[0].get_clim() == (np.nanmin(values), np.nanmax(values))
    stars = [sum(x.get_marker() == "*" for x in one.lines) for one in panels]
    assert stars == [int(k == found.best("speed").run % 3) for k in range(3)]


def test_paths_of_runs_stand_as_the_grid_of_their_parameters():
    vary = {"l": [-0.1, 0.2, 0.25], "a_phi": [0.2, 0.5]}
    found = Study("snakeboard", vary, SPEED, settings={"t_end": 1.0}, series=["mass_centre"]).run(progress=False)
    panels = paths_figure(found).axes
    assert len(panels) == 6  # the first parameter to the right, the second upwards; the first column has failed
    for axes, run in zip(panels, (1, 3, 5, 0, 2, 4), strict=True):
        assert f"l = {found.row(run)['l']:.3g} m" in axes.get_title(loc="left")
        line = axes.lines[0]
        if run < 2:
            assert line.get_marker() == "x"
            continue
        path = found.result(run).mass_centre.values
        np.testing.assert_array_equal(np.column_stack(line.get_data()), (path - path[0])[:, :2])
    with pytest.raises(ld.InputError, match="the study keeps no path; run it with the series 'mass_centre'"):
        curve().plot_paths("paths.png")


def curve() -> StudyResult:
    return Study("snakeboard", {"l": [-0.1, 0.2]}, SPEED, settings={"t_end": 1.0}).run(progress=False)


def marks_of(found: StudyResult) -> tuple[list[float], list[float]]:
    (mark,) = (one for one in study_figure(found).axes[0].lines if one.get_marker() == "x")
    return list(mark.get_xdata()), list(mark.get_ydata())


def test_study_files(tmp_path):
    file = tmp_path / "study.yaml"
    file.write_text("scenario: snakeboard\nvary:\n  a_phi: 10..20:2deg\nmetrics: [speed]\nsettings: {gait: park}\n")
    assert repr(load_study(file)) == "Study(snakeboard: 2 runs over a_phi; speed)"
    for text, sentence in (
        ("scenario: snakeboard\nmetric: [speed]\n", "'study.yaml', line 2: a study has no 'metric'; did you mean 'metrics'?"),
        ("scenario: snakeboard\nmetrics: [speed]\n", "either 'vary' or 'table'"),
        ("vary: {a: 1}\nmetrics: [speed]\n", "the study has no 'scenario'; give it."),
        ("scenario: snakeboard\nvary: 3\nmetrics: [speed]\n", "line 2: 'vary' is not a mapping"),
        (
            "scenario: snakeboard\nvary: {a_phi: 1}\nmetrics: [speed]\nsamples: many\n",
            "line 4: 'samples' is 'many'; it must be a",
        ),
        ("scenario: ../a.yaml\nvary: {a: 1}\nmetrics: [speed]\n", "the scenario is '../a.yaml', which lies outside"),
        ("scenario: snakeboard\ntable: /etc/passwd\nmetrics: [speed]\n", "the table is '/etc/passwd', which lies outside"),
        ("scenario: ../a.py:make\nvary: {a: [1]}\nmetrics: [speed]\n", "the scenario is '../a.py', which lies outside"),
        ("scenario: snakeboard\nvary: {a_phi: [1]}\nmetrics: [../own.py:end]\n", "a metric is '../own.py', which lies outside"),
    ):
        file.write_text(text)
        with pytest.raises(ld.InputError, match=sentence):
            load_study(file)


def test_the_command(tmp_path, capsys):
    def sweep(*words):
        return CliRunner().invoke(app, ["sweep", *words], standalone_mode=False)

    words = ["snakeboard", "--set", "gait=park", "--vary", "l=0..0.2:2", "--metric", "speed", "--out", str(tmp_path / "s.zarr")]
    done = sweep(*words, "--plot", str(tmp_path / "s.png"), "--paths", str(tmp_path / "p.png"))
    assert done.return_value in (0, None) and all((tmp_path / name).stat().st_size > 1000 for name in ("s.png", "p.png"))
    said = done.stdout.splitlines()
    assert said[0] == "snakeboard: 2 runs over l: 1 completed, 1 failed"
    assert said[1].startswith("speed: from ") and said[1].endswith("at l = 0.2 m")
    assert said[2] == "1 run failed (first: 0): parameter 'l' is 0; it must be greater than 0."
    for wrong, sentence in (
        (["snakeboard", "--metric", "speed"], "a sweep needs what varies"),
        (["snakeboard", "--vary", "l=0.1..0.2:2"], "a sweep needs --metric"),
    ):
        assert sentence in str(sweep(*wrong).exception)
