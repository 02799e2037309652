"""The commands that show a run: ``plot``, ``report``, ``picture``, ``video``, ``view``, ``studio``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locodyn.cli.options import Debug, Moves, Quiet, Root, Set, What

RUN = "A result that a run has written, or a scenario (a name or a file: yaml, urdf, xml) to run first."
Run = Annotated[str, typer.Argument(metavar="RESULT.nc|NAME", help=RUN)]
Host = Annotated[str, typer.Option("--host", help="Who is listened to; 0.0.0.0: every machine that reaches this one.")]
Port = Annotated[int, typer.Option("--port", help="Where the browser finds it.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Pixels.")]
View = Annotated[str, typer.Option("--view", help="free, top, side or front.")]
Follow = Annotated[bool | None, typer.Option("--follow/--stay", help="Whether the camera goes with the robot.")]


def plot(
    run: Run,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="png, pdf or svg.")],
    what: What = None,
    at: Annotated[float | None, typer.Option("--at", metavar="T", help="All joint torques at this time, s.")] = None,
    set_: Set = None,
    moves: Moves = None,
    root: Root = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Draw a run for print. An unknown WHAT is answered with a list of what the result has."""
    from locodyn.cli.shown import Shown
    from locodyn.cli.shown import plot as draw

    draw(Shown.of(run, set_, moves, root, quiet), output, what, at)


def report(
    run: Run,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page.")],
    set_: Set = None,
    moves: Moves = None,
    root: Root = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write the report page of a run."""
    from locodyn.cli.shown import Shown
    from locodyn.cli.shown import report as write

    write(Shown.of(run, set_, moves, root, quiet), output)


def picture(
    run: Run,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.png", help="The picture.")],
    at: Annotated[float | None, typer.Option("--at", metavar="T", help="Time, s (the end).")] = None,
    size: Size = "1280x720",
    view: View = "free",
    follow: Follow = None,
    set_: Set = None,
    moves: Moves = None,
    root: Root = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Draw the robot of a run in three dimensions, at one time."""
    from locodyn.cli.shown import Shown
    from locodyn.cli.shown import picture as write

    write(Shown.of(run, set_, moves, root, quiet), output, size, at=at, view=view, follow=follow)


def video(
    run: Run,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="mp4 or gif.")],
    size: Size = "1280x720",
    fps: Annotated[int | None, typer.Option("--fps", help="Pictures in a second (30, of a gif 15).")] = None,
    speed: Annotated[float, typer.Option("--speed", help="2 is twice as fast as the run.")] = 1.0,
    view: View = "free",
    follow: Follow = None,
    set_: Set = None,
    moves: Moves = None,
    root: Root = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a video of a run."""
    from locodyn.cli.shown import Shown
    from locodyn.cli.shown import video as write

    source = Shown.of(run, set_, moves, root, quiet)
    write(source, output, size, fps=fps, speed=speed, view=view, follow=follow, progress=not quiet)


def view(
    runs: Annotated[list[str], typer.Argument(metavar="RESULT.nc|NAME...", help=f"{RUN} Further ones are ghosts.")],
    set_: Set = None,
    moves: Moves = None,
    root: Root = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_: Open = True,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show runs in three dimensions in a browser, with curves."""
    from locodyn.cli.live import view as show
    from locodyn.cli.shown import Shown

    show([Shown.of(run, set_, moves, root, quiet) for run in runs], host, port, open_)


def studio(
    robot: Annotated[str, typer.Argument(help="The robot to begin with.")] = "snakeboard",
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_: Open = True,
    debug: Debug = False,
) -> None:
    """The scenarios of the zoo as a page: choose, set parameters, run, watch, compare, save."""
    from locodyn.cli.live import studio as show

    show(robot, host, port, open_)


def register(app: typer.Typer) -> None:
    """Make these functions commands."""
    for command in (plot, report, picture, video, view, studio):
        app.command()(command)
