"""The kinematic rows of a robot as one matrix over all coordinates, for connections and their curvature."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics.model import Model
from locodyn.locomotion.constraint_rows import filled_arrays
from locodyn.locomotion.constraints import SECTION_SPEED_TOLERANCE, SPEED_TOLERANCE, Constraints
from locodyn.world.rows import KINEMATIC, fill_rows


class LinearRows:
    """The kinematic rows of a robot as a matrix: J(q) v = 0.

    With s_i the twist of coordinate i and W_m the cotwist of row m, both carried to the axes and origin of the world,
    J_mi = W_m . s_i for every coordinate i that moves the frame of row m.
    """

    def __init__(self, model: Model, constraints: Constraints) -> None:
        self.model, arrays = model, constraints.arrays
        self.numbers = [m for m, row in enumerate(constraints.rows) if row.flags & KINEMATIC]
        self.active = [constraints.rows[m] for m in self.numbers]
        # Contacts on rods are where they are at t = 0; what drives rows stands still.
        self._laws = np.zeros((len(constraints.laws), 3))
        self._laws[:, 0] = [law(0.0) if row_law in _places(model) else 0.0 for row_law, law in constraints.laws]
        own = arrays.rod_contacts
        parts = {} if own is None else {"rod_contacts": copy.deepcopy(own), "frame": arrays.frame.copy()}
        factors = {name: getattr(arrays, name).copy() for name in ("coefficient", "coefficient_rate")}
        self.rows = replace(arrays, **filled_arrays(len(arrays.kind)), **parts, **factors)
        # moves[k, i]: coordinate i moves frame k; the last row is the world, frame -1.
        self.moves = np.zeros((model.nf + 1, model.nv))
        for k in range(model.nf):
            first = model.frames[k, layout.FIRST_V]
            self.moves[k] = self.moves[model.frames[k, layout.PARENT]]
            self.moves[k, first : first + model.frames[k, layout.COUNT_V]] = 1.0
        axes = np.eye(6)[model.dofs[:, layout.DOF_AXIS], :3]  # of rods: not used, their columns change
        linear, angular = model.dof_constants[:, layout.LINEAR, None], model.dof_constants[:, layout.ANGULAR, None]
        self._subspace = np.hstack([linear * axes, angular * axes])
        places = [np.linalg.norm(row.values.get("point", 0.0)) for row in self.active]
        length = max([*np.linalg.norm(model.constants[1:, 9:12], axis=1), *places, 0.0]) or 1.0
        self.units = np.where(model.dof_constants[:, layout.ANGULAR] != 0.0, 1.0, length)
        self.tolerance = SPEED_TOLERANCE if own is None else SECTION_SPEED_TOLERANCE  # of rows that agree with each other

    def fill(self, q: np.ndarray, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Poses (nf + 1, 12) and motions (nf + 1, 12) of the frames and, last, the world; twists s_i (nv, 6); cotwists filled."""
        poses, motions = self.model.kinematics(q, v)
        fill_rows(self.rows, self._laws, 1, q, np.zeros(self.model.nv) if v is None else v, poses, motions)
        world = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
        poses, motions = np.vstack([poses, world]), np.vstack([motions, np.zeros(12)])
        return poses, motions, world_twists(poses[self.model.dofs[:, layout.DOF_FRAME]], self._subspace)

    def world_rows(self, poses: np.ndarray, first: np.ndarray, second: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """(frames (m,), cotwists (m, 6) in the world) of the active rows; ``first`` and ``second``: those on their frames."""
        result = []
        for frame, cotwist in ((self.rows.frame, first), (self.rows.other, second)):
            frames = frame[self.numbers]
            result.append((frames, world_cotwists(poses[frames], cotwist[self.numbers])))
        return result

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """J (m, nv) of the active rows."""
        if self.model.compiled.has_rods:
            return self._by_columns(q)
        poses, _, twists = self.fill(q)
        result = np.zeros((len(self.numbers), self.model.nv))
        for frames, cotwists in self.world_rows(poses, self.rows.cotwist, self.rows.other_cotwist):
            result += (cotwists @ twists.T) * self.moves[frames]
        for m, row in enumerate(self.active):
            if row.coordinates > 0:
                result[m, row.coordinate] += row.coefficient
        return result

    def _by_columns(self, q: np.ndarray) -> np.ndarray:
        """J from the motion of the frames for unit rates of all coordinates, one after the other."""
        self.fill(q)
        rows, result = self.rows, np.zeros((len(self.rows.kind), self.model.nv))
        for i, unit in enumerate(np.eye(self.model.nv)):
            twists = np.vstack([self.model.kinematics(q, unit)[1][:, :6], np.zeros(6)])
            result[:, i] = np.einsum("mj,mj->m", rows.cotwist, twists[rows.frame])
            result[:, i] += np.einsum("mj,mj->m", rows.other_cotwist, twists[rows.other])
        for m in range(len(result)):
            result[m, rows.coordinate[m] : rows.coordinate[m] + rows.coordinates[m]] += rows.coefficient[m, : rows.coordinates[m]]
        return result[self.numbers]


def _places(model: Model) -> set[str]:
    """Names of the laws that are abscissas of contacts on rods."""
    return {one.contact.name for one in model.compiled.rod_contacts}


def world_twists(poses: np.ndarray, twists: np.ndarray) -> np.ndarray:
    """Twists (n, 6) in frames of the poses (n, 12), seen in the axes and at the origin of the world."""
    rotation, position = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
    linear, angular = (np.einsum("nij,nj->ni", rotation, part) for part in (twists[:, :3], twists[:, 3:]))
    return np.hstack([linear + np.cross(position, angular), angular])


def world_cotwists(poses: np.ndarray, cotwists: np.ndarray) -> np.ndarray:
    """Cotwists (force; moment), (n, 6), in frames of the poses (n, 12), seen in the axes and at the origin of the world."""
    rotation, position = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
    force, moment = (np.einsum("nij,nj->ni", rotation, part) for part in (cotwists[:, :3], cotwists[:, 3:]))
    return np.hstack([force, moment + np.cross(position, force)])
