"""Playing scenes on a viser server: play, scrub, speed, loop, follow; one clock for all scenes and curves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from locodyn.view.live import LiveScene

RATE = 30.0  # pictures in a second
PAUSE = 0.1  # s between two calls of a listener: charts are sent as a whole each time
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")


class Playback:
    """The controls, and the thread that moves the scenes."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._scenes: list[LiveScene] = []
        self._listeners: list[Callable[[float], None]] = []
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self.time, self._start, self._end = 0.0, 0.0, 1.0
        gui = server.gui
        with gui.add_folder("Time"):
            self.play = gui.add_button_group("", ("play", "pause", "start"))
            self.slider = gui.add_slider("t (s)", 0.0, 1.0, 0.001, 0.0)
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
            self.loop = gui.add_checkbox("repeat", True)
            self.follow = gui.add_checkbox("camera follows", False)
        with gui.add_folder("Show"):
            self.forces = gui.add_checkbox("forces", True)
            self.scale = gui.add_slider("force scale", 0.1, 10.0, 0.1, 1.0)
            self.axes = gui.add_checkbox("frames", False)
            self.trails = gui.add_checkbox("all trails", False)
        self.playing = False
        self._connect()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _connect(self) -> None:
        @self.play.on_click
        def _(event: Any) -> None:
            if event.target.value == "start":
                self.seek(self._start)
            self.playing = event.target.value == "play"

        @self.slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # a person moved it, not the clock
                self.seek(float(event.target.value))

        for handle in (self.forces, self.scale, self.axes, self.trails, self.follow):
            handle.on_update(lambda _: self.refresh())

    def set_scenes(self, scenes: list[LiveScene]) -> None:
        """The scenes that are played together; those before are taken away."""
        with self._lock:
            for old in self._scenes:
                if old not in scenes:
                    old.remove()
            self._scenes = scenes
            self._start = min(float(scene.scene.times[0]) for scene in scenes)
            self._end = max(float(scene.scene.times[-1]) for scene in scenes)
            self.slider.min, self.slider.max = self._start, self._end
            self.slider.step = (self._end - self._start) / 1000.0
            self.refresh()

    def watch(self, listener: Callable[[float], None]) -> None:
        """Call a function with the time (s) when it has changed, at most every ``PAUSE`` seconds."""
        self._listeners.append(listener)

    def seek(self, t: float) -> None:
        """Go to the time t (s)."""
        with self._lock:
            self.time = min(max(t, self._start), self._end)
            with self._server.atomic():
                self.slider.value = self.time
                for scene in self._scenes:
                    scene.show(self.time)
                    scene.move(self._shift())

    def _shift(self) -> np.ndarray:
        """While the camera follows, the world goes the other way."""
        if not self.follow.value or not self._scenes:
            return np.zeros(3)
        first = self._scenes[0]
        found: np.ndarray = first.centre(self._start) - first.centre(self.time)
        return found

    def refresh(self) -> None:
        """Read the boxes again and draw."""
        for scene in self._scenes:
            scene.force_scale = float(self.scale.value)
            scene.set_visible("forces", bool(self.forces.value))
            scene.set_visible("frames", bool(self.axes.value))
            for k, handle in enumerate(scene.trails.values()):
                handle.visible = bool(self.trails.value) or scene.scene.trails[k].shown
        self.seek(self.time)

    def _run(self) -> None:
        before, said, told = time.perf_counter(), 0.0, None
        while not self._stopped.wait(1.0 / RATE):
            now = time.perf_counter()
            passed, before = now - before, now
            if self.time != told and now - said > PAUSE:
                told, said = self.time, now
                for listener in self._listeners:
                    listener(told)
            if not self.playing or not self._scenes:
                continue
            t = self.time + passed * float(self.speed.value)
            if t > self._end:
                t = self._start + (t - self._start) % (self._end - self._start) if self.loop.value else self._end
                self.playing = bool(self.loop.value)
            self.seek(t)

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._thread.join(timeout=2.0)
