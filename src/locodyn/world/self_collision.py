"""Which bodies of a robot hit each other, and which are left out because a joint keeps them in touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.robot.body import Body
from locodyn.robot.compilation.compiled_parts import CompiledCollision
from locodyn.robot.description import RobotDescription

# Joints that hold a point of one body in the other one, or on a line of it: there the two are always in touch, and a contact
# between them would fight the joint. In planar, translating and free joints bodies move past each other and may hit.
TOUCHING = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "spherical")

Pair = tuple[str, str]
_Part = tuple[str, bool]  # a body, and whether the rod that holds it is meant instead of what is at its tip


@dataclass(frozen=True)
class SelfCollision:
    """Bodies of one robot hit each other, but for neighbours: bodies that a joint or a loop keeps in touch.

    Parameters
    ----------
    include : pairs of names of bodies
        That hit each other although they are neighbours.
    exclude : pairs of names of bodies
        That do not hit each other although they are not.
    """

    include: Sequence[Pair] = ()
    exclude: Sequence[Pair] = ()

    def __post_init__(self) -> None:
        for what in ("include", "exclude"):
            object.__setattr__(self, what, tuple(_pair(pair, what) for pair in _listed(getattr(self, what), what)))
        both = {frozenset(pair) for pair in self.include} & {frozenset(pair) for pair in self.exclude}
        if both:
            one, two = sorted(min(both, key=sorted))
            raise InputError(f"self_collision both includes and excludes the pair '{one}', '{two}'; choose one.")

    @classmethod
    def of(cls, value: bool | SelfCollision) -> SelfCollision | None:
        """What ``self_collision`` of a scenario means: ``None`` where bodies do not hit each other."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, bool):
            raise InputError(f"self_collision is {value!r}; it must be True, False or SelfCollision(include=, exclude=).")
        return cls() if value else None


def _listed(pairs: Any, what: str) -> list[Any]:
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(f"{what} of self_collision is {pairs!r}; it must be a list of pairs of bodies.")
    return list(pairs)


def _pair(pair: Any, what: str) -> Pair:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InputError(f"{what} of self_collision holds {pair!r}; it must hold pairs of names of bodies.")
    one, two = map(str, pair)
    if one == two:
        raise InputError(f"{what} of self_collision names '{one}' twice; a pair is two bodies.")
    return one, two


class BodyPairs:
    """The pairs of bodies with surfaces that may hit each other, and those left out.

    ``left_out``: (one, two) in the order of the robot -> why, in words. A rod never hits itself: (rod, rod).
    """

    def __init__(self, description: RobotDescription, choice: SelfCollision | None) -> None:
        self._bodies = {body.name: body for body in description.bodies}
        self._carriers = {name: self._carrier(name) for name in self._bodies}
        self._joined = self._joints(description)
        self._included = {frozenset(pair) for pair in choice.include} if choice else set()
        self._excluded = {frozenset(pair) for pair in choice.exclude} if choice else set()
        surfaces = [(body.name, one.kind == "rod") for body, one in description.collisions if one.kind != "support"]
        if choice is not None:
            self._check(choice, [name for name, _ in surfaces], description)
        self._why: dict[frozenset[_Part], str] = {}
        self.left_out: dict[Pair, str] = {}
        parts = list(dict.fromkeys(surfaces))
        for part in parts:
            if part[1] and choice is not None:
                self.left_out[part[0], part[0]] = "a rod does not hit itself"
        for one, two in combinations(parts, 2):
            why = "" if one[0] == two[0] else self._reason(one, two)
            if why:
                self._why[frozenset((one, two))] = why
            if why and choice is not None:
                self.left_out.setdefault((one[0], two[0]), why)

    def meet(self, one: CompiledCollision, two: CompiledCollision) -> bool:
        """Whether two surfaces may hit each other."""
        if one.body == two.body:
            return False
        parts = ((surface.body, surface.surface.kind == "rod") for surface in (one, two))
        return frozenset(parts) not in self._why

    def _reason(self, one: _Part, two: _Part) -> str:
        """Why two parts are left out; "" where they are not."""
        names = frozenset((one[0], two[0]))
        if names in self._excluded:
            return "excluded"
        if names in self._included:
            return ""
        if one[1] or two[1]:
            return self._beside_rod(one, two)
        first, second = self._carriers[one[0]], self._carriers[two[0]]
        return "fixed to each other" if first == second else self._joined.get(frozenset((first, second)), "")

    def _beside_rod(self, one: _Part, two: _Part) -> str:
        """A rod touches what holds it and what it holds, anywhere along it; bodies fixed to these may be far from it."""
        for (name, is_rod), (other, _) in ((one, two), (two, one)):
            joint = self._bodies[name].joint
            if is_rod and self._bodies[name].parent == other:
                return f"joint '{joint.name}', rod"
            joint = self._bodies[other].joint
            if is_rod and self._bodies[other].parent == name:
                return f"joint '{joint.name}', {joint.type}" if joint.type in (*TOUCHING, "rod") else ""
        return self._joined.get(frozenset((one[0], two[0])), "")

    def _carrier(self, name: str) -> str:
        """The body that a body is fixed to, through all fixed joints but those along a rod."""
        body: Body = self._bodies[name]
        while body.joint.type == "fixed" and body.parent is not None and not self._along_rod(body):
            body = self._bodies[body.parent]
        return body.name

    def _along_rod(self, body: Body) -> bool:
        """Whether its joint is on the rod that holds its parent, not at the tip."""
        return body.joint.abscissa is not None

    def _joints(self, description: RobotDescription) -> dict[frozenset[str], str]:
        """Carriers of bodies in touch -> by which joint or loop. The tip of a rod is not in touch with what holds the rod.

        Bodies that are nothing but a step between two joints (of a hip with three axes, say) keep what they join in touch.
        """
        found: dict[frozenset[str], str] = {}
        for body in description.bodies:
            step: Body | None = body
            while step is not None and step.parent is not None and step.joint.type in TOUCHING and not self._along_rod(step):
                pair = frozenset((self._carriers[body.name], self._carriers[step.parent]))
                found.setdefault(pair, f"joint '{body.joint.name}', {body.joint.type}")
                above = self._bodies[step.parent]
                step = above if above.mass == 0 and not above.collisions else None
        for loop in description.loops:
            if loop.first is not None and loop.second is not None and loop.type in TOUCHING:
                pair = frozenset((self._carriers[loop.first], self._carriers[loop.second]))
                found.setdefault(pair, f"loop '{loop.name}', {loop.type}")
        return found

    def _check(self, choice: SelfCollision, touching: list[str], description: RobotDescription) -> None:
        """Refuse pairs of bodies that are not there, have no surface, or never move in each other."""
        for pair in (*choice.include, *choice.exclude):
            for name in pair:
                if name not in self._bodies:
                    raise InputError(f"robot '{description.name}' has no body '{name}'{nearest(name, self._bodies)}")
                if name not in touching:
                    raise InputError(
                        f"self_collision names '{name}', which has no surface that could hit another body; give it one with"
                        " body.collides(...)."
                    )
        for one, two in choice.include:
            if self._carriers[one] == self._carriers[two]:
                raise InputError(
                    f"self_collision includes '{one}' and '{two}', which are fixed to each other and cannot hit; leave them out."
                )
