"""The documentation as a site: ``make docs`` builds it into ``out/site``, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "site"), str(HERE.parent / "src")]

import locodyn
import pages  # docs/site/pages.py

project, author, copyright = "locodyn", "The locodyn developers", "the locodyn developers"
version = release = locodyn.__version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site", "data", "pictures"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
highlight_language = "none"
html_theme = "furo"
html_title = "locodyn"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = html_copy_source = False
python_use_unqualified_type_names = True


def setup(app: Any) -> None:
    """Comments of the form ``<!-- generated: gallery -->`` are replaced by what :mod:`pages` makes of the code and its data."""

    def fill(app: Any, name: str, source: list[str]) -> None:
        source[0] = pages.filled(source[0])

    app.connect("source-read", fill)
