"""The inertia box of a body: the uniform box with its inertia. It stands in for a mesh that is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import LocodynError
from locodyn.robot import Box
from locodyn.robot.inertia import inertia_of

_THINNEST = 0.02  # of the longest side


def inertia_box(mass: Any, centre: Any, inertia: Any) -> Box | None:
    """A uniform box of the given mass (kg) with its centre (3,) m and moments; ``None`` for a body without extent.

    Sides from the principal moments: ``a^2 = 6 (I_y + I_z - I_x) / m``, and cyclically.
    """
    if not mass or inertia is None:
        return None
    place = np.zeros(3) if centre is None else np.asarray(centre, dtype=float)
    try:
        tensor = np.asarray(inertia_of(inertia, mass, place, "a body").tensor, dtype=float)
    except LocodynError:
        return None
    moments, axes = np.linalg.eigh(tensor)
    sides = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    if not sides.max() > 0.0:
        return None
    axes[:, 2] *= np.linalg.det(axes)
    return Box(np.maximum(sides, _THINNEST * sides.max()), at=place, turned=axes)
