"""The report in a real browser: opened from the disk and offline, it shows the motion of the numbers."""

import functools
import re
import shutil

import numpy as np
import pytest

import locodyn as ld
from locodyn.view.browser import browser, browser_path
from locodyn.view.charts import default_panels
from locodyn.view.report_page import STAGE, document, packet
from scenes import rod_centre, synthetic

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="there is no chromium on this machine"),
]
READY = "document.documentElement.dataset.ready === 'yes'"


@pytest.fixture(scope="module")
def chromium():
    with browser() as running:
        yield running


@pytest.fixture
def opened(chromium):
    """Opens a file offline; at the end nothing may have complained, and nothing may have been asked of the network."""
    context = chromium.new_context(offline=True, viewport={"width": 1100, "height": 720})
    complaints, requests = [], []

    def open_(file):
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{file.as_uri()}?plain")
        page.wait_for_function(READY, timeout=60_000)
        return page

    yield open_
    context.close()
    assert complaints == []
    assert all(re.match(r"(file|data|blob):", address) for address in requests)


@functools.cache
def run(name):
    return ld.zoo.make(name, {}).changed(t_end=4.0).run(progress=False)


def at(result, variable, t):
    return result.dataset[variable].interp(time=t, assume_sorted=True)


@pytest.fixture(scope="module")
def snakeboard(tmp_path_factory):
    return run("snakeboard").report(tmp_path_factory.mktemp("page") / "snakeboard.html")


def test_the_robot_moves_as_computed(opened, snakeboard):
    page, result = opened(snakeboard), run("snakeboard")
    places = []
    for t in (0.5, 3.7):
        page.evaluate("(t) => locodyn.seek(t)", t)
        for name in result.body.values:
            pose = page.evaluate("(name) => locodyn.pose(name)", str(name))
            wanted, turned = (at(result, variable, t).sel(body=name).values for variable in ("body_position", "body_orientation"))
            assert np.abs(np.array(pose["position"]) - wanted).max() < 2e-4  # 30 instants a second, 16 bits
            assert abs(np.dot(pose["quaternion"], turned)) > 1.0 - 1e-6
        places.append(page.evaluate("locodyn.pose('board').position[0]"))
    assert abs(places[1] - places[0]) > 0.1


def test_pixels_change_only_when_time_does(opened, snakeboard):
    page = opened(snakeboard)
    page.evaluate("locodyn.film.open(480, 300, 'free', null, 0.5)")
    shot = "(t) => locodyn.film.shot(t, false, 'image/png')"
    first = page.evaluate(shot, 0.5)
    page.set_viewport_size({"width": 700, "height": 500})  # the page is fitted anew, the film is not
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    again, later = (page.evaluate(shot, t) for t in (0.5, 3.7))
    assert first == again != later


@pytest.mark.parametrize("name", ["bicycle", "rattleback", "two_axle"])
def test_every_printed_chart_is_on_the_page(opened, name, tmp_path):
    """Also those of robots that roll in space and of contact laws; each has something drawn in it."""
    settings = {"bicycle": {"case": "turn"}, "two_axle": {"contact": "friction"}}
    result = ld.zoo.make(name, settings.get(name, {})).changed(t_end=0.5).run(progress=False)
    page = opened(result.report(tmp_path / "a.html"))
    shown = page.eval_on_selector_all("figure[data-chart]", "(all) => all.map((one) => one.dataset.chart)")
    assert shown == [panel.name for panel in default_panels(result)]
    headings = page.locator("figure[data-chart] figcaption b").all_text_contents()
    assert [text.removesuffix(", now") for text in headings] == [panel.make(result).title for panel in default_panels(result)]
    drawn = """(all) => all.map((one) => {
      const { data } = one.getContext("2d").getImageData(0, 0, one.width, one.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })"""
    colours = page.eval_on_selector_all("figure[data-chart] canvas", drawn)
    assert len(colours) == len(shown) and min(colours) > 5


