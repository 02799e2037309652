"""Gaits of snake robots: chains whose joints turn about z (yaw) and, in space, then about y (pitch).

Waves (Transeth 2007, (2.14)-(2.15)), i = 1 .. n - 1, with the ratio k of the frequencies:

    yaw_i = A_h sin(w t + (i - 1) b_h) + steering,     pitch_i = A_v sin(k w t + (i - 1) b_v + b_0)

With b < 0 a wave runs towards larger i. Positive pitch bends the chain down, so a crest of the body is where pitch is largest.

- ``lateral``: lateral undulation, one horizontal wave. ``sidewinding``: with a vertical wave a quarter period apart.
- ``sinus_lifting``: the vertical wave has twice the frequency and lifts the body where it is bent most.
- ``rolling``: U-shaped lateral rolling, a bent body whose bend turns about its axis.
- ``inchworm``: a vertical wave that runs to the head; the body moves with it, on the troughs that stand.
- ``concertina``: folds in zigzag, (-1)^i A w(i - c t), that run from the tail to the head; the straight rest, heavier than
  what moves, holds its place. w is cos^4 over ``FOLD`` joints.
- ``skidding`` (slide-pushing): one bend after the other, to the left and to the right in turn, runs from the head to the tail,
  +-A w(c t - i); where friction across the links is the larger, the body slides along on it in a zigzag.
- ``wheel``: the body closes to a ring, pitch_i = -2 pi / n + A sin(w t + 4 pi i / n), whose flattening runs round it.
- ``bridge``: the body stands as an arch on its two ends, which lie across, one to each side. It shuffles: it stretches while the
  arch leans on the tail, so that the head slides ahead, and contracts while it leans on the head (own choice of the motion).
- ``smoke_ring``: a ring about a pole that rolls about its own axis, and so along the pole; ``climbing``: likewise as a helix
  (:mod:`locodyn.gaits.rolling_helix`). They move towards +z where the chain winds about z to the left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.gaits.gait import Gait
from locodyn.gaits.rolling_helix import Screw, helix_roll
from locodyn.gaits.serpenoid import joint_waves
from locodyn.motion import Law, constant, sine, spline
from locodyn.motion.base import TERM, finite, positive

FOLD = 6.0  # joints that a fold of concertina takes
FEET = 2  # links at each end on which a bridge stands
LEAN, STRIDE = 0.5, 0.2  # of a bridge: by how much of the bend of its joints they lean, and stretch and contract
TORSION = math.radians(8.0)  # between neighbouring links of a climbing robot
ON_A_POLE = ("smoke_ring", "climbing")
_SAMPLES = 240  # of a cycle


class Waves(NamedTuple):
    """Amplitudes (rad), phases between neighbours (rad), first vertical phase (rad), ratio of the frequencies."""

    yaw: float
    pitch: float
    yaw_phase: float
    pitch_phase: float
    first: float = 0.0
    ratio: float = 1.0


def _waves(yaw: float, pitch: float, yaw_phase: float, pitch_phase: float, first: float = 0.0, ratio: float = 1.0) -> Waves:
    """From degrees."""
    a_h, a_v, b_h, b_v, b_0 = (math.radians(x) for x in (yaw, pitch, yaw_phase, pitch_phase, first))
    return Waves(a_h, a_v, b_h, b_v, b_0, ratio)


WAVES = {
    "lateral": _waves(40.0, 0.0, -50.0, 0.0),
    "rolling": _waves(10.0, 10.0, 0.0, 0.0, 90.0),
    "sidewinding": _waves(30.0, 10.0, -50.0, -50.0, 90.0),
    "sinus_lifting": _waves(40.0, 4.0, -50.0, -100.0, -90.0, 2.0),
    "inchworm": _waves(0.0, 20.0, 0.0, 50.0),
}
AMPLITUDES = {name: max(w.yaw, w.pitch) for name, w in WAVES.items()} | {
    "concertina": math.radians(80.0),
    "skidding": math.radians(40.0),
    "wheel": math.radians(12.0),
    "bridge": math.radians(20.0),
    "smoke_ring": math.tau,
    "climbing": math.radians(50.0),
}
SNAKE_GAITS = tuple(AMPLITUDES)
IN_THE_PLANE = ("lateral", "concertina", "skidding")


def snake_gait(
    kind: str,
    yaw: Sequence[str] = (),
    pitch: Sequence[str] = (),
    *,
    omega: float = math.radians(80.0),
    scale: float = 1.0,
    steering: float = 0.0,
) -> Gait:
    """The gait of this name for the joints of a chain.

    Parameters
    ----------
    kind : str
        One of :data:`SNAKE_GAITS`.
    yaw, pitch : names of coordinates
        From the first to the last joint; as many of both where both are there.
    omega : rad/s
        2 pi over the period.
    scale : float
        Factor of the amplitudes of Transeth (2007, (7.3)-(7.5)) or, where he gives none, of :data:`AMPLITUDES`.
    steering : rad
        Added to all yaw angles.

    >>> from locodyn.gaits import snake_gait
    >>> snake_gait("inchworm", pitch=["joint_1", "joint_2"]).period
    4.5
    """
    names = [str(name) for name in (*yaw, *pitch)]
    joints = len(yaw) or len(pitch)
    if kind not in SNAKE_GAITS:
        raise InputError(f"there is no gait '{kind}' of snakes{nearest(kind, SNAKE_GAITS)}")
    if len(set(names)) < len(names) or joints < 2 or (yaw and pitch and len(yaw) != len(pitch)):
        raise InputError("a gait of snakes needs the names of two or more joints, each once, and as many for yaw as for pitch.")
    if not pitch and kind not in IN_THE_PLANE:
        known = f"{', '.join(IN_THE_PLANE[:-1])} and {IN_THE_PLANE[-1]}"
        raise InputError(f"the gait '{kind}' needs pitch joints; without them there are {known}.")
    if not yaw and kind not in ("inchworm", "wheel"):
        raise InputError(f"the gait '{kind}' needs yaw joints.")
    if kind == "bridge" and joints < 2 * FEET + 2:
        raise InputError(f"the gait 'bridge' needs {2 * FEET + 2} joints or more, of which {2 * FEET} are those of its feet.")
    rate, factor = positive(omega, "omega of a gait of snakes"), finite(scale, "the scale of a gait of snakes")
    across, up = _laws(kind, joints, rate, factor)
    offset = finite(steering, "the steering of a gait of snakes")
    laws = [law + offset if offset else law for law in across[: len(yaw)]] + up[: len(pitch)]
    return Gait(dict(zip(names, laws, strict=True)), math.tau / rate)


def _laws(kind: str, joints: int, omega: float, scale: float) -> tuple[list[Law], list[Law]]:
    """Yaw and pitch laws."""
    still = [constant(0.0)] * joints
    if kind == "concertina":
        return [_fold(i, joints, omega, scale * AMPLITUDES[kind]) for i in range(joints)], still
    if kind == "skidding":
        return [_bend(i, joints, omega, scale * AMPLITUDES[kind]) for i in range(joints)], still
    if kind == "bridge":
        return _bridge(joints, omega, scale * AMPLITUDES[kind])
    if kind in ON_A_POLE:
        return helix_roll(screw_of(kind, joints, scale), joints, -omega)
    if kind == "wheel":
        turn = math.tau / (joints + 1)
        flattening = scale * AMPLITUDES[kind]
        return still, [sine(flattening, omega=omega, phase=2.0 * turn * (i + 1), offset=-turn) for i in range(joints)]
    w = WAVES[kind]
    yaw = joint_waves(joints, scale * w.yaw, omega, w.yaw_phase)
    return yaw, joint_waves(joints, scale * w.pitch, w.ratio * omega, w.pitch_phase, w.first)


def screw_of(kind: str, joints: int, scale: float = 1.0) -> Screw:
    """The helix of a gait on a pole, for the ``scale`` of :func:`snake_gait`."""
    bend = scale * AMPLITUDES[kind]
    return Screw(bend / (joints + 1)) if kind == "smoke_ring" else Screw(bend, TORSION)


def _bridge(joints: int, omega: float, bend: float) -> tuple[list[Law], list[Law]]:
    """Feet at right angles to an arch whose joints bend by ``bend``, more near the head as it contracts."""
    yaw, pitch = [constant(0.0)] * joints, [constant(0.0)] * joints
    yaw[FEET - 1], yaw[joints - FEET] = constant(0.5 * math.pi), constant(-0.5 * math.pi)
    for i in range(FEET, joints - FEET):
        place = 1.0 - 2.0 * (i - FEET) / (joints - 2 * FEET - 1)  # 1 at the head, -1 at the tail
        swing = sine(STRIDE * bend, omega=omega) + sine(LEAN * place * bend, omega=omega, phase=0.5 * math.pi)
        pitch[i] = swing + bend
    return yaw, pitch


def _fold(i: int, joints: int, omega: float, amplitude: float) -> Law:
    """Joint i of the fold that runs from beyond the last joint to before the first."""
    times = np.linspace(0.0, math.tau / omega, _SAMPLES + 1)
    centre = joints + 0.5 * FOLD - (joints + FOLD) * times * omega / math.tau
    distance = np.clip((i - centre) / FOLD, -0.5, 0.5)
    values = (-1.0) ** i * amplitude * np.cos(math.pi * distance) ** 4
    return spline(times, values, degree=5, periodic=True)


def _bend(i: int, joints: int, omega: float, amplitude: float) -> Law:
    """Joint i of two bends in a period, one to each side, that run from before the first joint to beyond the last."""
    times = np.linspace(0.0, math.tau / omega, 2 * _SAMPLES + 1)
    run = times * omega / math.pi
    centre = (joints + FOLD) * (run % 1.0) - 0.5 * FOLD
    distance = np.clip((i - centre) / FOLD, -0.5, 0.5)
    values = np.where(run % 2.0 < 1.0, amplitude, -amplitude) * np.cos(math.pi * distance) ** 4
    return spline(times, values, degree=5, periodic=True)


def soften(law: Law, duration: float, start: float = 0.0) -> Law:
    """The law with what moves in it begun at rest: constant terms stay, the others rise within ``duration`` (s)."""
    still = [term for term in law.terms if term.kind == TERM.polynomial and not term.coefficients[1:].any()]
    moving = Law(tuple(term for term in law.terms if term not in still))
    return Law(tuple(still)) + moving.soft_start(duration, start) if moving.terms else law
