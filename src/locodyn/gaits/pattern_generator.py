"""Central pattern generators: chains of coupled oscillators that give joints a wave and change it smoothly when commanded
(Ijspeert, Crespi, Ryczko and Cabelguen 2007; Ali 2011, 1.2).

Each joint has an oscillator with phase theta_i, amplitude r_i and offset x_i; neighbours pull each other to the phase lag l:

    theta_i' = omega + w r_(i-1) sin(theta_(i-1) - theta_i - l) + w r_(i+1) sin(theta_(i+1) - theta_i + l)
    phi_i = x_i + r_i sin(theta_i)

A command names amplitude R, offset X, frequency Omega and lag L; r, x, omega and l go to them by y'' = a (a/4 (Y - y) - y'),
which is critically damped, so that angles and their rates never jump. They settle on the serpenoid wave
X + R sin(Omega t - (i - 1) L), from any phases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, spline
from locodyn.motion.base import finite, positive

_SAMPLES = 60  # of the shortest cycle, or of the time 10 / gain in which commands are followed
_SLOWEST = 1e-3  # rad/s: below it a command counts as standing still


@dataclass(frozen=True)
class Command:
    """What the oscillators shall do from time ``at`` (s) on: ``amplitude``, ``offset``, ``lag`` in rad, ``omega`` in rad/s."""

    amplitude: float
    omega: float
    lag: float
    offset: float = 0.0
    at: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "omega", "lag", "offset", "at"):
            finite(getattr(self, name), f"{name} of a command")
        if self.amplitude < 0.0 or self.omega < 0.0:
            raise InputError("amplitude and omega of a command must not be negative; turn a wave round by the sign of its lag.")

    @property
    def goals(self) -> np.ndarray:
        """(4,) what amplitude, offset, frequency and lag go to."""
        return np.array([self.amplitude, self.offset, self.omega, self.lag])


def pattern_generator(
    joints: Sequence[str],
    commands: Command | Sequence[Command],
    t_end: float,
    *,
    coupling: float = 5.0,
    gain: float = 10.0,
    phases: Sequence[float] | None = None,
) -> dict[str, Law]:
    """Laws of the joints from 0 to ``t_end`` (s), to be imposed or followed by servos; from rest.

    Parameters
    ----------
    joints : names of coordinates, from the first to the last.
    commands : the first at 0 s, each later than the one before.
    coupling : w in 1/(rad s): how hard neighbours pull.
    gain : a in 1/s: how fast commands are followed.
    phases : (n,) theta_i at the start, rad; by default those of the wave.
    """
    names, orders = [str(name) for name in joints], [commands] if isinstance(commands, Command) else list(commands)
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError("a pattern generator needs the names of two or more joints, each once.")
    instants = [order.at for order in orders]
    if not orders or instants[0] != 0.0 or any(a >= b for a, b in pairwise(instants)):
        raise InputError("the first command of a pattern generator is at 0 s, and each one later than the one before.")
    end = positive(t_end, "the end time of a pattern generator")
    if instants[-1] >= end:
        raise InputError(f"a command at {instants[-1]:g} s comes after the end of the pattern generator at {end:g} s.")
    w, a = positive(coupling, "the coupling of a pattern generator"), positive(gain, "the gain of a pattern generator")
    first = -orders[0].lag * np.arange(len(names)) if phases is None else np.asarray(phases, dtype=float)
    if first.shape != (len(names),) or not np.isfinite(first).all():
        raise InputError(f"the phases of a pattern generator are {phases!r}; they must be {len(names)} finite numbers.")
    fastest = max(_SLOWEST, *(order.omega for order in orders))
    step = min(2.0 * np.pi / fastest, 10.0 / a) / _SAMPLES
    times = np.linspace(0.0, end, max(12, int(np.ceil(end / step))) + 1)
    values = _angles(orders, times, first, w, a)
    return {name: spline(times, row, degree=5) for name, row in zip(names, values, strict=True)}


def _angles(orders: list[Command], times: np.ndarray, phases: np.ndarray, w: float, a: float) -> np.ndarray:
    """phi (n, T) at the times: Dormand and Prince from command to command."""
    from scipy.integrate import solve_ivp

    n, found = len(phases), []
    state = np.concatenate([phases, np.zeros(8)])  # phases; amplitude, offset, frequency, lag; their rates
    state[n + 2 : n + 4] = orders[0].omega, orders[0].lag
    ends = [order.at for order in orders[1:]] + [float(times[-1])]
    for number, (order, end) in enumerate(zip(orders, ends, strict=True)):

        def rate(_: float, y: np.ndarray, goals: np.ndarray = order.goals) -> np.ndarray:
            theta, now, speed = y[:n], y[n : n + 4], y[n + 4 :]
            pull = np.sin(np.diff(theta) + now[3])  # of each pair of neighbours, zero where theta falls by the lag
            turn = np.full(n, now[2])
            turn[:-1] += w * now[0] * pull
            turn[1:] -= w * now[0] * pull
            return np.concatenate([turn, speed, a * (0.25 * a * (goals - now) - speed)])

        inside = times[(times >= order.at) & (times < end)]
        part = solve_ivp(rate, (order.at, end), state, "DOP853", t_eval=np.append(inside, end), rtol=1e-10, atol=1e-12)
        wanted = slice(None) if number == len(orders) - 1 else slice(-1)
        theta, now = part.y[:n, wanted], part.y[n : n + 4, wanted]
        found.append(now[1] + now[0] * np.sin(theta))
        state = part.y[:, -1]
    return np.hstack(found)
