"""Marks that cameras have followed: files of motion capture, and the motion of rigid bodies from the marks on them.

A file of the TRC kind (track row column, as Motion Analysis, OpenSim and most capture programs write it) is text: names of the
marks, their unit, and for each frame its number, time and x, y, z of each mark. Places that the cameras did not see are empty.

The pose of a body follows from its marks by least squares over rotations (Kabsch 1976): with centroids taken off and
H = sum p_i m_i^T = U S V^T, the rotation is R = V diag(1, 1, det(V U^T)) U^T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest

_UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
_FEWEST = 3  # marks that show a rotation in space
_ON_A_LINE = 1e-6  # spread of marks across a line, over that along it


@dataclass(frozen=True, eq=False)
class Capture:
    """``times`` (T,) s; ``marks``: names; ``points`` (T, marks, 3) m, NaN where a mark was not seen."""

    times: np.ndarray
    marks: tuple[str, ...]
    points: np.ndarray

    def of(self, *marks: str) -> np.ndarray:
        """Points (T, n, 3) of some marks, m."""
        for mark in marks:
            if mark not in self.marks:
                raise InputError(f"the capture has no mark '{mark}'{nearest(mark, self.marks)}")
        found: np.ndarray = self.points[:, [self.marks.index(mark) for mark in marks]]
        return found


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """A measured body: ``rotations`` (T, 3, 3), ``positions`` (T, 3) m, ``residual`` (T,) m, root mean square."""

    rotations: np.ndarray
    positions: np.ndarray
    residual: np.ndarray

    def relative_to(self, other: RigidMotion) -> np.ndarray:
        """Rotations (T, 3, 3) of this body seen from another one."""
        found: np.ndarray = np.einsum("tji,tjk->tik", other.rotations, self.rotations)
        return found


def angles_about(rotations: Any, axis: Any) -> np.ndarray:
    """Angles (T,) rad about an axis (3,) of rotations that turn about it, without jumps by whole turns."""
    turns, about = np.asarray(rotations, dtype=float), np.asarray(axis, dtype=float)
    size = float(np.linalg.norm(about))
    if about.shape != (3,) or not size > 0.0:
        raise InputError(f"the axis is {axis!r}; it must be three numbers, not all zero.")
    unit = about / size
    # R - R^T = 2 sin(a) hat(u) and tr R = 1 + 2 cos(a)
    skew = np.stack([turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1)
    found: np.ndarray = np.unwrap(np.arctan2(skew @ unit, np.trace(turns, axis1=1, axis2=2) - 1.0))
    return found


def rigid_motion(points: Any, reference: Any) -> RigidMotion:
    """Poses of a body from its marks.

    Parameters
    ----------
    points : (T, n, 3) m
        Marks at the instants, world axes; NaN where one was not seen.
    reference : (n, 3) m
        Where they are on the body, in its axes. Two suffice for bodies that stay in the x-y plane (all z equal).
    """
    seen, own = np.asarray(points, dtype=float), np.asarray(reference, dtype=float)
    if own.ndim != 2 or own.shape[1] != 3 or seen.ndim != 3 or seen.shape[1:] != own.shape or len(own) < 2:
        raise InputError(f"marks of shape {seen.shape} do not belong to {own.shape} on the body; give (T, n, 3) and (n, 3).")
    planar = bool(np.ptp(own[:, 2]) == 0.0 and np.nanmax(np.ptp(seen[..., 2], axis=1)) < 1e-9 + 1e-6 * np.nanmax(np.abs(seen)))
    rotations, positions, residual = np.empty((len(seen), 3, 3)), np.empty((len(seen), 3)), np.empty(len(seen))
    for t, frame in enumerate(seen):
        there = np.isfinite(frame).all(axis=1)
        if there.sum() < (2 if planar else _FEWEST):
            raise InputError(f"frame {t} shows {int(there.sum())} marks of the body; it takes {2 if planar else _FEWEST}.")
        p, m = own[there], frame[there]
        p_mean, m_mean = p.mean(axis=0), m.mean(axis=0)
        rotations[t] = _turn(p - p_mean, m - m_mean, planar, t)
        positions[t] = m_mean - rotations[t] @ p_mean
        residual[t] = math.sqrt(float(np.mean(np.sum((p @ rotations[t].T + positions[t] - m) ** 2, axis=1))))
    return RigidMotion(rotations, positions, residual)


def _turn(p: np.ndarray, m: np.ndarray, planar: bool, frame: int) -> np.ndarray:
    """The rotation that brings p (n, 3) nearest to m (n, 3), both about their centroids."""
    if planar:
        angle = math.atan2(float(np.sum(p[:, 0] * m[:, 1] - p[:, 1] * m[:, 0])), float(np.sum(p[:, :2] * m[:, :2])))
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    u, sizes, v = np.linalg.svd(p.T @ m)
    if sizes[1] <= _ON_A_LINE * sizes[0]:
        raise InputError(f"the marks that frame {frame} shows lie on a line; they do not tell how the body turns about it.")
    found: np.ndarray = v.T @ np.diag([1.0, 1.0, float(np.sign(np.linalg.det(v.T @ u.T)))]) @ u.T
    return found


def read_trc(file: str | Path) -> Capture:
    """The marks of a TRC file, in m and s."""
    path = Path(file)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the capture '{path}' cannot be read ({getattr(error, 'strerror', None) or 'no text'}).") from None
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise InputError(f"'{path}' is not a TRC file; its first line must begin with PathFileType.")
    words = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=False))
    unit = words.get("Units", "").strip()
    if unit not in _UNITS:
        raise InputError(f"the capture '{path}' has the unit '{unit}'; known are {', '.join(_UNITS)}.")
    marks = tuple(cell.strip() for cell in lines[3].split("\t")[2:] if cell.strip())
    if not marks or len(set(marks)) < len(marks):
        raise InputError(f"line 4 of the capture '{path}' must name each mark once.")
    rows = [_row(line, number, len(marks), path) for number, line in enumerate(lines[5:], start=6) if line.strip()]
    table = np.array(rows)
    if len(rows) < 2 or (np.diff(table[:, 0]) <= 0.0).any():
        raise InputError(f"the capture '{path}' needs two or more frames whose times increase.")
    return Capture(table[:, 0], marks, _UNITS[unit] * table[:, 1:].reshape(len(rows), len(marks), 3))


def _row(line: str, number: int, marks: int, path: Path) -> list[float]:
    """Time and places of a frame; NaN for what is empty."""
    cells = line.split("\t")[1:]
    cells = cells[: 1 + 3 * marks] + [""] * (1 + 3 * marks - len(cells))
    try:
        found = [float(cell) if cell.strip() else math.nan for cell in cells]
    except ValueError:
        raise InputError(f"line {number} of the capture '{path}' has a cell that is not a number.") from None
    if not math.isfinite(found[0]):
        raise InputError(f"line {number} of the capture '{path}' has no time.")
    return found
