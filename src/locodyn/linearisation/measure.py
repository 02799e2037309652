"""The minimal coordinates of a given state of a robot near a steady motion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.typing import Array


@dataclass(frozen=True, eq=False)
class Measure:
    """How states are measured from the motion through (q, v).

    Parameters
    ----------
    model : Model
    q, v, memory : (nq,), (nv,), (nz,)
        The motion.
    rows : (n, 2 nv + nz)
        The states from displacements u (nv,), changes of velocities (nv,) and of the states of laws (nz,).
    spins : bool
        Whether velocities are seen in axes that do not spin with a body of revolution.
    """

    model: Model
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    rows: np.ndarray
    spins: bool = False

    def combined(self, matrix: np.ndarray) -> Measure:
        """That of the states ``matrix`` (m, n) x."""
        return replace(self, rows=matrix @ self.rows)

    def state(self, q: Array, v: Array, memory: Array | None, after: float) -> np.ndarray:
        """The states (n,), see :meth:`~locodyn.linearisation.linearisation.Linearisation.state`."""
        remembered = np.asarray(self.memory if memory is None else memory, dtype=float)
        given = {"q": (np.asarray(q, dtype=float), self.q), "v": (np.asarray(v, dtype=float), self.v)}
        for name, (value, like) in {**given, "memory": (remembered, self.memory)}.items():
            if value.shape != like.shape:
                raise InputError(f"{name} has the shape {value.shape}; robot '{self.model.compiled.name}' needs {like.shape}.")
        if after and self.spins:
            raise InputError("a body spins in axes of its own, so that the motion is not known later: leave out after=.")
        passed = self.model.move(self.q, after * self.v)
        displacement = self.model.difference(passed, self.model.normalised(q))
        found: np.ndarray = self.rows @ np.concatenate([displacement, given["v"][0] - self.v, remembered - self.memory])
        return found
