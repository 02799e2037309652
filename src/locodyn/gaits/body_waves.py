"""Gaits of bodies without joints: strain fields of a rod, and how their phases and amplitudes move (Ali 2011, chapter 6).

A gait of a body is what its muscles do, so it comes with the rod:

    gait = lateral_undulation(10.0, wavelength=1.0, travel=-0.5)
    head.rod("body", length=1.25, section=..., fields=gait.fields)
    ld.simulate(robot, imposed=gait.imposed("body"), ...)

``travel`` says how the wave travels: the phase sigma(t) of a field f(s + sigma) as a law (m), or a speed (m/s), sigma = speed t.
A wave with a falling phase runs from head (s = 0) to tail, and drives a body that holds on to the ground head first: its sections
then move with V_o = dsigma/dt along their tangents (Ali 2011, (6.31)-(6.39)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, LawLike, as_law, cosine, polynomial
from locodyn.motion.base import finite, positive
from locodyn.motion.field_base import WAVE
from locodyn.robot import FieldShape, FieldTerm, Profile, StrainField, standing, travelling, travelling_bump, window

_QUARTER = 0.5 * math.pi
_ROUND_OFF = 1e-15


@dataclass(frozen=True, eq=False)
class BodyGait:
    """The strain fields of a body and the motion of their coordinates.

    Parameters
    ----------
    name : str
    fields : tuple of StrainField
        For ``fields=`` of the rod.
    laws : {coordinate of a field: Law}
    period : s, or None where it does not repeat
    """

    name: str
    fields: tuple[StrainField, ...]
    laws: Mapping[str, Law]
    period: float | None = None

    def __post_init__(self) -> None:
        known = {name for field in self.fields for name in field.coordinates}
        for name in set(self.laws) ^ known:
            raise InputError(f"the gait '{self.name}' has a law or a coordinate '{name}' too many; each coordinate has one law.")

    def imposed(self, rod: str) -> dict[str, Law]:
        """The laws by the names of the coordinates of this rod (of its joint), for ``imposed=`` of a scenario."""
        return {f"{rod}.{name}": law for name, law in self.laws.items()}

    def __add__(self, other: BodyGait) -> BodyGait:
        """Both at once, on one body."""
        return BodyGait(f"{self.name}, {other.name}", self.fields + other.fields, {**self.laws, **other.laws})


class Turn(NamedTuple):
    """A turn of a snake: from the time ``start`` (s) its head bends for ``duration`` (s), by the ``curvature`` (1/m) at most.

    The bump of curvature then travels along the body with the wave. ``strain``: ``bending_z`` to the side, ``bending_y`` upwards.
    """

    start: float
    duration: float
    curvature: float
    strain: str = "bending_z"


def _travel(law: LawLike) -> Law:
    """sigma(t): a law, or a number as a speed."""
    if isinstance(law, (int, float, np.number)) and not isinstance(law, bool):
        return polynomial(0.0, finite(law, "the speed of a travelling wave"))
    return as_law(law)


def _period(law: Law, wavelength: float) -> float | None:
    """Time in which a wave goes on by its length, where it travels evenly."""
    speed = law.rate(0.0)
    even = speed != 0.0 and law.smoothness > 2 and all(abs(law.acceleration(t)) < 1e-12 * abs(speed) for t in (0.0, 1.0, 7.3))
    return wavelength / abs(speed) if even else None


def peristalsis(strain: float, *, wavelength: float, travel: LawLike, name: str = "peristalsis") -> BodyGait:
    """The earthworm's wave: stretch 1 + eps sin(k (c t - s)), k = 2 pi / wavelength (Ali 2011, (6.1)).

    Parameters
    ----------
    strain : eps, 0 ... 1
        At 1 the body would have no length where it is shortest.
    wavelength : m
    travel : m, or m/s
        How far the wave has gone from head to tail: a law of any speed, or a constant speed.

    >>> peristalsis(0.5, wavelength=1.0, travel=0.05).period
    20.0
    """
    eps = finite(strain, "the strain of a peristaltic wave")
    if not 0.0 <= eps < 1.0:
        raise InputError(
            f"the strain of a peristaltic wave is {eps:g}; it must be zero or more and below 1, where the body turns inside out."
        )
    law = _travel(travel) * -1.0
    # eps sin(k (c t - s)) = eps cos(k (s + sigma) + pi/2), sigma = -c t
    field = StrainField(name, travelling("stretch", eps, wavelength=wavelength, phase=_QUARTER))
    return BodyGait(name, (field,), {name: law}, _period(law, wavelength))


def omega_bend(angle: float, *, length: float, period: float, strain: str = "bending_z", name: str = "omega") -> BodyGait:
    """The inchworm's arch: theta = angle sin^2(w t) sin(2 pi (s - l) / l), K = theta', T = pi / w (Ali 2011, (6.25)-(6.26)).

    The ends stay on one line, l J0(angle sin^2 w t) apart, and parallel to it.

    Parameters
    ----------
    angle : rad
        Largest angle of the body from the line.
    length : m
        Of the body.
    period : s
        Of an arch and its release.
    """
    size, time = positive(length, "the length of an inchworm"), positive(period, "the period of an inchworm")
    a = finite(angle, "the angle of an inchworm")
    field = StrainField(name, standing(strain, 2.0 * math.pi / size, wavelength=size))
    return BodyGait(name, (field,), {name: cosine(-0.5 * a, omega=2.0 * math.pi / time, offset=0.5 * a)}, time)


def lateral_undulation(
    amplitude: float, *, wavelength: float, travel: LawLike, turns: Sequence[Turn] = (), name: str = "wave"
) -> BodyGait:
    """The snake's travelling curvature K_z = A cos(2 pi (s + sigma) / wavelength) and turns (Ali 2011, (6.40), (6.41)).

    A turn to the side changes the heading by V_o * curvature * duration / 2 * 1.2069003.

    Parameters
    ----------
    amplitude : 1/m
    wavelength : m
    travel : m, or m/s
        sigma(t), or V_o where it is even: negative for head first.
    turns : sequence of Turn
    """
    law = _travel(travel)
    shape = travelling("bending_z", finite(amplitude, "the amplitude of a snake's wave"), wavelength=wavelength)
    for turn in turns:
        shape = shape + _bump(Turn(*turn), law)
    return BodyGait(name, (StrainField(name, shape),), {name: law}, None if turns else _period(law, wavelength))


def _bump(turn: Turn, law: Law) -> FieldShape:
    """The bump that passes the head between the two times of a turn. In metres of the wave, so that any speed fits."""
    duration = positive(turn.duration, "the duration of a turn")
    first, last = law(turn.start), law(turn.start + duration)
    if first == last:
        raise InputError(
            f"the wave of a snake does not travel during its turn from {turn.start:g} s on; a turn needs a moving wave."
        )
    return travelling_bump(turn.strain, turn.curvature, centre=0.5 * (first + last), half_width=0.5 * abs(last - first))


def shearing_undulation(angle: float, shear: float, *, wavelength: float, travel: LawLike, name: str = "wave") -> BodyGait:
    """Bending and shear that travel together, for a body whose sections move along their normals only (Ali 2011, (6.42)).

    With the angle phi = ``angle`` sin(k (s + sigma)), K_z = -phi' and Gamma_y = ``shear`` sin(phi): then V_y = 0 all along, with
    V_x = sigmadot (1 - shear cos phi) and Omega = sigmadot K_z. This family solves the whole condition of compatibility,
    Kdot = K' V_x - K Omega Gamma_y - Gammadot_y', with its rates of shear. Without shear it is :func:`lateral_undulation`. In a
    wave the body goes wavelength * (J0(angle) - shear (1 + J0(2 angle)) / 2).

    Parameters
    ----------
    angle : rad
        Largest angle of the sections from the course.
    shear : -
        Ratio of Gamma_y to sin(phi); negative: faster than without.
    wavelength : m
    travel : m, or m/s
    """
    from scipy.special import jv

    law, a, ratio = _travel(travel), finite(angle, "the angle of an undulation"), finite(shear, "the shear of an undulation")
    size = positive(wavelength, "the wavelength of an undulation")
    shape = travelling("bending_z", -a * 2.0 * math.pi / size, wavelength=size)
    # sin(a sin u) = 2 sum of J_n(a) sin(n u) over odd n (Jacobi, Anger); those left out are below round-off.
    n = 1
    while ratio != 0.0 and (n == 1 or abs(jv(n, a)) > _ROUND_OFF):
        shape = shape + travelling("shear_y", 2.0 * ratio * float(jv(n, a)), wavelength=size / n, phase=-_QUARTER)
        n += 2
    return BodyGait(name, (StrainField(name, shape),), {name: law}, _period(law, size))


def helix(amplitude: float, *, wavelength: float, travel: LawLike, name: str = "helix") -> BodyGait:
    """A body wound about a cylinder: K_y = -A sin(k (s + sigma)), K_z = A cos(k (s + sigma)), k = 2 pi / wavelength.

    Its centre line is a helix of radius A / (A^2 + k^2) and pitch 2 pi k / (A^2 + k^2), along which it creeps.
    """
    law, a = _travel(travel), finite(amplitude, "the amplitude of a helix")
    shape = travelling("bending_y", a, wavelength=wavelength, phase=_QUARTER) + travelling("bending_z", a, wavelength=wavelength)
    return BodyGait(name, (StrainField(name, shape),), {name: law}, _period(law, wavelength))


def sidewinding(
    yaw: float, pitch: float, *, wavelength: float, travel: LawLike, delay: float = _QUARTER, name: str = "sidewinding"
) -> BodyGait:
    """Waves of both bendings: K_z = yaw cos(k (s + sigma)), K_y = pitch cos(k (s + sigma) - delay); 1/m, m, rad."""
    law = _travel(travel)
    shape = travelling("bending_z", finite(yaw, "the yaw amplitude of sidewinding"), wavelength=wavelength)
    shape = shape + travelling("bending_y", finite(pitch, "the pitch amplitude"), wavelength=wavelength, phase=-delay)
    return BodyGait(name, (StrainField(name, shape),), {name: law}, _period(law, wavelength))


def rolling(curvature: float, *, turn: LawLike, name: str = "rolling") -> BodyGait:
    """An arc that turns about its own centre line: K_z = A cos(sigma), K_y = A sin(sigma); ``turn``: sigma(t), rad, or rad/s."""
    law, a = _travel(turn), finite(curvature, "the curvature of a rolling body")
    terms = [
        FieldTerm(c, a, (Profile(WAVE.cosine, 0.0, 1.0, shift),)) for c, shift in (("bending_z", 0.0), ("bending_y", -_QUARTER))
    ]
    return BodyGait(name, (StrainField(name, terms),), {name: law}, _period(law, 2.0 * math.pi))


def concertina(
    amplitude: float, *, length: float, folds: int, period: float, overlap: float = 0.1, strain: str = "bending_z"
) -> BodyGait:
    """Front and rear half of a body fold and stretch in turn: the folded half holds, the other one moves.

    Both have curvatures amplitude * cos along ``folds`` waves each, times (1 + cos wt) / 2 in front and (1 - cos wt) / 2 behind.

    Parameters
    ----------
    amplitude : 1/m
    length : m
        Of the body.
    folds : int
        Waves on each half.
    period : s
    overlap : share of the length
        In which one half goes over into the other.
    """
    size, time = positive(length, "the length of a concertina"), positive(period, "the period of a concertina")
    if not isinstance(folds, int) or folds < 1:
        raise InputError(f"a concertina has {folds!r} folds on each half; it must have a whole number of them, 1 or more.")
    if not 0.0 < overlap <= 1.0:
        raise InputError(f"the overlap of a concertina is {overlap!r} of its length; it must be above 0 and at most 1.")
    wave = standing(strain, finite(amplitude, "the amplitude of a concertina"), wavelength=0.5 * size / folds)
    left, right = 0.5 * (1.0 - overlap) * size, 0.5 * (1.0 + overlap) * size
    fields = (StrainField("front", wave * window(right, left)), StrainField("rear", wave * window(left, right)))
    omega = 2.0 * math.pi / time
    laws = {"front": cosine(0.5, omega=omega, offset=0.5), "rear": cosine(-0.5, omega=omega, offset=0.5)}
    return BodyGait("concertina", fields, laws, time)


BODY_GAITS = {
    "peristalsis": peristalsis,
    "omega_bend": omega_bend,
    "lateral_undulation": lateral_undulation,
    "shearing_undulation": shearing_undulation,
    "helix": helix,
    "sidewinding": sidewinding,
    "rolling": rolling,
    "concertina": concertina,
}
"""The gaits of bodies without joints, by their names."""
