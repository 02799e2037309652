"""What may drive a coordinate or a strand of a robot, and what is refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.locomotion.arrays import IMPOSED
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.robot.layout import CODE, DOF_FRAME, HELICAL, PRISMATIC, REVOLUTE, ROD, TRANSLATION
from locodyn.world.law_base import WrenchLaw

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_SINGLE_AXIS = (REVOLUTE, PRISMATIC, HELICAL, TRANSLATION, ROD)


def check_drives(
    model: Model,
    imposed: Collection[int],
    torque: Collection[int],
    servo: Collection[int],
    dependent: Collection[int],
    torque_method: str,
) -> None:
    """Refuse coordinates that are driven in two ways, or in a way that their joint does not have."""
    robot = model.compiled
    names = robot.coordinate_names
    for i in sorted(set(imposed) & set(torque)):
        raise InputError(f"coordinate '{names[i]}' is both imposed and torque-driven; choose one of the two.")
    for i in sorted(set(dependent) & (set(imposed) | set(torque))):
        raise InputError(f"coordinate '{names[i]}' is dependent and driven; choose one of the two.")
    for i in sorted(set(servo) & (set(imposed) | set(dependent))):
        raise InputError(f"coordinate '{names[i]}' has a servo but its motion is imposed or dependent; choose one of the two.")
    moved = [names[i] for i in range(len(names)) if i not in imposed and i not in dependent]
    if moved and not robot.total_mass:
        raise InputError(
            f"robot '{robot.name}' has no mass, so that forces cannot move '{moved[0]}'; impose the motion of all its joints, or"
            " give its bodies mass."
        )
    for i in imposed:
        _check_single_axis(model, i, "be imposed")
    for i in servo:
        _check_single_axis(model, i, "have a servo")
    if robot.rod_contacts and len(dependent):
        raise InputError(
            f"coordinate '{names[min(dependent)]}' cannot be dependent: robot '{robot.name}' has contacts on rods"
            f" ('{robot.rod_contacts[0].contact.name}'), whose forces dependent joints do not know; make the joint passive."
        )
    if robot.has_rods and torque_method == "projective":
        raise InputError(f"robot '{robot.name}' has rods; projective torques are not possible: use another torque_method.")


def _check_single_axis(model: Model, i: int, act: str) -> None:
    code = int(model.frames[model.dofs[i, DOF_FRAME], CODE])
    if code not in _SINGLE_AXIS:
        raise InputError(
            f"coordinate '{model.compiled.coordinate_names[i]}' cannot {act}: its joint turns in space (or moves in"
            " the plane as a whole), so its velocity is no derivative of one coordinate; use single-axis joints there."
        )


def check_strands(model: Model, driven: Collection[str]) -> None:
    """Refuse names that no tendon, chamber, muscle, cable or spring has."""
    robot = model.compiled
    known = (*robot.strand_names, *(tie.name for tie in robot.ties))
    for name in driven:
        if name not in known:
            raise InputError(f"robot '{robot.name}' has no tendon, chamber, cable or spring '{name}'{nearest(name, known)}")


def check_laws(problem: Problem, start: float, end: float) -> None:
    """Refuse a law that is not known, or an imposed motion that is not twice differentiable, from start to end (s)."""
    for i, law in problem.laws.items():
        name = problem.model.compiled.coordinate_names[i]
        law.require_known(name, start, end)
        if problem.drive[i] == IMPOSED:
            law.require_twice_differentiable(name, start, end)
    for i, servo in problem.servos.items():
        servo.law.require_known(problem.model.compiled.coordinate_names[i], start, end)
    for name, law in problem.strands.items():
        law.require_known(name, start, end)
    for name, law in problem.wrench_table.varying:
        law.require_known(name, start, end)
    for name, law in problem.constraints.laws:
        law.require_known(name, start, end)
        law.require_twice_differentiable(name, start, end)


def check_current(model: Model, wrenches: Sequence[CompiledWrench]) -> None:
    """Refuse added mass in a fluid that moves: it is that of a fluid at rest."""
    flowing = next((wrench.name for wrench in wrenches if isinstance(wrench.law, WrenchLaw) and wrench.law.flows), None)
    if flowing is not None and model.in_fluid:
        raise InputError(
            f"wrench '{flowing}' has a current, but robot '{model.compiled.name}' has added mass, which is that of a fluid at"
            " rest; leave one of them out, or describe the motion in axes that go with the current."
        )
