"""Which gait fits a course of pegs: lateral undulation with three push points (Transeth 2007, 5 and 7.4).

A snake that does not slip moves along its own track: while the wave w t + (i - 1) b runs to the tail, the body advances by
one wavelength in a period, and every link follows the one before it. The plan looks at this ideal motion. At a number of
instants the gaps between links and pegs are computed exactly; a peg that a link touches, or nearly so, is a *push point* if its
force, normal to the surfaces, points forward. The gait, and where its track lies, are chosen such that at all instants three
pegs are push points, on both sides, and none is in the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.serpenoid import heading_swing, joint_waves, wave_terms
from locodyn.motion import Law

NEEDED = 3  # push points
NEAR = 0.015  # m: gap over which a peg counts less and less
PUSHES = 0.05  # forward share of the normal of a peg from which it counts as a push point
_INSTANTS = 12  # of a period
_HARMONICS = 7
_TRIES = 7 * 8 * 8 * 3 + 3 * 160  # tracks looked at in a search
_FULL = 0.3  # forward share of the normal of a peg that counts fully


@dataclass(frozen=True)
class Chain:
    """Links of a planar snake: number, length between joints, half length of the axis, radius, m."""

    links: int = 11
    length: float = 0.122
    half_axis: float = 0.0393
    radius: float = 0.0525


@dataclass(frozen=True)
class PegPlan:
    """A gait for a course of pegs, and where to start."""

    amplitude: float  # rad
    phase: float  # rad, from joint to joint
    first_phase: float  # rad, of joint 1 at the start
    place: tuple[float, float, float]  # x, y (m), heading (rad) of link 1 at the start
    angles: tuple[float, ...]  # of the joints at the start, rad
    push_points: float  # mean number in the ideal motion along the course
    clearance: float  # m, smallest gap in the ideal motion; negative: the body must yield there

    def laws(self, omega: float, offset: float = 0.0) -> list[Law]:
        """Laws of the joint angles, w = ``omega`` (rad/s)."""
        return joint_waves(len(self.angles), self.amplitude, omega, self.phase, self.first_phase, offset)


def wave_posture(chain: Chain, amplitude: float, phase: float, first: Any) -> np.ndarray:
    """Centres (m) and headings (rad) of the links of a wave, (..., links, 3): link 1 in front, centre line along +x.

    ``first`` (...) is the phase f of joint 1; as it grows, the body slides forward along one track about the x axis, by a
    wavelength in a period. With K = A / (2 sin(b / 2)) and psi_i = f + (i - 3/2) b the headings are th_i = pi - K cos(psi_i),
    and the sums of their sines and cosines over the links before follow term by term from
    cos(K cos psi) = J_0 + 2 sum (-1)^k J_2k cos(2 k psi) and sin(K cos psi) = 2 sum (-1)^k J_2k+1 cos((2 k + 1) psi).
    """
    from scipy.special import jv

    k = heading_swing(amplitude, phase)
    f = np.asarray(first, dtype=float)[..., None]
    th = math.pi - k * np.cos(f + (np.arange(chain.links) - 0.5) * phase)
    m = np.arange(1, _HARMONICS + 1)
    divisors = np.sin(0.5 * m * phase)
    sizes = chain.length * (-1.0) ** (m // 2) * jv(m, k) * np.where(np.abs(divisors) > 1e-6, 1.0 / divisors, 0.0)
    terms = sizes * np.sin(m * (f - phase))
    x = wavelength(chain, amplitude, phase) * f / math.tau - terms[..., 1::2].sum(axis=-1, keepdims=True)
    y = terms[..., ::2].sum(axis=-1, keepdims=True)
    across, up = chain.length * np.cos(th), chain.length * np.sin(th)
    return np.stack([x + np.cumsum(across, axis=-1) - 0.5 * across, y + np.cumsum(up, axis=-1) - 0.5 * up, th], axis=-1)


def wavelength(chain: Chain, amplitude: float, phase: float) -> float:
    """Length of a wave along the centre line, m: 2 pi L / |b| times the mean of cos(heading), J_0(A / (2 sin(b / 2)))."""
    from scipy.special import j0

    return float(2.0 * math.pi * chain.length / abs(phase) * j0(heading_swing(amplitude, phase)))


def peg_gaps(chain: Chain, posture: np.ndarray, pegs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gap (m) of every peg to the nearest link, (..., p), and the normal from peg to link there, (..., p, 2).

    ``posture`` (..., links, 3): centres and headings; ``pegs`` (p, 3): x, y, radius, m.
    """
    centres, along = posture[..., None, :, :2], np.stack([np.cos(posture[..., 2]), np.sin(posture[..., 2])], axis=-1)
    along = along[..., None, :, :]
    apart = pegs[:, None, :2] - centres
    reach = np.clip(np.sum(apart * along, axis=-1), -chain.half_axis, chain.half_axis)
    normal = reach[..., None] * along - apart
    distance = np.linalg.norm(normal, axis=-1)
    nearest = np.argmin(distance, axis=-1)[..., None]
    size = np.maximum(np.take_along_axis(distance, nearest, axis=-1), 1e-12)
    return size[..., 0] - pegs[:, 2] - chain.radius, np.take_along_axis(normal, nearest[..., None], axis=-2)[..., 0, :] / size


