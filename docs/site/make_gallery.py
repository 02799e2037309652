"""Pictures, plots and measured checks of robots: python docs/site/make_gallery.py [--all] [NAME ...].

Every robot is run, drawn (picture and plot, compressed into ``docs/pictures/zoo``) and held to its checks (``docs/data/zoo``).
Without names it makes what is missing or older than the robot's file; names, or ``--all``, make theirs anew.
"""

from __future__ import annotations

import argparse
import inspect
import json
import tempfile
from pathlib import Path
from typing import Any

import locodyn
from entries import SHOTS, SIZE, Shot, files, fingerprint, outdated
from locodyn.sim import Result
from locodyn.view.charts import default_panels
from locodyn.view.field_charts import has_rods
from locodyn.view.references import SOURCES, cited
from locodyn.zoo.registry import ROBOTS, make, module

# Panels of a plot, the most telling first: one of where the robot goes, one of why.
WHERE = ("tracks", "path", "snapshots")
WHY = (
    "contact_forces",
    "normal_forces",
    "side_forces",
    "joint_torques",
    "loop_forces",
    "joint_positions",
    "velocity",
    "energies",
)
PLOT_WIDTH = 900  # pixels


def main() -> None:
    """Make what is missing or outdated, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="make all anew")
    options = parser.parse_args()
    for name in options.names:
        module(name)  # refuse an unknown one before anything runs
    for name in options.names or (list(ROBOTS) if options.all else outdated(list(ROBOTS))):
        print(f"{name}: {make_entry(name)}", flush=True)


def make_entry(name: str) -> str:
    """Write the files of one robot; a few words about them."""
    data, picture, plot = files(name)
    for folder in {data.parent, picture.parent}:
        folder.mkdir(parents=True, exist_ok=True)
    shot = SHOTS.get(name, Shot())
    runs: dict[str, Result] = {}

    def run(settings: dict[str, Any]) -> Result:
        key = json.dumps(settings, sort_keys=True)
        if key not in runs:
            runs[key] = make(name, settings).run(progress=False)
        return runs[key]

    result = run(shot.settings)
    at = shot.at if shot.at is not None else round(0.6 * float(result.time[-1]), 2)
    what = shot.plot or panels(result)
    draw(result, at, what, shot, picture, plot)
    words = " ".join(["", *(f"--set {key}={value}" for key, value in shot.settings.items())])
    camera = "" if shot.view == "free" else f" --view {shot.view}"
    camera += "" if shot.follow is None else " --follow" if shot.follow else " --stay"
    checks = [row for settings in module(name).VALIDATION for row in measured(settings, run(settings))]
    entry = {
        "robot": name,
        "about": first_paragraph(module(name)),
        "classification": str(result.attributes["classification"]),
        "picture": f"locodyn picture {name}{words} --at {at:g}{camera} --size {SIZE} -o {name}.png",
        "plot": f"locodyn plot {name}{words} --what {what} -o {name}.pdf",
        "sources": [list(source) for source in cited(run({})) if source[0] in SOURCES],  # not those of the integrator
        "checks": checks,
        "version": locodyn.__version__,
        "made_of": fingerprint(name),
    }
    data.write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    passed = sum(check["passed"] for check in checks)
    return f"{passed} of {len(checks)} checks, {(picture.stat().st_size + plot.stat().st_size) / 1024:.0f} kB"


def first_paragraph(robot: Any) -> str:
    """The docstring of a robot's file up to its first empty line, in one line."""
    return " ".join((inspect.getdoc(robot) or "").split("\n\n")[0].split())


def panels(result: Result) -> str:
    """Two panels that fit: where the robot goes and why."""
    names = [panel.name for panel in default_panels(result)]
    where = next((word for word in WHERE if word in names), "snapshots")
    why = "curvature" if has_rods(result) else next((word for word in WHY if word in names), "energies")
    return f"{where},{why}"


def measured(settings: dict[str, Any], result: Result) -> list[dict[str, Any]]:
    """The checks of one run with what was obtained."""
    rows = []
    for outcome in result.checks():
        check, expected, obtained, tolerance, word = outcome.row()
        rows.append(
            {
                "settings": " ".join(f"{key}={value}" for key, value in settings.items()),
                "check": check,
                "expected": expected,
                "obtained": obtained,
                "tolerance": tolerance,
                "kind": outcome.check.kind.value,
                "source": outcome.check.source,
                "passed": word == "pass",
            }
        )
    return rows


def draw(result: Result, at: float, what: str, shot: Shot, picture: Path, plot: Path) -> None:
    """Picture and plot as WebP."""
    width, height = map(int, SIZE.split("x"))
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
        large = Path(folder) / "large.png"
        compress(result.picture(large, at, size=(width, height), view=shot.view, follow=shot.follow), picture, width)
        compress(result.plot(large, what), plot, PLOT_WIDTH)


def compress(file: Path, target: Path, width: int) -> None:
    """A picture at most so many pixels wide."""
    from PIL import Image

    with Image.open(file) as image:
        image.load()
        small = image.convert("RGB")
    if small.width > width:
        small = small.resize((width, round(small.height * width / small.width)), Image.Resampling.LANCZOS)
    small.save(target, "WEBP", quality=82, method=6)


if __name__ == "__main__":
    main()
