"""Robots from files and to files: the ending says the format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from locodyn.errors import InputError
from locodyn.files.notes import Loaded, Note, Notes
from locodyn.files.paths import own_tree
from locodyn.files.robot_file import read_robot
from locodyn.robot import Robot, RobotDescription
from locodyn.robot.joint import REFERENCE_KINDS

YAML = (".yaml", ".yml")
XML = (".urdf", ".xml", ".mjcf")
ENDINGS = (*YAML, *XML)
_ELSEWHERE = {
    ".xacro": "expand it first: xacro robot.xacro > robot.urdf",
    ".sdf": "SDF is not read; convert it to URDF or MJCF first",
}


def is_file_name(name: str) -> bool:
    """Whether a name means a file: it has one of the endings, or a folder in it."""
    return Path(name).suffix.lower() in (*ENDINGS, *_ELSEWHERE) or "/" in name or "\\" in name


def load_robot(path: str | Path, *, moves: str | None = None, root: str | Path | None = None) -> Loaded:
    """A robot from a YAML, URDF or MJCF file.

    Parameters
    ----------
    path : file
        Ending in yaml, yml, urdf, xml or mjcf.
    moves : str
        How the base moves, for a URDF file, which does not say: ``free`` (default), ``fixed``, ``planar``, ...
    root : folder
        All files that it names must lie in there; by default the folder of the file itself, or the ROS package (the folder with
        a ``package.xml``) that a URDF or MJCF file lies in.

    Returns
    -------
    Loaded
        ``robot`` and ``notes``: what was lost, changed or assumed.
    """
    file = Path(path)
    check_root(root)
    return load_within(file, folder_of(file, root), moves)


def folder_of(file: Path, root: str | Path | None) -> Path:
    """The folder that holds all files which a file names: the one that is given, or its own."""
    if root is not None:
        return Path(root)
    return own_tree(file) if file.suffix.lower() in XML else file.parent


def check_root(root: str | Path | None) -> None:
    """Refuse a root that is not a folder."""
    if root is not None and not Path(root).is_dir():
        raise InputError(f"there is no folder '{root}' that could hold the files (--root).")


def load_within(file: Path, root: Path, moves: str | None, seen: tuple[Path, ...] = ()) -> Loaded:
    """The robot of a file that names files inside ``root`` only; ``seen``: the files that begin with this one."""
    ending = file.suffix.lower()
    if moves is not None and moves not in REFERENCE_KINDS:
        raise InputError(f"a base cannot move '{moves}'; it moves in one of {', '.join(REFERENCE_KINDS)}.")
    if ending in YAML:
        if moves is not None:
            raise InputError(f"'{file}' says itself how its base moves; leave 'moves' out.")
        if file.resolve() in seen:
            raise InputError(f"'{file.name}' begins with itself; a chain of 'from' must end.")
        return read_robot(file, root, partial(load_within, seen=(*seen, file.resolve())))
    if ending in XML:
        from locodyn.files.xml_reader import read_xml

        notes = Notes()
        document = read_xml(file, notes)
        if document.tag == "robot":
            from locodyn.files.urdf import read_urdf

            return read_urdf(document, file, root, moves, notes)
        if document.tag == "mujoco":
            from locodyn.files.mjcf import read_mjcf

            if moves is not None:
                raise InputError(f"'{file}' says itself how its base moves; leave 'moves' out.")
            return read_mjcf(document, file, root, notes)
        raise InputError(f"'{file}' begins with <{document.tag}>; a robot file begins with <robot> (URDF) or <mujoco> (MJCF).")
    raise InputError(unknown_ending(file, "read"))


def unknown_ending(file: Path, verb: str) -> str:
    """The sentence about a file of another kind."""
    reason = _ELSEWHERE.get(file.suffix.lower(), f"its ending must be one of {', '.join(ENDINGS)}")
    return f"the robot file '{file}' cannot be {verb}; {reason}."


def save_robot(robot: Robot | RobotDescription, path: str | Path) -> tuple[Note, ...]:
    """Write a robot as YAML, URDF or MJCF, by the ending (yaml, urdf, xml); the notes say what the file cannot hold.

    The file is written beside and renamed: it is whole or not there.
    """
    from locodyn.sim.store import write_beside

    file = Path(path)
    description = robot.description if isinstance(robot, Robot) else robot
    notes = Notes()
    text = _writer(file)(description, file.parent, notes)
    write_beside(file, lambda target: target.write_text(text, encoding="utf-8"))
    return notes.all()


def _writer(file: Path) -> Callable[[RobotDescription, Path, Notes], str]:
    ending = file.suffix.lower()
    if ending in YAML:
        from locodyn.files.robot_writer import robot_yaml

        return robot_yaml
    if ending == ".urdf":
        from locodyn.files.export_urdf import robot_urdf

        return robot_urdf
    if ending in (".xml", ".mjcf"):
        from locodyn.files.export_mjcf import robot_mjcf

        return robot_mjcf
    raise InputError(unknown_ending(file, "written"))
