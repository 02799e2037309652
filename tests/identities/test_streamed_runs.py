"""Runs in stretches: the same bits as in one piece; what is on disk survives a kill, and goes on from there."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim import stretches
from locodyn.sim.part_file import MAGIC, PartFile, part_of
from locodyn.sim.progress import CompileWatch
from locodyn.sim.run import Clock, resume
from streamed_cases import KINDS, LIVE, assert_same, run_with_kills, scenario_of

pytestmark = pytest.mark.slow


def short_stretches(monkeypatch: pytest.MonkeyPatch, records: int = 20) -> None:
    """Stretches of so many records, however fast they are made."""
    for name in ("FEWEST", "FIRST", "MOST"):
        monkeypatch.setattr(stretches, name, records)


@pytest.mark.parametrize("case", KINDS)
def test_stretches_are_one_run(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a pause after every 20 records, in memory and through a file; and a run that is resumed from its middle."""
    scenario = scenario_of(case)
    whole = scenario.run(progress=False)
    short_stretches(monkeypatch)
    added: list[int] = []
    keep = stretches.Stretches.keep
    monkeypatch.setattr(stretches.Stretches, "keep", lambda self: (added.append(1), keep(self))[1])
    assert_same(whole, scenario_of(case).run(progress=False))
    assert len(added) > 1
    file = tmp_path / "run.nc"
    assert_same(whole, scenario_of(case).run(progress=False, out=file))
    assert_same(whole, ld.Result.load(file))
    assert not part_of(file).exists()
    if scenario.numerics.method.fixed_step and case != "a control law":  # it ends with the torque held until there
        half = scenario_of(case).changed(t_end=0.5 * scenario.recording.t_end)
        half.run(progress=False, out=file)
        assert_same(whole, resume(file, scenario.recording.t_end, scenario_of(case), progress=False))


