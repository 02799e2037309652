"""``locodyn judge``: problems that others posed, solved here and by the peers that are installed."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from locodyn.cli import wide_console
from locodyn.errors import InputError
from locodyn.judge.load import judges_folder, problems_of
from locodyn.judge.outcome import Outcome, Stored, span
from locodyn.judge.problem import OWN, Problem
from locodyn.judge.runner import judge


def list_problems(words: list[str]) -> None:
    """Print the problems with their peers, and which of these are not installed."""
    problems = problems_of(words)
    width = max(map(len, problems))
    absent: dict[str, None] = {}
    for name, problem in problems.items():
        peers = ", ".join(problem.peers) or "no peer"
        print(f"{name:<{width}}   {problem.title} ({peers})")
        absent |= dict.fromkeys(curve.code for curve in problem.curves if not curve.installed)
    if absent:
        print(f"not installed here, left out: {', '.join(absent)}")


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    words: list[str]
    quick: bool
    repeats: int
    json: Path | None
    pictures: Path | None
    store: bool
    quiet: bool

    def execute(self) -> int:
        """Run the problems; 0 where all runs of ours came to their end, 1 otherwise."""
        self._check()
        problems = problems_of(self.words)
        screen = wide_console()
        stored: list[Stored] = []
        failed = 0
        for name, problem in problems.items():
            say = None if self.quiet else (lambda line, name=name: screen.print(f"[dim]{name}: {line}[/dim]", highlight=False))
            outcome = judge(name, problem, self.quick, self.repeats, say)
            failed += sum(bool(point.failed) for point in outcome.points if point.code == OWN)
            if not self.quiet:
                show(outcome, problem)
            stored.append(outcome.stored())
            self._keep(stored[-1])
        if self.json is not None:
            from locodyn.sim.store import write_beside

            text = json.dumps({**machine(), "problems": stored}, indent=1) + "\n"
            write_beside(self.json, lambda file: file.write_text(text, encoding="utf-8"))
            if not self.quiet:
                print(f"wrote {self.json}")
        return 1 if failed else 0

    def _check(self) -> None:
        """Before anything runs."""
        from locodyn.sim.store import check_writable

        if self.repeats < 2:
            raise InputError(f"--repeats is {self.repeats}; it must be at least 2, as the first run also compiles.")
        if self.json is not None:
            check_writable(self.json, "list", (".json",))
        if self.pictures is not None and not self.pictures.is_dir():
            raise InputError(f"--pictures names '{self.pictures}', which is not a folder.")
        if self.store and self.quick:
            raise InputError("--store cannot be given with --quick; the documentation keeps whole runs.")

    def _keep(self, stored: Stored) -> None:
        """Pictures, and what the documentation shows."""
        from locodyn.judge.picture import draw

        if self.pictures is not None:
            draw(stored, self.pictures / f"{stored['name']}.png")
        if self.store:
            docs = judges_folder().parent / "docs"
            for folder in (docs / "data" / "judges", docs / "pictures" / "judges"):
                folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**machine(), **stored}, indent=1) + "\n"
            (docs / "data" / "judges" / f"{stored['name']}.json").write_text(text, encoding="utf-8")
            draw(stored, docs / "pictures" / "judges" / f"{stored['name']}.png")


def show(outcome: Outcome, problem: Problem) -> None:
    """The table of a problem, who is ahead, which targets are met."""
    from rich.table import Table

    screen = wide_console()
    table = Table(title=problem.title, title_justify="left", title_style="bold", box=None, padding=(0, 3, 0, 0))
    for heading in ("code", "method", "setting", "error", "CPU time", "further"):
        table.add_column(heading, overflow="fold")
    for point in outcome.points:
        if point.failed:
            numbers = ("", "", point.failed)
        else:
            further = ", ".join(f"{name} {value:.2g}" for name, value in point.trial.more.items())
            numbers = (f"{point.trial.error:.2e}", span(point.trial.cpu), further)
        table.add_row(point.code, point.method, f"{point.setting:g} {point.unit}".strip(), *numbers)
    screen.print(table)
    screen.print(f"error: {problem.measure}", highlight=False)
    screen.print(outcome.verdict(), highlight=False)
    for target in problem.targets:
        found = outcome.met(target)
        if found is not None:
            value, met = found
            word = "[green]met[/green]" if met else "[bold red]not met[/bold red]"
            measured = "no number" if math.isnan(value) else f"{value:.3g}"
            screen.print(f"target {word}: {target.words} (at most {target.bound:g}, measured {measured})", highlight=False)
    if outcome.left_out:
        screen.print(f"not installed here, left out: {', '.join(outcome.left_out)}", highlight=False)
    screen.print()


def machine() -> dict[str, str]:
    """Where and when."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())
    return {"machine": f"{processor}, Python {platform.python_version()}", "date": datetime.now(UTC).date().isoformat()}
