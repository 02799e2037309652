"""The guided tours of the architecture are what happens: each file is called, in this order, from those before it.

The command of a tour is run with kernels as plain Python (:mod:`locodyn.kernel.plain`), whose calls a profiler sees.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import locodyn

pytestmark = pytest.mark.slow

SOURCE = Path(locodyn.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "architecture.md"
# For each call of a function in a file of the tour: the files of the tour on the stack, from the command inwards.
SCRIPT = """
import json, sys
from pathlib import Path
import locodyn
from locodyn.cli import main
from locodyn.kernel.plain import uncompiled

root, tour = str(Path(locodyn.__file__).parent) + "/", set(sys.argv[1].split(","))
name, t_end, out = sys.argv[2:]
stacks = {}

def note(frame, event, arg):
    if event == "call" and frame.f_code.co_filename.removeprefix(root) in tour:
        stack = []
        while frame is not None:
            stack.append(frame.f_code.co_filename.removeprefix(root))
            frame = frame.f_back
        stacks.setdefault(tuple(one for one in reversed(stack) if one in tour))

sys.argv = ["locodyn", "run", name, "--t-end", t_end, "--quiet"]
with uncompiled(1000.0):
    sys.setprofile(note)
    try:
        main()
    except SystemExit as end:
        assert not end.code
    finally:
        sys.setprofile(None)
Path(out).write_text(json.dumps(list(stacks)))
"""
T_END = {"snakeboard": "0.01", "snake_3d": "0.001"}  # s: a step


def tours() -> list[tuple[str, list[str]]]:
    """Name of the robot, and files of the steps, of each tour of the page."""
    if not PAGE.is_file():
        return []
    text = PAGE.read_text(encoding="utf-8")
    parts = text[text.index("## Guided tours") : text.index("## Frames, coordinates, arrays")].split("**From `locodyn run ")[1:]
    return [(re.match(r"\w+", part)[0], re.findall(r"^\d+\. `([\w/]+\.py)`:", part, re.MULTILINE)) for part in parts]


def is_within(short: list[str], long: list[str]) -> bool:
    """Whether the entries of a list stand in another one, in their order."""
    rest = iter(long)
    return all(one in rest for one in short)


@pytest.mark.skipif(any((SOURCE / "kernel" / "machine_code").rglob("*")), reason="kernels are compiled already")
@pytest.mark.parametrize(("robot", "files"), tours(), ids=lambda one: one if isinstance(one, str) else "")
def test_each_file_is_called_from_those_before_it(robot: str, files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "stacks.json"
    words = [sys.executable, "-c", SCRIPT, ",".join(files), robot, T_END[robot], str(out)]
    subprocess.run(words, check=True, env={**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / "cache")}, cwd=tmp_path)
    stacks = json.loads(out.read_text())
    assert set(files) <= {one[-1] for one in stacks}
    # The robot and the method say what there is; of the others, all but two at most are on the way to the last one.
    called = [one for one in files if not one.startswith(("zoo/", "integrate/methods/"))]
    deepest = max((one for one in stacks if one[-1] == called[-1]), key=lambda one: len(set(one)))
    way = [one for one in called if one in deepest]
    assert is_within(way, deepest) and len(called) - len(way) <= 2, f"the last file is reached by {deepest}"
    first = []
    for place, file in enumerate(called):
        before = [one for one in called[:place] if one in way]
        found = [n for n, one in enumerate(stacks) if one[-1] == file and is_within(before, one)]
        assert found, f"{file} is not called from {before}"
        first.append(found[0])
    assert first == sorted(first), "the files come in another order"
