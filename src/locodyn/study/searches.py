"""Methods of optimisation in the unit cube, on batches: CMA-ES, sequential quadratic programming, NSGA-II.

Each is a function of ``evaluate(points) -> (objectives, violations)``: points (k, n) in [0, 1]; objectives (k, m), to be made
small; violations (k, c), by how much constraints are broken, negative where there is room. A run that failed has infinite
ones. Each is deterministic: same seed and same values, same points. ``slopes(point) -> (1 + c, n)``, of objective and
violations, is asked by ``gradient`` only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from locodyn.errors import InputError

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Slopes = Callable[[np.ndarray], np.ndarray]
_SPREAD = 0.25  # of the cube: the first standard deviation of CMA-ES
_FINE = 1e-4  # of the cube: where CMA-ES has converged
_DIFFERENCE = 1e-4  # of the cube, for central differences of runs
_INSIDE = 1e-6  # of a limit: SLSQP may end beyond one by its tolerance of 1e-9, and such a run would not count
_LARGE = 1e12


class Spent(Exception):
    """The budget of runs is used up."""


def missing(package: str) -> InputError:
    """The sentence for a package that is not there."""
    return InputError(f"'{package}' is not installed; install locodyn[studies].")


def penalised(objective: np.ndarray, violations: np.ndarray, worst: float) -> np.ndarray:
    """One number (k,) to be made small: what keeps the constraints is better than what does not (Deb 2000), which is ranked
    by how much it breaks them; ``worst``: the largest objective of a run that kept them.
    """
    broken = np.maximum(violations, 0.0).sum(axis=1)
    broken = np.where(np.isfinite(objective), broken, _LARGE)
    return np.where(broken > 0.0, worst + np.minimum(broken, _LARGE), objective)


def cma_es(evaluate: Evaluate, start: np.ndarray, budget: int, seed: int, population: int | None, slopes: Slopes) -> str:
    """Evolution strategy with covariance matrix adaptation (Hansen 2016, arXiv:1604.00772), of the ``cma`` package."""
    try:
        import cma
    except ImportError:
        raise missing("cma") from None
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {
        "bounds": [0.0, 1.0], "seed": np.nan, "randn": lambda *shape: rng.standard_normal(shape), "verbose": -9,
        "maxfevals": budget, "tolx": _FINE, "tolfun": 1e-12, "tolfunhist": 1e-12,
    }  # fmt: skip
    if population is not None:
        options["popsize"] = population
    if len(start) == 1:
        raise InputError("CMA-ES needs two parameters or more; take the method 'slsqp' for one.")
    strategy = cma.CMAEvolutionStrategy(start, _SPREAD, options)
    worst = -np.inf
    while not strategy.stop():
        points = np.array(strategy.ask())
        objectives, violations = evaluate(points)
        kept = objectives[(violations <= 0.0).all(axis=1) & np.isfinite(objectives[:, 0]), 0]
        worst = max(worst, float(kept.max(initial=worst)))
        strategy.tell(list(points), penalised(objectives[:, 0], violations, worst if np.isfinite(worst) else 0.0).tolist())
    return ", ".join(strategy.stop())


def slsqp(evaluate: Evaluate, start: np.ndarray, budget: int, seed: int, population: int | None, slopes: Slopes) -> str:
    """Sequential quadratic programming (Kraft 1988), of SciPy; slopes by central differences, a batch of runs for each."""

    def at(base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = len(base)
        step = np.where(base[None, :] + _DIFFERENCE * np.eye(n) <= 1.0, _DIFFERENCE * np.eye(n), 0.0)
        back = np.where(base[None, :] - _DIFFERENCE * np.eye(n) >= 0.0, _DIFFERENCE * np.eye(n), 0.0)
        values = _values(*evaluate(np.vstack([base, base + step, base - back])))
        width = (step + back).sum(axis=1)
        return values[0], ((values[1 : n + 1] - values[n + 1 :]) / width[:, None]).T

    return _programmed(at, evaluate, start, budget)


def gradient(evaluate: Evaluate, start: np.ndarray, budget: int, seed: int, population: int | None, slopes: Slopes) -> str:
    """As :func:`slsqp`, with slopes from the equations of each run (:mod:`locodyn.study.run_slopes`): one run for each point."""

    def at(base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        objectives, violations = evaluate(base[None])
        values = _values(objectives, violations)[0]
        if not np.isfinite(objectives).all():
            return values, np.zeros((len(values), len(base)))  # a run that failed
        found = slopes(base)
        return values, np.vstack([found[:1], -found[1:]])

    return _programmed(at, evaluate, start, budget)


def _values(objectives: np.ndarray, violations: np.ndarray) -> np.ndarray:
    """Objective, and constraints as numbers that must not be negative; a run that failed is far from the best and breaks all."""
    return np.asarray(np.clip(np.hstack([objectives[:, :1], -violations]), -_LARGE, _LARGE))


def _programmed(
    slope: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], evaluate: Evaluate, start: np.ndarray, budget: int
) -> str:
    """Sequential quadratic programming; ``slope(point)``: values (1 + constraints,) as of :func:`_values` and slopes (.., n)."""
    from scipy.optimize import minimize

    known: dict[tuple[float, ...], tuple[np.ndarray, np.ndarray]] = {}

    def at(point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        key = tuple(np.clip(point, 0.0, 1.0))
        if key not in known:
            values, slopes = slope(np.array(key))
            # SLSQP of SciPy 1.17 reads slopes as if they lay one after the other in memory, whatever their strides.
            known[key] = values, np.ascontiguousarray(slopes)
        return known[key]

    count = evaluate(start[None])[1].shape[1]
    limits = [
        {"type": "ineq", "fun": lambda x, k=k: at(x)[0][1 + k] - _INSIDE, "jac": lambda x, k=k: at(x)[1][1 + k]}
        for k in range(count)
    ]
    found = minimize(
        lambda x: at(x)[0][0], start, jac=lambda x: at(x)[1][0], method="SLSQP", bounds=[(0.0, 1.0)] * len(start),
        constraints=limits, options={"maxiter": budget, "ftol": 1e-9},
    )  # fmt: skip
    return str(found.message)


def nsga2(evaluate: Evaluate, start: np.ndarray, budget: int, seed: int, population: int | None, slopes: Slopes) -> str:
    """Genetic algorithm for several objectives (Deb et al. 2002), of pymoo."""
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.evaluator import Evaluator
        from pymoo.core.problem import Problem
        from pymoo.problems.static import StaticProblem
    except ImportError:
        raise missing("pymoo") from None
    objectives, violations = evaluate(start[None])
    problem = Problem(n_var=len(start), n_obj=objectives.shape[1], n_ieq_constr=violations.shape[1] + 1, xl=0.0, xu=1.0)
    algorithm = NSGA2(pop_size=population or min(40, max(8, budget // 10)))
    algorithm.setup(problem, termination=("n_eval", budget), seed=seed, verbose=False)
    while algorithm.has_next():
        asked = algorithm.ask()
        values, broken = evaluate(asked.get("X"))
        died = ~np.isfinite(values).all(axis=1)
        values = np.where(np.isfinite(values), values, _LARGE)
        limits = np.hstack([np.minimum(broken, _LARGE), np.where(died, _LARGE, 0.0)[:, None]])
        Evaluator().eval(StaticProblem(problem, F=values, G=limits), asked)
        algorithm.tell(infills=asked)
    return "the budget of runs is used up"


SEARCHES: dict[str, Callable[[Evaluate, np.ndarray, int, int, int | None, Slopes], str]] = {
    "cma": cma_es,
    "slsqp": slsqp,
    "gradient": gradient,
    "nsga2": nsga2,
}
"""Methods by name."""
