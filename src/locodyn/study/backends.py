"""Where the tasks of a study are computed: in this process, or in a pool of processes of this machine.

:mod:`locodyn.study.dask_workers` computes them on Dask workers. The numbers are the same everywhere.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, TypedDict

import numpy as np

from locodyn.errors import InputError
from locodyn.study.one_run import ACCOUNT, STATUS, Job, Outcome, run_task

Rows = Sequence[Mapping[str, Any]]
Tasks = Iterator[tuple[int, Rows]]
Done = Iterator[tuple[int, Outcome]]

AHEAD = 2  # tasks that wait for each worker: it never waits, and memory stays small
_LAST = 2  # tasks for each process that are not handed out ahead
_SOON = 10.0  # s: what ends sooner is not worth starting processes for
_SHORT = 2.0  # s: tasks of less are computed in this process too, beside the others that it leads
_TRIAL = 8  # runs that tell how long a run takes
_PIECES = 4  # of a task that is cut, of _TRIAL runs or more
ATTEMPTS = 2  # of a task whose process dies
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
_DIED = "the process that computed it died"


class Places(TypedDict, total=False):
    """Who computes the runs, as of :meth:`Study.run`."""

    processes: int | None
    workers: int | None
    cluster: str | None


def here(job: Job, tasks: Tasks) -> Done:
    """In this process, one after the other."""
    for number, rows in tasks:
        yield number, run_task(job, rows)


def leave_if_starting() -> None:
    """End a process that is being started for the runs of a study and has come to the study itself.

    Processes load the script that started them. Where it does not begin its work below ``if __name__ == "__main__"``, each
    would run the study again, into the same store.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)


def _begin() -> None:
    """Of each process: Ctrl-C is for the one that leads the study, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _arrived(job: Job) -> int:
    """What a process answers that could load the study."""
    return len(job.resolved())


@contextmanager
def one_thread() -> Iterator[None]:
    """Processes that start inside have one thread for linear algebra: each has one core."""
    kept = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


class Pool:
    """Processes of this machine, started afresh (spawn), so that kernels come from the cache; made anew when one has died."""

    def __init__(self, workers: int) -> None:
        self.workers, self._pool = workers, self._new(workers)
        self._begun: Future[int] | None = None

    @staticmethod
    def _new(workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin)

    def renew(self) -> None:
        """Other processes in place of those that are broken."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._new(self.workers)

    def submit(self, job: Job, rows: Rows) -> Future[Outcome]:
        """A task."""
        with one_thread():
            return self._pool.submit(run_task, job, rows)

    def takes(self, job: Job, asked: bool) -> bool:
        """Whether the processes can load a study; where it was ``asked`` for processes, why not is an error."""
        try:
            self.begin(job).result()
        except Exception as error:  # of pickle, or of a process that cannot import a module
            sentence = (
                f"the study of '{job.subject.name}' cannot be sent to other processes ({error}); define its functions in a file"
                " that can be imported, start the script below 'if __name__ == \"__main__\"', or take processes=1."
            )
            if asked:
                raise InputError(sentence) from None
            if isinstance(error, BrokenProcessPool):  # a script that is not guarded: functions without a name are no mistake
                warnings.warn(f"{sentence} It goes on in one process.", UserWarning, stacklevel=4)
            return False
        return True

    def begin(self, job: Job) -> Future[int]:
        """The processes start, and one of them loads the study."""
        if self._begun is None:
            with one_thread():
                self._begun = self._pool.submit(_arrived, job)
        return self._begun

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        children = list((getattr(self._pool, "_processes", None) or {}).values()) if kind is not None else []
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in children:  # stopped in the middle: nobody waits for the runs that are under way
            child.terminate()


def meanwhile(job: Job, tasks: Tasks, pool: Pool) -> Done:
    """In this process, while those of a pool start."""
    starting = pool.begin(job)
    while not starting.done() and (task := next(tasks, None)) is not None:
        yield from here(job, iter([task]))


