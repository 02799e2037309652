"""Phases of a scenario file: from its values to :class:`~locodyn.phases.Phases`."""

from __future__ import annotations

from typing import Any

from locodyn.errors import LocodynError
from locodyn.files.rules import Section
from locodyn.phases import LiftOff, Mirror, Phase, Phases, Reaches, Touchdown, Transition

_KINDS: dict[str, type[Transition]] = {"touchdown": Touchdown, "lift_off": LiftOff, "reaches": Reaches}


def phases_of(given: Section) -> Phases:
    """The graph of a file; errors of a transition have its line."""
    phases = {name: Phase(**one) if isinstance(one, Section) else Phase(one) for name, one in given["phases"].items()}
    options: dict[str, Any] = {key: given[key] for key in ("start", "friction", "scuffing", "final") if key in given}
    if "mirror" in given:
        options["mirror"] = Mirror(**given["mirror"])
    return Phases(phases, [transition_of(one) for one in given["transitions"]], **options)


def transition_of(given: Section) -> Transition:
    """``{from: left, to: right, touchdown: {foot: right_foot}}``."""
    ((kind, values),) = ((key, value) for key, value in given.items() if key in _KINDS)
    words: dict[str, Any] = {key: value for key, value in values.items() if key != "anywhere"}
    if values.get("anywhere", False):
        words["ahead"] = None
    if "along" in words:
        words["along"] = tuple(words["along"])
    try:
        return _KINDS[kind](given["from"], given["to"], **words)
    except LocodynError as error:
        raise given.entry.error(str(error)) from None
