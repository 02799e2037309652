"""Which integrator a run takes when none is named, and at which step when none is given.

1. Hard contact: ``moreau``, at 1 ms. Compliant contact: ``radau_adaptive``, in parts of 1 ms; where its
   forces jump, ``adaptive``.
2. Rods that have a strain that is not imposed: ``radau3``.
3. A robot that ``rkmk4`` does not follow at this step, judged by its modes at rest at the start
   (:mod:`locodyn.integrate.linear_modes`). Those that decay must lie within half the region of stability (2.79 / h on the
   negative real axis, 2.83 / h on the imaginary one; the other half is for other configurations than the first). Those that
   last must be resolved, omega h <= 1/2: there an oscillation loses 1 - |R(i/2)| = 1e-4 of its amplitude in a step. Others get
   ``radau3``, which is stable at any step, or what else takes them.
4. All others: ``rkmk4``.

The step is 10 ms where nothing asks for less. Oscillations that steps of 1 ms can resolve are resolved; faster ones are damped
by ``radau3``, which is what its energy account then says.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import DEFAULT_STEP, Method
from locodyn.integrate.checks import check_fit
from locodyn.integrate.features import Feature
from locodyn.integrate.linear_modes import Modes, modes
from locodyn.integrate.methods import RKMK4, Adaptive, Moreau, Radau3, RadauAdaptive
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.robot.layout import CODE, DOF_FRAME, ROD

PLAIN = RKMK4()
CONTACT_STEP, SHORTEST_STEP = 1e-3, 1e-3  # s
_RESERVE = 0.5  # part of the region of stability that is used
_RESOLVED = 0.5  # omega h
_STIFF = (Radau3(), Adaptive())  # in this order


class StabilityWarning(UserWarning):
    """An explicit integrator was asked for at a step at which it is not stable."""


@dataclass(frozen=True)
class Choice:
    """Integrator, step (s) and why; no reason for the plain one."""

    method: Method
    step: float
    reason: str = ""

    @property
    def words(self) -> str:
        """``radau3 at 0.01 s: the robot has rods``."""
        return f"{self.method.name} at {self.step:g} s" + (f": {self.reason}" if self.reason else "")


def choose(problem: Problem, q0: np.ndarray, v0: np.ndarray, step: float | None = None, t: float = 0.0) -> Choice:
    """The integrator for a run of ``problem`` from ``q0`` (nq,), ``v0`` (nv,) on; ``step`` (s): None where it is free too."""
    if len(problem.contact.table) or any(servo.begins > t for servo in problem.servos.values()):
        why = "surfaces can touch" if len(problem.contact.table) else "a servo is switched on later"
        return Choice(Moreau(), step or CONTACT_STEP, why)
    if problem.compliant:
        if any(one.law.jumps for one in problem.compliant):
            return Choice(Adaptive(), step or CONTACT_STEP, "surfaces are compliant, and their forces jump where they touch")
        return Choice(RadauAdaptive(), step or CONTACT_STEP, "surfaces are compliant")
    length = step or DEFAULT_STEP
    q, _ = problem.start_state(t, q0, v0)
    own = modes(problem, t, q)
    why = "the robot has rods" if _has_moving_rods(problem) else _too_fast(own, length)
    if not why:
        return Choice(PLAIN, length)
    method = next((one for one in _STIFF if _takes(problem, one, q, length, t)), PLAIN)
    slow = [omega for omega in own.oscillations() if omega * SHORTEST_STEP <= _RESOLVED]
    if step is None:
        length = min([length, *(_RESOLVED / omega for omega in slow)])
        if method == PLAIN:
            length = min(length, _RESERVE * own.longest_step(PLAIN))
    return Choice(method, length, why)


def _has_moving_rods(problem: Problem) -> bool:
    """Whether a strain of a rod moves by its own dynamics; where all are imposed, nothing vibrates."""
    model = problem.model
    rods = model.frames[model.dofs[:, DOF_FRAME], CODE] == ROD
    return bool(np.any(rods & (problem.drive != IMPOSED)))


def warn_beyond_limit(problem: Problem, method: Method, q0: np.ndarray, v0: np.ndarray, step: float, t: float = 0.0) -> None:
    """Warn when an explicit integrator that was named is not stable at this step, before it computes anything."""
    if method.growth(0j) is None or len(problem.contact.table):
        return
    q, _ = problem.start_state(t, q0, v0)
    own = modes(problem, t, q)
    longest = own.longest_step(method)
    if step > longest:
        better = next((one for one in _STIFF if _takes(problem, one, q, step, t)), None)
        other = f", or '{better.name}'" if better else ""
        warnings.warn(
            f"the step is {step:g} s, but '{method.name}' is stable up to {longest:.2g} s only at the start: {_speed(own)}; take"
            f" a smaller step{other}.",
            StabilityWarning,
            stacklevel=5,
        )
        return
    states = [one for one in problem.compliant if one.law.states]
    fall = min((one.law.relaxation for one in states), default=float("inf"))  # by zdot = -z / fall where surfaces are apart
    longest = Modes(np.array([-1.0 / fall + 0j]), ("",)).longest_step(method)
    if method.fixed_step and step > longest:
        warnings.warn(
            f"the step is {step:g} s, but '{method.name}' follows what is bent along the ground at '{states[0].name}' up to"
            f" {longest:.3g} s only where the surfaces part: there it falls back in {fall:g} s, its relaxation; take a smaller"
            " step, a longer relaxation, or 'radau3'.",
            StabilityWarning,
            stacklevel=5,
        )


def advice(problem: Problem, method: Method, q: np.ndarray, step: float, t: float = 0.0) -> str:
    """What to take instead when a run with ``method`` at ``step`` (s) from ``q`` has gone bad: half a sentence."""
    if Feature.HARD_CONTACT not in method.takes and not method.fixed_step:
        return "take a smaller tolerance"
    if Feature.HARD_CONTACT in method.takes or method.always_stable:
        return f"take a smaller step than {step:g} s"
    better = next((one for one in _STIFF if _takes(problem, one, q, step, t)), None)
    if method.growth(0j) is not None:
        longest = modes(problem, t, q).longest_step(method)
        shorter = f"a step below {longest:.2g} s, where '{method.name}' is stable at the start" if longest < step else ""
    else:
        shorter = ""
    shorter = shorter or f"a smaller step than {step:g} s"
    if better is not None and better.always_stable:
        return f"take '{better.name}', which damps what a step does not resolve, or {shorter}"
    return f"take {shorter}"


def _too_fast(own: Modes, step: float) -> str:
    """Why ``rkmk4`` does not follow these modes at this step, or nothing."""
    oscillating = float(own.oscillations().max(initial=0.0))
    if step <= _RESERVE * own.longest_step(PLAIN) and oscillating * step <= _RESOLVED:
        return ""
    return f"{_speed(own)}, too fast for '{PLAIN.name}' at {step:g} s"


def _speed(own: Modes) -> str:
    """``'wrist' reacts within 0.0003 s``."""
    return f"'{own.fastest_name}' reacts within {1.0 / own.fastest:.2g} s"


def _takes(problem: Problem, method: Method, q: np.ndarray, step: float, t: float) -> bool:
    """Whether the method takes the problem."""
    try:
        check_fit(problem, method, q, step, t, True)
    except InputError:
        return False
    return True
