"""Equilibrium of rods in the strong form: a robot as pieces of rods and joints, and what is left where they meet.

The unknowns are the states at the beginnings of all pieces and the coordinates of the joints; what must vanish are the gaps
between pieces, the wrenches left at their ends and the forces along the joints; of closed loops
(:mod:`locodyn.equilibria.strong_loops`) multipliers and residuals besides. Equations: :mod:`locodyn.equilibria.shooting`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from locodyn.equilibria.balance import still_targets
from locodyn.equilibria.strong_loops import STATICS, Named, StrongLoops
from locodyn.equilibria.strong_rods import Arc, Place, PointLaw, Wrench, hats, pose_along
from locodyn.errors import InputError
from locodyn.kernel import twin
from locodyn.locomotion.memories import NO_MEMORIES
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import applied_forces
from locodyn.robot.compilation.frame_motion import offset, pose_in_parent, subspace
from locodyn.robot.layout import CODE, COUNT_V, FIRST_V, FIXED, PARENT, ROD, SLICE, SPRING
from locodyn.robot.pose import Pose
from locodyn.robot.rods.strand import Strand
from locodyn.robot.values import float_of
from locodyn.world.laws import UserLaw
from locodyn.world.water import WetLaw
from locodyn.world.wrenches import law_wrench

Rates = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # of coordinates: velocities, and forces that rotors need


@dataclass(eq=False)
class Node:
    """A frame other than the slices of rods: its motion subspace (6, n), its unknown velocities, what acts on it."""

    frame: int
    axes: np.ndarray
    free: np.ndarray
    loads: list[PointLaw] = field(default_factory=list)


@dataclass(frozen=True)
class Pieces:
    """The pieces of all rods: number of the rod (S,), ends ``low`` and ``high`` (S,) m, first of each rod (rods + 1,).

    ``where``: the piece that ends at a place (m) of a rod.
    """

    arc: np.ndarray
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray
    where: dict[tuple[int, float], int]


class StrongForm:
    """The rods and joints of a problem at time t."""

    def __init__(self, problem: Problem, t: float, q: np.ndarray, who: Named = STATICS) -> None:
        self.problem, self.t, self.gravity = problem, t, np.asarray(problem.model.gravity)
        self.who, self.compiled = who, problem.model.compiled
        self.rates: Rates | None = None
        self.loops = StrongLoops(problem, who)
        if problem.functions or problem.controller is not None:
            raise InputError(f"{who.name} takes no torques and motions that are functions of Python; {who.instead}.")
        problem.switch_servos(t)
        self.q, still = problem.imposed_state(t, q, np.zeros(problem.model.nv))
        problem.read_inputs(t, self.q, still)
        if who is STATICS:
            still_targets(problem.inputs)
        self.arcs: list[Arc] = []
        self.nodes: dict[int, Node] = {}
        self.on_rod: dict[int, tuple[int, float]] = {}  # slices: number of the rod, place of their end
        frames = self.compiled.frames
        rods = {b.joint.name: b for b in self.compiled.description.bodies if b.joint.rod is not None}
        for name, own in zip(self.compiled.joint_names, self.compiled.joint_frames, strict=True):
            if name in rods:
                self._add_rod(rods[name], own)
        for k in map(int, np.flatnonzero(frames[:, CODE] != ROD)):
            span = np.arange(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V])
            free = np.array([i for i in span if not self._imposed(int(i))], dtype=int)
            axes = subspace(self.compiled, k) if frames[k, CODE] != FIXED else np.zeros((6, 0))
            self.nodes[k] = Node(k, axes[:, np.isin(span, free)], free)
        for k in [*self.nodes, *(self.compiled.joint_frames[self._rod_joint(arc)][0] for arc in self.arcs)]:
            if (parent := int(frames[k, PARENT])) in self.on_rod:
                number, s = self.on_rod[parent]
                self.arcs[number].places.add(s)
        for number, s in (self.on_rod[k] for k in self.loops.frames if k in self.on_rod):
            self.arcs[number].places.add(s)
        self.still: dict[int, Place] = {}
        self.still = {k: self._joint(k, self.q) for k, node in self.nodes.items() if not len(node.free)}  # they never move
        self._add_loads()
        self.free = np.concatenate([node.free for node in self.nodes.values()]).astype(int)
        if not self.arcs:
            raise InputError(f"{who.name} needs a rod; {who.instead}.")

    def _rod_joint(self, arc: Arc) -> int:
        body = next(b for b in self.compiled.description.bodies if b.name == arc.name)
        return self.compiled.joint_index(body.joint.name)

    def _imposed(self, i: int) -> bool:
        return bool(self.problem.arrays.imposed.shape[0] and self.problem.arrays.imposed[i] != 0)

    def _add_rod(self, body: Any, frames: Sequence[int]) -> None:
        rod = body.joint.rod
        first = int(self.compiled.frames[frames[0], FIRST_V])
        if any(self._imposed(i) for i in range(first, first + rod.count)):
            raise InputError(f"{self.who.name} has no strain modes; those of rod '{body.name}' cannot be imposed.")
        if rod.fields:
            raise InputError(f"{self.who.name} takes no strain fields; rod '{body.name}' has one: {self.who.instead}.")
        ends = np.cumsum(self.problem.model.constants[list(frames), SLICE.length])
        carrier = int(self.compiled.frames[frames[0], PARENT])
        root = offset(self.compiled, int(frames[0]))
        arc = Arc(body.name, rod, carrier, (root.rotation, root.position), self._strands(body.strands), self.gravity)
        for k, s in zip(frames, ends, strict=True):
            self.on_rod[int(k)] = len(self.arcs), rod.length if k == frames[-1] else float(s)
        self.arcs.append(arc)

    def _strands(self, strands: tuple[Strand, ...]) -> list[tuple[Strand, float]]:
        names = self.compiled.strand_names
        for strand in strands:
            if strand.kind == SPRING:
                raise InputError(f"{self.who.name} takes tendons by their tension; '{strand.name}' is given by its length.")
        return [(strand, float(self.problem.inputs.strands[names.index(strand.name)])) for strand in strands]

    # ------------------------------------------------------------------------------------------------------------- loads
    def _add_loads(self) -> None:
        self.problem.memories.refuse_undetermined(self.who.name)
        if self.compiled.ties:
            raise InputError(
                f"'{self.compiled.ties[0].name}' ties bodies to each other, which shooting does not know; {self.who.instead}."
            )
        for contact in self.problem.compliant:
            raise InputError(f"{self.who.name} knows no contacts, such as '{contact.name}'; {self.who.instead}.")
        for body in self.compiled.description.bodies:
            if float_of(body.inertia.mass) > 0.0:
                frame, rotation, position = self.compiled.point(body.name)
                self.add_load(frame, Pose(rotation, position), self._weight(body.inertia))
        rows = [wrench.name for wrench in self.problem.wrench_table.wrenches]
        arcs = {arc.name: arc for arc in self.arcs}
        for wrench in self.compiled.description.wrenches:
            row = rows.index(wrench.name)
            here = self.problem.wrench_table.wrenches[row]
            law = self._law(row, wrench.law, wrench.spread is not None)
            if wrench.spread is not None:
                if isinstance(wrench.law, WetLaw):
                    raise InputError(
                        f"wrench '{wrench.name}' is a law of water along a rod, which shooting does not know; {self.who.instead}."
                    )
                arcs[wrench.body].spreads.append((wrench.spread, on_section(wrench.pose, law)))
            else:
                self.add_load(here.frame, Pose(here.rotation, here.position), law)

    def add_load(self, frame: int, pose: Pose, law: PointLaw) -> None:
        """Add a law of a point that has a pose in a frame."""
        moved = on_section(pose, law)
        if frame in self.on_rod:
            number, s = self.on_rod[frame]
            self.arcs[number].loads.setdefault(s, []).append(moved)
        else:
            self.nodes[frame].loads.append(moved)

    def _weight(self, inertia: Any) -> PointLaw:
        lever = hats(np.asarray(inertia.centre, dtype=float))

        def law(place: Place, s: float) -> Wrench:
            force = inertia.mass * place[0].T @ self.gravity
            return force, lever @ force

        return law

    def _law(self, row: int, law: Any, along: bool) -> PointLaw:
        table, inputs, rest = self.problem.wrench_table, self.problem.inputs, (0.0, 0.0, 0.0)
        number = int(table.laws.factor[row])
        factor = 1.0 if number < 0 else float(inputs.rows[number, 0])
        if isinstance(law, UserLaw):

            def own(place: Place, s: float) -> Wrench:
                wrench = factor * np.asarray(law.function(self.t, *place, np.zeros(6), *((s,) if along else ())), dtype=float)
                return wrench[:3], wrench[3:]

            return own
        memory = self.problem.workspace.memory

        def known(place: Place, s: float) -> Wrench:
            pose = tuple(place[0].ravel()), tuple(place[1])
            force, moment, _, _ = twin(law_wrench)(table.laws, inputs.rows, memory, row, *pose, rest, rest)
            return factor * np.array(force), factor * np.array(moment)

        return known

    # ----------------------------------------------------------------------------------------------------------- pieces
    def pieces(self, parts: int) -> Pieces:
        """Pieces of the rods, none longer than 1/parts of its rod."""
        rows: list[tuple[int, float, float]] = []
        first = [0]
        for number, arc in enumerate(self.arcs):
            for low, high in pairwise(arc.edges):
                count = max(1, int(np.ceil(parts * (high - low) / arc.rod.length - 1e-9)))
                rows += [(number, a, b) for a, b in pairwise(np.linspace(low, high, count + 1))]
            first.append(len(rows))
        where = {(a, float(s)): k for k, (a, _, s) in enumerate(rows)}
        table = np.array(rows)
        return Pieces(table[:, 0].astype(int), table[:, 1], table[:, 2], np.array(first), where)

    def rest(self, pieces: Pieces) -> np.ndarray:
        """States (S, 18) at the beginnings of the pieces where the rods have the strains of ``self.q``: a first guess."""
        q, starts = self.q, np.zeros((len(pieces.arc), 18))
        places: dict[tuple[int, float], Place] = {}
        for number, arc in enumerate(self.arcs):
            span = self.compiled.joint_positions[self._rod_joint(arc)]
            pose = composed(self.place(arc.frame, q, places), arc.pose)
            for k in range(pieces.first[number], pieces.first[number + 1]):
                low, high = float(pieces.low[k]), float(pieces.high[k])
                section = arc.rod.properties(low).stiffness
                wrench = section @ (arc.rod.strain(np.array([low]), q[span])[0] - arc.rod.rest(np.array([low]))[0])
                starts[k] = np.concatenate([np.ravel(pose[0]), pose[1], wrench])
                pose = composed(pose, pose_along(arc.rod, low, high, q[span]))
                places[number, high] = pose
        return starts

    def place(self, frame: int, q: np.ndarray, places: dict[tuple[int, float], Place]) -> Place:
        """World pose of a frame; ``places``: poses of the sections where something is attached."""
        if frame < 0:
            return np.eye(3), np.zeros(3)
        if frame in self.on_rod:
            return places[self.on_rod[frame]]
        return composed(self.place(int(self.compiled.frames[frame, PARENT]), q, places), self._joint(frame, q))

    def _joint(self, frame: int, q: np.ndarray) -> Place:
        """Pose, in its parent, of a frame other than a slice."""
        if frame in self.still:
            return self.still[frame]
        pose = pose_in_parent(self.compiled, frame, q)
        return pose.rotation, pose.position

    def attached(self, pieces: Pieces, ends: np.ndarray) -> dict[tuple[int, float], Place]:
        """Poses of the sections where something is attached, from the states (S, 18) at the ends of the pieces."""
        places: dict[tuple[int, float], Place] = {}
        for number, arc in enumerate(self.arcs):
            for s in {*arc.places, *arc.loads}:
                end = ends[pieces.where[number, s]]
                places[number, s] = end[:9].reshape(3, 3), end[9:12]
        return places

    def left(
        self, pieces: Pieces, starts: np.ndarray, ends: np.ndarray, q: np.ndarray, load: float, multipliers: np.ndarray
    ) -> np.ndarray:
        """What must vanish: for each piece its gap to what is before it (6), what is left at its end (6); joints; loops."""
        gap, over = np.zeros((len(starts), 6)), ends[:, 12:].copy()
        later = np.ones(len(starts), dtype=bool)
        later[pieces.first[:-1]] = False
        later = np.flatnonzero(later)
        over[later - 1] -= starts[later, 12:]
        where = pieces.where
        places = self.attached(pieces, ends)
        gap[later] = _gaps(ends[later - 1], starts[later])
        wrenches = {k: np.zeros(6) for k in (-1, *self.nodes)}

        def add(frame: int, pose: Place, wrench: np.ndarray) -> None:
            """A wrench at a pose in a frame, to what acts on the frame or the section there."""
            force, moment = pose[0] @ wrench[:3], pose[0] @ wrench[3:]
            total = np.concatenate([force, moment + hats(pose[1]) @ force])
            if frame in self.on_rod:
                over[where[self.on_rod[frame]]] -= total
            else:
                wrenches[frame] += total

        for number, arc in enumerate(self.arcs):
            first = pieces.first[number]
            root = composed(self.place(arc.frame, q, places), arc.pose)
            state = np.concatenate([np.ravel(root[0]), root[1]])
            gap[first] = _gaps(state[None], starts[first : first + 1])[0]
            add(arc.frame, arc.pose, starts[first, 12:])
            for s, laws in arc.loads.items():
                for law in laws:
                    over[where[number, s]] -= load * np.concatenate(law(places[number, s], s))
        missed, pushes = self.loops.at(lambda k: self.place(k, q, places), q, multipliers)
        for frame, push in pushes:
            add(frame, (np.eye(3), np.zeros(3)), push)
        forces = np.zeros(self.problem.model.nv)
        applied = np.zeros(self.problem.model.nv)
        memory = self.problem.workspace.memory
        rate, inertia = (np.zeros(len(applied)),) * 2 if self.rates is None else self.rates(q)
        arrays = replace(self.problem.arrays, drives=NO_MEMORIES)  # at rest actuators give what they are told
        applied_forces(arrays, self.problem.inputs, q, rate, memory, applied)
        applied -= inertia
        for k in sorted(self.nodes, reverse=True):  # tips first: each hands on to what carries it
            node, pose = self.nodes[k], self.place(k, q, places)
            for law in node.loads:
                wrenches[k] += load * np.concatenate(law(pose, 0.0))
            forces[node.free] = node.axes.T @ wrenches[k] + applied[node.free]
            add(int(self.compiled.frames[k, PARENT]), self._joint(k, q), wrenches[k])
        lengths = np.array([self.arcs[a].rod.length for a in pieces.arc])[:, None]
        units = np.array([self.arcs[a].unit for a in pieces.arc])
        gap[:, 3:] /= lengths
        loops = missed / np.max(lengths)
        return np.concatenate([gap.ravel(), (over / units).ravel(), forces[self.free] / np.max(units), loops])


def composed(one: Place, two: Place) -> Place:
    """Pose of C in A from those of B in A and of C in B."""
    return one[0] @ two[0], one[1] + one[0] @ two[1]


def _gaps(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(n, 6): turn (rad, to first order) and place (m) of the states ``after`` (n, 18) seen from those ``before``."""
    turn = np.swapaxes(before[:, :9].reshape(-1, 3, 3), 1, 2) @ after[:, :9].reshape(-1, 3, 3)
    vector = 0.5 * np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1)
    return np.hstack([vector, after[:, 9:12] - before[:, 9:12]])


def on_section(pose: Pose, law: PointLaw) -> PointLaw:
    """The law of a point that has a pose in a section, as one of the section."""
    shift, turn = np.asarray(pose.position, dtype=float), np.asarray(pose.rotation, dtype=float)
    lever = hats(shift)

    def moved(place: Place, s: float) -> Wrench:
        rotation, position = place
        force, moment = law((rotation @ turn, position + rotation @ shift), s)
        force, moment = turn @ force, turn @ moment
        return force, moment + lever @ force

    return moved
