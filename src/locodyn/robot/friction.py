"""Friction of a surface: how the force along a contact follows the force across it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from locodyn.errors import DescriptionError, nearest

# Laws of friction: the set of forces of a set-valued law, or the smooth function that stands for it.
FRICTION_LAWS: dict[str, str] = {
    "coulomb": "set-valued: inside an ellipse at rest, on its edge and opposed to the motion in slip",
    "rectangle": "set-valued: one interval for each of the two directions, independent of each other",
    "regularised": "smooth: Coulomb's force times v / sqrt(v^2 + speed^2)",
    "arctan": "smooth: 2/pi arctan(v / speed) times the coefficient, in each direction by itself",
    "viscous": "smooth: the coefficients are in s/m and multiply normal force and speed",
}


@dataclass(frozen=True)
class Friction:
    """Coefficients of friction in the axes of the body that bears the surface.

    A surface that slides forward, along its direction, is held back by ``along`` times the normal force; backward by
    ``backward`` times, to the sides by ``across`` times. In between the forces lie on half ellipses and the slip velocity is
    normal to them: lambda_T = -A^2 gamma / |A gamma|, A = lambda_N diag(mu_x, mu_y) (Transeth 2007, 3.4.3).

    Parameters
    ----------
    along : float
        Isotropic if nothing else is said.
    across, backward : float, default as ``along``
    rolling : float
        Rolling friction: the moment about an axis in the tangent plane is at most ``rolling`` times the normal force times the
        radius of the surface.
    spinning : m
        Torsional friction: the moment about the normal is at most ``spinning`` times the normal force.
    law : str
        One of :data:`FRICTION_LAWS`.
    speed : m/s
        Of the smooth laws: the speed at which they reach about 2/3 of Coulomb's force.
    """

    along: float = 0.0
    across: float | None = None
    backward: float | None = None
    rolling: float = 0.0
    spinning: float = 0.0
    law: str = "coulomb"
    speed: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("across", "backward"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.along)
        for name in ("along", "across", "backward", "rolling", "spinning", "speed"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise DescriptionError(f"The friction {name} is {value!r}, but it must be a finite number.")
            if value < 0.0:
                raise DescriptionError(f"The friction {name} is {value:g}, but it must not be negative.")
            object.__setattr__(self, name, float(value))
        if self.law not in FRICTION_LAWS:
            raise DescriptionError(f"The friction law '{self.law}' is not known{nearest(self.law, FRICTION_LAWS)}")
        if self.speed == 0.0:
            raise DescriptionError(
                "The friction speed is 0, but a smooth law needs a positive one: its force changes sign over it."
            )
        if self.backward != self.along and self.law != "coulomb":
            raise DescriptionError(f"The friction law '{self.law}' knows no backward coefficient: only 'coulomb' has one.")

    @classmethod
    def of(cls, value: Friction | float | Sequence[float]) -> Friction:
        """Friction from a number (isotropic), a pair (along, across) or a :class:`Friction`."""
        if isinstance(value, Friction):
            return value
        if isinstance(value, Sequence):
            if len(value) != 2:
                raise DescriptionError(f"The friction is {value!r}, but it must be one number, or two: along and across.")
            return cls(value[0], value[1])
        return cls(value)
