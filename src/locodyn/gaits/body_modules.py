"""From a gait of a body without joints to one of rigid modules: joint angles of a chain that moves alike (Ali 2011, 6.5).

The body is cut into n pieces of the length h, and a module takes the place of each. In a plane it has the mean heading of its
piece, so that the joint at X turns by the curvature averaged with a triangle of two modules,

    r(X) = integral of K(s) (1 - abs(s - X) / h) ds from X - h to X + h.

In space it has the direction from one end of its piece to the other. As in :mod:`locodyn.gaits.backbone`, a joint turns about z
by the yaw angle and then about y by the pitch angle: the next module then has the direction (cos y cos p, sin y cos p, -sin p) in
this one. Joints and tips are off the body by terms of second order in h, and so is the path of the chain from that of the body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.body_waves import BodyGait
from locodyn.motion import Law, cosine, spline
from locodyn.motion.base import TERM, positive
from locodyn.motion.field_base import WAVE
from locodyn.robot.pose import rotation_about
from locodyn.robot.rods.field import field_rows
from locodyn.robot.rods.section import STRAINS

YAW, PITCH = STRAINS.index("bending_z"), STRAINS.index("bending_y")
_SAMPLES, _DOUBLINGS = 64, 8  # of a law at first, and how often there are twice as many
_CLOSE = 1e-8  # rad: splines are as near as that to the angles half-way between samples
_PIECES = 4  # of a module, from one to the next of which the frame of a body in space is turned
_X, _WEIGHTS = (0.5 * (1.0 + np.polynomial.legendre.leggauss(8)[0]), 0.5 * np.polynomial.legendre.leggauss(8)[1])  # on 0 ... 1


class ModuleGait(NamedTuple):
    """The gait of a chain of rigid modules.

    ``laws``: the joint angles by the names of their joints, rad, for ``imposed=`` of a scenario. ``yaw``, ``pitch``: of the first
    module from the head of the body, at t = 0, rad.
    """

    laws: dict[str, Law]
    yaw: float
    pitch: float


def module_gait(
    gait: BodyGait,
    *,
    length: float,
    modules: int,
    yaw: Sequence[str] | None = None,
    pitch: Sequence[str] | None = None,
    t_end: float | None = None,
) -> ModuleGait:
    """The joint angles with which a chain of rigid modules does what a gait of a body without joints does (Ali 2011, 6.5).

    Waves that travel evenly in a plane, or swell on the spot, give laws in closed form; all else is sampled, and joined by
    splines of degree 5 that keep to it within 1e-8 rad.

    Parameters
    ----------
    gait : BodyGait
        Of bendings only.
    length : m
        Of the body; each module has the part length / modules.
    modules : int
    yaw, pitch : names of the joints, head first, modules - 1 each
        ``joint_1`` ... for a gait in a plane, ``yaw_1`` ... and ``pitch_1`` ... for one in space, where they are not given.
    t_end : s
        How far the laws go, for a gait that has no period.

    >>> from locodyn.gaits import lateral_undulation
    >>> found = module_gait(lateral_undulation(6.0, wavelength=1.0, travel=-0.5), length=1.0, modules=10)
    >>> len(found.laws), round(found.laws["joint_1"](0.0), 4)
    (9, 0.4696)
    """
    size = positive(length, "the length of a body")
    if not isinstance(modules, int) or modules < 2:
        raise InputError(f"a body is cut into {modules!r} modules; it must be a whole number of them, 2 or more.")
    strains = set().union(*(field.strains for field in gait.fields))
    for strain in sorted(strains - {YAW, PITCH}):
        raise InputError(f"the gait '{gait.name}' has the strain '{STRAINS[strain]}'; rigid modules follow bendings only.")
    if len(strains) == 1:
        (strain,) = strains
        given = (yaw, pitch) if strain == YAW else (pitch, yaw)
        if given[1]:
            raise InputError(
                f"the gait '{gait.name}' bends in one plane; it needs no {'pitch' if strain == YAW else 'yaw'} joints."
            )
        return _in_a_plane(gait, size, modules, _names(given[0], "joint", modules), t_end)
    return _in_space(gait, size, modules, (_names(yaw, "yaw", modules), _names(pitch, "pitch", modules)), t_end)


def _names(given: Sequence[str] | None, word: str, modules: int) -> list[str]:
    names = [f"{word}_{k}" for k in range(1, modules)] if given is None else list(given)
    if len(names) != modules - 1:
        raise InputError(f"{len(names)} {word} joints are named for {modules} modules; there must be one fewer than modules.")
    return names


# ------------------------------------------------------------------------------------------------------------- in a plane
def _in_a_plane(gait: BodyGait, length: float, modules: int, names: list[str], t_end: float | None) -> ModuleGait:
    h = length / modules

    def shares(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Integrals of the curvature over each module, times what rises, and falls, along it from 0 to 1: (N, modules)."""
        bends = _strains(gait, times, length, modules)
        return h * bends @ (_WEIGHTS * _X), h * bends @ (_WEIGHTS * (1.0 - _X))

    def angles(times: np.ndarray) -> np.ndarray:
        rising, falling = shares(times)
        return np.asarray(rising[:, :-1] + falling[:, 1:])

    first = float(shares(np.zeros(1))[1][0, 0])
    turns = (first, 0.0) if YAW in gait.fields[0].strains else (0.0, first)
    closed = {name: law for k, name in enumerate(names) if (law := _closed(gait, h, (k + 1.0) * h)) is not None}
    return ModuleGait(closed if len(closed) == len(names) else _sampled(gait, angles, names, t_end), *turns)


