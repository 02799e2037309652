"""A scenario's robot as URDF or MJCF, with its surfaces and, where the format has a world, what it stands on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from locodyn.files.export_mjcf import robot_mjcf
from locodyn.files.export_urdf import robot_urdf
from locodyn.files.notes import Note, Notes

if TYPE_CHECKING:
    from locodyn.sim import Scenario


def save_with_world(scenario: Scenario, path: str | Path) -> tuple[Note, ...]:
    """Write the robot of a scenario, by the ending of the file (urdf, xml); the notes say what the file cannot hold.

    MJCF gets the surfaces with their friction, gravity, ground, obstacles, terrain and the pairs of bodies that do not meet; URDF
    the surfaces alone. What drives the robot is not written.
    """
    from locodyn.sim.store import check_writable, write_beside

    file = check_writable(path, "robot", (".urdf", ".xml"))
    description, notes = scenario.compiled.description, Notes()
    if file.suffix.lower() == ".xml":
        text = robot_mjcf(description, file.parent, notes, scenario.world)
    else:
        text = robot_urdf(description, file.parent, notes)
        for fixture in scenario.world.obstacles:
            notes.lost(fixture.what, "URDF has no world; read back with collides=True, the robot stands on a level ground")
    if scenario.phases is not None:
        notes.lost(f"scenario '{scenario.name}'", "its phases; the file has the robot in none of them")
    write_beside(file, lambda target: target.write_text(text, encoding="utf-8"))
    return notes.all()
