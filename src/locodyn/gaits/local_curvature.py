"""How a connection is curved: what a small loop in the space of shapes gives.

A small loop in the plane of the shape coordinates a, b (first along a) of area e^2 moves the reference body by

    exp(-e^2 F_ab) + O(e^3),   F_ab = d_a A_b - d_b A_a - [A_a, A_b],

the *local curvature* of A, where eta_0 = -A rdot. Proof: with X = -A_a and Y = -A_b, the four sides give exp(e X) exp(e Y')
exp(-e X') exp(-e Y), Y' = Y + e d_a Y, X' = X + e d_b X; by Baker-Campbell-Hausdorff the logarithm is
e^2 (d_a Y - d_b X + [X, Y]) = -e^2 F_ab. On an Abelian group the integral of -F over a surface that a gait bounds is its net
displacement (Ali 2011, ch. 2; area rule).

Derivatives of A are exact, from those of inverse dynamics (mechanical, also in a fluid) or of the rows (kinematic); see
:func:`slopes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.connection import Connection
from locodyn.locomotion.row_solver import kernel_of
from locodyn.world.rows import HOLONOMIC

_STEP = 1e-2  # of central differences of order 6: error about 1e-14 of the seventh derivative, round-off 1e-14


def slopes(connection: Connection, q: Any) -> np.ndarray:
    """dA (n_shape, dim G, n_shape): ``dA[a]`` is the derivative of A along shape coordinate a.

    Mechanical and hydrodynamic: d_a A_b = M0^-1 (d_a M) u_b with u_b = (-A_b; e_b), where (d_a M) u_b is the derivative of
    inverse dynamics at rest with acceleration u_b. Kinematic: J u_b = 0, so J d_a u_b = -(d_a J) u_b where the shape rests;
    joints that follow move along. Viscous: by central differences of order 6, to about 1e-12.
    """
    centred = connection.centred(q)
    velocities, solve = connection.solved(centred)
    model, n, dim = connection.model, len(connection.shape), connection.dim
    result = np.empty((n, dim, n))
    if connection.rows is not None:
        for b in range(n):
            changes = connection.rows.slopes(centred, velocities[:, b]) @ velocities  # (d_a J) u_b for each a
            for a in range(n):
                result[a, :, b] = solve(changes[:, a])[:dim]
        return result
    if connection.resistance is not None:
        return _differences(connection, centred)
    rest = np.zeros(model.nv)
    weight = model.inverse_dynamics_derivatives(centred, rest, rest)[0]
    for b in range(n):
        by_q = model.inverse_dynamics_derivatives(centred, rest, np.ascontiguousarray(velocities[:, b]))[0] - weight
        result[:, :, b] = solve(by_q[:dim][:, connection.indices]).T
    return result


def _differences(connection: Connection, q: np.ndarray) -> np.ndarray:
    """dA (n_shape, dim G, n_shape) from A at six points along each shape coordinate."""
    result = []
    for i in connection.indices:
        slope = np.zeros((connection.dim, len(connection.shape)))
        step = np.zeros(connection.model.nv)
        for k, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
            step[i] = k * _STEP
            slope += weight * (connection.at(connection.model.move(q, step)) - connection.at(connection.model.move(q, -step)))
        result.append(slope / (60.0 * _STEP))
    return np.array(result)


def local_curvature(connection: Connection, q: Any) -> np.ndarray:
    """F (dim G, n_shape, n_shape) at ``q``, antisymmetric: F[:, a, b] = d_a A_b - d_b A_a - [A_a, A_b]."""
    for i in connection.indices:
        connection.position_index(i)
    if connection.following and not _determines_joints(connection, q):
        raise InputError(
            f"the joint '{connection.following[0]}' of robot '{connection.model.compiled.name}' follows from rolling: it is no"
            " function of the shape, and there is no curvature over the shape coordinates."
        )
    value, slope = connection.at(q), slopes(connection, q).transpose(1, 0, 2)
    bracket = np.einsum("aij,jb->iab", connection.group.ad(value.T), value)
    result = slope - slope.transpose(0, 2, 1) - bracket
    found: np.ndarray = 0.5 * (result - result.transpose(0, 2, 1))
    return found


def _determines_joints(connection: Connection, q: Any) -> bool:
    """The joints that follow are functions of the shape: loops alone determine them."""
    rows = connection.rows
    assert rows is not None
    holonomic = [m for m, row in enumerate(rows.active) if row.flags & HOLONOMIC]
    joints = connection.unknown[connection.dim :]
    part = rows.jacobian(connection.centred(q))[holonomic][:, joints] * rows.units[joints]
    return not kernel_of(part).size


def curvature(robot: Any, q: Any, shape: Sequence[str] | None = None) -> np.ndarray:
    """F (dim G, n_shape, n_shape) at ``q`` (nq,): a small loop along a, then b, of area e^2 moves the body by exp(-e^2 F_ab).

    ``robot``: model, problem, scenario, robot or :class:`Connection`.
    """
    return local_curvature(as_connection(robot, shape), q)


def curvature_grid(
    robot: Any, first: Any, second: Any, shape: Sequence[str] | None = None, q: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """A (dim G, 2, n, m) and F_12 (dim G, n, m) over a grid of two shape coordinates.

    ``first`` (n,) and ``second`` (m,) are values of the coordinates ``shape``; other joints stay as in ``q`` (nq,).
    """
    connected = as_connection(robot, shape)
    if len(connected.shape) != 2 or connected.following:
        joint = f", and '{connected.following[0]}' follows" if connected.following else ""
        raise InputError(f"a grid needs two coordinates that are the whole shape; here there are {len(connected.shape)}{joint}.")
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    values, curved = np.empty((connected.dim, 2, len(x), len(y))), np.empty((connected.dim, len(x), len(y)))
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            here = connected.configuration((a, b), q)
            values[:, :, i, j] = connected.at(here)
            curved[:, i, j] = local_curvature(connected, here)[:, 0, 1]
    return values, curved


def as_connection(robot: Any, shape: Sequence[str] | None = None) -> Connection:
    """The connection of a robot, or the one that is given."""
    if isinstance(robot, Connection) and (shape is None or tuple(shape) == robot.shape):
        return robot
    if isinstance(robot, Connection):
        return Connection(robot.model, shape, inertia=robot.inertia)
    return Connection(robot, shape)
