"""Equality constraints of an MJCF model: balls and welds close loops, joints and fixed tendons are coupled."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.files.mjcf_rest import Flags
from locodyn.files.notes import Notes
from locodyn.record import codes
from locodyn.robot import Coupling, Loop, Pose
from locodyn.robot.pose import rotation_of_quaternion

EQUALITY = codes("connect", "weld", "joint", "tendon")  # mjtEq
_STIFF = "MuJoCo holds it by a stiff spring, here it is exact"


def _equalities(model: Any, flags: Flags) -> list[tuple[int, str]]:
    """Numbers and names of those that the model does not leave out as a whole."""
    import mujoco

    kind = int(mujoco.mjtObj.mjOBJ_EQUALITY)
    count = model.neq if flags.equality else 0
    return [(k, mujoco.mj_id2name(model, kind, k) or f"equality_{k}") for k in range(count)]


def loops(model: Any, bodies: list[str], base: str, flags: Flags, notes: Notes) -> list[Loop]:
    """Loops from active <connect> and <weld> between bodies; what is neither loop nor coupling is listed."""
    import mujoco

    found: list[Loop] = []
    for k, name in _equalities(model, flags):
        kind, data = int(model.eq_type[k]), np.array(model.eq_data[k], dtype=float)
        if kind in (EQUALITY.joint, EQUALITY.tendon) and model.eq_active0[k]:
            continue
        of_bodies = model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_BODY
        if kind not in (EQUALITY.connect, EQUALITY.weld) or not of_bodies or not model.eq_active0[k]:
            notes.lost(f"equality '{name}'", "only active <connect> and <weld> between bodies, <joint> and <tendon> are read")
            continue
        first, second = (_end(int(i), bodies, base) for i in (model.eq_obj1id[k], model.eq_obj2id[k]))
        if kind == EQUALITY.connect:
            found.append(Loop(name, "spherical", first, second, Pose(position=data[:3]), Pose(position=data[3:6])))
        else:
            relative = Pose(rotation_of_quaternion(data[6:10] / np.linalg.norm(data[6:10])), data[3:6])
            found.append(Loop(name, "fixed", first, second, relative, Pose()))
        notes.changed(f"equality '{name}'", _STIFF)
    return found


def _end(number: int, bodies: list[str], base: str) -> str | None:
    return bodies[number] if number > 0 else "world" if base == "world" else None


def couplings(model: Any, joints: list[str], flags: Flags, notes: Notes) -> list[Coupling]:
    """Couplings from active <joint> and <tendon> equalities: y - y0 = c0 + c1 (x - x0), both counted from their ref.

    x and y are joints, or lengths of fixed tendons, which are sums of joint positions.
    """
    found: list[Coupling] = []
    for k, name in _equalities(model, flags):
        kind, data = int(model.eq_type[k]), np.array(model.eq_data[k], dtype=float)
        if kind not in (EQUALITY.joint, EQUALITY.tendon) or not model.eq_active0[k]:
            continue
        if np.any(data[2:5]):
            notes.lost(f"equality '{name}'", "a curve of the second to fourth degree; couplings are straight lines")
            continue
        objects = [(int(model.eq_obj1id[k]), 1.0), (int(model.eq_obj2id[k]), -float(data[1]))]
        terms = [
            {number: 1.0} if kind == EQUALITY.joint else _fixed_tendon(model, number) for number, _ in objects if number >= 0
        ]
        if None in terms:
            notes.lost(f"equality '{name}'", "its tendon runs through space; couplings are of fixed ones")
            continue
        factors: dict[str, float] = {}
        for (_, factor), joints_of in zip(objects, terms, strict=False):
            for joint, share in (joints_of or {}).items():
                factors[joints[joint]] = factors.get(joints[joint], 0.0) + factor * share
        factors = {joint: value for joint, value in factors.items() if value}
        if len(factors) < 2:
            notes.lost(f"equality '{name}'", "it holds one joint in place; say imposed= instead")
            continue
        found.append(Coupling(name, factors, float(data[0])))
        notes.changed(f"equality '{name}'", _STIFF)
    return found


def _fixed_tendon(model: Any, tendon: int) -> dict[int, float] | None:
    """Factors of the joints in the length of a fixed tendon; None for one that runs through space."""
    import mujoco

    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    places = range(first, first + count)
    if any(model.wrap_type[w] != mujoco.mjtWrap.mjWRAP_JOINT for w in places):
        return None
    return {int(model.wrap_objid[w]): float(model.wrap_prm[w]) for w in places}
