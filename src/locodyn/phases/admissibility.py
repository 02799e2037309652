"""Whether a motion in phases is one that the ground allows: feet are pushed, not pulled, do not slip, do not scuff.

F_N >= 0,   |F_T| <= mu F_N     of feet that hold;      height >= 0     of the others;     |tau| within the actuator's limit

A passage is looked at where it is recorded and where a step of the integrator ends. Between the last of these times at which a
limit is kept and the first at which it is not, the dense output tells when it is passed.

The cone of friction closes as a foot lifts off: unless F_T vanishes at the same instant as F_N, which it does only by chance,
the foot slips before it leaves, if only for |F_T| / (mu |dF_N/dt|). The last interval of records before a lift-off is therefore
judged by its impulse: forces in a convex cone have their impulse in it. What slips for a part of it only is not resolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.locomotion.record import contact_names, row_names
from locodyn.phases.transition import LiftOff
from locodyn.robot.layout import FADING, LIMIT

if TYPE_CHECKING:
    from locodyn.phases.hybrid_problem import HybridProblem
    from locodyn.phases.passage import Passage

_ROUND_OFF = 1e-9  # relative
_SLIP = "friction needed"
_DEEP = 1e-9  # m
_EXACT = 1e-9  # s: how well the beginning of a violation is known
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True)
class Violation:
    """What is not admissible, of which foot or joint, in which phase; the first time (s), and the largest amount."""

    what: str
    name: str
    phase: str
    time: float
    amount: float

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.what} of '{self.name}' in phase '{self.phase}': {self.amount:.3g}, from t = {self.time:.6g} s on"


@dataclass(frozen=True)
class Measure:
    """One limit along a passage: ``beyond`` (n,) is positive where it is passed, ``amount`` (n,) is what is told of it."""

    what: str
    name: str
    beyond: np.ndarray
    amount: np.ndarray


def observed(hybrid: HybridProblem, way: Passage, times: np.ndarray) -> dict[str, np.ndarray]:
    """What a result records at times (n,) s of a passage, with the heights of feet and contacts as ``contact_gap``."""
    q, v, memory = way.states(times)
    series, contacts, feet = way.problem.series(times, q, v, memory), row_names(way.problem)["contact"], hybrid.feet
    gaps = series.get("contact_gap", np.full((len(times), len(contacts)), np.nan))  # springs have theirs
    for held in hybrid.model.compiled.rod_contacts:  # a rod has no gap to what holds it
        gaps[:, contacts.index(held.contact.name)] = 0.0
    for foot in feet.contacts:
        gaps[:, contacts.index(foot)] = [feet.height(foot, one) for one in q]
    return series | {"times": times, "q": q, "v": v, "memory_states": memory, "contact_gap": gaps}


def is_limited(hybrid: HybridProblem, phase: str) -> bool:
    """Whether a phase has limits that a motion could pass: feet that hold or may scuff, torques with a limit."""
    scuffs = not hybrid.phases.scuffing and not hybrid.problems[phase].compliant and bool(hybrid.feet.contacts)
    return bool(hybrid.phases[phase].feet) or scuffs or bool(np.isfinite(hybrid.model.dof_constants[:, LIMIT]).any())


def violations(hybrid: HybridProblem, way: Passage, series: dict[str, np.ndarray], interval: float) -> list[Violation]:
    """Those of a passage, seen in ``series`` (:func:`observed`) from its beginning to its end; ``interval`` of records, s."""
    found, times = [], series["times"]
    for one in measures(hybrid, way, series, interval):
        passed = np.flatnonzero(one.beyond > 0.0)
        if len(passed):
            first = int(passed[0])
            begin = float(times[0]) if first == 0 else _onset(hybrid, way, one, (times[first - 1], times[first]), interval)
            found.append(Violation(one.what, one.name, way.phase, begin, float(one.amount[passed].max())))
    return found + _slips_before_lift_off(hybrid, way, interval)


def _onset(hybrid: HybridProblem, way: Passage, measure: Measure, between: tuple[float, float], interval: float) -> float:
    """When a limit that is kept at the first of two times (s) and passed at the second is passed first, by halving."""
    kept, passed = map(float, between)
    while passed - kept > _EXACT:
        middle = 0.5 * (kept + passed)
        seen = measures(hybrid, way, observed(hybrid, way, np.array([middle])), interval)
        beyond = next((one.beyond[0] for one in seen if (one.what, one.name) == (measure.what, measure.name)), -1.0)
        kept, passed = (kept, middle) if beyond > 0.0 else (middle, passed)
    return passed


def measures(hybrid: HybridProblem, way: Passage, series: dict[str, np.ndarray], interval: float) -> Iterator[Measure]:
    """The limits of a passage along what was recorded of it; ``interval`` of records, s."""
    phase = way.phase
    held = hybrid.phases[phase].feet
    for foot in held:
        yield from _ground(hybrid, way, foot, series, interval)
    if not hybrid.phases.scuffing and not hybrid.problems[phase].compliant:  # compliant ground holds feet back itself
        contacts = contact_names(hybrid.problems[phase])
        for foot in (foot for foot in hybrid.feet.contacts if foot not in held):
            depth = -series["contact_gap"][:, contacts.index(foot)]
            yield Measure("depth in the ground (m)", foot, depth - _DEEP, depth)
    base = hybrid.model.compiled.reference_nv
    for number, name in enumerate(hybrid.model.compiled.coordinate_names[base:]):
        limit = float(hybrid.model.dof_constants[base + number, LIMIT])
        if np.isfinite(limit) and name not in hybrid.phases[phase].locked:
            torque, rate = series["joint_torque"][:, number], series["v"][:, base + number]
            fading = np.maximum(0.0, np.sign(torque) * rate) * float(hybrid.model.dof_constants[base + number, FADING])
            most = limit * np.maximum(0.0, 1.0 - fading) * (1.0 - _ROUND_OFF)
            yield Measure("torque at its limit (N m)", name, np.abs(torque) - most, np.abs(torque))


def _forces(way: Passage, foot: str, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Along the normal (n,) and along the ground (k, n), of a foot that holds, from the forces (n, m) along the rows, N."""
    rows = row_names(way.problem)["constraint"]
    along = [forces[:, rows.index(f"{foot}.{side}")] for side in ("first", "second") if f"{foot}.{side}" in rows]
    return forces[:, rows.index(f"{foot}.normal")], np.array(along)


