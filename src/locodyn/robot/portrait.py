"""The portrait of a robot: what is needed to draw it later, without the robot, as plain data that goes into JSON.

Lengths in m, masses in kg, quaternions (w, x, y, z); everything of a body is in the frame of that body.

=========  ===========================================================================================================
bodies     ``name``, ``parent``; ``mass``, ``centre`` (3), ``moments`` (3, principal) and ``axes`` (quaternion, of the principal
           axes); ``joint``: its ``type``, ``at`` (3, in the parent) and ``here`` (3, in the body); ``shape`` or null
shape      ``kind`` (box, ellipsoid, sphere, cylinder, capsule, mesh), its ``at``, ``quaternion``, lengths, and ``colour``
           (3 or 4) or null; of a mesh ``vertices`` (n, 3, float32, m) and ``triangles`` (m, 3, uint32) as base64 of
           compressed bytes; or the kind ``compound`` with ``parts``, a list of shapes
wheels     ``name``, ``body``, ``kind``, ``at``, ``axle``, ``vertical``, ``radius`` or null, ``coordinate`` or null
contacts   ``name``, ``body``, ``kind``, ``at``, ``quaternion``, ``semi_axes`` (3), ``crown``: surfaces that roll in space, see
           :class:`~locodyn.robot.contact.Contact`; ``ground`` (3) and ``normal`` (3) of the plane, in the world
markers    ``name``, ``body``, ``at``, ``quaternion``
rods       ``name``, ``length``, ``radius``: at 21 places along it; of a section that is not round that of the disc with its polar
           radius of gyration; ``strands``: ``name``, ``kind`` (tendon, chamber), ``s`` (21) from where to where it runs,
           ``offset``: its places (21, 2) in the sections
ties       of cables and springs: ``name``, ``points``: triples of a body (null: the world), a place (3) and an abscissa or null
loops      ``name``, ``ends``: two pairs of a body (null: the world) and a place (3)
=========  ===========================================================================================================
"""

from __future__ import annotations

import base64
import math
import warnings
import zlib
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.body import Body
from locodyn.robot.description import RobotDescription
from locodyn.robot.layout import CHAMBER
from locodyn.robot.mesh_file import read_mesh
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.section import GivenSection
from locodyn.robot.rods.strand import Strand
from locodyn.robot.shapes import Compound, Mesh, Shape
from locodyn.robot.values import float_of

LENGTHS = ("size", "semi_axes", "radius", "length")
SLENDER = 0.012  # largest radius of a rod whose section is given by numbers, over its length


def portrait(description: RobotDescription) -> dict[str, Any]:
    """The portrait of a robot of numbers; the keys are in the module docstring."""
    return {
        "bodies": [_body(body) for body in description.bodies],
        "wheels": [
            {
                "name": wheel.name,
                "body": body.name,
                "kind": wheel.kind,
                **{key: _row(getattr(wheel, key)) for key in ("at", "axle", "vertical")},
                "radius": None if wheel.radius is None else float(wheel.radius),
                "coordinate": wheel.coordinate,
            }
            for body, wheel in description.wheels
        ],
        "contacts": [
            {
                "name": contact.name,
                "body": body.name,
                "kind": contact.kind,
                **_place(contact.pose.rotation, contact.pose.position),
                **{key: _row(getattr(contact, key)) for key in ("semi_axes", "ground", "normal")},
                "crown": float(contact.crown),
            }
            for body, contact in description.contacts
        ],
        "markers": [
            {"name": marker.name, "body": body.name, **_place(marker.pose.rotation, marker.pose.position)}
            for body, marker in description.markers
        ],
        "rods": [
            {
                "name": body.name,
                "length": body.joint.rod.length,
                "radius": radii(body.joint.rod),
                "strands": [_strand(strand, body.joint.rod) for strand in body.strands],
            }
            for body in description.bodies
            if body.joint.rod is not None
        ],
        "loops": [
            {
                "name": loop.name,
                "ends": [[loop.first, _row(loop.first_pose.position)], [loop.second, _row(loop.second_pose.position)]],
            }
            for loop in description.loops
        ],
        "ties": [
            {
                "name": tie.name,
                "points": [[hold.body, _row(hold.pose.position), hold.abscissa] for hold in tie.holds],
            }
            for tie in description.ties
            if not tie.turns
        ],
    }


