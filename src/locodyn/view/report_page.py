"""One self-contained HTML page about a run: what was run, how it moves, what came out, and how far it can be trusted.

The page (``view/page``) and the data are inside, compressed; it opens from a disk, without a server and without a network.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view import tables
from locodyn.view.charts import default_panels
from locodyn.view.pack import Packer, pack_scene
from locodyn.view.page import built
from locodyn.view.scene import Scene, scene_of
from locodyn.view.style import plain_unit

if TYPE_CHECKING:
    from locodyn.sim import Result

POINTS = 1000  # of one curve in the page
TITLES = {
    "reference": "Reference body",
    "joints": "Joints",
    "torques": "Joint torques",
    "rods": "Rods",
    "contacts": "Wheels, contacts and loops",
    "energy": "Energy and balance",
}
LOADER = """
(async () => {
  const text = document.getElementById("script").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
})();
"""


def packet(scene: Scene, times: np.ndarray, charts: list[dict[str, Any]], ghosts: Sequence[tuple[str, Scene]] = ()) -> bytes:
    """Scene and charts for the page; ``values`` of the charts are at ``times`` (n,) s; ``ghosts``: other scenes by name."""
    packer = Packer()
    header: dict[str, Any] = {"scene": pack_scene(scene, packer), "times": packer.floats(times)}
    header["ghosts"] = [{"name": name, "scene": pack_scene(one, packer)} for name, one in ghosts]
    packed = [
        {
            **chart,
            "values": (packer.floats if chart["kind"] == "log" else packer.steps)(chart["values"]),
            "ghosts": [{"name": name, "values": packer.floats(values)} for name, values in chart.get("ghosts", ())],
        }
        for chart in charts
    ]
    return packer.packet({**header, "charts": packed})


def add_ghosts(result: Result, charts: list[dict[str, Any]], times: np.ndarray, others: Sequence[tuple[str, Result]]) -> None:
    """Give charts the curves of other results: those over time at ``times`` (n,) s, NaN where the other run has ended."""
    for panel in default_panels(result):
        chart = next(chart for chart in charts if chart["name"] == panel.name)
        chart["ghosts"] = []
        for name, other in others:
            if chart["kind"] not in ("time", "log", "plane") or not panel.has(other):
                continue
            made = panel.make(other)
            if list(made.names) != chart["names"] or made.kind != chart["kind"]:
                continue  # of another robot
            values = made.values
            if chart["kind"] != "plane":
                stamps = other.time.values
                values = np.stack([np.interp(times, stamps, column, np.nan, np.nan) for column in values.T], axis=1)
            chart["ghosts"].append((name, values))


def figures_of(groups: dict[str, list[str]]) -> str:
    """Places of the charts in the page, under the headings of their groups."""
    return "".join(
        f"<h3>{TITLES[group]}</h3>\n" + "".join(f'<figure data-chart="{name}"></figure>\n' for name in names)
        for group, names in groups.items()
    )


def charts_of(result: Result) -> tuple[np.ndarray, list[dict[str, Any]], dict[str, list[str]]]:
    """Times (n,) s, charts as the page reads them, and their names by group."""
    few = np.unique(np.linspace(0, len(result.time) - 1, min(POINTS, len(result.time))).round().astype(int))
    charts: list[dict[str, Any]] = []
    groups: dict[str, list[str]] = {}
    for panel in default_panels(result):
        chart = panel.make(result)
        charts.append(
            {
                "name": panel.name,
                "title": chart.title,
                "kind": chart.kind,
                "unit": plain_unit(" ".join(filter(None, (chart.quantity, f"({chart.unit})" if chart.unit else "")))),
                "names": list(chart.names),
                "values": peaks(chart.values, few) if panel.group == "contacts" and chart.kind == "time" else chart.values[few],
                "labels": [plain_unit(label) for label in chart.labels],
                "equal": chart.equal,
                "span": chart.span,
                "level": chart.level,
                "marks": chart.marks,
                "pictures": [[np.round(polygon, 6).tolist() for polygon in polygons] for polygons in chart.pictures],
                "fixtures": [np.round(polygon, 6).tolist() for polygon in chart.fixtures],
                "mirrored": chart.mirrored,
                "wide": panel.wide,
            }
        )
        groups.setdefault(panel.group, []).append(panel.name)
    return result.time.values[few], charts, groups


def peaks(values: np.ndarray, few: np.ndarray) -> np.ndarray:
    """Of (n, k) the value farthest from zero among the records from each of ``few`` to the next: an impact lasts one record."""
    if len(few) == len(values):
        return values
    parts = np.split(values, few[1:])
    return np.array([part[np.abs(part).argmax(axis=0), range(part.shape[1])] for part in parts])


@lru_cache(maxsize=1)
def squeezed(script: bytes) -> str:
    """The program of the page as it stands in it; the same for all pages."""
    return base64.b64encode(gzip.compress(script, 9, mtime=0)).decode()


def document(title: str, body: str, data: bytes | None) -> str:
    """A page with a stage, as HTML; ``data`` is its packet, which a studio asks its server for instead."""
    inside = "" if data is None else f'<script id="packet" type="text/plain">{base64.b64encode(data).decode()}</script>\n'
    script = squeezed(built("page.js").read_bytes())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><link rel="icon" href="data:,">
<style>{built("page.css").read_text(encoding="utf-8")}</style></head>
<body>
{body}
{inside}<script id="script" type="text/plain">{script}</script>
<script>{LOADER}</script>
</body></html>
"""


