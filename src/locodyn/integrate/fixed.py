"""Fixed-step runs: compiled chunks where all laws are data, a Python loop where a function of the user has its say."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable

import numpy as np

from locodyn.integrate.base import FixedStep, Run, Solution
from locodyn.integrate.choice import advice
from locodyn.integrate.grip_losses import GripLosses
from locodyn.integrate.history import history_of, recall
from locodyn.integrate.runaway import Runaway
from locodyn.integrate.steppers.base import FixedRun, Rows, StepFailed, Stepper, new_rows
from locodyn.integrate.unrecorded_work import UnrecordedWork
from locodyn.locomotion.sampled_controller import SampledController

Chunk = Callable[[int, int, np.ndarray, np.ndarray, Rows], int]

_CHUNK_SECONDS = 0.2  # how long a compiled call may keep Ctrl-C and the progress bar waiting
_GROWTH = 64.0  # of the steps in a compiled call: a call costs as much as a step of a small robot
_FIRST = 4000  # frames times steps in the first compiled call: some ms
PAUSED = "paused"
_LOOKED_AT = 20_000  # steps at most in a call all of whose steps are looked at


def run_fixed(method: FixedStep, asked: Run) -> Solution:
    """Steps of constant length; the state at the start is the first row."""
    problem, step, t0, every = asked.problem, asked.step, asked.t0, asked.every
    steps = max(1, round((asked.t_end - t0) / step))
    first = round((t0 - asked.origin) / step)  # step number n ends at origin + (n + 1) step, also in resumed runs
    q, v = asked.q.copy(), asked.v.copy()
    if isinstance(problem.controller, SampledController):
        problem.controller.begin(problem, t0 - asked.origin, step)
    known = recall(problem, asked.history)
    held = isinstance(problem.controller, SampledController)  # what it gave at a step is known at that step only
    looks = asked.watch.sums_work and (every > 1 or method.divides) and not method.books_work and not held
    run = FixedRun(problem, method, asked.q.copy(), asked.origin, step, first, steps, 1 if looks else every, every, known)
    model, table = problem.model, new_rows(problem, run.rows)
    problem.workspace.memory.state[:] = asked.memory
    table.times[0], table.q[0], table.v[0], table.memory[0] = t0, q, v, asked.memory
    stepper = method.stepper(run)
    losses = GripLosses(problem)
    chunk = losses.watching(chunk_of(stepper))
    work = UnrecordedWork(problem, table.part(0, 1), method.order, not problem.is_compiled, method.divides) if looks else None
    if work is not None:
        stepper.follow_parts()
        chunk = _looking(chunk, stepper, work)
    size = max(1, _FIRST // (model.nf * every)) * every if problem.is_compiled else every
    done, row, status, history = _in_chunks(chunk, stepper, table, q, v, asked, (size, losses.most_steps))
    kept, paused = table.part(0, row), status == PAUSED
    status = f"interrupted at t = {kept.times[-1]:g} s" if paused else status
    solution = Solution(*kept[:4], memory=kept.memory, status=status, step=step, message=status, history=history, paused=paused)
    stepper.complete(solution, done)
    solution.recorded = losses.close(kept.times) | solution.recorded  # hard contact keeps sums of its own
    if work is not None:
        solution.recorded |= work.close(row)
    return solution


def chunk_of(stepper: Stepper) -> Chunk:
    """How the stepper makes many steps: in one compiled call, or one by one where a function of the user has its say."""
    return stepper.chunk if stepper.run.problem.is_compiled else _python_chunk(stepper)


def _looking(chunk: Chunk, stepper: Stepper, work: UnrecordedWork) -> Chunk:
    """Chunks all of whose steps and parts are shown to ``work``, and of which those are recorded that the run keeps."""
    run = stepper.run

    def whole(first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        steps = new_rows(run.problem, count)
        stop = None
        try:
            filled = chunk(first, count, q, v, steps)
        except (StepFailed, KeyboardInterrupt) as error:
            stop, filled = error, getattr(error, "rows", 0)
        kept = run.are_kept(first, filled)
        for target, column in zip(rows, steps, strict=True):
            target[: len(kept)] = column[kept]
        begins = np.concatenate([[0], 1 + kept])
        rows.iterations[: len(kept)] = [steps.iterations[a:b].sum() for a, b in itertools.pairwise(begins)]
        steps = steps.part(0, filled)
        if _first_bad(*steps.states) is None:
            work.add(*_with_parts(steps, kept, stepper.parts()))
        if stop is not None:
            stop.rows = len(kept)  # type: ignore[union-attr]  # an interrupt is told what was kept, too
            raise stop
        return len(kept)

    return whole


def _with_parts(steps: Rows, kept: np.ndarray, parts: list[Rows]) -> tuple[Rows, np.ndarray]:
    """Steps and, between them, their parts; and the new numbers of those steps that are ``kept``."""
    if not parts or not len(steps.times):
        return steps, kept
    everything = Rows(*(np.concatenate(columns) for columns in zip(steps, *parts, strict=True)))
    order = np.argsort(everything.times, kind="stable")
    order = order[everything.times[order] <= steps.times[-1]]  # a step that failed leaves parts without an end
    merged = Rows(*(column[order] for column in everything))
    return merged, np.searchsorted(merged.times, steps.times[kept])


def _in_chunks(
    chunk: Chunk, stepper: Stepper, table: Rows, q: np.ndarray, v: np.ndarray, asked: Run, sizes: tuple[int, float]
) -> tuple[int, int, str, np.ndarray | None]:
    """Fill the table from its second row on; (steps done, rows filled, status, history at the last of them, where it is known).

    Chunks are as long as a user waits for, and one of them ends at the last record. ``sizes``: steps in the first one, a
    multiple of those between records; and at most.
    """
    size, longest = sizes
    run, watch, done, row = stepper.run, asked.watch, 0, 1
    unrecorded = (run.first + run.steps) % run.kept
    history = asked.history  # what the run began with is what leads on from its start
    runaway = Runaway(run.problem, table.part(0, 1))
    try:
        while done < run.steps:
            left = run.steps - done
            count = min(size, left - unrecorded if left > unrecorded else left)
            began = time.perf_counter()
            new = chunk(run.first + done, count, q, v, table.part(row))
            done += count
            added = table.part(row, row + new)
            bad = _first_bad(*added.states)
            recorded = (run.first + done) % run.kept == 0  # the state at the end of the chunk is in the table
            ended = () if recorded else (q[None], v[None], run.problem.workspace.memory.state[None])
            if bad is not None or _first_bad(*ended) is not None:
                row += new if bad is None else bad
                after = f"after t = {table.times[row - 1]:g} s"
                hint = advice(run.problem, run.method, run.q0, run.step)
                return done, row, f"failed: the state is not a number {after}; {hint}", None
            why = runaway.seen(added)
            row += new
            if why:
                return done, row, f"failed: {why}; {advice(run.problem, run.method, run.q0, run.step)}", None
            if recorded:
                history = history_of(run.problem, stepper)
            if watch.on_progress is not None:
                watch.on_progress(run.origin + (run.first + done) * run.step)
            if watch.pause is not None and recorded and done < run.steps and watch.pause(row):
                return done, row, PAUSED, _sampled_ahead(stepper, run.first + done, q, v, history)
            seconds = max(time.perf_counter() - began, 1e-9)
            wanted = count * _CHUNK_SECONDS / seconds
            most = min(longest, _LOOKED_AT if run.kept > run.every else math.inf)
            size = max(run.kept, int(min(wanted, _GROWTH * size, most) / run.kept) * run.kept)
    except StepFailed as error:
        return done, row + error.rows, f"failed: {error}", None
    except KeyboardInterrupt as stop:
        rows = getattr(stop, "rows", 0)
        row += rows
        return done, row, f"interrupted at t = {table.times[row - 1]:g} s", None if rows else history
    return done, row, "completed", _sampled_ahead(stepper, run.first + done, q, v, history) if watch.goes_on else history


def _sampled_ahead(stepper: Stepper, number: int, q: np.ndarray, v: np.ndarray, history: np.ndarray | None) -> np.ndarray | None:
    """The history of a run that pauses at the start of step ``number``, where a control law has its sample already.

    The last record has then the torque that acts from there on, as in a run that does not pause.
    """
    run, controller = stepper.run, stepper.run.problem.controller
    if not isinstance(controller, SampledController):
        return history
    run.problem.workspace.memory.value[:] = run.problem.workspace.memory.state
    if controller.sample(run.problem, number, run.origin + number * run.step, q, v):
        stepper.restart()
    return history_of(run.problem, stepper)


def _first_bad(*states: np.ndarray) -> int | None:
    if math.isfinite(sum(float(part.sum()) for part in states)):
        return None
    good = np.logical_and.reduce([np.isfinite(part).all(axis=1) for part in states])
    return None if good.all() else int(np.argmin(good))


def _python_chunk(stepper: Stepper) -> Chunk:
    """Steps one by one, with functions of the user: a chunk as :meth:`Stepper.chunk` makes it."""
    run, controller, memory = stepper.run, stepper.run.problem.controller, stepper.run.problem.workspace.memory

    def chunk(first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        row, used = 0, 0
        for n in range(first, first + count):
            try:
                memory.value[:] = memory.state
                time = run.origin + n * run.step
                if isinstance(controller, SampledController) and controller.sample(run.problem, n, time, q, v):
                    stepper.restart()
                used += stepper.step(n, q, v)
            except (StepFailed, KeyboardInterrupt) as stop:
                stop.rows = row  # type: ignore[union-attr]  # what this chunk has recorded is kept
                raise
            if (n + 1) % run.every == 0:
                rows.times[row], rows.iterations[row] = run.origin + (n + 1) * run.step, used
                rows.q[row], rows.v[row], rows.memory[row] = q, v, memory.state
                stepper.note(q)
                row, used = row + 1, 0
        return row

    return chunk
