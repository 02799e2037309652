"""The commands and their options. What a command needs is imported inside it, so that start-up is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locodyn.cli.episodes import register as register_episodes
from locodyn.cli.file_commands import register as register_files
from locodyn.cli.options import INTEGRATORS, NAME, OPTIONS, Cycle, Name, Places, Quiet, Reading, Settings, What, command
from locodyn.cli.show import register

app = typer.Typer(
    name="locodyn",
    help="Dynamics of locomotion: describe, run and check robots of the zoo and of files.",
    invoke_without_command=True,
    epilog="Begin with: locodyn run snakeboard --report board.html",
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from locodyn import __version__

        print(__version__)
        raise typer.Exit()


@app.callback()
def _locodyn(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Dynamics of locomotion: describe, run and check robots of the zoo and of files."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@command(app, "list")
def list_() -> None:
    """List the scenarios."""
    from locodyn.zoo.registry import NAMED, ROBOTS

    named = {name: f"{robot}: {words}" for name, (robot, _, words) in NAMED.items()}
    width = max(map(len, [*ROBOTS, *named]))
    for name, summary in {**ROBOTS, **named}.items():
        print(f"{name:<{width}}   {summary}")


@command(app, compiles=True)
def describe(name: Name, settings: Settings, reading: Reading) -> None:
    """Say what a scenario is. Parameters with units and source, bodies, joints, what drives them."""
    from locodyn.cli.describe import describe as say

    say(name, settings, reading)


@command(app, compiles=True)
def run(
    settings: Settings,
    reading: Reading,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help=NAME)] = None,
    t_end: Annotated[float | None, typer.Option("--t-end", metavar="T", help="End time, s.")] = None,
    dt: Annotated[float | None, typer.Option("--dt", metavar="DT", help="Step, s.")] = None,
    integrator: Annotated[str | None, typer.Option("--integrator", metavar="METHOD", help=INTEGRATORS)] = None,
    tolerance: Annotated[float | None, typer.Option("--tolerance", metavar="X", help=OPTIONS["tolerance"])] = None,
    rho_inf: Annotated[float | None, typer.Option("--rho-inf", metavar="X", help=OPTIONS["rho_inf"])] = None,
    split: Annotated[float | None, typer.Option("--split", metavar="X", help=OPTIONS["split"])] = None,
    record_every: Annotated[int | None, typer.Option("--record-every", metavar="N", help="Record every so many steps.")] = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="NAME,...", help="Record these variables only, e.g. position,joint_torque.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.nc", help="Write the result (NetCDF-4).")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the run (png, pdf, svg).")] = None,
    what: What = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE.html", help="Write a report page.")] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="FILE", help="Write a video (mp4, gif).")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", metavar="FILE.nc", help="Go on with a saved run.")] = None,
    resolve: Annotated[bool, typer.Option("--resolve", help="Move the robot out of what it overlaps at the start.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario and write what was asked for."""
    from locodyn.cli.run import Request

    request = Request(
        name, settings, t_end, dt, integrator, tolerance, rho_inf, split, out, plot, report, video, resume, quiet, what,
        reading, resolve, record_every, record,
    )  # fmt: skip
    raise typer.Exit(request.execute())


register(app)


@command(app, compiles=True)
def linearise(
    settings: Settings,
    reading: Reading,
    name: Name,
    at: Annotated[float, typer.Option("--at", metavar="T", help="Run to this time first, s.")] = 0.0,
    steady: Annotated[bool, typer.Option("--steady", help="Find the steady motion nearest to the state first.")] = False,
    keep: Annotated[str | None, typer.Option("--keep", metavar="NAME,...", help="States that --steady leaves alone.")] = None,
    coordinates: Annotated[
        str | None, typer.Option("--coordinates", metavar="NAME,...", help="Independent coordinates: a,b or own=a,other=-b.")
    ] = None,
    only: Annotated[str | None, typer.Option("--only", metavar="NAME,...", help="The part in these coordinates.")] = None,
    inputs: Annotated[str | None, typer.Option("--inputs", metavar="NAME,...", help="Forces: coordinates, or BODY.fx.")] = None,
    unsteady: Annotated[bool, typer.Option("--unsteady", help="Take the state as it is, steady or not.")] = False,
    spin: Annotated[str | None, typer.Option("--spin", metavar="BODY=AXIS", help="A body of revolution that spins.")] = None,
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="KEY=FROM:TO:STEP", help="Eigenvalues along a parameter.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the sweep (png, pdf, svg).")] = None,
    quiet: Quiet = False,
) -> None:
    """Linearise a scenario about a steady motion. States, matrices, modes; stability along a parameter."""
    from locodyn.cli.linearise import Request

    Request(
        name,
        settings,
        at,
        steady,
        keep,
        coordinates,
        only,
        inputs,
        spin,
        sweep,
        plot,
        quiet,
        reading,
        unsteady,
    ).execute()


