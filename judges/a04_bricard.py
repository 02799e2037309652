"""IFToMM A04: Bricard's mechanism, over-constrained."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial
from models.exudyn_mechanism import ExudynMechanism
from models.one_freedom import TINY, Bar, frames, motion, tip_columns
from models.own import places, run_own, worst_distance

SAMPLES = 101
X, Y, Z = np.eye(3)
# Pins P0 to P5 of the statement in its own axes, the axes of the hinges; gravity along -y. Its (x, y, z) are (x, z, -y) of the
# zoo.
PINS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = (Y, Z, X, Y, Z)


@cache
def scenario() -> ld.Scenario:
    """That of the zoo, 10 s."""
    return ld.zoo.bricard()


def bars() -> list[Bar]:
    """Five bars of 1 kg, 0.1 m square, each in axes that are those of the statement at the start."""
    found, before = [], np.zeros(3)
    for k in range(5):
        along = PINS[k + 1] - PINS[k]
        size = np.where(along != 0.0, 1.0, 0.1)
        found.append(Bar(before, np.eye(3), AXES[k], 1.0, 0.5 * along, np.diag((size @ size - size**2) / 12.0)))
        before = along
    return found


class Closed:
    """Angles (a, b, a, b, a) by the symmetry of the cube, b such that the last pin stays at (0, 0, 1); followed from b = 0."""

    def __init__(self) -> None:
        self.bars, self.b = bars(), 0.0

    def __call__(self, a: complex) -> tuple[list[complex], list[complex]]:
        """Angles and their slopes to a."""
        b: complex = self.b
        for _ in range(60):
            place, columns = tip_columns(self.bars, [a, b, a, b, a], PINS[5] - PINS[4])
            by_b = columns[:, 1] + columns[:, 3]
            step = (by_b @ (place - PINS[5])) / (by_b @ by_b)
            b -= step
            if abs(step) < 1e-15 and abs(step.imag) < 1e-14 * TINY:
                break
        self.b = b.real
        _, columns = tip_columns(self.bars, [a, b, a, b, a], PINS[5] - PINS[4])
        by_a, by_b = columns[:, 0] + columns[:, 2] + columns[:, 4], columns[:, 1] + columns[:, 3]
        slope = -(by_b @ by_a) / (by_b @ by_b)
        return [a, b, a, b, a], [1.0, slope, 1.0, slope, 1.0]


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of P3 in the axes of the statement, m."""
    law, times = Closed(), np.linspace(0.0, 10.0, SAMPLES)
    angles = motion(law.bars, law, 0.0, times, np.array([0.0, -9.81, 0.0]))
    again, found = Closed(), []
    for a in angles:
        found.append(frames(law.bars, [x.real for x in map(complex, again(complex(a))[0])])[3][1].real)
    return np.array(found)


def error(path: np.ndarray) -> float:
    """Largest distance of P3, given in the axes of the zoo."""
    return worst_distance(np.column_stack([path[:, 0], path[:, 2], -path[:, 1]]), reference())


def ours(step: float) -> Trial:
    """rkmk4; P3 is where the fourth bar begins."""
    solution, spent = run_own(scenario(), step, SAMPLES, "rkmk4")
    model = scenario().model
    energy = np.array(
        [model.kinetic_energy(q, v) + model.potential_energy(q) for q, v in zip(solution.q, solution.v, strict=True)]
    )
    path = places(scenario(), solution, "bar_4")
    return Trial(error(path), spent, {"energy": float(np.abs(energy - energy[0]).max())})


def exudyn(step: float) -> Trial:
    """Five bodies with Euler parameters, six hinges of five rows, of which one is redundant."""
    mechanism = ExudynMechanism(scenario())
    mechanism.watch("P3", "bar_4")
    found, spent = mechanism.run(round(10.0 / step), SAMPLES, singular=True)
    return Trial(error(found["P3"]), spent)


PROBLEM = Problem(
    title="A04 Bricard's mechanism",
    family="Multibody benchmark library (IFToMM)",
    statement="Five bars of 1 m, 1 kg and 0.1 m square lie on edges of a cube, joined to each other and to the ground by six"
    " hinges, and fall for 10 s. By count nothing could move; one of the rows is redundant, and the mechanism has one freedom.",
    source="IFToMM library of computational benchmark problems, A04; Bricard 1897",
    licence="Masses and lengths are facts of the statement; the reference is ours.",
    reference="Lagrange's equation of the one freedom, apart from the library, by DOP853 at 1e-13; at 1 s it gives the place of"
    " P3 that three other methods and Exudyn gave, (0.510501, -1.649168, 0.140123) m",
    measure="largest distance of P3 from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.02, 0.01, 0.005, 0.0025, 0.00125), ours, quick=(0.01,)),
        Curve("Exudyn", "Euler parameters, generalized alpha", (0.01, 0.005, 0.002, 0.001), exudyn),
    ),
    targets=(Target("a tenth of the 0.26 s of OpenSim 3.2 (on another machine)", 0.026, "rkmk4", 0.02, "cpu"),),
)
