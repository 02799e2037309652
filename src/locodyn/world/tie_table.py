"""Cables, springs and torsion springs of a robot as arrays, for the kernels of :mod:`locodyn.world.ties`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.robot.compilation.compiled_parts import CompiledTie, CompiledWrench
from locodyn.robot.layout import CODE, FIRST_Q, FIXED, HELICAL, PARENT, PLANAR, PRISMATIC, REVOLUTE, TRANSLATION
from locodyn.robot.tie import Tie, curve_pieces
from locodyn.robot.values import is_number
from locodyn.world.law_base import WrenchLaw
from locodyn.world.law_table import LAW, TIE, TieArrays, new_ties
from locodyn.world.ties import tie_state

_PARALLEL = 1e-12  # one less the cosine between two axes: rounding of a few rotations


@dataclass(frozen=True, eq=False)
class TieLaw(WrenchLaw):
    """A tie among the wrench laws; ``number``: its place in the arrays of ties."""

    tie: Tie
    number: int
    kind = LAW.tie


def tie_wrenches(ties: Sequence[CompiledTie]) -> list[CompiledWrench]:
    """One entry for each tie in the table of wrench laws, on the first of its frames that moves."""
    result = []
    for number, one in enumerate(ties):
        first = next(n for n, frame in enumerate(one.frames) if frame >= 0)
        body = one.tie.holds[first].body
        place = (one.rotations[first], one.positions[first])
        result.append(CompiledWrench(one.name, str(body), one.frames[first], *place, TieLaw(one.tie, number)))
    return result


def tie_arrays(ties: Sequence[CompiledTie], frames: np.ndarray, poses: Callable[[], np.ndarray]) -> TieArrays:
    """All ties without their laws of time.

    ``frames`` (nf, columns): those of the robot. ``poses`` gives their world poses (nf, 12) where all joints are at zero, from
    which rest lengths follow, and which joints turn a torsion spring.
    """
    pieces = []
    turning = [turning_joints(one, frames, poses()) if one.tie.turns else [] for one in ties]
    for one in ties:
        pieces += [curve_pieces(one.tie.curve, one.tie.pulls_only)] if one.tie.curve is not None else []
        pieces += [curve_pieces(one.tie.damping_curve)] if one.tie.damping_curve is not None else []
    arrays = new_ties(len(ties), sum(len(one.frames) for one in ties), sum(map(len, pieces)), sum(map(len, turning)))
    if pieces:
        arrays.pieces[:] = np.vstack(pieces)
    points, used, number = 0, 0, 0
    for n, one in enumerate(ties):
        arrays.first[n], arrays.count[n] = points, len(one.frames)
        arrays.turns[n], arrays.pulls[n] = one.tie.turns, one.tie.pulls_only
        for name, curve in (("curve", one.tie.curve), ("damper", one.tie.damping_curve)):
            if curve is not None:
                getattr(arrays, name)[n], getattr(arrays, f"{name}_count")[n] = used, len(pieces[number])
                used, number = used + len(pieces[number]), number + 1
        points += len(one.frames)
    store_ties(arrays, ties)
    for n, one in enumerate(ties):
        if one.tie.rest is None:
            arrays.numbers[n, TIE.rest] = tie_coordinate(arrays, n, poses())
    _store_joints(arrays, turning, poses)
    return arrays


def turning_joints(one: CompiledTie, frames: np.ndarray, poses: np.ndarray) -> list[tuple[int, float]]:
    """(place in q, factor) of the joints between the two frames of a torsion spring, if all turn about its axis; else none."""
    carriers = [_carriers(frames, frame) for frame in one.frames]
    axes = [
        (np.eye(3) if frame < 0 else poses[frame, :9].reshape(3, 3)) @ np.asarray(rotation, dtype=float)[:, 2]
        for frame, rotation in zip(one.frames, one.rotations, strict=True)
    ]
    found: list[tuple[int, float]] = []
    if axes[0] @ axes[1] < 1.0 - _PARALLEL:
        return found
    for own, other, sign in ((carriers[0], carriers[1], -1.0), (carriers[1], carriers[0], 1.0)):
        for k in own:
            code, first = int(frames[k, CODE]), int(frames[k, FIRST_Q])
            if k in other or code in (FIXED, PRISMATIC, TRANSLATION):
                continue
            along = float(poses[k, :9].reshape(3, 3)[:, 2] @ axes[0])
            if code not in (REVOLUTE, HELICAL, PLANAR) or abs(along) < 1.0 - _PARALLEL:
                return []
            found.append((first + 2 if code == PLANAR else first, sign * float(np.sign(along))))
    return found


def _carriers(frames: np.ndarray, frame: int) -> list[int]:
    """The frame and those that carry it; none for the world."""
    result = []
    while frame >= 0:
        result.append(frame)
        frame = int(frames[frame, PARENT])
    return result


def _store_joints(arrays: TieArrays, turning: Sequence[Sequence[tuple[int, float]]], poses: Callable[[], np.ndarray]) -> None:
    used = 0
    for n, joints in enumerate(turning):
        if joints:
            arrays.unturned[n] = tie_coordinate(arrays, n, poses())
            arrays.joints[n], arrays.joint_count[n] = used, len(joints)
            for place, factor in joints:
                arrays.joint_position[used], arrays.joint_factor[used] = place, factor
                used += 1


def store_ties(arrays: TieArrays, ties: Sequence[CompiledTie]) -> None:
    """Numbers and points of all ties, which may be symbols; rest lengths where they are given."""
    for n, one in enumerate(ties):
        tie, first = one.tie, arrays.first[n]
        values: dict[str, Any] = {"stiffness": tie.stiffness, "damping": tie.damping, "tension": tie.tension, "rest": tie.rest}
        for name, value in values.items():
            if value is not None:
                arrays.numbers[n, getattr(TIE, name)] = value
        if tie.pulls_only and not (is_number(tie.stiffness) and tie.stiffness == 0.0):
            arrays.numbers[n, TIE.slack] = -tie.tension * tie.tension / (2.0 * tie.stiffness)
        for p, frame in enumerate(one.frames):
            arrays.frame[first + p] = frame
            arrays.rotation[first + p], arrays.position[first + p] = one.rotations[p].ravel(), one.positions[p]


def tie_coordinate(arrays: TieArrays, n: int, poses: np.ndarray) -> float:
    """Length (m) or angle (rad) of tie n, whose joints are not known yet, with the frames at ``poses`` (nf, 12)."""
    (found, _), _, _ = tie_state(arrays, np.zeros((0, 3)), n, np.zeros(1), poses, np.zeros((len(poses), 12)))
    return float(found)
