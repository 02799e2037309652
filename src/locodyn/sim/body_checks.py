"""What a scenario refuses about imposed strains: a body that would turn inside out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.arrays import IMPOSED

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

_TIMES, _PLACES = 401, 101  # at which the stretch is looked at


def check_stretch(scenario: Scenario, start: float, end: float) -> None:
    """Raise :class:`InputError` when an imposed stretch is not positive somewhere between ``start`` and ``end`` (s)."""
    problem, compiled = scenario.problem, scenario.compiled
    times = np.linspace(start, end, _TIMES)
    for body in compiled.description.bodies:
        rod = body.joint.rod
        if rod is None or not (rod.modes[0] or any(0 in field.strains for field in rod.fields)):
            continue
        span = compiled.joint_velocities[compiled.joint_index(body.joint.name)]
        q = np.zeros((_TIMES, rod.count))
        for n, i in enumerate(range(span.start, span.stop)):
            if problem.drive[i] == IMPOSED:
                q[:, n] = problem.laws[i](times)
        places = np.linspace(0.0, rod.length, _PLACES)
        stretch = rod.strain_motion(places, q)[0, :, :, 0]
        at, where = np.unravel_index(int(np.argmin(stretch)), stretch.shape)
        if stretch[at, where] <= 0.0:
            volume = ", and no section keeps its volume there" if rod.keeps_volume else ""
            raise InputError(
                f"the imposed stretch of rod '{body.name}' is {stretch[at, where]:.3g} at s = {places[where]:.3g} m and"
                f" t = {times[at]:.3g} s: the body would turn inside out{volume}; keep the stretch above zero."
            )
