"""Runs of an optimisation on disk, in the order in which they were asked for: a line of JSON each, and one for the definition.

The searches are deterministic: a search that was killed is played again from its beginning, and what the file has is not
computed twice. So nothing of the state of a method has to be stored. A line that was half written counts as not there.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.study.one_run import STATUS

FORMAT = 1
Entry = dict[str, Any]  # point, status, message, numbers


class History:
    """Evaluated points by their coordinates; in a file that grows, or in memory."""

    def __init__(self, path: Path | None, definition: Mapping[str, Any]) -> None:
        self.path, self.entries = path, dict[tuple[float, ...], Entry]()
        self._definition = json.loads(json.dumps(definition))
        if path is None:
            return
        if path.suffix != ".jsonl":
            raise InputError(f"the history '{path}' must end in .jsonl: it has a line of JSON for each run.")
        if path.exists():
            self._read(path)
        else:
            self._append([{"locodyn_optimisation": FORMAT, "definition": self._definition}])

    def _read(self, path: Path) -> None:
        raw = path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            layout, definition = int(lines[0]["locodyn_optimisation"]), lines[0]["definition"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise InputError(f"'{path}' is not the history of an optimisation; give another output, or remove it.") from None
        if layout > FORMAT:
            raise InputError(f"the history '{path}' was written by a newer locodyn; update locodyn to read it.")
        others = [key for key in self._definition if definition.get(key) != self._definition[key]]
        if others:
            raise InputError(f"'{path}' holds another optimisation ('{others[0]}' differs); give another output, or remove it.")
        if len(whole) < len(raw):
            os.truncate(path, len(whole))
        self.entries = {tuple(line["point"]): line for line in lines[1:]}

    def _append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        if self.path is None:
            return
        try:
            with self.path.open("ab") as stream:
                stream.write("".join(json.dumps(line) + "\n" for line in lines).encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(
                f"the history '{self.path}' cannot be written ({error.strerror}); what it has is kept:"
                " run the same again to go on."
            ) from None

    def add(self, points: np.ndarray, status: np.ndarray, messages: Sequence[str], numbers: np.ndarray) -> None:
        """Keep points (k, n) with what their runs gave, numbers (k, metrics)."""
        new = []
        for k, point in enumerate(points):
            key = tuple(float(x) for x in point)
            told = [float(x) if math.isfinite(x) else None for x in numbers[k]]
            new.append({"point": list(key), "status": int(status[k]), "message": messages[k], "numbers": told})
            self.entries[key] = new[-1]
        self._append(new)

    def numbers(self, point: np.ndarray) -> np.ndarray | None:
        """Metrics of a point, NaN of one that failed; None of one that was not computed."""
        found = self.entries.get(tuple(float(x) for x in point))
        if found is None:
            return None
        values = [math.nan if x is None or found["status"] != STATUS.completed else x for x in found["numbers"]]
        return np.array(values, dtype=float)
