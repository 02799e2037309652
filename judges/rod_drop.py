"""Rods: a clamped rod released straight under gravity."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from locodyn.errors import RunError
from locodyn.integrate import Solution, solve
from locodyn.judge import Curve, Problem, Trial, timed
from locodyn.locomotion import Problem as Rod
from models.rod_drop import LENGTH, drop_problem, elastica_drop, exudyn_drop

# Tip (x, z) at 0, 0.1, ... 1 s (m) by Exudyn: generalized alpha with rho_inf = 1, 80 and 160 planar beams, 2000 and 4000 steps,
# extrapolated to step and length zero (order 2). The two runs differ by 6e-5 m, so that some 1e-6 m are left.
TIP = np.array([
    (0.5, 0.0), (0.4960141, -0.0543461), (0.4159681, -0.2616448), (0.2271105, -0.4214017), (-0.0057825, -0.4328666),
    (-0.0829043, -0.3896957), (0.0552151, -0.4469385), (0.288933, -0.386335), (0.4538912, -0.2013393), (0.4988922, -0.0240526),
    (0.4994406, -0.0106581),
])  # fmt: skip
SAMPLES = len(TIP)
# Index of a setting: modes (bending, stretch, shear), nodes, steps in 1 s, tolerance of Newton's method; from coarse to fine.
OURS: tuple[tuple[tuple[int, int, int], int, int, float], ...] = (
    ((4, 2, 3), 4, 12, 5e-3), ((6, 2, 4), 6, 28, 3e-3), ((8, 4, 6), 8, 62, 4e-4), ((10, 6, 8), 12, 120, 1e-5),
)  # fmt: skip
EXUDYN = ((9, 60), (22, 160), (58, 550))
ELASTICA = ((14, 1300), (24, 1900), (50, 3500))


def run(rod: Rod, method: str, step: float, tolerance: float, every: int = 1) -> Solution:
    """1 s from rest."""
    start = rod.model.neutral(), np.zeros(rod.model.nv)
    words: dict[str, Any] = {"t_end": 1.0, "step": step, "method": method, "tolerance": tolerance, "record_every": every}
    solution = solve(rod, *start, **words)
    if solution.status != "completed":
        raise RunError(f"the run ended with '{solution.status}'.")
    return solution


@cache
def own_limit() -> np.ndarray:
    """PyElastica's own limit, by 160 elements: its sections shrink when stretched, so that it tends to another motion."""
    return elastica_drop(160, 16000, SAMPLES)[0]


def error(places: np.ndarray, wanted: np.ndarray) -> float:
    """Largest distance of the tip over the length."""
    return float(np.linalg.norm(places - wanted, axis=1).max()) / LENGTH


def ours(number: float) -> Trial:
    """radau3; between steps strains by the quintics of their values, rates and accelerations."""
    from scipy.interpolate import BPoly

    modes, nodes, steps, tolerance = OURS[int(number)]
    rod = drop_problem(modes, nodes)
    solution, spent = timed(lambda: run(rod, "radau3", 1.0 / steps, tolerance))
    rates = [rod.accelerations(t, q.copy(), v.copy()) for t, q, v in zip(solution.times, solution.q, solution.v, strict=True)]
    curve = BPoly.from_derivatives(solution.times, np.stack([solution.q, solution.v, np.array(rates)], axis=1))
    places = np.array([rod.model.pose("rod", q)[1][[0, 2]] for q in curve(np.linspace(0.0, 1.0, SAMPLES))])
    return Trial(error(places, TIP), spent)


def exudyn(number: float) -> Trial:
    """Planar geometrically exact beams, generalized alpha, the loose tolerance that was found fastest."""
    places, spent = exudyn_drop(*EXUDYN[int(number)], samples=SAMPLES, tolerance=1e-2)
    return Trial(error(places, TIP), spent)


def elastica(number: float) -> Trial:
    """Discrete elastic rod, position Verlet, with a clamp of second order; against its own limit."""
    places, spent = elastica_drop(*ELASTICA[int(number)], SAMPLES)
    return Trial(error(places, own_limit()), spent)


PROBLEM = Problem(
    title="Rods: rod drop",
    family="Rods",
    statement="A soft rod of 0.5 m and 2 cm radius (E = 1e6 Pa, 1000 kg/m^3), clamped level, is released straight and swings for"
    " 1 s without damping.",
    source="our own, after the cantilevers of Exudyn and PyElastica; settings of each code are the cheapest that"
    " benchmarks/rods.py found for three levels of error",
    licence="Ours.",
    reference="Exudyn, two fine runs extrapolated (some 1e-6 m); PyElastica, whose sections shrink when stretched, is held"
    " against its own limit, 0.9 % of the length away",
    measure="largest distance of the tip at ten times, over the length",
    curves=(
        Curve("locodyn", "radau3, strain modes", (0, 1, 2, 3), ours, "(row of the file)", quick=()),
        Curve("Exudyn", "planar beams, generalized alpha", (0, 1, 2), exudyn, "(row of the file)", quick=()),
        Curve("PyElastica", "position Verlet", (0, 1, 2), elastica, "(row of the file)", quick=()),
    ),
)
