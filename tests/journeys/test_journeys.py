"""Ten journeys of newcomers: each script runs as it is, is short, and shows what its author would look at.

They are written with the README and the pages at hand, and with nothing else.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

pytestmark = pytest.mark.slow
matplotlib.use("Agg")

FOLDER = Path(__file__).parent
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith(("test_", "conftest")))
MOST = 40  # lines of code


def travelled(name: str) -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / f"{name}.py"))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def account_closes(run, of: float = 1e-3) -> bool:
    """Whether energy less work is off by less than a thousandth of the size of the motion (:mod:`locodyn.sim.energy_account`)."""
    about = run.attributes
    return run.status == "completed" and abs(about["energy_defect"]) <= of * about["energy_scale"]


def drawn(name: str) -> bool:
    """Whether a picture has been drawn on: not of one colour."""
    return Path(name).exists() and float(np.ptp(matplotlib.image.imread(name)[..., :3])) > 0.5


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_journey_is_short(name):
    """Without its docstring, comments and empty lines."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8").split('"""')[2]
    assert sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines()) < MOST


def test_there_are_ten():
    assert len(SCRIPTS) == 10


def test_self_balancer():
    seen = travelled("self_balancer")
    assert abs(float(seen["pitch"][-1])) < 1e-3
    assert float(seen["run"].roll_pitch_yaw()[0, 1]) == pytest.approx(0.2, abs=1e-12)  # it starts leaning forward
    assert account_closes(seen["run"]) and drawn("balancer.png")


def test_tendon_arm():
    """Once it has come to rest, the arm is where statics puts it."""
    seen = travelled("tendon_arm")
    at_rest = seen["model"].pose("arm", seen["pulled"].q)[1]
    assert np.abs(seen["run"].rod_position.sel(rod="arm", s=1.0)[-1] - at_rest).max() < 0.02 * 0.3
    assert account_closes(seen["run"], 0.05) and drawn("arm.png")


def test_snake_sweep():
    """A straight snake stays where it is, and one that is bent too far folds: the best lies between."""
    seen = travelled("snake_sweep")
    assert seen["best"] not in (min(seen["runs"]), max(seen["runs"]))
    assert all(account_closes(run) for _, run in seen["runs"].values()) and drawn("snake.png")


def test_bicycle_lqr():
    seen = travelled("bicycle_lqr")
    assert float(abs(seen["falls"]).max()) > 0.3 and abs(float(seen["stands"][-1])) < 0.01
    assert account_closes(seen["held"]) and drawn("bicycle.png")


def test_urdf_arm():
    """Servos hold the arm against its weight with the error tau / stiffness, 7 N m over 400 N m/rad, and lag a little."""
    seen = travelled("urdf_arm")
    assert float(abs(seen["run"].tracking_error()).max()) < 2 * 7 / 400
    assert account_closes(seen["run"]) and drawn("arm.png")


def test_mjcf_quadruped():
    seen = travelled("mjcf_quadruped")
    assert seen["carried"] == pytest.approx(seen["weight"], rel=1e-3)
    assert account_closes(seen["stands"]) and drawn("quadruped.png")
    assert seen["place"][2] > 0.2  # on its feet


def test_batch():
    """All energies are lost in the hinge, and the middle of the throws is a parabola: 4 m/s for 0.8 s."""
    seen = travelled("batch")
    assert (seen["lost"] < 0.0).all()
    centre = np.array([seen["model"].centre_of_mass(q) for q in (seen["q"][0, 0], seen["q"][-1, 0])])
    assert centre[1, 0] - centre[0, 0] == pytest.approx(3.2, rel=0.2)


def test_report():
    seen = travelled("report")
    assert all(outcome.passed for outcome in seen["run"].checks()) and account_closes(seen["run"])
    assert Path("arm.pdf").stat().st_size > 5000 and Path("arm.html").stat().st_size > 1e5
    assert len(Path("arm.csv").read_text().splitlines()) == seen["run"].dataset.sizes["time"] + 1


def test_resume():
    assert travelled("resume")["same"]


def test_notebook():
    """Cells as a notebook shows them: the last expression of each, by its HTML."""
    text, names, shown = (FOLDER / "notebook.py").read_text(encoding="utf-8"), {}, []
    for cell in text.split("# %%\n")[1:]:
        body = ast.parse(cell).body
        exec(compile(ast.Module(body[:-1], []), "cell", "exec"), names)
        last = eval(compile(ast.Expression(body[-1].value), "cell", "eval"), names)
        shown.append(last._repr_html_())
    assert len(shown) == 6 and all("<" in html for html in shown)
    assert len(shown[4]) > 1e5  # the player holds its page
