"""A step of a biped by virtual constraints, as a curve in its configurations: q(theta), q'(theta), q''(theta).

The actuated joints follow a curve of the phase variable theta. The phase variable itself gives one more coordinate, the one that
no actuator moves, and the foot that stands gives the place of the robot. So on the constraints the robot has one freedom, theta.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from locodyn.controllers.curves import Bezier
from locodyn.controllers.virtual_constraints import VirtualConstraints
from locodyn.dynamics.model import Model
from locodyn.errors import InputError, RunError
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.impact import Impact, plastic_impact
from locodyn.phases.transition import walking_direction
from locodyn.typing import Vector
from locodyn.walking.known_robot import check_free, check_known

_ROUNDS, _CLOSE = 50, 1e-14
_LANDED = 1e-6  # m, of the foot that lands
_CARRIES = 1e-6  # determinant of what unit motions of two slides do to a foot, below which they do not span its plane


@dataclass(frozen=True, eq=False)
class Biped:
    """A biped in the words of virtual constraints, on its first leg; the mirror of its phases gives the second.

    Parameters
    ----------
    hybrid : HybridProblem
        With a mirror, and a phase for each leg.
    outputs : names of the actuated coordinates, in the order of the curve.
    phase : {coordinate: weight}
        theta = sum of weights times coordinates; must increase in walking.
    leaning : str
        The coordinate that no actuator moves; theta gives it.
    carried : names of the coordinates that carry the whole robot along and up.
    stance, swing : names of the feet.
    along : (3,)
        Direction of walking.
    """

    hybrid: HybridProblem
    outputs: Sequence[str]
    phase: Mapping[str, float]
    leaning: str
    carried: Sequence[str]
    stance: str
    swing: str
    along: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if self.hybrid.phases.mirror is None:
            raise InputError("a step is half of a stride, so the phases of the biped need a mirror.")
        if not self.phase.get(self.leaning):
            raise InputError(f"the phase variable does not depend on '{self.leaning}', which no actuator moves; give its weight.")
        check_known(self.hybrid.model)
        for name in (*self.outputs, *self.phase, *self.carried):
            self.hybrid.model.position_of(name)
        object.__setattr__(self, "along", walking_direction(self.along, "of the biped"))
        for foot in (self.stance, self.swing):
            self.hybrid.feet.check(foot, "the biped")
            if all(tuple(one.feet) != (foot,) for one in self.hybrid.phases.phases.values()) or self.stance == self.swing:
                raise InputError(f"the foot '{foot}' of the biped needs a phase in which it alone holds, and another foot.")
        joints = (*self.outputs, self.leaning, *self.carried)
        for name in self.hybrid.model.compiled.coordinate_names:
            if joints.count(name) != 1:
                raise InputError(
                    f"the coordinate '{name}' is {'named twice among' if name in joints else 'none of'} the outputs, the one that"
                    " leans, and those that carry the biped; name each coordinate once."
                )
        check_free(self.hybrid.model, (self.leaning, *self.carried))
        carry = self.carry(self.hybrid.model.neutral(), self.stance)
        if carry.shape != (2, 2) or abs(np.linalg.det(carry)) < _CARRIES:
            raise InputError(
                f"{' and '.join(map(repr, self.carried))} do not carry the biped along {self.along} and up; name the two slides"
                " that do, and the direction of walking."
            )

    def words(self) -> dict[str, Any]:
        """By what a biped is known again: plain data."""
        model = self.hybrid.model
        words = {"robot": model.compiled.name, "outputs": list(self.outputs), "phase": dict(self.phase)}
        numbers = np.concatenate([model.constants.ravel(), np.nan_to_num(model.dof_constants.ravel(), posinf=-1.0)])
        return words | {"masses, lengths or drives": numbers.tolist()}

    def unlike(self, words: Mapping[str, Any]) -> str | None:
        """What differs from a biped of these words, numbers to round-off; None: nothing."""
        for what, own in self.words().items():
            other = words.get(what)
            if what == "masses, lengths or drives":
                alike = isinstance(other, list) and len(other) == len(own) and np.allclose(other, own, rtol=1e-9, atol=1e-12)
            else:
                alike = other == own
            if not alike:
                return what
        return None

    @cached_property
    def standing_phase(self) -> str:
        """Name of the phase in which the first leg stands."""
        return next(name for name, one in self.hybrid.phases.phases.items() if tuple(one.feet) == (self.stance,))

    @cached_property
    def places(self) -> dict[str, int]:
        """Where coordinates stand in q."""
        return {name: self.hybrid.model.position_of(name) for name in self.hybrid.model.compiled.coordinate_names}

    @cached_property
    def rates(self) -> dict[str, int]:
        """Where coordinates stand in v."""
        return {name: i for i, name in enumerate(self.hybrid.model.compiled.coordinate_names)}

    @cached_property
    def axes(self) -> np.ndarray:
        """(3, 2): direction of walking, and up."""
        contact = self.hybrid.feet.contacts[self.stance]
        return np.column_stack([np.asarray(self.along, dtype=float), np.asarray(contact.plane, dtype=float)[:, 2]])

    def theta(self, q: np.ndarray) -> float:
        """The phase variable at a configuration."""
        return float(sum(weight * q[self.places[name]] for name, weight in self.phase.items()))

    def planted(self, q: np.ndarray, foot: str | None = None) -> np.ndarray:
        """The configuration with a foot (the standing one) on the ground, at the origin along the walk."""
        feet, q = self.hybrid.feet, q.copy()
        foot = self.stance if foot is None else foot
        columns = [self.places[name] for name in self.carried]
        for _ in range(_ROUNDS):
            ground = np.asarray(feet.contacts[foot].ground, dtype=float)
            off = self.axes.T @ (feet.place(foot, q) - ground)
            if np.abs(off).max() < _CLOSE:
                break
            q[columns] -= np.linalg.solve(self.carry(q, foot), off)
        return q

    def carry(self, q: np.ndarray, foot: str) -> np.ndarray:
        """(2, 2): how carried coordinates move a foot."""
        model = self.hybrid.model
        units = np.eye(model.nv)[[self.rates[name] for name in self.carried]]
        zero = np.zeros(model.nv)
        moved: np.ndarray = self.axes.T @ np.column_stack([self.hybrid.feet.motion(foot, q, unit, zero)[0] for unit in units])
        return moved

    def pinned(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations with those of the carried coordinates for which the standing foot rests."""
        v, a, carry = v.copy(), a.copy(), self.carry(q, self.stance)
        columns = [self.rates[name] for name in self.carried]
        v[columns] = a[columns] = 0.0
        v[columns] = -np.linalg.solve(carry, self.axes.T @ self.hybrid.feet.motion(self.stance, q, v, a)[0])
        a[columns] = -np.linalg.solve(carry, self.axes.T @ self.hybrid.feet.motion(self.stance, q, v, a)[1])
        return v, a

    def mirrored(self) -> Biped:
        """The same on the other leg."""
        mirror = self.hybrid.phases.mirror
        assert mirror is not None
        pairs = {**mirror.pairs, **{two: one for one, two in mirror.pairs.items()}}

        def other(name: str) -> str:
            return pairs.get(name, name)

        return replace(
            self, outputs=[other(name) for name in self.outputs], phase={other(n): w for n, w in self.phase.items()},
            stance=self.swing, swing=self.stance, leaning=other(self.leaning),
        )  # fmt: skip


