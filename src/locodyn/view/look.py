"""What the bodies and wheels of a portrait look like; bodies without a shape get one from their joints and their inertia."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locodyn.robot.portrait import LENGTHS, unpacked
from locodyn.robot.pose import quaternion_of_rotation, rotation_to_axis
from locodyn.view.parts import Part
from locodyn.view.quaternions import rotate

STEM = 0.012  # radius of the rod between a shape and a joint outside it, in the same way
ROD = 0.03  # radius of a link without a shape, as a share of the largest link of the robot
WITHOUT = 0.16  # radius of a wheel that has none, as a share of the size of its body
TYRE = 0.42  # width of a wheel, as a share of its radius
LOOSE = ("free", "planar", "translating", "prismatic")  # joints that hold nothing at their place


@dataclass(frozen=True, eq=False)
class WheelLook:
    """A wheel as it is drawn, in the frame of its body.

    Parameters
    ----------
    name, body : str
    kind : str
        One of :data:`~locodyn.robot.wheel.WHEEL_KINDS`.
    contact : (3,) m
        Where it touches the ground.
    places : tuple of (3,) m
        Points of the ground below its tyres: one, or two where the wheel stands for an axle.
    axle, vertical : (3,)
    radius : m
        As drawn; a wheel without a radius gets one that fits its body.
    """

    name: str
    body: str
    kind: str
    contact: np.ndarray
    places: tuple[np.ndarray, ...]
    axle: np.ndarray
    vertical: np.ndarray
    radius: float

    @property
    def heading(self) -> np.ndarray:
        """Direction (3,) in which it rolls, unsteered."""
        return np.cross(self.axle, self.vertical)


def body_parts(portrait: dict[str, Any]) -> dict[str, tuple[Part, ...]]:
    """The parts of every body, by name."""
    scale = robot_scale(portrait)
    tyres = {wheel["coordinate"]: wheel for wheel in portrait["wheels"] if wheel["coordinate"]}
    surfaces = {contact["body"]: contact for contact in portrait["contacts"]}
    found: dict[str, tuple[Part, ...]] = {}
    for body in portrait["bodies"]:
        if body["shape"] is not None:
            parts = tuple(_rolling(part, surfaces.get(body["name"])) for part in of_shape(body["shape"]))
            found[body["name"]] = (*parts, *_stems(body, portrait, parts, STEM * scale))
        elif body["name"] in tyres:
            found[body["name"]] = (_tyre(tyres[body["name"]]),)
        elif body["name"] in surfaces and surfaces[body["name"]]["kind"] != "point":
            found[body["name"]] = (_surface(surfaces[body["name"]]),)
        else:
            found[body["name"]] = tuple(_default(body, portrait, scale))
    return found


def _stems(body: dict[str, Any], portrait: dict[str, Any], parts: tuple[Part, ...], radius: float) -> Iterable[Part]:
    """Thin rods from the nearest part of a body to those joints of the body that lie outside all parts."""
    bounds = [(outline.min(axis=0) - 2.0 * radius, outline.max(axis=0) + 2.0 * radius) for outline in map(Part.outline, parts)]
    for point in _joints(body, portrait):
        if not any(np.all(point >= low) and np.all(point <= high) for low, high in bounds):
            nearest = min(parts, key=lambda part: float(np.linalg.norm(part.at - point)))
            yield capsule(nearest.at, point, radius, role="joint")


def of_shape(shape: dict[str, Any]) -> tuple[Part, ...]:
    """The parts of a shape of the portrait: one, or those of a compound."""
    if shape["kind"] == "compound":
        return tuple(part for piece in shape["parts"] for part in of_shape(piece))
    lengths = {name: shape[name] for name in LENGTHS if name in shape}
    place = np.array(shape["at"]), np.array(shape["quaternion"])
    colour = None if shape["colour"] is None else tuple(shape["colour"])
    if shape["kind"] == "mesh":
        vertices, triangles = unpacked(shape["vertices"], "<f4"), unpacked(shape["triangles"], "<u4")
        return (Part("mesh", *place, vertices=vertices, triangles=triangles, colour=colour),)
    return (Part(shape["kind"], *place, lengths, colour=colour),)


def _rolling(part: Part, contact: dict[str, Any] | None) -> Part:
    """A round part on which its body rolls is drawn so that its turning is seen."""
    if contact is None or part.kind not in ("cylinder", "sphere"):
        return part
    away = float(np.linalg.norm(part.at - np.array(contact["at"])))
    axes = (rotate(np.array(q), np.array([0.0, 0.0, 1.0])) for q in (part.quaternion, contact["quaternion"]))
    wheel = contact["kind"] == "disc" and part.kind == "cylinder" and abs(float(np.dot(*axes))) > 1.0 - 1e-9
    ball = contact["kind"] == part.kind == "sphere"
    if away > 1e-9 or not (wheel or ball):
        return part
    return replace(part, role="tyre" if wheel else "ball")


def _surface(contact: dict[str, Any]) -> Part:
    """The surface of a contact whose body has no shape."""
    place, crown = (np.array(contact["at"]), np.array(contact["quaternion"])), contact["crown"]
    if contact["kind"] == "disc":
        radius = contact["semi_axes"][0] + crown
        return Part("cylinder", *place, {"radius": radius, "length": max(2.0 * crown, 0.06 * radius)}, role="tyre")
    if contact["kind"] == "sphere":
        return Part("sphere", *place, {"radius": crown}, role="ball")
    return Part("ellipsoid", *place, {"semi_axes": [a + crown for a in contact["semi_axes"]]})


def robot_scale(portrait: dict[str, Any]) -> float:
    """Length (m) of the largest link: between joints, to wheels and mass centres, or the size of a shape."""
    lengths = [0.0]
    for body in portrait["bodies"]:
        points = _places(body, portrait)
        lengths += [float(np.linalg.norm(p - points[0])) for p in points]
        if body["shape"] is not None:
            outline = np.vstack([part.outline() for part in of_shape(body["shape"])])
            lengths.append(float(np.ptp(outline, axis=0).max()))
    lengths += [rod["length"] for rod in portrait.get("rods", ())]
    if max(lengths) > 0.0:
        return max(lengths)
    gyration = [float(np.sqrt(max(b["moments"]) / b["mass"])) for b in portrait["bodies"] if b["mass"] > 0.0]
    return 3.0 * max(gyration, default=0.0) or 1.0


def _joints(body: dict[str, Any], portrait: dict[str, Any]) -> list[np.ndarray]:
    """Points (3,) of a body: its joint (unless it moves freely), the joints and loops that it carries."""
    name, joint = body["name"], body["joint"]
    points = [] if body["parent"] is None and joint["type"] in LOOSE else [joint["here"]]
    held = [other["joint"] for other in portrait["bodies"] if other["parent"] == name]
    anchor = body["parent"] is None and joint["type"] == "fixed"  # what slides away from the world is not held by a rod
    points += [other["at"] for other in held if not (anchor and other["type"] in LOOSE)]
    points += [place for loop in portrait["loops"] for owner, place in loop["ends"] if owner == name]
    return [np.array(point, dtype=float) for point in points]


def _places(body: dict[str, Any], portrait: dict[str, Any]) -> list[np.ndarray]:
    """The same, its origin first, with its wheels and its mass centre."""
    points = [body["joint"]["here"] if body["parent"] is not None else [0.0, 0.0, 0.0]]
    points += _joints(body, portrait)
    points += [wheel["at"] for wheel in portrait["wheels"] if wheel["body"] == body["name"]]
    return [np.array(p, dtype=float) for p in (*points, *([body["centre"]] if body["mass"] > 0.0 else []))]


def _default(body: dict[str, Any], portrait: dict[str, Any], scale: float) -> Iterable[Part]:
    """Rods from the joint of a body to what it carries, and the box of its inertia where there are none."""
    points, radius = _places(body, portrait), ROD * scale
    far = [p for p in points[1:] if np.linalg.norm(p - points[0]) > 0.5 * radius]
    for point in far:
        yield capsule(points[0], point, radius)
    if far:
        yield Part("sphere", points[0], lengths={"radius": 1.4 * radius}, role="joint")
    elif body["mass"] > 0.0:
        yield _inertia_box(body, radius)
    elif body["parent"] is None and body["joint"]["type"] == "fixed" and not _carries_what_floats(body, portrait):
        held = [max(rod["radius"]) for rod in portrait.get("rods", ())]
        yield Part("box", points[0], lengths={"size": [2.4 * max(radius, *held, 0.0)] * 3}, role="anchor")


def _carries_what_floats(body: dict[str, Any], portrait: dict[str, Any]) -> bool:
    """Whether a base is there for bodies that go where they like: it is then water, air or a table, and nothing to be seen."""
    carried = [other["joint"]["type"] for other in portrait["bodies"] if other["parent"] == body["name"]]
    return bool(carried) and all(kind in ("free", "planar") for kind in carried)


def capsule(start: np.ndarray, end: np.ndarray, radius: float, role: str = "body") -> Part:
    """A rod with round ends between two points (3,) m."""
    length = float(np.linalg.norm(end - start))
    quaternion = quaternion_of_rotation(rotation_to_axis((end - start) / length))
    return Part("capsule", 0.5 * (start + end), quaternion, {"radius": radius, "length": length}, role=role)


def _inertia_box(body: dict[str, Any], least: float) -> Part:
    """The box of uniform density with the moments of the body: side_x^2 = 6 (I_y + I_z - I_x) / m."""
    moments = np.array(body["moments"])
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body["mass"]
    lengths = np.sqrt(np.maximum(squares, 0.0))
    lengths = np.maximum(lengths, max(least, 0.15 * float(lengths.max())))
    return Part("box", np.array(body["centre"]), np.array(body["axes"]), {"size": [float(x) for x in lengths]})


def _tyre(wheel: dict[str, Any]) -> Part:
    """The disc of a wheel that is a body of its own, in the frame at its centre."""
    turned = quaternion_of_rotation(rotation_to_axis(np.array(wheel["axle"])))
    lengths = {"radius": wheel["radius"], "length": TYRE * wheel["radius"]}
    return Part("cylinder", np.zeros(3), turned, lengths, role="tyre")


# ------------------------------------------------------------------------- wheels
def wheel_looks(portrait: dict[str, Any], parts: dict[str, tuple[Part, ...]]) -> tuple[WheelLook, ...]:
    """The wheels that are not bodies of their own."""
    found = []
    for wheel in portrait["wheels"]:
        if wheel["coordinate"] is not None:
            continue
        at, axle, vertical = (np.array(wheel[key]) for key in ("at", "axle", "vertical"))
        outline = np.vstack([part.outline() for part in parts[wheel["body"]]] or [np.zeros((1, 3))])
        size = float(np.ptp(outline, axis=0).max()) or robot_scale(portrait)
        radius = wheel["radius"] or WITHOUT * size
        look = WheelLook(wheel["name"], wheel["body"], wheel["kind"], at, (at,), axle, vertical, radius)
        found.append(replace(look, places=_pair(look, outline, portrait)) if wheel["kind"] != "skate" else look)
    return tuple(found)


def _pair(wheel: WheelLook, outline: np.ndarray, portrait: dict[str, Any]) -> tuple[np.ndarray, ...]:
    """A wheel in the middle of a wide body, with no other wheel on its axle, stands for two at the sides of the body."""
    across = outline @ wheel.axle
    middle, half = 0.5 * (across.max() + across.min()), 0.5 * np.ptp(across)
    track = 0.0
    for other in portrait["wheels"]:
        apart = np.array(other["at"]) - wheel.contact
        if other["name"] != wheel.name and other["body"] == wheel.body:
            if abs(apart @ wheel.heading) < wheel.radius:
                return (wheel.contact,)
            track = max(track, abs(float(apart @ wheel.axle)))
    if abs(wheel.contact @ wheel.axle - middle) > 0.1 * half or half < 0.9 * wheel.radius:
        return (wheel.contact,)
    reach = (track or half + 0.5 * TYRE * wheel.radius) * wheel.axle
    return wheel.contact + reach, wheel.contact - reach
