"""A way through a graph of phases that closes: the phases of a stride in their order, and the transitions between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.transition import LiftOff, Reaches, Touchdown, Transition, exchanges, landed
from locodyn.robot.layout import CODE, FREE, PLANAR, SPHERICAL
from locodyn.walking.known_robot import check_known
from locodyn.walking.step_model import check_point


@dataclass(frozen=True)
class Leg:
    """One phase of a path.

    ``transition`` that ends it; ``turn`` (nv, nv): what it does to the names of coordinates, with signs. ``feet`` that hold;
    ``after``: those that hold after it, by the names before it; ``lands`` and ``leaves``: which of them are new, and no longer;
    ``locks``: joints that begin to be locked, by the names before it. ``directions``: of each foot the axes (3, k) along which it
    can be pushed.
    """

    phase: str
    transition: Transition
    turn: np.ndarray
    feet: tuple[str, ...]
    after: tuple[str, ...]
    lands: tuple[str, ...]
    leaves: tuple[str, ...]
    locks: tuple[str, ...]

    @property
    def has_impact(self) -> bool:
        """Whether velocities jump."""
        return bool(self.lands or self.locks)


class PhasePath:
    """The phases of a stride; with a mirror half a stride is enough.

    Parameters
    ----------
    hybrid : HybridProblem
    names : of phases, in their order
        From the last one a transition leads to the first, or to the mirror image of it.
    """

    def __init__(self, hybrid: HybridProblem, names: Sequence[str]) -> None:
        self.hybrid, model = hybrid, hybrid.model
        if any(code in (FREE, PLANAR, SPHERICAL) for code in model.frames[:, CODE]):
            raise InputError(
                f"robot '{model.compiled.name}' has a joint of several axes; gaits are designed for robots whose coordinates are"
                " angles and slides: carry the base by joints of one axis."
            )
        check_known(model)
        self.names = (names,) if isinstance(names, str) else tuple(names)
        if not self.names:
            raise InputError("the path has no phase; name the phases of a stride in their order.")
        if not hybrid.feet.contacts:
            raise InputError(f"robot '{model.compiled.name}' has no foot; give it point feet: body.foot(at=...).")
        for contact in hybrid.feet.contacts.values():
            check_point(contact)
        self.mirrored = False
        self.legs = [self._leg(number) for number in range(len(self.names))]
        self.directions = {name: self._directions(name) for name in hybrid.feet.contacts}

    def _leg(self, number: int) -> Leg:
        """The phase of this number and the transition to the next one."""
        name, hybrid = self.names[number], self.hybrid
        if name not in hybrid.problems:
            raise InputError(f"the path names the phase '{name}', which does not exist; phases are {', '.join(hybrid.problems)}.")
        last = number + 1 == len(self.names)
        targets = [self.names[0]] if last else [self.names[number + 1]]
        if last and hybrid.phases.mirror is not None:
            targets += [other for other in hybrid.phases if self._is_image(other)]
        ways = [one for target in targets for one in hybrid.phases.out_of(name) if one.target == target]
        if not ways:
            image = " or its mirror image" if len(targets) > 1 else ""
            raise InputError(
                f"no transition leads from phase '{name}' to '{targets[0]}'{image}; the path must follow transitions and close."
            )
        way = ways[0]
        if not isinstance(way, (Touchdown, LiftOff, Reaches)):
            raise InputError(f"phase '{name}' is ended by a function of your own, which has no exact derivatives; end it by a"
                             " Touchdown, LiftOff or Reaches.")  # fmt: skip
        turned = exchanges(way)
        if last and way.target != self.names[0]:
            self.mirrored = True
            turned = not turned
        turn = hybrid.mirror_matrices[1] if turned else np.eye(hybrid.model.nv)
        phase, target = hybrid.phases[name], hybrid.phases[way.target]
        after = hybrid.after(way)
        lands, leaves = landed(phase.feet, after)
        locks = hybrid.mirrored_locks(target) if exchanges(way) else target.locked
        new = tuple(joint for joint in locks if joint not in phase.locked)
        return Leg(name, way, turn, tuple(phase.feet), after, tuple(lands), tuple(leaves), new)

    def _is_image(self, name: str) -> bool:
        """Whether a phase is the mirror image of the first one."""
        mirror, phases = self.hybrid.phases.mirror, self.hybrid.phases
        assert mirror is not None
        one, two = phases[self.names[0]], phases[name]
        return name != self.names[0] and {mirror.other_foot(foot) for foot in one.feet} == set(two.feet)

    def images(self) -> list[str | None]:
        """The phases of the other half of the stride, one for each; None where the path is the whole of it."""
        if not self.mirrored:
            return [None] * len(self.legs)
        phases, mirror = self.hybrid.phases, self.hybrid.phases.mirror
        assert mirror is not None
        found = [self.legs[-1].transition.target]
        for leg in self.legs[1:]:
            feet = {mirror.other_foot(foot) for foot in leg.feet}
            found.append(next(one.target for one in phases.out_of(found[-1]) if set(phases[one.target].feet) == feet))
        return list(found)

    def _directions(self, foot: str) -> np.ndarray:
        """Axes (3, k) of the plane of a foot along which it can move, the normal last: two for a robot in a plane."""
        hybrid, model = self.hybrid, self.hybrid.model
        rng = np.random.default_rng(0)
        moved = np.zeros((3, model.nv))
        for _ in range(2):
            q = model.neutral() + rng.uniform(-0.5, 0.5, model.nq)
            moved += np.abs([hybrid.feet.motion(foot, q, unit, np.zeros(model.nv))[0] for unit in np.eye(model.nv)]).T
        plane = np.asarray(hybrid.feet.contacts[foot].plane, dtype=float)
        sizes = np.abs(plane.T) @ moved.max(axis=1)
        return plane[:, sizes > 1e-9 * sizes.max()]

    def shifts(self) -> list[int]:
        """Numbers of the coordinates that shift the whole robot along the floor."""
        from locodyn.phases.poincare import PoincareMap

        shifts = PoincareMap(self.hybrid, self.names[0]).shifts(self.hybrid.model.neutral())
        off = np.eye(self.hybrid.model.nv) - shifts @ np.linalg.pinv(shifts) if shifts.size else np.eye(self.hybrid.model.nv)
        return [i for i in range(self.hybrid.model.nv) if np.abs(off[:, i]).max() < 1e-9]
