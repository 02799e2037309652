"""Frictional contact problems (W, q, mu) of single steps, to the residual of the cones."""

from __future__ import annotations

import time

import numpy as np

from locodyn.judge import Curve, Problem, Target, Trial
from models.contact_scenes import problems

ITERATIONS = 20000


def ours(solver: str, tolerance: float) -> Trial:
    """All problems of the set; the largest residual, time of the solver in all."""
    found = [problem.solve(solver, tolerance, ITERATIONS) for problem in problems().values()]
    missed = sum(not one.converged for one in found)
    return Trial(max(one.residual for one in found), sum(one.seconds for one in found), {"not converged": float(missed)})


def siconos(solver: str, tolerance: float) -> Trial:
    """The same problems by Siconos' solvers of three-dimensional friction."""
    import siconos.numerics as numerics

    worst, spent, missed = 0.0, 0.0, 0
    for problem in problems().values():
        size = 3 * problem.count
        posed = numerics.FrictionContactProblem(3, problem.count, np.asfortranarray(problem.W), problem.q, problem.mu)
        options = numerics.SolverOptions(getattr(numerics, f"SICONOS_FRICTION_3D_{solver}"))
        options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
        reaction, velocity = np.zeros(size), np.zeros(size)
        began = time.process_time()
        numerics.fc3d_driver(posed, reaction, velocity, options)
        spent += time.process_time() - began
        residual = problem.residual(reaction)
        worst, missed = max(worst, residual), missed + int(residual > tolerance)
    return Trial(worst, spent, {"not converged": float(missed)})


PROBLEM = Problem(
    title="Frictional contact problems",
    family="Frictional contact problems",
    statement="Ten problems u = W r + q with r in Coulomb's cones, of steps of our own runs: a box of 0.2 x 0.1 x 0.05 m that"
    " spins to rest on mu 0.3 (four contacts, six freedoms), and five boxes that fall on each other and rest as a stack (up to 36"
    " contacts for 30 freedoms). W is singular in all of them.",
    source="the form of FCLIB, a collection of frictional contact problems (Acary et al. 2014); the problems are ours",
    licence="Ours; `locodyn.sim.contact_problem_at` makes them; `ld.files.load_contact_problem` reads FCLIB and Siconos.",
    reference="the law itself: the natural map of the cones (de Saxce), computed in NumPy apart from the solvers",
    measure="largest natural-map residual of the set, over |q|",
    curves=(
        Curve("locodyn", "newton", (1e-2, 1e-4, 1e-6, 1e-8, 1e-10), lambda x: ours("newton", x), "", quick=(1e-8,)),
        Curve("locodyn", "gauss_seidel", (1e-2, 1e-4, 1e-6), lambda x: ours("gauss_seidel", x), "", quick=()),
        Curve("Siconos", "NSN_AC", (1e-4, 1e-6, 1e-8, 1e-10), lambda x: siconos("NSN_AC", x), ""),
        Curve("Siconos", "NSGS", (1e-2, 1e-4, 1e-6), lambda x: siconos("NSGS", x), ""),
    ),
    notes="Siconos 4.4.0 as Debian 12 has it does not load beside NumPy 2; run apart under the system's own Python on the same"
    " ten problems, its NSGS took 60 ms in all at a tolerance of 1e-8 (its own measure), and NSN_AC missed it on four of them.",
    targets=(Target("residuals to 1e-8", 1e-8, "newton", 1e-8),),
)
