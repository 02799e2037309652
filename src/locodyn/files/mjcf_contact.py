"""Contacts of an MJCF file: geoms as surfaces of bodies or obstacles of the world, and which of them meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.files.surfaces import hull_surface, surface
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Friction, Pose, Shape, Sphere
from locodyn.robot.collision import Collision
from locodyn.world import Fixture, Ground, Obstacle, SelfCollision, Terrain


class Contacts:
    """Surfaces by body, obstacles and pairs of bodies, as the bits ``contype`` and ``conaffinity`` of the geoms say.

    ``wanted``: whether they are read at all; ``None``: if the world has a floor.
    """

    def __init__(
        self, model: Any, bodies: list[str], pose: Callable[[Any, Any], Pose], wanted: bool | None, notes: Notes
    ) -> None:
        self.model, self.bodies, self.pose, self.notes = model, bodies, pose, notes
        touching = [k for k in range(model.ngeom) if model.geom_contype[k] or model.geom_conaffinity[k]]
        self.own = [k for k in touching if model.geom_bodyid[k]]  # body 0 is the world
        self.scenery = [k for k in touching if not model.geom_bodyid[k] and any(self.meet(k, j) for j in self.own)]
        floor = any(self.kind(k) in ("plane", "hfield") for k in self.scenery)
        self.acts = bool(self.own) and (floor if wanted is None else wanted)
        if not self.acts and touching:
            word = "collides=True, --collides" if wanted is None else "leave collides=False, --no-collides out"
            notes.lost("contacts between geoms", f"geoms are drawn only ({word})")

    def kind(self, k: int) -> str:
        """``sphere``, ``plane``, ... of geom k."""
        import mujoco

        return str(mujoco.mjtGeom(int(self.model.geom_type[k])).name.removeprefix("mjGEOM_").lower())

    def meet(self, k: int, j: int) -> bool:
        """Whether two geoms may touch: the type of one is in the affinity of the other."""
        model = self.model
        one = int(model.geom_contype[k]) & int(model.geom_conaffinity[j])
        return bool(one | (int(model.geom_contype[j]) & int(model.geom_conaffinity[k])))

    # ------------------------------------------------------------------------------------------------------------- surfaces
    def surfaces(self, body: int) -> tuple[Collision, ...]:
        """The surfaces of a body."""
        if not self.acts:
            return ()
        found = (self.surface(k) for k in self.own if self.model.geom_bodyid[k] == body)
        return tuple(one for one in found if one is not None)

    def surface(self, k: int) -> Collision | None:
        """The surface of geom k."""
        about, friction, body = f"geom '{self.name(k)}'", self.friction(k), self.bodies[self.model.geom_bodyid[k]]
        name = self.name(k) if self.name(k).startswith(f"{body}.") else f"{body}.{self.name(k)}"
        if self.kind(k) == "mesh":
            first, count = (int(getattr(self.model, f"mesh_vert{what}")[self.model.geom_dataid[k]]) for what in ("adr", "num"))
            place = self.pose(self.model.geom_pos[k], self.model.geom_quat[k])
            vertices = np.array(self.model.mesh_vert[first : first + count], dtype=float)
            return hull_surface(name, vertices @ place.rotation.T + place.position, friction, about, self.notes)
        shape = self.solid(k)
        if shape is None:
            self.notes.lost(about, f"a {self.kind(k)} on a body cannot touch")
            return None
        return surface(name, shape, friction, about, self.notes)

    def name(self, k: int) -> str:
        """The name of geom k, or ``geom_k``."""
        import mujoco

        return str(mujoco.mj_id2name(self.model, int(mujoco.mjtObj.mjOBJ_GEOM), k) or f"geom_{k}")

    def solid(self, k: int) -> Shape | None:
        """The shape of geom k in the frame of its body, where it is a solid."""
        x, y, z = (float(size) for size in self.model.geom_size[k])
        place = self.pose(self.model.geom_pos[k], self.model.geom_quat[k])
        look: dict[str, Any] = {"at": place.position, "turned": place.rotation}
        makers: dict[str, Callable[[], Shape]] = {
            "sphere": lambda: Sphere(x, **look),
            "capsule": lambda: Capsule(x, 2.0 * y, **look),
            "cylinder": lambda: Cylinder(x, 2.0 * y, **look),
            "ellipsoid": lambda: Ellipsoid((x, y, z), **look),
            "box": lambda: Box((2.0 * x, 2.0 * y, 2.0 * z), **look),
        }
        make = makers.get(self.kind(k))
        return None if make is None else make()

    # ------------------------------------------------------------------------------------------------------------- friction
    def friction(self, k: int) -> Friction:
        """Friction of geom k on what it stands on: MuJoCo takes the larger of two geoms, in each entry.

        Here a surface has its own on all that it touches, so it gets the larger of itself and the floor.
        """
        model = self.model
        partners = [j for j in self.scenery if self.kind(j) in ("plane", "hfield") and self.meet(k, j)] or [k]
        pairs = [np.maximum(model.geom_friction[k], model.geom_friction[j]) for j in partners]
        ranks = [max(int(model.geom_condim[k]), int(model.geom_condim[j])) for j in partners]
        (sliding, spinning, rolling), rank = np.max(pairs, axis=0), max(ranks)
        radius = float(model.geom_size[k][0]) if self.kind(k) in ("sphere", "capsule", "cylinder") else 0.0
        if rank == 6 and radius == 0.0 and rolling:
            self.notes.lost(f"geom '{self.name(k)}'", "rolling friction of a surface with corners")
        return Friction(
            float(sliding) if rank > 1 else 0.0,
            spinning=float(spinning) if rank > 3 else 0.0,
            rolling=float(rolling) / radius if rank == 6 and radius else 0.0,
        )

    # ---------------------------------------------------------------------------------------------------------------- world
    def obstacles(self) -> tuple[Fixture, ...]:
        """Planes and solids of the world that the robot may touch."""
        found: list[Fixture] = []
        for k in self.scenery if self.acts else ():
            place = self.pose(self.model.geom_pos[k], self.model.geom_quat[k])
            shape = self.solid(k)
            if self.kind(k) == "plane":
                found.append(Ground(at=place.position, normal=place.rotation[:, 2], name=self.name(k)))
            elif shape is not None:
                found.append(Obstacle(shape, at=(0.0, 0.0, 0.0), name=self.name(k)))
            elif self.kind(k) == "hfield" and (field := terrain(self.model, k, self.name(k), place, self.notes)) is not None:
                found.append(field)
            else:
                self.notes.lost(f"geom '{self.name(k)}'", f"a {self.kind(k)} of the world cannot be touched")
        if self.acts:
            self.note_differences()
        return tuple(found)

    def note_differences(self) -> None:
        """What MuJoCo's contacts have and hard contact has not."""
        model = self.model
        self.notes.changed("contacts", "MuJoCo's are soft (solref, solimp); here they are hard, without rebound")
        if np.any(model.geom_priority[self.own]) or np.any(model.geom_margin[self.own]):
            self.notes.lost("contacts", "priorities and margins of geoms")

    def self_collision(self) -> bool | SelfCollision:
        """Pairs of bodies whose geoms may meet; pairs of which none may are left out."""
        model = self.model
        if not self.acts:
            return False
        of_body: dict[int, list[int]] = defaultdict(list)
        for k in self.own:
            of_body[int(model.geom_bodyid[k])].append(k)
        excluded = {(int(signature) >> 16, int(signature) & 0xFFFF) for signature in model.exclude_signature}
        excluded |= {(two, one) for one, two in excluded}
        apart, together = [], 0
        for one, two in combinations(of_body, 2):
            meets = any(self.meet(k, j) for k in of_body[one] for j in of_body[two])
            if meets and (one, two) not in excluded:
                together += 1
            else:
                apart.append((self.bodies[one], self.bodies[two]))
        return SelfCollision(exclude=apart) if together else False


