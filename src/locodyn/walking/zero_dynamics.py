"""Hybrid zero dynamics: what is left of walking when the outputs are zero, a scalar map from step to step.

With sigma the angular momentum about the standing foot, positive forward, and I(theta) = sigma / thetadot on the constraints
(Westervelt, Grizzle, Koditschek 2003; Aguirre 2010, (5.18)-(5.23)):

    sigmadot = M g x_c,    zeta = sigma^2 / 2,    zeta(theta) = delta^2 zeta- - V(theta),    V = -int I M g x_c dtheta,
    rho(zeta-) = delta^2 zeta- - V(theta-),       zeta* = -V(theta-) / (1 - delta^2),
    a gait exists where  delta^2 < 1  and  delta^2 / (1 - delta^2) V(theta-) + V_max < 0,   and its multiplier is delta^2.

M g x_c is the moment of gravity about the foot, so that slopes need no other formula. Integrals are those of Chebyshev
polynomials through the integrand at 65 places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.polynomial import Chebyshev

from locodyn.errors import InputError, RunError
from locodyn.phases.impact import held_rows
from locodyn.typing import Vector
from locodyn.walking.known_robot import passive_forces
from locodyn.walking.step_gait import StepGait

_DEGREE, _FINE = 64, 400


@dataclass(frozen=True)
class StepSample:
    """A step at places of theta, (n, ...): time s, theta, thetadot, states, torques (N m) of the motors, ground force (N)."""

    time: np.ndarray
    theta: np.ndarray
    rate: np.ndarray
    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray
    normal: np.ndarray  # N
    along: np.ndarray  # N, in the direction of walking
    height: np.ndarray  # m, of the swing foot


class ZeroDynamics:
    """The scalar map of a step, its fixed point, and the motion on it.

    ``gravity`` (3,) m/s^2 in the axes of the ground, other than that of the gait: on another slope.
    """

    def __init__(self, gait: StepGait, gravity: Vector | None = None) -> None:
        self.gait = gait if gravity is None else replace(gait, gravity=gravity)
        self.model = self.gait.model
        places = np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
        theta = gait.begin + 0.5 * gait.span * (1.0 + places)
        found = [self._at(x) for x in theta]
        if (least := min(found))[0] <= 0.0:
            raise InputError(
                f"at {theta[found.index(least)]:.4g} the phase variable would turn back: its rate is the angular momentum"
                f" about the standing foot over I(theta) = {least[0]:.3g} kg m^2, which must be positive in the whole step;"
                " choose other weights, or another curve of the outputs."
            )
        domain = [gait.begin, gait.end]
        self.inertia = Chebyshev.fit(theta, [one[0] for one in found], _DEGREE, domain=domain)
        moment = Chebyshev.fit(theta, [one[0] * one[1] for one in found], _DEGREE, domain=domain)
        integral = moment.integ()
        self.potential = integral(gait.begin) - integral  # V(theta)

    def _at(self, theta: float) -> tuple[float, float]:
        """I(theta), kg m^2, and the moment of gravity about the standing foot, N m, both positive forward."""
        q, first, _ = self.gait.at(theta)
        return self._momentum(q, first), self._moment(q)

    @cached_property
    def _forward(self) -> np.ndarray:
        """Axis (3,) about which the robot turns when it walks forward: up x along."""
        along, up = self.gait.biped.axes.T
        return np.cross(up, along)

    def _momentum(self, q: np.ndarray, v: np.ndarray) -> float:
        """Angular momentum about the standing foot, positive forward, kg m^2/s."""
        foot = self.gait.biped.hybrid.feet.place(self.gait.biped.stance, q)
        linear, spin = self.model.momentum(q, v)
        return float(self._forward @ (spin + np.cross(self.model.centre_of_mass(q) - foot, linear)))

    def _moment(self, q: np.ndarray) -> float:
        foot = self.gait.biped.hybrid.feet.place(self.gait.biped.stance, q)
        weight = self.model.compiled.total_mass * self.model.gravity
        return float(self._forward @ np.cross(self.model.centre_of_mass(q) - foot, weight))

    # ------------------------------------------------------------------------------------------------------------- numbers
    @cached_property
    def delta_squared(self) -> float:
        """(sigma after the impact / sigma before it)^2, legs exchanged."""
        gait = self.gait
        before = self._momentum(*gait.at(gait.end)[:2])
        return (self._momentum(*gait.next_start) / before) ** 2

    @property
    def final_potential(self) -> float:
        """V(theta-), (N m s)^2."""
        return float(self.potential(self.gait.end))

    @cached_property
    def highest_potential(self) -> float:
        """V_max, over a fine grid and the zeros of V'."""
        places = [*np.linspace(self.gait.begin, self.gait.end, _FINE)]
        slope = self.potential.deriv()
        roots = np.asarray(slope.roots(), dtype=complex)
        inside = (roots.real > self.gait.begin) & (roots.real < self.gait.end) & (np.abs(roots.imag) < 1e-9)
        places += roots.real[inside].tolist()
        return float(max(self.potential(x) for x in places))

    @property
    def existence(self) -> float:
        """delta^2 / (1 - delta^2) V(theta-) + V_max: a gait exists where it is negative (Aguirre 2010, (5.22))."""
        d = self.delta_squared
        return d / (1.0 - d) * self.final_potential + self.highest_potential

    @property
    def fixed_point(self) -> float:
        """zeta*, (N m s)^2, before the impact."""
        d = self.delta_squared
        if not (0.0 < d < 1.0 and self.existence < 0.0):
            raise RunError(
                f"the step does not repeat: delta^2 = {d:.4g} must be below 1, and the condition (5.22) is {self.existence:.4g},"
                " which must be negative."
            )
        return -self.final_potential / (1.0 - d)

    def next(self, zeta: float) -> float:
        """rho(zeta-): the value before the next impact; :class:`RunError` where the robot falls back."""
        if self.delta_squared * zeta <= self.highest_potential:
            raise RunError("the robot falls back: its energy does not carry it over the highest point of the step.")
        return self.delta_squared * zeta - self.final_potential

    # -------------------------------------------------------------------------------------------------------------- motion
    def rate(self, theta: float, zeta: float | None = None) -> float:
        """thetadot (rad/s) in a step that ends at ``zeta``, by default the one that repeats."""
        last = self.fixed_point if zeta is None else zeta
        return float(np.sqrt(2.0 * (last + self.final_potential - self.potential(theta))) / self.inertia(theta))

    @cached_property
    def duration(self) -> float:
        """Of a step, s."""
        nodes, weights = np.polynomial.legendre.leggauss(_DEGREE)
        theta = self.gait.begin + 0.5 * self.gait.span * (1.0 + nodes)
        return float(0.5 * self.gait.span * sum(w / self.rate(x) for x, w in zip(theta, weights, strict=True)))

    @cached_property
    def length(self) -> float:
        """Of a step, m: from the standing foot to the one that lands."""
        biped = self.gait.biped
        place = biped.hybrid.feet.place(biped.swing, self.gait.at(self.gait.end)[0])
        return float(np.dot(biped.along, place))

    @property
    def speed(self) -> float:
        """m/s."""
        return self.length / self.duration

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at the beginning of the step that repeats."""
        q, first, _ = self.gait.at(self.gait.begin)
        return q, self.rate(self.gait.begin) * first

    def acceleration(self, theta: float, rate: float) -> float:
        """thetaddot on the constraints: sigmadot = I thetaddot + I' thetadot^2 is the moment of gravity."""
        q, _, _ = self.gait.at(theta)
        return (self._moment(q) - float(self.inertia.deriv()(theta)) * rate**2) / float(self.inertia(theta))

    def sampled(self, count: int = _FINE, zeta: float | None = None) -> StepSample:
        """The step that repeats, or that ends at ``zeta``, at ``count`` places, with torques and forces by inverse dynamics."""
        gait, biped = self.gait, self.gait.biped
        nodes = np.linspace(gait.begin, gait.end, count)
        rates = np.array([self.rate(x, zeta) for x in nodes])
        pieces, weights = np.polynomial.legendre.leggauss(6)
        times = [0.0]
        for one, two in pairwise(nodes):
            inside = 0.5 * (two - one) * pieces + 0.5 * (one + two)
            times.append(
                times[-1] + 0.5 * (two - one) * sum(w / self.rate(x, zeta) for x, w in zip(inside, weights, strict=True))
            )
        rows = []
        for theta, rate in zip(nodes, rates, strict=True):
            q, first, second = gait.at(theta)
            v = rate * first
            a = self.acceleration(theta, rate) * first + rate**2 * second
            rows.append((q, v, *self._forces(q, v, a), biped.hybrid.feet.height(biped.swing, q)))
        q, v, torque, normal, along, height = (np.array(column) for column in zip(*rows, strict=True))
        return StepSample(np.array(times), nodes, rates, q, v, torque, normal, along, height)

    def costs(self, sample: StepSample) -> tuple[float, float]:
        """int u^2 dt / length, (N m)^2 s/m, and int |power| dt / (m g length) of a step."""
        driven = [self.gait.biped.rates[name] for name in self.gait.biped.outputs]
        effort = np.trapezoid(np.sum(sample.torque**2, axis=1), sample.time) / self.length
        power = np.trapezoid(np.abs(sample.torque * sample.v[:, driven]).sum(axis=1), sample.time)
        weight = self.model.compiled.total_mass * float(np.linalg.norm(self.model.gravity))
        return float(effort), float(power / (weight * self.length))

    def _forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Torques of the motors and force of the ground, M a + h = B u + f + J^T F; the row that no actuator moves is zero."""
        biped = self.gait.biped
        problem = biped.hybrid.problems[biped.standing_phase]
        names, jacobian, _ = held_rows(problem, 0.0, q, v)
        needed = self.model.inverse_dynamics(q, v, a) - passive_forces(self.model, q, v)
        driven = [biped.rates[name] for name in biped.outputs]
        inputs = np.hstack([np.eye(self.model.nv)[:, driven], jacobian.T])
        found = np.linalg.lstsq(inputs, needed, rcond=None)[0]
        force = dict(zip(names, found[len(driven) :], strict=True))
        plane = np.asarray(biped.hybrid.feet.contacts[biped.stance].plane, dtype=float)
        world = sum(force[f"{biped.stance}.{way}"] * plane[:, k] for k, way in enumerate(("first", "second", "normal")))
        return found[: len(driven)], float(biped.axes[:, 1] @ world), float(biped.axes[:, 0] @ world)
