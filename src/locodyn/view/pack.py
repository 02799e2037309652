"""Scenes and curves in few bytes, for a page: ``pack`` in Python, ``data.ts`` in the browser.

A packet is gzip of: the length of the header (uint32, little endian), the header (JSON, UTF-8), the arrays. Where the header has
an array it has ``{"array": offset, "kind": kind, "shape": [...], ...}``, the offset in bytes from the end of the header, which is
padded to a multiple of 4.

========  ====================================================================================================================
kind      numbers
========  ====================================================================================================================
``i16``   x = ``middle`` + ``step`` k with k in -32767 .. 32767: the error is half a step, 1/131068 of the range. The first row,
          then differences of rows (modulo 2^16), column by column, which compresses well
``turn``  an angle, as 2 pi k / 2^16, in the same way; differences are taken within half a turn, so that it may go on for ever
``f32``   single precision, as it is (logarithmic scales, times)
``u32``   whole numbers
========  ====================================================================================================================
"""

from __future__ import annotations

import gzip
import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_LEVELS = 32767


class Packer:
    """Collects arrays; ``header`` replaces every array in a nested structure by where it lies."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0

    def _place(self, raw: bytes, kind: str, shape: tuple[int, ...], **about: Any) -> dict[str, Any]:
        entry = {"array": self._length, "kind": kind, "shape": list(shape), **about}
        raw += bytes(-len(raw) % 4)
        self._pieces.append(raw)
        self._length += len(raw)
        return entry

    def steps(self, values: np.ndarray) -> dict[str, Any]:
        """An array (n, ...) in 16 bits, differences along the first dimension; zero stays exactly zero."""
        values = np.asarray(values, dtype=float)
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        step = (high - low) / (2 * _LEVELS - 1)
        middle = low if step == 0.0 else float(np.rint(0.5 * (low + high) / step)) * step
        whole = np.zeros(values.shape, np.int16) if step == 0.0 else np.rint((values - middle) / step).astype(np.int16)
        return self._place(_differences(whole), "i16", values.shape, middle=middle, step=step)

    def turns(self, values: np.ndarray) -> dict[str, Any]:
        """Angles (n, ...) rad in 16 bits of a turn."""
        whole = np.rint(np.asarray(values) * 65536.0 / (2.0 * np.pi)).astype(np.int64).astype(np.uint16).view(np.int16)
        return self._place(_differences(whole), "turn", whole.shape)

    def floats(self, values: np.ndarray) -> dict[str, Any]:
        """An array in single precision."""
        return self._place(np.asarray(values, dtype="<f4").tobytes(), "f32", np.shape(values))

    def whole(self, values: np.ndarray) -> dict[str, Any]:
        """An array of whole numbers."""
        return self._place(np.asarray(values, dtype="<u4").tobytes(), "u32", np.shape(values))

    def packet(self, header: dict[str, Any]) -> bytes:
        """Header and arrays, compressed."""
        text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        return gzip.compress(np.uint32(len(text)).tobytes() + text + b"".join(self._pieces), 9, mtime=0)


def _differences(whole: np.ndarray) -> bytes:
    """First row of (n, ...), then the differences of rows, modulo 2^16; stored column by column."""
    rows = whole.reshape(len(whole), -1).astype(np.int32)
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int32))
    return np.ascontiguousarray(steps.T.astype(np.uint16), dtype="<u2").tobytes()


def pack_scene(scene: Any, packer: Packer) -> dict[str, Any]:
    """The header of a scene, its arrays put into the packer; names are those of :class:`locodyn.view.scene.Scene`."""
    header: dict[str, Any] = {}
    for entry in fields(scene):
        header[entry.name] = _value(getattr(scene, entry.name), entry.name, packer)
    return header


# Arrays that go through the header as numbers because they are short and must be exact, and those with a form of their own.
_FORM = {"times": "floats", "wheel_turn": "turns", "wheel_steer": "turns", "triangles": "whole", "vertices": "floats"}


def _value(value: Any, name: str, packer: Packer) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _value(getattr(value, entry.name), entry.name, packer) for entry in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_value(item, name, packer) for item in value]
    if isinstance(value, np.ndarray):
        if name in _FORM:
            return getattr(packer, _FORM[name])(value)
        return [float(x) for x in value] if value.ndim == 1 else packer.steps(value)
    return value.item() if isinstance(value, np.generic) else value
