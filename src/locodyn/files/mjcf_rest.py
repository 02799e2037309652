"""The rest of an MJCF model: rotors, equality constraints, and all that has no place in a robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.mjcf_flags import HINGE, SLIDE, Flags
from locodyn.files.notes import Notes
from locodyn.robot import Loop, Pose
from locodyn.robot.pose import rotation_of_quaternion

CONNECT, WELD = 0, 1  # mjtEq


def rotors(model: Any, notes: Notes) -> dict[int, tuple[float, float]]:
    """Inertia and damping of actuators (``armature``, ``damping``) by the joint that they turn, seen from there: gear^2 times."""
    import mujoco

    found: dict[int, tuple[float, float]] = {}
    nothing = np.zeros(model.nu)  # before MuJoCo 3.4 actuators had neither
    armature, damping = getattr(model, "actuator_armature", nothing), getattr(model, "actuator_damping", nothing)
    for k in range(model.nu):
        if not armature[k] and not damping[k]:
            continue
        joint, gear = int(model.actuator_trnid[k][0]), model.actuator_gear[k]
        alone = model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_JOINT and model.jnt_type[joint] in (SLIDE, HINGE)
        if not alone:
            name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), k) or str(k)
            notes.lost(f"actuator '{name}'", "its inertia and damping; only those on a hinge or slide are read")
            continue
        before, factor = found.get(joint, (0.0, 0.0)), float(gear[0]) ** 2
        found[joint] = before[0] + factor * float(armature[k]), before[1] + factor * float(damping[k])
    return found


def loops(model: Any, bodies: list[str], base: str, flags: Flags, notes: Notes) -> list[Loop]:
    """Loops from <connect> and <weld> between bodies; other equality constraints are listed."""
    import mujoco

    found: list[Loop] = []
    if not flags.equality:
        return found
    for k in range(model.neq):
        name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_EQUALITY), k) or f"equality_{k}"
        kind, data = int(model.eq_type[k]), np.array(model.eq_data[k], dtype=float)
        of_bodies = model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_BODY
        if kind not in (CONNECT, WELD) or not of_bodies or not model.eq_active0[k]:
            notes.lost(f"equality '{name}'", "only active <connect> and <weld> between bodies become loops")
            continue
        first, second = (_end(int(i), bodies, base) for i in (model.eq_obj1id[k], model.eq_obj2id[k]))
        if kind == CONNECT:
            found.append(Loop(name, "spherical", first, second, Pose(position=data[:3]), Pose(position=data[3:6])))
        else:
            relative = Pose(rotation_of_quaternion(data[6:10] / np.linalg.norm(data[6:10])), data[3:6])
            found.append(Loop(name, "fixed", first, second, relative, Pose()))
        notes.changed(f"equality '{name}'", "MuJoCo holds it by a stiff spring, here it is exact")
    return found


def _end(number: int, bodies: list[str], base: str) -> str | None:
    return bodies[number] if number > 0 else "world" if base == "world" else None


def note_rest(model: Any, touches: bool, notes: Notes, flags: Flags) -> None:
    """One note for each kind of thing that a robot does not have; ``touches``: whether geoms are surfaces."""
    counts = {
        "nsensor": "sensors", "ntendon": "tendons", "nflex": "flexible bodies", "nskin": "skins",
        "nplugin": "plugins", "npair": "contact pairs", "nhfield": "height fields", "ncam": "cameras", "nlight": "lights",
    }  # fmt: skip
    for field, word in counts.items():
        number = int(getattr(model, field, 0))
        if number:
            notes.lost(f"{word} ({number})", "a robot has none here")
    scenery = int(np.sum(model.geom_bodyid == 0))
    if scenery and not touches:
        notes.lost(f"geoms of the world ({scenery})", "they are scenery")
    if np.any(model.body_gravcomp) and flags.compensation:
        notes.lost("gravity compensation", "all bodies have their weight")
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        notes.lost("the medium (density, viscosity, wind)", "say drag laws and added mass by an extension")
