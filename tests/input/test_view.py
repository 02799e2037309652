"""Plots and reports: they are drawn for every kind of robot, stand alone, and refuse what they cannot do."""

import re
from html.parser import HTMLParser

import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.view.plots import figure


@pytest.fixture(scope="module", params=["satellite", "free_chain", "pendulum", "heavy_top"])
def result(request):
    settings = {"free_chain": {"n": 11, "drive": "torque", "damping": 0.01}, "satellite": {"case": "C"}}
    scenario = ld.zoo.make(request.param, settings.get(request.param, {}))
    return scenario.changed(t_end=20 * scenario.dt * scenario.record_every).run(progress=False)


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
        "locodyn run",
        "<svg",
        result.attributes["classification"],
    ):
        assert words in text
    ids = re.findall(r'<clipPath id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_report_of_a_loaded_result(result, tmp_path):
    loaded = ld.Result.load(result.save(tmp_path / "a.nc"))
    assert "No acceptance checks" in loaded.report(tmp_path / "a.html").read_text()


def test_refusals(result, tmp_path):
    with pytest.raises(InputError, match="did you mean 'energy'"):
        result.plot(tmp_path / "a.png", what="energies")
    with pytest.raises(InputError, match=r"must end in \.png"):
        result.plot(tmp_path / "a.jpg")
