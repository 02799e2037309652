"""Laws of joints and strands that remember: actuators and muscles that lag behind their commands, bristles of dry friction.

lag        T zdot = u - z: the actuator gives z instead of its command u, servo and limit included; a strand has the value z
bristles   LuGre friction of a joint, :mod:`locodyn.world.lugre`, in one direction
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, portable
from locodyn.locomotion.arrays import REMEMBERS
from locodyn.world.lugre import bristle_change, bristle_force, bristle_rate, load_bristles


@portable(inline=True)
def begin_memory(memory):
    """Laws are evaluated at the states that the last step has ended with."""
    for c in range(memory.value.shape[0]):
        memory.value[c] = memory.state[c]


@portable
def lagging_forces(drives, memory, tau):
    """Forces of the actuators in ``tau`` (nv,), as commanded, become those that they give; rates of the lags."""
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == REMEMBERS.lag:
            i = drives.place[k]
            m = drives.memory[k]
            memory.rate[m] = (tau[i] - memory.value[m]) / drives.numbers[k, 0]
            tau[i] = memory.value[m]


@portable
def strand_values(drives, commands, memory):
    """``memory.strands``: what the strands have when they are told ``commands`` (k,); rates of the lags."""
    for row in range(memory.strands.shape[0]):
        memory.strands[row] = commands[row]
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == REMEMBERS.strand_lag:
            m = drives.memory[k]
            memory.rate[m] = (commands[drives.place[k]] - memory.value[m]) / drives.numbers[k, 0]
            memory.strands[drives.place[k]] = memory.value[m]


@compiled(inline=True)
def to_middle(kind, drives, half, told, memory):
    """States of lags of a ``kind`` in the middle of a step of 2 ``half`` (s): z_M = z_A + half (u - z_M) / T, u is ``told``."""
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == kind:
            m = drives.memory[k]
            share = half / drives.numbers[k, 0]
            memory.value[m] = (memory.state[m] + share * told[drives.place[k]]) / (1.0 + share)


@compiled
def lagging_over(drives, half, memory, applied):
    """The mean forces over a step of 2 ``half`` (s) of actuators that are told ``applied`` (nv,) for all of it, in place."""
    to_middle(REMEMBERS.lag, drives, half, applied, memory)
    lagging_forces(drives, memory, applied)


@compiled
def strands_over(drives, half, commands, memory, values):
    """Likewise the ``values`` (k,) of strands that are told ``commands``."""
    to_middle(REMEMBERS.strand_lag, drives, half, commands, memory)
    strand_values(drives, commands, memory)
    for row in range(values.shape[0]):
        values[row] = memory.strands[row]


@portable(inline=True)
def one_bristle(drives, k, v, memory):
    """Deflection, its rate and the force of the bristles of row k."""
    bristles = load_bristles(drives.numbers, k, 0)
    i = drives.place[k]
    z = memory.value[drives.memory[k]]
    zdot, _ = bristle_rate(bristles, (v[i], lit(z, 0.0)), (z, lit(z, 0.0)))
    return z, zdot, bristle_force(bristles[0], z, zdot, v[i])


@portable
def bristle_forces(drives, v, memory, tau):
    """Take the friction of all bristles at joints from ``tau`` (nv,); their rates."""
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == REMEMBERS.bristles:
            _, zdot, force = one_bristle(drives, k, v, memory)
            memory.rate[drives.memory[k]] = zdot
            tau[drives.place[k]] = tau[drives.place[k]] - force


@compiled
def bristle_energy(drives, v, memory):
    """(energy stored in bristles of joints, J; power lost in them, W)."""
    stored = 0.0
    lost = 0.0
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == REMEMBERS.bristles:
            z, zdot, force = one_bristle(drives, k, v, memory)
            stored += 0.5 * drives.numbers[k, 0] * z * z
            lost += force * v[drives.place[k]] - drives.numbers[k, 0] * z * zdot
    return stored, lost


@compiled
def bristle_slopes(drives, k, v, memory):
    """Of row k: d force/dv, d force/dz, d rate/dv, d rate/dz."""
    bristles = load_bristles(drives.numbers, k, 0)
    a = bristles[0]
    speed = (v[drives.place[k]], 0.0)
    z = (memory.value[drives.memory[k]], 0.0)
    by_v, _ = bristle_change(bristles, speed, z, (1.0, 0.0), (0.0, 0.0))
    by_z, _ = bristle_change(bristles, speed, z, (0.0, 0.0), (1.0, 0.0))
    return a[1] * by_v + a[2], a[0] + a[1] * by_z, by_v, by_z