def test_controls_and_charts(opened, snakeboard):
    page = opened(snakeboard)
    assert page.locator("figure[data-chart] canvas").count() == page.locator("figure[data-chart]").count() > 6
    page.locator("#controls .play").click()
    page.wait_for_function("locodyn.player.time > 0.3", timeout=20_000)
    page.keyboard.press("Space")
    assert page.evaluate("locodyn.player.playing") is False
    chart = page.locator("[data-chart=joint_torques] .u-over")
    box = chart.bounding_box()
    chart.click(position={"x": 0.75 * box["width"], "y": 20})
    assert page.evaluate("locodyn.player.time") == pytest.approx(3.0, abs=0.05)  # the run has four seconds
    for name in ("joint_torques", "energies"):  # all cursors are there
        place = page.locator(f"[data-chart={name}] .now").evaluate(
            "e => new DOMMatrix(getComputedStyle(e).transform).e / e.parentElement.clientWidth"
        )
        assert place == pytest.approx(0.75, abs=0.01)
    page.locator(".scrub").fill("1")
    assert page.evaluate("locodyn.player.time") == 1.0
    assert page.locator(".clock").inner_text() == "1.000 s"
    page.locator("select[title=speed]").select_option("2")
    assert page.evaluate("locodyn.player.speed") == 2
    page.locator(".shown summary").click()
    page.locator(".shown label", has_text="frames").click()
    page.locator(".views button", has_text="top").click()


