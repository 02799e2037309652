"""Loops over blocks of robots: one robot for each lane of a SIMD register, through the kernels of one robot."""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.integrate.rkmk4 import rkmk4_step
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.lanes import WIDTH, as_lanes, fields_as_lanes
from locodyn.shape.configuration import moved_configuration

command_as_lanes = fields_as_lanes("command")


@compiled
def inverse_blocks(frames, constants, gravity, q, v, a, none, work, tau, first, last):
    """Inverse dynamics of the blocks first <= b < last. ``q`` (blocks, nq, lanes) and so on; ``none`` (0, 6, lanes)."""
    scratch = as_lanes(work)
    wrenches = as_lanes(none)
    for b in range(first, last):
        inverse_dynamics(
            frames, constants, gravity, as_lanes(q[b]), as_lanes(v[b]), as_lanes(a[b]), wrenches, scratch, as_lanes(tau[b])
        )


@compiled
def forward_blocks(frames, constants, gravity, imposed, q, v, none, work, dof_work, a, tau, first, last):
    """Forward or hybrid dynamics of the blocks first <= b < last."""
    scratch = as_lanes(work)
    dof_scratch = as_lanes(dof_work)
    wrenches = as_lanes(none)
    for b in range(first, last):
        hybrid_dynamics(
            frames, constants, gravity, imposed, as_lanes(q[b]), as_lanes(v[b]), wrenches, scratch, dof_scratch,
            as_lanes(a[b]), as_lanes(tau[b]),
        )  # fmt: skip


@portable(inline=True)
def semi_implicit_step(frames, step, q, v, a, way):
    """v += dt a(q, v), then q = q (+) dt v (semi-implicit Euler); ``way`` (nv,) is room."""
    for i in range(v.shape[0]):
        v[i] = v[i] + step * a[i]
        way[i] = step * v[i]
    moved_configuration(frames, q, way, q)


@compiled
def semi_implicit_blocks(frames, constants, gravity, imposed, step, count, q, v, none, work, dof_work, way, a, tau, first, last):
    """``count`` semi-implicit steps under the forces ``tau`` of the blocks first <= b < last, in place."""
    scratch = as_lanes(work)
    dof_scratch = as_lanes(dof_work)
    wrenches = as_lanes(none)
    gone = as_lanes(way)
    for b in range(first, last):
        state = as_lanes(q[b])
        speed = as_lanes(v[b])
        h = lit(state[0], step)
        for _ in range(count):
            hybrid_dynamics(
                frames,
                constants,
                gravity,
                imposed,
                state,
                speed,
                wrenches,
                scratch,
                dof_scratch,
                as_lanes(a[b]),
                as_lanes(tau[b]),
            )
            semi_implicit_step(frames, h, state, speed, as_lanes(a[b]), gone)


@compiled
def rollout_blocks(problem, inputs, command, start, step, number, count, q, v, memory, workspace, scratch, first, last):
    """``count`` Runge-Kutta steps, from step ``number`` on, of the blocks first <= b < last, in place.

    ``command`` (blocks, nv, lanes): forces of the actuators of each robot; coordinates driven by a law take that instead.
    ``inputs.command`` (nv, lanes) is room for those of one block; ``workspace.memory`` has room for the states of its laws, which
    ``memory`` (blocks, nz, lanes) keeps.
    """
    work = as_lanes(workspace)
    stages = as_lanes(scratch)
    for b in range(first, last):
        state = as_lanes(q[b])
        speed = as_lanes(v[b])
        for i in range(command.shape[1]):
            for m in range(WIDTH):
                inputs.command[i, m] = command[b, i, m]
        for c in range(memory.shape[1]):
            for m in range(WIDTH):
                workspace.memory.state[c, m] = memory[b, c, m]
        for n in range(number, number + count):
            rkmk4_step(problem, command_as_lanes(inputs), start + n * step, step, state, speed, work, stages)
        for c in range(memory.shape[1]):
            for m in range(WIDTH):
                memory[b, c, m] = workspace.memory.state[c, m]
