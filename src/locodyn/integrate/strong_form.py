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
from locodyn.robot.section import SectionProperties
from locodyn.robot.strand import CHAMBER, SPRING, Strand
from locodyn.world.laws import UserLaw
from locodyn.world.wrenches import law_wrench

_TOLERANCE = 1e-10  # of the integration along s
_RUNAWAY = 1e5  # a wrench of so many times that which bends its rod by a radian is the way of a bad guess
Wrench = tuple[np.ndarray, np.ndarray]
Place = tuple[np.ndarray, np.ndarray]


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
    loads: dict[float, list[Callable[[Place], Wrench]]] = field(default_factory=dict)
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
            if carrier is not None:
                self._load(carrier, at, pose @ wrench.pose, self._law(rows.index(wrench.name), wrench.law))
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
        return [(strand, float(self.problem.inputs.strands[names.index(strand.name)])) for strand in strands]

    def _load(self, carrier: int, at: float, pose: Pose, law: Callable[[Place], Wrench]) -> None:
        """Add a law of the pose of a point to a rod: its wrench on the section at ``at``."""
        shift, turn = np.asarray(pose.position), np.asarray(pose.rotation)

        def on_section(place: Place) -> Wrench:
            rotation, position = place
            force, moment = law((rotation @ turn, position + rotation @ shift))
            force, moment = turn @ force, turn @ moment
            return force, moment + np.cross(shift, force)

        self.arcs[carrier].loads.setdefault(at, []).append(on_section)

    def _weight(self, inertia: Any) -> Callable[[Place], Wrench]:
        def law(place: Place) -> Wrench:
            force = inertia.mass * place[0].T @ self.gravity
            return force, np.cross(inertia.centre, force)

        return law

    def _law(self, row: int, law: Any) -> Callable[[Place], Wrench]:
        if isinstance(law, UserLaw):

            def own(place: Place) -> Wrench:
                wrench = np.asarray(law.function(self.t, *place, np.zeros(6)), dtype=float)
                return wrench[:3], wrench[3:]

            return own
        table, rest = self.problem.wrench_table, (0.0, 0.0, 0.0)

        def known(place: Place) -> Wrench:
            pose = tuple(place[0].ravel()), tuple(place[1])
            force, moment, _, _ = twin(law_wrench)(table.laws, table.parameters, row, *pose, rest, rest)
            return np.array(force), np.array(moment)

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
            return np.concatenate([(rotation @ k).ravel(), rotation @ x[:3], -k @ n - weight, -k @ c - _hat(x[:3]) @ n])

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
            inner |= {x.end for x, _ in arc.strands if x.end is not None}
            edges = sorted({0.0, arc.rod.length} | {s for s in inner if 0.0 < s < arc.rod.length})
            rows = []
            self._pass(poses, number, 0.0, y)
            for low, high in pairwise(edges):
                places = np.linspace(0.0, arc.rod.length, count)
                here = places[(places >= low) & ((places < high) | (high == arc.rod.length))] if count else None
                inside = 1e-12 * (high - low)  # a strand acts to its end: stay on this side
                bound = (low + inside, high - inside) if arc.strands else (low, high)
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
            force, moment = law(place)
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

    def modes(self, shapes: dict[str, RodShape]) -> np.ndarray:
        """q of the modes nearest in energy: K q = integral of Phi^T H (xi - xi_rest)."""
        from scipy.integrate import simpson

        compiled = self.problem.model.compiled
        q = np.array(self.problem.model.neutral(), dtype=float)
        for arc in self.arcs:
            shape, strains = shapes[arc.name], arc.rod.strain_of_mode
            away = shape.strain - arc.rod.rest(shape.s)
            stress = np.array([arc.rod.properties(float(s)).stiffness @ e for s, e in zip(shape.s, away, strict=True)])
            force = simpson(arc.rod.functions(shape.s) * stress[:, strains], x=shape.s, axis=0)
            body = next(b for b in compiled.description.bodies if b.name == arc.name)
            q[compiled.joint_positions[compiled.joint_index(body.joint.name)]] = np.linalg.solve(arc.rod.stiffness, force)
        return q