@command(app, compiles=True)
def workspace(
    settings: Settings,
    reading: Reading,
    name: Name,
    body: Annotated[str, typer.Option("--body", metavar="NAME", help="The platform: a body or a marker.")],
    grid: Annotated[
        list[str], typer.Option("--grid", metavar="DIR=FROM:TO:COUNT", help="Two directions: x, y, z, about_x, about_y, about_z.")
    ],
    hold: Annotated[str | None, typer.Option("--hold", metavar="DIR,...", help="Directions that stay as at the start.")] = None,
    drives: Annotated[str | None, typer.Option("--drives", metavar="NAME,...", help="Imposed coordinates and tendons.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw it (png, pdf, svg).")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.nc", help="Write it (NetCDF-4).")] = None,
    quiet: Quiet = False,
) -> None:
    """Find where a platform can be, and where it is stable there. Stable and unstable regions, singular boundaries."""
    from locodyn.cli.workspace import Request

    Request(name, settings, body, grid, hold, drives, plot, out, quiet, reading).execute()


@command(app, compiles=True)
def sweep(
    settings: Settings,
    places: Places,
    name: Annotated[str, typer.Argument(help=f"{NAME} Or a study (yaml).")],
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="KEY=VALUES", help="10..60:11deg, 0.1,0.2 m, or A,B; start.NAME, t_end, dt; repeatable."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", metavar="NAME,...", help="What is kept of a run; FILE.py:FUNCTION too.")
    ] = None,
    table: Annotated[Path | None, typer.Option("--table", metavar="FILE.csv", help="The runs: a column a parameter.")] = None,
    design: Annotated[
        str | None, typer.Option("--design", metavar="DESIGN", help="grid (default), list, random, latin or sobol.")
    ] = None,
    samples: Annotated[int | None, typer.Option("--samples", metavar="N", help="Runs of random, latin, sobol.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Same seed, same runs (0).")] = None,
    cycle: Cycle = None,
    series: Annotated[str | None, typer.Option("--series", metavar="NAME,...", help="Time series to keep too.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="STUDY.zarr", help="Write it; go on where it stopped.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw it (png, pdf, svg).")] = None,
    paths: Annotated[Path | None, typer.Option("--paths", metavar="FILE", help="Draw the paths of the runs.")] = None,
    quiet: Quiet = False,
) -> None:
    """Run a scenario over ranges of its parameters. Metrics of all runs, on all cores or a cluster, into one store."""
    from locodyn.cli.sweep import Request

    request = Request(
        name, settings, vary or [], table, metric or [], design, samples, seed, cycle, series, places, out, plot, paths, quiet,
    )  # fmt: skip
    raise typer.Exit(request.execute())


@command(app, compiles=True)
def optimise(
    settings: Settings,
    places: Places,
    name: Name,
    over: Annotated[
        list[str] | None, typer.Option("--over", metavar="KEY=RANGE", help="What may change: 10..60deg; repeatable.")
    ] = None,
    maximise: Annotated[str | None, typer.Option("--maximise", metavar="METRIC,...", help="To be made large.")] = None,
    minimise: Annotated[str | None, typer.Option("--minimise", metavar="METRIC,...", help="To be made small.")] = None,
    constraint: Annotated[
        list[str] | None, typer.Option("--constraint", metavar="METRIC<=X", help="A limit, or METRIC>=X; repeatable.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", metavar="METHOD", help="cma, slsqp, gradient; of several objectives nsga2.")
    ] = None,
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="Most runs.")] = 300,
    starts: Annotated[int, typer.Option("--starts", metavar="N", help="Searches from different places.")] = 1,
    population: Annotated[int | None, typer.Option("--population", metavar="N", help="Runs of a batch.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Same seed, same search.")] = 0,
    cycle: Cycle = None,
    history: Annotated[
        Path | None, typer.Option("--history", metavar="FILE.jsonl", help="Write all runs; go on where it stopped.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.nc", help="Write the best run.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the search (png, pdf, svg).")] = None,
    quiet: Quiet = False,
) -> None:
    """Find the parameters with the best metric. Limits on other metrics; several objectives give a front."""
    from locodyn.cli.optimise import Request

    Request(
        name, settings, over or [], maximise, minimise, constraint or [], method, budget, starts, population, seed, cycle,
        places, history, out, plot, quiet,
    ).execute()  # fmt: skip


