"""``locodyn view``: results in three dimensions in a browser, on viser."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from locodyn.errors import InputError
from locodyn.view.curve_panel import CurvePanel
from locodyn.view.door import LOOPBACK, Door
from locodyn.view.ground import Ground
from locodyn.view.live import LiveScene
from locodyn.view.playback import Playback
from locodyn.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result

_doors: WeakKeyDictionary[Any, Door] = WeakKeyDictionary()
DIRECTION = np.array([0.55, -0.85, 0.55]) / np.linalg.norm([0.55, -0.85, 0.55])


def serve(host: str, port: int, label: str) -> Any:
    """A viser server behind a :class:`~locodyn.view.door.Door`; only this machine reaches it unless another ``host`` is named."""
    try:
        import viser
    except ImportError:
        raise InputError("the viewer needs the package viser; 'pip install locodyn[view]' brings it.") from None
    if not isinstance(port, int) or not 0 < port < 65536:
        raise InputError(f"the port is {port}; it must be between 1 and 65535.")
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
            trial.bind((host, 0))  # the server itself would wait for ever
        door = Door(host)
        with contextlib.redirect_stdout(io.StringIO()), door.before_servers():  # it has a greeting of its own
            server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"the viewer cannot listen on {host}, port {port} ({reason}); choose another.") from None
    _doors[server] = door
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.gui.main_panel.dock_right()
    server.scene.configure_default_lights(cast_shadow=True)
    return server


def address(server: Any) -> str:
    """Where a browser finds a server, with the token that lets it in."""
    host = server.get_host()
    host = "localhost" if host in (LOOPBACK, "0.0.0.0") else f"[{host}]" if ":" in host else host
    return f"http://{host}:{server.get_port()}/?token={_doors[server].token}"


def wait(server: Any, open_browser: bool) -> None:
    """Open a browser, if wanted, and stay until Ctrl-C."""
    import time
    import webbrowser

    if open_browser:
        webbrowser.open(address(server))
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600.0)


class Viewer:
    """One or more results on a server: the first in full colours, the others as ghosts."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.playback = Playback(server)
        self.curves = CurvePanel(server)
        self.playback.watch(self.curves.show)
        self._grid: Any = None
        self._count = 0

    def set_results(self, results: list[Result], aim: bool = True) -> None:
        """Show these results instead of those before; ``aim``: put the camera where all is seen."""
        scenes = [scene_of(result) for result in results]
        self._count += 1
        live = [LiveScene(self.server, scene, f"/run_{self._count}_{k}", ghost=k > 0) for k, scene in enumerate(scenes)]
        self._ground(scenes[0])
        self.playback.set_scenes(live)
        self.curves.set_results(results)
        if aim:
            self._aim(scenes[0])

    def set_still(self, result: Result, aim: bool = True) -> None:
        """Show the start of a result, at rest, without curves."""
        scene = scene_of(result)
        self._count += 1
        self.playback.playing = False
        self._ground(scene)
        self.playback.set_scenes([LiveScene(self.server, scene, f"/run_{self._count}_0")])
        self.playback.seek(float(scene.times[0]))
        if aim:
            self._aim(scene)

    def _ground(self, scene: Scene) -> None:
        if self._grid is not None:
            self._grid.remove()
            self._grid = None
        ground: Ground | None = scene.ground
        if ground is None:
            return
        cell = float(10.0 ** np.floor(np.log10(scene.size)))
        self._grid = self.server.scene.add_grid(
            "/ground",
            infinite_grid=True,
            cell_size=cell,
            section_size=5.0 * cell,
            fade_distance=40.0 * scene.size,
            position=(0.0, 0.0, float(ground.point[2])),
            cell_color=(214, 220, 226),
            section_color=(176, 186, 196),
            plane_opacity=0.6 if ground.solid else 0.0,
            plane_color=(244, 246, 248),
        )

    def _aim(self, scene: Scene) -> None:
        low, high = scene.extreme.min(axis=0), scene.extreme.max(axis=0)
        middle, span = 0.5 * (low + high), float(np.linalg.norm(high - low))
        place = middle + (0.95 * span + 0.5 * scene.size) * DIRECTION
        self.server.scene.set_up_direction(tuple(float(x) for x in scene.up))
        camera = self.server.initial_camera
        camera.position, camera.look_at = tuple(place), tuple(middle)
        for client in self.server.get_clients().values():
            client.camera.position, client.camera.look_at = place, middle

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return address(self.server)

    def wait(self, open_browser: bool = True) -> None:
        """Open a browser, stay until Ctrl-C, and stop."""
        wait(self.server, open_browser)
        self.stop()

    def stop(self) -> None:
        """End playing and close the server."""
        self.playback.stop()
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def view(results: list[Result], host: str = LOOPBACK, port: int = 8080, play: bool = True) -> Viewer:
    """Show results in a browser; gives the viewer back, whose server runs until ``stop()``."""
    if not results:
        raise InputError("there is no result to show; give at least one.")
    viewer = Viewer(serve(host, port, f"locodyn: {results[0].attributes['scenario']}"))
    viewer.set_results(results)
    viewer.playback.playing = play
    return viewer
