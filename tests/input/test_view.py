"""Plots and reports: they are drawn for every kind of robot, stand alone, and refuse what they cannot do."""

import html
import re
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.view import film
from locodyn.view.charts import GROUPS
from locodyn.view.plots import figure
from locodyn.view.references import SOURCES, all_sources, cited
from locodyn.view.report_page import TITLES, peaks, report_html
from locodyn.view.studio import scenario_of_fields
from locodyn.view.studio_fields import field
from locodyn.view.studio_page import about_html, source_of, studio_html
from locodyn.view.tables import LACKING, NOT_MADE, outcomes
from locodyn.zoo.registry import parameters_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["satellite", "free_chain", "pendulum", "heavy_top"])
def result(request):
    settings = {"free_chain": {"n": 11, "drive": "torque", "damping": 0.01}, "satellite": {"case": "C"}}
    scenario = ld.zoo.make(request.param, settings.get(request.param, {}))
    return scenario.changed(t_end=20 * scenario.numerics.step * scenario.recording.record_every).run(progress=False)


def test_every_axis_has_units(result):
    for axes in figure(result).axes:
        if axes.get_title(loc="left"):
            for label in (axes.get_xlabel(), axes.get_ylabel()):
                assert "(" in label or label == "of the numerical solution", (axes.get_title(loc="left"), label)