def terrain(model: Any, k: int, name: str, place: Pose, notes: Notes) -> Terrain | None:
    """The height field of geom k: a smooth surface through the same heights; None where it is turned or too small.

    MuJoCo's heights are rows along y of columns along x, from 0 to 1. Where the spacing along x and y differs, heights between
    them are read off straight lines.
    """
    about, field = f"geom '{name}'", int(model.geom_dataid[k])
    rows, columns, first = (int(getattr(model, f"hfield_{what}")[field]) for what in ("nrow", "ncol", "adr"))
    if not np.allclose(place.rotation, np.eye(3), atol=1e-12):
        notes.lost(about, "a height field that is turned")
        return None
    if min(rows, columns) < 4:
        notes.lost(about, "a height field needs at least 4 x 4 heights")
        return None
    half_x, half_y, top, _ = (float(x) for x in model.hfield_size[field])
    data = np.array(model.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
    heights = place.position[2] + top * data.T
    spacing, other = 2.0 * half_x / (columns - 1), 2.0 * half_y / (rows - 1)
    if abs(spacing - other) > 1e-9 * spacing:
        old, step = np.arange(rows) * other, min(spacing, other)
        x, y = (np.arange(round(length / step) + 1) * step for length in (2.0 * half_x, 2.0 * half_y))
        across = np.array([np.interp(y, old, line) for line in heights])
        heights = np.array([np.interp(x, np.arange(columns) * spacing, line) for line in across.T]).T
        spacing = step
        notes.changed(about, "heights at another spacing along y are read off straight lines")
    notes.changed(about, "facets of MuJoCo; here smooth through the same heights, and level beyond the edge")
    origin = (place.position[0] - half_x, place.position[1] - half_y)
    return Terrain(heights=heights, spacing=spacing, origin=origin, name=name)
