"""Triangles of a surface in a file, for drawing: STL (text or binary), Wavefront OBJ, and by trimesh Collada, PLY, OFF, GLB."""

from __future__ import annotations

import importlib
import io
import re
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np

from locodyn.errors import InputError

_BY_TRIMESH = (".dae", ".ply", ".off", ".glb")
ENDINGS = (".stl", ".obj", *_BY_TRIMESH)
# Bytes of a binary STL: header with the count; normal, three vertices and a word for each triangle.
_HEADER, _RECORD = struct.calcsize("<80xI"), struct.calcsize("<12fH")


def read_mesh(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) int64 of a mesh file; equal vertices are stored once.

    The units are those of the file, but of Collada metres: it says its unit.
    """
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"the mesh '{file}' must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; the ending says the format.")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"the mesh '{file}' cannot be read ({error.strerror}).") from None
    ending = file.suffix.lower()
    try:
        read = {".obj": _obj, ".stl": _stl}.get(ending)
        vertices, triangles = read(data) if read is not None else _other(data, ending, file)
    except InputError:
        raise
    except (IndexError, OverflowError, UnicodeDecodeError, ValueError, struct.error):
        raise InputError(f"the mesh '{file}' is damaged; give a whole {file.suffix[1:].upper()} file.") from None
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= len(vertices) or not np.isfinite(vertices).all():
        raise InputError(f"the mesh '{file}' holds no sound triangles; give a file with a surface.")
    return vertices, triangles


def _stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    count = struct.unpack_from("<I", data, _HEADER - 4)[0] if len(data) >= _HEADER else -1
    if len(data) == _HEADER + _RECORD * count:  # a text file cannot have this length by chance: its count would be letters
        records = np.frombuffer(data, dtype=np.uint8, offset=_HEADER).reshape(count, _RECORD)
        corners = records[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)
    else:
        words = [line.split() for line in data.decode("ascii").splitlines()]
        corners = np.array([[float(x) for x in line[1:4]] for line in words if line and line[0] == "vertex"]).reshape(-1, 3)
    vertices, places = np.unique(corners, axis=0, return_inverse=True)
    return vertices, places.reshape(-1, 3)


def _obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:  # a polygon as a fan; a negative number counts from the end
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
            triangles += [(corners[0], a, b) for a, b in pairwise(corners[1:])]
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _other(data: bytes, ending: str, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """What trimesh reads, from memory: a file that names others gets none of them."""
    try:
        trimesh = importlib.import_module("trimesh")
        importlib.import_module("collada")
    except ImportError:
        sentence = "needs the packages 'trimesh' and 'pycollada'; install them with: pip install 'locodyn[files]'."
        raise InputError(f"the mesh '{file}' {sentence}") from None
    metres = 1.0
    if ending == ".dae":
        if re.search(rb"<!(DOCTYPE|ENTITY)", data):
            raise InputError(f"the mesh '{file}': a document type (<!DOCTYPE ...>) is not read; remove it.")
        unit = re.search(rb"""<unit\b[^>]*\bmeter\s*=\s*["']([^"']+)["']""", data)
        metres = float(unit.group(1)) if unit else 1.0
    try:
        mesh = trimesh.load(io.BytesIO(data), file_type=ending[1:], force="scene", skip_materials=True).to_mesh()
    except Exception as error:  # trimesh and the readers below it raise errors of many kinds for a damaged file
        raise ValueError(str(error)) from None
    return metres * np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)
