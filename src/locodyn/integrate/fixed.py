"""Fixed-step runs: compiled chunks where all laws are data, a Python loop where a function of the user has its say."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from locodyn.integrate import adams, implicit_run, moreau, moreau_records, rkmk4, variational
from locodyn.integrate.base import METHODS, Progress, Solution
from locodyn.integrate.implicit_scratch import implicit_scratch
from locodyn.integrate.schemes import scheme_of
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.sampled_controller import SampledController

_CHUNK_SECONDS = 0.2  # how long a compiled call may keep Ctrl-C and the progress bar waiting
_GROWTH = 64.0  # of the steps in a compiled call: a call costs as much as a step of a small robot
_FIRST = 1000  # frames times steps in the first compiled call: some ms


def run_fixed(
    problem: Problem,
    q: np.ndarray,
    v: np.ndarray,
    t0: float,
    t_end: float,
    step: float,
    tolerance: float,
    method: str,
    every: int,
    on_progress: Progress | None,
    origin: float,
    history: np.ndarray | None = None,
    rho_inf: float = 0.9,
) -> Solution:
    """Steps of constant length; the state at the start is the first row.

    Arguments as of :func:`~locodyn.integrate.solve.solve`.
    """
    steps = max(1, round((t_end - t0) / step))
    first = round((t0 - origin) / step)  # step number n ends at origin + (n + 1) step, also in resumed runs
    rows = (first + steps) // every - first // every
    model = problem.model
    table = Rows(
        np.empty(rows + 1), np.empty((rows + 1, model.nq)), np.empty((rows + 1, model.nv)), np.zeros(rows + 1, dtype=np.int64)
    )
    table.times[0], table.q[0], table.v[0] = t0, q, v
    past = adams.new_history(model.nq, model.nv, history if method == "adams" else None)
    restarts = adams.restart_steps(problem, origin, step)
    multipliers = [np.zeros((1, len(problem.constraints.rows)))]
    records = moreau_records.new_records(rows + 1 if method == "moreau" else 0, problem)
    if method == "moreau":
        moreau.begin(problem, q, records, history)
    if isinstance(problem.controller, SampledController):
        problem.controller.begin(problem, t0 - origin, step)
    if not problem.is_compiled:
        run = _python_run(problem, method, tolerance, past, restarts, origin, rho_inf, records, multipliers)
    elif METHODS[method].implicit:
        scheme, newton, scratch = _implicit(problem, method, tolerance, rho_inf)
        run = implicit_run.compiled_run(problem, scheme, newton, scratch, multipliers)
    elif method == "adams":
        run = _adams_run(problem, past, restarts)
    elif method == "moreau":
        run = moreau.compiled_run(problem, records)
    else:
        run = _compiled_run(problem, method, tolerance)
    chunk = max(1, _FIRST // (model.nf * every)) * every if problem.is_compiled else every
    done, row, status = _in_chunks(run, table, q, v, origin, step, first, steps, every, on_progress, chunk)
    evaluations = {"rkmk4": 4 * done, "adams": past.counts[adams.EVALUATIONS]}.get(method, table.iterations[:row].sum())
    remembers = {"adams": lambda: adams.history_rows(past), "moreau": lambda: moreau.history(problem)}
    at_the_end = method in remembers and done == steps and (first + steps) % every == 0
    times, out_q, out_v, iterations = (part[:row] for part in table)
    solution = Solution(
        times, out_q, out_v, iterations, status=status, evaluations=int(evaluations), step=step, message=status,
        history=remembers[method]() if at_the_end else None,
    )  # fmt: skip
    if METHODS[method].implicit and problem.constraints.rows:
        solution.multipliers = np.concatenate(multipliers)[:row]
        solution.multipliers[0] = solution.multipliers[min(1, row - 1)]  # at the start: those of the first step
    if method == "moreau":
        solution.recorded = moreau_records.recorded(problem, records, solution.times, solution.v, step)
        solution.attributes = moreau_records.report_words(problem)
    return solution


class Rows(NamedTuple):
    """Records of a run: ``times`` (n,) s, ``q`` (n, nq), ``v`` (n, nv), ``iterations`` (n,) since the record before."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    iterations: np.ndarray


