"""The page of reports and videos: a script and a style sheet, built from TypeScript (:mod:`locodyn.view.page.build`)."""

from __future__ import annotations

from pathlib import Path

from locodyn.errors import InputError
from locodyn.view.page import build as builder


def built(name: str) -> Path:
    """A file of the built page, ``page.js`` or ``page.css``; in a checkout it is built when it is missing or old."""
    if not builder.is_current():
        if not builder.has_sources():
            raise InputError("the page of the report is missing from this installation; install locodyn again.")
        try:
            builder.build()
        except builder.BuildError as error:
            raise InputError(f"{str(error).rstrip('.')}; then 'make page' builds it.") from None
    return builder.FOLDER / "built" / name
