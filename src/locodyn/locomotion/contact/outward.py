"""Loops between free bodies closed one after the other, outward from the first: the projection of Transeth (2007, algorithm 4.3).

Body by body along the loops: a universal joint turns its second body about the line from the joint to the body's origin (the axis
of a link) until its axes are perpendicular again; then the second body is shifted until the two points of the joint are one. The
first body keeps its place, and every body its orientation but for that turn. Loops that close a circle, sliding joints and
what is left of others are for the smallest displacement, which comes after.
"""

from __future__ import annotations

from math import acos, atan2
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, subtract
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.robot.layout import CODE, FIRST_V, FREE, PARENT, PLANAR
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import POSITION, ROTATION, frame_poses

if TYPE_CHECKING:
    from locodyn.robot.compilation.compiled import CompiledLoop, CompiledRobot

# outward[k, column], int64: frames of the loop, first velocity of the second one, its code, 1 where the second body turns.
FIRST, SECOND, VELOCITY, MOVES, TURNS = range(5)
OUTWARD = 5
# outward_data[k, column]: points of the joint in the two frames, axes of a universal joint in them.
POINT_A, POINT_B, AXIS_A, AXIS_B = 0, 3, 6, 9
OUTWARD_DATA = 12

_JOINTS = ("revolute", "spherical", "universal", "fixed")  # whose two points are one
_SHORT = 1e-9  # m


def outward_table(compiled: CompiledRobot, arrays: ProblemArrays) -> tuple[np.ndarray, np.ndarray]:
    """The loops that are closed body by body, in their order: (k, OUTWARD) and (k, OUTWARD_DATA)."""
    rows, data, placed = [], [], set()
    for loop in compiled.loops:
        second = loop.second_frame
        if loop.type not in _JOINTS or second < 0 or second in placed or _carries(arrays.frames, second, loop.first_frame):
            continue
        code = int(arrays.frames[second, CODE])
        if code not in (FREE, PLANAR):
            continue
        placed.add(second)
        turns = int(loop.type == "universal" and code == FREE)
        rows.append([loop.first_frame, second, int(arrays.frames[second, FIRST_V]), code, turns])
        data.append(_places(loop))
    if not rows:
        raise InputError(
            f"robot '{compiled.name}' has no loop that ends at a free body, which the projection 'outward' could shift; take"
            " 'smallest'."
        )
    return np.array(rows, dtype=np.int64), np.array(data)


def no_outward() -> tuple[np.ndarray, np.ndarray]:
    """The tables of a robot whose loops are all closed by the smallest displacement."""
    return np.zeros((0, OUTWARD), dtype=np.int64), np.zeros((0, OUTWARD_DATA))


def _carries(frames: np.ndarray, second: int, first: int) -> bool:
    """Whether frame ``first`` moves with frame ``second``."""
    while first >= 0 and first != second:
        first = int(frames[first, PARENT])
    return first == second


def _places(loop: CompiledLoop) -> np.ndarray:
    """A row of ``outward_data``."""
    axes = loop.first_rotation @ loop.axis, loop.second_rotation @ loop.second_axis
    return np.concatenate([loop.first_position, loop.second_position, *axes])


@routine
def close_outward(p, c, q, w):
    """Move the second bodies of the loops of ``c.outward`` in q, one after the other."""
    shift = w.stage[3]
    for k in range(c.outward.shape[0]):
        first = c.outward[k, FIRST]
        second = c.outward[k, SECOND]
        at = c.outward[k, VELOCITY]
        if c.outward[k, TURNS] != 0:
            frame_poses(p.frames, p.constants, q, 1, w.poses)
            line, angle = turn_to_perpendicular(c, w.poses, k)
            clear_vector(shift)
            for j in range(3):
                shift[at + 3 + j] = angle * line[j]
            moved_configuration(p.frames, q, shift, q)
        frame_poses(p.frames, p.constants, q, 1, w.poses)
        goal = load3(c.outward_data, k, POINT_A)
        if first >= 0:
            goal = add(load3(w.poses, first, POSITION), rotate(load9(w.poses, first, ROTATION), goal))
        r = load9(w.poses, second, ROTATION)
        place = add(load3(w.poses, second, POSITION), rotate(r, load3(c.outward_data, k, POINT_B)))
        way = rotate_back(r, subtract(goal, place))
        clear_vector(shift)
        for j in range(3 if c.outward[k, MOVES] == FREE else 2):
            shift[at + j] = way[j]
        moved_configuration(p.frames, q, shift, q)


@kernel
def clear_vector(x):
    """x := 0."""
    for i in range(x.shape[0]):
        x[i] = 0.0


@kernel
def turn_to_perpendicular(c, poses, k):
    """Axis (in the second frame) and angle of the turn after which the axes a and b of loop k are perpendicular.

    a . (b_along + cos(angle) b_across + sin(angle) line x b_across) = 0, the smaller of its two solutions; none: no turn.
    """
    second = c.outward[k, SECOND]
    first = c.outward[k, FIRST]
    a = load3(c.outward_data, k, AXIS_A)
    if first >= 0:
        a = rotate(load9(poses, first, ROTATION), a)
    a = rotate_back(load9(poses, second, ROTATION), a)
    b = load3(c.outward_data, k, AXIS_B)
    line = load3(c.outward_data, k, POINT_B)
    length = sqrt(dot(line, line))
    if length > _SHORT:
        line = scale(1.0 / length, line)
    else:
        line = cross(a, b)
        line = scale(1.0 / sqrt(dot(line, line)), line)
    along = scale(dot(b, line), line)
    across = subtract(b, along)
    x = dot(a, across)
    y = dot(a, cross(line, across))
    size = sqrt(x * x + y * y)
    rest = -dot(a, along)
    if not abs(rest) < size:
        return line, 0.0
    middle = atan2(y, x)
    half = acos(rest / size)
    angle = middle - half if middle > 0.0 else middle + half
    return line, angle
