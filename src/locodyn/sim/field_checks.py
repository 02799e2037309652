"""The fields of a scenario, part by part: each function checks what was given and returns it in the form that is kept.

What the robot must have, coordinates, wheels and strands of the names given, is checked last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import AUTO, DEFAULT_STEP, Method
from locodyn.integrate.methods import METHODS, all_options
from locodyn.motion import as_law
from locodyn.sim.arguments import finite, listed, mapping, positive, servo_of, speed_of, three

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

# Laws of time by names: of wheels and wrenches; of strands, in the order of their kinds, with what they belong to.
_BY_LAWS = ("steering", "rolling", "wheel_torque", "load", "desired")
_STRANDS = {
    "tension": "a tendon without stiffness",
    "tendon_length": "a tendon with a stiffness",
    "pressure": "a chamber",
    "activation": "a muscle",
}
_MOST_RECORDS = 1e8

Fields = dict[str, Any]


def span(scenario: Scenario) -> Fields:
    """End time and step, s; ``_step_is_free``: whether none was given."""
    end = positive(scenario.t_end, "the end time", "s")
    step = DEFAULT_STEP if scenario.dt is None else positive(scenario.dt, "the step", "s")
    if step > end:
        raise InputError(f"the step is {step:g} s, longer than the run of {end:g} s; it must be smaller.")
    return {"t_end": end, "dt": step, "_step_is_free": scenario.dt is None}


def method(scenario: Scenario) -> Fields:
    """The name of the integrator and its options, which may be given as a method."""
    chosen: Any = scenario.integrator
    given: Fields = {option.name: getattr(scenario, option.name) for option in all_options()}
    if isinstance(chosen, Method):
        given, chosen = {**given, **chosen.given()}, chosen.name
    options = {option.name: option.check(option.name, given[option.name]) for option in all_options()}
    if chosen not in (AUTO, *METHODS):
        raise InputError(f"there is no integrator '{chosen}'{nearest(str(chosen), (AUTO, *METHODS))}")
    return {**options, "integrator": chosen}


def recording(scenario: Scenario) -> Fields:
    """Steps between records; not more records than fit into memory."""
    every, end, step = scenario.record_every, scenario.t_end, scenario.dt
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise InputError(f"record_every is {every!r}; it must be a whole number of steps, at least 1.")
    if end / step / every > _MOST_RECORDS:
        raise InputError(
            f"a run of {end:g} s in steps of {step:g} s keeps {end / step / every:.3g}"
            f" records; at most {_MOST_RECORDS:g} are possible: take a longer step, or keep fewer (record_every)."
        )
    return {}


def world(scenario: Scenario) -> Fields:
    """Gravity (3,) m/s^2, obstacles, and how hard contact is solved."""
    from locodyn.contact.options import HardContact

    kept = {"gravity": three(scenario.gravity, "gravity", "m/s^2"), "obstacles": listed(scenario.obstacles, "obstacles")}
    if scenario.contact is not None and not isinstance(scenario.contact, HardContact):
        raise InputError(f"contact is {scenario.contact!r}; it must be a HardContact(...).")
    return kept


def phases(scenario: Scenario) -> Fields:
    """The phases, and a method that finds their ends."""
    from locodyn.phases import Phases

    if scenario.phases is None:
        return {}
    if not isinstance(scenario.phases, Phases):
        raise InputError(f"the phases are {scenario.phases!r}; they must be a Phases(...).")
    if scenario.integrator not in (AUTO, "adaptive"):
        raise InputError(
            f"the integrator '{scenario.integrator}' does not find the ends of phases; use 'adaptive', or leave it out."
        )
    if scenario.obstacles or scenario.self_collision:
        raise InputError("a run through phases has no hard contact: its feet hold or swing; leave out obstacles, or phases.")
    return {"integrator": "adaptive"}


def drive(scenario: Scenario) -> Fields:
    """Laws, servos and numbers by name; what a joint, a wheel or a strand is given."""
    laws = (*_BY_LAWS, *_STRANDS)
    names = ("imposed", "torque", "servo", *laws, "weights", "static")
    kept: Fields = {what: mapping(getattr(scenario, what), what) for what in names}
    for what in ("imposed", *laws):
        kept[what] = {name: as_law(law) for name, law in kept[what].items()}
    kept["torque"] = {name: law if callable(law) else as_law(law) for name, law in kept["torque"].items()}
    kept["servo"] = {name: servo_of(name, value) for name, value in kept["servo"].items()}
    kept["dependent"] = tuple(map(str, listed(scenario.dependent, "dependent")))
    kept["speeds"] = tuple(map(speed_of, listed(scenario.speeds, "speeds")))
    groups = listed(scenario.equal, "equal")
    kept["equal"] = tuple(tuple(map(str, listed(group, "a group of equal"))) for group in groups)
    if scenario.controller is not None and not callable(scenario.controller):
        raise InputError(f"the controller is {scenario.controller!r}; it must be a function f(t, q, v) -> torques.")
    for what in ("weights", "static"):
        kept[what] = {name: finite(value, f"{what} of '{name}'") for name, value in kept[what].items()}
    return kept


PARTS = (span, method, recording, world, phases, drive)
"""In the order in which they are checked; the later ones read what the earlier ones keep."""


def check_names(scenario: Scenario) -> None:
    """Refuse drives and starts of coordinates, strands and wheels that the robot does not have, or that are driven twice."""
    robot = scenario.compiled
    both = set(scenario.imposed) & set(scenario.torque)
    if both:
        raise InputError(f"coordinate '{min(both)}' is both imposed and torque-driven; choose one.")
    start = scenario.start
    for name in (*scenario.imposed, *scenario.torque, *scenario.servo, *scenario.dependent, *start.adjust, *start.keep):
        if name not in robot.coordinate_names:
            raise InputError(f"robot '{robot.name}' has no coordinate '{name}'{nearest(name, robot.coordinate_names)}")
    _check_strands(scenario)
    wheels = [wheel.name for wheel in robot.wheels]
    equal = (name for group in scenario.equal for name in group)
    for name in (*scenario.steering, *scenario.rolling, *scenario.wheel_torque, *equal):
        if name not in wheels:
            raise InputError(f"robot '{robot.name}' has no wheel '{name}'{nearest(name, wheels)}")


def _check_strands(scenario: Scenario) -> None:
    """Tensions are given for tendons, lengths for those with a stiffness, pressures for chambers."""
    robot = scenario.compiled
    kinds = dict(zip(robot.strand_names, (int(row[0]) for row in robot.strands), strict=True))
    for kind, (what, words) in enumerate(_STRANDS.items()):
        for name in getattr(scenario, what):
            if kinds.get(name) != kind:
                hint = nearest(name, [n for n, k in kinds.items() if k == kind])
                article = "an" if what == "activation" else "a"
                raise InputError(f"{article} {what.replace('_', ' ')} is given for '{name}', which is not {words}{hint}")
