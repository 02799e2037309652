"""IFToMM A02 with N = 2: two four-bars that pass singular positions."""

from __future__ import annotations

from functools import partial

from locodyn.judge import Curve, Problem, Target
from models.four_bars import exudyn, ours

PROBLEM = Problem(
    title="A02 N-four-bar, N = 2",
    family="Multibody benchmark library (IFToMM)",
    statement="Three upright and two level rods, each of 1 m and 1 kg, pinned to each other and to the ground, start upright with"
    " 1 rad/s. In 10 s the mechanism falls through the flat position, where it has more freedoms, again and again.",
    source="IFToMM library of computational benchmark problems, A02",
    licence="Masses and lengths are facts of the statement; the reference is ours.",
    reference="((N+1)/3 + N) theta'' = ((N+1)/2 + N) g sin(theta), integrated apart from the library by DOP853 at 1e-13",
    measure="largest distance of the first top from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "rkmk4", (0.02, 0.01, 0.005, 0.002, 0.001), partial(ours, 2), quick=(0.01,)),
        Curve("Exudyn", "planar bodies, generalized alpha", (0.01, 0.005, 0.002, 0.001), partial(exudyn, 2)),
    ),
    targets=(Target("a tenth of the 0.46 s of OpenSim 3.2 (on another machine)", 0.046, "rkmk4", 0.01, "cpu"),),
    notes="At 1 ms our error is larger than at 2 ms: a stage at the distance x from a flat position turns what the closure"
    " misses, its round-off of 1e-16 to 1e-15 m, into an acceleration that grows with 1 / x^3, and short steps come nearer. Of"
    " 125 passages at 25 steps from 0.2 to 1.25 ms the median changes the energy by 1e-13 J; the worst, with a stage 1e-5 rad"
    " from flat, by 2e-3 J of 36 J.",
)
