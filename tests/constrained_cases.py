"""Constrained robots for tests: random wheeled trees and loops, and a second way to their motion.

The rows of wheels come from the Jacobians of *markers* at the contact points, those of loops from markers at the ends of the
cut, and the motion from one dense KKT system (Ali 2011, cross-check solver of section B6): nothing here is shared with the
library's rows, factors and recursions except ``Model``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import Law, sine
from locodyn.robot import Robot, rotation_about
from locodyn.robot.loop import LOOP_JOINTS, Loop
from random_robots import random_inertia

GRAVITY = (0.7, -1.1, -9.81)  # not along z, so that a planar robot feels it
KINEMATIC_KINDS = ("fixed", "passive", "driven", "steered", "skate", "omni", "rolling body")


class DenseRow(NamedTuple):
    """jacobian v = side; jacobian a + drift = side_rate."""

    name: str
    jacobian: np.ndarray  # (nv,)
    drift: float
    side: float = 0.0
    side_rate: float = 0.0
    known: float | None = None  # a given force along the row, in place of the equation


@dataclass
class WheelSpec:
    """A wheel as the test made it: its marker has the axes heading, axle, vertical."""

    name: str
    body: str
    marker: str
    kind: str
    radius: float = 0.1
    roller_angle: float = 0.0
    law: Law | None = None
    coordinate: str | None = None


@dataclass
class Case:
    """A robot with wheels and loops, its drives, and a state on its constraints."""

    robot: Robot
    wheels: list[WheelSpec] = field(default_factory=list)
    loops: list[tuple[str, str, str, str, Any]] = field(default_factory=list)  # name, first and second marker, joint, axis
    drives: dict[str, dict[str, Law]] = field(default_factory=lambda: {"steering": {}, "rolling": {}, "torque": {}})
    model: Model = None  # type: ignore[assignment]
    problem: Problem = None  # type: ignore[assignment]
    imposed: dict[int, Law] = field(default_factory=dict)
    torque: dict[int, Law] = field(default_factory=dict)
    time: float = 0.3
    q: np.ndarray = None  # type: ignore[assignment]
    v: np.ndarray = None  # type: ignore[assignment]

    def solved(self, **options: Any) -> Case:
        """Make the model and the problem."""
        self.model = self.robot.model(gravity=GRAVITY)
        self.problem = Problem(self.model, self.imposed, self.torque, drives=Drives(**self.drives), **options)
        return self

    def wheel(self, body: str, at: Any, heading: float, kind: str, rng: np.random.Generator) -> WheelSpec:
        """Put a wheel of this kind, with random laws, on a body and a marker at its contact point."""
        number = len(self.wheels)
        name, turn = f"w{number}", rotation_about("z", heading)
        spec = WheelSpec(name, body, f"touch_{number}", kind, float(rng.uniform(0.05, 0.2)))
        self.robot[body].marker(spec.marker, at=at, turned=turn)
        words: dict[str, Any] = {"at": at, "axis": turn[:, 1]}
        if kind in ("driven", "omni", "torque", "passive", "rolling body"):
            words["radius"] = spec.radius
        if kind in ("driven", "omni", "torque"):
            words["actuated"] = True
        if kind in ("steered", "castor", "omni"):
            words["kind"] = kind
        if kind == "omni":
            spec.roller_angle = words["roller_angle"] = float(rng.uniform(-1.0, 1.0))
        if kind == "rolling body":
            words |= {"mass": 0.3, "spin_inertia": 0.01, "across_inertia": 0.006}
            spec.coordinate = name
        if kind == "skate":
            self.robot[body].skate(name, at=at, along=turn[:, 0])
        else:
            self.robot[body].wheel(name, **words)
        word = {"driven": "rolling", "omni": "rolling", "torque": "torque", "steered": "steering"}.get(kind)
        if word:
            spec.law = self.drives[word][name] = random_law(rng)
        self.wheels.append(spec)
        return spec

    def _wheel_rows(self, spec: WheelSpec, t: float, q: np.ndarray, v: np.ndarray) -> list[DenseRow]:
        if spec.kind == "castor":
            return []
        jacobian, rate = self.model.jacobians(spec.marker, q, v)
        drift, rows = rate @ v, []
        value, speed, acceleration = spec.law.at(t) if spec.law is not None else (0.0, 0.0, 0.0)
        if spec.kind == "steered":
            c, s = np.cos(value), np.sin(value)
            turned = c * jacobian[1] - s * jacobian[0]
            turning = -speed * (s * jacobian[1] + c * jacobian[0])
            rows.append(DenseRow(f"{spec.name}.side", turned, c * drift[1] - s * drift[0] + turning @ v))
        elif spec.kind != "omni":
            rows.append(DenseRow(f"{spec.name}.side", jacobian[1], drift[1]))
        if spec.kind in ("driven", "omni", "torque", "rolling body"):
            along = np.array([1.0, np.tan(spec.roller_angle)]) / spec.radius
            roll, name = along @ jacobian[:2], f"{spec.name}.roll"
            if spec.kind == "torque":
                rows.append(DenseRow(name, roll, along @ drift[:2], known=value))
            elif spec.coordinate is not None:
                roll = roll.copy()
                roll[self.model.compiled.coordinate_names.index(spec.coordinate)] -= 1.0
                rows.append(DenseRow(name, roll, along @ drift[:2]))
            else:
                rows.append(DenseRow(name, roll, along @ drift[:2], speed, acceleration))
        return rows

    def _ground_rows(self, spec: WheelSpec, q: np.ndarray, v: np.ndarray) -> list[DenseRow]:
        jacobian, rate = self.model.jacobians(spec.marker, q, v)
        parts = (("z", 2), ("roll", 3), ("pitch", 4))
        return [DenseRow(f"{spec.body}.ground.{name}", jacobian[i], rate[i] @ v) for name, i in parts]

    def loop(self, name: str, first: str, second: str, joint: str, axis: Any = "z") -> None:
        """Close a loop between two markers (the second may be "world": then the first is put where it belongs)."""
        self.robot.loop(name, first, second, joint=joint, axis=axis)
        self.loops.append((name, first, second, joint, axis))

    def _loop_rows(self, loop: tuple[str, str, str, str, Any], q: np.ndarray, v: np.ndarray) -> list[DenseRow]:
        name, first, second, joint, axis = loop
        vector = axis_of(axis)
        (ja, da, ra, pa), (jb, db, rb, pb) = (self._end(end, q, v) for end in (first, second))
        r, p = ra.T @ rb, ra.T @ (pb - pa)
        ta, tb = ja @ v, jb @ v
        turn = tb[3:] - r.T @ ta[3:]
        pdot = r @ tb[:3] - ta[:3] - np.cross(ta[3:], p)
        linear = r @ jb[:3] - ja[:3] + np.cross(p, ja[3:].T).T
        angular = r @ jb[3:] - ja[3:]
        linear_drift = r @ (np.cross(turn, tb[:3]) + db[:3]) - da[:3] - np.cross(da[3:], p) - np.cross(ta[3:], pdot)
        angular_drift = r @ (np.cross(turn, tb[3:]) + db[3:]) - da[3:]
        jacobian, drift = np.vstack([linear, angular]), np.concatenate([linear_drift, angular_drift])
        cut = Loop(name, joint, None, None, axis=vector)
        return [DenseRow(n, row @ jacobian, row @ drift) for n, row in zip(cut.row_names, cut.constraint_matrix, strict=True)]

    def _end(self, name: str, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        if name == "world":
            return np.zeros((6, self.model.nv)), np.zeros(6), np.eye(3), np.zeros(3)
        jacobian, rate = self.model.jacobians(name, q, v)
        return (jacobian, rate @ v, *self.model.pose(name, q))

    def rows(self, t: float, q: np.ndarray, v: np.ndarray) -> list[DenseRow]:
        """All rows with a force, in the order of the names of the library's own rows."""
        found: list[DenseRow] = []
        seen: set[str] = set()
        for spec in self.wheels:
            own = self._wheel_rows(spec, t, q, v)
            if own and self.model.compiled.reference_nv == 6 and spec.body not in seen:
                seen.add(spec.body)
                found += self._ground_rows(spec, q, v)
            found += own
        for loop in self.loops:
            found += self._loop_rows(loop, q, v)
        return found

    def free(self) -> np.ndarray:
        """Numbers of the coordinates whose force is known."""
        return np.array([i for i in range(self.model.nv) if i not in self.imposed], dtype=int)

    def joint_laws(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Springs and viscous friction of hinges (nv,)."""
        compiled, result = self.model.compiled, np.zeros(self.model.nv)
        for body in compiled.description.bodies:
            if body.actuator is not None:
                number = compiled.joint_index(body.joint.name)
                i, k = compiled.joint_velocities[number], compiled.joint_positions[number]
                result[i] -= body.actuator.stiffness * (q[k] - body.actuator.rest) + body.actuator.viscous * v[i]
        return result


def axis_of(axis: Any) -> np.ndarray:
    """Unit vector of "x", "y", "z" or of a vector."""
    return np.array([axis == c for c in "xyz"], dtype=float) if isinstance(axis, str) else np.asarray(axis)


class Dense(NamedTuple):
    acceleration: np.ndarray  # (nv,)
    multipliers: dict[str, float]  # of smallest norm
    force: np.ndarray  # (nv,) J^T lambda
    torque: np.ndarray  # (nv,) of the actuators


def random_law(rng: np.random.Generator, size: float = 0.6) -> Law:
    return sine(float(rng.uniform(0.2, 1.0) * size), omega=float(rng.uniform(0.5, 2.5)), phase=float(rng.uniform(0.0, 6.0)))


def natural_weight(case: Case, name: str) -> float:
    """Redundant rows share such that the sum of (lambda / weight)^2 is smallest: forces as they are, moments over a length."""
    if name.endswith(".roll") and ".ground" not in name:
        spec = next(wheel for wheel in case.wheels if name == f"{wheel.name}.roll")
        return spec.radius * float(np.cos(spec.roller_angle))
    turns = name.endswith((".ground.roll", ".ground.pitch")) or ".about_" in name
    return case.problem.constraints.length if turns else 1.0


def kkt(case: Case, t: float, q: np.ndarray, v: np.ndarray) -> Dense:
    """[[M_EE, -J_E^T], [J_E, 0]] (a_E, lambda) = (tau - h - M_EI a_I, side_rate - drift - J_I a_I)."""
    model, free, nv = case.model, case.free(), case.model.nv
    mass, bias, passive = model.mass_matrix(q), model.bias(q, v), case.joint_laws(q, v)
    rows = case.rows(t, q, v)
    held = [row for row in rows if row.known is None]
    jacobian = np.array([row.jacobian for row in held]).reshape(-1, nv)
    given = sum((row.known * row.jacobian for row in rows if row.known is not None), np.zeros(nv))
    a, command = np.zeros(nv), np.zeros(nv)
    for i, law in case.imposed.items():
        a[i] = law.at(t)[2]
    for i, law in case.torque.items():
        command[i] = law.at(t)[0]
    tau = passive + given + command
    own = jacobian[:, free]
    matrix = np.block([[mass[np.ix_(free, free)], -own.T], [own, np.zeros((len(held), len(held)))]])
    drift = np.array([row.side_rate - row.drift for row in held])
    right = np.concatenate([(tau - bias - mass @ a)[free], drift - jacobian @ a])
    a[free] = np.linalg.lstsq(matrix, right, rcond=1e-11)[0][: len(free)]
    need = mass @ a + bias - passive - given
    weights = np.array([natural_weight(case, row.name) for row in held])
    multipliers = weights * (np.linalg.pinv(own.T * weights, rcond=1e-11) @ (need - command)[free])
    force = jacobian.T @ multipliers
    command[list(case.imposed)] = (need - force)[list(case.imposed)]
    return Dense(a, dict(zip([row.name for row in held], multipliers, strict=True)), force, command)


def free_singular_values(case: Case, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
    """Singular values of J_E, and the speed by which the rows contradict each other."""
    held = [row for row in case.rows(t, q, v) if row.known is None]
    jacobian = np.array([row.jacobian for row in held]).reshape(-1, case.model.nv)
    rest = np.array([row.side for row in held])
    for i, law in case.imposed.items():
        rest = rest - jacobian[:, i] * law.at(t)[1]
    own = jacobian[:, case.free()]
    missed = rest - own @ (np.linalg.pinv(own, rcond=1e-9) @ rest)
    return np.linalg.svd(own, compute_uv=False), float(np.abs(missed).max(initial=0.0))


def is_good(case: Case, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    """Rows that restrict something, do not contradict each other, and have no small singular value (but zero)."""
    values, missed = free_singular_values(case, t, q, v)
    largest = values.max(initial=0.0)
    ratio, restricts = values / max(largest, 1e-300), largest > 1e-3 or not len(values)
    return missed < 1e-9 and restricts and not bool(((ratio > 1e-10) & (ratio < 5e-3)).any())


def random_tree(rng: np.random.Generator, n_bodies: int, base: str = "planar") -> Case:
    """Hinges about z on each other at random places; some with springs and friction."""
    case = Case(Robot(f"random wheeled {base} {n_bodies}"))
    case.robot.base("b0", moves=base, **random_inertia(rng))
    for i in range(1, n_bodies):
        body = case.robot.body(f"b{i}", **random_inertia(rng))
        place = {"at": 0.4 * rng.standard_normal(3), "turned": rotation_about("z", rng.uniform(-3.0, 3.0))}
        body.on(f"b{rng.integers(max(0, i - 2), i)}", **place).turning("z")
        if rng.random() < 0.3:
            body.actuator(stiffness=1.5, rest=0.2, viscous=0.3, armature=0.01)
    return case


def drive_joints(case: Case, rng: np.random.Generator, share: tuple[float, float, float] = (0.4, 0.3, 0.3)) -> None:
    """Joints of one axis imposed, torque-driven or passive with these probabilities; rolling bodies are never imposed."""
    compiled = case.robot.compile()
    rolling = {spec.coordinate for spec in case.wheels}
    for i, name in enumerate(compiled.coordinate_names):
        if i >= compiled.reference_nv and name not in rolling:
            word = rng.choice(["imposed", "torque", "passive"], p=share)
            if word == "imposed":
                case.imposed[i] = random_law(rng)
            elif word == "torque":
                case.torque[i] = random_law(rng)


def settled(make: Callable[[np.random.Generator], Case], seed: int, **options: Any) -> Case:
    """The first good case of this maker: the seed goes up until the rows are neither contradictory nor nearly singular."""
    for attempt in range(200):
        rng = np.random.default_rng(1000 * seed + attempt)
        case = make(rng)
        case.solved(**options)
        q = case.model.normalised(case.model.neutral() + 0.7 * rng.standard_normal(case.model.nq))
        v = rng.standard_normal(case.model.nv)
        for i, law in case.imposed.items():
            q[i + case.model.nq - case.model.nv], v[i] = law.at(case.time)[:2]
        if is_good(case, case.time, q, v):
            case.q, case.v = case.problem.imposed_state(case.time, q, v)
            return case
    raise AssertionError("no good case in 200 attempts")


# ------------------------------------------------------------------------------------------------------------------- loops
def allowed_motion(joint: str, axis: np.ndarray, rng: np.random.Generator, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position that a cut joint allows between its two frames, turns up to ``angle``."""
    turn = rotation_about(axis, rng.uniform(-angle, angle))
    slide = rng.uniform(-0.3, 0.3) * axis
    across = np.cross(axis, rng.standard_normal(3))
    any_turn = rotation_about(rng.standard_normal(3), rng.uniform(-angle, angle))
    return {
        "revolute": (turn, np.zeros(3)),
        "prismatic": (np.eye(3), slide),
        "cylindrical": (turn, slide),
        "planar": (turn, 0.3 * across),
        "spherical": (any_turn, np.zeros(3)),
        "translating": (np.eye(3), 0.3 * rng.standard_normal(3)),
        "fixed": (np.eye(3), np.zeros(3)),
        "pin": (any_turn, slide),
        "in_plane": (any_turn, 0.3 * across),
        "parallel": (turn, 0.3 * rng.standard_normal(3)),
    }[joint]


def close_loop(case: Case, joint: str, axis: Any, ends: tuple[str, str], q: np.ndarray, rng: np.random.Generator,
               angle: float = 0.5) -> None:  # fmt: skip
    """Close a loop between two bodies (or a body and the world) such that q is on it."""
    model, number = case.robot.model(), len(case.loops)
    turn, shift = allowed_motion(joint, axis_of(axis), rng, angle)
    first, second = f"cut_{number}_a", f"cut_{number}_b"
    if ends[1] == "world":
        # The frame in the world is the world's own: seen from it the first is at the inverse of what the joint allows.
        r, p, second = turn.T, -turn.T @ shift, "world"
    else:
        rb, pb = model.pose(ends[1], q)
        turned, at = rotation_about("z", rng.uniform(-3.0, 3.0)), 0.3 * rng.standard_normal(3)
        case.robot[ends[1]].marker(second, at=at, turned=turned)
        r, p = rb @ turned @ turn.T, pb + rb @ at - rb @ turned @ turn.T @ shift
    ra, pa = model.pose(ends[0], q)
    case.robot[ends[0]].marker(first, at=ra.T @ (p - pa), turned=ra.T @ r)
    case.loop(f"loop{number}", first, second, joint, axis)


def law_through(value: float, t: float, rng: np.random.Generator) -> Law:
    """A random motion that has this value at t."""
    return (law := random_law(rng, 0.3)) + (value - law.at(t)[0])


def gap(case: Case, q: np.ndarray) -> float:
    """How far the loops are open: along the rows of the cut, m, and the angle between its axes (or frames), rad."""
    worst = 0.0
    for name, first, second, joint, axis in case.loops:
        vector = axis_of(axis)
        cut = Loop(name, joint, None, None, axis=vector)
        (_, _, ra, pa), (_, _, rb, pb) = (case._end(end, q, np.zeros(case.model.nv)) for end in (first, second))
        r, p = ra.T @ rb, ra.T @ (pb - pa)
        linear = [row[:3] @ p for row in cut.constraint_matrix if row[:3].any()]
        turned = {"all": np.abs(r - np.eye(3)).max(), "across": np.abs(r @ vector - vector).max(), "nothing": 0.0}
        worst = max(worst, turned[LOOP_JOINTS[joint][1]], *np.abs(linear))
    return float(worst)