def _in_chunks(
    run: Callable[..., int],
    table: Rows,
    q: np.ndarray,
    v: np.ndarray,
    origin: float,
    step: float,
    first: int,
    steps: int,
    every: int,
    on_progress: Progress | None,
    chunk: int,
) -> tuple[int, int, str]:
    """Fill the table from its second row on; (steps done, rows filled, status). Chunks are as long as a user waits for.

    ``chunk``: steps in the first one, a multiple of ``every``.
    """
    done, row = 0, 1
    try:
        while done < steps:
            count = min(chunk, steps - done)
            began = time.perf_counter()
            new = run(origin, step, first + done, count, every, q, v, *(part[row:] for part in table))
            done += count
            bad = _first_bad(table.q[row : row + new], table.v[row : row + new])
            if bad is not None or _first_bad(q[None], v[None]) is not None:
                row += new if bad is None else bad
                after = f"after t = {table.times[row - 1]:g} s"
                return done, row, f"failed: the state is not a number {after}; try a smaller step than {step:g} s"
            row += new
            if on_progress is not None:
                on_progress(origin + (first + done) * step)
            seconds = max(time.perf_counter() - began, 1e-9)
            wanted = count * _CHUNK_SECONDS / seconds
            chunk = max(every, int(min(wanted, _GROWTH * chunk) / every) * every)
    except (variational.NoConvergence, implicit_run.NoStep, moreau.NotFinite) as error:
        return done, row + error.rows, f"failed: {error}"
    except KeyboardInterrupt as stop:
        row += getattr(stop, "rows", 0)
        return done, row, f"interrupted at t = {table.times[row - 1]:g} s"
    return done, row, "completed"


def _first_bad(q: np.ndarray, v: np.ndarray) -> int | None:
    if math.isfinite(q.sum() + v.sum()):
        return None
    good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
    return None if good.all() else int(np.argmin(good))


def _compiled_run(problem, method, tolerance):
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace
    if method == "rkmk4":

        def run(origin, step, first, count, every, q, v, times, out_q, out_v, iterations):
            rows = rkmk4.rkmk4_run(p, inputs, origin, step, first, count, every, q, v, w, times, out_q, out_v)
            iterations[:rows] = every
            return rows

        return run
    scratch = variational.new_scratch(problem.model.nf, problem.model.nv)

    def run_variational(origin, step, first, count, every, q, v, times, out_q, out_v, iterations):
        rows, failed = variational.variational_run(
            p, inputs, origin, step, first, count, every, tolerance, q, v, w, scratch, times, out_q, out_v, iterations
        )
        if failed >= 0:
            raise variational.NoConvergence(origin + failed * step, rows)
        return rows

    return run_variational


def _adams_run(problem, past, restarts):
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace

    def run(origin, step, first, count, every, q, v, times, out_q, out_v, iterations):
        rows = adams.adams_run(p, inputs, origin, step, first, count, every, q, v, w, past, restarts, times, out_q, out_v)
        iterations[:rows] = every
        return rows

    return run


def _implicit(problem, method, tolerance, rho_inf):
    """Scheme, tolerance of Newton's method, workspace; where steps are adapted the tolerance is theirs, Newton's a hundredth."""
    scheme, adapted = scheme_of(method, rho_inf).arrays, method == "radau_adaptive"
    scratch = implicit_scratch(problem, len(scheme.times), tolerance if adapted else 0.0)
    return scheme, 0.01 * tolerance if adapted else tolerance, scratch


def _python_run(problem, method, tolerance, past, restarts, origin, rho_inf, records, multipliers):
    scratch = None
    if method == "variational":
        stepper = variational.python_stepper(problem, tolerance)
    elif method == "moreau":
        stepper = moreau.python_stepper(problem)
    elif METHODS[method].implicit:
        scheme, newton, scratch = _implicit(problem, method, tolerance, rho_inf)
        stepper = implicit_run.python_stepper(problem, scheme, newton, scratch)
    else:
        stepper = _rkmk4_python(problem)
        if method == "adams":
            stepper = adams.python_stepper(problem, stepper, past, restarts, origin)

    sampled = problem.controller if isinstance(problem.controller, SampledController) else None

    def run(origin, step, first, count, every, q, v, times, out_q, out_v, iterations):
        row, used = 0, 0
        for n in range(first, first + count):
            try:
                if sampled is not None:
                    sampled.sample(problem, n, origin + n * step, q, v)
                used += stepper(origin + n * step, step, q, v)
            except (variational.NoConvergence, implicit_run.NoStep, moreau.NotFinite) as error:
                raise type(error)(error.time, row) from None
            except KeyboardInterrupt as stop:
                stop.rows = row  # what this chunk has recorded is kept
                raise
            if (n + 1) % every == 0:
                times[row], out_q[row], out_v[row], iterations[row] = origin + (n + 1) * step, q, v, used
                if method == "moreau":
                    moreau.note_in_python(problem, q, records)
                if scratch is not None:
                    multipliers.append(scratch.multipliers[-1:].copy())
                row, used = row + 1, 0
        return row

    return run


def _rkmk4_python(problem):
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace

    def stepper(t, step, q, v):
        problem.read_inputs(t, q, v)
        rkmk4.begin(p, inputs, q, v, w, step)
        for fraction, weight in ((0.5, 2.0), (0.5, 2.0), (1.0, 1.0)):
            stage_q, stage_v = rkmk4.stage_state(p, q, v, w, step, fraction)
            problem.read_inputs(t + fraction * step, stage_q, stage_v)
            rkmk4.go_on(p, inputs, q, v, w, step, fraction, weight)
        rkmk4.finish(p, inputs, q, v, w, step)
        return 1

    return stepper
