"""What a run hands to the one that goes on from its last state, as one vector: ``Solution.history``.

A step takes more from the steps before it than the state: rank and order of settled constraint rows, where feet stand, torques
that a sampled controller holds, and what the method itself remembers (past accelerations; the unknowns and Newton's matrix of
implicit steps; the state between two records and the length of an adaptive step; warm start, detection and sums of hard
contact). All of it goes into the vector, bit by bit, so that a resumed run is the uninterrupted one. The rest of the arrays that
kernels write is scratch: a step fills it before it reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel.kept import Kept
from locodyn.locomotion.sampled_controller import SampledController

if TYPE_CHECKING:
    from locodyn.integrate.steppers.base import Stepper
    from locodyn.locomotion.problem import Problem

_REPORT = ("unconverged", "worst_residual", "deepest", "loop_gap", "friction_loss", "impact_loss", "damping_loss", "supplied")


def history_of(problem: Problem, stepper: Stepper) -> np.ndarray | None:
    """The vector at the end of a step that was recorded; None where the state is all that a step needs."""
    whole = np.concatenate([np.zeros(0), *memories_of(problem), stepper.kept().vector()])
    return whole if len(whole) else None


def recall(problem: Problem, history: np.ndarray | None) -> np.ndarray | None:
    """Put back what the problem remembered, after its controller has begun; what is left is the method's."""
    if history is None:
        return None
    history = np.asarray(history, dtype=float).ravel()
    sizes = [len(part) for part in memories_of(problem)]
    if len(history) < sum(sizes):
        raise wrong_length(len(history), sum(sizes))
    for part, size in zip(_owners(problem), sizes, strict=True):
        part.recall(history[:size])
        history = history[size:]
    return history if len(history) else None


def recall_method(kept: Kept, history: np.ndarray | None) -> None:
    """Put back what the method remembered, if anything is known of it."""
    if history is None:
        return
    if len(history) != kept.size:
        raise wrong_length(len(history), kept.size)
    kept.recall(history)


def _owners(problem: Problem) -> list[Kept | SampledController]:
    owners: list[Kept | SampledController] = [problem.constraints.kept()] if problem.constraints.rows else []
    if isinstance(problem.controller, SampledController):
        owners.append(problem.controller)
    return owners


def memories_of(problem: Problem) -> list[np.ndarray]:
    """What the rows and the controller of a problem remember."""
    return [one.vector() if isinstance(one, Kept) else one.memory() for one in _owners(problem)]


def contact_kept(problem: Problem) -> Kept:
    """What hard contact remembers at a record, where the sums since the record before are zero: all that a step reads first.

    Warm start; sums; what detection has seen, and when it looks again; impulses of the last step, which Newton's method goes on
    from; and with them what a controller needs that feels the forces of the last step.
    """
    contacts = problem.contact.arrays
    crowd = ((contacts.broad, ("candidates", "candidate", "margin", "place")),) if contacts.broad.used else ()
    return Kept.of(
        *crowd,
        (contacts.warm, ("steps",)),
        (contacts, ("closed",)),
        (contacts.report, _REPORT),
        (contacts.warm, ("step", "force", "force_change", "acceleration")),
        (contacts.detection, ("travel", "due", "poses")),
        (contacts, ("impulse", "pair", "basis", "scales", "known_radius")),
    )


def wrong_length(have: int, need: int) -> InputError:
    """A history of another robot, or of a file from another version."""
    return InputError(
        f"the history of the run has {have} numbers, but this robot needs {need}: it is of another robot or another version;"
        " run the scenario anew from t = 0."
    )
