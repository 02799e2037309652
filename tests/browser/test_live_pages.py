"""The viewer and the studio in a real browser: what a person clicks is what happens, and the robot is where the numbers are."""

import functools
import socket

import numpy as np
import pytest
from matplotlib import colormaps

import locodyn as ld
from locodyn.view.browser import browser, browser_path
from locodyn.view.live import LiveScene, Y
from locodyn.view.quaternions import about, compose
from locodyn.view.studio import Studio, python_lines
from locodyn.view.viewer import address, serve, view
from scenes import Z, rod_centre, synthetic

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="there is no chromium on this machine"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the server's own libraries
]
# The names by which viser's own tests look at its scene; not an interface, hence viser >= 1.1, < 1.2.
NODE = "(name) => { const node = window.__viserMutable?.nodeRefFromName[name]; return node ? node.position.toArray() : null; }"
PATIENCE = 60_000


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


def opened(chromium, server):
    page = chromium.new_page(viewport={"width": 800, "height": 420})
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(address(server))
    page.add_style_tag(content="#webgl-software-rendering { display: none; }")  # a note that lies over the controls
    return page


def wait_for_node(page, name, wanted, tolerance=2e-4):
    near = f"""([name, wanted]) => {{
        const at = ({NODE})(name);
        return at && at.every((x, i) => Math.abs(x - wanted[i]) < {tolerance});
    }}"""
    page.wait_for_function(near, arg=[name, [float(x) for x in wanted]], timeout=PATIENCE)


def place(result, t):
    return result.body_position.sel(body="board").interp(time=t).values


def test_viewer(chromium):
    port = free_port()
    viewer = view([run(), run("rotate")], port=port, play=False)
    try:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", port), timeout=2)  # it listens on 127.0.0.1 only
        page = opened(chromium, viewer.server)
        viewer.playback.seek(3.0)
        wait_for_node(page, "/run_1_0/shapes/board", place(run(), 3.0))
        wait_for_node(page, "/run_1_1/shapes/board", place(run("rotate"), 3.0))  # the ghost
        page.get_by_label("camera follows").check()  # the world goes back by as much as the mass centre has gone ahead
        centre = viewer.playback._scenes[0].centre
        wait_for_node(page, "/run_1_0", centre(0.0) - centre(3.0))
        page.get_by_role("button", name="start", exact=True).click()
        wait_for_node(page, "/run_1_0/shapes/board", place(run(), 0.0))
        page.get_by_role("button", name="play", exact=True).click()
        page.wait_for_function(f"Math.abs(({NODE})('/run_1_0/shapes/board')[0]) > 1e-3", timeout=PATIENCE)
        assert page.complaints == []
    finally:
        viewer.stop()


def test_everything_that_a_scene_holds():
    """Rods, wheels and forces of a made-up scene, read from the nodes that the server sends."""
    scene, server = synthetic(), serve("127.0.0.1", free_port(), "test")
    try:
        live = LiveScene(server, scene, "/made_up")
        k = 40
        live.show(float(scene.times[k]))
        rod, line = live._rods[1].node, rod_centre(scene.times, 1)[k]
        middles = rod.batched_positions.reshape(59, 2, 3).mean(axis=1)
        assert np.abs(middles - 0.5 * (line[1:] + line[:-1])).max() < 1e-3
        every = np.array([rod.scalar for rod in scene.rods])
        shares = (scene.rods[1].scalar[k] - every.min()) / np.ptp(every)  # one scale for all rods
        wanted = 255 * colormaps["cividis"](0.5 * (shares[1:] + shares[:-1]))[:, :3]
        drawn = np.asarray(rod.batched_colors, dtype=float).reshape(59, 2, 3).mean(axis=1)
        assert np.abs(drawn - wanted).max() < 6.0  # of 255; neighbouring pieces differ by 10
        assert np.abs(live._tendons[0].points[:, 0] - scene.tendons[0].points[k, :-1]).max() < 1e-6
        assert np.abs(live._places[2].position - scene.positions[k, 2]).max() < 1e-12
        assert abs(live._places[2].wxyz @ scene.orientations[k, 2]) == pytest.approx(1.0)
        number, basis, steer, roll = live._wheels[0]
        assert roll.wxyz == pytest.approx(about(Y, scene.wheel_turn[k, number]))
        assert steer.wxyz == pytest.approx(compose(basis, about(Z, scene.wheel_steer[k, number])))
        start, end = live._forces.points[0]
        assert end - start == pytest.approx(scene.contacts.scale * scene.contacts.forces[k, 0], abs=1e-6)
        live.remove()
    finally:
        server.stop()


