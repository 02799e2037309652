"""A biped in space with point feet walks a gait that was found by direct collocation (own design; links of Aguirre 2010, 3.4).

It has 12 freedoms and 6 motors; on one foot three freedoms are left to themselves: it turns freely about the foot. Its joints
follow splines of the angle of the standing leg. The gait is stored with the command that made it (:mod:`locodyn.zoo.biped`).
By itself it is unstable to the side: an error grows about fivefold in a step. Feedback from step to step, which places the feet
by what the state is off the gait where a step begins, makes it stable: the largest multiplier is 0.30
(:mod:`locodyn.walking.stride_control`).
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
from locodyn.zoo import biped, walkers

SOURCE = "own choice"
PARAMETERS = (
    Parameter("K_P", 400.0, "1/s^2", SOURCE, "stiffness of the outputs", above=0.0),
    Parameter("K_D", 40.0, "1/s", SOURCE, "damping of the outputs", above=0.0),
    Parameter("feedback", "steps", "-", SOURCE, "from step to step, or none", choices=("steps", "none")),
    Parameter("faster", 1.0, "-", SOURCE, "factor of the velocities at the start, 1 on the gait", above=0.0),
    Parameter("mu", 0.6, "-", SOURCE, "friction of the ground, for the check of slip", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"faster": 1.02}, {"feedback": "none"})


@functools.lru_cache(maxsize=1)
def stored() -> tuple[PhasePath, Trajectory]:
    """The gait and the phases that it goes through."""
    return PhasePath(Scenario("biped_3d", biped.robot(), phases=biped.phases()).hybrid, ["left"]), biped.gait()


def scenario(p: dict[str, Any]) -> Scenario:
    """Eight steps from the beginning of the gait; without feedback three."""
    path, gait = stored()
    control = followers(path, gait, biped.OUTPUTS, {"left": biped.PHASE}, stiffness=p["K_P"], damping=p["K_D"])
    feedback = load_feedback(biped.FEEDBACK)
    begin = feedback["left"]
    if p["feedback"] == "steps":
        add_feedback(path, control, feedback)
    return Scenario(
        "biped_3d",
        biped.robot(),
        phases=biped.phases((control["left"], control["right"]), p["mu"]),
        start=(begin.q, p["faster"] * begin.v),
        t_end=(8.05 if p["feedback"] == "steps" else 3.05) * gait.duration,
        dt=0.01,
        tolerance=1e-10,
        checks=checks(p, gait),
    )


def strides(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Times of touchdowns (s), and distances between them along x (m)."""
    found = json.loads(result.attributes["transitions"])
    return np.array([one["time"] for one in found]), np.diff([one["place"][0] for one in found])


def checks(p: dict[str, Any], gait: Trajectory) -> tuple[Check, ...]:
    """The whole robot against the gait; energy."""
    form = "independent calculation: the stored gait, found by collocation (order 6, IPOPT)"

    def off(result: Result) -> float:
        """Largest difference of the joints from the planned ones in the first step, rad."""
        motion, names = gait.motions[0], result.scenario.compiled.coordinate_names  # type: ignore[union-attr]
        within = result.time.values < motion.duration
        joints = list(biped.JOINTS)
        planned = np.column_stack([np.interp(result.time.values[within], *track(motion, names.index(one))) for one in joints])
        return float(np.abs(result.joint_position.sel(joint=joints).values[within] - planned).max())

    energy = Check("energy balance through impacts (relative)", 0.0, 1e-7, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if p["faster"] != 1.0:
        # Six steps leave 0.30^6 of what is off; ten times that, because the start is off in all directions at once.
        multiplier = "independent calculation: the largest multiplier of the Poincare map, 0.30, six times"
        back = Check(
            "change of the step time, last over first", 0.0, 10.0 * 0.30**6, walkers.settling, multiplier, Kind.INDEPENDENT
        )
        return (back, energy) if p["feedback"] == "steps" else (energy,)
    # Newton's method stopped at 1e-7 rad; ten times that in time, for a foot that comes down at some tenths of a metre a second.
    fixed = "closed form: from a fixed point of the Poincare map every step is the same"
    even = Check("step times, largest difference (s)", 0.0, 1e-6, walkers.uneven_steps, fixed, Kind.CLOSED_FORM)
    return (
        *((even,) if p["feedback"] == "steps" else ()),
        Check("step time (s)", gait.duration, 1e-3, lambda r: float(strides(r)[0][0]), form, Kind.INDEPENDENT),
        Check("step length (m)", gait.length, 1e-3, lambda r: float(strides(r)[1][0]), form, Kind.INDEPENDENT),
        Check("joints against the gait in the first step (rad)", 0.0, 2e-3, off, form, Kind.INDEPENDENT),
        energy,
    )


def track(motion: Any, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and values of one coordinate of a phase, on a fine grid."""
    fine = motion.sampled(400)
    return fine.time, fine.q[:, column]
