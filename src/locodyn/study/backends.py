"""Where the tasks of a study are computed: in this process, in a pool of processes, on Dask workers. The numbers are the same."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from locodyn.errors import InputError, RunError
from locodyn.study.one_run import FAILED, Job, Outcome, run_task

Rows = Sequence[Mapping[str, Any]]
Tasks = Iterator[tuple[int, Rows]]
Done = Iterator[tuple[int, Outcome]]

_AHEAD = 2  # tasks that wait for each worker: it never waits, and memory stays small
_ATTEMPTS = 2  # of a task whose process dies
_CONNECT = 8.0  # s to reach a scheduler
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
_DIED = "the process that computed it died"


def here(job: Job, tasks: Tasks) -> Done:
    """In this process, one after the other."""
    for number, rows in tasks:
        yield number, run_task(job, rows)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that leads the study; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def processes(job: Job, tasks: Tasks, workers: int) -> Done:
    """In a pool of processes of this machine, started afresh (spawn): kernels come from the cache."""
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    check_travels(job)
    waiting: list[tuple[int, Rows]] = []
    attempts: dict[int, int] = {}
    while True:
        kept = {name: os.environ.get(name) for name in _ONE_THREAD}
        os.environ.update(_ONE_THREAD)
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts)
        running: dict[Future[Outcome], tuple[int, Rows]] = {}
        try:
            while True:
                while len(running) < _AHEAD * workers:
                    task = waiting.pop() if waiting else next(tasks, None)
                    if task is None:
                        break
                    running[pool.submit(run_task, job, task[1])] = task
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running[future][0]
                    outcome = future.result()
                    del running[future]
                    yield number, outcome
        except BrokenProcessPool:
            # A process was killed, or a run brought it down: what was under way is done again, each task a few times at most.
            for number, rows in running.values():
                attempts[number] = attempts.get(number, 0) + 1
                if attempts[number] < _ATTEMPTS:
                    waiting.append((number, rows))
                else:
                    yield number, _alone(job, rows)
        finally:
            for name, value in kept.items():
                os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)
            pool.shutdown(wait=False, cancel_futures=True)


def _alone(job: Job, rows: Rows) -> Outcome:
    """The runs of a task that brings processes down, each in a process of its own; those that die have failed."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    import numpy as np

    parts = []
    for row in rows:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _ignore_interrupts) as pool:
            try:
                parts.append(pool.submit(run_task, job, [row]).result())
            except BrokenProcessPool:
                nothing = np.full((1, len(job.metrics)), np.nan)
                parts.append(Outcome(np.array([FAILED], dtype=np.int8), [_DIED], nothing))
    return joined(parts)


def joined(parts: Sequence[Outcome]) -> Outcome:
    """Outcomes of runs one after the other as one; series are left out where a part has none."""
    import numpy as np

    names = set.intersection(*(set(part.series) for part in parts))
    series = {name: np.concatenate([part.series[name] for part in parts]) for name in sorted(names)}
    messages = [message for part in parts for message in part.messages]
    numbers, status = (np.concatenate([getattr(part, name) for part in parts]) for name in ("numbers", "status"))
    return Outcome(status, messages, numbers, series, parts[0].labels)


def check_travels(job: Job) -> None:
    """Refuse what cannot be sent to another process."""
    import pickle

    try:
        pickle.dumps(job)
    except Exception as error:
        raise InputError(
            f"the study of '{job.subject.name}' cannot be sent to other processes ({error}); define its functions in a file, or"
            " take processes=1."
        ) from None


@contextmanager
def dask_client(workers: int | None, cluster: str | None) -> Iterator[Any]:
    """A client of the scheduler at ``cluster``, or of so many Dask processes of this machine, while it is needed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("Dask is not installed; install locodyn[studies].") from None
    if cluster is None:
        own = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        with own, Client(own, set_as_default=False) as client:
            yield client
        return
    try:
        client = Client(cluster, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        sentence = f"no Dask scheduler answers at '{cluster}' within {_CONNECT:g} s; start one, or mend the address."
        raise InputError(sentence) from None
    with client:
        yield client


def dask(job: Job, tasks: Tasks, client: Any) -> Done:
    """On the workers of a Dask scheduler; a task whose worker dies goes to another one."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    _same_version(client)
    running: dict[Any, tuple[int, Rows]] = {}
    finished = as_completed(loop=client.loop)

    def fill() -> None:
        while len(running) < _AHEAD * max(1, len(client.scheduler_info()["workers"])):
            task = next(tasks, None)
            if task is None:
                return
            future = client.submit(run_task, job, task[1], pure=False, retries=_ATTEMPTS)
            running[future] = task
            finished.add(future)

    fill()
    while running:
        future = next(finished)
        number, rows = running.pop(future)
        try:
            outcome = future.result()
        except KilledWorker:
            import numpy as np

            nothing = np.full((len(rows), len(job.metrics)), np.nan)
            outcome = Outcome(np.full(len(rows), FAILED, dtype=np.int8), [_DIED] * len(rows), nothing)
        except Exception as error:
            raise RunError(
                f"the Dask cluster stopped ({type(error).__name__}: {error}); run the same study again to go on."
            ) from None
        future.release()
        fill()
        yield number, outcome


def version() -> tuple[str, str]:
    """Versions of locodyn and Python of a worker."""
    from locodyn import __version__

    return __version__, ".".join(map(str, sys.version_info[:2]))


def _same_version(client: Any) -> None:
    try:
        found = set(client.run(version).values())
    except Exception as error:
        raise InputError(f"the workers of the cluster have no locodyn ({error}); install the same version there.") from None
    if found - {version()}:
        own, other = version(), sorted(found - {version()})[0]
        raise InputError(
            f"a worker of the cluster has locodyn {other[0]} on Python {other[1]}, this is {own[0]} on {own[1]}; make them"
            " the same."
        )
