"""Parts of a scenario file: phases; checks of the result, a variable at an instant and the value that it must have."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files.rules import Section
from locodyn.phases import LiftOff, Mirror, Phase, Phases, Reaches, Touchdown, Transition
from locodyn.sim import Check, Kind, Result, Scenario
from locodyn.sim.recorders import VARIABLES

_NAMED = ("joint", "body", "wheel", "contact", "constraint")  # dimensions whose labels are names of the robot


def check_of(section: Section, scenario: Scenario) -> Check:
    """The check that an entry of ``checks`` describes."""
    variable, name = section["of"], section.get("name")
    if variable not in VARIABLES:
        raise section.entry.value["of"].error(f"a result has no variable '{variable}'{nearest(variable, VARIABLES)}")
    dims = [dim for dim in VARIABLES[variable].dims if dim in _NAMED]
    if dims and name is None:
        raise section.entry.error(f"'{variable}' has a value for each {dims[0]}: give the 'name' of one.")
    if name is not None and not dims:
        raise section.entry.value["name"].error(f"'{variable}' has one value for the robot: leave 'name' out.")
    at = section.get("at", scenario.recording.t_end)
    if at > scenario.recording.t_end:
        raise section.entry.value["at"].error(f"the check is at {at:g} s, but the run ends at {scenario.recording.t_end:g} s.")

    def value(result: Result) -> Any:
        if variable not in result.dataset:
            raise InputError(f"the result has no variable '{variable}'.")
        data = result.dataset[variable]
        if name is not None:
            known = [str(label) for label in data[dims[0]].values]
            if name not in known:
                raise InputError(f"the result has no {dims[0]} '{name}'{nearest(name, known)}")
            data = data.sel({dims[0]: name})
        times = result.dataset["time"].values
        return data.values[int(np.argmin(np.abs(times - at)))]

    label = f"{variable}{f' of {name}' if name else ''} at {at:g} s"
    kind = next(one for one in Kind if one.word == section.get("kind", Kind.OWN.word))
    source = section.get("source", "the scenario file")
    try:
        return Check(label, section["expected"], section["tolerance"], value, source, kind)
    except InputError as error:
        raise section.entry.error(str(error)) from None


_KINDS: dict[str, type[Transition]] = {"touchdown": Touchdown, "lift_off": LiftOff, "reaches": Reaches}


def phases_of(section: Section) -> Phases:
    """The graph of a file; errors of a transition have its line."""
    phases = {name: Phase(**one) if isinstance(one, Section) else Phase(one) for name, one in section["phases"].items()}
    options: dict[str, Any] = {key: section[key] for key in ("start", "friction", "scuffing", "final") if key in section}
    if "mirror" in section:
        options["mirror"] = Mirror(**section["mirror"])
    return Phases(phases, [transition_of(one) for one in section["transitions"]], **options)


def transition_of(section: Section) -> Transition:
    """``{from: left, to: right, touchdown: {foot: right_foot}}``."""
    ((kind, values),) = ((key, value) for key, value in section.items() if key in _KINDS)
    words: dict[str, Any] = {key: value for key, value in values.items() if key != "anywhere"}
    if values.get("anywhere", False):
        words["ahead"] = None
    if "along" in words:
        words["along"] = tuple(words["along"])
    try:
        return _KINDS[kind](section["from"], section["to"], **words)
    except LocodynError as error:
        raise section.entry.error(str(error)) from None
