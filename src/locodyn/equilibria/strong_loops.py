"""Closed loops in the strong form: the rows of cut joints, where sections of rods and bodies hold each other.

A loop has unknown multipliers lambda. On each of its two frames acts the wrench lambda_m w_m, w_m being the cotwist of row m
there (:mod:`locodyn.world.rows`), and its residuals must vanish, with poses of sections that shooting has found instead of those
of strain modes. Redundant rows share their load with least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from locodyn.equilibria.strong_rods import Place
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.world.rows import LOOP, fill_rows

Push = tuple[int, np.ndarray]


class Named(NamedTuple):
    """What refuses a robot, and what to do instead: words of sentences."""

    name: str
    instead: str


STATICS = Named("statics by shooting", "use method 'modes'")


class StrongLoops:
    """The rows of all loops of a problem; none of a problem without them.

    ``names`` (m,): of the rows. ``frames``: those that loops hold.
    """

    def __init__(self, problem: Problem, who: Named = STATICS) -> None:
        self.problem, self.rows = problem, problem.constraints.arrays
        self.active: list[int] = [] if self.rows is None else [int(m) for m in self.rows.active]
        for m in self.active:
            if self.rows.kind[m] != LOOP:
                raise InputError(f"{who.name} takes closed loops, but '{problem.constraints.names[m]}' is none; {who.instead}.")
        self.names = tuple(problem.constraints.names[m] for m in self.active)
        held = {int(k) for m in self.active for k in (self.rows.frame[m], self.rows.other[m])}
        self.frames = sorted(held - {-1})
        model = problem.model
        self._poses, self._motions, self._still = np.zeros((model.nf, 12)), np.zeros((model.nf, 12)), np.zeros(model.nv)

    def at(self, place: Callable[[int], Place], q: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, list[Push]]:
        """Residuals (m,) in m and rad, and what acts on frames, (frame, wrench (6,) in its axes), under the multipliers (m,)."""
        if not self.active:
            return np.zeros(0), []
        for k in self.frames:
            rotation, position = place(k)
            self._poses[k, :9], self._poses[k, 9:] = np.ravel(rotation), position
        fill_rows(self.rows, self.problem.inputs.rows, 1, q, self._still, self._poses, self._motions)
        pushes: list[Push] = []
        for m, force in zip(self.active, multipliers, strict=True):
            for frame, cotwist in (
                (int(self.rows.frame[m]), self.rows.cotwist[m]),
                (int(self.rows.other[m]), self.rows.other_cotwist[m]),
            ):
                if frame >= 0:
                    pushes.append((frame, force * cotwist))
        return self.rows.residual[self.active].copy(), pushes
