"""Checks of what pulls: tendons along rods; cables, springs and torsion springs between bodies."""

from __future__ import annotations

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.checks.basics import check_pose
from locodyn.robot.checks.ground import rigid_with
from locodyn.robot.description import RobotDescription
from locodyn.robot.layout import SPRING, TENDON
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.section import STRAINS
from locodyn.robot.rods.strand import Strand
from locodyn.robot.tie import Hold, Tie

_PLACES = 9
_ROUND_OFF = 1e-9


def check_strand(strand: Strand, rod: Rod, owner: str) -> None:
    """Refuse a tendon that works along no strain of the rod: all that it would change keep their values at rest.

    The stress of a unit tension is (u; D x u) along the strains, u the direction of the tendon in the section at D.
    """
    if strand.kind not in (TENDON, SPRING):
        return
    end = rod.length if strand.end is None else strand.end
    stress = np.zeros(6)
    for s in np.linspace(strand.start, end, _PLACES):
        rest = rod.rest(np.array([s]))[0]
        place = strand.place(float(s))
        along = rest[:3] + np.cross(rest[3:], place) + strand.slope(float(s), rod.length)
        unit = along / np.linalg.norm(along)
        stress = np.maximum(stress, np.abs([*unit, *np.cross(place, unit) / rod.length]))
    needed = stress > _ROUND_OFF
    if not np.any(needed & (np.array(rod.modes) > 0)):
        names = [name.replace("_", " ") for name, needs in zip(STRAINS, needed, strict=True) if needs]
        raise DescriptionError(
            f"Tendon '{strand.name}' works along {' and '.join(names)} of rod '{owner}', which has no functions for them, so that"
            " it would do nothing; give the rod some, or the tendon another offset."
        )


def check_tie(tie: Tie, description: RobotDescription) -> None:
    """Numbers that fit together, on points that move over each other."""
    tie.check()
    what = f"{tie.words_of_kind.capitalize()} '{tie.name}'"
    for hold in tie.holds:
        _check_hold(hold, what, description)
    rigid = {(rigid_with(hold.body, description), hold.abscissa) for hold in tie.holds}
    if len(rigid) == 1:
        raise DescriptionError(f"{what} holds on to points that are fixed to each other: it needs points that move.")


def _check_hold(hold: Hold, what: str, description: RobotDescription) -> None:
    if hold.body is not None and hold.body not in description.body_names:
        known = [*description.body_names, *(marker.name for _, marker in description.markers), "world"]
        raise DescriptionError(f"{what} holds on to '{hold.body}', which is not a body or marker{nearest(hold.body, known)}")
    check_pose(hold.pose, what)
    if hold.abscissa is None:
        return
    rod = None if hold.body is None else description.body(hold.body).joint.rod
    if rod is None:
        raise DescriptionError(f"{what} holds on to s = {hold.abscissa:g} m of '{hold.body}', which is not a rod.")
    if not 0.0 <= hold.abscissa <= rod.length * (1.0 + 1e-9):
        raise DescriptionError(
            f"{what} holds on to s = {hold.abscissa:g} m of rod '{hold.body}'; it must lie between 0 and {rod.length:g} m."
        )