def local(job: Job, tasks: Tasks, left: int, asked: int | None) -> Done:
    """On this machine, ``left`` tasks: on all cores where that is quicker, or in as many processes as are ``asked`` for.

    The first runs load kernels, and leave those that they compile in the cache for all processes; the next ones tell how long
    the others take. This process goes on while others start, and computes beside them where tasks are short. It computes nothing
    where processes are asked for.
    """
    if asked is not None and asked > 1:
        yield from _in_processes(job, tasks, min(asked, left))
        return
    count, is_known, also_here = asked or os.cpu_count() or 1, False, False
    with ExitStack() as stack:
        pool: Pool | None = None
        while pool is None and (task := next(tasks, None)) is not None:
            left -= 1
            parts = []
            for rows in _trials(job, task[1]):
                began = time.perf_counter()
                parts += [outcome for _, outcome in here(job, iter([(task[0], rows)]))]
                spent = time.perf_counter() - began
                seconds = spent * len(task[1]) / len(rows)
                is_long = (is_known or spent > _SOON) and seconds * left > _SOON
                is_known = True
                if pool is None and count > 1 and left and is_long:
                    also_here = seconds < _SHORT and _is_ours(job)
                    pool = stack.enter_context(Pool(min(count - also_here, left)))
                    pool.begin(job)
            yield task[0], joined(parts)
        if pool is None:
            return
        cut = Pieces(job, tasks, _LAST * (pool.workers + 1))
        yield from cut.whole(_with_others(job, iter(cut), pool, also_here))


def _with_others(job: Job, tasks: Tasks, pool: Pool, also_here: bool) -> Done:
    """In this process while those of a pool start, then in the pool; in this one alone where they cannot load the study."""
    yield from meanwhile(job, tasks, pool)
    if pool.takes(job, asked=False):
        yield from processes(job, tasks, pool, also_here)
    yield from here(job, tasks)


def _in_processes(job: Job, tasks: Tasks, count: int) -> Done:
    """All tasks in so many processes; first one task alone, which leaves the kernels that it compiles in the cache."""
    if not count:
        return
    with Pool(count) as pool:
        pool.takes(job, asked=True)
        yield from processes(job, itertools.islice(tasks, 1), pool)
        yield from processes(job, tasks, pool)


def _is_ours(job: Job) -> bool:
    """Whether nothing but the library runs: functions of the user could bring down the process that leads the study."""
    words = (job.subject.source, *job.metrics.values())
    return all(isinstance(word, str) and ".py:" not in word for word in words)


