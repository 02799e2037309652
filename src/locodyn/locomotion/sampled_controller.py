"""Controllers as robots have them: called once in a control period with what is measured, their torques held in between.

Obligations of a control law, ``law(measured) -> torques (nv,)``:

1. It is a function of a :class:`Measurement` (and of its own memory, which ``law.begin()``, if it has one, clears).
2. It gives a torque (N m) or force (N) for every coordinate; those of imposed coordinates and of the reference body are ignored.
3. ``law.targets`` (name -> law), if it has them, are the motions that its joints follow: results record them.
4. ``law.longest_step(model, q)``, if it has one, is the longest time (s) for which its torques may be held; a run that holds them
   longer is refused.
5. ``law.memory()`` (m,) and ``law.recall(memory)``, if it has them, hand its memory to a run that goes on; m stays the same.
   Without them a resumed run begins with the memory that ``law.begin()`` leaves.
6. ``law.wants_contacts``, if true, asks for the forces of hard contact.

A controller that is a plain function f(t, q, v) is asked whenever an integrator evaluates the robot: continuous control.
"""

from __future__ import annotations

import bisect
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from locodyn.errors import InputError


class Measurement(NamedTuple):
    """What a controller sees at the start of a control period."""

    time: float  # s
    q: np.ndarray  # (nq,) measured
    v: np.ndarray  # (nv,) measured
    contact_force: np.ndarray  # (n, 3) N, world axes, on the robot, in the step before; (0, 3) unless asked for
    contacts: tuple[str, ...]  # their names


@dataclass(frozen=True, eq=False)
class MeasurementNoise:
    """Noise x_m = x + N (2 U - 1), U uniform in (0, 1), anew in every control period (Transeth 2007, (7.9)-(7.14)).

    Parameters
    ----------
    position, velocity : number or (nv,)
        N of every coordinate: m, rad; m/s, rad/s.
    seed : int
    """

    position: Any = 0.0
    velocity: Any = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("position", "velocity"):
            values = np.asarray(getattr(self, name), dtype=float)
            if not (np.isfinite(values).all() and (values >= 0.0).all()):
                raise InputError(f"the noise of {name} is {getattr(self, name)!r}; it must be finite numbers, zero or more.")
            object.__setattr__(self, name, values)
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"the seed of the noise is {self.seed!r}; it must be a whole number, zero or more.")


