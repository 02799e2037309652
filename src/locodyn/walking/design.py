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
from numpy.typing import ArrayLike

from locodyn.controllers.curves import Bezier
from locodyn.errors import InputError, RunError
from locodyn.walking.design_problem import FORCE, MOMENTUM, SPEED, TORQUE, GaitProblem
from locodyn.walking.limits import GaitLimits, StepPath, path_excess
from locodyn.walking.step_gait import Biped, StepGait
from locodyn.walking.zero_dynamics import ZeroDynamics

GRAVITY = 9.81
_TIGHTENED = 3  # rounds
_FINE, _ALLOWED = 400, 1e-6  # places of the fine grid; what a limit may be passed by there
_LEAST_INERTIA, _LEAST_LEAN = 1.0, 0.05  # kg m^2 of I(theta); rad of theta- and -theta+
_IPOPT = {"print_level": 0, "sb": "yes", "mu_strategy": "adaptive", "tol": 1e-8, "max_iter": 600}
_WARM = {"warm_start_init_point": "yes", "mu_strategy": "monotone", "mu_init": 1e-4} | {
    f"warm_start_{what}": 1e-8 for what in ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac", "mult_bound_push")
}


@dataclass(frozen=True)
class Designed:
    """A gait that was found.

    ``cost``: int u^2 dt / length, (N m)^2 s/m. ``transport``: int |power| dt / (m g length). ``excess``: limits that it still
    passes on the fine grid, and by how much. ``iterations`` of IPOPT and ``seconds``, of all rounds; ``status``: what IPOPT says.
    ``gravity`` (3,) m/s^2 in the axes of the ground. ``limits`` that it keeps, and those that were ``asked`` for at the places,
    a little narrower. ``point`` (variables, multipliers of bounds, of rows) starts a neighbour.
    """

    gait: StepGait
    gravity: np.ndarray
    cost: float
    transport: float
    iterations: int
    seconds: float
    status: str
    excess: Mapping[str, float]
    limits: GaitLimits = field(repr=False)
    asked: GaitLimits = field(repr=False)
    point: tuple[np.ndarray, np.ndarray, np.ndarray] = field(repr=False)

    @cached_property
    def dynamics(self) -> ZeroDynamics:
        """Its hybrid zero dynamics, computed apart from the optimiser."""
        return ZeroDynamics(self.gait, self.gravity)


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
        if degree < 4 or places < 7:
            raise InputError(f"a gait of degree {degree} at {places} places is too coarse; take 4 or more, and 7 or more.")
        began = time.perf_counter()
        self.biped, self.limits = biped, limits or GaitLimits()
        self.posture, self.bend = dict(posture), dict(bend or {})
        self.problem = GaitProblem(biped, degree, places)
        self._solvers: dict[bool, Any] = {}
        self.build_seconds = time.perf_counter() - began

    # ---------------------------------------------------------------------------------------------------------------- solve
    def solve(
        self,
        speed: float,
        slope: float = 0.0,
        *,
        limits: GaitLimits | None = None,
        transport: float = 0.0,
        near: Designed | None = None,
        restarts: int = 5,
        seed: int = 0,
    ) -> Designed:
        """The cheapest gait of this speed (m/s) on ground that rises by ``slope`` (rad) in the direction of walking.

        ``transport``: share of the transport cost, 0 (torques squared) to 1. ``near``: a gait from which to start. ``restarts``:
        how many random starts follow where the first one fails; a :class:`RunError` says which limit the last one missed most.
        """
        if not (math.isfinite(speed) and speed > 0.0):
            raise InputError(f"the speed of the gait is {speed!r} m/s; it must be positive.")
        wanted = limits or self.limits
        asked = near.asked if near is not None and near.limits == wanted else wanted
        began, iterations = time.perf_counter(), 0
        rng = np.random.default_rng(seed)
        start, tried, designed = (None if near is None else near.point), 0, None
        for _ in range(_TIGHTENED):
            found = self._run(speed, slope, asked, transport, start, None)
            iterations += found["iterations"]
            while not found["success"] and tried < restarts:
                tried += 1
                found = self._run(speed, slope, asked, transport, None, rng)
                iterations += found["iterations"]
            if not found["success"]:
                raise RunError(self._failure(found, speed, slope))
            designed = self._designed(found, wanted, asked, iterations, time.perf_counter() - began)
            if not designed.excess:
                break
            asked, start = _tightened(asked, designed.excess), designed.point
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

    def _run(
        self, speed: float, slope: float, limits: GaitLimits, transport: float, start: Any, rng: np.random.Generator | None
    ) -> dict[str, Any]:
        """One solve."""
        warm = start is not None
        solver = self._solver(warm)
        down = (-GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope))
        parameters = [speed, *down, limits.friction, limits.clearance, limits.delta_squared, transport]
        low, high = self._row_bounds(limits)
        least, most = self._bounds(limits)
        begin = {"x0": start[0], "lam_x0": start[1], "lam_g0": start[2]} if warm else {"x0": self.guess(speed, rng)}
        found = solver(**begin, p=parameters, lbx=least, ubx=most, lbg=low, ubg=high)
        stats = solver.stats()
        values = np.asarray(found["g"]).ravel()
        missed = np.maximum(low - values, values - high)
        return {
            "success": bool(stats["success"]),
            "status": str(stats["return_status"]),
            "iterations": int(stats["iter_count"]),
            "parameters": np.array(parameters),
            "point": tuple(np.asarray(found[name]).ravel() for name in ("x", "lam_x", "lam_g")),
            "missed": missed,
        }

    def _solver(self, warm: bool) -> Any:
        """IPOPT for cold or warm starts; derivatives are made once."""
        if warm not in self._solvers:
            p = self.problem
            options: dict[str, Any] = {"ipopt": _IPOPT | (_WARM if warm else {}), "print_time": False}
            for other in self._solvers.values():
                names = {"grad_f": "nlp_grad_f", "jac_g": "nlp_jac_g", "hess_lag": "nlp_hess_l"}
                options |= {name: other.get_function(own) for name, own in names.items()}
            nlp = {"x": p.variables, "p": p.parameters, "f": p.cost, "g": p.rows}
            self._solvers[warm] = p.casadi.nlpsol("gait", "ipopt", nlp, options)
        return self._solvers[warm]

    def _designed(
        self, found: dict[str, Any], limits: GaitLimits, asked: GaitLimits, iterations: int, seconds: float
    ) -> Designed:
        """What was found, with the limits that it passes on a fine grid."""
        x, parameters = found["point"][0], found["parameters"]
        values = self.problem.sizes["alpha"]
        gait = StepGait(
            self.biped, Bezier(x[:values].reshape(self.problem.degree + 1, -1).T), *map(float, x[values : values + 2])
        )
        s, node = self.problem.fine(x, parameters, _FINE)
        angles = {name: node.joints[self.joints.index(name)] for name in limits.joints}
        path = StepPath(s, node.torque.T, node.force[1], node.force[0], node.place[1], angles)
        excess = {name: amount for name, amount in path_excess(path, limits).items() if amount > _ALLOWED}
        cost, transport = (float(one) for one in self.problem.costs(x, parameters))
        gravity = self.biped.axes @ np.array(parameters[1:3])
        return Designed(
            gait, gravity, cost, transport, iterations, seconds, found["status"], excess, limits, asked, found["point"]
        )

    def _failure(self, found: dict[str, Any], speed: float, slope: float) -> str:
        kind = self.problem.kinds[int(np.argmax(found["missed"]))]
        words = {
            "torque": "the torque limit",
            "cone": "the friction of the ground",
            "impact cone": "the friction at the impact",
            "delta": "the limit of delta^2",
            "height": "the clearance of the swing foot",
            "length": "the step length",
        }
        what = words.get(kind, f"the condition '{kind}'")
        return (
            f"no gait of {speed:g} m/s on the slope {slope:g} rad was found ({found['status']}): {what} is missed most; give it"
            " more room, or another speed."
        )

    # --------------------------------------------------------------------------------------------------------------- bounds
    def _row_bounds(self, limits: GaitLimits) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest values of the rows, by their kinds."""
        inf = math.inf
        table: dict[str, tuple[float, float]] = {
            "torque": (-limits.torque / TORQUE, limits.torque / TORQUE),
            "normal": (limits.normal / FORCE, inf),
            "cone": (-inf, 0.0),
            "inertia": (_LEAST_INERTIA / MOMENTUM, inf),
            "height": (0.0, inf),
            "lean": limits.joints.get(self.biped.leaning, (-inf, inf)),
            "impulse": (0.1 / MOMENTUM, inf),
            "impact cone": (-inf, 0.0),
            "touchdown": (-inf, -limits.touchdown / SPEED),
            "lift-off": (limits.lift_off / SPEED, inf),
            "length": limits.length,
            "delta": (-inf, 0.0),
        }
        low, high = np.array([table.get(kind, (0.0, 0.0)) for kind in self.problem.kinds]).T
        return low, high

    def _bounds(self, limits: GaitLimits) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest values of the variables."""
        sizes, n = self.problem.sizes, len(self.biped.outputs)
        joint = np.array([limits.joints.get(name, (-math.inf, math.inf)) for name in self.biped.outputs])
        wide = np.full(sizes["alpha"], math.inf)
        parts_low: list[ArrayLike] = [-wide, [-1.2, _LEAST_LEAN], np.tile(joint[:, 0], self.problem.count)]
        parts_high: list[ArrayLike] = [wide, [-_LEAST_LEAN, 1.2], np.tile(joint[:, 1], self.problem.count)]
        free = np.full(2 * n * self.problem.count, math.inf)
        parts_low += [-free, np.full(self.problem.count, limits.rate**2), np.full(self.problem.count, -math.inf)]
        parts_high += [free, np.full(self.problem.count, 1e3), np.full(self.problem.count, math.inf)]
        return np.concatenate(parts_low), np.concatenate(parts_high)

    def guess(self, speed: float, rng: np.random.Generator | None = None) -> np.ndarray:
        """Straight lines between the mirrored posture and the posture, bent in the middle; ``rng``: with noise."""
        p, n = self.problem, len(self.biped.outputs)
        ends = np.array([self.posture[name] for name in self.joints])
        if rng is not None:
            ends = ends + 0.15 * rng.uniform(-1.0, 1.0, n + 1)
        begins = ends[p.mirror()]
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
        return np.concatenate([alpha.T.ravel(), theta, *(one.T.ravel() for one in curve), pace, np.zeros(p.count)])


def _tightened(limits: GaitLimits, excess: Mapping[str, float]) -> GaitLimits:
    """Limits made narrower by what a gait passes them between the places, and a tenth more."""
    changed: dict[str, Any] = {}
    for name, amount in excess.items():
        more = 1.1 * amount
        if name in ("torque", "friction", "delta_squared"):
            changed[name] = getattr(limits, name) - more
        elif name == "impact friction":
            changed["friction"] = min(changed.get("friction", limits.friction), limits.friction - more)
        elif name in ("normal", "clearance", "touchdown"):
            changed[name] = getattr(limits, name) + more
        elif name == "lift-off":
            changed["lift_off"] = limits.lift_off + more
        elif name in limits.joints:
            least, most = limits.joints[name]
            changed.setdefault("joints", dict(limits.joints))[name] = (least + more, most - more)
    return replace(limits, **changed)
