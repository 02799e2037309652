"""The symmetry of a robot with a left and a right side, as an exchange of coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError


@dataclass(frozen=True)
class Mirror:
    """Which coordinates and feet change places when left and right do.

    Parameters
    ----------
    pairs : {left coordinate: right coordinate}
        Joints of one axis.
    feet : {left foot: right foot}
    negated : names of coordinates that change sign (motion out of the plane of symmetry).
    """

    pairs: Mapping[str, str]
    feet: Mapping[str, str] = field(default_factory=dict)
    negated: Sequence[str] = ()

    def __post_init__(self) -> None:
        names = [*self.pairs, *self.pairs.values()]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise InputError(f"the mirror names the coordinate '{min(twice)}' twice; each has one counterpart.")

    def other_foot(self, name: str) -> str:
        """The counterpart of a foot; itself where it has none."""
        both = {**self.feet, **{two: one for one, two in self.feet.items()}}
        return both.get(name, name)

    def matrices(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Permutations (nq, nq) of positions and (nv, nv) of velocities, with signs."""
        names = model.compiled.coordinate_names
        positions, velocities = np.eye(model.nq), np.eye(model.nv)
        for one, two in self.pairs.items():
            k, m = model.position_of(one), model.position_of(two)
            i, j = names.index(one), names.index(two)
            velocities[[i, j]] = velocities[[j, i]]
            positions[[k, m]] = positions[[m, k]]
        for name in self.negated:
            positions[model.position_of(name)] *= -1.0
            velocities[names.index(name)] *= -1.0
        return positions, velocities
