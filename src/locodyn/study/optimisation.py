"""The best parameters of a scenario: what is made large or small, within which ranges and limits, by which method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Scenario
from locodyn.sim.interrupts import telling
from locodyn.study.axes import Axis, Range, ranges_of, row_at
from locodyn.study.backends import Places
from locodyn.study.design import LATIN, design
from locodyn.study.evaluator import Evaluator
from locodyn.study.history import History
from locodyn.study.metrics import MetricLike, named
from locodyn.study.one_run import Job
from locodyn.study.optimum import Optimum
from locodyn.study.run_slopes import RunSlopes
from locodyn.study.searches import SEARCHES, Slopes, Spent
from locodyn.study.study_progress import StudyProgress
from locodyn.study.subject import Maker, Subject, fingerprint

_LIMIT = re.compile(r"\s*(\S+\.py:\w+|\w+)\s*(<=|>=)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*")


class SearchOptions(TypedDict, total=False):
    """Options of the search of an :class:`Optimisation`."""

    starts: int
    population: int | None
    seed: int


class Optimisation:
    """A search for the parameters that make a metric large or small.

    Parameters
    ----------
    source, settings, cycle : as of :class:`Study`
    over : {name: range}
        Parameters and where they may lie: ``"10..60deg"``, ``"0.1..10log"`` or a :class:`Range`.
    maximise, minimise : names of metrics, or {name: function of the result}
        One of them all together; with two and more, ``nsga2`` finds the front.
    constraints : texts such as ``"peak_torque<=5"``, ``"friction_needed<=0.6"``, ``"joint_margin>=0"``, ``"own.py:function>=3"``,
        in the unit of the metric
    method : ``cma`` (CMA-ES), ``slsqp`` (slopes by differences), ``gradient`` (slopes by the equations of a run), ``nsga2``
        (several objectives)
    budget : most runs
    options : of the search
        ``starts`` (1): how many searches, from different places, share the budget; the first begins in the middle.
        ``population``: runs of a batch, of ``cma`` and ``nsga2``. ``seed`` (0): same seed, same search.
    """

    def __init__(
        self,
        source: str | Scenario | Maker,
        over: Mapping[str, str | Range],
        *,
        maximise: Sequence[MetricLike] | Mapping[str, MetricLike] | str = (),
        minimise: Sequence[MetricLike] | Mapping[str, MetricLike] | str = (),
        constraints: Sequence[str] = (),
        settings: Mapping[str, object] | None = None,
        method: str | None = None,
        budget: int = 300,
        cycle: float | None = None,
        **options: Unpack[SearchOptions],
    ) -> None:
        self.subject = Subject(source, dict(settings or {}))
        up, down = (_metrics(one) for one in (maximise, minimise))
        if set(up) & set(down) or not up | down:
            raise InputError("an optimisation makes a metric large or small; give maximise or minimise, and each metric once.")
        self.objectives = {**dict.fromkeys(up, -1.0), **dict.fromkeys(down, 1.0)}
        self.method = method or ("cma" if len(self.objectives) == 1 else "nsga2")
        if self.method not in SEARCHES:
            raise InputError(f"there is no method '{self.method}'{nearest(self.method, SEARCHES)}")
        if len(self.objectives) > 1 and self.method != "nsga2":
            raise InputError(f"the method '{self.method}' takes one objective, not {len(self.objectives)}; take 'nsga2'.")
        limits = [_limit(text) for text in constraints]
        self.limits = [(word.rpartition(":")[2], sign, bound) for word, sign, bound in limits]
        more = {name: word for (name, _, _), (word, _, _) in zip(self.limits, limits, strict=True) if name not in {**up, **down}}
        self.job = Job(self.subject, {**up, **down, **named(more)} if more else {**up, **down}, cycle)
        self.axes = [self.subject.interval(name, one) for name, one in over.items()]
        if not self.axes:
            raise InputError("an optimisation has nothing to change; say over what, such as A=10..60deg.")
        for word in options:
            if word not in SearchOptions.__annotations__:
                raise InputError(f"a search has no option '{word}'{nearest(word, SearchOptions.__annotations__)}")
        self.budget, self.starts = budget, options.get("starts", 1)
        self.population, self.seed = options.get("population"), options.get("seed", 0)
        for word, count in (("budget", budget), ("starts", self.starts), ("population", self.population)):
            if count is None and word == "population":
                continue  # that of the method
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise InputError(f"the {word} is {count!r}; it must be a whole number from 1 on.")

    def __repr__(self) -> str:
        words = ", ".join(f"{'smallest' if sign > 0 else 'largest'} {name}" for name, sign in self.objectives.items())
        return f"Optimisation({self.subject.name}: {words} over {', '.join(axis.name for axis in self.axes)}; {self.method})"

    @property
    def units(self) -> dict[str, str]:
        """Of the parameters and of the metrics, by their names here."""
        metrics = zip(self.job.metrics, self.job.resolved(), strict=True)
        return {axis.name: axis.unit for axis in self.axes} | {name: metric.unit for name, metric in metrics}

    def row(self, point: np.ndarray) -> dict[str, Any]:
        """The parameters at a point (n,) of the unit cube."""
        return row_at(self.axes, point)

    def definition(self) -> dict[str, Any]:
        """What makes the search what it is, for its history."""
        from locodyn import __version__

        middle = self.subject.scenario(self.row(np.full(len(self.axes), 0.5)))
        for metric in self.job.resolved():
            metric.check(middle, self.job.cycle)
        return {
            "name": self.subject.name, "settings": dict(self.subject.settings), **ranges_of(self.axes),
            "metrics": list(self.job.metrics),
            "objectives": self.objectives, "constraints": self.limits, "method": self.method, "starts": self.starts,
            "population": self.population, "seed": self.seed, "cycle": self.job.cycle, "first": fingerprint(middle),
            "version": __version__,
        }  # fmt: skip

    def run(
        self,
        out: str | Path | None = None,
        *,
        progress: bool = True,
        **places: Unpack[Places],
    ) -> Optimum:
        """Search.

        ``out``: a file ``.jsonl`` for the history, with which a search that was killed goes on; ``places`` (``processes``,
        ``workers``, ``cluster``) and ``progress`` as of :meth:`Study.run`.
        """
        history = History(None if out is None else Path(out), self.definition())
        asked: list[np.ndarray] = []
        messages, slopes = [], self._slopes()
        bar = StudyProgress(self.subject.name, self.budget, 0, progress)

        def kept() -> str:
            return "" if out is None else f"'{out}' has {len(history.entries)} runs, with which the search goes on"

        with telling(kept), Evaluator(self.job, **places) as evaluator, bar:

            def evaluate(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                return self._evaluate(points, history, evaluator, asked, bar)

            for number, start in enumerate(self._starts()):
                share = (self.budget - len(asked)) // (self.starts - number)
                try:
                    messages.append(SEARCHES[self.method](evaluate, start, share, self.seed + number, self.population, slopes))
                except Spent:
                    messages.append("the budget of runs is used up")
                    break
        numbers = np.array([history.numbers(point) for point in asked])
        return Optimum(self, np.array(asked), numbers, tuple(messages))

    def _evaluate(
        self, points: np.ndarray, history: History, evaluator: Evaluator, asked: list[np.ndarray], bar: StudyProgress
    ) -> tuple[np.ndarray, np.ndarray]:
        """Objectives and violations of points; those that the history does not have are computed."""
        if len(asked) + len(points) > self.budget:
            if not asked:
                raise InputError(
                    f"the budget is {self.budget} runs; the method '{self.method}' begins with {len(points)}: give more."
                )
            raise Spent
        known = {tuple(point): k for k, point in reversed(list(enumerate(points)))}  # differences at a bound ask twice
        new = sorted(k for point, k in known.items() if history.numbers(np.array(point)) is None)
        if new:
            outcome = evaluator([self.row(points[k]) for k in new])
            history.add(points[new], outcome.status, outcome.messages, outcome.numbers)
        asked.extend(np.array(point) for point in points)
        bar.add(len(points), found=not new)
        numbers = np.array([history.numbers(point) for point in points])
        return self.judged(numbers)

    def judged(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objectives (k, m), to be made small, and violations (k, c) of metrics (k, metrics); infinite of runs that failed."""
        names = list(self.job.metrics)
        objectives = np.array([sign * numbers[:, names.index(name)] for name, sign in self.objectives.items()]).T
        broken = np.zeros((len(numbers), len(self.limits)))
        for k, (name, sign, bound) in enumerate(self.limits):
            broken[:, k] = sign * (numbers[:, names.index(name)] - bound) / (abs(bound) or 1.0)
        return np.where(np.isfinite(objectives), objectives, np.inf), np.where(np.isfinite(broken), broken, np.inf)

    def _slopes(self) -> Slopes:
        """Slopes (1 + c, n) of objective and violations by a point of the unit cube."""
        names, sign = list(self.job.metrics), next(iter(self.objectives.values()))
        of_metrics = RunSlopes(self.job, self.row) if self.method == "gradient" else None

        def slopes(point: np.ndarray) -> np.ndarray:
            assert of_metrics is not None
            found = of_metrics(point)
            objective = sign * found[names.index(next(iter(self.objectives)))]
            return np.vstack([objective, *(s * found[names.index(name)] / (abs(b) or 1.0) for name, s, b in self.limits)])

        return slopes

    def _starts(self) -> list[np.ndarray]:
        """Where searches begin, in the unit cube: the middle, then a Latin hypercube."""
        first = np.full(len(self.axes), 0.5)
        if self.starts == 1:
            return [first]
        cube = design([Axis.of(str(k), Range(0.0, 1.0)) for k in range(len(self.axes))], LATIN, self.starts - 1, self.seed)
        return [first, *np.array(list(cube.columns.values())).T]


def _metrics(metrics: Sequence[MetricLike] | Mapping[str, MetricLike] | str) -> dict[str, MetricLike]:
    if isinstance(metrics, str):
        metrics = [metrics]
    return named(metrics) if len(metrics) else {}


def _limit(text: str) -> tuple[str, float, float]:
    """Metric, sign (1: at most, -1: at least) and bound of ``peak_torque<=5``."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise InputError(f"the constraint '{text}' is not of the form METRIC<=NUMBER or METRIC>=NUMBER.")
    return found[1], 1.0 if found[2] == "<=" else -1.0, float(found[3])
