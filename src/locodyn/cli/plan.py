"""``locodyn plan NAME``: a gait for a snake among pegs, run and written as a scenario."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.cli.source import check_plot, scenario_from
from locodyn.errors import InputError
from locodyn.sim.arguments import positive

if TYPE_CHECKING:
    from locodyn.controllers import PegPlan, PushPoint
    from locodyn.controllers.peg_planner import Chain
    from locodyn.sim import Result, Scenario

_RADIUS = 0.02  # m, of placed pegs


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn plan``."""

    name: str
    settings: dict[str, str]
    pegs: Path | None
    place: int | None
    radius: float | None
    t_end: float | None
    out: Path | None
    json: Path | None
    plot: Path | None
    quiet: bool

    def execute(self) -> int:
        """Plan, run, print, write."""
        from locodyn.controllers import plan_gait, push_count, push_points
        from locodyn.sim.progress import ProgressBar
        from locodyn.sim.store import check_writable, write_beside
        from locodyn.view.plots import save

        check_plot(self.plot)
        if self.out is not None and check_writable(self.out).suffix not in (".yaml", ".yml"):
            raise InputError(f"the scenario '{self.out}' must end in .yaml.")
        if self.json is not None:
            check_writable(self.json)
        self.check_numbers()
        scenario = scenario_from(self.name, self.settings, None, self.quiet)
        chain = chain_of(scenario)
        course = self.course(scenario, chain)
        with ProgressBar(f"plan for {len(course)} pegs", 0.0, 1.0, not self.quiet) as bar:
            plan = plan_gait(course.tolist(), chain, on_progress=bar.to)
        self.say(f"amplitude {np.degrees(plan.amplitude):.1f} deg, phase {np.degrees(plan.phase):.1f} deg from joint to joint")
        self.say(f"in the ideal motion {plan.push_points:.1f} push points on average, smallest gap {1e3 * plan.clearance:.1f} mm")
        text = scenario_text(scenario, plan, course, self.t_end)
        result = run_text(text, self.name, not self.quiet)
        found = push_points(result, 0.25 * float(result.time.values[-1]), direction=0.0)
        count = push_count(result, direction=0.0)[len(result.time) // 4 :].mean()
        self.say(f"run: {speed(result):.3f} m/s along the course, {count:.1f} push points on average")
        for obstacle in dict.fromkeys(point.obstacle for point in found):
            force = sum(point.forward for point in found if point.obstacle == obstacle)
            self.say(f"  {obstacle} pushes with {force:.1f} N forward on average")
        if self.out is not None:
            write_beside(self.out, lambda file: file.write_text(text))
        if self.json is not None:
            words = json.dumps(record(plan, course, found, result), indent=1)
            write_beside(self.json, lambda file: file.write_text(words + "\n"))
        if self.plot is not None:
            from locodyn.view.plan_view import plan_figure

            save(plan_figure(result, plan, chain, course), self.plot)
        for written in (self.out, self.json, self.plot):
            if written is not None:
                self.say(f"wrote {written}")
        return 0 if result.status == "completed" else 3

    def check_numbers(self) -> None:
        """Refuse numbers that are not possible, before anything is computed."""
        if self.t_end is not None:
            positive(self.t_end, "--t-end", "s")
        if self.radius is not None and self.place is None:
            raise InputError("--radius is that of pegs that --place puts down; give --place COUNT too.")
        if self.radius is not None and not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"--radius is {self.radius:g}; it must be a positive length in m.")

    def say(self, line: str) -> None:
        """Print, unless it is to be quiet."""
        if not self.quiet:
            print(line)

    def course(self, scenario: Scenario, chain: Chain) -> np.ndarray:
        """The pegs (p, 3): of a file, placed for the gait of the scenario, or those of the scenario."""
        from locodyn.controllers import place_pegs
        from locodyn.robot import Cylinder
        from locodyn.world import Obstacle

        if self.pegs is not None and self.place is not None:
            raise InputError("--pegs and --place both say where pegs are; give one of them.")
        if self.pegs is not None:
            return read_pegs(self.pegs)
        if self.place is not None:
            p, radius = values_of(scenario), _RADIUS if self.radius is None else self.radius
            return np.array(place_pegs(p["amplitude"], p["phase"], self.place, radius, chain=chain))
        solids = [one for one in scenario.world.obstacles if isinstance(one, Obstacle)]
        found = [(*one.at[:2], one.solid.radius) for one in solids if isinstance(one.solid, Cylinder)]
        if not found:
            raise InputError(f"'{self.name}' has no pegs; give --pegs FILE.csv, --place COUNT, or --set pegs=table_7_5.")
        return np.array(found)


