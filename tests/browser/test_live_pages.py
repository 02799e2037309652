"""The viewer and the studio in a real browser: what a person clicks is what happens, and the robot is where the numbers are."""

import functools
import http.client
import json
import socket

import numpy as np
import pytest

import locodyn as ld
from locodyn.view.browser import browser, browser_path
from locodyn.view.studio import Studio, python_lines
from locodyn.view.viewer import view

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="there is no chromium on this machine"),
]
PATIENCE = 120_000
READY = "document.documentElement.dataset.ready === 'yes'"


@pytest.fixture(scope="module")
def chromium():
    with browser() as running:
        yield running


@functools.cache
def run(gait="drive"):
    return ld.zoo.snakeboard(gait=gait).changed(t_end=4.0).run(progress=False)


def free_port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def opened(chromium, address, width=1100):
    page = chromium.new_page(viewport={"width": width, "height": 720})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"{address}&plain")
    return page


def idle(page):
    page.wait_for_selector(".busy", state="hidden", timeout=PATIENCE)


def place(result, t):
    return result.body_position.sel(body="board").interp(time=t).values


def drawn(page, body="board"):
    return np.array(page.evaluate("(name) => locodyn.pose(name).position", body))


def curves(page, chart):
    """Labels of the curves of a chart, the time first."""
    return page.evaluate(
        "(name) => [...document.querySelectorAll(`[data-chart=${name}] .u-series th`)].map((e) => e.innerText)", chart
    )


def test_viewer(chromium):
    viewer = view([run(), run("rotate")], port=free_port(), play=False)
    try:
        page = opened(chromium, viewer.address)
        page.wait_for_function(READY, timeout=PATIENCE)
        assert page.title() == "locodyn: snakeboard"
        page.evaluate("locodyn.seek(3)")
        assert np.abs(drawn(page) - place(run(), 3.0)).max() < 2e-4
        ghost = page.evaluate("locodyn.stage.ghosts[0].bodies.shapes[0].position.toArray()")
        assert np.abs(np.array(ghost) - place(run("rotate"), 3.0)).max() < 2e-4
        assert curves(page, "joint_positions")[1:] == [f"joint_{k}" for k in (1, 2, 3)] + [
            f"joint_{k} (snakeboard, run 2)" for k in (1, 2, 3)
        ]
        page.keyboard.press("Home")
        assert page.evaluate("locodyn.player.time") == 0.0
        page.keyboard.press("f")
        assert page.evaluate("locodyn.stage.following")
        page.keyboard.press("Space")
        page.wait_for_function("locodyn.player.playing && Math.abs(locodyn.pose('board').position[0]) > 1e-3", timeout=PATIENCE)
        assert page.complaints == []
    finally:
        viewer.stop()


def test_the_camera_follows_and_frames_the_robot(chromium):
    """The point at which it looks goes as far as the mass centre does, and the robot stays in the picture."""
    far = ld.zoo.car().changed(t_end=8.0).run(progress=False)
    viewer = view([far], port=free_port(), play=False)
    try:
        page = opened(chromium, viewer.address)
        page.wait_for_function(READY, timeout=PATIENCE)
        looks = [page.evaluate("(t) => (locodyn.seek(t), locodyn.stage.controls.target.toArray())", t) for t in (0.0, 8.0)]
        gone = far.mass_centre.values[-1] - far.mass_centre.values[0]
        assert page.evaluate("locodyn.stage.following") and np.linalg.norm(gone) > 5.0
        assert np.abs(np.subtract(*looks[::-1]) - gone).max() < 1e-3 * np.linalg.norm(gone)
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        seen = page.evaluate("locodyn.stage.bodies.shapes[0].position.clone().project(locodyn.stage.camera).toArray()")
        assert max(abs(seen[0]), abs(seen[1])) < 1.0
    finally:
        viewer.stop()


