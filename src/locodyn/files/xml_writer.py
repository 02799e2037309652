"""What the writers of URDF and MJCF share: elements with exact numbers, and what neither format holds."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.files.notes import Notes
from locodyn.robot import Mesh, RobotDescription
from locodyn.robot.description import holds_symbols


def numbers(values: Any) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x) + 0.0) for x in np.ravel(values))


def element(parent: ET.Element | None, tag: str, **attributes: Any) -> ET.Element:
    """An element; numbers and arrays are written with all their digits, ``None`` is left out."""
    texts = {
        name.rstrip("_"): value if isinstance(value, str) else numbers(value)
        for name, value in attributes.items()
        if value is not None
    }
    return ET.Element(tag, texts) if parent is None else ET.SubElement(parent, tag, texts)


def document(root: ET.Element) -> str:
    """The text of a file."""
    ET.indent(root)
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def mesh_name(mesh: Mesh, folder: Path, notes: Notes) -> str:
    """The file of a mesh as seen from the folder of the new file."""
    relative = os.path.relpath(mesh.path, folder)
    if relative.startswith(os.pardir):
        notes.changed(f"mesh '{Path(mesh.path).name}'", "it lies outside of the folder of the new file")
    return Path(relative).as_posix()


def note_common(description: RobotDescription, notes: Notes) -> None:
    """What neither URDF nor MJCF holds; symbols cannot be written at all."""
    if holds_symbols(description):
        raise InputError(f"robot '{description.name}' holds symbols; a file holds numbers only.")
    for _, wheel in description.wheels:
        notes.lost(f"wheel '{wheel.name}'", "the format has no rolling contact; keep it in a YAML file with 'from'")
    for _, contact in description.contacts:
        notes.lost(
            f"contact '{contact.name}'", "the format has no surface that rolls on a plane; keep it in a YAML file with 'from'"
        )
    for wrench in description.wrenches:
        notes.lost(f"wrench '{wrench.name}'", "the format has no such law; keep it in a YAML file with 'from'")
    for body in description.bodies:
        if body.fluid is not None:
            notes.lost(f"body '{body.name}'", "its added mass; keep it in a YAML file with 'from'")
        if body.joint.coordinates:
            notes.lost(f"joint '{body.joint.name}'", "the names of its coordinates")


def refuse_joint(joint: str, kind: str, format: str) -> InputError:
    """The error about a joint that a format does not have: without it the robot would be another one."""
    kind = "a rod" if kind == "rod" else kind
    return InputError(f"joint '{joint}' is {kind}, which {format} does not have; the robot cannot be written as {format}.")
