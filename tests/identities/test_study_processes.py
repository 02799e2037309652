"""Studies give the same bytes in one process, in a pool and on Dask workers, also where a worker and the client are killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import locodyn.study.study
from locodyn.study import Study, StudyResult, backends, dask_workers
from locodyn.study.one_run import Outcome
from study_cases import bob, deadly, files, last_angle

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]


def study() -> Study:
    return Study(bob, {"length": "0.5..2:24", "angle": "0.1..0.4:8"}, {"end": last_angle}, settings={"t_end": 2.0})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "whole.zarr"
    study().run(path, progress=False)
    return files(path)


def test_a_pool_of_processes_writes_the_same_bytes(tmp_path, undisturbed):
    study().run(tmp_path / "pool.zarr", processes=2, progress=False)
    assert files(tmp_path / "pool.zarr") == undisturbed


def test_the_process_that_leads_computes_beside_the_others_and_writes_the_same_bytes(tmp_path, monkeypatch):
    """Where nobody asks for processes and runs are short: all others start, none of them is left out; also its first trials."""
    short = Study("snakeboard", {"a_phi": "0.1..0.9:32", "a_psi": "0.2..1.2:8"}, ["speed"], settings={"t_end": 1.0})
    short.run(tmp_path / "one.zarr", processes=1, progress=False)
    computed, led, told = backends.processes, backends.here, []

    def watched(job, tasks, pool, also_here):
        told.append((pool.workers, also_here))
        monkeypatch.setattr(backends, "here", lambda job, tasks: (told.append("here"), led(job, tasks))[1])
        yield from computed(job, tasks, pool, also_here)

    for name, value in (("_SOON", 0.0), ("_TRIAL", 2), ("processes", watched), ("meanwhile", lambda *_: iter(()))):
        monkeypatch.setattr(backends, name, value)
    monkeypatch.setattr(backends.os, "cpu_count", lambda: 2)
    short.run(tmp_path / "both.zarr", progress=False)
    assert told[:2] == [(1, True), "here"]
    assert files(tmp_path / "both.zarr") == files(tmp_path / "one.zarr")


def test_the_last_tasks_are_cut_and_made_whole_again_in_any_order():
    """Of ten tasks of 64 runs and one of 20: each run once, in its place, and nothing cut before the last two."""
    job = Study(bob, {"length": "0.5..2:24"}, {"end": last_angle}).job
    tasks = [(k, [{"run": 100 * k + n} for n in range(64 if k < 10 else 20)]) for k in range(11)]
    cut = backends.Pieces(job, iter(tasks), 2)
    pieces = list(cut)
    assert [len(rows) for _, rows in pieces] == [*[64] * 9, *[16] * 4, 8, 8, 4]
    done = [
        (k, Outcome(np.ones(len(rows)), [""] * len(rows), np.array([[row["run"]] for row in rows]), np.zeros(len(rows))))
        for k, rows in np.random.default_rng(1).permutation(np.array(pieces, dtype=object))
    ]
    whole = dict(cut.whole(iter(done)))
    assert {k: outcome.numbers[:, 0].tolist() for k, outcome in whole.items()} == {
        k: [row["run"] for row in rows] for k, rows in tasks
    }


def test_a_script_without_a_main_guard_does_not_run_its_study_in_every_process(tmp_path):
    """Processes load the script; before, each of them began the same study in the same store."""
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from study_cases import bob, last_angle\nfrom locodyn.study import Study\n"
        "print('loaded', flush=True)\n"
        "Study(bob, {'length': '0.5..2:4'}, {'end': last_angle}).run('own.zarr', processes=2, progress=False)\n"
        "print('computed', flush=True)\n"
    )
    paths = os.pathsep.join([str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode != 0 and "computed" not in done.stdout and done.stdout.count("loaded") > 1
    assert "start the script below 'if __name__ == \"__main__\"'" in done.stderr and "bootstrapping" not in done.stderr


def test_a_run_that_kills_its_process_has_failed_and_the_others_are_there(tmp_path):
    lengths = [1.0, 1.5, 3.0, 0.5]
    found = Study(deadly, {"length": lengths}, {"end": last_angle}).run(processes=2, progress=False)
    assert found.failures() == {"the process that computed it died": [2]}
    assert found.completed == 3


def test_dask_workers_are_processes_and_a_run_that_kills_them_has_failed_and_the_others_are_there(tmp_path, monkeypatch):
    """Two runs a task: the one beside the deadly one is there, with its series, as in a pool, whose store has the same bytes."""
    monkeypatch.setattr(locodyn.study.study, "chunk_of", lambda runs: 2)
    deaths = Study(deadly, {"length": [1.0, 1.5, 3.0, 0.5]}, {"end": last_angle}, series=["joint_position"])
    with dask_workers.dask_client(2, None) as client:
        pids = set(client.run(os.getpid).values())
        assert len(pids) == 2 and os.getpid() not in pids and set(client.nthreads().values()) == {1}
        monkeypatch.setattr(dask_workers, "dask_client", lambda workers, cluster: nullcontext(client))
        found = deaths.run(tmp_path / "dask.zarr", workers=2, progress=False)
    assert found.failures() == {"the process that computed it died": [2]} and found.completed == 3
    assert np.isfinite(found.dataset["joint_position"].values[[0, 1, 3]]).all()
    deaths.run(tmp_path / "pool.zarr", processes=2, progress=False)
    assert files(tmp_path / "pool.zarr") == files(tmp_path / "dask.zarr")


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two workers, each a process of its own on the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    paths = os.pathsep.join([str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    started = []

    def start(module, *words):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, **quiet))
        return started[-1]

    start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    options = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
    workers = [start("dask_worker", *options) for _ in range(2)]
    yield address, workers
    for process in started:
        process.kill()
        process.wait()


CLIENT = """
import sys
sys.path.insert(0, {tests!r})
sys.path.insert(0, {here!r})
from test_study_processes import study
study().run({path!r}, cluster={address!r}, progress=False)
"""


def begin(path: Path, address: str) -> subprocess.Popen:
    script = CLIENT.format(tests=str(TESTS), here=str(TESTS / "identities"), path=str(path), address=address)
    return subprocess.Popen([sys.executable, "-c", script])


def wait_for(path: Path, runs: int, process: subprocess.Popen) -> None:
    end = time.monotonic() + 240.0
    while time.monotonic() < end:
        if path.exists() and sum(StudyResult.load(path).store.counts()[1:]) >= runs:
            return
        assert process.poll() is None, "the client ended before it was killed"
        time.sleep(0.05)
    raise AssertionError("the cluster did nothing")


def test_a_cluster_whose_worker_and_client_are_killed_gives_the_undisturbed_store(tmp_path, cluster, undisturbed):
    address, workers = cluster
    path = tmp_path / "cluster.zarr"
    client = begin(path, address)
    wait_for(path, 12, client)
    workers[0].send_signal(signal.SIGKILL)
    wait_for(path, 36, client)
    client.kill()
    client.wait()
    assert StudyResult.load(path).store.counts()[0] > 0
    assert begin(path, address).wait(timeout=240) == 0
    assert files(path) == undisturbed
