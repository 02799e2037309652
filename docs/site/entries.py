"""What the gallery knows of each robot: how its picture is taken, and what was measured (``docs/data/zoo/NAME.json``)."""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
DATA = DOCS / "data" / "zoo"
PICTURES = DOCS / "pictures" / "zoo"
ZOO = DOCS.parent / "src" / "locodyn" / "zoo"
SIZE = "560x350"


@dataclass(frozen=True)
class Shot:
    """How the picture of a robot is taken; what is not said: at six tenths of its run, as the page shows it.

    ``settings``: parameters of the run. ``at``: s. ``view``, ``follow``: as of ``locodyn picture``. ``plot``: what
    ``locodyn plot --what`` shows; empty: two panels that fit the robot.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    at: float | None = None
    view: str = "free"
    follow: bool | None = None
    plot: str = ""


# Robots whose default picture says too little.
SHOTS: dict[str, Shot] = {
    "mobile_manipulator": Shot(at=4.4),
    "trailer_truck": Shot(at=14.0),
    "wheeled_snake": Shot(at=11.0, follow=True),
    "snakeboard": Shot(follow=True),
    "unicycle": Shot(follow=True),
    "roller_racer": Shot(follow=True),
    "trikke": Shot(follow=True),
    "fish": Shot(follow=True),
    "swimmer": Shot(follow=True),
    "earthworm": Shot({"speed": "varying"}, follow=True, plot="stretch,tension"),
    "inchworm": Shot(at=2.6, view="top", plot="velocity,moment"),
    "continuum_snake": Shot({"turn": 2.0}, at=8.0, view="top", plot="path,moment"),
    "continuum_snake_3d": Shot({"gait": "helix"}, at=2.0, follow=True, plot="moment,contact_forces"),
    "reissner_snake": Shot(follow=True, plot="velocity,shear"),
    "concertina": Shot(at=3.0, view="top", follow=True, plot="velocity,curvature"),
    "soft_snake_friction": Shot(follow=True, plot="path,moment"),
    "snake_discretised": Shot(follow=True),
    "rimless_wheel": Shot(view="side", follow=True, plot="sticks,normal_forces"),
    "simplest_walker": Shot(view="side", follow=True, plot="sticks,normal_forces"),
    "compass_gait": Shot(view="side", follow=True, plot="sticks,normal_forces"),
    "kneed_walker": Shot(view="side", follow=True, plot="sticks,normal_forces"),
    "spring_hopper": Shot(view="side", follow=True, plot="sticks,normal_forces"),
    "quadruped_trot": Shot(follow=True),
    "andrews": Shot(at=0.018, view="top", plot="path,joint_positions"),
    "governor": Shot(plot="joint_positions,energies"),
    "rabbit_walk": Shot(view="front", follow=True, plot="sticks,normal_forces"),
    "rabbit_run": Shot(view="front", follow=True, at=0.62, plot="sticks,normal_forces"),
    "biped_3d": Shot(at=0.35, follow=True, plot="sticks,normal_forces"),
    "woodpecker": Shot(view="side", follow=True),
    "snake_2d": Shot({"pegs": "table_7_3"}, follow=True),
    "snake_3d": Shot({"gait": "sidewinding"}, follow=True),
    "bicycle": Shot({"case": "turn"}, at=1.6),
    "rolling_sphere_robot": Shot({"case": "turn"}, at=9.0),
    "skateboard": Shot(at=1.0),
    "rolling_disc": Shot(at=1.0),
    "passive_eel": Shot(at=9.5, view="top", plot="path,curvature"),
    "amphibious_snake": Shot(at=2.2, plot="path,contact_forces"),
    "floating_bodies": Shot(at=1.5, plot="path,energies"),
    "four_bar": Shot(plot="phase,loop_forces"),
    "n_four_bar": Shot(at=0.45, view="side", plot="joint_positions,energies"),
    "bricard": Shot(at=1.0, plot="energies,loop_forces"),
    "bennett": Shot(at=0.6, plot="phase,loop_forces"),
}


def files(name: str) -> tuple[Path, Path, Path]:
    """Data, picture and plot of a robot."""
    return DATA / f"{name}.json", PICTURES / f"{name}.webp", PICTURES / f"{name}_plot.webp"


def missing(names: list[str]) -> list[str]:
    """Robots that lack data, picture or plot."""
    return [name for name in names if not all(file.is_file() for file in files(name))]


def outdated(names: list[str]) -> list[str]:
    """Robots that lack data, picture or plot, or whose entry was made of another file than theirs is now."""
    lacking = missing(names)
    return [name for name in names if name in lacking or entry(name).get("made_of") != fingerprint(name)]


def fingerprint(name: str) -> str:
    """A hash of what the entry of a robot is made of: its file, those of the zoo that it imports, how its picture is taken.

    Empty lines and lines of comments do not count.
    """
    found: list[Path] = []
    queue = [ZOO / "robots" / f"{name}.py"]
    while queue:
        file = queue.pop()
        if file in found or file == ZOO / "registry.py":  # the registry knows robots; none is made of it
            continue
        found.append(file)
        queue += zoo_imports(file)
    lines = [line.rstrip() for file in sorted(found) for line in file.read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if line and not line.lstrip().startswith("#")]
    return hashlib.sha256("\n".join([*told, repr(SHOTS.get(name, Shot()))]).encode()).hexdigest()[:16]


def zoo_imports(file: Path) -> list[Path]:
    """Files of the zoo from which a file imports."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("locodyn.zoo"):
            home = ZOO.joinpath(*str(node.module).split(".")[2:])
            for path in (home.with_suffix(".py"), *(home / f"{alias.name}.py" for alias in node.names)):
                if path.is_file():
                    found.append(path)
    return found


def entry(name: str) -> dict[str, Any]:
    """What was measured of a robot."""
    return dict(json.loads(files(name)[0].read_text(encoding="utf-8")))