def test_studio(chromium):
    studio = Studio(port=free_port(), robot="snakeboard")
    try:
        page = opened(chromium, studio.address)
        page.wait_for_function(READY, timeout=PATIENCE)  # the robot is there before a run
        idle(page)
        assert np.abs(drawn(page, "front") - [0.2, 0.0, 0.0]).max() < 1e-4
        page.fill("[name=l]", "0.3")
        page.press("[name=l]", "Tab")
        page.wait_for_function("Math.abs(locodyn.pose('front').position[0] - 0.3) < 1e-4", timeout=PATIENCE)  # and follows
        page.fill("[name=l]", "0.2")
        page.fill("#t_end", "2")
        page.click("#run")
        page.get_by_text("completed; 201 records").wait_for(timeout=PATIENCE)
        idle(page)
        wanted = ld.zoo.snakeboard().changed(t_end=2.0, dt=0.01).run(progress=False)
        first = studio.result
        assert np.array_equal(first.body_position.values, wanted.body_position.values)
        page.evaluate("(locodyn.player.pause(), locodyn.seek(2))")
        assert np.abs(drawn(page) - place(wanted, 2.0)).max() < 2e-4
        page.fill("[name=a_phi]", "0.8")
        page.check("#compare")
        page.evaluate("document.activeElement.blur()")  # out of the field: r is a letter there
        page.keyboard.press("r")
        page.wait_for_function("locodyn.stage.ghosts.length === 1", timeout=PATIENCE)  # the first run as a ghost
        idle(page)
        assert first.parameters["a_phi"] == 0.4 and studio.result.parameters["a_phi"] == 0.8
        page.evaluate("(locodyn.player.pause(), locodyn.seek(2))")
        ghost = page.evaluate("locodyn.stage.ghosts[0].bodies.shapes[0].position.toArray()")
        assert np.abs(np.array(ghost) - place(wanted, 2.0)).max() < 2e-4
        page.get_by_text("Save", exact=True).click()
        with page.expect_download(timeout=PATIENCE) as download:
            page.get_by_role("link", name="Python lines").click()
        assert "ld.zoo.snakeboard(a_phi=0.8).changed(t_end=2.0, dt=0.01" in download.value.path().read_text()
        with page.expect_download(timeout=PATIENCE) as download:
            page.get_by_role("link", name="result (NetCDF)").click()
        assert download.value.suggested_filename == "snakeboard.nc"
        assert ld.Result.load(download.value.path()).parameters["a_phi"] == 0.8
        assert page.complaints == []
    finally:
        studio.stop()


def test_a_change_of_robot_changes_everything(chromium):
    """Fields, curves, title and links are those of the new robot; numbers stand in fields as they are."""
    studio = Studio(port=free_port(), robot="snakeboard")
    try:
        page = opened(chromium, studio.address)
        page.wait_for_function(READY, timeout=PATIENCE)
        idle(page)
        page.click("#run")
        page.wait_for_selector("#said p", timeout=PATIENCE)
        idle(page)
        assert len(curves(page, "joint_positions")) == 4
        page.select_option("#robot", "sliding_block")
        page.get_by_text("block on a rough slope: slides").last.wait_for(timeout=PATIENCE)
        idle(page)
        assert page.title() == "locodyn: sliding_block" and page.locator("#charts figure").count() == 0
        assert page.input_value("#dt") == "0.001" and page.locator("[name=a_phi]").count() == 0
        page.click("#run")
        page.wait_for_selector("#said p", timeout=PATIENCE)
        idle(page)
        charts = page.evaluate("[...document.querySelectorAll('#charts figure')].map((e) => e.dataset.chart)")
        assert charts and len(set(charts)) == len(charts) == page.locator("#charts figure:has(canvas)").count()
        source = page.request.get(page.locator("#source").evaluate("(e) => e.href"))
        assert "PARAMETERS" in source.text() and source.headers["content-type"].startswith("text/plain")
        about = page.request.get(page.locator("#about").evaluate("(e) => e.href")).text()
        assert "<h1>sliding_block</h1>" in about and "rough slope" in about
        assert page.complaints == []
    finally:
        studio.stop()


