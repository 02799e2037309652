"""One self-contained HTML page about a run: what was run, how, what came out, and how far it can be trusted."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.view.panels import GROUPS, panels_of
from locodyn.view.plots import svg

if TYPE_CHECKING:
    from locodyn.sim import Result

STYLE = """
:root { color-scheme: light; --ink: #1a1a1a; --faint: #666; --line: #ddd; --accent: #0072B2; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: #fff;
       max-width: 1080px; margin: 2.5rem auto 4rem; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; border-bottom: 1px solid var(--line); }
.summary { color: var(--faint); margin: .2rem 0 1rem; }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; font-size: .85rem; color: #fff; background: #00795a; }
.badge.bad { background: #b03a00; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--faint); } td.number { font-variant-numeric: tabular-nums; }
.fail { color: #b03a00; font-weight: 700; } .pass { color: #00795a; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; }
figure.single { max-width: 60%; }
code, pre { font: .85rem/1.5 ui-monospace, Consolas, monospace; background: #f5f5f5; }
pre { padding: .8rem 1rem; overflow-x: auto; white-space: pre-wrap; border-radius: 4px; }
footer { margin-top: 3rem; color: var(--faint); font-size: .85rem; }
@media (max-width: 700px) { figure.single { max-width: 100%; } }
"""
TITLES = {
    "reference": "Reference body",
    "joints": "Joints",
    "torques": "Joint torques",
    "contacts": "Wheels and loops",
    "energy": "Energy and balance",
}


def table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """An HTML table; cells that are text are escaped, a (class, text) pair sets the class of a cell."""
    head = "".join(f"<th>{escape(h)}</th>" for h in headings)
    body = ""
    for row in rows:
        cells = [cell if isinstance(cell, tuple) else ("", cell) for cell in row]
        body += "<tr>" + "".join(f'<td class="{kind}">{escape(str(text))}</td>' for kind, text in cells) + "</tr>\n"
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>"


def parameters(result: Result) -> str:
    """The parameter table with units, meaning and source."""
    entries = json.loads(result.attributes["parameter_table"])
    if not entries:
        return "<p>The scenario was made in Python and has no parameter table.</p>"
    rows = []
    for p in entries:
        value = tuple(p["value"]) if isinstance(p["value"], list) else p["value"]
        rows.append((p["name"], ("number", short(value)), p["unit"], p["meaning"], p["source"]))
    return table(("parameter", "value", "unit", "meaning", "source"), rows)


def short(value: Any) -> str:
    """A value of a parameter with at most six digits, lists with spaces so that they can break."""
    values = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"{x:.6g}" if isinstance(x, float) else str(x) for x in values)


def energy_balance(result: Result) -> str:
    """First law of the run in numbers."""
    kinetic, potential = result.kinetic_energy.values, result.potential_energy.values
    supplied = result.energy_supplied().values
    total = kinetic + potential
    defect = np.abs(total - total[0] - supplied)
    rows = [
        ("kinetic energy, start and end", ("number", f"{kinetic[0]:.6g} J, {kinetic[-1]:.6g} J")),
        ("potential energy, start and end", ("number", f"{potential[0]:.6g} J, {potential[-1]:.6g} J")),
        ("energy supplied, less friction", ("number", f"{supplied[-1]:.6g} J")),
        ("largest defect of the balance", ("number", f"{defect.max():.2g} J")),
    ]
    return table(("energy", "value"), rows)


def solver(result: Result) -> str:
    """What the integrator did and how well it kept what it must keep."""
    about = result.attributes
    residual = result.constraint_residual.values
    iterations = result.solver_iterations.values
    step = f"{about['step']:g} s" if about["integrator"] != "adaptive" else f"adaptive, tolerance {about['tolerance']:g}"
    rows = [
        ("integrator", about["integrator"]),
        ("step", step),
        ("evaluations of the dynamics", about["evaluations"]),
        ("largest constraint residual", f"{float(np.max(residual)):.2g}"),
        ("iterations between records, largest", int(np.max(iterations))),
        *_constraints(result),
        ("time loop", about["time_loop"]),
        ("computing time", f"{about['wall_time']:.3g} s, of which compiling {about['compile_time']:.3g} s"),
    ]
    return table(("solver", ""), rows)


def _constraints(result: Result) -> list[tuple[str, str]]:
    """Rank and condition of wheels and loops, where there are any."""
    if "constraint_rank" not in result.dataset:
        return []
    rank, times = result.constraint_rank.values, np.atleast_1d(result.attributes.get("rank_changes", []))
    ranks = str(rank.max()) if not len(times) else f"{rank.min()} to {rank.max()}, changes at t = {times[0]:g} s"
    ranks += f" and {len(times) - 1} times more" if len(times) > 1 else ""
    worst = f"{float(result.constraint_condition.values.min()):.2g}"
    return [("independent constraints", ranks), ("constraints, smallest ratio of pivots", worst)]


def validation(result: Result) -> str:
    """The acceptance checks with what was obtained; a loaded result does not know them."""
    if result.scenario is None or not result.scenario.checks:
        return "<p>No acceptance checks belong to this result.</p>"
    rows = []
    try:
        outcomes = result.checks()
    except InputError as error:
        return f"<p>The checks were not made: {escape(str(error))}</p>"
    for outcome in outcomes:
        name, expected, obtained, tolerance, word = outcome.row()
        kind = "pass" if outcome.passed else "fail"
        rows.append((name, ("number", expected), ("number", obtained), ("number", tolerance), outcome.check.source, (kind, word)))
    return table(("check", "expected", "obtained", "tolerance", "source", "result"), rows)


def report(result: Result, file: str | Path) -> Path:
    """Write the page; it needs no other file and no network."""
    from locodyn.sim.store import write_beside

    about = result.attributes
    good = result.status == "completed"
    figures = ""
    for group in GROUPS:
        count = len(panels_of(result, group))
        if count and result.dataset.sizes["time"] > 1:
            kind = ' class="single"' if count == 1 else ""
            figures += f"<h2>{TITLES[group]}</h2>\n<figure{kind}>{svg(result, group)}</figure>\n"
    drives = [(name, words) for name, words in json.loads(about["drive"]).items()]
    times = result.time.values
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(str(about["title"]))}</title><style>{STYLE}</style></head><body>
<h1>{escape(str(about["scenario"]))} <span class="badge{"" if good else " bad"}">{escape(result.status)}</span></h1>
<p class="summary">{escape(str(about["summary"]))}</p>
<p>Robot <b>{escape(str(about["robot"]))}</b>: {float(about["total_mass"]):g} kg,
{about["degrees_of_freedom"]} degrees of freedom; t = {times[0]:g} to {times[-1]:g} s, {len(times)} records.<br>
{escape(str(about["classification"]))}.</p>
<h2>Parameters</h2>
{parameters(result)}
<h2>Drive</h2>
{table(("coordinate or wheel", "driven by"), drives)}
{figures}
<h2>Energy balance</h2>
{energy_balance(result)}
<h2>Solver</h2>
{solver(result)}
<h2>Validation</h2>
{validation(result)}
<h2>Run it again</h2>
<pre>{escape(str(about["command"]))}</pre>
<footer>locodyn {escape(str(about["library_version"]))}, Python {escape(str(about["python_version"]))},
{escape(str(about["created"]))}</footer>
</body></html>
"""
    return write_beside(file, lambda target: target.write_text(page, encoding="utf-8"))
