"""The player of a notebook in a real browser: the output alone, in a page of its own, with networking off."""

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.view.browser import browser, browser_path
from locodyn.view.viewer import inline

pytestmark = pytest.mark.slow

READY = "document.documentElement.dataset.ready === 'yes'"
in_browser = pytest.mark.skipif(browser_path() is None, reason="there is no chromium on this machine")


@functools.cache
def run():
    return ld.zoo.snakeboard().changed(t_end=4.0).run(progress=False)


@pytest.fixture(scope="module")
def chromium():
    with browser() as running:
        yield running


@in_browser
def test_player_moves_where_the_numbers_are(chromium, tmp_path):
    """Two cells of a notebook, each with its own player; their frames do not see each other."""
    output = run().inline(height=360)
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><body><div>{output._repr_html_()}</div><div>{output._repr_html_()}</div></body>", "utf-8")
    context = chromium.new_context(viewport={"width": 900, "height": 800}, offline=True)
    page = context.new_page()
    complaints, asked = [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    frames = [handle.content_frame() for handle in page.query_selector_all("iframe")]
    assert len(frames) == 2
    for frame in frames:
        frame.wait_for_function(READY, timeout=60_000)
    places = []
    for t in (0.0, 3.0):
        frames[0].evaluate("t => locodyn.seek(t)", t)
        place = frames[0].evaluate("locodyn.pose('board').position")
        wanted = run().body_position.sel(body="board").interp(time=t).values
        assert np.abs(np.array(place)[:2] - wanted[:2]).max() < 1e-3
        places.append(place)
    assert np.linalg.norm(np.subtract(*places)) > 0.1
    stage = frames[0].evaluate("(() => { const box = document.querySelector('#stage canvas').getBoundingClientRect();"
                               " return [box.width, box.height]; })()")  # fmt: skip
    assert stage[0] > 600 and stage[1] > 250  # it fills its frame, with room for the controls
    assert frames[1].evaluate("locodyn.player.time") != 3.0
    assert complaints == [] and [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    context.close()


def test_size_is_told_and_small():
    output = run().inline()
    assert output.size == len(output.html.encode()) < 350_000
    assert f"{output.size / 1024:.0f} kB" in repr(output)


@pytest.mark.parametrize("height", [20, 1e3, "tall", 100_000])
def test_impossible_heights(height):
    with pytest.raises(InputError, match="it must be a whole number of pixels, 120 to 4000"):
        inline(run(), height)
