"""Virtual constraints: outputs of a robot that shall follow curves of a phase variable instead of time.

    y = h0(q) - hd(s),     s = (theta - theta+) / (theta- - theta+),     theta = theta(q)        (Aguirre 2010, (5.17))

h0 and theta are sums of coordinates, or places of points of the robot. Where y = 0 the robot moves as if links of its joints were
there, but the actuators make the forces (Aguirre 2010, 5.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from locodyn.controllers.curves import Curve
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.world.obstacles import numbers


@dataclass(frozen=True)
class Place:
    """The place of a body or marker along a direction of the world, m: an output that is no joint angle."""

    of: str
    along: tuple[float, float, float] = (0.0, 0.0, 1.0)


Output: TypeAlias = str | Mapping[str, float] | Place
"""A coordinate, a weighted sum of coordinates {name: weight}, or the place of a point."""


class Outputs:
    """Several functions h(q) with their derivatives.

    Parameters
    ----------
    model : Model
    given : outputs
    offset : (n,), optional
        Added to them.
    """

    def __init__(self, model: Model, outputs: Sequence[Output], offset: np.ndarray | None = None) -> None:
        self.model, self.count = model, len(outputs)
        self.rows = np.zeros((self.count, model.nv))
        self.places = np.zeros((self.count, model.nq))
        self.offset = np.zeros(self.count) if offset is None else offset
        self.points: list[tuple[int, Place]] = []
        for i, one in enumerate(outputs):
            if isinstance(one, Place):
                numbers(one.along, (3,), f"direction of the place of '{one.of}'")
                model.compiled.point(one.of)
                self.points.append((i, one))
                continue
            for name, weight in ({one: 1.0} if isinstance(one, str) else dict(one)).items():
                column = model.position_of(name)
                self.rows[i, model.compiled.coordinate_names.index(name)] = weight
                self.places[i, column] = weight

    def value(self, q: np.ndarray) -> np.ndarray:
        """h(q), (n,)."""
        result: np.ndarray = self.places @ q + self.offset
        for i, point in self.points:
            result[i] += float(np.dot(point.along, self.model.pose(point.of, q)[1]))
        return result

    def derivatives(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H (n, nv) and Hdot v (n,): hdot = H v, hddot = H a + Hdot v."""
        if not self.points:
            return self.rows, np.zeros(self.count)
        rows, drift = self.rows.copy(), np.zeros(self.count)
        for i, point in self.points:
            jacobian, rate = self.model.jacobians(point.of, q, v)
            axes = self.model.pose(point.of, q)[0]
            twist = jacobian @ v
            rows[i] = np.dot(point.along, axes @ jacobian[:3])
            drift[i] = float(np.dot(point.along, axes @ (rate[:3] @ v + np.cross(twist[3:], twist[:3]))))
        return rows, drift


def fade_in(s: float) -> tuple[float, float, float]:
    """10 s^3 - 15 s^4 + 6 s^5 from 0 to 1, constant outside, and two derivatives: all are continuous.

    >>> fade_in(0.5)
    (0.5, 1.875, 0.0)
    """
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0)), 30.0 * (s * (1.0 - s)) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


class VirtualConstraints:
    """The outputs y = h0(q) - hd(s(theta)) and their derivatives along a motion.

    Parameters
    ----------
    model : Model
    outputs : coordinates, sums of them, or places
        h0.
    phase : the same
        theta; must not turn back during a step.
    between : (theta+, theta-)
        Its values where s = 0 and s = 1.
    curve : Curve
        hd, one number for each output.
    """

    def __init__(
        self, model: Model, outputs: Sequence[Output], phase: Output, between: tuple[float, float], curve: Curve
    ) -> None:
        self.model, self.curve = model, curve
        self.names = tuple(outputs)
        self.outputs, self.phase = Outputs(model, outputs), Outputs(model, [phase])
        self._outputs_and_phase = Outputs(model, [*outputs, phase])  # both at once, for controllers that are asked often
        if np.shape(between) != (2,):
            raise InputError(f"the phase variable goes between {between!r}; give its values at the begin and the end of a step.")
        self.begin, self.end = (float(x) for x in between)
        self.shift = np.zeros(len(outputs))
        if curve.count != len(outputs):
            raise InputError(f"the curve has {curve.count} numbers for {len(outputs)} outputs; it must have one for each.")
        if not np.isfinite([self.begin, self.end]).all() or self.begin == self.end:
            raise InputError(f"the phase variable goes from {self.begin!r} to {self.end!r}; the two must be different numbers.")

    def theta(self, q: np.ndarray) -> float:
        """The phase variable."""
        return float(self.phase.value(q)[0])

    def part(self, q: np.ndarray, t: float) -> float:
        """s at a configuration and time."""
        return (self.theta(q) - self.begin) / (self.end - self.begin)

    def restart(self, t: float) -> None:
        """A phase begins; the phase variable knows by itself how far it is."""

    def wanted(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """hd(s) and its two derivatives by s, each (n,); with a ``shift`` (n,) it is faded in from s = 0 to s = 1."""
        value, slope, bend = self.curve(s)
        if not self.shift.any():
            return value, slope, bend
        part = fade_in(s)
        return value + part[0] * self.shift, slope + part[1] * self.shift, bend + part[2] * self.shift

    def errors(self, q: np.ndarray, v: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """y (n,) and ydot (n,)."""
        span, all_outputs = self.end - self.begin, self._outputs_and_phase
        value, rate = all_outputs.value(q), all_outputs.derivatives(q, v)[0] @ v
        wanted, slope, _ = self.wanted((value[-1] - self.begin) / span)
        return value[:-1] - wanted, rate[:-1] - slope * (rate[-1] / span)

    def at(self, q: np.ndarray, v: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """y (n,), ydot (n,), and the parts of yddot = rows a + drift: rows (n, nv), drift (n,)."""
        span = self.end - self.begin
        theta_row, theta_drift = self.phase.derivatives(q, v)
        rate = float(theta_row[0] @ v) / span
        wanted, slope, bend = self.wanted(self.part(q, t))
        rows, drift = self.outputs.derivatives(q, v)
        rows = rows - np.outer(slope, theta_row[0]) / span
        drift = drift - slope * theta_drift[0] / span - bend * rate * rate
        return self.outputs.value(q) - wanted, rows @ v, rows, drift


class TimedConstraints(VirtualConstraints):
    """Outputs that follow a curve of the time since their phase began, s = (t - t_0) / duration: in flight, where no angle leads.

    Parameters
    ----------
    model, outputs, curve : as of :class:`VirtualConstraints`
    duration : s
    """

    def __init__(self, model: Model, outputs: Sequence[Output], duration: float, curve: Curve) -> None:
        super().__init__(model, outputs, {}, (0.0, duration), curve)
        self.began = 0.0

    def part(self, q: np.ndarray, t: float) -> float:
        """s at a time, s."""
        return (t - self.began) / self.end

    def restart(self, t: float) -> None:
        """The phase begins at the time t (s)."""
        self.began = float(t)

    def errors(self, q: np.ndarray, v: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """y (n,) and ydot (n,)."""
        return self.at(q, v, t)[:2]

    def at(self, q: np.ndarray, v: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """As of :class:`VirtualConstraints`."""
        wanted, slope, bend = self.wanted(self.part(q, t))
        rows, drift = self.outputs.derivatives(q, v)
        return self.outputs.value(q) - wanted, rows @ v - slope / self.end, rows, drift - bend / self.end**2
