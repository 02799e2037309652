"""One self-contained HTML page about a run: what was run, how it moves, what came out, and how far it can be trusted.

The page (``view/page``) and the data are inside, compressed; it opens from a disk, without a server and without a network.
"""

from __future__ import annotations

import base64
import gzip
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


def packet(scene: Scene, times: np.ndarray, charts: list[dict[str, Any]]) -> bytes:
    """Scene and charts for the page; ``values`` of the charts are at ``times`` (n,) s."""
    packer = Packer()
    header = {"scene": pack_scene(scene, packer), "times": packer.floats(times)}
    packed = [
        {**chart, "values": (packer.floats if chart["kind"] == "log" else packer.steps)(chart["values"])} for chart in charts
    ]
    return packer.packet({**header, "charts": packed})


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


def document(title: str, body: str, data: bytes) -> str:
    """A page with a stage, as HTML; ``data`` is its packet."""
    script = base64.b64encode(gzip.compress(built("page.js").read_bytes(), 9, mtime=0)).decode()
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{built("page.css").read_text(encoding="utf-8")}</style></head>
<body>
{body}
<script id="packet" type="text/plain">{base64.b64encode(data).decode()}</script>
<script id="script" type="text/plain">{script}</script>
<script>{LOADER}</script>
</body></html>
"""


STAGE = '<div class="theatre"><div id="stage"></div><div id="controls"></div></div>'


def report(result: Result, file: str | Path) -> Path:
    """Write the page; it needs no other file and no network."""
    from locodyn.sim.store import REPORT, check_writable, write_beside

    check_writable(file, "report", REPORT)
    about = result.attributes
    good = result.status == "completed"
    times, charts, groups = charts_of(result)
    checks = tables.outcomes(result)
    figures = ""
    for group, names in groups.items():
        figures += f"<h3>{TITLES[group]}</h3>\n" + "".join(f'<figure data-chart="{name}"></figure>\n' for name in names)
    body = f"""<header>
<h1>{escape(str(about["scenario"]))} <span class="badge{"" if good else " bad"}">{escape(result.status)}</span></h1>
<p class="summary">{escape(str(about["summary"]))}</p>
<p class="kind">{escape(str(about["classification"]))}.</p>
<ul class="facts">{tables.facts(result, checks)}</ul>
</header>
<div class="player">
{STAGE}
<div id="charts">
{figures}</div>
</div>
<main class="words">
<section class="wide"><h2>Parameters</h2>
{tables.parameters(result)}</section>
<section class="wide"><h2>Validation</h2>
{tables.validation(checks)}</section>
{tables.phases(result)}<section><h2>Energy balance</h2>
{tables.energy_balance(result)}</section>
<section><h2>Solver</h2>
{tables.solver(result)}</section>
<section class="wide"><h2>Drive</h2>
{tables.drives(result)}</section>
<section class="wide"><h2>Sources</h2>
{tables.sources(result)}</section>
<section class="wide"><h2>Run it again</h2>
<pre>{escape(str(about["command"]))}</pre></section>
</main>
<footer>locodyn {escape(str(about["library_version"]))}, Python {escape(str(about["python_version"]))},
{escape(str(about["created"]))}.
Drawn with three.js and uPlot (MIT licence).</footer>"""
    page = document(str(about["title"]), body, packet(scene_of(result), times, charts))
    return write_beside(file, lambda target: target.write_text(page, encoding="utf-8"))
