"""The page of a study in a real browser, offline: points for runs, crosses for failures, and a click that plays a run."""

import re
import socket

import pytest

import locodyn as ld
from locodyn.study import Study, StudyResult
from locodyn.study.store import StudyStore
from locodyn.view.browser import browser, browser_path
from locodyn.view.studio import Studio
from locodyn.view.study_page import study_html

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="there is no chromium on this machine"),
]
READY = "document.documentElement.dataset.ready === 'yes'"


@pytest.fixture(scope="module")
def found():
    vary = {"a_phi": [0.2, 0.5], "l": [-0.1, 0.2, 0.25]}
    return Study("snakeboard", vary, ["speed", "cost_of_transport"], settings={"t_end": 2.0}).run(progress=False)


def test_a_click_on_a_point_plays_that_run(found, tmp_path):
    file = found.report(tmp_path / "study.html", most=3)
    complaints, requests = [], []
    with browser() as running:
        page = running.new_context(offline=True, viewport={"width": 1100, "height": 1100}).new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_function(READY, timeout=60_000)
        assert page.locator("#map circle").count() == 4 and page.locator("#map path").count() == 2
        ringed = page.locator('#map circle[stroke="#000"]')
        assert ringed.count() == 3
        run = int(ringed.nth(1).get_attribute("data-run"))
        ringed.nth(1).click()
        frame = page.frame_locator("#frame")
        frame.locator("#stage canvas").first.wait_for(timeout=60_000)
        own = page.frames[-1]
        own.wait_for_function(READY, timeout=60_000)
        # What plays is that run: its board is where the run computed anew has it.
        result = found.result(run)
        place = own.evaluate("(t) => { locodyn.seek(t); return locodyn.pose('board').position; }", 1.5)  # it plays on
        wanted = result.body_position.sel(body="board").interp(time=1.5).values
        assert place == pytest.approx(wanted.tolist(), abs=2e-4)  # 30 instants a second, 16 bits
        assert f"Run {run}: a_phi = " in page.locator("#told").inner_text()
        # A failed run tells why; one that is not inside tells its command.
        page.locator("#map path").first.click()
        assert "parameter 'l' is -0.1; it must be greater than 0." in page.locator("#told").inner_text()
        page.locator('#map circle[stroke="none"]').first.click()
        assert "locodyn run snakeboard --set t_end=2.0 --set a_phi=" in page.locator("#told").inner_text()
        assert page.locator("#frame").is_hidden()
        page.select_option("#x", "speed")
        assert page.locator("#map circle").count() == 4
    assert complaints == [] and all(re.match(r"(file|data|blob|about):", address) for address in requests)


def test_a_page_says_how_many_runs_it_plays_and_plays_all_on_request(found):
    """Four runs are completed, two failed."""
    inside = '<script id="run-'
    few, every = study_html(found, 3), study_html(found, None)
    assert few.count(inside) == 3 and "3 of 4 are in this page; locodyn studio plays all" in few
    assert every.count(inside) == 4 and "Click a point to see that run move." in every


def test_the_studio_shows_a_study_and_plays_any_of_its_runs(found, tmp_path):
    """Also runs that no page of a report would have inside; what fails says why; the zoo is a click away."""
    vary = {"a_phi": [0.2, 0.5], "l": [-0.1, 0.2, 0.25]}
    Study("snakeboard", vary, ["speed"], settings={"t_end": 2.0}).run(tmp_path / "study.zarr", progress=False)
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    studio = Studio(port=port, study=tmp_path / "study.zarr")
    complaints = []
    try:
        with browser() as running:
            page = running.new_page(viewport={"width": 1100, "height": 1100})
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(studio.address)
            page.wait_for_function(READY, timeout=60_000)
            assert page.locator('#map circle[stroke="#000"]').count() == 4 and page.locator("#map path").count() == 2
            for run in (1, 5):
                page.locator(f'#map circle[data-run="{run}"]').click()
                page.wait_for_selector("#state a", timeout=60_000)
                page.frame_locator("#frame").locator("#stage canvas").first.wait_for(timeout=60_000)
                own = page.frames[-1]
                own.wait_for_function(READY, timeout=60_000)
                place = own.evaluate("(t) => { locodyn.seek(t); return locodyn.pose('board').position; }", 1.5)
                wanted = found.result(run).body_position.sel(body="board").interp(time=1.5).values
                assert place == pytest.approx(wanted.tolist(), abs=2e-4)  # 30 instants a second, 16 bits
            page.locator("#map path").first.click()
            assert "parameter 'l' is -0.1; it must be greater than 0." in page.locator("#told").inner_text()
            page.click("text=robots")
            page.wait_for_selector("#robot")
            page.click("text=the study of snakeboard")
            page.wait_for_function(READY, timeout=60_000)
            refused = page.request.get(studio.address.replace("/?", "/play/0?"))
            assert refused.status == 404 and "Run 0 of the study is not completed: parameter 'l' is -0.1" in refused.text()
    finally:
        studio.stop()
    assert complaints == []


def test_a_folder_that_is_no_study_is_refused_before_the_studio_opens(tmp_path):
    with pytest.raises(ld.InputError, match=r"nothing\.zarr"):
        Studio(study=tmp_path / "nothing.zarr")


def test_a_study_without_a_run_that_was_completed_has_no_page():
    study = Study("snakeboard", {"a_phi": [0.2]}, ["stability_margin"])
    store = StudyStore.create(None, study.definition(), study.design.columns)
    with pytest.raises(ld.InputError, match="no run of the study of 'snakeboard' is completed; there is nothing to show"):
        study_html(StudyResult(store, study.subject))
