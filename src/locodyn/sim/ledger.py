"""What the energy account needs of a run, one number for each record: kept whatever the run records.

``record=("joint_position",)`` leaves energies and powers out of the result, not out of the account: the dynamics give them at
every record anyway. The ledger has those that are numbers as they are. Of joints and of the wrench on the reference body, which
may be many numbers, it has what they come to: powers, and work from record to record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

SUMS = ("friction_loss", "impact_loss", "work_supplied", "work_unrecorded", "work_unrecorded_error")  # J since the start
_NUMBERS = ("kinetic_energy", "potential_energy", "power_actuators", "power_dissipated", "power_external", *SUMS)
BASE_POWER = "power of the wrench on the reference body"  # W
UNSEEN_WORK = "work of the joints since the record before that records do not resolve"  # J
JUMPS = "work since the record before on one side of jumps of the torque"  # J
_PIECE = 65536  # records that are looked at together

Series = Any  # arrays (n, ...) by the names of the contract: a mapping, or a dataset


class Ledger:
    """Numbers (n,) of all records so far; stretch after stretch is added to them."""

    def __init__(self) -> None:
        self._times: list[np.ndarray] = []
        self._parts: list[dict[str, np.ndarray]] = []

    def add(self, times: np.ndarray, series: Mapping[str, np.ndarray], projective: bool) -> None:
        """The records of a stretch at ``times`` (n,) s; it begins with the last one of the stretch before.

        ``series``: what the dynamics and the integrator gave; ``projective``: torques leave a wrench to the reference body.
        """
        found = columns(times, series, projective)
        if self._parts and len(times):
            before = self._parts[-1]
            for name in SUMS:  # counted from the start of the run, by themselves or from here on
                if name in before or name in found:
                    last, values = before.get(name, np.zeros(1))[-1], found.get(name, np.zeros(len(times)))
                    found[name] = values + (last - values[0])
            times, found = times[1:], {name: values[1:] for name, values in found.items()}
        if len(times):
            self._times.append(times)
            self._parts.append(found)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def whole(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Times (n,) s and the numbers (n,) at them, of all stretches."""
        names = dict.fromkeys(name for part in self._parts for name in part)
        joined = {
            name: np.concatenate([part.get(name, np.zeros(len(t))) for part, t in zip(self._parts, self._times, strict=True)])
            for name in names
        }
        self._times, self._parts = [np.concatenate(self._times)], [joined]
        return self._times[0], joined


def first_records(times: np.ndarray, series: Series, count: int) -> tuple[np.ndarray, Series]:
    """Times and numbers of the first records only."""
    kept = series.isel(time=slice(0, count)) if hasattr(series, "isel") else {name: v[:count] for name, v in series.items()}
    return times[:count], kept


def columns(times: np.ndarray, series: Series, projective: bool) -> dict[str, np.ndarray]:
    """What the account needs of records, (n,) each."""
    found = {name: np.asarray(series[name], dtype=float) for name in _NUMBERS if name in series}
    if projective and "base_wrench" in series:
        found[BASE_POWER] = base_power(series)
    return found | {UNSEEN_WORK: unseen_work(times, series), JUMPS: jumps(times, series)}


def base_power(series: Series) -> np.ndarray:
    """Power (n,) W of what projective torques leave to the reference body."""
    power = np.zeros(len(series["base_wrench"]))
    for rows in _pieces(len(power)):
        power[rows] = np.sum(np.asarray(series["base_wrench"][rows]) * np.asarray(series["twist"][rows]), axis=1)
    return power


def unseen_work(times: np.ndarray, series: Series) -> np.ndarray:
    """Work (n,) J of the joints since the record before by which sum tau dq and sum tau v dt differ."""
    unseen = np.zeros(len(times))
    if "joint_torque" not in series:
        return unseen
    for rows in _pieces(len(times)):
        torque, place, speed = (np.asarray(series[f"joint_{name}"][rows]) for name in ("torque", "position", "velocity"))
        path = 0.5 * np.sum((torque[1:] + torque[:-1]) * np.diff(place, axis=0), axis=1)
        power = np.sum(torque * speed, axis=1)
        unseen[rows][1:] = np.abs(path - 0.5 * np.diff(times[rows]) * (power[1:] + power[:-1]))
    return unseen


def jumps(times: np.ndarray, series: Series) -> np.ndarray:
    """Work (n,) J since the record before that depends on which side of a jump the torque is: half of sum |dtau dq|."""
    found = np.zeros(len(times))
    if "joint_torque" not in series:
        return found
    for rows in _pieces(len(found)):
        torque, place = (np.asarray(series[f"joint_{name}"][rows]) for name in ("torque", "position"))
        found[rows][1:] = 0.5 * np.sum(np.abs(np.diff(torque, axis=0) * np.diff(place, axis=0)), axis=1)
    return found


def _pieces(records: int) -> Iterator[slice]:
    """Rows of a series a piece at a time, each with the last one of the piece before: what joints record may be large."""
    for first in range(0, records - 1, _PIECE):
        yield slice(first, min(first + _PIECE + 1, records))
