"""What came out for a problem: trials by curves, who is ahead at equal CPU time, which targets are met."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TypedDict

from locodyn.judge.problem import OWN, Problem, Target, Trial

_ALIKE = 1.05  # errors that differ by less are alike: the same method, rounded otherwise


class Stored(TypedDict):
    """An outcome as JSON keeps it."""

    name: str
    title: str
    family: str
    statement: str
    source: str
    licence: str
    reference: str
    measure: str
    notes: str
    against: str
    left_out: list[str]
    rows: list[dict[str, object]]
    verdict: str
    targets: list[dict[str, object]]


@dataclass(frozen=True)
class Point:
    """A trial with where it belongs. ``failed``: why there is none, in one sentence, or nothing."""

    code: str
    method: str
    setting: float
    unit: str
    trial: Trial
    failed: str = ""


@dataclass(frozen=True)
class Outcome:
    """All trials of a problem."""

    name: str
    problem: Problem
    points: tuple[Point, ...]
    left_out: tuple[str, ...]

    def curve(self, name: str) -> list[Point]:
        """The points of a curve that have numbers, in the order of its settings."""
        return [point for point in self.points if f"{point.code}, {point.method}" == name and not point.failed]

    def behind(self) -> list[tuple[Point, Trial | None]]:
        """Points of peers that no run of ours equals: none is as exact in as little CPU time. With our best in that time."""
        ours = [point.trial for point in self.points if point.code == OWN and not point.failed]
        found: list[tuple[Point, Trial | None]] = []
        for point in self.points:
            if point.code != OWN and not point.failed and math.isfinite(point.trial.error):
                inside = [one for one in ours if one.cpu <= point.trial.cpu]
                best = min(inside, key=lambda one: one.error, default=None)
                if best is None or not best.error <= _ALIKE * point.trial.error:
                    found.append((point, best))
        return found

    def behind_in_size(self) -> list[Point]:
        """Points of peers that are faster at the same size than all of ours."""
        ours: dict[float, float] = {}
        for point in self.points:
            if point.code == OWN and not point.failed:
                ours[point.setting] = min(point.trial.cpu, ours.get(point.setting, math.inf))
        theirs = [point for point in self.points if point.code != OWN and not point.failed]
        return [point for point in theirs if point.trial.cpu < ours.get(point.setting, math.inf)]

    def verdict(self) -> str:
        """In one sentence, who is ahead."""
        theirs = [point for point in self.points if point.code != OWN and not point.failed]
        if not theirs:
            return "No peer beside us in this run."
        if self.problem.against == "size":
            slow = self.behind_in_size()
            if not slow:
                return "Faster than every peer at every size that both ran."
            return "Behind: " + "; ".join(f"{p.code} at size {p.setting:g} takes {span(p.trial.cpu)}" for p in slow) + "."
        behind = self.behind()
        if not behind:
            return f"Ahead at all {len(theirs)} points of the peers: at least as exact in at most the same CPU time."
        said = []
        for point, best in behind:
            ours = f"ours {best.error:.1e}" if best is not None else "none of ours is as quick"
            said.append(f"{point.code} has {point.trial.error:.1e} in {span(point.trial.cpu)} ({ours})")
        return f"Behind at {len(behind)} of {len(theirs)} points of the peers: {'; '.join(said)}."

    def met(self, target: Target) -> tuple[float, bool] | None:
        """What was measured for a target, and whether that is within its bound; nothing where its setting was not run."""
        for point in self.points:
            if point.code == OWN and point.method == target.method and point.setting == target.setting:
                value = math.nan if point.failed else _quantity(point.trial, target.quantity)
                return value, value <= target.bound
        return None

    def stored(self) -> Stored:
        """As JSON keeps it."""
        p = self.problem
        rows = [{**asdict(point), **asdict(point.trial)} for point in self.points]
        for row in rows:
            del row["trial"]
            if not math.isfinite(row["error"]):
                row["error"] = None
            if not math.isfinite(row["cpu"]):
                row["cpu"] = None
        targets: list[dict[str, object]] = []
        for target in p.targets:
            found = self.met(target)
            if found is not None:
                targets.append({**asdict(target), "measured": found[0] if math.isfinite(found[0]) else None, "met": found[1]})
        return Stored(
            name=self.name, title=p.title, family=p.family, statement=p.statement, source=p.source, licence=p.licence,
            reference=p.reference, measure=p.measure, notes=p.notes, against=p.against, left_out=list(self.left_out), rows=rows,
            verdict=self.verdict(), targets=targets,
        )  # fmt: skip


def _quantity(trial: Trial, name: str) -> float:
    return float(getattr(trial, name)) if name in ("error", "cpu") else trial.more[name]


def span(seconds: float) -> str:
    """A time that can be read.

    >>> span(0.01234)
    '12.3 ms'
    """
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e6 * seconds:.3g} us"
