"""Triangles of a surface in a file: STL (text or binary) and Wavefront OBJ, for drawing."""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np

from locodyn.errors import InputError

ENDINGS = (".stl", ".obj")
_HEADER, _RECORD = 84, 50  # bytes of a binary STL: header with the count; normal, three vertices and a word for each triangle


def read_mesh(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) in the units of the file and triangles (m, 3) int64 of a mesh file; equal vertices are stored once."""
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"the mesh '{file}' must end in {' or '.join(ENDINGS)}; the ending says the format.")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"the mesh '{file}' cannot be read ({error.strerror}).") from None
    try:
        vertices, triangles = _obj(data) if file.suffix.lower() == ".obj" else _stl(data)
    except (IndexError, UnicodeDecodeError, ValueError, struct.error):
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