class Pieces:
    """Tasks, of which the last ``count`` are cut, so that all processes end together.

    Pieces have numbers of their own; :meth:`whole` makes tasks of their outcomes again.
    """

    def __init__(self, job: Job, tasks: Tasks, count: int) -> None:
        self._job, self._tasks, self._count = job, tasks, count
        self._of: dict[int, tuple[int, range]] = {}  # the task of a piece, and its pieces

    def __iter__(self) -> Tasks:
        coming = deque(itertools.islice(self._tasks, self._count))
        while coming:
            number, rows = coming.popleft()
            coming.extend(itertools.islice(self._tasks, 1))
            is_cut = len(coming) < self._count and not self._job.series
            size = max(_TRIAL, -(-len(rows) // _PIECES)) if is_cut else len(rows)
            parts = [rows[k : k + size] for k in range(0, len(rows), size)]
            own = range(len(self._of), len(self._of) + len(parts))
            self._of |= dict.fromkeys(own, (number, own))
            yield from zip(own, parts, strict=True)

    def whole(self, done: Done) -> Done:
        """Tasks whose pieces are all done."""
        there: dict[int, Outcome] = {}
        for piece, outcome in done:
            there[piece] = outcome
            number, own = self._of[piece]
            if there.keys() >= set(own):
                yield number, joined([there.pop(k) for k in own])


def _trials(job: Job, rows: Rows) -> list[Rows]:
    """The runs of a task in parts, of which the second tells how long a run takes; one part where there are few."""
    if len(rows) < 4 * _TRIAL or job.series:
        return [rows]
    return [rows[:_TRIAL], rows[_TRIAL : 2 * _TRIAL], rows[2 * _TRIAL :]]


def processes(job: Job, tasks: Tasks, pool: Pool, also_here: bool = False) -> Done:
    """In a pool of processes of this machine; ``also_here``: this one computes too, a task between two looks at the others.

    Tasks must then be short. The last ones are not handed out ahead: whoever is free takes the next.
    """
    coming = list(itertools.islice(tasks, _LAST * (pool.workers + 1)))  # the next tasks, the first one last
    coming.reverse()
    attempts: dict[int, int] = {}
    running: dict[Future[Outcome], tuple[int, Rows]] = {}

    def next_task() -> tuple[int, Rows] | None:
        coming[:0] = itertools.islice(tasks, 1)
        return coming.pop() if coming else None

    while True:
        try:
            ahead = AHEAD if len(coming) > pool.workers or not also_here else 1
            while len(running) < ahead * pool.workers and (task := next_task()) is not None:
                running[pool.submit(job, task[1])] = task
            if not running:
                return
            own = next_task() if also_here else None
            if own is not None:
                yield from here(job, iter([own]))
            done = [one for one in running if one.done()] if own else wait(running, return_when=FIRST_COMPLETED).done
            for future in done:
                outcome = future.result()
                yield running.pop(future)[0], outcome
        except BrokenProcessPool:
            # A process was killed, or a run brought it down: what was under way is done again, each task a few times at most.
            pool.renew()
            for number, rows in running.values():
                attempts[number] = attempts.get(number, 0) + 1
                if attempts[number] < ATTEMPTS:
                    coming.append((number, rows))
                else:
                    yield number, _alone(job, rows)
            running.clear()
            also_here = False  # a run that kills its process must not kill this one


def _alone(job: Job, rows: Rows) -> Outcome:
    """The runs of a task that brings processes down, each in a process of its own; those that die have failed."""
    parts = []
    for row in rows:
        with Pool(1) as pool:
            try:
                parts.append(pool.submit(job, [row]).result())
            except BrokenProcessPool:
                parts.append(dead(job, 1))
    return joined(parts)


def dead(job: Job, count: int) -> Outcome:
    """Of runs whose process died."""
    status, account = (np.full(count, code, dtype=np.int8) for code in (STATUS.failed, ACCOUNT.unwatched))
    return Outcome(status, [_DIED] * count, np.full((count, len(job.metrics)), np.nan), account)


def joined(parts: Sequence[Outcome]) -> Outcome:
    """Outcomes of runs one after the other as one; series as of the first part that has them, NaN of parts without."""
    first = next((part for part in parts if part.series), parts[0])
    nothing = {name: values[:1] * np.nan for name, values in first.series.items()}
    series = {
        name: np.concatenate([part.series.get(name, np.repeat(nothing[name], len(part.status), axis=0)) for part in parts])
        for name in first.series
    }
    messages = [message for part in parts for message in part.messages]
    names_of = ("status", "numbers", "account")
    status, numbers, account = (np.concatenate([getattr(part, name) for part in parts]) for name in names_of)
    return Outcome(status, messages, numbers, account, series, first.labels)


def check_places(processes: int | None, workers: int | None, cluster: str | None) -> None:
    """Refuse two places at once, and anything but a positive number of processes."""
    if sum(x is not None for x in (processes, workers, cluster)) > 1:
        raise InputError("a study runs in processes of this machine, on Dask workers or on a cluster; give one of the three.")
    for word, count in (("processes", processes), ("workers", workers)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise InputError(f"the number of {word} is {count!r}; it must be a whole number from 1 on.")
