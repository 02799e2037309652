"""Robots and scenarios in files: YAML, URDF, MJCF. Loading a file never executes code."""

from locodyn.files.load import load_robot, save_robot
from locodyn.files.loaded import Keyframe, Loaded
from locodyn.files.notes import Note
from locodyn.files.source import Source, scenario_of

__all__ = ["Keyframe", "Loaded", "Note", "Source", "load_robot", "save_robot", "scenario_of"]