@dataclass(frozen=True)
class Fit:
    """How a track fits a course: value (larger is better), mean number of push points, smallest gap (m)."""

    value: float
    push_points: float
    clearance: float


def track_fit(chain: Chain, amplitude: float, phase: float, at: tuple[float, float], pegs: np.ndarray) -> Fit:
    """The ideal motion of a wave whose track begins at ``at`` (x, y of the centre line, m) along +x among the pegs."""
    length = wavelength(chain, amplitude, phase)
    body = chain.links * abs(phase) / math.tau * length
    first, last = pegs[:, 0].min(), pegs[:, 0].max()
    begin, end = (first + 0.8 * body - at[0]) / length, (last + 0.2 * body - at[0]) / length  # of the front, in waves
    phases = math.tau * np.arange(begin, max(end, begin + 0.99), 1.0 / _INSTANTS)
    gaps, normals = peg_gaps(chain, wave_posture(chain, amplitude, phase, phases) + np.array([*at, 0.0]), pegs)
    close = np.exp(-((np.maximum(gaps, 0.0) / NEAR) ** 2))
    forward = close * np.clip(normals[..., 0] / _FULL, -1.0, 1.0)
    push, left = np.maximum(0.0, forward), normals[..., 1] > 0.0
    by_side = (np.sum(push * side, axis=1) for side in (left, ~left))
    pushes = sum(np.minimum(side, NEEDED - 1) for side in by_side)  # three on one side hold no balance
    yields = np.sum((np.minimum(gaps, 0.0) / NEAR) ** 2, axis=1)
    value = np.minimum(pushes, NEEDED) / NEEDED + 0.3 * np.sum(np.minimum(0.0, forward), axis=1) - yields
    counts = np.sum((gaps < NEAR) & (normals[..., 0] > PUSHES), axis=1)
    return Fit(float(value.mean()), float(counts.mean()), float(gaps.min()))


