"""A run of which a few arrays are kept, without labels and attributes: what a study asks for, thousands of times.

It starts, integrates and records as :func:`locodyn.sim.run.run` does, with the same functions, and gives the same bits. Its
energy account is looked at, too. Where that run would have something to say (a failure, a warning of what it looks back at), or
holds more than one stretch, there is None: run the scenario in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.base import Past, Watch
from locodyn.sim.energy_account import account_of
from locodyn.sim.recorder import Records
from locodyn.sim.recorders import RECORDERS
from locodyn.sim.soundness import computed, sound_part
from locodyn.sim.stretches import FIRST

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

# Variables that a run records without looking back at them: no warning needs these alone.
QUIET = frozenset(
    (
        "position", "orientation", "twist", "mass_centre", "mass_centre_velocity", "joint_velocity", "joint_torque",
        "wheel_torque", "wheel_rate", "power_actuators",
    )
)  # fmt: skip
LOOKED_AT = 51  # records of a run of which only the ends are wanted: at these it is checked, as any run is at its records


@dataclass(frozen=True)
class BareRun:
    """``arrays`` {variable: (n, ...)} at ``times`` (n,) s, of a run of ``scenario`` that was completed.

    ``watched``: it has an energy account, which closes.
    """

    scenario: Scenario
    times: np.ndarray
    arrays: dict[str, np.ndarray]
    watched: bool = False


def bare_run(scenario: Scenario, variables: Sequence[str], ends: bool = False) -> BareRun | None:
    """These variables of a run; ``ends``: only its first and last record count, and there are few between them.

    None where the run must be made in full, to fail, to warn, or because it has phases, functions of the user, or many records.
    """
    from locodyn.integrate import solve
    from locodyn.sim.run import started, with_numerics

    end = scenario.recording.t_end
    if not QUIET.issuperset(variables) or scenario.phases is not None or not scenario.problem.is_compiled:
        return None
    q, v = started(scenario)
    scenario, _ = with_numerics(scenario, q, v)
    numerics = scenario.numerics
    if round(end / (numerics.step * scenario.recording.record_every)) >= FIRST:
        return None
    every = records_between(scenario, ends)
    solution = solve(
        scenario.problem, q, v, 0.0, end, step=numerics.step, method=numerics.method, record_every=every,
        past=Past(scenario.initial_memory()), watch=Watch(),
    )  # fmt: skip
    if solution.status.startswith("interrupted"):
        raise KeyboardInterrupt
    times, memory = solution.times, np.zeros((len(solution.times), 0)) if solution.memory is None else solution.memory
    series = computed(scenario, solution, times, solution.q, solution.v, memory)
    sound, status = sound_part(scenario, solution, times, solution.q, series)
    if status != "completed" or sound < len(times):
        return None
    energy = account_of(scenario, times, series)
    if energy is not None and not energy.closes(numerics.method.dissipates):
        return None
    records = Records(scenario, times, solution.q, solution.v, solution.iterations, series)
    return BareRun(scenario, times, arrays_of(records, variables), energy is not None)


def records_between(scenario: Scenario, ends: bool) -> int:
    """Steps between the records of a run whose numerics are known; ``ends``: only its first and last record count."""
    numerics, every = scenario.numerics, scenario.recording.record_every
    if not ends or not numerics.method.fixed_step or numerics.method.books_work:
        return every
    return _spread(round(scenario.recording.t_end / numerics.step), every)


def _spread(steps: int, every: int) -> int:
    """Steps between records, a multiple of ``every`` that divides all ``steps``, with at least LOOKED_AT records where it can."""
    found = [k for k in range(every, max(every, steps // (LOOKED_AT - 1)) + 1, every) if steps % k == 0]
    return found[-1] if found else every


def arrays_of(records: Records, variables: Sequence[str]) -> dict[str, np.ndarray]:
    """What the recorders have of these variables."""
    found: dict[str, np.ndarray] = {}
    for recorder in RECORDERS:
        if any(name in variables for name in recorder.variables):
            found |= {name: values for name, values in recorder.values(records).items() if name in variables}
    return found