def test_numbers_stand_in_fields_as_they_are(chromium):
    studio = Studio(port=free_port(), robot="bend_45")
    try:
        page = opened(chromium, studio.address)
        page.wait_for_selector("#fields input[name=E]", timeout=PATIENCE)
        texts = page.evaluate(
            "Object.fromEntries([...document.querySelectorAll('#fields input[name]')].map((e) => [e.name, e.value]))"
        )
        defaults = {p.name: p.value for p in ld.zoo.bend_45().parameters if isinstance(p.value, float)}
        assert defaults and {name: float(texts[name]) for name in defaults} == defaults
        assert texts["E"] == "1e7"
        slide = """(to) => { const one = document.querySelector("[aria-label='%s, slider']");
            one.value = to * one.max; one.dispatchEvent(new Event("input")); return one.nextSibling.value; }"""
        for name, value in defaults.items():
            text = page.evaluate(slide % name, 0.5)
            assert len(text) < 9 and float(text) == pytest.approx(0.5 * (3 * value if value else 1.0), rel=0.02, abs=0.011)
    finally:
        studio.stop()


def test_a_busy_sign_at_once_and_no_bar_across_a_phone(chromium):
    studio = Studio(port=free_port(), robot="snakeboard")
    try:
        page = opened(chromium, studio.address, width=390)
        page.wait_for_function(READY, timeout=PATIENCE)
        idle(page)
        page.evaluate(  # when the sign is seen, ms after the click, by the clock of the page
            """() => { window.said = ''; const sign = document.querySelector('.busy'), button = document.getElementById('run');
            button.addEventListener('click', () => (window.clicked = performance.now()));
            new MutationObserver(() => { if (!sign.hidden) window.seen ??= performance.now(); window.said += sign.innerText; })
              .observe(sign, { attributes: true, childList: true, subtree: true, characterData: true }); }"""
        )
        page.fill("#t_end", "200")
        page.fill("#dt", "0.0002")
        page.click("#run")
        page.wait_for_function("window.said.includes('running, t =')", timeout=PATIENCE)
        assert page.evaluate("window.seen - window.clicked") < 200.0
        page.get_by_role("button", name="stop").click()
        page.wait_for_function("document.getElementById('said').textContent.startsWith('interrupted')", timeout=PATIENCE)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.complaints == []
    finally:
        studio.stop()


def asked(studio, work, **sent):
    """The lines that a work of the studio tells."""
    connection = http.client.HTTPConnection("localhost", studio.server.port, timeout=120)
    query = studio.address.partition("?")[2]
    connection.request("POST", f"/{work}?{query}", json.dumps(sent))
    return [json.loads(line) for line in connection.getresponse().read().splitlines()]


def test_studio_refuses_in_a_sentence():
    studio = Studio(port=free_port(), robot="satellite")
    try:
        settings = {"t_end": "1", "dt": "0.01", "integrator": "auto"}
        for sent, sentence in (
            ({"robot": "satelite", **settings}, "there is no scenario 'satelite'"),
            ({"robot": "satellite", **settings, "values": {"I_o": "1,2"}}, "has 2 numbers"),
            ({"robot": "satellite", **settings, "values": {"I_oo": "1"}}, "there is no parameter 'I_oo'"),
            ({"robot": "satellite", **settings, "t_end": "soon"}, "the end is 'soon'; it must be a number of seconds"),
            ({"robot": "satellite", **settings, "dt": "-1"}, "step"),
            ({"robot": "satellite", **settings, "integrator": "best"}, "best"),
            ({"robot": "satellite", **settings, "values": [1]}, "load the page again"),
            ({}, "there is no scenario 'None'"),
        ):
            assert sentence in asked(studio, "run", **sent)[-1]["refused"]
        assert studio.result is None
        studio._running = True
        assert asked(studio, "run", robot="satellite", **settings) == [{"refused": "a run is going on; wait for it, or stop it."}]
    finally:
        studio.stop()


def test_python_lines_run(monkeypatch, tmp_path):
    scenario = ld.zoo.snakeboard(gait="park").changed(t_end=0.1)
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(python_lines("snakeboard", {"gait": "park"}, scenario), space)
    assert np.array_equal(space["result"].position.values, scenario.run(progress=False).position.values)
    assert {file.name for file in tmp_path.iterdir()} == {"snakeboard.nc", "snakeboard.html"}