class SampledController:
    """A control law in a loop of constant period.

    Parameters
    ----------
    law : function(Measurement) -> torques (nv,)
    period : s, optional
        Control period, a whole number of steps; by default one step.
    noise : MeasurementNoise, optional
    delay : s
        From a measurement to the torques that answer it: the way to the controller and from it to the motors, a whole number of
        steps. Nothing acts before the first torques arrive. The law is asked with the time of the measurement, so a reference
        within it is as late as its torques.
    """

    def __init__(
        self,
        law: Callable[[Measurement], Any],
        *,
        period: float | None = None,
        noise: MeasurementNoise | None = None,
        delay: float = 0.0,
    ) -> None:
        if not callable(law):
            raise InputError(f"the control law is {law!r}; it must be a function of a measurement.")
        if period is not None and not (np.isfinite(period) and period > 0.0):
            raise InputError(f"the control period is {period!r}; it must be a positive number of seconds.")
        if not (np.isfinite(delay) and delay >= 0.0):
            raise InputError(f"the delay of a controller is {delay!r}; it must be a number of seconds, zero or more.")
        self.law, self.period, self.noise, self.delay = law, period, noise, float(delay)
        self.times: list[float] = []
        self.torques: list[np.ndarray] = []
        self._pending: list[tuple[int, np.ndarray]] = []  # step at which they begin to act, and torques
        self._given, self._begun = self, self  # the controller that was given; of it, the copy that began last

    def of_its_own(self) -> SampledController:
        """A copy for one problem, with torques of its own: runs at the same time do not act with those of each other.

        The law is the same. One that remembers serves one run at a time: which began last is known.
        """
        found = copy.copy(self)
        found.times, found.torques, found._pending = [], [], []
        return found

    def is_like(self, other: SampledController) -> bool:
        """Whether both ask the same law, as often, as late and with the same noise."""
        alike = self.law is other.law and self.noise is other.noise
        return alike and (self.period, self.delay) == (other.period, other.delay)

    @property
    def targets(self) -> dict[str, Any]:
        """Motions that the joints follow."""
        return dict(getattr(self.law, "targets", {}))

    def longest_step(self, model: Any, q: np.ndarray) -> float:
        """For how long torques may be held at the configuration q, s."""
        limit = getattr(self.law, "longest_step", None)
        return float("inf") if limit is None else float(limit(model, q))

    def begin(self, problem: Any, start: float, step: float) -> None:
        """Forget the run before; steps of ``step`` (s) begin at ``start`` (s)."""
        ratio = 1.0 if self.period is None else self.period / step
        if abs(ratio - round(ratio)) > 1e-6 * ratio or round(ratio) < 1:
            raise InputError(f"the control period is {self.period:g} s; it must be a whole number of steps of {step:g} s.")
        late = self.delay / step
        if abs(late - round(late)) > 1e-6 * max(late, 1.0):
            raise InputError(f"the delay of a controller is {self.delay:g} s; it must be a whole number of steps of {step:g} s.")
        self._steps, self._step, self._count = round(ratio), step, problem.model.nv
        self._late = round(late)
        self.times, self.torques, self._pending = [], [], []
        self._first, self._last = round(start / step), -1  # step at which the run begins, and that of the last sample
        if self.noise is not None:
            source = np.random.PCG64(self.noise.seed)
            source.advance(2 * self._count * -(-self._first // self._steps))  # draws of a run that goes on here
            self._random = np.random.Generator(source)
        self._given._begun = self
        getattr(self.law, "begin", lambda: None)()

    @property
    def hands_over(self) -> bool:
        """Whether a run that goes on from a record has what the law remembers: it keeps nothing, keeps it, or hands it over."""
        return not hasattr(self.law, "begin") or (hasattr(self.law, "memory") and hasattr(self.law, "recall"))

    def memory(self) -> np.ndarray:
        """Number of the step of the last sample, from 1 on (0: none), its time and torques, and what the law remembers.

        With a delay, also how many torques have acted (0 or 1) and are on their way, and these with the steps at which they act.
        """
        held = self.torques[-1] if self.times else np.zeros(self._count)
        own: Any = getattr(self.law, "memory", lambda: [])()
        last = np.array([self._last + 1, self.times[-1] if self.times else 0.0])
        return np.concatenate([last, held, self._on_the_way(), np.asarray(own, dtype=float)])

    def _on_the_way(self) -> np.ndarray:
        """Torques that do not act yet, in a vector of one length."""
        if not self._late:
            return np.zeros(0)
        found = np.zeros((1 + -(-self._late // self._steps) + 1, 1 + self._count))
        found[0, :2] = min(len(self.times), 1), len(self._pending)
        for row, (number, torque) in zip(found[1:], self._pending, strict=False):
            row[0], row[1:] = number, torque
        return found.ravel()

    def recall(self, memory: np.ndarray) -> None:
        """What :meth:`memory` gave, after :meth:`begin`; the noise goes on by itself."""
        ahead, own = np.split(memory[2 + self._count :], [len(self._on_the_way())])
        if memory[0]:
            self.times, self.torques = [float(memory[1])], [memory[2 : 2 + self._count].copy()]
            self._last = int(memory[0]) - 1
            if self._late:
                rows = ahead.reshape(-1, 1 + self._count)
                self._pending = [(int(row[0]), row[1:].copy()) for row in rows[1 : 1 + int(rows[0, 1])]]
                if not rows[0, 0]:
                    self.times, self.torques = [], []
            if self.noise is not None and self._last == self._first and self._measures(self._last):
                self._random.random((2, self._count))  # drawn before the run paused here
        if len(own):
            self.law.recall(own)  # type: ignore[attr-defined]  # which has a memory

    def take_over(self, memory: np.ndarray, before: SampledController, places: Sequence[tuple[int, int]]) -> None:
        """Torques that the controller ``before`` of another robot held and had on their way, after :meth:`begin`.

        ``memory``: what its :meth:`memory` gave; ``places``: pairs of the numbers of a coordinate there and here.
        """
        if not len(memory) or not memory[0]:
            return
        count, late = before._count, before._on_the_way()
        held, ahead, own = np.split(memory[2:], [count, count + len(late)])
        rows = ahead.reshape(-1, 1 + count)
        there, here = (list(side) for side in zip(*places, strict=True)) if places else ([], [])

        def moved(torque: np.ndarray) -> np.ndarray:
            found = np.zeros(self._count)
            found[here] = torque[there]
            return found

        self._last = int(memory[0]) - 1
        if not len(rows) or rows[0, 0]:
            self.times, self.torques = [float(memory[1])], [moved(held)]
        self._pending = [(int(row[0]), moved(row[1:])) for row in rows[1 : 1 + int(rows[0, 1])]] if len(rows) else []
        if len(own) and self.law is before.law:
            self.law.recall(own)  # type: ignore[attr-defined]  # which has a memory

    def _measures(self, number: int) -> bool:
        """Whether a control period begins with the step."""
        return number % self._steps == 0 or self._last < 0

    def sample(self, problem: Any, number: int, t: float, q: np.ndarray, v: np.ndarray) -> bool:
        """At the start of step ``number`` (time t, state q, v): whether new torques act from there on.

        They answer what is measured there, if a control period begins and there is no delay. A run that goes on from there has
        asked already, so that its last record has the torque that acts from there on.
        """
        if number == self._last:
            return False
        if self._given._begun is not self and hasattr(self.law, "begin"):
            raise InputError(
                "the control law remembers, and another run has begun with it since this one; give each of them a law of its own."
            )
        measures = self._measures(number)
        if measures:
            self._pending.append((number + self._late, self._answer(problem, t, q, v)))
        acts = bool(self._pending) and self._pending[0][0] <= number
        if acts:
            self.times.append(float(t))
            self.torques.append(self._pending.pop(0)[1])
        if measures or acts:
            self._last = number
        return acts

    def _answer(self, problem: Any, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques (nv,) of the law for what is measured at time t."""
        q, v = q.copy(), v.copy()
        if self.noise is not None:
            draws = 2.0 * self._random.random((2, self._count)) - 1.0
            error = self.noise.position * draws[0]
            q = q + error if len(q) == self._count else problem.model.move(q, error)
            v = v + self.noise.velocity * draws[1]
        forces, names = np.zeros((0, 3)), ()
        if getattr(self.law, "wants_contacts", False):
            names = tuple(problem.contact.table.names)
            forces = problem.contact.forces(self._step) if self._last >= 0 else np.zeros((len(names), 3))
        torque = np.asarray(self.law(Measurement(float(t), q, v, forces, names)), dtype=float)
        if torque.shape != (self._count,):
            raise InputError(f"the control law returned shape {torque.shape}; it must return {self._count} forces.")
        return torque

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The torques that are held at time t (also of a run that is over), (nv,); zeros before the first ones arrive."""
        if not self.times:
            return np.zeros(len(v))
        row = len(self.times) if t >= self.times[-1] else bisect.bisect_right(self.times, t + 1e-9 * self._step)
        return self.torques[row - 1] if row or not self._late else np.zeros(len(v))
