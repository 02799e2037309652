"""Every use of a scenario beside its run, with every feature: right, or refused in one sentence.

Robots are those of ``feature_cases``. What is stepped, batched, resumed or studied ends where the run ends, bit by bit; linear
systems have the slope of the accelerations along the speeds; closed forms say what they leave out. Statics has its test beside
the methods, with each robot that is held.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from feature_cases import BASES, PARTS, features, scenario
from locodyn.errors import LocodynError
from locodyn.integrate import METHODS, Feature
from locodyn.sim.scenario import Scenario
from locodyn.study import Study
from locodyn.symbolic.scenarios import generator

pytestmark = pytest.mark.slow

END, STEP = 0.08, 0.0025  # s
CASES = [*BASES, *(f"foot {part}" if part == "water" else f"planar {part.replace(' ', '_')}" for part in PARTS)]
# Parts that share columns of a result: wheels, springs, contacts on rods, hard contact, loops; and laws beside them.
CASES += [
    "planar wheels compliant", "planar steering stick", "planar anchor compliant", "planar sleeve stick", "planar wheels contact",
    "planar anchor wheels", "planar wheels loop", "planar muscle bristles", "planar fluid wheels", "planar field ties",
    "disc rod",
]  # fmt: skip


SPEEDS = {"cart.x": "cart.vx", "cart.y": "cart.vy", "cart.yaw": "cart.wz"}
LEFT_OUT = {Feature.HARD_CONTACT, Feature.FUNCTIONS, Feature.SAMPLED_CONTROLLER}
# Parts that a use refuses.
ASK_PYTHON = {"function", "imposed function", "wrench function", "memory function", "sampled"}
NO_CLOSED_FORM = {"sleeve", "anchor", "peg", "water", "wrench function", "memory function", "integral", "bristles", "muscle"}
REFUSED = {"batch": ASK_PYTHON, "symbolic": NO_CLOSED_FORM, "linearise": {"sampled"}}


def coordinate(rate: str) -> str:
    return rate.removeprefix("rate of ")


def parts_of(case: str) -> list[str]:
    return [part.replace("_", " ") for part in case.split()]


@cache
def made(case: str) -> Scenario:
    """The scenario with a method of fixed steps that takes it, from a start that its constraints allow."""
    has = features(parts_of(case))
    name = next(name for name in ("rkmk4", "moreau", "radau3") if has <= METHODS[name].takes)
    one = scenario(*parts_of(case)).changed(t_end=END, dt=STEP, integrator=name)
    return one.changed(start=one.problem.start_state(0.0, *one.initial_state()))


def fresh(case: str) -> Scenario:
    """The same, with nothing in it that another use has left."""
    return made(case).changed()


@cache
def whole(case: str) -> ld.Result:
    return fresh(case).run(progress=False)


def off(q: np.ndarray, v: np.ndarray, case: str) -> str:
    run = whole(case)
    assert run.q is not None and run.v is not None
    same = np.array_equal(q, run.q[-1]) and np.array_equal(v, run.v[-1])
    return "" if same else f"off by {np.abs(q - run.q[-1]).max():.1e}, {np.abs(v - run.v[-1]).max():.1e}"


# ------------------------------------------------------------------------------------------------ what is wrong, or nothing
def opened(case: str, folder: Path) -> str:
    return off(*fresh(case).open(actions=[]).step(steps=round(END / STEP)), case)


def batched(case: str, folder: Path) -> str:
    many = fresh(case).batch(2, actions=[], threads=1)
    energy = many.run(energy=True).energy_account.values.tolist()
    known = "" if set(energy) <= {"closes"} else f"energy: {energy}"
    return off(many.q[1], many.v[1], case) or known


def resumed(case: str, folder: Path) -> str:
    half = fresh(case).changed(t_end=0.625 * END)  # not at a sample, whose record is of before it where a run ends
    half.run(progress=False, out=folder / "half.nc")
    found, run = ld.resume(folder / "half.nc", END, half, progress=False), whole(case)
    later = [one.dataset.isel(time=one.time.values > half.recording.t_end) for one in (found, run)]
    names = [str(name) for name, one in later[1].data_vars.items() if "time" in one.dims and one.dtype.kind == "f"]
    wrong = [name for name in names if not np.array_equal(later[0][name], later[1][name], equal_nan=True)]
    return f"other records: {wrong}" if wrong else ""


def studied(case: str, folder: Path) -> str:
    def reached(result: ld.Result) -> float:
        return float(result.joint_velocity.values[-1].sum())

    found = Study(lambda t_end=END: fresh(case).changed(t_end=t_end), {"t_end": [END]}, {"reached": reached}).run(progress=False)
    words = next(iter(found.failures()), "") or found.remarks().get(0, "")
    account = found.table["account"].values.tolist()
    same = found.column("reached")[0] == reached(whole(case))
    return words or ("" if same and account == [1] else f"{found.column('reached')}, account {account}")


def linearised(case: str, folder: Path) -> str:
    """Slope of the accelerations along the free speeds, where nothing binds them, by central differences of another step."""
    one = fresh(case)
    system, (q, v) = ld.linearise(one, unsteady=True), one.initial_state()
    if one.problem.constraints.rows or one.problem.memories.count or one.drive.imposed:
        return "" if np.isfinite(system.A).all() else "not finite"
    step, n = 1e-4, len(v)
    ends = [[one.problem.accelerations(0.0, q, v + side * e).copy() for side in (1.0, -1.0)] for e in step * np.eye(n)]
    wanted = np.array([above - below for above, below in ends]).T / (2.0 * step)
    order = [one.compiled.coordinate_names.index(SPEEDS.get(name, name)) for name in map(coordinate, system.rate_names)]
    wrong = np.abs(system.A[-n:, -n:] - wanted[np.ix_(order, order)]).max() / max(1.0, np.abs(wanted).max())
    return "" if wrong < 1e-5 else f"off by {wrong:.1e}"


def symbolic(case: str, folder: Path) -> str:
    """What a closed form leaves out is said beside it."""
    source = generator(fresh(case))
    forward = source.function("forward")
    silent = features(parts_of(case)) & LEFT_OUT and not source.notes
    return "nothing is said of what is left out" if silent else "" if forward.inputs else "nothing goes in"


USES: dict[str, Callable[[str, Path], str]] = {
    "open": opened, "batch": batched, "resume": resumed, "study": studied, "linearise": linearised, "symbolic": symbolic,
}  # fmt: skip


def said(use: Callable[[str, Path], str], case: str, folder: Path) -> tuple[bool, str]:
    """Whether a use was refused, and what is wrong with it or with the sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return False, use(case, folder)
    except LocodynError as error:
        sentence = str(error)
        return True, "" if sentence.endswith(".") and "\n" not in sentence and len(sentence) < 400 else sentence


@pytest.mark.parametrize("case", CASES)
def test_uses_are_right_or_refused(case: str, tmp_path: Path) -> None:
    found = {name: said(use, case, tmp_path) for name, use in USES.items()}
    assert not {name: words for name, (_, words) in found.items() if words}
    assert {name for name, (no, _) in found.items() if no} == {name for name, no in REFUSED.items() if no & {*parts_of(case)}}
