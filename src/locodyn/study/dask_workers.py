"""Tasks of a study on Dask: processes of this machine that Dask starts, or the workers of a scheduler that is there.

A worker that dies takes nothing along: Dask gives its tasks to others. A task whose workers die again and again is set aside
until all others are done. Its runs are then made one by one with nothing beside them, so that only those fail that bring
their process down; a pool of processes (:mod:`locodyn.study.backends`) does the same.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from locodyn.errors import InputError, RunError
from locodyn.study.backends import AHEAD, ATTEMPTS, Done, Rows, Tasks, dead, joined
from locodyn.study.one_run import Job, Outcome, run_task

_CONNECT = 8.0  # s to reach a scheduler
Version = tuple[str, str]


@contextmanager
def dask_client(workers: int | None, cluster: str | None) -> Iterator[Any]:
    """A client of the scheduler at ``cluster``, or of so many Dask processes of this machine, while it is needed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("Dask is not installed; install locodyn[studies].") from None
    if cluster is None:
        own = LocalCluster(
            n_workers=workers, processes=True, threads_per_worker=1, dashboard_address=None, silence_logs=50,
            scheduler_kwargs={"allowed_failures": ATTEMPTS - 1},
        )  # fmt: skip
        with own, Client(own, set_as_default=False) as client:
            yield client
        return
    try:
        client = Client(cluster, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        sentence = f"no Dask scheduler answers at '{cluster}' within {_CONNECT:g} s; start one, or mend the address."
        raise InputError(sentence) from None
    with client:
        if not client.nthreads():
            words = f"the Dask scheduler at '{cluster}' has no workers yet: the study waits for them."
            warnings.warn(words, UserWarning, stacklevel=2)
        yield client


def dask(job: Job, tasks: Tasks, client: Any) -> Done:
    """On the workers of a Dask scheduler."""
    from distributed import as_completed

    _same_version(client)
    running: dict[Any, tuple[int, Rows]] = {}
    finished = as_completed(loop=client.loop)
    deadly: list[tuple[int, Rows]] = []

    def fill() -> None:
        most = AHEAD * max(1, len(client.nthreads()))  # of all workers; scheduler_info tells of a few in some versions of Dask
        while len(running) < most and (task := next(tasks, None)) is not None:
            future = _submitted(job, task[1], client)
            running[future] = task
            finished.add(future)

    fill()
    while running:
        future = next(finished)
        task = running.pop(future)
        outcome = _outcome(future)
        fill()
        if outcome is None:
            deadly.append(task)
        else:
            yield task[0], outcome
    for number, rows in deadly:
        yield number, _alone(job, rows, client)


def _alone(job: Job, rows: Rows, client: Any) -> Outcome:
    """Runs one by one; those whose workers die have failed."""
    parts: list[Outcome] = []
    for row in rows:
        parts.append(_outcome(_submitted(job, [row], client)) or dead(job, 1))
        job = replace(job, layout=job.layout or parts[-1].layout)
    return joined(parts)


def _submitted(job: Job, rows: Rows, client: Any) -> Any:
    """The future of a task."""
    return client.submit(_run, version(), job, rows, pure=False, retries=ATTEMPTS)


def _outcome(future: Any) -> Outcome | None:
    """What a task gave; None where its workers died."""
    from distributed.scheduler import KilledWorker

    try:
        found: Outcome = future.result()
    except KilledWorker:
        return None
    except InputError:
        raise
    except Exception as error:
        sentence = f"the Dask cluster stopped ({type(error).__name__}: {error}); run the same study again to go on."
        raise RunError(sentence) from None
    future.release()
    return found


def version() -> Version:
    """Versions of locodyn and Python of a worker."""
    from locodyn import __version__

    return __version__, ".".join(map(str, sys.version_info[:2]))


def _run(wanted: Version, job: Job, rows: Rows) -> Outcome:
    """A task, on a worker; one that came after the study had begun was not asked for its version."""
    if version() != wanted:
        raise _other_version(wanted, version())
    return run_task(job, rows)


def _same_version(client: Any) -> None:
    try:
        found = set(client.run(version).values())
    except Exception as error:
        raise InputError(f"the workers of the cluster have no locodyn ({error}); install the same version there.") from None
    if found - {version()}:
        raise _other_version(version(), sorted(found - {version()})[0])


def _other_version(own: Version, other: Version) -> InputError:
    return InputError(
        f"a worker of the cluster has locodyn {other[0]} on Python {other[1]}, this is {own[0]} on {own[1]}; make them the same."
    )
