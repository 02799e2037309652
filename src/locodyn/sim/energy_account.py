"""Every run keeps an account of its energy, and says so when it does not close.

    D(t) = [T + V](t) - [T + V](0) - W(t)

is zero for the exact motion, with the work W of actuators, imposed joints, moving constraints and wrench laws, less all losses.
What is left is the error of the time integrator, and that of W, which is a quadrature of recorded powers (hard contact sums its
work step by step instead). These numbers tell them apart:

- Q(t), the error of W: the largest difference so far of the trapezoids through all records and through every other one. They
  are four times better at half the distance, so this is three times the error of the finer ones where powers are resolved, and
  of their size where they are not. (Nothing that comes later touches a trapezoid.) Work that is done between two records, fast
  enough for neither to see its power, is summed up while the run goes on (:mod:`locodyn.integrate.unrecorded_work`): W has it,
  and Q its error. Of torques that a controller holds it is seen in the path instead: to Q is added what sum tau dq and
  sum tau v dt differ by.
- X(t), what order and step explain. In each step a method of order p commits an error like the next term of the Taylor series
  of what it integrates, h^(p+1) y^(p+1) / (p+1)! (Hairer, Norsett, Wanner 1993, II.3), and a difference of order p + 1 measures
  h^(p+1) y^(p+1). So X sums the differences of order p + 1 of the recorded kinetic energy.
- S, the scale of the motion: the largest of T, of the swing of V, and of the works of actuators, of other sources and of
  losses, each by itself; never below round-off, 1e-9 of V and of m g L, so that a robot at rest has no account to close.
- E(t), the energy that the motion had at its disposal: T(0), the deepest fall of V, the work supplied so far (and a hundredth
  of what follows, so that the first steps of a drive are not judged by nothing); at least 1e-3 of m g L
  (:func:`~locodyn.integrate.runaway.at_rest`).

A run warns (:class:`EnergyWarning`) where |D| - Q passes X + 1e-3 S, or 5 % of S whatever explains it. Where a method damps
numerically a loss is explained by the method: there only half of S counts. A run has failed where it has gained more than twice
the energy that it had: D - Q > 2 E. Losses never fail a run. Torques that a
controller holds from sample to sample add to Q what their jumps leave open.

Whatever a run records, its account is made of all that its dynamics gave (:mod:`locodyn.sim.ledger`). Of a run that has none
(:func:`unwatched`) the result says so, and why.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.sim.ledger import BASE_POWER, JUMPS, UNSEEN_WORK, base_power, jumps, unseen_work
from locodyn.sim.quadrature import trapezoids

if TYPE_CHECKING:
    import xarray

    from locodyn.sim.scenario import Scenario

UNSEEN = 1e-3  # of S: not worth a word
LARGE, LARGE_LOSS = 0.05, 0.5  # of S
GAIN = 2.0  # of E: more than that is not a motion
_ROUND_OFF = 1e-9  # of V
_FEW = 1e-6  # of the energy at rest
_BEGUN = 0.01  # of the work of the whole run

Series = Any  # arrays (n, ...) by the names of the contract: a mapping, or a dataset
Integral = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of values (n,) at times (n,) from the first one on


class EnergyWarning(UserWarning):
    """The energy account of a run does not close."""


@dataclass(frozen=True)
class Account:
    """The account of a run at its records, all (n,) and J but the times: see the head of this file.

    That of R runs with the same times has one axis more, (R, n).
    """

    times: np.ndarray  # s, (n,)
    defect: np.ndarray  # D
    quadrature: np.ndarray  # Q
    explained: np.ndarray  # X
    scale: np.ndarray  # S, () or (R,)
    available: np.ndarray  # E

    def first_warning(self, damps: bool) -> int | None:
        """The first record at which the defect is worth a warning; ``damps``: the method loses energy by design."""
        return _first(self._beyond(damps))

    def first_failure(self) -> int | None:
        """The first record at which more energy has come from nowhere than the motion ever had."""
        return _first(self._gained())

    def worst(self) -> tuple[float, float]:
        """The largest defect (J) beyond the error of its quadrature, positive where energy was gained; and its time, s."""
        beyond = np.sign(self.defect) * np.maximum(np.abs(self.defect) - self.quadrature, 0.0)
        place = int(np.argmax(np.abs(beyond)))
        return float(beyond[place]), float(self.times[place])

    def closes(self, damps: bool) -> np.ndarray:
        """Whether there is neither warning nor failure, () or (R,); not where a number is none."""
        known = np.isfinite(self.defect) & np.isfinite(self.quadrature)
        found: np.ndarray = np.all(known & ~self._beyond(damps) & ~self._gained(), axis=-1)
        return found

    def _beyond(self, damps: bool) -> np.ndarray:
        scale = self.scale[..., None]
        allowed = np.minimum(self.explained + UNSEEN * scale, LARGE * scale)
        if damps:
            allowed = np.where(self.defect < 0.0, LARGE_LOSS * scale, allowed)
        beyond: np.ndarray = np.abs(self.defect) - self.quadrature > allowed
        return beyond

    def _gained(self) -> np.ndarray:
        gained: np.ndarray = self.defect - self.quadrature > GAIN * self.available
        return gained


def account(times: np.ndarray, series: Series, order: int, still: float, held: bool = False) -> Account:
    """The account of recorded ``series``; ``order`` of the method; ``still`` (J): below it a robot is at rest.

    ``held``: torques are held from sample to sample and jump there. Of several runs with the same ``times`` (n,) the numbers of
    :func:`locodyn.sim.ledger.columns` are (R, n).
    """
    works, doubt = works_of(times, series)
    if held:
        doubt = doubt + _of_jumps(times, series)
    supplied, ranges = sum(works.values()), [np.ptp(work, axis=-1) for work in works.values()]
    sources = sum((_swing(work) for name, work in works.items() if name not in _LOSSES), np.zeros(len(times)))
    del works  # of a long run each array has a part in the memory that the whole run needs
    kinetic, potential = (np.asarray(series[name], dtype=float) for name in ("kinetic_energy", "potential_energy"))
    defect = kinetic + potential
    defect -= defect[..., :1].copy()
    defect -= supplied
    floor = _ROUND_OFF * np.maximum.accumulate(np.abs(potential), axis=-1) + _FEW * still
    scale = np.max([kinetic.max(axis=-1), np.ptp(potential, axis=-1), *ranges, floor[..., -1]], axis=0)
    fall = potential[..., :1] - potential.min(axis=-1, keepdims=True)
    available = kinetic[..., :1] + fall + sources + _BEGUN * sources[..., -1:] + still + floor[..., :1]
    return Account(times, defect, doubt, _explained(kinetic, order), scale, available)


def account_of(scenario: Scenario, times: np.ndarray, series: Series) -> Account | None:
    """The account of a run from what there is at its records, or None where that makes none."""
    from locodyn.integrate.runaway import at_rest

    if unwatched(scenario) or len(times) < 2 or not is_told(series):
        return None
    return account(times, series, scenario.numerics.method.order, at_rest(scenario.problem), _holds(scenario))


def energy_failure(scenario: Scenario, found: Account | None) -> tuple[int, str] | None:
    """Number of records to keep and the status of a run that has gained more energy than it had, or None."""
    from locodyn.integrate.choice import advice

    first = None if found is None else found.first_failure()
    if found is None or first is None:
        return None
    q, _ = scenario.initial_state()
    hint = advice(scenario.problem, scenario.numerics.method, q, scenario.numerics.step, 0.0)
    return first + 1, (
        f"failed: by t = {found.times[first]:g} s the motion has gained {found.defect[first]:.2g} J without a source, more than"
        f" {GAIN:g} times the {found.available[first]:.2g} J that it had; {hint}"
    )


def unwatched(scenario: Scenario) -> str:
    """Why a run keeps no account of its energy, in words; nothing where it does."""
    method = scenario.numerics.method
    if not method.inertia:
        return f"'{method.name}' goes from equilibrium to equilibrium, without inertia"
    if not method.accounts:
        return f"'{method.name}' jumps between records, and no recorded power shows it"
    if scenario.drive.torque_method == "no_contact":
        return "the torques of torque_method='no_contact' are bounds, not those that act"
    return ""


def is_told(series: Series) -> bool:
    """Whether there is what an account is made of; results of runs that recorded other variables only do not have it."""
    return all(name in series for name in ("kinetic_energy", "potential_energy", "power_actuators", "power_dissipated"))


def _holds(scenario: Scenario) -> bool:
    """Whether torques are held from sample to sample."""
    from locodyn.locomotion.sampled_controller import SampledController

    return isinstance(scenario.drive.controller, SampledController)


def note_energy(dataset: xarray.Dataset, scenario: Scenario, found: Account | None) -> None:
    """Attributes ``energy_defect`` (J), ``energy_defect_time`` (s) and ``energy_scale`` (J, S); a warning where it is large.

    The defect is the largest that is left of D beyond the error of its quadrature, positive where energy was gained.
    ``energy_unwatched`` says why there is none.
    """
    for name in ("energy_defect", "energy_defect_time", "energy_scale", "energy_unwatched"):
        dataset.attrs.pop(name, None)
    why = unwatched(scenario)
    if why:
        dataset.attrs["energy_unwatched"] = why
    if found is None:
        return
    amount, time = found.worst()
    dataset.attrs |= {"energy_defect": amount, "energy_defect_time": time, "energy_scale": float(found.scale)}
    first = found.first_warning(scenario.numerics.method.dissipates)
    if first is None or str(dataset.attrs["status"]).startswith("failed"):
        return
    warnings.warn(
        f"the energy account does not close: from t = {found.times[first]:g} s on energy is"
        f" {'gained' if amount > 0.0 else 'lost'} without a source, {abs(amount):.2g} J by t = {time:g} s,"
        f" {abs(amount) / found.scale:.2g} of the scale of the motion; "
        f"take a smaller step than {dataset.attrs['step']:g} s, or another integrator, and compare.",
        EnergyWarning,
        stacklevel=4,
    )


_LOSSES = ("power_dissipated", "friction_loss", "impact_loss")
_SIGNS = {
    "power_actuators": 1.0, "power_external": 1.0, "power_dissipated": -1.0,
    "work_supplied": 1.0, "friction_loss": -1.0, "impact_loss": -1.0,
}  # fmt: skip


def works_of(times: np.ndarray, series: Series, integral: Integral = trapezoids) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Work (n,) J since the start by each of the recorded powers, losses negative, and the error Q (n,) of their sum.

    Hard contact has sums of its own. Projective torques leave a wrench to the reference body, which works too.
    """
    sums = "work_supplied" in series
    names = ("work_supplied", "friction_loss", "impact_loss") if sums else tuple(_SIGNS)[:3]
    if sums:
        return {name: values - values[..., :1] for name, values in _powers(names, series)}, np.zeros(len(times))
    works: dict[str, np.ndarray] = {}
    total, told = np.zeros(len(times)), np.zeros(len(times))
    for name, power in _powers((*names, "base_wrench"), series):
        works[name] = integral(times, power)
        total = total + power
        told = told + works[name]
    if "impact_loss" in series:  # of contacts on rods
        loss = np.asarray(series["impact_loss"], dtype=float)
        works["impact_loss"] = loss[..., :1] - loss
    coarse = integral(times[::2], total[..., ::2])
    gap = np.abs(told[..., ::2] - coarse)
    # Records in between have the error of the one that follows; the last one, where it is alone, that of the one before.
    worst = np.append(np.repeat(gap, 2, axis=-1)[..., 1:], gap[..., -1:], axis=-1)
    worst = np.maximum.accumulate(worst, axis=-1)[..., : len(times)]
    if "work_unrecorded" not in series:
        return works, worst + _between_records(times, series)
    unrecorded, error = (np.asarray(series[name], dtype=float) for name in ("work_unrecorded", "work_unrecorded_error"))
    works["work_unrecorded"] = unrecorded - unrecorded[..., :1]
    return works, worst + error - error[..., :1]


