"""What a batch refuses: all that its kernels would not see. Each robot of a batch moves as it would alone, or not at all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.integrate.checks import check_fit
from locodyn.integrate.methods import RKMK4
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.robot.layout import CODE, COULOMB, FIRST_Q, FREE, LIMIT, SPHERICAL, STIFFNESS, VISCOUS
from locodyn.typing import Array

METHODS = ("rkmk4", "semi_implicit")  # of rollouts
_ALONE = "run such robots one at a time with 'simulate'"


def whole_number(value: Any, least: int) -> bool:
    """Whether a value is a whole number, ``least`` or more."""
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(value == value // 1 and value >= least)


def check_robot(model: Model) -> None:
    """Refuse rods, and whatever holds the motion of a robot: wheels, rolling surfaces, feet, loops, couplings."""
    robot = model.compiled
    if robot.has_rods:
        raise InputError(f"robot '{robot.name}' has rods; a batch takes robots without them.")
    # A castor holds nothing; a wheel with a contact law that is no body of its own is a wrench law.
    wheels = [w for w in robot.wheels if w.kind != "castor" and (w.contact is None or w.coordinate >= 0)]
    for word, parts in (("wheel", wheels), ("surface", robot.contacts), ("loop", robot.loops), ("coupling", robot.couplings)):
        if len(parts):
            raise InputError(
                f"robot '{robot.name}' is held by the {word} '{parts[0].name}'; a batch takes robots without wheels, rolling"
                f" surfaces, feet, loops and couplings: {_ALONE}."
            )


def check_weightless_fluid(model: Model) -> None:
    """Refuse fluid under gravity where the dynamics of the tree is asked for: its weight would be counted."""
    if model.in_fluid and model.gravity.any():
        raise InputError(
            f"robot '{model.compiled.name}' moves fluid along, whose weight only a rollout leaves out; give its model"
            " gravity=(0, 0, 0) for the forward and inverse dynamics of a batch."
        )


def check_bare(model: Model) -> None:
    """Refuse laws of the joints and of the world for semi-implicit steps, which take constant forces alone."""
    passive = model.dof_constants[:, [VISCOUS, COULOMB, STIFFNESS]].any()
    if passive or np.isfinite(model.dof_constants[:, LIMIT]).any() or model.compiled.wrenches or model.in_fluid:
        raise InputError(
            f"robot '{model.compiled.name}' has springs, friction, limits or wrench laws; semi-implicit steps of a batch take"
            " constant forces alone: use method 'rkmk4'."
        )


def check_times(steps: int, dt: float, t0: float, record_every: int, method: str) -> None:
    """Refuse numbers of a rollout that cannot be."""
    if not whole_number(steps, 1):
        raise InputError(f"the number of steps is {steps!r}; it must be a whole number, 1 or more.")
    if not whole_number(record_every, 0):
        raise InputError(f"record_every is {record_every!r}; it must be a whole number, 0 for no record.")
    if not (np.isfinite(dt) and dt > 0.0):
        raise InputError(f"the step is {dt!r}; it must be a positive number, s.")
    if not np.isfinite(t0):
        raise InputError(f"the start time is {t0!r}; it must be a finite number, s.")
    if method not in METHODS:
        raise InputError(f"the method of a rollout is {method!r}; it must be {' or '.join(map(repr, METHODS))}.")


def checked_rows(model: Model, value: Array, wanted: tuple[int, int], name: str) -> np.ndarray:
    """Numbers of all robots (count, n): of this shape, finite, quaternions of length 1."""
    rows = np.asarray(value, dtype=float)
    if rows.shape != wanted:
        raise InputError(f"{name} of the batch has shape {rows.shape}; it must be {wanted}.")
    if not np.isfinite(rows).all():
        raise InputError(f"{name} of the batch holds NaN or infinity; all its entries must be finite.")
    return unit_quaternions(model, rows) if name == "q" else rows


def unit_quaternions(model: Model, q: np.ndarray) -> np.ndarray:
    """``q`` (count, nq) with quaternions of length 1, as a run of one robot makes them."""
    places = [int(first) + 3 * (code == FREE) for code, first in model.frames[:, [CODE, FIRST_Q]] if code in (SPHERICAL, FREE)]
    lengths = np.array([np.linalg.norm(q[:, i : i + 4], axis=1) for i in places]).reshape(-1, len(q))
    off = np.flatnonzero((np.abs(lengths - 1.0) > 1e-14).any(axis=0))
    if not len(off):
        return q
    q = q.copy()
    q[off] = [model.normalised(row) for row in q[off]]
    return q


def check_rollout(problem: Problem, q: np.ndarray, tau: np.ndarray | None, steps: int, dt: float, t0: float) -> None:
    """Refuse a problem that ``rkmk4`` in lanes does not solve, or not at this step, from the states ``q`` (count, nq)."""
    if problem.constraints.rows:
        raise InputError(
            f"the problem of a rollout has the constraint '{problem.constraints.names[0]}'; a batch takes problems without any:"
            f" {_ALONE}."
        )
    if len(problem.contact.table):
        raise InputError(f"a rollout does not see hard contacts, such as '{problem.contact.table.names[0]}'; {_ALONE}.")
    soft = [one.name for one in problem.compliant if one.law.pair >= 0]
    if soft:
        raise InputError(f"a rollout sees compliant contacts of balls and points with planes, but not '{soft[0]}'; {_ALONE}.")
    if not problem.is_compiled:
        raise InputError("a rollout of a batch takes laws of the library only; Python functions run with 'simulate'.")
    for i in problem.laws if tau is not None else ():
        if np.asarray(tau)[:, i].any():
            name, word = problem.model.compiled.coordinate_names[i], "motion" if problem.drive[i] == IMPOSED else "torque"
            raise InputError(f"coordinate '{name}' has a {word} law in the problem and forces in tau; choose one of the two.")
    problem.check_motion(t0, t0 + steps * dt)
    check_fit(problem, RKMK4(), q[_stiffest(problem, q)], dt, t0, True)


def _stiffest(problem: Problem, q: np.ndarray) -> int:
    """Number of the robot whose servos limit the step most: that with the fastest mode (see ``explicit_limit``)."""
    driven = np.flatnonzero(problem.arrays.target >= 0)
    if not len(driven):
        return 0
    part = np.ix_(driven, driven)
    inverse = np.array([np.linalg.inv(problem.model.mass_matrix(row))[part] for row in q])
    stiffness, damping = problem.arrays.gains[driven].T
    nothing, one = np.zeros_like(inverse), np.broadcast_to(np.eye(len(driven)), inverse.shape)
    modes = np.linalg.eigvals(np.block([[nothing, one], [-inverse * stiffness, -inverse * damping]]))
    return int(np.argmax(np.abs(modes).max(axis=1)))


def warn_not_finite(q: np.ndarray, v: np.ndarray, time: float, dt: float) -> None:
    """Say which robots have a state that is not a number."""
    bad = np.flatnonzero(~(np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)))
    if len(bad):
        warnings.warn(
            f"the state of {len(bad)} of {len(q)} robots, the first of them number {bad[0]}, is not a number at t = {time:g} s;"
            f" try a smaller step than {dt:g} s.",
            RuntimeWarning,
            stacklevel=3,
        )
