"""Couplings of joints: gears, differentials, fingers that close together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Coupling:
    """An ideal gear between joints: sum_j c_j q_j = offset, at all times.

    Its multiplier lambda is the generalised force that it gives: c_j lambda on joint j, so that it takes no power.

    Parameters
    ----------
    name : str
    factors : mapping of joints to numbers
        c_j of each joint, which turns about or slides along one axis. Rad and m may be mixed: a rack of pinion radius r is
        ``{"pinion": r, "rack": -1}``.
    offset : float
        In the unit of c_j q_j.
    """

    name: str
    factors: Mapping[str, float]
    offset: float = 0.0

    @property
    def words(self) -> str:
        """``coupling gearbox: motor - 50 wheel = 0``."""
        terms = ""
        for joint, factor in self.factors.items():
            size = "" if abs(factor) == 1.0 else f"{abs(factor):g} "
            sign = ("-" if factor < 0.0 else "") if not terms else (" - " if factor < 0.0 else " + ")
            terms += f"{sign}{size}{joint}"
        return f"coupling {self.name}: {terms} = {self.offset:g}"
