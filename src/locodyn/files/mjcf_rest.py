"""The rest of an MJCF model: rotors, and all that has no place in a robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.mjcf_flags import JOINT, Flags
from locodyn.files.notes import Notes


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
        alone = model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_JOINT and model.jnt_type[joint] in (JOINT.slide, JOINT.hinge)
        if not alone:
            name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), k) or str(k)
            notes.lost(f"actuator '{name}'", "its inertia and damping; only those on a hinge or slide are read")
            continue
        before, factor = found.get(joint, (0.0, 0.0)), float(gear[0]) ** 2
        found[joint] = before[0] + factor * float(armature[k]), before[1] + factor * float(damping[k])
    return found


def note_rest(model: Any, touches: bool, notes: Notes, flags: Flags) -> None:
    """One note for each kind of thing that a robot does not have; ``touches``: whether geoms are surfaces."""
    counts = {
        "nsensor": "sensors", "nflex": "flexible bodies", "nskin": "skins",
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
