"""MJCF files: bodies, joints, inertias and springs as MuJoCo compiles them become a robot; what it cannot hold is listed.

MuJoCo's joints of one body become a chain: bodies without mass, one for each joint but the last. Positions are counted from the
initial configuration of the file (``ref``), so that all are zero there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.files.assemble import Part, assembled
from locodyn.files.drawn_shapes import inertia_box, shape_of
from locodyn.files.loaded import Loaded
from locodyn.files.mjcf_contact import Contacts
from locodyn.files.mjcf_drives import Actuators, keyframes
from locodyn.files.mjcf_equality import couplings, loops
from locodyn.files.mjcf_rest import JOINT, Flags, note_options, note_rest, rotors
from locodyn.files.mjcf_source import Source
from locodyn.files.mjcf_tendons import ties
from locodyn.files.notes import Notes
from locodyn.files.reading import Reading
from locodyn.robot import Actuator, Marker, Pose, about_centre
from locodyn.robot.pose import rotation_of_quaternion

SAME_FRAME = 1  # mjtSameFrame: that of the body
_TYPES = {JOINT.free: "free", JOINT.ball: "spherical", JOINT.slide: "prismatic", JOINT.hinge: "revolute"}


def read_mjcf(root: Any, file: Path, reading: Reading, notes: Notes) -> Loaded:
    """The robot of an MJCF tree (lxml), its world, servos and keyframes; ``notes``: what was said already."""
    source = Source(root, file, reading.within(file), notes)
    model, name = source.compiled()
    flags = Flags(model, notes)
    reader = _Reader(model, source, flags, reading.collides, notes)
    actuators = Actuators(model, reader.joints, flags, notes)
    parts = list(reader.parts(actuators.limits))
    note_rest(model, reader.contacts.acts, notes, flags)
    note_options(source.root, notes)
    closed = loops(model, reader.bodies, reader.base, flags, notes)
    tied = ties(model, reader.bodies, reader.base, flags, notes)
    coupled = couplings(model, reader.joints, flags, notes)
    robot = assembled(name or file.stem, parts, notes, file.name, closed, coupled, tied)
    known = robot.compile().joint_names  # without those that had to be held
    starts = keyframes(model, reader.joints, reader.places, actuators)
    obstacles = reader.contacts.obstacles()
    return Loaded(
        robot,
        notes.all(),
        gravity=tuple(float(x) * flags.gravity for x in model.opt.gravity),
        obstacles=obstacles,
        self_collision=reader.contacts.self_collision(),
        servos={joint: servo for joint, servo in actuators.servos.items() if joint in known},
        starts={word: key.of(known) for word, key in starts.items()},
    )


def pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """A pose from MuJoCo's numbers."""
    unit = np.asarray(quaternion, dtype=float)
    return Pose(rotation_of_quaternion(unit / np.linalg.norm(unit)), np.array(position, dtype=float))


def names_of(model: Any, kind: int, count: int, default: str) -> list[str]:
    """Names of all objects of a kind; those without get one that is not taken."""
    import mujoco

    names = [mujoco.mj_id2name(model, kind, number) for number in range(count)]
    taken, result = {name for name in names if name}, []
    for number, name in enumerate(names):
        if not name:
            name = f"{default}_{number}"
            while name in taken:
                name += "_"
            taken.add(name)
        result.append(name)
    return result


