"""How a small change of the state at the beginning of a phase shows after its end: the variational equation and its jump.

About the motion (q*(t), v*(t)) a state is q = q* (+) u, v = v* + w, and (u, w) obeys, to first order,

    Phi' = A(t) Phi,     A = d(udot, a) / d(u, w),

with slopes of the compiled right-hand side by central differences of order 8, so that every law and controller is in it
(:mod:`locodyn.linearisation.differences`). It is solved by Radau IIA with five stages (order 9; stiff controllers decay as they
should), in half as many elements as the motion took steps, 16 to 32: of a step of RABBIT 16 leave 8e-6, 32 leave 4e-8. Where the
curve of a controller is a spline, elements also end at its knots, and within them its polynomial goes on to all sides, so that
neither the method nor the differences see that higher derivatives jump. Where the guard g ends the phase and R is what the
transition does, the state that follows changes by

    D = DR (1 - f grad g / (grad g . f)) Phi,     f = (v, a) the rate of the state there:

the part of the saltation matrix that is left where states are compared at the transition and not at equal times (Leine, Nijmeijer
2004, 7.2). A shift of the outputs is one more part of the state. The guard may depend on it and on time, as the force on a foot
that lifts off does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from locodyn.controllers.virtual_constraints import VirtualConstraints
from locodyn.errors import InputError
from locodyn.linearisation.differences import central_derivative
from locodyn.phases.hybrid_problem import Change, HybridProblem
from locodyn.phases.passage import Passage
from locodyn.robot.layout import ANGULAR
from locodyn.shape.configuration import step_rate

_STAGES, _FEWEST, _MOST = 5, 16, 32  # stages; elements of a passage
# Radau IIA: nodes are the zeros of P_5 - P_4, the last one is the end of the element (Hairer, Wanner 1996, IV.5).
_NODES = np.sort(0.5 * (1.0 + np.polynomial.legendre.legroots([0.0, 0.0, 0.0, 0.0, -1.0, 1.0])))
_INTEGRALS = np.array([[c ** (k + 1) / (k + 1) for k in range(_STAGES)] for c in _NODES]) @ np.linalg.inv(
    np.vander(_NODES, _STAGES, increasing=True)
)


def scales(hybrid: HybridProblem, v: np.ndarray) -> np.ndarray:
    """Changes (2 nv,) of position and velocity over which the equations bend: 1 rad or the robot's length, or one pace of it."""
    model = hybrid.model
    length = next(iter(hybrid.problems.values())).constraints.length
    units = np.where(model.dof_constants[:, ANGULAR] != 0.0, 1.0, length)
    pace = max(1.0, float(np.abs(v / units).max(initial=0.0)))
    return np.concatenate([units, pace * units])


def slopes(hybrid: HybridProblem, way: Passage, t: float) -> np.ndarray:
    """A(t), (2 nv, 2 nv), about the state of a passage at time t."""
    problem, model = way.problem, hybrid.model
    place, speed = way.state(t)
    n = model.nv

    def rates(x: np.ndarray) -> np.ndarray:
        q, v = model.move(place, x[:n]), speed + x[n:]
        forth, back = np.empty(n), np.empty(n)
        step_rate(model.frames, np.ascontiguousarray(x[:n]), v, forth)
        step_rate(model.frames, -x[:n], speed, back)
        return np.concatenate([forth - back, problem.accelerations(t, q, v.copy())])

    with held_curve(hybrid, way, t, place):
        return central_derivative(rates, scales(hybrid, speed))[0]


def constraints_of(hybrid: HybridProblem, way: Passage) -> VirtualConstraints | None:
    """Those that the controller of a passage follows, if it does."""
    found = getattr(hybrid.phases[way.phase].controller, "constraints", None)
    return found if isinstance(found, VirtualConstraints) else None


def shift_of(hybrid: HybridProblem, way: Passage) -> np.ndarray:
    """The shift (m,) that the controller of a passage has chosen where it began, in place; nothing where it chooses none."""
    constraints = constraints_of(hybrid, way)
    return np.zeros(0) if constraints is None else constraints.shift


