"""Contacts of an event-driven run: their rows, the forces while no contact changes, and impacts.

While every touching contact either sticks or slips, accelerations and forces solve a linear problem,

    M a = f + sum J_N^T F_N + J_T^T F_T,
    stick:  J_N a + (dJ_N/dt) v = 0,   J_T a + (dJ_T/dt) v = 0          slip:  J_N a + (dJ_N/dt) v = 0,   F_T = -F_N A w / |w|

with w = A u_T the slip velocity times the coefficients of friction A = diag(mu_x, mu_y) in the axes of the contact: the ellipse
of :mod:`locodyn.world.friction_sets`. Impacts, and what touching contacts do next, are problems of velocities that the solver of
the time stepping solves (:func:`locodyn.contact.solve.solve_contacts`).

Beside imposed joints, wheels and loops, f are the forces that leave the motion on them, and contacts move the robot only along
the directions Z that they leave open: M^-1 becomes Z (Z^T M Z)^-1 Z^T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from locodyn.contact.dense import reduce_problem
from locodyn.contact.impact import begin_phase
from locodyn.contact.law import natural_residual, recentre
from locodyn.contact.operator import respond
from locodyn.contact.options import HardContact
from locodyn.contact.solve import solve_contacts
from locodyn.integrate.event_rows import bends_at, rows_at
from locodyn.locomotion.contact.allocation import new_contact_arrays
from locodyn.locomotion.contact.outward import no_outward
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_solver import RowSolver
from locodyn.shape.configuration import moved_configuration
from locodyn.world.gaps import PAIR

ONSET = 1e-8  # m/s: slip is taken as this much in the direction in which it begins, until it is faster
_RESIDUAL, _SOLVED = 1e-12, 1e-7  # asked of the solver, and enough; parts of the weight times the step
_ROUNDS = 10  # of the solver, each from the impulses of the one before: their law is rigid in the end
_MOVES = 1e-12  # m or 1: rows below it are those of directions in which a planar robot cannot move


class NoSolution(Exception):
    """Impulses that the solver has not found."""


@dataclass(frozen=True)
class Modes:
    """Which contacts touch (k,), which of these stick (k,), and the directions (k, 3) in which others have just begun to slip."""

    numbers: np.ndarray
    sticks: np.ndarray
    onset: np.ndarray

    @classmethod
    def none(cls) -> Modes:
        """Nothing touches."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool), np.zeros((0, 3)))

    def without(self, i: int) -> Modes:
        """The i-th contact has left."""
        return Modes(*(np.delete(part, i, axis=0) for part in (self.numbers, self.sticks, self.onset)))

    def slipping(self, i: int, direction: np.ndarray) -> Modes:
        """The i-th contact slips, in this direction at first."""
        sticks, onset = self.sticks.copy(), self.onset.copy()
        sticks[i], onset[i] = False, direction
        return Modes(self.numbers, sticks, onset)


class Rows(NamedTuple):
    """Of k contacts: normal rows (k, nv), velocities in world axes (k, 3, nv), axes (k, 3, 3), tangents with friction (k, 2)."""

    normal: np.ndarray
    world: np.ndarray
    basis: np.ndarray  # columns: normal, forward, side
    moves: np.ndarray

    @property
    def axes(self) -> np.ndarray:
        """Tangents (k, 3, 2)."""
        return self.basis[:, :, 1:]

    def tangent(self, i: int) -> np.ndarray:
        """Rows (2, nv) of the slip of the i-th contact."""
        return np.asarray(self.axes[i].T @ self.world[i])


class Forces(NamedTuple):
    """Accelerations (nv,), normal forces (k,) and friction (k, 2) in contact axes, N; in world axes (k, 3); power lost, W."""

    acceleration: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    world: np.ndarray
    loss: float


