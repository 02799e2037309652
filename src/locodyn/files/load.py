"""Robots from files and to files: the ending says the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from locodyn.errors import InputError
from locodyn.files.loaded import Loaded
from locodyn.files.notes import Note, Notes
from locodyn.files.reading import XML, YAML, Reading, unknown_ending
from locodyn.files.robot_file import read_robot
from locodyn.robot import Robot, RobotDescription


def load_robot(
    path: str | Path, *, moves: str | None = None, root: str | Path | None = None, collides: bool | None = None
) -> Loaded:
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

    collides : bool
        Whether its collision elements (URDF) or geoms (MJCF) become surfaces of hard contact, and the floor of the file an
        obstacle. By default only for an MJCF file with a floor.

    Returns
    -------
    Loaded
        ``robot`` and ``notes``: what was lost, changed or assumed; ``obstacles``, ``servos``, ``starts`` of an MJCF file, and the
        ``scenario()`` in which it stands among them.
    """
    return load_within(Path(path), Reading(moves, None if root is None else Path(root), collides))


def load_within(file: Path, reading: Reading, seen: tuple[Path, ...] = ()) -> Loaded:
    """The robot of a file; ``seen``: the files that begin with this one."""
    ending = file.suffix.lower()
    root, moves = reading.within(file), reading.moves
    if ending in YAML:
        for word, value in (("moves", moves), ("collides", reading.collides)):
            if value is not None:
                said = "how its base moves" if word == "moves" else "what collides"
                raise InputError(f"'{file}' says itself {said}; leave '{word}' out.")
        if file.resolve() in seen:
            raise InputError(f"'{file.name}' begins with itself; a chain of 'from' must end.")
        return read_robot(file, root, partial(load_for, seen=(*seen, file.resolve())))
    if ending in XML:
        from locodyn.files.xml_reader import read_xml

        notes = Notes()
        document = read_xml(file, notes)
        if document.tag == "robot":
            from locodyn.files.urdf import read_urdf

            return read_urdf(document, file, replace(reading, root=root), notes)
        if document.tag == "mujoco":
            from locodyn.files.mjcf import read_mjcf

            if moves is not None:
                raise InputError(f"'{file}' says itself how its base moves; leave 'moves' out.")
            return read_mjcf(document, file, replace(reading, root=root), notes)
        raise InputError(f"'{file}' begins with <{document.tag}>; a robot file begins with <robot> (URDF) or <mujoco> (MJCF).")
    raise InputError(unknown_ending(file, "read"))


def load_for(file: Path, root: Path, words: Mapping[str, Any], seen: tuple[Path, ...] = ()) -> Loaded:
    """The robot of a file that another one names, read with that one's root and ``words`` (``moves``, ``collides``)."""
    return load_within(file, Reading(root=root, **words), seen)


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
