"""The parts of a robot in the making: drafts of bodies, wrench laws and loops under names that differ, and what they give."""

from __future__ import annotations

from dataclasses import replace

from locodyn.errors import DescriptionError, InputError, nearest
from locodyn.robot.body import WrenchLaw
from locodyn.robot.building.drafts import Draft, LoopDraft, WheelDraft, WrenchDraft
from locodyn.robot.building.tie_draft import TieDraft
from locodyn.robot.checks.ground import check_wheel
from locodyn.robot.checks.validate import validate
from locodyn.robot.description import RobotDescription
from locodyn.robot.loop import Coupling, Loop
from locodyn.robot.pose import Pose, pose_from
from locodyn.robot.rods.load import spread_of
from locodyn.robot.tie import KINDS as TIES
from locodyn.robot.values import scalar


class Parts:
    """Drafts by name; :attr:`description` is built from them when it is asked for."""

    def __init__(self, name: str, *, massless_ok: bool = False, any_inertia: bool = False) -> None:
        self.name, self.massless_ok, self.any_inertia = str(name), massless_ok, any_inertia
        self._drafts: dict[str, Draft] = {}
        self._wrenches: dict[str, WrenchDraft] = {}
        self._loops: dict[str, LoopDraft] = {}
        self._couplings: dict[str, Coupling] = {}
        self._ties: dict[str, TieDraft] = {}
        self._built: RobotDescription | None = None

    @property
    def description(self) -> RobotDescription:
        """The validated description; an error says in one sentence what is missing or wrong."""
        if self._built is None:
            bodies = tuple(draft.built() for draft in self._drafts.values())
            wrenches = tuple(self._built_wrench(draft) for draft in self._wrenches.values())
            loops = tuple(self._built_loop(draft) for draft in self._loops.values())
            couplings = tuple(self._couplings.values())
            ties = tuple(
                sorted((draft.built(self) for draft in self._ties.values()), key=lambda tie: TIES.index(tie.words_of_kind))
            )
            parts = (bodies, wrenches, self.massless_ok, loops, self.any_inertia, couplings, ties)
            self._built = validate(RobotDescription(self.name, *parts))
        return self._built

    def remove(self, name: str) -> None:
        """Take a part out again: a wrench law, loop, coupling, cable or spring, or a body with all that it carries.

        With a body go the bodies on it, their markers, wheels and surfaces, the wheels that turn by their joints, and the wrench
        laws, loops, couplings, cables and springs that hold on to any of them. What stays keeps its names and its order, so that
        the robot is the one that never had the part. Handles of what has gone are of no use any more.
        """
        if name in self._drafts:
            self._remove_body(name)
        elif name in self._wrenches:
            del self._wrenches[name]
        elif name in self._loops:
            del self._loops[name]
        elif name in self._couplings:
            del self._couplings[name]
        elif name in self._ties:
            del self._ties[name]
        else:
            known = [*self._drafts, *self._wrenches, *self._loops, *self._couplings, *self._ties]
            raise InputError(
                f"Robot '{self.name}' has no body, wrench law, loop, coupling, cable or spring '{name}'{nearest(name, known)}"
            )
        self._touched()

    def _remove_body(self, name: str) -> None:
        if self._drafts[name].is_base:
            raise DescriptionError(f"Body '{name}' is the base of robot '{self.name}', which carries all others: it must stay.")
        gone = {name}
        while True:
            carried = {draft.name for draft in self._drafts.values() if draft.parent in gone} - gone
            if not carried:
                break
            gone |= carried
        joints = {self._drafts[body].joint_name or body for body in gone}
        points = gone | {marker for body in gone for marker in self._drafts[body].markers}
        for law in [law for law, draft in self._wrenches.items() if draft.body in points]:
            del self._wrenches[law]
        self._loops = {own: loop for own, loop in self._loops.items() if not {loop.first, loop.second} & points}
        self._couplings = {own: one for own, one in self._couplings.items() if not joints & set(one.factors)}
        self._ties = {own: tie for own, tie in self._ties.items() if not points & {end for end, _, _ in tie.ends}}
        self._drafts = {own: draft for own, draft in self._drafts.items() if own not in gone}
        for draft in self._drafts.values():
            draft.wheels = {own: wheel for own, wheel in draft.wheels.items() if wheel.coordinate not in joints}

    def _add_wheel(self, owner: Draft, wheel: WheelDraft) -> None:
        """Put a wheel on the body ``owner``, with a body of its own if it has inertia."""
        self._check_new_point(wheel.name, "wheel" if wheel.coordinate is None else "turning wheel")
        if wheel.has_inertia:
            if wheel.coordinate is not None:
                raise DescriptionError(
                    f"Wheel '{wheel.name}' has an inertia of its own and turns by joint '{wheel.coordinate}': give one of them."
                )
            wheel.coordinate = wheel.name
        check_wheel(wheel.built(), owner.name)
        if wheel.has_inertia:
            body = Draft(wheel.name, parent=owner.name, type="revolute")
            wheel.place(body)
            body.built_inertia()
            self._drafts[wheel.name] = body
        owner.wheels[wheel.name] = wheel
        self._touched()

    def _check_new_point(self, name: str, kind: str) -> None:
        """Refuse a name that is taken; a wheel that turns by the joint of a body may have the name of that body."""
        found = "body" if name in self._drafts and kind != "turning wheel" else None
        for draft in self._drafts.values():
            has = name in draft.markers or name in draft.wheels or name in draft.contacts or name in draft.collisions
            if not (has or draft.rod_contacts):
                continue  # as for most bodies: a long chain is said in no time
            rolls = name in draft.wheels and not (kind == "body" and draft.wheels[name].coordinate is not None)
            parts = [(name in draft.markers, "marker"), (rolls, "wheel"), (name in draft.contacts, "contact")]
            parts.append((name in draft.collisions, "surface"))
            parts.append((any(name == contact.name for contact in draft.rod_contacts), "contact"))
            found = found or next((what for taken, what in parts if taken), None)
        if found is not None:
            raise DescriptionError(
                f"Robot '{self.name}' already has a {found} '{name}': bodies, markers, wheels and contacts need different names."
            )

    def _marker(self, name: str | None) -> tuple[str | None, Pose]:
        """The body of a marker and its pose there; any other name as it is."""
        for body in self._drafts.values():
            if name in body.markers:
                return body.name, pose_from(*body.markers[name], f"Marker '{name}'")
        return name, Pose()

    def _built_wrench(self, draft: WrenchDraft) -> WrenchLaw:
        body, place = self._marker(draft.body)
        pose = place @ pose_from(draft.at, draft.turned, f"The place of wrench law '{draft.name}'")
        abscissa = None if draft.at_s is None else scalar(draft.at_s, f"The place of wrench law '{draft.name}' along its rod")
        return WrenchLaw(draft.name, str(body), pose, draft.law, abscissa, spread_of(draft.along, draft.profile))

    def _built_loop(self, draft: LoopDraft) -> Loop:
        loop = draft.built()
        (first, first_place), (second, second_place) = self._marker(loop.first), self._marker(loop.second)
        return replace(
            loop,
            first=None if first == "world" and "world" not in self._drafts else first,
            second=None if second == "world" and "world" not in self._drafts else second,
            first_pose=first_place @ loop.first_pose,
            second_pose=second_place @ loop.second_pose,
        )

    def _touched(self) -> None:
        self._built = None
