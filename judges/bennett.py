"""Bennett's linkage: four skew hinges, three redundant rows."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Trial
from models.exudyn_mechanism import ExudynMechanism
from models.one_freedom import Bar, frames, motion, rotation
from models.own import places, run_own, worst_distance

SAMPLES, T_END = 61, 3.0
A, ALPHA, BETA, START = 0.5, 0.6, 1.3, 1.0
B = A * math.sin(BETA) / math.sin(ALPHA)
RATIO = math.sin(0.5 * (BETA + ALPHA)) / math.sin(0.5 * (BETA - ALPHA))
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


@cache
def scenario() -> ld.Scenario:
    """That of the zoo, free: 3 s of falling."""
    return ld.zoo.bennett().changed(checks=())


def bars() -> list[Bar]:
    """Crank, coupler, rocker, 1 kg/m, along x of their hinges; the first axis is horizontal."""
    found, at, turned = [], np.zeros(3), np.real(rotation(X, math.pi / 2))
    for length, twist in ((A, ALPHA), (B, BETA), (A, ALPHA)):
        across = length * length**2 / 12.0
        found.append(Bar(at, turned, Z, length, 0.5 * length * X, np.diag([0.01 * across, across, across])))
        at, turned = length * X, np.real(rotation(X, twist))
    return found


def law(a: complex) -> tuple[list[complex], list[complex]]:
    """tan(theta/2) tan(phi/2) is constant; opposite angles are opposite. cot = cos/sin: phi' = -sin(phi)/sin(theta)."""
    phi = 2.0 * np.arctan(RATIO / np.tan(0.5 * a))
    slope = -np.sin(phi) / np.sin(a)
    return [a, phi, -a], [1.0, slope, -1.0]


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the hinge between coupler and rocker, m."""
    angles = motion(bars(), law, START, np.linspace(0.0, T_END, SAMPLES), np.array([0.0, 0.0, -9.81]))
    return np.array([np.real(frames(bars(), law(complex(a))[0])[2][1]) for a in angles])


def ours(step: float) -> Trial:
    """rkmk4."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    return Trial(worst_distance(places(scenario(), solution, "rocker"), reference()), spent)


def exudyn(step: float) -> Trial:
    """Three bodies with Euler parameters, four hinges of five rows, three of them redundant."""
    mechanism = ExudynMechanism(scenario())
    mechanism.watch("hinge", "rocker")
    found, spent = mechanism.run(round(T_END / step), SAMPLES, singular=True)
    return Trial(worst_distance(found["hinge"], reference()), spent)


PROBLEM = Problem(
    title="Bennett's linkage",
    family="Multibody benchmark library (IFToMM)",
    statement="Three bars of 1 kg/m and the ground, joined by four skew hinges (a = 0.5 m, twists 0.6 and 1.3 rad), fall for 3 s"
    " from a crank angle of 1 rad. Three of the rows of the loop are redundant in every position.",
    source="Bennett 1903; numbers chosen here",
    licence="The condition is Bennett's; the numbers and the reference are ours.",
    reference="Lagrange's equation of the crank angle with Bennett's closed form, apart from the library, by DOP853 at 1e-13",
    measure="largest distance of a hinge from the reference at 61 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.025, 0.01, 0.005, 0.0025, 0.00125), ours, quick=(0.01,)),
        Curve("Exudyn", "Euler parameters, generalized alpha", (0.01, 0.005, 0.002, 0.001), exudyn),
    ),
)
