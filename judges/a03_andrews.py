"""IFToMM A03: Andrews' squeezing mechanism, to the digits of the IVP test set."""

from __future__ import annotations

from functools import cache

import numpy as np

import locodyn as ld
from locodyn.judge import Curve, Problem, Target, Trial
from locodyn.zoo.robots import andrews
from models.exudyn_mechanism import ExudynMechanism
from models.own import run_own

PARENT = {"K2": "K1", "K4": "K5", "K6": "K7"}


@cache
def scenario() -> ld.Scenario:
    """That of the zoo."""
    return ld.zoo.andrews()


def error(angles: dict[str, float]) -> float:
    """Largest difference from the published angles, rad."""
    return max(abs(angles[name] - wanted) for name, wanted in zip(andrews.NAMES, andrews.SOLUTION, strict=True))


def ours(method: str, setting: float) -> Trial:
    """The state at the end."""
    if method == "adaptive":
        solution, spent = run_own(scenario(), 0.03, 2, method, tolerance=setting)
    else:
        solution, spent = run_own(scenario(), setting, 2, method)
    compiled = scenario().compiled
    at = {name: compiled.joint_positions[compiled.joint_index(name)] for name in andrews.NAMES}
    return Trial(error({name: float(solution.q[-1, at[name]][0]) for name in andrews.NAMES}), spent)


def exudyn(step: float) -> Trial:
    """Seven bodies of the plane, ten pins."""
    mechanism = ExudynMechanism(scenario(), plane=(0, 1), torque={"K1": 0.033})
    for name in andrews.NAMES:
        mechanism.watch_angle(name)
    found, spent = mechanism.run(round(0.03 / step), 2)
    turned = {name: float(np.ravel(found[name][-1])[-1]) for name in andrews.NAMES}
    angles = {
        name: start + turned[name] - (turned[PARENT[name]] if name in PARENT else 0.0)
        for name, start in zip(andrews.NAMES, andrews.START, strict=True)
    }
    return Trial(error(angles), spent)


PROBLEM = Problem(
    title="A03 Andrews' mechanism",
    family="Multibody benchmark library (IFToMM)",
    statement="Seven bodies in a plane and a spring, closed at one point and driven by a constant torque of 0.033 N m for 0.03 s:"
    " the crank turns 2.5 times. Parameters, start and solution are those of the test set for initial value problems.",
    source="IFToMM library, A03; Mazzia and Magherini 2008, test set for IVP solvers, problem 10; Schiehlen 1990",
    licence="Published numbers of the test set, cited.",
    reference="the solution of the test set, seven angles to ten digits or more: errors below some 1e-9 are those of the"
    " reference",
    measure="largest difference of the seven angles at 0.03 s (rad)",
    curves=(
        Curve("locodyn", "rkmk4", (1e-4, 5e-5, 2e-5, 1e-5, 5e-6), lambda step: ours("rkmk4", step), quick=(2e-5,)),
        Curve("locodyn", "adaptive", (1e-4, 1e-6, 1e-8, 1e-10), lambda tolerance: ours("adaptive", tolerance), "", quick=()),
        Curve("Exudyn", "planar bodies, generalized alpha", (1e-4, 5e-5, 2e-5, 1e-5), exudyn),
    ),
    targets=(
        Target("the digits that the authors of the reference trust", 3e-9, "rkmk4", 5e-6),
        Target("a tenth of the 0.38 s of OpenSim 3.2 (on another machine)", 0.038, "adaptive", 1e-8, "cpu"),
    ),
)