class _Reader:
    """Turns the arrays of a compiled model into parts."""

    def __init__(self, model: Any, source: Source, flags: Flags, collides: bool | None, notes: Notes) -> None:
        import mujoco

        self.model, self.source, self.flags, self.notes = model, source, flags, notes
        self.bodies = names_of(model, int(mujoco.mjtObj.mjOBJ_BODY), model.nbody, "body")
        self.joints = names_of(model, int(mujoco.mjtObj.mjOBJ_JOINT), model.njnt, "joint")
        self.sites = [mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_SITE), k) for k in range(model.nsite)]
        self.rotors = rotors(model, notes)
        self.contacts = Contacts(model, self.bodies, pose, collides if flags.contact else False, notes)
        self.places: dict[int, Pose] = {}  # of free joints
        top = [i for i in range(1, model.nbody) if model.body_parentid[i] == 0]
        alone = len(top) == 1 and model.body_jntnum[top[0]] == 1 and model.jnt_type[model.body_jntadr[top[0]]] == JOINT.free
        self.base = self.bodies[top[0]] if alone else "world"

    def parts(self, limits: dict[int, float]) -> Iterator[Part]:
        """All parts, parents first."""
        model = self.model
        if self.base == "world":
            yield Part("world", None, "world", "fixed", markers=self.markers(0))
        elif any(self.model.site_bodyid[k] == 0 for k in range(model.nsite)):
            self.notes.lost("sites of the world", "markers sit on bodies")
        for i in range(1, model.nbody):
            yield from self.chain(i, limits)

    def chain(self, i: int, limits: dict[int, float]) -> Iterator[Part]:
        """The parts of body i: one for each of its joints."""
        model, name = self.model, self.bodies[i]
        parent: str | None = self.bodies[model.body_parentid[i]] if model.body_parentid[i] else "world"
        place = pose(model.body_pos[i], model.body_quat[i])
        # Mass centres that meshes leave within round-off of the origin lie there for MuJoCo.
        turn = Pose() if model.body_sameframe[i] == SAME_FRAME else pose(model.body_ipos[i], model.body_iquat[i])
        tensor = turn.rotation @ np.diag(model.body_inertia[i]) @ turn.rotation.T
        tensor = 0.5 * (tensor + tensor.T)
        mass = float(model.body_mass[i])
        own: dict[str, Any] = {"mass": mass, "centre": turn.position, "tensor": tensor}
        own |= {"shape": self.shape(i, mass, turn.position, tensor), "markers": self.markers(i)}
        own["collisions"] = self.contacts.surfaces(i)
        if model.body_mocapid[i] >= 0:
            self.notes.lost(f"body '{name}'", "it is moved by mocap; it is held fixed")
        first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
        if count == 0:
            yield Part(name, parent, name, "fixed", at=place, **own)
            return
        if model.jnt_type[first] == JOINT.free:
            self.places[first] = place  # bodies with a free joint are on the world
        if name == self.base:
            yield Part(name, None, self.joints[first], "free", at=place, actuator=self.actuator(first, limits), **own)
            return
        for k in range(first, first + count):
            last = k == first + count - 1
            kind = int(model.jnt_type[k])
            anchor = Pose(position=np.array(model.jnt_pos[k])) if kind != JOINT.free else Pose()
            axes = (np.array(model.jnt_axis[k]),) if kind in (JOINT.slide, JOINT.hinge) else ()
            body = name if last else f"{name}/{self.joints[k]}"
            yield Part(
                body, parent, self.joints[k], _TYPES[kind], at=place @ anchor, child=anchor.inverse(), axes=axes,
                limits=self.limits(k), actuator=self.actuator(k, limits), **(own if last else {}),
            )  # fmt: skip
            parent, place = body, Pose()

    # --------------------------------------------------------------------------------------------------------------- joints
    def limits(self, k: int) -> tuple[float, float]:
        model = self.model
        if not model.jnt_limited[k] or not self.flags.limit:
            return -np.inf, np.inf
        if model.jnt_type[k] not in (JOINT.slide, JOINT.hinge):
            self.notes.lost(f"joint '{self.joints[k]}'", "the limit of a ball joint")
            return -np.inf, np.inf
        lower, upper = (float(x - self.reference(k)) for x in model.jnt_range[k])
        if not lower < upper:
            self.notes.lost(f"joint '{self.joints[k]}'", f"limits from {lower:g} to {upper:g} leave no room")
            return -np.inf, np.inf
        stopped, only_said = "its stops are hard, without rebound", "a run that passes them says so"
        word = stopped if self.contacts.acts else only_said
        self.notes.changed(f"joint '{self.joints[k]}'", f"MuJoCo stops it at its limits; here {word}")
        return lower, upper

    def reference(self, k: int) -> float:
        """Position of a slide or hinge in the initial configuration, from which it is counted here."""
        value = float(self.model.qpos0[self.model.jnt_qposadr[k]])
        if value != 0.0:
            self.notes.changed(f"joint '{self.joints[k]}'", f"its position is counted from its ref, {value:g}")
        return value

    def actuator(self, k: int, limits: dict[int, float]) -> Actuator | None:
        """Damping, rotor, friction, spring of joint k, and the limit of its motor."""
        model, about = self.model, f"joint '{self.joints[k]}'"
        kind, dof = int(model.jnt_type[k]), int(model.jnt_dofadr[k])
        rotor, drag = self.rotors.get(k, (0.0, 0.0))
        values: dict[str, float] = {"viscous": (float(model.dof_damping[dof]) + drag) * self.flags.damper}
        armature, stiffness = float(model.dof_armature[dof]) + rotor, float(model.jnt_stiffness[k]) * self.flags.spring
        if kind == JOINT.free and armature:
            self.notes.lost(about, "the armature of a free joint")
        else:
            values["armature"] = armature
        if kind == JOINT.free and stiffness:
            self.notes.lost(about, "the spring of a free joint")
        else:
            values["stiffness"] = stiffness
        if kind in (JOINT.slide, JOINT.hinge):
            rest = float(model.qpos_spring[int(model.jnt_qposadr[k])] - self.reference(k))
            values["rest"] = rest if stiffness else 0.0
        values["coulomb"] = float(model.dof_frictionloss[dof]) * self.flags.frictionloss
        if values["coulomb"]:
            self.notes.changed(about, f"its dry friction is smoothed over {Actuator().coulomb_speed:g} rad/s or m/s")
        for field in ("dof_dampingpoly", "jnt_stiffnesspoly", "jnt_springyield"):
            if np.any(getattr(model, field, np.zeros(k + 1))[dof if field.startswith("dof") else k]):
                self.notes.lost(about, f"{field.partition('_')[2]}: springs and dampers are linear here")
        if k in limits:
            values["torque_limit"] = limits[k]
        nonzero = {name: value for name, value in values.items() if value != 0.0}
        return Actuator(**nonzero) if nonzero else None

    # ------------------------------------------------------------------------------------------------------- shapes, markers
    def shape(self, i: int, mass: float, centre: np.ndarray, tensor: np.ndarray) -> Any:
        if self.bodies[i] in self.source.missing:
            return inertia_box(mass, centre, about_centre(tensor))
        return shape_of(self.model, i, self.source.meshes, self.notes, pose)

    def markers(self, i: int) -> tuple[Marker, ...]:
        found = []
        for k, name in enumerate(self.sites):
            if self.model.site_bodyid[k] == i and name:
                taken = name in self.bodies
                if taken:
                    self.notes.changed(f"site '{name}'", "a body has the same name; the marker is called after it with '_site'")
                found.append(Marker(f"{name}_site" if taken else name, pose(self.model.site_pos[k], self.model.site_quat[k])))
        return tuple(found)
