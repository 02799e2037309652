"""Quasi-static runs: the sequence of stable equilibria while laws change slowly (Gotelli 2024, algorithm 16 along time).

From one equilibrium to the next along the tangent A (qdot, mudot) = -dF/dt (:mod:`locodyn.equilibria.continuation`),
then by Newton's method. Wheels and rolling surfaces roll along, and rods slide in their sleeves, by the midpoint rule. Where the
stable equilibrium ends (a fold, or a branch that takes its stability) the robot falls into another one, which is found by
relaxation (:mod:`locodyn.equilibria.relaxation`): it snaps, and the run goes on from there. Velocities of the solution are the
rates at which the equilibria move; inertia and viscosity have no part in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.equilibria.balance import Balance, newton
from locodyn.equilibria.continuation import Continuation, Point, carried_alone
from locodyn.equilibria.relaxation import reach_of, relaxed
from locodyn.equilibria.statics import Equilibrium, equilibrium, result_of
from locodyn.errors import RunError
from locodyn.integrate.base import Solution, Watch
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem

_SMALLEST_PART = 2.0**-10  # of a step: a stable equilibrium that ends within it is followed no further
_FAR = 0.05  # of the size of the robot: a point that is farther from where the tangent leads may be another equilibrium
_SLOW = 1e-6  # factor of the speed of a motion that is slow enough


def run_quasi_static(
    problem: Problem,
    q: np.ndarray,
    t0: float,
    t_end: float,
    step: float,
    tolerance: float,
    every: int,
    watch: Watch,
) -> Solution:
    """Equilibria at the times of the steps; ``recorded`` has forces at rest and the number of unstable directions."""
    steps = max(1, round((t_end - t0) / step))
    follower = _Follower(problem, q, t0, min(tolerance, 1e-8))
    rows = [(t0, follower.here, follower.rates(), follower.used)]
    status = "completed"
    used, counted = 0, 0
    try:
        for n in range(1, steps + 1):
            follower.to(t0 + n * step, step)
            if n % every == 0:
                rows.append((t0 + n * step, follower.here, follower.rates(), follower.used - used))
                used = follower.used
            if watch.on_progress is not None:
                watch.on_progress(t0 + n * step)
            if watch.hand_over is not None and n % every == 0 and n < steps and watch.takes(len(rows)):
                watch.hand_over(_solution(follower, rows, step, follower.used - counted, "completed"))
                rows, counted = rows[-1:], follower.used
    except RunError as error:
        status = f"failed: {error}"
    except KeyboardInterrupt:
        status = f"interrupted at t = {rows[-1][0]:g} s"
    return _solution(follower, rows, step, follower.used - counted, status)


def _solution(follower: _Follower, rows: list[tuple[Any, ...]], step: float, evaluations: int, status: str) -> Solution:
    """Rows (time, equilibrium, rates, iterations) with the forces that hold them."""
    problem = follower.problem
    times, places, rates, iterations = (list(column) for column in zip(*rows, strict=True))
    solution = Solution(
        np.array(times), np.array([place.q for place in places]), np.array(rates), np.array(iterations, dtype=np.int64),
        status=status, evaluations=evaluations, step=step, message=status,
    )  # fmt: skip
    if problem.memories.count:
        solution.memory = np.array([follower.memory(t, place.q) for t, place in zip(times, places, strict=True)])
    solution.recorded = at_rest(problem, solution.times, solution.q, solution.v, solution.memory)
    solution.recorded["unstable_directions"] = np.array([place.unstable_directions for place in places])
    solution.recorded["least_stiffness"] = np.array([place.eigenvalues.min(initial=1.0) for place in places])  # 1: held
    solution.attributes = {"snaps": np.array(follower.snaps)}
    return solution


class _Follower:
    """The equilibrium at one time, and how it goes on."""

    def __init__(self, problem: Problem, q: np.ndarray, t: float, tolerance: float) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.here: Equilibrium = equilibrium(problem, q, t, tolerance=tolerance, stable=True)
        self.balance = Balance(problem, t)
        self.balance.rows.refuse_timed("a quasi-static run")
        self.system = Continuation(self.balance, self.here.q, "time", 1.0, forward=True)
        self.used, self.snaps = self.here.iterations, list[float]()
        self.size = reach_of(self.balance, self.here.q)

    def slope(self) -> np.ndarray:
        """Rates (n + m,) of the free coordinates and multipliers."""
        matrix = self.system.matrix(Point(self.here.q, self._forces(), self.here.time))
        right, rows = -matrix[:, -1], self.balance.rows
        if len(rows.rolling):  # wheels follow imposed coordinates
            slip = np.zeros(rows.count)
            slip[rows.rolling] = rows.slip(self.here.q, self._imposed_rates())
            rolls = np.isin(self.system.kept, rows.rolling)
            right[self.system.n :][rolls] = -slip[self.system.kept[rolls]]
        return np.asarray(self.balance.solved(matrix[:, :-1], right))

    def _imposed_rates(self) -> np.ndarray:
        """Rates (nv,) of imposed coordinates, zero for the others."""
        self.problem.read_inputs(self.here.time, self.here.q, self.balance.zero)
        return np.where(self.problem.drive == IMPOSED, self.problem.inputs.motion[1], 0.0)

    def _forces(self) -> np.ndarray:
        """Multipliers of the independent rows alone."""
        return carried_alone(self.balance, self.here.q, self.system.kept, self.here.multipliers)

    def memory(self, t: float, q: np.ndarray) -> np.ndarray:
        """States (nz,) of laws with memory at the equilibrium q of the time t."""
        self.balance.t = t
        return self.balance.memory(q)

    def rates(self) -> np.ndarray:
        """Rates (nv,) of all coordinates."""
        rates = self._imposed_rates()
        rates[self.balance.free] = self.slope()[: self.system.n]
        return rates

    def to(self, target: float, step: float) -> None:
        """Go on to the time ``target``, in parts of a step where needed."""
        part = target - self.here.time
        while self.here.time < target - 1e-12 * max(1.0, abs(target)):
            part = min(part, target - self.here.time)
            found = self._next(part)
            if found is not None:
                self.here, part = found, 2.0 * part
                continue
            part *= 0.5
            if part < _SMALLEST_PART * step:
                self._snap(2.0 * part, target)
                part = target - self.here.time

    def _next(self, part: float) -> Equilibrium | None:
        """The stable equilibrium a little later where it continues this one."""
        slope, n = self.slope(), self.system.n
        self.balance.t = self.here.time + part
        guess = self.balance.imposed(self.balance.moved(self.here.q, part * slope[:n]))
        if self.balance.rows.count:
            self.balance.multipliers = np.zeros(self.balance.rows.count)
            self.balance.multipliers[self.system.kept] = self._forces() + part * slope[n:]
        self.balance.before = self.here.time, self.here.q
        found = newton(self.balance, guess, 1.0, self.tolerance)
        self.balance.before = None
        if found is None:
            return None
        q, stiffness, iterations = found
        self.used += iterations
        places = [self.problem.model.kinematics(x)[0][:, 9:] for x in (guess, q)]
        if np.abs(places[1] - places[0]).max() > _FAR * self.size:
            return None
        self.balance.residual(q, 1.0)
        result = result_of(self.balance, q, 1.0, stiffness, iterations)
        return result if result.stable else None

    def _snap(self, part: float, target: float) -> None:
        """Fall into another equilibrium, right where this one ends; where wells are still too flat there, a little later."""
        ends, q, fallen = self.here.time, self.here.q, None
        while fallen is None:
            self.balance.t = min(ends + part, target)
            fallen = relaxed(self.balance, self.balance.imposed(q), 1.0, self.tolerance)
            if fallen is None and ends + part >= target:
                raise RunError(
                    f"at t = {ends:g} s the stable equilibrium ends, and the robot does not come to rest in another one."
                )
            part *= 4.0
        q, stiffness, iterations = fallen
        self.used += iterations
        self.here = result_of(self.balance, q, 1.0, stiffness, iterations)
        self.snaps.append(self.here.time)


class _Slowly(Problem):
    """A problem whose laws go on slowly: their rates are small, their accelerations left out."""

    def __init__(self, problem: Problem, factor: float) -> None:
        self.__dict__.update(problem.__dict__)
        self.is_compiled, self._factor = False, factor

    def read_inputs(self, t: float, q: np.ndarray, v: np.ndarray, forces: bool = True) -> None:
        """As of the problem, in slow time."""
        super().read_inputs(t, q, v, forces)
        for rates, accelerations in ((self.inputs.motion[1], self.inputs.motion[2]), self.inputs.rows.T[1:3]):
            rates *= self._factor
            accelerations[...] = 0.0


def resting(problem: Problem) -> Problem:
    """The problem with laws that stand still at each time: what it records are forces at rest."""
    return _Slowly(problem, 0.0)


def at_rest(
    problem: Problem, times: np.ndarray, q: np.ndarray, rates: np.ndarray, memory: np.ndarray | None = None
) -> dict[str, Any]:
    """What a result records of states of rest that move slowly: forces and powers of the limit of slow motion."""
    series = _Slowly(problem, _SLOW).series(times, q, _SLOW * rates, memory)
    for name in series:
        if "velocity" in name or "momentum" in name or "power" in name or name in ("twist", "wheel_rate"):
            series[name] = series[name] / _SLOW
        elif "acceleration" in name or name == "kinetic_energy":
            series[name] = np.zeros_like(series[name])
    return series