@command(app, compiles=True)
def plan(
    settings: Settings,
    name: Annotated[str, typer.Argument(help="A planar snake: snake_2d, or a file with that robot.")] = "snake_2d",
    pegs: Annotated[Path | None, typer.Option("--pegs", metavar="FILE.csv", help="x, y, radius (m) of a peg in a line.")] = None,
    place: Annotated[
        int | None, typer.Option("--place", metavar="COUNT", help="Place so many pegs for the gait of the scenario.")
    ] = None,
    radius: Annotated[float | None, typer.Option("--radius", metavar="R", help="Of placed pegs, m (0.02).")] = None,
    t_end: Annotated[float | None, typer.Option("--t-end", metavar="T", help="End of the run, s (two periods).")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.yaml", help="Write the scenario.")] = None,
    json_: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write plan, pegs and push points.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw plan, forces, path (png, pdf, svg).")] = None,
    quiet: Quiet = False,
) -> None:
    """Plan the gait of a snake among pegs, and run it. Amplitude, phase and start with three push points at all times."""
    from locodyn.cli.plan import Request

    raise typer.Exit(Request(name, settings, pegs, place, radius, t_end, out, json_, plot, quiet).execute())


@command(app, compiles=True)
def validate(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Scenarios or files (by default the zoo).")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only checks of this kind; repeatable. One of published, closed-form, independent, conservation, own.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run the acceptance checks of scenarios. Kind, expected, obtained, tolerance, pass or fail; counts by kind."""
    from locodyn.cli.validate import validate as check

    raise typer.Exit(check(names or [], quiet, kind or []))


register_files(app)
register_episodes(app)


@command(app, "compile")
def compile_(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Robots of the zoo (by default all).")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", metavar="N", help="Processes at once (by default one a core).")] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="CPU", help="For the wheel: code for processors with x86-64-v3, into the package."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Compile kernels for this machine before they are needed. They take the place of those that came with the package."""
    from locodyn.cli.compile import compile_all

    raise typer.Exit(compile_all(names or [], jobs, baseline, quiet))


@command(app)
def device() -> None:
    """Say which graphics card batches can use (``scenario.batch(4096, device="cuda")``)."""
    from locodyn.device.driver import found

    typer.echo(found())


@command(app)
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes and repetitions.")] = False,
    json_: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the records as JSON.")] = None,
) -> None:
    """Measure speed against other libraries. Only in a checkout of the repository."""
    from locodyn.cli.bench import bench as measure

    raise typer.Exit(measure(quick, json_))


@command(app, compiles=True)
def judge(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM...", help="Names, their beginnings, or files; all.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the problems and stop.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Few settings, two runs each.")] = False,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Runs of each setting, of which the best counts.")] = 5,
    json_: Annotated[Path | None, typer.Option("--json", metavar="FILE.json", help="Write what came out.")] = None,
    pictures: Annotated[Path | None, typer.Option("--pictures", metavar="FOLDER", help="Draw each problem into it.")] = None,
    store: Annotated[bool, typer.Option("--store", help="Keep all for the page docs/judges.md.")] = False,
    quiet: Quiet = False,
) -> None:
    """Solve problems that others posed, beside the peers that are installed. Only in a checkout of the repository."""
    from locodyn.cli.judge import Request, list_problems

    if list_:
        list_problems(names or [])
        return
    raise typer.Exit(Request(names or [], quick, repeats, json_, pictures, store, quiet).execute())
