"""Scenario files in YAML: a robot, what drives it, where it starts, how it is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files.loaded import Loaded
from locodyn.files.motion_words import MOTIONS
from locodyn.files.parts import motion_of, obstacle_of, wrench_values
from locodyn.files.paths import inside
from locodyn.files.reading import Reading
from locodyn.files.robot_file import Load, build_robot
from locodyn.files.rules import Section
from locodyn.files.scenario_parts import check_of, phases_of
from locodyn.files.scenario_words import DRIVES, SCENARIO
from locodyn.files.yaml_reader import Entry, PlacedError
from locodyn.integrate.base import AUTO
from locodyn.integrate.methods import check_options
from locodyn.locomotion.servo import Servo
from locodyn.robot import CompiledRobot
from locodyn.robot.pose import rotation_about, unit_axis
from locodyn.sim import Scenario, Sensor, Start
from locodyn.world import SelfCollision
from locodyn.world.compliant_law import CompliantContact

GRAVITY = 9.81  # m/s^2
_READ = {"moves": "how its base moves", "collides": "what collides"}  # how a robot file is read -> what it may say itself


def build_scenario(
    entry: Entry, path: Path, root: Path, load: Load, changes: Mapping[str, Any], reading: Reading
) -> tuple[Scenario, Loaded]:
    """The scenario of a file that was read, and what was said about its robot.

    ``changes``: parameters of the robot (dotted names, or those of a robot of the zoo) that replace what the file says.
    """
    given = SCENARIO.read(entry, "the scenario")
    words = {key: getattr(reading, key) for key in _READ if getattr(reading, key) is not None}
    for key in words:
        if key in given or not isinstance(given["robot"], str):
            raise InputError(f"'{path}' says itself {_READ[key]}; leave --{key} out.")
    reader = _Reader(given, path, root, load, changes, {key: given[key] for key in _READ if key in given} | words)
    return reader.scenario()


class _Reader:
    def __init__(
        self, given: Section, path: Path, root: Path, load: Load, changes: Mapping[str, Any], words: Mapping[str, Any]
    ) -> None:
        self.given, self.path, self.folder, self.root, self.load = given, path, path.parent, root, load
        self.changes, self.words = changes, words

    def said(self, key: str, act: Callable[..., Any], *arguments: Any, **words: Any) -> Any:
        """What ``act`` gives; its error gets the line of ``key``."""
        try:
            return act(*arguments, **words)
        except PlacedError:
            raise
        except LocodynError as error:
            raise self.given.entry.value[key].error(str(error)) from None

    def scenario(self) -> tuple[Scenario, Loaded]:
        zoo, loaded = self.robot()
        values: dict[str, Any] = loaded.surroundings()
        if "contact" in self.given and "compliant" in self.given:
            raise self.given.entry.value["compliant"].error("contact is either hard or compliant; leave out 'contact'.")
        for key, build in (
            ("world", self.world),
            ("obstacles", lambda given: {"obstacles": tuple(obstacle_of(one) for one in given)}),
            ("self_collision", lambda given: {"self_collision": given if isinstance(given, bool) else SelfCollision(**given)}),
            ("contact", lambda given: {"contact": HardContact(**given)}),
            ("compliant", lambda given: {"contact": CompliantContact(**given)}),
            ("phases", lambda given: {"phases": phases_of(given)}),
            ("drives", self.drives),
            ("start", self.start),
            ("time", self.time),
            ("integrator", self.integrator),
            ("record", self.record),
        ):
            if key in self.given:
                values |= self.said(key, build, self.given[key])
        robot = loaded.robot
        if "world" in self.given:
            robot = self.said("world", self.laws, loaded)
            loaded = replace(loaded, robot=robot)
        if "measured" in self.given.get("drives", {}):
            values["imposed"] = {**values.get("imposed", {}), **self.measured(robot, values.get("imposed", {}))}
        for kind in ("imposed", "torque") if loaded.servos else ():  # a servo of the file gives way to what the scenario says
            values["servo"] = {name: one for name, one in values["servo"].items() if name not in values.get(kind, {})}
        compiled = robot if isinstance(robot, CompiledRobot) else robot.compile()
        self.check_names(compiled)
        values |= {"robot": robot, "name": self.given.get("scenario", self.path.stem)}
        values["summary"] = self.given.get("summary", "" if zoo is None else zoo.summary)
        where = next((key for key in ("phases", "drives", "start") if key in self.given), "robot")
        if zoo is None:
            scenario = self.said(where, Scenario, **values)
        else:
            scenario = self.said(where, zoo.changed, checks=(), **values)
        if "checks" in self.given:
            checks = tuple(check_of(one, scenario) for one in self.given["checks"])
            scenario = scenario.changed(checks=checks)
        return scenario, loaded

    def check_names(self, robot: CompiledRobot) -> None:
        """Refuse names of coordinates and wheels that the robot does not have, with their lines."""
        coordinates, wheels = robot.coordinate_names, [wheel.name for wheel in robot.wheels]
        joints = (*robot.joint_names, robot.reference_body)
        strands = (*robot.strand_names, *(tie.name for tie in robot.ties))
        drives, start = self.given.get("drives", {}), self.given.get("start", {})
        for section, key, what, known in (
            (drives, "imposed", "coordinate", coordinates),
            (drives, "torque", "coordinate", coordinates),
            (drives, "servo", "coordinate", coordinates),
            (drives, "steering", "wheel", wheels),
            (drives, "rolling", "wheel", wheels),
            (drives, "wheel_torque", "wheel", wheels),
            (drives, "tension", "tendon or cable", strands),
            (drives, "tendon_length", "tendon or cable", strands),
            (drives, "pressure", "chamber", robot.strand_names),
            (drives, "activation", "muscle", robot.strand_names),
            (drives, "load", "wrench law", [wrench.name for wrench in robot.wrenches]),
            (start, "positions", "position", (*robot.position_names, *joints)),
            (start, "velocities", "velocity", (*coordinates, *joints)),
        ):
            for name in section.get(key, {}) if isinstance(section, Section) else ():
                if name not in known:
                    entry = section[key].entry.value[name]
                    raise entry.error(f"robot '{robot.name}' has no {what} '{name}'{nearest(name, known)}")
        chosen = self.given.get("self_collision")
        pairs = chosen if isinstance(chosen, Section) else None
        for key in ("include", "exclude"):
            for k, pair in enumerate(pairs.get(key, ()) if pairs else ()):
                for j, name in enumerate(pair):
                    if name not in robot.body_names:
                        entry = self.given["self_collision"].entry.value[key].value[k].value[j]
                        raise entry.error(f"robot '{robot.name}' has no body '{name}'{nearest(name, robot.body_names)}")
        for section, key in ((drives, "dependent"), (start, "adjust"), (start, "keep")):
            for k, name in enumerate(section.get(key, ()) if isinstance(section, Section) else ()):
                if name not in coordinates:
                    entry = section.entry.value[key].value[k]
                    raise entry.error(f"robot '{robot.name}' has no coordinate '{name}'{nearest(name, coordinates)}")

    # ---------------------------------------------------------------------------------------------------------------- robot
    def robot(self) -> tuple[Scenario | None, Loaded]:
        """The scenario of the zoo that is meant, if one is, and the robot."""
        given = self.given["robot"]
        if isinstance(given, Section) and "zoo" in given:
            from locodyn.zoo import make

            for key, said in _READ.items():
                if key in self.given:
                    raise self.given.entry.value[key].error(f"a robot of the zoo says itself {said}; leave it out.")
            parameters = {key: tuple(v) if isinstance(v, list) else v for key, v in given.get("parameters", {}).items()}
            zoo = self.said("robot", make, given["zoo"], {**parameters, **self.changes})
            return zoo, Loaded(zoo.robot)
        if isinstance(given, Section):
            if "moves" in self.given:
                raise self.given.entry.value["moves"].error(
                    "a robot in place says itself how its base moves: base: {moves: ...}."
                )
            if "collides" in self.given:
                raise self.given.entry.value["collides"].error(
                    "a robot in place says itself what collides: bodies: {...: {collides: ...}}."
                )
            loaded = build_robot(given, self.path.stem, self.folder, self.root, self.load)
        else:

            def read() -> Loaded:
                file = inside(given, self.folder, self.root, "the robot")
                return self.load(file, self.root, self.words)

            loaded = self.said("robot", read)
        if self.changes:
            loaded = replace(loaded, robot=loaded.robot.changed(self.changes))
        return None, loaded

    # ---------------------------------------------------------------------------------------------------------------- world
    def world(self, given: Section) -> dict[str, Any]:
        """Gravity in the axes of the ground: tilted by the slope, so that the ground rises towards an axis."""
        gravity = given.get("gravity", GRAVITY)
        vector = np.array(gravity if isinstance(gravity, list) else (0.0, 0.0, -gravity), dtype=float)
        if "slope" in given:
            slope = given["slope"]
            angle, towards = (slope, "x") if isinstance(slope, float) else (slope["angle"], slope.get("towards", "x"))
            uphill = unit_axis(towards, "the direction of the slope")
            if abs(uphill[2]) > 1e-12:
                raise given.entry.value["slope"].error("the direction of the slope must lie in the ground: x, y or [x, y, 0].")
            vector = rotation_about(np.cross((0.0, 0.0, 1.0), uphill), angle) @ vector
        return {"gravity": tuple(vector)} if "gravity" in given or "slope" in given else {}

    def laws(self, loaded: Loaded) -> Any:
        from locodyn.robot import Robot

        if "laws" not in self.given["world"]:
            return loaded.robot
        robot = Robot.from_description(loaded.robot.description)
        for name, law in self.given["world"]["laws"].items():
            try:
                robot.wrench(name, **wrench_values(law))
                robot.description  # noqa: B018  a wrong body fails here, with its line
            except LocodynError as error:
                raise law.entry.error(str(error)) from None
        return robot

    # --------------------------------------------------------------------------------------------------------------- drives
    def drives(self, given: Section) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, rule in DRIVES.keys.items():
            if rule.rule is MOTIONS and key in given:
                values[key] = {name: motion_of(law, self.folder, self.root) for name, law in given[key].items()}
        if "servo" in given:
            values["servo"] = {name: self.servo(one) for name, one in given["servo"].items()}
        for key in ("dependent", "equal", "weights", "static", "torque_method"):
            if key in given:
                values[key] = given[key]
        if "speeds" in given:
            values["speeds"] = [
                (one["of"], one["along"], motion_of(one["distance"], self.folder, self.root)) for one in given["speeds"]
            ]
        if "gait" in given:
            gait, entry = self.gait(given["gait"]), given.entry.value["gait"]
            key = "servo" if "stiffness" in given["gait"] else "imposed"
            for other in ("servo", "imposed"):
                for name in gait:
                    if name in values.get(other, {}):
                        raise entry.error(f"'{name}' is moved by the gait and under '{other}'; choose one.")
            values[key] = {**values.get(key, {}), **gait}
        return values

    def measured(self, robot: Any, imposed: Mapping[str, Any]) -> dict[str, Any]:
        """Laws of the strain coordinates of rods whose marks are in a file."""
        from locodyn.identify import body_from_csv

        rods = {body.name: body.joint for body in robot.description.bodies if body.joint.rod is not None}
        found: dict[str, Any] = {}
        for name, given in self.given["drives"]["measured"].items():
            if name not in rods:
                raise given.entry.error(f"robot '{robot.name}' has no rod '{name}'{nearest(name, rods)}")
            options = {key: given[key] for key in ("time", "cutoff") if key in given}
            try:
                file = inside(given["file"], self.folder, self.root, "the marks")
                laws = body_from_csv(rods[name].rod, file, given["places"], **options).imposed(rods[name].name)
            except InputError as error:
                raise given.entry.error(str(error)) from None
            for coordinate in laws:
                if coordinate in imposed:
                    raise given.entry.error(f"'{coordinate}' is measured and under 'imposed'; choose one.")
            found |= laws
        return found

    def servo(self, given: Section) -> Servo:
        numbers = {key: given[key] for key in ("stiffness", "damping", "begins") if key in given}
        return Servo(motion_of(given.get("target", 0.0), self.folder, self.root), **numbers)

    @staticmethod
    def gait(given: Section) -> Mapping[str, Any]:
        """Laws of a gait, or servos that follow them."""
        from locodyn.gaits import harmonic_gait, serpenoid_gait, snake_gait

        ((kind, values),) = ((key, value) for key, value in given.items() if key not in ("stiffness", "damping"))
        if "damping" in given and "stiffness" not in given:
            raise given.entry.error("the gait has a damping but no stiffness; give both, or none.")
        try:
            if kind == "harmonic":
                laws = dict(harmonic_gait(values["omega"], **values["joints"]))
            elif kind == "serpenoid":
                laws = dict(serpenoid_gait(**values))
            else:
                laws = dict(snake_gait(**values))
        except InputError as error:
            raise given.entry.error(str(error)) from None
        if "stiffness" not in given:
            return laws
        return {name: Servo(law, given["stiffness"], given.get("damping", 0.0)) for name, law in laws.items()}

    # ------------------------------------------------------------------------------------------------- start, time, numerics
    @staticmethod
    def start(given: Any) -> dict[str, Any]:
        return {"start": given if isinstance(given, str) else Start(**given)}

    @staticmethod
    def time(given: Section) -> dict[str, Any]:
        names = {"end": "t_end", "step": "dt"}
        if given.get("step", 0.0) > given.get("end", math.inf):
            raise given.entry.error(f"the step is {given['step']:g} s, longer than the run of {given['end']:g} s.")
        return {names[key]: value for key, value in given.items()}

    @staticmethod
    def record(given: Section) -> dict[str, Any]:
        words = {{"every": "record_every", "only": "record"}.get(key, key): value for key, value in given.items()}
        if "sensors" in words:
            words["sensors"] = {name: Sensor(**one) for name, one in words["sensors"].items()}
        return words

    @staticmethod
    def integrator(given: Any) -> dict[str, Any]:
        if isinstance(given, str):
            return {"integrator": given}
        options = {key: value for key, value in given.items() if key != "method"}
        if given["method"] != AUTO:
            check_options(given["method"], options)
        return {"integrator": given["method"], **options}
