"""Judges: problems that others posed, solved here and by the peers that are installed, in one run. See docs/judges.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.judge.load import load_problem as load_problem
    from locodyn.judge.load import problems_of as problems_of
    from locodyn.judge.outcome import Outcome as Outcome
    from locodyn.judge.problem import Curve as Curve
    from locodyn.judge.problem import Problem as Problem
    from locodyn.judge.problem import Target as Target
    from locodyn.judge.problem import Trial as Trial
    from locodyn.judge.problem import timed as timed
    from locodyn.judge.runner import judge as judge
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
