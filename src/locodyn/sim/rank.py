"""Where the constraint rows of a run lose or gain rank."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import LocodynError
from locodyn.locomotion.rod_contacts import contact_places, staying

if TYPE_CHECKING:
    import xarray

STEP = 1e-3  # s, between the instants from which forces are continued
NEAR = 1e-5  # of the usual condition: nearer to a loss of rank, round-off / condition^2 spoils accelerations
FORCES = (
    "acceleration",
    "joint_acceleration",
    "joint_torque",
    "multiplier",
    "contact_force",
    "wheel_torque",
    "base_wrench",
    "power_actuators",
    "power_dissipated",
    "power_external",
)


class RankWarning(UserWarning):
    """The number of independent constraints changed during a run."""


def note_rank_changes(dataset: xarray.Dataset) -> None:
    """Attribute ``rank_changes``: times (s) of the records at which the rank is another one than before; a warning says so.

    A start at a configuration where rank is lost only there (Ali 2011: a wheeled snake of mirror symmetry) is noted, but
    needs no warning: velocities are continued into it. Nor do contacts on rods that come and go: their abscissas tell.
    """
    dataset.attrs.pop("rank_changes", None)
    if "constraint_rank" not in dataset or dataset.sizes["time"] < 2 or "phase" in dataset:  # other phases have other rows
        return
    rank, times = dataset["constraint_rank"].values, dataset["time"].values
    changed = np.flatnonzero(np.diff(rank)) + 1
    if not len(changed):
        return
    dataset.attrs["rank_changes"] = times[changed]
    if "contact_abscissa" in dataset:
        away = np.isnan(dataset["contact_abscissa"].values)
        changed = changed[(away[changed] == away[changed - 1]).all(axis=1)]
    if not len(changed) or (len(changed) == 1 and changed[0] == 1 and rank[0] < rank[1]):
        return
    shown = ", ".join(f"{t:g}" for t in times[changed][:5]) + (", ..." if len(changed) > 5 else "")
    rows = [str(name) for name in dataset["constraint"].values] if "constraint" in dataset.coords else []
    named = f" ({', '.join(rows[:4])}{', ...' if len(rows) > 4 else ''})" if rows else ""
    warnings.warn(
        f"the number of independent constraints{named} changes between {rank.min()} and {rank.max()}, at t = {shown} s:"
        " the robot passes a singular configuration, look at constraint_condition.",
        RankWarning,
        stacklevel=4,
    )


def continue_forces(problem: Any, times: np.ndarray, q: np.ndarray, v: np.ndarray, series: dict[str, np.ndarray]) -> None:
    """Put accelerations and forces right at records where rank is lost, or nearly so, for an instant only (Ali 2011: t = k pi).

    Velocities are right there (:mod:`locodyn.locomotion.singular`), but the rows do not tell the acceleration in the open
    direction, while it and the forces are continuous: their values are extrapolated from four instants after the record (order 4
    in their distance). Forces that grow without bound towards the record are left as they are.
    """
    if "constraint_rank" not in series or len(times) < 2:
        return
    rank, condition = series["constraint_rank"], series["constraint_condition"]
    usual, sound = _usual_rank(problem, times, q, v, rank), NEAR * float(np.median(condition))
    for k in np.flatnonzero((rank < usual) | ((condition < sound) & (usual > 0)))[:100]:
        after = _after(problem, times[k], q[k], v[k], series.get("memory", np.zeros((len(times), 0)))[k])
        if after is None or after["constraint_rank"].min() < usual[k] or after["constraint_condition"].min() < sound:
            continue
        named = [name for name in FORCES if name in series and name in after]
        if all(_is_smooth(after[name]) for name in named):
            for name in named:
                series[name][k] = np.tensordot((4.0, -6.0, 4.0, -1.0), after[name], axes=1)


def _usual_rank(problem: Any, times: np.ndarray, q: np.ndarray, v: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """The largest rank (N,) among the records at which the same contacts on rods are there."""
    usual = np.full(len(rank), rank.max())
    if problem.constraints.arrays.rod_contacts is not None and rank.min() < rank.max():
        _, kinds = np.unique(np.isnan(contact_places(problem, times, q, v)[0]), axis=0, return_inverse=True)
        for kind in range(kinds.max() + 1):
            usual[kinds == kind] = rank[kinds == kind].max()
    return usual


def _after(problem: Any, t: float, q: np.ndarray, v: np.ndarray, memory: np.ndarray) -> dict[str, np.ndarray] | None:
    """What is recorded at four instants after t; nothing where the motion cannot be computed."""
    from locodyn.integrate import Past, solve

    with staying(problem):
        try:
            solution = solve(problem, q, v, t, t + 4.0 * STEP, step=STEP, past=Past(memory))
        except LocodynError:
            return None
        if len(solution.times) < 5 or solution.memory is None:
            return None
        states = solution.times[1:], solution.q[1:], solution.v[1:], solution.memory[1:]
        found: dict[str, np.ndarray] | None = problem.series(*states)
        return found


def _is_smooth(values: np.ndarray) -> bool:
    """The third difference of four samples is small beside them."""
    size = np.abs(values).max(initial=0.0)
    return bool(np.isfinite(size) and np.abs(np.diff(values, n=3, axis=0)).max(initial=0.0) <= 0.02 * size + 1e-14)
