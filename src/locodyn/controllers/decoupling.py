"""Torques for wanted accelerations of outputs, u = (H G)^-1 (w - H a0 - drift), in compiled code.

Sums are taken in one order on every machine: libraries of linear algebra choose theirs by processor and by the memory that they
are given, and a closed loop makes other motions of other last digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.dense import cholesky, pivoted_qr, solve_factored

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model

_SINGULAR = 1e-12  # smallest over largest diagonal entry of the triangle of H G


class Decoupling(Bundle):
    """Room for a robot of nv coordinates and n outputs."""

    driven: np.ndarray  # (n,) int64: coordinates of the actuators
    motions: np.ndarray  # (nv, nv) M Z
    reduced: np.ndarray  # (nv, nv) Z^T M Z, then its factor
    answer: np.ndarray  # (nv,) rates along Z, then accelerations, for a unit torque
    effect: np.ndarray  # (n, n) H G, then its triangle
    basis: np.ndarray  # (n, n)
    order: np.ndarray  # (n,) int64
    right: np.ndarray  # (n,)
    torque: np.ndarray  # (n,) u


def new_decoupling(model: Model, driven: list[int]) -> Decoupling:
    """Room for a model whose coordinates ``driven`` have actuators."""
    n, nv, zeros = len(driven), model.nv, np.zeros
    return Decoupling(
        driven=np.array(driven, dtype=np.int64), motions=zeros((nv, nv)), reduced=zeros((nv, nv)), answer=zeros(nv),
        effect=zeros((n, n)), basis=zeros((n, n)), order=zeros(n, dtype=np.int64), right=zeros(n), torque=zeros(n),
    )  # fmt: skip


@compiled
def reduce_mass(mass, kernel, room):
    """``room.reduced``: the factor of Z^T M Z for the motions Z = ``kernel`` (nv, k) that feet and loops leave free."""
    nv, free = kernel.shape
    for i in range(nv):
        for c in range(free):
            total = 0.0
            for j in range(nv):
                total += mass[i, j] * kernel[j, c]
            room.motions[i, c] = total
    for r in range(free):
        for c in range(free):
            total = 0.0
            for i in range(nv):
                total += kernel[i, r] * room.motions[i, c]
            room.reduced[r, c] = total
    return cholesky(room.reduced, free)


@compiled
def decouple(mass, kernel, rows, accelerations, wanted, room):
    """``room.torque``: u with H (a0 + Z (Z^T M Z)^-1 Z^T B u) = ``wanted`` (n,); False where outputs cannot be moved one by one.

    ``rows``: H (n, nv); ``accelerations``: a0 (nv,), without torques; ``kernel``: Z (nv, k).
    """
    n, nv, free = rows.shape[0], rows.shape[1], kernel.shape[1]
    if not reduce_mass(mass, kernel, room):
        return False
    for j in range(n):
        for c in range(free):
            room.answer[c] = kernel[room.driven[j], c]
        solve_factored(room.reduced, free, room.answer)
        for i in range(nv):
            total = 0.0
            for c in range(free):
                total += kernel[i, c] * room.answer[c]
            room.motions[i, 0] = total
        for i in range(n):
            total = 0.0
            for k in range(nv):
                total += rows[i, k] * room.motions[k, 0]
            room.effect[i, j] = total
    for i in range(n):
        total = wanted[i]
        for k in range(nv):
            total -= rows[i, k] * accelerations[k]
        room.right[i] = total
    if pivoted_qr(room.effect, n, n, room.basis, room.order, _SINGULAR, 0.0, 0, 0.0, 0) < n:
        return False
    for i in range(n - 1, -1, -1):
        total = 0.0
        for k in range(n):
            total += room.basis[k, i] * room.right[k]
        for j in range(i + 1, n):
            total -= room.effect[i, j] * room.torque[room.order[j]]
        room.torque[room.order[i]] = total / room.effect[i, i]
    return True
