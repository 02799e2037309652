"""Feedback from step to step: where a phase begins, the curves of its outputs are changed by what the state is off the gait.

    shift = -K (x - x*),     outputs follow hd(s) + w(s) shift,     w from 0 to 1

(event-based control: Grizzle, Abba, Plestan 2001; Chevallereau, Grizzle, Shih 2009). On the gait nothing changes. The gains
follow from the derivative of the Poincare map (:mod:`locodyn.walking.stride_control`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError


@dataclass(frozen=True)
class StrideFeedback:
    """Gains of one phase.

    Parameters
    ----------
    gain : (n, 2 nv)
        K: shift of the n outputs for a change of positions, then of velocities. Coordinates must be angles and slides.
    q, v : (nv,)
        x*, the state in which the phase of the gait begins.
    """

    gain: np.ndarray
    q: np.ndarray
    v: np.ndarray

    def __post_init__(self) -> None:
        if self.gain.ndim != 2 or self.gain.shape[1] != 2 * len(self.v) or len(self.q) != len(self.v):
            raise InputError(
                f"the gain has shape {self.gain.shape}; it must have a row for each output and a column for each of the"
                f" {len(self.v)} positions and velocities."
            )

    def __call__(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The shift (n,) for a phase that begins in the state (q, v)."""
        return np.asarray(-self.gain @ np.concatenate([q - self.q, v - self.v]))

    def mirrored(self, positions: np.ndarray, velocities: np.ndarray) -> StrideFeedback:
        """That of the mirror image of the phase; the matrices (nq, nq), (nv, nv) exchange left and right."""
        n = len(self.v)
        gain = np.hstack([self.gain[:, :n] @ positions, self.gain[:, n:] @ velocities])
        return StrideFeedback(gain, positions @ self.q, velocities @ self.v)