@contextmanager
def held_curve(hybrid: HybridProblem, way: Passage, t: float, q: np.ndarray) -> Iterator[None]:
    """As long as this goes on, a spline that the controller follows is its polynomial at the time t and the configuration q."""
    constraints = constraints_of(hybrid, way)
    if constraints is None:
        yield
        return
    constraints.curve.hold(constraints.part(q, t))
    try:
        yield
    finally:
        constraints.curve.hold(None)


def element_ends(hybrid: HybridProblem, way: Passage) -> np.ndarray:
    """Times from the beginning of a passage to its end between which its equations are smooth, and which are close enough."""
    constraints, wanted = constraints_of(hybrid, way), min(max(_FEWEST, len(way.pieces) // 2), _MOST)
    marks = [way.begin, way.end]
    if constraints is not None:
        breaks = np.array([0.0, *constraints.curve.breaks, 1.0])  # a shift is faded in from 0 to 1

        def off(t: float, place: float) -> float:
            return constraints.part(way.raw(t)[0], t) - place

        for one, two in pairwise([way.begin, *(piece.end for piece in way.pieces[:-1]), way.end]):
            ends = sorted((off(one, 0.0), off(two, 0.0)))
            inside = breaks[(breaks > ends[0]) & (breaks < ends[1])]
            marks += [float(brentq(off, one, two, args=(place,))) for place in inside]
    marks, longest = sorted(marks), (way.end - way.begin) / wanted
    parts = [np.linspace(one, two, int(np.ceil((two - one) / longest * (1.0 - 1e-9))) + 1)[1:] for one, two in pairwise(marks)]
    return np.concatenate([[way.begin], *parts])


def shift_slopes(hybrid: HybridProblem, way: Passage, t: float) -> np.ndarray:
    """d(udot, a) / d(shift), (2 nv, m), at the state of a passage at time t."""
    shift, (place, speed) = shift_of(hybrid, way), way.state(t)
    here = shift.copy()

    def rates(x: np.ndarray) -> np.ndarray:
        shift[:] = here + x
        return way.problem.accelerations(t, place.copy(), speed.copy())

    found = central_derivative(rates, np.ones(len(shift)))[0]
    shift[:] = here
    return np.vstack([np.zeros_like(found), found])


def transition_matrix(hybrid: HybridProblem, way: Passage) -> np.ndarray:
    """Phi (2 nv + m, 2 nv + m) from the beginning of a passage to its end, of the state and of the shift (m,).

    A shift is a state that does not change: (u, w, shift)' = [[A, F], [0, 0]] (u, w, shift).
    """
    n, extra = 2 * hybrid.model.nv, len(shift_of(hybrid, way))
    size = n + extra
    phi: np.ndarray = np.eye(size)
    for begin, end in pairwise(element_ends(hybrid, way)):
        h = end - begin
        matrices = [np.zeros((size, size)) for _ in _NODES]
        for c, matrix in zip(_NODES, matrices, strict=True):
            matrix[:n, :n] = slopes(hybrid, way, float(begin + c * h))
            if extra:
                matrix[:n, n:] = shift_slopes(hybrid, way, float(begin + c * h))
        # Values at the stages: X_i = phi + h sum_j a_ij A_j X_j; the last one is the end.
        system = np.eye(_STAGES * size)
        for j, matrix in enumerate(matrices):
            for i in range(_STAGES):
                system[i * size : (i + 1) * size, j * size : (j + 1) * size] -= h * _INTEGRALS[i, j] * matrix
        phi = np.linalg.solve(system, np.tile(phi, (_STAGES, 1)))[-size:]
    return phi


def start_matrix(hybrid: HybridProblem, way: Passage) -> np.ndarray:
    """Derivative (2 nv, 2 nv) of the state at which a passage begins by the state that it was given: on rows and motions."""
    model, n = hybrid.model, hybrid.model.nv

    def begun(x: np.ndarray) -> np.ndarray:
        q, v = way.problem.start_state(way.begin, model.move(way.q, x[:n]), way.v + x[n:])
        return np.concatenate([model.difference(way.q, q), v])

    matrix = central_derivative(begun, scales(hybrid, way.v))[0]
    way.problem.start_state(way.begin, way.q.copy(), way.v.copy())  # feet stand again where the passage has them
    return matrix


def jump_matrix(hybrid: HybridProblem, way: Passage, change: Change) -> np.ndarray:
    """D' (2 nv, 2 nv + m) of D = D' Phi, at the end of a passage: by the state and by the shift there.

    Controllers that go by time make guards depend on time too: grad g . f has dg/dt in it.
    """
    model, n = hybrid.model, hybrid.model.nv
    transition, shift = change.transition, shift_of(hybrid, way)
    place, speed = way.state(way.end)
    rate = np.concatenate([speed, way.problem.accelerations(way.end, place.copy(), speed.copy()), [1.0]])
    sizes, here = np.append(scales(hybrid, speed), way.end - way.begin), shift.copy()

    def guard(x: np.ndarray) -> np.ndarray:
        shift[:] = here + x[2 * n + 1 :]
        q, v = model.move(place, x[:n]), speed + x[n : 2 * n]
        return np.array([transition.guard(hybrid, way.end + float(x[2 * n]), q, v)])

    def reset(x: np.ndarray) -> np.ndarray:
        after = hybrid.change(transition, way.end + float(x[2 * n]), model.move(place, x[:n]), speed + x[n : 2 * n])
        return np.concatenate([model.difference(change.q, after.q), after.v])

    with held_curve(hybrid, way, way.end, place):
        gradient = central_derivative(guard, np.concatenate([sizes, np.ones(len(shift))]))[0][0]
    shift[:] = here
    jump = central_derivative(reset, sizes)[0]
    later = -np.delete(gradient, 2 * n) / float(gradient[: 2 * n + 1] @ rate)  # by how much later the phase ends
    there = np.outer(rate, later)  # change of state and time at the guard
    there[: 2 * n, : 2 * n] += np.eye(2 * n)
    return jump @ there


def passage_matrix(hybrid: HybridProblem, way: Passage, change: Change) -> np.ndarray:
    """Derivative (2 nv, 2 nv) of the state after the transition by the state given at the beginning of the passage."""
    _check_restart(hybrid, way)
    free, forced = open_matrices(hybrid, way, change)
    feedback = getattr(hybrid.phases[way.phase].controller, "feedback", None)
    if feedback is None:
        return free
    closed: np.ndarray = free - forced @ feedback.gain @ start_matrix(hybrid, way)
    return closed


def _check_restart(hybrid: HybridProblem, way: Passage) -> None:
    """Refuse controllers of the user that keep the state in which their phase began: how they answer it is not known."""
    controller, middle = hybrid.phases[way.phase].controller, 0.5 * (way.begin + way.end)
    if controller is None or constraints_of(hybrid, way) is not None or not callable(getattr(controller, "restart", None)):
        return
    place, speed = way.state(middle)
    heard = []
    for change in (0.0, 0.01):
        other = change * np.ones(hybrid.model.nv)
        hybrid.phases.restart(way.phase, way.begin, hybrid.model.move(way.q, other), way.v + other)
        heard.append(np.array(controller(middle, place.copy(), speed.copy())))
    hybrid.phases.restart(way.phase, way.begin, way.q, way.v)
    if not np.array_equal(heard[0], heard[1]):
        raise InputError(
            f"the controller of phase '{way.phase}' answers the state in which the phase began, and the derivative of that is not"
            " known; let a StrideFeedback do so."
        )


def open_matrices(hybrid: HybridProblem, way: Passage, change: Change) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the state after the transition by that at the beginning (2 nv, 2 nv), and by the shift (2 nv, m)."""
    hybrid.phases.restart(way.phase, way.begin, way.q, way.v)
    n, first = 2 * hybrid.model.nv, start_matrix(hybrid, way)
    whole = jump_matrix(hybrid, way, change) @ transition_matrix(hybrid, way)
    return whole[:, :n] @ first, whole[:, n:]