def place_pegs(
    amplitude: float,
    phase: float,
    count: int,
    radius: float = 0.02,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    chain: Chain | None = None,
) -> list[tuple[float, float, float]]:
    """Pegs (x, y, radius) that fit a gait: the placement rule (Transeth 2007, 5 and 7.4).

    One peg at every crossing of the track with its centre line, half a wavelength apart, behind the body, where the link stands
    most across the way and the force has its largest forward part: pegs are near the centre line and on alternate sides. A body
    of one wave and a half always touches three. ``at``: where the centre line begins, m.
    """
    from scipy.optimize import brentq

    links = chain or Chain()
    if not isinstance(count, int) or count < 1:
        raise InputError(f"a course has {count!r} pegs; it must have one or more.")

    def middle(f: float) -> np.ndarray:
        found: np.ndarray = wave_posture(links, amplitude, phase, f)[0]
        return found

    grid = np.linspace(0.0, math.tau, 37)
    across = [middle(f)[1] for f in grid]
    crossings = [
        brentq(lambda f: middle(f)[1], a, b)
        for a, b, x, y in zip(grid, grid[1:], across, across[1:], strict=False)
        if x * y < 0.0
    ]
    pegs = []
    for k in range(count):
        x, y, th = middle(crossings[k % 2] + math.tau * (k // 2))
        normal = np.array([-math.sin(th), math.cos(th)])
        normal = normal if normal[0] > 0.0 else -normal
        px, py = np.array([x, y]) - (links.radius + radius) * normal + at
        pegs.append((float(px), float(py), float(radius)))
    return pegs


def plan_gait(
    pegs: Sequence[Any],
    chain: Chain | None = None,
    *,
    amplitudes: tuple[float, float] = (math.radians(25.0), math.radians(55.0)),
    phases: tuple[float, float] = (math.radians(-70.0), math.radians(-35.0)),
    on_progress: Callable[[float], None] | None = None,
) -> PegPlan:
    """Amplitude, phase and start of lateral undulation along +x through a course of pegs (x, y, radius), m.

    A grid over both parameters and over where the track lies, then a simplex search from the best; the start is the posture on
    that track nearest to the first pegs that touches none of them. A course that allows no push points is refused.
    ``on_progress`` is told the share of the search that is done.
    """
    links, course = chain or Chain(), np.asarray(pegs, dtype=float)
    if course.ndim != 2 or course.shape[1] != 3 or len(course) < NEEDED or not np.isfinite(course).all():
        raise InputError(f"a course is given by {NEEDED} or more pegs, each x, y and radius (m).")
    from scipy.optimize import minimize

    tries = 0

    def cost(x: np.ndarray) -> float:
        nonlocal tries
        tries += 1
        if on_progress is not None and tries % 50 == 0:
            on_progress(min(1.0, tries / _TRIES))
        amplitude, phase = np.clip(x[0], *amplitudes), np.clip(x[1], *phases)
        outside = abs(x[0] - amplitude) + abs(x[1] - phase)
        return float(10.0 * outside - track_fit(links, amplitude, phase, (x[2], x[3]), course).value)

    middle = float(course[:, 1].mean())
    guesses = [
        (cost(np.array([a, b, x * wavelength(links, a, b), middle + y])), a, b, x * wavelength(links, a, b), middle + y)
        for a in np.linspace(*amplitudes, 7)
        for b in np.linspace(*phases, 8)
        for x in np.arange(8) / 8.0
        for y in (-0.03, 0.0, 0.03)
    ]
    steps = np.array([0.05, 0.05, 0.03, 0.02])
    found = []
    for guess in sorted(guesses)[:3]:
        corner = np.array(guess[1:])
        simplex = np.vstack([corner, corner + np.diag(steps)])
        found.append(minimize(cost, corner, method="Nelder-Mead", options={"initial_simplex": simplex, "maxfev": 160}))
    x = min(found, key=lambda one: float(one.fun)).x
    amplitude, phase = float(np.clip(x[0], *amplitudes)), float(np.clip(x[1], *phases))
    fit = track_fit(links, amplitude, phase, (x[2], x[3]), course)
    if fit.push_points < 1.0:
        raise InputError(
            f"no gait finds push points on this course: the best has {fit.push_points:.1f} on average and needs {NEEDED}; place"
            " pegs nearer to each other, on alternate sides (place_pegs tells where)."
        )
    return plan_start(course, links, amplitude, phase, (x[2], x[3]))


def plan_start(course: Any, chain: Chain, amplitude: float, phase: float, at: tuple[float, float]) -> PegPlan:
    """The plan of a gait whose track begins at ``at`` (m): where among the first pegs it can start without touching one."""
    pegs = np.asarray(course, dtype=float)
    length = wavelength(chain, amplitude, phase)
    body = chain.links * abs(phase) / math.tau * length
    ideal = (pegs[:, 0].min() + 0.9 * body - at[0]) / length * math.tau
    shifts = np.array([(dx, dy) for dx in (0.0, 0.01, -0.01, 0.02, -0.02, 0.03, -0.03) for dy in (0.0, 0.01, -0.01, 0.02, -0.02)])
    fit = track_fit(chain, amplitude, phase, at, pegs)
    for back in range(25):  # the phase of the start, then small shifts of the track
        for first in {ideal - back * math.pi / 12.0, ideal + back * math.pi / 36.0}:
            for shift in shifts[np.argsort(np.abs(shifts).sum(axis=1))]:
                posture = wave_posture(chain, amplitude, phase, first)
                posture[:, :2] += at + shift
                if peg_gaps(chain, posture, pegs)[0].min() > 5e-4:
                    place = (float(posture[0, 0]), float(posture[0, 1]), float(posture[0, 2]))
                    angles = tuple(
                        float(size * math.sin(shift)) for size, shift in wave_terms(chain.links - 1, amplitude, phase, first)
                    )
                    return PegPlan(amplitude, phase, float(first), place, angles, fit.push_points, fit.clearance)
    raise InputError("a snake with this gait cannot start among the first pegs without touching one; leave more room there.")
