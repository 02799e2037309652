"""The page of reports and videos: a script and a style sheet, built from TypeScript (:mod:`locodyn.view.page.build`)."""

from __future__ import annotations

from pathlib import Path

from locodyn.errors import InputError
from locodyn.view.page.build import FOLDER, BuildError, build, has_sources, is_current


def built(name: str) -> Path:
    """A file of the built page, ``page.js`` or ``page.css``; in a checkout it is built when it is missing or old."""
    if not is_current():
        if not has_sources():
            raise InputError("the page of the report is missing from this installation; install locodyn again.")
        try:
            build()
        except BuildError as error:
            raise InputError(f"{str(error).rstrip('.')}; then 'make page' builds it.") from None
    return FOLDER / "built" / name
