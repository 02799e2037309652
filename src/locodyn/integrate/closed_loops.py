"""Loops and rolling points in statics and in implicit integration: positions on their rows, forces by multipliers.

With Phi(q) the residuals of the holonomic rows and J their Jacobian, a step solves (index 3; Gotelli 2024, 3.2.2)

    r(q, v, a) - J^T lambda = 0,     Phi(q) = 0.

Rows may be redundant (a pin in a planar robot): the linear systems are solved for the smallest multipliers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.implicit import ACCELERATION, PSEUDO, STARTED, new_implicit_scratch, start
from locodyn.integrate.implicit_run import SMALLEST_PART, NoStep
from locodyn.integrate.schemes import SchemeArrays
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import motion_residual, motion_tangent
from locodyn.locomotion.rhs import impose
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_motions, frame_poses
from locodyn.world.rows import RESIDUAL, fill_rows

_RANK = 1e-10
_MOST_ITERATIONS = 14


class HolonomicRows:
    """Phi and J of the rows of a problem."""

    def __init__(self, problem: Problem, what: str) -> None:
        self.problem = problem
        arrays = problem.constraints.arrays
        holonomic = set() if arrays is None else set(arrays.holonomic.tolist())
        if arrays is not None and (len(arrays.dependent) or any(m not in holonomic for m in arrays.active)):
            raise InputError(f"{what} takes loops and points that stay, but no wheels that roll; use 'rkmk4' or 'adaptive'.")
        self.arrays = arrays
        self.count = 0 if arrays is None else len(arrays.holonomic)
        self.zero = np.zeros(problem.model.nv)

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Phi (h,), J (h, free coordinates)) at a configuration."""
        if self.arrays is None:
            return np.zeros(0), np.zeros((0, len(self.zero)))
        p, w, c, arrays = self.problem.arrays, self.problem.workspace, self.problem.arrays.constraints, self.arrays
        frame_poses(p.frames, p.constants, q, 1, w.poses)
        frame_motions(p.frames, p.constants, q, self.zero, self.zero, w.motions)
        fill_rows(arrays.rows, arrays.data, self.problem.inputs.rows, w.poses, w.motions, arrays.cotwists, arrays.sides)
        rod_columns(p, c, q, w.poses)
        row_jacobian(p, c, w.poses)
        return arrays.sides[arrays.holonomic, RESIDUAL].copy(), arrays.jacobian[arrays.holonomic].copy()

    def geometric(self, q: np.ndarray, multipliers: np.ndarray, moved: Any) -> np.ndarray:
        """d(J^T lambda)/dq (e, e) by central differences; ``moved(q, step)`` moves the free coordinates."""
        h, n = 1e-6, len(self.arrays.free)
        columns = []
        for unit in h * np.eye(n):
            ahead, behind = (self.at(moved(q, side * unit))[1].T @ multipliers for side in (1.0, -1.0))
            columns.append((ahead - behind) / (2.0 * h))
        return np.array(columns).T


