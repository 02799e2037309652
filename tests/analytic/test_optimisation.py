"""Optimisation: optima in closed form and on fine grids, constraints, fronts; a search that was killed ends as the same bits."""

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.linearisation.run_variation import check_smooth
from locodyn.study import Optimisation, Study, optimisation
from locodyn.study.one_run import run_task
from locodyn.study.run_slopes import RunSlopes
from study_cases import bob, last_angle, shaker, start_angle

pytestmark = pytest.mark.slow

# A pendulum of length l is on the other side after half a period: theta(t) = theta_0 cos(sqrt(g / l) t) is smallest where
# sqrt(g / l) t = pi. The period grows by theta_0^2 / 16, which is 6e-6 at 0.01 rad, and the length by twice that.
HALF = 0.5
LENGTH = 9.81 * (HALF / math.pi) ** 2


@pytest.mark.parametrize("method", ["cma", "slsqp"])
def test_optimum_in_closed_form(method):
    over = {"length": "0.1..1", "angle": "0.002..0.01"}
    search = Optimisation(bob, over, minimise={"end": last_angle}, method=method, budget=150, settings={"t_end": HALF})
    best = search.run(progress=False)
    # At the optimum the angle is flat in the length: a difference d of theta / theta_0 is 2.5 (dl / l)^2, and CMA-ES ends where
    # its points are within 1e-4 of the range, the budget where d is 1e-4.
    assert best.parameters["angle"] == pytest.approx(0.01, rel=1e-3)
    assert best.parameters["length"] == pytest.approx(LENGTH, rel=1e-2)
    assert best.metrics["end"] == pytest.approx(-0.01, rel=1e-3)
    assert best.history["best"].values[-1] == best.metrics["end"]
    assert last_angle(best.result()) == best.metrics["end"]


@pytest.mark.parametrize("method", ["cma", "slsqp"])
def test_constraints_hold_and_the_optimum_lies_on_them(method):
    over = {"length": "0.3..1", "angle": "0.002..0.01"}
    search = Optimisation(
        bob,
        over,
        maximise={"start": start_angle},
        constraints=["lowest_height<=-0.45", "lowest_height>=-0.55"],
        method=method,
        budget=120,
        settings={"t_end": HALF},
    )
    best = search.run(progress=False)
    # The mass centre is lowest at -l where the pendulum passes the vertical, which all of these do within half a second.
    assert -0.55 <= best.metrics["lowest_height"] <= -0.45
    assert 0.45 <= best.parameters["length"] <= 0.5501
    assert best.metrics["start"] == pytest.approx(0.01, rel=1e-3)


def test_limits_of_joints_and_by_functions_of_the_user(tmp_path):
    """A small swing is as wide as its start: the widest within 0.006 rad starts there; so does one that a function holds back."""
    (tmp_path / "own.py").write_text("def width(result):\n    return float(abs(result.joint_position.values).max())\n")
    for limit in ("peak_joint_position<=0.006", f"{tmp_path}/own.py:width<=0.006"):
        search = Optimisation(
            bob, {"length": "0.3..1", "angle": "0.002..0.01"}, maximise={"start": start_angle}, constraints=[limit],
            method="slsqp", budget=120, settings={"t_end": HALF},
        )  # fmt: skip
        best = search.run(progress=False)
        assert best.metrics["start"] == pytest.approx(0.006, rel=1e-4) and best.metrics["start"] <= 0.006


def test_limits_of_torque_of_joint_limits_and_of_slip():
    """A shaken mass takes the force m w^2 A and comes A out of the middle; a block that slides needs its coefficient of friction.

    A record lies on each peak, so both are exact; a search ends within its tolerance of 1e-6 of a limit.
    """
    for limit, widest in (("peak_torque<=1", 1.0 / (0.5 * 4.0**2)), ("joint_margin>=0", 0.15)):
        over = {"maximise": "peak_joint_position", "constraints": [limit], "method": "slsqp", "budget": 40}
        best = Optimisation(shaker, {"swing": "0.02..0.2"}, **over).run(progress=False)
        assert best.parameters["swing"] == pytest.approx(widest, rel=1e-5) and best.feasible[best.run]
    block = Optimisation(
        "sliding_block", {"mu": "0.1..0.5"}, minimise="displacement", constraints=["friction_needed<=0.3"], method="slsqp",
        settings={"slope": 0.0, "speed": 2.0, "t_end": 0.1}, budget=40,
    )  # fmt: skip
    assert block.run(progress=False).parameters["mu"] == pytest.approx(0.3, rel=1e-4)


