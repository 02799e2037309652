"""Travelling waves of joint angles: the gaits of snake robots (Transeth 2007, (2.14)-(2.15), (7.1)-(7.2)).

    phi_i(t) = A sin(w t + (i - 1) b + b0) + offset,     i = 1 .. joints

With b < 0 the wave runs towards larger i. Lateral undulation is a horizontal wave, sidewinding a horizontal and a vertical one,
U-shaped lateral rolling both with the same amplitude, b = 0 and b0 a quarter period apart.
"""

from __future__ import annotations

import math

from locodyn.motion import Law, sine

_AT_ONCE = 1e-9  # s


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
        Soft start (Transeth 2007, 7.2): every joint stays at 0 until its wave is within this angle of 0 for the first time
        after ``begin`` (s).
    """
    laws = []
    for i in range(joints):
        law = sine(amplitude, omega=omega, phase=i * phase + first_phase, offset=offset)
        switch = 0.0
        if soft is not None:
            switch = begin + switching_time(amplitude, omega, omega * begin + i * phase + first_phase, soft)
        laws.append(law if switch == 0.0 else law.soft_start(_AT_ONCE, switch))
    return laws


def switching_time(amplitude: float, omega: float, phase: float, within: float) -> float:
    """First time (s) from which |amplitude sin(omega t + phase)| <= within.

    >>> switching_time(1.0, 1.0, 0.0, 0.1)
    0.0
    """
    if abs(amplitude) <= within:
        return 0.0
    d = math.asin(within / abs(amplitude))
    x = (phase + d) % math.pi
    return 0.0 if x <= 2.0 * d else (math.pi - x) / omega


def serpenoid_heading(amplitude: float, phase: float) -> float:
    """Heading of the first link against the centre line of the chain, whose direction is from the first link on: rad.

    th_centre = th_1 + A/2 cot(b/2), for the angles A sin((i - 1) b) of the joints.
    """
    return -0.5 * amplitude / math.tan(0.5 * phase)
