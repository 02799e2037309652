"""What a run brings to the arrays of another one: the numbers of its laws, of its robot and world, and where it begins.

A study of gaits has one robot and other amplitudes; then only the laws of a scenario are looked at. Robots that differ in masses
or lengths are built, each with all that follows from its parameters, and their arrays compared with those of the first: they must
have the same shapes, and the same whole numbers (which body is on which, which row is of what kind).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import typeof

from locodyn.errors import InputError
from locodyn.integrate.linear_modes import difference_speed
from locodyn.kernel.kept import WORD, flat_view
from locodyn.kernel.swap import Swap, swap_of, words_of
from locodyn.locomotion.arrays import DEPENDENT
from locodyn.locomotion.record import bodies_of
from locodyn.motion import Law
from locodyn.motion.table import law_numbers
from locodyn.sim.lending import is_plain
from locodyn.sim.seen_numbers import numbers_of
from locodyn.world.rows import LOOP

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.locomotion.series import Bodies
    from locodyn.sim.scenario import Scenario

_LAWS, _BODIES = "laws.", "bodies."


@dataclass(frozen=True, eq=False)
class Brought:
    """``words`` (w,) int64 of the arrays, positions ``q`` (nq,) and velocities ``v`` (nv,) of the start that is given."""

    words: np.ndarray
    q: np.ndarray
    v: np.ndarray


class SharedNumbers:
    """What scenarios like ``given`` bring to the arrays of ``problem``, that of its twin; ``bodies``: as its kernels see them."""

    def __init__(self, scenario: Scenario, problem: Problem) -> None:
        self._scenario, self.bodies = scenario, bodies_of(problem.model.compiled)
        self._problem, self._kind = problem, typeof(problem.arrays)
        fresh = scenario.changed().problem  # no step has written into its arrays
        self._numbers = _all(fresh, bodies_of(fresh.model.compiled))
        places = _all(problem, self.bodies)
        own = [path for path in places if places[path].itemsize == WORD]
        self._paths = [path for path in own if not path.startswith(_LAWS)]
        self._laws = [path for path in own if path.startswith(_LAWS)]
        self._views = [places[path] for path in (*self._paths, *self._laws)]
        self._robot = words_of([self._numbers[path] for path in self._paths])
        self._speed = difference_speed(problem.model.dof_constants)
        self._start = self._begin(scenario, problem)

    def swap(self) -> Swap:
        """The places of the words."""
        return swap_of((), self._views)

    def of(self, scenario: Scenario) -> Brought | None:
        """What a scenario brings along; None where it is another one in more than numbers."""
        ours, drive = self._scenario, scenario.drive
        if not is_plain(scenario) or drive.servo:
            return None
        if vars(scenario.recording) != vars(ours.recording) or vars(scenario.numerics) != vars(ours.numerics):
            return None
        if list(drive.imposed) != list(ours.drive.imposed) or list(drive.torque) != list(ours.drive.torque):
            return None
        laws = [*drive.imposed.values(), *drive.torque.values()]
        if not all(isinstance(law, Law) and not law.is_python for law in laws) or not _known(scenario):
            return None
        if not same_start(scenario, ours):
            return None
        is_same = scenario.compiled is ours.compiled and scenario.world.gravity == ours.world.gravity
        robot = self._robot if is_same else self._of_robot(scenario)
        told = {f"{_LAWS}{name}": row for name, row in law_numbers(laws).items()}  # type: ignore[arg-type]  # all are laws
        if robot is None or not self._fit(told, self._laws):
            return None
        alike = is_same and repr(scenario.start) == repr(ours.start) and isinstance(ours.start.positions, (dict, type(None)))
        start = self._start if alike else self._begin(scenario, self._problem if is_same else scenario.problem)
        return Brought(np.concatenate([robot, words_of([told[path] for path in self._laws])]), *start)

    def _of_robot(self, scenario: Scenario) -> np.ndarray | None:
        """Words of another robot, or of the same one in another world."""
        problem, ours, theirs = scenario.problem, self._scenario.compiled, scenario.compiled
        names = ("coordinate_names", "position_names", "body_names", "reference_body")
        if not can_share(problem) or any(getattr(theirs, name) != getattr(ours, name) for name in names):
            return None
        if typeof(problem.arrays) != self._kind or difference_speed(problem.model.dof_constants) != self._speed:
            return None
        told = _all(problem, bodies_of(theirs))
        if told.keys() != self._numbers.keys() or not self._fit(told, [path for path in told if path not in self._laws]):
            return None
        return words_of([told[path] for path in self._paths])

    def _fit(self, told: Mapping[str, np.ndarray], paths: list[str]) -> bool:
        """Whether arrays have the shapes of the first ones, and the same whole numbers."""
        for path in paths:
            new, old = told[path], self._numbers[path]
            if len(new) != len(old) or (old.dtype.kind == "i" and new.tobytes() != old.tobytes()):
                return False
        return True

    @staticmethod
    def _begin(scenario: Scenario, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities that are given."""
        q, v = scenario.start.state(problem.model, scenario.by_index(scenario.drive.imposed))  # laws
        return problem.model.normalised(q), v


def can_share(problem: Problem) -> bool:
    """Whether runs of a problem may go in one call with others: a robot of rigid bodies, on wheels at most."""
    compiled = problem.model.compiled
    if not problem.is_compiled or problem.memories.count or len(problem.contact.table) or problem.compliant:
        return False
    if compiled.has_rods or not compiled.total_mass or list(compiled.description.contacts):
        return False
    rows = problem.constraints.arrays
    if rows is None:
        return True
    held = rows.paths is not None or rows.rod_contacts is not None or (problem.drive == DEPENDENT).any()
    return not (held or any(row.kind == LOOP for row in problem.constraints.rows))


def same_start(one: Scenario, two: Scenario) -> bool:
    """Whether the same coordinates are given at both starts, by numbers, and nothing is to be found.

    By their names, then no imposed one among them; or all positions, or all velocities.
    """
    for what in ("positions", "velocities"):
        first, other = getattr(one.start, what), getattr(two.start, what)
        if type(first) is not type(other) or not isinstance(first, (dict, np.ndarray, type(None))):
            return False
        if not isinstance(first, dict):
            continue
        if list(first) != list(other) or not all(isinstance(value, (int, float)) for value in first.values()):
            return False
        if any(own == name or own.startswith(f"{name}.") for name in first for own in one.drive.imposed):
            return False
    starts = (one.start, two.start)
    found = (
        start.zero_momentum or start.equilibrium or start.resolve or start.adjust or start.keep or start.memory
        for start in starts
    )
    return not any(found)


def _all(problem: Problem, bodies: Bodies) -> dict[str, np.ndarray]:
    """All numbers that kernels see of a problem and of its bodies, as flat views by path."""
    of_bodies: dict[str, Any] = {one.name: flat_view(bodies, one.name) for one in fields(bodies)}
    return numbers_of(problem) | {f"{_BODIES}{name}": view for name, view in of_bodies.items()}


def _known(scenario: Scenario) -> bool:
    """Whether the laws are what a run asks for from its start to its end."""
    end = scenario.recording.t_end
    try:
        for name, law in (*scenario.drive.imposed.items(), *scenario.drive.torque.items()):
            law.require_known(name, 0.0, end)  # type: ignore[union-attr]  # all are laws
            if name in scenario.drive.imposed:
                law.require_twice_differentiable(name, 0.0, end)  # type: ignore[union-attr]
    except InputError:
        return False
    return True
