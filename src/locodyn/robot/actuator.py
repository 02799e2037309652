"""What sits at a joint beside its geometry: rotor, gear, friction, spring, limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.values import scalar, whole
from locodyn.typing import Scalar


class ActuatorFields(TypedDict, total=False):
    """Arguments of :class:`Actuator`."""

    torque_limit: Scalar | Sequence[Scalar]
    no_load_speed: Scalar | Sequence[Scalar]
    armature: Scalar | Sequence[Scalar]
    gear: Scalar | Sequence[Scalar]
    viscous: Scalar | Sequence[Scalar]
    coulomb: Scalar | Sequence[Scalar]
    coulomb_speed: Scalar | Sequence[Scalar]
    stiffness: Scalar | Sequence[Scalar]
    rest: Scalar | Sequence[Scalar]
    time_constant: Scalar | Sequence[Scalar]
    bristles: Any


@dataclass(frozen=True, eq=False)
class Actuator:
    """The drive and the passive laws of a joint.

    Each value is one number for all degrees of freedom of the joint, or a tuple with one for each. The torque on the joint is
    ``-viscous v - coulomb v / sqrt(v^2 + coulomb_speed^2) - stiffness (q - rest)`` beside that of the drive; in a ball joint the
    deviation is the rotation vector from its zero position. Planar and free joints have no spring.

    Parameters
    ----------
    torque_limit : N m or N
        Largest magnitude of the drive's torque, at the joint.
    no_load_speed : rad/s or m/s
        Of the joint, at which an electric drive has no torque left to drive: its limit falls to zero in a straight line from
        standing still to this speed. Where it brakes it has all of it.
    armature : kg m^2 or kg
        Inertia of the rotor; the joint feels ``armature * gear**2``.
    gear : 1
        Gear ratio: turns of the rotor for one of the joint.
    viscous : N m s/rad or N s/m
    coulomb : N m or N
    coulomb_speed : rad/s or m/s
        Speed over which the dry friction changes its sign smoothly.
    stiffness : N m/rad or N/m
    rest : rad or m
        Position at which the spring has no torque.
    time_constant : s
        T with which the drive follows its command u: it gives z, T zdot = u - z, within its limit. 0: at once.
    bristles : LuGre
        Dry friction with bristles, :class:`~locodyn.world.laws.LuGre`, along each degree of freedom, beside the laws above.
    """

    torque_limit: Scalar | Sequence[Scalar] = math.inf
    no_load_speed: Scalar | Sequence[Scalar] = math.inf
    armature: Scalar | Sequence[Scalar] = 0.0
    gear: Scalar | Sequence[Scalar] = 1.0
    viscous: Scalar | Sequence[Scalar] = 0.0
    coulomb: Scalar | Sequence[Scalar] = 0.0
    coulomb_speed: Scalar | Sequence[Scalar] = 0.01
    stiffness: Scalar | Sequence[Scalar] = 0.0
    rest: Scalar | Sequence[Scalar] = 0.0
    time_constant: Scalar | Sequence[Scalar] = 0.0
    bristles: Any = None

    def __post_init__(self) -> None:
        for entry in self.numbers():
            value = getattr(self, entry.name)
            what = f"The {entry.name} of an actuator"
            if isinstance(value, (tuple, list, np.ndarray)) and np.ndim(value) == 1:
                value = tuple(scalar(v, what) for v in value)
            else:
                value = scalar(value, what)
            object.__setattr__(self, entry.name, value)

    @classmethod
    def numbers(cls) -> tuple[Any, ...]:
        """The fields that are numbers: all but the bristles."""
        return tuple(entry for entry in fields(cls) if entry.name != "bristles")

    def values(self, name: str, count: int, joint: str = "") -> tuple[Scalar, ...]:
        """The values of the field ``name``, one for each of ``count`` degrees of freedom."""
        value = getattr(self, name)
        if not isinstance(value, tuple):
            return (value,) * count
        if len(value) != count:
            raise DescriptionError(
                f"The {name} of the actuator of joint '{joint}' has {len(value)} values, "
                f"but the joint has {count} degrees of freedom."
            )
        return value

    def reflected_inertia(self, count: int, joint: str = "") -> tuple[Scalar, ...]:
        """Rotor inertia felt at the joint, ``armature * gear**2``, one for each degree of freedom."""
        pairs = zip(self.values("armature", count, joint), self.values("gear", count, joint), strict=True)
        return tuple(rotor * whole(gear) * whole(gear) for rotor, gear in pairs)