def _ground(hybrid: HybridProblem, way: Passage, foot: str, series: dict[str, np.ndarray], interval: float) -> Iterator[Measure]:
    """Pull and slip of a foot that holds."""
    normal, along = _forces(way, foot, series["multiplier"])
    round_off, friction = _ROUND_OFF * way.problem.weight, hybrid.phases.friction
    yield Measure("pull on the ground (N)", foot, -normal - round_off, -normal)
    if friction is not None and len(along):
        size, judged = np.linalg.norm(along, axis=0), normal > round_off
        if _lifts_off(way, foot):
            judged &= series["times"] < way.end - interval
        beyond = np.where(judged, size - friction * normal * (1.0 + _ROUND_OFF), -1.0)
        yield Measure(_SLIP, foot, beyond, size / np.where(judged, normal, np.inf))


def _lifts_off(way: Passage, foot: str) -> bool:
    return isinstance(way.transition, LiftOff) and way.transition.foot == foot


def _slips_before_lift_off(hybrid: HybridProblem, way: Passage, interval: float) -> list[Violation]:
    """The impulse of the last ``interval`` (s) before a foot lifts off, where the cone of friction does not hold it."""
    begin, friction = max(way.begin, way.end - interval), hybrid.phases.friction
    if not isinstance(way.transition, LiftOff) or friction is None or not way.end > begin:
        return []
    foot, half = way.transition.foot, 0.5 * (way.end - begin)
    normal, along = _forces(way, foot, observed(hybrid, way, begin + half * (1.0 + _NODES))["multiplier"])
    if not len(along):
        return []
    pressed, pushed = half * float(normal @ _WEIGHTS), half * float(np.linalg.norm(along @ _WEIGHTS))
    if pushed <= friction * pressed * (1.0 + _ROUND_OFF) or pressed <= 0.0:  # what pulls is told as that
        return []
    return [Violation(_SLIP, foot, way.phase, begin, pushed / pressed)]


def joined_violations(found: Iterable[Violation]) -> list[Violation]:
    """One for each kind, foot and phase: the first time and the largest amount."""
    kept: dict[tuple[str, str, str], Violation] = {}
    for one in found:
        key = one.what, one.name, one.phase
        kept[key] = replace(kept[key], amount=max(kept[key].amount, one.amount)) if key in kept else one
    return sorted(kept.values(), key=lambda one: one.time)
