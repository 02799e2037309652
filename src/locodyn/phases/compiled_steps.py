"""Steps of Dormand and Prince's method of order 8(5,3) with all their stages in one call of compiled code.

The coefficients and the control of the step are SciPy's (Hairer, Norsett, Wanner 1993, II.5 and II.10); only the right-hand side
is called by kernels. It takes problems whose laws are data, and joint PD on Bezier polynomials as their controller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import DOP853
from scipy.integrate._ivp import dop853_coefficients as tableau

from locodyn.controllers.output_control import OutputPD
from locodyn.controllers.output_pd import PdTable, add_pd_torques
from locodyn.integrate.local_state import Local
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import accelerations, read_laws
from locodyn.shape.configuration import moved_configuration, step_rate

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 10.0  # of the next step, over this one
_STAGES, _ALL = tableau.N_STAGES, tableau.N_STAGES_EXTENDED  # of a step, and of its dense output


class StageRoom(Bundle):
    """Stages of a step, and the state of one of them."""

    weights: np.ndarray  # (16, 16) of the stages before, in the place of each; the thirteenth is the end of the step
    times: np.ndarray  # (16,) in parts of the step
    rates: np.ndarray  # (16, n)
    here: np.ndarray  # (n,) local state (u, v, z) of a stage
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    u: np.ndarray  # (nv,)
    rate: np.ndarray  # (nv,) of u
    acceleration: np.ndarray  # (nv,)


@compiled(called=True)
def stage_rates(problem, inputs, law, anchor, t, stage, work, room):
    """Rates of the local state ``room.here`` at time t (s), into a row of ``room.rates``."""
    nv = room.v.shape[0]
    for i in range(nv):
        room.u[i] = room.here[i]
        room.v[i] = room.here[nv + i]
    for c in range(work.memory.value.shape[0]):
        work.memory.value[c] = room.here[2 * nv + c]
    moved_configuration(problem.frames, anchor, room.u, room.q)
    read_laws(problem, t, inputs)
    if law is not None:
        for i in range(nv):
            if problem.law[i] < 0:
                inputs.command[i] = 0.0
        add_pd_torques(law, room.q, room.v, inputs.command)
    accelerations(problem, inputs, room.q, room.v, work, room.acceleration)
    step_rate(problem.frames, room.u, room.v, room.rate)
    for i in range(nv):
        room.rates[stage, i] = room.rate[i]
        room.rates[stage, nv + i] = room.acceleration[i]
    for c in range(work.memory.rate.shape[0]):
        room.rates[stage, 2 * nv + c] = work.memory.rate[c]


@compiled
def follow_stages(problem, inputs, law, anchor, t, step, first, last, start, work, room):
    """Stages ``first`` to ``last`` of a step (s) from the local state ``start`` (n,) at time t; the last state is left there."""
    for stage in range(first, last):
        for i in range(start.shape[0]):
            total = 0.0
            for k in range(stage):
                total += room.weights[stage, k] * room.rates[k, i]
            room.here[i] = start[i] + step * total
        stage_rates(problem, inputs, law, anchor, t + room.times[stage] * step, stage, work, room)


@compiled
def interpolate(parts, start, x, result):
    """The dense output at the part x of a step: ``parts`` (7, n) about the state ``start`` (n,), by Horner's rule in x, 1 - x."""
    count = parts.shape[0]
    for i in range(start.shape[0]):
        total = 0.0
        for k in range(count):
            total += parts[count - 1 - k, i]
            total *= x if k % 2 == 0 else 1.0 - x
        result[i] = total + start[i]


class Dense:
    """Local state (n,) at a time (s) within a step."""

    def __init__(self, begin: float, step: float, start: np.ndarray, parts: np.ndarray) -> None:
        self.begin, self.step, self.start, self.parts = begin, step, start, parts

    def __call__(self, t: float) -> np.ndarray:
        """At the time t."""
        result: np.ndarray = np.empty_like(self.start)
        interpolate(self.parts, self.start, (t - self.begin) / self.step, result)
        return result


def law_of(problem: Problem) -> tuple[bool, PdTable | None]:
    """Whether compiled code can ask for the accelerations of a problem, and the table of its controller, if it has one."""
    table = problem.controller.table if isinstance(problem.controller, OutputPD) else None
    python = problem.table.has_python or problem.functions or problem.user_laws
    return not python and (problem.controller is None or table is not None), table


class CompiledSteps(DOP853):  # type: ignore[misc, unused-ignore]  # SciPy has no types; its stubs, where installed, do
    """SciPy's solver with compiled stages, of a local state."""

    t: float
    y: np.ndarray
    f: np.ndarray
    h_abs: float
    y_old: np.ndarray
    h_previous: float

    def __init__(self, local: Local, law: PdTable | None, t0: float, y0: np.ndarray, t_bound: float, **words: Any) -> None:
        super().__init__(local, t0, y0, t_bound, **words)
        model, zeros = local.problem.model, np.zeros
        self.local, self.law = local, law
        self.room = StageRoom(
            weights=np.ascontiguousarray(tableau.A), times=np.ascontiguousarray(tableau.C), rates=self.K_extended,
            here=zeros(self.n), q=zeros(model.nq), **{name: zeros(model.nv) for name in ("v", "u", "rate", "acceleration")},
        )  # fmt: skip

    def stages(self, first: int, last: int, t: float, step: float, start: np.ndarray) -> np.ndarray:
        """The state (n,) of the last of these stages."""
        problem = self.local.problem
        follow_stages(
            problem.arrays, problem.inputs, self.law, self.local.anchor, t, step, first, last, start, problem.workspace, self.room
        )
        self.nfev += last - first
        state: np.ndarray = np.array(self.room.here)
        return state

    def _step_impl(self) -> tuple[bool, str | None]:
        least = 10.0 * abs(np.nextafter(self.t, np.inf) - self.t)
        h, rejected = max(self.h_abs, least), False
        self.K[0] = self.f
        while True:
            if h < least:
                return False, self.TOO_SMALL_STEP
            end = min(self.t + h, self.t_bound)
            h = end - self.t
            y = self.stages(1, _STAGES + 1, self.t, h, self.y)
            scale = self.atol + np.maximum(np.abs(self.y), np.abs(y)) * self.rtol
            error = float(self._estimate_error_norm(self.K, h, scale))
            factor = _MOST if error == 0.0 else _SAFETY * error**self.error_exponent
            if error < 1.0:
                break
            h, rejected = h * (max(_LEAST, factor) if np.isfinite(factor) else _LEAST), True  # nan: the state has left all bounds
        self.h_previous, self.y_old = h, self.y
        self.t, self.y, self.f = end, y, self.K[_STAGES].copy()
        self.h_abs = h * min(1.0 if rejected else _MOST, factor)
        return True, None

    def _dense_output_impl(self) -> Dense:
        h, begin = self.h_previous, self.t_old
        self.stages(_STAGES + 1, _ALL, begin, h, self.y_old)
        change, first = self.y - self.y_old, self.K[0]
        cubic = [change, h * first - change, 2.0 * change - h * (self.f + first)]
        parts = np.concatenate([cubic, h * (self.D @ self.K_extended)])
        return Dense(begin, h, self.y_old, parts)
