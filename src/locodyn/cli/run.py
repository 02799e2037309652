"""``locodyn run NAME``: everything is checked before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.cli import Stopped, complain
from locodyn.cli.source import check_plot, scenario_from
from locodyn.errors import InputError
from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import METHODS, all_options, check_options
from locodyn.sim.energy_account import is_told

if TYPE_CHECKING:
    from locodyn.files.reading import Reading
    from locodyn.sim import Result, Scenario

_COARSE = 0.01  # of the largest wrench in a body: slices that miss more are too few


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn run``."""

    name: str | None
    settings: dict[str, str]
    t_end: float | None
    dt: float | None
    integrator: str | None
    tolerance: float | None
    rho_inf: float | None
    split: float | None
    out: Path | None
    plot: Path | None
    report: Path | None
    video: Path | None
    resume: Path | None
    quiet: bool
    what: str | None = None
    reading: Reading | None = None
    resolve: bool = False
    record_every: int | None = None
    record: str | None = None

    def execute(self) -> int:
        """Run and write; 0 when completed, 3 when the numbers went bad; :class:`Stopped` when interrupted."""
        self.check_outputs()
        result = self.resumed() if self.resume is not None else self.scenario().run(progress=not self.quiet, out=self.out)
        kept = self.out or self.resume
        written: list[Path] = [] if kept is None else [kept]
        if result.dataset.sizes["time"] > 1:
            written += [result.plot(self.plot, self.what)] if self.plot else []
            written += [result.report(self.report)] if self.report else []
            written += [result.video(self.video, progress=not self.quiet)] if self.video else []
        if not self.quiet:
            print_summary(result, written)
        if result.failed:
            return complain(
                f"the run of '{result.attributes['scenario']}' {result.status.rstrip('.')}; what was computed is kept.", 3
            )
        if result.status.startswith("interrupted"):
            goes_on = "was not kept: only --out keeps it" if kept is None else f"is in '{kept}', and --resume goes on from there"
            raise Stopped(f"the run, {result.status}, {goes_on}")
        return 0

    def check_outputs(self) -> None:
        """Refuse files that cannot be written, before computing."""
        from locodyn.sim.store import REPORT, RESULT, check_writable

        for file, what, endings in (
            (self.out, "output", RESULT), (self.report, "report", REPORT), (self.video, "video", ()),
        ):  # fmt: skip
            if file is not None:
                check_writable(file, what, endings)
        if self.what is not None and self.plot is None:
            raise InputError("--what says what a plot shows; give --plot FILE too.")
        check_plot(self.plot)
        if self.report is not None:
            from locodyn.view.page import built

            built("page.js")
        if self.video is not None:
            from locodyn.view.film import check_possible

            check_possible(self.video)

    def scenario(self) -> Scenario:
        """The scenario with the options of the command line."""
        if self.name is None:
            raise InputError("no scenario is named; give one ('locodyn list' shows them) or --resume FILE.")
        named = ("t_end", "dt", "integrator", "record_every", *(option.name for option in all_options()))
        options: dict[str, Any] = {name: getattr(self, name) for name in named}
        options["record"] = None if self.record is None else [name.strip() for name in self.record.split(",")]
        scenario = self.source(self.name)
        if self.resolve and not (scenario.world.obstacles or scenario.world.self_collision):
            raise InputError(f"--resolve moves a robot out of what it overlaps; '{self.name}' has no obstacles to overlap.")
        start = replace(scenario.start, resolve=True) if self.resolve else None
        integrator = scenario.numerics.integrator if self.integrator is None else self.integrator
        if integrator == AUTO or integrator in METHODS:
            self.check_method(integrator)
        return scenario.changed(**{key: value for key, value in {**options, "start": start}.items() if value is not None})

    def check_method(self, integrator: str) -> None:
        """Refuse options of other integrators than that of the run."""
        check_options(integrator, [one.name for one in all_options() if getattr(self, one.name) is not None], "--")

    def source(self, name: str) -> Scenario:
        """The scenario of the zoo or of a file."""
        return scenario_from(name, self.settings, self.reading, self.quiet)

    def resumed(self) -> Result:
        """Go on with a saved run."""
        from locodyn.files.reading import is_file_name
        from locodyn.sim import Result as SavedResult
        from locodyn.zoo.registry import resume, with_numerics_of

        assert self.resume is not None
        kept = {"--set": self.settings, "--dt": self.dt, "--integrator": self.integrator, "--resolve": self.resolve or None}
        kept |= {"--record-every": self.record_every, "--record": self.record}
        kept |= {f"--{option.name.replace('_', '-')}": getattr(self, option.name) for option in all_options()}
        for option, value in kept.items():
            if value is not None and value != {}:
                raise InputError(f"{option} cannot be given with --resume; a resumed run keeps its settings.")
        for option in self.reading.options() if self.reading else ():
            if self.name is None or not is_file_name(self.name):
                raise InputError(f"{option} goes with a robot or scenario file; name the file too, or leave {option} out.")
        saved = SavedResult.load(self.resume)
        scenario = self.source(self.name) if self.name is not None and is_file_name(self.name) else None
        name = self.name if scenario is None else scenario.name
        if name is not None and name != saved.attributes["scenario"]:
            raise InputError(f"'{self.resume}' is a run of '{saved.attributes['scenario']}', not of '{name}'.")
        if scenario is not None:
            scenario = with_numerics_of(scenario, saved)
        t_end = float(saved.attributes["t_end"]) if self.t_end is None else self.t_end
        return resume(self.resume, t_end, scenario, progress=not self.quiet, out=self.out)


