"""What a run through phases tells of itself: its transitions, and what the ground would not have allowed."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

from locodyn.phases.admissibility import Violation, joined_violations

if TYPE_CHECKING:
    import xarray


class AdmissibilityWarning(UserWarning):
    """The ground would not have allowed a motion through phases: a foot would be pulled, slip or scuff; a torque was cut off."""


def note_violations(dataset: xarray.Dataset) -> None:
    """A warning for the first entry of the attribute ``violations``; each has kind, foot, phase, first time and amount."""
    found = [Violation(**one) for one in json.loads(dataset.attrs.get("violations", "[]"))]
    if not found:
        return
    more = f"; {len(found) - 1} more in the attribute 'violations'" if len(found) > 1 else ""
    warnings.warn(f"the gait is not admissible: {found[0]}{more}.", AdmissibilityWarning, stacklevel=4)


def join_phases(before: xarray.Dataset, whole: xarray.Dataset) -> None:
    """Transitions and violations of both stretches of a resumed run in the attributes of the whole."""
    if "transitions" not in before.attrs:
        return
    changes = [*json.loads(before.attrs["transitions"]), *json.loads(whole.attrs["transitions"])]
    found = [Violation(**one) for part in (before, whole) for one in json.loads(part.attrs["violations"])]
    whole.attrs["transitions"] = json.dumps(changes)
    whole.attrs["violations"] = json.dumps([one.plain() for one in joined_violations(found)])