class Contacts:
    """All contacts of a problem: gaps, rows, forces in given modes, and the problem of velocities."""

    def __init__(self, problem: Problem) -> None:
        table, options = problem.contact.table, problem.contact.options
        self.problem, self.count = problem, len(table)
        pairs = table.arrays
        self.restitution, self.poisson = pairs.restitution, options.restitution == "poisson"
        self.friction = np.column_stack([pairs.friction_forward, pairs.friction_across])
        self.supports = pairs.kind == PAIR.support
        self.loads = pairs.load
        chosen = HardContact(tolerance=_RESIDUAL, iterations=options.iterations)
        self.arrays = new_contact_arrays(table, problem.arrays, problem.model.nq, chosen, no_outward(problem.arrays), dense=True)
        held = problem.constraints.arrays
        self._solver = None
        if held is not None:
            self._solver = RowSolver(problem.arrays, held, problem.inputs, problem.workspace, held.active)

    @property
    def is_held(self) -> bool:
        """Whether joints are imposed, or wheels and loops restrict the motion."""
        return self._solver is not None or len(self.problem.arrays.imposed) > 0

    @property
    def is_driven(self) -> bool:
        """Whether a motion is given as a law of time: what gives it does work, also in impacts."""
        return len(self.problem.arrays.imposed) > 0 or any(row.rate_law >= 0 for row in self.problem.constraints.rows)

    @property
    def weight(self) -> float:
        """Mean weight of a link, N."""
        return float(self.arrays.mean_weight)

    @property
    def gravity(self) -> float:
        """What accelerations are compared with, m/s^2."""
        return self.weight / self.arrays.mean_mass

    def moved(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """q (+) u."""
        result = np.empty_like(q)
        moved_configuration(self.problem.model.frames, q, np.ascontiguousarray(u), result)
        return result

    def directions(self, q: np.ndarray) -> np.ndarray | None:
        """Z (nv, r): a basis of the velocities that imposed joints, wheels and loops leave open; None: all are."""
        held, nv = self.problem.constraints.arrays, self.problem.model.nv
        if self._solver is None:
            imposed = self.problem.arrays.imposed
            return np.eye(nv)[:, imposed == 0] if len(imposed) else None
        kernel = self._solver.factored(q, held.settled_rank).kernel if len(held.free) else np.zeros((0, 0))
        result = np.zeros((nv, kernel.shape[1]))
        result[held.free] = kernel
        return result

    def response(self, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Z (Z^T M Z)^-1 Z^T times forces (nv, k): what they change of the accelerations, or impulses of the velocities."""
        mass, z = self.problem.model.mass_matrix(q), self.directions(q)
        if z is None:
            return np.linalg.solve(mass, forces)
        return np.asarray(z @ np.linalg.solve(z.T @ mass @ z, z.T @ forces))

    def settled(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state on imposed motions, wheels and loops, which round-off and errors of steps have left."""
        return self.problem.imposed_state(t, q, v) if self.is_held else (q, v)

    def wrenches(self, q: np.ndarray, numbers: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Wrenches (nf, 6) on the frames of the forces (k, 3) N, in world axes, of the contacts ``numbers`` at q."""
        result, contacts = np.zeros((self.problem.model.nf, 6)), self.arrays
        self.rows(q, numbers)
        poses = self.problem.model.kinematics(q)[0]
        for i, force in enumerate(forces):
            for k, sign in ((contacts.frame[i], 1.0), (contacts.other[i], -1.0)):
                if k >= 0:
                    rotation = poses[k, :9].reshape(3, 3)
                    own = sign * rotation.T @ force
                    arm = rotation.T @ (contacts.point[i] - poses[k, 9:])
                    result[k] += np.concatenate([own, np.cross(arm, own)])
        return result

    def gaps(self, q: np.ndarray) -> np.ndarray:
        """Gap of every pair (n,), m; supports are always closed."""
        return np.where(self.supports, 0.0, self.problem.contact.gaps(q))

    def rows(self, q: np.ndarray, numbers: np.ndarray, step: float = 0.0) -> Rows:
        """Rows of the contacts ``numbers`` at q."""
        contacts, k = self.arrays, len(numbers)
        if k:
            rows_at(self.problem.arrays, contacts, numbers, step, q, self.problem.workspace)
        jacobian = np.array(contacts.robot.jacobian[: 6 * k]).reshape(k, 6, self.problem.model.nv)[:, :3]
        basis = np.array(contacts.basis[:k]).reshape(k, 3, 3)
        moves = (np.abs(jacobian[:, 1:]).max(axis=2, initial=0.0) > _MOVES) & (self.friction[numbers] > 0.0)
        return Rows(jacobian[:, 0], basis @ jacobian, basis, moves)

    def bends(self, q: np.ndarray, v: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """(dJ/dt) v (k, 4), m/s^2: of the normal row and of the velocity in world axes."""
        found = np.zeros((len(numbers), 4))
        if len(numbers):
            bends_at(self.problem.arrays, self.arrays, numbers, q, v, self.problem.workspace, found)
        return found

    def slips(self, rows: Rows, v: np.ndarray) -> np.ndarray:
        """Slip velocities (k, 2) in contact axes, m/s; zero along directions without friction."""
        return np.where(rows.moves, np.einsum("kji,kjm,m->ki", rows.axes, rows.world, v), 0.0)

    def forces(self, t: float, q: np.ndarray, v: np.ndarray, modes: Modes) -> Forces:
        """The linear problem above."""
        a = self.problem.accelerations(t, q, v)
        k, nv = len(modes.numbers), len(v)
        if not k:
            return Forces(a, np.zeros(0), np.zeros((0, 2)), np.zeros((0, 3)), 0.0)
        bends, rows = self.bends(q, v, modes.numbers), self.rows(q, modes.numbers)
        friction = self.friction[modes.numbers]
        supports = self.supports[modes.numbers]
        normal, tangential = np.where(supports, self.loads[modes.numbers], 0.0), np.zeros((k, 2))
        slips = self.slips(rows, v)
        shares = np.zeros((k, 2))  # friction of a unit of normal force
        known, conditions, columns, right_sides, places = np.zeros(nv), [], [], [], []
        for i in range(k):
            tangent = rows.tangent(i)
            if not modes.sticks[i]:
                scaled = friction[i] * np.where(rows.moves[i], slips[i] + ONSET * rows.axes[i].T @ modes.onset[i], 0.0)
                size = np.linalg.norm(scaled)
                shares[i] = -friction[i] * scaled / size if size > 0.0 else 0.0
            if supports[i]:
                known += normal[i] * shares[i] @ tangent
            else:
                conditions.append(rows.normal[i])
                columns.append(rows.normal[i] + shares[i] @ tangent)
                right_sides.append(bends[i, 0])
                places.append((i, -1))
            for held_axis in np.flatnonzero(rows.moves[i] & modes.sticks[i]):
                axis = int(held_axis)
                conditions.append(tangent[axis])
                columns.append(tangent[axis])
                right_sides.append(rows.axes[i, :, axis] @ bends[i, 1:])
                places.append((i, axis))
        response = self.response(q, np.column_stack([known, *columns]))
        a = a + response[:, 0]
        if conditions:
            held, found = np.array(conditions), np.zeros(len(conditions))
            for _ in range(2):  # the second time for what round-off has left: a robot at rest has no acceleration
                more = np.linalg.lstsq(held @ response[:, 1:], -(held @ a + right_sides), rcond=None)[0]
                a, found = a + response[:, 1:] @ more, found + more
            for (i, axis), force in zip(places, found, strict=True):
                if axis < 0:
                    normal[i] = force
                else:
                    tangential[i, axis] = force
        tangential += shares * normal[:, None]
        world = np.einsum("kji,ki->kj", rows.basis, np.column_stack([np.where(supports, 0.0, normal), tangential]))
        return Forces(a, normal, tangential, world, -float(np.sum(tangential * slips)))

    def velocities(
        self, q: np.ndarray, v: np.ndarray, numbers: np.ndarray, shift: np.ndarray, least: np.ndarray, step: float, scale: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """(x, P): M (x - v) = J^T P with the laws of all contacts between P (k, 3) N s, in contact axes, and J x + (shift, 0, 0).

        ``least`` (k,): normal impulses are not smaller. Supports have their load for ``step`` s. ``scale`` (s) times the weight
        is what impulses are compared with.
        """
        arrays, contacts, work, k = self.problem.arrays, self.arrays, self.problem.workspace, len(numbers)
        rows_at(arrays, contacts, numbers, step, q, work)
        contacts.robot.mass[:] = self.problem.model.mass_matrix(q)
        law = contacts.linear
        for array in (law.offset, law.normal, law.sliding, law.spinning, law.rolling, law.by_radius, contacts.impulse):
            array[:k] = 0.0
        contacts.shift[:k] = shift
        contacts.rhs[:] = contacts.robot.mass @ v
        contacts.end_velocity[:] = v
        if self._solver is not None:
            self._hold(q, v)
        respond(arrays, contacts, q, work, contacts.end_velocity, work.tau)
        begin_phase(contacts, 0.0)
        contacts.least_impulse[:k] = least
        residual = np.inf
        for _ in range(_ROUNDS):
            solve_contacts(arrays, contacts, q, work, work.tau, scale)
            residual = natural_residual(contacts, contacts.mean_mass) / (self.weight * scale)
            if residual <= _RESIDUAL:
                break
            recentre(contacts)
        if not residual <= _SOLVED:
            raise NoSolution(f"the contacts touch, but no impulses were found for them (residual {residual:.1g})")
        impulses = contacts.impulse[:k, :3] * contacts.scales[:k, :3]
        impulses[contacts.known_radius[:k] >= 0.0, 0] = 0.0
        return contacts.end_velocity.copy(), impulses

    def _hold(self, q: np.ndarray, v: np.ndarray) -> None:
        """The problem of velocities on wheels and loops: what differs from v lies along the directions that these leave open."""
        bilateral, z = self.arrays.bilateral, self.directions(q)
        assert z is not None
        bilateral.kernel[:] = 0.0
        bilateral.kernel[:, : z.shape[1]] = z
        bilateral.kernel_size = z.shape[1]
        bilateral.particular[:] = v
        reduce_problem(self.arrays)

    def collide(self, q: np.ndarray, v: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Velocities after the impacts of all touching contacts, energy lost by normal impulses and by friction, J."""
        rows = self.rows(q, numbers)
        before = rows.normal @ v
        e, none = self.restitution[numbers], np.zeros(len(numbers))
        scale = max(1e-12, float(np.abs(before).max())) * self.arrays.mean_mass / self.weight
        phases = [none, e] if self.poisson else [none]
        x, pressed = v, none
        lost = rubbed = 0.0
        for share in phases:
            shift = none if self.poisson else e * np.minimum(0.0, before)
            start = x
            x, impulses = self.velocities(q, start, numbers, shift, share * pressed, 0.0, scale)
            pressed = impulses[:, 0]
            mean = 0.5 * (start + x)
            lost -= float(pressed @ (rows.normal @ mean))
            slip = np.einsum("kji,kjm,m->ki", rows.axes, rows.world, mean)
            rubbed -= float(np.sum(impulses[:, 1:] * slip))
        return x, lost, rubbed
