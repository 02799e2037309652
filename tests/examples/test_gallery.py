"""The gallery: every registered robot has picture, plot, commands and measured checks, and they are those of its file."""

import shlex
import sys
from pathlib import Path

import pytest

from locodyn.zoo.registry import ROBOTS, make, module

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "site"))

from entries import PICTURES, entry, files, missing  # noqa: E402

pytestmark = pytest.mark.slow

MOST = 6_000_000  # bytes of all pictures of the zoo


def test_every_robot_has_an_entry():
    lacking = missing(list(ROBOTS))
    assert lacking == [], f"'make gallery' makes picture, plot and checks of {', '.join(lacking)}"


def test_no_entry_is_left_over_and_pictures_are_small():
    stems = {file.stem.removesuffix("_plot") for file in PICTURES.iterdir()}
    assert stems == set(ROBOTS)
    assert sum(file.stat().st_size for file in PICTURES.iterdir()) < MOST


@pytest.mark.parametrize("name", ROBOTS)
def test_entry_belongs_to_the_robot(name):
    about = entry(name)
    assert about["checks"], "a robot without a check is not validated"
    assert all(check["passed"] for check in about["checks"]), "make it anew: python docs/site/make_gallery.py " + name
    sets = [" ".join(f"{key}={value}" for key, value in settings.items()) for settings in module(name).VALIDATION]
    assert {check["settings"] for check in about["checks"]} == set(sets)
    for command in (about["picture"], about["plot"]):
        words = shlex.split(command)
        assert words[0] == "locodyn" and words[2] == name
        settings = dict(word.split("=") for k, word in enumerate(words) if words[k - 1] == "--set")
        make(name, settings)  # it takes these words


def test_names_of_checks_are_those_of_the_robot():
    """Stored names against those of the scenarios, so that a changed check is measured anew."""
    for name in ROBOTS:
        if files(name)[0].is_file():
            wanted = [check.name for settings in module(name).VALIDATION for check in make(name, settings).checks]
            assert [check["check"] for check in entry(name)["checks"]] == wanted, name
