"""A servo: an actuator whose force follows the distance of its coordinate from a target."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, LawLike, as_law, constant, polynomial


@dataclass(frozen=True, eq=False)
class Servo:
    """tau = stiffness (r_d - r) + damping (rdot_d - rdot), kept within the limit of the actuator.

    Parameters
    ----------
    target : Law, number or function of time
        r_d(t), rad or m.
    stiffness, damping : N m/rad, N m s/rad (N/m, N s/m for a sliding joint)
        They may be negative: a bicycle is steered by a spring that pushes away from its target. Without stiffness the servo
        follows the velocity of its target alone.
    begins : s
        When it is switched on; it does nothing before. Later than 0 only with the integrator ``moreau``.
    """

    target: LawLike
    stiffness: float = 0.0
    damping: float = 0.0
    begins: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", as_law(self.target))
        for name in ("stiffness", "damping", "begins"):
            try:
                value = float(getattr(self, name))
            except (TypeError, ValueError):
                value = math.nan
            if not math.isfinite(value):
                raise InputError(f"the {name} of a servo is {getattr(self, name)!r}; it must be a finite number.")
            object.__setattr__(self, name, value)

    @property
    def law(self) -> Law:
        """The target as a law."""
        return as_law(self.target)

    @property
    def follows_velocity(self) -> bool:
        """Whether only the velocity of the target matters: tau = damping (rdot_d - rdot)."""
        return self.stiffness == 0.0 and self.damping != 0.0

    def toward(self, value: float) -> Servo:
        """The same servo with the target held at ``value`` (rad, m), or moving by it (rad/s, m/s) if it follows velocities."""
        return replace(self, target=polynomial(0.0, value) if self.follows_velocity else constant(value))

    def aim(self, t: float) -> float:
        """What :meth:`toward` takes, as it is at time t (s)."""
        return float(self.law.at(t)[1 if self.follows_velocity else 0])

    def describe(self) -> str:
        """``servo to sine(...), stiffness 10, damping 1``."""
        words = f"servo to {self.law.describe()}, stiffness {self.stiffness:g}, damping {self.damping:g}"
        return f"{words}, from {self.begins:g} s on" if self.begins > 0.0 else words


def longest_explicit_step(inverse: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> float:
    """Longest time (s) for which k (r_d - r) + d (rdot_d - rdot) may be held: dt lambda < 2 and dt k < 2 d.

    ``inverse`` (n, n) is the inverse mass matrix on the n driven joints; lambda is the largest eigenvalue of d^1/2 M^-1 d^1/2.
    """
    root = np.sqrt(np.maximum(damping, 0.0))
    largest = float(np.linalg.eigvalsh(root[:, None] * inverse * root).max())
    limits = [2.0 / largest] if largest > 0.0 else []
    limits += [2.0 * d / k for k, d in zip(stiffness, damping, strict=True) if k > 0.0]
    return min(limits, default=math.inf)
