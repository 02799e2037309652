"""The inertia of the fluid that a metre of rod moves along: added mass of sections, for slender rods in an ideal fluid.

Each section moves the fluid of its own plane (strip theory). With the momentum p = M eta of a metre of fluid, the force of the
fluid on the rod is that of Kirchhoff for each section, -d/dt p, Munk's moment -V x p among it. Lighthill's large-amplitude
elongated-body theory (1971) is this, and the force of the wake at the tail (:class:`locodyn.world.laws.Wake`):

    f = -d/dt (m w n) + d/ds (m u w n - m w^2 t / 2),      u, w: velocity along and across the rod

whose second term, integrated by parts along a rod that does not stretch, is Munk's moment -m u w per metre and the wake
m u w n - m w^2 t / 2 at the tail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.fluid import ellipse_added_mass, rectangle_added_mass, triple
from locodyn.robot.rods.section import Annulus, Circle, Ellipse, Rectangle, Section
from locodyn.robot.values import is_number
from locodyn.typing import Vector


@dataclass(frozen=True, eq=False)
class RodFluid:
    """What a rod moves along of the fluid around it, for each metre.

    Parameters
    ----------
    density : kg/m^3
        Of the fluid; the added masses are then those of the section, an ellipse, a circle, an annulus or a rectangle.
    added_mass : (3,) kg/m, or function of s (m) that gives it
        Instead of the density: along the rod (mostly 0), along y and along z of the section.
    added_inertia : (3,) kg m, or function of s
        About x, y and z of the section; with ``added_mass`` only.
    """

    density: float | None = None
    added_mass: Vector | Callable[[float], Vector] | None = None
    added_inertia: Vector | Callable[[float], Vector] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if (self.density is None) == (self.added_mass is None):
            raise DescriptionError("The fluid of a rod: give its density or added masses, one of them.")
        if self.density is not None and not (is_number(self.density) and 0.0 < self.density < float("inf")):
            raise DescriptionError(f"The density of the fluid of a rod is {self.density!r} kg/m^3; it must be positive.")
        for name in ("added_mass", "added_inertia"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                object.__setattr__(self, name, tuple(float(x) for x in triple(value, f"The {name.replace('_', ' ')} of a rod")))

    def matrix(self, s: float, section: Section | None) -> np.ndarray:
        """(6, 6), (linear; angular), in the axes of the section at s (m), which is asked for where a density is given."""
        if self.added_mass is not None:
            mass = self.added_mass(s) if callable(self.added_mass) else self.added_mass
            inertia = self.added_inertia(s) if callable(self.added_inertia) else self.added_inertia
            return np.diag([*triple(mass, "The added mass of a rod"), *triple(inertia, "The added inertia of a rod")])
        assert self.density is not None
        if isinstance(section, Ellipse):
            added = ellipse_added_mass(section.semi_y, section.semi_z, self.density)
        elif isinstance(section, (Circle, Annulus)):
            added = ellipse_added_mass(section.radius, section.radius, self.density)
        elif isinstance(section, Rectangle):
            added = rectangle_added_mass(0.5 * section.width, 0.5 * section.height, self.density)
        else:
            raise DescriptionError(
                f"The added mass of a {type(section).__name__} is not known: give added_mass= instead of the density."
            )
        (along_y, along_z, _), (_, _, about) = added
        return np.diag([0.0, along_y, along_z, about, 0.0, 0.0])


def slender_matrix(length: float, added_mass: Any, added_inertia: Any = (0.0, 0.0, 0.0), points: int = 40) -> np.ndarray:
    """Added-mass matrix (6, 6) of a rigid slender body along x, from s = 0 at its origin to ``length`` (m).

    ``added_mass`` (kg/m) and ``added_inertia`` (kg m) of its sections as of :class:`RodFluid`. For ``body.fluid(matrix=...)``.

    >>> slender_matrix(2.0, (0.0, 3.0, 3.0)).diagonal().round(6).tolist()
    [0.0, 6.0, 6.0, 0.0, 8.0, 8.0]
    """
    fluid = RodFluid(added_mass=added_mass, added_inertia=added_inertia)
    x, w = np.polynomial.legendre.leggauss(points)
    result = np.zeros((6, 6))
    for s, weight in zip(0.5 * length * (1.0 + x), 0.5 * length * w, strict=True):
        carry = np.eye(6)  # twist of the body -> twist of the section at s: v + w x (s, 0, 0)
        carry[1, 5], carry[2, 4] = s, -s
        result += weight * carry.T @ fluid.matrix(float(s), None) @ carry
    return result
