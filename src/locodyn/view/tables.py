"""The words and tables of a report, as HTML."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.methods import METHODS
from locodyn.view.energy_charts import energy_defect
from locodyn.view.references import cited

if TYPE_CHECKING:
    from locodyn.sim import Result

NOT_MADE = "not made"
LACKING = "this run does not have what the check looks at"
LONG = 14  # rows of a table that is folded
_ROUND_OFF = 1e-9  # of the largest impulse


def table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """An HTML table; cells that are text are escaped, a (class, text) pair sets the class of a cell."""
    head = "".join(f"<th>{escape(h)}</th>" for h in headings)
    body = ""
    for row in rows:
        cells = [cell if isinstance(cell, tuple) else ("", cell) for cell in row]
        body += "<tr>" + "".join(f'<td class="{kind}">{escape(str(text))}</td>' for kind, text in cells) + "</tr>\n"
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>'


def parameters(result: Result) -> str:
    """The parameter table with units, meaning and source."""
    entries = json.loads(result.attributes["parameter_table"])
    if not entries:
        return "<p>The scenario was made in Python and has no parameter table.</p>"
    rows = []
    for p in entries:
        value = tuple(p["value"]) if isinstance(p["value"], list) else p["value"]
        rows.append((("name", p["name"]), ("number long", short(value)), p["unit"], p["meaning"], p["source"]))
    return table(("parameter", "value", "unit", "meaning", "source"), rows)


def short(value: Any) -> str:
    """A value of a parameter with at most six digits, lists with spaces so that they can break."""
    values = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"{x:.6g}" if isinstance(x, float) else str(x) for x in values)


def drives(result: Result) -> str:
    """What drives each coordinate and wheel."""
    rows = [(("name", name), ("long", words)) for name, words in json.loads(result.attributes["drive"]).items()]
    made = table(("coordinate or wheel", "driven by"), rows)
    return made if len(rows) <= LONG else f"<details><summary>{len(rows)} coordinates and wheels</summary>{made}</details>"


def pushes(impulse: dict[str, float]) -> str:
    """``normal 24.9, first 0, second -13.12``: impulses along the rows of a foot, N s; what is left by round-off is zero.

    >>> pushes({"foot.normal": 24.9, "foot.first": 8e-15})
    'normal 24.9, first 0'
    """
    least = _ROUND_OFF * max(map(abs, impulse.values()), default=0.0)
    return ", ".join(f"{way.split('.')[-1]} {size if abs(size) > least else 0.0:.4g}" for way, size in impulse.items())


def phases(result: Result) -> str:
    """The phases that a run went through, what ended each of them, and what the ground would not have allowed; else nothing."""
    if "phase" not in result.dataset:
        return ""
    changes = json.loads(result.attributes["transitions"])
    words, times = result.phase.attrs["flag_meanings"].split(), result.time.values
    begins = [float(times[0]), *(float(one["time"]) for one in changes)]
    names = [words[int(result.phase.values[0])], *(one["to"] for one in changes)]
    rows: list[tuple[Any, ...]] = []
    for number, (name, begin) in enumerate(zip(names, begins, strict=True)):
        one = changes[number] if number < len(changes) else None
        end = float(times[-1]) if one is None else float(one["time"])
        what = "the run ends" if one is None else " of ".join(filter(None, (one["kind"], one["foot"])))
        push = "" if one is None else pushes(one["impulse"])
        loss = "" if one is None else f"{one['loss']:.4g}"
        rows.append((("name", name), ("number", f"{begin:.5g}"), ("number", f"{end - begin:.5g}"), what, ("number", push),
                     ("number", loss)))  # fmt: skip
    made = table(("phase", "begins (s)", "lasts (s)", "ended by", "impulse (N s)", "energy lost (J)"), rows)
    made = made if len(rows) <= LONG else f"<details><summary>{len(rows)} phases</summary>{made}</details>"
    broken = json.loads(result.attributes["violations"])
    if broken:
        cells = [(one["what"], ("name", one["name"]), one["phase"], ("number", f"{one['time']:.5g}"),
                  ("number", f"{one['amount']:.4g}")) for one in broken]  # fmt: skip
        made += table(("not admissible", "foot or joint", "phase", "from t (s)", "largest"), cells)
    else:
        made += "<p>No limit that was looked at is passed: pull, scuffing, torques, and slip where a friction is given.</p>"
    return f'<section class="wide"><h2>Phases</h2>\n{made}</section>\n'


def energy_balance(result: Result) -> str:
    """First law of the run in numbers."""
    kinetic, potential = result.kinetic_energy.values, result.potential_energy.values
    supplied = result.energy_supplied().values
    rows = [
        ("kinetic energy, start and end", ("number", f"{kinetic[0]:.6g} J, {kinetic[-1]:.6g} J")),
        ("potential energy, start and end", ("number", f"{potential[0]:.6g} J, {potential[-1]:.6g} J")),
        ("energy supplied, less friction", ("number", f"{supplied[-1]:.6g} J")),
        ("largest defect of the balance", ("number", f"{energy_defect(result).max():.2g} J")),
    ]
    return table(("energy", "value"), rows)


def solver(result: Result) -> str:
    """What the integrator did and how well it kept what it must keep."""
    about = result.attributes
    iterations = result.solver_iterations.values
    fixed = METHODS[str(about["integrator"])].fixed_step
    step = f"{about['step']:g} s" if fixed else f"adaptive, tolerance {about['tolerance']:g}"
    norms = np.abs(np.linalg.norm(result.body_orientation.values, axis=-1) - 1.0)
    rows = [
        ("integrator", about["integrator"]),
        ("step", step),
        ("evaluations of the dynamics", about["evaluations"]),
        ("largest constraint residual", f"{float(np.max(result.constraint_residual.values)):.2g}"),
        ("drift of the quaternions from unit length", f"{float(norms.max()):.2g}"),
        ("iterations between records, largest", int(np.max(iterations))),
        *_constraints(result),
        ("time loop", about["time_loop"]),
        ("computing time", f"{about['wall_time'] - about['compile_time']:.3g} s, and {about['compile_time']:.3g} s of compiling"),
    ]
    return table(("solver", ""), [(name, ("number", value)) for name, value in rows])


def _constraints(result: Result) -> list[tuple[str, str]]:
    """Rank and condition of wheels and loops, where there are any."""
    if "constraint_rank" not in result.dataset:
        return []
    rank, times = result.constraint_rank.values, np.atleast_1d(result.attributes.get("rank_changes", []))
    ranks = str(rank.max()) if not len(times) else f"{rank.min()} to {rank.max()}, changes at t = {times[0]:g} s"
    ranks += f" and {len(times) - 1} times more" if len(times) > 1 else ""
    worst = f"{float(result.constraint_condition.values.min()):.2g}"
    return [("independent constraints", ranks), ("constraints, smallest ratio of pivots", worst)]


def outcomes(result: Result) -> list[tuple[str, str, str, str, str, str]]:
    """Check, expected, obtained, tolerance, source, word of every acceptance check.

    A result read from a file has the checks of its robot in the zoo. Those that need states in memory are not made, nor those
    about something that a shorter run never reaches, such as the last step of a walker.
    """
    rows, known = [], with_scenario(result)
    for check in known.scenario.checks if known.scenario is not None else ():
        try:
            name, expected, obtained, tolerance, word = check.outcome(known).row()
        except InputError as error:
            name, expected, obtained, tolerance, word = check.name, "", str(error), "", NOT_MADE
        except Exception:
            if result.scenario is not None and not other_end(result):
                raise  # the very run that the check is about: the check itself is wrong
            name, expected, obtained, tolerance, word = check.name, "", LACKING, "", NOT_MADE
        rows.append((name, expected, obtained, tolerance, check.origin, word))
    return rows


def with_scenario(result: Result) -> Result:
    """The result with the scenario that made it; as it is where that is not a robot of the zoo."""
    from locodyn.zoo.registry import from_result, robot_of

    if result.scenario is not None or robot_of(str(result.attributes["scenario"])) is None:
        return result
    return type(result)(result.dataset, scenario=from_result(result))


def validation(rows: list[tuple[str, str, str, str, str, str]]) -> str:
    """The acceptance checks with what was obtained."""
    if not rows:
        return "<p>No acceptance checks belong to this result.</p>"
    kinds = {"pass": "pass", "FAIL": "fail", NOT_MADE: ""}
    cells = [(n, ("number", e), ("number", o), ("number", t), s, (kinds[w], w)) for n, e, o, t, s, w in rows]
    return table(("check", "expected", "obtained", "tolerance", "source", "result"), cells)


def other_end(result: Result) -> str:
    """A sentence where a run of the zoo ends at another time than the one that its checks are about; else nothing."""
    from locodyn.zoo.registry import make, robot_of

    name, ended = str(result.attributes["scenario"]), float(result.time.values[-1])
    if robot_of(name) is None:
        return ""
    usual = float(make(name, json.loads(result.attributes["parameters"])).recording.t_end)
    if abs(ended - usual) <= 1e-9 * usual:
        return ""
    return f"<p>The checks are about a run to {usual:g} s; this one ends at {ended:g} s, so those of the end need not hold.</p>"


def sources(result: Result) -> str:
    """What to cite."""
    entries = "".join(f"<li><b>{escape(name)}</b>: {escape(full)}.</li>" for name, full in cited(result))
    return f'<ul class="cited">{entries}</ul>'


def _rough(value: float) -> str:
    """A number of which only the size matters."""
    return f"{value:.1e}" if value else "0"


def facts(result: Result, checks: list[tuple[str, str, str, str, str, str]]) -> str:
    """The run in a few numbers."""
    about, times = result.attributes, result.time.values
    seconds = float(about["wall_time"]) - float(about["compile_time"])
    made = [row for row in checks if row[-1] != NOT_MADE]
    good = sum(row[-1] == "pass" for row in made)
    entries = [
        (f"{float(about['total_mass']):g} kg", "mass"),
        (str(about["degrees_of_freedom"]), "degrees of freedom"),
        (f"{times[0]:g} to {times[-1]:g} s", f"{len(times)} records"),
        (f"{_rough(energy_defect(result).max())} J", "energy balance closes to"),
        (_rough(np.max(result.constraint_residual.values)), "largest residual"),
        (f"{seconds:.{0 if seconds >= 10.0 else 1}f} s", "computing time"),
    ]
    if made:
        entries.append((f"{good} of {len(made)}", "checks pass"))
    return "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for value, name in entries)
