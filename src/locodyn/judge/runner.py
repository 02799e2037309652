"""Run a problem: all curves that are installed, taking turns, so that all see the same machine; the best CPU time of several."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable
from dataclasses import replace

from locodyn.judge.outcome import Outcome, Point
from locodyn.judge.problem import Curve, Problem, Trial

Say = Callable[[str], None]
_ENOUGH = 10.0  # s of CPU time after the first run, which compiles: what takes longer is not repeated further


def judge(name: str, problem: Problem, quick: bool = False, repeats: int = 5, say: Say | None = None) -> Outcome:
    """All trials of a problem.

    Parameters
    ----------
    name : of the problem, for the outcome
    quick : only the settings that each curve names for it, and two runs of each
    repeats : how many runs of each setting; the first one also compiles
    say : is told what is being run
    """
    curves = [curve for curve in problem.curves if curve.installed]
    left_out = tuple(dict.fromkeys(curve.code for curve in problem.curves if not curve.installed))
    tasks = [(curve, setting) for curve in curves for setting in curve.chosen(quick)]
    points = [_first(curve, setting, say) for curve, setting in tasks]
    spent = [0.0 for _ in points]
    for turn in range(1 if quick else repeats - 1):
        for k, (curve, setting) in enumerate(tasks):
            if points[k].failed or (turn > 0 and spent[k] > _ENOUGH):
                continue
            trial = _quietly(curve, setting)
            spent[k] += trial.cpu
            best = points[k].trial
            # What a run finds must not depend on how often it is run: the larger error counts.
            more = trial.more if trial.cpu < best.cpu else best.more  # with times of its own: the first run compiles
            kept = replace(best, cpu=min(best.cpu, trial.cpu), error=_larger(best.error, trial.error), more=more)
            points[k] = replace(points[k], trial=kept)
    return Outcome(name, problem, tuple(points), left_out)


def _first(curve: Curve, setting: float, say: Say | None) -> Point:
    """The first trial of a setting; a code that fails is said to."""
    if say is not None:
        say(f"{curve.name}: {setting:g} {curve.unit}")
    none = Trial(math.nan, math.nan)
    point = Point(curve.code, curve.method, setting, curve.unit, none)
    try:
        return replace(point, trial=_quietly(curve, setting))
    except Exception as error:  # a peer may fail in any way, and the others still count
        words = str(error).strip().splitlines()
        return replace(point, failed=words[-1][:160] if words else type(error).__name__)


def _quietly(curve: Curve, setting: float) -> Trial:
    """A trial without what the codes print."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return curve.run(setting)


def _larger(one: float, other: float) -> float:
    return math.nan if math.isnan(one) or math.isnan(other) else max(one, other)