@pytest.mark.parametrize("ending, magic", [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_formats(result, tmp_path, ending, magic):
    file = result.plot(tmp_path / f"a.{ending}")
    assert file.read_bytes().startswith(magic)


def test_report_stands_alone(result, tmp_path):
    text = result.report(tmp_path / "a.html").read_text()
    HTMLParser().feed(text)
    assert not re.search(r'(src|href)="(?!#|data:)', text)  # references inside the page only
    for words in (
        "Parameters",
        "Energy balance",
        "Solver",
        "Validation",
        "Sources",
        "locodyn run",
        'data-chart="energies"',
        html.escape(result.attributes["classification"]),
    ):
        assert words in text
    assert len(text) < 1_000_000


def test_a_report_says_when_a_run_ends_elsewhere_than_its_checks():
    from locodyn.view.tables import other_end

    board = ld.zoo.snakeboard()
    assert "a run to 10 s; this one ends at 1 s" in other_end(board.changed(t_end=1.0).run(progress=False))
    assert other_end(board.run(progress=False)) == ""


def test_a_walk_that_ends_before_its_first_step_has_a_report(tmp_path):
    """Its checks are about the last step; the run that they are about would raise, here they are named as not made."""
    short = ld.zoo.compass_gait().changed(t_end=0.1).run(progress=False)
    assert {row[-1] for row in outcomes(short)} > {NOT_MADE}
    assert LACKING in short.report(tmp_path / "a.html").read_text()


def test_report_of_a_loaded_result(result, tmp_path):
    """A file has no states: checks that need them are named as not made, the others are made as in memory."""
    loaded = ld.Result.load(result.save(tmp_path / "a.nc"))
    text = loaded.report(tmp_path / "a.html").read_text()
    in_memory, from_file = outcomes(result), outcomes(loaded)
    assert len(in_memory) == len(from_file) > 0
    for there, here in zip(in_memory, from_file, strict=True):
        assert here == there or here[-1] == NOT_MADE
    assert (NOT_MADE in text) == any(row[-1] == NOT_MADE for row in from_file)


def test_a_check_that_needs_states_is_not_made_from_a_file(tmp_path):
    """Painleve's rod: its end after the first step follows from states, energy from the file; the scenario is made anew."""
    run = ld.zoo.painleve_rod().changed(t_end=1e-3).run(progress=False)
    loaded = ld.Result.load(run.save(tmp_path / "rod.nc"))
    loaded.report(tmp_path / "rod.html")
    words = {row[0]: row[-1] for row in outcomes(loaded)}
    assert words.pop("end stops in the first step (m/s)") == NOT_MADE and set(words.values()) == {"pass"}
    with pytest.raises(ld.InputError, match="needs the states of a run in memory"):
        loaded.states()
    assert loaded.scenario is None and run.states()[0] is run.q


def test_a_robot_of_ones_own_has_a_report(tmp_path):
    robot = ld.Robot("own")
    robot.body("arm", mass=1.0, centre=(0, 0, -1), inertia=ld.about_centre(yy=0.1)).on(robot.base("g", moves="fixed")).turning(
        "y"
    )
    run = ld.simulate(robot, t_end=0.2, dt=0.01, start={"arm": 0.3}, progress=False)
    run.scenario = None
    text = run.report(tmp_path / "a.html").read_text()
    assert "No acceptance checks" in text and "made in Python" in text


def test_every_group_of_charts_has_a_heading():
    assert set(GROUPS) == set(TITLES)


def test_names_are_no_markup():
    """Of robots, bodies, joints and scenarios, in the report, in notebooks and in the frame of a player."""
    odd = "<img src=x onerror=alert(1)></script><b>&amp;"
    robot = ld.Robot(f"robot{odd}")
    base = robot.base(f"base{odd}", moves="planar", mass=1.0, shape=ld.Box((0.1, 0.1, 0.1)))
    robot.body(f"arm{odd}", mass=1.0, shape=ld.Sphere(0.1)).on(base, at=(0.2, 0, 0)).turning("z")
    scenario = ld.Scenario(f"run{odd}", robot, t_end=0.1, dt=0.01, summary=f"words{odd}")
    result = scenario.run(progress=False)
    shown = [
        report_html(result),
        result._repr_html_(),
        result.inline()._repr_html_(),
        scenario._repr_html_(),
        robot._repr_html_(),
    ]
    for text in shown:
        assert odd not in text and "<img src=x" not in text
    assert all(html.escape(odd) in text for text in (shown[0], shown[1], shown[4]))


def test_a_robot_with_a_rod_has_a_report(tmp_path):
    run = ld.zoo.make("elastica", {}).run(progress=False)
    assert "<h3>Rods</h3>" in run.report(tmp_path / "rod.html").read_text()


def test_impacts_of_one_record_stay_in_the_page():
    values = np.zeros((10, 2))
    values[4, 0], values[7, 1], values[9, 0] = 5.0, -3.0, 1.0
    few = np.array([0, 3, 6, 9])
    np.testing.assert_array_equal(peaks(values, few), [[0, 0], [5, 0], [0, -3], [1, 0]])


def test_sources_are_those_of_the_documentation():
    """The list in the code and the one in docs/references.md say the same."""
    rows = (Path(__file__).parents[2] / "docs" / "references.md").read_text().replace("*", "")
    table = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", rows, flags=re.MULTILINE))
    for name, full in all_sources().items():
        assert table[name] == full
    assert [name for name, _ in cited(ld.zoo.heavy_top().changed(t_end=0.01).run(progress=False))] == [
        "Brüls et al. 2012", "Munthe-Kaas 1999", "Featherstone 1983",
    ]  # fmt: skip


CITATION = re.compile(r"[A-Z][\w.-]+ \(?((?:17|18|19|20)\d\d)\b")  # a name and a year


def rests_on(name):
    """All that a robot of the zoo says of its sources."""
    scenario = ld.zoo.make(name, {})
    entries = [*ld.zoo.registry.module(name).PARAMETERS, *scenario.checks]
    return " ; ".join([ld.zoo.registry.module(name).__doc__ or "", *(entry.source for entry in entries)])


@pytest.mark.parametrize("name", list(ld.zoo.registry.ROBOTS))
def test_every_source_of_a_robot_is_cited_in_full(name):
    """A name with a year in the text of a robot finds its entry in the list."""
    text = rests_on(name)
    found = {
        year for pattern, _ in SOURCES.values() for hit in re.finditer(pattern, text) for year in re.findall(r"\d{4}", hit[0])
    }
    assert set(CITATION.findall(text)) <= found


def test_an_empty_picture_is_an_error(result, tmp_path, monkeypatch):
    """A browser whose canvas is too large for it answers with an address without a picture."""

    class Tab:
        def goto(self, address):
            pass

        def wait_for_function(self, words, timeout):
            pass

        def evaluate(self, words, given):
            return "data:,"

    monkeypatch.setattr(film, "browser", lambda: nullcontext(SimpleNamespace(new_page=lambda viewport: Tab())))
    with pytest.raises(InputError, match="cannot draw a picture of 8000 x 8000 pixels; choose a smaller size"):
        result.picture(tmp_path / "run.png", size=(8000, 8000))
    assert not list(tmp_path.iterdir())


def test_the_studio_has_the_scenarios_with_names_of_their_own():
    """With their settings in the fields, which are then no changes, and the pages of their robots."""
    assert '<option value="snake_peg_moved" selected>' in studio_html("snake_peg_moved")
    fields = {one["name"]: one["value"] for one in map(field, parameters_of("snake_peg_moved"))}
    assert (fields["pegs"], fields["peg_3"]) == ("table_7_3", "moved")
    sent = {"robot": "snake_peg_moved", "values": fields, "t_end": "1", "dt": "0.001", "integrator": "auto"}
    scenario, name, values = scenario_of_fields(sent)
    assert (scenario.name, name, values) == ("snake_peg_moved", "snake_peg_moved", {})
    about = about_html("snake_peg_moved")
    assert "locodyn run snake_peg_moved" in about and "validate" not in about and "Transeth" in about
    assert source_of("snake_peg_moved") == source_of("snake_2d")


def test_refusals(result, tmp_path):
    with pytest.raises(InputError, match="did you mean 'energy'"):
        result.plot(tmp_path / "a.png", what="energys")
    with pytest.raises(InputError, match=r"must end in \.png"):
        result.plot(tmp_path / "a.jpg")
