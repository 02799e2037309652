"""What a URDF file may hold: tags, attributes, and which of them a robot needs. Names what is unknown, with its line.

The parser (yourdfpy) drops what it does not know and supposes numbers that are missing; this goes before it.
"""

from __future__ import annotations

import difflib
import math
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.files.notes import Notes
from locodyn.files.reading import EXPAND
from locodyn.files.xml_reader import error_at

# attribute -> how many numbers it holds (0: a text); a star: it must be there
_ORIGIN = {"xyz": 3, "rpy": 3}
ATTRIBUTES: dict[str, dict[str, int]] = {
    "robot": {"*name": 0, "version": 0},
    "link": {"*name": 0, "type": 0},
    "joint": {"*name": 0, "*type": 0},
    "inertial": {},
    "visual": {"name": 0},
    "collision": {"name": 0},
    "origin": _ORIGIN,
    "mass": {"*value": 1},
    "inertia": {"*ixx": 1, "*iyy": 1, "*izz": 1, "ixy": 1, "ixz": 1, "iyz": 1},
    "geometry": {},
    "box": {"*size": 3},
    "cylinder": {"*radius": 1, "*length": 1},
    "sphere": {"*radius": 1},
    "mesh": {"*filename": 0, "scale": 3},
    "material": {"name": 0},
    "color": {"*rgba": 4},
    "texture": {"filename": 0},
    "parent": {"*link": 0},
    "child": {"*link": 0},
    "axis": {"*xyz": 3},
    "limit": {"lower": 1, "upper": 1, "effort": 1, "velocity": 1},
    "dynamics": {"damping": 1, "friction": 1},
    "mimic": {"*joint": 0, "multiplier": 1, "offset": 1},
}
# tag -> tags inside; a star: it must be there
CHILDREN: dict[str, tuple[str, ...]] = {
    "robot": ("*link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("*parent", "*child", "origin", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("*geometry", "origin", "material"),
    "collision": ("*geometry", "origin"),
    "geometry": ("box", "cylinder", "sphere", "mesh"),
    "material": ("color", "texture"),
}
# What programs add to URDF: not for us, and not misspelt.
EXTENSIONS = (
    "gazebo", "transmission", "ros2_control", "sensor", "mujoco", "plugin", "safety_controller", "calibration", "capsule",
    "contact", "self_collision_checking", "contact_coefficients", "collision_checking", "verbose", "hardwareInterface",
    "frame", "loop_constraint", "gripper", "static", "hand_eye", "group", "loop", "end_effector", "disable_collisions",
)  # fmt: skip
_SEVERAL = ("link", "joint", "material", "visual", "collision")
_ALIKE = 0.7  # names at least so much alike are taken for misspelt


def check_tags(root: Any, file: Path, notes: Notes) -> None:
    """Check the tree of a URDF file, and take out of it what is not read; each such thing gives a note."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        _check_attributes(element, file, notes)
        known = [tag.lstrip("*") for tag in CHILDREN.get(element.tag, ())]
        for child in list(element):
            if child.tag in known:
                waiting.append(child)
                continue
            _note_unknown(child, element, known, file, notes)
            element.remove(child)
        for tag in CHILDREN.get(element.tag, ()):
            if tag.startswith("*") and element.find(tag[1:]) is None:
                raise error_at(element, file, f"<{element.tag}>{_named(element)} has no <{tag[1:]}>.")
        _drop_doubled(element, known, file, notes)
    for element in list(root.iter("visual", "collision")):  # a geometry of another kind has been taken out
        shape = next(iter(element.find("geometry")), None)
        if shape is not None and _is_empty(shape):
            link = element.getparent()
            notes.lost(f"<{element.tag}> of link{_named(link)}", f"its {shape.tag} has no extent", shape.sourceline)
        if shape is None or _is_empty(shape):
            element.getparent().remove(element)


def _is_empty(shape: Any) -> bool:
    """Whether a box, sphere or cylinder has an extent of zero in all directions."""
    extents = [float(word) for name in ("size", "radius", "length") for word in shape.get(name, "").split()]
    return bool(extents) and not any(extents)


def _drop_doubled(element: Any, known: list[str], file: Path, notes: Notes) -> None:
    """Take out what a tag has twice but the first, as all readers of URDF do; a joint with two ends is an error."""
    for tag in known:
        for second in element.findall(tag)[1:] if tag not in _SEVERAL else ():
            if tag in ("parent", "child"):
                raise error_at(second, file, f"<{element.tag}>{_named(element)} has two <{tag}>.")
            text = f"<{element.tag}>{_named(element)} has two; the first is read"
            notes.changed(f"<{tag}> in line {second.sourceline}", text, second.sourceline)
            element.remove(second)


def _named(element: Any) -> str:
    name = element.get("name")
    return "" if name is None else f" '{name}'"


def _note_unknown(child: Any, parent: Any, known: list[str], file: Path, notes: Notes) -> None:
    tag = str(child.tag)
    foreign = tag.startswith("{") or ":" in tag or tag in EXTENSIONS
    missing = [name for name in known if parent.find(name) is None or name in _SEVERAL]
    if not foreign and difflib.get_close_matches(tag, missing, n=1, cutoff=_ALIKE):
        raise error_at(child, file, f"<{parent.tag}>{_named(parent)} has <{tag}>, which is not known{nearest(tag, missing)}")
    name = tag.rpartition("}")[2]
    holder = f" of {parent.tag}{_named(parent)}" if parent.tag != "robot" else _named(child)
    notes.lost(f"<{name}>{holder}", "it is not read", child.sourceline)


def _check_attributes(element: Any, file: Path, notes: Notes) -> None:
    known = {name.lstrip("*"): count for name, count in ATTRIBUTES[element.tag].items()}
    for name in ATTRIBUTES[element.tag]:
        if name.startswith("*") and element.get(name[1:]) is None:
            raise error_at(element, file, f"<{element.tag}>{_named(element)} has no '{name[1:]}'.")
    for name, text in element.attrib.items():
        if name not in known:
            missing = [other for other in known if element.get(other) is None]
            if difflib.get_close_matches(name, missing, n=1, cutoff=_ALIKE):
                raise error_at(element, file, f"<{element.tag}> has '{name}', which is not known{nearest(name, missing)}")
            notes.lost(f"attribute '{name}' of <{element.tag}>", "it is not read", element.sourceline)
            continue
        if known[name]:
            _check_numbers(element, name, text, known[name], file, notes)


def _check_numbers(element: Any, name: str, text: str, count: int, file: Path, notes: Notes) -> None:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if element.tag == "mesh" and len(values) > count:
        notes.changed(f"mesh '{element.get('filename')}'", f"its scale has {len(values)} numbers; the first three are read")
        element.set(name, " ".join(text.split()[:count]))
        values = values[:count]
    one_scale = element.tag == "mesh" and len(values) == 1
    if (len(values) != count and not one_scale) or not all(math.isfinite(value) for value in values):
        wanted = "a finite number" if count == 1 else f"{count} finite numbers"
        unexpanded = f" This is xacro; {EXPAND}." if "${" in text else ""
        raise error_at(element, file, f"'{name}' of <{element.tag}> is '{text}'; it must be {wanted}.{unexpanded}")


def lines(root: Any, file: Path) -> dict[tuple[str, str], int]:
    """Lines of links and joints by (tag, name); two of the same name are an error."""
    found: dict[tuple[str, str], int] = {}
    for element in root:
        if element.tag not in ("link", "joint"):
            continue
        key = (element.tag, element.get("name"))
        if key in found:
            raise error_at(
                element, file, f"there is a {element.tag} '{key[1]}' already, in line {found[key]}; names must differ."
            )
        found[key] = element.sourceline
    return found


def check_tree(root: Any, file: Path) -> str:
    """The root link of the tree; joints between unknown links, several roots and closed loops are errors."""
    names = [link.get("name") for link in root.findall("link")]
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        ends = {}
        for end in ("parent", "child"):
            ends[end] = joint.find(end).get("link")
            if ends[end] not in names:
                hint = nearest(ends[end], names)
                raise error_at(
                    joint.find(end), file, f"joint '{joint.get('name')}' has the {end} '{ends[end]}', which is not a link{hint}"
                )
        if ends["child"] in parents:
            raise error_at(
                joint, file, f"link '{ends['child']}' hangs on two joints; a URDF is a tree: close loops by an extension file."
            )
        parents[ends["child"]] = ends["parent"]
    roots = [name for name in names if name not in parents]
    if len(roots) > 1:
        raise InputError(
            f"'{file.name}' has {len(roots)} links without a parent, '{roots[0]}' and '{roots[1]}'; a robot is one tree."
        )
    for name in names:  # without a root, or beside it, the links form a cycle
        seen = {name}
        while name in parents:
            name = parents[name]
            if name in seen:
                raise InputError(f"'{file.name}': the joints form a cycle through link '{name}'; a robot is a tree.")
            seen.add(name)
    return str(roots[0])