STAGE = '<div class="theatre"><div id="stage"></div><div id="controls"></div></div>'


def report(result: Result, file: str | Path) -> Path:
    """Write the page; it needs no other file and no network."""
    from locodyn.sim.store import REPORT, check_writable, write_beside

    check_writable(file, "report", REPORT)
    page = report_html(result)
    return write_beside(file, lambda target: target.write_text(page, encoding="utf-8"))


def report_html(result: Result, others: Sequence[tuple[str, Result]] = (), title: str = "", play: bool = False) -> str:
    """The page as HTML. ``others``: results by name, drawn as ghosts and with dashed curves; ``play``: it begins by itself."""
    about = result.attributes
    good = result.status == "completed"
    times, charts, groups = charts_of(result)
    add_ghosts(result, charts, times, others)
    checks = tables.outcomes(result)
    against = "".join(f'<p class="kind">Dashed: {escape(name)}, {escape(other.status)}.</p>\n' for name, other in others)
    body = f"""<header>
<h1>{escape(str(about["scenario"]))} <span class="badge{"" if good else " bad"}">{escape(result.status)}</span></h1>
<p class="summary">{escape(str(about["summary"]))}</p>
<p class="kind">{escape(str(about["classification"]))}.</p>
{against}<ul class="facts">{tables.facts(result, checks)}</ul>
</header>
<div class="player"{" data-play" if play else ""}>
{STAGE}
<div id="charts">
{figures_of(groups)}</div>
</div>
{_words(result, checks)}
<footer>locodyn {escape(str(about["library_version"]))}, Python {escape(str(about["python_version"]))},
{escape(str(about["created"]))}.
Drawn with three.js and uPlot (MIT licence).</footer>"""
    ghosts = [(name, scene_of(other)) for name, other in others]
    return document(title or str(about["title"]), body, packet(scene_of(result), times, charts, ghosts))


def _words(result: Result, checks: list[tuple[str, str, str, str, str, str]]) -> str:
    """The tables below the picture."""
    return f"""<main class="words">
<section class="wide"><h2>Parameters</h2>
{tables.parameters(result)}</section>
<section class="wide"><h2>Validation</h2>
{tables.validation(checks)}{tables.other_end(result) if checks else ""}</section>
{tables.phases(result)}<section><h2>Energy balance</h2>
{tables.energy_balance(result)}</section>
<section><h2>Solver</h2>
{tables.solver(result)}</section>
<section class="wide"><h2>Drive</h2>
{tables.drives(result)}</section>
<section class="wide"><h2>Sources</h2>
{tables.sources(result)}</section>
<section class="wide"><h2>Run it again</h2>
<pre>{escape(str(result.attributes["command"]))}</pre></section>
</main>"""
