"""Checks of surfaces that roll on a plane in space."""

from __future__ import annotations

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.checks.basics import TIGHT, check_distinct, check_finite, check_pose
from locodyn.robot.contact import CONTACT_KINDS, Contact
from locodyn.robot.description import RobotDescription
from locodyn.robot.values import is_numeric


def check_contact(contact: Contact, body: str) -> None:
    """A surface of positive size on a proper plane."""
    what = f"{CONTACT_KINDS[contact.kind].capitalize()} '{contact.name}' on '{body}'"
    check_pose(contact.pose, f"The place of contact '{contact.name}'")
    check_finite(contact.semi_axes, f"The semi-axes of contact '{contact.name}'")
    word = "radius" if contact.kind == "sphere" else "crown radius"
    check_finite(contact.crown, f"The {word} of contact '{contact.name}'")
    check_finite(contact.ground, f"The point of the plane of contact '{contact.name}'")
    if contact.normal.shape != (3,) or abs(np.linalg.norm(contact.normal) - 1.0) > TIGHT:
        raise DescriptionError(f"The normal of the plane of contact '{contact.name}' must be a unit vector of 3 numbers.")
    if is_numeric(contact.crown) and contact.crown < 0.0:
        raise DescriptionError(f"{what} has the {word} {contact.crown:g} m, but it must not be negative.")
    if not is_numeric(contact.semi_axes) or not is_numeric(contact.crown):
        return
    if contact.kind == "disc" and not contact.semi_axes[0] > 0.0:
        whole = contact.semi_axes[0] + contact.crown
        raise DescriptionError(
            f"{what} has the radius {whole:g} m, but it must be positive, and larger than its crown radius {contact.crown:g} m."
        )
    if contact.kind == "ellipsoid" and not np.all(contact.semi_axes > 0.0):
        raise DescriptionError(f"{what} has the semi-axes {contact.semi_axes.tolist()} m, but all must be positive.")
    if contact.kind == "sphere" and not contact.crown > 0.0:
        raise DescriptionError(f"{what} has the radius {contact.crown:g} m, but it must be positive.")


def check_contact_names(description: RobotDescription) -> None:
    """Contacts have names of their own among bodies, markers and wheels."""
    everything = [contact.name for _, contact in description.contacts] + [one.name for _, one in description.rod_contacts]
    check_distinct("contact", everything, description.name)
    taken = {name: "body" for name in description.body_names}
    taken |= {marker.name: "marker" for _, marker in description.markers}
    taken |= {wheel.name: "wheel" for _, wheel in description.wheels}
    for name in everything:
        if name in taken:
            raise DescriptionError(
                f"Robot '{description.name}' has a {taken[name]} and a contact named '{name}': names must differ."
            )
