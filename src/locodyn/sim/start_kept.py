"""Whether a run begins with the positions and velocities that were given, or wheels, contacts and loops change them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import AUTO
from locodyn.locomotion.rod_contacts import check_pegs
from locodyn.sim.start import Values, span_of

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

_ROUND_OFF = 1e-6  # of the largest value, at least of 1: what is typed in decimals may be off by this much


class StartWarning(UserWarning):
    """Positions of the start were changed, so that loops are closed and contacts touch."""


def check_kept(scenario: Scenario, q: np.ndarray, v: np.ndarray) -> None:
    """Refuse velocities of the start that wheels, contacts or loops forbid; say by how much positions are changed.

    ``q`` (nq,), ``v`` (nv,): the initial state of the scenario. What ``Start`` does not name follows without a word, and so does
    everything that ``keep`` (velocities) and ``adjust`` (positions) leave free. For a method without inertia a start is only a
    guess of the first equilibrium.
    """
    start, robot = scenario.start, scenario.compiled
    guess = start.equilibrium or (scenario.numerics.integrator != AUTO and not scenario.numerics.method.inertia)
    if scenario.problem.arrays.rows is None or guess:
        return
    given_q, given_v = start.state(scenario.model, scenario.by_index(scenario.drive.imposed))
    begun_q, begun_v = scenario.problem.start_state(0.0, q.copy(), v.copy())
    check_pegs(scenario.problem, 0.0, q)
    if not (start.keep or start.zero_momentum):
        free = [name not in scenario.drive.imposed for name in robot.coordinate_names]
        worst = largest_change(given_v, begun_v, named(robot, start.velocities, velocity=True) & np.array(free))
        if worst is not None:
            left = begun_v[worst] if abs(begun_v[worst]) > _ROUND_OFF * abs(given_v[worst]) else 0.0
            raise InputError(
                f"the start gives '{robot.coordinate_names[worst]}' the velocity {given_v[worst]:.6g}, which"
                f" its {_holders(robot)} do not allow: the nearest motion has {left:.6g} there; give velocities that go"
                " together, leave out those that follow from others, or name in keep those that stay as they are."
            )
    if not (start.adjust or start.resolve):
        worst = largest_change(given_q, begun_q, named(robot, start.positions, velocity=False))
        if worst is not None:
            warnings.warn(
                f"the start of '{scenario.name}' was moved to agree with its {_holders(robot)}:"
                f" '{robot.position_names[worst]}' from {given_q[worst]:.6g} to {begun_q[worst]:.6g}; name in adjust what may"
                " move.",
                StartWarning,
                stacklevel=5,
            )


def _holders(robot: Any) -> str:
    """What holds a robot by constraints, by their kinds: ``wheels and loops``."""
    said = robot.description
    kinds = {
        "wheels": said.wheels,
        "rolling contacts": said.contacts,
        "loops": said.loops,
        "couplings": said.couplings,
        "contacts along rods": robot.rod_contacts,
    }
    found = [word for word, parts in kinds.items() if any(True for _ in parts)]
    return " and ".join(filter(None, (", ".join(found[:-1]), *found[-1:]))) or "constraints"


def named(robot: Any, values: Values, velocity: bool) -> np.ndarray:
    """Which coordinates (n,) were given."""
    names, spans = (robot.coordinate_names, robot.joint_velocities) if velocity else (robot.position_names, robot.joint_positions)
    found = np.zeros(len(names), dtype=bool)
    if isinstance(values, Mapping):
        for name, value in values.items():
            found[span_of(robot, name, value, names, spans, "velocity" if velocity else "position")] = True
    elif values is not None:
        found[:] = True
    return found


def largest_change(wanted: np.ndarray, begun: np.ndarray, named: np.ndarray) -> int | None:
    """Number of the named coordinate that was changed most, if that is more than round-off."""
    change = np.where(named, np.abs(begun - wanted), 0.0)
    limit = _ROUND_OFF * max(1.0, float(np.abs(wanted).max(initial=0.0)))
    return int(np.argmax(change)) if change.max(initial=0.0) > limit else None
