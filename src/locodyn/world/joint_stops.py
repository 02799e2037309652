"""Stops of hinges and slides: how far a joint is from a limit of its range, as a contact between the bodies that it joins.

A stop of a hinge touches at the end of a lever on the child, at the distance L from the axis, and pushes along the way of that
point; one of a slide touches at the joint and pushes along its axis. Forces on child and parent are equal and opposite at one
point, so that their virtual work is F L dq (F dq): whatever else they load is borne by the joint. A stop is therefore a pair of
surfaces like others, with a gap that is exactly linear in the coordinate, and without friction.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, dot, scale, subtract
from locodyn.lie.arctangent import arctangent

_TURN = 6.283185307179586


@compiled
def stop_gap(turns, axes, place, limit_axes, limit_place, lever, side, slack):
    """(gap in m, contact point, unit normal towards the child), world axes.

    ``turns``: a hinge, else a slide; ``axes`` (columns), ``place``: the child, whose z axis is that of the joint; ``limit_axes``,
    ``limit_place``: the child at the limit; ``side``: 1 for an upper, -1 for a lower limit; ``slack`` (rad): a hinge that is
    further beyond is taken to come from the other end of its range, as poses do not tell whole turns.
    """
    if not turns:
        along = (axes[2], axes[5], axes[8])
        gap = side * dot(subtract(limit_place, place), along)
        return gap, place, scale(-side, along)
    x = (axes[0], axes[3], axes[6])
    y = (axes[1], axes[4], axes[7])
    past = arctangent(
        dot(x, (limit_axes[1], limit_axes[4], limit_axes[7])), dot(x, (limit_axes[0], limit_axes[3], limit_axes[6]))
    )
    apart = -side * past
    if apart < -slack:
        apart += _TURN
    return lever * apart, add(place, scale(lever, x)), scale(-side, y)
