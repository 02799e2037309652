"""Every script in studies/ runs as it is, and finds what it checks: published numbers, closed forms, brute force."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPTS = sorted((Path(__file__).resolve().parents[2] / "studies").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_study_finds_what_it_checks(script, tmp_path):
    command = [sys.executable, str(script), str(tmp_path), "--quick"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and list(tmp_path.glob("*.png"))


def test_there_are_studies():
    assert len(SCRIPTS) == 12
