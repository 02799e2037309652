"""Every Python block of the documentation runs: those of one page one after the other, in a folder of its own.

What a page takes for granted (a robot, a state) stands in a comment before the block, which no reader sees:
``<!-- run first: robot = ... -->``.
"""

import re
from pathlib import Path

import matplotlib
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:<!-- run first:\n(?P<first>.*?)-->\n)?^```python\n(?P<shown>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if BLOCK.search(page.read_text("utf-8"))]
matplotlib.use("Agg")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, names = page.read_text(encoding="utf-8"), {}
    for block in BLOCK.finditer(text):
        code = (block["first"] or "") + block["shown"]
        line = text.count("\n", 0, block.start()) + 1
        exec(compile(code, f"{page.name}, block at line {line}", "exec"), names)  # what the page says, word for word


def test_there_are_pages_with_code():
    assert len(PAGES) > 15
