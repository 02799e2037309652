"""Stops a run that has exploded while it goes on, instead of computing numbers without meaning to its end.

Speeds, in lengths of the robot, that grow a thousandfold from one stretch of a run to the next are looked at closely: the run
ends where the kinetic energy is a million times what the motion can have had, its kinetic energy at the start, what its
potential energy has fallen by, and what its actuators and other sources can have given at their present power. Runs without such
a growth pay a look at their speeds only. What comes short of this is found in the energy account of the whole run
(:mod:`locodyn.sim.energy_account`).
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.steppers.base import Rows
from locodyn.locomotion.problem import Problem

FASTER = 1e3  # times the largest speed so far, or 1/s
_MORE = 1e6  # times the energy
_STILL = 1e-6  # 1/s


def at_rest(problem: Problem) -> float:
    """Energy (J) below which a robot does not move: 1e-3 m g L, and m (1e-6 L / s)^2 where it has no weight."""
    mass, length = float(problem.model.compiled.total_mass), float(problem.constraints.length)
    return mass * (1e-3 * float(np.linalg.norm(problem.model.gravity)) * length + (_STILL * length) ** 2)


class Runaway:
    """Watches the speeds of a run from its ``start`` on, a table of one row."""

    def __init__(self, problem: Problem, start: Rows) -> None:
        self.problem, self.start = problem, start
        self.units = problem.constraints.units
        self.fastest = max(1.0, float(np.abs(start.v / self.units).max(initial=0.0)))

    def seen(self, rows: Rows) -> str:
        """Why the run must end at these new records, all finite; nothing where it may go on."""
        if not len(rows.times):
            return ""
        sizes = np.abs(rows.v / self.units).max(axis=1, initial=0.0)
        peak = int(np.argmax(sizes))
        before, self.fastest = self.fastest, max(self.fastest, float(sizes[peak]))
        if sizes[peak] < FASTER * before:
            return ""
        both = Rows(*map(np.concatenate, zip(self.start, rows.part(peak, peak + 1), strict=True)))
        with np.errstate(all="ignore"):
            seen = self.problem.series(both.times, *both.states)
        begun, kinetic = (float(energy) for energy in seen["kinetic_energy"])
        fall = max(0.0, -float(np.diff(seen["potential_energy"])[0]))
        power = sum(abs(float(seen[name][1])) for name in ("power_actuators", "power_external") if name in seen)
        had = begun + fall + power * float(rows.times[peak] - self.start.times[0]) + at_rest(self.problem)
        if not kinetic > _MORE * had:
            return ""
        return f"at t = {rows.times[peak]:g} s the motion has {kinetic:.2g} J, a million times more than it can have"