def radii(rod: Rod, count: int = 21) -> list[float]:
    """Radii (m) at ``count`` places along a rod; m r^2 / 2 is the polar inertia of a disc.

    A section given by numbers, which need not be those of any body, is thin.
    """
    found = []
    for s in np.linspace(0.0, rod.length, count):
        section, here = rod.section(s) if callable(rod.section) else rod.section, rod.properties(float(s))
        radius = float(getattr(section, "radius", math.sqrt(2.0 * here.inertia[0] / here.mass)))
        found.append(min(radius, SLENDER * rod.length) if isinstance(section, GivenSection) else radius)
    return found


def _strand(strand: Strand, rod: Rod) -> dict[str, Any]:
    places = np.linspace(strand.start, rod.length if strand.end is None else strand.end, 21)
    kind = "chamber" if strand.kind == CHAMBER else "tendon"
    return {"name": strand.name, "kind": kind, "s": _row(places), "offset": [_row(strand.place(float(s))[1:]) for s in places]}


def _body(body: Body) -> dict[str, Any]:
    moments, axes = np.linalg.eigh(np.asarray(body.inertia.tensor, dtype=float))
    axes = axes * np.sign(np.linalg.det(axes))
    here = body.joint.child_offset.inverse()
    return {
        "name": body.name,
        "parent": body.parent,
        "mass": float_of(body.inertia.mass),
        "centre": _row(body.inertia.centre),
        "moments": _row(moments),
        "axes": _row(quaternion_of_rotation(axes)),
        "joint": {"type": body.joint.type, "at": _row(body.joint.parent_offset.position), "here": _row(here.position)},
        "shape": None if body.shape is None else _shape(body.shape, body),
    }


def _shape(shape: Shape, body: Body) -> dict[str, Any] | None:
    if isinstance(shape, Compound):
        parts = [part for part in (_shape(piece, body) for piece in shape.parts) if part is not None]
        return {"kind": "compound", "parts": parts} if parts else None
    pose = shape.pose(body.inertia.centre)
    drawn: dict[str, Any] = {"kind": shape.word, **_place(pose.rotation @ shape.own_rotation, pose.position)}
    drawn["colour"] = None if shape.colour is None else _row(shape.colour)
    if isinstance(shape, Mesh):
        try:
            vertices, triangles = read_mesh(shape.path)
        except InputError as error:
            warnings.warn(f"body '{body.name}' is drawn without its mesh: {error}", stacklevel=2)
            return None
        scale = np.broadcast_to(np.asarray(shape.scale, dtype=float), 3)
        if np.prod(scale) < 0.0:  # mirrored: the faces would look inwards
            triangles = triangles[:, ::-1]
        return drawn | {"vertices": packed(scale * vertices, "<f4"), "triangles": packed(triangles, "<u4")}
    for name in LENGTHS:
        if hasattr(shape, name):
            value = getattr(shape, name)
            drawn[name] = _row(value) if isinstance(value, np.ndarray) else float(value)
    return drawn


def packed(array: np.ndarray, kind: str) -> str:
    """The numbers of an array as base64 of compressed bytes."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array, dtype=kind).tobytes(), 9)).decode()


def unpacked(text: str, kind: str, columns: int = 3) -> np.ndarray:
    """Rows of so many numbers written by :func:`packed`."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=kind).reshape(-1, columns)


def _place(rotation: np.ndarray, position: np.ndarray) -> dict[str, Any]:
    return {"at": _row(position), "quaternion": _row(quaternion_of_rotation(np.asarray(rotation, dtype=float)))}


def _row(values: Any) -> list[float]:
    return [float(x) + 0.0 for x in values]
