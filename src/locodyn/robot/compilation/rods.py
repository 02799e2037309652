"""The rows of the compiled arrays that rods, tendons and chambers need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.robot.body import Body
from locodyn.robot.collision import Collision
from locodyn.robot.compilation.compiled_parts import CompiledCollision
from locodyn.robot.rods.nodes import Slice
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import read_only

_POINT = 13  # columns of a point of a strand before the functions of the modes


def fill_slice(row: np.ndarray, rod: Rod, part: Slice) -> None:
    """Write the strain data and the inertia of a slice into its row of constants."""
    count = rod.mode_count
    row[layout.SLICE.length] = part.end - part.start
    row[layout.SLICE.strain_end : layout.SLICE.strain_end + 6] = np.cumsum(rod.modes)
    row[layout.SLICE.rest_strain : layout.SLICE.rest_strain + 12] = part.rest.reshape(12)
    row[layout.SLICE.modes : layout.SLICE.modes + 2 * count] = part.functions.T.reshape(2 * count)
    if rod.fields:
        places = len(part.places)
        row[layout.SLICE.place_count] = places
        row[layout.SLICE.places : layout.SLICE.places + places] = part.places
        for point, weights in enumerate(part.weights):
            first = layout.SLICE.place_weights + layout.MOST_PLACES * point
            row[first : first + places] = weights
    if part.lump is not None:
        row[layout.MASS] = part.lump.mass
        for column, moment in zip((0, 3, 5), part.lump.inertia, strict=True):
            row[layout.INERTIA + column] = moment


def mode_constants(rod: Rod, width: int) -> list[list[Any]]:
    """For each coordinate: no motion of its own axis, no friction, spring or limit; its rows of stiffness and viscosity.

    Those of strain fields are zero: a rod is without stress at the strain of its fields.
    """
    plain = [0.0] * layout.DOF_CONSTANT_COLUMNS
    plain[layout.COULOMB_SPEED], plain[layout.LIMIT] = 1.0, np.inf
    padding = ((0, rod.count - rod.mode_count), (0, width - rod.mode_count))
    rows = zip(np.pad(rod.stiffness, padding), np.pad(rod.viscosity, padding), strict=True)
    return [[*plain, *stiffness, *viscosity] for stiffness, viscosity in rows]


def rod_pieces(
    rod: str, surface: Collision, along: Sequence[tuple[float, int, tuple[np.ndarray, np.ndarray]]]
) -> list[CompiledCollision]:
    """The surface along a rod as pieces: one at each end of a slice, along its tangent half-way to those before and after.

    ``along``: abscissa (m), frame and pose in it of every end. A plane touches a piece at its middle, the end of the slice, which
    is a point of the centre line; elsewhere the tangent is off by at most an eighth of the curvature times the slice squared.
    """
    result = []
    for n, (s, frame, (rotation, position)) in enumerate(along):
        back = 0.5 * (s - along[n - 1][0]) if n > 0 else 0.0
        ahead = 0.5 * (along[n + 1][0] - s) if n + 1 < len(along) else 0.0
        piece = replace(surface, size=read_only(np.array([surface.radius, back, ahead])))
        direction = read_only(rotation @ surface.direction)
        name = f"{surface.name}[{n}]"
        result.append(CompiledCollision(name, rod, frame, read_only(rotation), read_only(position), direction, piece))
    return result


def strand_arrays(bodies: Sequence[Body], spans: Mapping[str, tuple[int, int]], width: int) -> dict[str, Any]:
    """Tendons and chambers of all rods: names, integers, constants and points, see :mod:`locodyn.dynamics.strands`.

    ``spans``: first position and velocity of the joint of each body; ``width``: modes of the rod that has the most.
    """
    found = [(body, strand) for body in bodies for strand in body.strands]
    if not found:
        return {}
    strands: list[list[int]] = []
    points: list[np.ndarray] = []
    first = 0
    for body, strand in found:
        assert body.joint.rod is not None
        rows = strand.points(body.joint.rod)
        strands.append([strand.kind, first, len(rows), *spans[body.name], body.joint.rod.count])
        points.append(np.pad(rows, ((0, 0), (0, _POINT + width - rows.shape[1]))))
        first += len(rows)
    return {
        "strand_names": tuple(strand.name for _, strand in found),
        "strands": read_only(np.array(strands, dtype=np.int64)),
        "strand_constants": read_only(np.array([strand.area or strand.stiffness for _, strand in found], dtype=float)),
        "strand_points": read_only(np.vstack(points)),
        "strand_lags": {k: strand.time_constant for k, (_, strand) in enumerate(found) if strand.time_constant},
    }
