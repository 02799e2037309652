"""Damaged files: every reader takes them or says one sentence; it does not crash and does not run what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz_cases import damaged, seeds, survives
from locodyn.files.source import scenario_of

pytestmark = pytest.mark.slow

KINDS = ("YAML", "URDF", "MJCF", "NetCDF", "part of a run", "CSV", "mesh", "binary mesh", "PLY", "OFF", "GLB", "DAE")
KINDS += ("contact problem", "FCLIB", "capture", "table", "measurements", "pegs", "study", "task")
EDIT = st.tuples(st.integers(0, 5), *[st.integers(0, 2**31)] * 3)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[bytes], Callable[[bytes, Path], Any]]]:
    return seeds(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("kind", KINDS)
def test_valid_files_are_read(kind: str, cases: Any, tmp_path: Path) -> None:
    valid, act = cases[kind]
    assert all(survives(act, data, tmp_path) for data in valid)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(which=st.integers(0, 9), edits=st.lists(EDIT, min_size=1, max_size=5))
def test_damaged_files_are_read_or_refused(kind: str, cases: Any, tmp_path: Path, which: int, edits: Any) -> None:
    valid, act = cases[kind]
    survives(act, damaged(valid[which % len(valid)], edits), tmp_path)


LONG = "x" * 5000  # longer than a name may be: the operating system refuses to look it up
MESH = '<robot name="a"><link name="b"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
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
