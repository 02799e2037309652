"""Gaits by optimisation: steps that cost least within limits, alone or in families over speed and slope.

The problem is that of :mod:`locodyn.walking.design_problem`, solved by IPOPT with exact Hessians; both come with CasADi's wheel.
A gait that was found is looked at on a fine grid; limits that it passes between the places are tightened by what it passes them,
and the problem is solved again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locodyn.controllers.curves import Bezier
from locodyn.errors import InputError, RunError, nearest
from locodyn.walking.block_program import Outcome
from locodyn.walking.design_problem import FORCE, MOMENTUM, POWER, SPEED, TORQUE, GaitProblem
from locodyn.walking.limits import GaitLimits, StepPath, check_power, path_excess, pull, stride_limits, tightened
from locodyn.walking.step_gait import Biped, StepGait, check_rises
from locodyn.walking.zero_dynamics import ZeroDynamics

_TIGHTENED = 5  # rounds
_FINE, _ALLOWED = 400, 1e-6  # places of the fine grid; what a limit may be passed by there
# Limits in the order in which they are let go where no gait was found, and to what.
_RELEASED: dict[str, Any] = {
    "torque": 1e4, "power": 1e6, "friction": 10.0, "clearance": 0.0, "delta_squared": 0.999, "length": (0.05, 1.5), "joints": {},
}  # fmt: skip
_LEAST_INERTIA, _LEAST_LEAN = 1.0, 0.05  # kg m^2 of I(theta); rad of theta- and -theta+


@dataclass(frozen=True)
class Designed:
    """A gait that was found.

    ``cost``: int u^2 dt / length, (N m)^2 s/m. ``transport``: int |power| dt / (m g length). ``excess``: limits that it still
    passes on the fine grid, and by how much. ``iterations`` of IPOPT and ``seconds``, of all rounds; ``status``: what IPOPT says.
    ``limits`` that it keeps, and those that were ``asked`` for at the places, a little narrower. ``point`` (variables,
    multipliers of bounds, of rows) starts a neighbour.
    """

    gait: StepGait
    cost: float
    transport: float
    iterations: int
    seconds: float
    status: str
    excess: Mapping[str, float]
    limits: GaitLimits = field(repr=False)
    asked: GaitLimits = field(repr=False)
    point: tuple[np.ndarray, np.ndarray, np.ndarray] = field(repr=False)

    @property
    def gravity(self) -> np.ndarray:
        """(3,) m/s^2 in the axes of the ground, as a scenario takes it."""
        return self.gait.model.gravity.copy()

    @cached_property
    def dynamics(self) -> ZeroDynamics:
        """Its hybrid zero dynamics, computed apart from the optimiser."""
        return ZeroDynamics(self.gait)


class GaitDesign:
    """The optimisation of the gaits of one biped: built once, solved for any speed, slope and limits.

    Parameters
    ----------
    biped : Biped
    posture : {coordinate: rad}
        A rough guess of the end of a step: outputs and the coordinate that leans.
    bend : {coordinate: rad}
        By how much joints bend more in the middle of the step than on the straight line between its ends, in the guess.
    degree, places : M of the Bezier polynomials, n of the Lobatto places.
    limits : GaitLimits
    """

    def __init__(
        self,
        biped: Biped,
        posture: Mapping[str, float],
        bend: Mapping[str, float] | None = None,
        *,
        degree: int = 6,
        places: int = 25,
        limits: GaitLimits | None = None,
    ) -> None:
        self.joints = [*biped.outputs, biped.leaning]
        for name in self.joints:
            if name not in posture:
                raise InputError(f"the posture says nothing of '{name}'; give an angle for each actuated joint and for the lean.")
        for name in (*posture, *(bend or {})):
            if name not in self.joints:
                raise InputError(
                    f"the guess of the gait names the joint '{name}', which it does not have{nearest(name, self.joints)}"
                )
        if degree < 4 or places < 7:
            raise InputError(f"a gait of degree {degree} at {places} places is too coarse; take 4 or more, and 7 or more.")
        self.biped, self.limits = biped, stride_limits(limits or GaitLimits(), biped.hybrid, self.joints)
        self.posture, self.bend = dict(posture), dict(bend or {})
        end = biped.hybrid.model.neutral()
        for name, angle in self.posture.items():
            end[biped.hybrid.position(name)] = angle
        begin = biped.hybrid.exchanged(end, np.zeros(biped.hybrid.model.nv))[0]
        check_rises(biped.theta(begin), biped.theta(end), "a step that ends in the posture of the guess")
        self.pull = pull(biped.hybrid)
        self.problem = GaitProblem(biped, degree, places, math.isfinite(self.limits.power))

    # ---------------------------------------------------------------------------------------------------------------- solve
    def solve(
        self,
        speed: float,
        slope: float = 0.0,
        *,
        limits: GaitLimits | None = None,
        transport: float = 0.0,
        near: Designed | None = None,
        rough: bool = False,
        restarts: int = 5,
        seed: int = 0,
    ) -> Designed:
        """The cheapest gait of this speed (m/s) on ground that rises by ``slope`` (rad) in the direction of walking.

        ``transport``: share of the transport cost, 0 (torques squared) to 1. ``near``: a gait from which to start; ``rough``:
        start from a random guess instead. ``restarts``: how many random starts follow where the first one fails; a
        :class:`RunError` names the limit without which there would be a gait.
        """
        if not (math.isfinite(speed) and speed > 0.0):
            raise InputError(f"the speed of the gait is {speed!r} m/s; it must be positive.")
        wanted = stride_limits(limits or self.limits, self.biped.hybrid, self.joints)
        check_power(wanted, self.problem.powered)
        asked = near.asked if near is not None and near.limits == wanted else wanted
        began, iterations = time.perf_counter(), 0
        down = (-self.pull * math.sin(slope), -self.pull * math.cos(slope))
        rng = np.random.default_rng(seed)
        start: Any = self.guess(speed, rng if rough else None) if near is None else near.point
        tried, designed = 0, None
        for _ in range(_TIGHTENED):
            parameters = np.array([speed, *down, asked.friction, asked.clearance, asked.delta_squared, transport])
            found = self._run(parameters, asked, start)
            iterations += found.iterations
            while not found.success and tried < restarts:
                tried += 1
                found = self._run(parameters, asked, self.guess(speed, rng))
                iterations += found.iterations
            if not found.success:
                raise RunError(self._failure(found, parameters, asked))
            designed = self._designed(found, parameters, wanted, asked, iterations, time.perf_counter() - began)
            if not designed.excess:
                break
            asked, start = tightened(asked, designed.excess), designed.point
        assert designed is not None
        return designed

    def family(
        self, speeds: Sequence[float], slopes: Sequence[float] = (0.0,), **options: Any
    ) -> dict[tuple[float, float], Designed]:
        """A library of gaits by (speed, slope), each started from its neighbour; those that do not exist are left out."""
        found: dict[tuple[float, float], Designed] = {}
        row: Designed | None = None  # the first gait of the slope before
        for slope in slopes:
            near = row
            for number, speed in enumerate(speeds):
                try:
                    near = self.solve(speed, slope, near=near, **options)
                except RunError:
                    continue
                found[speed, slope] = near
                row = near if number == 0 else row
        return found

    def _run(self, parameters: np.ndarray, limits: GaitLimits, start: Any) -> Outcome:
        """One solve."""
        return self.problem.program.solve(start, parameters, self._bounds(limits), self._row_bounds(limits))

    def _designed(
        self, found: Outcome, parameters: np.ndarray, limits: GaitLimits, asked: GaitLimits, iterations: int, seconds: float
    ) -> Designed:
        """What was found, with the limits that it passes on a fine grid."""
        x, at = found.point[0], self.problem.columns
        gravity = self.biped.axes @ parameters[1:3]
        gait = StepGait(self.biped, Bezier(x[at["alpha"]].T), float(x[at["ends"][0]]), float(x[at["ends"][1]]), gravity)
        s, node = self.problem.fine(x, parameters, _FINE)
        angles = {name: node.joints[self.joints.index(name)] for name in limits.joints}
        path = StepPath(s, node.torque.T, node.powers.T, node.force[1], node.force[0], node.place[1], angles)
        excess = {name: amount for name, amount in path_excess(path, limits).items() if amount > _ALLOWED}
        effort, transport = self.problem.costs(x, parameters, node)
        return Designed(gait, effort, transport, iterations, seconds, found.status, excess, limits, asked, found.point)

    def _failure(self, found: Outcome, parameters: np.ndarray, limits: GaitLimits) -> str:
        """Why there is no gait: the limit without which there is one, and what that gait needs of it."""
        speed, slope = float(parameters[0]), math.asin(-parameters[1] / self.pull)
        what = f"no gait of {speed:g} m/s on the slope {slope:g} rad was found ({found.status}): "
        for name, wide in _RELEASED.items():
            free = replace(limits, **{name: wide})
            numbers = np.array([*parameters[:3], free.friction, free.clearance, free.delta_squared, parameters[-1]])
            trial = self._run(numbers, free, self.guess(speed))
            if trial.success:
                return f"{what}{self._needs(name, trial, numbers)}; give more room, or another speed."
        kind = self.problem.program.kinds[int(np.argmax(found.missed))]
        return (
            f"{what}the condition '{kind}' is missed most, and no single limit is the reason; give more room, or another speed."
        )

    def _needs(self, name: str, found: Outcome, parameters: np.ndarray) -> str:
        """What a gait that was found without the limit ``name`` needs of it, in words."""
        x = found.point[0]
        node = self.problem.fine(x, parameters, _FINE)[1]
        if name == "torque":
            most = np.abs(node.torque).max(axis=1)
            worst = int(np.argmax(most))
            return f"the torque limit is too low, without it '{self.biped.outputs[worst]}' would need {most[worst]:.3g} N m"
        if name == "power":
            strong = np.abs(node.powers).max(axis=1)
            worst = int(np.argmax(strong))
            return f"the power limit is too low, without it '{self.biped.outputs[worst]}' would need {strong[worst]:.3g} W"
        if name == "friction":
            used = float((np.abs(node.force[0]) / node.force[1]).max())
            return f"the friction is too low, without this limit the standing foot would need {used:.3g}"
        if name == "length":
            return f"steps of the allowed length do not do, one of {float(x[self.problem.columns['length'][0]]):.3g} m would"
        words = {
            "delta_squared": "the limit of delta^2",
            "clearance": "the clearance of the swing foot",
            "joints": "limits of joints",
        }
        return f"without {words[name]} there would be one"

    # --------------------------------------------------------------------------------------------------------------- bounds
    def _row_bounds(self, limits: GaitLimits) -> dict[str, tuple[float, float]]:
        """Least and largest values of the rows, by their kinds."""
        inf, most = math.inf, limits.torque / TORQUE
        return {
            "normal": (limits.normal / FORCE, inf),
            "cone": (-inf, 0.0),
            "inertia": (_LEAST_INERTIA / MOMENTUM, inf),
            "height": (0.0, inf),
            "lean": limits.joints.get(self.biped.leaning, (-inf, inf)),
            "impulse": (0.1 / MOMENTUM, inf),
            "impact cone": (-inf, 0.0),
            "touchdown": (-inf, -limits.touchdown / SPEED),
            "lift-off": (limits.lift_off / SPEED, inf),
            "delta": (-inf, 0.0),
        } | {
            f"{kind} {name}": (-size, size)
            for name in self.biped.outputs
            for kind, size in (("torque", most), ("power", limits.power / POWER))
        }

    def _bounds(self, limits: GaitLimits) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest values of the variables."""
        at = self.problem.columns
        joint = np.array([limits.joints.get(name, (-math.inf, math.inf)) for name in self.biped.outputs])
        least, most = np.full(self.problem.size, -math.inf), np.full(self.problem.size, math.inf)
        least[at["ends"]], most[at["ends"]] = (-1.2, _LEAST_LEAN), (-_LEAST_LEAN, 1.2)
        least[at["length"]], most[at["length"]] = limits.length
        least[at["b"]], most[at["b"]] = joint.T
        least[at["w"]], most[at["w"]] = limits.rate**2, 1e3
        return least, most

    def guess(self, speed: float, rng: np.random.Generator | None = None) -> np.ndarray:
        """Straight lines between the mirrored posture and the posture, bent in the middle; ``rng``: with noise."""
        p, n = self.problem, len(self.biped.outputs)
        ends = np.array([self.posture[name] for name in self.joints])
        if rng is not None:
            ends = ends + 0.15 * rng.uniform(-1.0, 1.0, n + 1)
        begins = ends[p.order]
        part = np.linspace(0.0, 1.0, p.degree + 1)
        alpha = begins[:n, None] + (ends - begins)[:n, None] * part
        if rng is None:
            alpha += np.array([[self.bend.get(name, 0.0)] for name in self.biped.outputs]) * 4.0 * part * (1.0 - part)
        else:
            alpha[:, 1:-1] += 0.2 * rng.uniform(-1.0, 1.0, (n, p.degree - 1))
        weights = np.array([self.biped.phase.get(name, 0.0) for name in self.joints])
        theta = float(weights @ begins), float(weights @ ends)
        theta = min(theta[0], -0.1), max(theta[1], 0.1)
        span = theta[1] - theta[0]
        curve = [alpha @ basis for basis in p.basis]
        pace = np.full(p.count, (2.0 * speed * span / 0.8) ** 2)
        length = [0.5 * sum(self.limits.length)]
        parts = [alpha.T.ravel(), theta, length, *(one.T.ravel() for one in curve), pace, np.zeros(p.count)]
        return np.concatenate(parts)