def values_of(scenario: Scenario) -> dict[str, Any]:
    """The values of its parameters by name."""
    return {entry.name: entry.value for entry in scenario.parameters}


def chain_of(scenario: Scenario) -> Chain:
    """The links of a planar snake of the zoo."""
    from locodyn.controllers.peg_planner import Chain

    p, names = values_of(scenario), {"links": "n"}
    wanted = {entry.name: names.get(entry.name, entry.name) for entry in fields(Chain)}
    joints = [f"joint_{k}" for k in range(1, int(p.get("n", 1)))]
    planar = scenario.model.nv == 3 + len(joints) and set(joints) <= set(scenario.drive.servo)
    if not planar or not set(wanted.values()) <= set(p):
        raise InputError(
            f"'{scenario.name}' is not a planar snake with a servo in every joint; plans are made for snakes such as snake_2d."
        )
    return Chain(**{name: p[key] for name, key in wanted.items()})


def read_pegs(file: Path) -> np.ndarray:
    """x, y and radius (m) of a peg in every line of a CSV file; the first line may say so in words."""
    try:
        lines = [line.strip() for line in file.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the pegs '{file}' cannot be read: {error}.") from None
    if lines and lines[0].replace(" ", "").lower() == "x,y,radius":
        lines = lines[1:]
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            x, y, radius = (float(word) for word in line.split(","))
        except ValueError:
            raise InputError(f"peg {number} of '{file}' is '{line}'; it must be x, y, radius in m, with commas.") from None
        if not (np.isfinite([x, y, radius]).all() and radius > 0.0):
            raise InputError(f"peg {number} of '{file}' is '{line}'; all must be finite and the radius positive.")
        rows.append((x, y, radius))
    return np.array(rows).reshape(-1, 3)


def scenario_text(scenario: Scenario, plan: PegPlan, course: np.ndarray, t_end: float | None) -> str:
    """The scenario of the plan as a file: the robot with its parameters, pegs, servos and start."""
    from locodyn.files.yaml_writer import dump

    p = values_of(scenario)
    own = {key: value for key, value in p.items() if key not in ("amplitude", "phase", "pegs", "peg_3", "steering")}
    laws = [
        {"sine": {"amplitude": plan.amplitude, "omega": p["omega"], "phase": plan.first_phase + k * plan.phase}}
        for k in range(len(plan.angles))
    ]
    joints = [f"joint_{k}" for k in range(1, len(laws) + 1)]
    gains = {"stiffness": p["stiffness"], "damping": p["damping"]}
    posts = [
        {"cylinder": {"name": f"peg_{k}", "at": [float(x), float(y)], "radius": float(r), "friction": 0.0}}
        for k, (x, y, r) in enumerate(course, start=1)
    ]
    words: dict[str, Any] = {
        "scenario": f"{scenario.name}_planned",
        "robot": {"zoo": scenario.model.compiled.name, "parameters": {**own, "amplitude": plan.amplitude, "phase": plan.phase}},
        "obstacles": posts,
        "drives": {"servo": {name: {"target": law, **gains} for name, law in zip(joints, laws, strict=True)}},
        "start": {"positions": {"link_1": list(plan.place), **dict(zip(joints, map(float, plan.angles), strict=True))}},
        "time": {"end": 2.0 * 2.0 * float(np.pi) / p["omega"] if t_end is None else t_end},
    }
    return dump(words)


def run_text(text: str, name: str, progress: bool) -> Result:
    """Run the scenario that a text says: what is written is what was run."""
    from locodyn.files import scenario_of
    from locodyn.sim.run import run_through

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{Path(name).stem}_planned.yaml"
        file.write_text(text)
        return run_through(scenario_of(str(file), {}).scenario, progress=progress)


def speed(result: Result) -> float:
    """Mean velocity of the mass centre along x, m/s."""
    x, t = result.mass_centre.values[:, 0], result.time.values
    return float((x[-1] - x[0]) / (t[-1] - t[0]))


def record(plan: PegPlan, course: np.ndarray, found: list[PushPoint], result: Result) -> dict[str, Any]:
    """Plan, pegs and push points as plain data, in m, rad, N, s."""
    pushes = [{**point._asdict(), "force": [float(x) for x in point.force]} for point in found]
    return {"plan": asdict(plan), "pegs": course.tolist(), "push_points": pushes, "speed": speed(result), "status": result.status}
