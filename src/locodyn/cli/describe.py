"""``locodyn describe NAME``: the scenario in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.cli import wide_console
from locodyn.errors import LocodynError
from locodyn.files.source import read_source
from locodyn.integrate.base import AUTO
from locodyn.kernel.plain import uncompiled
from locodyn.sim.parameter import format_value
from locodyn.sim.run import with_numerics

if TYPE_CHECKING:
    from rich.console import Console

    from locodyn.files.reading import Reading
    from locodyn.sim import Scenario


@uncompiled()
def describe(name: str, settings: dict[str, str], reading: Reading | None = None) -> None:
    """Print parameters with units and source, degrees of freedom, masses, the tree, what drives each joint, and notes."""
    from rich.markup import escape
    from rich.table import Table

    source = read_source(name, settings, reading)
    scenario = source.scenario
    robot = scenario.compiled
    screen = wide_console()
    screen.print(f"[bold]{escape(scenario.name)}[/bold]: {escape(scenario.summary)}")
    table = Table(title="Parameters", title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("--set", "value", "unit", "meaning", "source"):
        table.add_column(heading)
    for p in scenario.parameters:
        meaning = p.meaning + (f" ({', '.join(map(str, p.choices))})" if p.choices else "")
        names = ", ".join((p.name, *p.aliases))
        table.add_row(names, format_value(p.value), p.unit, meaning, p.source)
    if scenario.parameters:
        screen.print()
        screen.print(table)
    joints, count = robot.nv - robot.reference_nv, len(robot.body_names)
    bodies = f"{count} bod{'y' if count == 1 else 'ies'}"
    screen.print(
        f"\n[bold]Robot[/bold]: {bodies}, {float(robot.total_mass):g} kg; {robot.nv} degrees of freedom"
        f" ({robot.reference_nv} of the reference body '{escape(robot.reference_body)}', {joints} of joints)"
    )
    tree = getattr(scenario.robot, "tree", None)
    if tree is not None:
        screen.print(tree(), markup=False)
    screen.print("\n[bold]Drive[/bold]")
    words = scenario.drive.words(scenario.compiled, scenario.phases)
    if not words:
        screen.print("nothing moves: the robot has no degree of freedom")
    width = max(map(len, words), default=0)
    for coordinate, drive in words.items():
        screen.print(f"{coordinate:<{width}}   {drive}", markup=False)
    left_out = scenario.left_out()
    if left_out:
        screen.print("\n[bold]Self-collision[/bold]: all bodies with surfaces, but for")
        for (one, two), why in left_out.items():
            screen.print(f"{one}, {two}: {why}" if one != two else f"{one}: {why}", markup=False)
    if robot.nv:
        try:
            _print_run(scenario, screen)
        except LocodynError as error:  # a robot without masses, a start that overlaps: the rest can be described all the same
            screen.print(f"[bold]Run[/bold]: not as it is: {escape(str(error))}")
    if source.notes:
        screen.print("\n[bold]Notes[/bold] on the file")
        for note in source.notes:
            screen.print(str(note), markup=False)


def _print_run(scenario: Scenario, screen: Console) -> None:
    """What kind of problem it is, how it is computed, and what is checked."""
    from rich.markup import escape

    screen.print(f"\n[bold]Problem[/bold]: {scenario.problem.classification}")
    gx, gy, gz = scenario.world.gravity
    why = ""
    if scenario.numerics.integrator == AUTO:
        scenario, why = with_numerics(scenario, *scenario.initial_state())
    numerics = scenario.numerics
    screen.print(
        f"[bold]Run[/bold]: {scenario.recording.t_end:g} s, step {numerics.step:g} s, integrator {numerics.integrator},"
        f" gravity ({gx:g}, {gy:g}, {gz:g}) m/s^2"
    )
    if why:
        screen.print(f"[bold]Integrator[/bold], chosen from the robot: {escape(why)}")
    for check in scenario.checks:
        screen.print(f"[bold]Check[/bold]: {escape(check.name)} within {check.tolerance:g} ({escape(check.origin)})")
