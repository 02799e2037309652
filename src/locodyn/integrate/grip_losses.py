"""Energy that contacts on rods take where they come, at the records of a run: ``impact_loss``.

Compiled steps sum it up and keep a log of the last impacts (:mod:`locodyn.locomotion.taking_hold`). Here the log is emptied
between two calls of them, and the sum is told at each record. It goes on in resumed runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.world.rod_places import INSTANT, LOGGED, RodContacts

if TYPE_CHECKING:
    from locodyn.integrate.fixed import Chunk
    from locodyn.integrate.steppers.base import Rows
    from locodyn.locomotion.problem import Problem


def coming_contacts(problem: Problem) -> RodContacts | None:
    """The contacts on rods, where some come, go around or may leave; None where all stay."""
    rows = problem.arrays.rows
    contacts = None if rows is None else rows.rod_contacts
    return contacts if contacts is not None and contacts.clock >= 0 else None


def missed_place(problem: Problem, times: np.ndarray) -> tuple[int, str] | None:
    """The first contact that came where its section was not, in the run that just ended with records at ``times`` (n,) s.

    Returns the number of the record before which it came, and a sentence, or None. Rows that hold would have put the body there.
    """
    contacts = coming_contacts(problem)
    if contacts is None or problem.constraints.arrays is None:
        return None
    limits = problem.constraints.arrays.position_limit[contacts.first_row]
    wrong = np.flatnonzero(contacts.missed[:, 1] > limits)
    if not len(wrong):
        return None
    c = int(wrong[np.argmin(contacts.missed[wrong, 0])])
    (time, apart), one = contacts.missed[c], problem.model.compiled.rod_contacts[c]
    return int(np.searchsorted(times, time - INSTANT)), (
        f"the {one.contact.kind} '{one.contact.name}' comes at t = {time:g} s, {apart:.3g} m or rad from its section of rod"
        f" '{one.body}'; give it no place, so that it takes hold where the section is, or a motion that brings the section there."
    )


class GripLosses:
    """What contacts take from a run that begins here, with what was lost before it."""

    def __init__(self, problem: Problem) -> None:
        self.contacts = coming_contacts(problem)
        self.times: list[float] = []
        self.sums = [] if self.contacts is None else [float(self.contacts.lost[0])]  # before the first impact, after each

    @property
    def most_steps(self) -> float:
        """Steps in one compiled call, so that its impacts are logged one by one."""
        return np.inf if self.contacts is None else LOGGED

    def look(self) -> None:
        """Take the impacts that have been logged since the last look."""
        if self.contacts is not None and self.contacts.logged:
            log = self.contacts.log[: self.contacts.logged]
            self.times += log[:, 0].tolist()
            self.sums += log[:, 1].tolist()
            self.contacts.logged = 0

    def watching(self, chunk: Chunk) -> Chunk:
        """The chunk, after which the log is emptied."""
        if self.contacts is None:
            return chunk

        def whole(first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
            try:
                return chunk(first, count, q, v, rows)
            finally:
                self.look()

        return whole

    def close(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """Energy (n,) J lost up to the records at ``times`` (n,) s, by the name of the contract; nothing where all stay."""
        if self.contacts is None:
            return {}
        self.look()
        return {"impact_loss": np.array(self.sums)[np.searchsorted(np.array(self.times), times + INSTANT, side="right")]}
