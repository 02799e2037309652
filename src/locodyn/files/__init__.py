"""Robots and scenarios in files: YAML, URDF, MJCF; contact problems. Loading a file never executes code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.files.friction_file import (
        load_contact_problem as load_contact_problem,
        save_contact_problem as save_contact_problem,
    )
    from locodyn.files.load import load_robot as load_robot, save_robot as save_robot
    from locodyn.files.loaded import Keyframe as Keyframe, Loaded as Loaded
    from locodyn.files.notes import Note as Note
    from locodyn.files.source import Source as Source, scenario_of as scenario_of
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
