"""Friction of collision shapes in URDF, which has no tag of its own for it: those that programs have added, read and written.

Bullet puts ``<contact>`` into a link (``<lateral_friction value="0.8"/>``, rolling and spinning friction in m, restitution),
Gazebo ``<mu1>`` and ``<mu2>`` into ``<gazebo reference="LINK">``, Drake ``<drake:proximity_properties>`` with
``<drake:mu_dynamic>`` into a collision. Of several, the one closest to the shape counts: Drake's, then Bullet's, then Gazebo's.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from locodyn.files.notes import Notes
from locodyn.files.xml_reader import error_at
from locodyn.files.xml_writer import element
from locodyn.robot import Friction
from locodyn.robot.collision import Collision

DRAKE = "http://drake.mit.edu"
USUAL = 1.0  # friction of surfaces whose file says none
_BULLET = {
    "lateral_friction": "sliding",
    "rolling_friction": "rolling",
    "spinning_friction": "spinning",
    "restitution": "restitution",
}


@dataclass(frozen=True)
class Touch:
    """What a file says of a surface: friction along x and y of its link, rolling and spinning (m), restitution."""

    sliding: float | None = None
    across: float | None = None
    rolling: float = 0.0
    spinning: float = 0.0
    restitution: float = 0.0

    def slides(self, sliding: float) -> Touch:
        """The same with another friction in all directions; where the number is not another one, that across stays."""
        return self if sliding == self.sliding else replace(self, sliding=sliding, across=None)

    def friction(self, radius: float, about: str, notes: Notes) -> Friction:
        """As a robot has it, for a surface of this radius (m)."""
        if self.rolling and not radius:
            notes.lost(about, "rolling friction of a surface with corners")
        along = USUAL if self.sliding is None else self.sliding
        return Friction(along, across=self.across, rolling=self.rolling / radius if radius else 0.0, spinning=self.spinning)


def read_touches(root: Any, file: Path) -> dict[Any, Touch]:
    """What each collision element (lxml) has; what was read is taken out of the tree."""
    links: dict[str, Touch] = {}
    for gazebo in root.findall("gazebo"):
        found = [(child, _value(child, file)) for child in list(gazebo) if child.tag in ("mu1", "mu2")]
        if gazebo.get("reference") is not None and found:
            both = [number for _, number in sorted(found, key=lambda one: one[0].tag)]
            links[gazebo.get("reference")] = Touch(both[0], both[-1])
            _remove(gazebo, [child for child, _ in found])
    touches: dict[Any, Touch] = {}
    for link in root.findall("link"):
        own = links.get(link.get("name"), Touch())
        for contact in link.findall("contact"):
            read = [child for child in list(contact) if child.tag in _BULLET]
            numbers = {_BULLET[child.tag]: _value(child, file) for child in read}
            sliding = numbers.pop("sliding", None)
            own = replace(own if sliding is None else own.slides(sliding), **numbers)
            if read:
                _remove(contact, read)
        touches |= {shape: _of_shape(shape, own, file) for shape in link.findall("collision")}
    return touches


def by_link(root: Any, touches: dict[Any, Touch]) -> dict[str, list[Touch]]:
    """For each link by name what the collision shapes have that are still in the tree, in their order."""
    return {
        link.get("name"): [touches.get(shape, Touch()) for shape in link.findall("collision")] for link in root.findall("link")
    }


def _of_shape(shape: Any, own: Touch, file: Path) -> Touch:
    """What Drake says of a collision shape, else what the link has."""
    for properties in [child for child in list(shape) if _plain(child) == "proximity_properties"]:
        found = {_plain(child): child for child in list(properties) if _plain(child) in ("mu_static", "mu_dynamic")}
        if found:
            chosen = found.get("mu_dynamic", found.get("mu_static"))
            own = own.slides(_value(chosen, file))
            _remove(properties, list(found.values()))
    return own


def _plain(child: Any) -> str:
    """A tag without its namespace."""
    return str(child.tag).rpartition("}")[2].rpartition(":")[2]


def _remove(parent: Any, children: list[Any]) -> None:
    for child in children:
        parent.remove(child)
    if not len(parent):
        parent.getparent().remove(parent)


def _value(child: Any, file: Path) -> float:
    text = child.get("value", child.text or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0.0 or not math.isfinite(value):
        raise error_at(child, file, f"<{_plain(child)}> is '{text}'; it must be a number that is not negative.")
    return value


# -------------------------------------------------------------------------------------------------------------------- writing
def write_touch(shape: ET.Element, surface: Collision, notes: Notes) -> None:
    """Put the friction of a surface into its collision, as Drake reads it, and note what is not said by one number."""
    friction, about = surface.friction, f"surface '{surface.name}'"
    properties = element(shape, f"{{{DRAKE}}}proximity_properties")
    for name in ("mu_static", "mu_dynamic"):
        element(properties, f"{{{DRAKE}}}{name}", value=friction.along)
    if friction.law != "coulomb":
        notes.changed(about, f"its friction is {friction.law}; URDF has Coulomb's")


def write_link_touch(root: ET.Element, link: ET.Element, surfaces: Sequence[Collision], notes: Notes) -> None:
    """The same for Bullet and Gazebo, which have one friction for all shapes of a link."""
    numbers = {_numbers(one) for one in surfaces}
    if not numbers:
        return
    sliding, across, rolling, spinning, restitution = max(numbers)
    for one in surfaces:
        if one.friction.backward != one.friction.along:
            notes.lost(f"surface '{one.name}'", "friction backward: URDF has one number for both ways")
        if one.friction.across != one.friction.along and abs(one.direction[0]) < 1.0:
            notes.lost(f"surface '{one.name}'", "the direction of its friction: along x of the link in the file")
    if len(numbers) > 1:
        text = "its surfaces differ in friction or restitution; Bullet and Gazebo, which have one for all, get the largest"
        notes.changed(f"link '{link.get('name')}'", text)
    contact = element(link, "contact")
    element(contact, "lateral_friction", value=sliding)
    for tag, value in (("rolling_friction", rolling), ("spinning_friction", spinning), ("restitution", restitution)):
        if value:
            element(contact, tag, value=value)
    gazebo = element(root, "gazebo", reference=str(link.get("name")))
    element(gazebo, "mu1").text = repr(sliding)
    element(gazebo, "mu2").text = repr(across)


def _numbers(one: Collision) -> tuple[float, ...]:
    friction = one.friction
    across = friction.along if friction.across is None else friction.across
    return friction.along, across, friction.rolling * one.radius, friction.spinning, one.restitution
