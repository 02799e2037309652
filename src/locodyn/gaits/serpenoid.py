"""The serpenoid: the curve of an undulating snake, the wave of joint angles that puts a chain on it, and the gait made of it.

The tangent of the serpenoid curve turns by alpha cos(pi s / (2 l)) along the arc (Hirose; Transeth 2007, (2.13)). The joints of a
chain on it swing as a travelling wave (Transeth 2007, (2.14)-(2.15), (7.1)-(7.2)),

    phi_i(t) = A_i sin(w t + (i - 1) b + b0) + offset,     A_i = A (1 + growth (i - 1) / (n - 1)),     i = 1 .. n

Without growth the links have the headings -K cos(w t + (i - 3/2) b + b0) against the centre line, with K = A / (2 sin(b / 2)): up
to its sign, K is the winding angle alpha. With b < 0 the wave runs towards larger i. Lateral undulation is a horizontal wave,
sidewinding a horizontal and a vertical one, U-shaped lateral rolling both with the same amplitude, b = 0 and b0 a quarter period
apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.gait import PACE, Gait, pace
from locodyn.motion import Law, constant, cosine, sine
from locodyn.motion.base import finite, positive

_AT_ONCE = 1e-9  # s
_STRAIGHT = 1e-9  # of the sine of half the phase: below it the wave has no centre line


def wave_terms(
    joints: int, amplitude: float, phase: float, first_phase: float = 0.0, growth: float = 0.0
) -> list[tuple[float, float]]:
    """Amplitude and phase (rad) of every joint of a travelling wave."""
    last = max(1, joints - 1)
    return [(amplitude * (1.0 + growth * (i / last)), i * phase + first_phase) for i in range(joints)]


def joint_waves(
    joints: int,
    amplitude: float,
    omega: float,
    phase: float,
    first_phase: float = 0.0,
    offset: float = 0.0,
    soft: float | None = None,
    begin: float = 0.0,
) -> list[Law]:
    """Laws of the joint angles.

    Parameters
    ----------
    joints : int
    amplitude, offset : rad
        The offset steers.
    omega : rad/s
    phase, first_phase : rad
        b between neighbours, and b0 of the first joint.
    soft : rad, optional
        Soft start (Transeth 2007, 7.2): every joint stays at 0 until its reference, offset included, is within this angle of
        0 for the first time after ``begin`` (s).
    """
    laws = []
    for size, shift in wave_terms(joints, amplitude, phase, first_phase):
        law = sine(size, omega=omega, phase=shift, offset=offset)
        switch = 0.0
        if soft is not None:
            switch = begin + switching_time(size, omega, omega * begin + shift, soft, offset)
        laws.append(law if switch == 0.0 else law.soft_start(_AT_ONCE, switch))
    return laws


def switching_time(amplitude: float, omega: float, phase: float, within: float, offset: float = 0.0) -> float:
    """First time (s) from which |amplitude sin(omega t + phase) + offset| <= within.

    >>> switching_time(1.0, 1.0, 0.0, 0.1)
    0.0
    """
    if abs(amplitude) + abs(offset) <= within:
        return 0.0
    if abs(offset) - abs(amplitude) > within:
        raise InputError(
            f"a joint that swings by {abs(amplitude):g} rad about {offset:g} rad never comes within {within:g} rad of 0, which"
            " the soft start waits for; take less steering, or a larger amplitude."
        )
    if amplitude < 0.0:
        amplitude, phase = -amplitude, phase + math.pi
    low = math.asin(max(-1.0, (-within - offset) / amplitude))
    high = math.asin(min(1.0, (within - offset) / amplitude))
    turns = []
    for start, end in ((low, high), (math.pi - high, math.pi - low)):  # where the sine is small enough: rising, falling
        x = (phase - start) % math.tau
        turns.append(0.0 if x <= end - start else math.tau - x)
    return min(turns) / omega


def serpenoid_heading(amplitude: float, phase: float) -> float:
    """Heading of the first link against the centre line of the chain, whose direction is from the first link on: rad.

    th_centre = th_1 + A/2 cot(b/2), for the angles A sin((i - 1) b) of the joints.
    """
    if abs(math.sin(0.5 * phase)) < _STRAIGHT:
        raise InputError(
            f"the phase from joint to joint is {phase:g} rad, so that all joints bend alike and the wave has no centre line to"
            " start along; take another one, such as -0.87."
        )
    return -0.5 * amplitude / math.tan(0.5 * phase)


def heading_swing(amplitude: float, phase: float) -> float:
    """K = A / (2 sin(b / 2)): how far (rad) links turn from the centre line, for joints that swing by A (rad), b (rad) apart."""
    return 0.5 * amplitude / math.sin(0.5 * phase)


def serpenoid_curve(s: Any, winding: float, quarter: float) -> np.ndarray:
    """Points (m, 3) of the serpenoid curve at the arc lengths s (m,), m.

    The angle of the tangent is alpha cos(pi s / (2 l)) with the winding angle alpha (rad); a quarter wave is l (m) long.
    """
    arcs = np.atleast_1d(np.asarray(s, dtype=float))
    alpha, length = finite(winding, "the winding angle"), positive(quarter, "the quarter wave of a serpenoid curve")
    nodes, weights = np.polynomial.legendre.leggauss(48)
    points = np.zeros((len(arcs), 3))
    for row, arc in zip(points, arcs, strict=True):
        angle = alpha * np.cos(0.5 * math.pi * (0.5 * arc * (nodes + 1.0)) / length)
        row[:2] = 0.5 * arc * (weights @ np.cos(angle)), 0.5 * arc * (weights @ np.sin(angle))
    return points


def serpenoid_gait(
    joints: Sequence[str],
    *,
    amplitude: float,
    omega: float,
    lag: float,
    offset: float = 0.0,
    phase: float = 0.0,
    growth: float = 0.0,
) -> Gait:
    """A wave that travels along the joints: r_j = offset + amplitude (1 + growth x_j) sin(omega t + phase - j lag).

    ``joints`` from head to tail, j = 0, 1, ...; x_j = j / (n - 1). ``lag`` (rad) between neighbours: positive, the wave runs
    to the tail; ``offset`` steers; ``growth`` makes the tail beat wider than the head. All six numbers are parameters.
    """
    names = tuple(str(name) for name in joints)
    if not names or len(set(names)) < len(names):
        raise InputError("a serpenoid gait needs the names of its joints, each once.")
    values = {"amplitude": amplitude, PACE: pace(omega), "lag": lag, "offset": offset, "phase": phase, "growth": growth}
    return _serpenoid(names, {name: finite(value, f"the {name} of a serpenoid gait") for name, value in values.items()})


def _serpenoid(names: tuple[str, ...], p: dict[str, float]) -> Gait:
    laws: dict[str, Law] = {}
    derivatives: dict[str, dict[str, Law]] = {word: {} for word in ("amplitude", "lag", "offset", "phase", "growth")}
    terms = wave_terms(len(names), p["amplitude"], -p["lag"], p["phase"], p["growth"])
    for j, (name, (size, phase)) in enumerate(zip(names, terms, strict=True)):
        place = j / max(1, len(names) - 1)
        laws[name] = sine(size, omega=p[PACE], phase=phase, offset=p["offset"])
        derivatives["amplitude"][name] = sine(1.0 + p["growth"] * place, omega=p[PACE], phase=phase)
        derivatives["growth"][name] = sine(p["amplitude"] * place, omega=p[PACE], phase=phase)
        derivatives["phase"][name] = cosine(size, omega=p[PACE], phase=phase)
        derivatives["lag"][name] = cosine(-j * size, omega=p[PACE], phase=phase)
        derivatives["offset"][name] = constant(1.0)
    return Gait(
        laws,
        math.tau / pace(p[PACE]),
        parameters=p,
        derivatives=derivatives,
        rebuild=lambda values: _serpenoid(names, values),
    )