@pytest.mark.parametrize("case", LIVE)
def test_stretches_that_are_handed_over(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits and the same events; and a run that dies goes on from its last stretch, to the tolerance of the method."""
    whole = scenario_of(case).run(progress=False)
    short_stretches(monkeypatch, 12)
    file = tmp_path / "run.nc"
    handed = scenario_of(case).run(progress=False, out=file)
    assert_same(whole, handed)
    told = [name for name in ("transitions", "violations", "impacts", "last_impact", "snaps", "evaluations")]
    assert str([whole.attributes.get(name) for name in told]) == str([handed.attributes.get(name) for name in told])
    file.unlink()
    stopped(file, 0.7 * scenario_of(case).recording.t_end, case)
    assert len(PartFile(part_of(file)).frames()) > 1
    resumed = resume(file, scenario_of(case).recording.t_end, scenario_of(case), progress=False)
    assert resumed.attributes.get("transitions", "").count("touchdown") == whole.attributes.get("transitions", "").count(
        "touchdown"
    )
    for name in ("body_position", "potential_energy"):
        np.testing.assert_allclose(resumed.dataset[name].values, whole.dataset[name].values, rtol=0.0, atol=1e-6)


def test_a_stretch_that_is_due_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run from event to event that ends when a stretch is due leaves nothing to record after it: of a rod, whose records are
    computed along it, too.
    """
    robot = ld.Robot("rod")
    arch = ld.StrainField("arch", ld.standing("bending_z", 1.0))
    rod = robot.base("wall", moves="fixed").rod("rod", length=0.5, section=ld.Circle(0.01), material=ld.silicone, fields=[arch])
    robot.body("ball", mass=0.1, shape=ld.Sphere(0.02)).on(rod).fixed().collides()
    options: dict[str, Any] = {"imposed": {"rod.arch": ld.sine(1.0, omega=3.0)}, "t_end": 0.02, "dt": 1e-3, "progress": False}
    options |= {"integrator": "event_driven", "gravity": (0, -9.81, 0)}
    whole = ld.simulate(robot, **options)
    short_stretches(monkeypatch, 12)
    assert_same(whole, ld.simulate(robot, **options))


@pytest.mark.parametrize("case", LIVE)
def test_a_signal_while_a_stretch_is_handed_over(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends with that stretch: no record is there twice, and all are those of the whole run."""
    whole = scenario_of(case).run(progress=False)
    short_stretches(monkeypatch, 12)
    added, add = [0], stretches.Stretches.add

    def signalled(self: stretches.Stretches, *stretch: Any) -> None:
        add(self, *stretch)
        added[0] += 1
        if added[0] == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(stretches.Stretches, "add", signalled)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background inherits that it is ignored
    try:
        found = scenario_of(case).run(progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.status.startswith("interrupted") and 12 < len(found.time) < len(whole.time)
    np.testing.assert_array_equal(found.time.values, whole.time.values[: len(found.time)])


def stopped(file: Path, at: float, case: str = "moreau") -> None:
    """A run, of two falling boxes, that ends in the middle, its stretches in the part file."""

    class Killed(Exception):
        pass

    def told(t: float) -> None:
        if t > at:
            raise Killed

    with pytest.raises(Killed):
        scenario_of(case).run(progress=told, out=file)


def test_torn_files_open_with_all_whole_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off anywhere in its last frame, or damaged there, the file has the others, and the run goes on to the same bits."""
    whole = scenario_of("moreau").run(progress=False)
    short_stretches(monkeypatch)
    file = tmp_path / "run.nc"
    stopped(file, 0.4)
    part = PartFile(part_of(file))
    data, frames = part.path.read_bytes(), part.frames()
    assert len(frames) >= 3 and not file.exists()
    before = frames[-2].body + frames[-2].head["bytes"]
    for cut in (before + 3, before + 30, frames[-1].body + 7, len(data) - 1):
        part.path.write_bytes(data[:cut])
        assert len(part.frames()) == len(frames) - 1
    part.path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert len(part.frames()) == len(frames) - 1
    dead = ld.Result.load(file)
    assert dead.dataset.sizes["time"] == sum(frame.records for frame in frames[:-1])
    assert dead.status.startswith("interrupted at t = ")
    assert_same(whole, resume(file, 0.6, scenario_of("moreau"), progress=False))
    assert not part.path.exists() and ld.Result.load(file).status == "completed"
    part.path.write_bytes(MAGIC[:5])
    assert ld.Result.load(file).status == "completed"


def test_a_run_killed_after_its_last_step_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All stretches are in the part file, the result is not: resumed to the same end, it is put together."""
    whole = scenario_of("moreau").run(progress=False)
    file, keep = tmp_path / "run.nc", stretches.Stretches.keep

    def killed(self: stretches.Stretches) -> None:
        keep(self)
        raise KeyError("killed")

    monkeypatch.setattr(stretches.Stretches, "whole", killed)
    with pytest.raises(KeyError, match="killed"):
        scenario_of("moreau").run(progress=False, out=file)
    monkeypatch.undo()
    assert part_of(file).exists() and not file.exists()
    end = whole.dataset.time.values[-1]
    assert_same(whole, resume(file, end, scenario_of("moreau"), progress=False))
    assert not part_of(file).exists() and ld.Result.load(file).status == "completed"
    with pytest.raises(ld.InputError, match="the end time must be later"):
        resume(file, end, scenario_of("moreau"), progress=False)


def test_a_sum_that_begins_late_is_zero_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches before it do not tell it: in a result put together in memory as in one that stays on disk."""
    stretch = scenario_of("moreau").run(progress=False).dataset
    without = stretch.drop_vars(["impact_loss"])
    wholes = []
    for limit in (1e9, 0.0):
        monkeypatch.setattr(stretches, "IN_MEMORY", limit)
        parts = stretches.Stretches(tmp_path / f"{limit:g}.nc")
        for one in (without, without, stretch):
            parts.add(one, np.zeros((0, 0)), np.zeros((0, 0)))
            parts.keep()
        wholes.append(parts.whole()["impact_loss"].values)
        parts.close()
    np.testing.assert_array_equal(wholes[0], wholes[1])
    count = stretch.sizes["time"]
    assert not wholes[0][: 2 * count].any() and wholes[0][2 * count :].any()


def test_one_run_at_a_time_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_stretches(monkeypatch)
    file = tmp_path / "run.nc"
    other = PartFile(part_of(file))
    other.begin()
    with pytest.raises(ld.InputError, match="is being written by another run"):
        scenario_of("moreau").run(progress=False, out=file)
    other.remove()


def test_the_time_that_is_left_does_not_count_compiling() -> None:
    watch = CompileWatch(say=False)
    clock = Clock(watch)
    watch.seconds = 100.0
    assert clock.computing == pytest.approx(clock.seconds - 100.0, abs=1.0)  # s between the two looks at the clock


@pytest.mark.parametrize("case", [*KINDS, "event_driven"])
def test_a_killed_run_keeps_what_it_wrote(case: str, tmp_path: Path) -> None:
    """SIGKILL at moments without a plan; resumed each time, the run ends with the bits of an uninterrupted one.

    ``event_driven`` ends within its tolerance; the other methods that hand their stretches over do it in the same way.
    """
    run_with_kills(case, 4 if case == "moreau" else 1, tmp_path, seed=7)
