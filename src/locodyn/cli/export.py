"""``locodyn export NAME``: the equations of a robot as code or as an FMU, or the robot itself as URDF or MJCF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from locodyn.cli.source import names, scenario_from
from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    from locodyn.files.reading import Reading
    from locodyn.symbolic.function import Function

# Functions that an option changes: those at named places, in independent speeds, and with forces in them.
_USES = {
    "--of": ("jacobian", "sensors"),
    "--speeds": ("reduced", "forward", "stabilised", "speeds", "contacts"),
    "--wrench": ("inverse", "reduced", "forward", "stabilised", "contacts"),
}


OTHERS = {"fmu": ".fmu", "urdf": ".urdf", "mjcf": ".xml"}  # targets that are not equations, and the endings of their files


@dataclass(frozen=True)
class ExportRequest:
    """The options of one ``locodyn export``."""

    name: str
    settings: dict[str, str]
    target: str
    what: str | None
    symbols: str
    drive: str
    of: str
    speeds: str
    wrenches: str
    out: Path
    quiet: bool
    reading: Reading | None = None

    def execute(self) -> int:
        """Write what is asked for, and say what was done; 1 where generated C does not give what Python does."""
        from locodyn.symbolic.export import TARGETS

        if self.target not in (*TARGETS, *OTHERS):
            raise InputError(f"there is no export to '{self.target}'{nearest(self.target, [*TARGETS, *OTHERS])}")
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"'{self.out}' is a file; give a folder.")
        return self._equations() if self.target in TARGETS else self._fmu() if self.target == "fmu" else self._robot()

    def _refuse(self, *options: str) -> None:
        """Options that do not go with this target."""
        chosen = {"--what": self.what is not None, "--of": self.of, "--speeds": self.speeds, "--wrench": self.wrenches}
        chosen |= {"--symbols": self.symbols.replace("none", ""), "--drive": self.drive.replace("torque", "")}
        for option in options:
            if chosen[option]:
                raise InputError(f"{option} does not go with --to {self.target}; leave it out.")

    def _place(self, ending: str) -> Path:
        """The file in the folder, which is made if need be."""
        from locodyn.symbolic.model import plain

        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"the folder '{self.out}' cannot be made: {error.strerror or error}.") from None
        return self.out / f"{plain(Path(self.name).stem)}{ending}"

    def _fmu(self) -> int:
        """Positions and speeds as states, forces as inputs."""
        from locodyn.symbolic.fmu import write_fmu
        from locodyn.zoo import ROBOTS

        self._refuse("--what", "--of", "--speeds")
        scenario = scenario_from(self.name, self.settings, self.reading, self.quiet)
        symbols = self.symbols if self.symbols in ("all", "none") else names(self.symbols)
        own = self.name if self.name in ROBOTS else ""
        file = self._place(".fmu")
        wrenches = names(self.wrenches)
        words = write_fmu(
            scenario, file, name=own, parameters=self.settings, symbols=symbols, drive=self.drive, wrenches=wrenches
        )
        if not self.quiet:
            print(f"wrote {file}: {words}")
        return 0

    def _robot(self) -> int:
        """The robot with its surfaces and what it stands on."""
        from locodyn.cli.convert import drives
        from locodyn.files.export_scenario import save_with_world

        self._refuse("--what", "--of", "--speeds", "--wrench", "--symbols", "--drive")
        scenario = scenario_from(self.name, self.settings, self.reading, self.quiet)
        file = self._place(OTHERS[self.target])
        if file.exists() and Path(self.name).exists() and file.samefile(self.name):
            raise InputError(f"'{file}' is the file itself; give another folder.")
        notes = (*save_with_world(scenario, file), *drives(scenario))
        if not self.quiet:
            print(*(f"writing, {note}" for note in notes), f"wrote {file}", sep="\n")
        return 0

    def _equations(self) -> int:
        """Generate, write, and compile where that is possible."""
        from locodyn.symbolic.export import check_c, write
        from locodyn.symbolic.generator import FUNCTIONS
        from locodyn.symbolic.model import plain
        from locodyn.symbolic.scenarios import generator
        from locodyn.zoo import ROBOTS

        wanted = names("reduced" if self.what is None else self.what)
        for what in wanted:
            if what not in FUNCTIONS:
                raise InputError(f"there is no function '{what}'{nearest(what, FUNCTIONS)}")
        if not wanted:
            raise InputError(f"--what names no function; known: {', '.join(FUNCTIONS)}")
        for option, value in (("--of", self.of), ("--speeds", self.speeds), ("--wrench", self.wrenches)):
            if names(value) and not set(_USES[option]) & set(wanted):
                raise InputError(
                    f"{option} goes with {', '.join(_USES[option])}; name one of them in --what, or leave {option} out."
                )
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