def solve_saddle(matrix: np.ndarray, jacobian: np.ndarray, force: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x, mu) with matrix x - J^T mu = force, J x = gap; mu of smallest norm where rows are redundant.

    Columns are scaled to a unit diagonal and rows to unit length, so that ranks do not depend on units.
    """
    n, m = len(force), len(gap)
    if m == 0:
        return np.linalg.solve(matrix, force), np.zeros(0)
    diagonal = np.abs(np.diag(matrix))
    scale = 1.0 / np.sqrt(np.maximum(diagonal, 1e-14 * diagonal.max(initial=1e-300)))
    scaled = jacobian * scale
    sizes = np.linalg.norm(scaled, axis=1)
    rows = 1.0 / np.where(sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300), sizes, np.inf)
    scaled = scaled * rows[:, None]
    system = np.block([[matrix * np.outer(scale, scale), -scaled.T], [scaled, np.zeros((m, m))]])
    found = np.linalg.lstsq(system, np.concatenate([force * scale, gap * rows]), rcond=_RANK)[0]
    return found[:n] * scale, found[n:] * rows


def constrained_stepper(problem: Problem, scheme: SchemeArrays, tolerance: float) -> Any:
    """stepper(t, step, q, v) -> corrections, in place, for one-stage schemes and problems with loops; driven from Python."""
    if len(scheme.times) != 1:
        raise InputError(
            "loops need 'generalized_alpha', 'hht', 'wbz', 'newmark' or 'implicit_euler' of the implicit integrators."
        )
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace
    rows = HolonomicRows(problem, "implicit integration")
    s = new_implicit_scratch(problem.model, 1)
    free = rows.arrays.free
    state: dict[str, Any] = {"multipliers": np.zeros(rows.count), "matrix": None, "step": 0.0}

    def parts(h: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[float, float, float]]:
        old, last = s.vectors[PSEUDO].copy(), s.vectors[ACCELERATION].copy()
        factors = (float(scheme.accelerations[0, 0]), float(h * scheme.velocities[0, 0]), float(h * h * scheme.positions[0, 0]))
        if len(scheme.alpha):
            m, f, beta, gamma = scheme.alpha
            return h * v + h * h * (0.5 - beta) * old, v + h * (1.0 - gamma) * old, (m * old - f * last) / (1.0 - f), factors
        return h * v, v.copy(), np.zeros_like(v), factors

    def tried(t: float, h: float, q: np.ndarray, v: np.ndarray) -> int:
        """Corrections of a step that converged, in place; -1 if it did not."""
        u0, v0, a0, (b0, b1, b2) = parts(h, v)
        unknown, multipliers = s.vectors[PSEUDO].copy(), state["multipliers"].copy()
        place, speed, rate = np.empty_like(q), np.empty_like(v), np.empty_like(v)
        before, fresh = np.inf, False
        for iteration in range(1, _MOST_ITERATIONS + 1):
            moved_configuration(p.frames, q, u0 + b2 * unknown, place)
            speed[:], rate[:] = v0 + b1 * unknown, a0 + b0 * unknown
            problem.read_inputs(t + scheme.times[0] * h, place, speed)
            impose(p, inputs, place, speed, rate)
            gap, jacobian = rows.at(place)
            motion_residual(p, inputs, place, speed, rate, w, s.tangent, 1.0)
            if state["matrix"] is None or state["step"] != h:
                motion_tangent(p, inputs, place, speed, rate, w, s.tangent, 1.0, 1)
                full = b0 * s.tangent.by_a + b1 * s.tangent.by_v + b2 * s.tangent.by_q
                weights = np.sqrt(np.abs(np.diag(s.tangent.by_a)))[free]
                state.update(matrix=full[np.ix_(free, free)], weights=weights, step=h)
                fresh = True
            force = -(s.tangent.residual[free] - jacobian.T @ multipliers)
            change, step = solve_saddle(state["matrix"], jacobian, force, -gap / b2)
            unknown[free] += change
            multipliers = multipliers + step
            size = float(np.linalg.norm(state["weights"] * change))
            scale = float(np.linalg.norm(state["weights"] * unknown[free]) + np.linalg.norm(state["weights"] * v[free]) / h)
            if not np.isfinite(size):
                break
            if size <= tolerance * scale or size == 0.0 or (size >= 0.5 * before and size <= 1e-7 * max(scale, 1e-9)):
                end = u0 + b2 * unknown
                moved_configuration(p.frames, q, end, q)
                v[:] = v0 + b1 * unknown
                problem.read_inputs(t + h, q, v)
                impose(p, inputs, q, v, rate)
                s.vectors[ACCELERATION], s.vectors[PSEUDO] = a0 + b0 * unknown, unknown
                state["multipliers"] = multipliers
                return iteration
            if size > 0.4 * before:
                state["matrix"] = None  # made anew at the next round
                if fresh and size > before and iteration > 4:
                    break
            before = size
        state["matrix"] = None
        return -1

    def stepper(t: float, step: float, q: np.ndarray, v: np.ndarray) -> int:
        if s.status[STARTED] == 0.0:
            problem.read_inputs(t, q, v)
            start(p, inputs, q, v, w, s)
        done, part, used = 0.0, step, 0
        while done < step * (1.0 - 1e-9):
            rounds = tried(t + done, part, q, v)
            if rounds < 0:
                part *= 0.5
                if part < step * SMALLEST_PART:
                    raise NoStep(t, 0)
                continue
            used += rounds
            done += part
            part = min(part, step - done)
        return used

    return stepper
