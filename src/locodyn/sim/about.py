"""What was run, in the words of a result: its attributes, and the command that runs it again."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import all_options
from locodyn.robot.portrait import portrait
from locodyn.sim.parameter import format_value
from locodyn.sim.touching import geometry
from locodyn.world.portrait import obstacle_portrait, water_portrait

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def about(scenario: Scenario) -> dict[str, Any]:
    """What was run, as attributes of the dataset."""
    from locodyn import __version__

    table = [
        {"name": p.name, "value": p.value, "unit": p.unit, "source": p.source, "meaning": p.meaning} for p in scenario.parameters
    ]
    return {
        "scenario": scenario.name,
        "summary": scenario.summary,
        "parameters": json.dumps({p.name: p.value for p in scenario.parameters}),
        "parameter_table": json.dumps(table),
        "classification": str(scenario.problem.classification),
        "drive": json.dumps(scenario.drive.words(scenario.compiled, scenario.phases)),
        **({} if scenario.phases is None else {"phases": json.dumps(scenario.phases.portrait())}),
        "gravity": np.asarray(scenario.world.gravity),
        "integrator": scenario.numerics.integrator,
        "step": float(scenario.numerics.step),
        **scenario.numerics.options(),
        "record_every": int(scenario.recording.record_every),
        **({"record": ",".join(scenario.recording.record)} if scenario.recording.record else {}),
        "t_end": float(scenario.recording.t_end),
        "time_loop": "compiled" if scenario.problem.is_compiled else "Python",
        "robot": str(scenario.compiled.name),
        "reference_body": str(scenario.compiled.reference_body),
        "portrait": json.dumps(portrait(scenario.compiled.description), separators=(",", ":")),
        "joint_constants": np.asarray(scenario.compiled.dof_constants, dtype=float).ravel(),
        "drive_constants": scenario.problem.memories.drives.numbers.ravel(),
        "contacts": json.dumps(_contacts(scenario)),
        "obstacles": json.dumps(
            obstacle_portrait(scenario.world.obstacles) + water_portrait(wrench.law for wrench in scenario.compiled.wrenches),
            separators=(",", ":"),
        ),
        "total_mass": float(scenario.compiled.total_mass),
        "degrees_of_freedom": int(scenario.compiled.nv),
        "command": command(scenario),
        "library_version": __version__,
        "python_version": platform.python_version(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _contacts(scenario: Scenario) -> dict[str, Any]:
    """Geometry of the contacts in space, see :func:`~locodyn.sim.touching.geometry`."""
    description, model = scenario.compiled.description, scenario.model
    if not any(True for _ in description.contacts):
        return {}
    neutral = model.neutral()
    return geometry(description, np.array([model.pose(body.name, neutral)[0] for body in description.bodies]))


def command(scenario: Scenario) -> str:
    """The command line that runs a scenario of the zoo or of a file again, or a note that it was made in Python."""
    if not scenario.parameters and not scenario.source:
        return "(made in Python)"
    words = [] if scenario.source else [f"--set {p.name}={format_value(p.value)}" for p in scenario.parameters]
    options = [
        f"--t-end {scenario.recording.t_end!r}",
        f"--dt {scenario.numerics.step!r}",
        f"--integrator {scenario.numerics.integrator}",
    ]
    for option in all_options() if scenario.numerics.integrator == AUTO else scenario.numerics.method.options():
        if getattr(scenario.numerics, option.name) != option.default:
            options.append(f"--{option.name.replace('_', '-')} {getattr(scenario.numerics, option.name)!r}")
    if scenario.recording.record:
        options.append(f"--record {','.join(scenario.recording.record)}")
    if scenario.start.resolve:
        options.append("--resolve")
    return " ".join(["locodyn run", scenario.source or scenario.name, *words, *options])
