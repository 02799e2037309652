"""Ties: cables, springs and dampers between points of bodies and of the world, torsion springs between bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.pose import Pose
from locodyn.robot.values import floats, is_number, scalar

Curve = Sequence[tuple[float, float]]
"""Pairs of an elongation, or of its rate, and the tension there."""


KINDS = ("spring", "cable", "torsion spring")  # in the order in which a robot has them


@dataclass(frozen=True, eq=False)
class Hold:
    """What a tie holds on to: a point of a body, of the section of a rod at the ``abscissa`` (m), or of the world (None).

    ``pose``: in the frame of the body, in the section or in the world; of a torsion spring its z axis counts.
    """

    body: str | None
    pose: Pose = field(default_factory=Pose)
    abscissa: float | None = None

    @property
    def words(self) -> str:
        """``arm``, ``rod at s = 0.2 m``, ``world``."""
        place = "" if self.abscissa is None else f" at s = {self.abscissa:g} m"
        return ("world" if self.body is None else self.body) + place


@dataclass(frozen=True, eq=False)
class Tie:
    """A cable through points, a spring between two of them, or a torsion spring between two frames.

    With x its length (m; of a torsion spring the angle, rad), e = x - rest length and edot its rate, its tension (N; a moment,
    N m) is T = tension + stiffness e + damping edot, see :mod:`locodyn.world.ties`.

    Parameters
    ----------
    name : str
    holds : tuple of Hold
        The points in their order, two or more.
    turns : bool
        Whether it is a torsion spring, about the z axes of two frames.
    stiffness, damping : N/m, N s/m; N m/rad, N m s/rad
    rest : m or rad, optional
        None: as it is where all joints are at zero.
    tension : N or N m
        Where e = 0.
    curve : pairs (e, T), optional
        In place of stiffness and tension: a smooth curve that does not swing beyond the pairs (piecewise cubic, Fritsch and
        Carlson 1980), straight beyond the first and the last.
    damping_curve : pairs (edot, T), optional
        Added to the damping, through (0, 0).
    pulls_only : bool
        Whether it goes slack instead of pushing.
    """

    name: str
    holds: tuple[Hold, ...]
    turns: bool = False
    stiffness: Any = 0.0
    damping: Any = 0.0
    rest: Any = None
    tension: Any = 0.0
    curve: Curve | None = None
    damping_curve: Curve | None = None
    pulls_only: bool = False

    def __post_init__(self) -> None:
        what = f"of {self.words_of_kind} '{self.name}'"
        for name, word in (("stiffness", "stiffness"), ("damping", "damping"), ("rest", self.rest_word), ("tension", "tension")):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, scalar(value, f"The {word} {what}"))
        for name in ("curve", "damping_curve"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _pairs(getattr(self, name), f"The {name.replace('_', ' ')} {what}"))

    @property
    def words_of_kind(self) -> str:
        """``cable``, ``spring`` or ``torsion spring``."""
        return "torsion spring" if self.turns else "spring" if len(self.holds) == 2 else "cable"

    @property
    def rest_word(self) -> str:
        """``rest angle`` or ``rest length``."""
        return "rest angle" if self.turns else "rest length"

    @property
    def is_elastic(self) -> bool:
        """Whether its tension depends on its length."""
        return self.curve is not None or not is_number(self.stiffness) or self.stiffness != 0.0

    @property
    def words(self) -> str:
        """``spring left: arm - world, 100 N/m``."""
        unit = "N m/rad" if self.turns else "N/m"
        law = "a curve" if self.curve is not None else f"{_short(self.stiffness)} {unit}"
        if not self.is_elastic:
            law = f"{_short(self.tension)} {'N m' if self.turns else 'N'}"
        return f"{self.words_of_kind} {self.name}: {' - '.join(hold.words for hold in self.holds)}, {law}"

    def check(self) -> None:
        """:class:`DescriptionError` when its numbers do not fit together."""
        what = f"{self.words_of_kind} '{self.name}'"
        if len(self.holds) < 2 or (self.turns and len(self.holds) != 2):
            raise DescriptionError(
                f"The {what} holds on to {len(self.holds)} points; it needs two{'' if self.turns else ' or more'}."
            )
        for name in ("stiffness", "damping", "rest", "tension"):
            value = getattr(self, name)
            if is_number(value) and not math.isfinite(value):
                raise DescriptionError(f"The {name} of {what} is {value!r}; it must be a finite number.")
        for name in ("stiffness", "damping"):
            if is_number(getattr(self, name)) and getattr(self, name) < 0.0:
                raise DescriptionError(f"The {name} of {what} is {getattr(self, name):g}; it must be zero or more.")
        if not self.turns and is_number(self.rest) and self.rest < 0.0:
            raise DescriptionError(f"The rest length of {what} is {self.rest:g} m; it must be zero or more.")
        if self.turns and is_number(self.rest) and abs(self.rest) > math.pi:
            raise DescriptionError(f"The rest angle of {what} is {self.rest:g} rad; it must lie between -pi and pi.")
        self._check_curves(what)

    def _check_curves(self, what: str) -> None:
        if self.curve is not None:
            if any(not is_number(value) or value != 0.0 for value in (self.stiffness, self.tension)):
                raise DescriptionError(f"The {what} has a curve beside a stiffness or a tension: give one of them.")
            if self.pulls_only and min(value for _, value in self.curve) < 0.0:
                raise DescriptionError(f"The curve of {what} has negative tensions, but it only pulls: give zero there.")
        if self.damping_curve is not None:
            if (0.0, 0.0) not in self.damping_curve:
                raise DescriptionError(f"The damping curve of {what} has no pair (0, 0): a damper does nothing at rest.")
            for rate, value in self.damping_curve:
                if rate * value < 0.0:
                    raise DescriptionError(
                        f"The damping curve of {what} is {value:g} at the rate {rate:g}, where it would drive: give"
                        " it the sign of the rate."
                    )

    @property
    def settings(self) -> dict[str, Any]:
        """The numbers and curves that are not the defaults, by name."""
        own = [one for one in fields(self) if one.name not in ("name", "holds", "turns")]
        return {one.name: getattr(self, one.name) for one in own if getattr(self, one.name) != one.default}


def curve_pieces(pairs: Curve, pulls_only: bool = False) -> np.ndarray:
    """(p, 6): a curve as the kernel reads it, see ``PIECE`` of :mod:`locodyn.world.law_table`.

    Its integral is zero at 0; of a tie that ``pulls_only`` where it goes slack, so that a slack one stores no energy.
    """
    from scipy.interpolate import PchipInterpolator

    x, y = (np.array(values) for values in zip(*pairs, strict=True))
    if len(x) == 2:
        cubic = np.array([[0.0], [0.0], [(y[1] - y[0]) / (x[1] - x[0])], [y[0]]])
    else:
        cubic = PchipInterpolator(x, y).c
    lines = np.vstack([cubic[::-1].T, np.zeros((1, 4))])
    width = np.diff(x)
    last = cubic[:, -1]
    lines[-1, :2] = y[-1], last[2] + width[-1] * (2.0 * last[1] + 3.0 * width[-1] * last[0])
    rows = np.zeros((len(x) + 1, 6))
    rows[0, :3] = x[0], *lines[0, :2]  # straight before the first pair
    rows[1:, 0], rows[1:, 1:5] = x, lines
    powers = np.array([width ** (k + 1) / (k + 1) for k in range(4)]).T
    rows[2:, 5] = np.cumsum(np.sum(lines[:-1] * powers, axis=1))
    zero = _slack_end(x, y, float(lines[0, 1])) if pulls_only else 0.0
    k = int(np.searchsorted(x, zero, side="right"))
    u = zero - rows[k, 0]
    rows[:, 5] -= rows[k, 5] + sum(rows[k, 1 + n] * u ** (n + 1) / (n + 1) for n in range(4))
    return rows


def _slack_end(x: np.ndarray, y: np.ndarray, slope: float) -> float:
    """Where the tension y(x) >= 0 begins, with this ``slope`` at the first pair; 0 where it never ends on that side."""
    if y[0] > 0.0:
        return float(x[0] - y[0] / slope) if slope > 0.0 else 0.0
    taut = np.flatnonzero(y > 0.0)
    return float(x[taut[0] - 1]) if len(taut) else 0.0


def _pairs(curve: Any, what: str) -> tuple[tuple[float, float], ...]:
    rows = floats(curve, what)
    if not isinstance(rows, tuple) or len(rows) < 2 or any(not isinstance(row, tuple) or len(row) != 2 for row in rows):
        raise DescriptionError(f"{what} is {curve!r}; it must be two or more pairs of numbers.")
    if not np.isfinite(rows).all():
        raise DescriptionError(f"{what} must be finite numbers.")
    for one, two in pairwise(rows):
        if not two[0] > one[0]:
            raise DescriptionError(f"{what} does not go on from {one[0]:g} to {two[0]:g}: sort its pairs and remove doubles.")
    return rows


def _short(value: Any) -> str:
    return f"{value:g}" if is_number(value) else str(value)