SLOPED = ["speed", "rotation", "rms_torque", "actuator_work", "displacement_per_cycle"]
OVER = {"a_phi": "0.3..0.5", "w": "1.5..2.5", "l": "0.15..0.25", "m_r": "0.5..1.5", "start.board.angle": "0..0.4"}


@pytest.mark.slow  # compiles tangents of implicit methods
def test_slopes_by_the_equations_of_a_run_are_those_of_runs_side_by_side():
    """Of a gait, of a robot whose wheels, masses and inertias follow, of the start; on wheels, so the equations have index 2.

    Elements of three steps h and order 3: at a frequency w they miss (3 w h)^3 / 72 of a slope, 3e-6 at w = 2 and h = 10 ms, and
    an eighth of that at half the step. Differences of runs, here of order 4 and 1e-3 of the ranges, are exact to 1e-10. (Not so
    those of the cost of transport, whose sum of absolute values has kinks where a power passes zero at a record.)
    """
    missed = []
    for dt in (0.02, 0.01):
        settings = {"t_end": 4.2, "dt": dt}  # whole elements
        search = Optimisation("snakeboard", OVER, maximise=SLOPED[:1], minimise=SLOPED[1:], settings=settings, cycle=3.2)
        point = np.full(5, 0.45)
        found = RunSlopes(search.job, search.row)(point)
        steps = [k * 1e-3 * unit for unit in np.eye(5) for k in (-2, -1, 1, 2)]
        values = run_task(search.job, [search.row(point + step) for step in steps]).numbers.reshape(5, 4, -1)
        wanted = (np.array([1.0, -8.0, 8.0, -1.0]) @ values / 12e-3).T
        missed.append(np.abs(found - wanted).max(axis=1) / np.abs(wanted).max(axis=1))
    assert missed[1].max() < 2e-5  # 8e-6 measured, of a slope by the frequency, which grows along the run
    assert (missed[1] < missed[0] / 5).all()


@pytest.mark.slow
def test_a_search_with_slopes_by_the_equations_finds_the_optimum_with_few_runs():
    """The same optimum on a limit as with differences of runs, which take five runs for each point."""
    words = {
        "maximise": "speed",
        "constraints": ["cost_of_transport<=0.03"],
        "settings": {"t_end": 3.0, "dt": 0.02},
        "budget": 200,
    }
    over = {"a_phi": "0.2..1", "a_psi": "0.4..1.2"}
    own, other = (
        Optimisation("snakeboard", over, method=method, **words).run(progress=False) for method in ("gradient", "slsqp")
    )
    assert own.metrics["speed"] == pytest.approx(other.metrics["speed"], rel=1e-4)
    assert own.metrics["cost_of_transport"] == pytest.approx(0.03, rel=1e-4)
    assert own.metrics["cost_of_transport"] <= 0.03 and len(own.points) < 0.3 * len(other.points)


def test_what_has_no_slopes_by_equations_is_refused():
    over = {"length": "0.5..1", "angle": "0.1..0.2"}
    with pytest.raises(ld.InputError, match="the metric 'end' has no slopes by the equations of a run; take the method 'slsqp'"):
        Optimisation(bob, over, minimise={"end": last_angle}, method="gradient").run(progress=False)
    with pytest.raises(ld.InputError, match="cannot come from its equations: it has contacts that come and go"):
        check_smooth(ld.zoo.falling_boxes().problem)


@pytest.mark.slow
def test_the_best_of_a_search_is_no_worse_than_that_of_a_fine_grid():
    settings = {"t_end": 3.0, "dt": 0.02}
    grid = Study("snakeboard", {"a_phi": "0.2..1:9", "a_psi": "0.4..1.2:5"}, ["speed"], settings=settings).run(progress=False)
    over = {"a_phi": "0.2..1", "a_psi": "0.4..1.2"}
    best = Optimisation("snakeboard", over, maximise="speed", method="cma", budget=60, settings=settings).run(progress=False)
    assert best.metrics["speed"] >= grid.best("speed").value
    step = 0.1  # of the grid: the optimum is nearer to its best point than two steps
    assert abs(best.parameters["a_phi"] - grid.best("speed").parameters["a_phi"]) < 2 * step


def test_front_of_two_objectives():
    """A large start angle against a small speed: the one grows with the other."""
    over = {"length": "0.1..1", "angle": "0.002..0.01"}
    search = Optimisation(
        bob, over, maximise={"start": start_angle}, minimise={"rate": fastest}, budget=80, population=16, settings={"t_end": HALF}
    )
    best = search.run(progress=False)
    front = best.front()
    values = best.objectives[front]
    assert len(front) >= 2 and (np.diff(values[:, 0]) > 0).all() and (np.diff(values[:, 1]) < 0).all()
    for one in best.objectives[best.feasible]:  # no run beats one of the front
        assert not ((one <= values).all(axis=1) & (one < values).any(axis=1)).any()


