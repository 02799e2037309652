"""How far a solution is sound: up to numbers that are not finite, or a wheel that lies flat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.sim.rank import continue_forces
from locodyn.sim.reactions import share_least_moments
from locodyn.sim.touching import first_flat

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def computed(
    scenario: Scenario, solution: Any, times: np.ndarray, q: np.ndarray, v: np.ndarray, memory: np.ndarray
) -> dict[str, np.ndarray]:
    """What the dynamics give at the records of a solution that have finite states, and over it what the integrator recorded.

    Arrays (n, ...) by the names of variables; ``times`` (N,) s, ``q`` (N, nq), ``v`` (N, nv), ``memory`` (N, nz), n <= N.
    """
    n = finite_records(q, v, memory)
    if solution.series is not None:
        return {name: values[:n] for name, values in {**solution.series, **solution.recorded}.items()}
    with np.errstate(all="ignore"):
        series = scenario.problem.series(times[:n], q[:n], v[:n], memory[:n])
        continue_forces(scenario.problem, times[:n], q[:n], v[:n], series)
        if scenario.drive.torque_method == "min_torque":
            share_least_moments(scenario.problem, times[:n], q[:n], v[:n], memory[:n], series)
    return series | {name: values[:n] for name, values in solution.recorded.items()}


def finite_records(*arrays: np.ndarray) -> int:
    """Number of records before the first one that holds NaN or infinity.

    >>> finite_records(np.array([1.0, 2.0, np.nan, 4.0]))
    2
    """
    fine = np.logical_and.reduce([np.isfinite(values).all(axis=tuple(range(1, values.ndim))) for values in arrays])
    return len(fine) if fine.all() else int(np.argmin(fine))


def sound_part(
    scenario: Scenario, solution: Any, times: np.ndarray, q: np.ndarray, series: dict[str, np.ndarray]
) -> tuple[int, str]:
    """Number of records to keep and the status: ``completed``, ``interrupted at t = ...`` or ``failed: ...``."""
    from locodyn.integrate.choice import advice

    status, what = _status(solution), "state"
    sound = len(series["position"])
    for name, values in series.items():
        if name == "contact_gap":  # it follows from the poses, and is NaN of what has none, as wheels beside compliant contacts
            continue
        good = finite_records(values)
        if good < sound:
            sound, what = good, name.replace("_", " ")
    if sound < len(times) and not status.startswith("failed"):
        hint = advice(scenario.problem, scenario.numerics.method, q[0], scenario.numerics.step, float(times[0]))
        status = f"failed: the {what} is not finite at t = {times[sound]:g} s; {hint}"
    flat = first_flat(scenario.compiled.description, series["body_orientation"][:sound])
    if flat is not None:
        sound, status = flat[0], f"failed: the wheel '{flat[1]}' lies flat at t = {times[flat[0]]:g} s"
    return sound, status


def _status(solution: Any) -> str:
    """The status from the words of the integrator."""
    word = str(solution.status)
    if word.startswith("failed"):
        message = str(getattr(solution, "message", "") or "").strip()
        return word if ":" in word or not message else f"failed: {message}"
    if word.startswith("interrupted"):
        return f"interrupted at t = {float(solution.times[-1]):g} s" if len(solution.times) else "interrupted at the start"
    return "completed"
