"""The gallery: every registered robot has picture, plot, commands and measured checks, and they are of its present file."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from locodyn.sim import Kind
from locodyn.zoo.registry import NAMED, ROBOTS, make, module

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "site"))

import entries  # noqa: E402
import make_gallery  # noqa: E402
import pages  # noqa: E402
from entries import PICTURES, entry, files, outdated  # noqa: E402

MOST = 6_000_000  # bytes of all pictures of the zoo


def test_every_robot_has_an_entry_of_its_present_file():
    lacking = outdated(list(ROBOTS))
    assert lacking == [], f"'make gallery' makes picture, plot and checks of {', '.join(lacking)}"


def test_no_entry_is_left_over_and_pictures_are_small():
    stems = {file.stem.removesuffix("_plot") for file in PICTURES.iterdir()}
    assert stems == set(ROBOTS)
    assert sum(file.stat().st_size for file in PICTURES.iterdir()) < MOST


def test_every_name_of_the_zoo_is_in_the_gallery():
    """With picture, plot, the commands for them, its source, and checks that say their kind; as the page is printed."""
    text = pages.gallery()
    for name in ROBOTS:
        part = text[text.index(f"({name})=") :]
        part = part[: part.index("</details>")]
        about, pictures = entry(name), f"pictures/zoo/{name}"
        for words in (f"{pictures}.webp", f"{pictures}_plot.webp", about["picture"], about["plot"], "**Source**"):
            assert words in part, (name, words)
        rows = [line.split(" | ") for line in part.splitlines() if line.startswith(f"| `{name}`")]
        assert rows and [row[2] for row in rows] == [check["kind"] for check in about["checks"]], name
        assert {row[2] for row in rows} <= {kind.value for kind in Kind}
    for name, (robot, _, words) in NAMED.items():
        part = text[text.index(f"({robot})=") :]
        assert f"`locodyn run {name}`: {words}" in part[: part.index("**Source**")], name


def test_a_changed_robot_is_outdated(tmp_path, monkeypatch):
    """Its own file, one that it imports, and how its picture is taken count; comments do not."""
    zoo, source = tmp_path / "zoo", Path(entries.ZOO)
    (zoo / "robots").mkdir(parents=True)
    for file in (source / "robots" / "snake_2d.py", source / "snake_links.py"):
        (zoo / file.relative_to(source)).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(entries, "ZOO", zoo)
    before = entries.fingerprint("snake_2d")
    with (zoo / "robots" / "snake_2d.py").open("a") as file:
        file.write("\n# a remark\n")
    assert entries.fingerprint("snake_2d") == before
    with (zoo / "snake_links.py").open("a") as file:
        file.write("LENGTH = 0.2\n")
    changed = entries.fingerprint("snake_2d")
    monkeypatch.setitem(entries.SHOTS, "snake_2d", entries.Shot(at=1.0))
    assert len({before, changed, entries.fingerprint("snake_2d")}) == 3


@pytest.mark.slow
def test_an_entry_can_be_made(tmp_path, monkeypatch):
    """All but the drawing, which needs a browser."""
    places = tmp_path / "pendulum.json", tmp_path / "pendulum.webp", tmp_path / "pendulum_plot.webp"
    monkeypatch.setattr(make_gallery, "files", lambda name: places)
    monkeypatch.setattr(make_gallery, "draw", lambda *_: [place.write_bytes(b"") for place in places[1:]])
    assert make_gallery.make_entry("pendulum").startswith("4 of 4 checks")
    assert json.loads(places[0].read_text())["made_of"] == entries.fingerprint("pendulum")


@pytest.mark.slow
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


@pytest.mark.slow
def test_names_of_checks_are_those_of_the_robot():
    """Stored names against those of the scenarios, so that a changed check is measured anew."""
    for name in ROBOTS:
        if files(name)[0].is_file():
            wanted = [check.name for settings in module(name).VALIDATION for check in make(name, settings).checks]
            assert [check["check"] for check in entry(name)["checks"]] == wanted, name