def fastest(result: ld.Result) -> float:
    """Largest rate of the joint, rad/s."""
    return float(np.abs(result.joint_velocity.values).max())


SWINGS = {"source": bob, "over": {"length": "0.1..1", "angle": "0.002..0.01"}, "settings": {"t_end": HALF}, "seed": 3}
BOARDS = {"source": "snakeboard", "over": {"a_phi": "0.2..1", "a_psi": "0.4..1.2"}, "settings": {"t_end": 1.0, "dt": 0.02}}
KILLED = {
    "cma": {**SWINGS, "minimise": {"end": last_angle}, "budget": 40, "starts": 2, "constraints": ["lowest_height<=-0.12"]},
    "slsqp": {**SWINGS, "minimise": {"end": last_angle}, "budget": 50, "starts": 3},
    "gradient": {**BOARDS, "maximise": "speed", "constraints": ["cost_of_transport<=0.5"], "budget": 10, "starts": 2},
    "nsga2": {**SWINGS, "maximise": {"start": start_angle}, "minimise": {"end": last_angle}, "budget": 40, "population": 8},
}


@pytest.mark.parametrize("method", KILLED)
def test_a_search_that_was_killed_goes_on_to_the_same_bits(method, tmp_path, monkeypatch):
    def search():
        return Optimisation(**KILLED[method], method=method)

    whole = search().run(tmp_path / "whole.jsonl", progress=False)
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    there = len(lines) // 2
    (tmp_path / "part.jsonl").write_bytes(b"".join(lines[:there]) + lines[there][:20])  # killed while it wrote a line
    computed = []
    with monkeypatch.context() as patched:
        patched.setattr("locodyn.study.evaluator.run_task", lambda job, rows: (computed.extend(rows), run_task(job, rows))[1])
        again = search().run(tmp_path / "part.jsonl", progress=False)
    assert len(computed) == len(lines) - there > 0
    assert again.points.tobytes() == whole.points.tobytes() and again.numbers.tobytes() == whole.numbers.tobytes()
    assert again.messages == whole.messages and (tmp_path / "part.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert again.plot(tmp_path / "search.png").stat().st_size > 5000
    with pytest.raises(ld.InputError, match=r"must end in \.png"):
        again.plot(tmp_path / "search.doc")


def test_what_is_refused(tmp_path):
    over = {"a_phi": "0.1..0.2"}
    for options, sentence in (
        ({}, "give maximise or minimise"),
        ({"maximise": "speed", "minimise": "speed"}, "each metric once"),
        ({"maximise": "speed", "method": "cmaes"}, "there is no method 'cmaes'; did you mean 'cma'?"),
        ({"maximise": ["speed", "rotation"], "method": "cma"}, "takes one objective, not 2; take 'nsga2'"),
        ({"maximise": "speed", "constraints": ["speed<3x"]}, "is not of the form METRIC<=NUMBER"),
        ({"maximise": "speed", "constraints": ["sped<=3"]}, "there is no metric 'sped'; did you mean 'speed'?"),
        ({"maximise": "speed", "budget": 0}, "the budget is 0"),
    ):
        with pytest.raises(ld.InputError, match=sentence):
            Optimisation("snakeboard", over, **options)
    with pytest.raises(ld.InputError, match="it must be a range of numbers"):
        Optimisation("snakeboard", {"gait": "drive,park"}, maximise="speed")
    with pytest.raises(ld.InputError, match="CMA-ES needs two parameters or more"):
        Optimisation("snakeboard", over, maximise="speed", settings={"t_end": 0.1}).run(progress=False)
    (tmp_path / "other.jsonl").write_text("{}\n")
    search = Optimisation(bob, {"length": "0.5..1", "angle": "0.1..0.2"}, minimise={"end": last_angle}, budget=8)
    with pytest.raises(ld.InputError, match="the budget is 3 runs; the method 'cma' begins with 6: give more"):
        Optimisation(bob, {"length": "0.5..1", "angle": "0.1..0.2"}, minimise={"end": last_angle}, budget=3).run(progress=False)
    with pytest.raises(ld.InputError, match="is not the history of an optimisation"):
        search.run(tmp_path / "other.jsonl", progress=False)
    search.run(tmp_path / "mine.jsonl", progress=False)
    search.seed = 5
    with pytest.raises(ld.InputError, match=r"holds another optimisation .'seed' differs."):
        search.run(tmp_path / "mine.jsonl", progress=False)
    assert optimisation.SEARCHES.keys() == {"cma", "slsqp", "gradient", "nsga2"}
