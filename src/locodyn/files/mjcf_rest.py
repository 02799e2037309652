"""The rest of an MJCF model: motors, equality constraints, and all that has no place in a robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.robot import Loop, Pose
from locodyn.robot.pose import rotation_of_quaternion

CONNECT, WELD = 0, 1  # mjtEq


def torque_limits(model: Any, joints: list[str], notes: Notes) -> dict[int, float]:
    """Largest torque by joint, from plain motors with a symmetric range; other actuators are listed."""
    import mujoco

    found: dict[int, float] = {}
    for k in range(model.nu):
        name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), k) or str(k)
        joint = int(model.actuator_trnid[k][0])
        plain = (
            model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_JOINT
            and model.actuator_dyntype[k] == mujoco.mjtDyn.mjDYN_NONE
            and model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
            and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
            and not np.any(model.actuator_gear[k][1:])
        )
        if not plain or joint in found:
            notes.lost(f"actuator '{name}'", "the scenario says what drives a joint")
            continue
        factor = abs(float(model.actuator_gear[k][0]))
        bounds = []
        if model.actuator_ctrllimited[k]:
            bounds.append(abs(float(model.actuator_gainprm[k][0])) * np.abs(model.actuator_ctrlrange[k]).max())
        if model.actuator_forcelimited[k]:
            bounds.append(np.abs(model.actuator_forcerange[k]).max())
        if bounds and min(bounds) * factor > 0.0:
            found[joint] = float(min(bounds) * factor)
            text = "motors with a range become torque limits of their joints; the scenario says the torque"
            notes.changed(f"actuator '{name}'", text)
        else:
            notes.lost(f"actuator '{name}'", "the scenario says what drives a joint")
    for k in range(model.njnt):
        if model.jnt_actfrclimited[k]:
            limit = float(np.abs(model.jnt_actfrcrange[k]).max())
            found[k] = min(found.get(k, np.inf), limit)
    return {k: limit for k, limit in found.items() if limit > 0.0}


def loops(model: Any, bodies: list[str], base: str, notes: Notes) -> list[Loop]:
    """Loops from <connect> and <weld> between bodies; other equality constraints are listed."""
    import mujoco

    found = []
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


def note_rest(model: Any, notes: Notes) -> None:
    """One note for each kind of thing that a robot does not have."""
    counts = {
        "nsensor": "sensors", "ntendon": "tendons", "nkey": "keyframes", "nflex": "flexible bodies", "nskin": "skins",
        "nplugin": "plugins", "npair": "contact pairs", "nhfield": "height fields", "ncam": "cameras", "nlight": "lights",
    }  # fmt: skip
    for field, word in counts.items():
        number = int(getattr(model, field, 0))
        if number:
            notes.lost(f"{word} ({number})", "a robot has none here")
    if model.ngeom and np.any(model.geom_contype | model.geom_conaffinity):
        notes.lost("contacts between geoms", "contact is said by wheels and contact laws; geoms are drawn only")
    scenery = int(np.sum(model.geom_bodyid == 0))
    if scenery:
        notes.lost(f"geoms of the world ({scenery})", "they are scenery")
    if np.any(model.body_gravcomp):
        notes.lost("gravity compensation", "all bodies have their weight")
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        notes.lost("the medium (density, viscosity, wind)", "say drag laws and added mass by an extension")
