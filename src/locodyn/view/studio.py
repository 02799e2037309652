"""``locodyn studio``: the zoo as a page. Choose a robot, set its parameters, run it, watch it, compare, save.

The page is that of the report, with a form beside it (``page/src/studio.ts``). It asks this server for work and hears, line by
line, what is going on: building, compiling, running, drawing.
"""

from __future__ import annotations

import gc
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError
from locodyn.sim.about import command
from locodyn.sim.progress import CompileWatch
from locodyn.view.door import LOOPBACK
from locodyn.view.report_page import add_ghosts, charts_of, figures_of, packet, report_html
from locodyn.view.scene import scene_of
from locodyn.view.server import BYTES, TEXT, Answer, NotThere, Request, Server, Tell
from locodyn.view.studio_fields import changed_values, field, number_text, seconds
from locodyn.view.studio_page import about_html, source_of, studio_html
from locodyn.view.studio_study import StudioStudy
from locodyn.view.tables import facts
from locodyn.zoo.registry import make, module, parameters_of, robot_of

if TYPE_CHECKING:
    from locodyn.sim import Result, Scenario

OFTEN = 0.1  # s between two lines about one work
KEPT = 6  # results, of all pages together


def python_lines(name: str, values: dict[str, Any], scenario: Scenario) -> str:
    """The Python that runs a scenario again."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in values.items())
    numerics = scenario.numerics
    run = f"t_end={scenario.recording.t_end!r}, dt={numerics.step!r}, integrator={numerics.integrator!r}"
    return (
        f"import locodyn as ld\n\nscenario = ld.zoo.{name}({arguments}).changed({run})\nresult = scenario.run()\n"
        f'result.save("{name}.nc")\nresult.report("{name}.html")\n'
    )


class Studio:
    """The server of the page. One work is done at a time; a drawing gives way to the next one and to a run."""

    def __init__(
        self, host: str = LOOPBACK, port: int = 8080, robot: str = "snakeboard", study: str | Path | None = None
    ) -> None:
        _known(robot)  # refuse an unknown one before anything is opened
        self.result: Result | None = None
        self._results: dict[int, tuple[Result, str]] = {}
        self._count = 0
        self._stop = threading.Event()
        self._work, self._asked = threading.Lock(), threading.Lock()
        self._running = False
        shown = None if study is None else StudioStudy(study, self._work)
        zoo = studio_html(robot, "" if shown is None else shown.name).encode()
        pages = {
            "": shown.page if shown else lambda request: Answer(zoo),
            "zoo": lambda request: Answer(zoo),
            **({"play": shown.play} if shown else {}),
            "packet": self._packet,
            "save": self._saved,
            "about": lambda request: Answer(about_html(_known(request.rest)).encode()),
            "source": lambda request: Answer(source_of(_known(request.rest)).encode(), TEXT),
        }
        works = {"choose": self._choose, "draw": self._draw, "run": self._run, "stop": self._stopped}
        self.server = Server(host, port, pages, works)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return self.server.address

    def stop(self) -> None:
        """Close the page."""
        self._stop.set()
        self.server.stop()

    # ------------------------------------------------------------------ works
    def _choose(self, request: Request, tell: Tell) -> None:
        """Fields for a robot with its defaults; then the robot itself."""
        name = _known(request.sent.get("robot"))
        stop = self._turn(running=False)
        with self._work, _Saying(tell, stop) as saying:
            saying.doing(f"building {name}")
            scenario = make(name)
            numerics = scenario.numerics
            tell(
                {
                    "robot": name,
                    "summary": scenario.summary,
                    "classification": str(scenario.problem.classification),
                    "fields": [field(p) for p in scenario.parameters],
                    "t_end": number_text(scenario.recording.t_end),
                    "dt": number_text(numerics.step),
                    "integrator": numerics.integrator,
                }
            )
            self._still(scenario, saying, tell)

    def _draw(self, request: Request, tell: Tell) -> None:
        """The robot as it stands at the start, with the parameters of the fields."""
        stop = self._turn(running=False)
        with self._work, _Saying(tell, stop) as saying:
            scenario, _, _ = scenario_of_fields(request.sent)
            self._still(scenario, saying, tell)

    def _still(self, scenario: Scenario, saying: _Saying, tell: Tell) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a run of one step; the run itself tells them
            first = scenario.changed(t_end=scenario.numerics.step, record_every=1).run(progress=saying.at)
        if len(first.time) > 1:
            tell({"shown": self._keep(first, ""), "still": True, "figures": ""})

    def _run(self, request: Request, tell: Tell) -> None:
        """Run the scenario of the fields; a second run at the same time is refused."""
        stop = self._turn(running=True)
        try:
            with self._work, _Saying(tell, stop) as saying:
                scenario, name, values = scenario_of_fields(request.sent)
                saying.end = scenario.recording.t_end
                with warnings.catch_warnings(record=True) as heard:
                    warnings.simplefilter("always")
                    result = scenario.run(progress=saying.at)
                words = [f"{result.status}; {len(result.time)} records, {result.attributes['wall_time']:.2f} s"]
                words += [f"Warning: {one.message}" for one in heard if issubclass(one.category, UserWarning)]
                self._tell_result(result, python_lines(name, values, scenario), command(scenario), words, tell)
        except KeyboardInterrupt:
            tell({"said": ["stopped before the first record"]})
        finally:
            self._running = False

    def _tell_result(self, result: Result, lines: str, words_again: str, said: list[str], tell: Tell) -> None:
        number = self._keep(result, lines)
        self.result = result
        told: dict[str, Any] = {"said": said, "lines": lines, "command": words_again, "number": number}
        if len(result.time) > 1:
            figures = figures_of(charts_of(result)[2])
            told = {**told, "shown": number, "still": False, "figures": figures, "facts": facts(result, [])}
        tell(told)

    def _turn(self, running: bool) -> threading.Event:
        """What stops a work that begins; it stops the drawing before it, and is refused while a run goes on."""
        with self._asked:
            if self._running:
                raise InputError("a run is going on; wait for it, or stop it.")
            self._running = running
            self._stop.set()
            self._stop = threading.Event()
            return self._stop

    def _stopped(self, request: Request, tell: Tell) -> None:
        self._stop.set()
        tell({})

    # ------------------------------------------------------------------ what has been computed
    def _keep(self, result: Result, lines: str) -> int:
        self._count += 1
        self._results[self._count] = result, lines
        for old in sorted(self._results)[:-KEPT]:
            del self._results[old]
        gc.collect()  # results left behind grew to 750 MB in 104 sessions: Python alone looks too rarely for those that are gone
        return self._count

    def _found(self, number: str) -> tuple[Result, str]:
        found = self._results.get(int(number)) if number.isdecimal() else None
        if found is None:
            raise NotThere("This run is no longer there; run the robot again.")
        return found

    def _packet(self, request: Request) -> Answer:
        """``packet/3`` or, with the curves and the ghost of another run, ``packet/3?with=2``."""
        result, _ = self._found(request.rest)
        others = [("previous", self._found(request.words["with"])[0])] if "with" in request.words else []
        times, charts, _ = charts_of(result)
        add_ghosts(result, charts, times, others)
        ghosts = [(name, scene_of(other)) for name, other in others]
        return Answer(packet(scene_of(result), times, charts, ghosts), BYTES)

    def _saved(self, request: Request) -> Answer:
        """``save/3/nc`` (result), ``save/3/html`` (report), ``save/3/py`` (the lines)."""
        number, _, kind = request.rest.partition("/")
        result, lines = self._found(number)
        name = f"{result.attributes['scenario']}.{kind}"
        if kind == "py":
            return Answer(lines.encode(), TEXT, name)
        if kind == "html":
            return Answer(report_html(result).encode(), file=name)
        if kind == "nc":
            with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
                return Answer(result.save(Path(folder) / name).read_bytes(), BYTES, name)
        raise NotThere(f"A run is saved as nc, html or py, not as '{kind}'.")


def _known(name: Any) -> str:
    """A scenario of the zoo."""
    module(robot_of(str(name)) or str(name))  # refuses any other
    return str(name)


def scenario_of_fields(sent: dict[str, Any]) -> tuple[Scenario, str, dict[str, Any]]:
    """The scenario of the fields that a page sent, the robot, and the parameters that differ from its defaults."""
    name = _known(sent.get("robot"))
    texts = sent.get("values", {})
    if not isinstance(texts, dict):
        raise InputError("the values of the fields are not there; load the page again.")
    values = changed_values(parameters_of(name), texts)
    settings: dict[str, Any] = {
        "t_end": seconds(sent.get("t_end"), "the end"),
        "dt": seconds(sent.get("dt"), "the step"),
        "integrator": str(sent.get("integrator")),
    }
    return make(name, values).changed(**settings), name, values


class _Saying:
    """Tells a page what is going on, at most every ``OFTEN`` seconds; ``stop`` ends the work with a KeyboardInterrupt."""

    def __init__(self, tell: Tell, stop: threading.Event) -> None:
        self._tell, self._stop, self._before = tell, stop, 0.0
        self._thread = threading.get_ident()
        self._watch = CompileWatch(False, tell=self._compiling)
        self.end = 0.0

    def doing(self, words: str, share: float | None = None) -> None:
        """Say it now."""
        self._before = time.perf_counter()
        self._tell({"doing": words, "share": share})

    def at(self, t: float) -> None:
        """The run has reached time t (s)."""
        if self._stop.is_set():
            raise KeyboardInterrupt
        if self.end and time.perf_counter() - self._before > OFTEN:
            self.doing(f"running, t = {t:.3g} of {self.end:g} s", min(t / self.end, 1.0))

    def _compiling(self, count: int, file: str) -> None:
        if threading.get_ident() != self._thread:
            return  # the work of another page
        if self._stop.is_set():
            raise KeyboardInterrupt
        if time.perf_counter() - self._before > OFTEN:
            self.doing(f"compiling, once per installation: {count} kernels so far, now of {file}")

    def __enter__(self) -> _Saying:
        self._watch.__enter__()
        self.doing("preparing")
        return self

    def __exit__(self, *what: Any) -> None:
        self._watch.__exit__(*what)
