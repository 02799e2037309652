"""Equilibrium of rods in the strong form: what is left at the tips for given wrenches at the roots.

Each rod is integrated from its root by an adaptive Runge-Kutta method of order 8; equations: :mod:`locodyn.integrate.shooting`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.kernel import twin
from locodyn.locomotion.problem import Problem
from locodyn.robot.pose import Pose
from locodyn.robot.rod import Rod
from locodyn.robot.rod_load import Spread
from locodyn.robot.section import SectionProperties
from locodyn.robot.strand import CHAMBER, MUSCLE, SPRING, Strand
from locodyn.world.laws import UserLaw
from locodyn.world.wrenches import FACTOR, law_wrench

_TOLERANCE = 1e-10  # of the integration along s
_RUNAWAY = 1e5  # a wrench of so many times that which bends its rod by a radian is the way of a bad guess
Wrench = tuple[np.ndarray, np.ndarray]
Place = tuple[np.ndarray, np.ndarray]
PointLaw = Callable[[Place, float], Wrench]  # of the pose of a point and its place s on the rod


@dataclass(frozen=True)
class RodShape:
    """A rod in equilibrium.

    ``s`` (P,) m; ``position`` (P, 3) m and ``rotation`` (P, 3, 3) in the world; ``strain`` and ``wrench`` (P, 6) in the sections.
    """

    s: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    strain: np.ndarray
    wrench: np.ndarray


@dataclass
class _Arc:
    """A rod on its carrier: number of the rod that carries it (None: the ground), place on it, pose there; what it carries."""

    name: str
    rod: Rod
    carrier: int | None
    at: float
    pose: Pose
    strands: list[tuple[Strand, float]]
    loads: dict[float, list[PointLaw]] = field(default_factory=dict)
    spreads: list[tuple[Spread, PointLaw]] = field(default_factory=list)
    children: dict[float, list[int]] = field(default_factory=dict)

    def at_place(self, s: float) -> tuple[SectionProperties, np.ndarray]:
        """Section and strain without load (6,) at s."""
        if self._same is not None:
            return self._same
        return self.rod.properties(s), self.rod.rest(np.array([s]))[0]

    @cached_property
    def _same(self) -> tuple[SectionProperties, np.ndarray] | None:
        """The same all along, or None."""
        if any(map(callable, (self.rod.section, self.rod.material, self.rod.rest_curvature))):
            return None
        return self.rod.properties(0.0), self.rod.rest(np.zeros(1))[0]


def _hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


class StrongForm:
    """The rods of a problem at time t."""

    def __init__(self, problem: Problem, t: float) -> None:
        self.problem, self.t, self.gravity = problem, t, np.asarray(problem.model.gravity)
        if problem.constraints.rows:
            raise InputError("statics by shooting takes no closed loops and no wheels; use method 'modes'.")
        if problem.laws or problem.servos or problem.functions or problem.controller is not None:
            raise InputError("statics by shooting takes no imposed coordinates and no torques; use method 'modes'.")
        problem.read_inputs(t, np.asarray(problem.model.neutral()), np.zeros(problem.model.nv))
        self.arcs: list[_Arc] = []
        carried: dict[str, tuple[int | None, float, Pose]] = {}
        for body in problem.model.compiled.description.bodies:
            joint = body.joint
            carrier, at, pose = carried[body.parent] if body.parent is not None else (None, 0.0, Pose())
            if joint.abscissa is not None:
                at, pose = joint.abscissa, Pose()
            pose = pose @ joint.parent_offset
            if joint.rod is not None:
                if carrier is not None:
                    self.arcs[carrier].children.setdefault(at, []).append(len(self.arcs))
                self.arcs.append(_Arc(body.name, joint.rod, carrier, at, pose, self._strands(body.strands)))
                carrier, at, pose = len(self.arcs) - 1, joint.rod.length, Pose()
            elif joint.type != "fixed":
                raise InputError(f"statics by shooting takes rods and fixed joints; joint '{joint.name}' is {joint.kind.word}.")
            carried[body.name] = carrier, at, pose @ joint.child_offset
            if carrier is not None and body.inertia.mass > 0.0:
                self._load(carrier, at, carried[body.name][2], self._weight(body.inertia))
        rows = [wrench.name for wrench in problem.wrench_table.wrenches]
        for wrench in problem.model.compiled.description.wrenches:
            carrier, at, pose = carried[wrench.body]
            law = self._law(rows.index(wrench.name), wrench.law, wrench.spread is not None)
            if wrench.abscissa is not None:
                at, pose = wrench.abscissa, Pose()
            if carrier is not None and wrench.spread is not None:
                self.arcs[carrier].spreads.append((wrench.spread, self._on_section(wrench.pose, law)))
            elif carrier is not None:
                self._load(carrier, at, pose @ wrench.pose, law)
        self.units = np.concatenate([self._unit(arc) for arc in self.arcs])

    @staticmethod
    def _unit(arc: _Arc) -> np.ndarray:
        """Forces and couples of the size that bends the rod by a radian."""
        stiffness = np.diag(arc.rod.properties(0.5 * arc.rod.length).stiffness)
        bending = float(np.max(stiffness[3:])) / arc.rod.length
        return np.repeat([bending / arc.rod.length, bending], 3)

    def _strands(self, strands: tuple[Strand, ...]) -> list[tuple[Strand, float]]:
        names = self.problem.model.compiled.strand_names
        for strand in strands:
            if strand.kind == SPRING:
                raise InputError(f"statics by shooting takes tendons by their tension; '{strand.name}' is given by its length.")
            if strand.kind == MUSCLE:
                raise InputError(f"statics by shooting takes tendons and chambers; '{strand.name}' is a muscle.")
        return [(strand, float(self.problem.inputs.strands[names.index(strand.name)])) for strand in strands]

    def _load(self, carrier: int, at: float, pose: Pose, law: PointLaw) -> None:
        """Add a law of the pose of a point to a rod: its wrench on the section at ``at``."""
        self.arcs[carrier].loads.setdefault(at, []).append(self._on_section(pose, law))

    @staticmethod
    def _on_section(pose: Pose, law: PointLaw) -> PointLaw:
        """The law of a point that has a pose in a section, as one of the section."""
        shift, turn = np.asarray(pose.position), np.asarray(pose.rotation)

        def on_section(place: Place, s: float) -> Wrench:
            rotation, position = place
            force, moment = law((rotation @ turn, position + rotation @ shift), s)
            force, moment = turn @ force, turn @ moment
            return force, moment + np.cross(shift, force)

        return on_section

    def _weight(self, inertia: Any) -> PointLaw:
        def law(place: Place, s: float) -> Wrench:
            force = inertia.mass * place[0].T @ self.gravity
            return force, np.cross(inertia.centre, force)

        return law

    def _law(self, row: int, law: Any, along: bool) -> PointLaw:
        table, inputs, rest = self.problem.wrench_table, self.problem.inputs, (0.0, 0.0, 0.0)
        number = int(table.laws[row, FACTOR])
        factor = 1.0 if number < 0 else float(inputs.rows[number, 0])
        if isinstance(law, UserLaw):

            def own(place: Place, s: float) -> Wrench:
                wrench = factor * np.asarray(law.function(self.t, *place, np.zeros(6), *((s,) if along else ())), dtype=float)
                return wrench[:3], wrench[3:]

            return own
        still = np.zeros(self.problem.model.nv)

        def known(place: Place, s: float) -> Wrench:
            pose = tuple(place[0].ravel()), tuple(place[1])
            force, moment, _, _ = twin(law_wrench)(table.laws, table.parameters, inputs.rows, still, row, *pose, rest, rest)
            return factor * np.array(force), factor * np.array(moment)

        return known

    def strain(self, arc: _Arc, s: float, wrench: np.ndarray, load: float) -> np.ndarray:
        """Gamma, K (6,) that carry the wrench (N; C): Newton's method where tendons depend on the strain."""
        free = np.flatnonzero(arc.rod.modes)
        properties, rest = arc.at_place(s)
        stiffness = properties.stiffness[np.ix_(free, free)]
        strain = rest.copy()
        acting = [(x, load * p) for x, p in arc.strands if x.start <= s <= (arc.rod.length if x.end is None else x.end)]
        for _ in range(50):
            stress, slope = np.zeros(6), np.zeros((6, 6))
            for strand, size in acting:
                place, along = strand.place(s), strand.slope(s, arc.rod.length)
                arm = _hat(place)
                if strand.kind == CHAMBER:
                    pull = np.array([-size * strand.area, 0.0, 0.0])
                    stress += np.concatenate([pull, arm @ pull])
                    continue
                line = strain[:3] - arm @ strain[3:] + along
                u = line / np.linalg.norm(line)
                stress += size * np.concatenate([u, arm @ u])
                turn = size * (np.eye(3) - np.outer(u, u)) / np.linalg.norm(line)
                slope += np.block([[turn, -turn @ arm], [arm @ turn, -arm @ turn @ arm]])
            left = (wrench - stress)[free] - stiffness @ (strain - rest)[free]
            step = np.linalg.solve(stiffness + slope[np.ix_(free, free)], left)
            strain[free] += step
            if not acting or np.max(np.abs(step)) < 1e-13 * (1.0 + np.max(np.abs(strain))):
                return strain
        raise RunError(f"no strain carries the load of rod '{arc.name}' at s = {s:g} m.")

    def _slope(self, arc: _Arc, load: float) -> Callable[[float, np.ndarray], np.ndarray]:
        def slope(s: float, y: np.ndarray) -> np.ndarray:
            rotation, n, c = y[:9].reshape(3, 3), y[12:15], y[15:]
            x = self.strain(arc, s, y[12:], load)
            weight = load * arc.at_place(s)[0].mass * rotation.T @ self.gravity
            k = _hat(x[3:])
            n, c = -k @ n - weight, -k @ c - _hat(x[:3]) @ n
            for spread, law in arc.spreads:
                if spread.start <= s <= (arc.rod.length if spread.end is None else spread.end):
                    force, moment = law((rotation, y[9:12]), s)
                    n, c = n - load * spread.factor(s) * force, c - load * spread.factor(s) * moment
            return np.concatenate([(rotation @ k).ravel(), rotation @ x[:3], n, c])

        return slope

    def integrated(self, roots: np.ndarray, load: float, count: int = 0) -> tuple[np.ndarray, list[np.ndarray]]:
        """What these wrenches at the roots leave at the tips (6 rods,), and for each rod rows (s, y) at ``count`` places."""
        from scipy.integrate import solve_ivp

        left: list[np.ndarray] = []
        tables: list[np.ndarray] = []
        poses: dict[tuple[int | None, float], Place] = {(None, 0.0): (np.eye(3), np.zeros(3))}
        for number, arc in enumerate(self.arcs):
            rotation, position = poses[(arc.carrier, arc.at if arc.carrier is not None else 0.0)]
            start = rotation @ arc.pose.rotation, position + rotation @ arc.pose.position
            y = np.concatenate([np.ravel(start[0]), start[1], roots[6 * number : 6 * number + 6]])
            inner = {s for s in (*arc.loads, *arc.children) if s > 0.0} | {x.start for x, _ in arc.strands}
            inner |= {x.end for x, _ in arc.strands if x.end is not None} | {x.end for x, _ in arc.spreads if x.end is not None}
            inner |= {s for x, _ in arc.spreads for s in (x.start, *x.knots)}
            edges = sorted({0.0, arc.rod.length} | {s for s in inner if 0.0 < s < arc.rod.length})
            rows = []
            self._pass(poses, number, 0.0, y)
            for low, high in pairwise(edges):
                places = np.linspace(0.0, arc.rod.length, count)
                here = places[(places >= low) & ((places < high) | (high == arc.rod.length))] if count else None
                inside = 1e-12 * (high - low)  # a strand acts to its end: stay on this side
                bound = (low + inside, high - inside) if arc.strands or arc.spreads else (low, high)
                asked = None if here is None else np.unique(np.append(np.clip(here, *bound), bound[1]))
                small = _TOLERANCE * np.concatenate([np.ones(9), np.full(3, arc.rod.length), self._unit(arc)])
                options = {"method": "DOP853", "rtol": _TOLERANCE, "atol": small, "t_eval": asked}
                run = solve_ivp(self._slope(arc, load), bound, y, events=self._runaway(arc), **options)
                if run.status != 0:
                    return np.full(6 * len(self.arcs), _RUNAWAY) * self.units, tables
                if here is not None:
                    rows += [np.append(s, column) for s, column in zip(here, run.y.T, strict=False)]
                y = run.y[:, -1].copy()
                self._pass(poses, number, high, y)
                y[12:] -= self._taken(arc, high, poses[(number, high)], roots, load)
            left.append(y[12:])
            tables.append(np.array(rows))
        return np.concatenate(left), tables

    def _runaway(self, arc: _Arc) -> Callable[[float, np.ndarray], float]:
        """An event that ends the integration where the wrench has grown out of all proportion: a trial far from the solution."""
        unit = self._unit(arc)

        def size(s: float, y: np.ndarray) -> float:
            return float(_RUNAWAY - np.max(np.abs(y[12:]) / unit))

        size.terminal = True  # type: ignore[attr-defined]
        return size

    @staticmethod
    def _pass(poses: dict[tuple[int | None, float], Place], number: int, s: float, y: np.ndarray) -> None:
        poses[(number, s)] = y[:9].reshape(3, 3).copy(), y[9:12].copy()

    def _taken(self, arc: _Arc, s: float, place: Place, roots: np.ndarray, load: float) -> np.ndarray:
        """Wrench (6,) on the section at s of all that is attached there."""
        total = np.zeros(6)
        for law in arc.loads.get(s, ()):
            force, moment = law(place, s)
            total += load * np.concatenate([force, moment])
        for child in arc.children.get(s, ()):
            pose = self.arcs[child].pose
            force, moment = (np.asarray(pose.rotation) @ part for part in np.split(roots[6 * child : 6 * child + 6], 2))
            total += np.concatenate([force, moment + np.cross(pose.position, force)])
        return total

    def miss(self, scaled: np.ndarray, load: float) -> np.ndarray:
        """What is left at the tips for the scaled wrenches at the roots."""
        return self.integrated(scaled * self.units, load)[0] / self.units

    def shapes(self, roots: np.ndarray) -> dict[str, RodShape]:
        """All rods at 101 places."""
        _, tables = self.integrated(roots, 1.0, 101)
        result = {}
        for arc, rows in zip(self.arcs, tables, strict=True):
            s, wrench = rows[:, 0], rows[:, 13:]
            strain = np.array([self.strain(arc, float(x), w, 1.0) for x, w in zip(s, wrench, strict=True)])
            result[arc.name] = RodShape(s, rows[:, 10:13], rows[:, 1:10].reshape(-1, 3, 3), strain, wrench)
        return result
