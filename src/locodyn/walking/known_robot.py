"""What designs of gaits and zero dynamics know of a robot: a tree of rigid bodies on point feet, and what its joints do.

They reckon with inertia, weight, the ground under the feet, impacts, and with springs and friction of the joints:

    M a + h = B u + f(q, v) + J^T F,     f: springs and friction        (:mod:`locodyn.dynamics.joint_laws`)

so that u is what motors must give. A robot with more than that would get a gait that is not its own; it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from locodyn.dynamics.joint_laws import joint_forces
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.robot.layout import COULOMB, DOF_ARMATURE, STIFFNESS, VISCOUS


def check_known(model: Model) -> None:
    """Refuse a robot with parts that a design of its gaits does not see."""
    robot = model.compiled
    named = (
        ("loop", robot.loops), ("coupling", robot.couplings), ("wheel", robot.wheels), ("spring or cable", robot.ties),
        ("wrench law", robot.wrenches), ("hold on a rod", [one.contact for one in robot.rod_contacts]),
    )  # fmt: skip
    found = [f"the {word} '{parts[0].name}'" for word, parts in named if len(parts)]
    found += ["rods"] if robot.has_rods else []
    found += [f"bristles at the joint '{robot.coordinate_names[i]}'" for i in robot.bristles]
    found += ["bodies that move fluid along"] if model.in_fluid else []
    if found:
        raise InputError(
            f"robot '{robot.name}' has {found[0]}, of which a design of its gaits would know nothing: it takes trees of rigid"
            " bodies on point feet, with springs and friction at their joints."
        )


def check_free(model: Model, names: Iterable[str]) -> None:
    """Refuse springs, friction and rotors at coordinates that carry the whole robot, or turn it: momentum would not be kept."""
    words = {STIFFNESS: "a spring", VISCOUS: "friction", COULOMB: "friction", DOF_ARMATURE: "the inertia of a rotor"}
    for name in names:
        row = model.dof_constants[model.compiled.coordinate_names.index(name)]
        for column, word in words.items():
            if row[column]:
                raise InputError(
                    f"'{name}' carries or turns the whole robot and has {word}, which acts from outside; zero dynamics take"
                    " robots that only gravity and the ground act on."
                )


def passive_forces(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What springs and friction of the joints give, f (nv,) N or N m."""
    force: np.ndarray = np.zeros(model.nv)
    joint_forces(model.frames, model.dof_constants, np.asarray(q, dtype=float), np.asarray(v, dtype=float), force)
    return force
