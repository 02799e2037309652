"""Where a step of hard contact starts: velocities before it, rebounds and approaches, and the centres of the impulses."""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import TWIST as WORK_TWIST
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.vector import dot, load3, store3
from locodyn.locomotion.contact.arrays import (
    AHEAD,
    BASIS,
    BEFORE,
    CENTRE,
    CHANGE,
    CLOSED,
    CURVE,
    GAP,
    IMPULSE_SCALE,
    KNOWN_RADIUS,
    MASS_SCALE,
    PAIR,
    POISSON,
    SCALES,
    SHIFT,
    STAMP,
    START,
    STEPS,
    WEIGHT,
    WENT,
    W,
)
from locodyn.locomotion.contact.block import scaled
from locodyn.locomotion.contact.detection import SKIN
from locodyn.locomotion.contact.operator import relative_twist
from locodyn.world.contact_pairs import RESTITUTION

_EVEN = 0.1  # part of the way to even shares in a step: less saves iterations, but lets the shares walk
_AT_REST = 1e-6  # m/s
# What is open and comes faster than gravity makes it in so many steps is an impact, whole, in the step that finds it closed.
# In two steps, the first of which only slows it down, friction would act otherwise, however short they are.
_SLOW = 300.0
_OPEN = 1e6  # m/s, added to a normal velocity that must not count
_NEAR = 1e-5  # m
_STEEP = 0.1  # part of the weight's direction along a normal, below which the pull fades: walls have none
_INSIDE = 0.9999  # of the friction radius: less stuck
_GOES_ON = 0.85  # part of the last step's change that is expected again; below 1, so that undetermined parts die out


@kernel
def stride_of(c, gravity, work, step):
    """Bound of the way of every frame's surfaces in a step at the velocity of its start: dt (|v| + reach |omega| + |g| dt)."""
    fall = step * sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    for k in range(c.stride.shape[0] - 1):
        v = load3(work, k, WORK_TWIST)
        turn = load3(work, k, WORK_TWIST + 3)
        c.stride[k] = step * (sqrt(dot(v, v)) + c.reach[k] * sqrt(dot(turn, turn)) + fall)


@routine
def start_contacts(p, c, work, step):
    """Velocities before the step, rebounds, centres: impulses as they were, normal ones drawn towards even shares of the weight.

    Contacts that are more than the freedoms need leave their shares undetermined. Where the last step ended they would walk
    with round-off and tolerance, and the path with them, since friction follows the shares; a pull towards even ones keeps
    them there. A robot at rest is left alone: its impulses are those of the step before, and it rests exactly. In motion the way
    from this start to the solution is nearly that of the step before (the pull undone where shares are determined, and what goes
    on changing), and the centre goes ahead by it: two or three iterations instead of twenty where friction and loads are coupled.
    """
    row = c.contact
    size = sqrt(dot((p.gravity[0], p.gravity[1], p.gravity[2]), (p.gravity[0], p.gravity[1], p.gravity[2])))
    carried = 0.0
    fastest = 0.0
    for i in range(c.counts[CLOSED]):
        if row[i, KNOWN_RADIUS] < 0.0 and size > 0.0:
            near = nearness(row, i)
            carried += near * max(0.0, upward(p, row, i) / size)
            u, _ = relative_twist(c, work, i)
            fastest = max(fastest, near * (u[1] * u[1] + u[2] * u[2]))
    slow = _SLOW * c.settings[IMPULSE_SCALE] / c.settings[MASS_SCALE] * step
    pull = _EVEN if fastest > _AT_REST * _AT_REST else 0.0
    c.counts[STEPS] += 1
    for i in range(c.counts[CLOSED]):
        n = c.closed[i, PAIR]
        u, s = relative_twist(c, work, i)
        u = scaled(load3(row, i, SCALES), u)
        store3(row, i, BEFORE, u)
        store3(row, i, BEFORE + 3, scaled(load3(row, i, SCALES + 3), s))
        # What comes in and what goes out, each at its end of the step: see locodyn.locomotion.contact.curve.
        curve = row[i, CURVE]
        row[i, SHIFT] = curve + (0.0 if c.counts[POISSON] != 0 else c.data[n, RESTITUTION] * min(0.0, u[0] - curve))
        if c.counts[AHEAD] != 0 and c.data[n, RESTITUTION] == 0.0:
            row[i, SHIFT] = curve + approach(row[i, GAP]) / step
            if row[i, GAP] > SKIN and u[0] < -slow:
                row[i, SHIFT] = _OPEN
        u = (u[0] + row[i, SHIFT], u[1], u[2])
        store3(row, i, W, u)
        for j in range(3):
            row[i, W + 3 + j] = row[i, BEFORE + 3 + j]
        for j in range(6):
            row[i, CENTRE + j] = c.warm[n, j] * step
        if row[i, KNOWN_RADIUS] < 0.0 and size > 0.0:
            share = nearness(row, i) * max(0.0, upward(p, row, i) / size)
            if share > 0.0:
                even = c.settings[WEIGHT] * size * step * share / carried
                row[i, CENTRE] += pull * min(1.0, share / _STEEP) * (even - row[i, CENTRE])
        touched = int(c.warm[n, STAMP]) == c.counts[STEPS] - 1
        if touched:
            expect(c, i, n, step)
        goes_on = pull > 0.0 and touched
        for j in range(6):
            row[i, START + j] = row[i, CENTRE + j]
            if goes_on:
                row[i, CENTRE + j] += _GOES_ON * step * c.warm[n, WENT + j]


@kernel
def expect(c, i, n, step):
    """Velocities about which the law is first linearised: none along what carried load, or stuck, at the end of the last step.

    What slid goes on as it did.
    """
    row = c.contact
    radius = row[i, KNOWN_RADIUS] / step if row[i, KNOWN_RADIUS] >= 0.0 else c.warm[n, 0]
    if not radius > 0.0:
        return
    inside = _INSIDE * radius
    row[i, W] = 0.0
    for j in range(1, 6):
        row[i, W + j] += step * c.warm[n, CHANGE + j - 1]
    if c.warm[n, 1] * c.warm[n, 1] + c.warm[n, 2] * c.warm[n, 2] < inside * inside:
        row[i, W + 1] = 0.0
        row[i, W + 2] = 0.0
    if abs(c.warm[n, 3]) < inside:
        row[i, W + 3] = 0.0
    if c.warm[n, 4] * c.warm[n, 4] + c.warm[n, 5] * c.warm[n, 5] < inside * inside:
        row[i, W + 4] = 0.0
        row[i, W + 5] = 0.0


@kernel
def approach(gap):
    """How far a contact may go down in a step: the gap, s^2 / (s + skin) with s the gap beyond the skin.

    Round-off of many contacts at rest would ask for velocities that no motion has together: in the skin it counts in squares.
    """
    beyond = max(0.0, gap - SKIN)
    return beyond * beyond / (beyond + SKIN)


@kernel
def nearness(row, i):
    """1 for a closed contact, less the wider its gap is, 0 from a hundredth of a millimetre on."""
    return min(1.0, max(0.0, 1.0 - (row[i, GAP] - SKIN) / _NEAR))


@kernel
def upward(p, row, i):
    """- gravity . normal of contact i."""
    return -(row[i, BASIS] * p.gravity[0] + row[i, BASIS + 3] * p.gravity[1] + row[i, BASIS + 6] * p.gravity[2])
