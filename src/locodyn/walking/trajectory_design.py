"""Gaits of any robot with point feet on any graph of phases, by direct collocation.

The problem is that of :mod:`locodyn.walking.trajectory_problem`; torques and forces are free at every point, so what is found is
the cheapest motion, not one that a polynomial of low degree can follow. Limits that it passes between the points, on a fine grid,
are tightened by what it passes them, and the problem is solved again. For bipeds with one freedom that no actuator moves,
:class:`~locodyn.walking.design.GaitDesign` is faster, and says how stable the gait is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.motion.base import positive
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.impact import held_rows
from locodyn.phases.transition import LiftOff, Reaches, walking_direction
from locodyn.walking.block_program import Outcome
from locodyn.walking.design_problem import FORCE, MOMENTUM, POWER, SPEED, TORQUE
from locodyn.walking.known_robot import passive_forces
from locodyn.walking.limits import GaitLimits, check_power, pull, stride_limits, tightened
from locodyn.walking.phase_path import PhasePath
from locodyn.walking.trajectory import PhaseMotion, Trajectory
from locodyn.walking.trajectory_problem import TrajectoryProblem

_SHORTEST, _LONGEST = 0.02, 5.0  # s, of a phase
_TIGHTENED, _MORE = 6, 1.0  # rounds; how much of what was passed a limit is tightened by
_FINE, _ALLOWED = 200, 1e-3  # points of the fine grid; what is reported there, in parts of a limit


class TrajectoryDesign:
    """The optimisation of the gaits of one robot: built once, solved for any speed, slope and limits.

    Parameters
    ----------
    hybrid : HybridProblem
    path : names of phases
        The phases of a stride in their order. With a mirror it may end at the mirror image of its first phase.
    actuated : names of coordinates that motors move
    postures : {coordinate: value} at two or more instants
        A rough guess: where coordinates are at the beginning, (in between,) and at the end; zero where nothing is said.
    durations : s
        Guessed, of each phase.
    along : (3,)
        Direction of walking.
    elements, points : of each phase, and Lobatto points of each element.
    limits : GaitLimits
        Those of the map of steps (``delta_squared``, ``rate``) do not apply.
    """

    def __init__(
        self,
        hybrid: HybridProblem,
        path: Sequence[str],
        actuated: Sequence[str],
        postures: Sequence[Mapping[str, float]],
        durations: Sequence[float],
        *,
        along: tuple[float, float, float] = (1.0, 0.0, 0.0),
        elements: int = 8,
        points: int = 4,
        limits: GaitLimits | None = None,
    ) -> None:
        self.path, self.hybrid = PhasePath(hybrid, path), hybrid
        self.limits = self._stride_limits(limits or GaitLimits())
        if len(postures) < 2:
            raise InputError(f"{len(postures)} posture is given; the guess needs one at the beginning and one at the end.")
        if len(durations) != len(self.path.legs):
            raise InputError(f"{len(durations)} durations are guessed for {len(self.path.legs)} phases; give one for each.")
        if elements < 1 or points < 3:
            raise InputError(f"{elements} elements of {points} points are too few; take 1 or more, of 3 or more.")
        self.actuated, self.pull = tuple(actuated), pull(hybrid)
        along = walking_direction(along, "of the design")
        self.problem = TrajectoryProblem(self.path, self.actuated, along, elements, points, math.isfinite(self.limits.power))
        self.postures = [dict(one) for one in postures]
        self.durations = tuple(positive(one, "a guessed duration of a phase") for one in durations)
        for name in {name for one in self.postures for name in one}:
            hybrid.position(name)

    def solve(
        self,
        speed: float,
        slope: float = 0.0,
        *,
        limits: GaitLimits | None = None,
        near: Trajectory | None = None,
        restarts: int = 3,
        seed: int = 0,
        rounds: int = _TIGHTENED,
    ) -> Trajectory:
        """The cheapest gait of this speed (m/s) on ground that rises by ``slope`` (rad); arguments as of ``GaitDesign.solve``.

        ``rounds``: how often the problem is solved at most, each time with limits that are tightened by what was passed.
        """
        if not (math.isfinite(speed) and speed > 0.0):
            raise InputError(f"the speed of the gait is {speed!r} m/s; it must be positive.")
        wanted, began, rng = self._stride_limits(limits or self.limits), time.perf_counter(), np.random.default_rng(seed)
        check_power(wanted, self.problem.powered)
        asked, tried, iterations, trajectory = wanted, 0, 0, None
        up = np.asarray(next(iter(self.hybrid.feet.contacts.values())).plane, dtype=float)[:, 2]
        gravity = -self.pull * (math.sin(slope) * self.problem.along + math.cos(slope) * up)
        start: Any = self.guess(speed) if near is None else near.point
        for _ in range(max(1, rounds)):
            found, bounds = self._run(start, speed, gravity, asked)
            iterations += found.iterations
            while not found.success and trajectory is None and tried < restarts:
                tried += 1
                found, bounds = self._run(self.guess(speed, rng), speed, gravity, asked)
                iterations += found.iterations
            if not found.success and trajectory is not None:
                break  # the gait before says what it passes
            if not found.success:
                raise RunError(self._failure(found, bounds, speed, slope))
            trajectory, passed = self._trajectory(found, speed, gravity, wanted, iterations, time.perf_counter() - began)
            if not passed:
                break
            asked, start = tightened(asked, passed, _MORE), found.point[0]
        assert trajectory is not None
        return trajectory

    def _stride_limits(self, limits: GaitLimits) -> GaitLimits:
        return stride_limits(limits, self.hybrid, self.hybrid.model.compiled.coordinate_names, self.path.mirrored)

    def _run(
        self, start: Any, speed: float, gravity: np.ndarray, limits: GaitLimits
    ) -> tuple[Outcome, tuple[np.ndarray, np.ndarray]]:
        """One solve, and the bounds of its variables."""
        bounds = self._bounds(limits, speed)
        parameters = np.array([speed, limits.friction, limits.clearance, *gravity])
        return self.problem.program.solve(start, parameters, bounds, self._row_bounds(limits)), bounds

    def _failure(self, found: Outcome, bounds: tuple[np.ndarray, np.ndarray], speed: float, slope: float) -> str:
        """Which limit is in the way: the row missed most, or the joint whose torque is at its limit longest."""
        kind = self.problem.program.kinds[int(np.argmax(found.missed))]
        x = found.point[0]
        limited: dict[str, int] = {}
        for at, joints in zip(self.problem.phases, self.problem.driven, strict=True):
            for i, name in enumerate(joints):
                limited[name] = limited.get(name, 0) + int(np.sum(np.abs(x[at.u[:, i]]) > 0.99 * bounds[1][at.u[:, i]]))
        most = max(limited, key=lambda name: limited[name])
        motor = f", and the torque of '{most}' is at its limit at {limited[most]} points" if limited[most] else ""
        return (
            f"no gait of {speed:g} m/s on the slope {slope:g} rad was found ({found.status}): the condition '{kind}' is missed"
            f" most{motor}; give more room, or another speed."
        )

    # --------------------------------------------------------------------------------------------------------------- bounds
    def _row_bounds(self, limits: GaitLimits) -> dict[str, tuple[float, float]]:
        """Least and largest values of the rows, by their kinds."""
        inf = math.inf
        table = {
            "cone": (-inf, 0.0),
            "impact cone": (-inf, 0.0),
            "height": (0.0, inf),
            "impulse": (0.1 / MOMENTUM, inf),
            "touchdown": (-inf, -limits.touchdown / SPEED),
            "lift-off": (limits.lift_off / SPEED, inf),
            "ahead": (0.0, inf),
        }
        feet, most = self.hybrid.feet.contacts, limits.torque / TORQUE
        drives = (("torque", most), ("power", limits.power / POWER))
        torques = {f"{kind} {name}": (-size, size) for kind, size in drives for name in self.actuated}
        return {f"{kind} {foot}": bound for kind, bound in table.items() for foot in feet} | torques

    def _bounds(self, limits: GaitLimits, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest values of the variables."""
        problem, inf = self.problem, math.inf
        least, most = np.full(problem.size, -inf), np.full(problem.size, inf)
        least[problem.durations], most[problem.durations] = _SHORTEST, _LONGEST
        least[problem.total], most[problem.total] = (one / speed for one in limits.length)
        for leg, at, joints in zip(self.path.legs, problem.phases, problem.driven, strict=True):
            for name, (low, high) in limits.joints.items():
                column = at.q[:, problem.names.index(name)]
                least[column], most[column] = low, high
            for name, value in self.hybrid.phases[leg.phase].locked.items():
                i = problem.names.index(name)
                least[at.q[:, i]] = most[at.q[:, i]] = value
                least[at.w[:, i]] = most[at.w[:, i]] = least[at.c[:, i]] = most[at.c[:, i]] = 0.0
            for i, name in enumerate(joints):
                if name in self.actuated:
                    least[at.u[:, i]], most[at.u[:, i]] = -limits.torque / TORQUE, limits.torque / TORQUE
            last, way = 0, leg.transition
            for foot in leg.feet:
                last += self.path.directions[foot].shape[1]
                lifts = isinstance(way, LiftOff) and way.foot == foot
                least[at.f[:, last - 1]] = 0.0 if lifts else limits.normal / FORCE
                if lifts:
                    most[at.f[-1, last - 1]] = 0.0
            if isinstance(way, Reaches):
                end = at.q[-1, problem.names.index(way.coordinate)]
                least[end] = most[end] = way.value
        begin = problem.phases[0].q[0][list(problem.shifts)]
        least[begin] = most[begin] = 0.0
        return least, most

    def guess(self, speed: float, rng: np.random.Generator | None = None) -> np.ndarray:
        """Coordinates on straight lines between the postures, the weight on the feet; ``rng``: with noise."""
        problem, x = self.problem, np.zeros(self.problem.size)
        x[problem.durations], x[problem.total] = self.durations, sum(self.durations)
        weight = float(self.hybrid.model.compiled.total_mass) * self.pull
        begins = np.concatenate([[0.0], np.cumsum(self.durations)])
        marks = np.linspace(0.0, begins[-1], len(self.postures))
        noise = 0.0 if rng is None else 0.1 * rng.uniform(-1.0, 1.0, (len(self.postures), problem.nv))
        values = np.array([[one.get(name, 0.0) for name in problem.names] for one in self.postures]) + noise
        for i, part in problem.shifts.items():
            values[:, i] = speed * marks * part
        for number, (leg, at) in enumerate(zip(self.path.legs, problem.phases, strict=True)):
            times = begins[number] + problem.s * self.durations[number]
            q = np.column_stack([np.interp(times, marks, column) for column in values.T])
            x[at.q], x[at.w] = q, np.gradient(q, problem.s, axis=0)
            last = 0
            for foot in leg.feet:
                last += self.path.directions[foot].shape[1]
                x[at.f[:, last - 1]] = weight / FORCE / len(leg.feet)
        return x

    # ------------------------------------------------------------------------------------------------------------- solution
    def _trajectory(
        self, found: Outcome, speed: float, gravity: np.ndarray, limits: GaitLimits, iterations: int, seconds: float
    ) -> tuple[Trajectory, dict[str, float]]:
        """What was found, over time, and what it passes between the points of each of the limits."""
        problem, x = self.problem, found.point[0]
        motions = []
        for leg, at, joints, place in zip(self.path.legs, problem.phases, problem.driven, problem.durations, strict=True):
            span, force, first = x[place], {}, 0
            for foot in leg.feet:
                axes = self.path.directions[foot]
                force[foot] = FORCE * x[at.f[:, first : first + axes.shape[1]]] @ axes.T
                first += axes.shape[1]
            motions.append(PhaseMotion(leg.phase, span * problem.s, x[at.q], x[at.w] / span, x[at.c] / span**2, tuple(joints),
                                       TORQUE * x[at.u], force, len(problem.rule[0]) - 1))  # fmt: skip
        excess, passed = self._excess(motions, limits)
        defect, effort, work = self._measured(motions, gravity)
        length = speed * sum(one.duration for one in motions)
        weight = float(self.hybrid.model.compiled.total_mass) * self.pull
        costs = effort / length, work / (weight * length)
        down = float(gravity[0]), float(gravity[1]), float(gravity[2])
        made = Trajectory(tuple(motions), speed, *costs, iterations, seconds, found.status, excess, defect, found.point, down)
        return made, passed

    def _excess(self, motions: Sequence[PhaseMotion], limits: GaitLimits) -> tuple[dict[str, float], dict[str, float]]:
        """What is passed on a fine grid: by joint and foot, and the most of each limit, in its unit, for tightening."""
        feet = self.hybrid.feet
        amounts: dict[str, float] = {}
        passed: dict[str, float] = {}

        def note(limit: str, name: str, amount: float, unit: float, narrower: float | None = None) -> None:
            if amount > _ALLOWED * unit:
                amounts[name] = max(amount, amounts.get(name, 0.0))
                passed[limit] = max(amount if narrower is None else narrower, passed.get(limit, 0.0))

        for leg, motion in zip(self.path.legs, motions, strict=True):
            fine = motion.sampled(_FINE)
            for i, name in enumerate(motion.joints):
                if name in self.actuated:
                    power = fine.torque[:, i] * fine.v[:, self.problem.names.index(name)]
                    note("torque", f"torque {name}", float(np.abs(fine.torque[:, i]).max() - limits.torque), limits.torque)
                    note("power", f"power {name}", float(np.abs(power).max() - limits.power), limits.power)
            for name, (least, most) in limits.joints.items():
                angle = fine.q[:, self.problem.names.index(name)]
                note(name, f"angle {name}", float(max(least - angle.min(), angle.max() - most)), 1.0)
            for foot, force in fine.force.items():
                normal = np.asarray(feet.contacts[foot].plane, dtype=float)[:, 2]
                up = force @ normal
                slides = np.linalg.norm(force - np.outer(up, normal), axis=1) - limits.friction * up
                worst = int(np.argmax(slides))
                note("friction", f"friction {foot}", float(slides[worst]), FORCE, slides[worst] / max(up[worst], 0.1 * up.max()))
                lifts = isinstance(leg.transition, LiftOff) and leg.transition.foot == foot
                note("normal", f"push {foot}", float((0.0 if lifts else limits.normal) - up.min()), FORCE)
            for foot in feet.contacts:
                if foot not in motion.force and not self.hybrid.phases.scuffing:
                    s, heights = fine.time / motion.duration, np.array([feet.height(foot, q) for q in fine.q])
                    note("clearance", f"depth {foot}", float(-heights.min()), 1.0)
                    note("clearance", f"clearance {foot}", float((4.0 * limits.clearance * s * (1.0 - s) - heights).max()), 1.0)
        return amounts, passed

    def _measured(self, motions: Sequence[PhaseMotion], gravity: np.ndarray) -> tuple[float, float, float]:
        """On a fine grid: what the equations of motion miss (N m), int u^2 dt and int |power| dt."""
        from locodyn.dynamics.model import Model

        model = Model(self.hybrid.model.compiled, gravity)
        defect = effort = work = 0.0
        for motion in motions:
            fine = motion.sampled(_FINE)
            driven = [self.problem.names.index(name) for name in motion.joints]
            effort += float(np.trapezoid(np.sum(fine.torque**2, axis=1), fine.time))
            finer = motion.sampled(10 * _FINE)  # |power| has kinks
            work += float(np.trapezoid(np.abs(finer.torque * finer.v[:, driven]).sum(axis=1), finer.time))
            defect = max(defect, self._defect(model, fine, driven))
        return defect, effort, work

    def _defect(self, model: Any, fine: PhaseMotion, driven: list[int]) -> float:
        """Largest torque (N m) that motion, torques and forces between the points leave over."""
        problem, worst = self.hybrid.problems[fine.phase], 0.0
        for k in range(0, len(fine.time), 10):
            needed = model.inverse_dynamics(fine.q[k], fine.v[k], fine.a[k]) - passive_forces(model, fine.q[k], fine.v[k])
            needed[driven] -= fine.torque[k]
            names, jacobian, _ = held_rows(problem, 0.0, fine.q[k], fine.v[k])
            for row, name in zip(jacobian, names, strict=True):
                foot, _, way = name.partition(".")
                if foot in fine.force:
                    plane = np.asarray(self.hybrid.feet.contacts[foot].plane, dtype=float)
                    needed -= row * float(plane[:, ("first", "second", "normal").index(way)] @ fine.force[foot][k])
            worst = max(worst, float(np.abs(needed).max()))
        return worst
