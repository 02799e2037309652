"""From constraint rows to the arrays of constrained dynamics."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.kept import Kept
from locodyn.locomotion.constraint_arrays import (
    ConstraintArrays,
    inverse_work,
    new_force_sharing,
    new_projective_torques,
    new_range_factors,
    new_rate_limit,
    new_row_dynamics,
    new_row_projection,
)
from locodyn.locomotion.constraint_rows import ConstraintRows, Drives, Row, Sharing, filled_arrays, number_arrays
from locodyn.locomotion.multipliers import TORQUES
from locodyn.locomotion.rod_contacts import REMEMBERED
from locodyn.locomotion.row_groups import RowGroups, row_groups
from locodyn.locomotion.row_paths import RowPaths, ancestors, reach_of_rows, row_paths
from locodyn.locomotion.row_solver import RANK_TOLERANCE
from locodyn.robot.layout import ANGULAR, CODE, COUNT_V, DOF_AXIS, DOF_FRAME, FIRST_V, OFFSET_POSITION, PARENT, ROD
from locodyn.shape.columns import COLUMNS
from locodyn.world.rows import CONTACT, FORCE, GEAR, HOLONOMIC, KINEMATIC, LOOP, SECTION, TANGENT

POSITION_TOLERANCE = 1e-13
POSITION_LIMIT = 1e-9
SPEED_TOLERANCE = 1e-7
# Contacts on rods: sections of a body in slices agree with each other to the fourth power of the slices, not to round-off. The
# wave of Ali (2011, 6.4) misses its sleeves by 7e-5, 8e-6, 4e-7 of its speed with 20, 32, 64 slices in a wavelength: fewer than
# 20 are too few, and are told so. A gait that does not suit its contacts misses them by a share of its speed.
SECTION_SPEED_TOLERANCE = 1e-4
# For the same reason a combination of such rows that small is none: the motion along it follows from the dynamics. And where more
# contacts hold places than the body has freedoms, so much of their distance may be left.
SECTION_RANK_TOLERANCE = 1e-4
# What a row says of itself in whole numbers, by the names of RowArrays.
_WHOLE = (
    "kind", "frame", "other", "steering", "rate_law", "flags", "filled", "surface", "closure",
)  # fmt: skip
METHODS = TORQUES._asdict() | {"min_torque": TORQUES.exact}  # the last: at records


class Constraints:
    """Rows by name, the laws that they need, and the arrays for the kernels.

    Parameters
    ----------
    model : Model
    drives : Drives
    imposed : coordinates whose motion is given.
    dependent : coordinates of actuated joints whose motion follows from the rows.
    sharing : Sharing
    feet : names of the surfaces on a plane that hold; None: all.
    """

    def __init__(
        self,
        model: Model,
        drives: Drives,
        imposed: Sequence[int],
        dependent: Sequence[int] = (),
        sharing: Sharing | None = None,
        feet: Collection[str] | None = None,
    ) -> None:
        sharing = sharing or Sharing()
        if sharing.torque_method not in METHODS:
            raise InputError(f"there is no torque method '{sharing.torque_method}'{nearest(sharing.torque_method, METHODS)}")
        made = ConstraintRows(model, drives, feet)
        self.model, self.drives, self.rows, self.laws, self.steering = model, drives, made.rows, made.laws, made.steering
        self._rod_contacts = made.rod_contacts
        self.names = tuple(row.name for row in self.rows)
        self.planted = False  # whether obstacles of rods stay where they are when a run begins
        for name in (*sharing.weights, *sharing.static):
            if not self.rows:
                raise InputError(f"'{name}' is weighted or loaded, but robot '{model.compiled.name}' has no wheels or loops.")
        self.arrays: Any = self._arrays(list(imposed), list(dependent), sharing) if self.rows else None

    def plant_feet(self, q: np.ndarray) -> None:
        """Feet stay where they stand in the configuration q, whatever their height over the plane."""
        poses = None
        for m, row in enumerate(self.rows):
            if row.kind == TANGENT and row.flags & HOLONOMIC:
                poses = self.model.kinematics(q, np.zeros(self.model.nv))[0] if poses is None else poses
                pose, plane = poses[row.frame], np.reshape(row.values["plane"], (3, 3))
                off = pose[9:] + pose[:9].reshape(3, 3) @ row.values["point"] - row.values["anchor"]
                anchor = row.values["anchor"] + plane[:, :2] @ (plane[:, :2].T @ off)
                contact = m - 1 if self.rows[m - 1].kind == CONTACT else m - 2
                self.arrays.anchor[contact] = anchor

    # ---------------------------------------------------------------------------------------------------------- memory
    def kept(self) -> Kept:
        """What a step takes from those before it: ranks and order of settled rows, where feet stand and rods are held."""
        ranks = ("rank", "settled_rank", "settled_holonomic_rank", "settled_order", "anchor")
        places: list[tuple[Bundle, tuple[str, ...]]] = [(self.arrays, ranks)]
        if self.arrays.rod_contacts is not None:
            places.append((self.arrays.rod_contacts, REMEMBERED))
        return Kept.of(*places)

    # ---------------------------------------------------------------------------------------------------------- arrays
    def _arrays(self, imposed: list[int], dependent: list[int], sharing: Sharing) -> Any:
        model, m = self.model, len(self.rows)
        nv, nf = model.nv, model.nf
        free = np.array([i for i in range(nv) if i not in set(imposed) | set(dependent)], dtype=np.int64)
        place = np.full(nv, -1, dtype=np.int64)
        place[free] = np.arange(len(free))
        groups = {row.group or row.name: None for row in self.rows if row.flags & FORCE}
        number = {name: g for g, name in enumerate(groups)}
        table: dict[str, Any] = {name: np.array([getattr(row, name) for row in self.rows], dtype=np.int64) for name in _WHOLE}
        table["group"] = np.array([number.get(row.group or row.name, 0) for row in self.rows], dtype=np.int64)
        absorbed, active = self._absorbed_and_active(imposed, dependent)
        positional = [m for m in active if self.rows[m].flags & HOLONOMIC]
        follower = np.full(nf, -1, dtype=np.int64)
        for d, i in enumerate(dependent):
            follower[model.dofs[i, DOF_FRAME]] = d
        e, g, a = len(free), max(1, len(groups)), max(1, len(active))
        rods, zeros = model.compiled.has_rods, np.zeros
        weight, loading = self._weights(sharing.weights, number, g), self._static(sharing.static, number, g)
        return ConstraintArrays(
            **table,
            **number_arrays(self.rows),
            **filled_arrays(m),
            active=np.array(active, dtype=np.int64),
            holonomic=np.array(positional, dtype=np.int64),
            free=free,
            place=place,
            units=self.units[free],
            free_ancestor=self._free_ancestors(place),
            dependent=np.array(dependent, dtype=np.int64),
            follower=follower,
            absorbed=np.array(absorbed, dtype=np.int64),
            path=zeros(nf, dtype=np.int64),
            torque_method=METHODS[sharing.torque_method],
            **self._rod_contact_arrays(bool(positional), bool(dependent)),
            bending=int(sum(place[i] >= 0 for i in range(nv) if model.frames[model.dofs[i, DOF_FRAME], CODE] == ROD)),
            **self._coordinates(),
            length=self.length,
            jacobian=zeros((m, e)),
            columns=zeros((model.compiled.columns if rods else 1, COLUMNS)),
            multipliers=zeros(m),
            settled_order=np.arange(a, dtype=np.int64),
            zero=zeros(nv),
            tangent_direction=zeros(nv),
            inverse=inverse_work(nf, rods),
            factors=new_range_factors(e, a),
            paths=self._paths(free, place, positional),
            groups=self._groups(free, place),
            projection=new_row_projection(e, a, nv, model.nq),
            dynamics=new_row_dynamics(e, a, nv, nf, rods),
            sharing=new_force_sharing(e, nv, nf, weight, loading),
            limit=new_rate_limit(e, a, nv),
            projective=new_projective_torques(table["frame"], nf),
        )

    def _paths(self, free: np.ndarray, place: np.ndarray, positional: list[int]) -> RowPaths | None:
        """Structure of many loops, where all rows are of loops and couplings."""
        model, groups = self.model, [row.group or row.name for row in self.rows]
        held = all(row.kind in (LOOP, GEAR) for row in self.rows) and len(positional) == len(self.rows)
        if not held or model.in_fluid or len(set(groups)) < len(groups):
            return None
        return row_paths(model, self.rows, free, place)

    def _groups(self, free: np.ndarray, place: np.ndarray) -> RowGroups:
        """Groups of coordinates; where contacts on rods move from slice to slice, a row may feel all of them."""
        if self._rod_contacts is not None:
            return row_groups([range(len(free))] * len(self.rows), len(free))
        return row_groups(reach_of_rows(self.model, self.rows, place, ancestors(self.model, free, place)), len(free))

    def _coordinates(self) -> dict[str, Any]:
        """Coordinates with a factor in the rows, their places in q, and the factors."""
        count = [len(row.velocities) for row in self.rows]
        size = len(self.rows), max(count) or 1
        found: dict[str, Any] = {name: np.zeros(size, dtype=np.int64) for name in ("coordinate", "position")}
        found |= {name: np.zeros(size) for name in ("coefficient", "coefficient_rate")}
        for m, row in enumerate(self.rows):
            for name, values in (("coordinate", row.velocities), ("position", row.positions), ("coefficient", row.factors)):
                found[name][m, : len(values)] = values
        return found | {"coordinates": np.array(count, dtype=np.int64)}

    def _rod_contact_arrays(self, positional: bool, dependent: bool) -> dict[str, Any]:
        """Contacts on rods, and what follows from having them: tolerances of rows, whether these change with time."""
        made = self._rod_contacts
        sections_only, limits = all(row.kind == SECTION for row in self.rows), SECTION_RANK_TOLERANCE * self.length
        return {
            "rod_contacts": made,
            "rank_tolerance": RANK_TOLERANCE if made is None else SECTION_RANK_TOLERANCE,
            "position_tolerance": POSITION_TOLERANCE,
            "position_limit": np.array([limits if row.kind == SECTION else POSITION_LIMIT for row in self.rows]),
            "speed_tolerance": SPEED_TOLERANCE if made is None else SECTION_SPEED_TOLERANCE,
            "rates_vary": int(positional or made is not None),
            "invariant": int(made is not None and made.is_invariant and not dependent and sections_only),
        }

    def _absorbed_and_active(self, imposed: list[int], dependent: list[int]) -> tuple[list[int], list[int]]:
        """Rows that give the motion of the dependent coordinates, one each, and rows that restrict what is left."""
        absorbed = [self._absorbed(i, dependent) for i in dependent]
        if len(set(absorbed)) < len(absorbed):
            names = ", ".join(self.model.compiled.coordinate_names[i] for i in dependent)
            raise InputError(f"the dependent coordinates ({names}) need a wheel each; two of them look at the same one.")
        behind = {m for m, row in enumerate(self.rows) if self._is_behind(row, dependent)}
        for m in behind:
            if self.rows[m].flags & KINEMATIC:
                self._check_carried(self.rows[m], imposed, dependent)
        return absorbed, [m for m, row in enumerate(self.rows) if row.flags & KINEMATIC and m not in absorbed and m not in behind]

    def _weights(self, weights: Mapping[str, float], number: dict[str, int], count: int) -> np.ndarray:
        """Unit of each multiplier, times what the user gives: forces in N, moments divided by a length, so that they compare."""
        result = np.ones(count)
        for row in self.rows:
            if row.flags & FORCE:
                unit = self.length if row.is_moment else 1.0 / float(row.values.get("scale", 1.0))
                result[number[row.group or row.name]] = unit
        for name, value in weights.items():
            self._check_row(name, number)
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(f"the weight of '{name}' is {value!r}; it must be a positive number.")
            result[number[name]] *= float(value)
        return result

    def _static(self, loads: Mapping[str, float], number: dict[str, int], count: int) -> np.ndarray:
        result = np.zeros(count)
        for name, value in loads.items():
            self._check_row(name, number)
            if not np.isfinite(value):
                raise InputError(f"the static loading of '{name}' is {value!r}; it must be a finite number.")
            result[number[name]] = float(value)
        return result

    @staticmethod
    def _check_row(name: str, number: dict[str, int]) -> None:
        if name not in number:
            raise InputError(f"there is no contact row '{name}' to load{nearest(name, number)}")

    def _free_ancestors(self, place: np.ndarray) -> np.ndarray:
        frames, result = self.model.frames, np.full(self.model.nf, -1, dtype=np.int64)
        for k in range(self.model.nf):
            first, count, parent = frames[k, FIRST_V], frames[k, COUNT_V], frames[k, PARENT]
            own = bool((place[first : first + count] >= 0).any())
            result[k] = k if own else (result[parent] if parent >= 0 else -1)
        return result

    @cached_property
    def units(self) -> np.ndarray:
        """A length of the robot for coordinates (nv,) that are lengths, so that ranks do not depend on the unit of length."""
        lengths = np.where(self.model.dof_constants[:, ANGULAR] != 0.0, 1.0, self.length)
        frame, axis = self.model.dofs[:, DOF_FRAME], self.model.dofs[:, DOF_AXIS]
        strains = np.where(axis < 3, 1.0, 1.0 / self.length)  # of rods: stretch and shear, or curvatures
        return np.where(self.model.frames[frame, CODE] == ROD, strains, lengths)

    @cached_property
    def length(self) -> float:
        """A length of the robot, m: the largest distance of a joint or a contact from its frame."""
        offsets = np.linalg.norm(self.model.constants[1:, OFFSET_POSITION : OFFSET_POSITION + 3], axis=1)
        places = ("point", "first_position", "second_position")
        rows = [row for row in self.rows if row.kind not in (CONTACT, TANGENT)]
        points = [np.linalg.norm(row.values[place]) for row in rows for place in places if place in row.values]
        contacts = self.model.compiled.contacts
        points += [np.linalg.norm(contact.position) + max(contact.semi_axes) + contact.crown for contact in contacts]
        rods = [body.joint.rod for body in self.model.compiled.description.bodies]
        return float(max([*offsets, *points, *(rod.length for rod in rods if rod is not None), 0.0])) or 1.0

    @cached_property
    def felt(self) -> int:
        """How many free coordinates move what a row looks at; rods and joints that carry no wheel do not."""
        frames, felt = self.model.frames, set[int]()
        for row in self.rows:
            if row.flags & KINEMATIC:
                felt.update(row.velocities)
                for k in (row.frame, row.other):
                    while k >= 0:
                        felt.update(range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]))
                        k = int(frames[k, PARENT])
        return sum(1 for i in self.arrays.free if i in felt)

    def _is_behind(self, row: Row, dependent: list[int]) -> bool:
        """Whether a dependent joint carries a frame of the row: it is then satisfied by that joint, or contradicts it."""
        followers = {int(self.model.dofs[i, DOF_FRAME]) for i in dependent}
        for k in (row.frame, row.other):
            while k >= 0:
                if k in followers:
                    return True
                k = int(self.model.frames[k, PARENT])
        return False

    def _check_carried(self, row: Row, imposed: list[int], dependent: list[int]) -> None:
        """Refuse coordinates between a dependent joint and a row that nothing gives: the motion of the joint is to be known."""
        frames, names = self.model.frames, self.model.compiled.coordinate_names
        for k in (row.frame, row.other):
            open_ones: list[int] = []
            while k >= 0:
                own = range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V])
                below = [i for i in open_ones if i not in own]
                if below and not {*own}.isdisjoint(dependent):
                    raise InputError(
                        f"coordinate '{names[own[0]]}' cannot be dependent: between it and '{row.name.rsplit('.', 1)[0]}',"
                        f" '{names[below[-1]]}' moves, and how both share a load is open; make the joint passive."
                    )
                open_ones += [i for i in own if i not in imposed and i not in dependent and i not in open_ones]
                k = int(frames[k, PARENT])

    def _absorbed(self, i: int, dependent: list[int]) -> int:
        """The first row on a frame that coordinate i carries, with no other dependent coordinate in between."""
        frames, name = self.model.frames, self.model.compiled.coordinate_names[i]
        own = int(self.model.dofs[i, DOF_FRAME])
        if frames[own, COUNT_V] != 1 or frames[own, PARENT] < 0:
            raise InputError(f"coordinate '{name}' cannot be dependent; only joints of one axis can.")
        others = {int(self.model.dofs[j, DOF_FRAME]) for j in dependent} - {own}
        for number, row in enumerate(self.rows):
            if row.name.endswith(".side") and row.flags & KINEMATIC:
                k = row.frame
                while k > own and k not in others:
                    k = int(frames[k, PARENT])
                if k == own:
                    return number
        raise InputError(f"coordinate '{name}' cannot be dependent: no wheel that it carries asks anything of it.")