def _powers(names: tuple[str, ...], series: Series) -> Iterator[tuple[str, np.ndarray]]:
    """Names and values (n,) of those that are there, one at a time, losses negative."""
    for name in names:
        if name == "base_wrench" and BASE_POWER in series:
            yield name, series[BASE_POWER]
        elif name in series and name in _SIGNS:
            yield name, _SIGNS[name] * np.asarray(series[name], dtype=float)
        elif name in series:
            yield name, base_power(series)


def _between_records(times: np.ndarray, series: Series) -> np.ndarray:
    """Work (n,) J of the joints that the records since the start do not resolve."""
    return np.cumsum(series[UNSEEN_WORK] if UNSEEN_WORK in series else unseen_work(times, series), axis=-1)


def _of_jumps(times: np.ndarray, series: Series) -> np.ndarray:
    """Work (n,) J that depends on which side of a jump the recorded torque is: half of sum |dtau dq|."""
    return np.cumsum(series[JUMPS] if JUMPS in series else jumps(times, series), axis=-1)


def _explained(kinetic: np.ndarray, order: int) -> np.ndarray:
    """Sum of the differences of order p + 1 of the kinetic energy up to each record (..., n)."""
    if kinetic.shape[-1] <= order + 1:
        return np.full(kinetic.shape, np.inf)
    sizes = np.abs(np.diff(kinetic, n=order + 1))
    sizes = np.concatenate([sizes[..., :1] * (order + 1), np.zeros((*sizes.shape[:-1], order)), sizes], axis=-1)
    return np.cumsum(sizes, axis=-1)


def _swing(values: np.ndarray) -> np.ndarray:
    """Largest less smallest value up to each record."""
    return np.maximum.accumulate(values, axis=-1) - np.minimum.accumulate(values, axis=-1)


def _first(true: np.ndarray) -> int | None:
    return int(np.argmax(true)) if true.any() else None
