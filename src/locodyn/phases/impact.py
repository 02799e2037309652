"""The plastic impact: feet that land hold from then on.

    M (v+ - v-) = J^T Lambda,     J v+ = b

with the rows J of everything that holds after the impact: feet, loops, wheels, locked joints. Positions stay (Westervelt,
Grizzle, Koditschek 2003, (8)). Rows may be redundant: then the impulses are the smallest that give the same velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.world.rows import KINEMATIC

_RANK = 1e-10  # singular values of the scaled rows below this part of the largest are zero


@dataclass(frozen=True)
class Impact:
    """``velocity`` (nv,) after it, ``impulse`` of each row by name (N s or N m s), ``loss`` of kinetic energy (J)."""

    velocity: np.ndarray
    impulse: dict[str, float]
    loss: float


def held_rows(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, matrix J (m, nv) and right sides b (m,) of the rows that hold at the configuration q, J v = b.

    Feet are planted where they stand in q. Locked and imposed coordinates have rows of their own.
    """
    nv, names = problem.model.nv, problem.model.compiled.coordinate_names
    imposed = np.flatnonzero(problem.drive == IMPOSED)
    rows, jacobian, right = [], np.zeros((0, nv)), np.zeros(0)
    arrays = problem.constraints.arrays
    if arrays is not None:
        problem.constraints.plant_feet(q)
        arrays.forget_rank()
        problem.imposed_state(t, q, v)
        chosen = [m for m, row in enumerate(problem.constraints.rows) if row.flags & KINEMATIC]
        rows = [problem.constraints.rows[m].name for m in chosen]
        jacobian = np.column_stack([problem.row_speeds(q, unit) for unit in np.eye(nv)])[chosen]
        right = np.asarray(arrays.right_side)[chosen].copy()
    else:
        problem.read_inputs(t, q, v, forces=False)
    if len(imposed):
        rows += [names[i] for i in imposed]
        jacobian = np.vstack([jacobian, np.eye(nv)[imposed]])
        right = np.concatenate([right, problem.inputs.motion[1, imposed]])
    return rows, jacobian, right


def plastic_impact(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> Impact:
    """What becomes of the velocity v (nv,) where the rows of ``problem`` begin to hold at the configuration q (nq,)."""
    names, jacobian, right = held_rows(problem, t, q, v)
    mass = problem.model.mass_matrix(q)
    if not names:
        return Impact(v.copy(), {}, 0.0)
    lower = np.linalg.cholesky(mass)
    rows = np.linalg.solve(lower, jacobian.T).T  # J L^-T: then M^-1 is the identity
    impulse = np.linalg.pinv(rows @ rows.T, rcond=_RANK, hermitian=True) @ (right - jacobian @ v)
    after = v + np.linalg.solve(lower.T, rows.T @ impulse)
    after += np.linalg.solve(lower.T, np.linalg.pinv(rows, rcond=_RANK) @ (right - jacobian @ after))  # what round-off has left
    loss = 0.5 * float((v - after) @ mass @ (v + after))
    return Impact(after, dict(zip(names, map(float, impulse), strict=True)), loss)
