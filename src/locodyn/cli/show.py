"""The commands that show a run: ``plot``, ``report``, ``picture``, ``video``, ``log``, ``view``, ``studio``.

All but the last begin with a saved result or a scenario to run first; how that is said (``Source``) stands here once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from locodyn.cli.options import READING, REQUIRED, SETTINGS, Group, Quiet, What, command
from locodyn.cli.outputs import RunSource
from locodyn.cli.source import parse, reading_of

WORDS = "A result that a run has written, or a scenario (a name or a file: yaml, urdf, xml) to run first."
Run = Annotated[str, typer.Argument(metavar="RESULT.nc|NAME", help=WORDS)]
Runs = Annotated[list[str], typer.Argument(metavar="RESULT.nc|NAME...", help=f"{WORDS} Further ones are ghosts.")]
Host = Annotated[str, typer.Option("--host", help="Who is listened to; 0.0.0.0: every machine that reaches this one.")]
Port = Annotated[int, typer.Option("--port", help="Where the browser finds it.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Pixels.")]
View = Annotated[str, typer.Option("--view", help="free, top, side or front.")]
Follow = Annotated[bool | None, typer.Option("--follow/--stay", help="Whether the camera goes with the robot.")]


def _source(run: str, settings: list[str] | None, *words: Any) -> RunSource:
    *reading, quiet = words
    return RunSource(run, parse(settings), reading_of(*reading), quiet)


def _sources(runs: list[str], *words: Any) -> list[RunSource]:
    return [_source(run, *words) for run in runs]


SHARED = {**SETTINGS, **READING, "quiet": (Quiet, False)}
Source = Annotated[RunSource, Group({"run": (Run, REQUIRED), **SHARED}, _source)]
Sources = Annotated[list[RunSource], Group({"run": (Runs, REQUIRED), **SHARED}, _sources)]


def plot(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="png, pdf or svg.")],
    what: What = None,
    at: Annotated[float | None, typer.Option("--at", metavar="T", help="Joint torques or push_view at this time, s.")] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="FILE.csv", help="Measured motion to draw the run against, with errors.")
    ] = None,
) -> None:
    """Draw a run for print. An unknown WHAT is answered with a list of what the result has."""
    from locodyn.cli.outputs import plot as draw
    from locodyn.cli.outputs import plot_against as draw_against

    if against is None:
        draw(source, output, what, at)
    else:
        draw_against(source, output, against, what, at)


def report(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page.")],
    plays: Annotated[
        str | None, typer.Option("--plays", metavar="N|all", help="Of a study: how many of its runs a click plays (24).")
    ] = None,
) -> None:
    """Write the report page of a run, or of a study (study.zarr): there a click on a point plays that run."""
    from locodyn.cli.outputs import report as write

    write(source, output, plays)


def picture(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.png", help="The picture.")],
    at: Annotated[str | None, typer.Option("--at", metavar="T,...", help="Time, s (the end); several: frames.")] = None,
    size: Size = "1280x720",
    view: View = "free",
    follow: Follow = None,
) -> None:
    """Draw the robot of a run in three dimensions, at one time or at several."""
    from locodyn.cli.outputs import picture as write

    write(source, output, size, at, view=view, follow=follow)


def video(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="mp4 or gif.")],
    size: Size = "1280x720",
    fps: Annotated[int | None, typer.Option("--fps", help="Pictures in a second (30, of a gif 15).")] = None,
    speed: Annotated[float, typer.Option("--speed", help="2 is twice as fast as the run.")] = 1.0,
    view: View = "free",
    follow: Follow = None,
) -> None:
    """Write a video of a run."""
    from locodyn.cli.outputs import video as write

    write(source, output, size, fps=fps, speed=speed, view=view, follow=follow, progress=not source.quiet)


def log(source: Source, output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.mcap", help="The log.")]) -> None:
    """Write an MCAP log of a run, for Foxglove."""
    from locodyn.cli.outputs import log as write

    write(source, output)


def view(sources: Sources, host: Host = "127.0.0.1", port: Port = 8080, open_: Open = True) -> None:
    """Show runs in three dimensions in a browser, with curves."""
    from locodyn.view.viewer import view as serve

    viewer = serve([source.result() for source in sources], host, port)
    if not sources[0].quiet:
        print(f"{', '.join(source.word for source in sources)} at {viewer.address} (Ctrl-C ends it)", flush=True)
    viewer.wait(open_)


def studio(
    robot: Annotated[
        str, typer.Argument(metavar="ROBOT|STUDY.zarr", help="The robot, or the study, to begin with.")
    ] = "snakeboard",
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_: Open = True,
    quiet: Quiet = False,
) -> None:
    """The scenarios of the zoo as a page: choose, set parameters, run, watch, compare, save. A study: click a run to see it."""
    from locodyn.view.server import wait
    from locodyn.view.studio import Studio

    page = Studio(host, port, study=robot) if Path(robot).suffix == ".zarr" else Studio(host, port, robot)
    if not quiet:
        print(f"studio at {page.address} (Ctrl-C ends it)", flush=True)
    wait(page.server, open_)
    page.stop()


def register(app: typer.Typer) -> None:
    """Make these functions commands."""
    for act in (plot, report, picture, video, log, view, studio):
        command(app)(act)
