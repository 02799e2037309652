"""One self-contained HTML page about a study: its runs as points over any two of its numbers; a click on a point plays that run.

The best and worst runs of each metric and others spread over the study are inside, as they move, with their charts: pages of runs
(:mod:`locodyn.view.report_page`) that share one script. Other points tell their numbers and how to run them. How many are
inside is the caller's choice: each takes the space of a report without its script. Runs that failed are crosses with their
sentences.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, LocodynError
from locodyn.sim.parameter import format_value
from locodyn.study.one_run import STATUS
from locodyn.view.report_page import STAGE, charts_of, document, figures_of, packet
from locodyn.view.scene import scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result
    from locodyn.study import StudyResult

MOST = 24  # runs that are inside
_MANY = 20_000  # points that a page draws
_PACKET = "PACKET-OF-THE-RUN"
_BODY = "BODY-OF-THE-RUN"
STYLE = """
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #1c1c1c; }
header, #map, #told { margin: 0 1.2rem; } h1 { margin: 0.8rem 0 0.2rem; font-size: 1.35rem; }
select { font: inherit; margin: 0 0.8rem 0 0.2rem; } svg { display: block; max-width: 100%; }
circle, path { cursor: pointer; } .chosen { stroke: #d55e00; stroke-width: 3; }
#told { min-height: 3.2rem; padding: 0.3rem 0; } iframe { border: 0; width: 100%; height: 46rem; }
code { background: #f2f2f2; padding: 0 0.2rem; } text { font: 12px system-ui, sans-serif; fill: #333; }
"""
SCRIPT = """
const study = JSON.parse(document.getElementById("study").textContent);
const text = (id) => document.getElementById(id).textContent;
const colours = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];
const size = {width: 760, height: 400, left: 78, right: 130, top: 14, bottom: 48};
const draw = (tag, about, inside) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(about)) made.setAttribute(name, value);
  if (inside !== undefined) made.textContent = inside;
  return made;
};
const span = (name) => {
  const values = study.columns[name].values.filter((x) => x !== null);
  const low = Math.min(...values), high = Math.max(...values);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
};
const label = (name) => name + (study.columns[name].unit ? ` (${study.columns[name].unit})` : "");
const shown = (name, x) => study.columns[name].words ? study.columns[name].words[Math.round(x)] ?? "" : String(+x.toPrecision(4));
const hue = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1), k = Math.min(Math.floor(at), colours.length - 2);
  const parts = [colours[k], colours[k + 1]].map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  return `rgb(${parts[0].map((x, i) => Math.round(x + (at - k) * (parts[1][i] - x))).join(",")})`;
};
let chosen = -1;
function choose(run) {
  chosen = run;
  map();
  const told = document.getElementById("told"), values = Object.keys(study.columns).map((name) => {
    const x = study.columns[name].values[run];
    return `${name} = ${x === null ? "none" : shown(name, x)}${study.columns[name].unit ? " " + study.columns[name].unit : ""}`;
  });
  told.replaceChildren(Object.assign(document.createElement("p"), {textContent: `Run ${run}: ${values.join(", ")}`}));
  if (study.messages[run]) told.append(Object.assign(document.createElement("p"), {textContent: study.messages[run]}));
  const inside = document.getElementById(`run-${run}`), frame = document.getElementById("frame");
  const live = study.live && study.status[run] === 1;
  frame.hidden = inside === null && !live;
  if (live) {
    const state = Object.assign(document.createElement("p"), {id: "state", textContent: "It is being computed ..."});
    told.append(state);
    frame.srcdoc = "";
    fetch(`play/${run}`).then(async (answer) => [answer.ok, await answer.text()]).then(([good, page]) => {
      if (run !== chosen) return;
      frame.hidden = !good;
      if (good) frame.srcdoc = page;
      const words = {href: `play/${run}`, target: "_blank", textContent: "its report alone"};
      state.replaceChildren(good ? Object.assign(document.createElement("a"), words) : page);
    }).catch(() => { if (run === chosen) state.textContent = "The studio does not answer; is it still there?"; });
  } else if (inside !== null) {
    const [body, data] = JSON.parse(inside.textContent);
    frame.srcdoc = JSON.parse(text("shell")).replace("BODY-OF-THE-RUN", () => body).replace("PACKET-OF-THE-RUN", () => data);
  } else if (study.commands[run]) {
    const command = Object.assign(document.createElement("code"), {textContent: study.commands[run]});
    told.append("It is not in this page. Run it: ", command);
  }
}
function map() {
  const [x, y, z] = ["x", "y", "z"].map((axis) => document.getElementById(axis).value);
  const [spanX, spanY, spanZ] = [x, y, z].map(span);
  const toX = (v) => size.left + (v - spanX[0]) / (spanX[1] - spanX[0]) * (size.width - size.left - size.right);
  const toY = (v) => size.height - size.bottom - (v - spanY[0]) / (spanY[1] - spanY[0]) * (size.height - size.top - size.bottom);
  const svg = draw("svg", {viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height});
  for (let k = 0; k <= 4; k++) {
    const [a, b, c] = [spanX, spanY, spanZ].map((s) => s[0] + (s[1] - s[0]) * k / 4);
    svg.append(draw("text", {x: toX(a), y: size.height - size.bottom + 20, "text-anchor": "middle"}, shown(x, a)));
    svg.append(draw("text", {x: size.left - 10, y: toY(b) + 4, "text-anchor": "end"}, shown(y, b)));
    svg.append(draw("rect", {x: size.width - 100, y: 300 - 60 * k, width: 16, height: 60, fill: hue(k / 4)}));
    svg.append(draw("text", {x: size.width - 78, y: 334 - 60 * k}, shown(z, c)));
  }
  svg.append(draw("text", {x: (size.left + size.width - size.right) / 2, y: size.height - 8, "text-anchor": "middle"}, label(x)));
  svg.append(draw("text", {transform: `translate(16 ${size.height / 2}) rotate(-90)`, "text-anchor": "middle"}, label(y)));
  svg.append(draw("text", {x: size.width - 100, y: 40}, label(z)));
  study.status.forEach((status, run) => {
    const [a, b, c] = [x, y, z].map((name) => study.columns[name].values[run]);
    if (status === 0 || a === null) return;
    const failed = status === 2 || b === null, px = toX(a), py = b === null ? size.height - size.bottom - 6 : toY(b);
    const here = study.live || document.getElementById(`run-${run}`) !== null;
    const mark = failed
      ? draw("path", {d: `M${px - 4} ${py - 4}l8 8m0 -8l-8 8`, stroke: "#b03a00", "stroke-width": 2, fill: "none"})
      : draw("circle", {cx: px, cy: py, r: here ? 7 : 4, fill: c === null ? "#999" : hue((c - spanZ[0]) / (spanZ[1] - spanZ[0])),
                        stroke: here ? "#000" : "none"});
    mark.dataset.run = run;
    if (run === chosen) mark.classList.add("chosen");
    mark.append(draw("title", {}, `run ${run}` + (study.messages[run] ? `: ${study.messages[run]}` : "")));
    mark.addEventListener("click", () => choose(run));
    svg.append(mark);
  });
  document.getElementById("map").replaceChildren(svg);
}
for (const axis of ["x", "y", "z"]) {
  const list = document.getElementById(axis);
  for (const name of Object.keys(study.columns)) list.append(new Option(name, name));
  list.value = study.axes[axis];
  list.addEventListener("change", map);
}
choose(study.first);
document.documentElement.dataset.ready = "yes";
"""


def study_report(
    found: StudyResult, file: str | Path, most: int | None = MOST, told: Callable[[int, int], None] | None = None
) -> Path:
    """Write the page of a study, with ``most`` of its runs inside (None: all); ``told`` hears how many of them are computed."""
    from locodyn.sim.store import REPORT, check_writable, write_beside

    check_writable(file, "report", REPORT)
    page = study_html(found, most, told)
    return write_beside(file, lambda target: target.write_text(page, encoding="utf-8"))


def study_html(
    found: StudyResult, most: int | None = MOST, told: Callable[[int, int], None] | None = None, live: bool = False
) -> str:
    """The page as HTML. ``live``: it is served, and asks for ``play/RUN`` instead of having runs inside."""
    if not found.completed:
        raise InputError(f"no run of the study of '{found.definition['name']}' is completed; there is nothing to show.")
    if found.store.runs > _MANY:
        raise InputError(f"the study has {found.store.runs} runs; a page draws up to {_MANY}: plot it instead.")
    inside = _chosen(found, most) if found.subject is not None else []
    live = live and found.subject is not None
    pages = []
    for n, run in enumerate(() if live else inside):
        if told is not None:
            told(n, len(inside))
        try:
            pages.append(f'<script id="run-{run}" type="application/json">{_json(_of_run(found.result(run)))}</script>')
        except LocodynError:  # a file has gone since; the point stays
            continue
    shell = document("run", _BODY, b"").replace(
        '<script id="packet" type="text/plain">', f'<script id="packet" type="text/plain">{_PACKET}'
    )
    counts = found.store.counts()
    name = escape(str(found.definition["name"]))
    many = "" if counts[1] == 1 else "s"
    words = f"{counts[1]} run{many} completed, {counts[2]} failed, {counts[0]} to be done; over {', '.join(found.parameters)}"
    if energy := len(found.remarks(account_open=True)):
        words += f"; the energy account of {energy} completed run{'s' if energy > 1 else ''} does not close"
    how = "Click a point to see that run move."
    if not live and len(pages) < counts[1]:
        share = f"{len(pages)} of {counts[1]} are in this page; locodyn studio plays all"
        how = f"Click a point with a rim to see that run move: {share}."
    axes = " ".join(
        f'<label>{word} <select id="{axis}"></select></label>'
        for axis, word in zip("xyz", ("across", "up", "colour"), strict=True)
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Study of {name}</title><link rel="icon" href="data:,"><style>{STYLE}</style></head>
<body><header><h1>Study of {name}</h1>{'<p><a href="zoo">robots</a></p>' if live else ""}
<p>{escape(words)}. {escape(how)}</p><p>{axes}</p></header>
<div id="map"></div><div id="told"></div><iframe id="frame" title="the run" hidden></iframe>
<script id="study" type="application/json">{_json({**_data(found, inside), "live": live})}</script>
<script id="shell" type="application/json">{_json(shell)}</script>
{"".join(pages)}
<script>{SCRIPT}</script>
</body></html>
"""


