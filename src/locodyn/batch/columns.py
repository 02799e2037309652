"""Trees on a graphics card: one thread for each robot, through the kernels of one robot.

States lie in tiles of 32 robots, one column for each: the threads of a warp read 32 numbers that lie side by side. All arrays are
float64 or all are float32; a kernel takes the precision of what it is given.
"""

from __future__ import annotations

import numpy as np

from locodyn.batch.kernels import semi_implicit_step
from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.integrate.rkmk4 import rkmk4_step
from locodyn.kernel import compiled, lit
from locodyn.kernel.bundle import Bundle, columns

TILE = 32  # robots


class Columns(Bundle):
    """States of robots: entry i of robot r is at [r // TILE, i, r % TILE]."""

    q: np.ndarray = columns(TILE)  # (tiles, nq, TILE)
    v: np.ndarray = columns(TILE)  # (tiles, nv, TILE)
    a: np.ndarray = columns(TILE)  # (tiles, nv, TILE) accelerations: given, or found
    tau: np.ndarray = columns(TILE)  # (tiles, nv, TILE) forces: given, or found


class Tree(Bundle):
    """The robot, which all share."""

    read_only = True

    frames: np.ndarray  # (nf, 8) int64
    constants: np.ndarray  # (nf, 50)
    gravity: np.ndarray  # (3,) m/s^2


class Room(Bundle):
    """Scratch of one robot."""

    scratch = True

    work: np.ndarray  # (nf, WORK.size) of forward dynamics
    dof_work: np.ndarray  # (nv, DOF_WORK.size)
    inverse: np.ndarray  # (nf, WORK.size) of inverse dynamics
    way: np.ndarray  # (nv,) of a step
    wrenches: np.ndarray  # (0, 6)
    imposed: np.ndarray  # (0,) int8


@compiled
def forward_columns(robots, room, chosen, count, tree):
    """Accelerations under the forces ``robots.tau``."""
    for k in range(chosen.shape[0]):
        t = chosen[k] // TILE
        n = chosen[k] % TILE
        hybrid_dynamics(
            tree.frames, tree.constants, tree.gravity, room.imposed, robots.q[t, :, n], robots.v[t, :, n], room.wrenches,
            room.work, room.dof_work, robots.a[t, :, n], robots.tau[t, :, n],
        )  # fmt: skip


@compiled
def inverse_columns(robots, room, chosen, count, tree):
    """Forces for the accelerations ``robots.a``."""
    for k in range(chosen.shape[0]):
        t = chosen[k] // TILE
        n = chosen[k] % TILE
        inverse_dynamics(
            tree.frames, tree.constants, tree.gravity, robots.q[t, :, n], robots.v[t, :, n], robots.a[t, :, n], room.wrenches,
            room.inverse, robots.tau[t, :, n],
        )  # fmt: skip


@compiled
def semi_implicit_columns(robots, room, chosen, count, tree, step):
    """``count`` semi-implicit Euler steps under the forces ``robots.tau``: v += dt a(q, v), q = q (+) dt v."""
    for k in range(chosen.shape[0]):
        t = chosen[k] // TILE
        n = chosen[k] % TILE
        q = robots.q[t, :, n]
        v = robots.v[t, :, n]
        a = robots.a[t, :, n]
        h = lit(q[0], step)
        for _ in range(count):
            hybrid_dynamics(
                tree.frames, tree.constants, tree.gravity, room.imposed, q, v, room.wrenches, room.work, room.dof_work, a,
                robots.tau[t, :, n],
            )  # fmt: skip
            semi_implicit_step(tree.frames, h, q, v, a, room.way)


@compiled
def rkmk4_columns(robots, room, chosen, count, problem, inputs, start, step, work, scratch):
    """``count`` steps by :mod:`locodyn.integrate.rkmk4`; ``robots.tau``: forces of actuators."""
    for k in range(chosen.shape[0]):
        t = chosen[k] // TILE
        n = chosen[k] % TILE
        q = robots.q[t, :, n]
        v = robots.v[t, :, n]
        tau = robots.tau[t, :, n]
        for i in range(v.shape[0]):
            inputs.command[i] = tau[i]
        for m in range(count):
            rkmk4_step(problem, inputs, start + m * step, lit(q[0], step), q, v, work, scratch)
