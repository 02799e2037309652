"""Can a robot stand where its start puts it? Checked before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.touching import FLAT

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

GAP = 1e-9  # m (or rad) that may be left between a contact and its plane


def check_upright(scenario: Scenario, q: np.ndarray) -> None:
    """:class:`InputError` when a disc lies flat in the configuration q (nq,): it has no lowest point."""
    for body, contact in scenario.compiled.description.contacts:
        axis = scenario.model.pose(body.name, q)[0] @ contact.pose.rotation[:, 2]
        if contact.kind == "disc" and abs(axis @ contact.normal) > FLAT:
            raise InputError(
                f"the wheel '{contact.name}' lies flat at the start: its axis is along the normal of the ground; turn it by at"
                " least 0.15 rad."
            )


def check_reach(scenario: Scenario, q: np.ndarray, adjust: Sequence[int]) -> None:
    """:class:`InputError` when the coordinates ``adjust`` cannot bring the contacts to the ground, or close the loops, from q."""

    problem, count = scenario.problem, scenario.compiled.nv
    if problem.constraints.arrays is None:
        return
    problem.settled(0.0, q, np.zeros(count), adjust, range(count))  # nothing else may move: what is left is the gap
    gaps = np.abs(problem.constraints.arrays.residual)
    worst = int(np.argmax(gaps))
    if not gaps[worst] <= GAP:
        name, moved = problem.constraints.names[worst].rsplit(".", 1)[0], ", ".join(scenario.start.adjust)
        raise InputError(
            f"'{name}' cannot be reached at the start by moving {moved} alone: {gaps[worst]:.3g} m (or rad) are left; name more"
            " coordinates in 'adjust', or none."
        )
