"""A browser without a window: found on the machine, driven by playwright."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from locodyn.errors import InputError

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
)


def browser_path() -> Path | None:
    """The program, from the variable LOCODYN_BROWSER or by its usual names; None when there is none."""
    named = os.environ.get("LOCODYN_BROWSER")
    if named:
        if not Path(named).is_file():
            raise InputError(f"LOCODYN_BROWSER is '{named}', which is not a file; it must be the program of a Chromium browser.")
        return Path(named)
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return None if found is None else Path(found)


def check_browser() -> Path:
    """The program of the browser, after making sure that it can be driven."""
    path = browser_path()
    if path is None:
        raise InputError(
            "pictures are drawn by a browser, and there is none; install Chromium or Chrome, or set LOCODYN_BROWSER."
        )
    if importlib.util.find_spec("playwright") is None:
        raise InputError("pictures need the package playwright; 'pip install locodyn[video]' brings it.")
    return path


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A Chromium without a window, closed at the end."""
    path = check_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=str(path), args=list(FLAGS))
        try:
            yield running
        finally:
            running.close()
