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
    section = SCENARIO.read(entry, "the scenario")
    words = {key: getattr(reading, key) for key in _READ if getattr(reading, key) is not None}
    for key in words:
        if key in section or not isinstance(section["robot"], str):
            raise InputError(f"'{path}' says itself {_READ[key]}; leave --{key} out.")
    reader = _Reader(section, path, root, load, changes, {key: section[key] for key in _READ if key in section} | words)
    return reader.scenario()


class _Reader:
    def __init__(
        self, section: Section, path: Path, root: Path, load: Load, changes: Mapping[str, Any], words: Mapping[str, Any]
    ) -> None:
        self.section, self.path, self.folder, self.root, self.load = section, path, path.parent, root, load
        self.changes, self.words = changes, words

    def said(self, key: str, act: Callable[..., Any], *arguments: Any, **words: Any) -> Any:
        """What ``act`` gives; its error gets the line of ``key``."""
        try:
            return act(*arguments, **words)
        except PlacedError:
            raise
        except LocodynError as error:
            raise self.section.entry.value[key].error(str(error)) from None

    def scenario(self) -> tuple[Scenario, Loaded]:
        zoo, loaded = self.robot()
        values: dict[str, Any] = loaded.surroundings()
        if "contact" in self.section and "compliant" in self.section:
            raise self.section.entry.value["compliant"].error("contact is either hard or compliant; leave out 'contact'.")
        for key, build in (
            ("world", self.world),
            ("obstacles", lambda section: {"obstacles": tuple(obstacle_of(one) for one in section)}),
            (
                "self_collision",
                lambda section: {"self_collision": section if isinstance(section, bool) else SelfCollision(**section)},
            ),
            ("contact", lambda section: {"contact": HardContact(**section)}),
            ("compliant", lambda section: {"contact": CompliantContact(**section)}),
            ("phases", lambda section: {"phases": phases_of(section)}),
            ("drives", self.drives),
            ("start", self.start),
            ("time", self.time),
            ("integrator", self.integrator),
            ("record", self.record),
        ):
            if key in self.section:
                values |= self.said(key, build, self.section[key])
        robot = loaded.robot
        if "world" in self.section:
            robot = self.said("world", self.laws, loaded)
            loaded = replace(loaded, robot=robot)
        if "measured" in self.section.get("drives", {}):
            values["imposed"] = {**values.get("imposed", {}), **self.measured(robot, values.get("imposed", {}))}
        for kind in ("imposed", "torque") if loaded.servos else ():  # a servo of the file gives way to what the scenario says
            values["servo"] = {name: one for name, one in values["servo"].items() if name not in values.get(kind, {})}
        compiled = robot if isinstance(robot, CompiledRobot) else robot.compile()
        self.check_names(compiled)
        values |= {"robot": robot, "name": self.section.get("scenario", self.path.stem)}
        values["summary"] = self.section.get("summary", "" if zoo is None else zoo.summary)
        where = next((key for key in ("phases", "drives", "start") if key in self.section), "robot")
        if zoo is None:
            scenario = self.said(where, Scenario, **values)
        else:
            scenario = self.said(where, zoo.changed, checks=(), **values)
        if "checks" in self.section:
            checks = tuple(check_of(one, scenario) for one in self.section["checks"])
            scenario = scenario.changed(checks=checks)
        return scenario, loaded

    def check_names(self, robot: CompiledRobot) -> None:
        """Refuse names of coordinates and wheels that the robot does not have, with their lines."""
        coordinates, wheels = robot.coordinate_names, [wheel.name for wheel in robot.wheels]
        joints = (*robot.joint_names, robot.reference_body)
        strands = (*robot.strand_names, *(tie.name for tie in robot.ties))
        drives, start = self.section.get("drives", {}), self.section.get("start", {})
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
        chosen = self.section.get("self_collision")
        pairs = chosen if isinstance(chosen, Section) else None
        for key in ("include", "exclude"):
            for k, pair in enumerate(pairs.get(key, ()) if pairs else ()):
                for j, name in enumerate(pair):
                    if name not in robot.body_names:
                        entry = self.section["self_collision"].entry.value[key].value[k].value[j]
                        raise entry.error(f"robot '{robot.name}' has no body '{name}'{nearest(name, robot.body_names)}")
        for section, key in ((drives, "dependent"), (start, "adjust"), (start, "keep")):
            for k, name in enumerate(section.get(key, ()) if isinstance(section, Section) else ()):
                if name not in coordinates:
                    entry = section.entry.value[key].value[k]
                    raise entry.error(f"robot '{robot.name}' has no coordinate '{name}'{nearest(name, coordinates)}")

    # ---------------------------------------------------------------------------------------------------------------- robot
    def robot(self) -> tuple[Scenario | None, Loaded]:
        """The scenario of the zoo that is meant, if one is, and the robot."""
        section = self.section["robot"]
        if isinstance(section, Section) and "zoo" in section:
            from locodyn.zoo import make

            for key, said in _READ.items():
                if key in self.section:
                    raise self.section.entry.value[key].error(f"a robot of the zoo says itself {said}; leave it out.")
            parameters = {key: tuple(v) if isinstance(v, list) else v for key, v in section.get("parameters", {}).items()}
            zoo = self.said("robot", make, section["zoo"], {**parameters, **self.changes})
            return zoo, Loaded(zoo.robot)
        if isinstance(section, Section):
            if "moves" in self.section:
                raise self.section.entry.value["moves"].error(
                    "a robot in place says itself how its base moves: base: {moves: ...}."
                )
            if "collides" in self.section:
                raise self.section.entry.value["collides"].error(
                    "a robot in place says itself what collides: bodies: {...: {collides: ...}}."
                )
            loaded = build_robot(section, self.path.stem, self.folder, self.root, self.load)
        else:

            def read() -> Loaded:
                file = inside(section, self.folder, self.root, "the robot")
                return self.load(file, self.root, self.words)

            loaded = self.said("robot", read)
        if self.changes:
            loaded = replace(loaded, robot=loaded.robot.changed(self.changes))
        return None, loaded

    # ---------------------------------------------------------------------------------------------------------------- world
    def world(self, section: Section) -> dict[str, Any]:
        """Gravity in the axes of the ground: tilted by the slope, so that the ground rises towards an axis."""
        gravity = section.get("gravity", GRAVITY)
        vector = np.array(gravity if isinstance(gravity, list) else (0.0, 0.0, 0.0 - gravity), dtype=float)
        if "slope" in section:
            slope = section["slope"]
            angle, towards = (slope, "x") if isinstance(slope, float) else (slope["angle"], slope.get("towards", "x"))
            uphill = unit_axis(towards, "the direction of the slope")
            if abs(uphill[2]) > 1e-12:
                raise section.entry.value["slope"].error("the direction of the slope must lie in the ground: x, y or [x, y, 0].")
            vector = rotation_about(np.cross((0.0, 0.0, 1.0), uphill), angle) @ vector
        return {"gravity": tuple(vector)} if "gravity" in section or "slope" in section else {}

    def laws(self, loaded: Loaded) -> Any:
        from locodyn.robot import Robot

        if "laws" not in self.section["world"]:
            return loaded.robot
        robot = Robot.from_description(loaded.robot.description)
        for name, law in self.section["world"]["laws"].items():
            try:
                robot.wrench(name, **wrench_values(law))
                robot.description  # noqa: B018  a wrong body fails here, with its line
            except LocodynError as error:
                raise law.entry.error(str(error)) from None
        return robot

    # --------------------------------------------------------------------------------------------------------------- drives
    def drives(self, section: Section) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, rule in DRIVES.keys.items():
            if rule.rule is MOTIONS and key in section:
                values[key] = {name: motion_of(law, self.folder, self.root) for name, law in section[key].items()}
        if "servo" in section:
            values["servo"] = {name: self.servo(one) for name, one in section["servo"].items()}
        for key in ("dependent", "equal", "weights", "static", "torque_method"):
            if key in section:
                values[key] = section[key]
        if "speeds" in section:
            values["speeds"] = [
                (one["of"], one["along"], motion_of(one["distance"], self.folder, self.root)) for one in section["speeds"]
            ]
        if "gait" in section:
            gait, entry = self.gait(section["gait"]), section.entry.value["gait"]
            key = "servo" if "stiffness" in section["gait"] else "imposed"
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
        for name, section in self.section["drives"]["measured"].items():
            if name not in rods:
                raise section.entry.error(f"robot '{robot.name}' has no rod '{name}'{nearest(name, rods)}")
            options = {key: section[key] for key in ("time", "cutoff") if key in section}
            try:
                file = inside(section["file"], self.folder, self.root, "the marks")
                laws = body_from_csv(rods[name].rod, file, section["places"], **options).imposed(rods[name].name)
            except InputError as error:
                raise section.entry.error(str(error)) from None
            for coordinate in laws:
                if coordinate in imposed:
                    raise section.entry.error(f"'{coordinate}' is measured and under 'imposed'; choose one.")
            found |= laws
        return found

    def servo(self, section: Section) -> Servo:
        numbers = {key: section[key] for key in ("stiffness", "damping", "begins") if key in section}
        return Servo(motion_of(section.get("target", 0.0), self.folder, self.root), **numbers)

    @staticmethod
    def gait(section: Section) -> Mapping[str, Any]:
        """Laws of a gait, or servos that follow them."""
        from locodyn.gaits import harmonic_gait, serpenoid_gait, snake_gait

        ((kind, values),) = ((key, value) for key, value in section.items() if key not in ("stiffness", "damping"))
        if "damping" in section and "stiffness" not in section:
            raise section.entry.error("the gait has a damping but no stiffness; give both, or none.")
        try:
            if kind == "harmonic":
                laws = dict(harmonic_gait(values["omega"], **values["joints"]))
            elif kind == "serpenoid":
                laws = dict(serpenoid_gait(**values))
            else:
                laws = dict(snake_gait(**values))
        except InputError as error:
            raise section.entry.error(str(error)) from None
        if "stiffness" not in section:
            return laws
        return {name: Servo(law, section["stiffness"], section.get("damping", 0.0)) for name, law in laws.items()}

    # ------------------------------------------------------------------------------------------------- start, time, numerics
    @staticmethod
    def start(section: Any) -> dict[str, Any]:
        return {"start": section if isinstance(section, str) else Start(**section)}

    @staticmethod
    def time(section: Section) -> dict[str, Any]:
        names = {"end": "t_end", "step": "dt"}
        if section.get("step", 0.0) > section.get("end", math.inf):
            raise section.entry.error(f"the step is {section['step']:g} s, longer than the run of {section['end']:g} s.")
        return {names[key]: value for key, value in section.items()}

    @staticmethod
    def record(section: Section) -> dict[str, Any]:
        words = {{"every": "record_every", "only": "record"}.get(key, key): value for key, value in section.items()}
        if "sensors" in words:
            words["sensors"] = {name: Sensor(**one) for name, one in words["sensors"].items()}
        return words

    @staticmethod
    def integrator(section: Any) -> dict[str, Any]:
        if isinstance(section, str):
            return {"integrator": section}
        options = {key: value for key, value in section.items() if key != "method"}
        if section["method"] != AUTO:
            check_options(section["method"], options)
        return {"integrator": section["method"], **options}
