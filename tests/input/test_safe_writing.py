"""Results that are written safely: signals, links, devices, full disks, runs that cannot fit."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim import part_file, room, run, store
from locodyn.sim.interrupts import Interrupts, terminate
from locodyn.sim.scenario import Scenario
from locodyn.view import film


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """A shell starts what it puts in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def small() -> Scenario:
    return ld.zoo.pendulum(n=2).changed(t_end=0.1, dt=0.01, integrator="rkmk4", record_every=1, checks=())


def test_signals_while_a_result_is_recorded_wait_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between integration and writing, where an exception would take all."""
    labelled = run.labelled

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return labelled(*arguments)

    monkeypatch.setattr(run, "labelled", interrupted)
    result = small().run(progress=False, out=tmp_path / "run.nc")
    assert result.status == "completed"
    assert ld.Result.load(tmp_path / "run.nc").dataset.sizes["time"] == 11
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_inside_larger_work_hears_a_signal_after_its_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is whole, but what it was made for ends: a video of a minute and a half went on."""
    labelled = run.labelled

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return labelled(*arguments)

    assert run.run_through(small(), progress=False).status == "completed"
    monkeypatch.setattr(run, "labelled", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.run_through(small(), progress=False)


def test_a_video_that_is_stopped_twice_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made in a thread, which clears away what it has begun; here that takes 0.5 s, and Ctrl-C comes again meanwhile."""

    def shots(*arguments, kind):
        stop = arguments[6]
        while not stop.is_set():
            time.sleep(0.01)
            yield b""
        time.sleep(0.5)
        raise ld.InputError("the video was stopped.")

    monkeypatch.setattr(film, "shots", shots)
    monkeypatch.setattr(film, "check_possible", lambda file: None)
    monkeypatch.setattr(film, "_write_mp4", lambda pictures, target, rate: list(pictures))
    result = small().run(progress=False)
    for delay in (0.3, 0.5):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        result.video(tmp_path / "run.mp4", progress=False)
        time.sleep(1.0)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_stops_at_once(number: signal.Signals) -> None:
    signal.signal(signal.SIGTERM, terminate)
    try:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), number)
            assert interrupts.wanted
            with pytest.raises(KeyboardInterrupt):
                interrupts.check()
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), number)
                for _ in range(1000):
                    pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link = tmp_path / "link.nc"
    link.symlink_to(tmp_path / "far" / "run.nc")
    small().run(progress=False, out=link)
    assert link.is_symlink() and (tmp_path / "far" / "run.nc").is_file()
    assert ld.Result.load(link).status == "completed"


def test_devices_and_pipes_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.nc")
    with pytest.raises(ld.InputError, match="is a device or a pipe"):
        small().run(progress=False, out=tmp_path / "pipe.nc")
    with pytest.raises(ld.InputError, match="is a device or a pipe"):
        store.write_beside("/dev/null", lambda file: file.write_text("x"))


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ld.InputError, match=r"run.nc' cannot be written \(No space left on device\): it needs up to"):
        small().run(progress=False, out=tmp_path / "run.nc")
    monkeypatch.setattr(os, "fsync", full)
    part = part_file.PartFile(tmp_path / "run.nc.part")
    with pytest.raises(ld.InputError, match="make room, and begin anew"):
        part.begin()
    part.close()
    monkeypatch.undo()
    part.begin()
    part.add(small().run(progress=False).dataset)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ld.InputError, match="what it has so far is kept"):
        part.add(small().run(progress=False).dataset)
    assert len(part.frames()) == 1
    part.close()


def test_files_of_killed_processes_are_cleared_away(tmp_path: Path) -> None:
    """Beside the file of the same name, of processes that are gone; not those of processes that run."""
    gone, here = tmp_path / ".run-999999999-locodynabc.nc", tmp_path / f".run-{os.getpid()}-locodynabc.nc"
    gone.write_text("x")
    here.write_text("x")
    store.write_beside(tmp_path / "run.nc", lambda file: file.write_text("y"))
    assert not gone.exists() and here.exists() and (tmp_path / "run.nc").read_text() == "y"


def test_a_stopped_run_over_a_longer_one_is_said(tmp_path: Path) -> None:
    """A result of 0.1 s, and beside it what a later run to the same file had before it was killed."""
    file = tmp_path / "run.nc"
    whole = small().run(progress=False, out=file)
    for reached, said in ((0.05, True), (0.1, False)):
        part = part_file.PartFile(part_file.part_of(file))
        part.begin()
        part.add(whole.dataset.isel(time=slice(0, 6)).assign_attrs(resume_time=reached))
        part.close()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            assert len(ld.Result.load(file).time) == 6
        assert [one.category for one in heard] == [store.PartWarning] * said
    part.remove()
    assert len(ld.Result.load(file).time) == 11


def test_a_name_that_no_file_can_have_is_a_sentence(locodyn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--out", f"{'x' * 300}.nc"), ("--report", f"{'x' * 300}.html"), ("--plot", f"{'x' * 300}.png")):
        code, _, said = locodyn("run", "pendulum", *words)
        assert code == 2 and said.endswith("x' cannot be used (File name too long).\n".replace("x'", f"{words[1][-6:]}'")), said
    assert not os.listdir(tmp_path)


def test_runs_that_cannot_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_memory", lambda: 1e9)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=1e9))
    for out, where in ((None, "of memory"), (tmp_path / "run.nc", "on the disk of")):
        with pytest.raises(ld.InputError, match=rf"9e\+07 records, which need about .* and there are .* {where}"):
            small().changed(t_end=9e5).run(progress=False, out=out)


def test_only_what_is_asked_for_is_recorded(tmp_path: Path) -> None:
    result = small().changed(record=["joint_position"], record_every=5).run(progress=False, out=tmp_path / "run.nc")
    assert list(result.dataset.data_vars) == ["joint_position"] and result.dataset.sizes["time"] == 3
    assert "--record joint_position" in result.attributes["command"]
    with pytest.raises(ld.InputError, match="no result has a variable 'joint_positon'; did you mean 'joint_position'"):
        small().changed(record=["joint_positon"])


@pytest.mark.slow
def test_the_end_of_a_contact_run_starts_the_next() -> None:
    """Steps may leave surfaces a little inside each other, here made 4e-5 m: a result begins the next run with the ball moved out
    by that; the same numbers by hand are refused as any overlap."""
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, inertia=ld.about_centre(xx=4e-3, yy=4e-3, zz=4e-3), shape=ld.Sphere(0.1)).collides()
    start = ld.Start(positions={"ball": (0, 0, 0.11, 1, 0, 0, 0)})
    ball = ld.Scenario("ball", robot, obstacles=[ld.Ground()], start=start, integrator="moreau", dt=1e-3, t_end=0.1)
    first = ball.run(progress=False)
    inside = np.array(first.attributes["resume_position"])
    inside[2] = 0.1 - 4e-5
    first.dataset.attrs["resume_position"] = inside
    assert ball.problem.contact.overlap(inside)[0] == pytest.approx(4e-5, rel=1e-9)
    second = ball.changed(start=first).run(progress=False)
    assert second.status == "completed"
    moved = second.q[0] - inside
    assert moved[2] == pytest.approx(4e-5, abs=2e-6) and abs(np.delete(moved, 2)).max() < 1e-12
    with pytest.raises(ld.InputError, match=r"overlap by .* Start\(resolve=True\)"):
        ball.changed(start=(inside, first.v[-1])).run(progress=False)


@pytest.mark.slow
def test_memories_go_on_in_a_start() -> None:
    slip = ld.zoo.stick_slip().changed(checks=(), t_end=0.5)
    first = slip.run(progress=False)
    assert slip.changed(start=first).initial_memory() == pytest.approx(first.memory.values[-1], abs=0.0)
