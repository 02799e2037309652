"""Work that is done between two records, of which recorded powers do not tell.

A run that records every n-th step, or whose steps have parts, knows what its forces do at the records only. Where that does not
explain the change of the energy from one record to the next, the powers at all steps and parts between them are looked at, while
these are still there. The work is the integral of the powers at the steps, by a rule of the order of the method: trapezoids for a
method of order 2; for higher ones the cubic spline through the powers, of order 4, which over two steps is Simpson's rule, with
the weights of Runge-Kutta's stages. Where steps follow an error, so that some are much shorter than others, a cubic that does not
leave the values at its points (Fritsch and Carlson 1980) takes the place of the spline. The error is told by the same rule over
every other step.

A record does not explain its interval where the defect of its trapezoid, E_1 - E_0 - h/2 (P_0 + P_1), is larger than what the
bend of the power explains: the error of a trapezoid is h^3/12 P'', and h/2 |P_0 - 2 P_1 + P_2| = h^3/2 P'' is six times that.
Where steps are divided because forces change within them, as at feet on stiff ground, the bend of records tells nothing: every
defect is looked into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.runaway import at_rest
from locodyn.integrate.steppers.base import Rows
from locodyn.locomotion.record import samples
from locodyn.locomotion.series import ENERGY

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_CLOSES = 1e-6  # of the energy that the motion has had so far: an interval with a smaller defect is not looked into
_EVEN = 2.0  # longest over shortest step, beyond which a spline may swing
_WAITING = 20_000  # steps between records that wait at most; beyond it every other one is let go


class UnrecordedWork:
    """Work since the start (J) that trapezoids of recorded powers leave out, at each record; and how far it is known.

    ``start``: the record at which the run begins. ``order``: of the method. ``postpone``: functions of the user are at work,
    which are not to be asked again before the run is over; steps are kept until then, of long runs every second, fourth, ...
    between records, and the error says what that costs. ``divides``: the method divides its steps, and shows the parts.
    """

    def __init__(self, problem: Problem, start: Rows, order: int, postpone: bool, divides: bool = False) -> None:
        self.problem, self.order, self.postpone, self.divides = problem, order, postpone, divides
        self.work, self.error = [0.0], [0.0]
        self._waiting: list[tuple[Rows, np.ndarray]] = []
        self._stride = 1  # of the steps that wait
        self._last = _copied(start)  # all steps since the last record, that one first
        self._power = np.zeros(0)  # of the last two records
        self._energy, self._largest = (np.inf, -np.inf), at_rest(problem)
        self._rank = 0.0  # the largest that the rows have had

    def add(self, steps: Rows, recorded: np.ndarray) -> None:
        """The next steps of the run, all of them; ``recorded`` (k,): the numbers of those among them that are recorded."""
        if not self.postpone:
            self._add(steps, recorded)
            return
        self._waiting.append(_thinned(steps, recorded, self._stride))
        while sum(len(rows.times) - len(kept) for rows, kept in self._waiting) > _WAITING:
            self._waiting = [_thinned(rows, kept, 2) for rows, kept in self._waiting]
            self._stride *= 2

    def close(self, rows: int) -> dict[str, np.ndarray]:
        """The two sums (rows,) of the run, by the names of the contract; nothing where the records tell all."""
        for steps, recorded in self._waiting:
            self._add(steps, recorded)
        self._waiting = []
        if not any(self.work):
            return {}
        kept = np.minimum(np.arange(rows), len(self.work) - 1)
        return {"work_unrecorded": np.array(self.work)[kept], "work_unrecorded_error": np.array(self.error)[kept]}

    def _add(self, steps: Rows, recorded: np.ndarray) -> None:
        steps = Rows(*(np.concatenate(pair) for pair in zip(self._last, steps, strict=True)))
        ends = np.concatenate([[0], recorded + len(self._last.times)])
        self._last = _copied(steps.part(int(ends[-1])))
        if len(ends) < 2:
            return
        energy, power, sound = self._energy_and_power(_picked(steps, ends))
        times = steps.times[ends]
        told = 0.5 * np.diff(times) * (power[1:] + power[:-1])
        defect = np.diff(energy) - told
        before = np.concatenate([self._power[:1] if len(self._power) == 2 else power[:1], power])
        bend = np.abs(np.diff(before, n=2))
        bend = np.maximum(bend, np.append(bend[1:], bend[-1:]))
        for k in np.arange(len(told)):
            work, error = 0.0, 0.0
            told_by_records = not (sound[k] and sound[k + 1])  # forces at a singular record are put right later
            explained = 0.0 if self.divides else 0.5 * (times[k + 1] - times[k]) * bend[k]
            if not told_by_records and abs(defect[k]) > explained + _CLOSES * self._largest:
                work, error = self._looked_into(steps.part(int(ends[k]), int(ends[k + 1]) + 1), told[k])
            self.work.append(self.work[-1] + work)
            self.error.append(self.error[-1] + error)
        self._power = np.append(self._power, power)[-2:]

    def _looked_into(self, steps: Rows, told: float) -> tuple[float, float]:
        """What the steps from one record to the next add to the work that the records tell, and the error, J."""
        _, power, sound = self._energy_and_power(steps)
        if not sound.all():
            power = np.interp(steps.times, steps.times[sound], power[sound])  # it is continuous across a singular shape
        whole = _integral(steps.times, power, self.order)
        pairs = np.unique(np.append(np.arange(0, len(power), 2), len(power) - 1))
        coarse = _integral(steps.times[pairs], power[pairs], self.order)
        return whole - told, abs(whole - coarse)

    def _energy_and_power(self, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Energy (n,) J, power (n,) W of all that changes it, and whether (n,) rows tell its forces: not where they lose rank."""
        out, _ = samples(self.problem, rows.times, *rows.states)
        part = out.energy.T
        kinetic, potential = part[ENERGY.kinetic], part[ENERGY.potential]
        self._energy = min(self._energy[0], float(potential.min())), max(self._energy[1], float(potential.max()))
        self._largest = max(self._largest, float(kinetic.max()), self._energy[1] - self._energy[0])
        base = np.sum(out.base_wrench * out.reference_motion[:, :6], axis=1)
        power: np.ndarray = part[ENERGY.actuators] + part[ENERGY.outside] - part[ENERGY.lost] + base
        rank = out.rank[:, 0]
        self._rank = max(self._rank, float(rank.max()))
        return kinetic + potential, power, rank == self._rank


def _integral(times: np.ndarray, power: np.ndarray, order: int) -> float:
    """Integral of the power (n,) W over the times (n,) s, J."""
    if order <= 2 or len(times) < 3:
        return float(np.trapezoid(power, times))
    from scipy.interpolate import CubicSpline, PchipInterpolator

    steps = np.diff(times)
    curve = CubicSpline if steps.max() < _EVEN * steps.min() else PchipInterpolator
    return float(curve(times, power).integrate(times[0], times[-1]))


def _thinned(steps: Rows, recorded: np.ndarray, stride: int) -> tuple[Rows, np.ndarray]:
    """Every ``stride``-th of the steps, and all that are recorded, whose new numbers are given too."""
    kept = np.union1d(np.arange(stride - 1, len(steps.times), stride), recorded).astype(np.int64)
    return _picked(steps, kept), np.searchsorted(kept, recorded)


def _copied(rows: Rows) -> Rows:
    return Rows(*(column.copy() for column in rows))


def _picked(rows: Rows, places: np.ndarray) -> Rows:
    return Rows(*(np.ascontiguousarray(column[places]) for column in rows))