def test_without_webgl_the_charts_are_there(snakeboard, chromium):
    context = chromium.new_context(offline=True, viewport={"width": 900, "height": 600})
    page = context.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = ((old) => function (kind, ...more) {"
                         " return kind.startsWith('webgl') ? null : old.call(this, kind, ...more); })"
                         "(HTMLCanvasElement.prototype.getContext)")  # fmt: skip
    page.goto(snakeboard.as_uri())
    page.locator("[data-chart=joint_torques] .u-over").click(timeout=30_000)
    assert "needs a browser with WebGL 2" in page.locator("#stage").inner_text()
    assert float(page.locator(".clock").inner_text().split()[0]) == pytest.approx(2.0, abs=0.02)  # the middle of four seconds
    context.close()


def test_wheels_turn_and_steer(opened, tmp_path):
    result = run("mobile_manipulator")
    page = opened(result.report(tmp_path / "a.html"))
    page.evaluate("locodyn.seek(2.5)")
    for name in ("wheel_1", "wheel_2"):
        wheel = page.evaluate("(name) => locodyn.wheel(name)", name)
        assert wheel["steer"] == pytest.approx(float(at(result, "steering_angle", 2.5).sel(steered_wheel=name)), abs=2e-3)
        assert wheel["turn"] == pytest.approx(float(at(result, "wheel_angle", 2.5).sel(wheel=name)), abs=5e-3)


def test_rods_and_all_other_things(opened, tmp_path):
    """A scene with everything; the tube of a rod lies about its centre line, with its radius."""
    scene = synthetic()
    file = tmp_path / "a.html"
    file.write_text(document("synthetic", STAGE, packet(scene, scene.times, [])), encoding="utf-8")
    page = opened(file)
    t = scene.times[40]
    page.evaluate("(t) => locodyn.seek(t)", float(t))
    tube = np.array(page.evaluate("locodyn.tube('rod_1')")).reshape(-1, 3)
    sections = tube[:-2].reshape(60, -1, 3)
    centre = rod_centre(np.array([t]), 1)[0]
    assert np.abs(sections.mean(axis=1) - centre).max() < 1e-3
    distance = np.linalg.norm(sections - centre[:, None], axis=-1)
    assert np.abs(distance - np.linspace(0.02, 0.01, 60)[:, None]).max() < 1e-3
    tangent = np.gradient(centre, axis=0)
    across = np.einsum("sji,si->sj", sections - centre[:, None], tangent / np.linalg.norm(tangent, axis=1)[:, None])
    assert np.abs(across).max() < 2e-3  # sections are perpendicular to the centre line
    assert np.abs(tube[-2:] - centre[[0, -1]]).max() < 1e-3  # both ends are closed


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_video(tmp_path, ending):
    result = ld.Result(run("snakeboard").dataset.isel(time=slice(0, 21)))  # a fifth of a second
    file = result.video(tmp_path / f"a.{ending}", size=(160, 100), fps=15, progress=False)
    content = file.read_bytes()
    if ending == "mp4":
        assert content[4:8] == b"ftyp" and len(content) > 1000
        return
    from PIL import Image

    with Image.open(file) as pictures:
        assert pictures.size == (160, 100) and pictures.n_frames == 4
        first = np.asarray(pictures.convert("RGB"), dtype=int)
        pictures.seek(3)
        assert np.abs(np.asarray(pictures.convert("RGB"), dtype=int) - first).max() > 12


def test_picture(tmp_path):
    from PIL import Image

    with Image.open(run("snakeboard").picture(tmp_path / "a.png", 2.0, size=(160, 100), view="top")) as drawn:
        pixels = np.asarray(drawn.convert("RGB"), dtype=int)
    assert pixels.shape == (100, 160, 3)
    blue = (pixels[..., 2] > pixels[..., 0] + 40).sum()
    assert blue > 30  # the board
    with pytest.raises(ld.InputError, match="goes from 0 to 4 s"):
        run("snakeboard").picture(tmp_path / "a.png", 5.0)
    with Image.open(run("snakeboard").picture(tmp_path / "b.png", [0.0, 2.0, 4.0], size=(160, 100), view="top")) as frames:
        sheet = np.asarray(frames.convert("RGB"), dtype=int)
    assert sheet.shape == (208, 328, 3)
    assert (sheet[108:, 168:] == 255).all()  # three frames: the last place is empty
    assert np.abs(sheet[:100, :160] - sheet[:100, 168:]).max() > 12  # the robot has moved


def test_without_a_browser_there_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("LOCODYN_BROWSER", raising=False)
    for draw in (run("snakeboard").video, run("snakeboard").picture):
        with pytest.raises(ld.InputError, match="install Chromium or Chrome"):
            draw(tmp_path / ("a.mp4" if draw == run("snakeboard").video else "a.png"))
    assert list(tmp_path.iterdir()) == []


def test_ticks_tell_neighbours_apart(opened, snakeboard):
    """A force of 10 mN that changes by micronewtons has ticks with five digits, not five times 0.01."""
    page = opened(snakeboard)
    words = page.evaluate("locodyn.ticks([0.009998, 0.009999, 0.01, 0.010001])")
    assert [float(word) for word in words] == [0.009998, 0.009999, 0.01, 0.010001]
    assert page.evaluate("locodyn.ticks([-1, 0, 1.5, null])") == ["\u22121", "0", "1.5", ""]
    assert page.evaluate("locodyn.ticks([0, 1e-7, 2e-7])") == ["0", "1e\u22127", "2e\u22127"]


@pytest.mark.slow
def test_a_field_along_a_body(opened, tmp_path):
    """Over time and arc length: the image has the colours of the signs, and a click on it goes to that instant."""
    result = ld.zoo.make("continuum_snake", {}).changed(t_end=1.0, checks=()).run(progress=False)
    page = opened(result.report(tmp_path / "snake.html"))
    image = page.locator("[data-chart=moment] canvas.image")
    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    image.click(position={"x": 58.0 + 0.5 * (box["width"] - 72.0), "y": 40.0})
    assert page.evaluate("locodyn.player.time") == pytest.approx(0.5, abs=0.01)
    row, places = np.argmin(np.abs(result.time.values - 0.5)), result.rod_wrench.shape[2]
    moment = result.rod_wrench.values[row, 0, :, 5]
    place = int(np.abs(moment).argmax())
    colour = page.evaluate(
        """([x, y]) => { const c = document.querySelector("[data-chart=moment] canvas.image"); const r = c.width / c.clientWidth;
        return Array.from(c.getContext("2d").getImageData(x * r, y * r, 1, 1).data); }""",
        [58.0 + 0.495 * (box["width"] - 72.0), box["height"] - 34.0 - place / (places - 1) * (box["height"] - 44.0)],
    )
    red, _, blue, _ = colour
    assert (red > blue) == (moment[place] > 0.0) and abs(red - blue) > 30
