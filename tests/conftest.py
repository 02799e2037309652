"""Settings of the property tests, and the command line as a fixture.

The same samples in every run, no time limit for a sample (the first one may compile).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "locodyn", derandomize=True, database=None, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("locodyn")

_SLOW_FILE = re.compile(r"^pytestmark = pytest\.mark\.slow$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """``-m "not slow"`` does not import files of which nothing would be left: half of what it takes to collect."""
    if config.option.markexpr != "not slow" or not collection_path.name.startswith("test_") or collection_path.is_dir():
        return None
    return True if _SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) else None


@pytest.fixture
def locodyn(monkeypatch, capsys):
    """The command in this process: words -> (exit code, standard output, standard error but for what a cold start compiles)."""
    from locodyn.cli import main

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["locodyn", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        errors = [line for line in printed.err.splitlines(keepends=True) if not line.startswith("compiling kernels")]
        return ended.value.code, printed.out, "".join(errors)

    return call
