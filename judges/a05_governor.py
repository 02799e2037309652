"""IFToMM A05: the stiff flyball governor."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial
from models import governor_reduced
from models.exudyn_mechanism import ExudynMechanism
from models.own import places, run_own, worst_distance

SAMPLES, T_END = 101, 10.0


@cache
def scenario() -> ld.Scenario:
    """That of the zoo, 10 s."""
    return ld.zoo.governor().changed(t_end=T_END, checks=())


@cache
def reference() -> np.ndarray:
    """Places (samples, 3) of the right ball, m."""
    _, slope, _, _, shaft = governor_reduced.motion(np.linspace(0.0, T_END, SAMPLES), "Radau", 1e-12).T
    out = 0.05 + np.cos(slope)
    return np.column_stack([out * np.cos(shaft), out * np.sin(shaft), 1.0 - np.sin(slope)])


def ours(method: str, setting: float) -> Trial:
    """The right ball is at the end of its rod."""
    if method == "radau_adaptive":
        solution, spent = run_own(scenario(), 0.1, SAMPLES, method, tolerance=setting)
    else:
        solution, spent = run_own(scenario(), setting, SAMPLES, method, tolerance=1e-8)
    return Trial(worst_distance(places(scenario(), solution, "right_ball"), reference()), spent)


def exudyn(step: float) -> Trial:
    """Four bodies with Euler parameters, hinges and a slide, two springs."""
    mechanism = ExudynMechanism(scenario())
    mechanism.watch("ball", "right_ball")
    found, spent = mechanism.run(round(T_END / step), SAMPLES)
    return Trial(worst_distance(found["ball"], reference()), spent)


PROBLEM = Problem(
    title="A05 flyball governor",
    family="Multibody benchmark library (IFToMM)",
    statement="A slider of 3 kg on a vertical shaft that turns freely at 2 pi rad/s, two rods with balls of 5 kg at their"
    " ends, and springs of 8e5 N/m with dampers of 4e4 N s/m between slider and rods: a stiff system, 10 s.",
    source="IFToMM library of computational benchmark problems, A05",
    licence="Masses, lengths and stiffnesses are facts of the statement; the reference is ours.",
    reference="Lagrange's equations of slider, slope and shaft, apart from the library, by SciPy's Radau at 1e-12",
    measure="largest distance of a ball from the reference at 101 times (m)",
    curves=(
        Curve("locodyn", "radau_adaptive", (1e-4, 1e-6, 1e-8, 1e-10), lambda x: ours("radau_adaptive", x), "", quick=(1e-6,)),
        Curve("locodyn", "radau3", (0.05, 0.02, 0.01, 0.005), lambda x: ours("radau3", x), quick=()),
        Curve("Exudyn", "Euler parameters, generalized alpha", (0.01, 0.005, 0.002, 0.001), exudyn),
    ),
    targets=(Target("a tenth of the 0.23 s of OpenSim 3.2 (on another machine)", 0.023, "radau_adaptive", 1e-6, "cpu"),),
)