def test_time_lines_and_comparison():
    viewer = view([run(), run("rotate")], port=free_port(), play=False)
    try:
        panel = viewer.curves
        assert [choice.value for choice in panel._choices] == ["joint_positions", "joint_torques", "energies"]
        panel.show(2.0)
        times, *curves, line = panel._charts[0]._handle.data
        assert len(curves) == 6  # three joints of two runs
        assert np.abs(curves[0] - np.interp(times, run().time.values, run().joint_position.values[:, 0])).max() < 1e-12
        marked = np.flatnonzero(np.isfinite(line))
        assert len(marked) == 2 and times[marked[0]] <= 2.02 and times[marked[1]] >= 1.98
    finally:
        viewer.stop()


def test_studio(chromium):
    port = free_port()
    studio = Studio(port=port, robot="snakeboard")
    try:
        studio.t_end.value = 2.0
        page = opened(chromium, studio.server)
        wait_for_node(page, "/run_1_0/shapes/front", (0.2, 0.0, 0.0))  # the robot is there before a run
        slider = page.get_by_text("l (m)", exact=True).locator("xpath=ancestor::div[.//input][1]//input[@type='text']").first
        slider.fill("0.3")
        slider.press("Enter")
        wait_for_node(page, "/run_2_0/shapes/front", (0.3, 0.0, 0.0))  # and follows its parameters
        page.wait_for_function(f"({NODE})('/run_1_0/shapes/board') === null", timeout=PATIENCE)
        studio.fields._handles["l"].value = 0.2
        button = page.get_by_role("button", name="run", exact=True)
        button.wait_for(timeout=PATIENCE)
        button.click()
        page.get_by_text("completed; 201 records").wait_for(timeout=PATIENCE)
        wanted = ld.zoo.snakeboard().changed(t_end=2.0, dt=0.01).run(progress=False)
        assert np.array_equal(studio.result.body_position.values, wanted.body_position.values)
        studio.viewer.playback.playing = False
        studio.viewer.playback.seek(2.0)
        wait_for_node(page, "/run_3_0/shapes/board", place(wanted, 2.0))
        studio.fields._handles["a_phi"].value = 0.8
        page.get_by_label("compare with the previous run").check()
        button.click()
        page.wait_for_function(f"({NODE})('/run_5_1/shapes/board') !== null", timeout=PATIENCE)  # the first run as a ghost
        page.wait_for_function(f"({NODE})('/run_3_0/shapes/board') === null", timeout=PATIENCE)  # taken away
        assert studio.result.parameters["a_phi"] == 0.8 and studio.previous.parameters["a_phi"] == 0.4
        page.get_by_text("Save", exact=True).click()
        with page.expect_download(timeout=PATIENCE) as download:
            page.get_by_role("button", name="Python lines").click()
        lines = download.value.path().read_text()
        assert "ld.zoo.snakeboard(a_phi=0.8).changed(t_end=2.0, dt=0.01" in lines
        assert page.complaints == []
    finally:
        studio.stop()


def test_studio_refuses_and_stops(tmp_path):
    studio = Studio(port=free_port(), robot="satellite")
    try:
        studio.fields._handles["I_o"].value = "1,2"
        studio.run()
        assert "has 2 numbers" in studio.said.content and studio.result is None
        studio.fields._handles["I_o"].value = "20,25,30"
        studio.t_end.value = 2000.0
        studio._at = lambda t, end: (_ for _ in ()).throw(KeyboardInterrupt)
        studio.run()
        assert studio.said.content.startswith("interrupted")
    finally:
        studio.stop()


def test_python_lines_run(monkeypatch, tmp_path):
    scenario = ld.zoo.snakeboard(gait="park").changed(t_end=0.1)
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(python_lines("snakeboard", {"gait": "park"}, scenario), space)
    assert np.array_equal(space["result"].position.values, scenario.run(progress=False).position.values)
    assert {file.name for file in tmp_path.iterdir()} == {"snakeboard.nc", "snakeboard.html"}


def test_a_port_that_is_taken():
    with pytest.raises(ld.InputError, match="the port is 0"):
        view([run()], port=0)
