"""The commands that write files of robots and scenarios: ``new``, ``convert``, ``schema``, ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locodyn.cli.options import Name, Quiet, Reading, Settings, command


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="File to write.")],
    quiet: Quiet = False,
) -> None:
    """Write a scenario to begin with. It is commented, and runs as it is."""
    from locodyn.files.template import write_template

    written = write_template(file)
    if not quiet:
        print(f"wrote {written}; run it with: locodyn run {written}")


def convert(
    reading: Reading,
    name: Name,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="File to write: yaml, urdf or xml (MJCF).")],
    quiet: Quiet = False,
) -> None:
    """Write a robot in another format, and list what gets lost."""
    from locodyn.cli.convert import convert as change

    lines = change(name, out, reading)
    if not quiet:
        print("\n".join(lines))


def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="robot or scenario.")] = "scenario",
) -> None:
    """Print the JSON schema of a robot or scenario file. For editors that complete and check."""
    from locodyn.files.schema import schema_text

    print(schema_text(kind), end="")


def export(
    settings: Settings,
    reading: Reading,
    name: Name,
    to: Annotated[str, typer.Option("--to", metavar="TARGET", help="c, python, latex, casadi, matlab; fmu; urdf, mjcf.")],
    what: Annotated[
        str | None, typer.Option("--what", metavar="NAME,...", help="Functions (reduced), for instance forward,energy.")
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder for the files.")] = Path(),
    symbols: Annotated[
        str, typer.Option("--symbols", metavar="all|none|NAME,...", help="Parameters that stay symbols.")
    ] = "none",
    drive: Annotated[
        str,
        typer.Option("--drive", metavar="torque|scenario", help="Motors give forces, or motion is that of the scenario."),
    ] = "torque",
    of: Annotated[str, typer.Option("--of", metavar="NAME,...", help="Bodies or markers, for jacobian and sensors.")] = "",
    speeds: Annotated[str, typer.Option("--speeds", metavar="NAME,...", help="Independent speeds.")] = "",
    wrench: Annotated[str, typer.Option("--wrench", metavar="NAME,...", help="Bodies or markers with an outer wrench.")] = "",
    quiet: Quiet = False,
) -> None:
    """Write equations as code (functions: reduced, forward, inverse, mass_matrix, constraints, contacts, ...) or as an FMU, or
    the robot with its contacts as URDF or MJCF."""
    from locodyn.cli.export import ExportRequest

    request = ExportRequest(name, settings, to, what, symbols, drive, of, speeds, wrench, out, quiet, reading)
    raise typer.Exit(request.execute())


def register(app: typer.Typer) -> None:
    """Add them to the application."""
    for act in (new, convert, schema, export):
        command(app, compiles=act is export)(act)
