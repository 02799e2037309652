"""Many robots of one kind at once: states in lane blocks, work spread over cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from locodyn.batch.checks import (
    check_bare,
    check_robot,
    check_rollout,
    check_times,
    check_weightless_fluid,
    checked_rows,
    warn_not_finite,
    whole_number,
)
from locodyn.batch.kernels import forward_blocks, inverse_blocks, rollout_blocks, semi_implicit_blocks
from locodyn.dynamics import forward_dynamics, inverse_dynamics
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.integrate.rkmk4 import new_lane_scratch
from locodyn.kernel.lanes import WIDTH, lane_blocks
from locodyn.locomotion.arrays import IMPOSED, Memory, new_inputs, new_lane_work
from locodyn.locomotion.problem import Problem
from locodyn.robot.layout import DOF_FRAME, FIRST_Q, FIRST_V
from locodyn.typing import Array

_NO_WRENCH = np.zeros((0, 6, WIDTH))
_NONE_IMPOSED = np.zeros(0, dtype=np.int8)


class Batch:
    """``count`` robots of one model, four to a SIMD register, over all cores; bit for bit what one robot gives.

    States live in lane blocks (blocks, n, 4) and are converted only when they are set or read. The last block is filled up
    with copies of the last robot. Robots with rods, wheels, rolling surfaces, feet or loops are refused.

    Parameters
    ----------
    model : Model
    count : int
    threads : int, optional
        Number of cores to use; all by default.

    >>> import locodyn as ld
    >>> robot = ld.Robot("ball")
    >>> ball = robot.base("ball", mass=2.0, shape=ld.Sphere(0.1), moves="free")
    >>> batch = robot.batch(1000)
    >>> batch.v = np.tile([1.0, 0, 0, 0, 0, 0], (1000, 1))
    >>> batch.forward_dynamics(np.zeros((1000, 6)))[999].round(6)
    array([ 0.  ,  0.  , -9.81,  0.  ,  0.  ,  0.  ])
    >>> batch.rollout(steps=100, dt=0.01)            # moves all robots by 1 s
    >>> batch.q[0, :3].round(6)
    array([ 1.   ,  0.   , -4.905])
    """

    def __init__(self, model: Model, count: int, threads: int | None = None) -> None:
        if not whole_number(count, 1):
            raise InputError(f"a batch of {count!r} robots is not possible; give a whole number, 1 or more.")
        if threads is not None and not whole_number(threads, 1):
            raise InputError(f"the number of threads is {threads!r}; it must be a whole number, 1 or more.")
        check_robot(model)
        self.model, self.count = model, int(count)
        self.threads = max(1, min(int(threads or os.cpu_count() or 1), -(-self.count // WIDTH)))
        self._q, self._v = lane_blocks(self.count, model.nq), lane_blocks(self.count, model.nv)
        self._a, self._tau = lane_blocks(self.count, model.nv), lane_blocks(self.count, model.nv)
        self.q = np.tile(model.neutral(), (self.count, 1))
        shapes = (
            (model.nf, inverse_dynamics.WORK.size),
            (model.nf, forward_dynamics.WORK.size),
            (model.nv, forward_dynamics.DOF_WORK.size),
        )
        self._memory, self._remembered = lane_blocks(self.count, 0), tuple[str, ...]()
        self._work = [[lane_blocks(1, *shape)[0] for shape in shapes] for _ in range(self.threads)]
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    # ---------------------------------------------------------------------------------------------------------- states
    @property
    def q(self) -> np.ndarray:
        """Configurations (count, nq): a copy; assign to change them. Quaternions that are assigned get length 1."""
        return self._read(self._q)

    @q.setter
    def q(self, value: Array) -> None:
        self._write(self._q, value, "q")

    @property
    def v(self) -> np.ndarray:
        """Velocities (count, nv): a copy; assign to change them."""
        return self._read(self._v)

    @v.setter
    def v(self, value: Array) -> None:
        self._write(self._v, value, "v")

    @property
    def memory(self) -> np.ndarray:
        """States (count, nz) of laws with memory after the last rollout, in the order of ``problem.memories.names``: a copy.

        They start at zero. A rollout goes on from them if its laws have the same names; assign to change them.
        """
        return self._read(self._memory)

    @memory.setter
    def memory(self, value: Array) -> None:
        self._write(self._memory, value, "memory")

    def _read(self, blocks: np.ndarray) -> np.ndarray:
        return blocks.transpose(0, 2, 1).reshape(-1, blocks.shape[1])[: self.count].copy()

    def _write(self, blocks: np.ndarray, value: Array, name: str) -> None:
        rows = checked_rows(self.model, value, (self.count, blocks.shape[1]), name)
        padded = np.concatenate([rows, np.repeat(rows[-1:], len(blocks) * WIDTH - self.count, axis=0)])
        blocks[:] = padded.reshape(len(blocks), WIDTH, -1).transpose(0, 2, 1)

    # -------------------------------------------------------------------------------------------------------- dynamics
    def inverse_dynamics(self, a: Array) -> np.ndarray:
        """Generalised forces (count, nv) for the accelerations ``a`` (count, nv) at the present states: M a + bias.

        As :meth:`Model.inverse_dynamics <locodyn.dynamics.model.Model.inverse_dynamics>`: springs, friction and wrench laws of
        the robot are forces like others, and not in it.
        """
        check_weightless_fluid(self.model)
        self._write(self._a, a, "a")
        m = self.model

        def part(first: int, last: int, number: int) -> None:
            inverse_blocks(
                m.frames,
                m.constants,
                m.gravity,
                self._q,
                self._v,
                self._a,
                _NO_WRENCH,
                self._work[number][0],
                self._tau,
                first,
                last,
            )

        self._spread(part)
        return self._read(self._tau)

    def forward_dynamics(self, tau: Array) -> np.ndarray:
        """Accelerations (count, nv) under the forces ``tau`` (count, nv) at the present states: M a + bias = tau.

        As :meth:`Model.forward_dynamics <locodyn.dynamics.model.Model.forward_dynamics>`: springs, friction and wrench laws of
        the robot act in :meth:`rollout` only, here they are part of ``tau``.
        """
        self._write(self._tau, tau, "tau")
        self.forward_blocks()
        return self._read(self._a)

    def forward_blocks(self) -> None:
        """Forward dynamics from block to block, with nothing converted: what :meth:`forward_dynamics` does inside."""
        m = self.model
        check_weightless_fluid(m)

        def part(first: int, last: int, number: int) -> None:
            _, work, dof_work = self._work[number]
            forward_blocks(
                m.frames, m.constants, m.gravity, _NONE_IMPOSED, self._q, self._v, _NO_WRENCH, work, dof_work, self._a, self._tau,
                first, last,
            )  # fmt: skip

        self._spread(part)

    def rollout(
        self,
        steps: int,
        dt: float,
        tau: Array | None = None,
        problem: Problem | None = None,
        t0: float = 0.0,
        record_every: int = 0,
        method: str = "rkmk4",
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Move all robots by ``steps`` steps of ``dt`` seconds: Runge-Kutta of order 4, integrator ``rkmk4``.

        ``method="semi_implicit"``: semi-implicit Euler, of order 1, at a quarter of the cost; for robots without springs,
        friction and laws.

        ``tau`` (count, nv): constant forces, each robot its own, of coordinates without a law. ``problem``: laws, imposed
        motions, servos and wrench laws that all share, with what they remember (:attr:`memory`); constraints, hard contacts and
        Python functions are refused.
        With ``record_every`` the states on the way come back: q (records + 1, count, nq) and v (records + 1, count, nv), the
        start included.
        """
        check_times(steps, dt, t0, record_every, method)
        if method == "semi_implicit":
            if problem is not None:
                raise InputError("a rollout with a problem takes method 'rkmk4'; semi-implicit steps take constant forces alone.")
            return self._semi_implicit(int(steps), float(dt), tau, int(record_every))
        problem = problem or Problem(self.model)
        if problem.model is not self.model:
            raise InputError("the problem of a rollout is made with another model than the batch; use batch.model.")
        command = lane_blocks(self.count, self.model.nv)
        if tau is not None:
            self._write(command, tau, "tau")
        check_rollout(problem, self.q, None if tau is None else self._read(command), steps, dt, t0)
        self._impose(problem, t0)
        if problem.memories.names != self._remembered:
            self._memory, self._remembered = lane_blocks(self.count, problem.memories.count), problem.memories.names
        record = [(self.q, self.v)] if record_every else []
        self._run(problem, command, int(steps), float(dt), float(t0), int(record_every), record)
        return self._told(record, t0 + steps * dt, dt)

    def _told(self, record: list[tuple[np.ndarray, np.ndarray]], end: float, dt: float) -> tuple[np.ndarray, np.ndarray] | None:
        """The records of a rollout as arrays, None without any; a warning where states at its ``end`` (s) are not numbers."""
        if not np.isfinite(self._q.sum() + self._v.sum()):
            warn_not_finite(self.q, self.v, end, dt)
        return (np.array([q for q, _ in record]), np.array([v for _, v in record])) if record else None

    def _semi_implicit(self, steps: int, dt: float, tau: Array | None, every: int) -> tuple[np.ndarray, np.ndarray] | None:
        m = self.model
        check_bare(m)
        self._write(self._tau, np.zeros((self.count, m.nv)) if tau is None else tau, "tau")
        ways = [lane_blocks(1, m.nv)[0] for _ in range(self.threads)]
        record, chunk = [(self.q, self.v)] if every else [], every or steps
        for number in range(0, steps, chunk):
            count = min(chunk, steps - number)

            def part(first: int, last: int, thread: int, count: int = count) -> None:
                _, work, dof_work = self._work[thread]
                semi_implicit_blocks(
                    m.frames, m.constants, m.gravity, _NONE_IMPOSED, dt, count, self._q, self._v, _NO_WRENCH, work, dof_work,
                    ways[thread], self._a, self._tau, first, last,
                )  # fmt: skip

            self._spread(part)
            if every:
                record.append((self.q, self.v))
        return self._told(record, steps * dt, dt)

    def _impose(self, problem: Problem, t0: float) -> None:
        """Put imposed coordinates where their motion says, as a run of one robot does before its first record."""
        imposed = np.flatnonzero(problem.drive == IMPOSED)
        if not len(imposed):
            return
        m, q, v = self.model, self.q, self.v
        frames = m.frames[m.dofs[imposed, DOF_FRAME]]
        places = frames[:, FIRST_Q] + imposed - frames[:, FIRST_V]
        first_q, first_v = problem.imposed_state(t0, q[0], v[0])
        q[:, places], v[:, imposed] = first_q[places], first_v[imposed]
        self.q, self.v = q, v

    def _run(
        self,
        problem: Problem,
        command: np.ndarray,
        steps: int,
        dt: float,
        t0: float,
        every: int,
        record: list[tuple[np.ndarray, np.ndarray]],
    ) -> None:
        """The steps; the states after ``every`` so many of them go to ``record``, none with zero."""
        m = self.model
        states = problem.memories.count
        spaces = [replace(new_lane_work(m.nf, m.nv), memory=_lane_memory(states)) for _ in range(self.threads)]
        scratch = [replace(new_lane_scratch(m.nq, m.nv), sum_memory=lane_blocks(1, states)[0]) for _ in range(self.threads)]
        inputs = [
            replace(new_inputs(m.nf, m.nv, row_laws=len(problem.inputs.rows)), command=lane_blocks(1, m.nv)[0])
            for _ in range(self.threads)
        ]
        chunk = every or steps
        for number in range(0, steps, chunk):
            count = min(chunk, steps - number)

            def part(first: int, last: int, thread: int, number: int = number, count: int = count) -> None:
                rollout_blocks(
                    problem.arrays, inputs[thread], command, t0, dt, number, count, self._q, self._v, self._memory,
                    spaces[thread], scratch[thread], first, last,
                )  # fmt: skip

            self._spread(part)
            if every:
                record.append((self.q, self.v))

    def _spread(self, part: Callable[[int, int, int], None]) -> None:
        """Call ``part(first block, last block, thread)`` for a share of the blocks on each core."""
        blocks = len(self._q)
        if self._pool is None:
            part(0, blocks, 0)
            return
        edges = [blocks * i // self.threads for i in range(self.threads + 1)]
        for future in [self._pool.submit(part, edges[i], edges[i + 1], i) for i in range(self.threads)]:
            future.result()

    def __repr__(self) -> str:
        return f"Batch({self.count} x '{self.model.compiled.name}', {self.threads} threads, {WIDTH} robots per register)"


def _lane_memory(states: int) -> Memory:
    """Room for the states of the laws of one block of robots; batches have no strands."""
    rooms = {name: lane_blocks(1, states)[0] for name in ("state", "value", "rate")}
    return Memory(strands=lane_blocks(1, 0)[0], **rooms)
