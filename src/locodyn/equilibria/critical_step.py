"""The step in time below which shooting along a rod fails (Gotelli 2024, 2.2.2).

With differences in time, ydot = a y + f and a = 3/(2 h) of steps h, a problem along s is left that is the harder the smaller
the step. Across a rod of mass m and rotary inertia j per metre and bending stiffness EI, solutions of small motion go as
exp(k s) with

    EI k^4 - j a^2 k^2 + m a^2 = 0,

and about its axis with k = a sqrt(j_x/GJ). Where Re(k) l is too large nothing is found from the root. At 8.7 and without rotary
inertia this is the law of Gotelli 2024, (2.23), h = l^2 sqrt(m/EI)/100. Thick rods need longer steps, and those that loads move
far may need longer ones still: that of Gotelli's soft flying rod, with j = 10 kg m, is a quarter of a second. In pieces it moves
in shorter ones (:mod:`locodyn.equilibria.strong_motion`).
"""

from __future__ import annotations

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.rods.rod import Rod

CRITICAL = 0.01  # psi of Gotelli 2024, (2.23)
_GROWTH = float(np.sqrt(0.75 / CRITICAL))  # Re(k) l at that step: k = (m a^2/EI)^(1/4) exp(i pi/4), a = 3/(2 h)


def critical_step(rod: Rod, parts: int = 1) -> float:
    """The step (s) below which shooting a rod in so many parts fails, by its softest bending and torsion."""
    from scipy.optimize import brentq

    here = rod.properties(0.5 * rod.length)
    stiffness, length = np.diag(here.stiffness), rod.length / parts
    bends = [(stiffness[k], here.inertia[k - 3]) for k in (4, 5) if rod.modes[k]]

    def excess(step: float) -> float:
        b = (1.5 / step) ** 2
        found = [np.sqrt(b * here.inertia[0] / stiffness[3])] if rod.modes[3] else []
        for bend, inertia in bends:
            square = (inertia * b + np.sqrt(complex((inertia * b) ** 2 - 4.0 * bend * here.mass * b))) / (2.0 * bend)
            found.append(np.sqrt(square).real)
        return float(length * max(found) / _GROWTH - 1.0)

    if not bends:
        raise InputError("shooting in time has a critical step for rods that bend; give this one functions of bending.")
    thin = CRITICAL * length**2 * float(np.sqrt(here.mass / min(bend for bend, _ in bends)))
    found: float = brentq(excess, 1e-3 * thin, 1e6 * thin, xtol=1e-12 * thin)
    return found
