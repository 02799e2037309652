"""Every example runs as it is, in a folder of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from locodyn.files import scenario_of

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
FILES = sorted((FOLDER / "files").glob("*_drive.yaml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example, tmp_path):
    done = subprocess.run(
        [sys.executable, str(example), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_scenario_file_runs_and_fulfils_its_checks(file):
    result = scenario_of(file).scenario.run(progress=False)
    outcomes = result.checks()
    assert outcomes and all(outcome.passed for outcome in outcomes)


def test_there_are_examples():
    assert len(EXAMPLES) >= 4 and len(FILES) >= 2
