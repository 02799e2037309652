"""Finding a steady motion (relative equilibrium) near a guess.

A motion is steady when it has no acceleration in the moving axes, now and when it has gone on with its velocity for a while: a
robot at rest, gliding straight ahead, or turning on a circle with a constant shape. Newton's method on these accelerations,
in minimal coordinates, by the smallest change of the guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, RunError, nearest
from locodyn.linearisation.differences import central_derivative
from locodyn.linearisation.linearise import memory_of, motion_state
from locodyn.linearisation.minimal_coordinates import Coordinates
from locodyn.linearisation.nearby_motion import LATER, NearbyMotion
from locodyn.newton import Linearised, damped_newton
from locodyn.typing import Array, Axis

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim.scenario import Scenario

_MOST = 40  # rounds of Newton's method
_REACH = 0.3  # largest step of a round, rad or lengths of the robot
_RANK = 1e-8  # singular values below this times the largest are directions in which the motion stays steady


@dataclass(frozen=True, eq=False)
class SteadyMotion:
    """The state (q, v) of a steady motion; ``defect`` and ``wander`` as of :class:`Linearisation`; ``rounds`` of the search."""

    q: np.ndarray
    v: np.ndarray
    defect: float
    wander: float
    rounds: int


def steady_motion(
    motion: Problem | Scenario,
    q: Array | None = None,
    v: Array | None = None,
    *,
    keep: Sequence[str] = (),
    t: float = 0.0,
    coordinates: Coordinates | None = None,
    spin: Mapping[str, Axis] | None = None,
    tolerance: float = 1e-12,
) -> SteadyMotion:
    """The steady motion nearest to the state (q, v).

    Parameters
    ----------
    motion, q, v, t, coordinates, spin : as for :func:`~locodyn.linearisation.linearise.linearise`.
    keep : names of states
        Coordinates, or ``rate of`` a coordinate, that stay at their value, e.g. the speed or the lean of a turn.
    tolerance : largest acceleration left (1/s^2, lengths in units of the robot), relative to the square of the pace.
    """
    problem, q, v = motion_state(motion, q, v)
    start = NearbyMotion(problem, q, v, t, coordinates, spin, memory=memory_of(motion, None))
    _check_kept(start, keep)

    def linearised(near: NearbyMotion) -> Linearised[NearbyMotion]:
        residual = _accelerations(near, np.zeros(len(near.scales) + len(near.spin_axes)))
        left = float(np.abs(residual).max(initial=0.0))
        if left <= tolerance * near.pace**2:
            return Linearised(left, lambda share: (near, left), solved=True)
        change, largest = _step(near, keep, residual)
        n_y, n = len(near.position_names), len(near.scales)

        def ahead(share: float) -> tuple[NearbyMotion, float]:
            part = share * change
            q, v = near.state(part[:n_y], part[n_y:n])
            return NearbyMotion(problem, q, v, t, coordinates, spin, near.spin_rates + part[n:], near.memory), 0.0

        return Linearised(left, ahead, reach=_REACH / max(largest, 1e-300))

    found = damped_newton(start, linearised, most=_MOST)
    near = found.x
    residual = _accelerations(near, np.zeros(len(near.scales) + len(near.spin_axes)))
    if found.converged:
        defect = float(np.abs(residual[: near.model.nv]).max(initial=0.0))
        return SteadyMotion(near.q, near.v, defect, near.wander(), found.iterations - 1)
    raise RunError(
        f"no steady motion was found near the guess: accelerations of {np.abs(residual).max():.2g} 1/s^2 are left after {_MOST}"
        " rounds; give a nearer guess, or keep fewer coordinates."
    )


def _check_kept(near: NearbyMotion, keep: Sequence[str]) -> None:
    names = [*near.position_names, *near.rate_names]
    for name in keep:
        if name not in names:
            raise InputError(f"there is no state '{name}' to keep{nearest(name, names)}")


def _accelerations(near: NearbyMotion, x: np.ndarray) -> np.ndarray:
    """Accelerations now and later for x = (y, z, changes of the spin rates)."""
    n_y, n = len(near.position_names), len(near.scales)
    q, v = near.state(x[:n_y], x[n_y:n])
    xi = near.xi
    if near.spin_axes:
        xi = xi + np.column_stack(near.spin_axes) @ x[n:]
    memory = near.settled_memory(q, v)
    return np.concatenate([near.later(q, v, xi, s, memory) for s in (0.0, *(LATER[:2] / near.pace))])


def _step(near: NearbyMotion, keep: Sequence[str], residual: np.ndarray) -> tuple[np.ndarray, float]:
    """Smallest change of (y, z, spin rates) that brings the accelerations to zero, without the kept states; its largest part."""
    names = [*near.position_names, *near.rate_names]
    n = len(names)
    scales = np.concatenate([near.scales, np.full(len(near.spin_axes), near.pace)])
    free = [i for i in range(len(scales)) if i >= n or names[i] not in keep]

    def changed(x: np.ndarray) -> np.ndarray:
        whole = np.zeros(len(scales))
        whole[free] = x
        return _accelerations(near, whole)

    slope, _ = central_derivative(changed, scales[free])
    step = np.linalg.lstsq(slope * scales[free], -residual, rcond=_RANK)[0]
    change = np.zeros(len(scales))
    change[free] = step * scales[free]
    return change, float(np.abs(step).max(initial=0.0))
