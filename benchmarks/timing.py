"""Timing on noisy machines: CPU time, best of many, all competitors in one run and in turn."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

Work = Callable[[], object]


def best_us(tasks: dict[str, Work], seconds: float, chunk: float = 2e-3) -> dict[str, float]:
    """Best CPU time of one call in us, for each task; the tasks take turns, so that all see the same machine."""
    counts, best = {}, {}
    for name, task in tasks.items():
        task()
        began = time.perf_counter()
        task()
        counts[name] = max(1, int(chunk / max(time.perf_counter() - began, 1e-7)))
        best[name] = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, task in tasks.items():
            count = counts[name]
            began = time.thread_time_ns()
            for _ in range(count):
                task()
            best[name] = min(best[name], (time.thread_time_ns() - began) / count / 1e3)
    return best


def write_json(path: str, records: list[dict]) -> None:
    """A list of records {work, size, called, locodyn_us, peer, peer_us}."""
    Path(path).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
