"""The documentation names what there is: integrators, commands with their options, robots of the zoo, files of the source."""

import re
from pathlib import Path

import pytest
import typer

from locodyn.cli.app import app
from locodyn.zoo.registry import NAMED, ROBOTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
BY_ANOTHER_FORM = {"--open", "--output"}  # --no-open, -o


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def test_every_integrator_has_a_row():
    """Its tables are made of the declarations."""
    text = page("integrators.md")
    assert "<!-- generated: integrators -->" in text and "<!-- generated: features -->" in text
    assert "<!-- generated: choice -->" in page("choose-integrator.md")


def test_every_robot_has_a_row():
    assert [name for name in (*ROBOTS, *NAMED) if f"`{name}`" not in page("zoo.md")] == []


def test_every_command_and_option_is_told():
    text = page("command-line.md")
    commands = typer.main.get_command(app).commands
    assert [name for name in commands if f"locodyn {name}" not in text] == []
    options = {option for command in commands.values() for one in command.params for option in one.opts}
    long = {option for option in options if option.startswith("--")} - BY_ANOTHER_FORM
    assert sorted(option for option in long if not re.search(rf"{option}\b", text)) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_that_are_named_exist(path):
    named = re.findall(r"`(?:(?:src/)?locodyn/)?([a-z_]+/[a-z_0-9/]+\.py)`", path.read_text())
    assert [name for name in named if not (ROOT / name).exists() and not (ROOT / "src/locodyn" / name).exists()] == []
