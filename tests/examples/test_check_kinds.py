"""Every acceptance check says what it compares with, named scenarios are validated, and the pages state what the code holds."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from locodyn.sim import Kind
from locodyn.sim.check import show
from locodyn.zoo.registry import NAMED, ROBOTS, make, module

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

from entries import entry  # noqa: E402
from pages import counts, validation  # noqa: E402

# What a check of our own must not claim, and what it must say.
OWN = re.compile(r"^own (record|limit)")


def declared(name):
    """(settings as text, check) of all validated sets of parameters of a robot."""
    for settings in module(name).VALIDATION:
        words = " ".join(f"{key}={value}" for key, value in settings.items())
        yield from ((words, check) for check in make(name, settings).checks)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_scenarios_are_validated(name):
    robot, settings, _ = NAMED[name]
    assert settings in module(robot).VALIDATION


def test_the_origin_of_a_number_says_its_kind_once():
    said = [check.origin for name in ("compass_gait", "simplest_walker", "rabbit_drop") for _, check in declared(name)]
    kinds = {kind.value for kind in Kind}
    assert all(any(one.startswith(f"{kind}: ") for kind in kinds) for one in said)
    assert not [one for one in said if any(one.count(kind) > 1 for kind in kinds)]


@pytest.mark.slow  # some scenarios solve their statics as they are made
def test_every_check_has_a_kind_that_its_source_bears_out():
    """Published numbers name author, year and place; own records say so and cite nothing. The constructor refuses others."""
    for name in ROBOTS:
        for words, check in declared(name):
            about = f"{name} {words}: {check.name}"
            assert isinstance(check.kind, Kind), about
            if check.kind is Kind.PUBLISHED:
                assert re.search(r"[A-Z]\w+[^;]* \(?(1[5-9]|20)\d\d\)?, (\d|[Tt]able|[Ff]ig)", check.source), about
            assert bool(OWN.search(check.source)) == (check.kind is Kind.OWN), about
            assert not re.match(r"published", check.source, re.IGNORECASE), about


@pytest.mark.slow
def test_stored_checks_are_those_of_the_code():
    """Names, kinds, sources, expected values and tolerances; counts by kind are then those of the code, too."""
    keys = ("settings", "check", "expected", "tolerance", "kind", "source")
    for name in ROBOTS:
        wanted = [
            (words, check.name, show(check.expected), f"{check.tolerance:.2g}", check.kind.value, check.source)
            for words, check in declared(name)
        ]
        assert [tuple(row[key] for key in keys) for row in entry(name)["checks"]] == wanted, "python docs/site/label_checks.py"


def test_page_counts_by_kind():
    rows = [row for name in ROBOTS for row in entry(name)["checks"]]
    found = Counter(row["kind"] for row in rows)
    assert set(found) == {kind.value for kind in Kind}
    for kind in Kind:
        assert re.search(
            rf"\| {kind.value} \| `--kind {kind.word}` \| {found[kind.value]} \|", counts([entry(name) for name in ROBOTS])
        )
    assert f"{len(ROBOTS)} robots, {len(rows)} checks, {sum(row['passed'] for row in rows)} pass." in validation()


def test_what_is_not_reproduced_is_listed():
    """The page is in the table of contents, and checks that contradict their source are on it."""
    assert "\nnot-reproduced\n" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "not-reproduced.md").read_text(encoding="utf-8")
    against = [name for name in ROBOTS for row in entry(name)["checks"] if "not reproduced" in row["source"]]
    assert all(f"`{name}" in page for name in against)
    for words in ("snake_rolling mu_x=0.01 mu_y=1", "Fig. 4.11", "34.76"):
        assert words in page
