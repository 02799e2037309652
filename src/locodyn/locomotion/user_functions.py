"""The user's Python functions in a problem: laws of time, torques, a controller, wrenches. They fill ``problem.inputs``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, check_takes
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.memories import ControllerWithMemory
from locodyn.world.laws import UserLaw
from locodyn.world.wrenches import amount, steered_point

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.robot.compilation.compiled_parts import CompiledWrench

Controller = Callable[[float, np.ndarray, np.ndarray], Any]


def read_all_laws(problem: Problem, t: float) -> None:
    """What :func:`~locodyn.locomotion.rhs.read_laws` reads, with laws that are Python functions among them."""
    inputs, values = problem.inputs, problem.table.at(t)
    for column, i in enumerate(problem.laws):
        if problem.drive[i] == IMPOSED:
            inputs.motion[:, i] = values[:, column]
        else:
            inputs.command[i] = values[0, column]
    for column, i in enumerate(problem.servos, len(problem.laws)):
        inputs.motion[:, i] = values[:, column]
    first = len(problem.laws) + len(problem.servos)
    inputs.rows[:] = values[:, first : first + len(inputs.rows)].T
    for column, name in enumerate(problem.strands, first + len(inputs.rows)):
        inputs.strands[problem.model.compiled.strand_names.index(name)] = values[0, column]


def read_torques(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Forces of the torque functions and of the controller at (q, v), which are theirs to change."""
    for i, function in problem.functions.items():
        value = function(t, q, v)
        try:
            problem.inputs.command[i] = float(value)
        except (TypeError, ValueError):
            name = problem.model.compiled.coordinate_names[i]
            raise InputError(f"the torque function of '{name}' returned {value!r}; it must return one number.") from None
    if problem.controller is not None:
        _add_controller(problem, _asked(problem, problem.controller, t, q, v))


def _asked(problem: Problem, controller: Controller | ControllerWithMemory, t: float, q: np.ndarray, v: np.ndarray) -> Any:
    """What the controller returns; the rates of its states go where those of laws are."""
    if not isinstance(controller, ControllerWithMemory):
        return controller(t, q, v)
    memory, first = problem.workspace.memory, problem.memories.controller
    answer, memory.rate[first:] = controller(t, q, v, memory.value[first:].copy())
    return answer


def check_user_laws(wrenches: Sequence[CompiledWrench]) -> None:
    """Refuse laws that are functions of something else than they are called with."""
    for wrench in wrenches:
        if isinstance(wrench.law, UserLaw):
            more = [word for word, there in (("s", wrench.abscissa is not None), ("z", wrench.law.memory)) if there]
            arguments = ", ".join(["t", "rotation", "position", "twist", *more])
            check_takes(wrench.law.function, arguments, f"the law of wrench '{wrench.name}'")


def _add_controller(problem: Problem, answer: Any) -> None:
    nv = problem.model.nv
    try:
        forces = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the controller returned {answer!r}; it must return {nv} forces.") from None
    if forces.shape != (nv,):
        raise InputError(f"the controller returned shape {forces.shape}; it must return {nv} forces.")
    problem.inputs.command[problem.undriven] = 0.0
    free = problem.drive != IMPOSED
    problem.inputs.command[free] += forces[free]


def read_wrenches(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Wrenches of the user's laws at (q, v), on the frames; and ``problem.user_forces``."""
    inputs, table = problem.inputs, problem.wrench_table
    inputs.wrenches[:] = 0.0
    poses, motions = problem.model.kinematics(q, v)
    for row, _ in problem.user_laws:
        wrench = table.wrenches[row]
        k = wrench.frame
        r, p = poses[k, :9].reshape(3, 3), poses[k, 9:]
        x, w = motions[k, :3], motions[k, 3:6]
        turned, rate = steered_point(table.laws, inputs.rows, row)
        axes = np.reshape(turned, (3, 3))
        local = np.concatenate([axes.T @ (x + np.cross(w, wrench.position)), axes.T @ w + (0.0, 0.0, rate)])
        place = () if wrench.abscissa is None else (wrench.abscissa,)
        load = _load(problem, row, t, r @ axes, p + r @ wrench.position, local, *place)
        load = amount(table.laws, inputs.rows, row, 1.0) * load
        force, moment = axes @ load[:3], axes @ load[3:]
        problem.user_forces[row] = r @ force
        inputs.wrenches[k, :3] += force
        inputs.wrenches[k, 3:] += moment + np.cross(wrench.position, force)


def _load(problem: Problem, row: int, *arguments: Any) -> np.ndarray:
    """Wrench (6,) of the user's law ``row``; the rates of its states go where those of other laws are."""
    wrench, laws, memory = problem.wrench_table.wrenches[row], problem.wrench_table.laws, problem.workspace.memory
    first, count = int(laws.memory[row]), int(laws.states[row])
    if not count:
        return _numbers(wrench.law.function(*arguments), wrench.name)
    found = wrench.law.function(*arguments, memory.value[first : first + count].copy())
    try:
        load, rates = found
        memory.rate[first : first + count] = np.asarray(rates, dtype=float).reshape(count)
    except (TypeError, ValueError):
        raise InputError(
            f"the law of wrench '{wrench.name}' has {count} states; it must return its wrench and their {count} rates."
        ) from None
    return _numbers(load, wrench.name)


def _numbers(load: Any, name: str) -> np.ndarray:
    """The wrench (6,) that a law returned."""
    try:
        found = np.asarray(load, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the law of wrench '{name}' returned {load!r}; it must return 6 numbers.") from None
    if found.shape != (6,):
        raise InputError(f"the law of wrench '{name}' returned shape {found.shape}; it must return 6 numbers.")
    return found