def print_summary(result: Result, written: list[Path]) -> None:
    """A few lines about the run."""
    about = result.attributes
    count = result.dataset.sizes["time"]
    print(f"{about['scenario']}: {result.status}; {count} records", end="")
    print(f" to t = {result.time.values[-1]:g} s" if count else "", end="")
    print(f"; {about['wall_time'] - about['compile_time']:.2f} s, and {about['compile_time']:.2f} s of compiling")
    print(about["classification"])
    if ": " in about.get("integrator_choice", ""):  # a reason: it is not the plain one
        print(f"integrator {about['integrator_choice']}")
    if "rank_changes" in about and "constraint_rank" in result.dataset:
        print(f"independent constraints: {int(result.constraint_rank.min())} to {int(result.constraint_rank.max())} of them")
    if count and not result.failed and "position" in result.dataset:
        x, y, z = result.position.values[-1]
        print(f"reference body at ({x:.6g}, {y:.6g}, {z:.6g}) m")
    if count and not result.failed and is_told(result.dataset):
        last = result.dataset["kinetic_energy"].values[-1] + result.dataset["potential_energy"].values[-1]
        closes = f"energy balance closes to {result.energy_defect():.2g} J"
        print(f"energy {last:.6g} J; {closes}; {about['evaluations']} evaluations")
    elif count and not result.failed and "energy_defect" in about:
        print(f"energy account closes to {abs(about['energy_defect']):.2g} J of {about['energy_scale']:.2g} J")
    if "energy_unwatched" in about:
        print(f"the energy of this run was not watched: {about['energy_unwatched']}")
    if count and not result.failed and {"rod_residual", "rod_wrench", "rod_position"} <= set(result.dataset.variables):
        share = result.slice_defect()
        more = "; give it more nodes" if share > _COARSE else ""
        print(f"slices: the continuous body differs by {share:.2g} of the largest wrench{more}")
    if "contact_worst_residual" in about:
        failed = int(about["contact_unconverged_steps"])
        worst = f"{failed} steps did not converge, worst residual {about['contact_worst_residual']:.2g}"
        depth = f"{about['contact_deepest_penetration']:.2g} m"
        print(f"contacts: deepest penetration {depth}; {worst if failed else 'all steps converged'}")
    for file in written:
        print(f"wrote {file}")
