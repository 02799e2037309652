"""Run a problem through time with a method: check what is given, run, keep what there is when something goes wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import Method, Past, Run, Solution, Watch
from locodyn.integrate.checks import check_fit, check_numbers
from locodyn.integrate.followers import with_driven_followers
from locodyn.integrate.grip_losses import missed_place
from locodyn.integrate.methods import all_options, method_of
from locodyn.kernel.entry import numbers
from locodyn.locomotion.compatibility import first_contradiction
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_paths import along_paths
from locodyn.typing import Array

_ROUND_OFF = 1e-8  # relative: what a step may miss of motions and rows at its end


def solve(
    problem: Problem,
    q0: Array,
    v0: Array,
    t0: float = 0.0,
    t_end: float = 1.0,
    step: float = 0.01,
    method: str | Method = "rkmk4",
    record_every: int = 1,
    past: Past | None = None,
    watch: Watch | None = None,
    **options: float,
) -> Solution:
    """Integrate from (q0, v0) at ``t0`` to ``t_end``.

    Parameters
    ----------
    problem : Problem
    q0, v0 : (nq,), (nv,) start; imposed coordinates are put where their motion says.
    t0, t_end, step : s. With a fixed step the run ends at the whole number of steps nearest to ``t_end``; the adaptive method
        records at multiples of ``step * record_every``.
    method : a method with its options, such as ``Radau3(tolerance=1e-8)``, or the name of one of
        :data:`~locodyn.integrate.methods.METHODS`.
    record_every : record every so many steps.
    past : what the run has behind it: states of laws with memory, and of a run that goes on here where it began.
    watch : what looks at it while it goes on: progress, events, pauses.
    options : of a method that is given by its name, such as ``tolerance=1e-8``.
    """
    past, watch = past or Past(), watch or Watch()
    known = [option.name for option in all_options()]
    for name in options:
        if name not in known:
            raise InputError(f"there is no option '{name}' of an integrator{nearest(name, known)}")
    chosen = method_of(method, **options)
    check_numbers(t0, t_end, step, record_every)
    q, v = problem.model.normalised(q0), numbers(v0, "v0")
    if v.shape != (problem.model.nv,):
        raise InputError(f"v0 has {v.size} entries; robot '{problem.model.compiled.name}' needs {problem.model.nv}.")
    with along_paths(problem.constraints.arrays if chosen.keeps_to_paths else None):
        return _solve(problem, chosen, Run(problem, q, v, t0, t_end, step, int(record_every), t0, np.zeros(0), None, watch), past)


def _solve(problem: Problem, chosen: Method, asked: Run, past: Past) -> Solution:
    """The run that is asked for, whose numbers are checked."""
    q, v, t0, t_end, step, watch = asked.q, asked.v, asked.t0, asked.t_end, asked.step, asked.watch
    z = problem.memories.start(past.memory)
    problem.workspace.memory.state[:] = problem.workspace.memory.value[:] = z
    problem.check_motion(t0, t_end)
    began = t0 if past.origin is None else float(past.origin)
    fresh = began == t0
    unsettled = q, v
    q, v = problem.start_state(t0, q, v)
    if not fresh and (past.history is not None or all(map(_nearly, unsettled, (q, v)))):
        q, v = unsettled  # bit by bit: it is the end of a step, on motions and rows as far as the method puts it there
    check_fit(problem, chosen, q, step, t0, fresh, watch.events)
    problem.switch_servos(t0)  # statics at another time may have left others on
    subject = chosen.subject(problem)
    if subject is not problem:
        subject.workspace.memory.state[:] = subject.workspace.memory.value[:] = z
        subject.start_state(t0, q, v)  # tells the rank of its rows

    def looked_at(solution: Solution) -> Solution:
        """Records with the forces of the problem, up to where its constraints contradict each other."""
        if subject is not problem:
            solution = with_driven_followers(problem, solution)
        return _until_contradiction(problem, solution) if problem.constraints.rows and chosen.inertia else solution

    hand_over = watch.hand_over
    if hand_over is not None:
        watch = replace(watch, hand_over=lambda part: hand_over(looked_at(part)))
    begin = replace(asked, problem=subject, q=q, v=v, origin=began, memory=z, history=past.history, watch=watch)
    return looked_at(chosen.run(begin))


def _nearly(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two states differ by no more than the tolerances of a step."""
    return bool(np.abs(one - two).max(initial=0.0) <= _ROUND_OFF * (1.0 + np.abs(one).max(initial=0.0)))


def _until_contradiction(problem: Problem, solution: Solution) -> Solution:
    """The solution up to the first state at which the constraints contradict each other, marked as failed there."""
    found = missed_place(problem, solution.times) or first_contradiction(problem, solution.times, solution.q, solution.v)
    if found is None:
        return solution
    end, sentence = max(1, found[0]), f"failed: {found[1]}"
    parts = {name: getattr(solution, name)[:end] for name in ("times", "q", "v", "iterations", "memory")}
    return replace(solution, **parts, status=sentence, message=sentence, history=None)
