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

from locodyn.contact.arrays import OutwardLoops
from locodyn.errors import InputError
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, subtract
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.robot.layout import CODE, FIRST_V, FREE, PARENT, PLANAR
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import POSITION, ROTATION, frame_poses

if TYPE_CHECKING:
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.robot.compilation.compiled_parts import CompiledLoop

_JOINTS = ("revolute", "spherical", "universal", "fixed")  # whose two points are one
_SHORT = 1e-9  # m


def outward_loops(compiled: CompiledRobot, arrays: ProblemArrays) -> OutwardLoops:
    """The loops that are closed body by body, in their order."""
    loops: list[CompiledLoop] = []
    for loop in compiled.loops:
        second = loop.second_frame
        placed = second < 0 or any(second == other.second_frame for other in loops)
        if loop.type not in _JOINTS or placed or _carries(arrays.frames, second, loop.first_frame):
            continue
        if arrays.frames[second, CODE] in (FREE, PLANAR):
            loops.append(loop)
    if not loops:
        raise InputError(
            f"robot '{compiled.name}' has no loop that ends at a free body, which the projection 'outward' could shift; take"
            " 'smallest'."
        )
    return _loops(loops, arrays)


def no_outward(arrays: ProblemArrays) -> OutwardLoops:
    """Of a robot whose loops are all closed by the smallest displacement."""
    return _loops([], arrays)


def _loops(loops: list[CompiledLoop], arrays: ProblemArrays) -> OutwardLoops:
    second = np.array([loop.second_frame for loop in loops], dtype=np.int64)
    universal = np.array([loop.type == "universal" for loop in loops], dtype=bool)
    planar = arrays.frames[second, CODE] == PLANAR
    places = {
        "first_point": [loop.first_position for loop in loops],
        "second_point": [loop.second_position for loop in loops],
        "first_axis": [loop.first_rotation @ loop.axis for loop in loops],
        "second_axis": [loop.second_rotation @ loop.second_axis for loop in loops],
    }
    return OutwardLoops(
        first=np.array([loop.first_frame for loop in loops], dtype=np.int64),
        second=second,
        first_velocity=arrays.frames[second, FIRST_V].astype(np.int64),
        planar=planar.astype(np.int64),
        turns=(universal & ~planar).astype(np.int64),
        **{name: np.array(values, dtype=float).reshape(-1, 3) for name, values in places.items()},
        shift=np.zeros(len(arrays.dofs)),
    )


def _carries(frames: np.ndarray, second: int, first: int) -> bool:
    """Whether frame ``first`` moves with frame ``second``."""
    while first >= 0 and first != second:
        first = int(frames[first, PARENT])
    return first == second


@compiled(called=True)
def close_outward(problem, loops, q, work):
    """Move the second bodies of the ``loops`` in q, one after the other."""
    shift = loops.shift
    for k in range(loops.first.shape[0]):
        first = loops.first[k]
        second = loops.second[k]
        at = loops.first_velocity[k]
        if loops.turns[k]:
            frame_poses(problem.frames, problem.constants, q, 1, work.poses)
            line, angle = turn_to_perpendicular(loops, work.poses, k)
            clear_vector(shift)
            for j in range(3):
                shift[at + 3 + j] = angle * line[j]
            moved_configuration(problem.frames, q, shift, q)
        frame_poses(problem.frames, problem.constants, q, 1, work.poses)
        goal = load3(loops.first_point, k, 0)
        if first >= 0:
            goal = add(load3(work.poses, first, POSITION), rotate(load9(work.poses, first, ROTATION), goal))
        r = load9(work.poses, second, ROTATION)
        place = add(load3(work.poses, second, POSITION), rotate(r, load3(loops.second_point, k, 0)))
        way = rotate_back(r, subtract(goal, place))
        clear_vector(shift)
        for j in range(2 if loops.planar[k] else 3):
            shift[at + j] = way[j]
        moved_configuration(problem.frames, q, shift, q)


@compiled
def clear_vector(x):
    """x := 0."""
    for i in range(x.shape[0]):
        x[i] = 0.0


@compiled
def turn_to_perpendicular(loops, poses, k):
    """Axis (in the second frame) and angle of the turn after which the axes a and b of loop k are perpendicular.

    a . (b_along + cos(angle) b_across + sin(angle) line x b_across) = 0, the smaller of its two solutions; none: no turn.
    """
    second = loops.second[k]
    first = loops.first[k]
    a = load3(loops.first_axis, k, 0)
    if first >= 0:
        a = rotate(load9(poses, first, ROTATION), a)
    a = rotate_back(load9(poses, second, ROTATION), a)
    b = load3(loops.second_axis, k, 0)
    line = load3(loops.second_point, k, 0)
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
