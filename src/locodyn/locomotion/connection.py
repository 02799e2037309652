"""Connections: how the reference body moves when the shape changes, eta_0 = -A(r) rdot.

Three kinds of robot have one (Ali 2011, (3.31)-(3.32), (3.45) and 2.3):

* *mechanical*: free of contacts and of outer forces, with zero momentum, M0 eta_0 + Mr rdot = 0: A = M0^-1 Mr; *hydrodynamic*
  when bodies move an ideal fluid along, whose inertia is then part of M;
* *kinematic*: wheels, skates and loops determine the reference twist, J_U u = -J_S rdot with u the reference twist and the
  joints that follow: A is the part of J_U^+ J_S that belongs to the reference body;
* *viscous* (Stokes): drag in proportion to velocities and no inertia, R_00 eta_0 + R_0r rdot = 0: A = R_00^-1 R_0r
  (:mod:`locodyn.locomotion.resistance`).

For a curve r(t) the body moves along g' = g hat(-A rdot), whatever the pace. How A is curved:
:mod:`locodyn.gaits.local_curvature`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.lie import R1, R3, SE2, SE3, SO3
from locodyn.lie.base import Group
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.constraints import Constraints
from locodyn.locomotion.linear_rows import LinearRows
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.resistance import Resistance
from locodyn.locomotion.row_solver import RowFactors
from locodyn.robot.layout import FIXED, FREE, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, TRANSLATION
from locodyn.world.rows import HOLONOMIC, LOOP, SECTION

GROUPS: dict[int, Group] = {FREE: SE3, PLANAR: SE2, SPHERICAL: SO3, TRANSLATION: R3, PRISMATIC: R1, REVOLUTE: R1}
_MISFIT = 1e-8  # of a row that cannot hold, relative
_NO_GRAVITY = 1e-9


class Connection:
    """The connection of a robot: ``at(q)`` is A.

    Parameters
    ----------
    robot : Model, Problem, Scenario or Robot
    shape : names of coordinates, optional
        Whose rates are given. By default the imposed coordinates of a constrained problem, otherwise all joints but those of
        passive wheels. Without contacts, the others are locked; with contacts, they follow from them.
    inertia : bool
        False: the robot creeps, and viscous drag alone decides how it moves.
    """

    def __init__(self, robot: Any, shape: Sequence[str] | None = None, *, inertia: bool = True) -> None:
        self.model, problem = _model_of(robot)
        compiled = self.model.compiled
        if compiled.base_code == FIXED:
            raise InputError(f"robot '{compiled.name}' has no connection: its reference body is fixed.")
        self.group = GROUPS[compiled.base_code]
        self.dim = compiled.reference_nv
        self.indices = self._shape(problem, shape)
        self.shape = tuple(compiled.coordinate_names[i] for i in self.indices)
        self.rows = self._constraint_rows(problem)
        self.inertia = inertia
        self.resistance = None if inertia or self.rows is not None else Resistance(self.model)
        free = "viscous" if self.resistance else "hydrodynamic" if self.model.in_fluid else "mechanical"
        self.kind = free if self.rows is None else "kinematic"
        locked = self.rows is None
        joints = [] if locked else [i for i in range(self.dim, self.model.nv) if i not in set(self.indices)]
        self.following = tuple(compiled.coordinate_names[i] for i in joints)
        self.unknown = np.array([*range(self.dim), *joints])
        if locked:
            self._check_symmetry()

    def __repr__(self) -> str:
        return f"Connection({self.kind}, {self.group.name}, shape: {', '.join(self.shape)})"

    # ----------------------------------------------------------------------------------------------------------- parts
    def _shape(self, problem: Any, shape: Sequence[str] | None) -> list[int]:
        compiled = self.model.compiled
        if shape is not None:
            names = [shape] if isinstance(shape, str) else list(shape)
            for name in names:
                if name not in compiled.coordinate_names[self.dim :]:
                    hint = nearest(name, compiled.coordinate_names[self.dim :])
                    raise InputError(f"robot '{compiled.name}' has no shape coordinate '{name}'{hint}")
            return [compiled.coordinate_names.index(name) for name in names]
        if problem is not None and problem.constraints.rows:
            return [int(i) for i in np.flatnonzero(problem.drive == IMPOSED) if i >= self.dim]
        rolling = {wheel.coordinate for wheel in compiled.wheels if not wheel.actuated}
        return [i for i in range(self.dim, self.model.nv) if i not in rolling]

    def _constraint_rows(self, problem: Any) -> LinearRows | None:
        compiled = self.model.compiled
        if problem is None:
            for wheel in compiled.wheels:
                if wheel.kind == "steered":
                    raise InputError(_steered(wheel.name))
            constraints = Constraints(self.model, Drives(), self.indices)
        else:
            constraints = problem.constraints
        if not constraints.rows:
            return None
        arrays = (Problem(self.model) if problem is None else problem).arrays
        rows = LinearRows(self.model, arrays, constraints, self.indices)
        for row in rows.active:
            if row.steering >= 0:
                raise InputError(_steered(row.name.rsplit(".", 1)[0]))
            if row.rate_law >= 0:
                raise InputError(
                    f"row '{row.name}' is driven by a law of time, so the reference twist is no function of the shape alone;"
                    " make the driven wheel a body of its own (give it a mass), its angle is then a shape coordinate."
                )
            if row.kind == SECTION and row.flags & HOLONOMIC:
                raise InputError(
                    f"'{row.name.rsplit('.', 1)[0]}' holds the body at a place in the world, so its motion depends on where it"
                    " is; there is no connection: use sleeves."
                )
            if row.kind == LOOP and min(row.frame, row.other) < 0:
                raise InputError(
                    f"loop '{row.name.rsplit('.', 1)[0]}' ties the robot to the world, so its motion depends on where it is;"
                    " there is no connection."
                )
        return rows if rows.active else None

    def _check_symmetry(self) -> None:
        """Refuse what changes the momentum of the whole robot."""
        model, compiled = self.model, self.model.compiled
        outside = [w.name for w in compiled.wrenches] + [w.name for w in compiled.wheels if w.contact is not None]
        outside += [tie.name for tie in compiled.ties]
        if outside and self.inertia:
            raise InputError(
                f"robot '{compiled.name}' has no connection: '{outside[0]}' acts on it from outside, so that its momentum"
                " changes; find its displacement by simulation."
            )
        if model.dof_constants[: self.dim, [layout.VISCOUS, layout.COULOMB, layout.STIFFNESS]].any():
            raise InputError(f"robot '{compiled.name}' has no connection: a spring or friction acts on its reference body.")
        if compiled.base_code not in (SPHERICAL, REVOLUTE) and _pulled(model):
            raise InputError(
                f"robot '{compiled.name}' has no connection: gravity pulls its reference body; use gravity=(0, 0, 0) (for a"
                " free robot this is its motion seen from a falling frame)."
            )

    def _check_balance(self, q: np.ndarray) -> None:
        """Gravity has no moment about the pivot of a reference body that only turns: h_perp = 0 or no gravity across the axis."""
        model = self.model
        code = model.compiled.base_code
        if code not in (SPHERICAL, REVOLUTE) or not model.gravity.any():
            return
        if model.in_fluid:
            raise InputError(f"robot '{model.compiled.name}' turns about a pivot in a fluid; use gravity=(0, 0, 0).")
        across = slice(0, 2) if code == REVOLUTE else slice(0, 3)
        hat = model.composite_inertia(q)[3:, :3]
        moment = np.array([hat[2, 1], hat[0, 2], hat[1, 0]])[across]
        rotation = model.constants[0, layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3)
        pull = (rotation.T @ model.gravity)[across]
        length = max(1.0, float(np.abs(model.constants[:, 9:12]).max()))
        weight = float(model.compiled.total_mass) * float(np.linalg.norm(model.gravity)) * length
        if np.linalg.norm(moment) * np.linalg.norm(pull) > _NO_GRAVITY * weight:
            raise InputError(
                f"robot '{model.compiled.name}' has no connection in this shape: its mass centre is not on the pivot and gravity"
                " turns it; use gravity=(0, 0, 0)."
            )

    # -------------------------------------------------------------------------------------------------- configurations
    def position_index(self, i: int) -> int:
        """Place in q of the shape coordinate ``i`` (number of the velocity), for joints whose velocity is a derivative."""
        frame = self.model.dofs[i, layout.DOF_FRAME]
        if self.model.frames[frame, layout.CODE] in (SPHERICAL, FREE, PLANAR):
            name = self.model.compiled.coordinate_names[i]
            raise InputError(f"'{name}' is no derivative of one shape coordinate: its joint turns in space; use single axes.")
        return int(self.model.frames[frame, layout.FIRST_Q] + i - self.model.frames[frame, layout.FIRST_V])

    @property
    def positions(self) -> np.ndarray:
        """Places of the shape coordinates in q, (n_shape,) int."""
        return np.array([self.position_index(i) for i in self.indices], dtype=np.int64)

    def configuration(self, r: Any, q: Any = None) -> np.ndarray:
        """q (nq,) with the shape coordinates at ``r`` (n_shape,), the reference body at the origin; the rest as in ``q``."""
        result = self.centred(self.model.neutral() if q is None else q)
        values = np.asarray(r, dtype=float)
        if values.shape != (len(self.shape),):
            raise InputError(f"r has shape {values.shape}; it must be {len(self.shape)} values ({', '.join(self.shape)}).")
        result[self.positions] = values
        return result

    def centred(self, q: Any) -> np.ndarray:
        """``q`` (nq,) with the reference body at the origin: A does not depend on where it is."""
        result = self.model.normalised(q)
        n = self.model.compiled.reference_nq
        result[:n] = self.model.compiled.neutral[:n]
        return result

    # ------------------------------------------------------------------------------------------------------ connection
    def velocities(self, q: Any) -> np.ndarray:
        """U (nv, n_shape): all velocities for unit rates of the shape coordinates; the upper part is -A."""
        return self.solved(self.centred(q))[0]

    def at(self, q: Any, frame: str = "body") -> np.ndarray:
        """A (dim G, n_shape): the body twist of the reference frame is -A rdot; m or rad for each unit of the shape.

        ``frame``: ``body``, that of the reference body, or ``mass_centre``, the floating frame at the mass centre of the whole
        robot with the axes of the reference body (Ali 2011, 2.2). Without contacts and fluid this one only turns: the linear
        part of A is zero.
        """
        velocities = self.velocities(q)
        result = -velocities[: self.dim]
        if frame == "body":
            return result
        if frame != "mass_centre":
            raise InputError(f"the frame of a connection is '{frame}'; it must be 'body' or 'mass_centre'.")
        if self.group not in (SE2, SE3, R3):
            raise InputError(
                f"robot '{self.model.compiled.name}' has its reference frame on a pivot or an axis (group {self.group.name}), not"
                " at its mass centre; ask for the frame 'body'."
            )
        count = 2 if self.group is SE2 else 3
        for k in range(len(self.indices)):
            result[:count, k] = -self._centre_velocity(self.centred(q), velocities[:, k])[:count]
        return result

    def _centre_velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Velocity (3,) of the mass centre in the axes of the reference frame."""
        poses, motions = self.model.kinematics(q, v)
        constants = self.model.constants[: self.model.nf]  # further rows are terms of strain fields
        mass, moment = constants[:, layout.MASS], constants[:, layout.FIRST_MOMENT :][:, :3]
        local = mass[:, None] * motions[:, :3] + np.cross(motions[:, 3:6], moment)
        rotations = poses[:, :9].reshape(-1, 3, 3)
        found: np.ndarray = rotations[0].T @ np.einsum("kij,kj->i", rotations, local) / mass.sum()
        return found

    def solved(self, q: np.ndarray) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """U, and the function that solves for velocities (nv,) where the shape rests: M0 v_0 = y, R_00 v_0 = y, or J v = y."""
        result = np.zeros((self.model.nv, len(self.indices)))
        result[self.indices, np.arange(len(self.indices))] = 1.0
        if self.rows is None:
            self._check_balance(q)
            if self.resistance is None:
                matrix = self.model.mass_matrix(q)
                inverse = np.linalg.inv(matrix[: self.dim, : self.dim])
            else:
                matrix = self.resistance.at(q)
                inverse = self.resistance.inverse(matrix)
            result[: self.dim] = -inverse @ matrix[: self.dim, self.indices]
            return result, lambda y: inverse @ y
        factors = self.rows.factored(q)
        if factors.rank < len(self.unknown):
            raise InputError(self._open(factors))
        for k, i in enumerate(self.indices):
            result[:, k] -= factors.step(factors.jacobian[:, i])
        self._check_rows(factors.jacobian, result)
        return result, factors.step

    def _open(self, factors: RowFactors) -> str:
        assert self.rows is not None
        name, n, rank = self.model.compiled.name, len(self.unknown), factors.rank
        _, values, right = np.linalg.svd(factors.jacobian[:, self.unknown] * self.rows.units[self.unknown])
        kernel = right[rank:]
        shown = ", ".join(f"{value:.2g}" for value in values)
        if np.abs(kernel[:, : self.dim]).max() > _MISFIT:
            return (
                f"robot '{name}' has no connection here: it is under-constrained, its rows determine {rank} of {n} velocities"
                f" (singular values {shown}), so that its motion has inertia of its own; find it by simulation, or leave singular"
                " shapes."
            )
        joint = self.following[int(np.argmax(np.abs(kernel[:, self.dim :]).max(axis=0)))]
        return (
            f"robot '{name}' has no connection here: nothing determines the joint '{joint}' (rank {rank} of {n}); make it a shape"
            " coordinate."
        )

    def _check_rows(self, jacobian: np.ndarray, velocities: np.ndarray) -> None:
        misfit = np.abs(jacobian @ velocities)
        scale = np.abs(jacobian).max() * max(1.0, float(np.abs(velocities).max()))
        assert self.rows is not None
        if misfit.max(initial=0.0) > max(_MISFIT, 0.1 * self.rows.tolerance) * scale:
            row, column = np.unravel_index(int(np.argmax(misfit)), misfit.shape)
            raise InputError(
                f"robot '{self.model.compiled.name}' is over-constrained: '{self.rows.active[row].name}' does not let"
                f" '{self.shape[column]}' move freely; leave some joints out of the shape, so that they follow."
            )


