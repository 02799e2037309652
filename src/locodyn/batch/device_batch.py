"""Many robots of one kind on a graphics card: states in tiles of 32 robots, one thread for each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

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
from locodyn.batch.columns import (
    TILE,
    Columns,
    Room,
    Tree,
    forward_columns,
    inverse_columns,
    rkmk4_columns,
    semi_implicit_columns,
)
from locodyn.device.launch import DeviceRobots
from locodyn.dynamics import forward_dynamics, inverse_dynamics
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.integrate.rkmk4 import new_scratch
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.problem import Problem
from locodyn.shape.rod import slice_motion, slice_pose
from locodyn.typing import Array

_PRECISIONS = ("float64", "float32")
_OF_RODS = (slice_pose, slice_motion, inverse_dynamics.slice_inward, inverse_dynamics.slice_outward)


class DeviceBatch:
    """``count`` robots of one model on a graphics card; in float64 bit for bit what one robot gives on the processor.

    As :class:`~locodyn.batch.batch.Batch`, and takes the same robots.

    Parameters
    ----------
    model : Model
    count : int
    device : "cuda" or "host"
        The first NVIDIA card of this machine; or this machine, to compare.
    dtype : "float64" or "float32"
        Of states, constants and arithmetic; float32 is twice as fast, and good for six to seven digits in one evaluation.
    """

    def __init__(self, model: Model, count: int, device: str = "cuda", dtype: npt.DTypeLike = float) -> None:
        if not whole_number(count, 1):
            raise InputError(f"a batch of {count!r} robots is not possible; give a whole number, 1 or more.")
        self.dtype = _precision(dtype)
        check_robot(model)
        self.model, self.count = model, int(count)
        m, zeros = model, self._zeros
        tiles = -(-self.count // TILE)
        self._columns = Columns(
            q=zeros(tiles, m.nq, TILE), v=zeros(tiles, m.nv, TILE), a=zeros(tiles, m.nv, TILE), tau=zeros(tiles, m.nv, TILE)
        )
        self._tree = Tree(frames=m.frames, constants=m.constants.astype(self.dtype), gravity=m.gravity.astype(self.dtype))
        self._room = Room(
            work=zeros(m.nf, forward_dynamics.WORK.size), dof_work=zeros(m.nv, forward_dynamics.DOF_WORK.size),
            inverse=zeros(m.nf, inverse_dynamics.WORK.size), way=zeros(m.nv), wrenches=zeros(0, 6),
            imposed=np.zeros(0, dtype=np.int8),
        )  # fmt: skip
        self._device = DeviceRobots(self._columns, device, self.count, whole=True, without=uncalled(model))
        self._chosen = np.arange(self.count, dtype=np.int64)
        self._chosen.flags.writeable = False
        self.q = np.tile(model.neutral(), (self.count, 1))

    # ---------------------------------------------------------------------------------------------------------- states
    @property
    def q(self) -> np.ndarray:
        """Configurations (count, nq): a copy; assign to change them. Quaternions that are assigned get length 1."""
        return self._read("q")

    @q.setter
    def q(self, value: Array) -> None:
        self._write("q", value)

    @property
    def v(self) -> np.ndarray:
        """Velocities (count, nv): a copy; assign to change them."""
        return self._read("v")

    @v.setter
    def v(self, value: Array) -> None:
        self._write("v", value)

    @property
    def on_device(self) -> Mapping[str, Any]:
        """Arrays ``q``, ``v``, ``a`` and ``tau`` on the card, as ``__cuda_array_interface__``; else none.

        Their shape is (tiles, n, 32): entry i of robot r is at [r // 32, i, r % 32].
        """
        return self._device.arrays

    # -------------------------------------------------------------------------------------------------------- dynamics
    def forward_dynamics(self, tau: Array) -> np.ndarray:
        """Accelerations (count, nv) under the forces ``tau`` (count, nv), as :meth:`Batch.forward_dynamics`."""
        self._write("tau", tau)
        self.forward_columns()
        return self._read("a")

    def forward_columns(self) -> None:
        """Forward dynamics on the card, from its ``tau`` to its ``a``: what :meth:`forward_dynamics` does inside."""
        check_weightless_fluid(self.model)
        self._launch(forward_columns, 1, self._tree)

    def inverse_dynamics(self, a: Array) -> np.ndarray:
        """Generalised forces (count, nv) for the accelerations ``a`` (count, nv), as :meth:`Batch.inverse_dynamics`."""
        check_weightless_fluid(self.model)
        self._write("a", a)
        self._launch(inverse_columns, 1, self._tree)
        return self._read("tau")

    def rollout(
        self,
        steps: int,
        dt: float,
        tau: Array | None = None,
        t0: float = 0.0,
        method: str = "rkmk4",
    ) -> None:
        """Move all robots by ``steps`` steps of ``dt`` seconds, as :meth:`Batch.rollout`, under constant forces ``tau``.

        Scenarios with laws, motions and contacts run on a card by :meth:`Scenario.batch <locodyn.sim.scenario.Scenario.batch>`.
        """
        check_times(steps, dt, t0, 0, method)
        self._write("tau", np.zeros((self.count, self.model.nv)) if tau is None else tau)
        if method == "semi_implicit":
            check_bare(self.model)
            self._launch(semi_implicit_columns, int(steps), self._tree, float(dt))
        else:
            check_rollout(self._problem, self.q.astype(float), None, steps, dt, t0)
            problem, inputs, work, scratch = self._bundles
            self._launch(rkmk4_columns, int(steps), problem, inputs, float(t0), float(dt), work, scratch)
        if not np.isfinite(self.q.sum() + self.v.sum()):
            warn_not_finite(self.q, self.v, t0 + steps * dt, dt)

    # ---------------------------------------------------------------------------------------------------------- inside
    def _zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=self.dtype)

    @cached_property
    def _problem(self) -> Problem:
        return Problem(self.model)

    @cached_property
    def _bundles(self) -> tuple[Bundle, ...]:
        """What steps of ``rkmk4`` take, in the precision of the batch."""
        scratch = new_scratch(self.model.nq, self.model.nv)
        found = (self._problem.arrays, self._problem.inputs, self._problem.workspace, scratch)
        return tuple(self._in_precision(one) for one in found)

    def _launch(self, kernel: Any, count: int, *arguments: Any) -> None:
        self._device.launch(kernel, self._columns, self._room, self._chosen, count, *arguments)

    def _read(self, name: str) -> np.ndarray:
        self._device.fetch(name)
        tiles = getattr(self._columns, name)
        return np.ascontiguousarray(tiles.transpose(0, 2, 1).reshape(-1, tiles.shape[1])[: self.count])

    def _write(self, name: str, value: Array) -> None:
        tiles = getattr(self._columns, name)
        rows = checked_rows(self.model, value, (self.count, tiles.shape[1]), name)
        self._device.fetch(name)
        padded = np.concatenate([rows, np.repeat(rows[-1:], len(tiles) * TILE - self.count, axis=0)])
        tiles[:] = padded.reshape(len(tiles), TILE, -1).transpose(0, 2, 1)
        self._device.changed(name)

    def _in_precision(self, bundle: Bundle) -> Bundle:
        """The bundle with its float64 arrays in the precision of the batch."""
        if self.dtype == np.float64:
            return bundle
        changed: dict[str, Any] = {}
        for name in bundle.field_places():
            value = getattr(bundle, name)
            if isinstance(value, Bundle):
                changed[name] = self._in_precision(value)
            else:
                is_array = isinstance(value, np.ndarray) and value.dtype == np.float64
                changed[name] = value.astype(self.dtype) if is_array else value
        made: Bundle = type(bundle)(**changed)
        return made

    def __repr__(self) -> str:
        return f"DeviceBatch({self.count} x '{self.model.compiled.name}', {self.dtype.name}, device {self._device.name})"


def uncalled(model: Model) -> tuple[Any, ...]:
    """Kernels that no robot of a batch calls: of rods, and of fluid where none is moved along. Less is faster."""
    return _OF_RODS if model.in_fluid else (*_OF_RODS, forward_dynamics.start_with_fluid)


def _precision(dtype: npt.DTypeLike) -> np.dtype[Any]:
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found.name not in _PRECISIONS:
        raise InputError(f"dtype of a batch is {dtype!r}; it must be {' or '.join(map(repr, _PRECISIONS))}.")
    return found
