"""What an MJCF model says beside its bodies: codes of joints, what it switches off, rotors, what has no place in a robot.

A file switches parts of the physics off by ``<option><flag spring="disable"/></option>``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.record import codes


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
        turns = int(model.actuator_trntype[k]) in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        alone = turns and model.jnt_type[joint] in (JOINT.slide, JOINT.hinge)
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
        "nplugin": "plugins", "npair": "contact pairs", "ncam": "cameras", "nlight": "lights",
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


def note_options(root: Any, notes: Notes) -> None:
    """One note with the names of all that ``<option>`` says of how MuJoCo solves; ``root``: the tree of the file (lxml)."""
    names = []
    for option in root.iter("option"):
        names += [name for name in option.attrib if name not in _READ_OPTIONS]
        names += [f"flag {name}" for flag in option.iter("flag") for name in flag.attrib if name not in _FLAGS]
    if names:
        what = ", ".join(dict.fromkeys(names))
        notes.lost(f"option ({what})", "how MuJoCo makes its steps and contacts; here 'integrator', 'dt' and 'contact' say it")


JOINT = codes("free", "ball", "slide", "hinge")  # mjtJoint

# Of <option>: what acts on the robot, which is read or has a note of its own.
_READ_OPTIONS = ("gravity", "density", "viscosity", "wind", "actuatorgroupdisable")

# Name of the flag -> what it switches off. Others (warmstart, eulerdamp, island, ...) change how MuJoCo solves, not what.
_FLAGS = {
    "gravity": "gravity",
    "spring": "springs of joints",
    "damper": "dampers of joints and motors",
    "frictionloss": "dry friction of joints",
    "equality": "equality constraints",
    "limit": "limits of joints",
    "contact": "contacts",
    "constraint": "equality constraints, dry friction and limits of joints, and contacts",
    "actuation": "actuators",
    "clampctrl": "ranges of controls",
}


class Flags:
    """Which parts of the physics act: ``flags.spring`` is false where the file switches springs off."""

    def __init__(self, model: Any, notes: Notes) -> None:
        import mujoco

        bits = int(model.opt.disableflags)
        passive = int(getattr(mujoco.mjtDisableBit, "mjDSBL_PASSIVE", 0))  # springs and dampers in one, before MuJoCo 3.4
        off = {name: bool(bits & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}", passive))) for name in _FLAGS}
        for name, what in _FLAGS.items():
            if off[name]:
                notes.changed(f"flag '{name}'", f"it switches off {what}; they are left out, as in MuJoCo")
        held = not off["constraint"]
        self.gravity, self.clampctrl, self.actuation = not off["gravity"], not off["clampctrl"], not off["actuation"]
        self.spring, self.damper = not off["spring"], not off["damper"]
        self.frictionloss, self.equality = held and not off["frictionloss"], held and not off["equality"]
        self.limit, self.contact = held and not off["limit"], held and not off["contact"]
        # MuJoCo computes no passive forces at all where both springs and dampers are off, or where there is no gravity.
        self.compensation = self.gravity and bool(np.any(model.opt.gravity)) and (self.spring or self.damper)
        # A motor acts unless its group is switched off.
        self.groups = int(getattr(model.opt, "disableactuator", 0))

    def acts(self, model: Any, actuator: int) -> bool:
        """Whether an actuator acts."""
        group = int(model.actuator_group[actuator])
        return self.actuation and not (0 <= group < 31 and self.groups & (1 << group))
