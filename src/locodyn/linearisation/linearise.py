"""Linear equations about a steady motion: xdot = A x + B w, out = C x + D w, with x = (y, z) the minimal coordinates.

Derivatives are central differences of order 8 of the compiled right-hand side, on states that obey all constraints. So every law
of the library and of the user is linearised: springs, friction, wheels, loops, controllers and all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.linearisation.differences import central_derivative
from locodyn.linearisation.linearisation import Linearisation, Measure
from locodyn.linearisation.minimal_coordinates import Coordinates, place_names
from locodyn.linearisation.nearby_motion import NearbyMotion, Sample, bracket
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_solver import kernel_of
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.robot.layout import ANGULAR, LIMIT
from locodyn.typing import Array, Axis

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

Output = str | Callable[[np.ndarray, np.ndarray, np.ndarray], Any]

_STEADY = 1e-6  # acceleration of a steady motion, relative to the square of its fastest rate (at least 1/s)
_SYMMETRY = 1e-7  # what a symmetry may leave, relative to the largest derivative
_COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def linearise(
    motion: Problem | Scenario,
    q: Array | None = None,
    v: Array | None = None,
    *,
    t: float = 0.0,
    coordinates: Coordinates | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] | Mapping[str, Output] = (),
    spin: Mapping[str, Axis] | None = None,
    unsteady: bool = False,
    memory: Mapping[str, float] | None = None,
) -> Linearisation:
    """The linear system about the steady motion through the state (q, v).

    Parameters
    ----------
    motion : Problem or Scenario
        Of a scenario the start is taken where ``q`` and ``v`` are not given. Its drives stay as they are at time ``t``.
    q, v : (nq,), (nv,)
        The state; it is put on the constraints. A motion that is not steady is refused: its velocity changes, or the equations
        change along it.
    coordinates : names, or {own name: name of a coordinate, or {name: factor}}
        Those to be independent, e.g. ``{"lean": "frame.roll", "steer": {"steering": -1}}``; the others are chosen by size.
    inputs : names
        Coordinates (a torque or force along them, also of ``coordinates``), or ``BODY.fx`` .. ``BODY.mz``: a wrench on a body
        or marker, in its axes.
    outputs : names of states, or {name: name of a state or function(q, v, a) -> number}
    spin : {body: axis}
        Bodies of revolution whose velocity is constant only in axes that do not spin with them.
    unsteady : bool
        Takes the state as it is: the slope of the equations of motion there, whose eigenvalues say nothing about stability.
        ``Linearisation.defect`` and ``wander`` say by how much the motion is not steady.
    memory : {state: value}
        States of laws with memory near those of the motion; by default those of the start of a scenario, or zero. Lags are put
        at rest, bristles where they slip evenly; those that are free to stay as they are do so.
    """
    problem, q, v = motion_state(motion, q, v)
    if not np.isfinite(t):
        raise InputError(f"the time is {t!r} s; it must be a finite number.")
    _check_answers(problem)
    near = NearbyMotion(problem, q, v, t, coordinates, spin, memory=memory_of(motion, memory))
    if not unsteady:
        _check_steady(near)
    functions, drives = _outputs(near, outputs), [_input(near, name) for name in inputs]
    n_y, n_z, n = np.cumsum([len(near.position_names), len(near.rate_names), len(near.memory_names)])
    values, m = partial(_values, near, functions), len(functions)
    scales = np.concatenate([near.scales, problem.memories.sizes])
    derivative, error = central_derivative(lambda x: values(near.sample(x[:n_y], x[n_y:n_z], memory=x[n_z:])), scales)
    felt = np.vstack([derivative[n_z:n], derivative[n + m :]])[:, :n_y]
    effects = _effects(near, drives, values, n + m)
    mass = near.directions.T @ problem.model.mass_matrix(near.q) @ near.directions
    return Linearisation(
        A=derivative[:n], B=effects[:n], C=derivative[n : n + m], D=effects[n:], mass=mass,
        position_names=near.position_names, rate_names=near.rate_names, input_names=tuple(inputs),
        output_names=tuple(functions), symmetries=_symmetries(near, derivative[:n], felt),
        defect=float(np.abs(near.sample().acceleration / near.units).max(initial=0.0)), wander=near.wander(), error=error,
        q=near.q, v=near.v, memory_names=near.memory_names, memory=near.memory, measure=_measure(near),
    )  # fmt: skip


def _measure(near: NearbyMotion) -> Measure:
    """y = position_rows u, z = rate_rows (v - v0), and the states of laws."""
    (n_y, nv), n_z, count = near.position_rows.shape, len(near.rate_rows), len(near.memory)
    rows = np.zeros((n_y + n_z + count, 2 * nv + count))
    rows[:n_y, :nv], rows[n_y : n_y + n_z, nv : 2 * nv] = near.position_rows, near.rate_rows
    rows[n_y + n_z :, 2 * nv :] = np.eye(count)
    return Measure(near.model, near.q, near.v, near.memory, rows, bool(near.spin_axes))


def _values(near: NearbyMotion, outputs: Mapping[str, Callable[..., Any]], sample: Sample) -> np.ndarray:
    """State rates, then outputs, then all velocities and accelerations (for the symmetries)."""
    measured = [float(function(sample.q, sample.v, sample.body_acceleration)) for function in outputs.values()]
    rates = near.position_rows @ sample.displacement_rate, near.rate_rows @ sample.acceleration, sample.memory_rate
    return np.concatenate([*rates, measured, sample.v / near.units, sample.acceleration / near.units])


def _effects(
    near: NearbyMotion, drives: list[tuple[np.ndarray, np.ndarray]], values: Callable[[Sample], np.ndarray], count: int
) -> np.ndarray:
    """Derivatives (count, inputs) of the first ``count`` values by the inputs, each forces and wrenches."""
    effects = np.zeros((count, len(drives)))
    for k, (forces, wrenches) in enumerate(drives):
        # Accelerations are linear in the inputs as long as no actuator is at its limit.
        share = float(np.min(0.25 * near.model.dof_constants[forces != 0.0, LIMIT], initial=1.0))
        plus, minus = (values(near.sample(forces=s * forces, wrenches=s * wrenches)) for s in (share, -share))
        effects[:, k] = (plus - minus)[:count] / (2.0 * share)
    return effects


def _check_answers(problem: Problem) -> None:
    """:class:`InputError` for torques that are held, which a linear system in the state alone does not have."""
    if isinstance(problem.controller, SampledController):
        raise InputError(
            "linearise takes laws that answer at once, but the controller is sampled, and holds its torques; give the law itself,"
            " controller=f(t, q, v), or leave it out."
        )


def _check_steady(near: NearbyMotion) -> None:
    """:class:`InputError` where velocities change, now or a little later, by more than round-off and a search leave.

    Accelerations are measured in radians and lengths of the robot over s^2, against the square of its fastest rate.
    """
    limit = _STEADY * near.pace**2
    sizes = np.abs(near.sample().acceleration / near.units)
    words = "find the steady motion near it (steady_motion, --steady), or say that it is not steady (unsteady=True, --unsteady)"
    if sizes.max(initial=0.0) > limit:
        worst = int(np.argmax(sizes))
        unit = "rad/s^2" if near.units[worst] == 1.0 and near.model.dof_constants[worst, ANGULAR] != 0.0 else "m/s^2"
        name = near.model.compiled.coordinate_names[worst]
        value = near.sample().acceleration[worst]
        raise InputError(f"the motion is not steady: '{name}' has the acceleration {value:.3g} {unit}; {words}.")
    changes = np.abs(near.sample().memory_rate) / near.problem.memories.sizes
    if changes.max(initial=0.0) > _STEADY * near.pace:
        name = near.memory_names[int(np.argmax(changes))]
        raise InputError(
            f"the motion is not steady: the state '{name}' of a law changes by {changes.max():.3g} of its size in a second."
        )
    wander = near.wander()
    if wander > limit:
        raise InputError(f"the motion is not steady: accelerations of {wander:.3g} 1/s^2 come a little later; {words}.")


def motion_state(motion: Any, q: Any, v: Any) -> tuple[Problem, Any, Any]:
    """The problem and the state; of a scenario its start, where no state is given."""
    problem = getattr(motion, "problem", motion)
    if not isinstance(problem, Problem):
        raise InputError(f"the motion is {motion!r}; it must be a problem or a scenario.")
    if q is None or v is None:
        if problem is motion:
            raise InputError("a problem has no start of its own; give the state (q, v).")
        start_q, start_v = motion.initial_state()
        q, v = start_q if q is None else q, start_v if v is None else v
    return problem, q, v


def memory_of(motion: Any, chosen: Mapping[str, float] | None) -> np.ndarray:
    """States of laws: as given, or those of the start of a scenario."""
    problem = getattr(motion, "problem", motion)
    if chosen is None and problem is not motion:
        return np.asarray(motion.initial_memory())
    return np.asarray(problem.memories.start(chosen))


def _symmetries(near: NearbyMotion, a: np.ndarray, felt: np.ndarray) -> np.ndarray:
    """Basis (n, k) of the changes of the state that change nothing later.

    Displacements that no velocity, no acceleration and no law ever feels: the largest space G with felt G = 0 and A_yy G in G.
    They are places and headings on a plane, and angles of round wheels. A body that spins in axes of its own may also be turned
    about its axis e, with its velocity: (e, -[e, v]).
    """
    n_y = len(near.position_names)
    own = a[:n_y, :n_y]
    size = max(1.0, float(np.abs(felt).max(initial=0.0)), float(np.abs(a).max(initial=0.0)))
    basis = kernel_of(felt, _SYMMETRY, size)
    while basis.shape[1]:
        outside = own @ basis
        kept = kernel_of(outside - basis @ (basis.T @ outside), _SYMMETRY, size)
        if kept.shape[1] == basis.shape[1]:
            break
        basis = basis @ kept
    found = [*np.vstack([basis, np.zeros((len(a) - n_y, basis.shape[1]))]).T]
    for axis in near.spin_axes:
        turned = -near.rate_rows @ bracket(near.model.frames, axis) @ near.v
        turn = np.concatenate([near.position_rows @ axis, turned, np.zeros(len(near.memory_names))])
        places = np.array(found)[:, :n_y].T if found else np.zeros((n_y, 0))
        new = turn[:n_y] - places @ np.linalg.lstsq(places, turn[:n_y], rcond=None)[0]
        if np.linalg.norm(new) > _SYMMETRY and np.abs(a @ turn).max() <= _SYMMETRY * size * np.abs(turn).max():
            found.append(turn)
    return np.array(found).reshape(len(found), len(a)).T


def _input(near: NearbyMotion, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Forces (nv,) and wrenches (nf, 6) of a unit of the input."""
    model, robot = near.model, near.model.compiled
    forces, wrenches = np.zeros(model.nv), np.zeros((model.nf, 6))
    places = place_names(robot)
    if name in near.named:
        forces += near.named[name]  # does work with this coordinate and with none of the other independent ones
    elif name in robot.coordinate_names or name in places:
        forces[(robot.coordinate_names if name in robot.coordinate_names else places).index(name)] = 1.0
    else:
        point, _, component = name.rpartition(".")
        if component not in _COMPONENTS or point not in robot.body_names + robot.marker_names:
            known = [*places, *(f"{body}.fx" for body in robot.body_names)]
            raise InputError(f"there is no input '{name}'{nearest(name, known)}")
        wrenches = model.frame_wrenches({point: np.eye(6)[_COMPONENTS.index(component)]})
    if np.any(forces[near.problem.drive == IMPOSED]):
        raise InputError(f"the input '{name}' acts on an imposed coordinate, whose motion is given; it has no effect.")
    return forces, wrenches


def _outputs(near: NearbyMotion, outputs: Sequence[str] | Mapping[str, Output]) -> dict[str, Callable[..., Any]]:
    """Functions (q, v, a) -> number of the outputs, by name."""
    if isinstance(outputs, str):
        outputs = (outputs,)
    wanted = outputs if isinstance(outputs, Mapping) else {name: name for name in outputs}
    return {name: _reading(near, what) if isinstance(what, str) else what for name, what in wanted.items()}


def _reading(near: NearbyMotion, name: str) -> Callable[..., float]:
    """The function that reads one state."""
    if name in near.position_names:
        row = near.position_rows[near.position_names.index(name)]
        return lambda q, v, a: float(row @ near.model.difference(near.q, q))
    if name in near.rate_names:
        rate = near.rate_rows[near.rate_names.index(name)]
        return lambda q, v, a: float(rate @ (v - near.v))
    raise InputError(f"there is no state '{name}' to be an output{nearest(name, near.position_names + near.rate_names)}")
