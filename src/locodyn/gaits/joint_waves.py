"""Travelling waves of joint angles: the gaits of snake robots (Transeth 2007, (2.14)-(2.15), (7.1)-(7.2)).

    phi_i(t) = A sin(w t + (i - 1) b + b0) + offset,     i = 1 .. joints

With b < 0 the wave runs towards larger i. Lateral undulation is a horizontal wave, sidewinding a horizontal and a vertical one,
U-shaped lateral rolling both with the same amplitude, b = 0 and b0 a quarter period apart.
"""

from __future__ import annotations

import math

from locodyn.errors import InputError
from locodyn.motion import Law, sine

_AT_ONCE = 1e-9  # s
_STRAIGHT = 1e-9  # of the sine of half the phase: below it the wave has no centre line


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
    for i in range(joints):
        law = sine(amplitude, omega=omega, phase=i * phase + first_phase, offset=offset)
        switch = 0.0
        if soft is not None:
            switch = begin + switching_time(amplitude, omega, omega * begin + i * phase + first_phase, soft, offset)
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
