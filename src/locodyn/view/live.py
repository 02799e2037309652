"""A scene on a viser server: nodes of the picture, and moving them to an instant."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot.pose import quaternion_of_rotation
from locodyn.view.live_rod import LiveRod, segments
from locodyn.view.look import TYRE, WheelLook
from locodyn.view.parts import Part, surface
from locodyn.view.quaternions import about, compose, rotate
from locodyn.view.rods import Tendon
from locodyn.view.scene import Sampler, Scene

# Saturated, because the light of the viewer makes colours pale.
SHADES = ((20, 92, 150), (205, 214, 222), (140, 166, 188))
ROLES = {"joint": (60, 72, 84), "tyre": (30, 32, 36), "anchor": (100, 110, 120), "fixture": (140, 125, 105)}
FORCE, TRAIL, MARK, TENDON = (213, 94, 0), (0, 114, 178), (230, 159, 0), (176, 48, 96)
Colour = tuple[int, int, int]
HEAD = 0.022  # radius of the head of an arrow, as a share of the size of the robot
GHOST = 0.28  # opacity of a run that is shown for comparison
Y, Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])


class LiveScene:
    """The nodes of one scene below the node ``root``; ``show(t)`` moves them."""

    def __init__(self, server: Any, scene: Scene, root: str, ghost: bool = False) -> None:
        self.scene, self.root, self._ghost = scene, root, ghost
        self._api = server.scene
        self._nodes = [self._frame(root)]
        self._shapes, self._places = [], []
        self._frame(f"{root}/shapes", position=scene.lift)
        for body in scene.bodies:
            name = body.name.replace("/", "_")
            self._shapes.append(self._frame(f"{root}/shapes/{name}"))
            self._places.append(self._frame(f"{root}/bodies/{name}"))
            colour = SHADES[0] if body.depth == 0 else SHADES[1 + (body.depth - 1) % 2]
            for i, part in enumerate(body.parts):
                self._part(f"{root}/shapes/{name}/part_{i}", part, ROLES.get(part.role, colour))
            if not ghost:
                axes = self._api.add_frame(
                    f"{root}/bodies/{name}/axes", axes_length=0.1 * scene.size, axes_radius=0.004 * scene.size
                )
                axes.visible = False
                self._nodes.append(axes)
        self._axes = self._nodes[1:]
        self._wheels = [handles for k, wheel in enumerate(scene.wheels) for handles in self._wheel(wheel, k)]
        for i, part in enumerate(scene.fixtures if not ghost else ()):
            self._mesh(f"{root}/fixtures/part_{i}", part, ROLES["fixture"])
        opacity = GHOST if ghost else None
        self._rods = [LiveRod(self._api, f"{root}/rods/{rod.name}", rod, self._range(), opacity) for rod in scene.rods]
        self._tendons = [self._tendon(tendon) for tendon in scene.tendons]
        self._forces = self._arrows()
        self.force_scale = 1.0
        self.trails = {} if ghost else {trail.name: self._trail(k) for k, trail in enumerate(scene.trails)}
        self.show(float(scene.times[0]))

    def _frame(self, name: str, **pose: Any) -> Any:
        return self._api.add_frame(name, show_axes=False, **pose)

    def _part(self, name: str, part: Part, colour: Colour) -> None:
        """A part of a body; a wheel has a spoke and a ball a spot that show how it turns."""
        self._mesh(name, part, colour)
        if part.role in ("tyre", "ball"):
            r = part.lengths["radius"]
            if part.role == "tyre":
                at, size = np.array([0.45 * r, 0.0, 0.0]), [0.6 * r, 0.16 * r, 1.1 * part.lengths["length"]]
            else:
                at, size = np.array([0.93 * r, 0.0, 0.0]), [0.2 * r, 0.2 * r, 0.2 * r]
            place = part.at + rotate(part.quaternion, at)
            self._mesh(f"{name}_mark", Part("box", place, part.quaternion, {"size": size}), MARK)

    def _mesh(self, name: str, part: Part, colour: Colour) -> None:
        vertices, triangles = surface(part)
        smooth = part.kind in ("sphere", "ellipsoid", "capsule")
        opacity = None
        if part.colour is not None:
            red, green, blue, *rest = part.colour
            colour = (round(255 * red), round(255 * green), round(255 * blue))
            opacity = rest[0] if rest else None
        opacity = GHOST if self._ghost else opacity
        self._api.add_mesh_simple(
            name, vertices, triangles, color=colour, flat_shading=not smooth, opacity=opacity, cast_shadow=not self._ghost
        )

    def _wheel(self, wheel: WheelLook, number: int) -> list[tuple[int, np.ndarray, Any, Any]]:
        """Number, axes, steering node and rolling node of every tyre of a wheel."""
        basis = quaternion_of_rotation(np.column_stack([wheel.heading, wheel.axle, wheel.vertical]))
        found = []
        for i, place in enumerate(wheel.places):
            body, own = wheel.body.replace("/", "_"), wheel.name.replace("/", "_")
            name = f"{self.root}/bodies/{body}/wheel_{own}_{i}"
            steer = self._frame(name, position=place, wxyz=basis)
            roll = self._frame(f"{name}/roll", position=(0.0, 0.0, wheel.radius))
            r = wheel.radius
            if wheel.kind == "skate":
                blade = Part("box", np.array([0.0, 0.0, 0.25 * r]), lengths={"size": [2.0 * r, 0.08 * r, 0.5 * r]})
                self._mesh(f"{name}/blade", blade, ROLES["tyre"])
            else:
                across = quaternion_of_rotation(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
                disc = Part("cylinder", np.zeros(3), across, {"radius": r, "length": TYRE * r})
                mark = Part("box", np.array([0.45 * r, 0.0, 0.0]), lengths={"size": [0.6 * r, 1.1 * TYRE * r, 0.16 * r]})
                self._mesh(f"{name}/roll/tyre", disc, ROLES["tyre"])
                self._mesh(f"{name}/roll/mark", mark, MARK)
            found.append((number, basis, steer, roll))
        return found

    def _range(self) -> tuple[float, float]:
        """Least and largest value of what colours the rods: one scale for all."""
        values = [rod.scalar for rod in self.scene.rods if rod.scalar is not None]
        return min((float(v.min()) for v in values), default=0.0), max((float(v.max()) for v in values), default=1.0)

    def _tendon(self, tendon: Tendon) -> Any:
        name = f"{self.root}/tendons/{tendon.name.replace('/', '_')}"
        return self._api.add_line_segments(name, segments(tendon.points[0]), TENDON, thickness=2.0, thickness_units="screen")

    def _arrows(self) -> Any:
        if self.scene.contacts is None or self._ghost:
            return None
        size = self.scene.size
        points = np.zeros((len(self.scene.contacts.names), 2, 3))
        return self._api.add_arrows(
            f"{self.root}/forces", points, FORCE, shaft_radius=0.009 * size, head_radius=HEAD * size, head_length=0.05 * size
        )

    def _trail(self, k: int) -> Any:
        trail = self.scene.trails[k]
        points = trail.points + self.scene.lift
        name = f"{self.root}/trails/{trail.name.replace('/', '_')}"
        handle = self._api.add_line_segments(name, segments(points), TRAIL, thickness=2.5, thickness_units="screen")
        handle.visible = trail.shown
        return handle

    def show(self, t: float) -> None:
        """Move everything to the time t (s)."""
        scene, at = self.scene, Sampler(self.scene.times, np.array([t]))
        positions, orientations = at.linear(scene.positions)[0], at.quaternions(scene.orientations)[0]
        for k, (shape, place) in enumerate(zip(self._shapes, self._places, strict=True)):
            for node in (shape, place):
                node.position, node.wxyz = positions[k], orientations[k]
        if self._wheels:
            steered, turned = at.linear(scene.wheel_steer)[0], at.linear(scene.wheel_turn)[0]
            for number, basis, steer, roll in self._wheels:
                steer.wxyz = compose(basis, about(Z, steered[number]))
                roll.wxyz = about(Y, turned[number])
        for rod in self._rods:
            rod.show(at)
        for tendon, handle in zip(scene.tendons, self._tendons, strict=True):
            handle.points = segments(at.linear(tendon.points)[0])
        if self._forces is not None and scene.contacts is not None:
            points, forces = at.linear(scene.contacts.points)[0], at.linear(scene.contacts.forces)[0]
            points = points + HEAD * scene.size * Z  # on the ground, not half in it
            self._forces.points = np.stack([points, points + self.force_scale * scene.contacts.scale * forces], axis=1)

    def centre(self, t: float) -> np.ndarray:
        """The point (3,) m that a camera looks after."""
        at = Sampler(self.scene.times, np.array([t]))
        centre = self.scene.mass_centre
        found: np.ndarray = at.linear(self.scene.positions)[0, 0] if centre is None else at.linear(centre)[0]
        return found

    def move(self, by: np.ndarray) -> None:
        """Put the whole scene elsewhere: by a vector (3,) m."""
        self._nodes[0].position = by

    def set_visible(self, what: str, on: bool) -> None:
        """Show or hide ``forces`` or ``frames``."""
        nodes = self._axes if what == "frames" else [self._forces] if self._forces is not None else []
        for node in nodes:
            node.visible = on

    def remove(self) -> None:
        """Take the scene away."""
        self._nodes[0].remove()
