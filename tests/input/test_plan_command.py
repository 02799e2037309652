"""``locodyn plan``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json

import pytest

from locodyn.files import scenario_of

pytestmark = pytest.mark.slow

GAIT = ("--set", "amplitude=0.785", "--set", "phase=-1.047")


def test_a_plan_is_run_written_and_drawn(locodyn, tmp_path) -> None:
    out, record, plot = tmp_path / "course.yaml", tmp_path / "plan.json", tmp_path / "plan.png"
    words = ("snake_2d", "--place", 7, *GAIT, "--t-end", 4, "--out", out, "--json", record, "--plot", plot)
    code, printed, _ = locodyn("plan", *words)
    assert code == 0
    assert "push points on average" in printed and "pushes with" in printed and f"wrote {plot}" in printed
    assert plot.stat().st_size > 20000
    found = json.loads(record.read_text())
    assert found["plan"]["amplitude"] == pytest.approx(0.785, abs=0.05)
    assert found["plan"]["phase"] == pytest.approx(-1.047, abs=0.05)
    assert found["plan"]["push_points"] > 2.5 and len(found["pegs"]) == 7
    assert len(found["push_points"]) >= 3 and all(one["forward"] > 0.1 for one in found["push_points"])
    scenario = scenario_of(str(out), {"time.end": "0.5"}).scenario
    assert scenario.problem.contact.overlap(scenario.initial_state()[0])[0] == 0.0
    again = scenario.run(progress=False)
    assert again.status == "completed"
    assert [one.name for one in scenario.world.obstacles] == [f"peg_{k}" for k in range(1, 8)]


def test_pegs_of_a_file_are_those_of_the_scenario(locodyn, tmp_path) -> None:
    """Transeth's course, by name and as a file."""
    from locodyn.zoo.snake_links import COURSES

    file, plans = tmp_path / "pegs.csv", []
    file.write_text("x, y, radius\n" + "\n".join(f"{x},{y},{r}" for r, x, y in COURSES["table_7_5"]))
    for words in (("--set", "pegs=table_7_5"), ("--pegs", file)):
        record = tmp_path / "plan.json"
        code, printed, _ = locodyn("plan", *words, "--t-end", 0.1, "--json", record, "--quiet")
        assert (code, printed) == (0, "")
        plans.append(json.loads(record.read_text())["plan"])
    assert plans[0] == plans[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("snake_2d",), "'snake_2d' has no pegs; give --pegs FILE.csv, --place COUNT, or --set pegs=table_7_5."),
        (("pendulum", "--place", "7"), "is not a planar snake with a servo in every joint"),
        (("snake_3d", "--place", "7"), "is not a planar snake with a servo in every joint"),
        (("snake_2d", "--place", "0"), "a course has 0 pegs"),
        (("snake_2d", "--place", "2"), "a course is given by 3 or more pegs"),
        (("snake_2d", "--place", "7", "--radius", "-1"), "--radius is -1; it must be a positive length"),
        (("snake_2d", "--pegs", "no.csv"), "the pegs 'no.csv' cannot be read"),
        (("snake_2d", "--pegs", "no.csv", "--place", "7"), "give one of them"),
        (("snake_2d", "--place", "7", "--plot", "w.gif"), "must end in .png, .pdf, .svg"),
        (("snake_2d", "--place", "7", "--out", "w.json"), "must end in .yaml"),
    ],
)
def test_refusals(locodyn, words: tuple[str, ...], sentence: str) -> None:
    code, _, said = locodyn("plan", *words)
    assert code == 2 and sentence in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0,0,0.02\n1,1\n", "peg 2 of"),
        ("0,0,a\n", "it must be x, y, radius in m, with commas"),
        ("0,0,-0.02\n", "all must be finite and the radius positive"),
        ("0,0,0.02\n3,0,0.02\n6,0,0.02\n", "no gait finds push points on this course"),
    ],
)
def test_wrong_files(locodyn, tmp_path, text: str, sentence: str) -> None:
    file = tmp_path / "pegs.csv"
    file.write_text(text)
    code, _, said = locodyn("plan", "--pegs", file)
    assert code == 2 and sentence in said
