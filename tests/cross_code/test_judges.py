"""Judges: problems that others posed, in their quick form; what problem files may get wrong; who is ahead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from locodyn.cli.judge import Request
from locodyn.errors import InputError
from locodyn.judge import Curve, Outcome, Problem, Target, Trial, judge, load_problem, problems_of
from locodyn.judge.outcome import Point
from locodyn.judge.picture import draw

WORDS = {name: name for name in ("title", "family", "statement", "source", "licence", "reference", "measure")}
# What the quick setting of each problem may miss. Own records, rounded up: they guard against change. The judgement is the
# comparison with the peers below and the orders of test_errors_fall_with_the_order_of_the_method.
QUICK = {
    "a01_simple_pendulum": 1e-6, "a02_four_bars": 1e-4, "a03_andrews": 1e-6, "a04_bricard": 1e-6, "a05_governor": 1e-5,
    "bennett": 1e-4, "friction_contacts": 1e-8, "exudyn_heavy_top": 1e-8, "exudyn_kinematic_tree": 1e-8, "exudyn_beam": 1e-3,
    "exudyn_frame": 1e-4, "exudyn_slider_crank": 1e-6, "exudyn_rolling_coin": 1e-9, "exudyn_flexible_slider_crank": 1e-4,
     "anymal_energy": 1e-18,
    "anymal_momentum": 1e-18, "anymal_pd": 1e-9, "robots_motion": 1e-6, "simbench_bouncing": 1e-13, "simbench_elastic_666": 8.4,
}  # fmt: skip


def trial(setting: float) -> Trial:
    return Trial(setting**2, 1e-3 / setting)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_quick_run_is_exact_and_ahead_of_its_peers(name):
    """At the quick settings ours is within the order of its method, and more exact than any peer."""
    outcome = judge(name, *problems_of([name]).values(), quick=True)
    assert [point.failed for point in outcome.points if point.failed] == []
    ours = min(point.trial.error for point in outcome.points if point.code == "locodyn")
    assert ours < QUICK[name]
    theirs = [point.trial.error for point in outcome.points if point.code != "locodyn"]
    assert all(ours < 1.05 * one for one in theirs)  # RK4 of a peer is the same method
    if not name.startswith("simbench") and name != "anymal_pd":  # soft contacts lose energy, and creep
        assert all(one < 0.2 for one in theirs)  # theirs is the same problem


@pytest.mark.slow
def test_errors_fall_with_the_order_of_the_method():
    """Bricard against the reduced equation: order 4, down to 1e-10 m."""
    (problem,) = problems_of(["a04_bricard"]).values()
    coarse, fine = (problem.ours[0].run(step).error for step in (0.01, 0.0025))
    assert 128 < coarse / fine < 512  # 4^4 = 256
    assert fine < 1e-10


def test_all_problem_files_are_read():
    problems = problems_of([])
    assert len(problems) >= 7 and {"a01_simple_pendulum", "a05_governor", "bennett"} <= set(problems)
    assert all(problem.ours and problem.licence for problem in problems.values())
    assert set(problems_of(["a02"])) == {"a02_four_bars", "a02_many_four_bars"}
    with pytest.raises(InputError, match="there is no problem 'a06'; known: a01"):
        problems_of(["a06"])


BAD = {
    "PROBLEM = 1 +": r"'wrong.py', line 1: invalid syntax",
    "\n\nx = 1 / 0": r"line 3: division by zero",
    "from nowhere_at_all import x": r"line 1: No module named 'nowhere_at_all'",
    "x = 1": r"PROBLEM is missing; it must be a locodyn.judge.Problem",
    "\nPROBLEM = 3": r"line 2: PROBLEM is a int",
    "from locodyn.judge import Problem\nPROBLEM = Problem('a', 'b', '', 'c', 'd', 'e', 'f', ())": r"line 2: the statement",
}


@pytest.mark.parametrize("text", BAD)
def test_a_wrong_file_gets_a_sentence_with_its_line(text, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(text)
    with pytest.raises(InputError, match=BAD[text]):
        load_problem(file)


def test_wrong_problems_are_refused():
    good = Curve("locodyn", "rkmk4", (0.1, 0.05), trial)
    with pytest.raises(InputError, match="has no curve of locodyn"):
        Problem(**WORDS, curves=(Curve("Exudyn", "x", (0.1,), trial),))
    with pytest.raises(InputError, match="has a curve of 'Adams'; codes are locodyn, Exudyn"):
        Problem(**WORDS, curves=(good, Curve("Adams", "x", (0.1,), trial)))
    with pytest.raises(InputError, match="two curves 'locodyn, rkmk4'"):
        Problem(**WORDS, curves=(good, good))
    with pytest.raises(InputError, match="they must be numbers, at least one"):
        Problem(**WORDS, curves=(Curve("locodyn", "x", (), trial),))
    with pytest.raises(InputError, match=r"names the setting 0.2, which its curve has not"):
        Problem(**WORDS, curves=(good,), targets=(Target("quick", 1.0, "rkmk4", 0.2),))
    with pytest.raises(InputError, match="of which there is no curve of ours"):
        Problem(**WORDS, curves=(good,), targets=(Target("quick", 1.0, "euler", 0.1),))


def outcome_of(*points: tuple[str, float, float]) -> Outcome:
    problem = Problem(**WORDS, curves=(Curve("locodyn", "a", (0.1,), trial), Curve("Exudyn", "b", (0.1,), trial)),
                      targets=(Target("small", 0.5, "a", 0.1),))  # fmt: skip
    made = [Point(code, "a" if code == "locodyn" else "b", 0.1, "s", Trial(error, cpu)) for code, error, cpu in points]
    return Outcome("x", problem, tuple(made), ())


def test_who_is_ahead():
    """Ahead of a point of a peer: one of ours with at most its error in at most its time."""
    assert outcome_of(("locodyn", 1e-3, 1.0), ("Exudyn", 1e-3, 1.0)).behind() == []
    assert "Ahead at all 1" in outcome_of(("locodyn", 1e-3, 1.0), ("Exudyn", 1e-2, 2.0)).verdict()
    quicker = outcome_of(("locodyn", 1e-3, 1.0), ("Exudyn", 1e-1, 0.5))
    assert "none of ours is as quick" in quicker.verdict()
    exact = outcome_of(("locodyn", 1e-3, 1.0), ("Exudyn", 1e-4, 2.0), ("Exudyn", 1e-2, 2.0))
    assert "Behind at 1 of 2" in exact.verdict() and "ours 1.0e-03" in exact.verdict()
    assert exact.met(exact.problem.targets[0]) == (1e-3, True)


def test_the_command_writes_json_and_pictures(tmp_path, capsys):
    file = tmp_path / "own.py"
    file.write_text(
        "from locodyn.judge import *\n"
        "def fails(x):\n    raise ValueError('no')\n"
        f"PROBLEM = Problem(**{WORDS!r}, curves=(Curve('locodyn', 'a', (0.1, 0.01), lambda x: Trial(x, 1 / x, {{'energy': x}})),"
        " Curve('MuJoCo', 'b', (0.1,), fails), Curve('Siconos', 'c', (0.1,), fails)), targets=(Target('t', 1.0, 'a', 0.1),))\n"
    )
    table = tmp_path / "out.json"
    assert Request([str(file)], False, 2, table, tmp_path, False, False).execute() == 0
    said = capsys.readouterr().out
    assert "target met" in said and "No peer beside us" in said
    (stored,) = json.loads(table.read_text())["problems"]
    assert [row["error"] for row in stored["rows"]] == [0.1, 0.01, None] if stored["left_out"] else True
    assert stored["rows"][2]["failed"] == "no" and stored["rows"][0]["more"] == {"energy": 0.1}
    assert (tmp_path / "own.png").stat().st_size > 5000
    assert draw(stored, Path(tmp_path / "own.svg")).is_file()
    with pytest.raises(InputError, match="at least 2"):
        Request([str(file)], False, 1, None, None, False, True).execute()
