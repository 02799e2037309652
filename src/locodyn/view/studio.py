"""``locodyn studio``: the zoo as a page. Choose a robot, set its parameters, run it, watch it, compare, save."""

from __future__ import annotations

import tempfile
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import LocodynError
from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import METHODS
from locodyn.sim.about import command
from locodyn.view.door import LOOPBACK
from locodyn.view.parameter_fields import ParameterFields
from locodyn.view.viewer import Viewer, serve
from locodyn.zoo.registry import ROBOTS, make, module

if TYPE_CHECKING:
    from locodyn.sim import Result, Scenario


PAUSE = 0.25  # s after the last change of a parameter until the robot is drawn anew


def python_lines(name: str, values: dict[str, Any], scenario: Scenario) -> str:
    """The Python that runs a scenario again."""
    given = ", ".join(f"{key}={value!r}" for key, value in values.items())
    numerics = scenario.numerics
    run = f"t_end={scenario.recording.t_end!r}, dt={numerics.step!r}, integrator={numerics.integrator!r}"
    return (
        f"import locodyn as ld\n\nscenario = ld.zoo.{name}({given}).changed({run})\nresult = scenario.run()\n"
        f'result.save("{name}.nc")\nresult.report("{name}.html")\n'
    )


class Studio:
    """The page: controls on the right, curves on the left, the robot between them."""

    def __init__(self, host: str = LOOPBACK, port: int = 8080, robot: str = "snakeboard") -> None:
        module(robot)  # refuse an unknown one before anything is opened
        self.server = serve(host, port, "locodyn studio")
        self.viewer: Viewer | None = None
        self.result: Result | None = None
        self.previous: Result | None = None
        self._stop = threading.Event()
        self._busy, self._drawing = threading.Lock(), threading.Lock()
        self._later = threading.Timer(PAUSE, self._draw_start)
        self.fields: ParameterFields | None = None
        self._lines = ""
        self._controls(robot)
        self._choose(robot)

    # ------------------------------------------------------------------ controls
    def _controls(self, robot: str) -> None:
        gui = self.server.gui
        self.robot = gui.add_dropdown("robot", tuple(ROBOTS), initial_value=robot)
        self.about = gui.add_markdown("")
        self._folder = gui.add_folder("Parameters")
        with gui.add_folder("Run"):
            self.t_end = gui.add_number("end (s)", 10.0, min=0.0)
            self.dt = gui.add_number("step (s)", 0.01, min=0.0)
            self.integrator = gui.add_dropdown("integrator", (AUTO, *METHODS))
            self.run_button = gui.add_button("run")
            self.stop_button = gui.add_button("stop", visible=False)
            self.progress = gui.add_progress_bar(0.0, visible=False)
            self.said = gui.add_markdown("")
            self.compare = gui.add_checkbox("compare with the previous run", False)
        with gui.add_folder("Save", expand_by_default=False):
            self._save("result (NetCDF)", self._result_file)
            self._save("report (HTML)", self._report_file)
            self._save("Python lines", lambda: (f"{self.robot.value}.py", self._lines.encode()))
            self.lines = gui.add_markdown("")
        self.robot.on_update(lambda event: self._choose(self.robot.value) if event.client is not None else None)
        self.run_button.on_click(lambda _: self.run())
        self.stop_button.on_click(lambda _: self._stop.set())
        self.compare.on_update(lambda _: self._show(aim=False))

    def _save(self, label: str, content: Any) -> None:
        @self.server.gui.add_button(label).on_click
        def _(event: Any) -> None:
            if self.result is None or event.client is None:
                self.said.content = "There is nothing to save yet; run the robot first."
                return
            try:
                name, data = content()
            except LocodynError as error:
                self.said.content = f"**{error}**"
                return
            event.client.send_file_download(name, data, save_immediately=True)

    def _written(self, ending: str, write: Any) -> tuple[str, bytes]:
        with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
            file = Path(folder) / f"{self.robot.value}{ending}"
            write(file)
            return file.name, file.read_bytes()

    def _result_file(self) -> tuple[str, bytes]:
        assert self.result is not None
        return self._written(".nc", self.result.save)

    def _report_file(self) -> tuple[str, bytes]:
        assert self.result is not None
        return self._written(".html", self.result.report)

    def _choose(self, name: str) -> None:
        """Fields for a robot, with its default values."""
        scenario = make(name)
        if self.fields is not None:
            self.fields.remove()
        with self._folder:
            self.fields = ParameterFields(self.server.gui, tuple(module(name).PARAMETERS), self._changed)
        self.about.content = f"{ROBOTS[name]}. *{scenario.problem.classification}.*"
        numerics = scenario.numerics
        self.t_end.value, self.dt.value, self.integrator.value = scenario.recording.t_end, numerics.step, numerics.integrator
        self.result = self.previous = None
        self.said.content = ""
        self._draw_start(aim=True)

    # ------------------------------------------------------------------ the robot before a run
    def _changed(self) -> None:
        """A parameter has changed: draw the robot anew, when no other change follows soon."""
        self._later.cancel()
        self._later = threading.Timer(PAUSE, self._draw_start)
        self._later.daemon = True
        self._later.start()

    def _draw_start(self, aim: bool = False) -> None:
        """The robot as it stands at the start, with the parameters of the fields; in a thread, because kernels may compile."""
        threading.Thread(target=self._draw_start_now, args=(aim,), daemon=True).start()

    def _draw_start_now(self, aim: bool) -> None:
        with self._drawing:
            if self._busy.locked():
                return  # the robot of a run is about to be shown
            try:
                scenario, _ = self.scenario()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a run of one step; the run itself tells them
                    first = scenario.changed(t_end=scenario.numerics.step, record_every=1).run(progress=False)
                if len(first.time) < 2 or self._busy.locked() or self._stop.is_set():
                    return
                self._viewer().set_still(first, aim)
            except LocodynError as error:
                self.said.content = f"**{error}**"

    def _viewer(self) -> Viewer:
        if self.viewer is None:
            self.viewer = Viewer(self.server)
        return self.viewer

    # ------------------------------------------------------------------ running
    def scenario(self) -> tuple[Scenario, dict[str, Any]]:
        """The scenario of the fields, and the parameters that differ from the defaults."""
        assert self.fields is not None
        values = self.fields.values()
        settings = {"t_end": float(self.t_end.value), "dt": float(self.dt.value), "integrator": self.integrator.value}
        return make(self.robot.value, values).changed(**settings), values

    def run(self) -> None:
        """Run the scenario; the page goes on meanwhile. A second call while it runs does nothing."""
        if not self._busy.acquire(blocking=False):
            return
        self._stop.clear()
        try:
            self._computing(True)
            scenario, values = self.scenario()
            with self._drawing:  # kernels are compiled by one thread at a time
                result = scenario.run(progress=lambda t: self._at(t, scenario.recording.t_end))
            self.previous, self.result = self.result, result
            self._lines = python_lines(self.robot.value, values, scenario)
            self.lines.content = f"```python\n{self._lines}```\n\n```\n{command(scenario)}\n```"
            about = result.attributes
            self.said.content = f"{result.status}; {len(result.time)} records, {about['wall_time']:.2f} s"
            if len(result.time) > 1:
                self._show(aim=self.previous is None)
        except LocodynError as error:
            self.said.content = f"**{error}**"
        finally:
            self._computing(False)
            self._busy.release()

    def _at(self, t: float, end: float) -> None:
        self.progress.value = 100.0 * min(t / end, 1.0)
        if self._stop.is_set():
            raise KeyboardInterrupt

    def _computing(self, on: bool) -> None:
        with self.server.atomic():
            self.run_button.disabled, self.stop_button.visible, self.progress.visible = on, on, on
            self.progress.value = 0.0
            if on:
                self.said.content = "computing; the first run of a kind of robot compiles its kernels ..."

    def _show(self, aim: bool) -> None:
        if self.result is None:
            return
        ghosts = [self.previous] if self.compare.value and self.previous is not None else []
        with self._drawing:
            self._viewer().set_results([self.result, *ghosts], aim=aim)
            self._viewer().playback.playing = True

    def stop(self) -> None:
        """Close the page."""
        self._stop.set()
        self._later.cancel()
        with self._drawing:
            self._viewer().stop()
