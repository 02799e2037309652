"""Whether a motion in phases is one that the ground allows: feet are pushed, not pulled, do not slip, do not scuff.

F_N >= 0,   |F_T| <= mu F_N     of feet that hold;      height >= 0     of the others;     |tau| within the actuator's limit
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.locomotion.record import contact_names
from locodyn.robot.layout import FADING, LIMIT

if TYPE_CHECKING:
    from locodyn.phases.hybrid_problem import HybridProblem

_ROUND_OFF = 1e-9  # relative
_DEEP = 1e-9  # m


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
        return f"{self.what} of '{self.name}' in phase '{self.phase}': {self.amount:.3g}, from t = {self.time:g} s on"


def violations(hybrid: HybridProblem, phase: str, series: dict[str, np.ndarray], rows: Sequence[str]) -> list[Violation]:
    """Those of the records of one passage; ``rows``: names of the columns of its multipliers."""
    times, found = series["times"], []
    held, friction = hybrid.phases[phase].feet, hybrid.phases.friction

    def note(what: str, name: str, amount: np.ndarray, limit: float = 0.0) -> None:
        beyond = np.flatnonzero(amount > limit)
        if len(beyond):
            found.append(Violation(what, name, phase, float(times[beyond[0]]), float(amount.max())))

    for foot in held:
        normal = series["multiplier"][:, rows.index(f"{foot}.normal")]
        along = [series["multiplier"][:, rows.index(f"{foot}.{way}")] for way in ("first", "second") if f"{foot}.{way}" in rows]
        note("pull on the ground (N)", foot, -normal, _ROUND_OFF * float(np.abs(normal).max()))
        if friction is not None and along:
            used = np.linalg.norm(along, axis=0) / np.maximum(normal, 1e-300)
            note("friction needed", foot, np.where(normal > 0.0, used, 0.0), friction * (1.0 + _ROUND_OFF))
    if not hybrid.phases.scuffing and not hybrid.problems[phase].compliant:  # compliant ground holds feet back itself
        contacts = contact_names(hybrid.problems[phase])
        for foot in hybrid.feet.contacts:
            if foot not in held:
                note("depth in the ground (m)", foot, -series["contact_gap"][:, contacts.index(foot)], _DEEP)
    base = hybrid.model.compiled.reference_nv
    for number, name in enumerate(hybrid.model.compiled.coordinate_names[base:]):
        limit = float(hybrid.model.dof_constants[base + number, LIMIT])
        if np.isfinite(limit) and name not in hybrid.phases[phase].locked:
            given, rate = series["joint_torque"][:, number], series["v"][:, base + number]
            fading = np.maximum(0.0, np.sign(given) * rate) * float(hybrid.model.dof_constants[base + number, FADING])
            cut = np.abs(given) >= limit * np.maximum(0.0, 1.0 - fading) * (1.0 - _ROUND_OFF)
            note("torque at its limit (N m)", name, np.where(cut, np.abs(given), -1.0))
    return found


def joined_violations(found: Iterable[Violation]) -> list[Violation]:
    """One for each kind, foot and phase: the first time and the largest amount."""
    kept: dict[tuple[str, str, str], Violation] = {}
    for one in found:
        key = one.what, one.name, one.phase
        kept[key] = replace(kept[key], amount=max(kept[key].amount, one.amount)) if key in kept else one
    return sorted(kept.values(), key=lambda one: one.time)
