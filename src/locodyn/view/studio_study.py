"""A study in the studio: its page, in which a click on any point has that run computed and played.

The store is read anew whenever the page is loaded, so a study that is still being computed shows what is there.
"""

from __future__ import annotations

import threading
from html import escape
from pathlib import Path

from locodyn.errors import InputError
from locodyn.study import StudyResult
from locodyn.study.one_run import STATUS
from locodyn.view.report_page import report_html
from locodyn.view.server import Answer, NotThere, Request
from locodyn.view.study_page import study_html

_WAITS = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5"><title>Study</title></head>
<body><p>{words}</p></body></html>
"""


class StudioStudy:
    """The study in the folder ``path``; ``work``: held while a run is computed, as by all other works of the studio."""

    def __init__(self, path: str | Path, work: threading.Lock) -> None:
        self.path, self._work = Path(path), work
        self.name = str(StudyResult.load(self.path).definition["name"])  # refuses what is no study before anything is opened

    def page(self, request: Request) -> Answer:
        """The runs as points. Where none is completed yet, a page that looks again by itself."""
        try:
            return Answer(study_html(StudyResult.load(self.path), live=True).encode())
        except InputError as error:
            return Answer(_WAITS.format(words=escape(str(error))).encode())

    def play(self, request: Request) -> Answer:
        """``play/7``: run number 7, computed again, as the page of its report."""
        found = StudyResult.load(self.path)
        if not request.rest.isdecimal() or int(request.rest) >= found.store.runs:
            raise NotThere(f"The study of '{self.name}' has runs 0 to {found.store.runs - 1}, not '{request.rest}'.")
        run = int(request.rest)
        if found.table["status"].values[run] != STATUS.completed:
            why = found.table["message"].values[run] or "it is still to be done"
            raise NotThere(f"Run {run} of the study is not completed: {why}.")
        with self._work:
            return Answer(report_html(found.result(run), title=f"Run {run} of the study of {self.name}", play=True).encode())
