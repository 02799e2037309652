"""Equilibrium of rods in the strong form, by shooting: no strain modes, the differential equations along s themselves.

In the axes of the sections, with strains (Gamma; K) and the wrench (N; C) of the part beyond on the part before (Gotelli 2024,
(2.18)-(2.21), (2.32)),

    g' = g hat(Gamma; K),    N' = -K x N - f,    C' = -K x C - Gamma x N,    H (Gamma - Gamma_0; K - K_0) + actuation = (N; C),

where f is the weight, and strains without functions keep their rest value. What is attached takes its wrench out of (N; C) at its
place. Unknown are the wrenches at the roots of all rods; they are found by Newton's method so that nothing is left at the tips.
Errors at the root grow like exp(L sqrt(F/EI)): as in the source, the method fails for soft rods under large loads F L^2/EI > 50.
Trees of rods and fixed joints on a fixed base; each rod is integrated by an adaptive Runge-Kutta method of order 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.errors import RunError
from locodyn.integrate.strong_form import RodShape, StrongForm
from locodyn.locomotion.problem import Problem

_SMALLEST_LOAD = 0.02


@dataclass(frozen=True)
class StrongEquilibrium:
    """An equilibrium of the strong form.

    ``rods``: the shape of each rod, by name, at its P = 101 places; ``q`` (nq,) the modes nearest to it in energy, a start for
    runs; ``iterations`` of Newton's method; ``residual``: what is left at the tips, N and N m.
    """

    q: np.ndarray
    rods: dict[str, RodShape]
    iterations: int
    residual: float


def shooting(problem: Problem, t: float = 0.0, *, steps: int = 1, tolerance: float = 1e-10) -> StrongEquilibrium:
    """The equilibrium of a tree of rods; ``steps``: parts in which the loads are brought up (a part that fails is halved)."""
    from scipy.optimize import root

    form = StrongForm(problem, float(t))
    unknown, load, part, used = np.zeros(6 * len(form.arcs)), 0.0, 1.0 / max(1, int(steps)), 0
    while load < 1.0:
        target = min(1.0, load + part)
        found = root(
            lambda x, factor=target: form.miss(x, factor),
            unknown / form.units,
            method="hybr",
            tol=tolerance,
            options={"maxfev": 100 * len(unknown)},
        )
        used += int(found.nfev)
        if np.max(np.abs(found.fun)) < 1e3 * tolerance:
            unknown, load = found.x * form.units, target
        else:
            part *= 0.5
            if part < _SMALLEST_LOAD:
                raise RunError(
                    f"shooting finds no equilibrium at {target:.3g} of the loads; use more steps, or method 'modes': errors at"
                    " the root of a soft rod grow exponentially to its tip."
                )
    left = np.abs(form.miss(unknown / form.units, 1.0) * form.units)
    shapes = form.shapes(unknown)
    return StrongEquilibrium(_modes(form, shapes), shapes, used, float(left.max()))


def _modes(form: StrongForm, shapes: dict[str, RodShape]) -> np.ndarray:
    """q (nq,) of the modes nearest in energy: K q = integral of Phi^T H (xi - xi_rest)."""
    from scipy.integrate import simpson

    compiled = form.problem.model.compiled
    q = np.array(form.problem.model.neutral(), dtype=float)
    for arc in form.arcs:
        shape, strains = shapes[arc.name], arc.rod.strain_of_mode
        away = shape.strain - arc.rod.rest(shape.s)
        stress = np.array([arc.rod.properties(float(s)).stiffness @ e for s, e in zip(shape.s, away, strict=True)])
        force = simpson(arc.rod.functions(shape.s) * stress[:, strains], x=shape.s, axis=0)
        body = next(b for b in compiled.description.bodies if b.name == arc.name)
        q[compiled.joint_positions[compiled.joint_index(body.joint.name)]] = np.linalg.solve(arc.rod.stiffness, force)
    return q
