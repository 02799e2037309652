"""What contacts do from an instant on, stick, slip or leave, and when that ends.

Slip is followed until it is slower than ``STOPPED``, and from there with the last accelerations to its zero; velocities that are
left of touching contacts are taken out by the smallest change in the metric of M, an impulse of these contacts. Then one short
step of the time stepping, M (x - v) = h f + J^T P with J x + h (dJ/dt) v in the laws of contact, tells which contacts bear load
and stick. Where its impulses do not go to zero with h, sliding has no solution (Painleve): they are those of an impact without
collision. A contact at the edge of its friction set begins to slip against its force, and one whose normal force ends leaves:
forces do not jump there, so that nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from locodyn.integrate.event_contacts import ONSET, Contacts, Forces, Modes, Rows
from locodyn.shape.configuration import step_rate

STOPPED = 1e-8  # m/s: slip below it has ended
FAST = 1e-3  # m/s: slip above it is no longer at its onset
APPROACH = 1e-9  # m/s: what closes more slowly does not
_LAST_FLIGHT = 1e-7  # s: lower than 1e-14 m
_SHORT = 1e-6  # s: the step that chooses
_JUMP = 1e4  # changes of slip in it that are this much more than those of the weight are jumps
_SAMPLES = 9


class Event(NamedTuple):
    """What happens first in a step: time (s), kind, contact (its place among the touching ones; none: -1)."""

    time: float
    kind: str  # "closes", "leaves", "slips", "stops", "fast"
    place: int = -1


def settle(contacts: Contacts, t: float, q: np.ndarray, v: np.ndarray, touching: np.ndarray, stopped: np.ndarray) -> Modes:
    """Modes from here on; what is left of small velocities is taken out of ``v``, in place. ``stopped``: contacts by number."""
    if not len(touching):
        return Modes.none()
    rows, a = contacts.rows(q, touching), contacts.problem.accelerations(t, q, v)
    bends, gravity = contacts.bends(q, v, touching), contacts.gravity
    fall = np.maximum(np.abs(rows.normal @ a + bends[:, 0]), gravity)
    supports = contacts.supports[touching]
    slow = supports | (2.0 * np.abs(rows.normal @ v) < _LAST_FLIGHT * fall)
    touching, supports = touching[slow], supports[slow]
    if not len(touching):
        return Modes.none()
    rows = contacts.rows(q, touching)
    still = (np.linalg.norm(contacts.slips(rows, v), axis=1) < STOPPED) | np.isin(touching, stopped)
    v -= off_rows(contacts, q, v, rows, supports, still)
    # One short step: J y = (dJ/dt) v brings the change of the rows into it.
    bends = contacts.bends(q, v, touching)
    everything = np.concatenate([rows.normal, *(rows.axes[i].T @ rows.world[i] for i in range(len(touching)))])
    change = np.concatenate([bends[:, 0], *(rows.axes[i].T @ bends[i, 1:] for i in range(len(touching)))])
    z = contacts.directions(q)
    y = np.linalg.lstsq(everything, change, rcond=None)[0] if z is None else z @ np.linalg.lstsq(everything @ z, change)[0]
    a = contacts.problem.accelerations(t, q, v)
    free, zero = v + _SHORT * (a + y), np.zeros(len(touching))
    x, impulses = contacts.velocities(q, free, touching, zero, zero, _SHORT, _SHORT)
    rows = contacts.rows(q, touching)
    slips = contacts.slips(rows, x)
    speeds = np.linalg.norm(slips, axis=1)
    holds = speeds < 1e-6 * gravity * _SHORT
    if np.abs(slips - contacts.slips(rows, free)).max() > _JUMP * gravity * _SHORT:
        v += x - free
        stays = impulses[:, 0] > 1e-9 * contacts.weight * _SHORT
        v -= off_rows(contacts, q, v, rows, ~stays, stays & holds)
        return settle(contacts, t, q, v, touching, touching[holds])
    sticks = still & holds & rows.moves.any(axis=1)
    onset = np.zeros((len(touching), 3))
    for i in np.flatnonzero(still & ~sticks & (speeds > 0.0)):
        onset[i] = rows.axes[i] @ slips[i] / speeds[i]
    borne = supports | (impulses[:, 0] > 1e-9 * contacts.weight * _SHORT)
    return Modes(touching[borne], sticks[borne], onset[borne])


def off_rows(contacts: Contacts, q: np.ndarray, v: np.ndarray, rows: Rows, supports: np.ndarray, still: np.ndarray) -> np.ndarray:
    """The smallest part of v, in the metric of M, without which contacts neither approach nor, where they are ``still``, slip."""
    kept = [*rows.normal[~supports]]
    for i in np.flatnonzero(still):
        kept += [*rows.tangent(int(i))[rows.moves[i]]]
    if not kept:
        return np.zeros_like(v)
    held = np.array(kept)
    response = contacts.response(q, held.T)
    return np.asarray(response @ np.linalg.lstsq(held @ response, held @ v, rcond=None)[0])


def last_zero(values: Callable[[float], np.ndarray], i: int, first: float, last: float) -> float:
    """Where entry i of a function, not positive at ``last``, was positive before that; ``first`` where it was not after it.

    What begins at zero may rise a little before it falls: looked for down to a trillionth of the way.
    """
    for begin in (first, *(first + (last - first) * 0.5 ** np.arange(1, 40))):
        if values(begin)[i] > 0.0:
            return float(brentq(lambda time: float(values(time)[i]), begin, last, xtol=1e-15, rtol=1e-15))
    return first


class Phase:
    """Motion in given modes about an anchor: the state y = (u, v, z, energy lost by friction) with q = anchor (+) u.

    z are the states of laws with memory.
    """

    def __init__(self, contacts: Contacts, anchor: np.ndarray, modes: Modes) -> None:
        self.contacts, self.anchor, self.modes = contacts, anchor.copy(), modes
        self.nv, self.memory = contacts.problem.model.nv, contacts.problem.workspace.memory
        self.open = np.setdiff1d(np.flatnonzero(~contacts.supports), modes.numbers)
        self.armed = np.linalg.norm(modes.onset, axis=1) == 0.0  # slip that has begun to stop

    def state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and velocities; the states of laws are put where the problem looks for them."""
        self.memory.value[:] = y[2 * self.nv : -1]
        return self.contacts.moved(self.anchor, y[: self.nv]), np.array(y[self.nv : 2 * self.nv])

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of y."""
        q, v = self.state(y)
        found = self.contacts.forces(t, q, v, self.modes)  # puts v on imposed motions, wheels and loops
        rate = np.empty(self.nv)
        step_rate(self.contacts.problem.model.frames, np.ascontiguousarray(y[: self.nv]), v, rate)
        return np.concatenate([rate, found.acceleration, self.memory.rate, [found.loss]])

    def anew(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state y about itself, so that no chart is ever left; without velocities off the rows of the modes (round-off)."""
        q, v = self.contacts.settled(t, *self.state(y))
        rows, supports = self.contacts.rows(q, self.modes.numbers), self.contacts.supports[self.modes.numbers]
        self.anchor = q
        speeds = v - off_rows(self.contacts, q, v, rows, supports, self.modes.sticks)
        return np.concatenate([np.zeros(self.nv), speeds, y[2 * self.nv :]])

    def speeds(self, y: np.ndarray) -> np.ndarray:
        """Slip velocities (k, 3) of the touching contacts, world axes; zero where they stick or have no friction."""
        q, v = self.state(y)
        rows = self.contacts.rows(q, self.modes.numbers)
        slips: np.ndarray = np.einsum("kji,ki->kj", rows.axes, self.contacts.slips(rows, v))
        slips[self.modes.sticks] = 0.0
        return slips

    def is_stiff(self, y: np.ndarray) -> bool:
        """Whether slip is at its onset, or near it, in a contact that may turn its direction."""
        q, _ = self.state(y)
        rows = self.contacts.rows(q, self.modes.numbers)
        slow = (np.linalg.norm(self.speeds(y), axis=1) < FAST) & ~self.modes.sticks
        return bool(np.any(slow & rows.moves.all(axis=1)))

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """d(rates)/dy (n, n), n = 2 nv + nz + 1, by differences, small beside the slowest slip, whose direction they turn."""
        speeds = np.linalg.norm(self.speeds(y), axis=1)[~self.modes.sticks]
        size = 1e-3 * max(ONSET, float(speeds.min(initial=FAST)))
        fastest = max(1.0, float(np.abs(y[self.nv : 2 * self.nv]).max()))
        steps = np.repeat([size / fastest, size], self.nv)  # either moves slip by about ``size``
        steps = np.append(steps, 1e-6 * (1e-3 + np.abs(y[2 * self.nv : -1])))
        rates, found = self(t, y), np.zeros((len(y), len(y)))
        for i, step in enumerate(steps):
            moved = y.copy()
            moved[i] += step
            found[:, i] = (self(t, moved) - rates) / step
        return found

    def horizon(self, y: np.ndarray, rates: np.ndarray) -> float:
        """Half the time in which the first slip would end at the present rates, s: no step goes over the zero of a slip."""
        before = self.speeds(y)
        sizes = np.linalg.norm(before, axis=1)
        if not np.any(self.armed & (sizes > 0.0)):
            return np.inf
        short = 1e-7
        after = self.speeds(np.concatenate([y[: self.nv] + short * rates[: self.nv], y[self.nv :] + short * rates[self.nv :]]))
        falls = np.einsum("kj,kj->k", before - after, before) / (short * np.maximum(sizes, 1e-300))
        ends = [size / fall for size, fall, armed in zip(sizes, falls, self.armed, strict=True) if armed and size > 0.0 < fall]
        return 0.5 * min(ends) if ends else np.inf

    def edges(self, found: Forces) -> np.ndarray:
        """(2 k,): normal forces, and how far sticking contacts are inside their friction set, N (1 for others)."""
        friction = self.contacts.friction[self.modes.numbers]
        scaled = np.linalg.norm(found.friction / np.where(friction > 0.0, friction, np.inf), axis=1)
        supports = self.contacts.supports[self.modes.numbers]
        return np.concatenate([np.where(supports, 1.0, found.normal), np.where(self.modes.sticks, found.normal - scaled, 1.0)])

    def first_event(self, dense: Any, begin: float, end: float, y: np.ndarray, stiff: bool) -> Event | None:
        """The first event of a step from ``begin`` to ``end``, at which the state is y; the end of a slip is just after that."""
        found = [event for event in (self._closing(dense, begin, end), self._edge(dense, begin, end)) if event is not None]
        if not found:
            sizes = np.linalg.norm(self.speeds(y), axis=1)
            slides = ~self.modes.sticks & (sizes > 0.0)
            ended = np.flatnonzero(self.armed & slides & (sizes < STOPPED))
            if len(ended):
                return Event(end + 2.0 * self.horizon(y, self(end, y)), "stops", int(ended[0]))
            new = slides & ~self.armed & (sizes > FAST)
            self.armed |= slides & (sizes > 100.0 * STOPPED)
            if (
                np.any(new)
                or np.any((np.linalg.norm(self.modes.onset, axis=1) > 0.0) & (sizes > FAST))
                or (stiff and not self.is_stiff(y))
            ):
                return Event(end, "fast")
        return min(found) if found else None

    def _closing(self, dense: Any, begin: float, end: float) -> Event | None:
        """An open gap that closes."""

        def gaps(time: float) -> np.ndarray:
            found: np.ndarray = self.contacts.gaps(self.state(dense(time))[0])[self.open]
            return found

        if not len(self.open):
            return None
        samples = np.linspace(begin, end, _SAMPLES)
        for first, last in pairwise(samples):
            after = gaps(last)
            times = []
            for i in np.flatnonzero(after <= 0.0):
                q, v = self.state(dense(last))
                if self.contacts.rows(q, self.open[i : i + 1]).normal[0] @ v < -APPROACH:
                    times.append(last_zero(gaps, int(i), first, last))
            if times:
                return Event(float(min(times)), "closes")
        return None

    def _edge(self, dense: Any, begin: float, end: float) -> Event | None:
        """A touching contact whose normal force ends, or a sticking one whose force reaches the edge of its friction set."""
        k = len(self.modes.numbers)

        def edges(time: float) -> np.ndarray:
            return self.edges(self.contacts.forces(time, *self.state(dense(time)), self.modes))

        if not k:
            return None
        samples = np.linspace(begin, end, _SAMPLES)
        for first, last in pairwise(samples):
            passed = np.flatnonzero(edges(last) <= 0.0)
            if len(passed):
                times = [last_zero(edges, int(i), first, last) for i in passed]
                i = int(passed[int(np.argmin(times))])
                return Event(float(min(times)), "leaves" if i < k else "slips", i % k)
        return None

    def begin_slip(self, t: float, q: np.ndarray, v: np.ndarray, i: int) -> Modes:
        """The i-th contact begins to slip against the force that held it."""
        found = self.contacts.forces(t, q, v, self.modes)
        rows = self.contacts.rows(q, self.modes.numbers)
        friction = self.contacts.friction[self.modes.numbers[i]]
        scaled = np.where(friction > 0.0, found.friction[i] / np.where(friction > 0.0, friction, 1.0), 0.0)
        direction = np.where(friction > 0.0, -scaled / np.where(friction > 0.0, friction, 1.0), 0.0)
        return self.modes.slipping(i, rows.axes[i] @ direction / np.linalg.norm(direction))
