"""Batches of runs for methods that ask for the next ones when they know the last: the processes stay from batch to batch."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from locodyn.study import backends, dask_workers
from locodyn.study.one_run import Job, Outcome, run_task

_SOON = 2.0  # s: a batch that ends sooner is computed in this process


class Evaluator:
    """Computes batches of runs: in this process, in a pool, or on Dask workers (:meth:`Study.run` says which words mean what)."""

    def __init__(self, job: Job, processes: int | None = None, workers: int | None = None, cluster: str | None = None) -> None:
        backends.leave_if_starting()
        backends.check_places(processes, workers, cluster)
        self.job = job
        self._asked, self._count = processes, processes or os.cpu_count() or 1
        self._dask = (workers, cluster) if workers is not None or cluster is not None else None
        self._stack, self._batches = ExitStack(), 0
        self._client: Any = None
        self._pool: backends.Pool | None = None

    def __enter__(self) -> Evaluator:
        if self._dask is not None:
            self._client = self._stack.enter_context(dask_workers.dask_client(*self._dask))
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> Outcome:
        """The runs with these parameters, in their order."""
        self._batches += 1
        if self._client is not None:
            self._count = max(1, len(self._client.nthreads()))  # workers come and go
            return self._joined(dict(dask_workers.dask(self.job, self._parts(rows), self._client)))
        if self._pool is not None:
            return self._joined(dict(backends.processes(self.job, self._parts(rows), self._pool)))
        began = time.perf_counter()
        outcome = run_task(self.job, rows)
        slow = self._batches > 1 and time.perf_counter() - began > _SOON  # the first batch also loads kernels
        if self._count > 1 and (slow or self._asked is not None):
            pool = self._stack.enter_context(backends.Pool(self._count))
            takes = pool.takes(self.job, asked=self._asked is not None)
            self._pool, self._count = (pool, self._count) if takes else (None, 1)
        return outcome

    def _parts(self, rows: Sequence[Mapping[str, Any]]) -> backends.Tasks:
        """Tasks of a few runs each, three for each process."""
        size = max(1, len(rows) // (3 * self._count))
        return iter([(k, rows[k : k + size]) for k in range(0, len(rows), size)])

    @staticmethod
    def _joined(parts: Mapping[int, Outcome]) -> Outcome:
        return backends.joined([parts[k] for k in sorted(parts)])
