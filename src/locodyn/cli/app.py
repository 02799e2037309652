"""The commands and their options. What a command needs is imported inside it, so that start-up is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="locodyn",
    help="Dynamics of locomotion: describe, run and check robots by name.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help="Name of a scenario, see 'locodyn list'.")]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter (SI units); repeatable.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        from locodyn import __version__

        print(__version__)
        raise typer.Exit()


@app.callback()
def _locodyn(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Dynamics of locomotion: describe, run and check robots by name."""


@app.command("list")
def list_(debug: Debug = False) -> None:
    """List the scenarios."""
    from locodyn.zoo.registry import ROBOTS

    width = max(map(len, ROBOTS))
    for name, summary in ROBOTS.items():
        print(f"{name:<{width}}   {summary}")


@app.command()
def describe(name: Name, set_: Set = None, debug: Debug = False) -> None:
    """Say what a scenario is: parameters with units and source, bodies, joints, what drives them."""
    from locodyn.cli.describe import describe as say
    from locodyn.cli.settings import parse

    say(name, parse(set_))


@app.command()
def run(
    name: Annotated[str | None, typer.Argument(help="Name of a scenario, see 'locodyn list'.")] = None,
    set_: Set = None,
    t_end: Annotated[float | None, typer.Option("--t-end", metavar="T", help="End time, s.")] = None,
    dt: Annotated[float | None, typer.Option("--dt", metavar="DT", help="Step, s.")] = None,
    integrator: Annotated[str | None, typer.Option("--integrator", help="rkmk4, adams, adaptive, variational or moreau.")] = None,
    tolerance: Annotated[float | None, typer.Option("--tolerance", help="Of the adaptive integrator.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.nc", help="Write the result (NetCDF-4).")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the run (png, pdf, svg).")] = None,
    show: Annotated[str | None, typer.Option("--show", metavar="WHAT", help="Of --plot: a group, a joint or a wheel.")] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE.html", help="Write a report page.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", metavar="FILE.nc", help="Go on with a saved run.")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run a scenario and write what was asked for."""
    from locodyn.cli.run import Request
    from locodyn.cli.settings import parse

    request = Request(name, parse(set_), t_end, dt, integrator, tolerance, out, plot, report, resume, quiet, show)
    raise typer.Exit(request.execute())


@app.command()
def linearise(
    name: Name,
    set_: Set = None,
    at: Annotated[float, typer.Option("--at", metavar="T", help="Run to this time first, s.")] = 0.0,
    steady: Annotated[bool, typer.Option("--steady", help="Find the steady motion nearest to the state first.")] = False,
    keep: Annotated[str | None, typer.Option("--keep", metavar="STATES", help="States that --steady leaves alone.")] = None,
    coordinates: Annotated[
        str | None, typer.Option("--coordinates", metavar="NAMES", help="Independent coordinates: a,b or own=a,other=-b.")
    ] = None,
    only: Annotated[str | None, typer.Option("--only", metavar="NAMES", help="The part in these coordinates.")] = None,
    inputs: Annotated[str | None, typer.Option("--inputs", metavar="NAMES", help="Forces: coordinates, or BODY.fx.")] = None,
    spin: Annotated[str | None, typer.Option("--spin", metavar="BODY=AXIS", help="A body of revolution that spins.")] = None,
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="KEY=FROM:TO:STEP", help="Eigenvalues along a parameter.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the sweep (png, pdf, svg).")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Linearise a scenario about a steady motion: states, matrices, modes; stability along a parameter."""
    from locodyn.cli.linearise import Request
    from locodyn.cli.settings import parse

    Request(name, parse(set_), at, steady, keep, coordinates, only, inputs, spin, sweep, plot, quiet).execute()


@app.command()
def validate(
    names: Annotated[list[str] | None, typer.Argument(help="Scenarios (all when none is named).")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the acceptance checks of the scenarios: expected, obtained, tolerance, pass or fail."""
    from locodyn.cli.validate import validate as check

    raise typer.Exit(check(names or [], quiet))


@app.command()
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes and repetitions.")] = False,
    json_: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the records as JSON.")] = None,
    debug: Debug = False,
) -> None:
    """Measure speed against other libraries (in a checkout of the repository)."""
    from locodyn.cli.bench import bench as measure

    raise typer.Exit(measure(quick, json_))
