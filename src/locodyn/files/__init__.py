"""Robots and scenarios in files: YAML, URDF, MJCF; contact problems. Loading a file never executes code."""

from locodyn.files.friction_file import load_contact_problem, save_contact_problem
from locodyn.files.load import load_robot, save_robot
from locodyn.files.loaded import Keyframe, Loaded
from locodyn.files.notes import Note
from locodyn.files.source import Source, scenario_of

__all__ = [
    "Keyframe", "Loaded", "Note", "Source", "load_contact_problem", "load_robot", "save_contact_problem", "save_robot",
    "scenario_of",
]  # fmt: skip
