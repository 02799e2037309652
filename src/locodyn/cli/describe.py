"""``locodyn describe NAME``: the scenario in words and tables."""

from __future__ import annotations

from locodyn.cli.console import console
from locodyn.sim.parameter import format_value
from locodyn.zoo.registry import make


def describe(name: str, settings: dict[str, str]) -> None:
    """Print parameters with units and source, degrees of freedom, masses, the tree, and what drives each joint."""
    from rich.table import Table

    scenario = make(name, settings)
    robot = scenario.compiled
    screen = console()
    screen.print(f"[bold]{name}[/bold]: {scenario.summary}\n")
    table = Table(title="Parameters", title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("--set", "value", "unit", "meaning", "source"):
        table.add_column(heading)
    for p in scenario.parameters:
        meaning = p.meaning + (f" ({', '.join(map(str, p.choices))})" if p.choices else "")
        names = ", ".join((p.name, *p.aliases))
        table.add_row(names, format_value(p.value), p.unit, meaning, p.source)
    screen.print(table)
    joints = robot.nv - robot.reference_nv
    screen.print(
        f"\n[bold]Robot[/bold]: {len(robot.body_names)} bodies, {float(robot.total_mass):g} kg; {robot.nv} degrees of freedom"
        f" ({robot.reference_nv} of the reference body '{robot.reference_body}', {joints} of joints)"
    )
    tree = getattr(scenario.robot, "tree", None)
    if tree is not None:
        screen.print(tree(), markup=False)
    screen.print("\n[bold]Drive[/bold]")
    words = scenario.drive_words()
    width = max(map(len, words))
    for coordinate, drive in words.items():
        screen.print(f"{coordinate:<{width}}   {drive}", markup=False)
    screen.print(f"\n[bold]Problem[/bold]: {scenario.problem.classification}")
    gx, gy, gz = scenario.gravity
    screen.print(
        f"[bold]Run[/bold]: {scenario.t_end:g} s, step {scenario.dt:g} s, integrator {scenario.integrator},"
        f" gravity ({gx:g}, {gy:g}, {gz:g}) m/s^2"
    )
    for check in scenario.checks:
        screen.print(f"[bold]Check[/bold]: {check.name} within {check.tolerance:g} ({check.source})")
