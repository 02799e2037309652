"""The longest step at which explicit integrators follow servos: a linear test of the stiffest mode.

At rest, on joints of inverse mass matrix W, k (r_d - r) + d (rdot_d - rdot) has the eigenvalues of [[0, 1], [-W k, -W d]]. A
mode of eigenvalue lambda grows in a step h by the factor that the method has for xdot = lambda x, h lambda (Hairer, Wanner, IV.2,
V.1).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Method
from locodyn.integrate.features import Feature
from locodyn.integrate.methods import alternatives, takers
from locodyn.locomotion.problem import Problem

_SAMPLES, _FARTHEST = 600, 6.0  # steps that are tried, up to this |h lambda|
_GROWS = 1.01  # a factor that is no round-off of a mode without damping


def longest_servo_step(method: Method, inverse: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> float:
    """Longest step (s) of ``method`` for n servos; ``inverse`` (n, n) is the inverse mass matrix on their joints.

    >>> from locodyn.integrate.methods import RKMK4
    >>> round(longest_servo_step(RKMK4(), np.eye(1), np.zeros(1), np.array([100.0])), 4)  # 2.785 / 100
    0.0279
    """
    n = len(stiffness)
    matrix = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse * stiffness, -inverse * damping]])
    modes = np.linalg.eigvals(matrix)
    fastest = float(np.abs(modes).max())
    modes = modes[(modes.real <= 0.0) & (np.abs(modes) > 0.05 * fastest)]  # those that decay; slow ones do not limit
    if not len(modes) or method.growth(0j) is None:
        return float("inf")
    for k in range(1, _SAMPLES + 1):
        step = _FARTHEST * k / _SAMPLES / fastest
        if max(method.growth(step * mode) or 0.0 for mode in modes) > _GROWS:
            return _FARTHEST * (k - 1) / _SAMPLES / fastest
    return float("inf")


def check_servos(problem: Problem, method: Method, features: Iterable[Feature], q: np.ndarray, step: float) -> None:
    """Refuse a step at which servos of a robot without rows and rods are unstable under an explicit integrator."""
    driven = np.flatnonzero(problem.arrays.target >= 0)
    if method.growth(0j) is None or not len(driven) or problem.constraints.rows or problem.model.compiled.has_rods:
        return
    inverse = np.linalg.inv(problem.model.mass_matrix(q))[np.ix_(driven, driven)]
    longest = longest_servo_step(method, inverse, *problem.arrays.gains[driven].T)
    if step > longest:
        others = alternatives(takers(features, fits=lambda one: one.implicit_servos))
        raise InputError(
            f"the step is {step:g} s, but these servos are stable up to {longest:.3g} s only with '{method.name}'; take a smaller"
            f" step, or {others}, in which servos are implicit."
        )
