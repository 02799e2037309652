"""Moreau's midpoint time stepping for hard contact, at fixed step: see :mod:`locodyn.locomotion.contact_step`.

No event is looked for: impacts, stick and slip of a step are found together, so that any number of contacts may close, open or
change between stick and slip in it. Order 2 while nothing changes, 1 through changes. Impulses are forces times the step plus
impacts; recorded forces are impulses since the record before, over that time.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from locodyn.integrate.moreau_records import LOG_FRICTION, LOG_IMPACT, LOG_NEXT, LOG_RESIDUAL, LOG_SUPPLIED, Records
from locodyn.kernel import kernel, routine
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.contact_arrays import (
    APPLIED,
    FRICTION_LOSS,
    IMPACT_LOSS,
    IMPLICIT,
    ITERATIONS,
    MIDPOINT,
    POISSON,
    RESIDUAL,
    STABILISE,
    STAMP,
    STEPS,
    SUPPLIED,
    X,
)
from locodyn.locomotion.contact_bilateral import begin_rows, end_rows
from locodyn.locomotion.contact_impact import collide
from locodyn.locomotion.contact_joints import applied_at_start
from locodyn.locomotion.contact_push import push_apart
from locodyn.locomotion.contact_step import contact_velocity
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import impose, read_drives, read_targets
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap


@routine
def move_half(frames, q, v, half, scratch, result):
    """result = q (+) half v."""
    for i in range(v.shape[0]):
        scratch[i] = half * v[i]
    moved_configuration(frames, q, scratch, result)


@routine
def step_begin(p, c, inputs, step, q, v, w):
    """Forces of actuators at the start; the configuration in the middle, without imposed motion, into ``w.position[0]``."""
    applied_at_start(p, c, inputs, q, v)
    move_half(p.frames, q, v, 0.5 * step, w.stage[3], w.position[0])


@routine
def step_middle(p, c, inputs, v, w):
    """Imposed coordinates of the middle configuration where ``inputs``, those at the middle, put them; tendons, rows there."""
    impose(p, inputs, w.position[0], w.stage[3], w.stage[4])
    for k in range(c.strands.shape[0]):
        c.strands[k] = inputs.strands[k]
    begin_rows(p.constraints, p, c, inputs, w.position[0], v, w)


@routine
def step_end(p, c, inputs, step, q, v, w):
    """The state at the end, ``inputs`` being those at the end. The change of velocity stays in ``w.stage[5]``."""
    q_mid = w.position[0]
    before = c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS]
    for i in range(v.shape[0]):
        w.stage[5, i] = -v[i]
    if c.counts[POISSON] != 0:
        collide(p, c, step, q_mid, v, w)
    contact_velocity(p, c, inputs, step, q, q_mid, v, c.counts[MIDPOINT], w)
    for i in range(v.shape[0]):
        w.stage[5, i] += c.vectors[X, i]
        v[i] = c.vectors[X, i]
    move_half(p.frames, q_mid, v, 0.5 * step, w.stage[3], q)
    if c.counts[STABILISE] != 0:
        push_apart(p, c, step, c.report[FRICTION_LOSS] + c.report[IMPACT_LOSS] - before, q_mid, q, w)
    impose(p, inputs, q, v, w.stage[4])
    end_rows(p.constraints, p, c, inputs, q, v, w)


@routine
def moreau_step(p, c, inputs, t, step, q, v, w):
    """Advance (q, v) from t by ``step``, in place. Laws are data; targets of servos are read where these are evaluated."""
    read_drives(p, t, inputs)
    if c.counts[IMPLICIT] == 0:
        read_targets(p, t, inputs)
    step_begin(p, c, inputs, step, q, v, w)
    read_drives(p, t + 0.5 * step, inputs)
    step_middle(p, c, inputs, v, w)
    read_drives(p, t + step, inputs)
    if c.counts[IMPLICIT] != 0:
        read_targets(p, t + step, inputs)
    step_end(p, c, inputs, step, q, v, w)


@routine
def note(p, c, row, q, w, records):
    """Record row ``row``; sums over the steps since the record before begin anew."""
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    for n in range(c.pairs.shape[0]):
        gap, point, _ = pair_gap(c.pairs, c.data, c.heights, w.poses, n)
        records.gap[row, n] = gap
        for j in range(3):
            records.point[row, n, j] = point[j]
            records.impulse[row, n, j] = c.impulse[n, j]
            c.impulse[n, j] = 0.0
    for m in range(c.row_impulse.shape[0]):
        records.row_impulse[row, m] = c.row_impulse[m]
        c.row_impulse[m] = 0.0
    for i in range(w.tau.shape[0]):
        records.force[row, i] = c.vectors[APPLIED, i]
        records.change[row, i] = w.stage[5, i]
    records.log[row, LOG_RESIDUAL] = c.report[RESIDUAL]
    records.log[row, LOG_FRICTION] = c.report[FRICTION_LOSS]
    records.log[row, LOG_IMPACT] = c.report[IMPACT_LOSS]
    records.log[row, LOG_SUPPLIED] = c.report[SUPPLIED]
    c.report[RESIDUAL] = 0.0


@kernel
def moreau_run(p, c, inputs, start, step, first, count, every, q, v, w, times, out_q, out_v, iterations, records, base):
    """``count`` steps from number ``first``; every ``every``-th state is recorded, other records from row ``base`` on.

    Returns the number of records, and that of the step whose end is not finite, or -1.
    """
    row = 0
    for n in range(first, first + count):
        moreau_step(p, c, inputs, start + n * step, step, q, v, w)
        if not is_finite(q, v):
            return row, n
        if (n + 1) % every == 0:
            times[row] = start + (n + 1) * step
            for i in range(q.shape[0]):
                out_q[row, i] = q[i]
            for i in range(v.shape[0]):
                out_v[row, i] = v[i]
            iterations[row] = int(c.report[ITERATIONS])
            c.report[ITERATIONS] = 0.0
            note(p, c, base + row, q, w, records)
            row += 1
    return row, -1


@kernel
def is_finite(q, v):
    """Whether all entries are finite numbers: x - x is 0 then."""
    for i in range(q.shape[0]):
        if not q[i] - q[i] == 0.0:
            return False
    for i in range(v.shape[0]):
        if not v[i] - v[i] == 0.0:
            return False
    return True


class NotFinite(Exception):
    """A step whose end is not finite, from ``time`` (s) on; ``rows`` records before it are kept."""

    def __init__(self, time: float, rows: int = 0) -> None:
        self.time, self.rows = time, rows
        super().__init__(
            f"the step from t = {time:g} s has no finite impulses and velocities, as when wheels, loops or strong servos wedge"
            " the robot between contacts; all records before it are kept; take a smaller step, or torque limits for the joints"
        )


def begin(problem: Problem, q: np.ndarray, records: Records, history: np.ndarray | None = None) -> None:
    """Start a run: nothing touches yet, or what ``history`` says; the first record holds the gaps of the start."""
    problem.contact.begin(q)
    c = problem.contact.arrays
    if history is not None and history.size == c.warm.size:
        c.warm[:] = history.reshape(c.warm.shape)
        c.warm[:, STAMP] += c.counts[STEPS]
    records.gap[0], records.point[0] = problem.contact.nearest(q)


def history(problem: Problem) -> np.ndarray:
    """What the next step knows of the last one besides the state: impulses of the pairs, (n, WARM), steps counted from now."""
    c = problem.contact.arrays
    known = c.warm.copy()
    known[:, STAMP] -= c.counts[STEPS]
    return known


def compiled_run(problem: Problem, records: Records) -> Any:
    """Chunks of compiled steps, as :func:`~locodyn.integrate.fixed.run_fixed` asks for them."""
    p, c, inputs, w = problem.arrays, problem.contact.arrays, problem.inputs, problem.workspace
    base = [1]

    def run(
        origin: float, step: float, first: int, count: int, every: int, q: np.ndarray, v: np.ndarray, times: np.ndarray,
        out_q: np.ndarray, out_v: np.ndarray, iterations: np.ndarray,
    ) -> int:  # fmt: skip
        total = 0
        for begin, end in stretches(problem, origin, step, first, first + count):
            problem.switch_servos(origin + begin * step)
            rows, failed = moreau_run(
                p, c, inputs, origin, step, begin, end - begin, every, q, v, w, times[total:], out_q[total:], out_v[total:],
                iterations[total:], records, base[0],
            )  # fmt: skip
            base[0] += rows
            total += rows
            if failed >= 0:
                raise NotFinite(origin + failed * step, total)
        return total

    return run


def stretches(problem: Problem, origin: float, step: float, first: int, last: int) -> list[tuple[int, int]]:
    """Steps ``first`` to ``last`` cut where a servo begins: at the step that is nearest to it."""
    cuts = {round((servo.begins - origin) / step) for servo in problem.servos.values()}
    ends = [first, *sorted(cut for cut in cuts if first < cut < last), last]
    return list(pairwise(ends))


def note_in_python(problem: Problem, q: np.ndarray, records: Records) -> None:
    """The next record of a time loop in Python."""
    row = int(records.log[0, LOG_NEXT]) + 1
    records.log[0, LOG_NEXT] = row
    note(problem.arrays, problem.contact.arrays, row, q, problem.workspace, records)


def python_stepper(problem: Problem) -> Any:
    """A step with functions of the user: torques are asked for at its start, motions also in its middle and at its end."""
    p, c, inputs, w = problem.arrays, problem.contact.arrays, problem.inputs, problem.workspace

    forces = any(problem.drive[i] != IMPOSED for i in problem.laws)  # laws that the compiled step would write over the functions

    def stepper(t: float, step: float, q: np.ndarray, v: np.ndarray) -> int:
        before = c.report[ITERATIONS]
        problem.switch_servos(t)
        problem.read_inputs(t, q, v)
        if not (forces or problem.table.has_python or problem.user_laws):
            moreau_step(p, c, inputs, t, step, q, v, w)
        else:
            step_begin(p, c, inputs, step, q, v, w)
            problem.read_inputs(t + 0.5 * step, w.position[0], v, forces=False)
            step_middle(p, c, inputs, v, w)
            problem.read_inputs(t + step, q, v, forces=False)
            step_end(p, c, inputs, step, q, v, w)
        if not is_finite(q, v):
            raise NotFinite(t)
        return int(c.report[ITERATIONS] - before)

    return stepper