def _strains(gait: BodyGait, times: np.ndarray, length: float, modules: int) -> np.ndarray:
    """The bending of a plane gait at the Gauss points of all modules at N times: (N, modules, 8) 1/m."""
    places = length / modules * (np.arange(modules)[:, None] + _X)
    found = _along(gait, times, places.ravel())
    return np.asarray((found[..., YAW] + found[..., PITCH]).reshape(len(times), modules, len(_X)))  # one of them is zero


def _along(gait: BodyGait, times: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Strains (N, P, 6) of the fields of a gait at N times (s) and P places (m)."""
    from locodyn.motion.field_table import fields_along  # compiled code loads when a field is first evaluated

    names = [name for field in gait.fields for name in field.coordinates]
    q = np.column_stack([np.asarray(gait.laws[name](times), dtype=float) for name in names])
    found, still = np.zeros((3, len(times), len(places), 6)), np.zeros_like(q)
    fields_along(field_rows(gait.fields, 0), np.ascontiguousarray(places), q, still, still, found)
    return np.asarray(found[0])


def _closed(gait: BodyGait, h: float, at: float) -> Law | None:
    """The angle of the joint ``at`` (m) as a law in closed form, where every term is one wave, with an even phase or none."""
    total: Law | None = None
    for field in gait.fields:
        law = gait.laws[field.name]
        even = all(one.kind == TERM.polynomial and one.window is None and len(one.coefficients) <= 2 for one in law.terms)
        if field.has_phase and (field.amplitude or not even):
            return None
        for term in field.terms:
            if len(term.profiles) != 1 or term.profiles[0].kind not in (WAVE.sine, WAVE.cosine):
                return None
            (wave,) = term.profiles
            # The mean over a triangle from -h to h of cos(k s + a) is sinc^2(k h / 2 pi) cos a.
            size = term.scale * h * float(np.sinc(wave.along * h / (2.0 * math.pi))) ** 2
            phase = wave.along * at + wave.shift - (0.5 * math.pi if wave.kind == WAVE.sine else 0.0)
            if field.has_phase:
                one = cosine(size, omega=wave.across * law.rate(0.0), phase=phase + wave.across * law(0.0))
            else:
                one = law * (size * math.cos(phase))
            total = one if total is None else total + one
    return total


# --------------------------------------------------------------------------------------------------------------- in space
def _in_space(gait: BodyGait, length: float, modules: int, names: tuple[list[str], list[str]], t_end: float | None) -> ModuleGait:
    def angles(times: np.ndarray) -> np.ndarray:
        chords = _chords(gait, times, length, modules)
        found = np.array([_cardan(one) for one in chords])  # (N, modules, 2)
        return np.asarray(np.unwrap(np.concatenate([found[..., 0], found[..., 1]], axis=1), axis=0))

    first, both = angles(np.zeros(1))[0], [*names[0], *names[1]]
    joints = [k for k in range(2 * modules) if k not in (0, modules)]
    laws = _sampled(gait, lambda times: angles(times)[:, joints], both, t_end)
    return ModuleGait(laws, float(first[0]), float(first[modules]))


def _chords(gait: BodyGait, times: np.ndarray, length: float, modules: int) -> np.ndarray:
    """Directions (N, modules, 3) of the pieces of a body from one end to the other, in the axes of its head."""
    from scipy.spatial.transform import Rotation

    # (5.11) R' = R hat(K): turned from piece to piece by the curvature at its Gauss points (Magnus, order 4).
    step = length / (modules * _PIECES)
    starts, root = step * np.arange(modules * _PIECES), 0.5 / math.sqrt(3.0)
    early, late = (_along(gait, times, starts + (0.5 + side * root) * step)[..., 3:] for side in (-1.0, 1.0))
    whole = 0.5 * step * (early + late) + step * step * math.sqrt(3.0) / 12.0 * np.cross(early, late)
    middle = 0.25 * step * (early + late) - 0.125 * step * (late - early) / (2.0 * root)  # half-way, for Simpson's rule
    turn, found = np.broadcast_to(np.eye(3), (len(times), 3, 3)), np.zeros((len(times), modules, 3))
    for n in range(modules * _PIECES):
        half = turn @ Rotation.from_rotvec(middle[:, n]).as_matrix()
        after = turn @ Rotation.from_rotvec(whole[:, n]).as_matrix()
        found[:, n // _PIECES] += turn[:, :, 0] + 4.0 * half[:, :, 0] + after[:, :, 0]
        turn = after
    return np.asarray(found / np.linalg.norm(found, axis=2, keepdims=True))


def _cardan(directions: np.ndarray) -> np.ndarray:
    """Yaw and pitch (modules, 2), rad, of each module from the one before it, of the first from the head."""
    frame, found = np.eye(3), np.zeros((len(directions), 2))
    for k, direction in enumerate(directions):
        x, y, z = frame.T @ direction
        found[k] = math.atan2(y, x), -math.asin(max(-1.0, min(1.0, z)))
        frame = frame @ rotation_about("z", found[k, 0]) @ rotation_about("y", found[k, 1])
    return found


# ---------------------------------------------------------------------------------------------------------------- in time
def _sampled(gait: BodyGait, angles: Callable[[np.ndarray], np.ndarray], names: list[str], t_end: float | None) -> dict[str, Law]:
    """Splines through ``angles`` (N, joints) at times (N,), over a period or up to ``t_end``; as many samples as they need."""
    if gait.period is None and t_end is None:
        raise InputError(f"the gait '{gait.name}' has no period; give t_end=, how far the joint angles must go (s).")
    end = gait.period or positive(t_end, "the end of a gait of modules")
    count, repeats = _SAMPLES, gait.period is not None
    for _ in range(_DOUBLINGS):
        times = np.linspace(0.0, end, count + 1)
        values = angles(times)
        if repeats:
            values[-1] = values[0]
        laws = {name: spline(times, values[:, k], degree=5, periodic=repeats) for k, name in enumerate(names)}
        between = 0.5 * (times[1:] + times[:-1])
        error = np.column_stack([law(between) for law in laws.values()]) - angles(between)
        if np.abs(np.sin(0.5 * error)).max() <= 0.5 * _CLOSE:
            return laws
        count *= 2
    raise InputError(
        f"the gait '{gait.name}' is too rough in time for joint angles up to {end:g} s; give smoother laws, or a shorter t_end."
    )
