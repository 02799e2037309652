"""The HTML of the studio: its page, and the pages about each robot."""

from __future__ import annotations

import inspect
import re
from html import escape

from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import METHODS
from locodyn.view.page import built
from locodyn.view.report_page import STAGE, document
from locodyn.view.studio_fields import value_text
from locodyn.view.tables import table
from locodyn.zoo.registry import NAMED, ROBOTS, module, parameters_of, robot_of, summary_of


def studio_html(robot: str, study: str = "") -> str:
    """The page, with ``robot`` chosen; ``studio.ts`` fills it. ``study``: what one is of that the studio shows too."""
    robots = "".join(
        f'<option value="{name}"{" selected" if name == robot else ""}>{name}: {escape(words)}</option>'
        for name, words in [*ROBOTS.items(), *((name, f"{of}: {words}") for name, (of, _, words) in NAMED.items())]
    )
    methods = "".join(f"<option>{name}</option>" for name in (AUTO, *METHODS))
    back = f' <a href="./">the study of {escape(study)}</a>' if study else ""
    body = f"""<div class="studio" id="studio">
<header>
<label class="choice"><span>robot</span><select id="robot">{robots}</select></label>
<p class="kind" id="kind"></p>
<p class="links"><a id="about" target="_blank" href="about/{robot}">about this robot</a>
<a id="source" target="_blank" href="source/{robot}">its source</a>{back}</p>
</header>
<form id="form" autocomplete="off">
<fieldset class="run"><legend>Run</legend>
<label class="field"><span>end <i>s</i></span><input id="t_end" inputmode="decimal"></label>
<label class="field"><span>step <i>s</i></span><input id="dt" inputmode="decimal"></label>
<label class="field"><span>integrator</span><select id="integrator">{methods}</select></label>
<div class="buttons"><button type="submit" class="go" id="run" title="run (r)">run</button>
<label><input type="checkbox" id="compare"> compare with the previous run</label></div>
<div id="said" role="status" aria-live="polite"></div>
</fieldset>
<details open id="parameters"><summary>Parameters</summary><div id="fields"></div></details>
<details id="save"><summary>Save</summary><div id="files"></div></details>
<details><summary>Keys</summary><dl class="keys">
<dt>r</dt><dd>run</dd><dt>Esc</dt><dd>stop</dd><dt>space</dt><dd>play, pause</dd><dt>&larr; &rarr;</dt><dd>step</dd>
<dt>Home, End</dt><dd>start, end</dd><dt>1 2 3 4</dt><dd>views</dd><dt>f</dt><dd>camera follows</dd></dl></details>
</form>
<main class="player">
{STAGE}
<ul class="facts" id="facts"></ul>
<div id="charts"></div>
</main>
</div>"""
    return document(f"locodyn: {robot}", body, None)


def source_of(robot: str) -> str:
    """The file of the robot of a scenario."""
    return inspect.getsource(module(robot_of(robot) or robot))


def about_html(robot: str) -> str:
    """What a robot is, what it was taken from, its parameters, and how to run it: the words of its file."""
    file = module(robot_of(robot) or robot)
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(file.__doc__ or summary_of(robot)))
    words = "".join(f"<p>{escape(one)}</p>\n" for one in paragraphs)
    rows = [
        (("name", p.name), ("number long", value_text(p.value)), "" if p.unit == "-" else p.unit, p.meaning, p.source)
        for p in parameters_of(robot)
    ]
    parameters = table(("parameter", "value", "unit", "meaning", "source"), rows) if rows else "<p>It has none.</p>"
    validate = f"\nlocodyn validate {robot}" if robot in ROBOTS else ""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>locodyn: about {robot}</title><style>{built("page.css").read_text(encoding="utf-8")}</style></head>
<body><header><h1>{robot}</h1><p class="summary">{escape(summary_of(robot))}</p></header>
{words}
<main class="words">
<section class="wide"><h2>Parameters</h2>
{parameters}</section>
<section class="wide"><h2>Run it</h2>
<pre>locodyn run {robot} --report {robot}.html
locodyn describe {robot}{validate}</pre>
<p><a href="../source/{robot}">Its source</a></p></section>
</main></body></html>
"""
