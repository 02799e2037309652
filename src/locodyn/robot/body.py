"""Bodies and the named points on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from locodyn.robot.actuator import Actuator
from locodyn.robot.collision import Collision
from locodyn.robot.contact import Contact
from locodyn.robot.inertia import Inertia
from locodyn.robot.joint import Joint
from locodyn.robot.pose import Pose
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.rods.load import Spread
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.strand import Strand
from locodyn.robot.wheel import Wheel


@dataclass(frozen=True, eq=False)
class Marker:
    """A named frame on a body: where something is measured, held or touched. ``pose`` is in the frame of the body."""

    name: str
    pose: Pose = field(default_factory=Pose)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body with the joint that holds it.

    Parameters
    ----------
    name : str
    inertia : Inertia
        Mass, centre and tensor in the frame of the body.
    parent : str or None
        Name of the body that the joint is on; ``None``: the world, for the reference body.
    joint : Joint
    shape : shape or None
        What the body looks like, see :mod:`locodyn.robot.shapes`; placed in the frame of the body.
    actuator : Actuator or None
        Drive, friction and spring of the joint.
    markers : tuple of Marker
    wheels : tuple of Wheel
        Where it touches the ground and stays upright on it, see :mod:`locodyn.robot.wheel`.
    contacts : tuple of Contact
        Surfaces that roll on the ground in space, see :mod:`locodyn.robot.contact`.
    fluid : (6, 6) or None
        Inertia of the fluid that it moves along, see :mod:`locodyn.robot.fluid`.
    unbounded : bool
        Whether that is the inertia of an unbounded fluid, which holds deep under water only.
    strands : tuple of Strand
        Tendons and chambers of the rod that holds it, see :mod:`locodyn.robot.rods.strand`.
    collisions : tuple of Collision
        Surfaces that hit, stick and slide, see :mod:`locodyn.robot.collision`.
    rod_contacts : tuple of RodContact
        Anchors, sleeves and pegs on the rod that holds it, see :mod:`locodyn.robot.rods.contact`.
    """

    name: str
    inertia: Inertia
    parent: str | None
    joint: Joint
    shape: Any = None
    actuator: Actuator | None = None
    markers: tuple[Marker, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    contacts: tuple[Contact, ...] = ()
    fluid: Any = None
    strands: tuple[Strand, ...] = ()
    collisions: tuple[Collision, ...] = ()
    rod_contacts: tuple[RodContact, ...] = ()
    unbounded: bool = False

    @property
    def mass(self) -> Any:
        """Mass of the body, and of the rod that holds it, kg."""
        return self.inertia.mass if self.joint.rod is None else self.inertia.mass + self.joint.rod.mass


@dataclass(frozen=True, eq=False)
class WrenchLaw:
    """A law that acts on a body at a point: ``law`` is an object of :mod:`locodyn.world`.

    ``pose`` is the frame in which the law gives its wrench, in the frame of the body. On a rod the law may act at the
    ``abscissa`` (m) instead of the tip, or for each metre of the stretch ``spread``; the pose is then one in the sections.
    """

    name: str
    body: str
    pose: Pose
    law: Any
    abscissa: float | None = None
    spread: Spread | None = None

    def places(self, rod: Rod | None) -> list[tuple[float, float]]:
        """(s, share of the law) along the rod of its body; none where it acts on the body itself."""
        if rod is None:
            return []
        if self.spread is not None:
            return self.spread.points(rod)
        return [] if self.abscissa is None else [(float(self.abscissa), 1.0)]
