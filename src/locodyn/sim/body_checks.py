"""What a scenario refuses about bodies without joints: one that would turn inside out, a wave that nothing holds, a rule
for forces that has no meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.arrays import IMPOSED
from locodyn.motion.kinks import spread_times
from locodyn.robot.layout import FIXED

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

_TIMES, _PLACES = 401, 101  # at which the stretch is looked at, and at nodes
_DRIFT = 1e-9  # of the largest rate: a smaller velocity is none


def check_stretch(scenario: Scenario, start: float, end: float) -> None:
    """Raise :class:`InputError` when an imposed stretch is not positive somewhere between ``start`` and ``end`` (s)."""
    problem, compiled = scenario.problem, scenario.compiled
    times = spread_times(start, end, _TIMES)
    for body in compiled.description.bodies:
        rod = body.joint.rod
        if rod is None or not (rod.modes[0] or any(0 in field.strains for field in rod.fields)):
            continue
        span = compiled.joint_velocities[compiled.joint_index(body.joint.name)]
        q = np.zeros((len(times), rod.count))
        for n, i in enumerate(range(span.start, span.stop)):
            if problem.drive[i] == IMPOSED:
                q[:, n] = problem.laws[i](times)
        places = np.unique(np.concatenate([np.linspace(0.0, rod.length, _PLACES), rod.quadrature_nodes()[0]]))
        stretch = rod.strain_motion(places, q)[0, :, :, 0]
        at, where = np.unravel_index(int(np.argmin(stretch)), stretch.shape)
        if stretch[at, where] <= 0.0:
            volume = ", and no section keeps its volume there" if rod.keeps_volume else ""
            raise InputError(
                f"the imposed stretch of rod '{body.name}' is {stretch[at, where]:.3g} at s = {places[where]:.3g} m and"
                f" t = {times[at]:.3g} s: the body would turn inside out{volume}; keep the stretch above zero."
            )


def check_held(scenario: Scenario) -> None:
    """Raise :class:`InputError` when a wave runs along a body at the start and nothing decides how the body moves with it.

    Without contacts and outer forces momentum stays what it is at the start; a head that is at rest only because nobody
    said otherwise gives the body a momentum by accident, and a drift for ever. Gravity does not hold a body either.
    """
    problem, compiled, start = scenario.problem, scenario.compiled, scenario.start
    moves = start.zero_momentum or start.velocities is not None or start.equilibrium
    if moves or compiled.base_code == FIXED or np.all(problem.drive[: compiled.reference_nv] == IMPOSED):
        return
    if problem.constraints.rows or problem.wrench_table.wrenches or len(problem.contact.table):
        return
    waves = {
        f"{body.joint.name}.{field.coordinates[0]}": body.name
        for body in compiled.description.bodies if body.joint.rod is not None
        for field in body.joint.rod.fields if field.has_phase
    }  # fmt: skip
    running = [name for name in waves if _rate(scenario, name) != 0.0]
    if not running:
        return
    q, v = start.state(scenario.model, scenario.by_index(scenario.drive.imposed))
    drift = np.abs(scenario.model.zero_momentum(q, v) - v)
    if drift.max() > _DRIFT * np.abs(v).max():
        raise InputError(
            f"nothing determines how robot '{compiled.name}' moves with the wave '{running[0]}': no contact, friction or fluid"
            f" force acts on it; add anchors, sleeves, pegs or a Drag along rod '{waves[running[0]]}', or say"
            " start='zero_momentum' to let it float."
        )


def _rate(scenario: Scenario, coordinate: str) -> float:
    """How fast a coordinate moves at the start by its law, 0 where it has none."""
    number = scenario.compiled.coordinate_names.index(coordinate)
    law = scenario.problem.laws.get(number)
    return 0.0 if law is None or scenario.problem.drive[number] != IMPOSED else float(law.rate(0.0))


def check_least_moments(scenario: Scenario) -> None:
    """Refuse the word where it has no meaning: without rods, beside another rule, where forces are not shared at records."""
    if scenario.drive.torque_method != "min_torque":
        return
    robot = scenario.compiled
    if not robot.has_rods:
        raise InputError(
            f"torque_method='min_torque' shares forces so that the moments in rods are least; robot '{robot.name}' has no rod:"
            " leave it out, or give weights."
        )
    for name in (*scenario.drive.weights, *scenario.drive.static):
        raise InputError(
            f"'{name}' is weighted or loaded, and torque_method='min_torque' shares the forces; choose one of the two."
        )
    if scenario.phases is not None or scenario.world.obstacles or scenario.world.self_collision:
        raise InputError(
            "torque_method='min_torque' is for runs without phases, obstacles and self-collision; take one or the other out."
        )
