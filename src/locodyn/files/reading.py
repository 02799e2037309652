"""What a file name means, and how a robot file is read where it does not say itself. Reads nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from locodyn.errors import InputError
from locodyn.files.paths import own_tree
from locodyn.robot.joint import REFERENCE_KINDS

EXPAND = "expand it first, with ROS's xacro or 'pip install xacrodoc': xacrodoc robot.xacro -o robot.urdf"
YAML = (".yaml", ".yml")
XML = (".urdf", ".xml", ".mjcf")
ENDINGS = (*YAML, *XML)
_ELSEWHERE = {
    ".xacro": EXPAND,
    ".sdf": "SDF is not read; convert it to URDF or MJCF first",
}


def is_file_name(name: str) -> bool:
    """Whether a name means a file: it has one of the endings, or a folder in it."""
    return Path(name).suffix.lower() in (*ENDINGS, *_ELSEWHERE) or "/" in name or "\\" in name


@dataclass(frozen=True)
class Reading:
    """How a robot file is read where it does not say itself; in words as of :func:`load_robot`."""

    moves: str | None = None
    root: Path | None = None
    collides: bool | None = None

    def __post_init__(self) -> None:
        if self.root is not None and not self.root.is_dir():
            raise InputError(f"there is no folder '{self.root}' that could hold the files (--root).")
        if self.moves is not None and self.moves not in REFERENCE_KINDS:
            raise InputError(f"a base cannot move '{self.moves}'; it moves in one of {', '.join(REFERENCE_KINDS)}.")

    def options(self) -> dict[str, str]:
        """The options of the command line that say it, with their values."""
        words = {"--moves": self.moves, "--root": self.root, "--collides": self.collides}
        named = {"--no-collides" if word is False else key: word for key, word in words.items() if word is not None}
        return {key: "" if isinstance(word, bool) else str(word) for key, word in named.items()}

    def within(self, file: Path) -> Path:
        """The folder that holds all files which ``file`` names: the one that is given, or its own."""
        if self.root is not None:
            return self.root
        return own_tree(file) if file.suffix.lower() in XML else file.parent


def unknown_ending(file: Path, verb: str) -> str:
    """The sentence about a file of another kind."""
    reason = _ELSEWHERE.get(file.suffix.lower(), f"its ending must be one of {', '.join(ENDINGS)}")
    return f"the robot file '{file}' cannot be {verb}; {reason}."
