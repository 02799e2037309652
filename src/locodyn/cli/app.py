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
What = Annotated[
    str | None, typer.Option("--what", metavar="WHAT,...", help="What a plot shows: groups, panels, pictures, joints, wheels.")
]
Host = Annotated[str, typer.Option("--host", help="Who is listened to; 0.0.0.0: every machine that reaches this one.")]
Port = Annotated[int, typer.Option("--port", help="Where the browser finds it.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Pixels.")]
View = Annotated[str, typer.Option("--view", help="free, top, side or front.")]
Follow = Annotated[bool | None, typer.Option("--follow/--stay", help="Whether the camera goes with the robot.")]
Saved = Annotated[Path, typer.Argument(metavar="RESULT.nc", help="A result that a run has written.")]
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
    integrator: Annotated[str | None, typer.Option("--integrator", help="rkmk4, adaptive or variational.")] = None,
    tolerance: Annotated[float | None, typer.Option("--tolerance", help="Of the adaptive integrator.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.nc", help="Write the result (NetCDF-4).")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the run (png, pdf, svg).")] = None,
    what: What = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE.html", help="Write a report page.")] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="FILE", help="Write a video (mp4, gif).")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", metavar="FILE.nc", help="Go on with a saved run.")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run a scenario and write what was asked for."""
    from locodyn.cli.run import Request
    from locodyn.cli.settings import parse

    request = Request(name, parse(set_), t_end, dt, integrator, tolerance, out, plot, report, video, resume, quiet, what)
    raise typer.Exit(request.execute())


@app.command()
def plot(
    result: Saved,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="png, pdf or svg.")],
    what: What = None,
    at: Annotated[float | None, typer.Option("--at", metavar="T", help="All joint torques at this time, s.")] = None,
    debug: Debug = False,
) -> None:
    """Draw a saved result for print. An unknown WHAT is answered with a list of what the result has."""
    from locodyn.cli.saved import plot as draw

    draw(result, output, what, at)


@app.command()
def report(
    result: Saved,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page.")],
    debug: Debug = False,
) -> None:
    """Write the report page of a saved result."""
    from locodyn.cli.saved import report as write

    write(result, output)


@app.command()
def video(
    result: Saved,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="mp4 or gif.")],
    size: Size = "1280x720",
    fps: Annotated[int | None, typer.Option("--fps", help="Pictures in a second (30, of a gif 15).")] = None,
    speed: Annotated[float, typer.Option("--speed", help="2 is twice as fast as the run.")] = 1.0,
    view: View = "free",
    follow: Follow = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a video of a saved result."""
    from locodyn.cli.saved import video as write

    write(result, output, size, fps=fps, speed=speed, view=view, follow=follow, progress=not quiet)


@app.command()
def picture(
    result: Saved,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.png", help="The picture.")],
    at: Annotated[float | None, typer.Option("--at", metavar="T", help="Time, s (the end).")] = None,
    size: Size = "1280x720",
    view: View = "free",
    follow: Follow = None,
    debug: Debug = False,
) -> None:
    """Draw the robot of a saved result in three dimensions, at one time."""
    from locodyn.cli.saved import picture as write

    write(result, output, size, at=at, view=view, follow=follow)


@app.command()
def view(
    what: Annotated[
        list[str], typer.Argument(metavar="RESULT.nc|NAME...", help="Results or scenarios; further ones are ghosts.")
    ],
    set_: Set = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_: Open = True,
    debug: Debug = False,
) -> None:
    """Show results in three dimensions in a browser, with curves."""
    from locodyn.cli.live import view as show
    from locodyn.cli.settings import parse

    show(what, parse(set_), host, port, open_)


@app.command()
def studio(
    robot: Annotated[str, typer.Argument(help="The robot to begin with.")] = "snakeboard",
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_: Open = True,
    debug: Debug = False,
) -> None:
    """The scenarios as a page: choose, set parameters, run, watch, compare, save."""
    from locodyn.cli.live import studio as show

    show(robot, host, port, open_)


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
