"""Equilibrium of rods in the strong form, by multiple shooting: no strain modes, the differential equations along s themselves.

In the axes of the sections, with strains (Gamma; K) and the wrench (N; C) of the part beyond on the part before (Gotelli 2024,
(2.18)-(2.21), (2.32)),

    g' = g hat(Gamma; K),    N' = -K x N - f,    C' = -K x C - Gamma x N,    H (Gamma - Gamma_0; K - K_0) + actuation = (N; C),

where f is the weight, and strains without functions keep their rest value. What is attached takes its wrench out of (N; C) at its
place; at a joint S^T (wrench of all beyond) balances its spring and its drive. Closed loops are cut: their forces are unknown,
and the two sides must fit (:mod:`locodyn.equilibria.strong_loops`).

Shooting from the root (Gotelli 2024, 2.2.2) loses exp(L sqrt(F/EI)) in accuracy to the tip: it ends at F L^2/EI of about 50. So
each rod is cut into pieces, whose beginnings are unknown: pose and wrench, 12 numbers each (multiple shooting, Bock and Plitt
1984). Newton's method closes the gaps between them, with a derivative by forward differences of pieces that are integrated all at
once, by the adaptive Runge-Kutta method of order 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.equilibria.balance import check_apart
from locodyn.equilibria.strong_form import Pieces, StrongForm
from locodyn.equilibria.strong_rods import Lost, RodShape
from locodyn.errors import InputError, RunError
from locodyn.locomotion.problem import Problem
from locodyn.newton import Linearised, damped_newton
from locodyn.robot.rods.space import exponential

_PARTS = (8, 24)  # of each rod, tried in turn
_SMALLEST_LOAD = 0.005
_SMALLEST_PART = 1.0 / 32.0  # of a path from a trial far away
_ITERATIONS = 25
_DIFFERENCE = 1e-7
_SHORTEST = 0.05  # of a Newton step
_PLACES = 101


@dataclass(frozen=True)
class StrongEquilibrium:
    """An equilibrium of the strong form.

    ``rods``: the shape of each rod, by name, at its P = 101 places; ``q`` (nq,): the joints, and the modes nearest to the rods in
    energy, a start for runs; ``iterations`` of Newton's method; ``residual``: the largest gap between pieces and force that is
    left, over the length of a rod, a radian, and the load that bends it by a radian; ``multipliers``: the force (N, N m) of each
    row of a closed loop, by name.
    """

    q: np.ndarray
    rods: dict[str, RodShape]
    iterations: int
    residual: float
    multipliers: dict[str, float]


@dataclass(frozen=True)
class Trial:
    """States (S, 18) at the beginnings of the pieces, coordinates (nq,) of the joints, multipliers (m,) of loops."""

    starts: np.ndarray
    q: np.ndarray
    multipliers: np.ndarray


def shooting(problem: Problem, t: float = 0.0, *, q0: Any = None, steps: int = 1, tolerance: float = 1e-10) -> StrongEquilibrium:
    """The equilibrium of rods and joints, with closed loops where there are some.

    ``q0`` (nq,): where to look, joints and strain modes; ``steps``: parts in which the loads are brought up (a part that fails is
    halved).
    """
    if int(steps) < 1:
        raise InputError(f"the number of load steps is {steps!r}; it must be 1 or more.")
    model = problem.model
    form = StrongForm(problem, float(t), model.neutral() if q0 is None else model.normalised(q0))
    used = 0
    for parts in _PARTS:
        pieces = form.pieces(parts)
        solver = PieceSolver(form, pieces, tolerance)
        trial, load, part = Trial(form.rest(pieces), form.q, np.zeros(len(form.loops.names))), 0.0, 1.0 / int(steps)
        while load < 1.0 and part >= _SMALLEST_LOAD:
            target = min(1.0, load + part)
            found = solver.newton(trial, target)
            used += solver.used
            if found is None:
                part *= 0.5
            else:
                trial, load, part = found, target, 2.0 * part
        if load >= 1.0:
            shapes = {}
            for number, arc in enumerate(form.arcs):
                own = slice(pieces.first[number], pieces.first[number + 1])
                shapes[arc.name] = arc.shape(np.append(pieces.low[own], arc.rod.length), trial.starts[own], _PLACES)
            forces = {name: float(x) for name, x in zip(form.loops.names, trial.multipliers, strict=True)}
            q = _modes(form, shapes, trial.q)
            check_apart(problem, q)
            return StrongEquilibrium(q, shapes, used, float(np.max(np.abs(solver.left))), forces)
    raise RunError(
        f"shooting finds no equilibrium at {target:.3g} of the loads; use more steps, start nearer (start=), or use method"
        " 'modes'."
    )


class PieceSolver:
    """Newton's method on the pieces."""

    def __init__(self, form: StrongForm, pieces: Pieces, tolerance: float) -> None:
        self.form, self.pieces, self.tolerance, self.used = form, pieces, tolerance, 0
        self.left = np.zeros(0)
        lengths = np.array([form.arcs[a].rod.length for a in pieces.arc])
        units = np.array([form.arcs[a].unit for a in pieces.arc])
        self.force = float(np.max(units[:, :3]))  # unit of the multipliers
        self.sizes = np.hstack([np.ones((len(lengths), 3)), np.repeat(lengths[:, None], 3, axis=1), units])  # of the unknowns

    def moved(self, starts: np.ndarray, change: np.ndarray) -> np.ndarray:
        """States (S, B, 18) from the beginnings (S, 18) and changes (S, B, 12) of turn (body axes), place, wrench."""
        turn, _ = exponential(np.zeros((change.shape[0] * change.shape[1], 3)), change[..., :3].reshape(-1, 3))
        rotation = starts[:, None, :9].reshape(-1, 1, 3, 3) @ turn.reshape(*change.shape[:2], 3, 3)
        return np.concatenate([rotation.reshape(*change.shape[:2], 9), starts[:, None, 9:] + change[..., 3:]], axis=-1)

    def ends(self, states: np.ndarray, load: float) -> np.ndarray:
        """States (S, B, 18) at the ends of the pieces."""
        result = np.empty_like(states)
        for number, arc in enumerate(self.form.arcs):
            own = slice(self.pieces.first[number], self.pieces.first[number + 1])
            result[own] = arc.integrated(self.pieces.low[own], self.pieces.high[own], states[own], load)
        return result

    def miss(self, trial: Trial, load: float) -> np.ndarray:
        """What a trial leaves."""
        ends = self.ends(trial.starts[:, None], load)[:, 0]
        return self.form.left(self.pieces, trial.starts, ends, trial.q, load, trial.multipliers)

    def tangent(self, trial: Trial, load: float) -> tuple[np.ndarray, np.ndarray]:
        """What a trial leaves (m,), and its derivative (m, m) along the scaled unknowns."""
        form, pieces, count = self.form, self.pieces, len(trial.starts)
        change = np.zeros((count, 13, 12))
        change[:, range(1, 13), range(12)] = _DIFFERENCE * self.sizes
        states = self.moved(trial.starts, change)
        ends = self.ends(states, load)
        starts, tips = states[:, 0].copy(), ends[:, 0].copy()
        q, multipliers = trial.q, trial.multipliers
        left = form.left(pieces, starts, tips, q, load, multipliers)
        columns = []
        for k in range(count):
            for i in range(1, 13):
                starts[k], tips[k] = states[k, i], ends[k, i]
                columns.append(form.left(pieces, starts, tips, q, load, multipliers) - left)
            starts[k], tips[k] = states[k, 0], ends[k, 0]
        for i in form.free:
            step = np.zeros(form.problem.model.nv)
            step[i] = _DIFFERENCE
            columns.append(form.left(pieces, starts, tips, form.problem.model.move(q, step), load, multipliers) - left)
        for unit in np.eye(len(multipliers)):
            columns.append(form.left(pieces, starts, tips, q, load, multipliers + _DIFFERENCE * self.force * unit) - left)
        return left, np.array(columns).T / _DIFFERENCE

    def newton(self, trial: Trial, load: float, spared: float | np.ndarray = 0.0) -> Trial | None:
        """The solution near a trial, or None; ``used`` iterations, ``left`` over. ``spared``: what it may leave, (m,)."""

        def linearised(here: Trial) -> Linearised[Trial] | None:
            self.used += 1
            try:
                left, matrix = self.tangent(here, load)
                self.left = left - spared
                step = -np.linalg.lstsq(matrix, self.left, rcond=1e-13)[0]
            except (Lost, np.linalg.LinAlgError):
                return None
            size, count = float(np.linalg.norm(self.left)), len(here.starts)
            turn = float(np.max(np.abs(step[: 12 * count].reshape(count, 12)[:, :3]), initial=0.0))
            return Linearised(
                size,
                lambda share: self._ahead(here, share * step, load, spared),
                reach=1.0 / max(turn, 1e-300),
                solved=bool(np.max(np.abs(self.left)) < self.tolerance),
                free=size < 1e3 * self.tolerance,
            )

        self.used = 0
        found = damped_newton(trial, linearised, most=_ITERATIONS, slack=0.1, shortest=_SHORTEST)
        return found.x if found.converged else None

    def led(self, trial: Trial, load: float) -> Trial | None:
        """The solution that a path leads to from a trial far away, or None: what the trial leaves is taken off in parts."""
        try:
            whole = self.miss(trial, load)
        except Lost:
            return None
        share, part, used = 0.0, 0.25, 0
        while share < 1.0:
            target = min(1.0, share + part)
            found = self.newton(trial, load, (1.0 - target) * whole)
            used += self.used
            if found is not None:
                trial, share, part = found, target, 2.0 * part
            elif (part := 0.5 * part) < _SMALLEST_PART:
                return None
        self.used = used
        return trial

    def _ahead(self, trial: Trial, step: np.ndarray, load: float, spared: float | np.ndarray) -> tuple[Trial, float]:
        """The trial a step further, and how much it leaves: inf where it leads nowhere."""
        count = len(trial.starts)
        change = step[: 12 * count].reshape(count, 12) * self.sizes
        joints = np.zeros(self.form.problem.model.nv)
        beyond = 12 * count + len(self.form.free)
        joints[self.form.free] = step[12 * count : beyond]
        further = Trial(
            self.moved(trial.starts, change[:, None])[:, 0],
            self.form.problem.model.move(trial.q, joints),
            trial.multipliers + self.force * step[beyond:],
        )
        try:
            return further, float(np.linalg.norm(self.miss(further, load) - spared))
        except Lost:
            return further, np.inf


def _modes(form: StrongForm, shapes: dict[str, RodShape], joints: np.ndarray) -> np.ndarray:
    """q (nq,) of the joints and of the modes nearest in energy: K q = integral of Phi^T H (xi - xi_rest)."""
    from scipy.integrate import simpson

    q = joints.copy()
    for arc in form.arcs:
        shape, strains = shapes[arc.name], arc.rod.strain_of_mode
        away = shape.strain - arc.rod.rest(shape.s)
        stress = np.array([arc.rod.properties(float(s)).stiffness @ e for s, e in zip(shape.s, away, strict=True)])
        force = simpson(arc.rod.functions(shape.s) * stress[:, strains], x=shape.s, axis=0)
        body = next(b for b in form.compiled.description.bodies if b.name == arc.name)
        q[form.compiled.joint_positions[form.compiled.joint_index(body.joint.name)]] = np.linalg.solve(arc.rod.stiffness, force)
    return q
