"""Gray's three links between three pegs (Gray 1946; Transeth 2007, 5): which way does a bent snake slide?

Link 2 lies along x, from joint A at its front to joint B behind; links 1 and 3 are bent to the same side, by alpha at A and
beta at B. Each link is pressed against one smooth peg: links 1 and 3 inside the bend, link 2 outside. Joint torques tau_1,
tau_2 bend the chain more. Balance of moments of links 1 and 3 about their joints gives N_1 = tau_1 / d_1 and N_3 = tau_2 / d_3
for pegs d_1, d_3 away from the joints; the forces on the whole chain along and across link 2 are

    F = N_1 sin(alpha) - N_3 sin(beta),       N_2 = N_1 cos(alpha) + N_3 cos(beta).

With equal forces the chain slides forward, towards link 1, if alpha > beta, backward if alpha < beta, and not at all if they are
equal. The peg of link 2 stands where moments balance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from locodyn.errors import InputError
from locodyn.motion.base import finite, positive


class ThreeLinkPush(NamedTuple):
    """Forces of the pegs on a bent chain of three links."""

    forces: tuple[float, float, float]  # N_1, N_2, N_3 in N, normal to their links
    forward: float  # F in N, along link 2, towards link 1
    place: float  # m, from joint A along link 2 to where the peg of link 2 must stand


def three_link_push(
    alpha: float,
    beta: float,
    torques: tuple[float, float] = (1.0, 1.0),
    arms: tuple[float, float] = (0.06, 0.06),
    length: float = 0.122,
) -> ThreeLinkPush:
    """Quasi-static forces of three pegs on three links.

    Parameters
    ----------
    alpha, beta : rad
        Angles between links 1 and 2, and 2 and 3, in [0, pi/2).
    torques : N m
        Of the joints, positive: they press links 1 and 3 against their pegs.
    arms : m
        d_1, d_3: from the joints to the pegs of links 1 and 3.
    length : m
        Of link 2.

    >>> push = three_link_push(0.6, 0.3)
    >>> push.forward > 0
    True
    """
    a, b = finite(alpha, "alpha"), finite(beta, "beta")
    for name, angle in (("alpha", a), ("beta", b)):
        if not 0.0 <= angle < 0.5 * math.pi:
            raise InputError(f"{name} is {angle:g} rad; the links must be bent by 0 or more, and by less than a right angle.")
    n1, n3 = (positive(tau, "a torque of three links") / positive(d, "an arm") for tau, d in zip(torques, arms, strict=True))
    span = positive(length, "the length of link 2")
    n2 = n1 * math.cos(a) + n3 * math.cos(b)
    moment = n3 * math.cos(b) * span + n3 * arms[1] - n1 * arms[0]  # about A, of the pegs of links 1 and 3
    return ThreeLinkPush((n1, n2, n3), n1 * math.sin(a) - n3 * math.sin(b), moment / n2)
