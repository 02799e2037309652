"""The rest of an MJCF model: motors, equality constraints, and all that has no place in a robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.mjcf_flags import Flags
from locodyn.files.notes import Notes
from locodyn.robot import Loop, Pose
from locodyn.robot.pose import rotation_of_quaternion

CONNECT, WELD = 0, 1  # mjtEq
SLIDE, HINGE = 2, 3  # mjtJoint


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


def torque_limits(model: Any, joints: list[str], flags: Flags, notes: Notes) -> dict[int, float]:
    """Largest torque by joint, from plain motors with a range; other actuators are listed."""
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
        if not plain or joint in found or not flags.acts(model, k):
            notes.lost(f"actuator '{name}'", "the scenario says what drives a joint")
            continue
        factor = abs(float(model.actuator_gear[k][0]))
        bounds = []
        if model.actuator_ctrllimited[k] and flags.clampctrl:
            gain = abs(float(model.actuator_gainprm[k][0]))
            bounds.append(gain * _larger(model.actuator_ctrlrange[k], f"actuator '{name}'", notes))
        if model.actuator_forcelimited[k]:
            bounds.append(_larger(model.actuator_forcerange[k], f"actuator '{name}'", notes))
        if bounds and min(bounds) * factor > 0.0:
            found[joint] = float(min(bounds) * factor)
            text = "motors with a range become torque limits of their joints; the scenario says the torque"
            notes.changed(f"actuator '{name}'", text)
        else:
            notes.lost(f"actuator '{name}'", "the scenario says what drives a joint")
    for k in range(model.njnt):
        if model.jnt_actfrclimited[k]:
            limit = _larger(model.jnt_actfrcrange[k], f"joint '{joints[k]}'", notes)
            found[k] = min(found.get(k, np.inf), limit)
    return {k: limit for k, limit in found.items() if limit > 0.0}


def _larger(bounds: np.ndarray, about: str, notes: Notes) -> float:
    """The larger side of a range, which is the limit on both sides here."""
    if bounds[0] != -bounds[1]:
        notes.changed(about, "its range is not symmetric; the larger side is the torque limit on both sides")
    return float(np.abs(bounds).max())


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


def note_rest(model: Any, flags: Flags, notes: Notes) -> None:
    """One note for each kind of thing that a robot does not have."""
    counts = {
        "nsensor": "sensors", "ntendon": "tendons", "nkey": "keyframes", "nflex": "flexible bodies", "nskin": "skins",
        "nplugin": "plugins", "npair": "contact pairs", "nhfield": "height fields", "ncam": "cameras", "nlight": "lights",
    }  # fmt: skip
    for field, word in counts.items():
        number = int(getattr(model, field, 0))
        if number:
            notes.lost(f"{word} ({number})", "a robot has none here")
    if model.ngeom and flags.contact and np.any(model.geom_contype | model.geom_conaffinity):
        notes.lost("contacts between geoms", "contact is said by wheels and contact laws; geoms are drawn only")
    scenery = int(np.sum(model.geom_bodyid == 0))
    if scenery:
        notes.lost(f"geoms of the world ({scenery})", "they are scenery")
    if np.any(model.body_gravcomp) and flags.compensation:
        notes.lost("gravity compensation", "all bodies have their weight")
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        notes.lost("the medium (density, viscosity, wind)", "say drag laws and added mass by an extension")
