"""What drives a robot, in words: a line for every coordinate, every wheel and every imposed speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.motion import Law

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def drive_words(scenario: Scenario) -> dict[str, str]:
    """Name of a coordinate, wheel or speed -> what drives it."""
    words = {}
    robot = scenario.compiled
    for i, name in enumerate(robot.coordinate_names):
        if name in scenario.imposed:
            words[name] = f"imposed: {scenario.imposed[name].describe()}"
        elif name in scenario.torque or name in scenario.servo:
            parts = [scenario.servo[name].describe()] if name in scenario.servo else []
            if name in scenario.torque:
                law = scenario.torque[name]
                parts.insert(0, law.describe() if isinstance(law, Law) else "Python function of time and state")
            words[name] = f"torque: {', plus '.join(parts)}"
        elif name in scenario.dependent:
            words[name] = "dependent: follows from the wheels"
        elif i < robot.reference_nv:
            words[name] = "free (reference body)"
        else:
            words[name] = "controller" if scenario.controller is not None else "passive"
    for wheel in robot.wheels:
        own = wheel_words(scenario, wheel)
        words[wheel.name] = f"{words[wheel.name]}; {own}" if wheel.name in words else own
    for point, direction, law in scenario.speeds:
        axis = ", ".join(f"{x:g}" for x in np.asarray(direction, dtype=float))
        words[f"{point}.speed"] = f"distance along ({axis}) imposed: {law.describe()}"
    return words


def wheel_words(scenario: Scenario, wheel: Any) -> str:
    """How a wheel is steered, and what turns it."""
    words = [f"wheel on {wheel.body}"] if wheel.kind != "skate" else [f"skate on {wheel.body}"]
    if wheel.name in scenario.steering:
        words.append(f"steering imposed: {scenario.steering[wheel.name].describe()}")
    if wheel.contact is not None:
        words.append(f"contact law {type(wheel.contact).__name__}")
    if wheel.name in scenario.rolling:
        words.append(f"rolling imposed: {scenario.rolling[wheel.name].describe()}")
    elif wheel.name in scenario.wheel_torque:
        words.append(f"motor torque: {scenario.wheel_torque[wheel.name].describe()}")
    elif wheel.actuated and scenario.speeds:
        words.append("its motor provides the imposed speed")
        words += [f"same torque as {', '.join(n for n in g if n != wheel.name)}" for g in scenario.equal if wheel.name in g]
    elif wheel.kind not in ("castor", "skate"):
        words.append("rolls freely")
    return ", ".join(words)
