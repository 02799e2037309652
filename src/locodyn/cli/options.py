"""Options that several commands share, and groups of them that reach a command as one argument."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from locodyn.cli import Stopped
from locodyn.cli.source import parse, reading_of
from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import all_options, help_words, option_words

_TICK = 0.02  # s by which the clock of a file system may be behind
REQUIRED = inspect.Parameter.empty
NAME = "Name of a scenario (see 'locodyn list'), or a file: yaml, urdf, xml."
INTEGRATORS = f"{AUTO}: chosen from the robot. By name: {help_words()}"
OPTIONS = {option.name: f"{option_words(option).capitalize()}." for option in all_options()}
Name = Annotated[str, typer.Argument(help=NAME)]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter (SI units); repeatable.")]
Moves = Annotated[str | None, typer.Option("--moves", metavar="HOW", help="How the base of a URDF moves: free, fixed, planar.")]
Root = Annotated[Path | None, typer.Option("--root", metavar="FOLDER", help="Folder that holds all files a file names.")]
Collides = Annotated[
    bool | None,
    typer.Option("--collides/--no-collides", help="Whether collision shapes of a URDF or MJCF touch (MJCF with a floor: yes)."),
]
Processes = Annotated[int | None, typer.Option("--processes", metavar="N", help="Processes of this machine (one a core).")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Dask workers (processes of one thread) on this machine instead.")
]
Cluster = Annotated[str | None, typer.Option("--cluster", metavar="ADDRESS", help="A Dask scheduler instead.")]
Cycle = Annotated[float | None, typer.Option("--cycle", metavar="T", help="Length of a cycle, s (of the drive).")]
What = Annotated[
    str | None,
    typer.Option("--what", metavar="WHAT,...", help="What a plot shows: groups, panels, pictures, joints, wheels, contacts."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@dataclass(frozen=True)
class Group:
    """Options {name: (type, default)} of which ``make`` makes one argument of a command."""

    options: Mapping[str, tuple[Any, Any]]
    make: Callable[..., Any]


SETTINGS = {"set_": (Set, None)}
READING = {"moves": (Moves, None), "root": (Root, None), "collides": (Collides, None)}
Settings = Annotated[dict[str, str], Group(SETTINGS, parse)]
Reading = Annotated[Any, Group(READING, reading_of)]
# The processes that compute a study, as the words of its method ``run``.
Places = Annotated[
    dict[str, Any],
    Group(
        {"processes": (Processes, None), "workers": (Workers, None), "cluster": (Cluster, None)},
        lambda processes, workers, cluster: {"processes": processes, "workers": workers, "cluster": cluster},
    ),
]
Act = TypeVar("Act", bound=Callable[..., None])


def command(app: typer.Typer, name: str | None = None, *, compiles: bool = False) -> Callable[[Act], Act]:
    """Make a function a command, by its own name unless another is given.

    A parameter that stands for a :class:`Group` is written out as the options of the group. Every command has ``--debug``,
    which :func:`locodyn.cli.main` reads. ``compiles``: it may need kernels, and says so while they are compiled.
    """

    def register(act: Act) -> Act:
        app.command(name)(_written_out(act, compiles))
        return act

    return register


def _watch(say: bool) -> AbstractContextManager[Any]:
    """What says which kernels are compiled, and for how long; it loads Numba."""
    from locodyn.sim.progress import CompileWatch

    return CompileWatch(say)


def _written(words: Mapping[str, Any], began: float) -> list[str]:
    """Which of the files that a command was given are newer than its beginning (s since 1970), as far as the disk can tell."""
    files = [file for file in words.values() if isinstance(file, Path) and file.exists()]
    return [f"'{file}' was written" for file in files if file.stat().st_mtime > began - _TICK]


def _written_out(act: Callable[..., None], compiles: bool) -> Callable[..., None]:
    """The function as typer reads it: with the options of groups after its own, then ``--quiet`` and ``--debug``."""
    hints = get_type_hints(act, include_extras=True)
    groups: dict[str, Group] = {}
    first: list[inspect.Parameter] = []
    last: list[inspect.Parameter] = []
    end: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(act).parameters.items():
        found = [one for one in getattr(hints[name], "__metadata__", ()) if isinstance(one, Group)]
        options = found[0].options if found else {name: (hints[name], parameter.default)}
        groups |= {name: found[0]} if found else {}
        for word, (hint, default) in options.items():
            one = inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            if word == "quiet":
                end[word] = one
            else:
                (last if found and default is not REQUIRED else first).append(one)
    debug = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Debug)
    parameters = [*first, *last, *end.values(), debug]

    def run(**words: Any) -> None:
        del words["debug"]
        began = time.time()
        made = {name: group.make(*(words.pop(word) for word in group.options)) for name, group in groups.items()}
        try:
            with _watch(not words.get("quiet", False)) if compiles else nullcontext():
                act(**words, **made)
        except KeyboardInterrupt as stop:  # typer would end the command without a word
            raise Stopped(*getattr(stop, "__notes__", _written(words, began))) from None

    run.__name__, run.__doc__ = act.__name__, act.__doc__
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    return run
