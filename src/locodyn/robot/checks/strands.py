"""Whether a tendon can do anything to the rod that it runs along."""

from __future__ import annotations

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.layout import SPRING, TENDON
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.section import STRAINS
from locodyn.robot.rods.strand import Strand

_PLACES = 9
_ROUND_OFF = 1e-9


def check_strand(strand: Strand, rod: Rod, owner: str) -> None:
    """Refuse a tendon that works along no strain of the rod: all that it would change keep their values at rest.

    The stress of a unit tension is (u; D x u) along the strains, u the direction of the tendon in the section at D.
    """
    if strand.kind not in (TENDON, SPRING):
        return
    end = rod.length if strand.end is None else strand.end
    stress = np.zeros(6)
    for s in np.linspace(strand.start, end, _PLACES):
        rest = rod.rest(np.array([s]))[0]
        place = strand.place(float(s))
        along = rest[:3] + np.cross(rest[3:], place) + strand.slope(float(s), rod.length)
        unit = along / np.linalg.norm(along)
        stress = np.maximum(stress, np.abs([*unit, *np.cross(place, unit) / rod.length]))
    needed = stress > _ROUND_OFF
    if not np.any(needed & (np.array(rod.modes) > 0)):
        names = [name.replace("_", " ") for name, needs in zip(STRAINS, needed, strict=True) if needs]
        raise DescriptionError(
            f"Tendon '{strand.name}' works along {' and '.join(names)} of rod '{owner}', which has no functions for them, so that"
            " it would do nothing; give the rod some, or the tendon another offset."
        )
