"""RABBIT runs: a gait with flight, found by direct collocation (own design; robot of Aguirre 2010, Table 2.1).

On one foot the joints follow splines of the angle of the standing leg. In flight no angle leads, and they go by the time since
lift-off. The gait is stored with the command that made it (:mod:`locodyn.zoo.rabbit_running`). Feedback from step to step, where
stance and where flight begins, makes it stable: the largest multiplier is 0.36 instead of 1.01
(:mod:`locodyn.walking.stride_control`). The drives give 150 N m at most (Aguirre 2010, 2.2); the gait is designed for nine tenths
of it, and what follows it uses up to 142 N m.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np

from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.walking.following import followers
from locodyn.walking.phase_path import PhasePath
from locodyn.walking.stride_control import add_feedback, load_feedback
from locodyn.walking.trajectory import Trajectory
from locodyn.zoo import rabbit, rabbit_running, walkers

SOURCE = "own choice"
PARAMETERS = (
    Parameter("K_P", 400.0, "1/s^2", SOURCE, "stiffness of the outputs", above=0.0),
    Parameter("K_D", 40.0, "1/s", SOURCE, "damping of the outputs", above=0.0),
    Parameter("feedback", "steps", "-", SOURCE, "from step to step, or none", choices=("steps", "none")),
    Parameter("faster", 1.0, "-", SOURCE, "factor of the velocities at the start, 1 on the gait", above=0.0),
    Parameter("mu", 0.65, "-", SOURCE, "friction of the ground, for the check of slip", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"faster": 1.02}, {"feedback": "none"})


@functools.lru_cache(maxsize=1)
def stored() -> tuple[PhasePath, Trajectory]:
    """The gait and the phases that it goes through."""
    hybrid = Scenario("rabbit_run", rabbit.robot(), phases=rabbit_running.phases()).hybrid
    return PhasePath(hybrid, rabbit_running.PATH), rabbit_running.gait()


def scenario(p: dict[str, Any]) -> Scenario:
    """Eight steps from the beginning of the gait; without feedback three."""
    path, gait = stored()
    control = followers(path, gait, rabbit.JOINTS, {"left": rabbit.PHASE}, stiffness=p["K_P"], damping=p["K_D"])
    feedback = load_feedback(rabbit_running.FEEDBACK)
    begin = feedback["left"]
    if p["feedback"] == "steps":
        add_feedback(path, control, feedback)
    return Scenario(
        "rabbit_run",
        rabbit.robot(limit=rabbit_running.LIMIT),
        phases=rabbit_running.phases(control, p["mu"]),
        start=(begin.q, p["faster"] * begin.v),
        t_end=(8.05 if p["feedback"] == "steps" else 3.05) * gait.duration,
        dt=0.005,
        tolerance=1e-10,
        checks=checks(p, gait),
    )


def passages(result: Result) -> np.ndarray:
    """Durations of the first stance and of the first flight, s."""
    return np.diff([0.0, *(one["time"] for one in json.loads(result.attributes["transitions"])[:2])])


def rise(result: Result) -> float:
    """How far the mass centre is off a parabola in the first flight, m."""
    end, landing = (one["time"] for one in json.loads(result.attributes["transitions"])[:2])
    times = result.time.values
    flies = (times > end) & (times < landing)
    t, height = times[flies], result.mass_centre.values[flies, 2]
    return float(np.abs(height + 0.5 * 9.81 * t**2 - np.polyval(np.polyfit(t, height + 0.5 * 9.81 * t**2, 1), t)).max())


def checks(p: dict[str, Any], gait: Trajectory) -> tuple[Check, ...]:
    """Stance and flight against the gait, the parabola of the flight, energy."""
    form = "independent calculation: the stored gait, found by collocation (order 6, IPOPT)"
    planned = tuple(one.duration for one in gait.motions)
    parabola = "closed form: free fall of the mass centre"
    energy = Check("energy balance through impacts (relative)", 0.0, 1e-6, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if p["faster"] != 1.0:
        # Six steps leave 0.36^6 of what is off; ten times that, because the start is off in all directions at once.
        multiplier = "independent calculation: the largest multiplier of the Poincare map, 0.36, six times"
        back = Check(
            "change of the step time, last over first", 0.0, 10.0 * 0.36**6, walkers.settling, multiplier, Kind.INDEPENDENT
        )
        return (back, energy) if p["feedback"] == "steps" else (energy,)
    # Newton's method stopped at 1e-7 rad; ten times that in time, for a foot that comes down at some tenths of a metre a second.
    fixed = "closed form: from a fixed point of the Poincare map every step is the same"
    even = Check("step times, largest difference (s)", 0.0, 1e-6, walkers.uneven_steps, fixed, Kind.CLOSED_FORM)
    return (
        *((even,) if p["feedback"] == "steps" else ()),
        Check("stance and flight of the first step (s)", planned, 2e-3, lambda r: tuple(map(float, passages(r))), form,
              Kind.INDEPENDENT),
        Check("mass centre off the parabola of the flight (m)", 0.0, 1e-8, rise, parabola, Kind.CLOSED_FORM),
        energy,
    )  # fmt: skip
