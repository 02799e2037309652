"""What has been said about a surface that touches the ground in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.contact import Contact
from locodyn.robot.pose import Pose, pose_from, rotation_to_axis, unit_axis
from locodyn.robot.values import is_numeric, scalar, vector


@dataclass
class ContactDraft:
    """A disc (``axis`` and ``radius``), sphere (``radius``), ellipsoid (``semi_axes``) or foot (none of them)."""

    name: str
    at: Any = None
    radius: Any = None
    axis: Any = None
    crown: Any = None
    semi_axes: Any = None
    turned: Any = None
    normal: Any = "z"
    ground: Any = (0.0, 0.0, 0.0)
    slips: bool = False

    parameters = ("at", "radius", "axis", "crown", "semi_axes", "turned", "normal", "ground", "slips")

    @classmethod
    def of(cls, contact: Contact) -> ContactDraft:
        """The draft that builds ``contact`` again."""
        draft = cls(contact.name, contact.pose.position, normal=contact.normal, ground=contact.ground, slips=contact.slips)
        if contact.kind == "disc":
            draft.axis = contact.pose.rotation[:, 2].astype(float)
            draft.radius, draft.crown = _whole_radius(contact.semi_axes[0], contact.crown), contact.crown
        elif contact.kind == "sphere":
            draft.radius = contact.crown
        elif contact.kind == "ellipsoid":
            draft.semi_axes, draft.turned, draft.crown = contact.semi_axes, contact.pose.rotation, contact.crown
        return draft

    def built(self) -> Contact:
        """The contact."""
        what = f"contact '{self.name}'"
        if self.semi_axes is not None and (self.radius is not None or self.axis is not None):
            raise DescriptionError(f"The surface of {what} has semi-axes and a radius or an axis: give one of them.")
        if self.axis is not None and self.radius is None:
            raise DescriptionError(f"The disc of {what} has an axis but no radius: give the radius, in m.")
        crown = 0.0 if self.crown is None else scalar(self.crown, f"The crown radius of {what}")
        axes, kind, pose = np.zeros(3), "point", pose_from(self.at, self.turned, f"The place of {what}")
        if self.semi_axes is not None:
            kind, axes = "ellipsoid", vector(self.semi_axes, f"The semi-axes of {what}")
        elif self.radius is not None:
            radius = scalar(self.radius, f"The radius of {what}")
            if self.axis is not None:
                kind, axes = "disc", np.array([radius - crown, radius - crown, 0.0])
                pose = Pose(rotation_to_axis(unit_axis(self.axis, f"The axis of {what}")), pose.position)
            elif self.crown is not None:
                raise DescriptionError(f"The sphere of {what} has a crown radius: only a disc or an ellipsoid has.")
            else:
                kind, crown = "sphere", radius
        elif self.crown is not None:
            raise DescriptionError(f"The foot of {what} has a crown radius: say radius= for a round one.")
        normal = unit_axis(self.normal, f"The normal of the plane of {what}")
        return Contact(self.name, kind, pose, axes, crown, normal, self.ground, self.slips)


def _whole_radius(inner: Any, crown: Any) -> Any:
    """The radius from which the crown leaves ``inner``: their sum, or the number beside it where that is rounded otherwise."""
    whole = inner + crown
    if not is_numeric(whole):
        return whole
    near = (whole, np.nextafter(whole, np.inf), np.nextafter(whole, 0.0))
    return next((float(radius) for radius in near if radius - crown == inner), float(whole))