def _chosen(found: StudyResult, most: int | None) -> list[int]:
    """The runs that are inside: best and worst of each metric first, then spread over the study."""
    done = np.flatnonzero(found.table["status"].values == STATUS.completed)
    most, first = len(done) if most is None else most, []
    for metric in found.metrics:
        values = found.column(metric)
        finite = [int(run) for run in done if math.isfinite(values[run])]
        first += [max(finite, key=lambda run: values[run]), min(finite, key=lambda run: values[run])] if finite else []
    spread = done[np.unique(np.linspace(0, len(done) - 1, min(most, len(done))).round().astype(int))]
    return list(dict.fromkeys([*first, *map(int, spread)]))[:most]


def _of_run(result: Result) -> list[str]:
    """Body and packet (base64) of the page of a run."""
    times, charts, groups = charts_of(result)
    body = f'<div class="player" data-play>{STAGE}<div id="charts">{figures_of(groups)}</div></div>'
    return [body, base64.b64encode(packet(scene_of(result), times, charts)).decode()]


def _data(found: StudyResult, inside: list[int]) -> dict[str, Any]:
    """What the script of the page reads."""
    names = (*found.parameters, *found.metrics)
    columns = {name: _column(found.table[name].values, str(found.table[name].attrs.get("units", ""))) for name in names}
    status = found.table["status"].values
    few = len(found.parameters) == 1
    up = found.metrics[0] if few else found.parameters[1]
    best = inside[0] if inside else int(np.flatnonzero(status == STATUS.completed)[0])
    axes = {"x": found.parameters[0], "y": up, "z": found.metrics[-1] if few else found.metrics[0]}
    messages = [str(one) for one in found.table["message"].values]
    commands = [_command(found, run) for run in range(found.store.runs)]
    return {
        "columns": columns,
        "status": status.tolist(),
        "messages": messages,
        "commands": commands,
        "axes": axes,
        "first": best,
    }


def _column(values: np.ndarray, unit: str) -> dict[str, Any]:
    """Numbers with None where there is none; words by their place in a list."""
    if values.dtype.kind in "fiu":
        return {
            "unit": unit if unit != "1" else "",
            "values": [float(x) if np.isfinite(x) else None for x in values.astype(float)],
        }
    words = list(dict.fromkeys(str(x) for x in values))
    return {"unit": "", "values": [words.index(str(x)) for x in values], "words": words}


def _command(found: StudyResult, run: int) -> str:
    """What runs it again; nothing of a study made in Python."""
    source = str(found.definition["source"])
    if not source or ".py:" in source:
        return ""
    settings = {**found.definition["settings"], **found.row(run)}
    sets = [
        f"--set {name}={format_value(tuple(value) if isinstance(value, list) else value)}" for name, value in settings.items()
    ]
    return " ".join(["locodyn run", source, *sets])


def _json(value: Any) -> str:
    """JSON that may stand in a page."""
    return json.dumps(value).replace("<", "\\u003c")
