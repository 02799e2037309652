"""Public robot files: which there are, where they lie on this machine, and what we make of them beside Pinocchio and MuJoCo.

``tests/wild/files.csv`` names them, by collection (a wheel on PyPI), version, licence, path in the wheel and SHA-256; the files
themselves are not in this repository. Wheels are looked for where Python finds packages, in ``.venv/wild`` (``make test`` puts
small ones there), and in the folders of ``LOCODYN_WILD``, into which they may be unpacked.
Run: ``python tests/wild_files.py [FOLDER ...]``
"""

from __future__ import annotations

import csv
import hashlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "judges"))

from locodyn.errors import LocodynError
from locodyn.files import load_robot
from locodyn.files.reading import Reading
from models.file_peers import MujocoFile, PinocchioFile, random_state, worst

LIST = Path(__file__).parent / "wild" / "files.csv"
AGREES = 1e-10  # of mass matrix, inverse dynamics and poses, relative to their largest entries


@dataclass(frozen=True)
class Listed:
    """A row of the list; ``refused``: words of the sentence that refuses it here, or nothing."""

    collection: str
    version: str
    licence: str
    path: str
    sha256: str
    refused: str


def listed() -> list[Listed]:
    """All rows."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return [Listed(**row) for row in csv.DictReader(file)]


def folders() -> list[Path]:
    """Where wheels may be unpacked on this machine."""
    given = os.environ.get("LOCODYN_WILD", "").split(os.pathsep)
    found = [*map(Path, sys.path), Path(sys.prefix) / "wild", *(Path(one) for one in given if one)]
    return [folder for folder in found if folder.is_dir()]


def place(one: Listed, among: list[Path]) -> Path | None:
    """The file on this machine, if its bytes are those of the list."""
    for folder in among:
        file = folder / one.path
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == one.sha256:
            return file
    return None


def found_of(*collections: str) -> Iterator[tuple[Listed, Path]]:
    """Rows of these collections (all, if none is named) whose files are on this machine."""
    among = folders()
    for one in listed():
        if not collections or one.collection in collections:
            file = place(one, among)
            if file is not None:
                yield one, file


def peer_reads(file: Path) -> bool:
    """Whether Pinocchio (URDF) or MuJoCo (MJCF) reads it."""
    try:
        if "<robot" in file.read_text(encoding="utf-8", errors="replace"):
            import pinocchio

            pinocchio.buildModelFromUrdf(str(file))
        else:
            import mujoco

            mujoco.MjModel.from_xml_path(str(file))
    except Exception:
        return False
    return True


def refusal(file: Path) -> str:
    """The sentence that refuses a file here; empty where it loads."""
    try:
        load_robot(file)
    except LocodynError as error:
        return str(error)
    return ""


def disagreement(file: Path) -> float:
    """Largest relative difference from the peer in mass matrix, inverse dynamics and poses, at three random states."""
    loaded = load_robot(file)
    if not loaded.robot.compile().nv:
        return 0.0
    model = loaded.robot.model() if loaded.gravity is None else loaded.robot.model(gravity=loaded.gravity)
    urdf = "<robot" in file.read_text(encoding="utf-8", errors="replace")
    peer = PinocchioFile(file, model) if urdf else MujocoFile(file, model)
    rng, largest = np.random.default_rng(11), 0.0
    for _ in range(3):
        q, v = random_state(model, rng)
        a = rng.uniform(-1.0, 1.0, model.nv)
        if model.nv and float(model.compiled.total_mass) > 0.0:
            largest = max(largest, worst(model.mass_matrix(q), peer.mass_matrix(q)))
            largest = max(largest, worst(model.inverse_dynamics(q, v, a), peer.inverse_dynamics(q, v, a)))
        for body, wanted in peer.poses(q).items():
            if body in model.compiled.body_names:
                largest = max([largest, *(worst(*pair) for pair in zip(model.pose(body, q), wanted, strict=True))])
    return largest


def describe(file: Path) -> str:
    """What ``locodyn describe`` prints."""
    from locodyn.cli.describe import describe as say

    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        say(str(file), {}, Reading())
    return printed.getvalue()


def verdict(one: Listed, file: Path) -> tuple[str, str]:
    """("agrees" | "refused" | "wrong", about)."""
    sentence = refusal(file)
    if sentence or one.refused:
        right = bool(one.refused) and one.refused in sentence
        return ("refused" if right else "wrong"), sentence or f"loads, although the list says '{one.refused}'"
    if peer_reads(file):
        difference = disagreement(file)
        if not difference <= AGREES:
            return "wrong", f"differs by {difference:.1e}"
    describe(file)
    return "agrees", ""


def main(among: list[str]) -> int:
    """Run all files found on this machine."""
    if among:
        os.environ["LOCODYN_WILD"] = os.pathsep.join(str(Path(folder).resolve()) for folder in among)
    os.chdir(tempfile.mkdtemp())  # MuJoCo leaves a log where it is called
    counts: Counter[str] = Counter()
    for one, file in found_of():
        try:
            word, about = verdict(one, file)
        except Exception as error:
            word, about = "wrong", f"{type(error).__name__}: {error}"
        counts[word] += 1
        if word != "agrees":
            print(f"{word}: {one.collection}: {one.path}: {about}")
    absent = len(listed()) - sum(counts.values())
    print(f"{counts['agrees']} agree, {counts['refused']} are refused as listed, {counts['wrong']} are wrong, {absent} not found")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
