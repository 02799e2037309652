"""What is said while kernels are compiled: by every command that may need some, once, and in a line that goes away."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from locodyn.cli import options
from locodyn.cli.app import app
from locodyn.sim.progress import CompileWatch

WORDS = {
    "describe": ["pendulum"],
    "run": ["pendulum"],
    "linearise": ["pendulum"],
    "workspace": ["hexapod_cpr", "--body", "platform", "--grid", "x=0:1:2"],
    "sweep": ["pendulum"],
    "optimise": ["pendulum"],
    "plan": [],
    "validate": ["pendulum"],
    "export": ["pendulum", "--to", "c"],
    "episodes": ["Snake"],
    "judge": ["a01"],
}


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _silent_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompileWatch, "_said", False)


def compiled(*watches: CompileWatch) -> None:
    """A kernel, as all watches hear of it."""
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=CompileWatch)})
    for watch in watches:
        watch.on_start(event)
    for watch in watches:
        watch.on_end(event)


@pytest.mark.parametrize("name", WORDS)
def test_commands_that_may_compile_are_watched(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(Exception):
        pass

    def watch(say: bool) -> Any:
        raise Watched

    monkeypatch.setattr(options, "_watch", watch)
    assert isinstance(CliRunner().invoke(app, [name, *WORDS[name]]).exception, Watched)


def test_the_innermost_watch_speaks_in_a_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen())
    with CompileWatch(True) as outer:
        compiled(outer)
        with CompileWatch(True) as inner:
            compiled(outer, inner)
            compiled(outer, inner)
        with CompileWatch(False) as silent:
            compiled(outer, silent)
    said = sys.stderr.getvalue().split("\r")
    begin, module = "compiling kernels, once per installation: ", "now of sim/progress\033[K"
    lines = [f"{begin}{count} of 200 to 400 in 0 s, {module}" for count in (0, 0, 1, 3)]  # the outer, twice the inner, the outer
    assert said == ["", *(part for line in lines for part in (line, "\033[K"))]


def test_without_a_terminal_one_line_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with CompileWatch(True) as watch:
            compiled(watch, watch)
    assert capsys.readouterr().err == "compiling kernels, once per installation: this takes up to a minute ...\n"
