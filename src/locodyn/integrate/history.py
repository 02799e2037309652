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
from locodyn.locomotion.sampled_controller import SampledController

if TYPE_CHECKING:
    from locodyn.integrate.steppers.base import Stepper
    from locodyn.locomotion.constraints import Constraints
    from locodyn.locomotion.problem import Problem

_REPORT = ("unconverged", "worst_residual", "deepest", "loop_gap", "friction_loss", "impact_loss", "damping_loss", "supplied")


def history_of(problem: Problem, stepper: Stepper) -> np.ndarray | None:
    """The vector at the end of a step that was recorded; None where the state is all that a step needs."""
    own = stepper.history()
    parts = memories_of(problem) + ([] if own is None else [own.ravel()])
    whole = np.concatenate([np.zeros(0), *parts])
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


def _owners(problem: Problem) -> list[Constraints | SampledController]:
    owners: list[Constraints | SampledController] = [problem.constraints] if problem.constraints.rows else []
    if isinstance(problem.controller, SampledController):
        owners.append(problem.controller)
    return owners


def memories_of(problem: Problem) -> list[np.ndarray]:
    """What the rows and the controller of a problem remember."""
    return [one.memory() for one in _owners(problem)]


def contact_history(problem: Problem) -> np.ndarray:
    """What hard contact remembers at a record, where the sums since the record before are zero."""
    contacts = problem.contact.arrays
    numbers = [contacts.warm.steps, contacts.closed, *(getattr(contacts.report, name) for name in _REPORT)]
    return np.concatenate([np.array(numbers, dtype=float), *(array.ravel() for array in _contact_arrays(problem))])


def recall_contact(problem: Problem, history: np.ndarray | None) -> None:
    """What :func:`contact_history` gave."""
    if history is None:
        return
    contacts, arrays = problem.contact.arrays, _contact_arrays(problem)
    first = 2 + len(_REPORT)
    size = first + sum(array.size for array in arrays)
    if len(history) != size:
        raise wrong_length(len(history), size)
    contacts.warm.steps, contacts.closed, contacts.report.unconverged = (int(number) for number in history[:3])
    for name, number in zip(_REPORT[1:], history[3:first], strict=True):
        setattr(contacts.report, name, float(number))
    for array in arrays:
        array[...] = history[first : first + array.size].reshape(array.shape)
        first += array.size


def _contact_arrays(problem: Problem) -> tuple[np.ndarray, ...]:
    """The arrays of hard contact that a step reads before it writes them.

    Warm start; what detection has seen, and when it looks again; impulses of the last step, which Newton's method goes on from;
    and with them what a controller needs that feels the forces of the last step.
    """
    contacts = problem.contact.arrays
    look, warm = contacts.detection, contacts.warm
    start = (warm.step, warm.force, warm.force_change, warm.acceleration)
    felt = (contacts.pair, contacts.basis, contacts.scales, contacts.known_radius)
    return (*start, look.travel, look.due, look.poses, contacts.impulse, *felt)


def wrong_length(have: int, need: int) -> InputError:
    """A history of another robot, or of a file from another version."""
    return InputError(
        f"the history of the run has {have} numbers, but this robot needs {need}: it is of another robot or another version;"
        " run the scenario anew from t = 0."
    )
