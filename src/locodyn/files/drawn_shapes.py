"""Shapes for drawing: geoms of MuJoCo; the uniform box with the inertia of a body, which stands in for a missing mesh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import LocodynError
from locodyn.files.notes import Notes
from locodyn.robot import Box, Capsule, Compound, Cylinder, Ellipsoid, Mesh, Pose, Shape, Sphere
from locodyn.robot.inertia import inertia_of

_COLLISION = 3  # geoms of this group and above are not shown by MuJoCo's viewers unless asked for


def shape_of(model: Any, body: int, meshes: Mapping[str, Path], notes: Notes, pose: Callable[[Any, Any], Pose]) -> Shape | None:
    """The geoms of a body: those that are shown (groups 0 to 2), or all if none is."""
    first = int(model.body_geomadr[body])
    numbers = [] if first < 0 else list(range(first, first + int(model.body_geomnum[body])))
    shown = [k for k in numbers if model.geom_group[k] < _COLLISION] or numbers
    shapes = [one for k in shown if (one := _one(model, k, meshes, notes, pose)) is not None]
    return None if not shapes else shapes[0] if len(shapes) == 1 else Compound(shapes)


def _one(model: Any, k: int, meshes: Mapping[str, Path], notes: Notes, pose: Callable[[Any, Any], Pose]) -> Shape | None:
    import mujoco

    kinds, kind = mujoco.mjtGeom, int(model.geom_type[k])
    place, (x, y, z) = pose(model.geom_pos[k], model.geom_quat[k]), (float(s) for s in model.geom_size[k])
    material = int(model.geom_matid[k])
    rgba = model.geom_rgba[k] if material < 0 else model.mat_rgba[material]
    look: dict[str, Any] = {"colour": np.clip(rgba, 0.0, 1.0).tolist(), "at": place.position, "turned": place.rotation}
    if kind == kinds.mjGEOM_SPHERE:
        return Sphere(x, **look)
    if kind == kinds.mjGEOM_CAPSULE:
        return Capsule(x, 2.0 * y, **look)
    if kind == kinds.mjGEOM_ELLIPSOID:
        return Ellipsoid((x, y, z), **look)
    if kind == kinds.mjGEOM_CYLINDER:
        return Cylinder(x, 2.0 * y, **look)
    if kind == kinds.mjGEOM_BOX:
        return Box((2.0 * x, 2.0 * y, 2.0 * z), **look)
    mesh = int(model.geom_dataid[k])
    name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_MESH), mesh) if kind == kinds.mjGEOM_MESH and mesh >= 0 else None
    if name is None or name not in meshes:
        word = kinds(kind).name.removeprefix("mjGEOM_").lower()
        notes.lost(f"geom {k} ({word})", "it has no shape here, or its vertices are in the file itself; it is not drawn")
        return None
    # MuJoCo moves the vertices to the centre and the principal axes of the mesh; undo it
    own = place @ pose(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
    scale = np.array(model.mesh_scale[mesh], dtype=float)
    factor: Any = 1.0 if np.array_equal(scale, np.ones(3)) else scale
    return Mesh(str(meshes[name]), factor, colour=look["colour"], at=own.position, turned=own.rotation)


_THINNEST = 0.02  # of the longest side


def inertia_box(mass: Any, centre: Any, inertia: Any) -> Box | None:
    """A uniform box of the given mass (kg) with its centre (3,) m and moments; ``None`` for a body without extent.

    Sides from the principal moments: ``a^2 = 6 (I_y + I_z - I_x) / m``, and cyclically.
    """
    if not mass or inertia is None:
        return None
    place = np.zeros(3) if centre is None else np.asarray(centre, dtype=float)
    try:
        tensor = np.asarray(inertia_of(inertia, mass, place, "a body").tensor, dtype=float)
    except LocodynError:
        return None
    moments, axes = np.linalg.eigh(tensor)
    lengths = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    if not lengths.max() > 0.0:
        return None
    axes[:, 2] *= np.linalg.det(axes)
    return Box(np.maximum(lengths, _THINNEST * lengths.max()), at=place, turned=axes)
