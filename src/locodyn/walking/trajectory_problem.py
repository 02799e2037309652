"""Direct collocation of a stride through phases, in CasADi (Hereid, Ames 2017; Hargraves, Paris 1987).

Every phase is cut into elements with Lobatto points (Lobatto IIIA: three points are Hermite-Simpson of order 4, four have order
6). Unknown at each point are q, w = T qdot, c = T^2 qddot, torques u and ground forces F, and the duration T of each phase:

    q_j = q_0 + h sum_k A_jk w_k,     w_j = w_0 + h sum_k A_jk c_k                  linear, h: length of an element in parts of T
    ID(q, w/T, c/T^2) = B u + J^T F,  J qddot + Jdot qdot = 0                       at each point
    |u| <= limit at the points, and of the Bernstein coefficients of each element: between the points too, linear
    M (v+ - v-) = J^T Lambda,         J v+ = 0                                      where feet land or joints lock
    q(end), legs exchanged = q(0)     up to shifts along the floor                  linear

Nothing is eliminated, so robots may have any number of freedoms that no actuator moves, and phases any number of feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.phases.transition import Touchdown
from locodyn.record import record
from locodyn.walking.block_program import Block, Linear, Program, need_casadi
from locodyn.walking.design_problem import COST, FORCE, HEIGHT, MOMENTUM, POWER, SPEED, TORQUE
from locodyn.walking.phase_path import Leg, PhasePath
from locodyn.walking.quadrature import hull, lobatto
from locodyn.walking.step_model import add_load, foot_motion, foot_place, passive

ACCELERATION = 10.0  # m/s^2: unit of the rows of feet
# What a design asks for: speed m/s, limits, gravity m/s^2.
ASKED = record(speed=1, friction=1, clearance=1, gravity=3)


class PhasePoints:
    """Where the variables of one phase stand: ``q``, ``w``, ``c`` (points, nv), ``u`` (points, nu), ``f`` (points, nf)."""

    def __init__(self, first: int, points: int, sizes: dict[str, int]) -> None:
        whole = first + np.arange(points * sum(sizes.values())).reshape(points, -1)
        ends = np.cumsum(list(sizes.values()))
        self.q, self.w, self.c, self.u, self.f = np.split(whole, ends[:-1], axis=1)
        self.points, self.stop = points, first + whole.size


class TrajectoryProblem:
    """The programme of a stride. ``phases``: where variables stand; ``durations``: of T; ``total``: of the sum of them."""

    def __init__(
        self, path: PhasePath, actuated: Sequence[str], along: Sequence[float], elements: int, points: int, powered: bool = False
    ) -> None:
        from locodyn.symbolic import SymbolicModel

        self.casadi, self.powered = need_casadi(), powered
        self.path, self.hybrid, self.own = path, path.hybrid, path.hybrid.model
        self.along = np.asarray(along, dtype=float)
        names, self.actuated = self.own.compiled.coordinate_names, tuple(actuated)
        for name in actuated:
            self.hybrid.position(name)
        self.names, self.nv = names, self.own.nv
        self.p = self.casadi.SX.sym("p", ASKED.size)
        self.model = SymbolicModel(self.own.compiled.description)
        self.model.gravity = np.array(self.casadi.vertsplit(self.p[ASKED.gravity :]), dtype=object)
        self.driven = [[*actuated, *(j for j in self.hybrid.phases[leg.phase].locked if j not in actuated)] for leg in path.legs]
        self.elements, self.rule = elements, lobatto(points)
        self._lay_out(elements * (points - 1) + 1)
        self.shifts = self._shifts()
        blocks = [block for number in range(len(path.legs)) for block in self._blocks(number)] + [self._speed_block()]
        self.program = Program(self.size, ASKED.size, blocks, self._linear())

    def _lay_out(self, points: int) -> None:
        """Places of the variables."""
        self.durations = np.arange(len(self.path.legs))
        self.total = len(self.path.legs)
        first, self.phases, self.impulses = self.total + 1, [], []
        for leg, driven in zip(self.path.legs, self.driven, strict=True):
            pushes = sum(self.path.directions[foot].shape[1] for foot in leg.feet)
            sizes = {"q": self.nv, "w": self.nv, "c": self.nv, "u": len(driven), "f": pushes}
            self.phases.append(PhasePoints(first, points, sizes))
            count = sum(self.path.directions[foot].shape[1] for foot in leg.after) + len(leg.locks) if leg.has_impact else 0
            first = self.phases[-1].stop
            self.impulses.append(first + np.arange(count))
            first += count
        self.size = first
        s, weights, _ = self.rule
        parts = np.zeros(points)
        places = np.zeros(points)
        step = len(s) - 1
        for e in range(self.elements):
            inside = slice(e * step, e * step + len(s))
            parts[inside] += weights / self.elements
            places[inside] = (e + s) / self.elements
        self.s, self.weights = places, parts

    # -------------------------------------------------------------------------------------------------------------- dynamics
    def _symbols(self, name: str, count: int) -> tuple[Any, np.ndarray]:
        """A column of symbols, and the same as an array."""
        column = self.casadi.SX.sym(name, count)
        found = np.empty(count, dtype=object)
        found[:] = [column[i] for i in range(count)]
        return column, found

    def _pushed(self, feet: Sequence[str], poses: np.ndarray, forces: np.ndarray, unit: float) -> np.ndarray:
        """Wrenches (nf, 6) on the frames of forces on feet, given along their directions in a unit."""
        loads, first = self.model.room(self.own.nf, 6), 0
        for foot in feet:
            axes = self.path.directions[foot]
            force = unit * (axes @ forces[first : first + axes.shape[1]])
            add_load(self.hybrid.feet.contacts[foot], poses, force, loads)
            first += axes.shape[1]
        return loads

    def _driven_by(self, joints: Sequence[str], values: np.ndarray, unit: float) -> np.ndarray:
        """Generalised force (nv,) of torques on joints."""
        result = self.model.room(self.nv)
        for name, value in zip(joints, values, strict=True):
            result[self.names.index(name)] = unit * value
        return result

    def _blocks(self, number: int) -> list[Block]:
        """Of one phase: motion at its points, feet in the air, and the transition at its end."""
        found = [self._motion_block(number), self._jump_block(number)]
        if not self.hybrid.phases.scuffing:
            feet = [foot for foot in self.hybrid.feet.contacts if foot not in self.path.legs[number].feet]
            found += [self._swing_block(number, foot) for foot in feet]
        return found

    def _motion_block(self, number: int) -> Block:
        """Equations of motion, feet that stay, friction and cost at every point of a phase."""
        casadi, leg, at, joints = self.casadi, self.path.legs[number], self.phases[number], self.driven[number]
        (q_, q), (w_, w), (c_, c) = (self._symbols(name, self.nv) for name in "qwc")
        (u_, u), (f_, f) = self._symbols("u", len(joints)), self._symbols("f", at.f.shape[1])
        time, total, weight = casadi.SX.sym("T"), casadi.SX.sym("S"), casadi.SX.sym("weight")
        v, a = (np.array([x / time**k for x in part], dtype=object) for k, part in ((1, w), (2, c)))
        poses, motions = self.model.kinematics(q, v, a)
        loads = self._pushed(leg.feet, poses, f, FORCE)
        needed = self.model.balance(q, v, a, loads, self.model.gravity)[0] - self._driven_by(joints, u, TORQUE)
        needed = needed - passive(self.model, q, v)
        rows: list[tuple[str, Any]] = [("motion", casadi.vertcat(*needed) / TORQUE)]
        first = 0
        for foot in leg.feet:
            axes = self.path.directions[foot]
            rate = foot_motion(self.hybrid.feet.contacts[foot], poses, motions)[1]
            rows.append(("foot", casadi.vertcat(*(axes.T @ rate)) / ACCELERATION))
            rows += self._cone(f"cone {foot}", f[first : first + axes.shape[1]])
            first += axes.shape[1]
        if self.powered:
            rows += [(f"power {name}", TORQUE * u[i] * v[self.names.index(name)] / POWER) for i, name in enumerate(joints)
                     if name in self.actuated]  # fmt: skip
        cost = weight * time / total * TORQUE**2 * casadi.sumsqr(u_) / (COST * self.p[ASKED.speed])
        columns = np.hstack([at.q, at.w, at.c, at.u, at.f, np.tile([number, self.total], (at.points, 1))])
        z = casadi.vertcat(q_, w_, c_, u_, f_, time, total)
        return Block((z, self.p, weight), rows, columns, self.weights[:, None], cost)

    def _cone(self, kind: str, force: np.ndarray) -> list[tuple[str, Any]]:
        """Rows, negative where a force (tangential ones, normal) is within the pyramid inscribed in its friction cone."""
        mu = self.p[ASKED.friction] / np.sqrt(max(1, len(force) - 1))
        return [(kind, side * one - mu * force[-1]) for one in force[:-1] for side in (1.0, -1.0)]

    def _swing_block(self, number: int, foot: str) -> Block:
        """Height of a foot in the air: between the ends of a phase, and at its end if the foot does not land there."""
        q_, q = self._symbols("q", self.nv)
        bump, poses = self.casadi.SX.sym("bump"), self.model.poses(q)
        rows = [(f"height {foot}", (self._height(foot, poses) - self.p[ASKED.clearance] * bump) / HEIGHT)]
        shape = 4.0 * self.s * (1.0 - self.s)
        shape[-1] = 1.0  # in mid-swing
        stop = -1 if foot in self.path.legs[number].lands else None
        return Block((q_, self.p, bump), rows, self.phases[number].q[1:stop], shape[1:stop, None])

    def _height(self, foot: str, poses: np.ndarray) -> Any:
        contact = self.hybrid.feet.contacts[foot]
        normal = np.asarray(contact.plane, dtype=float)[:, 2]
        return np.dot(normal, foot_place(contact, poses) - np.asarray(contact.ground, dtype=float))

    # ----------------------------------------------------------------------------------------------------------- transitions
    def _jump_block(self, number: int) -> Block:
        """The end of a phase: its guard, the impact, and the speed of the whole stride where it closes."""
        casadi, leg, at = self.casadi, self.path.legs[number], self.phases[number]
        following = (number + 1) % len(self.path.legs)
        (q_, q), (w_, w), (next_, wn) = (self._symbols(name, self.nv) for name in ("q", "w", "wn"))
        time, after_time = casadi.SX.sym("T"), casadi.SX.sym("Tn")
        impulse_, impulse = self._symbols("impulse", len(self.impulses[number]))
        before = np.array([x / time for x in w], dtype=object)
        after = leg.turn.T @ np.array([x / after_time for x in wn], dtype=object)
        zero = self.model.room(self.nv)
        poses, motions = self.model.kinematics(q, before, zero)
        rows = [*self._guard_rows(leg, poses, motions)]
        if leg.has_impact:
            rows += self._impact_rows(leg, q, before, after, impulse)
        else:
            rows.append(("velocity", casadi.vertcat(*(after - before))))
        parts, columns = [q_, w_, next_, time], [at.q[-1], at.w[-1], self.phases[following].w[0], [number]]
        if following != number:
            parts, columns = [*parts, after_time], [*columns, [following]]
        else:
            rows = [(kind, casadi.substitute(casadi.SX(row), after_time, time)) for kind, row in rows]
        if len(impulse):
            parts, columns = [*parts, impulse_], [*columns, self.impulses[number]]
        z = casadi.vertcat(*parts)
        return Block((z, self.p, casadi.SX(0, 1)), rows, np.concatenate(columns).astype(int)[None], np.zeros((1, 0)))

    def _guard_rows(self, leg: Leg, poses: np.ndarray, motions: np.ndarray) -> list[tuple[str, Any]]:
        """What must hold where a phase ends; the others are bounds."""
        way = leg.transition
        rows = [(f"landing {foot}", self._height(foot, poses) / HEIGHT) for foot in leg.lands]
        if not isinstance(way, Touchdown):
            return rows
        contact = self.hybrid.feet.contacts[way.foot]
        normal = np.asarray(contact.plane, dtype=float)[:, 2]
        rows.append((f"touchdown {way.foot}", np.dot(normal, foot_motion(contact, poses, motions)[0]) / SPEED))
        if way.ahead is not None:
            place = foot_place(contact, poses)
            for foot in leg.feet:
                front = np.dot(np.asarray(way.along), place - foot_place(self.hybrid.feet.contacts[foot], poses))
                rows.append((f"ahead {way.foot}", front - way.ahead))
        return rows

    def _impact_rows(
        self, leg: Leg, q: np.ndarray, before: np.ndarray, after: np.ndarray, impulse: np.ndarray
    ) -> list[tuple[str, Any]]:
        """Balance of momentum, feet at rest after it, impulses within their cones, feet that leave."""
        casadi, zero = self.casadi, self.model.room(self.nv)
        poses, motions = self.model.kinematics(q, after, zero)
        pushes = len(impulse) - len(leg.locks)
        loads = self._pushed(leg.after, poses, impulse[:pushes], MOMENTUM)
        change = self.model.balance(q, zero, after - before, loads, self.model.room(3))[0]
        left = change - self._driven_by(leg.locks, impulse[pushes:], MOMENTUM)
        rows: list[tuple[str, Any]] = [("impact", casadi.vertcat(*left) / MOMENTUM)]
        rows += [("lock", after[self.names.index(joint)]) for joint in leg.locks]
        first = 0
        for foot in leg.after:
            axes, contact = self.path.directions[foot], self.hybrid.feet.contacts[foot]
            rows.append(("rest", casadi.vertcat(*(axes.T @ foot_motion(contact, poses, motions)[0]))))
            rows += self._cone(f"impact cone {foot}", impulse[first : first + axes.shape[1]])
            rows.append((f"impulse {foot}", impulse[first + axes.shape[1] - 1]))
            first += axes.shape[1]
        for foot in leg.leaves if not self.hybrid.phases.scuffing else ():
            contact = self.hybrid.feet.contacts[foot]
            rising = np.dot(np.asarray(contact.plane, dtype=float)[:, 2], foot_motion(contact, poses, motions)[0])
            rows.append((f"lift-off {foot}", rising / SPEED))
        return rows

    def _shifts(self) -> dict[int, float]:
        """Coordinates that shift the robot along the floor, and how far a unit of them goes along the walk."""
        zero, q = np.zeros(self.nv), self.own.neutral()
        foot = next(iter(self.hybrid.feet.contacts))
        found = {i: float(self.along @ self.hybrid.feet.motion(foot, q, np.eye(self.nv)[i], zero)[0]) for i in self.path.shifts()}
        if not any(abs(part) > 1e-9 for part in found.values()):
            raise InputError("no coordinate shifts the robot in the direction of walking; carry it by a slide along it.")
        return {i: part if abs(part) > 1e-9 else 0.0 for i, part in found.items()}

    def _speed_block(self) -> Block:
        """How far the robot gets in a stride, or half of one."""
        casadi, moved = self.casadi, [i for i, part in self.shifts.items() if part]
        one, two, total = casadi.SX.sym("q0", len(moved)), casadi.SX.sym("q1", len(moved)), casadi.SX.sym("S")
        parts = casadi.DM([self.shifts[i] for i in moved])
        rows = [("speed", casadi.dot(parts, two - one) - self.p[ASKED.speed] * total)]
        columns = np.concatenate([self.phases[0].q[0][moved], self.phases[-1].q[-1][moved], [self.total]])[None]
        return Block((casadi.vertcat(one, two, total), self.p, casadi.SX(0, 1)), rows, columns, np.zeros((1, 0)))

    # --------------------------------------------------------------------------------------------------------------- linear
    def _linear(self) -> Linear:
        """Collocation, torques between the points, sum of the durations, and the state that repeats."""
        kinds: list[str] = []
        entries: list[tuple[int, int, float]] = []

        def add(kind: str, columns: Any, values: Any) -> None:
            entries.extend((len(kinds), int(column), float(value)) for column, value in zip(columns, values, strict=True))
            kinds.append(kind)

        s, _, integrals = self.rule
        step = len(s) - 1
        between = hull(s)[1:-1]
        for at, joints in zip(self.phases, self.driven, strict=True):
            for first in range(0, at.points - 1, step):
                inside = range(first, first + step + 1)
                for i, name in enumerate(joints):
                    if name in self.actuated:
                        for weights in between:
                            add(f"torque {name}", at.u[inside, i], weights)
                for value, rate in ((at.q, at.w), (at.w, at.c)):
                    for j in range(1, step + 1):
                        for i in range(self.nv):
                            columns = [value[first + j, i], value[first, i], *rate[inside, i]]
                            add("collocation", columns, [1.0, -1.0, *(-integrals[j] / self.elements)])
        add("total", [self.total, *self.durations], [1.0, *(-1.0 for _ in self.durations)])
        for number, (leg, at) in enumerate(zip(self.path.legs, self.phases, strict=True)):
            closes = number + 1 == len(self.phases)
            start = self.phases[0 if closes else number + 1].q[0]
            for i in range(self.nv):
                if not (closes and i in self.shifts and (self.path.mirrored or self.shifts[i])):
                    images = np.flatnonzero(leg.turn[i])
                    add("repeat", [start[i], *at.q[-1][images]], [1.0, *-leg.turn[i][images]])
        row, column, value = (np.array(part) for part in zip(*entries, strict=True))
        return Linear(kinds, row, column, value)
