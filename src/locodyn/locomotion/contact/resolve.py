"""Out of penetration: where the surfaces of a start overlap, the robot is moved by the smallest change that parts them.

The displacement d has the least d^T M d with J d >= -gap for what overlaps or nearly does, while loops stay closed, rolling
surfaces stay on their planes and imposed coordinates stay where they are. Ideal wheels and skates do not hold it: they
constrain velocities, and a start is a place. The step is repeated until nothing overlaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.row_solver import RowSolver
from locodyn.shape.configuration import moved_configuration
from locodyn.world.gaps import PAIR

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_ROUNDS = 100
_PARTED = 1e-7  # m
_CLEAR = 0.5e-7  # m: gap that is aimed at, so that what has parted stays so
_FINE = 1e-5  # m: deeper ones are halved only, so that the way is followed as it bends
_FAR = 2.0  # of the deepest overlap: gaps below it are watched as well
_STEP = 1e-6  # m, rad: of the differences that give the rates of gaps


def resolved(problem: Problem, q: np.ndarray) -> np.ndarray:
    """The configuration (nq,) to which such steps lead from q.

    Raises
    ------
    InputError
        Where no displacement parts the surfaces: the robot does not fit.
    """
    contact, q = problem.contact, np.array(q, dtype=float)
    real = contact.table.arrays.kind != PAIR.support
    for _ in range(_ROUNDS):
        gaps = np.where(real, contact.gaps(q), np.inf)
        if gaps.min() > -_PARTED:
            return q
        near = np.flatnonzero(gaps < -_FAR * gaps.min())
        step = _smallest(problem, q, near, gaps[near], _open(problem, q))
        if not step.any():
            break
        moved_configuration(problem.arrays.frames, q, step, q)
        if problem.constraints.arrays is not None:
            problem.constraints.plant_feet(q)
            q = problem.imposed_state(0.0, q, np.zeros(problem.model.nv))[0]
    depth, name = contact.overlap(q)
    raise InputError(f"'{name}' still overlaps by {depth:.3g} m where no move helps any more: the robot does not fit; move it.")


def _open(problem: Problem, q: np.ndarray) -> np.ndarray:
    """Basis (nv, k) of the displacements that imposed coordinates and holonomic rows leave open."""
    nv, arrays = problem.model.nv, problem.constraints.arrays
    if arrays is None or not len(arrays.holonomic):
        return np.eye(nv)[:, problem.drive != IMPOSED]
    problem.imposed_state(0.0, q, np.zeros(nv))  # reads the laws of the rows
    solver = RowSolver(problem.arrays, arrays, problem.inputs, problem.workspace, arrays.holonomic)
    kernel = solver.factored(q).kernel
    basis = np.zeros((nv, kernel.shape[1]))
    basis[arrays.free] = kernel
    return basis


def _smallest(problem: Problem, q: np.ndarray, near: np.ndarray, gaps: np.ndarray, free: np.ndarray) -> np.ndarray:
    """d (nv,): least d^T M d with J d >= aim - gaps in the span of ``free`` (nv, k).

    By its dual, a problem of least squares with signs.
    """
    from scipy.optimize import nnls

    nv = problem.model.nv
    rates = np.zeros((len(near), nv))
    for i, unit in enumerate(np.eye(nv)):
        shifted = []
        for sign in (1.0, -1.0):
            moved = q.copy()
            moved_configuration(problem.arrays.frames, q, sign * _STEP * unit, moved)
            shifted.append(problem.contact.gaps(moved, near))
        rates[:, i] = (shifted[0] - shifted[1]) / (2.0 * _STEP)
    if not free.shape[1]:
        return np.zeros(nv)
    factor = np.linalg.cholesky(free.T @ problem.model.mass_matrix(q) @ free)
    rows = np.linalg.solve(factor, (rates @ free).T)  # of the scaled displacement
    # The point nearest to the origin with rows^T y >= need (Lawson and Hanson 1974, LDP): from nnls of [rows; need].
    need = np.where(gaps < -_FINE, -0.5 * gaps, _CLEAR - gaps)
    largest = float(need.max())
    matrix = np.vstack([rows, need / largest])
    target = np.zeros(len(matrix))
    target[-1] = 1.0
    found, _ = nnls(matrix, target, maxiter=50 * matrix.shape[1])
    rest = matrix @ found - target
    if not rest[-1] < -1e-12:
        return np.zeros(nv)  # what is asked for contradicts itself
    y = -rest[:-1] / rest[-1] * largest
    result: np.ndarray = free @ np.linalg.solve(factor.T, y)
    return result
