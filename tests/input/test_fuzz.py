"""Damaged files: every reader takes them or says one sentence; it does not crash and does not run what they say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from fuzz_cases import KINDS_OF_EDITS, damaged, seeds, survives
from locodyn.files.source import scenario_of
from reader_guard import MEMORY, Guard

pytestmark = pytest.mark.slow

KINDS = ("YAML", "URDF", "MJCF", "NetCDF", "part of a run", "CSV", "mesh", "binary mesh", "PLY", "OFF", "GLB", "DAE")
KINDS += ("contact problem", "FCLIB", "capture", "table", "measurements", "pegs", "study", "task")
EDIT = st.tuples(st.integers(0, KINDS_OF_EDITS - 1), *[st.integers(0, 2**31)] * 3)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[bytes], Callable[[bytes, Path], Any]]]:
    return seeds(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    with closing(Guard(tmp_path_factory.mktemp("guarded"))) as found:
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_valid_files_are_read(kind: str, cases: Any, guard: Guard) -> None:
    valid, act = cases[kind]
    with guard.watching():
        assert all(survives(act, data, guard.folder) for data in valid)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(which=st.integers(0, 9), edits=st.lists(EDIT, min_size=1, max_size=5))
def test_damaged_files_are_read_or_refused(kind: str, cases: Any, guard: Guard, which: int, edits: Any) -> None:
    """Nothing outside of their folder is opened on the way, no program is started, and 2 GB are enough."""
    valid, act = cases[kind]
    with guard.watching():
        survives(act, damaged(valid[which % len(valid)], edits), guard.folder)


MESH = '<robot name="a"><link name="b"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
OUTSIDE = {
    "a mesh": ("a.xml", '<asset><mesh name="m" file="../secret.obj"/></asset>'),
    "a link": ("a.xml", '<asset><mesh name="m" file="link.obj"/></asset>'),
    "a second compiler": (
        "a.xml",
        '<compiler meshdir="."/><compiler assetdir=".."/><asset><mesh name="m" file="secret.obj"/></asset>',
    ),
    "a first compiler": (
        "a.xml",
        '<compiler meshdir=".."/><compiler meshdir="."/><asset><mesh name="m" file="secret.obj"/></asset>',
    ),
    "a default": ("a.xml", '<default><mesh file="../secret.obj"/></default><asset><mesh name="m"/></asset>'),
    "a model": (
        "a.xml",
        '<asset><model name="m" file="inner.xml"/></asset><worldbody><attach model="m" body="b" prefix="p"/></worldbody>',
    ),
    "a height field": ("a.xml", '<asset><hfield name="m" file="../secret.png" size="1 1 1 1"/></asset>'),
    "a skin": ("a.xml", '<asset><skin name="m" file="../secret.obj"/></asset>'),
    "a texture": ("a.xml", '<asset><texture name="m" type="2d" file="../secret.png"/></asset>'),
    "a cube of textures": ("a.xml", '<asset><texture name="m" type="cube" fileup="../secret.png"/></asset>'),
    "an included file": ("a.xml", '<include file="../secret.xml"/>'),
    "a flexible body": ("a.xml", '<worldbody><body><flexcomp name="m" type="mesh" file="../secret.obj"/></body></worldbody>'),
    "an entity": ("a.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "../secret.xml">]>'),
    "a mesh of a link": ("a.urdf", MESH.format("../secret.obj")),
    "a package": ("a.urdf", MESH.format("package://files/../../secret.obj")),
    "a robot": ("a.yaml", "robot: ../secret.yaml\n"),
    "a base": ("a.yaml", "robot: a\nfrom: ../secret.urdf\n"),
    "a table": ("a.yaml", "robot: part.yaml\ndrives: {imposed: {b: {csv: {file: ../secret.csv, column: a}}}}\n"),
    "measurements": ("a.yaml", "robot: part.yaml\ndrives: {measured: {b: {file: ../secret.csv, places: [0]}}}\n"),
}


def test_the_guard_hears_and_sees(guard: Guard) -> None:
    """What readers may not do: done, it is told."""
    secret = guard.folder.parent / "secret.obj"
    does = {
        "opened .*secret.obj": lambda: secret.read_bytes(),
        "opened .*link|opened .*secret.xml": lambda: etree.parse(str(guard.folder / "link.xml")),  # by a library in C
        "os.system": lambda: os.system("true"),
        "subprocess.Popen": lambda: subprocess.run(["true"], check=True),
        "opened /etc/hostname": lambda: Path("/etc/hostname").exists() and Path("/etc/hostname").read_bytes(),
    }
    for told, act in does.items():
        with pytest.raises(AssertionError, match=told), guard.watching():
            act()
    with pytest.raises(MemoryError), guard.watching():
        bytearray(MEMORY + MEMORY // 4)
    with guard.watching():
        (guard.folder / "secret.obj").read_bytes()


@pytest.mark.parametrize("what", OUTSIDE)
def test_no_way_out_of_the_folder(what: str, guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these names a file beside the folder; libraries in C, too, must not open it."""
    monkeypatch.chdir(guard.folder)  # where some of them look
    name, text = OUTSIDE[what]
    (guard.folder / name).write_text(f"<mujoco>{text}</mujoco>" if name.endswith("xml") and "!DOCTYPE" not in text else text)
    with guard.watching():
        survives(lambda data, folder: scenario_of(folder / name), b"", guard.folder)


LONG = "x" * 5000  # longer than a name may be: the operating system refuses to look it up
ASSET = '<mujoco><asset><mesh name="a" file="{}.obj"/></asset><worldbody><geom type="mesh" mesh="a"/></worldbody></mujoco>'


@pytest.mark.parametrize(
    "name, text",
    [
        ("robot.urdf", MESH.format(LONG)),
        ("robot.urdf", MESH.format(f"package://{LONG}/a")),
        ("robot.xml", ASSET.format(LONG)),
        ("robot.yaml", f"robot: {LONG}.yaml\n"),
    ],
)
def test_names_that_are_too_long_are_of_no_file(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    survives(lambda data, folder: scenario_of(folder / name), b"", tmp_path)


def test_a_sentence_has_one_line_whatever_it_quotes(cases: Any, tmp_path: Path) -> None:
    quoted = b'time,position.x\n0,1\n1,2\n2,"3\n4"\n'
    assert not survives(cases["measurements"][1], quoted, tmp_path)
    for word in (b"99999999999999999999999", b"1e400", b"[1]", b"true"):
        survives(cases["task"][1], cases["task"][0][0].replace(b"episode: 0.2", b"episode: " + word), tmp_path)


def test_a_mesh_with_a_corner_beyond_all_integers_is_damaged(cases: Any, tmp_path: Path) -> None:
    assert not survives(cases["mesh"][1], b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", tmp_path)
