"""A stride that was found by collocation: states, torques and ground forces over time, phase by phase."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class PhaseMotion:
    """One phase at its points (n,): ``time`` s from its beginning, ``q``, ``v``, ``a``, ``torque`` of the driven joints, N m.

    ``force``: of each foot that holds, (n, 3) N in the world. ``step``: points of an element, less one.
    """

    phase: str
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    joints: tuple[str, ...]
    torque: np.ndarray
    force: Mapping[str, np.ndarray]
    step: int

    @property
    def duration(self) -> float:
        """s."""
        return float(self.time[-1])

    @property
    def elements(self) -> int:
        """How many polynomials it consists of."""
        return (len(self.time) - 1) // self.step

    def sampled(self, count: int) -> PhaseMotion:
        """The same at ``count`` times: a motion whose ``v`` and ``a`` are the derivatives of its ``q``.

        Accelerations, torques and forces are the polynomials of the elements. Velocities and positions are their integrals from
        the beginning of each element; where it ends they are those of the points, because Lobatto's rule with n points is exact
        up to the degree 2 n - 3, and those of positions have n.
        """
        times = np.linspace(0.0, self.duration, count)
        begins = self.time[:: self.step]
        element = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, self.elements - 1)
        span = self.duration / self.elements
        part = (times - begins[element]) / span
        order = np.arange(self.step + 1)
        powers = part[:, None] ** order
        inverse = np.linalg.inv((self.time[: self.step + 1, None] / span) ** order)

        def coefficients(values: np.ndarray) -> np.ndarray:
            """(count, degree + 1, n), of the element of each time, by powers of the part of it."""
            found = [inverse @ values[e * self.step : (e + 1) * self.step + 1] for e in range(self.elements)]
            return np.array(found)[element]

        def through(values: np.ndarray) -> np.ndarray:
            found: np.ndarray = np.einsum("ck,ckn->cn", powers, coefficients(values))
            return found

        bends, first = coefficients(self.a), self.v[element * self.step]
        once = powers * part[:, None] / (order + 1)
        twice = once * part[:, None] / (order + 2)
        v = first + span * np.einsum("ck,ckn->cn", once, bends)
        q = self.q[element * self.step] + span * part[:, None] * first + span**2 * np.einsum("ck,ckn->cn", twice, bends)
        force = {foot: through(one) for foot, one in self.force.items()}
        return PhaseMotion(self.phase, times, q, v, through(self.a), self.joints, through(self.torque), force, 1)


@dataclass(frozen=True)
class Trajectory:
    """A stride, or half of one with a mirror.

    ``cost``: int u^2 dt / length, (N m)^2 s/m. ``transport``: int |power| dt / (m g length). ``excess``: limits that it passes
    between the points, and by how much. ``defect``: largest torque (N m) that the equations of motion miss between the points.
    ``iterations`` of IPOPT, ``seconds``, ``status``: what IPOPT says. ``point`` starts a neighbour. ``gravity`` (3,) m/s^2 in the
    axes of the ground, as a scenario takes it; None: that of the robot.
    """

    motions: tuple[PhaseMotion, ...]
    speed: float
    cost: float
    transport: float
    iterations: int
    seconds: float
    status: str
    excess: Mapping[str, float]
    defect: float
    point: tuple[np.ndarray, np.ndarray, np.ndarray] = field(repr=False)
    gravity: tuple[float, float, float] | None = None

    @property
    def duration(self) -> float:
        """s."""
        return sum(one.duration for one in self.motions)

    @property
    def length(self) -> float:
        """m."""
        return self.speed * self.duration

    def save(self, file: str | Path, made_by: str) -> Path:
        """Write it as JSON, with the command that made it; the point for neighbours is left out."""
        plain = asdict(replace(self, point=(np.zeros(0),) * 3))
        del plain["point"]
        path = Path(file)
        path.write_text(json.dumps({"made_by": made_by, **plain}, default=_rounded, indent=1) + "\n", encoding="utf-8")
        return path

    @classmethod
    def load(cls, file: str | Path) -> Trajectory:
        """Read what :meth:`save` wrote."""
        plain = json.loads(Path(file).read_text(encoding="utf-8"))
        plain.pop("made_by")
        motions = []
        for one in plain.pop("motions"):
            arrays = {name: np.array(one[name]) for name in ("time", "q", "v", "a", "torque")}
            force = {foot: np.array(value) for foot, value in one["force"].items()}
            motions.append(PhaseMotion(**{**one, **arrays, "joints": tuple(one["joints"]), "force": force}))
        return cls(tuple(motions), **plain, point=(np.zeros(0),) * 3)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at the beginning."""
        return self.motions[0].q[0].copy(), self.motions[0].v[0].copy()


def _rounded(values: np.ndarray) -> list[object]:
    """An array as lists of numbers with twelve digits."""
    digits: list[object] = np.vectorize(lambda x: float(f"{x:.12g}"), otypes=[float])(values).tolist()
    return digits
