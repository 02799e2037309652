"""IFToMM A02 by its size: N = 1 to 100 four-bars in a row."""

from __future__ import annotations

from locodyn.judge import Curve, Problem, Trial
from models.four_bars import exudyn, ours

STEP = 0.01


def of_size(n: float) -> Trial:
    """Ours, 10 s in 1000 steps."""
    return ours(int(n), STEP)


def exudyn_of_size(n: float) -> Trial:
    """Exudyn, 10 s in 1000 steps, its default tolerance."""
    return exudyn(int(n), STEP)


PROBLEM = Problem(
    title="A02 N-four-bar by its size",
    family="Multibody benchmark library (IFToMM)",
    statement="N four-bars in a row, 2 N + 1 rods of 1 m and 1 kg, upright with 1 rad/s, 10 s in 1000 steps; errors are in"
    " the table.",
    source="IFToMM library of computational benchmark problems, A02",
    licence="Masses and lengths are facts of the statement; the reference is ours.",
    reference="((N+1)/3 + N) theta'' = ((N+1)/2 + N) g sin(theta), integrated apart from the library by DOP853 at 1e-13",
    measure="largest distance of the first top from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4, 10 ms", (1, 2, 5, 10, 20, 40, 100), of_size, "four-bars", quick=(1, 5)),
        Curve(
            "Exudyn",
            "planar bodies, sparse, generalized alpha, 10 ms",
            (1, 2, 5, 10, 20, 40, 100),
            exudyn_of_size,
            "four-bars",
            quick=(1, 5),
        ),
    ),
    against="size",
    notes="Errors differ: 2e-6 to 8e-6 m here and 2e-2 m there at the same step. Both costs are linear in the size.",
)
