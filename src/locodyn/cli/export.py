"""``locodyn export NAME``: the equations of a robot as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from locodyn.cli.source import names, scenario_from
from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    from locodyn.files.load import Reading
    from locodyn.symbolic.function import Function

# Functions that an option changes: those at named places, in independent speeds, and with forces in them.
_USES = {
    "--of": ("jacobian", "sensors"),
    "--speeds": ("reduced", "forward", "speeds", "contacts"),
    "--wrench": ("inverse", "reduced", "forward", "contacts"),
}


@dataclass(frozen=True)
class ExportRequest:
    """The options of one ``locodyn export``."""

    name: str
    settings: dict[str, str]
    target: str
    what: str
    symbols: str
    drive: str
    of: str
    speeds: str
    wrenches: str
    out: Path
    quiet: bool
    reading: Reading | None = None

    def execute(self) -> int:
        """Generate, write, compile where that is possible, and say what was done."""
        from locodyn.symbolic.export import check_c, check_target, write
        from locodyn.symbolic.generator import FUNCTIONS
        from locodyn.symbolic.model import plain
        from locodyn.symbolic.scenarios import generator
        from locodyn.zoo import ROBOTS

        check_target(self.target)
        wanted = names(self.what)
        for what in wanted:
            if what not in FUNCTIONS:
                raise InputError(f"there is no function '{what}'{nearest(what, FUNCTIONS)}")
        if not wanted:
            raise InputError(f"--what names no function; known: {', '.join(FUNCTIONS)}")
        for option, given in (("--of", self.of), ("--speeds", self.speeds), ("--wrench", self.wrenches)):
            if names(given) and not set(_USES[option]) & set(wanted):
                raise InputError(
                    f"{option} goes with {', '.join(_USES[option])}; name one of them in --what, or leave {option} out."
                )
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"'{self.out}' is a file; give a folder.")
        symbols = self.symbols if self.symbols in ("all", "none") else names(self.symbols)
        scenario = scenario_from(self.name, self.settings, self.reading, self.quiet)
        own = self.name in ROBOTS  # with a table of parameters
        source = generator(self.name if own else scenario, self.settings if own else None, symbols, self.drive)
        title = plain(Path(self.name).stem)
        functions = [
            source.function(
                what,
                of=names(self.of) if what in ("jacobian", "sensors") else (),
                speeds=names(self.speeds) or None,
                wrenches=names(self.wrenches),
                name=f"{title}_{what}",
            )
            for what in wanted
        ]
        files = write(functions, self.target, self.out, title)
        if not self.quiet:
            for function in functions:
                print_heading(function)
        verdict = check_c(files) if self.target == "c" else ""
        if not self.quiet:
            print(*(f"wrote {file}" for file in files), sep="\n")
            print(verdict, end="\n" if verdict else "")
        return 1 if "DIFFERS" in verdict else 0


def print_heading(function: Function) -> None:
    """What a function takes and gives, and how many operations it needs."""
    from locodyn.symbolic.text import heading

    print(f"{function.name}:", *heading(function), sep="\n  ", end="\n\n")
