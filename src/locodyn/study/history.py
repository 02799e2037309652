"""Runs of an optimisation or of a fit on disk, in the order in which they were asked for: a line of JSON each, and one for the
definition.

The searches are deterministic: a search that was killed is played again from its beginning, and what the file has is not
computed twice. So nothing of the state of a method has to be stored. A line that was half written counts as not there.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.study.one_run import STATUS

FORMAT = 1
OPTIMISATION, FIT = "optimisation", "fit"  # whose history it is
_A = {OPTIMISATION: "an optimisation", FIT: "a fit"}


@dataclass(frozen=True, eq=False)
class Entry:
    """What a run gave: ``status`` and ``message`` as of a study, ``numbers`` (n,), NaN of one that failed."""

    status: int
    message: str
    numbers: np.ndarray


class History:
    """Evaluated points by their coordinates; in a file that grows, or in memory.

    ``kind``: OPTIMISATION, with metrics as numbers, or FIT, with motions.
    """

    def __init__(self, path: Path | None, definition: Mapping[str, Any], kind: str = OPTIMISATION) -> None:
        self.path, self.kind, self.entries = path, kind, dict[tuple[float, ...], Entry]()
        self._definition = json.loads(json.dumps(definition))
        if path is None:
            return
        if path.suffix != ".jsonl":
            raise InputError(f"the history '{path}' must end in .jsonl: it has a line of JSON for each run.")
        if path.exists():
            self._read(path)
        else:
            self._append([{f"locodyn_{kind}": FORMAT, "definition": self._definition}])

    def _read(self, path: Path) -> None:
        raw = path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            layout, definition = int(lines[0][f"locodyn_{self.kind}"]), lines[0]["definition"]
        except (ValueError, KeyError, IndexError, TypeError):
            words = f"'{path}' is not the history of {_A[self.kind]}; give another output, or remove it."
            raise InputError(words) from None
        if layout > FORMAT:
            raise InputError(f"the history '{path}' was written by a newer locodyn; update locodyn to read it.")
        others = [key for key in self._definition if definition.get(key) != self._definition[key]]
        if others:
            words = f"'{path}' holds another {self.kind} ('{others[0]}' differs); give another output, or remove it."
            raise InputError(words)
        if len(whole) < len(raw):
            os.truncate(path, len(whole))
        for line in lines[1:]:
            numbers = np.array([math.nan if x is None else x for x in line["numbers"]], dtype=float)
            self.entries[tuple(line["point"])] = Entry(line["status"], line["message"], numbers)

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
        """Keep points (k, n) with what their runs gave, numbers (k, ...)."""
        lines = []
        for k, point in enumerate(points):
            own = np.where(status[k] == STATUS.completed, numbers[k], math.nan)
            self.entries[_key(point)] = Entry(int(status[k]), messages[k], own)
            told = [float(x) if math.isfinite(x) else None for x in own]
            lines.append({"point": list(_key(point)), "status": int(status[k]), "message": messages[k], "numbers": told})
        self._append(lines)

    def entry(self, point: np.ndarray) -> Entry | None:
        """What the run at a point gave; None where there was none."""
        return self.entries.get(_key(point))

    def numbers(self, point: np.ndarray) -> np.ndarray | None:
        """Numbers of a point, NaN of one that failed; None of one that was not computed."""
        found = self.entry(point)
        return None if found is None else found.numbers


def _key(point: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in point)
