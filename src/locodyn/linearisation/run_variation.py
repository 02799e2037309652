"""How the states of a run change with parameters: the variational equation along it, with the exact tangents of the library.

About the motion (q*(t), v*(t)) of a run, the states with another parameter p are q* (+) u dp and v* + w dp, with

    udot = w + [u, v*],     M wdot + C w + K u - J^T mu + dr/dp = 0,     J w + S u + dc/dp = 0,

where r(t, q, v, a) - J^T lambda is the residual of the equation of motion with its exact slopes K, C, M by q, v, a
(:mod:`locodyn.locomotion.residual`), c = J v - b what the rows miss, and S the change of J v with the configuration
(:func:`~locodyn.locomotion.row_residual.row_slopes`). All parameters share the matrices. The slopes by p are those of residuals
at the same states, imposed coordinates where their laws with p are: differences of two evaluations, not of runs, so nothing
grows along the motion.

The linear equations, of index 2 where there are rows, are solved by Radau IIA of two stages (order 3; Hairer and Wanner 1996,
IV.5 and VII.4) in elements of 3 k steps: the nodes 1/3 and 1 are states of the run. What is left at its end takes the
nodes 1/2 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.implicit.arrays import ImplicitScratch, implicit_scratch
from locodyn.integrate.implicit.matrix import tangent_with_rows
from locodyn.integrate.implicit.step import stage_residual
from locodyn.integrate.methods import Radau3
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import samples
from locodyn.locomotion.rhs import impose
from locodyn.locomotion.row_residual import add_half_bracket
from locodyn.world.rows import KNOWN

_State = tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # t, q, v, a, multipliers
_ELEMENTS = 200  # at most, where a run has more steps than three for each


@dataclass(frozen=True, eq=False)
class Beside:
    """The problem with a parameter a little above and below, by ``span`` in all, and the states (q, v) at which both begin."""

    above: Problem
    below: Problem
    span: float
    begins_above: tuple[np.ndarray, np.ndarray]
    begins_below: tuple[np.ndarray, np.ndarray]


def check_smooth(problem: Problem) -> None:
    """:class:`InputError` where runs of a problem have no variational equation of this kind."""
    compiled = problem.model.compiled
    reason = ""
    if len(problem.contact.table) or problem.compliant:
        reason = "it has contacts that come and go"
    elif compiled.has_rods or problem.memories.count or compiled.strand_names or compiled.ties:
        reason = "it has rods, tendons or laws with memory"
    elif not problem.is_compiled:
        reason = "it asks functions in Python"
    elif (problem.drive == DEPENDENT).any() or list(compiled.description.contacts):
        reason = "it has dependent joints or rolling surfaces"
    if reason:
        raise InputError(f"slopes of runs of '{compiled.name}' cannot come from its equations: {reason}; take differences.")


def state_changes(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, beside: Sequence[Beside]
) -> tuple[np.ndarray, np.ndarray]:
    """Changes u, w (N, nv, P) of the states of a run with P parameters, for each unit of them.

    ``times`` (N,) s, evenly spaced, ``q`` (N, nq), ``v`` (N, nv): the states of ``problem`` at all steps.
    """
    from scipy.interpolate import CubicHermiteSpline

    check_smooth(problem)
    nodes = _nodes(len(times) - 1)
    chosen = sorted({0, *(k for element in nodes for k in element)})
    out, _ = samples(problem, times[chosen], q[chosen], v[chosen], None)
    at = {k: n for n, k in enumerate(chosen)}
    here, around = _Side(problem), [(_Side(one.above), _Side(one.below), one.span) for one in beside]
    model, free = problem.model, here.free
    u = np.column_stack([model.difference(one.begins_below[0], one.begins_above[0]) / one.span for one in beside])
    w = np.column_stack([(one.begins_above[1] - one.begins_below[1]) / one.span for one in beside])
    u, w = u[free], w[free]

    def equations(k: int) -> _Equations:
        n = at[k]
        state = float(times[k]), q[k], v[k], out.acceleration[n], np.where(here.known, 0.0, out.multiplier[n])
        return _Equations.of(here, around, state)

    found_u, found_w = np.zeros((len(nodes) + 1, *u.shape)), np.zeros((len(nodes) + 1, *u.shape))
    found_u[0], found_w[0] = u, w
    ends = [0]
    for n, element in enumerate(nodes):
        stages = [equations(k) for k in element]
        h = float(times[element[-1]] - times[ends[-1]])
        steps = np.array([(times[k] - times[ends[-1]]) / h for k in element])
        found_u[n + 1], found_w[n + 1] = _element(stages, steps, h, found_u[n], found_w[n])
        ends.append(element[-1])
    rates = [_rates(here, v[k], found_u[n], found_w[n]) for n, k in enumerate(ends)]
    knots, count = times[ends], model.nv
    changes_u, changes_w = np.zeros((len(times), count, len(beside))), np.zeros((len(times), count, len(beside)))
    changes_u[:, free] = CubicHermiteSpline(knots, found_u, np.array(rates))(times)
    changes_w[:, free] = _through(knots, found_w, times)
    for p, one in enumerate(beside):
        for i in np.flatnonzero(problem.drive == IMPOSED).tolist():
            above, below = one.above.laws[i], one.below.laws[i]
            changes_u[:, i, p] = (above(times) - below(times)) / one.span
            changes_w[:, i, p] = (above.rate(times) - below.rate(times)) / one.span
    return changes_u, changes_w


def _through(knots: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The cubic spline through values."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(knots, values)(times)) if len(knots) > 2 else np.asarray(values)[[0, -1]]


class _Side:
    """A problem whose residual and tangent are asked for at given states."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.scheme = problem, Radau3().scheme()
        self.scratch: ImplicitScratch = implicit_scratch(problem, len(self.scheme.times))
        self.scratch.matrix.exact = 1
        rows, drive = problem.constraints.arrays, problem.drive
        self.free = np.flatnonzero(drive != IMPOSED)
        flags = np.zeros(0, dtype=np.int64) if rows is None else rows.flags
        self.known = (flags & KNOWN) != 0
        self.active = np.zeros(0, dtype=np.int64) if rows is None else rows.active

    def imposed(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Copies of a state with imposed coordinates where this problem has them, and their accelerations (nv,)."""
        problem, a = self.problem, np.zeros(len(v))
        q, v = q.copy(), v.copy()
        problem.read_inputs(t, q, v)
        impose(problem.arrays, problem.inputs, q, v, a)
        return q, v, a

    def residual(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """What the equations miss: (free + active,), of motion and of rows."""
        problem, scratch = self.problem, self.scratch
        place, speed, imposed = self.imposed(t, q, v)
        imposed[self.free] = a[self.free]
        state = scratch.state
        state.q[:], state.v[:], state.a[:] = place, speed, imposed
        scratch.stages.multipliers[:] = multipliers
        stage_residual(problem.arrays.rows, problem.arrays, self.scheme, problem.inputs, 0, problem.workspace, scratch)
        return np.concatenate([scratch.tangent.residual[self.free], scratch.stages.gaps[0]])

    def tangent(self, q: np.ndarray) -> tuple[np.ndarray, ...]:
        """M, C, K (free, free), J, S (active, free), and which rows count, at the state of the last :meth:`residual`."""
        problem, scratch, rows = self.problem, self.scratch, self.problem.arrays.rows
        tangent_with_rows(rows, problem.arrays, problem.inputs, q, problem.workspace, scratch)
        pick = np.ix_(self.free, self.free)
        tangent = scratch.tangent
        parts = tuple(one[pick].copy() for one in (tangent.by_a, tangent.by_v, tangent.by_q))
        if rows is None:
            nothing = np.zeros((0, len(self.free)))
            return (*parts, nothing, nothing, np.zeros(0, dtype=bool))
        chosen = scratch.matrix.chosen != 0
        return (*parts, rows.jacobian[self.active].copy(), scratch.matrix.slopes[:, self.free].copy(), chosen)

    def bracket(self, v: np.ndarray) -> np.ndarray:
        """D (free, free) with D u = [u, v]."""
        count = len(v)
        matrix = np.zeros((count, count))
        for i in self.free:
            column = np.zeros(count)
            add_half_bracket(self.problem.arrays, i, v, column)
            matrix[:, i] = 2.0 * column
        return matrix[np.ix_(self.free, self.free)]


@dataclass(frozen=True, eq=False)
class _Equations:
    """The linear equations at one instant; ``force`` (free, P), ``gap`` (rows, P): slopes of the residuals by the parameters."""

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    jacobian: np.ndarray
    slopes: np.ndarray
    bracket: np.ndarray
    force: np.ndarray
    gap: np.ndarray

    @classmethod
    def of(cls, here: _Side, around: Sequence[tuple[_Side, _Side, float]], state: _State) -> _Equations:
        """At a state (t, q, v, a, multipliers)."""
        columns = [(above.residual(*state) - below.residual(*state)) / span for above, below, span in around]
        by_parameters, count = np.column_stack(columns), len(here.free)
        here.residual(*state)
        mass, damping, stiffness, jacobian, slopes, chosen = here.tangent(state[1])
        gap = by_parameters[count:][chosen]
        return cls(mass, damping, stiffness, jacobian[chosen], slopes[chosen], here.bracket(state[2]), by_parameters[:count], gap)


def _nodes(steps: int) -> list[tuple[int, int]]:
    """Numbers of the states at the two nodes of each element."""
    if steps < 2:
        raise InputError(f"a run of {steps} steps is too short for slopes; take differences.")
    k = max(1, -(-steps // (3 * _ELEMENTS)))
    whole = steps // (3 * k)
    while whole > 0 and steps - 3 * k * whole == 1:
        whole -= 1  # one step alone has no node in the middle
    found = [(3 * k * n + k, 3 * k * (n + 1)) for n in range(whole)]
    at = 3 * k * whole
    while at < steps:
        part = 3 if steps - at not in (2, 4) else 2
        found.append((at + 1, at + part))
        at += part
    return found


def _element(
    stages: Sequence[_Equations], nodes: np.ndarray, h: float, u: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """u and w (free, P) at the end of an element: collocation, the last node being its end."""
    powers = np.arange(1, len(nodes) + 1)
    integrals = (nodes[:, None] ** powers / powers) @ np.linalg.inv(np.vander(nodes, increasing=True))
    n, parameters = u.shape
    sizes = [2 * n + len(one.jacobian) for one in stages]
    first = np.concatenate([[0], np.cumsum(sizes)])
    matrix, right = np.zeros((first[-1], first[-1])), np.zeros((first[-1], parameters))
    eye = np.eye(n)
    for i, one in enumerate(stages):
        m = len(one.jacobian)
        move, turn, hold = (slice(first[i] + a, first[i] + b) for a, b in ((0, n), (n, 2 * n), (2 * n, 2 * n + m)))
        # Unknowns of a stage: accelerations, u, multipliers.
        matrix[move, move] += one.mass
        matrix[move, turn] += one.stiffness
        matrix[move, hold] -= one.jacobian.T
        matrix[turn, turn] += eye
        matrix[hold, turn] += one.slopes
        right[move] = -one.force - one.damping @ w
        right[turn] = u
        right[hold] = -one.gap - one.jacobian @ w
        for j, other in enumerate(stages):
            b = h * integrals[i, j]
            fast, place = slice(first[j], first[j] + n), slice(first[j] + n, first[j] + 2 * n)
            matrix[move, fast] += b * one.damping
            matrix[hold, fast] += b * one.jacobian
            # u_i = u + h sum_j a_ij (w_j + D_j u_j), with w_j = w + h sum_k a_jk wdot_k
            matrix[turn, place] -= b * other.bracket
            right[turn] += b * w
            for k in range(len(stages)):
                matrix[turn, first[k] : first[k] + n] -= b * h * integrals[j, k] * eye
    found = np.linalg.solve(matrix, right)
    end = w + h * sum(integrals[-1, j] * found[first[j] : first[j] + n] for j in range(len(stages)))
    return found[first[-2] + n : first[-2] + 2 * n], np.asarray(end)


def _rates(here: _Side, v: np.ndarray, u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """udot (free, P)."""
    return np.asarray(w + here.bracket(v) @ u)
