"""Checks of cables, springs and torsion springs."""

from __future__ import annotations

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.checks.basics import check_pose
from locodyn.robot.checks.ground import rigid_with
from locodyn.robot.description import RobotDescription
from locodyn.robot.tie import Hold, Tie


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