def connection(robot: Any, q: Any, shape: Sequence[str] | None = None, frame: str = "body") -> np.ndarray:
    """A (dim G, n_shape) at the configuration ``q`` (nq,): eta_0 = -A rdot. Arguments as in :class:`Connection`."""
    return Connection(robot, shape).at(q, frame)


def _model_of(robot: Any) -> tuple[Model, Any]:
    """(model, problem or None) of what is given."""
    if isinstance(robot, Model):
        return robot, None
    problem = getattr(robot, "problem", robot)  # a scenario has a problem
    if hasattr(problem, "constraints") and hasattr(problem, "model"):
        return problem.model, problem
    if hasattr(robot, "compile"):
        return Model(robot.compile(), gravity=(0.0, 0.0, 0.0)), None
    raise InputError(f"a connection is asked of {robot!r}; give a robot, a model, a problem or a scenario.")


def _steered(name: str) -> str:
    return (
        f"wheel '{name}' is steered by a law of time, so the reference twist is no function of the shape alone; put it on a body"
        " that turns on a joint, its angle is then a shape coordinate."
    )


def _pulled(model: Model) -> bool:
    """Gravity acts along a direction in which the reference body can move as a whole."""
    rotation = model.constants[0, layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3)
    pull = np.abs(rotation.T @ model.gravity) > _NO_GRAVITY * (1.0 + np.abs(model.gravity).max())
    directions = {PLANAR: slice(0, 2), PRISMATIC: slice(2, 3)}.get(model.compiled.base_code, slice(0, 3))
    return bool(pull[directions].any())
