"""Spatial tendons of an MJCF model: those through sites become springs and cables."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.mjcf_rest import Flags
from locodyn.files.notes import Notes
from locodyn.robot.pose import Pose
from locodyn.robot.tie import Hold, Tie


def ties(model: Any, bodies: list[str], base: str, flags: Flags, notes: Notes) -> list[Tie]:
    """A tie for each tendon through sites that has a spring or a damper; what is left of tendons is listed.

    The spring of MuJoCo has no force between two lengths. Where they are equal it is a spring here, where the first is 0 a rope.
    """
    import mujoco

    found = []
    for k in range(model.ntendon):
        name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_TENDON), k) or f"tendon_{k}"
        about = f"tendon '{name}'"
        first, count = int(model.tendon_adr[k]), int(model.tendon_num[k])
        kinds = {int(kind) for kind in model.wrap_type[first : first + count]}
        if int(mujoco.mjtWrap.mjWRAP_JOINT) in kinds:
            if forces := _forces(model, k, flags):
                notes.lost(about, f"{forces} of a sum of joints; a torque law can give them (torque=)")
            continue
        if kinds != {int(mujoco.mjtWrap.mjWRAP_SITE)}:
            notes.lost(about, "it winds around bodies or divides at pulleys")
            continue
        stiffness = float(model.tendon_stiffness[k]) * flags.spring
        damping = float(model.tendon_damping[k]) * flags.damper
        low, high = (float(length) for length in model.tendon_lengthspring[k])
        if not stiffness and not damping:
            notes.lost(about, "it has no spring and no damper")
            continue
        if stiffness and low != high and low > 0.0:
            notes.lost(about, f"its spring has no force between {low:g} and {high:g} m; the first must be 0 or the same")
            continue
        rope = bool(stiffness and low != high)
        if rope and damping:
            notes.changed(about, "its damper acts only while it is taut")
        for word in _others(model, k):
            notes.lost(about, word)
        sites = [int(site) for site in model.wrap_objid[first : first + count]]
        holds = tuple(_hold(model, site, bodies, base) for site in sites)
        found.append(Tie(name, holds, stiffness=stiffness, damping=damping, rest=high, pulls_only=rope))
    return found


def _others(model: Any, k: int) -> list[str]:
    """What tendon k has besides a spring and a damper."""
    words = {"tendon_frictionloss": "dry friction", "tendon_armature": "inertia", "tendon_limited": "limits"}
    nothing = np.zeros(model.ntendon)  # some came with later versions of MuJoCo
    return [word for field, word in words.items() if np.any(np.asarray(getattr(model, field, nothing))[k])]


def _forces(model: Any, k: int, flags: Flags) -> str:
    """What tendon k exerts, in words; empty where it is a measure of length only."""
    spring, damper = (float(getattr(model, f"tendon_{word}")[k]) for word in ("stiffness", "damping"))
    words = [word for word, acts in (("spring", spring and flags.spring), ("damper", damper and flags.damper)) if acts]
    return ", ".join(words + _others(model, k))


def _hold(model: Any, site: int, bodies: list[str], base: str) -> Hold:
    number = int(model.site_bodyid[site])
    body = bodies[number] if number > 0 else "world" if base == "world" else None
    return Hold(body, Pose(position=np.array(model.site_pos[site], dtype=float)))
