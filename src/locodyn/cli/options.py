"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import all_options, help_words, option_words

NAME = "Name of a scenario (see 'locodyn list'), or a file: yaml, urdf, xml."
INTEGRATORS = f"{AUTO}: chosen from the robot. By name: {help_words()}"
OPTIONS = {option.name: f"{option_words(option).capitalize()}." for option in all_options()}
Name = Annotated[str, typer.Argument(help=NAME)]
Moves = Annotated[str | None, typer.Option("--moves", metavar="HOW", help="How the base of a URDF moves: free, fixed, planar.")]
Collides = Annotated[
    bool | None,
    typer.Option("--collides/--no-collides", help="Whether collision shapes of a URDF or MJCF touch (MJCF with a floor: yes)."),
]
Root = Annotated[Path | None, typer.Option("--root", metavar="FOLDER", help="Folder that holds all files a file names.")]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter (SI units); repeatable.")]
What = Annotated[
    str | None,
    typer.Option("--what", metavar="WHAT,...", help="What a plot shows: groups, panels, pictures, joints, wheels, contacts."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
