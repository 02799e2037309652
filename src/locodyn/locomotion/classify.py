"""What kind of locomotion problem this is, in words (Ali 2011, Table 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.locomotion.arrays import DEPENDENT, IMPOSED, PASSIVE, TORQUE
from locodyn.locomotion.rod_contacts import plant
from locodyn.locomotion.row_solver import rank_of
from locodyn.robot.layout import FIXED, FREE, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, TRANSLATION
from locodyn.world.rows import INTERNAL, KINEMATIC, SECTION

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.problem import Problem

_INSTANTS = (0.0, 0.0123)  # s: a start may be singular, the instant after it is not

GROUPS = {FREE: "SE(3)", PLANAR: "SE(2)", SPHERICAL: "SO(3)", TRANSLATION: "R^3", PRISMATIC: "R", REVOLUTE: "S^1"}


def classify(problem: Problem) -> str:
    """One sentence: manipulator, or free with or without symmetry, and how the coordinates are driven."""
    model = problem.model
    n = model.compiled.reference_nv
    shape = problem.drive[n:]
    counts = [(int(np.sum(shape == IMPOSED)), "imposed"), (int(np.sum(shape == TORQUE)), "torque-driven")]
    other = "passive" if problem.controller is None else "passive or driven by the controller"
    counts += [(int(np.sum(shape == DEPENDENT)), "dependent"), (int(np.sum(shape == PASSIVE)), other)]
    drive = ", ".join(f"{number} {word}" for number, word in counts if number) or "none"
    loops = len(model.compiled.loops)
    gears = len(model.compiled.couplings)
    closed = f"; {loops} closed loop{'s' if loops > 1 else ''}" if loops else ""
    closed += f"; {gears} coupling{'s' if gears > 1 else ''} of joints" if gears else ""
    if model.compiled.base_code == FIXED:
        return f"manipulator: reference body fixed{closed}; shape coordinates: {drive}"
    group = GROUPS[model.compiled.base_code]
    if np.all(problem.drive[:n] == IMPOSED):
        return f"manipulator on a moving base: motion of the reference body on {group} imposed; shape coordinates: {drive}"
    if any(row.flags & KINEMATIC and row.kind not in INTERNAL for row in problem.constraints.rows):
        return f"{_constrained(problem, group)}{closed}; shape coordinates: {drive}"
    free = f"{n} free direction{'s' if n > 1 else ''}"
    outside = len(problem.wrench_table.wrenches) > 0
    weight = _feels_gravity(model)
    touched = bool(np.any(problem.contact.table.arrays.other < 0))
    if outside or weight or touched:
        kinds = (("gravity", weight), ("wrench laws", outside), ("hard contact", touched))
        causes = ", ".join(word for word, true in kinds if true)
        return f"unconstrained with external forces ({causes}): {free} on {group}; shape coordinates: {drive}"
    fluid = " (with that of the fluid)" if model.in_fluid else ""
    return f"unconstrained with symmetry: {free} on {group}, momentum{fluid} conserved; shape coordinates: {drive}"


def _constrained(problem: Problem, group: str) -> str:
    """Rank of the rows along the reference body and the free joints at a general instant, and what it leaves free."""
    arrays, n = problem.constraints.arrays, problem.model.compiled.reference_nv
    rows = [int(m) for m in arrays.active if problem.constraints.rows[int(m)].kind not in INTERNAL]
    least = float(arrays.rank_tolerance)  # contacts on rods agree to the slices only: what a run takes for independent
    values = max((_singular_values(problem, rows, t) for t in _INSTANTS), key=lambda found: rank_of(found, least))
    rank, driven = rank_of(values, least), sum(1 for m in rows if problem.constraints.rows[m].rate_law >= 0)
    joints = len(arrays.free) - int(np.sum(arrays.place[:n] >= 0))
    space = f"{group} and {joints} free joint{'s' if joints > 1 else ''}" if joints else group
    numbers = ", ".join(f"{x:.3g}" for x in values)
    named = [problem.constraints.rows[m] for m in rows]
    points = {one.name for one in problem.model.compiled.contacts if not np.any(np.asarray(one.semi_axes)) and one.crown == 0.0}
    held = any(row.kind == SECTION for row in named) or all(row.name.rpartition(".")[0] in points for row in named)
    word = "contact" if held else "rolling"
    what = f"{rank} independent {word} constraint{'s' if rank != 1 else ''} on {space} (singular values {numbers})"
    if driven:
        what += f", {driven} of them driven"
    if len(rows) > rank:
        what += f", {len(rows) - rank} redundant"
    if rank < len(arrays.free):
        free = len(arrays.free) - rank
        return f"under-constrained: {what}, {free} free direction{'s' if free > 1 else ''}"
    if len(rows) > rank:
        return f"over-constrained: {what}; the imposed motions must be compatible"
    return f"fully constrained: {what}, kinematic"


def _singular_values(problem: Problem, rows: list[int], t: float) -> np.ndarray:
    arrays, kept = problem.constraints.arrays, problem.constraints.kept()
    memory = kept.vector()
    plant(problem, t, problem.model.neutral())
    problem.imposed_state(t, problem.model.neutral(), np.zeros(problem.model.nv))
    kept.recall(memory)  # what a run has planted stays where it is
    return np.linalg.svd(arrays.jacobian[rows] * arrays.units, compute_uv=False)


def _feels_gravity(model: Model) -> bool:
    """Gravity acts along a direction in which the reference body can move, whatever the shape (at one general shape)."""
    if not model.gravity.any():
        return False
    n = model.compiled.reference_nv
    q = model.move(model.neutral(), 0.1 + 0.05 * np.arange(model.nv))
    force = np.abs(model.bias(q, np.zeros(model.nv))[:n])
    return bool(force.max(initial=0.0) > 1e-9 * (1.0 + float(np.abs(model.gravity).max())))
