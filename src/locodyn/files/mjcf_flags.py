"""Codes of MuJoCo's joints, and what an MJCF file switches off: parts of the physics that are then left out.

A file switches parts off by ``<option><flag spring="disable"/></option>``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.record import codes

JOINT = codes("free", "ball", "slide", "hinge")  # mjtJoint

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
