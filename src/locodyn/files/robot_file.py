"""Robot files in YAML: from the text to a robot, with the line in every error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files.drawn_shapes import inertia_box
from locodyn.files.loaded import Loaded
from locodyn.files.notes import Notes
from locodyn.files.parts import actuator_values, friction_of, inertia_of, shape_of, solid_of, wrench_law, wrench_values
from locodyn.files.paths import inside
from locodyn.files.robot_words import JOINT_WORDS, ROBOT
from locodyn.files.rod_contact_words import rod_contact_values
from locodyn.files.rods import rod_values, route_of
from locodyn.files.rules import Section
from locodyn.files.tie_words import tie_values
from locodyn.files.yaml_reader import PlacedError, read_yaml
from locodyn.robot import BodyHandle, Robot
from locodyn.robot.building.change import change

# How a robot file reads the file that it begins with: (path, root, how it is read: 'moves', 'collides') -> Loaded
Load = Callable[[Path, Path, Mapping[str, Any]], Loaded]


def read_robot(path: Path, root: Path, load: Load) -> Loaded:
    """The robot of a YAML file; ``root``: the folder in which all files that it names must lie."""
    entry = read_yaml(path)
    return build_robot(ROBOT.read(entry, "the robot"), path.stem, path.parent, root, load)


def build_robot(section: Section, name: str, folder: Path, root: Path, load: Load) -> Loaded:
    """The robot that a checked mapping describes; ``name`` if it has none of its own."""
    return _Reader(section, folder, root, load).loaded(section.get("robot", section.get("name", name)))


@dataclass
class _Reader:
    section: Section
    folder: Path
    root: Path
    load: Load

    def loaded(self, name: str) -> Loaded:
        self.notes = Notes()
        before = Loaded(Robot(name))
        options = {key: self.section[key] for key in ("massless_ok", "any_inertia") if key in self.section}
        if "from" in self.section or "robots" in self.section:
            before = self.begin() if "from" in self.section else self.several(name)
            self.robot = Robot.from_description(before.robot.description)
            self.robot.name = name
            for key, value in options.items():
                setattr(self.robot, key, value)
        else:
            for key in ("moves", "collides", "change"):
                if key in self.section:
                    raise self.section.entry.value[key].error(
                        f"'{key}' goes with 'from'; say it of the base and the bodies here."
                    )
            self.robot = Robot(name, **options)
            self.base(self.section["base"])
        self.bodies()
        robot = self.robot
        for key, add in (("springs", robot.spring), ("cables", robot.cable), ("torsion_springs", robot.torsion_spring)):
            for part, values in self.section.get(key, {}).items():
                self.said(values, add, part, **tie_values(values))
        for key, build in (("loops", self.loop), ("couplings", self.coupling), ("wrenches", self.wrench)):
            for part, values in self.section.get(key, {}).items():
                self.said(values, build, part, values)
        self.said(self.section, lambda: self.robot.description)
        return replace(before, robot=self.robot, notes=(*before.notes, *self.notes.all()))

    def begin(self) -> Loaded:
        """The robot of the file under ``from``, with the changes."""
        entry = self.section.entry.value["from"]
        try:
            path = inside(self.section["from"], self.folder, self.root, "'from'")
            before = self.load(path, self.root, {key: self.section[key] for key in ("moves", "collides") if key in self.section})
        except InputError as error:
            raise entry.error(str(error)) from None
        if "change" not in self.section:
            return before
        try:
            return replace(before, robot=before.robot.changed(self.section["change"]))
        except LocodynError as error:
            raise self.section.entry.value["change"].error(str(error)) from None

    def several(self, name: str) -> Loaded:
        """The robots of the files under ``robots``, in one world."""
        for key in ("moves", "collides", "change"):
            if key in self.section:
                raise self.section.entry.value[key].error(f"'{key}' goes with 'from'; say it of each of the robots.")
        parts: dict[str, Loaded] = {}
        for key, section in self.section["robots"].items():
            entry = section.entry.value["from"]
            try:
                path = inside(section["from"], self.folder, self.root, "'from'")
                parts[key] = self.load(
                    path, self.root, {word: section[word] for word in ("moves", "collides") if word in section}
                )
            except InputError as error:
                raise entry.error(str(error)) from None
        places = [{key: one[word] for key, one in self.section["robots"].items() if word in one} for word in ("at", "turned")]
        return Loaded.together(name, parts, *places)

    @staticmethod
    def said(section: Section, act: Callable[..., Any], /, *arguments: Any, **words: Any) -> Any:
        """What ``act`` gives; its error gets the line of ``section``."""
        try:
            return act(*arguments, **words)
        except PlacedError:
            raise
        except LocodynError as error:
            raise section.entry.error(str(error)) from None

    # ------------------------------------------------------------------------------------------------------------- bodies
    def base(self, section: Section) -> None:
        names = ("moves", "axis", "at", "turned", "body_at", "body_turned", "joint")
        words = {key: section[key] for key in names if key in section}
        self.bears(self.said(section, self.robot.base, section["name"], **words, **self.substance(section)), section)

    def bodies(self) -> None:
        new = self.section.get("bodies", {})
        known = self.robot.bodies
        for name, section in new.items():
            if name in known and "base" not in self.section:
                self.supplement(name, section)
                continue
            if "parent" not in section:
                raise section.entry.error(
                    f"body '{name}' has no 'parent': the name of the body that carries it{self.meant(name)}."
                )
            word = next((key for key in JOINT_WORDS if key in section), None)
            if word is None:
                raise section.entry.error(
                    f"how body '{name}' moves on '{section['parent']}' is not said: give one of {', '.join(JOINT_WORDS)}."
                )
            if word == "rod":
                self.rod(name, section)
                continue
            body = self.said(section, self.robot.body, name, **self.substance(section))
            place = {key: section[key] for key in ("at", "turned", "body_at", "body_turned", "at_s") if key in section}
            self.said(section, body.on, section["parent"], **place)
            self.said(section, self.move, body, word, section)
            self.bears(body, section)

    def rod(self, name: str, section: Section) -> None:
        """A rod and its tip; what the tip is made of, if anything, is said afterwards."""
        if section["parent"] not in self.robot.bodies:
            known = nearest(section["parent"], self.robot.bodies)
            raise section.entry.value["parent"].error(
                f"rod '{name}' begins on '{section['parent']}', which must stand before it{known}"
            )
        place = {key: section[key] for key in ("at", "turned", "at_s", "joint") if key in section}
        values = self.said(section["rod"], rod_values, section["rod"])
        self.said(section, self.robot[section["parent"]].rod, name, **place, **values)
        joint = section.get("joint", name)
        changes = {f"{name}.{key}": value for key, value in self.substance(section).items()}
        changes |= {f"{joint}.{key}": section[key] for key in ("body_at", "body_turned") if key in section}
        for key, value in changes.items():
            self.said(section, change, self.robot, key, value)
        self.bears(self.robot[name], section)

    def meant(self, name: str) -> str:
        """For a body that the file under ``from`` might have by a similar name."""
        return nearest(name, self.robot.bodies).rstrip("?") if "from" in self.section else ""

    def supplement(self, name: str, section: Section) -> None:
        """More about a body of the file under ``from``: what it bears, other values of its substance and its actuator."""
        for key in ("parent", "at_s", "at", "turned", "body_at", "body_turned", "coordinates", "joint", *JOINT_WORDS):
            if key in section:
                raise section.entry.value[key].error(
                    f"body '{name}' has its place and joint in '{self.section['from']}'; other values go under 'change'."
                )
        joint = self.robot.description.body(name).joint.name
        changes = {f"{name}.{key}": value for key, value in self.substance(section).items()}
        changes |= {f"{joint}.{key}": value for key, value in actuator_values(section.get("actuator", {})).items()}
        self.robot = self.said(section, self.robot.changed, changes)
        self.bears(self.robot[name], Section({key: value for key, value in section.items() if key != "actuator"}, section.entry))

    def substance(self, section: Section) -> dict[str, Any]:
        """Mass, inertia and shape as the builder takes them."""
        values = {key: section[key] for key in ("mass", "density", "centre") if key in section}
        if "inertia" in section:
            values["inertia"] = self.said(section, inertia_of, section["inertia"])
        if "shape" in section:
            values["shape"] = self.said(section, self.shape, section, values)
        return values

    def shape(self, section: Section, values: dict[str, Any]) -> Any:
        def stand_in(mesh: str, line: int) -> Any:
            box = inertia_box(values.get("mass"), values.get("centre"), values.get("inertia"))
            drawn = "drawn as a box of the same inertia" if box is not None else "not drawn"
            self.notes.changed(f"mesh '{mesh}'", f"there is no such file; it is {drawn}", line)
            return box

        return shape_of(section["shape"], self.folder, self.root, stand_in)

    @staticmethod
    def move(body: BodyHandle, word: str, section: Section) -> None:
        name = {"name": section.get("joint")}
        value = section[word]
        if value is True:
            getattr(body, word)(**name)
        elif word == "screwing":
            body.screwing(value.get("axis", "z"), pitch=value["pitch"], **name)
        elif word == "universal":
            body.universal(value[0], value[1], **name)
        else:
            getattr(body, word)(value, **name)

    def bears(self, body: BodyHandle, section: Section) -> None:
        """Markers, wheels, skates, contacts, surfaces, what is along a rod and what holds it, fluid, actuator, limits, names."""

        def say() -> None:
            if "coordinates" in section:
                body.coordinates(*section["coordinates"])
            if "limits" in section:
                body.limits(**section["limits"])
            if "fluid" in section:
                body.fluid(**section["fluid"])
            if "actuator" in section:
                body.actuator(**actuator_values(section["actuator"]))

        self.said(section, say)
        for key, add in (
            ("markers", body.marker),
            ("wheels", body.wheel),
            ("skates", body.skate),
            ("rolling", body.rolling),
            ("feet", body.foot),
            ("collides", body.collides),
            ("rests", body.rests),
            ("tendons", body.tendon),
            ("chambers", body.chamber),
            ("muscles", body.muscle),
        ):
            for name, values in section.get(key, {}).items():
                self.said(values, add, name=name, **self.said(values, self.made, values))
        for key, hold in (("anchors", body.anchor), ("sleeves", body.sleeve), ("pegs", body.peg)):
            for name, values in section.get(key, {}).items():
                words = self.said(values, rod_contact_values, values, self.folder, self.root)
                self.said(values, hold, name, **words)

    @staticmethod
    def made(values: Section) -> dict[str, Any]:
        """The values with their laws, frictions and shapes as objects."""
        makers: dict[str, Callable[[Any], Any]] = {
            "contact": wrench_law, "friction": friction_of, "shape": solid_of, "offset": route_of
        }  # fmt: skip
        return {key: makers[key](value) if key in makers else value for key, value in values.items()}

    # ---------------------------------------------------------------------------------------- loops, couplings and wrenches
    def loop(self, name: str, section: Section) -> None:
        self.robot.loop(name, **section)

    def coupling(self, name: str, section: Section) -> None:
        self.robot.coupling(name, **section)

    def wrench(self, name: str, section: Section) -> None:
        self.robot.wrench(name, **wrench_values(section))