def check_rises(begin: float, end: float, where: str = "a step") -> None:
    """Refuse a phase variable that ends a step where it began or before."""
    if not end > begin:
        raise InputError(
            f"the phase variable goes from {begin:.4g} to {end:.4g} in {where}; it must increase: give its weights the opposite"
            " signs, or let the other leg be in front."
        )


@dataclass(frozen=True, eq=False)
class StepGait:
    """One step: a curve of the actuated joints over the phase variable from ``begin`` (theta+) to ``end`` (theta-).

    ``gravity`` (3,) m/s^2 in the axes of the ground, for which the step is made: other than that of the robot on a slope.
    """

    biped: Biped
    curve: Bezier
    begin: float
    end: float
    gravity: Vector | None = None

    def __post_init__(self) -> None:
        check_rises(self.begin, self.end)

    @property
    def span(self) -> float:
        """theta- - theta+."""
        return self.end - self.begin

    @cached_property
    def model(self) -> Model:
        """The robot under the gravity of the step."""
        own = self.biped.hybrid.model
        return own if self.gravity is None else Model(own.compiled, self.gravity)

    def at(self, theta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (nq,), q' (nv,), q'' (nv,) on the constraints, the standing foot at the origin."""
        biped, model = self.biped, self.biped.hybrid.model
        values, slopes, bends = self.curve((theta - self.begin) / self.span)
        q, first, second = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
        for name, value, slope, bend in zip(biped.outputs, values, slopes, bends, strict=True):
            q[biped.places[name]] = value
            first[biped.rates[name]], second[biped.rates[name]] = slope / self.span, bend / self.span**2
        weight, lean = biped.phase[biped.leaning], biped.rates[biped.leaning]
        q[biped.places[biped.leaning]] = (theta - biped.theta(q)) / weight
        others = {name: factor for name, factor in biped.phase.items() if name != biped.leaning}
        first[lean] = (1.0 - sum(w * first[biped.rates[name]] for name, w in others.items())) / weight
        second[lean] = -sum(w * second[biped.rates[name]] for name, w in others.items()) / weight
        q = biped.planted(q)
        return (q, *biped.pinned(q, first, second))

    def constraints(self, mirrored: bool = False) -> VirtualConstraints:
        """What a controller follows in the phase of the first leg, or of the second."""
        biped = self.biped.mirrored() if mirrored else self.biped
        return VirtualConstraints(self.model, list(biped.outputs), dict(biped.phase), (self.begin, self.end), self.curve)

    # -------------------------------------------------------------------------------------------------------------- impact
    @cached_property
    def impact(self) -> Impact:
        """Of the swing foot at the end of the step, for thetadot = 1 before it."""
        q, first, _ = self.at(self.end)
        hybrid = self.biped.hybrid
        height = hybrid.feet.height(self.biped.swing, q)
        if abs(height) > _LANDED:
            raise InputError(
                f"at the end of the step the foot '{self.biped.swing}' is {abs(height):.3g} m"
                f" {'above' if height > 0.0 else 'below'} the ground; end it in a posture with both feet on it, as level_posture"
                " finds."
            )
        landing = hybrid.problems[self.biped.mirrored().standing_phase]
        return plastic_impact(landing, 0.0, q, first)

    @cached_property
    def next_start(self) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and velocity at the beginning of the next step, legs exchanged, for thetadot = 1 at the end of this."""
        q, v = self.biped.hybrid.exchanged(self.at(self.end)[0], self.impact.velocity)
        return self.biped.planted(q), v

    def invariance_defect(self) -> float:
        """How far the state after the impact is from the constraints: angles (rad), and their slopes by theta."""
        q, v = self.next_start
        start, slope, _ = self.at(self.biped.theta(q))
        rate = sum(weight * v[self.biped.rates[name]] for name, weight in self.biped.phase.items())
        angles = [self.biped.places[name] for name in self.biped.outputs]
        speeds = [self.biped.rates[name] for name in self.biped.outputs]
        return max(
            float(np.abs(start[angles] - q[angles]).max()),
            float(np.abs(slope[speeds] - v[speeds] / rate).max()),
            abs(self.biped.theta(q) - self.begin),
        )


def invariant_gait(biped: Biped, posture: np.ndarray, last: np.ndarray, inner: np.ndarray) -> StepGait:
    """The step whose constraints hold after the impact too (hybrid invariance, Westervelt et al. 2003, theorem 4).

    ``posture`` (nq,): the configuration before the impact, both feet on the ground. ``last`` (n,): alpha_(M-1), the slope there.
    ``inner`` (n, M - 3): alpha_2 .. alpha_(M-2). The first two columns follow from the impact and the exchange of the legs.
    """
    hybrid, count = biped.hybrid, len(biped.outputs)
    if np.shape(last) != (count,) or np.ndim(inner) != 2 or len(inner) != count:
        raise InputError(
            f"the coefficients of the step have shapes {np.shape(last)} and {np.shape(inner)}; give ({count},) and"
            f" ({count}, M - 3), a row for each output."
        )
    angles = [biped.places[name] for name in biped.outputs]
    ends = posture[angles]
    begins = hybrid.exchanged(posture, np.zeros(hybrid.model.nv))[0]
    begin, end = biped.theta(begins), biped.theta(posture)
    degree = np.shape(inner)[1] + 3
    first = begins[angles]
    trial = np.column_stack([first, first, inner, last, ends])
    _, after = StepGait(biped, Bezier(trial), begin, end).next_start
    rate = sum(weight * after[biped.rates[name]] for name, weight in biped.phase.items())
    if not rate > 0.0:
        raise RunError("the phase variable would go back after the impact; choose another posture, or a slower end of the step.")
    second = first + (end - begin) / degree * after[[biped.rates[name] for name in biped.outputs]] / rate
    return StepGait(biped, Bezier(np.column_stack([first, second, inner, last, ends])), begin, end)


def level_posture(biped: Biped, angles: Mapping[str, float], solve_for: str) -> np.ndarray:
    """The configuration with these angles (rad) and both feet on the ground; the joint ``solve_for`` gives way."""
    from scipy.optimize import newton

    model = biped.hybrid.model
    q, solved = model.neutral(), model.position_of(solve_for)
    for name, value in angles.items():
        q[model.position_of(name)] = value

    def height(value: float) -> float:
        q[solved] = value
        return biped.hybrid.feet.height(biped.swing, biped.planted(q))

    q[solved] = float(newton(height, angles.get(solve_for, 0.0), tol=1e-15, maxiter=100))
    return biped.planted(q)
