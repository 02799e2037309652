"""Settings of the property tests, and the command line as a fixture.

The same samples in every run, no time limit for a sample (the first one may compile).
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "locodyn", derandomize=True, database=None, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("locodyn")


@pytest.fixture
def locodyn(monkeypatch, capsys):
    """The command in this process: words -> (exit code, standard output, standard error)."""
    from locodyn.cli import main

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["locodyn", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call
